//! An approval is of the work, not of a moment: what keeps it and what ends it, in real git.

mod approvals;
mod ends;
mod keeps;
mod places;
mod pushes;

use serde_json::{Value, json};

use crate::{
    client::SESSION,
    support::{Reply, Roz},
};

/// A call that is gated, and that is judged by the work tree.
const MERGE: &str = "gh pr merge 7";
const GATES: &str = "review.gates.tools = [\"Bash:git push*\", \"Bash:gh pr merge*\"]\n";
/// Twenty lines, so that changes in the first and in the last of them do not meet.
const LINES: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n20\n";

/// A repository without a remote.
fn local() -> Roz {
    gated_in(GATES)
}

fn gated_in(gates: &str) -> Roz {
    let roz = Roz::with_config(gates).in_git();
    roz.git(&["branch", "-m", "main"]);
    roz.write("lines.txt", LINES);
    roz.git(&["add", "."]);
    roz.git(&["commit", "-qm", "lines"]);
    roz
}

/// The clone of a bare repository, on a branch of its own, with a session.
fn cloned() -> Roz {
    let roz = with_upstream(local());
    roz.git(&["checkout", "-qb", "feature"]);
    roz.session_starts(SESSION, "startup");
    roz
}

fn with_upstream(roz: Roz) -> Roz {
    roz.git(&["clone", "-q", "--bare", ".", "../upstream.git"]);
    roz.git(&["remote", "add", "origin", "../upstream.git"]);
    roz.git(&["fetch", "-q", "origin"]);
    roz.git(&["remote", "set-head", "origin", "main"]);
    roz.git(&["clone", "-q", "../upstream.git", "../colleague"]);
    roz
}

impl Roz {
    fn session_starts(&self, session: &str, source: &str) {
        self.hook("session-start", json!({ "session_id": session, "source": source })).passes();
    }

    fn commits_all(&self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-qm", message]);
    }

    /// Somebody else changes a file upstream.
    fn colleague_pushes(&self, path: &str, text: &str) {
        std::fs::write(self.dir().join("colleague").join(path), text).unwrap();
        for args in [
            &["pull", "-q"][..],
            &["add", "-A"],
            &["commit", "-qm", "by a colleague"],
            &["push", "-q", "origin", "HEAD:main"],
        ] {
            self.git(&[&["-C", "../colleague"], args].concat());
        }
    }

    #[track_caller]
    fn merge(&self) -> Reply {
        self.bash(MERGE)
    }

    /// A gated call of another session, or elsewhere.
    #[track_caller]
    fn bash_with(&self, command: &str, more: &Value) -> Reply {
        let mut call = self.call("Bash", &json!({ "command": command }));
        call.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.hook("pre-tool-use", call)
    }

    /// A reviewer approves what is there now.
    #[track_caller]
    fn approved(&self) {
        self.merge().denies();
        self.reviewed("COMPLETE", "fine");
        self.merge().passes();
    }

    #[track_caller]
    fn denies_naming(&self, name: &str) -> String {
        let reason = self.merge().denies();
        assert!(reason.contains(name), "`{name}` is not in: {reason}");
        reason
    }

    /// `<ROZ_HOME>/approvals/<repository>.jsonl`, the only one there is.
    fn table(&self) -> Vec<Value> {
        let files = std::fs::read_dir(self.home().join("approvals")).unwrap();
        let tables: Vec<_> = files
            .map(|file| file.unwrap().path())
            .filter(|path| path.extension().is_some_and(|it| it == "jsonl"))
            .collect();
        let [table] = tables.as_slice() else { panic!("{tables:?}") };
        let text = std::fs::read_to_string(table).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}
