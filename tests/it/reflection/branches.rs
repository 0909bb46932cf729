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
fn what_a_project_says_in_the_folder_stands() {
    let roz = with_tickets("");
    fs::create_dir(roz.project().join(".roz")).unwrap();
    roz.write(".roz/.gitattributes", "* -merge\n");
    roz.learns("t-1", "src/parser.rs panics on a lone `\\r` before line 2");
    assert_eq!(roz.attributes().as_deref(), Some("* -merge\n"));
}

/// What roz puts beside its own files is no work that was reviewed.
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

/// Another clone pushes six lines on a branch of its own, and one pulls them there.
#[track_caller]
fn pulls_on_a_branch(remote_head: bool) {
    let roz = without_tickets("");
    let (origin, other) = (roz.dir().join("origin.git"), roz.dir().join("other"));
    let (origin, other) = (origin.to_str().unwrap(), other.to_str().unwrap());
    roz.git(&["branch", "-M", "main"]);
    roz.git(&["init", "-q", "--bare", "-b", "main", origin]);
    roz.git(&["remote", "add", "origin", origin]);
    roz.git(&["push", "-q", "-u", "origin", "main"]);
    roz.git(&["checkout", "-qb", "topic/parser"]);
    roz.git(&["push", "-q", "-u", "origin", "topic/parser"]);
    if remote_head {
        roz.git(&["remote", "set-head", "origin", "main"]);
    }
    roz.git(&["clone", "-q", "-b", "topic/parser", origin, other]);
    let pushes = |file: &str| {
        fs::write(format!("{other}/{file}"), "1\n2\n3\n4\n5\n6\n").unwrap();
        roz.git(&["-C", other, "add", "."]);
        roz.git(&["-C", other, "commit", "-qm", "Theirs"]);
        roz.git(&["-C", other, "push", "-q"]);
    };
    pushes("theirs.txt");
    roz.git(&["pull", "-q"]);
    roz.stop().passes();
    assert_eq!(roz.reflection(), "skipped");
    // What only the default branch got since does not make it the agent's.
    roz.git(&["-C", other, "checkout", "-q", "main"]);
    pushes("main.txt");
    roz.git(&["fetch", "-q"]);
    roz.write("ours.txt", "1\n");
    roz.git(&["add", "."]);
    roz.git(&["commit", "-qm", "Ours"]);
    roz.stop().passes();
    roz.write("ours.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n");
    roz.stop().blocks();
}

#[test]
fn what_a_pull_brought_to_another_branch_than_the_default_one_is_not_the_agents_work() {
    pulls_on_a_branch(true);
}

#[test]
fn what_a_pull_brought_is_not_the_agents_work_where_the_remotes_default_branch_is_not_known() {
    pulls_on_a_branch(false);
}
