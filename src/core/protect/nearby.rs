//! Which of the paths that a call touches any rule could be about. A line may
//! name thousands; nearly all lie nowhere near what is guarded, and are told
//! apart here by their folder and their name, before anybody looks at the disk
//! for each.

use super::{Ground, touch::is_named};
use crate::shell::{self, HOLE};

/// Guarded wherever the client runs.
pub(super) const MANAGED: [&str; 2] =
    ["/etc/claude-code", "/Library/Application Support/ClaudeCode"];

/// What is guarded, laid out for the question.
#[derive(Debug, Default)]
pub struct Nearby {
    /// Each without needless slashes. They are few: to ask each of them costs
    /// less than to lay them out.
    places: Vec<String>,
}

impl Nearby {
    pub fn of(ground: &Ground) -> Self {
        let Ground { home, config_dirs, plugin, binary, path, notes, .. } = ground;
        let known = [home, config_dirs, plugin, binary, path, notes].into_iter().flatten();
        let places = known.map(String::as_str).chain(MANAGED).map(spelt).collect();
        Self { places }
    }

    /// Whether a rule could be about a file of this name in a folder, which is
    /// given as it is named and as it really is, each without `.` and `..`. No
    /// link may have that name.
    pub fn is_near(&self, folder: &str, name: &str) -> bool {
        self.is_guarded(folder) || self.is_telling(folder, name)
    }

    /// Whether whatever lies in a folder is guarded, or may be.
    pub fn is_guarded(&self, folder: &str) -> bool {
        let is_in = |place: &String| {
            folder
                .strip_prefix(place.as_str())
                .is_some_and(|it| it.is_empty() || it.starts_with('/'))
        };
        let is_inside = || self.places.iter().any(is_in);
        !folder.starts_with('/') || is_open(folder) || is_named(folder) || is_inside()
    }

    /// Whether a file is guarded, or something below it, in a folder that is not.
    pub fn is_telling(&self, folder: &str, name: &str) -> bool {
        let leads = || {
            let folder = folder.trim_end_matches('/');
            self.places.iter().any(|place| {
                let below = place.strip_prefix(folder).and_then(|it| it.strip_prefix('/'));
                let beyond = below.and_then(|it| it.strip_prefix(name));
                beyond.is_some_and(|it| it.is_empty() || it.starts_with('/'))
            })
        };
        matches!(name, "" | "." | "..") || is_open(name) || is_named(name) || leads()
    }
}

/// A path without needless slashes and dots.
fn spelt(path: &str) -> String {
    let is_needless = |it: &[u8]| matches!(it, [b'/', b'/', _] | [b'/', b'.', b'/']);
    let ends = path.ends_with('/') || path.ends_with("/.");
    if !ends && !path.as_bytes().windows(3).any(is_needless) {
        return path.to_owned();
    }
    let mut spelt = String::with_capacity(path.len());
    for part in path.split('/').filter(|it| !it.is_empty() && *it != ".") {
        spelt.push('/');
        spelt.push_str(part);
    }
    if spelt.is_empty() { "/".to_owned() } else { spelt }
}

/// Whether it may stand for more than it says.
fn is_open(text: &str) -> bool {
    text.contains(['*', '?', '[', HOLE])
}

/// What a shell reads when it starts.
pub(super) fn is_startup(path: &str) -> bool {
    let name = shell::last_part(path);
    matches!(
        name,
        ".bashrc"
            | ".bash_profile"
            | ".bash_login"
            | ".bash_aliases"
            | ".profile"
            | ".zshrc"
            | ".zshenv"
            | ".zprofile"
            | ".zlogin"
            | ".kshrc"
            | ".envrc"
            | "config.fish"
    )
}

/// Whether code goes over what lies in the client's folder: `glob(".claude/*")`, `<.claude/*>`.
pub(super) fn lists_clients(code: &str) -> bool {
    const LISTS: &[&str] = &[
        "glob", "listdir", "scandir", "iterdir", "readdir", "os.walk", "walkSync", "opendir",
        "Dir[", "Dir.", "children", "<",
    ];
    let ends = ["/*", "/\"", "/'", "/{", "/$", "/.", "\"", "'", "/?"];
    let mut pieces = code.match_indices(".claude").map(|(at, it)| &code[at + it.len()..]);
    pieces.any(|rest| ends.iter().any(|it| rest.starts_with(it)))
        && LISTS.iter().any(|it| code.contains(it))
}
