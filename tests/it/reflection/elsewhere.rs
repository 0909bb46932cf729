//! What a session is told of another one of its project.

use super::*;

#[test]
fn nobody_says_that_a_session_ended_which_may_be_at_work() {
    let roz = with_tickets("");
    roz.closes("t-1");
    roz.stop().blocks();
    let told = roz.hook("session-start", json!({ "source": "startup", "session_id": "beside" }));
    let told = told.context();
    assert!(
        told.contains(&format!("session {SESSION} of this project owes a reflection")),
        "{told}"
    );
    assert!(told.contains("Leave it alone if that session is still running"), "{told}");
    assert!(told.contains(&format!("skip \"why\" --session-id {SESSION}")), "{told}");
    assert!(!told.contains("ended"), "{told}");
}

#[test]
fn a_stop_that_was_held_for_a_reflection_is_not_said_to_have_passed() {
    let roz = with_tickets("");
    roz.closes("t-1");
    roz.stop().blocks();
    let told = roz.run(&["stats"]).succeeds().stdout;
    assert!(told.starts_with("No reviews in the last 30 days."), "{told}");
}

/// A folder within the project that is a git repository of its own, as a submodule is.
fn with_another_inside() -> Roz {
    let roz = with_tickets("");
    for folder in ["vendor/lib", "deep/down"] {
        fs::create_dir_all(roz.project().join(folder)).unwrap();
    }
    roz.git(&["init", "-q", "vendor/lib"]);
    roz
}

impl Roz {
    /// As [`Self::fed`], from another folder.
    fn fed_in(&self, folder: &std::path::Path, args: &[&str], stdin: &str) -> crate::support::Ran {
        let mut words = vec![BINARY];
        words.extend(args);
        let mut command = self.program(&words);
        command.current_dir(folder).env("CLAUDE_CODE_SESSION_ID", SESSION);
        crate::support::Ran::of(feed(&mut command, stdin.as_bytes()))
    }
}

#[test]
fn what_was_learned_lies_in_the_sessions_project_wherever_one_stands() {
    let roz = with_another_inside();
    let elsewhere = tempfile::tempdir().unwrap();
    let inside = roz.project().join("vendor/lib");
    for (at, folder) in [&*inside, elsewhere.path()].into_iter().enumerate() {
        let ticket = format!("t-{at}");
        roz.closes(&ticket);
        roz.stop().blocks();
        let candidate = json!({ "candidates": [{
            "category": "pitfall",
            "summary": format!("src/file{at}.rs panics on {at}{at} lone bytes because of Lexer::next{at}"),
            "detail": format!("Lexer::next{at} in src/file{at}.rs cut at byte {at} of a char."),
            "tags": ["lexer"],
            "criteria_met": ["behavior_changing"],
        }]})
        .to_string();
        let told = roz.fed_in(folder, &["reflect"], &candidate).succeeds().stdout;
        let project = roz.project().canonicalize().unwrap();
        assert!(
            told.contains(&format!("in {}; the session may stop", project.display())),
            "{told}"
        );
        roz.stop().passes();
        assert!(!folder.join(".roz").exists());
    }
    let kept = fs::read_to_string(roz.project().join(".roz/learnings.md")).unwrap();
    assert!(kept.contains("src/file0.rs") && kept.contains("src/file1.rs"), "{kept}");
    let id = kept.split_once(" ^").unwrap().1.lines().next().unwrap().to_owned();
    roz.fed_in(&inside, &["ref", &id], "").succeeds();
    let found = roz.fed_in(&inside, &["search", "lexer"], "").succeeds().stdout;
    assert!(found.contains(&id), "{found}");
    assert!(
        roz.fed_in(&inside, &["status"], "").succeeds().stdout.contains("reflection reflected")
    );
    // In another project, `roz` answers from what is known there.
    let found = roz.fed_in(elsewhere.path(), &["search", "lexer"], "").succeeds().stdout;
    assert!(found.contains("Nothing was learned here yet"), "{found}");
}

#[test]
fn a_reason_given_elsewhere_is_logged_where_the_session_is() {
    let roz = with_another_inside();
    roz.closes("t-1");
    roz.stop().blocks();
    let inside = roz.project().join("vendor/lib");
    roz.fed_in(&inside, &["skip", "a version bump, nothing new"], "").succeeds();
    roz.stop().passes();
    let log = fs::read_to_string(roz.kept_of_project().join("stats.log")).unwrap();
    assert!(log.contains("a version bump") && !inside.join(".roz").exists(), "{log}");
}

#[test]
fn a_project_without_git_is_that_of_its_subfolders() {
    let roz = Roz::new();
    fs::create_dir_all(roz.project().join(".tissue")).unwrap();
    let inside = roz.project().join("deep/down");
    fs::create_dir_all(&inside).unwrap();
    roz.hook("session-start", json!({ "source": "startup" })).objects_to_nothing();
    roz.closes("t-1");
    roz.stop().blocks();
    roz.fed_in(&inside, &["skip", "nothing to tell of it"], "").succeeds();
    assert!(roz.kept_of_project().join("stats.log").exists() && !inside.join(".roz").exists());
    let status = roz.fed_in(&inside, &["status"], "").succeeds().stdout;
    assert!(status.contains("reflection skipped"), "{status}");
}

#[test]
fn a_fixtures_ticket_in_a_folder_for_temporary_files_is_none_of_the_projects() {
    let roz = with_tickets("");
    for line in [
        "cd /var/tmp/fixture && tissue status t-9 closed",
        "mkdir -p /var/tmp/fixture; cd /var/tmp/fixture; tissue status t-9 closed",
        "bash -c 'cd /var/tmp && tissue status t-9 closed'",
    ] {
        roz.runs(line, "post-tool-use").passes();
        roz.stop().passes();
        assert_eq!(roz.reflection(), "idle", "{line}");
    }
    roz.runs("cd src; cd .. && tissue status t-1 closed", "post-tool-use").passes();
    assert!(roz.stop().blocks().contains("ticket t-1 was closed"));
}

#[test]
fn what_a_pull_brought_is_not_the_agents_work() {
    let roz = without_tickets("");
    let (origin, other) = (roz.dir().join("origin.git"), roz.dir().join("other"));
    let (origin, other) = (origin.to_str().unwrap(), other.to_str().unwrap());
    roz.git(&["branch", "-M", "main"]);
    roz.git(&["init", "-q", "--bare", "-b", "main", origin]);
    roz.git(&["remote", "add", "origin", origin]);
    roz.git(&["push", "-q", "-u", "origin", "main"]);
    roz.git(&["clone", "-q", origin, other]);
    fs::write(format!("{other}/theirs.txt"), "1\n2\n3\n4\n5\n6\n").unwrap();
    roz.git(&["-C", other, "add", "."]);
    roz.git(&["-C", other, "commit", "-qm", "Theirs"]);
    roz.git(&["-C", other, "push", "-q"]);
    // The reflog of years.
    let log = roz.project().join(".git/logs/refs/remotes/origin/main");
    let pushed = fs::read_to_string(&log).unwrap();
    fs::write(&log, pushed.repeat((5 << 20) / pushed.len())).unwrap();
    roz.git(&["pull", "-q"]);
    roz.stop().passes();
    assert_eq!(roz.reflection(), "skipped");
    // Its own, pushed as well.
    roz.write("theirs.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n");
    roz.git(&["commit", "-qam", "Ours"]);
    roz.git(&["push", "-q"]);
    roz.stop().blocks();
}
