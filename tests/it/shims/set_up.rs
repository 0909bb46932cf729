//! Which programs get a shim, and which do not.

use std::{fs, os::unix::fs::symlink};

use serde_json::json;

use super::{House, PUSH, has};
use crate::{
    client::SESSION,
    support::{BINARY, Ran, Roz, feed},
};

#[test]
fn programs_that_are_not_gated_keep_argv_input_exit_code_and_signals() {
    let house = House::without_session("");
    house.roz.configure("review.gates.tools = ['Bash:ship it*', 'Bash:git push*']");
    house.starts(SESSION, &json!({})).passes();
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
        house.starts(SESSION, &json!({})).passes();
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
    house.starts(SESSION, &json!({ "source": "compact" }));
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
    house.starts("s2", &json!({})).passes();
    let second = house.folders();
    assert_ne!(first, second);
    assert!(first[0].join("git").is_symlink() && second[0].join("ship").is_symlink());
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
fn an_agent_that_is_started_by_roz_run_is_judged() {
    let house = House::without_session("");
    house.roz.write("release.sh", &format!("{PUSH}\n"));
    let agent = "sh release.sh; echo $?; bash -c 'PATH=/opt/nvm:$PATH; bash -c \"git status -s; sh release.sh\"'; echo $?";
    let ran = house.roz.run(&["run", "--", "sh", "-c", agent]).succeeds();
    assert_eq!(ran.stdout, "126\n?? release.sh\n126\n", "{ran:?}");
    // It may be any agent: what starts a reviewer is its own hooks' to say.
    assert!(ran.stderr.contains("as roz's hooks ask") && !ran.stderr.contains("Agent tool"));
    assert!(ran.stderr.contains("`roz approve run-"), "{ran:?}");
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
