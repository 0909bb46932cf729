//! Odd files and odd repositories.

use super::*;

#[test]
fn a_link_that_is_turned_is_a_change_of_the_link() {
    let roz = selected("");
    fs::create_dir(roz.project().join("lib")).unwrap();
    std::os::unix::fs::symlink("../src/auth", roz.project().join("lib/link")).unwrap();
    std::os::unix::fs::symlink("auth", roz.project().join("src/link")).unwrap();
    roz.git(&["add", "."]);
    roz.git(&["commit", "-qm", "links"]);
    roz.tick();
    let make = hidden(&roz, "ln -sfn ../src/billing lib/link\nln -sfn billing src/link");
    let told = roz.ran(make).context();
    assert!(told.contains("src/link (") && !told.contains("invoice"), "{told}");
    assert_eq!(files(&roz.last_record()), ["lib/link modified 1-1", "src/link modified 1-1"]);
    assert_eq!(roz.text("src/billing/tax.rs"), TEXT);
}

#[test]
fn large_and_binary_files_are_changed_without_lines() {
    let roz = selected("");
    fs::write(roz.project().join("src/auth/large"), vec![b'x'; 20 << 20]).unwrap();
    fs::write(roz.project().join("src/auth/binary"), [0, 1, 2, 3]).unwrap();
    roz.git(&["add", "."]);
    roz.git(&["commit", "-qm", "large"]);
    roz.tick();
    let make = hidden(&roz, "printf y >> src/auth/large\nprintf y >> src/auth/binary");
    roz.ran(make).passes();
    assert_eq!(files(&roz.last_record()), ["src/auth/binary modified", "src/auth/large modified"]);
    let opaque = |record: &Value| -> Vec<Value> {
        let files = record["metadata"]["dev.roz"]["files"].as_array().unwrap();
        files.iter().map(|it| it["opaque"].clone()).collect()
    };
    assert_eq!(opaque(&roz.last_record()), ["binary", "too_large"]);
    roz.ran("printf y >> src/auth/large").passes();
    assert_eq!(opaque(&roz.last_record()), ["too_large"]);
    let records = roz.records().len();
    roz.ran("truncate -c -s 20971522 src/auth/large").passes();
    assert!(roz.records().len() <= records + 1);
}

#[test]
fn without_git_new_files_are_found_all_the_same() {
    let roz = Roz::new();
    for folder in [".orchestration", "src/auth", "src/billing"] {
        fs::create_dir_all(roz.project().join(folder)).unwrap();
    }
    roz.write(".orchestration/active_intents.yaml", DECLARED);
    roz.write("src/billing/tax.rs", TEXT);
    roz.at("s1", "INT-001");
    roz.tick();
    let make = hidden(&roz, "printf x > src/auth/new.rs\nprintf x >> src/billing/tax.rs");
    let told = roz.ran(make).context();
    assert!(told.contains("src/billing/tax.rs") && told.contains("ask the user"), "{told}");
    let record = roz.last_record();
    assert_eq!(files(&record), ["src/auth/new.rs created 1-1", "src/billing/tax.rs modified"]);
    assert!(record.get("vcs").is_none(), "{record}");
}

#[test]
fn before_the_first_commit_there_is_nothing_to_go_back_to() {
    let roz = Roz::new();
    roz.git(&["init", "-q"]);
    for folder in [".orchestration", "src/billing"] {
        fs::create_dir_all(roz.project().join(folder)).unwrap();
    }
    roz.write(".orchestration/active_intents.yaml", DECLARED);
    roz.write("src/billing/tax.rs", TEXT);
    roz.at("s1", "INT-001");
    roz.tick();
    let make = hidden(&roz, "printf x >> src/billing/tax.rs");
    let told = roz.ran(make).context();
    assert!(told.contains("ask the user") && !told.contains("git restore"), "{told}");
}

#[test]
fn a_worktree_of_its_own_and_a_submodule_are_looked_at() {
    let roz = selected("");
    let tree = roz.dir().join("tree");
    roz.git(&["worktree", "add", "-q", "--detach", tree.to_str().unwrap()]);
    roz.git(&["worktree", "list"]);
    let session = |mut call: Value| {
        call["session_id"] = "s3".into();
        call["cwd"] = tree.to_str().unwrap().into();
        call
    };
    let mut call = session(roz.call(SELECT, &json!({ "intent_id": "INT-001" })));
    roz.hook("pre-tool-use", call.clone()).objects_to_nothing();
    call["tool_response"] = json!({});
    roz.hook("post-tool-use", call).objects_to_nothing();
    roz.tick();
    fs::write(tree.join("Makefile"), "all:\n\tsed -i s/two/2/ src/billing/tax.rs\n").unwrap();
    let call = session(roz.call("Bash", &json!({ "command": "make -s" })));
    roz.hook("pre-tool-use", call.clone()).passes();
    roz.shell(&format!("make -s -C {}", tree.display()));
    let told = roz.hook("post-tool-use", call).context();
    assert!(told.contains("`git restore -- src/billing/tax.rs`"), "{told}");

    // A repository in the project is a separate project.
    let inner = roz.project().join("src/inner");
    roz.git(&["worktree", "add", "-q", "--detach", inner.to_str().unwrap()]);
    roz.tick();
    let make = hidden(&roz, "printf x > src/inner/src/billing/tax.rs");
    roz.ran(make).passes();

    let other = roz.dir().join("other");
    roz.shell(&format!(
        "git init -q {0} && cd {0} && echo a > a && git add . && git commit -qm x",
        other.display()
    ));
    let add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add"];
    roz.git(&[&add[..], &[other.to_str().unwrap(), "sub"]].concat());
    roz.git(&["commit", "-qm", "sub"]);
    roz.tick();
    let make = hidden(&roz, "echo b >> sub/a");
    let told = roz.ran(make).context();
    assert!(told.contains("sub/a"), "{told}");
}

#[test]
fn a_tree_that_is_too_large_is_not_looked_at_and_the_record_says_so() {
    let roz = selected("");
    let heap = roz.project().join("heap");
    fs::create_dir(&heap).unwrap();
    for n in 0..20_100 {
        fs::write(heap.join(n.to_string()), "").unwrap();
    }
    let make = hidden(&roz, "true");
    roz.ran(make).objects_to_nothing();
    let why = roz.last_record()["metadata"]["dev.roz"]["not_looked"].clone();
    assert!(why.as_str().is_some_and(|it| it.contains("entries") || it.contains("ms")), "{why}");
}

#[test]
fn a_command_that_runs_on_in_the_background_is_not_said_to_be_looked_at() {
    let roz = selected("");
    let mut step = roz.begins("s1", "Bash", &json!({ "command": hidden(&roz, "true") }));
    step.call["tool_response"] = json!({ "backgroundTaskId": "b1", "stdout": "" });
    step.ends().passes();
    let why = &roz.last_record()["metadata"]["dev.roz"]["not_looked"];
    assert_eq!(why, "it runs on in the background");
}

#[test]
fn a_sidecar_that_is_a_link_is_relied_on_for_nothing() {
    let roz = selected("");
    fs::rename(roz.project().join(".orchestration"), roz.project().join("lib")).unwrap();
    std::os::unix::fs::symlink("lib", roz.project().join(".orchestration")).unwrap();
    let told = roz.bash("echo x > src/auth/new.rs").denies();
    assert!(told.contains("SIDECAR_INVALID") && told.contains("symbolic link"), "{told}");
}
