//! What a call would change, as far as a scope asks about it. The file system's half is
//! `sidecar::target`'s.

use crate::core::agents;

/// A place in both its spellings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// As it was written, `.` and `..` taken for what they say.
    pub written: Place,
    /// Where a write to it would really go: links followed, also those that lead nowhere yet.
    pub real: Place,
    pub kind: Kind,
    pub case: Case,
    /// How many names the file has; 0 if it is not there.
    pub links: u64,
    /// What of roz's or the client's it lies in, at or above, beyond the places that have fixed
    /// names.
    pub guarded: Option<String>,
}

/// Where something is, seen from the project's root.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// Below the root, with `/` between its parts and none at either end; the root itself is empty.
    Inside(String),
    /// Absolute.
    Outside(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Absent,
    File,
    /// Whatever is done to it is done to all that is in it.
    Folder,
}

/// Whether names that differ in case alone are one name there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    Keeps,
    Folds,
    /// It cannot be told: what denies folds, what admits does not.
    Unknown,
}

impl Target {
    pub fn places(&self) -> [&Place; 2] {
        [&self.written, &self.real]
    }
}

impl Place {
    pub fn text(&self) -> &str {
        match self {
            Self::Inside(text) | Self::Outside(text) => text,
        }
    }
}

/// Names that a file system may take for one: case folded twice, so that `ſ` and the Kelvin sign
/// are what they look like.
pub(super) fn folded(c: char) -> impl Iterator<Item = char> {
    c.to_uppercase().flat_map(char::to_lowercase)
}

/// Which place that is in nobody's scope `path` is, lies in or holds: git's, the sidecar's, roz's
/// and the client's settings. Case never helps.
pub fn guarded(path: &str) -> Option<&'static str> {
    let plain = |part: &str| -> String { part.chars().flat_map(folded).collect() };
    let parts: Vec<String> = path.split('/').map(plain).collect();
    if path.is_empty() {
        return Some("the project's root");
    }
    // Folded by now, so this is about the name, not about its case.
    let is_settings =
        |name: &str| name.strip_suffix(".json").is_some_and(|name| name.starts_with("settings"));
    let mut parts = parts.iter().map(String::as_str).peekable();
    let mut is_first = true;
    while let Some(part) = parts.next() {
        let next = parts.peek();
        match (part, next) {
            (".git", _) => return Some("git's own folder"),
            (".orchestration" | ".intentignore", _) => return Some("the intents' own folder"),
            (".roz" | ".grove", _) if is_first => return Some("roz's own folder"),
            (".mcp.json", None) => return Some("the client's settings"),
            (folder, next) if agents::is_folder(folder) => match next {
                None => return Some("the folder of the client's settings"),
                Some(name) if is_settings(name) => return Some("the client's settings"),
                Some(&"hooks") => return Some("the client's hooks"),
                Some(_) => is_first = false,
            },
            _ => is_first = false,
        }
    }
    None
}

/// Files in which a package manager writes down what it chose. Whoever runs one changes them.
const LOCK_FILES: &str = "\
    Cargo.lock package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb \
    deno.lock go.sum go.work.sum poetry.lock uv.lock pdm.lock Pipfile.lock Gemfile.lock \
    composer.lock mix.lock pubspec.lock Package.resolved Podfile.lock flake.lock packages.lock.json \
    gradle.lockfile Cartfile.resolved conan.lock shard.lock";

pub fn is_lock_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    LOCK_FILES.split_whitespace().any(|word| word == name)
}

/// Whether a file of that name may hold secrets or settings, so that it stays in the scope check
/// though git ignores it.
pub fn holds_secrets(path: &str) -> bool {
    let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or(path);
    let is_key = [".pem", ".key", ".p12", ".pfx"].iter().any(|end| name.ends_with(end));
    is_env(name) || is_key || name.starts_with("id_")
}

/// `.env` and its like hold what a program is told in secret; those that show how do not.
pub fn is_env(name: &str) -> bool {
    const SHOWN: [&str; 6] = ["example", "sample", "template", "dist", "defaults", "schema"];
    let kind = name.strip_prefix(".env").filter(|kind| kind.is_empty() || kind.starts_with('.'));
    kind.is_some_and(|kind| !kind.split('.').any(|part| SHOWN.contains(&part)))
}

/// What to do instead of a change of a place that is in nobody's scope.
pub fn instead(path: &str) -> &'static str {
    if path.split('/').any(|part| part.eq_ignore_ascii_case(".orchestration")) {
        return "What is declared is changed by `roz intent new`, `expand` or `complete`, which ask \
                the user; the ledger, the map and the lessons are roz's to write.";
    }
    "Leave it as it is, and name the files that you mean. Where the work needs it, ask the user to \
     change it."
}
