//! Patches: nobody runs them, and whoever applies one changes the files that its headers name.

use super::super::table::grammar::Grammar;
use super::super::{HOLE, How, Interpreter};
use super::Walker;
use super::call::Call;

const PATCH: Grammar = Grammar {
    letters: "pidoDBFrVYzgb",
    long: &["strip", "input", "directory", "output", "reject-file", "fuzz", "prefix", "suffix"],
};
const APPLY: Grammar = Grammar {
    letters: "pC",
    long: &["directory", "exclude", "include", "whitespace", "patch-format"],
};
/// Options with which nothing is changed.
const IDLE: &[&str] = &[
    "check",
    "stat",
    "numstat",
    "summary",
    "dry-run",
    "abort",
    "quit",
    "continue",
    "skip",
    "resolved",
    "show-current-patch",
];

impl Walker<'_> {
    /// `git apply`, `git am` and `patch`: by the patch's text where the line holds it, else the
    /// patch is named for the caller.
    pub(super) fn patched(&mut self, name: &str, call: &Call) {
        let words = &call.words;
        let (grammar, from, skipped, usual) = match name {
            "patch" | "gpatch" => (PATCH, 1, 1, ""),
            "git" => {
                let at = Self::subcommand(name, words);
                if words.get(at).is_none_or(|word| !matches!(word.text.as_str(), "apply" | "am")) {
                    return;
                }
                (APPLY, at + 1, 0, "1")
            }
            _ => return,
        };
        let taken = grammar.take(words, from);
        if taken.has(IDLE) && !taken.has(&["apply"]) {
            return;
        }
        let text = |names: &[&str]| taken.value(names).map(|value| value.text.clone());
        let strip = text(&["p", "strip"]).unwrap_or(usual.to_owned());
        let folder = text(if name == "git" { &["directory"] } else { &["d", "directory"] });
        let folder = folder.unwrap_or_default();
        let mut files: Vec<String> =
            taken.operands.iter().skip(skipped).map(|place| words[*place].text.clone()).collect();
        if skipped > 0 {
            files.extend(text(&["i", "input"]));
        }
        if files.is_empty() {
            match call.io.stdin.clone() {
                Some(patch) if !patch.contains(HOLE) => return self.apply(&patch, &strip, &folder),
                // It is in one of the files that the line reads, if anywhere.
                Some(_) => files.push(HOLE.to_string()),
                None => return,
            }
        }
        for file in files {
            for located in self.located(&folder) {
                let arguments = [strip.clone(), located];
                if let Some(patch) = self.script_text(&file, Interpreter::Patch, &arguments) {
                    self.apply(&patch, &strip, &folder);
                }
            }
        }
    }

    /// Records what a patch changes. `strip`: how many leading parts of its paths are taken off; all
    /// but the name, if there is no number.
    pub(super) fn apply(&mut self, patch: &str, strip: &str, folder: &str) {
        if !self.spend(1 + patch.len() / 256) {
            return;
        }
        self.resolved += 1;
        for (named, how) in changes(patch) {
            let named = named.replace("//", "/");
            let name = match strip.parse::<usize>() {
                Ok(count) => named.splitn(count.min(64) + 1, '/').last(),
                Err(_) => named.rsplit('/').next(),
            };
            let changed = super::join(folder, name.unwrap_or_default());
            self.record_write(&changed, how, self.text_certainty(&changed));
        }
        self.resolved -= 1;
    }
}

/// The paths in a patch's headers, as they stand there. What stands within a hunk is text, whatever
/// it looks like.
fn changes(patch: &str) -> Vec<(String, How)> {
    let mut found: Vec<(String, How)> = Vec::new();
    let mut lines = patch.lines();
    let mut before = None;
    while let Some(line) = lines.next() {
        if let Some(counts) = line.strip_prefix("@@ -") {
            skip_hunk(counts, &mut lines);
        } else if let Some(name) = line.strip_prefix("--- ").or(line.strip_prefix("*** ")) {
            before = file(name);
            found.extend(before.clone().map(|it| (it, How::Edit)));
        } else if let Some(name) = line.strip_prefix("+++ ") {
            match (file(name), before.take()) {
                (Some(name), _) => found.push((name, How::Edit)),
                (None, Some(gone)) => {
                    found.pop();
                    found.push((gone, How::Remove));
                }
                (None, None) => {}
            }
        } else if let Some(name) = line.strip_prefix("rename from ") {
            found.extend(unprefixed(name, How::Move));
        } else if let Some(name) = line.strip_prefix("rename to ").or(line.strip_prefix("copy to "))
        {
            found.extend(unprefixed(name, How::Edit));
        } else if let Some(names) = line.strip_prefix("diff --git ") {
            // The one header of a file without lines: its mode alone, or binary.
            let name = if names.ends_with('"') {
                names.trim_end_matches('"').rsplit_once('"').map(|it| format!("\"{}\"", it.1))
            } else {
                names.rsplit_once(" b/").map(|it| format!("b/{}", it.1))
            };
            let name = name.or(names.rsplit_once(' ').map(|it| it.1.to_owned()));
            found.extend(name.and_then(|it| file(&it)).map(|it| (it, How::Edit)));
        } else if let Some(name) = line.strip_prefix("Index: ") {
            found.extend(file(name).map(|it| (it, How::Edit)));
        }
    }
    found.dedup();
    found
}

/// Names of renames stand without the `a/` that the others have.
fn unprefixed(name: &str, how: How) -> Option<(String, How)> {
    Some((format!("b/{}", file(name)?), how))
}

/// After `@@ -`: skips as many lines as the hunk says it has.
fn skip_hunk(counts: &str, lines: &mut std::str::Lines) {
    let mut ranges = counts.split(" @@").next().unwrap_or_default().split(" +");
    let mut count = || {
        let range = ranges.next()?;
        range.split_once(',').map_or(Some(1), |(_, count)| count.parse::<usize>().ok())
    };
    let (Some(mut old), Some(mut new)) = (count(), count()) else { return };
    while old > 0 || new > 0 {
        let Some(line) = lines.next() else { return };
        match line.as_bytes().first() {
            Some(b'+') => new = new.saturating_sub(1),
            Some(b'-') => old = old.saturating_sub(1),
            Some(b'\\') => {}
            _ => (old, new) = (old.saturating_sub(1), new.saturating_sub(1)),
        }
    }
}

/// The path in a header, without the time behind it. `None`: no file is there.
fn file(name: &str) -> Option<String> {
    let name = name.split('\t').next().unwrap_or_default().trim_end();
    let name = match name.strip_prefix('"').and_then(|it| it.strip_suffix('"')) {
        Some(quoted) => super::output::unescaped(quoted).replace("\\\"", "\""),
        None => name.to_owned(),
    };
    (!name.is_empty() && name != "/dev/null").then_some(name)
}
