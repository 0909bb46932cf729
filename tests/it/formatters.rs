//! What `[intent.format]` starts after a write, and what becomes of what it does
//! besides.

use std::{fs, os::unix::fs::PermissionsExt as _};

use serde_json::Value;

use crate::{
    meaning::{at_work, records, writes},
    support::{Reply, Roz},
};

const TEXT: &str = "fn one() -> u8 {\n    1\n}\n";

/// At work with a formatter of Rust that does that.
fn with(script: &str) -> Roz {
    let roz = at_work("");
    let path = roz.dir().join("fmt.sh");
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    roz.configure(&format!("[intent.format]\n'*.rs' = '{}'\n", path.display()));
    roz
}

/// Of the last record: each file with what became of it.
fn changed(roz: &Roz) -> Vec<(String, String)> {
    let last = records(roz).pop().unwrap();
    let files = last["metadata"]["dev.roz"]["files"].as_array().unwrap().clone();
    let text = |it: &Value, name: &str| it[name].as_str().unwrap().to_owned();
    files.iter().map(|it| (text(it, "path"), text(it, "change"))).collect()
}

fn pairs(all: &[(&str, &str)]) -> Vec<(String, String)> {
    all.iter().map(|(path, how)| ((*path).to_owned(), (*how).to_owned())).collect()
}

#[test]
fn what_a_formatter_does_to_other_files_is_recorded_and_told_where_it_is_out_of_scope() {
    let roz = with("echo '// more' >> src/other.rs; echo hi > outside.txt");
    roz.write("src/other.rs", TEXT);
    roz.git(&["add", "."]);
    roz.git(&["commit", "-qm", "other"]);
    let reply: Reply = writes(&roz, "src/a.rs", TEXT);
    let told = reply.context();
    assert!(told.contains("SCOPE_VIOLATION") && told.contains("outside.txt"), "{told}");
    assert!(told.contains("rm outside.txt"), "{told}");
    assert!(!told.contains("src/other.rs"), "that is in the scope: {told}");
    let expected =
        [("outside.txt", "created"), ("src/a.rs", "created"), ("src/other.rs", "modified")];
    assert_eq!(changed(&roz), pairs(&expected));
    assert_eq!(records(&roz).len(), 1, "one call, one record");
}

/// What a call declares is in its record on this way, too.
#[test]
fn a_formatter_that_does_nothing_besides_leaves_the_record_as_it_is() {
    let roz = with("true");
    writes(&roz, "src/a.rs", TEXT).passes();
    assert_eq!(changed(&roz), pairs(&[("src/a.rs", "created")]));
    let range = &records(&roz)[0]["files"][0]["conversations"][0]["ranges"][0];
    assert_eq!(range["end_line"], 3, "{range}");
}

#[test]
fn a_file_that_its_formatter_takes_away_is_recorded_as_gone() {
    let roz = with("true");
    writes(&roz, "src/a.rs", TEXT).passes();
    fs::write(roz.dir().join("fmt.sh"), "#!/bin/sh\nrm \"$1\"\n").unwrap();
    writes(&roz, "src/a.rs", "fn two() {}\n");
    assert_eq!(changed(&roz), pairs(&[("src/a.rs", "deleted")]));
}

#[test]
fn a_formatter_that_leaves_something_running_has_ended_when_it_has() {
    let roz = with("sleep 30 &\nexit 0");
    writes(&roz, "src/a.rs", TEXT).passes();
}

#[test]
fn a_failure_names_the_exit_code_and_whether_the_file_is_another_one() {
    for (script, words) in [
        ("exit 3", ["exit code 3, and no output", "The file is as you wrote it"]),
        (
            "echo // >> $1; echo 'bad.' >&2; exit 4",
            ["exit code 4: bad.", "It has changed the file"],
        ),
        ("kill -9 $$", ["a signal ended it", "The file is as you wrote it"]),
    ] {
        let told = writes(&with(script), "src/a.rs", TEXT).context();
        for word in words {
            assert!(told.contains(word), "{script}: {word}: {told}");
        }
    }
}

#[test]
fn a_formatter_that_could_never_run_is_a_mistake_in_the_configuration() {
    for (line, word) in [
        ("'*.py' = ''", "no program is named for `*.py`"),
        ("'*.py' = '  '", "no program is named for `*.py`"),
        ("'[' = 'fmt'", "`[` is not a pattern"),
        ("'/src/*.py' = 'fmt'", "`/src/*.py` fits no file"),
        ("'./a.py' = 'fmt'", "`./a.py` fits no file"),
        ("'../*.py' = 'fmt'", "`../*.py` fits no file"),
        ("'src/' = 'fmt'", "`src/` fits no file"),
        ("' ' = 'fmt'", "fits no file"),
    ] {
        let roz = Roz::with_config(&format!("[intent.format]\n'*.rs' = 'rustfmt'\n{line}\n"));
        let said = roz.run(&["config", "check"]);
        assert_eq!(said.code, Some(1), "{line}: {said:?}");
        let told = format!("{}{}", said.stdout, said.stderr);
        assert!(told.contains(word), "{line}: {told}");
    }
    let fine = "'*.rs' = 'rustfmt'\n'web/**' = 'prettier --write'\n'[ab].c' = 'x'";
    Roz::with_config(&format!("[intent.format]\n{fine}\n")).run(&["config", "check"]).succeeds();
}
