//! Calls that go to another repository than the session's.

use std::{fs, path::PathBuf};

use serde_json::json;

use crate::{client::SESSION, support::Roz};

/// A repository beside the project, with a gate of its own on `git push`.
fn gated_neighbour(roz: &Roz) -> PathBuf {
    let root = neighbour(roz, "b");
    fs::create_dir(root.join(".roz")).unwrap();
    let gate = "[review.gates]\ntools = [\"Bash:git push*\"]\n";
    fs::write(root.join(".roz/config.toml"), gate).unwrap();
    root
}

fn neighbour(roz: &Roz, name: &str) -> PathBuf {
    roz.git(&["init", "-q", &format!("../{name}")]);
    roz.dir().join(name).canonicalize().unwrap()
}

#[test]
fn a_push_of_another_repository_is_held_by_its_own_gate() {
    let roz = Roz::new().in_git();
    let root = gated_neighbour(&roz);
    fs::create_dir(root.join("sub")).unwrap();
    std::os::unix::fs::symlink("../b/sub", roz.project().join("link")).unwrap();
    for line in [
        "git -C ../b push",
        "cd ../b && git push",
        "(cd ../b/sub; git push origin main)",
        "git --git-dir=../b/.git --work-tree=../b push",
        "GIT_DIR=../b/.git git push",
        "for d in a ../b; do git -C $d push; done",
        "cd link && git push",
        &format!("git -C {} push", root.display()),
    ] {
        let why = roz.bash(line).denies();
        assert!(
            why.contains(&format!("`Bash:git push*` of `{}`", root.display())),
            "{line}: {why}"
        );
    }
}

#[test]
fn where_the_client_stands_in_another_repository_its_gates_hold() {
    let roz = Roz::new().in_git();
    roz.prompt("hello").passes();
    let root = gated_neighbour(&roz);
    let mut push = roz.call("Bash", &json!({ "command": "git push" }));
    roz.hook("pre-tool-use", push.clone()).passes();
    push["cwd"] = root.to_str().unwrap().into();
    roz.hook("pre-tool-use", push.clone()).denies();
    push["tool_input"] = json!({ "command": "git -C ../project push" });
    push["tool_use_id"] = "toolu_back".into();
    roz.hook("pre-tool-use", push).passes();
}

#[test]
fn a_gate_of_another_repository_holds_nothing_that_stays_away_from_it() {
    let roz = Roz::new().in_git();
    gated_neighbour(&roz);
    neighbour(&roz, "c");
    for line in [
        "git push",
        "cd ../b && ls; cd - && git push",
        "(cd ../b && git status); git push",
        "git -C ../c push",
        "git -C ../b fetch && git push",
        "cat ../b/README.md; git push",
    ] {
        roz.bash(line).passes();
    }
    assert!(roz.session_files().is_empty(), "nothing is written down");
}

#[test]
fn a_user_who_wants_no_reviews_is_held_by_no_gate_elsewhere() {
    let roz = Roz::with_config("review.mode = 'never'").in_git();
    gated_neighbour(&roz);
    roz.bash("git -C ../b push").passes();
}

#[test]
fn an_approval_opens_the_gate_of_the_other_repository() {
    let roz = Roz::new().in_git();
    gated_neighbour(&roz);
    roz.bash("git -C ../b push").denies();
    assert_eq!(roz.debug(SESSION)["review"]["gate_trigger"]["pattern_matched"], "Bash:git push*");
    roz.reviewed("COMPLETE", "fine");
    roz.bash("git -C ../b push").passes();
}

#[test]
fn an_explanation_names_the_gates_of_the_other_repository() {
    let roz = Roz::new().in_git();
    gated_neighbour(&roz);
    let explained = roz.json(&["explain", "git -C ../b push"]);
    assert_eq!(explained["gates"][0]["pattern"], "Bash:git push*");
    assert_eq!(roz.json(&["explain", "git push"])["gates"], json!([]));
}
