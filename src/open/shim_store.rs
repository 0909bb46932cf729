//! The folders of shims, what a shell has to know about them, and the passes of calls that were
//! allowed.
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
    core::{bounded, event::LONGEST_CALL, outcome::Pass, session::SessionId, tool_pattern},
    world::{self, files::make_private_folder, shim_start},
};

/// What is watched in a session: enough for a shim to know whether it has to check a program,
/// without reading the configuration and the session.
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
    /// Reads what the start of the session wrote.
    pub fn read(home: &Path, id: &str) -> Option<Self> {
        let id: SessionId = id.parse().ok()?;
        serde_json::from_str(&world::read_text(&file_of(home, &id), LARGEST)?).ok()
    }

    /// The programs that get a shim.
    pub fn names(&self) -> BTreeSet<String> {
        let gated = self.patterns.iter().filter_map(|pattern| tool_pattern::program(pattern));
        gated.map(str::to_owned).chain(self.closing.iter().cloned()).collect()
    }
}

fn file_of(home: &Path, id: &SessionId) -> PathBuf {
    home.join(shim_start::FOLDER).join("sessions").join(id.as_str())
}

/// The longest file of ours that is read, in bytes.
const LARGEST: u64 = 1 << 20;

#[derive(Debug, Serialize, Deserialize)]
struct KeptPass {
    pass: Pass,
    until: DateTime<Utc>,
}

impl Roz {
    fn shims(&self) -> PathBuf {
        self.home.join(shim_start::FOLDER)
    }

    /// Creates the folder of links to `binary` for a session. Sessions with the same set of names
    /// share a folder.
    pub fn link_shims(
        &self,
        id: &SessionId,
        watched: &Watched,
        binary: &Path,
    ) -> io::Result<PathBuf> {
        let names = watched.names();
        let all: Vec<&str> = names.iter().map(String::as_str).collect();
        let hash = bounded::sha256(all.join("\n").as_bytes());
        let folder = self.shims().join(&hash[..shim_start::DIGITS]);
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
        // `roz clean` goes by its age to find out that nobody uses it.
        File::open(&folder)?.set_modified(SystemTime::now())?;
        Ok(folder)
    }

    /// Writes the file that a shell reads when it starts. Returns its path.
    pub fn write_shell_start(&self, id: &SessionId, text: &str) -> io::Result<PathBuf> {
        let file = self.shims().join("shells").join(id.as_str());
        world::cached::replace(&file, &[text.as_bytes()])?;
        Ok(file)
    }

    /// Records that a gated call was allowed. Without a folder of shims nothing asks for its pass.
    /// No event follows a call that the user declines, so a pass expires.
    pub fn keep_pass(&self, id: &SessionId, pass: &Pass, now: DateTime<Utc>) -> io::Result<()> {
        if !self.shims().is_dir() {
            return Ok(());
        }
        self.write_pass(id, &KeptPass { pass: pass.clone(), until: now + LONGEST_CALL })
    }

    /// Records that a gated call has ended, or continues in the background.
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

    /// The passes of the calls of a session that are running.
    pub fn passes(&self, id: &SessionId, now: DateTime<Utc>) -> Vec<Pass> {
        let kept = self.pass_files(id).into_iter().filter_map(|file| read_pass(&file));
        kept.filter(|kept| now <= kept.until).map(|kept| kept.pass).collect()
    }

    /// Removes all passes of a session: its client was started again, so no call of the old one is
    /// running.
    pub fn forget_passes(&self, id: &SessionId) {
        remove_files(self.pass_files(id).into_iter());
    }

    fn passes_folder(&self) -> PathBuf {
        self.shims().join("passes")
    }

    fn pass_file(&self, id: &SessionId, tool_use_id: &str) -> PathBuf {
        let hash = bounded::sha256(tool_use_id.as_bytes());
        self.passes_folder().join(format!("{id}.{}", &hash[..shim_start::DIGITS]))
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

    /// Removes what no session has used since then.
    pub(super) fn sweep_shims(&self, before: DateTime<Utc>) {
        for kept in ["sessions", "passes", "shells"] {
            remove_files(old_in(&self.shims().join(kept), before));
        }
        for folder in old_in(&self.shims(), before).filter(|folder| shim_start::is_folder(folder)) {
            let _ = fs::remove_dir_all(&folder);
        }
    }
}

fn read_pass(file: &Path) -> Option<KeptPass> {
    serde_json::from_str(&world::read_text(file, LARGEST)?).ok()
}

/// Lines for any POSIX shell that put a folder of shims first on PATH and set the session's id.
/// Reading them more than once changes nothing.
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
