//! Gated programs behind shims, started for real: by make, scripts, interpreters, and by nobody but a
//! shell.

#![expect(clippy::disallowed_methods, reason = "tests start programs")]

mod really_run;
mod set_up;
mod whose;

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::{Value, json};

use crate::{
    client::SESSION,
    support::{Ran, Roz, feed, skip},
};

/// A project with a remote that nobody has pushed to, and a session in it that has shims.
struct House {
    roz: Roz,
}

const PUSH: &str = "git push origin HEAD:main";

impl House {
    fn new(config: &str) -> Self {
        let house = Self::without_session(config);
        house.starts(SESSION, &json!({})).passes();
        house
    }

    /// Gates `git push` and whatever else the user's file says.
    fn without_session(config: &str) -> Self {
        let roz = Roz::gated(config).in_git();
        let file = roz.dir().join("environment");
        let roz = roz.with_var("CLAUDE_ENV_FILE", file.to_str().unwrap());
        fs::create_dir(roz.dir().join("bin")).unwrap();
        let house = Self { roz };
        let remote = house.remote();
        house.roz.git(&["init", "-q", "--bare", remote.to_str().unwrap()]);
        house.roz.git(&["remote", "add", "origin", remote.to_str().unwrap()]);
        house.program("ship", "#!/bin/sh\necho \"ship $*\"\n");
        house
    }

    fn starts(&self, session: &str, more: &Value) -> crate::support::Reply {
        let mut fields = json!({ "session_id": session, "source": "startup" });
        fields.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.roz.hook("session-start", fields)
    }

    fn remote(&self) -> PathBuf {
        self.roz.dir().join("remote.git")
    }

    fn is_pushed(&self) -> bool {
        !self.roz.git(&["ls-remote", self.remote().to_str().unwrap()]).is_empty()
    }

    /// A program on PATH, behind the shims.
    fn program(&self, name: &str, text: &str) {
        write_program(&self.roz.dir().join("bin").join(name), text);
    }

    /// A program of the project's that pushes: what it does, no line says.
    fn releases_by(&self, text: &str) {
        self.program("release", &format!("#!/bin/sh\n{text}\n"));
    }

    fn environment(&self) -> PathBuf {
        self.roz.dir().join("environment")
    }

    /// The folders that the session's shells find first, in their order.
    fn folders(&self) -> Vec<PathBuf> {
        let path = self.shell("printf %s \"$PATH\"").stdout;
        let is_ours = |it: &&str| Path::new(it).starts_with(self.roz.home());
        path.split(':').filter(is_ours).map(PathBuf::from).collect()
    }

    /// What the client's shell would run, not started yet.
    fn command(&self, line: &str) -> Command {
        let environment = self.environment();
        let line = format!("[ ! -e {0} ] || . {0}; {line}", environment.display());
        let mut command = self.roz.program(&["bash", "-c", &line]);
        let bin = self.roz.dir().join("bin");
        let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
        command.env("PATH", path).env("CLAUDE_CODE_SESSION_ID", SESSION);
        command
    }

    /// The same line where there are no shims.
    fn unwatched(&self, line: &str) -> Command {
        let mut command = self.roz.program(&["bash", "-c", line]);
        let bin = self.roz.dir().join("bin");
        command.env("PATH", format!("{}:{}", bin.display(), std::env::var("PATH").unwrap()));
        command
    }

    #[track_caller]
    fn shell(&self, line: &str) -> Ran {
        Ran::of(feed(&mut self.command(line), b""))
    }

    /// Denied by a shim, and not by anything else.
    #[track_caller]
    fn denies(&self, line: &str) -> String {
        let ran = self.shell(line);
        assert_ne!(ran.code, Some(0), "{line}: {ran:?}");
        assert!(ran.stderr.contains("roz: "), "{line}: {ran:?}");
        assert!(!self.is_pushed(), "{line}");
        ran.stderr
    }

    /// A Bash call that layer 1 lets through: its hooks, and in between its line.
    #[track_caller]
    fn call(&self, line: &str) -> Ran {
        let call = self.roz.call("Bash", &json!({ "command": line, "description": "x" }));
        self.roz.hook("pre-tool-use", call.clone()).objects_to_nothing();
        let ran = self.shell(line);
        self.ends(call, ran.code == Some(0));
        ran
    }

    fn ends(&self, mut call: Value, well: bool) {
        let hook = if well { "post-tool-use" } else { "post-tool-use-failure" };
        call[if well { "tool_response" } else { "error" }] = json!("x");
        self.roz.hook(hook, call).objects_to_nothing();
    }

    fn denials(&self) -> usize {
        self.roz.trace("gate_blocked").len()
    }
}

fn write_program(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn has(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap();
    std::env::split_paths(&path).any(|it| it.join(program).exists())
}

#[test]
fn in_a_trial_a_push_runs_and_is_counted_once() {
    let house = House::new("trial = true");
    house.call(PUSH);
    assert!(house.is_pushed());
    assert_eq!(house.roz.trace("would_refuse").len(), 1);
    house.roz.write("release.sh", &format!("{PUSH}\n"));
    house.call("sh release.sh");
    assert_eq!(house.roz.trace("would_refuse").len(), 2, "no line says it, so its shim does");
}

#[test]
fn whatever_starts_a_gated_program_it_is_denied_at_the_run() {
    let house = House::new("review.gates.max_denials = 1000");
    house.roz.write("Makefile", &format!("release:\n\t@{PUSH}\n"));
    house.roz.write("justfile", &format!("release:\n\t{PUSH}\n"));
    house.roz.write("release.sh", &format!("{PUSH}\n"));
    house.roz.write("deep.sh", "sh release.sh\n");
    house.roz.write("package.json", &json!({ "scripts": { "release": PUSH } }).to_string());
    let words = "['git', 'push', 'origin', 'HEAD:main']";
    house.roz.write("release.py", &format!("import subprocess\nsubprocess.check_call({words})\n"));
    house.roz.write(
        "built.py",
        "import os, sys\nverb = 'hsup'[::-1]\nsys.exit(os.system('git ' + verb + ' origin HEAD:main') >> 8)\n",
    );
    house.roz.write("release.pl", "exit(system('git', 'push', 'origin', 'HEAD:main') >> 8);\n");
    house.roz.write(
        "release.js",
        "require('child_process').execFileSync('git', ['push', 'origin', 'HEAD:main'])\n",
    );
    house.roz.write("release.awk", &format!("BEGIN {{ exit system(\"{PUSH}\") != 0 }}\n"));
    house.roz.write("verb", "push");
    house.roz.write("words", "push origin HEAD:main");
    house.roz.git(&["config", "alias.p", "push origin HEAD:main"]);
    house.roz.git(&["config", "alias.out", "!f() { git push origin HEAD:main; }; f"]);
    for (program, line) in [
        ("sh", PUSH),
        ("make", "make release"),
        ("make", "make -s -C . release"),
        ("just", "just release"),
        ("npm", "npm run --silent release"),
        ("sh", "sh release.sh"),
        ("sh", "sh deep.sh"),
        ("sh", "bash -c 'sh deep.sh'"),
        ("sh", "cat release.sh | sh"),
        ("sh", ". ./release.sh"),
        ("python3", "python3 release.py"),
        ("python3", "python3 built.py"),
        ("perl", "perl release.pl"),
        ("node", "node release.js"),
        ("awk", "awk -f release.awk"),
        ("xargs", "xargs git < words"),
        ("xargs", "echo HEAD:main | xargs -n1 git push origin"),
        ("find", "find . -name verb -exec sh release.sh ';' | grep nothing"),
        ("sh", "git $(cat verb) origin HEAD:main"),
        ("sh", "read -r words < words; git $words"),
        ("base64", "$(echo Z2l0IHB1c2g= | base64 -d) origin HEAD:main"),
        ("sh", "git -C . -c user.name=x push origin HEAD:main"),
        ("sh", "git --no-pager p"),
        ("sh", "git p"),
        ("sh", "git out"),
        ("env", "env X=1 sh release.sh"),
        ("nohup", "nohup sh release.sh"),
        ("timeout", "timeout 20 sh release.sh"),
        ("setsid", "setsid -w sh release.sh"),
        ("sh", "(sh release.sh)"),
        ("sh", "false || sh release.sh"),
        ("sh", "x=git; y=push; $x $y origin HEAD:main"),
    ] {
        if has(program) {
            house.denies(line);
        }
    }
}

#[test]
fn a_denial_says_what_got_so_far_opens_a_cycle_and_counts() {
    let house = House::new("");
    if !has("make") {
        return skip("a_denial_says_what_got_so_far", "there is no make");
    }
    let makefile = house.roz.dir().join("Makefile");
    fs::write(&makefile, format!("release:\n\t@{PUSH}; echo code $$?\n")).unwrap();
    house.releases_by(&format!("exec make -f {} release", makefile.display()));
    let ran = house.call("release");
    assert_eq!(ran.stdout, "code 126\n");
    assert!(
        ran.stderr.starts_with("roz: `make -f ")
            && ran.stderr.contains(&format!(" release` got as far as `{PUSH}`.\n")),
        "{ran:?}"
    );
    assert!(ran.stderr.contains("waits for an independent review"), "{ran:?}");
    assert_eq!(house.roz.state(), "pending");
    assert_eq!(house.denials(), 1);
    house.call("release");
    assert_eq!(house.denials(), 2);
    assert!(house.roz.stop().blocks().contains("roz:roz"));
}

#[test]
fn too_many_denials_ask_for_a_person_and_nobody_can_be_asked() {
    let house = House::new("review.gates.max_denials = 1");
    house.denies(PUSH);
    let told = house.denies(PUSH);
    assert!(told.contains("denied until the user allows it"), "{told}");
}

#[test]
fn after_an_approval_the_same_run_passes() {
    let house = House::new("");
    house.releases_by(PUSH);
    house.denies("release");
    house.roz.reviewed("COMPLETE", "fine");
    house.call("release").succeeds();
    assert!(house.is_pushed());
}

#[test]
fn a_call_that_was_let_through_passes_at_the_run_unless_it_changes_the_work_first() {
    for is_in_background in [false, true] {
        let house = House::new("");
        house.roz.write("a.txt", "a\n");
        house.roz.git(&["add", "a.txt"]);
        house.roz.git(&["commit", "-qm", "a"]);
        house.roz.bash(PUSH).denies();
        house.roz.reviewed("COMPLETE", "fine");
        house.call(PUSH).succeeds();
        assert!(house.is_pushed());
        let pushed = house.roz.git(&["ls-remote", house.remote().to_str().unwrap()]);
        let line = format!("echo more > a.txt && git commit -qam more && {PUSH}");
        let input = json!({ "command": line, "run_in_background": is_in_background });
        let call = house.roz.call("Bash", &input);
        house.roz.hook("pre-tool-use", call.clone()).objects_to_nothing();
        let ran = house.shell(&line);
        assert_eq!(ran.code, Some(126), "{ran:?}");
        house.ends(call, false);
        assert_eq!(house.roz.git(&["ls-remote", house.remote().to_str().unwrap()]), pushed);
    }
}

#[test]
fn variables_that_a_command_sets_change_no_gate() {
    let house = House::new("");
    house.releases_by(PUSH);
    for set in ["ROZ_REVIEW_MODE=never", "ROZ_HOME=/nonexistent", "ROZ_CONFIG=/dev/null", "HOME=/x"]
    {
        house.denies(&format!("{set} release"));
    }
}

#[test]
fn a_linked_work_tree_in_the_temporary_folder_is_the_projects() {
    let house = House::new("");
    let tree = house.roz.dir().join("linked");
    house.roz.git(&["worktree", "add", "-q", "--detach", tree.to_str().unwrap()]);
    house.releases_by(&format!("cd {} && {PUSH}", tree.display()));
    house.denies("release");
}

#[test]
fn a_push_in_the_background_passes_after_an_approval() {
    let house = House::new("review.gates.approval_scope = 'tool'");
    house.roz.bash(PUSH).denies();
    house.roz.reviewed("COMPLETE", "fine");
    let input = json!({ "command": PUSH, "description": "x", "run_in_background": true });
    let call = house.roz.call("Bash", &input);
    house.roz.hook("pre-tool-use", call.clone()).objects_to_nothing();
    house.ends(call, true);
    house.shell(PUSH).succeeds();
    assert!(house.is_pushed());
    house.roz.later(12 * 60);
    let again = house.shell(PUSH);
    assert_eq!(again.code, Some(126), "{again:?}");
}

#[test]
fn an_approval_for_one_call_is_used_up_by_one_call_and_its_runs() {
    let house = House::new("review.gates.approval_scope = 'tool'");
    house.releases_by(&format!("{PUSH} && {PUSH}"));
    house.denies("release");
    house.roz.reviewed("COMPLETE", "fine");
    house.call("release").succeeds();
    assert!(house.is_pushed());
    assert_eq!(house.call("release").code, Some(126));
}

#[test]
fn one_call_that_a_person_allows_goes_through_once_with_what_it_starts() {
    let house = House::new("");
    house.releases_by(&format!("{PUSH} && {PUSH}"));
    house.denies("release");
    house.roz.prompt("#roz:allow");
    house.call("release").succeeds();
    assert!(house.is_pushed());
    assert_eq!(house.call("release").code, Some(126));
}

#[test]
fn a_call_that_the_user_declined_leaves_no_pass() {
    let house = House::new("review.gates.max_denials = 0");
    house.releases_by(PUSH);
    house.roz.bash(PUSH).asks();
    house.roz.bash("release").objects_to_nothing();
    house.denies("release");
}

#[test]
fn a_call_that_the_user_let_through_runs() {
    let house = House::new("review.gates.max_denials = 0");
    let call = house.roz.call("Bash", &json!({ "command": PUSH, "description": "x" }));
    house.roz.hook("pre-tool-use", call.clone()).asks();
    house.shell(PUSH).succeeds();
    assert!(house.is_pushed());
    house.ends(call, true);
    assert_eq!(house.shell(PUSH).code, Some(126));
}

#[test]
fn a_session_that_cannot_be_read_denies_what_is_gated_and_nothing_else() {
    let house = House::new("");
    fs::write(house.roz.sessions().join(format!("{SESSION}.json")), "{").unwrap();
    house.shell("git status -s").succeeds();
    let told = house.denies(PUSH);
    assert!(told.contains("cannot read the state"), "{told}");
}

#[test]
fn a_ticket_that_a_script_closes_is_closed_if_that_goes_well() {
    let house = House::without_session("reflection.enabled = true");
    house.program("bd", "#!/bin/sh\n[ \"$2\" != 13 ]\n");
    fs::create_dir(house.roz.project().join(".beads")).unwrap();
    let path =
        format!("{}:{}", house.roz.dir().join("bin").display(), std::env::var("PATH").unwrap());
    let payload = house.roz.payload("session-start", json!({ "source": "startup" })).to_string();
    let mut start = house.roz.command(&["hook", "session-start"]);
    assert_eq!(feed(start.env("PATH", path), payload.as_bytes()).status.code(), Some(0));
    house.roz.write("done.sh", "bd close $1\n");
    assert_eq!(house.call("sh done.sh 13").code, Some(1));
    assert_ne!(house.roz.reflection(), "pending");
    house.call("sh done.sh 12").succeeds();
    assert_eq!(house.roz.reflection(), "pending");
}
