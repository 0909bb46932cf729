//! The rule about ending a hook's process, which `pkill` names by a pattern.

use super::{
    Scene,
    commands::{EVENTS, base, is_hidden, is_word_in, line, operands, runs},
    is_in, regex,
};
use crate::shell::{self, Run};

pub(super) fn kills_roz(scene: Scene) -> Option<String> {
    let by_name = |run: &&Run| match base(run) {
        "pkill" => names_roz(run) || picks_roz(run),
        "killall" => names_roz(run) || picks_roz_by_name(run),
        "skill" | "killall5" | "Stop-Process" | "taskkill" => names_roz(run),
        _ => false,
    };
    if let Some(run) = runs(scene.call).find(by_name) {
        return Some(line(run));
    }
    let looks_up = runs(scene.call).find(|it| match base(it) {
        "pgrep" => names_roz(it) || picks_roz(it),
        "pidof" | "ps" | "lsof" | "fuser" | "grep" | "awk" => names_roz(it),
        _ => false,
    });
    let kills = runs(scene.call).find(|it| {
        base(it) == "kill" && operands(it).any(is_hidden)
            || base(it) == "fuser"
                && it.argv.iter().any(|it| it.starts_with("-k") || it == "--kill")
    });
    looks_up.and(kills).map(line)
}

fn names_roz(run: &Run) -> bool {
    run.argv.iter().skip(1).any(|it| {
        let word = shell::last_part(it);
        word.trim_matches(['^', '$', '[', ']', '*', '.']).starts_with("roz")
            || is_word_in(it, "roz")
            || word.replace(['[', ']'], "").starts_with("roz")
    })
}

/// What `pkill` and `killall` are told.
#[derive(Default)]
struct Told<'a> {
    letters: String,
    operands: Vec<&'a str>,
}

impl<'a> Told<'a> {
    /// `valued`: letters whose value stands in the next word.
    fn read(run: &'a Run, valued: &str) -> Self {
        const LONG: &[(&str, char)] = &[
            ("--full", 'f'),
            ("--exact", 'x'),
            ("--ignore-case", 'i'),
            ("--inverse", 'v'),
            ("--regexp", 'r'),
            ("--user", 'u'),
            ("--euid", 'u'),
            ("--uid", 'U'),
        ];
        let mut told = Self::default();
        let mut words = run.argv.iter().skip(1).map(String::as_str);
        while let Some(word) = words.next() {
            let Some(letters) = word.strip_prefix('-').filter(|it| !it.is_empty()) else {
                told.operands.push(word);
                continue;
            };
            if let Some((name, letter)) =
                LONG.iter().find(|(name, _)| word.split('=').next() == Some(name))
            {
                told.letters.push(*letter);
                if valued.contains(*letter) && word.len() == name.len() {
                    words.next();
                }
            } else if word == "--signal" {
                words.next();
            } else if word.starts_with("--") || is_signal(letters) {
            } else if let Some(at) = letters.find(|c| valued.contains(c)) {
                told.letters.push_str(&letters[..=at]);
                if at + 1 == letters.len() {
                    words.next();
                }
            } else {
                told.letters.push_str(letters);
            }
        }
        told
    }

    fn has(&self, letter: char) -> bool {
        self.letters.contains(letter)
    }

    fn matches(&self, pattern: &str, text: &str) -> bool {
        if is_hidden(pattern) {
            return false;
        }
        let pattern = if self.has('i') { pattern.to_lowercase() } else { pattern.to_owned() };
        let pattern = if self.has('x') { format!("^({pattern})$") } else { pattern };
        regex::may_match(&pattern, text) != self.has('v')
    }
}

fn is_signal(letters: &str) -> bool {
    letters.starts_with(|c: char| c.is_ascii_digit())
        || letters.len() > 1
            && letters.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit())
}

/// Whether `pkill` or `pgrep` would find a hook's process by its pattern, or
/// by whose it is.
fn picks_roz(run: &Run) -> bool {
    let told = Told::read(run, "dgGPstuUFr");
    let Some(pattern) = told.operands.first() else {
        return told.letters.chars().all(|it| matches!(it, 'u' | 'U')) && !told.letters.is_empty();
    };
    if !told.has('f') {
        return told.matches(pattern, "roz");
    }
    EVENTS.split(' ').any(|it| told.matches(pattern, &format!("roz hook {it}")))
}

/// The same for `killall`, which takes names as they are but with `-r`.
fn picks_roz_by_name(run: &Run) -> bool {
    let told = Told::read(run, "sounyZ");
    match told.operands[..] {
        [] => told.has('u'),
        ref names if told.has('r') => names.iter().any(|it| told.matches(it, "roz")),
        ref names => names.iter().any(|it| is_in("roz", it)),
    }
}
