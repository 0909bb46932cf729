//! Interpreters of other languages: their code is found, read, and what it would do is walked.

use super::super::foreign::{self, Act, Given};
use super::super::table::grammar::Given as Option_;
use super::super::table::interpreters::{self, Operand, Row};
use super::super::{Certainty, Code, HOLE, Interpreter, MAKEFILES, Unreadable, last_part};
use super::call::Call;
use super::field::{Field, texts};
use super::{Io, Walker, filter, handed, is_shell, spoken};
use std::hash::{DefaultHasher, Hash, Hasher};

impl Walker<'_> {
    /// Walks the code that an interpreter is given, and names the scripts that it would run.
    pub(super) fn foreign(&mut self, name: &str, call: &Call) {
        match name {
            "sed" | "gsed" => return self.sed(call),
            "vim" | "vi" | "nvim" | "ex" | "view" | "ed" | "red" => return self.editor(name, call),
            "vimdiff" | "gvim" | "gvimdiff" | "rvim" | "rview" | "gview" | "evim" | "vim.basic"
            | "vim.tiny" | "vim.nox" | "vim.gtk3" | "nvimdiff" | "mvim" => {
                return self.editor("vim", call);
            }
            "coverage" | "memray" | "kernprof" | "scalene" | "pyinstrument" | "viztracer" => {
                return self.module(&Field::literal(name), 1, call);
            }
            _ if spoken::is_known(name) => self.spoken(name, call),
            _ => {}
        }
        let Some(row) = interpreters::find(name) else { return };
        let (given, at) = taken_apart(name, row, call);
        if row.language == Interpreter::Make && self.only_shows(row, call) {
            return;
        }
        let option = |names: &'static [&'static str]| {
            let given = given.iter().filter(move |g| names.contains(&g.name.as_str()));
            given.filter_map(|given| given.value.clone()).collect::<Vec<Field>>()
        };
        // `python -m module arguments`: those are the module's.
        let first = given.iter().find(|it| matches!(it.name.as_str(), "m" | "c"));
        if row.language == Interpreter::Python
            && let Some(module) = first.filter(|it| it.name == "m").and_then(|it| it.value.clone())
        {
            let is_it = |word: &Field| {
                word.text == module.text
                    || word.text.starts_with('-') && word.text.ends_with(&module.text)
            };
            let at = call.words.iter().skip(1).position(is_it).map_or(at, |at| at + 2);
            return self.module(&module, at, call);
        }
        let folder =
            option(&["C", "directory"]).pop().filter(|_| row.language == Interpreter::Make);
        if let Some(folder) = folder {
            let before = self.env.directories().to_vec();
            let there = self.located(&folder.text);
            self.env.put_directories(there);
            let is_folder = |it: &Field| {
                let text = it.text.as_str();
                text.starts_with("-C") || text.starts_with("--dir") || *it == folder
            };
            let words = call.words.iter().filter(|it| !is_folder(it)).cloned().collect();
            let inner = Call { words, ..call.clone() };
            self.enter(|walker| walker.foreign(name, &inner));
            self.env.put_directories(before);
            return;
        }
        if self.is_interactive(row, &given, call) {
            let text = call.io.stdin.clone().unwrap_or_default();
            self.acts(&text, row.language, &Given::default());
        }
        let mut uses = String::new();
        if row.language == Interpreter::Perl {
            uses = self.perl_modules(&given, at, call);
        }
        if row.language == Interpreter::Awk && self.awk_option(&given, row, at, call) {
            return;
        }
        if row.language == Interpreter::Ruby && option(&["r"]).iter().any(|it| it.text == "un") {
            self.utility(&given, at, call);
        }
        // `php -d auto_prepend_file=file`
        if row.language == Interpreter::Php {
            for set in option(&["d", "define"]) {
                if let Some(("auto_prepend_file" | "auto_append_file", file)) =
                    set.text.split_once('=')
                {
                    self.code_file(&set.with_text(file), row, at, call);
                }
            }
        }
        let code = option(row.code);
        let files = given.iter().filter(|given| {
            let name = given.name.as_str();
            row.files.contains(&name) && !row.code.contains(&name)
        });
        for file in files.filter_map(|given| given.value.clone()) {
            self.code_file(&file, row, at, call);
        }
        for behind in clustered(row, call, at) {
            if code.iter().all(|it| it.text != behind.text) {
                self.acts(&behind.text, row.language, &given_to(row, call, at, false));
            }
        }
        if !code.is_empty() {
            let text = uses + &texts(&code).join("\n");
            let given = given_to(row, call, at, false);
            return self.acts(&text, row.language, &given);
        }
        if row.language == Interpreter::Make && !option(&["f", "file", "makefile"]).is_empty() {
            return;
        }
        if !self.only_looked_at(name, row, at, call) {
            self.operand(row, at, call);
        }
    }

    /// `make -n`: it shows what it would run. What a file of it asks a shell for is run all the
    /// same, and so are lines with a `+`.
    fn only_shows(&self, row: &Row, call: &Call) -> bool {
        const SHOWS: &[&str] = &["n", "just-print", "dry-run", "recon"];
        let taken = row.grammar.take(&call.words, 1);
        let files = taken.options.iter().filter(|it| row.files.contains(&it.name.as_str()));
        let files = files.filter_map(|it| Some(it.value.as_ref()?.text.as_str()));
        let mut texts = files.chain(MAKEFILES.iter().copied()).map(|file| {
            if is_input(file) { self.shown_to(file, call) } else { self.content(file) }
        });
        let runs = |text: &str| {
            let is_run =
                |it: &str| it.trim_start_matches(['\t', ' ', '@', '-', ';']).starts_with('+');
            text.contains(['`', HOLE])
                || ["shell", "!=", "MAKE", "eval"].iter().any(|it| text.contains(it))
                || text.lines().flat_map(|it| it.split(';')).any(is_run)
        };
        taken.has(SHOWS)
            && !taken.has(&["eval", "E"])
            && !call.words.iter().any(Field::has_hole)
            && !texts.any(|it| it.is_some_and(|it| runs(it.trim_start_matches([HOLE, '\n']))))
    }

    pub(super) fn operand(&mut self, row: &Row, at: usize, call: &Call) {
        let operand = call.words.get(at).cloned();
        match (row.operand, operand) {
            (Operand::Code, Some(_)) if given_a_file(row, call, at) => {}
            (Operand::Code, Some(code)) => {
                let given = given_to(row, call, at + 1, false);
                self.acts(&code.text, row.language, &given);
            }
            (Operand::After(word), Some(first)) if first.text == word => {
                let (_, at) = row.grammar.leading(&call.words, at + 1);
                if let Some(code) = call.words.get(at).cloned() {
                    self.acts(&code.text, row.language, &given_to(row, call, at + 1, false));
                }
            }
            (Operand::After(_), Some(first)) if first.text == "run" => {
                let (_, at) = row.grammar.leading(&call.words, at + 1);
                if let Some(file) = call.words.get(at).cloned() {
                    self.code_file(&file, row, at + 1, call);
                }
            }
            (Operand::File, Some(file)) if !is_input(&file.text) => {
                self.code_file(&file, row, at + 1, call);
            }
            (Operand::File, operand) => {
                // `python3 - arguments`
                let at = at + usize::from(operand.is_some());
                if let Some(text) = call.io.stdin.clone() {
                    self.acts(&text, row.language, &given_to(row, call, at, true));
                }
            }
            (Operand::Other, _) if row.language == Interpreter::Make => {
                for file in MAKEFILES.iter().copied() {
                    self.suspect_file(file);
                    // A copy of another file is read where that lies.
                    let text = match self.made(file) {
                        Some(_) => self.script_text(file, row.language, &texts(&call.words[1..])),
                        None => self.content(file),
                    };
                    if let Some(text) = text {
                        self.acts(&text, row.language, &given_to(row, call, at, true));
                    }
                }
            }
            _ => {}
        }
    }

    /// A file of code: its text where the line has written it, else its name for the caller.
    pub(super) fn code_file(&mut self, file: &Field, row: &Row, at: usize, call: &Call) {
        if file.text.starts_with("data:") {
            let text = handed::data(&file.text);
            return self.acts(&text, row.language, &given_to(row, call, at, true));
        }
        if is_input(&file.text) {
            if let Some(text) = call.io.stdin.clone() {
                self.acts(&text, row.language, &given_to(row, call, at, true));
            }
            return;
        }
        if self.made(&file.text).is_none() {
            self.record_read(&file.text, file.certainty());
        }
        let at_first = if row.language == Interpreter::Make { 1 } else { at };
        let arguments = texts(call.words.get(at_first..).unwrap_or(&[]));
        // A folder, or a name without its end.
        let folder = file.text.trim_end_matches('/');
        let name = last_part(folder);
        let others: &[&str] = match row.language {
            _ if name.trim_start_matches('.').contains('.') => &[],
            Interpreter::Python => &["/__main__.py"],
            Interpreter::JavaScript => &[".js", ".cjs", "/index.js"],
            _ => &[],
        };
        let others = others.iter().map(|end| format!("{folder}{end}"));
        for path in std::iter::once(file.text.clone()).chain(others) {
            if let Some(text) = self.script_text(&path, row.language, &arguments) {
                self.acts(&text, row.language, &given_to(row, call, at, true));
            }
        }
    }

    /// Walks what code in another language would do.
    pub(super) fn acts(&mut self, code: &str, language: Interpreter, given: &Given) {
        if language == Interpreter::PerlChecked {
            if foreign::runs_while_read(code) {
                self.acts_once(code, Interpreter::Perl, given);
            }
            return;
        }
        if language != Interpreter::Make {
            return self.acts_once(code, language, given);
        }
        // A recipe may call make again.
        let mut hasher = DefaultHasher::new();
        (code, given).hash(&mut hasher);
        let name = format!("make {}", hasher.finish());
        if self.spend(1 + code.len() / 64) && !self.is_active(&name) {
            let code = self.with_included(code, given);
            self.alias(&name, |walker| {
                walker.enter(|walker| walker.acts_once(&code, language, given));
            });
        }
    }

    /// A makefile and those that it includes.
    fn with_included(&mut self, code: &str, given: &Given) -> String {
        const MOST: usize = 8;
        let mut text = code.to_owned();
        if !code.contains("include") {
            return text;
        }
        let mut seen: Vec<String> = Vec::new();
        let mut files = foreign::included(code, given);
        while let Some(file) = files.pop() {
            if seen.contains(&file) || seen.len() >= MOST || !self.spend(1) {
                continue;
            }
            let folders = given.folders().iter().take(MOST);
            let places =
                folders.map(|it| super::join(it, &file)).filter(|_| !file.starts_with('/'));
            for place in std::iter::once(file.clone()).chain(places) {
                let more = self.script_text(&place, Interpreter::Make, &[]);
                if let Some(more) = more.filter(|it| !is_hole(it) && self.spend(it.len() / 64)) {
                    files.extend(foreign::included(&more, given));
                    text.push('\n');
                    text.push_str(&more);
                }
            }
            seen.push(file);
        }
        text
    }

    fn acts_once(&mut self, code: &str, language: Interpreter, given: &Given) {
        if !self.spend(1 + code.len() / 128) {
            return;
        }
        // A script of sed is no text to look for names in: what it does is all in its acts.
        let is_code = language != Interpreter::Sed;
        if is_code
            && self.muted == 0
            && self.kept.is_none()
            && self.reading.code.last().is_none_or(|it| it.text != code)
        {
            self.reading.code.push(Code { text: code.to_owned(), language });
        }
        let read = foreign::read(code, language, given, self.tokens);
        if read.is_cut {
            self.fail(Unreadable::Work);
        }
        // `system($0)`: lines of the input.
        let is_line = |act: &Act| matches!(act, Act::Shell(text) if is_hole(text));
        if language == Interpreter::Awk && read.acts.iter().any(is_line) {
            self.suspect_feed();
        }
        self.handed(&read.acts, code, language, given);
        if read.evaluates
            || read.acts.iter().any(|it| matches!(it, Act::Source(it) if is_input(it)))
        {
            self.taken_as_code(code, language, given);
        }
        let from = self.reading.runs.len();
        // Of code in another language nobody reads how often it comes to a place.
        self.again(true, |walker| walker.walk_acts(read.acts, language));
        let is_unknown = |run: &super::super::Run| {
            run.program.is_empty()
                || is_hole(&run.program) && !read.itself.contains(&run.argv)
                || is_shell(&run.program) && run.certainty == Certainty::Opaque
        };
        let runs = self.reading.runs.get(from..).unwrap_or_default();
        let starts_unknown = read.starts_unknown
            || runs.iter().any(is_unknown)
            || language == Interpreter::JavaScript
                && code.contains("child_process")
                && code.contains("](");
        if starts_unknown {
            self.suspect_code(code, language, given);
        }
    }

    pub(super) fn walk_acts(&mut self, acts: Vec<Act>, language: Interpreter) {
        self.resolved += 1;
        let starts = acts.iter().any(|it| matches!(it, Act::Shell(_) | Act::Program(_)));
        for act in acts {
            match act {
                Act::Shell(text) => {
                    if !is_hole(&text) {
                        self.nested_code(&text, &Io::default());
                    }
                }
                Act::Program(words) => {
                    let words = words.iter().map(|word| Field::literal(word)).collect();
                    let io = Io::default();
                    let call = Call { words, assignments: Vec::new(), io, direct: false };
                    self.enter(|walker| walker.isolated(|walker| walker.call(call)));
                }
                Act::Write(path, how) => {
                    let writes = self.reading.writes.len();
                    self.record_write(&path, how, self.text_certainty(&path));
                    // What it starts may run that file.
                    if starts {
                        self.remember_written(writes);
                    }
                }
                Act::Read(path) => self.record_read(&path, self.text_certainty(&path)),
                Act::Source(path) if path.starts_with("data:") => {
                    let text = handed::data(&path);
                    self.enter(|walker| walker.acts(&text, language, &Given::default()));
                }
                Act::Source(path) => {
                    let text = self.script_text(&path, language, &[]);
                    if let Some(text) = text.filter(|it| !is_hole(it)) {
                        self.enter(|walker| walker.acts(&text, language, &Given::default()));
                    }
                }
            }
        }
        self.resolved -= 1;
    }

    fn sed(&mut self, call: &Call) {
        let grammar = super::super::table::grammar::Grammar {
            letters: "efl",
            long: &["expression", "file", "line-length"],
        };
        let taken = grammar.take(&call.words, 1);
        let given = taken.options.iter().filter(|g| matches!(g.name.as_str(), "e" | "expression"));
        let mut scripts: Vec<String> = given
            .filter_map(|given| given.value.as_ref().map(|value| value.text.clone()))
            .collect();
        let files = taken.options.iter().filter(|g| matches!(g.name.as_str(), "f" | "file"));
        let files: Vec<String> =
            files.filter_map(|it| Some(it.value.as_ref()?.text.clone())).collect();
        let mut operands = taken.operands.iter().map(|place| call.words[*place].text.clone());
        if scripts.is_empty() && files.is_empty() {
            scripts.extend(operands.next());
        }
        for file in &files {
            if is_input(file) {
                scripts.extend(self.shown_to(file, call));
            } else {
                scripts.extend(self.script_text(file, Interpreter::Sed, &[]));
            }
        }
        let inputs: Vec<String> = operands.collect();
        for script in scripts {
            let acts = foreign::read_sed(&script);
            let runs_input =
                acts.iter().any(|act| matches!(act, Act::Shell(text) if text.contains(HOLE)));
            if runs_input {
                self.sed_input(&script, &inputs, call);
            }
            self.walk_acts(acts, Interpreter::Sed);
        }
    }

    /// `sed e`, `sed s/^/git /e`: lines of the input are code.
    fn sed_input(&mut self, script: &str, inputs: &[String], call: &Call) {
        let files = if inputs.is_empty() { &["-".to_owned()] } else { inputs };
        let texts: Vec<String> = files.iter().filter_map(|it| self.shown_to(it, call)).collect();
        let text = texts.concat();
        self.resolved += 1;
        // What the substitution makes of a line is what runs.
        let made = script.rsplit_once('e').and_then(|(script, _)| {
            let script = script.trim_end_matches([';', ' ', '\n', '1']);
            filter::substituted(script, &text)
        });
        for text in std::iter::once(text).chain(made) {
            if !text.trim_matches([HOLE, '\n']).is_empty() {
                self.perhaps(|walker| walker.nested_code(&text, &Io::default()));
            }
        }
        self.resolved -= 1;
        self.suspect_feed();
    }

    /// The text of a file, or of the input where that is its name.
    fn shown_to(&self, file: &str, call: &Call) -> Option<String> {
        if is_input(file) {
            call.io.stdin.as_deref().map(str::to_owned)
        } else {
            self.content(file)
        }
    }
}

/// The options of an interpreter, and where they end.
fn taken_apart(name: &str, row: &Row, call: &Call) -> (Vec<Option_>, usize) {
    // Its options may stand anywhere.
    if row.language == Interpreter::Make {
        return (row.grammar.take(&call.words, 1).options, call.words.len());
    }
    let (mut given, at) = row.grammar.leading(&call.words, 1);
    // `bun run file`, `tsx watch file`
    let verb = call.words.get(at).map_or("", |it| it.text.as_str());
    if !matches!((name, verb), ("bun", "run") | ("tsx" | "vite-node", "watch")) {
        return (given, at);
    }
    let (more, behind) = row.grammar.leading(&call.words, at + 1);
    given.extend(more);
    (given, behind)
}

/// The words after a cluster of options whose last letter takes code, whatever its other letters
/// take: `node -pe code`.
fn clustered<'a>(row: &Row, call: &'a Call, at: usize) -> impl Iterator<Item = &'a Field> {
    let options = call.words.get(1..at).unwrap_or(&[]).iter().zip(&call.words[2.min(at)..]);
    let ends_in_code = |word: &str| {
        let letters = word.strip_prefix('-').filter(|it| it.len() > 1);
        let letters = letters.filter(|it| it.chars().all(|c| c.is_ascii_alphanumeric()));
        letters.is_some_and(|it| row.code.contains(&&it[it.len() - 1..]))
    };
    options.filter(move |(word, _)| ends_in_code(&word.text)).map(|(_, code)| code)
}

/// What the code of a call is started with: the words from `at` on, and awk's variables.
pub(super) fn given_to(row: &Row, call: &Call, at: usize, is_file: bool) -> Given {
    let words = call.words.get(at..).unwrap_or(&[]);
    let mut given = Given::arguments(row.language, &texts(words), is_file);
    if row.language == Interpreter::Awk {
        let (options, _) = row.grammar.leading(&call.words, 1);
        let options = options.into_iter().filter(|it| matches!(it.name.as_str(), "v" | "assign"));
        let values = options.filter_map(|option| option.value);
        let pairs = values.chain(words.iter().cloned()).filter_map(|word| {
            let (name, text) = word.text.split_once('=')?;
            Some((name.to_owned(), text.to_owned()))
        });
        given.variables = pairs.collect();
    }
    if row.language == Interpreter::Make {
        given = Given::make(&texts(&call.words[1..])).with_environment(&call.assignments);
    }
    // `perl -s … -- -name=text`
    let is_set = |word: &Field| word.text.starts_with("-s") || word.text.starts_with("-ws");
    if row.language == Interpreter::Perl && call.words.iter().take(at).any(is_set) {
        let set = words.iter().filter_map(|word| word.text.strip_prefix('-')?.split_once('='));
        given.variables = set.map(|(name, text)| (format!("${name}"), text.to_owned())).collect();
    }
    let loops: &[&str] = match row.language {
        Interpreter::Perl => &["n", "p", "a", "F"],
        Interpreter::Ruby => &["n", "p"],
        Interpreter::Php => &["R", "F"],
        _ => &[],
    };
    let has = |it: &super::super::table::grammar::Given| loops.contains(&it.name.as_str());
    given.loops = !loops.is_empty() && row.grammar.leading(&call.words, 1).0.iter().any(has);
    given.heard.extend(call.assignments.iter().map(|(_, text)| text.clone()));
    given.input.clone_from(&call.io.stdin);
    given
}

pub(super) fn is_hole(text: &str) -> bool {
    text.chars().eq([HOLE])
}

pub(super) fn is_input(file: &str) -> bool {
    matches!(file, "-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0" | "php://stdin")
}

fn given_a_file(row: &Row, call: &Call, at: usize) -> bool {
    let (given, _) = row.grammar.leading(&call.words[..at], 1);
    given.iter().any(|given| matches!(given.name.as_str(), "f" | "file"))
}
