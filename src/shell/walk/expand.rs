//! Words to fields: the expansions in bash's order, with holes where text cannot be known.

use super::super::syntax::{Part, Word};
use super::super::{HOLE, limit};
use super::env::{Made, Value};
use super::field::Field;
use super::output::unescaped;
use super::pattern::Pattern;
use super::start::START;
use super::{Io, Walker, brace};
use std::rc::Rc;

/// So many words with an expansion in them are a unit of work.
const EXPANDED_AT_ONCE: usize = 3;

/// What a parameter stands for.
pub(super) enum Expansion {
    One(String),
    /// `$@` and `${a[@]}`
    Many(Vec<String>),
    /// Unknown, but a single word in any case.
    Number,
}

/// Which of several values a variable has in this reading of a command.
#[derive(Debug)]
pub(super) struct Choice {
    name: String,
    index: usize,
    count: usize,
}

impl Walker<'_> {
    pub(super) fn fields(&mut self, words: &[Word]) -> Vec<Field> {
        let mut fields = Vec::with_capacity(words.len());
        let mut expanded = 0;
        for word in words {
            let before = fields.len();
            let is_plain = matches!(word.parts[..], [Part::Text { .. }]);
            expanded += usize::from(!is_plain);
            // A POSIX shell leaves braces alone; which one `sh` is, is not known.
            if word.braces && (!self.posix || self.choose("{", 2) == Some(0)) {
                for word in brace::expand(word) {
                    self.field(&word, &mut fields);
                }
            } else {
                self.field(word, &mut fields);
            }
            // A long list of files is no long list of work; what words become is.
            let made = fields.len() - before;
            let units = usize::from(word.braces) + made / 16 + usize::from(!is_plain) * (made / 2);
            if !self.spend(units + usize::from(expanded == EXPANDED_AT_ONCE)) {
                break;
            }
            expanded %= EXPANDED_AT_ONCE;
        }
        fields
    }

    fn field(&mut self, word: &Word, fields: &mut Vec<Field>) {
        if let [Part::Text { text, quoted }] = &word.parts[..] {
            if let Some(text) = self.known_folder(text).filter(|_| !quoted) {
                fields.push(Field { glob: has_glob(&text), text, loose: false, resolved: true });
                return;
            }
            let glob = !quoted && has_glob(text);
            // In code that was put together, what was not known of it may be no word, too.
            let loose = !quoted && text.starts_with(HOLE) && text.chars().all(|it| it == HOLE);
            fields.push(Field { text: text.clone(), glob, loose, resolved: false });
            return;
        }
        let mut current: Option<Field> = None;
        // `"$@"` without parameters is no word, quotes or not.
        let mut none = false;
        // `gi["t"]`: what is quoted within a bracket is one of its characters.
        let mut is_open = false;
        for part in &word.parts {
            let quoted = match part {
                Part::Text { text, quoted } => {
                    let is_first = current.is_none() && !quoted && text.starts_with('~');
                    let folder = if is_first { self.known_folder(text) } else { None };
                    let text = folder.as_ref().unwrap_or(text);
                    let field = current.get_or_insert_default();
                    if !quoted {
                        field.glob |= has_glob(text) || is_open && text.contains(']');
                        is_open |= text.contains('[');
                    }
                    field.text.push_str(text);
                    continue;
                }
                Part::Parameter { quoted, .. } | Part::Command { quoted, .. } => *quoted,
                Part::Arithmetic(_) | Part::Process { .. } | Part::Array(_) => true,
            };
            let expansion = self.part(part);
            match expansion {
                Expansion::Number => {
                    let field = current.get_or_insert_default();
                    field.text.push(HOLE);
                    field.resolved = true;
                }
                Expansion::One(text)
                    if is_behind(part, &text, current.as_ref().map_or("", |it| &it.text)) =>
                {
                    let field = current.get_or_insert_default();
                    field.text.push_str(&text.replacen(['.', '~', START], "\u{FFFC}", 1));
                    field.resolved = true;
                }
                Expansion::One(text) if quoted => {
                    let field = current.get_or_insert_default();
                    field.text.push_str(&text);
                    field.resolved = true;
                }
                Expansion::One(text) => self.split(&text, &mut current, fields, &mut is_open),
                Expansion::Many(texts) => {
                    none |= texts.is_empty();
                    for (index, text) in texts.iter().enumerate() {
                        if index > 0 {
                            fields.extend(current.take());
                        }
                        if quoted {
                            let field = current.get_or_insert_default();
                            field.text.push_str(text);
                            field.resolved = true;
                            // `"$@"` of unknown parameters may be several words.
                            field.loose |= field.is_unknown();
                        } else {
                            self.split(text, &mut current, fields, &mut is_open);
                        }
                    }
                }
            }
        }
        fields.extend(current.filter(|field| !(none && field.text.is_empty())));
    }

    /// `~+/a` lies where the line stands, `~-/a` where it stood before, `~1/a` where `pushd` knows.
    fn known_folder(&self, text: &str) -> Option<String> {
        let rest = text.strip_prefix('~')?;
        let (name, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let folder = match name {
            "+" => "",
            "-" => match &self.env.previous[..] {
                [only] if only.starts_with(['/', '~']) => only,
                _ => "\u{FFFC}",
            },
            _ => {
                let number = name.trim_start_matches(['+', '-']);
                let is_number = !number.is_empty() && number.bytes().all(|it| it.is_ascii_digit());
                is_number.then_some("\u{FFFC}")?
            }
        };
        Some(if folder.is_empty() { format!(".{path}") } else { format!("{folder}{path}") })
    }

    /// Splits the text of an unquoted expansion at the characters of `IFS`.
    /// `is_open`: a bracket has been opened in the word that `current` is.
    fn split(
        &mut self,
        text: &str,
        current: &mut Option<Field>,
        fields: &mut Vec<Field>,
        is_open: &mut bool,
    ) {
        // What nobody knows, as most of what a line has not set itself.
        if text.len() == HOLE.len_utf8() && text.starts_with(HOLE) {
            let field = current.get_or_insert_default();
            field.text.push(HOLE);
            (field.resolved, field.loose) = (true, true);
            return;
        }
        let ifs = self.separators();
        // More than the two signs that say so at once.
        let is_pattern = has_glob(text);
        for character in text.chars() {
            if ifs.contains(character) {
                *is_open = false;
                if character.is_whitespace() {
                    fields.extend(current.take());
                } else {
                    fields.push(current.take().unwrap_or_default());
                }
                continue;
            }
            let field = current.get_or_insert_default();
            field.text.push(character);
            field.resolved = true;
            field.loose |= character == HOLE;
            field.glob |= is_pattern && matches!(character, '*' | '?' | '[' | '(')
                || *is_open && character == ']';
            *is_open |= character == '[';
        }
    }

    /// What `IFS` is in this reading.
    pub(super) fn separators(&mut self) -> &str {
        const OWN: &str = " \t\n";
        let count = self.env.variable("IFS").map_or(0, |it| it.values.len());
        let chosen = if count > 1 { self.choose("IFS", count).unwrap_or(count) } else { 0 };
        let value = self.env.variable("IFS").and_then(|it| it.values.get(chosen));
        value.map(Value::scalar).filter(|it| !it.contains(HOLE)).unwrap_or(OWN)
    }

    fn part(&mut self, part: &Part) -> Expansion {
        match part {
            Part::Text { text, .. } => Expansion::One(text.clone()),
            Part::Parameter { parameter, quoted } => self.parameter(parameter, *quoted),
            Part::Command { list, quoted } => {
                let outer = std::mem::take(&mut self.doubt);
                let mut output = self.substituted(list);
                let doubt = std::mem::replace(&mut self.doubt, outer);
                if doubt.again {
                    output.push(HOLE);
                }
                let text = trimmed(&output);
                // A hole alone says that it may be anything already.
                if text.chars().all(|it| it == HOLE) {
                    return Expansion::One(text);
                }
                if doubt.part {
                    return Expansion::One(self.some_of(&text, list));
                }
                let mut ways = vec![text];
                if doubt.escaped {
                    ways.push(unescaped(&ways[0]));
                }
                // Without the word there is no blank before it.
                if doubt.loose && *quoted {
                    ways.push(ways[0].replace(" \u{FFFC}", "\u{FFFC}"));
                }
                if doubt.again && doubt.silent {
                    // It may have been shown once.
                    ways.push(ways[0].trim_end_matches(['\n', HOLE]).to_owned());
                }
                if doubt.parted || doubt.silent {
                    // It may be only some of its lines: one of them, most likely.
                    let lines: Vec<&str> = ways[0].lines().filter(|it| *it != "\u{FFFC}").collect();
                    if (1..=limit::VALUES).contains(&lines.len()) && lines[0] != ways[0] {
                        let lines: Vec<String> = lines.into_iter().map(str::to_owned).collect();
                        ways.extend(lines);
                    }
                }
                // A branch that was not taken shows nothing.
                if doubt.silent {
                    ways.push(String::new());
                }
                ways.dedup();
                match self.choose(&format!("$({:p}", Rc::as_ptr(list)), ways.len()) {
                    Some(chosen) => Expansion::One(ways.swap_remove(chosen)),
                    None => Expansion::One(HOLE.to_string()),
                }
            }
            Part::Arithmetic(word) => {
                let text = self.text(word);
                let value = self.counted(&text);
                value.map_or(Expansion::Number, |it| Expansion::One(it.to_string()))
            }
            Part::Process { list, input } => {
                // Bash passes a path; what is read from it is what the list shows.
                let path = format!("/dev/fd/{}", self.next_descriptor);
                self.next_descriptor += 1;
                if *input {
                    let output = self.substituted(list);
                    self.env.files.insert(path.clone(), Made::Text(output));
                } else {
                    if self.processes.len() < super::limit::CHOICES {
                        self.processes.push((path.clone(), Rc::clone(list)));
                    }
                    let io = Io { stdin: Some(Rc::from(HOLE.to_string())), capture: false };
                    let repeating = std::mem::take(&mut self.repeating);
                    self.muted += usize::from(repeating);
                    self.subshell(list, &io);
                    self.muted -= usize::from(repeating);
                    self.repeating = repeating;
                }
                Expansion::One(path)
            }
            Part::Array(words) => {
                for word in words.iter() {
                    self.text(word);
                }
                Expansion::Number
            }
        }
    }

    /// Some of the lines of an output, in whatever order.
    fn some_of(&mut self, text: &str, list: &super::List) -> String {
        let mut lines = text.lines().map(str::to_owned);
        let mut ways = match (lines.next(), lines.next(), lines.next()) {
            (Some(only), None, _) => vec![only, String::new()],
            (Some(first), Some(second), None) => {
                let turned = format!("{second}\n{first}");
                vec![text.to_owned(), turned, first, second, String::new()]
            }
            _ => {
                let lines = text.lines().take(limit::VALUES).map(str::to_owned);
                lines.chain([HOLE.to_string()]).collect()
            }
        };
        match self.choose(&format!("$({list:p}"), ways.len()) {
            Some(chosen) => ways.swap_remove(chosen),
            None => HOLE.to_string(),
        }
    }

    /// The output of a substitution.
    pub(super) fn substituted(&mut self, list: &super::List) -> String {
        self.spend(1);
        let repeating = std::mem::take(&mut self.repeating);
        self.muted += usize::from(repeating);
        let out = self.sinks.out.take();
        let io = Io { stdin: None, capture: true };
        let output = self.feeding(|walker| walker.subshell(list, &io));
        self.sinks.out = out;
        self.muted -= usize::from(repeating);
        self.repeating = repeating;
        output
    }

    /// A word where no splitting is done: a value, a redirection, the subject of a `case`.
    pub(super) fn text(&mut self, word: &Word) -> String {
        if let [Part::Text { text, quoted: false }] = &word.parts[..]
            && let Some(text) = self.known_folder(text)
        {
            return text;
        }
        let mut text = String::new();
        for part in &word.parts {
            match part {
                Part::Text { text: own, quoted: false } if text.is_empty() => {
                    text.push_str(self.known_folder(own).as_ref().unwrap_or(own));
                }
                Part::Text { text: own, .. } => text.push_str(own),
                part => match self.part(part) {
                    Expansion::One(more) if is_behind(part, &more, &text) => {
                        text.push_str(&more.replacen(['.', '~', START], "\u{FFFC}", 1));
                    }
                    Expansion::One(more) => text.push_str(&more),
                    Expansion::Many(more) => text.push_str(&more.join(" ")),
                    Expansion::Number => text.push(HOLE),
                },
            }
        }
        if !self.spend(text.len() / 256) || text.len() > limit::TEXT {
            return HOLE.to_string();
        }
        text
    }

    /// A word as a pattern: quoted characters are literal.
    pub(super) fn pattern(&mut self, word: &Word) -> Pattern {
        let mut pattern = Pattern::default();
        for part in &word.parts {
            match part {
                Part::Text { text, quoted } => pattern.push(text, *quoted),
                part => {
                    let quoted = is_quoted(part);
                    match self.part(part) {
                        Expansion::One(text) => {
                            pattern.unknown |= text.contains(START);
                            pattern.push(&text, quoted);
                        }
                        Expansion::Many(texts) => pattern.push(&texts.join(" "), quoted),
                        Expansion::Number => pattern.unknown = true,
                    }
                }
            }
        }
        pattern
    }

    /// Which of `count` values `name` has in this reading. `None` where there are too many
    /// readings already.
    pub(super) fn choose(&mut self, name: &str, count: usize) -> Option<usize> {
        if count == 1 {
            return Some(0);
        }
        if let Some(choice) = self.choices.iter().find(|choice| choice.name == name) {
            return Some(choice.index.min(count - 1));
        }
        let readings: usize = self.choices.iter().map(|choice| choice.count).product();
        if readings * count > limit::CHOICES {
            return None;
        }
        self.choices.push(Choice { name: name.to_owned(), index: 0, count });
        Some(0)
    }

    /// Goes on to the next reading; `false` after the last.
    pub(super) fn next_choice(&mut self) -> bool {
        while let Some(mut choice) = self.choices.pop() {
            choice.index += 1;
            if choice.index < choice.count {
                self.choices.push(choice);
                return true;
            }
        }
        false
    }
}

/// Whether what an expansion gives stands for itself in a pattern.
pub(super) fn is_quoted(part: &Part) -> bool {
    matches!(part, Part::Parameter { quoted: true, .. } | Part::Command { quoted: true, .. })
}

/// Whether what stands for a folder that is not known comes behind a name: `a$PWD/b` lies below `a`,
/// and not where the line stands.
fn is_behind(part: &Part, text: &str, before: &str) -> bool {
    let Part::Parameter { parameter, .. } = part else { return false };
    matches!(parameter.name.as_str(), "PWD" | "HOME")
        && text.starts_with(['.', '~', START])
        && before.ends_with(|c: char| c.is_alphanumeric())
}

/// An output without the newlines at its end. A hole there may be nothing, so that newlines before
/// it are at the end, too.
fn trimmed(output: &str) -> String {
    let known = output.trim_end_matches(['\n', HOLE]);
    let mut text = known.to_owned();
    if output[known.len()..].contains(HOLE) {
        text.push(HOLE);
    }
    text
}

/// Whether file names may be put in the place of an unquoted word.
pub(super) fn has_glob(text: &str) -> bool {
    // Every word is asked.
    let bytes = text.as_bytes();
    bytes.iter().any(|it| matches!(it, b'*' | b'?'))
        || bytes.iter().position(|it| *it == b'[').is_some_and(|at| bytes[at..].contains(&b']'))
        || bytes.windows(2).any(|it| matches!(it, b"@(" | b"+(" | b"!("))
}
