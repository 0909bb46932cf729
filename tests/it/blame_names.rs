//! Whose a line is when its file has another name (moved by an agent or a person, deleted and
//! created again), and how `roz blame` answers arguments that name no line.
use serde_json::Value;

use crate::{
    meaning::{at_work_on, runs, writes},
    support::{Ran, Roz, feed},
};

const INTENTS: &str = "\
active_intents:
  - {id: INT-001, name: Login, status: IN_PROGRESS, owned_scope: [\"src/**\"]}
  - {id: INT-002, name: Mail, status: IN_PROGRESS, owned_scope: [\"src/**\"]}
";
const ONE: &str = "fn one(first: u8) -> u8 {\n    first + 1\n}\n";
const TWO: &str = "fn two(second: u8) -> u8 {\n    second - 2\n}\n";

fn at_work() -> Roz {
    at_work_on("", INTENTS)
}

fn constants(name: &str, count: usize) -> String {
    let line = |it| format!("const {name}_{it}: u8 = {it};");
    (0..count).map(line).collect::<Vec<String>>().join("\n") + "\n"
}

fn selects(roz: &Roz, intent: &str) {
    roz.run(&["intent", "select", intent]).succeeds();
}

/// At the time that it is for roz.
fn commits(roz: &Roz) {
    roz.later(60);
    for words in [&["git", "add", "-A"][..], &["git", "commit", "-qm", "work"]] {
        let now = roz.now();
        let mut git = roz.program(words);
        git.env("GIT_COMMITTER_DATE", &now).env("GIT_AUTHOR_DATE", &now);
        Ran::of(feed(&mut git, b"")).succeeds();
    }
    roz.later(60);
}

/// The intent of each line, `-` where no record accounts for it.
#[track_caller]
fn whose(roz: &Roz, file: &str) -> String {
    let told = roz.json(&["blame", file]);
    let sign = |it: &Value| it["intent_id"].as_str().map_or("-", |it| &it[6..]).to_owned();
    told["lines"].as_array().unwrap().iter().map(sign).collect()
}

#[test]
fn what_an_agent_moves_stays_whose_it_was() {
    for (line, is_committed) in [
        ("git mv src/a.rs src/b.rs", true),
        ("mv src/a.rs src/b.rs", true),
        ("mv src/a.rs src/b.rs", false),
        ("mv src/a.rs src/t.rs && mv src/t.rs src/b.rs", false),
    ] {
        let roz = at_work();
        let three = constants("THREE", 3);
        writes(&roz, "src/a.rs", &three).passes();
        if is_committed {
            commits(&roz);
        }
        selects(&roz, "INT-002");
        runs(&roz, line);
        assert_eq!(whose(&roz, "src/b.rs"), "111", "{line}");
        let text = three.replace("= 1;", "= 7;");
        writes(&roz, "src/b.rs", &text).objects_to_nothing();
        assert_eq!(whose(&roz, "src/b.rs"), "121", "{line}");
        runs(&roz, "mv src/b.rs src/c.rs");
        assert_eq!(whose(&roz, "src/c.rs"), "121", "{line}");
        commits(&roz);
        assert_eq!(whose(&roz, "src/c.rs"), "121", "{line}");
    }
}

#[test]
fn what_a_person_wrote_is_not_the_agents_that_moves_it() {
    let roz = at_work();
    roz.write("src/a.rs", ONE);
    commits(&roz);
    runs(&roz, "git mv src/a.rs src/b.rs");
    assert_eq!(whose(&roz, "src/b.rs"), "---");
    commits(&roz);
    assert_eq!(whose(&roz, "src/b.rs"), "---");
}

#[test]
fn two_files_that_change_their_names_keep_whose_they_are() {
    let roz = at_work();
    // Of shorter ones git does not say it.
    writes(&roz, "src/a.rs", &constants("ONE", 30)).passes();
    selects(&roz, "INT-002");
    writes(&roz, "src/b.rs", &constants("TWO", 30)).objects_to_nothing();
    commits(&roz);
    runs(&roz, "git mv src/a.rs src/t && git mv src/b.rs src/a.rs && git mv src/t src/b.rs");
    assert_eq!(whose(&roz, "src/a.rs"), "2".repeat(30));
    assert_eq!(whose(&roz, "src/b.rs"), "1".repeat(30));
}

#[test]
fn a_file_that_is_written_anew_and_put_in_its_place_keeps_whose_its_lines_are() {
    let roz = at_work();
    writes(&roz, "src/a.rs", &format!("{ONE}{TWO}")).passes();
    commits(&roz);
    selects(&roz, "INT-002");
    runs(&roz, "sed s/second/other/ src/a.rs > src/new.rs");
    runs(&roz, "mv src/new.rs src/a.rs");
    assert_eq!(whose(&roz, "src/a.rs"), "111221");
}

/// The last `a.rs` of a project does not make roz forget whose `[a].rs` is.
#[test]
fn a_name_with_signs_of_a_pattern_means_itself() {
    let roz = at_work();
    roz.write("src/a.rs", TWO);
    commits(&roz);
    writes(&roz, "src/[a].rs", ONE).passes();
    roz.later(60);
    roz.git(&["rm", "-q", "src/a.rs"]);
    roz.git(&["commit", "-qm", "Taken out"]);
    assert_eq!(whose(&roz, "src/[a].rs"), "111");
}

#[test]
fn a_mark_of_the_bytes_order_before_a_line_leaves_it_whose_it_was() {
    let roz = at_work();
    writes(&roz, "src/a.rs", ONE).passes();
    roz.write("src/a.rs", &format!("\u{feff}{ONE}"));
    assert_eq!(whose(&roz, "src/a.rs"), "111");
}

#[test]
fn what_is_no_place_is_told_what_is_wrong_with_it() {
    let roz = at_work();
    writes(&roz, "src/a.rs", ONE).passes();
    for (verb, place, told) in [
        ("why", "src/a.rs:", "name a line: `roz blame src/a.rs:12 --why`"),
        ("why", "src/a.rs", "name a line: `roz blame src/a.rs:12 --why`"),
        ("why", "src/a.rs:x", "`x` is not a line: name one by its number, as in `src/a.rs:12`"),
        ("blame", "src/a.rs:1-3", "`1-3` is not a line"),
        ("blame", "src/a.rs:-1", "`-1` is not a line"),
        ("blame", "src/a.rs:99999999999999999999", "is not a line"),
        ("blame", "src/a.rs:0", "has 3 lines"),
        ("blame", "src", "is a folder: name a file in it"),
        ("blame", "src/none.rs:3", "there is no file"),
        ("why", "src/none.rs:x", "there is no file"),
    ] {
        let said = roz.run(&[verb, place]).fails();
        assert!(said.contains(told), "{verb} {place}: {said}");
    }
}

#[test]
fn a_status_is_spelt_the_same_everywhere() {
    let roz = at_work();
    writes(&roz, "src/a.rs", ONE).passes();
    let why = roz.json(&["blame", "src/a.rs:1", "--why"]);
    assert_eq!(why["intent"]["status"], "IN_PROGRESS", "{why}");
    assert_eq!(roz.json(&["intent", "show", "INT-001"])["status"], "IN_PROGRESS");
}
