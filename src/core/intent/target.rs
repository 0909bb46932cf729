//! A path that a call would change, as scopes see it. `sidecar::target` resolves it on the disk.

use crate::core::client_files;
/// Stands for a part of a path that is unknown before the command runs.
pub use crate::shell::HOLE;

/// A path as written and as resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// With `.` and `..` resolved by name only.
    pub written: Place,
    /// With links followed, including dangling ones.
    pub real: Place,
    pub kind: Kind,
    pub case: Case,
    /// The number of hard links; 0 if there is no such file.
    pub links: u64,
    /// The place of roz's or the client's that it is in, equals or contains, if that place is
    /// configurable.
    pub guarded: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// Relative to the root, without a slash at either end; the root itself is empty.
    Inside(String),
    Outside(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Absent,
    File,
    /// A change applies to everything in it.
    Folder,
}

/// Whether names that differ only in case are the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    Keeps,
    Folds,
    /// If unknown, rules that deny ignore case, and rules that admit do not.
    Unknown,
}

impl Target {
    /// A path that is taken as it is written.
    pub fn as_written(place: Place, kind: Kind, case: Case) -> Self {
        Self { written: place.clone(), real: place, kind, case, links: 0, guarded: None }
    }

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

/// Case is folded twice, so that `ſ` and the Kelvin sign become `s` and `k`.
pub(super) fn folded(c: char) -> impl Iterator<Item = char> {
    c.to_uppercase().flat_map(char::to_lowercase)
}

/// The protected place (git's, the sidecar's, settings of roz or the client) that `path` is in,
/// equals or contains. Case is ignored.
pub fn guarded(path: &str) -> Option<&'static str> {
    let plain = |part: &str| -> String { part.chars().flat_map(folded).collect() };
    let parts: Vec<String> = path.split('/').map(plain).collect();
    if path.is_empty() {
        return Some("the project's root");
    }
    // The name is folded already, so this compares it without case.
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
            (folder, next) if client_files::is_folder(folder) => match next {
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

/// Files in which a package manager records its choices. Running one changes them.
const LOCK_FILES: &str = "\
    Cargo.lock package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb \
    deno.lock go.sum go.work.sum poetry.lock uv.lock pdm.lock Pipfile.lock Gemfile.lock \
    composer.lock mix.lock pubspec.lock Package.resolved Podfile.lock flake.lock packages.lock.json \
    gradle.lockfile Cartfile.resolved conan.lock shard.lock";

pub fn is_lock_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    LOCK_FILES.split_whitespace().any(|word| word == name)
}

/// Such files stay in the scope check even if git ignores them.
pub fn holds_secrets(path: &str) -> bool {
    let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or(path);
    let is_key = [".pem", ".key", ".p12", ".pfx"].iter().any(|end| name.ends_with(end));
    // `.envrc`, `.env-prod`
    let is_env = name.starts_with(".env") && !is_example(name);
    is_env || is_key || name.starts_with("id_")
}

/// `.env` and variants hold secrets; examples like `.env.sample` do not.
pub fn is_env(name: &str) -> bool {
    let kind = name.strip_prefix(".env").filter(|kind| kind.is_empty() || kind.starts_with('.'));
    kind.is_some() && !is_example(name)
}

fn is_example(name: &str) -> bool {
    const SHOWN: [&str; 6] = ["example", "sample", "template", "dist", "defaults", "schema"];
    name.split('.').any(|part| SHOWN.contains(&part))
}

/// What to do instead of changing a protected place.
pub fn instead(path: &str) -> &'static str {
    if path.split('/').any(|part| part.eq_ignore_ascii_case(".orchestration")) {
        return "What is declared is changed by `roz intent new`, `expand` or `complete`, which ask \
                the user; the ledger, the map and the lessons are roz's to write.";
    }
    "Leave it as it is, and name the files that you mean. Where the work needs it, ask the user to \
     change it."
}
