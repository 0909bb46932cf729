//! Sets up git to ignore the ledger and the map, and to copy notes when commits are rewritten.
//!
//! `.orchestration/.gitignore` is for everyone who clones; `info/exclude` is for this clone,
//! because a branch may lack the former. A project of an older roz tracks both files: until someone
//! untracks them ([`Ledger::untrack`]) roz only reads them.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    time::Instant,
};

use super::{Ledger, NAME, notes};
use crate::{
    core::intent::{SIDECAR, map},
    world::{
        cached,
        file_identity::Seen,
        files::{self, Access, Result},
        git::{self, Error, git_with},
        read_text,
    },
};

/// The content of `.orchestration/.gitignore`.
pub const IGNORED: &str = "agent_trace.jsonl\nintent_map.md\n";

/// Which notes git copies when a commit is amended or rebased.
const REWRITE_REF: &str = "notes.rewriteRef";

impl Ledger {
    /// The root of the work tree that the ledger's file is in.
    pub(super) fn work_tree(&self) -> Option<PathBuf> {
        git::find_root(self.declared_at())
    }

    /// Whether git tracks the ledger's file. Git is asked once for each state of the index.
    pub fn is_tracked(&self, until: Instant) -> bool {
        let Some(root) = self.work_tree() else { return false };
        let Some((own, _)) = git::git_dirs(&root) else { return false };
        let index = Seen::at(own.join("index"));
        if index.is_absent() {
            return false;
        }
        let entry = self.home.path().with_file_name("tracked");
        let known = read_text(&entry, 8192).and_then(|text| serde_json::from_str(&text).ok());
        if let Some((_, is_tracked)) = known.filter(|(seen, _): &(Seen, bool)| *seen == index) {
            return is_tracked;
        }
        // Without an answer, nothing is changed.
        let Ok(tracked) = self.tracked(&root, until) else { return true };
        let is_tracked = tracked.iter().any(|path| path.ends_with(NAME));
        let known = serde_json::to_vec(&(index, is_tracked)).unwrap_or_default();
        let _ = cached::replace(&entry, &[&known]);
        is_tracked
    }

    /// Which of the ledger and the map git tracks, as paths relative to the work tree's root.
    fn tracked(&self, root: &Path, until: Instant) -> Result<Vec<String>, Error> {
        let folder = self.declared_at().join(SIDECAR);
        let folder = folder.strip_prefix(root).unwrap_or(&folder).to_string_lossy().into_owned();
        let names = [NAME, map::NAME].map(|name| format!(":(literal){folder}/{name}"));
        let found = git_with(root, &["ls-files", "-z", "--", &names[0], &names[1]], &[], until)?;
        Ok(found.split_terminator('\0').map(str::to_owned).collect())
    }

    /// Makes git ignore both files in this clone, whatever is checked out, and copy notes. If that
    /// fails, the next record tries again.
    pub fn prepare_clone(&self, until: Instant) {
        let Some((_, common)) = self.work_tree().and_then(|root| git::git_dirs(&root)) else {
            return;
        };
        let exclude = common.join("info/exclude");
        let old = read_text(&exclude, 1 << 20).unwrap_or_default();
        let wanted = [NAME, map::NAME].map(|name| format!("**/{SIDECAR}/{name}"));
        let is_missing = |line: &&String| !old.lines().any(|text| text == *line);
        let missing: Vec<String> = wanted.iter().filter(is_missing).cloned().collect();
        if missing.is_empty() {
            return;
        }
        if self.has_notes {
            let _ = self.take_notes_along(until);
        }
        let gap = if old.is_empty() || old.ends_with('\n') { "" } else { "\n" };
        let _ = fs::create_dir_all(common.join("info"));
        let mut options = fs::OpenOptions::new();
        let options = options.append(true).create(true);
        if let Ok(Some((mut file, _))) = files::open_for(&exclude, options, Access::Shared) {
            let _ = file.write_all(format!("{gap}{}\n", missing.join("\n")).as_bytes());
        }
    }

    /// Adds our notes to those that git copies when commits are rewritten.
    pub fn take_notes_along(&self, until: Instant) -> Result<(), Error> {
        let Some(root) = self.work_tree() else { return Ok(()) };
        let wanted = format!("{}*", notes::OWN);
        let known = git_with(&root, &["config", "--get-all", REWRITE_REF], &[], until);
        if known.is_ok_and(|known| known.lines().any(|line| line == wanted)) {
            return Ok(());
        }
        git_with(&root, &["config", "--local", "--add", REWRITE_REF, &wanted], &[], until).map(drop)
    }

    /// Makes git stop tracking both files. They stay where they are, and all their records are kept
    /// in roz's home and in the note of HEAD. Returns which were tracked.
    pub fn untrack(&self, now: i64, until: Instant) -> Result<Vec<String>, notes::Error> {
        let Some(root) = self.work_tree() else { return Ok(Vec::new()) };
        let tracked = self.tracked(&root, until)?;
        if tracked.is_empty() {
            return Ok(tracked);
        }
        self.home.lock(&self.path, until)?.absorb(&self.path)?;
        if self.has_notes {
            self.note_all(now, until)?;
        }
        let paths: Vec<String> = tracked.iter().map(|path| format!(":(literal){path}")).collect();
        let mut args = vec!["rm", "--cached", "--force", "--quiet", "--"];
        args.extend(paths.iter().map(String::as_str));
        git_with(&root, &args, &[], until)?;
        self.prepare_clone(until);
        self.complete(until)?;
        Ok(tracked)
    }

    /// The ledger in the newest commit that tracked it, for a clone in which a pull has removed the
    /// file. The history is searched once per clone.
    pub(super) fn in_history(&self, until: Instant) -> Vec<Vec<u8>> {
        let known = self.home.path().with_file_name("history.jsonl");
        let text = match files::read_whole(&known) {
            Ok(None) if !self.is_tracked(until) => {
                let Ok(text) = self.find_in_history(until) else { return Vec::new() };
                let _ = cached::replace(&known, &[&text]);
                text
            }
            found => found.ok().flatten().unwrap_or_default(),
        };
        let lines = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        lines.map(<[u8]>::to_vec).collect()
    }

    fn find_in_history(&self, until: Instant) -> Result<Vec<u8>, Error> {
        let Some(root) = self.work_tree() else { return Ok(Vec::new()) };
        let Ok(path) = self.path.strip_prefix(&root) else { return Ok(Vec::new()) };
        let path = path.to_string_lossy();
        let literal = format!(":(literal){path}");
        let args = ["log", "-1", "--format=%H", "--diff-filter=D", "--", &literal];
        let commit = git_with(&root, &args, &[], until)?;
        if commit.trim().is_empty() {
            return Ok(Vec::new());
        }
        let name = format!("{}^:{path}", commit.trim());
        git::feed_git(&root, &["cat-file", "blob", &name], &[], b"", until)
    }
}
