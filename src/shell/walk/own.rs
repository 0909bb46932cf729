//! Ways of single programs: where git looks for its own, and what sqlite3 takes for commands.

use super::super::foreign::Given as Started;
use super::super::table::coded::{FILE_VARIABLES, LANGUAGE_VARIABLES, OPTION_VARIABLES};
use super::super::table::grammar::{Given, Grammar};
use super::super::table::options;
use super::super::{Certainty, HOLE, How, Interpreter, Unreadable, last_part};
use super::call::Call;
use super::env::Made;
use super::field::Field;
use super::sql::{find_paths, statements};
use super::{Io, Walker};
use std::collections::BTreeSet;

/// Where it is kept that git runs the nearest verb: a name that no alias has.
pub(super) const CORRECTS: &str = "git -";
/// The same of all that the line has set in git's configuration.
pub(super) const SETTING: &str = "git = ";
/// A file of commands may name another one.
const FILES: usize = 4;

impl Walker<'_> {
    /// The files of a program, one of which may be its input: `install /dev/stdin f`.
    pub(super) fn fed_files(&mut self, name: &str, call: &Call) {
        const INPUTS: &[&str] = &["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];
        let given = call.words[1..].iter().find(|it| INPUTS.contains(&it.text.as_str()));
        let text = given.and(call.io.stdin.as_deref()).filter(|text| !text.chars().eq([HOLE]));
        if let (Some(given), Some(text)) = (given, text) {
            self.env.files.insert(given.text.clone(), Made::Text(text.to_owned()));
        }
        self.is_plain_git = name == "git" && self.is_plain_git(call);
        let words = match name {
            "git" => self.with_listed(call),
            "curl" => self.with_configured(call),
            _ => None,
        };
        self.files_there(name, words.as_deref().unwrap_or(&call.words));
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

    /// Options and code that programs take from the environment: `TAR_OPTIONS`, `PERL5DB`.
    pub(super) fn told_options(&mut self, name: &str, text: &str) {
        let options = OPTION_VARIABLES.iter().find(|row| row.0 == name);
        if let Some((_, program, needs)) = options
            && needs.iter().any(|it| text.contains(it))
        {
            let words = escaped_words(text);
            let words = words.iter().map(|it| it.trim_matches('"'));
            let words = words.map(|it| Field { resolved: true, ..Field::literal(it) });
            let words = std::iter::once(Field::literal(program)).chain(words).collect();
            let io = Io::default();
            let call = Call { words, assignments: Vec::new(), io, direct: false };
            self.perhaps(|walker| walker.enter(|walker| walker.call(call)));
        }
        if let Some((_, language)) = LANGUAGE_VARIABLES.iter().find(|row| row.0 == name) {
            // `LUA_INIT=@file`
            let file = text.strip_prefix('@').filter(|_| *language == Interpreter::Lua);
            let code = match file {
                Some(file) => self.script_text(file, *language, &[]).unwrap_or_default(),
                None => text.to_owned(),
            };
            self.perhaps(|walker| walker.acts(&code, *language, &Started::default()));
        }
        if let Some((_, language)) = FILE_VARIABLES.iter().find(|row| row.0 == name)
            && let Some(code) = self.script_text(text, *language, &[])
        {
            self.perhaps(|walker| walker.acts(&code, *language, &Started::default()));
        }
    }

    /// `sqlite3 -init file`, its commands on the line and on its input, and what its SQL writes.
    pub(super) fn database(&mut self, call: &Call) {
        let input = call.io.stdin.as_deref().unwrap_or_default();
        let words = call.words[1..].iter().map(|word| word.text.as_str());
        let lines: Vec<String> =
            words.chain([input]).flat_map(str::lines).map(str::to_owned).collect();
        let init = call.words.windows(2).find(|it| it[0].text.ends_with("-init"));
        if let Some(file) = init.map(|it| it[1].text.clone()) {
            self.dot_commands(&[format!(".read {file}")], 0);
        }
        self.dot_commands(&lines, 0);
        // A statement may go over several lines.
        let texts: Vec<&str> = call.words[1..].iter().map(|it| it.text.as_str()).collect();
        for text in texts.into_iter().chain([input]) {
            self.sql_files(text);
            // `edit('text', 'command')`
            for call in text.split("edit(").skip(1) {
                if let Some(code) = call.split('\'').nth(3).filter(|_| self.spend(1)) {
                    self.perhaps(|walker| walker.nested_code(code, &Io::default()));
                }
            }
        }
    }

    /// `writefile('path', …)`, `attach 'path'`, `vacuum into 'path'`
    fn sql_files(&mut self, text: &str) {
        let mut paths: BTreeSet<&str> = BTreeSet::new();
        find_paths(text, &["writefile", "attach"], &mut paths);
        if text.to_ascii_lowercase().contains("vacuum") {
            let vacuums = statements(text)
                .into_iter()
                .filter(|it| it.get(..6).is_some_and(|word| word.eq_ignore_ascii_case("vacuum")));
            vacuums.for_each(|it| find_paths(it, &["into"], &mut paths));
        }
        for path in paths {
            if !self.spend(1) {
                return;
            }
            self.record_write(path, How::Write, self.certainty(Certainty::Resolved));
        }
    }

    /// A file of commands for a program of its own, whichever it is: those that run a shell.
    pub(super) fn command_lines(&mut self, text: &str) {
        const SHELLS: &[&str] =
            &["!", ":!", ".shell ", ".sh ", ".system ", ".sys ", "shell ", "sh "];
        for line in text.lines().map(str::trim_start) {
            let code = SHELLS.iter().find_map(|it| line.strip_prefix(it));
            if let Some(code) = code {
                if !self.spend(1) {
                    return;
                }
                self.perhaps(|walker| walker.nested_code(code, &Io::default()));
            }
        }
    }

    /// `.output file` of sqlite3, and what it takes from its input: `.shell command`.
    fn dot_commands(&mut self, lines: &[String], depth: usize) {
        for line in lines {
            let Some((verb, rest)) = line.trim().split_once([' ', '\t']) else { continue };
            if !verb.starts_with('.') || !self.spend(1) {
                continue;
            }
            let rest = rest.trim();
            let bare = rest.trim_matches(['"', '\'']);
            // `.read '|command'`, `.import '|command' table`
            let start = rest.find("'|").or(rest.find("\"|")).map_or(0, |at| at + 1);
            let piped = rest[start..].strip_prefix('|');
            let quoted = start > 0;
            let piped = piped.map(|it| match it.split_once(['"', '\'']) {
                Some((code, _)) if quoted => code,
                _ => it,
            });
            let file = bare.split_whitespace().next_back().map(|it| it.trim_matches(['"', '\'']));
            // Names may be cut short.
            let is = |name: &str| verb.len() > 1 && name.starts_with(verb);
            let named = |it: &str| {
                let words = rest.split_whitespace().collect::<Vec<&str>>();
                let at = words.iter().position(|word| *word == it)?;
                words.get(at + 1).map(|it| it.trim_matches(['"', '\'']).to_owned())
            };
            match (verb, file) {
                _ if is(".shell") || is(".system") => {
                    self.nested_code(rest, &Io::default());
                }
                _ if piped.is_some() => {
                    self.nested_code(piped.unwrap_or_default(), &Io::default());
                }
                (".open", Some(file)) => {
                    self.record_write(file, How::Edit, self.text_certainty(file));
                }
                (".read", Some(file)) if depth < FILES => {
                    let text = self.script_text(file, Interpreter::Other, &[]).unwrap_or_default();
                    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
                    self.dot_commands(&lines, depth + 1);
                }
                _ if is(".archive") => {
                    let file = named("-f").or_else(|| named("--file"));
                    if let Some(file) =
                        file.filter(|_| !rest.contains("-t") && !rest.contains("-x"))
                    {
                        self.record_write(&file, How::Write, self.text_certainty(&file));
                    }
                }
                (_, Some(file)) => {
                    let writes = [
                        ".session", ".output", ".once", ".backup", ".save", ".log", ".clone",
                        ".trace", ".excel",
                    ];
                    let is_none = matches!(file, "off" | "stdout" | "stderr");
                    if !is_none && writes.iter().any(|it| is(it)) {
                        self.record_write(file, How::Write, self.text_certainty(file));
                    }
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
        self.git_made(verb, arguments, call);
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

    /// `git x` runs `git-x` from PATH: one that the line has made, wherever it lies.
    fn git_made(&mut self, verb: &str, arguments: &[Field], call: &Call) {
        if self.env.files.is_empty() || verb.contains('/') || options::is_git_verb(verb) {
            return;
        }
        let name = format!("git-{verb}");
        let paths = self.env.files.keys().filter(|it| last_part(it) == name);
        for path in paths.take(FILES).cloned().collect::<Vec<String>>() {
            // From where the line stands it is a path, and no name.
            let path = if path.contains('/') { path } else { format!("./{path}") };
            let words = [&[Field::literal(&path)], arguments].concat();
            let inner = call.with_words(words);
            self.perhaps(|walker| walker.enter(|walker| walker.call(inner)));
        }
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
                // What is nearest is no verb that could be corrected once more.
                if verb.chars().eq([HOLE]) {
                    return self.fail(Unreadable::Nearest);
                }
                [&[Field::literal(&HOLE.to_string())], arguments].concat()
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

    /// `git config --rename-section x alias`
    pub(super) fn renamed_settings(&mut self, from: &str, to: &str) {
        let section = format!("{SETTING}{from}.");
        for (name, text) in self.env.aliases_from(&section) {
            self.git_setting(&format!("{to}.{name}"), &text);
        }
    }

    /// A variable's text, as far as it is known.
    pub(super) fn known(&self, name: &str) -> String {
        self.env.variable(name).map_or("", |it| it.values[0].scalar()).to_owned()
    }
}

/// Words between blanks, which a backslash takes for themselves: `a=git\ push`.
pub(super) fn escaped_words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        let (Some(last), is_blank) = (words.last_mut(), character.is_whitespace()) else { break };
        match character {
            '\\' => last.extend(characters.next()),
            _ if is_blank && last.is_empty() => {}
            _ if is_blank => words.push(String::new()),
            character => last.push(character),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}
