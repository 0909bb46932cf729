//! Links, pipes and devices in the place of files, and disks that take none:
//! a decision is never softened by trouble around it, nobody waits for ever,
//! and the user hears of what is lost.

use std::{
    fmt::Write as _,
    fs::{self, File, Permissions},
    os::unix::fs::{FileTypeExt as _, PermissionsExt as _, symlink},
    path::Path,
};

use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};
use serde_json::{Value, json};

use crate::{
    client::SESSION,
    support::{Roz, skip, works},
};

/// What can stand where a file should be.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Thing {
    Link,
    DanglingLink,
    Fifo,
    Directory,
    Device,
}

impl Thing {
    const ALL: [Self; 5] =
        [Self::Link, Self::DanglingLink, Self::Fifo, Self::Directory, Self::Device];

    /// Puts it there; a link leads to a file of somebody else's. Not everybody
    /// may make a device: then it is false.
    fn put(self, roz: &Roz, path: &Path) -> bool {
        if path.is_dir() {
            fs::remove_dir_all(path).unwrap();
        } else {
            let _ = fs::remove_file(path);
        }
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mode = Mode::RUSR | Mode::WUSR;
        match self {
            Self::Link => symlink(victim(roz), path).unwrap(),
            Self::DanglingLink => symlink(roz.dir().join("not-there"), path).unwrap(),
            Self::Fifo => mknodat(CWD, path, FileType::Fifo, mode, 0).unwrap(),
            Self::Directory => fs::create_dir(path).unwrap(),
            Self::Device => {
                return mknodat(CWD, path, FileType::CharacterDevice, mode, makedev(1, 3)).is_ok();
            }
        }
        true
    }

    fn is_at(self, path: &Path) -> bool {
        let Ok(meta) = fs::symlink_metadata(path) else { return false };
        match self {
            Self::Link | Self::DanglingLink => meta.is_symlink(),
            Self::Fifo => meta.file_type().is_fifo(),
            Self::Directory => meta.is_dir(),
            Self::Device => meta.file_type().is_char_device(),
        }
    }
}

/// A file of somebody else's, in which nothing of ours belongs.
fn victim(roz: &Roz) -> std::path::PathBuf {
    let path = roz.dir().join("victim");
    if !path.exists() {
        fs::write(&path, "{}").unwrap();
    }
    path
}

#[track_caller]
fn is_untouched(roz: &Roz) {
    assert_eq!(fs::read_to_string(victim(roz)).unwrap(), "{}");
    assert!(!roz.dir().join("not-there").exists());
}

/// For each thing in the place of `file` among the sessions, a roz whose
/// session is pending.
fn for_each_thing(file: &str, test: impl Fn(&Roz, Thing, &Path)) {
    for thing in Thing::ALL {
        let roz = Roz::gated("");
        roz.requests("#roz");
        let path = roz.sessions().join(file);
        if !thing.put(&roz, &path) {
            skip(&format!("a device in the place of {file}"), "this user may not make one");
            continue;
        }
        test(&roz, thing, &path);
        is_untouched(&roz);
    }
}

#[test]
fn a_session_that_is_no_file_is_refused_and_its_gates_ask() {
    for_each_thing("s1.json", |roz, thing, path| {
        let reply = roz.push();
        reply.asks();
        reply.tells_user();
        assert!(reply.stderr.contains("s1.json"), "{thing:?}: {}", reply.stderr);
        let reply = roz.bash("ls");
        reply.objects_to_nothing();
        assert_ne!(reply.stderr, "", "{thing:?}");
        roz.stop().objects_to_nothing();
        roz.prompt("#roz again").tells_user();
        roz.hook("session-start", json!({ "source": "resume" })).tells_user();
        assert!(thing.is_at(path), "{thing:?} was removed");
        assert!(roz.run(&["debug", SESSION]).fails().contains("s1.json"));
    });
}

#[test]
fn the_user_hears_of_a_stop_that_passes_because_its_session_cannot_be_read() {
    for_each_thing("s1.json", |roz, thing, _| {
        let reply = roz.stop();
        reply.objects_to_nothing();
        assert!(reply.json.get("systemMessage").is_some(), "{thing:?}: {}", reply.json);
    });
}

#[test]
fn a_trace_that_is_no_file_lets_no_gated_call_pass() {
    for_each_thing("s1.trace.jsonl", |roz, thing, path| {
        assert!(roz.push().is_objection(), "{thing:?}");
        roz.bash("ls").objects_to_nothing();
        assert!(thing.is_at(path), "{thing:?} was removed");
    });
}

#[test]
fn a_lock_that_is_no_file_lets_no_gated_call_pass() {
    for_each_thing("s1.lock", |roz, thing, path| {
        assert!(roz.push().is_objection(), "{thing:?}");
        roz.bash("ls").objects_to_nothing();
        assert!(thing.is_at(path), "{thing:?} was removed");
    });
}

#[test]
fn what_lies_in_the_place_of_the_next_save_is_not_written_through() {
    for_each_thing("s1.tmp", |roz, thing, _| {
        let reply = roz.push();
        if thing == Thing::Directory {
            assert!(reply.is_objection());
        } else {
            reply.denies();
            assert_eq!(roz.debug(SESSION)["review"]["denials"], 1, "{thing:?}");
        }
    });
}

#[test]
fn a_folder_of_sessions_that_is_none_lets_no_gated_call_pass() {
    for thing in Thing::ALL.into_iter().filter(|it| *it != Thing::Directory) {
        let roz = Roz::gated("");
        if !thing.put(&roz, &roz.sessions()) {
            skip("a device in the place of the sessions", "this user may not make one");
            continue;
        }
        assert!(roz.push().is_objection(), "{thing:?}");
        roz.bash("ls").objects_to_nothing();
        roz.prompt("#roz").tells_user();
        roz.hook("session-start", json!({ "source": "startup" })).tells_user();
        is_untouched(&roz);
    }
}

#[test]
fn a_configuration_that_is_no_file_is_told_to_the_user_at_every_session_start() {
    for thing in [Thing::Fifo, Thing::Directory, Thing::Device] {
        let roz = Roz::new();
        if !thing.put(&roz, &roz.home().join("config.toml")) {
            skip("a device in the place of the configuration", "this user may not make one");
            continue;
        }
        for source in ["startup", "resume"] {
            let told = roz.hook("session-start", json!({ "source": source })).tells_user();
            assert!(told.contains("config.toml"), "{thing:?}: {told}");
        }
        roz.requests("#roz");
        roz.stop().blocks();
    }
}

// Disks.

/// A small disk of its own, mounted over the sessions in a namespace that ends
/// with the script; `FILL` fills it.
const SMALL_DISK: &str = r#"
    mount -t tmpfs -o size=64k,mode=700 tmpfs "$ROZ_HOME" || exit 77
    FILL() { head -c 1000000 /dev/zero > "$ROZ_HOME/filler" 2> /dev/null; }
"#;

fn namespace() -> Option<&'static [&'static str]> {
    const WAYS: &[&[&str]] = &[&["unshare", "-m"], &["unshare", "-rm"]];
    let mounts = |way: &&&[&str]| {
        let script = "mount -t tmpfs -o size=64k tmpfs /mnt || mount -t tmpfs tmpfs /tmp";
        works(&[way, &["sh", "-c", script][..]].concat())
    };
    WAYS.iter().find(mounts).copied()
}

/// Plays events in a shell around each of which `script` may do things; the
/// replies, in order.
fn play(roz: &Roz, script: &str, events: &[(&str, Value)]) -> Option<Vec<(Value, String)>> {
    let Some(way) = namespace() else {
        skip("a full disk", "no tmpfs can be mounted; RLIMIT_FSIZE replaces it");
        return None;
    };
    fs::create_dir_all(roz.home()).unwrap();
    let mut text = format!("{SMALL_DISK}\n{script}\n");
    for (at, (word, payload)) in events.iter().enumerate() {
        if *word == "FILL" {
            text += "FILL\n";
            continue;
        }
        let path = |kind: &str| roz.dir().join(format!("{at}.{kind}")).display().to_string();
        fs::write(path("in"), roz.payload(word, payload.clone()).to_string()).unwrap();
        let (stdin, out, err) = (path("in"), path("out"), path("err"));
        let _ = writeln!(text, "\"$0\" hook {word} < {stdin} > {out} 2> {err} || exit 1");
    }
    let output = roz.through(&[way, &["sh", "-c", &text][..]].concat(), &[""; 0]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let read = |at: usize, kind: &str| fs::read_to_string(roz.dir().join(format!("{at}.{kind}")));
    let replies = events.iter().enumerate().filter(|(_, (word, _))| *word != "FILL");
    Some(
        replies
            .map(|(at, _)| {
                let out = read(at, "out").unwrap();
                (serde_json::from_str(&out).expect(&out), read(at, "err").unwrap())
            })
            .collect(),
    )
}

#[test]
fn on_a_full_disk_objections_stand_and_everything_else_passes() {
    let roz = Roz::new();
    let config = roz.dir().join("user.toml");
    fs::write(&config, "review.gates.tools = ['Bash:git push*']").unwrap();
    let roz = roz.with_var("ROZ_CONFIG", config.to_str().unwrap());
    let call = |command: &str| roz.call("Bash", &json!({ "command": command }));
    let stop = |active: bool| json!({ "stop_hook_active": active, "background_tasks": [] });
    let events = [
        ("user-prompt", json!({ "prompt": "#roz" })),
        ("FILL", json!({})),
        ("pre-tool-use", call("git push")),
        ("pre-tool-use", call("ls")),
        ("stop", stop(false)),
        ("stop", stop(true)),
        ("user-prompt", json!({ "prompt": "#roz again", "prompt_id": "p9" })),
        ("session-start", json!({ "source": "resume" })),
        ("user-prompt", json!({ "session_id": "s2", "prompt": "#roz" })),
    ];
    let Some(replies) = play(&roz, "", &events) else { return };
    let [first, push, ls, held, let_go, again, start, other] = &replies[..] else {
        panic!("{replies:?}")
    };
    assert_eq!(*first, (json!({ "systemMessage": "roz: review requested" }), String::new()));
    assert_eq!(push.0["hookSpecificOutput"]["permissionDecision"], "deny", "{push:?}");
    assert_ne!(push.1, "");
    assert_eq!(ls.0, json!({}));
    assert_eq!(held.0["decision"], "block", "{held:?}");
    assert_eq!(let_go.0.get("decision"), None, "{let_go:?}");
    for reply in [let_go, again, start, other] {
        assert!(reply.0["systemMessage"].is_string(), "{reply:?}");
    }
}

/// No byte can be written to any file: what a full disk is to a process.
const NO_BYTE: &[&str] = &["sh", "-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\""];

#[test]
fn where_no_byte_can_be_written_objections_stand_and_everything_else_passes() {
    let roz = Roz::gated("");
    roz.requests("#roz");
    let before = roz.debug(SESSION);
    let call = roz.call("Bash", &json!({ "command": "git push" }));
    let reply = roz.hook_through(NO_BYTE, "pre-tool-use", call);
    reply.denies();
    assert!(reply.stderr.contains("s1."), "{}", reply.stderr);
    let call = roz.call("Bash", &json!({ "command": "ls" }));
    roz.hook_through(NO_BYTE, "pre-tool-use", call).passes();
    let stop = |active: bool| json!({ "stop_hook_active": active, "background_tasks": [] });
    roz.hook_through(NO_BYTE, "stop", stop(false)).blocks();
    let reply = roz.hook_through(NO_BYTE, "stop", stop(true));
    reply.objects_to_nothing().tells_user();
    let prompt = json!({ "prompt": "#roz", "prompt_id": "p9" });
    roz.hook_through(NO_BYTE, "user-prompt", prompt).tells_user();
    assert_eq!(roz.debug(SESSION), before, "the session is what it was");
    assert_eq!(roz.session_files(), ["s1.json", "s1.lock", "s1.trace.jsonl"]);
}

#[test]
fn a_reviewer_whose_token_cannot_be_kept_gets_none() {
    let roz = Roz::new();
    roz.requests("#roz");
    roz.launch();
    let start = json!({ "agent_id": "a1", "agent_type": "roz:roz" });
    let reply = roz.hook_through(NO_BYTE, "subagent-start", start);
    assert_eq!(crate::client::token_in(&reply.json.to_string()), None);
    reply.tells_user();
    assert_eq!(roz.state(), "pending");
}

#[test]
fn a_decision_that_cannot_be_kept_is_not_reported_as_made() {
    let roz = Roz::new();
    roz.requests("#roz");
    let reviewer = roz.reviewer("a1");
    reviewer.bash("roz decide s1 COMPLETE fine --token x").passes();
    let args = ["decide", SESSION, "COMPLETE", "fine", "--token", &reviewer.token];
    let mut command = roz.through(NO_BYTE, &args);
    let ran = crate::support::Ran::of(command.output().unwrap());
    assert_eq!(ran.stdout, "");
    assert!(ran.fails().contains("caused by"));
    assert_eq!(roz.state(), "reviewing");
}

/// A read-only folder with another in it: for root, too.
pub(crate) fn read_only(folder: &Path, inner: &str, test: impl Fn(&[&str])) {
    let shown = folder.display();
    let script = format!(
        "mount --bind '{shown}' '{shown}' && mount -o remount,bind,ro '{shown}' && \
         exec \"$0\" \"$@\""
    );
    if let Some(way) = namespace() {
        test(&[way, &["sh", "-c", &script][..]].concat());
    } else if rustix::process::geteuid().is_root() {
        skip("a read-only folder", "root may write anywhere, and nothing can be mounted");
    } else {
        let lock = |mode| {
            for folder in [folder.join(inner), folder.to_owned()] {
                if folder.is_dir() {
                    fs::set_permissions(folder, Permissions::from_mode(mode)).unwrap();
                }
            }
        };
        lock(0o500);
        test(&["env"]);
        lock(0o700);
    }
}

#[test]
fn in_a_read_only_home_objections_stand_and_everything_else_passes() {
    let roz = Roz::gated("");
    roz.requests("#roz");
    read_only(&roz.home(), "sessions", |starter| {
        let call = |command: &str| roz.call("Bash", &json!({ "command": command }));
        assert!(roz.hook_through(starter, "pre-tool-use", call("git push")).is_objection());
        roz.hook_through(starter, "pre-tool-use", call("ls")).passes();
        roz.hook_through(starter, "stop", json!({ "stop_hook_active": false })).blocks();
        let reply = roz.hook_through(starter, "stop", json!({ "stop_hook_active": true }));
        reply.objects_to_nothing().tells_user();
        let start = json!({ "source": "startup", "session_id": "s2" });
        roz.hook_through(starter, "session-start", start).tells_user();
    });
    roz.stop().blocks();
}

#[test]
fn a_home_that_is_not_there_is_made_and_is_private() {
    let roz = Roz::new();
    assert!(!roz.home().exists());
    roz.requests("#roz");
    for path in [roz.home(), roz.sessions()] {
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o700, "{path:?}");
    }
    for file in roz.session_files() {
        let mode = roz.sessions().join(&file).metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }
}

#[test]
fn a_home_that_cannot_be_made_passes_and_says_so() {
    for has_variable in [true, false] {
        let roz = Roz::new();
        roz.write("file", "");
        let nowhere = roz.project().join("file/home");
        let home = if has_variable { nowhere.to_str().unwrap() } else { "" };
        let roz = roz.with_var("ROZ_HOME", home).with_var("HOME", nowhere.to_str().unwrap());
        let reply = roz.bash("ls");
        reply.objects_to_nothing();
        assert_ne!(reply.stderr, "");
        let reply = roz.prompt("#roz");
        assert_ne!(reply.stderr, "");
        reply.tells_user();
        roz.hook("session-start", json!({ "source": "startup" })).tells_user();
        roz.stop().objects_to_nothing();
    }
}

// Programs that do not answer.

#[test]
fn a_git_that_never_ends_keeps_nobody_waiting_and_does_not_outlive_the_hook() {
    let roz = Roz::gated("hooks.deadline_ms = 300").in_git();
    roz.push().denies();
    roz.reviewed("COMPLETE", "fine");
    let bin = roz.dir().join("bin");
    let pid = roz.dir().join("pid");
    fs::create_dir(&bin).unwrap();
    let script = format!("#!/bin/sh\necho $$ > {}\nexec sleep 600\n", pid.display());
    fs::write(bin.join("git"), script).unwrap();
    fs::set_permissions(bin.join("git"), Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", bin.display());
    let roz = roz.with_var("PATH", &path);
    for reply in [roz.push(), roz.stop()] {
        assert!(reply.json.get("decision").is_none(), "{}", reply.json);
        let pid: i32 = fs::read_to_string(&pid).unwrap().trim().parse().unwrap();
        let pid = rustix::process::Pid::from_raw(pid).unwrap();
        assert!(rustix::process::test_kill_process(pid).is_err(), "git still runs");
    }
}

// What cannot be saved.

#[test]
fn a_stop_that_cannot_be_saved_is_held_once_and_then_passes() {
    let roz = Roz::new();
    roz.requests("#roz");
    Thing::Directory.put(&roz, &roz.sessions().join("s1.trace.jsonl"));
    for _ in 0..3 {
        roz.hook("stop", json!({ "stop_hook_active": false })).blocks();
        let reply = roz.hook("stop", json!({ "stop_hook_active": true }));
        reply.objects_to_nothing().tells_user();
        assert_ne!(reply.stderr, "");
    }
}

#[test]
fn a_reviewers_stop_that_cannot_be_saved_is_held_once_and_then_passes() {
    let roz = Roz::new();
    roz.requests("#roz");
    roz.reviewer("a1");
    Thing::Directory.put(&roz, &roz.sessions().join("s1.trace.jsonl"));
    let stop = |active: bool| json!({ "agent_id": "a1", "agent_type": "roz:roz", "stop_hook_active": active });
    roz.hook("subagent-stop", stop(false)).blocks();
    roz.hook("subagent-stop", stop(true)).objects_to_nothing();
}

#[test]
fn holding_the_lock_opens_no_gate() {
    let roz = Roz::gated("hooks.deadline_ms = 300");
    roz.requests("#roz");
    let lock = || {
        let lock = File::options().read(true).write(true).open(roz.sessions().join("s1.lock"));
        let lock = lock.unwrap();
        lock.lock().unwrap();
        lock
    };
    let held = lock();
    assert!(roz.push().is_objection(), "not approved, and the lock is held");
    roz.hook("stop", json!({ "stop_hook_active": false })).blocks();
    roz.hook("stop", json!({ "stop_hook_active": true })).objects_to_nothing().tells_user();
    drop(held);

    roz.reviewed("COMPLETE", "fine");
    let held = lock();
    let reply = roz.push();
    let asked = reply.asks();
    assert!(asked.contains("roz allow"), "how a person grants it: {asked}");
    reply.tells_user();
    roz.bash("ls").passes();
    drop(held);
    roz.push().passes();
}
