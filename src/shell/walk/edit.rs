//! What a program that edits text may have made of it, where that is not modelled: the words of the
//! text with words of the program's own code in their places (`sed s/p.ll/push/ f`).

use super::super::{HOLE, limit};
use super::Walker;
use super::call::Call;
use super::env::Made;
use super::filter::Room;
use super::pieces::{Written, beginning, pieces_of};
use super::substitute::edit;
use std::collections::BTreeSet;

/// Words of the code that are tried, and places of a line that they are put in.
const WORDS: usize = 8;
const PLACES: usize = 6;

/// Whether a program edits what comes through it by code among its words.
pub(super) fn edits(program: &str) -> bool {
    matches!(
        program,
        "sed" | "gsed" | "ssed" | "perl" | "awk" | "gawk" | "mawk" | "nawk" | "ruby" | "ed" | "ex"
    )
}

/// Whether an editor is told to change the files that it is given.
fn is_in_place(option: &str) -> bool {
    match option.strip_prefix('-') {
        Some(name) if name.starts_with('-') => {
            let name = name.split('=').next().unwrap_or_default();
            name.len() > 2 && "-in-place".starts_with(name)
        }
        // `-i`, `-pi`, `-i.bak`; awk takes `-i inplace`.
        Some(letters) => {
            letters.split('.').next().is_some_and(|it| it.len() < 6 && it.contains('i'))
        }
        None => false,
    }
}

impl Walker<'_> {
    /// `sed -i s/a/b/ f`, of a file that the line has written, or whose text is known: what it holds
    /// now, where that can be told, and else what it may hold as well.
    pub(super) fn edited_in_place(&mut self, name: &str, call: &Call) {
        let knows_none = self.env.files.is_empty() && self.options.files.is_empty();
        if knows_none || self.muted > 0 || !edits(name) {
            return;
        }
        let words = || call.words.iter().skip(1).map(|it| it.text.as_str());
        if !matches!(name, "ed" | "ex") && !words().any(is_in_place) {
            return;
        }
        let input = call.io.stdin.as_deref().filter(|_| matches!(name, "ed" | "ex"));
        let texts: Vec<(&str, String)> =
            words().filter_map(|it| Some((it, self.before_edit(it)?))).collect();
        let files: Vec<&str> = texts.iter().map(|it| it.0).collect();
        let code: Vec<&str> = words()
            .filter(|it| !files.contains(it) && (!it.starts_with('-') || it.contains('/')))
            .chain(input)
            .collect();
        // `-i.bak`: what it was is kept under another name.
        let ending =
            |it: &str| it.strip_prefix("-i").or(it.strip_prefix("--in-place=")).map(str::to_owned);
        let kept = words().find_map(ending).filter(|it| it.starts_with(['.', '~', '_', '-']));
        for (file, before) in texts.iter().take(limit::VALUES) {
            if !self.spend(1 + (before.len() + code.iter().map(|it| it.len()).sum::<usize>()) / 64)
            {
                return;
            }
            let mut room = Room::default();
            let others: Vec<&str> = words().filter(|it| !files.contains(it)).collect();
            let changed = edit(name, &others, before, true, &mut room);
            if !self.spend(room.taken() / 256) {
                return;
            }
            let is_followed = changed.is_some();
            let after = changed.unwrap_or_else(|| {
                let mut pieces = Vec::new();
                for it in &code {
                    pieces_of(name, it, &mut pieces, &mut Written::new());
                }
                let pieces = pieces.iter().map(|it| beginning(it)).collect::<Vec<_>>().join("\n");
                [before, &*pieces, &guesses(code.iter().copied(), before)].join("\n")
            });
            for path in self.located(file) {
                let path = super::origin::normal(&path).into_owned();
                self.suspects.edited(&path, is_followed);
                if let Some(ending) = &kept {
                    self.holds(&format!("{path}{ending}"), before.clone());
                }
                if after != *before {
                    self.holds(&path, after.clone());
                }
            }
        }
    }

    /// What a file holds before it is changed, if anybody knows.
    fn before_edit(&self, path: &str) -> Option<String> {
        match self.made(path) {
            Some(Made::Text(text)) => Some(text),
            // A hook that was made of a sample is run by git, whatever it held.
            Some(Made::File(source)) => {
                let hook = path.contains("hooks/").then(|| HOLE.to_string());
                self.on_disk(&[source]).or(hook)
            }
            Some(Made::Unknown) => None,
            None => self.lies_on_disk(path),
        }
    }

    /// `gzip f`, `xz -d f.xz`: packed is as good as plain, under the other name.
    pub(super) fn packed(&mut self, name: &str, call: &Call) {
        const ENDINGS: &[(&str, &str)] = &[
            ("gzip", "gz"),
            ("gunzip", "gz"),
            ("bzip2", "bz2"),
            ("bunzip2", "bz2"),
            ("xz", "xz"),
            ("unxz", "xz"),
            ("zstd", "zst"),
            ("unzstd", "zst"),
        ];
        let Some((_, ending)) = ENDINGS.iter().find(|it| it.0 == name) else { return };
        if self.env.files.is_empty() || self.muted > 0 {
            return;
        }
        for word in call.words.iter().skip(1).take(limit::VALUES) {
            let Some(Made::Text(text)) = self.made(&word.text) else { continue };
            let other = match word.text.strip_suffix(&format!(".{ending}")) {
                Some(bare) => bare.to_owned(),
                None => format!("{}.{ending}", word.text),
            };
            for path in self.located(&other) {
                let path = super::origin::normal(&path).into_owned();
                self.env.files.insert(path, Made::Text(text.clone()));
            }
        }
    }
}

/// Lines of code: each line of `text` with one of its words replaced by one of the code's, without
/// one of them or all before it, and with its signs as blanks. What would close or open more than a
/// line is left out of them.
pub(super) fn guesses<'a>(code: impl Iterator<Item = &'a str>, text: &str) -> String {
    let signs = |c: char| !c.is_alphanumeric() && !"-_. ".contains(c);
    let words = code.flat_map(|word| word.split(signs)).map(str::trim);
    let words: BTreeSet<&str> = words.filter(|it| it.chars().nth(1).is_some()).collect();
    let mut guesses = BTreeSet::new();
    for line in text.lines() {
        let line: String = line.chars().map(|c| if is_plain(c) { c } else { ' ' }).collect();
        let own: Vec<&str> = line.split_whitespace().collect();
        if line.contains(|c: char| !c.is_alphanumeric() && c != ' ') {
            let parted = |kept: &str| {
                let is_kept = |c: char| c.is_alphanumeric() || kept.contains(c);
                let line: String = line.chars().map(|c| if is_kept(c) { c } else { ' ' }).collect();
                line.split_whitespace().collect::<Vec<_>>().join(" ")
            };
            guesses.extend([parted("-./"), parted("")]);
        }
        for place in 0..own.len().min(PLACES) {
            guesses.insert(own[place + 1..].join(" "));
            guesses.insert([&own[..place], &own[place + 1..]].concat().join(" "));
            for word in words.iter().take(WORDS) {
                let (before, after) = (&own[..place], &own[place + 1..]);
                guesses.insert([before, &[*word], after].concat().join(" "));
            }
        }
    }
    guesses.remove("");
    guesses.into_iter().collect::<Vec<_>>().join("\n")
}

fn is_plain(c: char) -> bool {
    c.is_alphanumeric() || "-_./~:=@+".contains(c)
}

#[cfg(test)]
mod tests {
    use super::guesses;

    #[test]
    fn a_word_of_the_code_may_stand_in_the_place_of_any_word() {
        let found = guesses(["s/p.ll/push/"].into_iter(), "git pull origin\n");
        assert!(found.lines().any(|it| it == "git push origin"), "{found}");
        assert_eq!(guesses(["-i"].into_iter(), "\u{fffc}é'\"$(\n"), "-i");
        assert_eq!(guesses(["s/a/b/"].into_iter(), ""), "");
    }

    #[test]
    fn options_that_edit_in_place_are_known_by_their_letters_and_their_beginning() {
        for option in ["-i", "-i.bak", "-pi", "--in-place", "--in-place=.bak", "--in"] {
            assert!(super::is_in_place(option), "{option}");
        }
        for option in ["-n", "-e", "--", "--quiet", "--ééééééé", "-é", "i", "s/i/j/"] {
            assert!(!super::is_in_place(option), "{option}");
        }
    }
}
