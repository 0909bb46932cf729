//! Writes that a line does not name: through patterns, loops and searches. They
//! are looked up before the call, and judged by the scope one by one.
//!
//! Long because every way in which git brings files back is tried on the same ground.

use std::{fs, os::unix::fs::symlink};

use crate::{
    intent_gate::{declared, json_of},
    support::Roz,
};

fn ground() -> Roz {
    let roz = declared("");
    roz.write("src/auth/main.rs", "fn main() { login() }\n");
    roz.write("src/billing/invoice.rs", "fn invoice() { total() }\n");
    roz.write("NOTES.md", "notes\n");
    roz.write("src/billing/total.rs", "fn total() {}\n");
    roz.git(&["add", "."]);
    roz.git(&["commit", "-qm", "second"]);
    roz
}

#[track_caller]
fn is_refused(roz: &Roz, line: &str, file: &str) {
    // Each is a target of its own, as the breaker counts.
    roz.selects("INT-001");
    let told = json_of(&roz.bash(line).denies());
    assert_eq!(told["code"], "SCOPE_VIOLATION", "{line}");
    assert_eq!(told["file"], file, "{line}");
}

#[test]
fn what_a_pattern_or_a_search_comes_to_is_judged_before_it_is_written() {
    let roz = ground();
    let whole = roz.project().canonicalize().unwrap().join("src/billing/invoice.rs");
    assert!(whole.exists());
    for line in [
        "for f in src/billing/*; do echo > \"$f\"; done",
        "for f in $(find src/billing -name '*.rs'); do echo > \"$f\"; done",
        "find src/billing -name '*.rs' -exec sed -i s/a/b/ {} +",
        "find src/billing -name '*.rs' -exec sed -i s/a/b/ {} \\;",
        "find src -name '*.rs' -exec sed -i s/a/b/ {} +",
        "find src/billing -name '*.rs' -exec sh -c 'echo > \"$1\"' _ {} \\;",
        "find src -name invoice.rs -delete",
        "find src -name invoice.rs | xargs rm",
        "find src -name invoice.rs -print0 | xargs -0 rm",
        "find src/billing -type f | grep invoice | sort | head -1 | xargs -n1 rm",
        "find src/billing -name '*.rs' | while read f; do echo > \"$f\"; done",
        "while read f; do echo > \"$f\"; done < <(find src/billing -name '*.rs')",
        "find . -name '*.rs' -print0 | while IFS= read -r -d '' f; do sed -i s/a/b/ \"$f\"; done",
        "f=$(find src -name invoice.rs); rm $f",
        "for f in src/*/inv*.rs; do rm $f; done",
        "for f in src/b*/*.rs; do rm $f; done",
        "for f in $(ls src/*/inv*.rs); do rm $f; done",
        "cd src/billing && for f in *; do echo x >> $f; done",
        "cd src/billing && for f in *.rs; do sed -i s/a/b/ \"$f\"; done",
        "cd src && for f in b*/*.rs; do echo > \"$f\"; done",
        "cd src/billing && ls | xargs rm",
        "cd src/billing && ls | while read f; do rm \"$f\"; done",
        "for d in src/b*; do echo > \"$d/invoice.rs\"; done",
        "cd src/billing && for i in 1 2; do date; for f in *; do date; echo $i >> $f; done; done",
        "mapfile -t a < <(find src/billing -type f); rm \"${a[@]}\"",
        "grep -rl total src/billing | xargs sed -i s/a/b/",
        "grep -rl total . | xargs sed -i s/a/b/",
        "grep -rn total src | cut -d: -f1 | sort -u | xargs sed -i s/a/b/",
        "grep -rn total src | awk -F: '{print $1}' | xargs sed -i s/a/b/",
        "grep -l total src/billing/*.rs | xargs sed -i s/a/b/",
        "sed -i s/a/b/ $(grep -rl total src)",
        "rg -l total | xargs sed -i s/a/b/",
        "git grep -l total -- src/billing | xargs sed -i s/a/b/",
        "git ls-files src/billing | xargs sed -i s/a/b/",
        "git ls-files '*.rs' | xargs sed -i s/a/b/",
        "fd -e rs . src/billing -x sed -i s/a/b/",
        "cd src && find billing -type f | xargs rm",
        "ls -d src/billing/* | xargs rm",
        "rm src/*/invoice.rs",
        "perl -pi -e s/a/b/ src/billing/*.rs",
        "rename s/a/b/ src/billing/invoice.rs",
        "rename a b src/billing/invoice.rs",
    ] {
        is_refused(&roz, line, "src/billing/invoice.rs");
    }
    for (line, file) in [
        ("for f in *.md; do echo x >> $f; done", "NOTES.md"),
        ("for f in *; do mv \"$f\" \"$f.old\"; done", "NOTES.md"),
        ("for d in src/b*/; do touch \"$d/new.rs\"; done", "src/billing/new.rs"),
        ("for d in src/*/; do touch \"$d/new.rs\"; done", "src/billing/new.rs"),
        ("find src/billing -name '*.rs' -exec cp {} {}.bak \\;", "src/billing/invoice.rs.bak"),
        ("echo x > $(pwd)/src/billing/f", "src/billing/f"),
        ("echo x > `pwd`/src/billing/f", "src/billing/f"),
        ("d=$(pwd); echo x > \"$d/src/billing/f\"", "src/billing/f"),
        ("echo x > \"$(git rev-parse --show-toplevel)/src/billing/f\"", "src/billing/f"),
        ("ls src/billing | while read f; do echo > \"src/billing/$f\"; done", "src/billing/…"),
        ("echo x > \"src/billing/$NAME\"", "src/billing/…"),
        ("ls src/auth/*.rs | xargs -I{} cp {} src/billing/", "src/billing"),
        ("ln src/billing/total.rs src/auth/t && echo > src/auth/t", "src/billing/total.rs"),
    ] {
        is_refused(&roz, line, file);
    }
}

#[test]
fn what_git_takes_out_of_a_commit_is_written() {
    let roz = ground();
    for line in [
        "git checkout src/billing/invoice.rs",
        "git checkout -q src/billing/invoice.rs",
        "git checkout --ours src/billing/invoice.rs",
        "git checkout HEAD src/billing/invoice.rs",
        "git checkout HEAD 'src/**/invoice.rs'",
        "git checkout 'src/*invoice.rs'",
        "git checkout ':(top)src/billing/invoice.rs'",
        "git checkout :/src/billing/invoice.rs",
        "git -C src checkout billing/invoice.rs",
        "cd src && git checkout billing/invoice.rs",
        "git checkout src/auth/login.rs src/billing/invoice.rs",
        "f=src/billing/invoice.rs; git checkout $f",
        "git ls-files src/billing | xargs git checkout",
    ] {
        is_refused(&roz, line, "src/billing/invoice.rs");
    }
    for (line, file) in [
        ("git checkout src", "src"),
        ("git checkout HEAD src", "src"),
        ("git checkout -m src", "src"),
        ("git checkout main src/billing", "src/billing"),
        ("git -C src checkout billing", "src/billing"),
        ("cd src/auth && git checkout ..", "src"),
        ("git checkout \"src/billing/$NAME\"", "src/billing/…"),
    ] {
        is_refused(&roz, line, file);
    }
    roz.selects("INT-001");
    roz.write("src/billing/total.rs", "fn total() { 1 }\n");
    for line in [
        "git checkout .",
        "git checkout :/",
        "git checkout ':(top)src'",
        "git checkout 'src/*.rs'",
        "git checkout-index -f -a",
        "git read-tree -u -m HEAD",
        "git checkout .orchestration",
        "git checkout wide .orchestration",
        "git checkout .roz",
        "git checkout main .claude",
    ] {
        roz.bash(line).denies();
    }
}

#[test]
fn a_branch_is_no_path_and_what_lies_in_the_scope_may_be_taken_back() {
    let roz = ground();
    roz.selects("INT-001");
    for line in [
        "git checkout main",
        "git checkout -q feature/x",
        "git checkout -b src",
        "git checkout -b src/billing main",
        "git checkout -t origin/src",
        "git checkout HEAD~1",
        "git checkout \"$BRANCH\"",
        "git switch src",
        "git checkout -",
        "git checkout src/auth/login.rs",
        "git checkout HEAD src/auth/login.rs",
        "git checkout src/auth/*.rs",
        "git checkout 'src/auth/*.rs'",
        "git checkout :/src/auth/login.rs",
        "git -C src checkout auth/login.rs",
        "cd src/auth && git checkout login.rs",
    ] {
        roz.bash(line).passes();
    }
}

#[test]
fn what_a_search_comes_to_within_the_scope_passes() {
    let roz = ground();
    roz.selects("INT-001");
    for line in [
        "for f in src/auth/*.rs; do sed -i s/a/b/ \"$f\"; done",
        "for f in src/a*/*.rs; do sed -i s/a/b/ \"$f\"; done",
        "for f in s*/auth/*.rs; do cp \"$f\" \"$f.bak\"; done",
        "cd src/auth && for f in *; do echo x >> \"$f\"; done",
        "cd src/auth && ls | xargs sed -i s/a/b/",
        "for f in *.md; do wc -l \"$f\" >> \"$OUT\"; done",
        "for f in *.md; do cat \"$f\" > /dev/null; done",
        "for f in src/*/*.rs; do wc -l \"$f\" >> src/auth/counts; done",
        "ls | xargs wc -l",
        "find src/auth -name '*.rs' -exec sed -i s/a/b/ {} +",
        "find src -name login.rs -exec sed -i s/a/b/ {} +",
        "find . -name login.rs | xargs sed -i s/a/b/",
        "grep -rl 'fn login' src | xargs sed -i s/a/b/",
        "sed -i s/a/b/ $(grep -rl login src/auth)",
        "git ls-files src/auth | xargs sed -i s/a/b/",
        "cd src/auth && find . -type f | xargs sed -i s/a/b/",
        "sed -i s/a/b/ src/*/login.rs",
        "echo x > \"$(git rev-parse --show-toplevel)/src/auth/x.rs\"",
        "echo x > $(pwd)/src/auth/x.rs",
        "echo x > \"src/auth/$NAME\"",
        "t=$(mktemp); find src/auth -name '*.rs' | while read f; do sed s/a/b/ \"$f\" > \"$t\"; done",
        "rename s/a/b/ src/auth/login.rs",
    ] {
        roz.bash(line).passes();
    }
}

#[test]
fn what_only_reads_what_it_finds_passes_without_an_intent() {
    let roz = ground();
    for line in [
        "find src -exec grep total {} +",
        "find . -name '*.rs' | xargs wc -l",
        "for f in src/billing/*; do cat \"$f\"; done",
        "grep -rl total src | xargs cat",
        "git ls-files | head",
        "find src -name '*.rs' | wc -l > /dev/null",
        "cd $(pwd) && ls",
    ] {
        roz.bash(line).passes();
    }
}

#[test]
fn a_pattern_is_no_way_through_a_link_or_into_a_hole() {
    let roz = ground();
    roz.write("src/auth/keys/a.rs", "");
    symlink("../billing/invoice.rs", roz.project().join("src/auth/link.rs")).unwrap();
    is_refused(&roz, "sed -i s/a/b/ src/auth/*/a.rs", "src/auth/keys/a.rs");
    roz.selects("INT-001");
    let reason = roz.bash("for f in src/auth/*.rs; do echo > \"$f\"; done").denies();
    assert!(reason.contains("really src/billing/invoice.rs"), "{reason}");
}

#[test]
fn where_there_is_too_much_to_look_at_the_folder_counts() {
    let roz = ground();
    for folder in ["src/auth/many", "src/billing/many"] {
        fs::create_dir(roz.project().join(folder)).unwrap();
        for at in 0..600 {
            roz.write(&format!("{folder}/{at}.txt"), "");
        }
    }
    roz.selects("INT-001");
    roz.bash("find src/auth/many -name '*.txt' -exec sed -i s/a/b/ {} +").passes();
    is_refused(&roz, "find src/billing/many -type f | xargs rm", "src/billing/many");
}

/// What is made of a listing of a folder before it is written.
#[test]
fn names_that_come_from_a_listing_lie_in_its_folder() {
    let roz = ground();
    let mut let_through = Vec::new();
    for line in [
        "cd src/billing && ls | grep inv | xargs rm",
        "cd src/billing; ls | grep -v total | head -3 | xargs -n1 rm",
        "cd src/billing && rm $(ls | grep inv)",
        "cd src/billing && rm -f `ls | grep inv`",
        "cd src/billing && for f in $(ls | grep inv); do rm $f; done",
        "cd src/billing && ls | grep inv | while read f; do rm \"$f\"; done",
        "cd src/billing && ls -1 | awk '/inv/' | xargs rm -f",
        "ls src/billing/* | grep inv | xargs rm",
        "ls src/billing/* | grep inv | xargs -I{} sed -i s/a/b/ {}",
        "ls -d src/billing/* | grep -v total | xargs rm",
        "ls src/b*/* | grep billing | xargs rm",
        "rm $(ls src/billing/* | grep inv)",
        "git ls-files src | grep inv | xargs rm",
        "ls src/billing | sed 's,^,src/billing/,' | xargs rm",
        "ls src/billing | grep inv | xargs -I{} rm src/billing/{}",
        "ls src/billing | grep inv | (cd src/billing; xargs rm)",
    ] {
        roz.selects("INT-001");
        let reply = roz.bash(line);
        if !reply.is_objection() {
            let_through.push(line);
            continue;
        }
        let told = json_of(&reply.denies());
        assert_eq!(told["code"], "SCOPE_VIOLATION", "{line}");
        let file = told["file"].as_str().unwrap();
        assert!(file.starts_with("src/billing"), "{line}: {file}");
    }
    assert!(let_through.is_empty(), "{let_through:#?}");
    roz.selects("INT-001");
    for line in [
        "ls | grep md | xargs cat",
        "cd src/billing && ls | grep inv | xargs wc -l",
        "ls src/billing/* | grep inv | xargs cat",
        "cd src/auth && ls | grep main | xargs sed -i s/a/b/",
        "ls src/auth/*.rs | grep main | xargs rm",
        "rm $(ls src/auth/*.rs | grep main)",
        "n=$(ls | grep -c md); sed -i s/a/b/ \"$FILE\"",
        "ls src/billing | grep inv > $OUT",
    ] {
        roz.bash(line).passes();
    }
}

#[test]
fn a_file_that_git_has_and_that_is_gone_is_written_by_a_checkout() {
    let roz = ground();
    roz.git(&["branch", "topic"]);
    fs::remove_file(roz.project().join("src/billing/total.rs")).unwrap();
    for line in [
        "git checkout src/billing/total.rs",
        "cd src && git checkout billing/total.rs",
        "git -C src/billing checkout total.rs",
        "git restore src/billing/total.rs",
    ] {
        is_refused(&roz, line, "src/billing/total.rs");
    }
    fs::remove_dir_all(roz.project().join("src/billing")).unwrap();
    is_refused(&roz, "git checkout src/billing", "src/billing");
    roz.selects("INT-001");
    for line in ["git checkout topic", "git checkout nothing-of-that-name"] {
        roz.bash(line).passes();
    }
    // Where git cannot say what it has, it may have it.
    roz.write(".git/config", "[\n");
    is_refused(&roz, "git checkout src/billing", "src/billing");
}

#[test]
fn what_git_stashes_and_brings_back_is_written() {
    let roz = ground();
    // A ledger that git keeps would be among what is stashed.
    roz.write(".git/info/exclude", ".orchestration/\n");
    roz.git(&["rm", "-rq", "--cached", ".orchestration"]);
    roz.git(&["commit", "-qm", "third"]);
    for line in ["git stash", "git stash push", "git stash pop", "git stash apply"] {
        roz.selects("INT-001");
        roz.bash(line).objects_to_nothing();
    }
    roz.write("src/billing/total.rs", "fn total() { 1 }\n");
    let lines = [
        "git stash",
        "git stash -q",
        "git stash push",
        "git stash push -m 'for later'",
        "git stash push -um wip",
        "git stash push -qm wip",
        "git stash push --mess wip",
        "git stash push --m wip",
        "git stash push --quiet --message wip",
        "git stash save later",
        "git stash -k",
        "git -C src stash",
        "cd src && git stash",
        "f() { git stash; }; f",
    ];
    for line in lines {
        is_refused(&roz, line, "src/billing/total.rs");
    }
    roz.selects("INT-001");
    for line in [
        "git stash push src/auth/main.rs",
        "git stash push -um wip src/auth/main.rs",
        "git stash push --m wip -- src/auth/main.rs",
        "git stash push --mess=wip -- src/auth/main.rs",
    ] {
        roz.bash(line).passes();
    }
    roz.git(&["stash"]);
    for line in
        ["git stash pop", "git stash apply", "git stash pop -q stash@{0}", "git stash branch x"]
    {
        is_refused(&roz, line, "src/billing/total.rs");
    }
    roz.selects("INT-001");
    for line in ["git stash", "git stash list", "git stash show", "git stash show -p stash@{0}"] {
        roz.bash(line).objects_to_nothing();
    }
    roz.git(&["stash", "drop"]);
    roz.write("src/auth/main.rs", "fn main() {}\n");
    roz.bash("git stash").passes();
    roz.write("src/billing/new.rs", "");
    roz.bash("git stash").passes();
    is_refused(&roz, "git stash -u", "src/billing/new.rs");
    roz.git(&["stash", "-u"]);
    is_refused(&roz, "git stash pop", "src/billing/new.rs");
    // One that is as it should be, above it: which is meant by `pop` shifts.
    roz.write("src/auth/main.rs", "fn main() { 1 }\n");
    roz.git(&["stash"]);
    roz.selects("INT-001");
    roz.bash("git stash pop").passes();
    roz.bash("git stash apply && git stash apply").passes();
    roz.bash("git stash && git stash pop").passes();
    for line in [
        "git stash pop; git stash pop",
        "git stash drop && git stash pop",
        "git stash pop -q; git stash apply",
        "git stash && git stash pop 1",
        "S=$(cat s); git stash pop \"$S\"",
        "git stash $(cat s)",
    ] {
        assert!(roz.bash(line).is_objection(), "{line}");
    }
    // What was put away in the line is what comes back.
    roz.write("src/auth/main.rs", "fn main() { 2 }\n");
    roz.git(&["stash", "drop"]);
    roz.selects("INT-001");
    for line in [
        "git stash && cargo test; git stash pop",
        "git stash; git stash pop",
        "git stash push -- src/auth/main.rs && git stash pop",
        "git stash pop stash@{9}",
    ] {
        roz.bash(line).objects_to_nothing();
    }
    for line in [
        "git commit -qam all; git stash; git stash pop",
        "true && false && git stash; git stash pop",
        "git stash push -- src/auth/other.rs; git stash pop",
        "git stash store $(git rev-parse HEAD~1); git stash pop",
    ] {
        assert!(roz.bash(line).is_objection(), "{line}");
    }
    // What git cannot say of a stash is not nothing.
    roz.write(".git/HEAD", "");
    assert!(roz.bash("git stash pop").is_objection());
}

#[test]
fn a_stash_that_is_taken_again_and_again_may_be_any_further_down() {
    let roz = ground();
    roz.write(".git/info/exclude", ".orchestration/\n");
    roz.git(&["rm", "-rq", "--cached", ".orchestration"]);
    roz.git(&["commit", "-qm", "third"]);
    let put_away = |file: &str, text: &str| {
        roz.write(file, text);
        roz.git(&["stash"]);
    };
    put_away("src/auth/main.rs", "fn main() { 0 }\n");
    put_away("src/billing/total.rs", "fn total() { 1 }\n");
    put_away("src/auth/main.rs", "fn main() { 1 }\n");
    roz.write("src/auth/pop.sh", "git stash pop\n");
    for line in [
        "for i in 0 1; do git stash pop; done",
        "for ((i = 0; i < 2; i++)); do git stash pop; done",
        "while git stash pop; do :; done",
        "until ! git stash pop; do :; done",
        "git stash list | while read x; do git stash pop; done",
        "cat list | xargs -I{} git stash pop",
        "cat list | xargs -n1 sh -c \"git stash pop\"",
        "find . -name x -exec git stash pop \\;",
        "watch git stash pop",
        "f() { git stash pop && f; }; f",
        "for i in 0 1; do git stash drop; git stash apply; done",
        "for i in 0 1; do git stash apply; git stash drop; done",
        "for i in 0 1; do git stash drop; done; git stash apply",
        "for i in 0 1; do git stash; git stash pop 2; done",
        "for i in 0 1; do sh src/auth/pop.sh; done",
        "sh src/auth/pop.sh; sh src/auth/pop.sh",
        "git stash pop; sh src/auth/pop.sh",
        "python3 -c 'import os\nfor i in range(2): os.system(\"git stash pop\")'",
        "trap 'git stash pop' DEBUG; true; true",
    ] {
        roz.selects("INT-001");
        assert!(roz.bash(line).is_objection(), "{line}");
    }
    roz.selects("INT-001");
    for line in [
        "git stash pop",
        "if true; then git stash pop; fi",
        "sh src/auth/pop.sh",
        "for i in 0 1; do git stash apply; done",
        "for i in 0 1; do git stash list; git stash pop 2; done",
        "trap 'git stash pop' EXIT; true",
    ] {
        assert!(!roz.bash(line).is_objection(), "{line}");
    }
    // Of more nobody looks at each.
    roz.git(&["stash", "drop", "stash@{1}"]);
    roz.bash("for i in 0 1; do git stash pop; done").objects_to_nothing();
    for _ in 0..40 {
        roz.git(&["stash", "store", "stash@{1}"]);
    }
    assert!(roz.bash("for i in 0 1; do git stash pop; done").is_objection());
}

#[test]
fn a_stash_that_puts_nothing_away_leaves_the_one_below_to_be_brought_back() {
    let roz = ground();
    roz.write(".git/info/exclude", ".orchestration/\n");
    roz.git(&["rm", "-rq", "--cached", ".orchestration"]);
    roz.git(&["commit", "-qm", "third"]);
    roz.write("src/billing/new.rs", "");
    roz.git(&["tag", "first"]);
    roz.git(&["stash", "-u"]);
    // What git does not track is left where it is, whatever the stash is called.
    roz.write("src/auth/new.rs", "");
    for line in ["git stash push -m -u; git stash pop", "git stash push --mess -a; git stash pop"] {
        is_refused(&roz, line, "src/billing/new.rs");
    }
    roz.write("src/auth/main.rs", "fn main() { 2 }\n");
    roz.selects("INT-001");
    for line in [
        "git show HEAD:src/auth/main.rs > src/auth/main.rs; git stash; git stash pop",
        "git stash > src/auth/main.rs; git stash pop",
        "grep -q nothing src/auth/main.rs && git stash; git stash pop",
        "cd nowhere && git stash; git stash pop",
        "python3 x.py; git stash; git stash pop",
        "git stash; git stash; git stash pop; git stash pop",
        "git stash -S; git stash pop",
        "git stash --staged; git stash pop",
        "git stash -p; git stash pop",
        "git stash --bogus; git stash pop",
        "git stash push -pm x; git stash pop",
        "git stash -q nowhere; git stash pop",
        "git stash push -- ain.rs; git stash pop",
        "git stash push -m src/auth/main.rs -- src/auth/none.rs; git stash pop",
        "git stash push -- src/auth/main.rs src/auth/none.rs; git stash pop",
        "git stash; git stash pop stash@{1.day.ago}; git stash pop",
        "git stash pop 18446744073709551615; git stash pop",
        "cd src && cd src && git stash; git stash pop",
        "git stash; git stash apply stash^0",
        "git stash drop; git stash apply refs/stash~0",
        "git tag t stash@{0}; git stash apply t",
        "git tag -f first stash@{0}; git stash apply first",
        "mv src/auth/a src/auth/b; cd src/auth/b && git stash pop",
    ] {
        assert!(roz.bash(line).is_objection(), "{line}");
    }
    // What is surely put away is what comes back.
    roz.selects("INT-001");
    roz.bash("git stash apply nothing-of-that-name").objects_to_nothing();
    for line in [
        "git status --short; git stash; git stash pop",
        "cd src && git stash && cargo test; git stash pop",
        "git stash; cargo test > /dev/null; git stash pop",
        "git stash push -m x; git pull; git stash pop",
        "git stash push -q -k -m x; git pull; git stash pop",
        "git -C src stash push -m billing auth/main.rs; git stash pop",
        "git stash save later; git stash pop",
        "mv src/auth/a src/auth/b; cd src/auth/b && git stash list",
        "cd \"$D\" && git stash list",
    ] {
        roz.bash(line).objects_to_nothing();
    }
}

#[test]
fn a_stash_of_all_takes_what_is_ignored_too() {
    let roz = ground();
    roz.write(".git/info/exclude", ".orchestration/\nsrc/billing/out.log\n");
    roz.git(&["rm", "-rq", "--cached", ".orchestration"]);
    roz.git(&["commit", "-qm", "third"]);
    roz.write("src/billing/out.log", "");
    roz.selects("INT-001");
    for line in ["git stash -u", "git stash -m always", "git stash push -mall"] {
        roz.bash(line).objects_to_nothing();
    }
    for line in ["git stash -a", "git stash push --all", "git stash -qam x", "git stash --al"] {
        let told = roz.bash(line).denies();
        assert!(told.contains(".orchestration") || told.contains("out.log"), "{line}: {told}");
    }
}

#[test]
fn what_takes_the_intents_out_of_the_index_is_refused_as_their_removal_is() {
    let roz = ground();
    for line in [
        "git rm -q --cached -r .orchestration",
        "git rm --cached .orchestration/active_intents.yaml",
        "cd .orchestration && git rm --cached active_intents.yaml",
        "git -C .orchestration rm -r --cached .",
        "git rm -r --cached .",
        "git rm -r --cached :/",
        "cd src && git rm -r --cached :/.orchestration",
        "git rm --cached '*.yaml'",
        "git rm -r --cached '.orch*'",
        "git rm -r --cached -- .orch*",
        "git rm -r --cached ':(icase).ORCHESTRATION'",
        "git rm --cached --pathspec-from-file=l",
        "git ls-files | xargs git rm --cached",
        "git ls-files .orchestration | while read f; do git rm --cached $f; done",
        "git update-index --force-remove .orchestration/active_intents.yaml",
        "git update-index --remove .orchestration/active_intents.yaml",
        "git ls-files | git update-index --force-remove --stdin",
        "git read-tree --empty",
    ] {
        roz.selects("INT-001");
        let told = json_of(&roz.bash(line).denies());
        let file = told["file"].as_str().unwrap();
        assert!(file.starts_with(".orchestration"), "{line}: {told}");
    }
    roz.selects("INT-001");
    for line in [
        "git rm --cached NOTES.md",
        "git rm -r --cached src",
        "git rm --cached '*.rs'",
        "git rm --cached src/*.rs",
        "git rm -n -r --cached .",
        "git update-index --refresh",
        "git reset -q HEAD -- .orchestration",
        "git reset -q",
    ] {
        roz.bash(line).objects_to_nothing();
    }
    // What no commit has is let go of by none.
    roz.git(&["rm", "-rq", "--cached", ".orchestration"]);
    roz.git(&["commit", "-qm", "third"]);
    roz.bash("git rm -rq --cached .").objects_to_nothing();
}

#[test]
fn of_a_folder_git_puts_back_what_differs() {
    let roz = ground();
    roz.write(".git/info/exclude", "l\n");
    roz.write("l", "NOTES.md\n");
    roz.write("src/auth/keys/k.rs", "");
    roz.git(&["add", "."]);
    roz.git(&["commit", "-qm", "third"]);
    roz.write("src/auth/main.rs", "fn main() { 1 }\n");
    roz.selects("INT-001");
    for line in [
        "git stash push -- src/auth",
        "git stash push -qm mine -- src/auth",
        "git stash push -u src",
        "git restore src/auth",
        "git restore src",
        "git status; git diff src; git restore src",
        "git -C src restore auth",
        "cd src/billing && git restore :",
        "git checkout -- src",
        "git restore $(cat l)",
        "git diff --name-only | xargs git restore",
        "git restore --pathspec-from-file=l",
    ] {
        assert!(!roz.bash(line).is_objection(), "{line}");
    }
    // What the index alone holds, or git is not to look at.
    let blob = roz.git(&["hash-object", "-w", "src/auth/main.rs"]);
    let entry = format!("100644,{},src/billing/total.rs", blob.trim());
    roz.git(&["update-index", "--cacheinfo", &entry]);
    is_refused(&roz, "git restore src", "src/billing/total.rs");
    roz.git(&["reset", "-q"]);
    roz.selects("INT-001");
    roz.bash("git restore src").passes();
    roz.git(&["update-index", "--assume-unchanged", "src/billing/total.rs"]);
    is_refused(&roz, "git restore src", "src/billing/total.rs");
    is_refused(&roz, "git stash", "src/billing/total.rs");
    roz.git(&["update-index", "--no-assume-unchanged", "src/billing/total.rs"]);
    // What is not as it was committed, or may be another one by then.
    for line in [
        "git reset -q HEAD~; git restore src/auth",
        "git restore -S -s HEAD~ src; git restore src/auth",
        "git restore --source HEAD~ src/auth",
        "git restore -sHEAD~ src/auth",
        "git restore -m src/auth",
        "git add --chmod=+x src/auth/keys/k.rs; git restore src/auth",
        "git checkout HEAD~ -- src/auth",
        "GIT_INDEX_FILE=l git restore src/auth",
        "export GIT_WORK_TREE=src; git restore src/auth",
        "git restore src/auth; rm -r src/auth",
        "git stash push src/auth; rm -r src/auth",
        "git rm -rq src/auth",
    ] {
        is_refused(&roz, line, "src/auth");
    }
    roz.write("src/auth/keys/new.rs", "");
    for line in [
        "git stash push -u -- src/auth",
        "git add -A && git stash push -- src",
        "git add -A && git restore -SW src",
    ] {
        is_refused(&roz, line, "src/auth/keys/new.rs");
    }
    // Those take the ledger along, too.
    for line in [
        "git add -A && git stash -S",
        "git add . && git stash",
        "git reset --soft HEAD~1; git stash",
        "git update-index --add src/auth/keys/new.rs; git stash",
    ] {
        assert!(roz.bash(line).is_objection(), "{line}");
    }
    roz.selects("INT-001");
    roz.bash("git stash push -- src/auth").passes();
    roz.write("NOTES.md", "other notes\n");
    roz.write("src/auth/keys/k.rs", "k\n");
    is_refused(&roz, "git restore src", "src/auth/keys/k.rs");
    roz.git(&["restore", "src/auth/keys"]);
    for line in [
        "git restore $(cat l)",
        "git checkout -- $(cat l)",
        "git stash push -- $(cat l)",
        "cat l | xargs git restore",
        "xargs -a l git stash push --",
        "cd src/auth; git restore $(cat ../../l)",
        "git diff --name-only | xargs git restore",
    ] {
        is_refused(&roz, line, "NOTES.md");
    }
    // Of what the index holds, that.
    roz.selects("INT-001");
    roz.bash("git stash --staged").passes();
    is_refused(&roz, "git add NOTES.md && git stash -S", "NOTES.md");
    is_refused(&roz, "git stash -m -S", "NOTES.md");
    is_refused(&roz, "git stash -S --no-staged", "NOTES.md");
    roz.git(&["add", "NOTES.md"]);
    is_refused(&roz, "git stash -S", "NOTES.md");
}

#[test]
fn where_nobody_knows_what_git_writes_the_words_say_so() {
    let roz = ground();
    roz.write("src/auth/main.rs", "fn main() { 1 }\n");
    roz.git(&["stash"]);
    let told = |line: &str| {
        roz.selects("INT-001");
        let told = json_of(&roz.bash(line).denies());
        assert_eq!(
            (&told["code"], &told["file"]),
            (&"PROTECTED_PATH".into(), &".".into()),
            "{line}"
        );
        told.to_string()
    };
    for line in [
        "git stash apply $(git rev-parse refs/stash)",
        "git stash pop \"$(cat s)\"",
        "git stash drop stash@{1.day.ago}; git stash pop stash@{0.days.ago}",
    ] {
        let told = told(line);
        assert!(told.contains("cannot be told before it runs"), "{line}: {told}");
        assert!(told.contains("by its number"), "{line}: {told}");
    }
    let list = told("git rm --pathspec-from-file=list");
    assert!(list.contains("Name the files on the command line"), "{list}");
    let named = told("rm -rf .");
    assert!(named.contains("it is the project's root"), "{named}");
}

#[test]
fn a_list_of_paths_is_read_where_the_line_has_it_and_else_names_anything() {
    let roz = ground();
    roz.write(".git/info/exclude", "l\n");
    roz.write("l", "NOTES.md\n");
    roz.write("NOTES.md", "other notes\n");
    roz.write("src/auth/main.rs", "fn main() { 1 }\n");
    for line in [
        // What it is called is no path.
        "git stash push -qm src/auth",
        "git stash push --mess src/auth",
        "git stash push --pathspec-from-file=- <<< NOTES.md",
        "echo NOTES.md | git stash push --pathspec-from-file=-",
        "echo NOTES.md > src/auth/l; git stash push --pathspec-from-file=src/auth/l",
        "echo NOTES.md > src/auth/l; git stash push --pathspec-from-file src/auth/l",
        "echo NOTES.md > src/auth/l; git restore --pathspec-from-file=src/auth/l",
        "cd src/auth && git restore --pathspec-from-file=- <<< ../../NOTES.md",
        "cd src/auth && git checkout --pathspec-from-file=- <<< :/NOTES.md",
        "printf 'NOTES.md\\0' | git restore --pathspec-from=- --pathspec-file-nul",
        "git checkout HEAD --pathspec-from-file=- <<< NOTES.md",
        "git rm -f --pathspec-from-file=- <<< NOTES.md",
    ] {
        is_refused(&roz, line, "NOTES.md");
    }
    for line in [
        "git stash push --pathspec-from-file=l",
        "git stash push --pathspec-from-file l",
        "git restore --pathspec-from-file=l",
        "cd src/auth && git restore --pathspec-from-file=../../l",
        "cd src/auth && git checkout --pathspec-from-file=../../l",
        "git restore --pathspec-from-file=- < l",
        "cat l | git restore --pathspec-from-file=-",
        "echo auth/main.rs > src/auth/l; git -C src restore --pathspec-from-file=auth/l",
        "git restore --pathspec-from-file=- <<< '\"NOTES.md\"'",
        "git restore --pathspec-from-file=",
    ] {
        is_refused(&roz, line, "NOTES.md");
    }
    for line in [
        "git rm --pathspec-from-file=l",
        "git restore --source=HEAD~ --pathspec-from-file=l",
        "git checkout HEAD~ --pathspec-from-file=l",
    ] {
        roz.selects("INT-001");
        let told = json_of(&roz.bash(line).denies());
        assert_eq!(
            (&told["code"], &told["file"]),
            (&"PROTECTED_PATH".into(), &".".into()),
            "{line}"
        );
    }
    roz.selects("INT-001");
    for line in [
        "git stash push --pathspec-from-file=- <<< src/auth/main.rs",
        "echo src/auth/main.rs > src/auth/l; git restore --pathspec-from-file=src/auth/l",
        "git add --pathspec-from-file=l",
    ] {
        roz.bash(line).objects_to_nothing();
    }
}
