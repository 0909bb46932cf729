//! What two branches learned, merged by the real git. Nobody ran `roz init`.

use super::*;

const LINES: &str = "learnings.md merge=union\n";

impl Roz {
    fn attributes(&self) -> Option<String> {
        fs::read_to_string(self.project().join(".roz/.gitattributes")).ok()
    }

    fn commits(&self) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-qm", "work"]);
    }

    /// Closes a ticket and writes down what it taught.
    #[track_caller]
    fn learns(&self, ticket: &str, summary: &str) {
        self.closes(ticket);
        let learned = candidate(summary, "Found by `cargo fuzz run lexer`; use char_indices().");
        assert_eq!(self.reflects(&json!([learned]))["accepted"].as_array().unwrap().len(), 1);
        self.commits();
    }
}

#[test]
fn branches_that_learned_under_a_marker_alone_merge() {
    let roz = with_tickets("");
    roz.git(&["branch", "-m", "trunk"]);
    // The first of each file is made on both branches, and once more on each.
    roz.git(&["branch", "other"]);
    roz.learns("t-1", "src/parser.rs panics on a lone `\\r` before line 2");
    roz.learns("t-2", "tests/db.rs needs PGPORT=5433 where Postgres 16 runs");
    roz.git(&["checkout", "-q", "other"]);
    roz.learns("t-3", "docs/build.md is made by `make docs`, and mdbook 0.4 only");
    roz.git(&["merge", "-q", "--no-edit", "trunk"]);
    roz.learns("t-4", "deploy.yml waits for runner 7 without `concurrency: main`");
    roz.git(&["checkout", "-q", "trunk"]);
    roz.learns("t-5", "web/kebab-case.css is checked by eslint 9 in CI alone");
    roz.git(&["merge", "-q", "--no-edit", "other"]);
    let known = roz.json(&["learn", "list"]);
    assert_eq!(known["learnings"].as_array().unwrap().len(), 5, "{known}");
    assert_eq!(roz.stats_of("reflection").len(), 5);
    assert_eq!(roz.attributes().as_deref(), Some(LINES));
}

#[test]
fn what_a_project_says_of_the_folder_is_not_overridden() {
    for path in [".roz/.gitattributes", ".gitattributes"] {
        let roz = with_tickets("");
        fs::create_dir(roz.project().join(".roz")).unwrap();
        let own = if path == ".gitattributes" { "/.roz/* -merge\n" } else { "* -merge\n" };
        roz.write(path, own);
        roz.learns("t-1", "src/parser.rs panics on a lone `\\r` before line 2");
        assert_eq!(fs::read_to_string(roz.project().join(path)).unwrap(), own);
        assert_eq!(roz.attributes().is_some(), path != ".gitattributes");
    }
}

/// Files that roz puts next to its own are not part of the reviewed work.
#[test]
fn what_git_is_told_takes_no_approval_back() {
    let roz = with_tickets("");
    roz.prompt("#roz please");
    roz.reviewed("complete", "all done");
    roz.closes("t-1");
    roz.reflects(&json!([parser()]));
    assert!(roz.attributes().is_some());
    roz.stop().passes();
}
