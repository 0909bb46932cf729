//! What a line does elsewhere than where it stands: what it searches from where it has
//! gone to (`cd ~ && grep -r x .claude`, `tar c -C ~ .claude`), git in another work tree.

use std::collections::BTreeSet;

use super::{
    commands::base,
    is_in,
    touch::{Act, is_telling},
};
use crate::shell::{self, How, Reading, Run, limit};

/// Programs that read what lies below a folder.
const SEARCH: &str =
    "grep egrep fgrep zgrep rg ag ack tar gtar bsdtar cp gcp rsync scp zip diff 7z git";

/// More paths than this are not made: such a line may search anything.
const MOST: usize = 1 << 12;

/// Adds what the searches of a line read, seen from every folder that it goes to;
/// `everything` where they are too many to say.
pub(super) fn searches(reading: &Reading, everything: &str, add: &mut impl FnMut(&str, Act)) {
    let searches = || reading.runs.iter().filter(|it| is_in(SEARCH, base(it)));
    if searches().next().is_none() {
        return;
    }
    let folders = gone_to(reading);
    let mut left = MOST;
    for run in searches() {
        let own = options(run);
        for word in run.argv.iter().skip(1).filter(|it| !it.starts_with('-')) {
            add(word, Act::Search);
            if word.starts_with(['/', '~']) {
                continue;
            }
            for folder in folders.iter().map(String::as_str).chain(own.iter().copied()) {
                let Some(rest) = left.checked_sub(1) else { return add(everything, Act::Search) };
                left = rest;
                add(&format!("{folder}/{word}"), Act::Search);
            }
        }
        for folder in own {
            add(folder, Act::Search);
        }
    }
}

/// Where `cd` and `pushd` lead, step by step.
fn gone_to(reading: &Reading) -> BTreeSet<String> {
    let (mut here, mut folders) = (String::new(), BTreeSet::new());
    let goes = |it: &&Run| matches!(it.program.as_str(), "cd" | "pushd");
    for run in reading.runs.iter().filter(goes) {
        let to = run.argv.iter().skip(1).find(|it| !it.starts_with('-'));
        let to = to.map_or("~", String::as_str);
        if here.is_empty() || to.starts_with(['/', '~']) || here.len() > limit::NAME {
            to.clone_into(&mut here);
        } else {
            // The first of them may not have led there.
            folders.insert(to.to_owned());
            here = format!("{here}/{to}");
        }
        folders.insert(here.clone());
        if folders.len() > MOST {
            break;
        }
    }
    folders
}

/// The folders that options send a program to: `-C x`, `-Cx`, `--directory=x`.
fn options(run: &Run) -> Vec<&str> {
    const LONG: &[&str] = &["--directory", "--work-tree", "--git-dir"];
    let mut found = Vec::new();
    let mut words = run.argv.iter().skip(1).map(String::as_str);
    while let Some(word) = words.next() {
        match word.split_once('=') {
            Some((name, value)) if LONG.contains(&name) => found.push(value),
            _ if word == "-C" || LONG.contains(&word) => found.extend(words.next()),
            _ => found.extend(word.strip_prefix("-C").filter(|it| !it.is_empty())),
        }
    }
    found
}

/// git in another work tree than the one it stands in.
pub(super) fn git_elsewhere(run: &Run, add: &mut impl FnMut(&str, Act)) {
    const READS: &str = "status log diff show ls-files ls-tree cat-file rev-parse grep blame \
        branch remote describe shortlog reflog rev-list check-ignore version help";
    // These put files into a work tree and take others away.
    const BRING: &str = "reset checkout restore stash checkout-index read-tree clean rm merge pull \
        rebase switch cherry-pick revert am apply";
    // What git removes below a folder are the settings in it, where it has them.
    if run.argv.iter().any(|it| it == "rm")
        && !run.argv.iter().any(|it| matches!(it.as_str(), "--cached" | "-n" | "--dry-run"))
    {
        let named = run.argv.iter().skip_while(|it| *it != "rm").skip(1);
        let is_letters = |it: &str| it.starts_with('-') && !it.starts_with("--");
        let takes_folders = named.clone().any(|it| is_letters(it) && it.contains('r'));
        for word in named.filter(|it| !it.starts_with('-') && it.len() < limit::NAME) {
            // Its patterns find slashes and hidden names, too.
            for name in ["settings.json", "settings.local.json"] {
                let path = format!(".claude/{name}");
                if word.contains(['*', '?']) && shell::pattern_matches(word, &path) {
                    add(&path, Act::Write(How::Remove));
                }
            }
            // A pattern at the end takes what lies below without being told to.
            let takes_below = takes_folders || word.ends_with('*');
            let word = word.trim_start_matches(":/").trim_end_matches(['*', '/']);
            if takes_below && !word.contains(['*', '?', '[', ':']) {
                let folder = if word.is_empty() { "." } else { word };
                add(&format!("{folder}/.claude/settings.json"), Act::Write(How::Remove));
            }
        }
    }
    // A branch without a past takes away all that git keeps; one that is sparse, what it does not say.
    let is_orphan = run.argv.iter().any(|it| it == "switch")
        && run.argv.iter().any(|it| it.len() > 3 && "--orphan".starts_with(it.as_str()));
    let is_sparse = run.argv.iter().any(|it| it == "sparse-checkout")
        && run.argv.iter().any(|it| it == "set")
        && !run.argv.iter().any(|it| it.contains(".claude"));
    if is_orphan || is_sparse {
        add("./.claude/settings.json", Act::Write(How::Remove));
    }
    let (mut places, mut trees): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    let mut verb = "";
    let mut words = run.argv.iter().skip(1).map(String::as_str);
    while let Some(word) = words.next() {
        match word {
            "--work-tree" => trees.extend(words.next()),
            "-C" | "--git-dir" => places.extend(words.next()),
            "-c" | "--namespace" => drop(words.next()),
            it if it.starts_with("--work-tree=") => trees.extend(it.split_once('=').map(|it| it.1)),
            it if it.starts_with("--git-dir=") => places.extend(it.split_once('=').map(|it| it.1)),
            it if it.starts_with('-') => (),
            it => {
                verb = it;
                break;
            }
        }
    }
    let named = |wanted: &'static str| {
        let is_it = move |it: &&(String, String)| it.0 == wanted;
        run.assignments.iter().filter(is_it).map(|it| it.1.as_str())
    };
    places.extend(named("GIT_DIR"));
    trees.extend(named("GIT_WORK_TREE"));
    if verb == "checkout-index" {
        trees.extend(words.filter_map(|it| it.strip_prefix("--prefix=")));
    }
    if is_in(BRING, verb) {
        for tree in &trees {
            add(tree, Act::Write(How::Move));
        }
    }
    places.append(&mut trees);
    if !is_in(READS, verb) {
        places.into_iter().filter(|it| is_telling(it)).for_each(|it| add(it, Act::Unknown));
    }
}
