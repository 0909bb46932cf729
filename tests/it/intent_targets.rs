//! Which writes of a line are judged by the scope before it runs: those that it names, patterns of
//! files among them. What a line does not name is looked at after the call.

use std::os::unix::fs::symlink;

use crate::{
    intent_gate::{declared, json_of},
    support::Roz,
};

fn project() -> Roz {
    let roz = declared("");
    roz.write("src/auth/main.rs", "fn main() { login() }\n");
    roz.write("src/billing/invoice.rs", "fn invoice() { total() }\n");
    roz.write("src/billing/total.rs", "fn total() {}\n");
    roz.write("NOTES.md", "notes\n");
    roz.git(&["add", "."]);
    roz.git(&["commit", "-qm", "second"]);
    roz
}

#[track_caller]
fn is_refused(roz: &Roz, line: &str, file: &str) {
    // The breaker counts each selection anew.
    roz.selects("INT-001");
    let told = json_of(&roz.bash(line).denies());
    assert_eq!(told["code"], "SCOPE_VIOLATION", "{line}");
    assert_eq!(told["file"], file, "{line}");
}

#[test]
fn a_pattern_is_judged_by_the_files_that_it_matches() {
    let roz = project();
    for line in [
        "rm src/*/invoice.rs",
        "rm src/b*/inv*",
        "cd src && sed -i s/a/b/ */invoice.rs",
        "perl -pi -e s/a/b/ src/billing/*.rs",
        "chmod +x src/[ab]*/invoice.rs",
    ] {
        is_refused(&roz, line, "src/billing/invoice.rs");
    }
    roz.selects("INT-001");
    for line in [
        "sed -i s/a/b/ src/*/login.rs",
        "rm src/a*/*.rs",
        "cd src/auth && rm *.rs",
        "touch src/auth/[x].rs",
        "sed -i s/a/b/ src/auth/none-of-*.rs",
    ] {
        roz.bash(line).passes();
    }
}

#[test]
fn a_pattern_is_no_way_through_a_link_or_into_a_hole_of_the_scope() {
    let roz = project();
    roz.write("src/auth/keys/a.rs", "");
    symlink("../billing/invoice.rs", roz.project().join("src/auth/link.rs")).unwrap();
    is_refused(&roz, "sed -i s/a/b/ src/auth/*/a.rs", "src/auth/keys/a.rs");
    roz.selects("INT-001");
    let reason = roz.bash("truncate -s 0 src/auth/*.rs").denies();
    assert!(reason.contains("really src/billing/invoice.rs"), "{reason}");
}

#[test]
fn what_git_takes_out_of_a_commit_by_name_is_a_write() {
    let roz = project();
    for line in [
        "git checkout -- src/billing/invoice.rs",
        "git checkout HEAD -- src/billing/invoice.rs",
        "git restore src/billing/invoice.rs",
        "git -C src restore billing/invoice.rs",
        "cd src && git rm -q billing/invoice.rs",
        "git mv src/billing/invoice.rs src/auth/invoice.rs",
    ] {
        is_refused(&roz, line, "src/billing/invoice.rs");
    }
    roz.selects("INT-001");
    for line in ["git checkout -- src/auth/main.rs", "git restore src/auth/main.rs"] {
        roz.bash(line).passes();
    }
}

#[test]
fn a_path_that_is_known_in_part_is_judged_by_its_folder() {
    let roz = project();
    roz.write(".gitignore", "dist/\n*.log\n");
    let outside = roz.project().with_file_name("other/….ts");
    let line = "for f in ../other/*.ts; do sed -i s/a/b/ \"$f\"; done";
    is_refused(&roz, line, outside.to_str().unwrap());
    is_refused(&roz, "echo x > /etc/$(hostname).conf", "/etc/….conf");
    roz.selects("INT-001");
    let told = roz.bash("echo x > docs/guide/$X.md").denies();
    assert!(told.contains("`roz intent expand INT-001 'docs/guide/**'`"), "{told}");
    roz.selects("INT-001");
    let told = json_of(&roz.bash("for f in .git/hooks/*; do rm \"$f\"; done").denies());
    assert_eq!(told["code"], "PROTECTED_PATH");
    roz.selects("INT-001");
    for line in [
        "for f in src/auth/*.rs; do sed -i s/a/b/ \"$f\"; done",
        "for f in src/*/*.rs; do sed -i s/a/b/ \"$f\"; done",
        "for f in dist/*.js; do sed -i s/a/b/ \"$f\"; done",
        "echo x > docs/$(date +%s).log",
        "cd docs; echo x > \"$OUT\"",
        "rm \"$DIR\"/a.md",
        "rm ../$NAME/a.md",
    ] {
        assert!(!roz.bash(line).is_objection(), "{line}");
    }
}

#[test]
fn git_commands_that_name_no_path_are_not_held() {
    let roz = project();
    roz.git(&["branch", "topic"]);
    roz.write("src/billing/total.rs", "fn total() { 1 }\n");
    roz.selects("INT-001");
    for line in [
        "git switch topic",
        "git switch -c src",
        "git checkout topic",
        "git checkout -b src/billing main",
        "git checkout -",
        "git pull",
        "git pull --rebase --autostash",
        "git fetch && git merge origin/main",
        "git cherry-pick topic",
        "git revert --no-edit HEAD",
        "git apply fix.patch",
        "git stash",
        "git stash -u",
        "git stash push -m 'for later'",
        "git stash pop",
        "git stash apply stash@{0}",
        "git stash && git pull && git stash pop",
        "git config user.name x",
        "git config --get core.hooksPath",
        "git remote add o https://example.com/y",
        "git add src/auth && git commit -qm x",
        "git branch new",
        "pre-commit install",
    ] {
        roz.bash(line).passes();
    }
}

#[test]
fn what_a_line_finds_or_starts_is_looked_at_afterwards() {
    let roz = project();
    roz.write("src/auth/gen.sh", "echo > src/billing/total.rs\n");
    roz.selects("INT-001");
    for line in [
        "bash src/auth/gen.sh",
        "make generate",
        "npm run build",
        "grep -rl total . | xargs sed -i s/a/b/",
        "git ls-files '*.rs' | xargs sed -i s/a/b/",
        "ls | xargs wc -l",
    ] {
        roz.bash(line).passes();
    }
}

#[test]
fn what_only_reads_needs_no_intent() {
    let roz = project();
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
