//! Work that the project's own work tree does not show at a stop, or shows as one line.

use super::*;

const MANY: &str = "a\nb\nc\nd\ne\nf\ng\nh\n";

fn session() -> Roz {
    let roz = without_tickets("");
    roz.write("kept.txt", "as it was\n");
    roz.git(&["add", "-A"]);
    roz.git(&["commit", "-qm", "before"]);
    roz.hook("session-start", json!({ "source": "startup", "session_id": "later" }));
    roz
}

#[track_caller]
fn is_asked(roz: &Roz, why: &str) {
    let stop = json!({ "stop_hook_active": false, "session_id": "later" });
    let reason = roz.hook("stop", stop).blocks();
    assert!(reason.contains(&format!("is not known ({why}")), "{reason}");
}

#[test]
fn a_repository_inside_is_more_than_a_line() {
    let roz = session();
    fs::create_dir(roz.project().join("inner")).unwrap();
    roz.git(&["init", "-q", "inner"]);
    roz.write("inner/new.txt", MANY);
    is_asked(&roz, "inner/ is a repository of its own");
}

#[test]
fn a_repository_inside_that_was_there_before_and_did_not_move_is_nothing_new() {
    let roz = session();
    fs::create_dir(roz.project().join("inner")).unwrap();
    roz.git(&["init", "-q", "inner"]);
    roz.hook("session-start", json!({ "source": "startup", "session_id": "third" }));
    roz.hook("stop", json!({ "stop_hook_active": false, "session_id": "third" })).passes();
    roz.git(&["-C", "inner", "commit", "-q", "--allow-empty", "-m", "moves"]);
    roz.hook("stop", json!({ "stop_hook_active": false, "session_id": "third" })).blocks();
}

#[test]
fn a_session_that_stands_in_another_work_tree_changed_what_nobody_knows() {
    let roz = session();
    let other = roz.project().join(".claude/worktrees/one");
    roz.git(&["worktree", "add", "-q", other.to_str().unwrap(), "-b", "one"]);
    roz.write(".git/info/exclude", ".claude/\n");
    fs::write(other.join("new.txt"), MANY).unwrap();
    let stop = json!({ "stop_hook_active": false, "session_id": "later", "cwd": other });
    let reason = roz.hook("stop", stop).blocks();
    assert!(reason.contains("is not known (the session is in another work tree, "), "{reason}");
}

#[test]
fn a_link_to_the_project_is_no_other_work_tree() {
    let roz = session();
    let link = roz.dir().join("link");
    std::os::unix::fs::symlink(roz.project(), &link).unwrap();
    let stop = json!({ "stop_hook_active": false, "session_id": "later", "cwd": link });
    roz.hook("stop", stop).passes();
}

#[test]
fn a_link_is_one_line_whatever_it_leads_to() {
    let roz = session();
    fs::write(roz.dir().join("long.txt"), MANY).unwrap();
    std::os::unix::fs::symlink(roz.dir().join("long.txt"), roz.project().join("link")).unwrap();
    roz.hook("stop", json!({ "stop_hook_active": false, "session_id": "later" })).passes();
}
