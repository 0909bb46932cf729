//! Folders of shims, what a shell has to know of them, and the passes of calls that were let
//! through.
//!
//! ```text
//! <ROZ_HOME>/shims/0123456789abcdef/git     a link to roz; the folder's name is of all its names
//! <ROZ_HOME>/shims/sessions/<session>       what is watched in a session
//! <ROZ_HOME>/shims/passes/<session>.<id>    a gated call that runs
//! <ROZ_HOME>/shims/shells/<session>         what a shell under `roz run` reads as it starts
//! ```

use std::{
    collections::BTreeSet,
    fs::{self, File},
    io,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    time::SystemTime,
};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{Roz, old_in, remove_files};
use crate::{
    core::{bounded, event::LONGEST_CALL, outcome::Pass, pattern, session::SessionId},
    world::{self, files::make_private_folder, shims},
};

/// What is watched in a session: enough for a shim to know that a program is none of its business,
/// without the configuration and the session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Watched {
    pub project: PathBuf,
    /// The gates that name a program.
    pub patterns: Vec<String>,
    /// Programs that close tickets.
    pub closing: Vec<String>,
    /// roz's own variables as they were at the session's start. A command may set others.
    #[serde(default)]
    pub variables: Vec<(String, String)>,
}

impl Watched {
    /// As the session's start wrote it down.
    pub fn read(home: &Path, id: &str) -> Option<Self> {
        let id: SessionId = id.parse().ok()?;
        serde_json::from_str(&world::read_text(&file_of(home, &id), LARGEST)?).ok()
    }

    /// The programs that get a link.
    pub fn names(&self) -> BTreeSet<String> {
        let gated = self.patterns.iter().filter_map(|pattern| pattern::program(pattern));
        gated.map(str::to_owned).chain(self.closing.iter().cloned()).collect()
    }
}

fn file_of(home: &Path, id: &SessionId) -> PathBuf {
    home.join(shims::FOLDER).join("sessions").join(id.as_str())
}

/// Of a file of ours.
const LARGEST: u64 = 1 << 20;

#[derive(Debug, Serialize, Deserialize)]
struct KeptPass {
    pass: Pass,
    until: DateTime<Utc>,
}

impl Roz {
    fn shims(&self) -> PathBuf {
        self.home.join(shims::FOLDER)
    }

    /// Makes the folder of links to `binary` for a session; the folder of another set of names is
    /// another session's.
    pub fn link_shims(
        &self,
        id: &SessionId,
        watched: &Watched,
        binary: &Path,
    ) -> io::Result<PathBuf> {
        let names = watched.names();
        let all: Vec<&str> = names.iter().map(String::as_str).collect();
        let hash = bounded::sha256(all.join("\n").as_bytes());
        let folder = self.shims().join(&hash[..shims::DIGITS]);
        let file = file_of(&self.home, id);
        world::cached::replace(&file, &[&serde_json::to_vec(watched)?])?;
        make_private_folder(&folder)?;
        for name in &names {
            let link = folder.join(name);
            if link.read_link().is_ok_and(|path| path == binary) {
                continue;
            }
            let new = folder.join(format!(".{name}.{}", bounded::hex(&world::dice()[..4])));
            symlink(binary, &new)?;
            fs::rename(&new, &link)?;
        }
        // By its age `roz clean` knows that nobody uses it.
        File::open(&folder)?.set_modified(SystemTime::now())?;
        Ok(folder)
    }

    /// Keeps what a shell reads as it starts. Answers where.
    pub fn write_shell_start(&self, id: &SessionId, text: &str) -> io::Result<PathBuf> {
        let file = self.shims().join("shells").join(id.as_str());
        world::cached::replace(&file, &[text.as_bytes()])?;
        Ok(file)
    }

    /// A gated call was let through. Without a folder of shims nobody asks for its pass. A call
    /// that the user declines has no end, so its pass runs out by itself.
    pub fn keep_pass(&self, id: &SessionId, pass: &Pass, now: DateTime<Utc>) -> io::Result<()> {
        if !self.shims().is_dir() {
            return Ok(());
        }
        self.write_pass(id, &KeptPass { pass: pass.clone(), until: now + LONGEST_CALL })
    }

    /// A gated call came to its end, or goes on in the background.
    pub fn end_pass(
        &self,
        id: &SessionId,
        tool_use_id: &str,
        in_background: bool,
        now: DateTime<Utc>,
    ) -> io::Result<()> {
        let file = self.pass_file(id, tool_use_id);
        match read_pass(&file) {
            Some(kept) if in_background => {
                self.write_pass(id, &KeptPass { until: now + LONGEST_CALL, ..kept })
            }
            Some(_) => fs::remove_file(file),
            None => Ok(()),
        }
    }

    /// The passes of a session's calls that run.
    pub fn passes(&self, id: &SessionId, now: DateTime<Utc>) -> Vec<Pass> {
        let kept = self.pass_files(id).into_iter().filter_map(|file| read_pass(&file));
        kept.filter(|kept| now <= kept.until).map(|kept| kept.pass).collect()
    }

    /// The client of a session is a new one: no call of the old one runs.
    pub fn forget_passes(&self, id: &SessionId) {
        remove_files(self.pass_files(id).into_iter());
    }

    fn passes_folder(&self) -> PathBuf {
        self.shims().join("passes")
    }

    fn pass_file(&self, id: &SessionId, tool_use_id: &str) -> PathBuf {
        let hash = bounded::sha256(tool_use_id.as_bytes());
        self.passes_folder().join(format!("{id}.{}", &hash[..shims::DIGITS]))
    }

    fn pass_files(&self, id: &SessionId) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.passes_folder()).into_iter().flatten().flatten();
        let begin = format!("{id}.");
        let is_sessions = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default();
            name.as_encoded_bytes().starts_with(begin.as_bytes())
        };
        entries.map(|entry| entry.path()).filter(is_sessions).collect()
    }

    fn write_pass(&self, id: &SessionId, kept: &KeptPass) -> io::Result<()> {
        let file = self.pass_file(id, &kept.pass.tool_use_id);
        world::cached::replace(&file, &[&serde_json::to_vec(kept)?])
    }

    /// Forgets what no session that began since has used.
    pub(super) fn sweep_shims(&self, before: DateTime<Utc>) {
        for kept in ["sessions", "passes", "shells"] {
            remove_files(old_in(&self.shims().join(kept), before));
        }
        for folder in old_in(&self.shims(), before).filter(|folder| shims::is_folder(folder)) {
            let _ = fs::remove_dir_all(&folder);
        }
    }
}

fn read_pass(file: &Path) -> Option<KeptPass> {
    serde_json::from_str(&world::read_text(file, LARGEST)?).ok()
}

/// What puts a folder of shims first on a shell's PATH, once, and says which session it is: for any
/// POSIX shell, and for one that reads it again and again.
pub fn shell_lines(folder: &Path, id: &SessionId) -> String {
    let folder = world::shell_word(&folder.to_string_lossy());
    format!(
        r#"export ROZ_SESSION_ID={id}
roz_shims={folder}; roz_path=":$PATH:"
while case "$roz_path" in *":$roz_shims:"*) true ;; *) false ;; esac; do roz_path="${{roz_path%%":$roz_shims:"*}}:${{roz_path#*":$roz_shims:"}}"; done
roz_path="${{roz_path#:}}"; roz_path="${{roz_path%:}}"; export PATH="$roz_shims${{roz_path:+:$roz_path}}"; unset roz_shims roz_path
"#
    )
}
