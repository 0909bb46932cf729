//! Settings of git by which it writes elsewhere: into another work tree, and to files that it
//! adds to.

use super::super::{Certainty, How};
use super::Walker;

/// More settings in one variable are not read.
const MOST: usize = 64;

impl Walker<'_> {
    /// Whoever moves git's work tree has the next call of git overwrite what lies there, be it in
    /// this line or in a later one: the setting counts for the deed.
    pub(super) fn moves_git(&mut self, key: &str, text: &str) {
        if key == "core.worktree" {
            // Git reads it from its own folder on.
            let from_own = text.starts_with("..").then(|| format!(".git/{text}"));
            self.record_write(from_own.as_deref().unwrap_or(text), How::Move, Certainty::Opaque);
        } else if key.starts_with("trace2.") && key.ends_with("target") && text.contains('/') {
            self.record_write(text, How::Append, Certainty::Opaque);
        }
    }
}

/// The settings in `GIT_CONFIG_PARAMETERS`: `'a.b=c'`, and `'a.b'='c'` of a newer git.
pub(super) fn parameters(text: &str) -> impl Iterator<Item = (String, String)> {
    let text = text.replace("'='", "=");
    let texts: Vec<String> =
        text.split('\'').skip(1).step_by(2).take(MOST).map(str::to_owned).collect();
    texts.into_iter().filter_map(|it| {
        let (key, value) = it.split_once('=')?;
        Some((key.to_owned(), value.to_owned()))
    })
}
