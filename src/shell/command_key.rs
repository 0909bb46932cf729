//! The keys of a command, which the patterns of gates are matched against, and matching of unknown
//! text.

use super::field::Field;
use super::glob::{self, Token};
use super::table::{global_options, grammar::lists};
use super::{Certainty, HOLE, Run};

impl Run {
    /// `Bash:`, the program and its arguments, joined by single blanks.
    pub fn key(&self) -> String {
        let length = self.argv.iter().skip(1).map(|word| word.len() + 1).sum::<usize>();
        let mut key = String::with_capacity("Bash:".len() + self.program.len() + length);
        key.push_str("Bash:");
        key.push_str(&self.program);
        for word in self.argv.iter().skip(1) {
            key.push(' ');
            key.push_str(word);
        }
        key
    }

    /// The key without the program's global options (`git -C d push` is `git push`), if it differs.
    pub fn bare_key(&self) -> Option<String> {
        self.bare_words().map(|words| format!("Bash:{}", words.join(" ")))
    }

    /// The program and its words without the program's global options, if they differ.
    fn bare_words(&self) -> Option<Vec<&str>> {
        // `git-push` is another name of `git push`.
        if let Some(subcommand) = self.program.strip_prefix("git-")
            && lists(global_options::GIT_PROGRAMS, subcommand)
        {
            let rest = self.argv.get(1..).unwrap_or(&[]).iter().map(String::as_str);
            return Some(["git", subcommand].into_iter().chain(rest).collect());
        }
        let row = global_options::find(&self.program)?;
        // Without an option among its first words, it has no global options.
        if !self.argv.iter().skip(1).take(row.levels).any(|word| word.starts_with('-')) {
            return None;
        }
        let words: Vec<Field> = self.argv.iter().map(|word| Field::literal(word)).collect();
        let mut kept = vec![self.program.as_str()];
        let mut at = 1;
        let mut dropped = false;
        for _ in 0..row.levels {
            let (given, next) = row.grammar.leading(&words, at);
            dropped |= !given.is_empty() || next > at;
            let Some(word) = self.argv.get(next) else {
                at = words.len();
                break;
            };
            kept.push(word);
            at = next + 1;
        }
        kept.extend(self.argv.iter().skip(at).map(String::as_str));
        dropped.then_some(kept)
    }

    /// The program and its words, without the program's global options.
    pub fn words(&self) -> Vec<&str> {
        self.bare_words().unwrap_or_else(|| {
            let rest = self.argv.iter().skip(1).map(String::as_str);
            std::iter::once(self.program.as_str()).chain(rest).collect()
        })
    }

    /// `npm publish --help` only prints help. No option may precede `--help`, which could be its
    /// value, and the subcommand has to be the program's own.
    fn asks_for_help(&self) -> Option<String> {
        let [words @ .., help] = self.argv.get(1..)? else { return None };
        let is_word = |word: &String| !word.starts_with('-') && !word.contains(HOLE);
        let shows = matches!(help.as_str(), "--help" | "-h" | "-help")
            && self.certainty == Certainty::Literal
            && global_options::HELPED.iter().any(|(program, verbs)| {
                *program == self.program
                    && words.first().is_some_and(|verb| verbs.contains(&&**verb))
            })
            && words.iter().all(is_word);
        shows.then(|| format!("Bash:{} help {}", self.program, words.join(" ")))
    }

    /// `git push --dry-run` changes nothing, according to the program's row. An option before it
    /// could take it as its value.
    fn only_shows(&self) -> Option<String> {
        let (_, verbs) =
            global_options::DRY_RUNS.iter().find(|(program, _)| *program == self.program)?;
        let verb = *self.words().get(1)?;
        let at = self.argv.iter().position(|word| word == verb)?;
        let rest: Vec<&str> = self.argv[at + 1..].iter().map(String::as_str).collect();
        let options = rest.iter().take_while(|word| **word != "--");
        let is_plain =
            |word: &&str| !word.starts_with('-') || lists(global_options::DRY_FLAGS, word);
        let is_dry = |word: &&&str| match **word {
            "--dry-run" | "--dry-run=client" | "--dry-run=server" => true,
            word => word == "-n" && self.program == "git" && verb != "fetch",
        };
        let mut before = options.clone().take_while(|word| !is_dry(word));
        let shows = options.clone().any(|word| is_dry(&word))
            && self.certainty == Certainty::Literal
            && lists(verbs, verb)
            && before.all(is_plain)
            && !rest
                .iter()
                .any(|word| matches!(*word, "--no-dry-run" | "false") || word.contains(HOLE));
        shows.then(|| format!("Bash:{} --dry-run {verb} {}", self.program, rest.join(" ")))
    }

    pub fn keys(&self) -> Vec<String> {
        // Git prints help for the verb, and runs nothing.
        if self.program == "git"
            && let [_, verb, help] = &self.argv[..]
            && matches!(help.as_str(), "--help" | "-h")
            && global_options::is_git_verb(verb)
            && self.certainty == Certainty::Literal
        {
            return vec![format!("Bash:git help {verb}")];
        }
        // `git --help push` is `git help push`, and `git --version push` is `git version push`.
        if self.program == "git"
            && let [_, asked, words @ ..] = &self.argv[..]
            && let Some(verb) = match asked.as_str() {
                "--help" | "-h" => Some("help"),
                "--version" | "-v" => Some("version"),
                _ => None,
            }
            && self.certainty == Certainty::Literal
        {
            return vec![["Bash:git", verb, &words.join(" ")].join(" ").trim_end().to_owned()];
        }
        if let Some(asked) = self.asks_for_help().or_else(|| self.only_shows()) {
            return vec![asked];
        }
        let mut keys = vec![self.key()];
        keys.extend(self.bare_key());
        // A file system that ignores case finds `git` as `GIT`.
        if self.program.chars().any(|c| c.is_ascii_uppercase()) {
            let program = self.program.to_ascii_lowercase();
            keys.extend(Run { program, ..self.clone() }.keys());
        }
        keys
    }

    pub fn may_match(&self, pattern: &str) -> bool {
        self.keys().iter().any(|key| may_match(pattern, key))
    }
}

/// Whether a gate's pattern may match a key that has [`HOLE`]s in it.
///
/// A hole among the arguments may be any text, and as a word of its own also no word. An unknown program
/// may be any program with any first arguments, but not the whole of the pattern: the known words must
/// contain some of the pattern's text.
///
/// A pattern that begins with `*` (`Bash:*deploy*`) names no program. If a hole could be any text there,
/// it would match every command with a variable, `echo "$x"` among them: so only `*` takes a hole.
pub fn may_match(pattern: &str, key: &str) -> bool {
    let of_any_program = pattern.split_once(':').map_or(pattern, |(_, rest)| rest).starts_with('*');
    let pattern = Glob { tokens: glob::tokens(pattern), of_any_program };
    let (tool, words) = key.split_once(':').map_or(("", key), |(tool, words)| (tool, words));
    let mut states = pattern.start();
    if !tool.is_empty() {
        pattern.text(&mut states, tool);
        pattern.text(&mut states, ":");
    }
    let (program, rest) = words.split_once(' ').map_or((words, None), |(p, r)| (p, Some(r)));
    if is_unknown(program) {
        let Some(rest) = rest else { return pattern.open_end().is_some_and(|end| states[end]) };
        let before = states.clone();
        fill(&mut states);
        // The rest must match some of the pattern's text.
        return pattern.rest_is_found(&states, rest) || {
            let mut open = before;
            pattern.keep_open(&mut open);
            pattern.arguments(&mut open, rest);
            is_over(&open)
        };
    }
    pattern.text(&mut states, program);
    if let Some(rest) = rest {
        pattern.arguments(&mut states, rest);
    }
    is_over(&states)
}

fn is_unknown(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|character| character == HOLE)
}

/// A pattern as gates write it: `*`, `?`, `[…]`; `*` crosses blanks and slashes.
struct Glob {
    tokens: Vec<Token>,
    of_any_program: bool,
}

/// Indexes of reached tokens, as flags; the last is the end of the pattern.
type States = Vec<bool>;

/// For unknown text: every later place may be reached.
fn fill(states: &mut States) {
    let first = states.iter().position(|state| *state).unwrap_or(states.len());
    states[first..].fill(true);
}

fn is_over(states: &States) -> bool {
    states.last() == Some(&true)
}

impl Glob {
    fn start(&self) -> States {
        let mut states = vec![false; self.tokens.len() + 1];
        states[0] = true;
        self.close(&mut states);
        states
    }

    /// `*` may take nothing.
    fn close(&self, states: &mut States) {
        for (place, token) in self.tokens.iter().enumerate() {
            if states[place] && matches!(token, Token::Many) {
                states[place + 1] = true;
            }
        }
    }

    fn character(&self, states: &mut States, character: char) {
        if character == HOLE {
            return fill(states);
        }
        self.character_as(states, character, false);
    }

    fn character_as(&self, states: &mut States, character: char, for_stars: bool) {
        if let Some(end) = states.last_mut() {
            *end = false;
        }
        // Backwards, so that each place is left before it is reached from the previous one.
        for (place, token) in self.tokens.iter().enumerate().rev() {
            if !states[place] || matches!(token, Token::Many) {
                continue;
            }
            states[place] = false;
            states[place + 1] |= !for_stars && token.takes(character);
        }
        self.close(states);
    }

    fn text(&self, states: &mut States, text: &str) {
        for character in text.chars() {
            self.character(states, character);
        }
    }

    /// As [`Self::text`], but only `*` matches a hole.
    fn known(&self, states: &mut States, text: &str) {
        for character in text.chars() {
            self.character_as(states, character, character == HOLE);
        }
    }

    fn arguments(&self, states: &mut States, words: &str) {
        for word in words.split(' ') {
            if !states.contains(&true) {
                return;
            }
            let before = is_unknown(word).then(|| states.clone());
            self.character(states, ' ');
            if self.of_any_program {
                self.known(states, word);
            } else {
                self.text(states, word);
            }
            // The word may be missing.
            for (state, before) in states.iter_mut().zip(before.unwrap_or_default()) {
                *state |= before;
            }
        }
    }

    /// The place from which nothing but `*` remains, if the pattern ends in one.
    fn open_end(&self) -> Option<usize> {
        let stars = self.tokens.iter().rev().take_while(|token| **token == Token::Many).count();
        (stars > 0).then(|| self.tokens.len() - stars)
    }

    /// Keeps the places from which nothing but `*` remains.
    fn keep_open(&self, states: &mut States) {
        let end = self.open_end().unwrap_or(states.len());
        states[..end].fill(false);
    }

    /// Whether the words after an unknown program match the rest of the pattern from one of the
    /// places on, and take a letter or a digit of it.
    fn rest_is_found(&self, states: &States, rest: &str) -> bool {
        // Only places where a word of the pattern begins can follow a program.
        (0..self.tokens.len()).any(|place| {
            let starts = states[place]
                && matches!(self.tokens[place], Token::Character(' '))
                && self.tokens[place..]
                    .iter()
                    .any(|token| matches!(token, Token::Character(c) if c.is_alphanumeric()));
            if !starts {
                return false;
            }
            let mut from = vec![false; states.len()];
            from[place] = true;
            self.taken(from, rest)
        })
    }

    /// Whether words match the rest of the pattern, and at least one known letter or digit is
    /// matched literally, because a hole or a `*` would fit any pattern.
    fn taken(&self, mut plain: States, words: &str) -> bool {
        let mut taken = vec![false; plain.len()];
        for word in words.split(' ') {
            let before = is_unknown(word).then(|| (plain.clone(), taken.clone()));
            for character in std::iter::once(' ').chain(word.chars()) {
                if character == HOLE {
                    fill(&mut plain);
                    fill(&mut taken);
                    continue;
                }
                let is_letter =
                    |token: &Token| matches!(token, Token::Character(c) if c.is_alphanumeric());
                let letters: Vec<usize> = (0..self.tokens.len())
                    .filter(|at| plain[*at] && is_letter(&self.tokens[*at]))
                    .collect();
                for at in &letters {
                    plain[*at] = false;
                }
                self.character_as(&mut plain, character, false);
                self.character_as(&mut taken, character, false);
                for at in letters.into_iter().filter(|at| self.tokens[*at].takes(character)) {
                    taken[at + 1] = true;
                }
                self.close(&mut taken);
            }
            // The word may be missing.
            if let Some((before_plain, before_taken)) = before {
                plain.iter_mut().zip(before_plain).for_each(|(state, before)| *state |= before);
                taken.iter_mut().zip(before_taken).for_each(|(state, before)| *state |= before);
            }
        }
        is_over(&taken)
    }
}
