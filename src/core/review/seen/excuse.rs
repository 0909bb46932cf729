//! Files that need not be seen: generated ones, and those that the reviewer leaves out for a reason
//! that it gives.

use glob::{MatchOptions, Pattern};
use serde::{Deserialize, Serialize};

/// Files that a reviewer did not look at, and why: `--unseen "GLOB: reason"`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Excuse {
    /// A file, a folder with everything below it, or a glob.
    pub glob: String,
    pub reason: String,
}

impl Excuse {
    pub fn parse(text: &str) -> Result<Self, String> {
        let parts = text.split_once(": ").or_else(|| text.split_once(':'));
        let (glob, reason) =
            parts.map_or((text.trim(), ""), |(glob, reason)| (glob.trim(), reason.trim()));
        if glob.is_empty() {
            return Err(format!("`{text}` names no file: write `PATH: reason`"));
        }
        if reason.is_empty() {
            return Err(format!("`{text}` gives no reason: write `PATH: reason`"));
        }
        Ok(Self { glob: glob.to_owned(), reason: reason.to_owned() })
    }

    /// Whether the file at `path`, from the root of the work tree, is one of them.
    pub fn covers(&self, path: &str) -> bool {
        let glob = self.glob.trim_start_matches("./").trim_end_matches('/');
        let is_within =
            path.strip_prefix(glob).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        is_within || glob.contains(['*', '?', '[']) && matches(glob, path)
    }
}

/// Whether one of `globs` covers `path`. A glob without a slash is compared with the file's name:
/// `*.lock` covers `web/yarn.lock`.
pub fn is_generated(globs: &[String], path: &str) -> bool {
    globs.iter().any(|glob| matches(glob, path))
}

fn matches(glob: &str, path: &str) -> bool {
    let options = MatchOptions { require_literal_separator: true, ..MatchOptions::new() };
    let name = path.rsplit('/').next().unwrap_or(path);
    let subject = if glob.contains('/') { path } else { name };
    Pattern::new(glob).is_ok_and(|pattern| pattern.matches_with(subject, options))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_files_are_known_by_their_globs() {
        let globs: Vec<String> = ["*.lock", "go.sum", "dist/**", "**/gen/*.rs", "[", "web/*.js"]
            .map(String::from)
            .into();
        for path in
            ["Cargo.lock", "web/yarn.lock", "a/go.sum", "dist/a/b.js", "x/y/gen/a.rs", "web/a.js"]
        {
            assert!(is_generated(&globs, path), "{path}");
        }
        for path in
            ["lock", "a.lock.rs", "src/dist/a.js", "x/gen/y/a.rs", "web/src/a.js", "go.sum/a"]
        {
            assert!(!is_generated(&globs, path), "{path}");
        }
    }

    #[test]
    fn an_excuse_is_for_a_file_a_folder_or_a_glob() {
        for (text, covered, other) in [
            ("src/a.rs: generated", "src/a.rs", "src/a.rs.bak"),
            ("README.md: text", "README.md", "docs/README.md"),
            ("vendor: not ours", "vendor/a/b.c", "src/vendor/a.c"),
            ("./vendor/: not ours", "vendor/a", "vendored"),
            ("*.snap: snapshots", "tests/a/b.snap", "snap"),
            ("app/[id]/page.tsx: moved", "app/[id]/page.tsx", "app/x"),
            ("data/**/*.json: data", "data/a/b/c.json", "data/a/b/c.rs"),
        ] {
            let excuse = Excuse::parse(text).unwrap();
            assert!(excuse.covers(covered), "{text}");
            assert!(!excuse.covers(other), "{text}");
        }
        let excuse = Excuse::parse("a:b.txt: made by `x: y`").unwrap();
        assert_eq!((excuse.glob.as_str(), excuse.reason.as_str()), ("a:b.txt", "made by `x: y`"));
    }

    #[test]
    fn an_excuse_without_a_reason_is_none() {
        for text in ["src/a.rs", "src/a.rs:", "src/a.rs:  "] {
            let told = Excuse::parse(text).unwrap_err();
            assert_eq!(told, format!("`{text}` gives no reason: write `PATH: reason`"));
        }
        assert!(Excuse::parse(": reason").unwrap_err().contains("names no file"));
    }
}
