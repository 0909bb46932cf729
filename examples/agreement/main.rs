//! How often the class of a change agrees with what its makers called it.
//!
//! No history of commits comes with packages, so releases are what is measured:
//! what changed from one version of a crate to the next, file by file, beside
//! the number that its maker gave it. A minor version is one with features, a
//! patch is one without. That is a coarser label than a commit's `feat:` or
//! `refactor:`, and a fix is no refactoring: see `docs/limits.md`.
//!
//! ```text
//! cargo run --example agreement -- examples/agreement/releases.txt ~/.cargo/registry/src/*/
//! ```
//!
//! `LIST` has a line each, `patch|minor NAME OLD NEW`; `REGISTRY` is the folder
//! with the sources, `NAME-VERSION` each (`cargo fetch` puts them there).

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    error::Error,
    fs,
    io::{self, Write as _},
    path::Path,
};

use roz::core::intent::{
    ledger::MutationClass,
    mutation::{self, File},
};

#[derive(Default)]
struct Count {
    files: usize,
    evolved: usize,
    releases: usize,
    /// A release is what the strongest of its files is, as a record is.
    evolved_releases: usize,
    steps: BTreeMap<String, usize>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [list, registry] = args.as_slice() else {
        return Err("usage: agreement LIST REGISTRY".into());
    };
    let mut counts: BTreeMap<String, Count> = BTreeMap::new();
    let mut out = io::stdout().lock();
    for line in fs::read_to_string(list)?.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [label, name, old, new] = words.as_slice() else { continue };
        let folder = |version: &str| Path::new(registry).join(format!("{name}-{version}"));
        let (before, after) = (sources(&folder(old))?, sources(&folder(new))?);
        if before.is_empty() || after.is_empty() {
            writeln!(out, "{line}: not there")?;
            continue;
        }
        let paths: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
        let changed: Vec<File> = paths
            .into_iter()
            .map(|path| File {
                path,
                before: before.get(path).map(Vec::as_slice),
                after: after.get(path).map(Vec::as_slice),
            })
            .filter(|it| it.before != it.after)
            .collect();
        if changed.is_empty() {
            writeln!(out, "{line}: nothing changed")?;
            continue;
        }
        let meanings = mutation::judge_all(&changed);
        let is_new = |it: &&mutation::Meaning| it.class == MutationClass::IntentEvolution;
        let evolved = meanings.iter().filter(is_new).count();
        writeln!(out, "{line}: {evolved} of {} files", meanings.len())?;
        let count = counts.entry((*label).to_owned()).or_default();
        count.files += meanings.len();
        count.evolved += evolved;
        count.releases += 1;
        count.evolved_releases += usize::from(evolved > 0);
        for it in &meanings {
            *count.steps.entry(it.evidence.step.word()).or_default() += 1;
        }
    }
    for (label, it) in &counts {
        writeln!(
            out,
            "\n{label}: {} of {} changed files are INTENT_EVOLUTION, and {} of {} releases\n{:?}",
            it.evolved, it.files, it.evolved_releases, it.releases, it.steps
        )?;
    }
    Ok(())
}

/// The Rust sources of a package, without its tests, by their paths.
fn sources(root: &Path) -> io::Result<BTreeMap<String, Vec<u8>>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.join("src")];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() {
                if name != "tests" {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|it| it == "rs") && !name.starts_with("test") {
                let inside = path.strip_prefix(root).unwrap_or(&path);
                found.insert(inside.to_string_lossy().into_owned(), fs::read(&path)?);
            }
        }
    }
    Ok(found)
}
