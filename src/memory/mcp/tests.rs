//! The real reference server, another one with other tools, and programs that
//! are no servers.

use std::{fs, path::Path, time::Instant};

use super::*;
use crate::memory::{contract, contract::learning, tests::PATIENCE as LONG};

/// A file of `tests/memory-server`, if it was installed.
fn installed(file: &str) -> Option<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/memory-server");
    if !folder.join("node_modules/@modelcontextprotocol/server-memory").is_dir() {
        let told = "skipped: the memory server is not installed (tests/memory-server/install.sh)\n";
        let _ = std::io::Write::write_all(&mut std::io::stderr(), told.as_bytes());
        return None;
    }
    folder.join(file).to_str().map(str::to_owned)
}

struct Scene {
    dir: tempfile::TempDir,
    backend: Mcp,
}

fn scene(command: &str, args: &[&str]) -> Scene {
    let dir = tempfile::tempdir().unwrap();
    let server = McpPolicy {
        command: Some(command.to_owned()),
        args: args.iter().map(|arg| (*arg).to_owned()).collect(),
        ..McpPolicy::default()
    };
    let backend = Mcp::new(&server, dir.path().join("home/mcp.lock"), LONG).unwrap();
    Scene { dir, backend }
}

/// The reference server, with a graph of its own.
fn reference() -> Option<Scene> {
    let server = installed("node_modules/@modelcontextprotocol/server-memory/dist/index.js")?;
    let mut scene = scene("node", &[&server]);
    let graph = scene.dir.path().join("graph.jsonl");
    let graph = graph.to_str().unwrap().to_owned();
    scene.backend.server.env = [("MEMORY_FILE_PATH".to_owned(), graph)].into();
    Some(scene)
}

#[test]
fn the_reference_server_keeps_the_contract() {
    for (_, clause) in contract::CLAUSES {
        let Some(scene) = reference() else { return };
        clause(&scene.backend);
    }
}

#[test]
fn a_server_with_other_tools_keeps_learnings() {
    let Some(server) = installed("other.mjs") else { return };
    let mut scene = scene("node", &[&server]);
    let file = scene.dir.path().join("learnings.json");
    scene.backend.server.args.push(file.to_str().unwrap().to_owned());
    let names = [("write", "keep"), ("all", "list"), ("mark", "set_status")];
    scene.backend.server.tool_names =
        names.iter().map(|(wanted, tool)| ((*wanted).to_owned(), (*tool).to_owned())).collect();
    let backend = &scene.backend;
    backend.ping().unwrap();
    backend.write(&learning(0)).unwrap();
    backend.write(&learning(1)).unwrap();
    let err = backend.write(&learning(1)).unwrap_err().to_string();
    assert!(err.contains("fails at `keep`") && err.contains("exists"), "{err}");
    backend.mark(&learning(1).id, Status::Archived).unwrap();
    assert!(backend.mark("cl_nope", Status::Archived).is_err());
    let archived = Learning { status: Status::Archived, ..learning(1) };
    assert_eq!(backend.all().unwrap().learnings, [learning(0), archived]);
}

#[test]
fn a_missing_tool_is_named() {
    let Some(mut scene) = reference() else { return };
    scene.backend.server.tool_names = [("write".to_owned(), "remember".to_owned())].into();
    let err = scene.backend.ping().unwrap_err().to_string();
    assert_eq!(err, "the memory server has no tool `remember`");
    let err = scene.backend.all().unwrap_err().to_string();
    assert!(err.contains("has no tool for `all`"), "{err}");
}

/// Hooks start no server.
#[test]
fn what_a_server_held_last_is_known_without_starting_it() {
    let Some(mut scene) = reference() else { return };
    assert_eq!(scene.backend.at_hand().unwrap(), Reading::default());
    scene.backend.write(&learning(0)).unwrap();
    assert_eq!(scene.backend.at_hand().unwrap().learnings, [learning(0)]);
    // Somebody else writes, too.
    let known = fs::read(scene.backend.known()).unwrap();
    scene.backend.write(&learning(1)).unwrap();
    scene.backend.mark(&learning(1).id, Status::Archived).unwrap();
    let archived = Learning { status: Status::Archived, ..learning(1) };
    let both = [learning(0), archived];
    assert_eq!(scene.backend.at_hand().unwrap().learnings, both);
    fs::write(scene.backend.known(), known).unwrap();
    assert_eq!(scene.backend.all().unwrap().learnings, both);
    assert_eq!(scene.backend.at_hand().unwrap().learnings, both);
    // Another server is another memory, and a file that is broken is none.
    fs::write(scene.backend.known(), "[{").unwrap();
    assert_eq!(scene.backend.at_hand().unwrap(), Reading::default());
    scene.backend.server.args.push("--other".into());
    assert!(!scene.backend.known().exists());
}

/// What else is in the graph is left alone and not shown.
#[test]
fn a_graph_of_somebody_elses_stays_his() {
    let Some(scene) = reference() else { return };
    let graph = scene.dir.path().join("graph.jsonl");
    let theirs =
        r#"{"type":"entity","name":"Ada","entityType":"person","observations":["likes tea"]}"#;
    fs::write(&graph, theirs).unwrap();
    scene.backend.write(&learning(0)).unwrap();
    scene.backend.mark(&learning(0).id, Status::Archived).unwrap();
    assert_eq!(scene.backend.all().unwrap().learnings.len(), 1);
    assert!(fs::read_to_string(&graph).unwrap().starts_with(theirs));
}

#[test]
fn an_entity_that_cannot_be_read_is_named_and_hides_no_other() {
    let graph = json!({ "entities": [
        { "name": "a", "entityType": KIND, "observations": ["roz:1 {"] },
        { "name": "b", "entityType": KIND, "observations": [] },
        { "name": "c", "entityType": KIND, "observations": [7, format!("roz:1 {}", json!(learning(0)))] },
        { "name": "d" }, 7, null,
    ]});
    let reading = graph::read(&graph);
    assert_eq!(reading.learnings, [learning(0)]);
    assert_eq!(reading.problems.len(), 2, "{:?}", reading.problems);
    for nonsense in [json!(null), json!([]), json!({ "entities": 1 }), json!("x")] {
        assert_eq!(graph::read(&nonsense), Reading::default());
        assert_eq!(listed(&nonsense), Reading::default());
    }
}

const KIND: &str = "roz_learning";

/// Everything that can be asked of a server ends, with an error.
#[track_caller]
fn fails(mut scene: Scene) -> String {
    scene.backend.answer_within = Duration::from_millis(500);
    let begun = Instant::now();
    assert!(scene.backend.write(&learning(0)).is_err());
    assert!(scene.backend.all().is_err());
    assert!(scene.backend.mark("cl_1", Status::Archived).is_err());
    let err = scene.backend.ping().unwrap_err().to_string();
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    err
}

#[test]
fn a_server_that_hangs_is_not_waited_for() {
    let err = fails(scene("sleep", &["1000"]));
    assert!(err.contains("did not answer within"), "{err}");
    assert_eq!(PATIENCE, Duration::from_secs(5));
}

#[test]
fn a_server_that_hangs_is_waited_for_once_by_one_process() {
    let mut scene = scene("sh", &["-c", "echo started >> \"$0\"; sleep 1000"]);
    let starts = scene.dir.path().join("starts");
    scene.backend.server.args.push(starts.to_str().unwrap().to_owned());
    scene.backend.answer_within = Duration::from_millis(500);
    for n in 0..5 {
        assert!(scene.backend.write(&learning(n)).is_err());
    }
    let err = scene.backend.all().unwrap_err().to_string();
    assert_eq!(err, "the memory server did not answer before");
    assert_eq!(fs::read_to_string(&starts).unwrap(), "started\n");
    assert!(scene.backend.ping().is_err());
    assert_eq!(fs::read_to_string(&starts).unwrap(), "started\nstarted\n", "who asks is told");
}

#[test]
fn a_server_that_dies_or_is_not_there_is_an_error() {
    assert!(fails(scene("true", &[])).starts_with("the memory server "));
    fails(scene("sh", &["-c", "read hello; exit 3"]));
    let err = fails(scene("/nonexistent/server", &[]));
    assert!(err.contains("cannot be started"), "{err}");
}

#[test]
fn a_server_that_talks_nonsense_is_an_error() {
    fails(scene("cat", &[]));
    fails(scene("yes", &[]));
    fails(scene("sh", &["-c", "echo '{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":7}'; sleep 1000"]));
    fails(scene("sh", &["-c", "echo '[[[[[[['; echo 'null'; printf '\\377\\376\\n'; sleep 1000"]));
}

#[test]
fn a_line_without_end_fills_no_memory() {
    fails(scene("sh", &["-c", "cat /dev/zero | tr '\\0' x"]));
}

#[test]
fn what_a_server_started_is_gone_with_it() {
    let mut scene = scene("sh", &["-c", "trap '' TERM HUP; sleep 1000 & echo $! > \"$0\"; wait"]);
    let pid_file = scene.dir.path().join("pid");
    scene.backend.server.args.push(pid_file.to_str().unwrap().to_owned());
    scene.backend.answer_within = Duration::from_millis(500);
    assert!(scene.backend.ping().is_err());
    let pid = fs::read_to_string(&pid_file).unwrap();
    let state = || fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    // A killed process dies when it is its turn, and stays until it is noted.
    let until = Instant::now() + LONG;
    let is_gone = || state().is_empty() || state().contains(") Z ");
    while !is_gone() && Instant::now() < until {
        std::thread::yield_now();
    }
    assert!(is_gone(), "{}", state());
}

#[test]
fn without_a_command_there_is_no_server() {
    assert!(Mcp::new(&McpPolicy::default(), "/x".into(), LONG).is_none());
}
