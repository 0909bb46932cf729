//! The files in a program's arguments: what it writes, removes and reads.

use super::Walker;
use super::expand::has_glob;
use crate::shell::field::{Field, texts};
use crate::shell::table::file_programs::{self, FileProgram, Files};
use crate::shell::table::grammar::{Grammar, Taken, words_of};
use crate::shell::{How, git_folders, last_part};
use std::borrow::Cow;

/// Whether a word is a mode that looks like an option: `-x`.
fn takes_rights(word: &str) -> bool {
    let mode =
        word.strip_prefix('-').filter(|mode| mode.starts_with(['r', 'w', 'x', 'X', 's', 't']));
    mode.is_some_and(|mode| mode.chars().all(|c| "rwxXstugoa,+-=".contains(c)))
}

impl Walker<'_> {
    pub(super) fn files(&mut self, name: &str, words: &[Field]) {
        self.user_writers(name, words);
        let goes = if name == "git" { git_folders(&texts(words)) } else { Vec::new() };
        let before = self.env.directories().to_vec();
        for folder in &goes {
            self.env.put_directories(self.env.located(folder));
        }
        self.files_here(name, words);
        if !goes.is_empty() {
            self.env.put_directories(before);
        }
    }

    fn files_here(&mut self, name: &str, words: &[Field]) {
        // `tar czf a.tgz` is `tar -czf a.tgz`.
        let mut changed = Vec::new();
        if matches!(name, "tar" | "gtar" | "bsdtar")
            && let Some(letters) = words.get(1).filter(|word| !word.text.starts_with('-'))
        {
            changed.extend_from_slice(words);
            changed[1] = letters.with_text(&format!("-{}", letters.text));
        }
        // `chmod -x f` is `chmod a-x f`, as far as files go.
        if matches!(name, "chmod" | "gchmod")
            && let Some(at) = words.iter().position(|word| takes_rights(&word.text))
        {
            changed.extend_from_slice(words);
            changed[at] = words[at].with_text(&format!("a{}", words[at].text));
        }
        let words = if changed.is_empty() { words } else { &changed };
        let mut subcommand = None;
        let mut has_taken = false;
        // The database is only read.
        if name == "sqlite3" && only_asks(words) {
            if let Some(file) = words[1..].iter().find(|word| !word.text.starts_with('-')) {
                self.record_read(&file.text, file.certainty());
            }
            return;
        }
        for row in file_programs::rows(name) {
            let mut from = 1;
            if !row.then.is_empty() {
                from = *subcommand.get_or_insert_with(|| Self::subcommand(name, words));
                let mut given = words.iter().skip(from).map(|word| word.text.as_str());
                if !words_of(row.then).all(|then| given.next() == Some(then)) {
                    continue;
                }
                from += words_of(row.then).count();
            }
            // The first row is included in the cost of the command.
            if !self.budget.spend(usize::from(std::mem::replace(&mut has_taken, true))) {
                break;
            }
            let taken = row.grammar.take(words, from);
            let meant = (row.when.is_empty()
                || taken.options.iter().any(|option| option.abbreviates(row.when)))
                && !taken.options.has(row.unless);
            if meant {
                self.record_files(row, words, &taken);
            }
        }
        if name == "git" {
            self.git_checkout(words);
        }
    }

    fn record_files(&mut self, row: &FileProgram, words: &[Field], taken: &Taken) {
        let operands: Vec<&Field> = taken.operands.iter().map(|place| &words[*place]).collect();
        let option = |names: &'static str| {
            taken
                .options
                .iter()
                .filter(move |option| option.abbreviates(names))
                .filter_map(|option| option.value.as_ref())
        };
        let target = option("t target-directory").next_back();
        let fields: Vec<Cow<Field>> = match row.files {
            Files::After(count) => operands.into_iter().skip(count).map(Cow::Borrowed).collect(),
            Files::AfterProgram(names) => {
                let given = taken.options.has(names);
                operands.into_iter().skip(usize::from(!given)).map(Cow::Borrowed).collect()
            }
            Files::Destination | Files::Last => match (target, &operands[..]) {
                (Some(target), _) => vec![Cow::Borrowed(target)],
                // `ln target` makes the link here, under the target's name.
                (None, [only]) if row.how == Some(How::Link) => {
                    let base = last_part(&only.text);
                    vec![Cow::Owned(only.with_text(base))]
                }
                (None, [.., _, last]) => vec![Cow::Borrowed(*last)],
                (None, _) => Vec::new(),
            },
            Files::Sources => {
                let sources = operands.len().saturating_sub(usize::from(target.is_none()));
                operands.into_iter().take(sources).map(Cow::Borrowed).collect()
            }
            Files::First => operands.into_iter().take(1).map(Cow::Borrowed).collect(),
            Files::Here(fewer) if self.is_elsewhere() && operands.len() < fewer => {
                vec![Cow::Owned(Field::literal("."))]
            }
            Files::Here(_) => Vec::new(),
            Files::Values(names) => option(names).map(Cow::Borrowed).collect(),
            Files::Prefixed(prefix) => {
                let cut = |word: &Field| Some(word.with_text(word.text.strip_prefix(prefix)?));
                operands.into_iter().filter_map(cut).map(Cow::Owned).collect()
            }
        };
        for field in fields {
            if self.budget.is_spent() || row.copies_elsewhere() && field.text.contains(':') {
                break;
            }
            let certainty = self.recorder.certainty(field.certainty());
            match row.how {
                Some(_) if row.takes_pathspecs() && !is_literal_path(&field) => {}
                Some(how) if field.text != "-" => {
                    self.record_write(&field.text, how, certainty);
                }
                Some(_) => {}
                None => self.record_read(&field.text, certainty),
            }
        }
    }

    /// `git checkout -- file`, `git checkout ref file`, `git checkout ./file`
    fn git_checkout(&mut self, words: &[Field]) {
        const CHECKOUT: Grammar = Grammar { letters: "bBU", long: "orphan conflict unified" };
        /// With one of these, no word is a path.
        const OF_BRANCHES: &str = "b B orphan t track d detach";
        let at = Self::subcommand("git", words);
        if words.get(at).is_none_or(|word| word.text != "checkout") {
            return;
        }
        let taken = CHECKOUT.take(words, at + 1);
        let dashes = words.iter().position(|word| word.text == "--");
        let mut paths: Vec<usize> = taken.operands.clone();
        match dashes {
            Some(dashes) => paths.retain(|place| *place > dashes),
            None if taken.options.has(OF_BRANCHES) => return,
            // The first may be a branch.
            None => {
                if paths.first().is_some_and(|place| !is_no_branch(&words[*place].text)) {
                    paths.remove(0);
                }
            }
        }
        for word in paths.iter().map(|place| &words[*place]).filter(|word| is_literal_path(word)) {
            self.record_write(&word.text, How::Write, self.recorder.certainty(word.certainty()));
        }
    }

    /// Whether the line may be in another folder than the one where it started.
    fn is_elsewhere(&self) -> bool {
        self.env.directories().iter().any(|folder| !matches!(folder.as_str(), "" | "."))
    }
}

/// `sqlite3 file "select …"`
fn only_asks(words: &[Field]) -> bool {
    const WRITES: &[&str] = &[";", "writefile", "edit(", "load_extension"];
    let operands = words.iter().skip(1).filter(|word| !word.text.starts_with('-'));
    let mut queries =
        operands.skip(1).map(|word| word.text.trim().trim_end_matches(';')).peekable();
    queries.peek().is_some()
        && queries.all(|query| {
            let query = query.to_lowercase();
            let asks = ["select ", "explain ", ".schema", ".tables", ".dump", ".indexes"];
            asks.iter().any(|verb| query.starts_with(verb))
                && !WRITES.iter().any(|sign| query.contains(sign))
        })
}

/// Whether a word names a file. `.`, `:/` and git's own patterns stand for all changed files, which
/// only git knows.
fn is_literal_path(word: &Field) -> bool {
    let text = word.text.as_str();
    !text.starts_with(':') && !matches!(text, "." | "./" | "..") && (word.glob || !has_glob(text))
}

/// Whether a word can only be a path: no branch's name begins with `/` or `~`, ends with `/`, or has
/// a part that begins with a dot. `a..b` is a range.
fn is_no_branch(text: &str) -> bool {
    let is_range = text.contains("..") && !text.starts_with('.') && !text.contains('/');
    !is_range && (text.starts_with(['.', '/', '~']) || text.ends_with('/') || text.contains("/."))
}
