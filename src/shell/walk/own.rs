//! Ways of single programs: where git looks for its own, and what sqlite3 takes for commands.

use super::super::table::grammar::{Given, Grammar};
use super::super::table::options;
use super::super::{HOLE, How};
use super::call::Call;
use super::env::Made;
use super::field::Field;
use super::{Io, Walker};

/// Where it is kept that git runs the nearest verb: a name that no alias has.
pub(super) const CORRECTS: &str = "git -";
/// The same of all that the line has set in git's configuration.
pub(super) const SETTING: &str = "git = ";

impl Walker<'_> {
    /// The files of a program, one of which may be its input: `install /dev/stdin f`.
    pub(super) fn fed_files(&mut self, name: &str, call: &Call) {
        const INPUTS: &[&str] = &["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];
        let given = call.words[1..].iter().find(|it| INPUTS.contains(&it.text.as_str()));
        let text = given.and(call.io.stdin.as_deref()).filter(|text| !text.chars().eq([HOLE]));
        if let (Some(given), Some(text)) = (given, text) {
            self.env.files.insert(given.text.clone(), Made::Text(text.to_owned()));
        }
        self.files_there(name, &call.words);
        if let Some(given) = given {
            self.env.files.remove(&given.text);
        }
    }

    /// The files of a program, seen from where `git -C folder` goes.
    pub(super) fn files_there(&mut self, name: &str, words: &[Field]) {
        let row = options::find(name).filter(|_| name == "git");
        let given = row.map(|row| row.grammar.leading(words, 1).0).unwrap_or_default();
        let goes = given.iter().filter(|it| it.name == "C").filter_map(|it| it.value.as_ref());
        let folders: Vec<&Field> = goes.collect();
        if folders.is_empty() {
            return self.files(name, words);
        }
        let before = self.env.directories().to_vec();
        for folder in folders {
            let there = self.located(&folder.text);
            self.env.put_directories(there);
        }
        self.files(name, words);
        self.env.put_directories(before);
    }

    /// `.output file` of sqlite3, and what it takes from its input: `.shell command`.
    pub(super) fn dot_commands(&mut self, lines: &[String]) {
        for line in lines {
            let Some((verb, rest)) = line.trim().split_once([' ', '\t']) else { continue };
            let file = rest.split_whitespace().next_back().map(|it| it.trim_matches(['"', '\'']));
            match (verb, file) {
                (
                    ".output" | ".once" | ".backup" | ".save" | ".log" | ".clone" | ".trace",
                    Some(file),
                ) if !matches!(file, "off" | "stdout" | "stderr") => {
                    if let Some(code) = file.strip_prefix('|') {
                        self.nested_code(code, &Io::default());
                    } else {
                        self.record_write(file, How::Write, self.text_certainty(file));
                    }
                }
                (".shell" | ".system", _) => {
                    self.nested_code(rest, &Io::default());
                }
                _ => {}
            }
        }
    }

    /// `git --exec-path=folder x` runs `folder/git-x`.
    pub(super) fn git_program(
        &mut self,
        given: &[Given],
        verb: &str,
        arguments: &[Field],
        call: &Call,
    ) {
        let given = given.iter().rev().find(|it| it.name == "exec-path");
        let option = given.and_then(|it| it.value.as_ref()).map(|it| it.text.clone());
        let own = call.assignments.iter().rev().find(|it| it.0 == "GIT_EXEC_PATH");
        let folder = option.or_else(|| own.map(|it| it.1.clone()));
        let folder = folder.unwrap_or_else(|| self.known("GIT_EXEC_PATH"));
        if folder.is_empty() || verb.contains('/') {
            return;
        }
        let program = Field::literal(&format!("{}/git-{verb}", folder.trim_end_matches('/')));
        let words = [&[program], arguments].concat();
        let inner = Call { assignments: Vec::new(), ..call.with_words(words) };
        self.enter(|walker| walker.call(inner));
    }

    /// Verbs of git that run another one: `git for-each-repo --config=a push`, `git subtree push`;
    /// and one that git does not know, where it runs the nearest.
    pub(super) fn git_again(&mut self, verb: &str, arguments: &[Field], call: &Call) {
        const EACH: Grammar = Grammar { letters: "", long: &["config"] };
        const SUBTREE: Grammar =
            Grammar { letters: "Pmb", long: &["prefix", "message", "branch", "annotate", "onto"] };
        let inner = match verb {
            "for-each-repo" => arguments[EACH.leading(arguments, 0).1..].to_vec(),
            "subtree" => {
                let taken = SUBTREE.take(arguments, 0).operands;
                // Without a repository and a branch it does nothing.
                let taken = if taken.len() < 3 { Vec::new() } else { taken };
                taken.into_iter().map(|place| arguments[place].clone()).collect()
            }
            _ if !options::is_git_verb(verb) && self.env.alias(CORRECTS).is_some() => {
                [&[Field::literal("\u{FFFC}")], arguments].concat()
            }
            _ => return,
        };
        if !inner.is_empty() {
            let words = [&call.words[..1], &inner].concat();
            let inner = Call { direct: false, ..call.with_words(words) };
            self.enter(|walker| walker.call(inner));
        }
    }

    /// What `git config name` shows, where the line has set it.
    pub(super) fn configured(&self, words: &[Field]) -> Option<String> {
        let at = Self::subcommand("git", words);
        let (verb, arguments) = words.get(at..)?.split_first()?;
        let mut names = arguments.iter().filter(|it| !it.text.starts_with('-') && it.text != "get");
        let name = names.next().filter(|_| verb.text == "config")?;
        let text = self.env.alias(&format!("{SETTING}{}", name.text.to_ascii_lowercase()))?;
        names.next().is_none().then(|| format!("{text}\n"))
    }

    /// A variable's text, as far as it is known.
    pub(super) fn known(&self, name: &str) -> String {
        self.env.variable(name).map_or("", |it| it.values[0].scalar()).to_owned()
    }
}
