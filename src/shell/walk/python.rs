//! Modules of Python that are run as programs: those that write a file, those that take code.

use super::super::foreign::Given;
use super::super::table::grammar::Grammar;
use super::super::table::wrappers;
use super::super::{How, Interpreter, last_part};
use super::Walker;
use super::call::Call;
use super::field::{Field, texts};
use super::foreign::is_input;

impl Walker<'_> {
    /// `python -m a.b`: a file of the project, if there is one.
    pub(super) fn module(&mut self, module: &Field, at: usize, call: &Call) {
        let operands = call.words.get(at..).unwrap_or(&[]).iter();
        let mut operands = operands.filter(|word| !word.text.starts_with('-'));
        let verb = call.words.get(at).map_or("", |it| it.text.as_str());
        let (creates, extracts) =
            (matches!(verb, "-c" | "--create"), matches!(verb, "-e" | "--extract"));
        let made = match module.text.as_str() {
            "venv" | "virtualenv" | "py_compile" | "compileall" => operands.next(),
            "zipfile" | "tarfile" if creates => operands.next(),
            "zipfile" | "tarfile" if extracts => operands.next_back(),
            _ => None,
        };
        if let Some(folder) = made {
            self.record_written(folder, How::Directory, self.certainty(folder.certainty()));
        }
        let values = Grammar { letters: "os", long: &["outfile", "output"] };
        let taken = values.take(call.words.get(at.saturating_sub(1)..).unwrap_or(&[]), 1);
        let written = match module.text.as_str() {
            "json.tool" | "uu" | "quopri" => operands.nth(1),
            "cProfile" | "profile" | "trace" => taken.value(&["o", "outfile"]),
            "zipapp" | "pickletools" => taken.value(&["o", "output"]),
            _ => None,
        };
        if let Some(file) = written {
            self.record_written(file, How::Write, self.certainty(file.certainty()));
        }
        match module.text.as_str() {
            // What they are given is code.
            "code" | "asyncio" | "IPython" | "pdb" => {
                let code = call.io.stdin.as_deref().unwrap_or_default();
                self.acts(code, Interpreter::Python, &Given::default());
            }
            // Its words are code.
            "timeit" => {
                let words = texts(call.words.get(at..).unwrap_or(&[]));
                let code = words.join("\n");
                self.acts(&code, Interpreter::Python, &Given::default());
            }
            _ => {}
        }
        match module.text.as_str() {
            // Behind `-c` stand commands of its own, and code.
            "pdb" => {
                let codes = Grammar { letters: "c", long: &["command"] };
                let taken = codes.take(call.words.get(at.saturating_sub(1)..).unwrap_or(&[]), 1);
                let texts = taken.options.iter().filter_map(|it| it.value.as_ref());
                let texts: Vec<&str> = texts.map(|it| it.text.trim_start_matches('!')).collect();
                self.acts(&texts.join("\n"), Interpreter::Python, &Given::default());
            }
            "sqlite3" => {
                let words = call.words.get(at..).unwrap_or(&[]);
                let words = [&[Field::literal("sqlite3")], words].concat();
                self.enter(|walker| walker.call(call.with_words(words)));
            }
            "gzip" if verb == "-d" => {
                let made = operands.clone().map(|it| it.with_text(it.text.trim_end_matches(".gz")));
                for file in made {
                    self.record_written(&file, How::Write, self.certainty(file.certainty()));
                }
            }
            "lib2to3" | "2to3" if call.words.iter().any(|it| it.text == "-w") => {
                for file in operands.clone() {
                    self.record_written(file, How::Edit, self.certainty(file.certainty()));
                }
            }
            _ => {}
        }
        match module.text.as_str() {
            // They run another file, or a module.
            "trace" | "pdb" | "cProfile" | "profile" | "coverage" | "unittest" | "pytest"
            | "doctest" | "runpy" | "bdb" | "kernprof" | "memory_profiler" | "memray"
            | "scalene" | "pyinstrument" | "viztracer" => {
                let words = call.words.get(at..).unwrap_or(&[]).iter();
                let files = words.filter(|word| !word.text.starts_with('-')).cloned();
                for file in files.collect::<Vec<Field>>() {
                    if !self.spend(1) {
                        break;
                    }
                    self.python_file(&file.text, call, module.text == "doctest");
                }
            }
            _ => {}
        }
        let path = module.text.replace('.', "/");
        let arguments = texts(call.words.get(at..).unwrap_or(&[]));
        for file in [format!("{path}.py"), format!("{path}/__main__.py")] {
            if let Some(text) = self.script_text(&file, Interpreter::Python, &arguments) {
                let given = Given::arguments(Interpreter::Python, &arguments, true);
                self.acts(&text, Interpreter::Python, &given);
            }
        }
    }

    /// `uv run file`, `uv run -`, `uv run -m module`: the words as Python's own, where it is no
    /// command.
    pub(super) fn uv_python(&mut self, call: &Call) -> bool {
        // Here `-m` is told apart by itself: its value is the first of Python's own words.
        const UV: Grammar = Grammar { letters: "pwCP", long: wrappers::UV_RUN };
        let verb = Self::subcommand("uv", &call.words);
        if call.words.get(verb).is_none_or(|it| it.text != "run") {
            return false;
        }
        let (given, at) = UV.leading(&call.words, verb + 1);
        let has = |names: &[&str]| given.iter().any(|it| names.contains(&it.name.as_str()));
        let is_module = has(&["m", "module"]);
        let is_file = call.words.get(at).is_some_and(|it| {
            is_input(&it.text)
                || last_part(&it.text).rsplit_once('.').is_some_and(|it| it.1 == "py")
                || has(&["s", "script"])
        });
        if !is_module && !is_file {
            return false;
        }
        let own = ["python", "-m"].map(Field::literal);
        let own = &own[..=usize::from(is_module)];
        let words = [own, call.words.get(at..).unwrap_or(&[])].concat();
        self.enter(|walker| walker.foreign("python", &call.with_words(words)));
        true
    }

    /// A file that another program of Python runs, by its name or its module's.
    fn python_file(&mut self, name: &str, call: &Call, is_test: bool) {
        // Of a text with examples only those run, of a module they do as well.
        let examples = |text: &str| {
            let lines = text.lines().map(str::trim_start);
            let lines = lines.filter_map(|it| it.strip_prefix(">>> ").or(it.strip_prefix("... ")));
            lines.collect::<Vec<&str>>().join("\n")
        };
        let text = if is_input(name) {
            call.io.stdin.as_deref().map(str::to_owned)
        } else {
            self.content(name).filter(|_| is_test)
        };
        if let Some(text) = text.map(|it| if is_test { examples(&it) } else { it }) {
            self.acts(&text, Interpreter::Python, &Given::default());
        }
        let path = match name.strip_suffix(".py") {
            Some(_) => name.to_owned(),
            None => format!("{}.py", name.replace('.', "/")),
        };
        if let Some(text) = self.script_text(&path, Interpreter::Python, &[]) {
            self.acts(&text, Interpreter::Python, &Given::default());
        }
    }
}
