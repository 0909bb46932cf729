//! Learnings that name files which are gone: what they say may be gone too.

use std::path::Path;

use serde_json::{Value, json};

use super::Show;
use crate::{
    cli::{self, say::Out},
    core::{
        bounded,
        reflection::learning::{Learning, Scope},
    },
};

/// A learning, and which of its files are there.
struct Looked<'a> {
    learning: &'a Learning,
    missing: Vec<&'a str>,
    present: Vec<&'a str>,
}

pub(super) fn run(show: &Show) -> cli::Result {
    let root = &show.roz.project;
    // Personal ones are about other projects, too.
    let all = show.stock.learnings.iter();
    let own = all.filter(|it| it.is_active() && it.scope != Scope::Personal);
    let looked: Vec<Looked> =
        own.map(|it| look(it, root)).filter(|it| !it.missing.is_empty()).collect();
    if show.json {
        let learning = |it: &Looked| {
            json!({
                "id": it.learning.id,
                "summary": it.learning.summary,
                "missing": it.missing,
                "present": it.present,
            })
        };
        let learnings: Vec<Value> = looked.iter().map(learning).collect();
        return show.json(json!({ "learnings": learnings }));
    }
    let out = Out::new(show.world);
    if looked.is_empty() {
        let said = show.stock.nothing("Every file that a learning names is there.");
        return show.text(&said, &out);
    }
    let row = |it: &Looked| {
        let of = it.missing.len() + it.present.len();
        let named: Vec<String> = it.missing.iter().map(|it| bounded::plain_line(it)).collect();
        vec![
            it.learning.id.clone(),
            format!("{} of {of}", it.missing.len()),
            format!("{} ({})", named.join(", "), bounded::line(&it.learning.summary, 200)),
        ]
    };
    let rows: Vec<Vec<String>> = looked.iter().map(row).collect();
    let next = "Do they still hold? `roz learn archive ID…` puts away those that do not.\n";
    let text = out.table(&["ID", "GONE", "FILES"], &rows) + next;
    show.text(&text, &out)
}

fn look<'a>(learning: &'a Learning, root: &Path) -> Looked<'a> {
    let files = learning.context_files.iter().map(String::as_str);
    let (present, missing) = files.filter(|it| is_a_path(it)).partition(|it| is_there(it, root));
    Looked { learning, missing, present }
}

fn is_a_path(text: &str) -> bool {
    !text.trim().is_empty() && !text.contains("://") && !text.starts_with('~')
}

/// As it stands, without a line number behind it, or as a glob.
fn is_there(text: &str, root: &Path) -> bool {
    let text = text.trim();
    let is_number =
        |it: &str| !it.is_empty() && it.bytes().all(|it| b"0123456789-,:".contains(&it));
    let bare = text.split_once(':').filter(|(_, rest)| is_number(rest)).map(|(path, _)| path);
    if [Some(text), bare].into_iter().flatten().any(|it| root.join(it).symlink_metadata().is_ok()) {
        return true;
    }
    if !text.contains(['*', '?', '[']) {
        return false;
    }
    let escaped = glob::Pattern::escape(&root.to_string_lossy());
    let matches = glob::glob(&format!("{escaped}/{text}"));
    matches.is_ok_and(|mut it| it.next().is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_there_however_it_is_named() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("src")).unwrap();
        std::fs::write(dir.path().join("src/a.rs"), "").unwrap();
        for named in
            ["src/a.rs", "src", "src/", "src/a.rs:12", "src/a.rs:3-9", "src/*.rs", "./src/a.rs"]
        {
            assert!(is_there(named, dir.path()), "{named}");
        }
        for named in ["src/b.rs", "a.rs", "src/*.c", "[", "\0", &"x".repeat(5000), "src/b.rs:1"] {
            assert!(!is_there(named, dir.path()), "{named}");
        }
    }
}
