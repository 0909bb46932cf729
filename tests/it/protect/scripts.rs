//! Code that a call brings in from elsewhere: skills and scripts.

use std::{fs, os::unix::fs::symlink, path::PathBuf};

use serde_json::json;

use super::{House, path_of_tests};
use crate::support::Roz;

fn path_of_git() -> PathBuf {
    let path = path_of_tests();
    std::env::split_paths(&path).map(|it| it.join("git")).find(|it| it.is_file()).unwrap()
}

#[test]
fn a_skills_line_is_read() {
    let house = House::new();
    house.project_file(".claude/skills/tidy/SKILL.md", "Now: !`rm -rf ~/.roz/sessions`\n");
    house.denies_tool("roz-home", "Skill", &json!({ "skill": "tidy" }));
}

#[test]
fn a_skills_line_is_read_with_its_folder_and_its_arguments() {
    let house = House::new();
    house.project_file(".claude/skills/tidy/run.sh", "rm -rf ~/.roz/sessions\n");
    house.project_file(".claude/skills/tidy/SKILL.md", "!`sh ${CLAUDE_SKILL_DIR}/run.sh`\n");
    house.denies_tool("roz-home", "Skill", &json!({ "skill": "tidy" }));
    house.project_file("run.sh", "rm -rf ~/.roz/sessions\n");
    house.project_file(".claude/skills/own/SKILL.md", "!`sh ${CLAUDE_PROJECT_DIR}/run.sh`\n");
    house.denies_tool("roz-home", "Skill", &json!({ "skill": "own" }));
    house.project_file(".claude/commands/any.md", "!`rm $ARGUMENTS`, !`cat $1`\n");
    let any = |args: &str| json!({ "skill": "any", "args": args });
    house.denies_tool("roz-home", "Skill", &any("-rf ~/.roz/sessions"));
    house.frees_tool("Skill", &any("-rf build ~/notes"));
    house.frees_tool("Skill", &any("x '!`rm -rf ~/.roz`'"));
}

#[test]
fn a_script_written_by_one_call_is_read_by_the_next() {
    let house = House::new();
    let decide = "#!/bin/bash\nif [ -n \"$1\" ]; then :; else roz decide s1 COMPLETE x; fi\n";
    house.project_file("f.sh", decide);
    house.project_file("outer.sh", "cd .\n./f.sh\n");
    house.project_file("f.py", "import os\nos.system('roz decide s1 COMPLETE x')\n");
    house.project_file("f.js", "require('child_process').execSync('roz decide s1 COMPLETE x')\n");
    house.project_file("f.pl", "system('roz decide s1 COMPLETE x');\n");
    house.project_file("f.awk", "BEGIN{system(\"roz decide s1 COMPLETE x\")}\n");
    house.project_file("big.sh", &format!("roz decide s1 COMPLETE x\n#{}\n", "x".repeat(1 << 20)));
    for line in [
        "bash f.sh",
        "./f.sh",
        "source f.sh",
        "cat f.sh | bash",
        "bash < f.sh",
        "ssh host < f.sh",
        "cat f.sh | ssh -p 22 host",
        "at now < f.sh",
        "sh -c \"$(cat f.sh)\"",
        "python3 -c \"$(cat f.py)\"",
        "python3 -c \"$(<f.py)\"",
        "python3 -uc \"$(cat f.py)\"",
        "code=$(cat f.py); python3 -c \"$code\"",
        "python3 -c \"import sys\n$(cat f.py)\"",
        "node -e \"$(cat f.js)\"",
        "node -p \"$(<f.js)\"",
        "node --eval \"$(<f.js)\"",
        "perl -e \"$(cat f.pl)\"",
        "ruby -e \"$(cat f.pl)\"",
        "php -r \"$(cat f.pl)\"",
        "awk \"$(cat f.awk)\" README.md",
        "./outer.sh",
        "python3 f.py",
        "python3 < f.py",
        "bash big.sh",
        "echo 'roz decide s1 COMPLETE x' > new.sh; bash new.sh",
    ] {
        house.denies("decide", line);
    }
    house.is_free("cat f.sh");
    house.is_free("bash absent.sh");
    house.project_file("home.sh", "echo x > ~/.roz/config.toml\n");
    house.denies("roz-home", "bash home.sh");
}

/// Guesses at what a committed script may run do not count, so that there may be too many of them;
/// of one that was changed, that is a bound.
#[test]
fn a_committed_script_is_not_refused_for_guesses() {
    let busy = "echo a && echo b\n".repeat(600);
    let text = format!("perl -pe 1 <<'E' | sh\n{busy}E\n");
    let roz = Roz::gated("");
    roz.write("busy.sh", &text);
    let roz = roz.in_git();
    roz.prompt("go").objects_to_nothing();
    roz.bash("bash busy.sh").objects_to_nothing();
    roz.write("new.sh", &text);
    roz.bash("bash new.sh").denies();
    roz.write("busy.sh", &format!("{text}git push\n"));
    roz.bash("bash busy.sh").denies();
}

/// Padding a line with scripts opens nothing: each of many is read, and a line
/// with more than are read may run anything.
#[test]
fn no_number_of_scripts_hides_one() {
    let house = House::new();
    for n in 0..40 {
        house.project_file(&format!("many/a{n:02}.sh"), "echo tame\n");
    }
    let all = |to: usize| {
        let lines: Vec<String> = (0..to).map(|n| format!("bash many/a{n:02}.sh; ")).collect();
        lines.concat()
    };
    house.is_free(&all(40));
    house.project_file("many/z.sh", "roz decide s1 COMPLETE x\n");
    house.denies("decide", &format!("{}bash many/z.sh", all(40)));
    house.denies("decide", "for f in many/*.sh; do bash $f; done");
    for n in 40..80 {
        house.project_file(&format!("many/a{n:02}.sh"), "echo tame\n");
    }
    house.denies("hook", &format!("{}: roz", all(80)));
    let absent: Vec<String> = (0..2000).map(|n| format!("bash none{n}; ")).collect();
    house.denies("hook", &format!("{}: roz", absent.concat()));
}

#[test]
fn a_script_is_found_under_its_new_name_and_by_a_pattern() {
    let house = House::new();
    house.project_file("pre.sh", "roz decide s1 COMPLETE x\n");
    house.project_file("deep/er/pre.sh", "roz decide s1 COMPLETE x\n");
    house.project_file("p.py", "import os\nos.system('roz decide s1 COMPLETE x')\n");
    let hook = "require('child_process').execSync('roz decide s1 COMPLETE x')\n";
    house.project_file("deep/h.js", hook);
    house.project_file("tame/a.sh", "echo decide\n");
    for line in [
        "chmod +x pre.sh && ./pre.sh",
        "mv pre.sh q.sh; sh q.sh",
        "mv pre.sh q.sh && chmod 755 q.sh && ./q.sh",
        "cp pre.sh b.sh && ./b.sh",
        "cp pre.sh b.sh && mv b.sh c.sh && . ./c.sh",
        "cp pre.sh /tmp/ && bash /tmp/pre.sh",
        "cp -t /tmp pre.sh p.py && bash /tmp/pre.sh",
        "cd deep && ln -s ../../pre.sh er/x && sh er/x",
        "cd deep && ln -s ../../pre.sh er && . er/pre.sh",
        "ln -s deep d; sh d/er/pre.sh",
        "mv deep other && sh other/er/pre.sh",
        "install -m755 pre.sh /tmp/b; /tmp/b",
        "cp p.py q.py; python3 q.py",
        "mv pre.sh q; cat q | sh",
        "sed -i s/a/b/ pre.sh; ./pre.sh",
        "git mv pre.sh q.sh; sh q.sh",
        "BASH_ENV=pre.sh bash -c true",
        "cp pre.sh q; BASH_ENV=q bash -c true",
        "sh pre.s?",
        "sh p*.sh",
        "sh deep/*/pre.sh",
        "bash [p]re.sh",
        "cat pre.s? | sh",
        "for f in *.sh; do sh $f; done",
        "for f in ./*.sh; do \"$f\"; done",
        "cd deep; for f in */*.sh; do . \"$f\"; done",
        "find . -name pre.sh -exec sh {} \\;",
        "find deep -name '*.sh' | xargs -n1 sh",
        "find . -name '*.sh' | while read f; do bash $f; done",
        "ls *.sh | xargs sh",
        "git -c core.hooksPath=deep/er commit -m x",
        "git config core.hooksPath deep/er; git commit -m x",
        "python3 -m p",
        "python3 -c 'import p' && node -r ./deep/h.js -e 1",
    ] {
        house.denies("decide", line);
    }
    for line in [
        "mv pre.sh q.sh; sh tame/a.sh",
        "cp tame/a.sh b.sh && ./b.sh",
        "for f in tame/*.sh; do sh $f; done",
        "for f in *.sh; do cat $f; done",
        "find . -name '*.sh' -exec cat {} +",
        "find tame -name '*.sh' -exec sh {} \\;",
        "ls *.sh",
        "python3 -m absent",
        "git -c core.hooksPath=tame commit -m x",
    ] {
        house.is_free(line);
    }
}

#[test]
fn a_committed_script_counts_where_it_runs_in_any_case() {
    let roz = Roz::gated("").in_git();
    roz.write("dev.sh", "case \"$1\" in release) git push origin main;; test) true;; esac\n");
    roz.write("maybe.sh", "if [ -e release ]; then git push; fi\n");
    roz.write("always.sh", "git push origin main\n");
    roz.git(&["add", "."]);
    roz.git(&["commit", "-qm", "scripts"]);
    roz.prompt("go on").passes();
    roz.bash("bash dev.sh test").objects_to_nothing();
    roz.bash("bash maybe.sh").objects_to_nothing();
    let spared = roz.trace("script_spared");
    assert_eq!(spared[0]["payload"]["by"], "Bash:git push*", "{spared:?}");
    roz.bash("bash dev.sh release").denies();
    roz.bash("bash always.sh").denies();
    roz.write("maybe.sh", "if [ -e release ]; then git push; fi # changed\n");
    roz.bash("bash maybe.sh").denies();
    // What is committed on the way is as new as what is written.
    roz.git(&["commit", "-qam", "mine"]);
    roz.bash("bash maybe.sh").denies();
}

#[test]
fn a_function_of_a_committed_script_counts_where_it_is_called() {
    let roz = Roz::gated("").in_git();
    let deploy = "import os\ndef deploy():\n    os.system('git push')\n";
    roz.write("lib.py", &format!("{deploy}print(1)\n"));
    roz.write("run.py", &format!("{deploy}def main():\n    deploy()\nmain()\n"));
    roz.git(&["add", "."]);
    roz.git(&["commit", "-qm", "scripts"]);
    roz.prompt("go on").passes();
    roz.bash("python3 lib.py").objects_to_nothing();
    roz.bash("python3 run.py").denies();
    roz.write("lib.py", &format!("{deploy}print(2)\n"));
    roz.bash("python3 lib.py").denies();
}

#[test]
fn a_program_is_known_by_what_it_is() {
    let roz = Roz::gated("").in_git();
    let git = path_of_git();
    symlink(&git, roz.project().join("vc")).unwrap();
    symlink(&git, roz.project().join("git-push")).unwrap();
    fs::copy(&git, roz.project().join("copy")).unwrap();
    symlink("/bin/ls", roz.project().join("list")).unwrap();
    for line in
        ["./vc push", "./git-push", "./copy push", "PATH=.:$PATH vc push", "echo ./vc push | sh"]
    {
        assert!(roz.bash(line).is_objection(), "{line}");
    }
    for line in ["./vc status", "./copy log", "./list push", "ls -l vc push"] {
        roz.bash(line).objects_to_nothing();
    }
}

#[test]
fn the_words_of_a_file_that_a_program_is_made_of_are_a_command() {
    let roz = Roz::gated("").in_git();
    roz.write("list", "git push\n");
    for line in ["xargs env < list", "xargs -a list env", "xargs nice < list"] {
        assert!(roz.bash(line).is_objection(), "{line}");
    }
    for line in ["xargs echo < list", "xargs -a list grep x", "env < list"] {
        roz.bash(line).objects_to_nothing();
    }
}

#[test]
fn a_script_of_an_earlier_call_is_found_by_ls_by_find_and_on_the_path() {
    let house = House::new();
    house.project_file("r.sh", "roz decide s1 COMPLETE x\n");
    for line in [
        "ls r.sh | xargs bash",
        "find . -name r.sh -exec {} \\;",
        "find . -name 'r*' -exec bash {} \\;",
        "PATH=.:$PATH r.sh",
        "export PATH=$PATH:.; r.sh",
        "exec < r.sh; bash",
        "bash --rcfile r.sh -i",
        "run-parts .",
    ] {
        house.denies("decide", line);
    }
    house.is_free("ls r.sh | xargs cat");
    house.is_free("exec < r.sh; cat");
}

/// Each line with the files that an earlier call wrote: what a script runs depends on where, and
/// with what, it is run.
#[test]
fn a_script_of_an_earlier_call_is_read_where_the_line_runs_it() {
    let house = House::new();
    house.project_file("lib.sh", "C=~/.roz/config.toml\n");
    house.project_file("t.sh", "rm config.toml\n");
    house.project_file("s.sh", "rm \"$F\"\n");
    for line in [
        "cd ~/.roz && bash {project}/t.sh",
        "(cd ~/.roz; sh {project}/t.sh)",
        "F=~/.roz/config.toml bash s.sh",
        "export F=~/.roz/config.toml; ./s.sh",
        ". ./lib.sh; rm $C",
        "source lib.sh && rm \"$C\"",
    ] {
        house.denies("roz-home", line);
    }
    let unchanged =
        ["bash t.sh", "cd /tmp && sh {project}/t.sh", "F=a.txt bash s.sh", ". ./lib.sh; ls"];
    for line in unchanged {
        house.is_free(line);
    }
}

#[test]
fn what_a_sourced_file_defines_holds_for_the_rest_of_the_line() {
    let roz = Roz::gated("").in_git();
    let lib = "dep() { git push; }\ng=git; p=push\nalias up='git push'\n";
    roz.write("lib.sh", lib);
    roz.write("m.sh", ". ./lib.sh\ndep\n");
    roz.write("g.sh", "$CMD\n");
    roz.write("d.sh", "git pull origin\n");
    roz.write("d.txt", "git pull origin\n");
    roz.write("x.txt", "#git push\n");
    roz.write("d.b64", "Z2l0IHB1c2gK\n");
    roz.write("kept.sh", "dep() { git push; }\ncase \"$1\" in release) dep;; esac\n");
    roz.git(&["add", "kept.sh"]);
    roz.git(&["commit", "-qm", "scripts"]);
    roz.prompt("go on").passes();
    let mut passed = Vec::new();
    for line in [
        ". ./lib.sh; dep",
        "source lib.sh && dep",
        ". ./lib.sh; $g $p",
        ". ./lib.sh; up",
        "bash -c 'source lib.sh; dep'",
        "bash m.sh",
        "./m.sh",
        "CMD='git push' bash g.sh",
        "export CMD='git push'; bash g.sh",
        "env CMD='git push' bash g.sh",
        "sed -i s/pull/push/ d.sh; bash d.sh",
        "sed -i 's/p.ll/push/' d.sh && ./d.sh",
        "perl -pi -e 's/p.ll/push/' d.sh; bash d.sh",
        "sed s/pull/push/ d.txt > e.sh; sh e.sh",
        "sed 's/p.ll/push/' d.txt > e.sh; sh e.sh",
        "sed 's/p.ll/push/' d.txt | sh",
        "sed 's/p.ll/push/' < d.txt | sh",
        "cut -c2- x.txt | sh",
        "base64 -d d.b64 | sh",
        "base64 -d < d.b64 | bash",
        "base64 -d d.b64 > e.sh; sh e.sh",
        "echo push | awk '{print \"git \" $0}' | sh",
        ". ./kept.sh; dep",
        "bash kept.sh release",
    ] {
        if !roz.bash(line).is_objection() {
            passed.push(line);
        }
    }
    assert!(passed.is_empty(), "{passed:#?}");
    for line in [
        ". ./lib.sh",
        ". ./lib.sh; other",
        "bash g.sh",
        "CMD='git pull' bash g.sh",
        "sed -i s/pull/fetch/ d.sh; bash d.sh",
        "sed -i 's/p.ll/push/' d.txt",
        "sed s/pull/push/ d.txt > e.txt; cat e.txt",
        "bash d.sh",
        "cut -c2- x.txt",
        "base64 -d d.b64",
        "base64 -d d.b64 > e.txt",
        "bash kept.sh test",
        ". ./kept.sh",
    ] {
        roz.bash(line).objects_to_nothing();
    }
}

/// What a line only shows is no script, and what it has written itself counts as it is now.
#[test]
fn only_what_a_shell_is_given_is_a_script() {
    let roz = Roz::gated("");
    roz.write("deploy.sh", "git push\n");
    roz.write("x.sh", "git push\n");
    roz.write("test.sh", "git status\n");
    roz.write("t.py", "print(1)\n");
    let verdict = |line: &str| roz.json(&["explain", line])["verdict"].clone();
    for line in [
        "cat deploy.sh; bash test.sh",
        "grep -n push deploy.sh; sh -x test.sh",
        "source test.sh; head deploy.sh",
        "echo 'git status' > x.sh; bash x.sh",
        "rm x.sh; printf 'git status\\n' > x.sh; bash x.sh",
        "cat deploy.sh; python3 - <<< 'print(1)'",
    ] {
        assert_eq!(verdict(line), "allow", "{line}");
    }
    for line in [
        "cat deploy.sh | bash",
        "bash < deploy.sh",
        "bash -s < deploy.sh",
        "eval \"$(cat deploy.sh)\"",
        "source <(cat deploy.sh)",
        "bash x.sh; echo 'git status' > x.sh",
        "cat x.sh | bash; echo 'git status' > x.sh",
        "grep push x.sh > y.sh; bash y.sh",
        "cp x.sh test.sh; bash test.sh",
        "if [ -f q ]; then echo 'git status' > x.sh; fi; bash x.sh",
        "mkdir d; echo 'git status' > d/x.sh; bash x.sh",
        "python3 - < t.py; fmt x.sh | bash",
    ] {
        assert_eq!(verdict(line), "deny", "{line}");
    }
}

#[test]
fn a_script_knows_where_it_lies() {
    let roz = Roz::gated("");
    fs::create_dir(roz.project().join("s")).unwrap();
    roz.write("s/lib.sh", "git push\n");
    roz.write("lib.sh", "git status\n");
    let verdict = |line: &str| roz.json(&["explain", line])["verdict"].clone();
    for text in [
        ". \"$(dirname \"$0\")/lib.sh\"",
        ". \"$(dirname \"${BASH_SOURCE[0]}\")/lib.sh\"",
        "D=\"$(cd \"$(dirname \"${BASH_SOURCE[0]}\")\" && pwd)\"; source \"$D/lib.sh\"",
        "cd \"$(dirname \"$0\")\" && sh lib.sh",
        ". ${0%/*}/lib.sh",
    ] {
        roz.write("s/x.sh", &format!("{text}\n"));
        for line in ["bash s/x.sh", "sh ./s/x.sh", "cd s && bash ./x.sh", "./s/x.sh a b"] {
            assert_eq!(verdict(line), "deny", "{line}: {text}");
        }
        roz.write("x.sh", &format!("{text}\n"));
        assert_eq!(verdict("bash ./x.sh"), "allow", "{text}");
    }
    let line = "mkdir t; echo 'git push' > t/l; echo '. \"$(dirname \"$0\")/l\"' > t/x; bash t/x";
    assert_eq!(verdict(line), "deny");
}

#[test]
fn a_script_that_runs_itself_is_read_to_its_end() {
    let roz = Roz::gated("");
    let verdict = |text: &str| {
        roz.write("x.sh", &format!("#!/bin/bash\n{text}\n"));
        roz.json(&["explain", "bash x.sh"])["verdict"].clone()
    };
    for text in [
        "[ \"$EUID\" -ne 0 ] && exec sudo \"$0\" \"$@\"\ngit status",
        "[ \"$1\" = child ] && { git status; exit; }\nbash \"$0\" child; bash \"$0\" child",
        "bash x.sh; bash ./x.sh",
    ] {
        assert_eq!(verdict(text), "allow", "{text}");
    }
    for text in [
        "[ \"$1\" = child ] && { git push; exit; }\nbash \"$0\" child",
        "case $1 in child) git $2; exit;; esac\nbash \"$0\" child push",
        "case $1 in '') ;; *) git $1; exit;; esac\nshift; bash \"$0\" \"$@\"; bash x.sh a b c push",
    ] {
        assert_eq!(verdict(text), "deny", "{text}");
    }
}

/// What a program makes of files that lie there may be any of them.
#[test]
fn a_script_that_the_line_makes_of_files_is_what_they_hold() {
    let roz = Roz::gated("");
    fs::create_dir(roz.project().join("d")).unwrap();
    roz.write("d/f.sh", "git push\n");
    roz.write("d/f.py", "import os; os.system('git push')\n");
    roz.write("f.sh", "git push\n");
    roz.write("t.sh", "git status\n");
    roz.write("t.py", "print(1)\n");
    let verdict = |line: &str| roz.json(&["explain", line])["verdict"].clone();
    for line in [
        "cp d/*.sh . && bash f.sh",
        "install d/* .; bash f.sh",
        "mkdir e; cp d/*.sh e; (cd e; bash f.sh)",
        "cat f.sh > g.sh; chmod +x g.sh; ./g.sh",
        "sed s/a/b/ f.sh > g.sh; chmod +x g.sh; timeout 5 ./g.sh",
        "sed s/a/a/ d/f.py > f.py; python3 f.py",
        "cp d/*.py .; python3 f.py",
        "cat d/f.py | python3 -u",
        "python3 -u - < d/f.py",
        "echo ls > d/g.sh; python3 -c \"import shutil; shutil.copy('f.sh','g.sh')\"; bash g.sh",
    ] {
        assert_eq!(verdict(line), "deny", "{line}");
    }
    for line in [
        "cargo build > log 2>&1; cat f.sh; bash t.sh",
        "mkdir -p build; rm -f x; touch y; cat f.sh; bash t.sh",
        "cat f.sh > out.txt; python3 t.py",
        "cat f.sh; gcc t.c -o t; ./t",
        "cat f.sh; python3 --version; python3 -m pytest -q; node -v",
    ] {
        assert_eq!(verdict(line), "allow", "{line}");
    }
}
