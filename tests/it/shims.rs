//! Gated programs behind shims, started for real: by make, scripts, interpreters, and by nobody but a
//! shell.

#![expect(clippy::disallowed_methods, reason = "tests start programs")]

use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::{Value, json};

use crate::{
    client::SESSION,
    support::{BINARY, Ran, Roz, feed, skip},
};

/// A project with a remote that nobody has pushed to, and a session in it that has shims.
struct House {
    roz: Roz,
}

const PUSH: &str = "git push origin HEAD:main";

impl House {
    fn new(config: &str) -> Self {
        let house = Self::without_session(config);
        house.starts(SESSION, json!({})).passes();
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

    fn starts(&self, session: &str, more: Value) -> crate::support::Reply {
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
    assert!(told.contains("a person has to let it through"), "{told}");
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
fn a_call_that_was_let_through_passes_at_the_run_and_is_asked_about_once() {
    let house = House::new("");
    house.roz.bash(PUSH).denies();
    house.roz.reviewed("COMPLETE", "fine");
    house.call(PUSH).succeeds();
    assert!(house.is_pushed());
    assert_eq!(house.roz.trace("gate_allowed").len(), 1);
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
    house.roz.later(11 * 60);
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
fn programs_that_are_not_gated_keep_argv_input_exit_code_and_signals() {
    let house = House::without_session("");
    house.roz.configure("review.gates.tools = ['Bash:ship it*', 'Bash:git push*']");
    house.starts(SESSION, json!({})).passes();
    house.program(
        "ship",
        "#!/bin/sh\nfor word; do printf '<%s>' \"$word\"; done; cat; trap 'exit 9' TERM\n\
         [ \"$1\" != signal ] || { kill -TERM $$; sleep 5; }\nexit 7\n",
    );
    let mut command = house.command("ship a 'b  c' '' \"\n\" '*' é");
    let ran = Ran::of(feed(&mut command, b"in\n"));
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(7), "<a><b  c><><\n><*><é>in\n"));
    assert_eq!(house.shell("ship signal").code, Some(9));
    let killed = house.shell("sh -c 'ship signal & wait $!; echo $?'");
    assert!(killed.stdout.ends_with("9\n"), "{killed:?}");
    assert_eq!(house.shell("git status --short -- nothing").code, Some(0));
    assert_eq!(house.shell("echo git push origin main; : git push").stderr, "");
    assert_eq!(house.denials(), 0);
    // Gated, and yet there is nothing to run.
    fs::remove_file(house.roz.dir().join("bin/ship")).unwrap();
    let ran = house.shell("ship a");
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(127), "ship: command not found\n"));
}

#[test]
fn where_nothing_is_gated_path_stays_as_it_was() {
    for config in [
        "review.gates.tools = []",
        "review.gates.tools = ['Bash:*push*', 'mcp__x__y', 'Bash:./x*']",
    ] {
        let house = House::without_session("");
        house.roz.configure(config);
        house.starts(SESSION, json!({})).passes();
        assert!(house.folders().is_empty(), "{config}");
        assert!(!house.roz.home().join("shims").exists(), "{config}");
    }
    let house = House::new("shims.enabled = false");
    assert!(house.folders().is_empty());
    house.shell(PUSH).succeeds();
}

#[test]
fn the_folder_is_on_path_once_and_in_front() {
    let house = House::new("");
    house.starts(SESSION, json!({ "source": "compact" }));
    let [folder] = &house.folders()[..] else { panic!("{:?}", house.folders()) };
    assert_eq!(folder.parent(), Some(&*house.roz.home().join("shims")));
    let names: Vec<_> = fs::read_dir(folder).unwrap().map(|it| it.unwrap().file_name()).collect();
    assert_eq!(names, ["git"]);
    // What a version manager puts before it is behind it in the next call.
    let twice = format!(
        "PATH=/opt/nvm:$PATH; . {0}; . {0}; printf '%s\\n' \"$PATH\"",
        house.environment().display()
    );
    for shell in ["bash", "dash", "zsh", "sh"].into_iter().filter(|it| has(it)) {
        let ran = house.shell(&format!("{shell} -euc '{}'", twice.replace('\'', r"'\''")));
        let path = ran.succeeds().stdout;
        let begin = format!("{}:/opt/nvm:", folder.display());
        assert!(path.starts_with(&begin), "{shell}: {path}");
        assert_eq!(path.matches("/shims/").count(), 1, "{shell}: {path}");
        assert!(!path.contains("::") && !path.ends_with(":\n"), "{shell}: {path}");
    }
}

#[test]
fn two_sessions_with_other_gates_keep_their_links() {
    let house = House::new("");
    let first = house.folders();
    house.roz.configure("review.gates.tools = ['Bash:ship it*']");
    fs::remove_file(house.environment()).unwrap();
    house.starts("s2", json!({})).passes();
    let second = house.folders();
    assert_ne!(first, second);
    assert!(first[0].join("git").is_symlink() && second[0].join("ship").is_symlink());
}

#[test]
fn a_session_that_has_ended_or_is_unknown_binds_nobody() {
    let house = House::new("");
    house.denies(PUSH);
    let mut unknown = house.command("git push -n origin HEAD:main");
    unknown.env("CLAUDE_CODE_SESSION_ID", "s9");
    assert_eq!(Ran::of(feed(&mut unknown, b"")).code, Some(0));
    house.roz.hook("session-end", json!({ "reason": "other" })).objects_to_nothing();
    house.shell("git push -n origin HEAD:main").succeeds();
    // It goes on.
    house.starts(SESSION, json!({ "source": "resume" }));
    house.denies(PUSH);
}

#[test]
fn a_test_that_pushes_between_folders_for_temporary_files_is_none_of_rozs_business() {
    let house = House::new("");
    let elsewhere = tempfile::tempdir().unwrap();
    let there = elsewhere.path().display();
    house
        .shell(&format!(
            "cd {there} && git init -q a && git init -q --bare b.git && cd a && \
             git commit -q --allow-empty -m x && git push -q ../b.git HEAD:main"
        ))
        .succeeds();
    house.shell(&format!("git -C {there}/a push -q ../b.git HEAD:other")).succeeds();
    // The session's own repository, by another way than the folder.
    house.denies(&format!(
        "cd {there} && git --git-dir={}/.git push origin HEAD:main",
        house.roz.project().display()
    ));
    assert_eq!(house.denials(), 1);
}

#[test]
fn a_repository_in_an_ignored_folder_is_none_of_rozs_business() {
    let house = House::new("");
    // A project that is no temporary one is its own, wherever it lies.
    house.roz.write(".gitignore", "target\n");
    house
        .shell(
            "mkdir -p target/t && cd target/t && git init -q a && git init -q --bare b.git && \
             cd a && git commit -q --allow-empty -m x && git push -q ../b.git HEAD:main",
        )
        .succeeds();
}

#[test]
fn where_roz_is_gone_the_real_program_runs() {
    let house = House::new("");
    let [folder] = &house.folders()[..] else { panic!("no folder") };
    fs::remove_file(folder.join("git")).unwrap();
    symlink(house.roz.dir().join("gone/roz"), folder.join("git")).unwrap();
    house.shell(PUSH).succeeds();
    assert!(house.is_pushed());
}

#[test]
fn a_shim_of_another_roz_is_passed_over() {
    let house = House::new("");
    let other = house.roz.dir().join("other/shims/0123456789abcdef");
    fs::create_dir_all(&other).unwrap();
    symlink("/bin/false", other.join("git")).unwrap();
    let line =
        format!("PATH={}:{}:$PATH; git status -s", house.folders()[0].display(), other.display());
    house.shell(&line).succeeds();
}

#[test]
fn a_session_that_cannot_be_read_denies_what_is_gated_and_nothing_else() {
    let house = House::new("");
    fs::write(house.roz.sessions().join(format!("{SESSION}.json")), "{").unwrap();
    house.shell("git status -s").succeeds();
    let told = house.denies(PUSH);
    assert!(told.contains("could not be had"), "{told}");
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

#[test]
fn an_agent_that_is_started_by_roz_run_is_judged() {
    let house = House::without_session("");
    house.roz.write("release.sh", &format!("{PUSH}\n"));
    let agent = "sh release.sh; echo $?; bash -c 'PATH=/opt/nvm:$PATH; bash -c \"git status -s; sh release.sh\"'; echo $?";
    let ran = house.roz.run(&["run", "--", "sh", "-c", agent]).succeeds();
    assert_eq!(ran.stdout, "126\n?? release.sh\n126\n", "{ran:?}");
    assert!(!house.is_pushed());
    let sessions = house.roz.json(&["list"]);
    assert!(sessions.to_string().contains("\"run-"), "{sessions}");
    let nothing = Roz::new().run(&["run", "--", "sh", "-c", "echo $PATH"]).succeeds();
    assert!(!nothing.stdout.contains("/.roz/"), "{nothing:?}");
    let failed = Roz::new().run(&["run", "--", "/nonexistent/agent"]);
    assert_eq!(failed.code, Some(1), "{failed:?}");
}

#[test]
fn clean_removes_links_that_no_session_has_used_for_long() {
    let house = House::new("");
    let folder = house.folders().remove(0);
    house.roz.run(&["clean"]).succeeds();
    assert!(folder.exists());
    let old = std::time::SystemTime::UNIX_EPOCH;
    fs::File::open(&folder).unwrap().set_modified(old).unwrap();
    house.roz.run(&["clean", "--dry-run"]).succeeds();
    assert!(folder.exists());
    house.roz.run(&["clean"]).succeeds();
    assert!(!folder.exists());
}

#[test]
fn a_persons_own_terminal_that_an_agent_opened_is_not_bound() {
    if !has("script") || has("claude-is-an-ancestor") {
        return skip("a_persons_own_terminal", "there is no `script`");
    }
    let house = House::new("");
    // A terminal of its own, as tmux makes one; no agent is among its ancestors.
    let line = format!(
        "script -qec {} /dev/null",
        shlex_quote(&format!(". {}; {PUSH}", house.environment().display()))
    );
    let ran = house.shell(&line);
    if under_an_agent() {
        return skip("a_persons_own_terminal", "the tests run under an agent");
    }
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(house.is_pushed());
}

fn shlex_quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Whether an agent is among our ancestors.
fn under_an_agent() -> bool {
    roz::world::ancestors::ancestors().iter().any(|it| it.is_agent(&[]))
}

#[test]
fn doctor_starts_a_program_through_a_shim() {
    let roz = Roz::new();
    let doctor = roz.json(&["doctor", "--only", "shims"]);
    assert_eq!(doctor["checks"][0]["status"], "ok", "{doctor}");
    let roz = Roz::with_config("shims.enabled = false");
    let doctor = roz.json(&["doctor", "--only", "shims"]);
    assert_eq!(doctor["checks"][0]["status"], "warn", "{doctor}");
}

#[test]
fn check_says_which_gates_are_of_lines_alone() {
    let roz = Roz::with_config("review.gates.tools = ['Bash:*deploy*', 'Bash:git push*']");
    let told = roz.run(&["config", "check"]).succeeds().stdout;
    assert!(
        told.contains("`Bash:*deploy*` names no program") && !told.contains("`Bash:git"),
        "{told}"
    );
}

#[test]
fn roz_under_its_own_name_is_roz_wherever_it_lies() {
    let roz = Roz::new();
    let folder = roz.dir().join("shims/0123456789abcdef");
    fs::create_dir_all(&folder).unwrap();
    symlink(BINARY, folder.join("roz")).unwrap();
    let version =
        roz.program(&[folder.join("roz").to_str().unwrap(), "--version"]).output().unwrap();
    assert!(version.stdout.starts_with(b"roz "), "{version:?}");
}
