//! The files in a program's arguments: what it writes, removes and reads.

use super::super::table::grammar::Taken;
use super::super::table::writers::{self, FileProgram, Files};
use super::super::{Certainty, HOLE, How, Link, last_part};
use super::Walker;
use super::address::{file_of_address, name_of_address, with_any};
use super::env::Made;
use super::field::Field;
use super::pathspec::{asks_for_more, without_magic};
use super::sql::statements;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// More links are not kept.
const LINKS: usize = 64;

/// Whether a word is a mode that takes something, which looks like an option.
fn takes_rights(word: &str) -> bool {
    let mode = word.strip_prefix('-').filter(|it| it.starts_with(['r', 'w', 'x', 'X', 's', 't']));
    mode.is_some_and(|it| it.chars().all(|c| "rwxXstugoa,+-=".contains(c)))
}

impl Walker<'_> {
    pub(super) fn files(&mut self, name: &str, words: &[Field]) {
        self.user_rows(name, words);
        // `tar czf a.tgz` is `tar -czf a.tgz`.
        let mut own = Vec::new();
        if matches!(name, "tar" | "gtar" | "bsdtar")
            && let Some(letters) = words.get(1).filter(|word| !word.text.starts_with('-'))
        {
            own.extend_from_slice(words);
            own[1] = letters.with_text(&format!("-{}", letters.text));
        }
        // `chmod -x f` is `chmod a-x f`, as far as files go.
        if matches!(name, "chmod" | "gchmod")
            && let Some(at) = words.iter().position(|word| takes_rights(&word.text))
        {
            own.extend_from_slice(words);
            own[at] = words[at].with_text(&format!("a{}", words[at].text));
        }
        let words = if own.is_empty() { words } else { &own };
        let mut subcommand = None;
        let mut has_taken = false;
        let brings =
            matches!(name, "cp" | "gcp" | "ln" | "gln" | "mv" | "gmv" | "install" | "ginstall")
                || name == "git" && words.get(1).is_some_and(|word| word.text == "mv");
        let brought = if brings && self.spend(1) { self.brought(name, words) } else { Vec::new() };
        let mut before = Vec::with_capacity(brought.len());
        for (path, _) in &brought {
            self.may_stay(path);
            before.push(self.made_at(path));
        }
        // A database that is only read, by commands that write no other file.
        if name == "sqlite3" && is_readonly(words) {
            if let Some(file) = words[1..].iter().find(|word| !word.text.starts_with('-')) {
                self.record_read(&file.text, file.certainty());
            }
            return;
        }
        for row in writers::rows(name) {
            let mut from = 1;
            if !row.then.is_empty() {
                from = *subcommand.get_or_insert_with(|| Self::subcommand(name, words));
                let mut given = words.iter().skip(from).map(|word| word.text.as_str());
                if !row.then.iter().all(|then| given.next() == Some(then)) {
                    continue;
                }
                from += row.then.len();
            }
            // The command itself has paid for one.
            if !self.spend(usize::from(std::mem::replace(&mut has_taken, true))) {
                break;
            }
            let taken = row.grammar.take(words, from);
            let meant = (row.when.is_empty() || taken.may_have(row.when)) && !taken.has(row.unless);
            if meant {
                self.touched(row, words, &taken);
            }
        }
        if name == "git" {
            let at = subcommand.unwrap_or_else(|| Self::subcommand(name, words));
            if words.get(at).is_some_and(|word| word.text == "clean") {
                self.cleaned(words, at + 1);
            }
            self.checked_out(words);
            self.untracked(words);
        }
        self.linked(name, words, &brought);
        for ((path, made), before) in brought.into_iter().zip(before) {
            self.is_brought(path, made, before);
        }
    }

    /// Links by name, and such that have another place now.
    fn linked(&mut self, name: &str, words: &[Field], brought: &[(String, Made)]) {
        if self.muted > 0 || brought.is_empty() {
            return;
        }
        // Two names of one file are as good as a link by name.
        let is_short =
            |it: &str| !it.starts_with("--") && it.starts_with('-') && it.contains(['s', 'l']);
        let mut options = words.iter().skip(1).map(|word| word.text.as_str());
        let links = matches!(name, "ln" | "gln")
            || matches!(name, "cp" | "gcp")
                && options.any(|it| is_short(it) || it.starts_with("--sy") || it == "--link");
        for (path, made) in brought {
            let Made::File(target) = made else { continue };
            let is_link = |it: &Link| it.target == *target;
            if path.is_empty()
                || path == target
                || !links && !self.reading.links.iter().any(is_link)
            {
                continue;
            }
            let link = Link { path: path.clone(), target: target.clone() };
            if self.reading.links.len() < LINKS && !self.reading.links.contains(&link) {
                self.reading.links.push(link);
            }
        }
    }

    fn touched(&mut self, row: &FileProgram, words: &[Field], taken: &Taken) {
        let operands: Vec<&Field> = taken.operands.iter().map(|place| &words[*place]).collect();
        let option = |names: &'static [&'static str]| {
            taken
                .options
                .iter()
                .filter(move |given| given.is(names))
                .filter_map(|given| given.value.as_ref())
        };
        let target = option(&["t", "target-directory"]).next_back();
        let fields: Vec<Cow<Field>> = match row.files {
            Files::After(count) => operands.into_iter().skip(count).map(Cow::Borrowed).collect(),
            Files::Renamed => {
                let is_code = |word: &&Field| word.text.contains(['/', ';', '$', '(']);
                let count = match operands.first() {
                    _ if taken.has(&["e", "expr"]) => 0,
                    Some(word) if is_code(word) => 1,
                    _ => 2,
                };
                operands.into_iter().skip(count).map(Cow::Borrowed).collect()
            }
            Files::AfterProgram(names) => {
                let given = taken.has(names);
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
            Files::Below(names) => match option(names).next_back() {
                None => operands.into_iter().map(Cow::Borrowed).collect(),
                Some(folder) => operands
                    .into_iter()
                    .map(|word| Cow::Owned(word.with_text(&super::join(&folder.text, &word.text))))
                    .collect(),
            },
            Files::Here(fewer) if self.has_gone() && operands.len() < fewer => {
                vec![Cow::Owned(Field::literal("."))]
            }
            Files::Fetched if self.has_gone() => {
                let address = operands.last().map_or("", |word| word.text.as_str());
                let name = name_of_address(address);
                let names = ["."].into_iter().chain(Some(&*name).filter(|it| !it.is_empty()));
                names.map(|name| Cow::Owned(Field::literal(name))).collect()
            }
            Files::ValuesIn(names, folders) => {
                let folders = distinct(option(folders));
                let files = option(names).map(|it| (it, Cow::Borrowed(it.text.as_str())));
                self.placed(files, &folders)
            }
            Files::FetchedTo(folders) => {
                let folders = distinct(option(folders));
                let addresses = operands.into_iter().chain(option(&["url"]));
                self.placed(addresses.map(|it| (it, name_of_address(&it.text))), &folders)
            }
            Files::SentTo(names) => {
                let addresses = operands.into_iter().chain(option(&["url"]));
                self.sent_to(addresses, &option(names).collect::<Vec<&Field>>())
            }
            Files::Within(names) if self.has_gone() => option(names).map(Cow::Borrowed).collect(),
            Files::Here(_) | Files::Within(_) | Files::Fetched => Vec::new(),
            Files::Values(names) => option(names).map(Cow::Borrowed).collect(),
            Files::Braced(names, opening) => braced(option(names), opening),
            Files::Unpacked => cut(operands, without_ending),
            Files::Prefixed(prefix) => cut(operands, |it| it.strip_prefix(prefix)),
        };
        for field in fields {
            if self.is_spent() || row.copies_elsewhere() && field.text.contains(':') {
                break;
            }
            let certainty = self.certainty(field.certainty());
            match row.how {
                Some(how) if row.takes_pathspecs() => {
                    self.git_path(row, (how, certainty), &field, words);
                    self.unmake(&field, how);
                }
                Some(how) if field.text != "-" => {
                    self.record_written(&field, how, certainty);
                    if row.files.are_whole() {
                        self.record_unknown_text(&field.text);
                    }
                    self.unmake(&field, how);
                }
                Some(_) => {}
                None => self.record_read(&field.text, certainty),
            }
        }
    }

    /// What git takes for a path.
    fn git_path(
        &mut self,
        row: &FileProgram,
        (how, certainty): (How, Certainty),
        field: &Field,
        words: &[Field],
    ) {
        let more = || match row.then {
            ["stash", ..] => words.iter().any(|it| it.text.starts_with(HOLE)),
            _ => asks_for_more(words),
        };
        let is_kept = row.puts_back() && (field.is_unknown() || !more());
        self.put_back(is_kept, |walker| {
            walker.record_written(&without_magic(field), how, certainty);
            walker.hidden_from_shells(field, how);
        });
    }

    /// Files as a program finds them in each of the folders that it is told of: `d/f`, and `d//f` for
    /// what is absolute. Without any they are where they say. Each path is paid before it is made.
    fn placed<'a>(
        &mut self,
        files: impl Iterator<Item = (&'a Field, Cow<'a, str>)>,
        folders: &[&str],
    ) -> Vec<Cow<'a, Field>> {
        let mut placed = Vec::new();
        for (word, name) in files.filter(|(_, name)| !matches!(&**name, "" | "-")) {
            for folder in folders.iter().filter(|it| !it.is_empty()) {
                let length = folder.len() + name.len();
                if !self.spend(usize::from(folders.len() > 1) + length / 64) {
                    return placed;
                }
                let path = format!("{}/{name}", folder.trim_end_matches('/'));
                placed.push(Cow::Owned(word.with_text(&path)));
            }
            // One of the folders may be nothing, and not every program puts it before what is
            // absolute.
            let is_bare = folders.is_empty() || folders.contains(&"");
            if is_bare || name.starts_with(['/', '~']) {
                placed.push(Cow::Owned(word.with_text(&name)));
            }
        }
        placed
    }

    /// The files that addresses name, for what is sent: behind a folder it keeps its name.
    fn sent_to<'a>(
        &mut self,
        addresses: impl Iterator<Item = &'a Field>,
        sent: &[&Field],
    ) -> Vec<Cow<'a, Field>> {
        let mut files = Vec::new();
        for word in addresses {
            let Some(file) = file_of_address(&word.text) else { continue };
            let names: Vec<Cow<str>> = if file.ends_with('/') {
                sent.iter().map(|it| with_any(last_part(&it.text))).collect()
            } else {
                vec![Cow::Borrowed("")]
            };
            for name in names {
                if !self.spend(1 + (file.len() + name.len()) / 64) {
                    return files;
                }
                files.push(Cow::Owned(word.with_text(&format!("{file}{name}"))));
            }
        }
        files
    }

    /// Whether the line may stand elsewhere than where it started. There nobody asks what a program
    /// puts into its folder.
    fn has_gone(&self) -> bool {
        self.env.directories().iter().any(|it| !matches!(it.as_str(), "" | "."))
    }
}

/// Folders that options name, each once. The last one counts, but curl has one for each `--next`,
/// and what looks like the last may be the value of an option that nobody knows.
fn distinct<'a>(folders: impl Iterator<Item = &'a Field>) -> Vec<&'a str> {
    let folders: BTreeSet<&str> = folders.map(|it| it.text.as_str()).collect();
    folders.into_iter().collect()
}

/// `sqlite3 -readonly file "select …"`
fn is_readonly(words: &[Field]) -> bool {
    const WRITES: &[&str] =
        &["attach", "vacuum", "writefile", "edit(", "load_extension", "fts3_tokenizer"];
    // They show what is there.
    const SHOWS: &[&str] = &[
        ".tables",
        ".schema",
        ".dump",
        ".indexes",
        ".indices",
        ".databases",
        ".fullschema",
        ".headers",
        ".mode",
        ".width",
        ".dbinfo",
    ];
    let is_told = words.iter().any(|word| word.text.trim_start_matches('-') == "readonly");
    let is_plain = |word: &Field| {
        let text = word.text.to_lowercase();
        let shows = |line: &str| SHOWS.contains(&line.split_whitespace().next().unwrap_or(""));
        let is_command = |line: &&str| line.trim_start().starts_with('.');
        let asks = |it: &str| ["select", "explain"].iter().any(|verb| it.starts_with(verb));
        !word.has_hole()
            && text.lines().filter(is_command).all(shows)
            && !WRITES.iter().any(|it| text.contains(it))
            && (is_told || statements(&text).into_iter().all(asks))
    };
    let mut options = words.iter().skip(1).take_while(|word| word.text.starts_with('-'));
    let is_it = options.all(|word| {
        matches!(
            word.text.trim_start_matches('-'),
            "readonly" | "json" | "csv" | "header" | "column" | "line" | "list" | "box" | "table"
        )
    });
    let mut operands = words.iter().skip(1).skip_while(|word| word.text.starts_with('-'));
    let has_file = operands.next().is_some_and(|file| !file.text.contains(':'));
    is_it && has_file && operands.clone().next().is_some() && operands.all(is_plain)
}

/// The files that stand so in values: `%output{file}`.
fn braced<'a>(values: impl Iterator<Item = &'a Field>, opening: &str) -> Vec<Cow<'a, Field>> {
    let file = |word: &Field| {
        let (_, text) = word.text.split_once(opening)?;
        let path = text.split('}').next()?.trim_start_matches('>');
        Some(Cow::Owned(word.with_text(path)))
    };
    values.filter_map(file).collect()
}

/// What is left of words, of those that have it.
fn cut<'a>(words: Vec<&Field>, left: impl Fn(&str) -> Option<&str>) -> Vec<Cow<'a, Field>> {
    let words = words.into_iter();
    words.filter_map(|word| Some(Cow::Owned(word.with_text(left(&word.text)?)))).collect()
}

/// `a/b` of `a/b.gz`.
fn without_ending(path: &str) -> Option<&str> {
    const PACKED: &[&str] =
        &["gz", "bz2", "xz", "zst", "lzma", "lz4", "br", "Z", "z", "tgz", "bz", "tbz2"];
    let (bare, ending) = path.rsplit_once(['.', '-', '_'])?;
    (PACKED.contains(&ending) && !bare.ends_with('/')).then_some(bare)
}
