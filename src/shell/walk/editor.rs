//! Editors that are told what to do on the command line or through their input: `ed`, `ex`, `vim`.
//! They run shells, they write files, and they hold code in other languages.

use super::super::foreign::Given;
use super::super::{HOLE, How, Interpreter, Unreadable, last_part};
use super::call::Call;
use super::own::escaped_words;
use super::{Io, Walker, is_shell, limit};
use std::collections::BTreeSet;

/// Options that hold programs.
const PROGRAMS: &[&str] = &[
    "makeprg",
    "mp",
    "grepprg",
    "gp",
    "equalprg",
    "ep",
    "formatprg",
    "fp",
    "keywordprg",
    "kp",
    "shell",
    "sh",
    "csprg",
    "printexpr",
    "pexpr",
    "patchexpr",
    "pex",
];

/// What an editor has been told so far.
#[derive(Debug, Default)]
struct Told {
    /// Files that it would write to where it is told no other.
    opened: Vec<String>,
    /// Files that it is started with.
    files: Vec<String>,
    saves: bool,
    /// Texts that its variables hold.
    texts: Vec<String>,
}

impl Walker<'_> {
    /// `vim -c '!command'`, `vim '+!command'`, `ed` with its commands on its input.
    pub(super) fn editor(&mut self, name: &str, call: &Call) {
        let mut told = Told { files: files_of(call), ..Told::default() };
        // It is told not to write them, and may be forced to.
        if call.words[1..].iter().any(|it| it.text == "-R") {
            told.opened.clone_from(&told.files);
        }
        let before = self.env.directories().to_vec();
        // `vim -V9file`: it says there what it does.
        let said = call.words[1..].iter().filter_map(|it| it.text.strip_prefix("-V"));
        let said = said.map(|it| it.trim_start_matches(|c: char| c.is_ascii_digit()));
        for path in said.filter(|it| !it.is_empty()) {
            self.record_write(path, How::Append, self.text_certainty(path));
        }
        for line in lines_for(name, call) {
            self.editor_line(&line, &mut told, 0);
        }
        // `ed '!command'`
        if matches!(name, "ed" | "red") {
            for code in call.words[1..].iter().filter_map(|word| word.text.strip_prefix('!')) {
                self.nested_code(code, &Io::default());
            }
        }
        // `vim -S file`, `vim -u file`
        let options =
            call.words.windows(2).filter(|it| matches!(it[0].text.as_str(), "-S" | "-u" | "-s"));
        for file in options.map(|it| it[1].text.clone()).collect::<Vec<String>>() {
            if !self.spend(1) {
                break;
            }
            if let Some(text) = self.script_text(&file, Interpreter::Other, &[]) {
                self.editor_input(&text, &mut told);
            }
        }
        let listens = match name {
            "ed" | "red" | "ex" => true,
            "vim" | "vi" | "nvim" => call.words[1..].iter().any(|word| is_silent(&word.text)),
            _ => false,
        };
        let input = call.io.stdin.clone().filter(|_| listens);
        if let Some(text) = input {
            if text.chars().eq([HOLE]) {
                self.suspect_feed();
            }
            self.editor_input(&text, &mut told);
        }
        if told.saves {
            for path in told.opened {
                self.record_write(&path, How::Edit, self.text_certainty(&path));
            }
        }
        self.env.put_directories(before);
    }

    /// Commands a line each; what is put in between them is text.
    fn editor_input(&mut self, text: &str, told: &mut Told) {
        let mut is_text = false;
        for line in text.lines() {
            if is_text {
                is_text = line.trim_end() != ".";
                continue;
            }
            if !self.spend(1) {
                return;
            }
            let command = without_address(line);
            is_text = matches!(command.trim(), "a" | "i" | "c" | "append" | "insert" | "change");
            self.editor_line(line, told, 0);
        }
    }

    /// A line: what stands behind a bar is a command as well.
    fn editor_line(&mut self, line: &str, told: &mut Told, depth: usize) {
        const MAX_DEPTH: usize = 4;
        if depth > MAX_DEPTH {
            return self.fail(Unreadable::Depth);
        }
        let mut next = Some(line);
        let mut behind_bar = 0;
        while let Some(line) = next {
            // Whoever had the line has paid for its first command.
            if !self.spend(behind_bar + line.len() / 256) {
                return;
            }
            behind_bar = 1;
            let command = self.editor_command(line, told, depth);
            next = command.and_then(|it| it.split_once('|')).map(|it| it.1);
        }
    }

    /// The first command of a line. What it is without its address; `None` where it takes all of
    /// the line.
    fn editor_command<'a>(
        &mut self,
        line: &'a str,
        told: &mut Told,
        depth: usize,
    ) -> Option<&'a str> {
        const MODIFIERS: &[&str] =
            &["silent!", "silent", "sil!", "sil", "noautocmd", "noa", "keepalt", "verbose"];
        let mut command = without_address(line);
        for word in MODIFIERS {
            command = command.strip_prefix(word).map_or(command, without_address);
        }
        if let Some(code) = command.strip_prefix('!') {
            self.editor_shell(code, told);
            return None;
        }
        if let Some(rest) = behind_global(command) {
            for rest in behind_pattern(rest) {
                self.editor_line(rest, told, depth + 1);
            }
            return None;
        }
        let end = command.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(command.len());
        let (verb, rest) = command.split_at(end);
        let forces = |it: &&str| it.is_empty() || it.starts_with([' ', '\t', '|', '>']);
        let rest = rest.strip_prefix('!').filter(forces).unwrap_or(rest);
        let operand = rest.trim();
        match verb {
            "w" | "write" | "wq" | "W" | "wa" | "x" | "xit" | "sav" | "saveas" | "up"
            | "update" | "r" | "read" | "e" | "edit" | "f" | "file" | "tabe" | "sp" | "vs" => {
                if let Some(code) = operand.strip_prefix('!') {
                    self.editor_shell(code, told);
                    return None;
                }
                let operand = operand.split('|').next().unwrap_or_default().trim();
                let path = operand.trim_start_matches(['>', '+']).trim();
                let saves = !matches!(
                    verb,
                    "r" | "read" | "e" | "edit" | "f" | "file" | "tabe" | "sp" | "vs"
                );
                told.saves |= saves;
                if path.is_empty() {
                } else if saves {
                    self.record_write(path, How::Write, self.text_certainty(path));
                } else if !verb.starts_with('r') {
                    told.opened.push(path.to_owned());
                }
            }
            "redir" | "redi" | "mks" | "mksession" | "mkvie" | "mkview" | "mkv" | "mkvimrc"
            | "mk" | "mkexrc" | "wsh" | "wundo" | "wv" | "wviminfo" => {
                let path = operand.trim_start_matches('>').trim();
                if !path.is_empty() && !path.starts_with(['@', '=']) {
                    self.record_write(path, How::Write, self.text_certainty(path));
                }
            }
            "cd" | "lcd" | "tcd" | "chd" => {
                let there = self.located(operand);
                self.env.put_directories(there);
            }
            "args" | "ar" | "n" | "next" | "arga" | "argadd" => {
                told.opened.extend(operand.split_whitespace().map(str::to_owned));
            }
            // Each holds another command: `au VimLeave * !command`, `bufdo !command`.
            "au" | "aut" | "autocmd" | "bufdo" | "argdo" | "windo" | "tabdo" | "cdo" | "ldo"
            | "cfdo" | "lfdo" | "folddoopen" | "command" | "com" | "nmap" | "map" | "nnoremap"
            | "noremap" | "cabbrev" => {
                let at = operand.match_indices(['!', ':']).find(|(at, _)| {
                    operand[..*at].is_empty() || operand[..*at].ends_with([' ', ':'])
                });
                let inner = at.map_or(operand, |(at, _)| &operand[at..]);
                self.editor_line(inner, told, depth + 1);
            }
            "set" | "se" | "setlocal" | "setl" | "setg" | "setglobal" => {
                self.editor_option(operand);
            }
            "so" | "source" | "ru" | "runtime" => {
                if let Some(text) = self.script_text(operand, Interpreter::Other, &[]) {
                    for line in text.lines().filter(|it| !it.is_empty()) {
                        if !self.spend(1) {
                            return None;
                        }
                        self.editor_line(line, told, depth + 1);
                    }
                }
            }
            "let" => self.editor_let(operand, told),
            "call" | "cal" | "echo" | "ec" | "eval" => self.editor_call(operand, told),
            "ter" | "term" | "terminal" => {
                let code = operand.split_whitespace().skip_while(|it| it.starts_with("++"));
                let code = code.collect::<Vec<_>>().join(" ");
                self.nested_code(&code, &Io::default());
            }
            "exe" | "exec" | "execute" => {
                let joined: String = strings(operand).concat();
                self.editor_line(&joined, told, depth + 1);
            }
            "lua" => self.acts(operand, Interpreter::Lua, &Given::default()),
            "perl" | "pe" => self.acts(operand, Interpreter::Perl, &Given::default()),
            "ruby" | "rub" => self.acts(operand, Interpreter::Ruby, &Given::default()),
            "py" | "py3" | "pyx" | "python" | "python3" => {
                self.acts(operand, Interpreter::Python, &Given::default());
            }
            // `cexpr system("…")`, `put =system("…")`
            _ if operand.contains("system(") => self.editor_call(operand, told),
            _ => {}
        }
        Some(command)
    }

    /// `let x = "…"`, `let &makeprg = "…"`
    fn editor_let(&mut self, operand: &str, told: &mut Told) {
        told.texts.extend(strings(operand).into_iter().map(str::to_owned));
        told.texts.truncate(limit::VALUES);
        if let Some((name, _)) = operand.trim_start_matches('&').split_once('=')
            && operand.starts_with('&')
            && PROGRAMS.contains(&name.trim())
        {
            for text in strings(operand) {
                self.nested_code(text, &Io::default());
            }
        }
        self.editor_call(operand, told);
    }

    /// A command for the shell, which may be a shell that takes the file's text.
    fn editor_shell(&mut self, code: &str, told: &Told) {
        self.nested_code(code, &Io::default());
        let program = code.split_whitespace().next().unwrap_or_default();
        if is_shell(last_part(program)) {
            for file in told.files.iter().chain(&told.opened) {
                if !self.spend(1) {
                    break;
                }
                if let Some(text) = self.script_text(file, Interpreter::Shell, &[]) {
                    self.nested_code(&text, &Io::default());
                }
            }
        }
    }

    /// `set makeprg=git\ push`: programs that other commands start.
    fn editor_option(&mut self, operand: &str) {
        for word in escaped_words(operand) {
            if let Some((name, code)) = word.split_once('=')
                && PROGRAMS.contains(&name)
            {
                self.nested_code(code, &Io::default());
            }
        }
    }

    /// `call system("…")`, `call delete(expand("~/f"))`
    fn editor_call(&mut self, code: &str, told: &Told) {
        const CHANGES: &[&str] =
            &["delete(", "writefile(", "rename(", "mkdir(", "setfperm(", "filecopy("];
        let texts = strings(code);
        if ["system", "job_start", "jobstart", "term_start"].iter().any(|it| code.contains(it)) {
            let joined = texts.concat();
            let put_together = std::iter::once(joined.as_str()).filter(|_| texts.len() > 1);
            let told = told.texts.iter().map(String::as_str);
            for text in texts.iter().copied().chain(put_together).chain(told) {
                self.nested_code(text, &Io::default());
            }
        }
        if CHANGES.iter().any(|it| code.contains(it)) {
            for text in texts.iter().filter(|it| !it.is_empty()) {
                self.record_write(text, How::Edit, self.text_certainty(text));
            }
        }
    }
}

/// The files among an editor's words.
fn files_of(call: &Call) -> Vec<String> {
    let words = call.words.windows(2).filter(|it| {
        !it[1].text.starts_with(['-', '+'])
            && !matches!(it[0].text.as_str(), "-c" | "--cmd" | "-S" | "-u")
    });
    words.map(|it| it[1].text.clone()).collect()
}

/// The commands among an editor's words.
fn lines_for(name: &str, call: &Call) -> Vec<String> {
    let words = &call.words;
    let mut commands = Vec::new();
    if matches!(name, "ed" | "red") {
        return commands;
    }
    for (index, word) in words.iter().enumerate().skip(1) {
        let text = word.text.as_str();
        if let Some(command) = text.strip_prefix('+') {
            commands.push(command.to_owned());
            continue;
        }
        // `-sc command`: the last letter of a cluster takes the word after it.
        let letters = text.strip_prefix('-').filter(|it| !it.starts_with('-'));
        let is_it = letters
            .is_some_and(|it| it.ends_with('c') && it.chars().all(|c| c.is_ascii_alphabetic()));
        if is_it || text == "--cmd" {
            commands.extend(words.get(index + 1).map(|word| word.text.clone()));
        } else if let Some(command) = text.strip_prefix("-c").filter(|it| it.len() > 1) {
            commands.push(command.to_owned());
        }
    }
    commands
}

/// `-e`, `-es`, `-Es`: its input is commands.
fn is_silent(word: &str) -> bool {
    let letters = word.strip_prefix('-').unwrap_or_default();
    !letters.is_empty()
        && letters.chars().all(|it| it.is_ascii_alphabetic())
        && letters.contains(['e', 'E', 's'])
}

/// A command without the lines that it is for: `:`, `1,$`, `%`, `/pattern/`.
fn without_address(line: &str) -> &str {
    let is_sign = |c: char| c.is_whitespace() || c.is_ascii_digit() || ":%$,.;+-".contains(c);
    let line = line.trim_start_matches(is_sign);
    let Some(rest) = line.strip_prefix('/') else { return line };
    rest.split_once('/').map_or(line, |(_, rest)| rest.trim_start_matches(is_sign))
}

/// What stands behind `g` or `v`, which may be longer, and its `!`: the delimiter and all that
/// follows. `None` where it is another command.
fn behind_global(command: &str) -> Option<&str> {
    let end = command.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(command.len());
    let (verb, rest) = command.split_at(end);
    let is = |name: &str| !verb.is_empty() && name.starts_with(verb);
    if !is("global") && !is("vglobal") {
        return None;
    }
    let rest = rest.trim_start();
    let rest = rest.strip_prefix('!').map_or(rest, str::trim_start);
    let delimits = |c: char| !c.is_ascii_alphabetic() && !matches!(c, '"' | '|' | '\\');
    rest.starts_with(delimits).then_some(rest)
}

/// What stands behind a pattern that begins with its delimiter. Where a delimiter stands in
/// brackets, whether it ends the pattern hangs on what `magic` is set to: then it is both.
fn behind_pattern(text: &str) -> BTreeSet<&str> {
    let Some(delimiter) = text.chars().next() else { return BTreeSet::new() };
    let end = |brackets: bool| {
        let mut is_escaped = false;
        let mut in_brackets = false;
        for (at, character) in text.char_indices().skip(1) {
            match character {
                _ if std::mem::take(&mut is_escaped) => {}
                '\\' => is_escaped = true,
                _ if character == delimiter && !in_brackets => {
                    return Some(&text[at + character.len_utf8()..]);
                }
                '[' if brackets => in_brackets = true,
                ']' => in_brackets = false,
                _ => {}
            }
        }
        None
    };
    [false, true].into_iter().filter_map(end).collect()
}

/// The texts in quotes.
fn strings(code: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = code;
    while let Some(at) = rest.find(['"', '\'']) {
        let quote = if rest[at..].starts_with('"') { '"' } else { '\'' };
        let Some((text, behind)) = rest[at + 1..].split_once(quote) else { break };
        found.push(text);
        rest = behind;
    }
    found
}
