//! A reviewer approves only what it was shown, and it changes nothing.

mod changes;
mod files;
mod shown;

use serde_json::json;

use crate::{
    client::{Reviewer, SESSION},
    support::Roz,
};

const GATE: &str = "review.gates.tools = ['Bash:gh pr merge*']\n";

/// A repository with some files, and a session in it.
fn project() -> Roz {
    project_with("")
}

fn project_with(config: &str) -> Roz {
    let roz = Roz::with_config(&format!("{GATE}{config}")).in_git();
    roz.write("old.rs", &numbered(1..=40));
    roz.write("image.png", "\0\u{1}\0");
    roz.write("Cargo.lock", "locked\n");
    roz.git(&["add", "."]);
    roz.git(&["commit", "-qm", "second"]);
    roz.hook("session-start", json!({ "source": "startup" })).passes();
    roz
}

fn numbered(lines: std::ops::RangeInclusive<usize>) -> String {
    lines.map(|number| format!("line {number}\n")).collect::<Vec<_>>().concat()
}

impl Roz {
    /// A gated call waits, and a reviewer is at work.
    #[track_caller]
    fn under_review(&self) -> Reviewer<'_> {
        self.bash("gh pr merge 7").denies();
        self.reviewer("a1")
    }
}

impl Reviewer<'_> {
    #[track_caller]
    fn approves(&self) {
        self.decides("COMPLETE", "fine").succeeds();
    }

    /// Has to look at all of these first, and at nothing else.
    #[track_caller]
    fn has_to_see(&self, files: &[&str]) {
        let refused = self.is_refused_for(files);
        assert!(refused.contains(&format!("roz context {SESSION} --diff")), "{refused}");
    }

    /// The same, wherever they are to be looked at. Answers the refusal.
    #[track_caller]
    fn is_refused_for(&self, files: &[&str]) -> String {
        let refused = self.decides("COMPLETE", "fine").fails();
        let named: Vec<&str> = refused.lines().filter_map(|line| line.strip_prefix("  ")).collect();
        let named: Vec<&str> = named.into_iter().filter(|line| !line.contains(": ")).collect();
        assert_eq!(named, files, "{refused}");
        assert!(refused.contains("--unseen"), "{refused}");
        refused
    }

    /// Is shown an output of which the client keeps all but the beginning in a file.
    #[track_caller]
    fn is_shown_the_beginning(&self, command: &str, stdout: &str, kept: &std::path::Path) {
        std::fs::write(kept, stdout).unwrap();
        let shown: String = stdout.chars().take(30_000).collect();
        self.is_shown(
            command,
            &json!({ "stdout": shown, "stderr": "", "persistedOutputPath": kept }),
        );
    }
}
