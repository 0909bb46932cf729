//! What programs show, for the few whose output can be known: the data flow through pipes and
//! substitutions.

use super::super::table::grammar::Grammar;
use super::super::{HOLE, last_part, limit};
use super::call::Call;
use super::env::Value;
use super::field::Field;
use super::shown::shown;
use super::start::follows;
use super::{Walker, filter};
use filter::Room;

/// The output of something that is not modelled.
pub(super) fn unknown_output(call: &Call) -> String {
    if call.io.capture { HOLE.to_string() } else { String::new() }
}

impl Walker<'_> {
    /// What a program shows; a hole where that is not known.
    pub(super) fn output(&mut self, name: &str, call: &Call) -> String {
        let words = &call.words[1..];
        let stdin = call.io.stdin.as_deref();
        let text = match name {
            "echo" => {
                let text = echo(words);
                // The `echo` of some shells decodes without being told to.
                if text.contains('\\') && unescaped(&text) != text {
                    self.doubt.escaped = true;
                    self.echoes_escapes = true;
                }
                self.doubt.loose |= words.iter().skip(1).any(|it| it.loose && it.is_unknown());
                Some(text)
            }
            "printf" if words.first().is_none_or(|word| word.text != "-v") => Some(printf(words)),
            // `rm -v` says what it does.
            "mkdir" | "rm" | "chmod" if words.iter().any(|it| may_say(&it.text)) => None,
            "true" | "false" | ":" | "sleep" | "mkdir" | "rm" | "touch" | "chmod" | "test"
            | "[" => Some(String::new()),
            "cat" | "tee" => self.concatenated(name, words, stdin),
            "paste" => self.side_by_side(words, stdin),
            // `type -t git` says what kind it is.
            "type" if words.first().is_some_and(|it| it.text.starts_with("-t")) => None,
            "which" | "command" | "type" | "whereis" => self.located_program(name, words),
            "compgen" => self.completed(words),
            "ls" => listed(words),
            "stat" | "gstat" => named(words),
            "dirname" | "gdirname" => folders(words),
            "readlink" | "greadlink" | "realpath" | "grealpath" => followed(words)
                .map(|it| if follows(name, words) { self.made_absolute(&it) } else { it }),
            "basename" | "gbasename" => match self.env.directories() {
                // The directory, asked for.
                [only] if words.iter().any(|it| it.text == ".") => {
                    let name = only.rsplit('/').next().filter(|it| !matches!(*it, "" | ".."));
                    name.map(|it| format!("{it}\n"))
                }
                _ => base(words),
            },
            "pwd" => Some(match self.env.directories() {
                [only] => self.since_start(only) + "\n",
                _ => ".\n".to_owned(),
            }),
            "printenv" => match words {
                [only] => self.env.variable(&only.text).map(|it| {
                    self.doubt.parted |= it.values.len() > 1;
                    let values: Vec<&str> = it.values.iter().map(Value::scalar).collect();
                    values.join("\n")
                }),
                _ => None,
            },
            _ => self
                .decoded_by_module(name, words, stdin)
                .or_else(|| self.filtered(name, words))
                .or_else(|| self.configured(&call.words).filter(|_| name == "git"))
                .or_else(|| {
                    let stdin = stdin.filter(|stdin| !stdin.chars().eq([HOLE]))?;
                    self.filter(name, words, stdin)
                })
                .or_else(|| self.shown_by_code(name, call))
                .or_else(|| self.searched(name, &call.words)),
        };
        text.filter(|text| self.spend(text.len() / 256)).unwrap_or(HOLE.to_string())
    }

    /// `command -v git` shows the way to git; `type git` and `whereis git` name it first.
    fn located_program(&self, by: &str, words: &[Field]) -> Option<String> {
        let name = &*words.iter().rev().find(|word| !word.text.starts_with('-'))?.text;
        let own = self.options.own.as_ref().filter(|_| name == "roz");
        let path = own.cloned().unwrap_or_else(|| format!("/usr/bin/{name}"));
        let is_bare =
            words.iter().any(|it| it.text.starts_with('-') && it.text.contains(['p', 'P']));
        Some(match by {
            "type" if !is_bare => format!("{name} is {path}\n"),
            "whereis" => format!("{name}: {path}\n"),
            _ => path + "\n",
        })
    }

    /// What the words of a program say that it shows. Of what may be more, a line may be all.
    fn shown_by_code(&mut self, name: &str, call: &Call) -> Option<String> {
        let text = shown(name, &call.words)?;
        self.doubt.parted |= text.starts_with(HOLE);
        Some(text)
    }

    /// `compgen -A function f`: the line's own functions of which the names begin so.
    fn completed(&mut self, words: &[Field]) -> Option<String> {
        let start = words.last().map_or("", |it| it.text.as_str());
        let start = if start.starts_with('-') || start == "function" { "" } else { start };
        let names = self.env.function_names().filter(|it| it.starts_with(start));
        let shown: String = names.take(limit::VALUES).flat_map(|it| [it.as_str(), "\n"]).collect();
        (!shown.is_empty() && words.iter().any(|it| it.text == "function")).then_some(shown)
    }

    /// What a filter shows of a file that it is given by name: `base64 -d f`, `cut -c2- f`.
    fn filtered(&mut self, name: &str, words: &[Field]) -> Option<String> {
        let is_operand = |word: &&Field| !word.text.starts_with('-') && !word.text.is_empty();
        let file = words.last().filter(is_operand)?;
        let text = self.content(&file.text).filter(|text| !text.chars().eq([HOLE]))?;
        self.filter(name, &words[..words.len() - 1], &text)
    }

    /// What a filter makes of a text, paid for.
    fn filter(&mut self, name: &str, words: &[Field], input: &str) -> Option<String> {
        let mut room = Room::default();
        room.is_part = self.doubt.part;
        room.is_unsure = self.doubt.silent || self.doubt.again || self.doubt.parted;
        let text = filter::filter(name, words, input, &mut room);
        self.doubt.part = room.is_part;
        text.filter(|_| self.spend((input.len() + room.taken()) / 256))
    }

    /// `python3 -m base64 -d`
    fn decoded_by_module(
        &mut self,
        name: &str,
        words: &[Field],
        stdin: Option<&str>,
    ) -> Option<String> {
        let [option, module, rest @ ..] = words else { return None };
        let is_it = name.starts_with("py") && option.text == "-m" && module.text == "base64";
        self.filter("base64", rest, stdin.filter(|_| is_it)?)
    }

    fn concatenated(&mut self, name: &str, words: &[Field], stdin: Option<&str>) -> Option<String> {
        let files: Vec<&Field> =
            words.iter().filter(|w| !w.text.starts_with('-') || w.text == "-").collect();
        if name == "tee" {
            let text = stdin?.to_owned();
            for file in files {
                // `tee >(bash)`
                let list = self.processes.iter().rev().find(|it| it.0 == file.text);
                if let Some((_, list)) = list.cloned() {
                    // Nothing known: as it was walked with already.
                    if text.trim().chars().eq([HOLE]) {
                        continue;
                    }
                    let io = super::Io { stdin: Some(text.as_str().into()), capture: false };
                    self.subshell(&list, &io);
                    continue;
                }
                self.make(&file.text, &text, false);
            }
            return Some(text);
        }
        if files.is_empty() {
            return stdin.map(str::to_owned);
        }
        let content = |file: &Field| match file.text.as_str() {
            "-" => stdin.map(str::to_owned),
            path => self.content(path),
        };
        // What is unknown of several files hides nothing of the others.
        let texts = files.into_iter().map(|file| content(file).unwrap_or(HOLE.to_string()));
        Some(texts.collect())
    }
}

impl Walker<'_> {
    /// `paste a b`: the lines of several files beside each other. What is between them is a blank,
    /// whichever it is.
    fn side_by_side(&self, words: &[Field], stdin: Option<&str>) -> Option<String> {
        const PASTE: Grammar = Grammar { letters: "d", long: &["delimiters"] };
        let call = [&[Field::literal("paste")], words].concat();
        let taken = PASTE.take(&call, 1);
        let is_serial = taken.has(&["s", "serial"]);
        let delimiter = taken.value(&["d", "delimiters"]).map_or("\t", |it| it.text.as_str());
        let delimiter = unescaped(delimiter).chars().next().map(String::from).unwrap_or_default();
        let texts = taken.operands.iter().map(|place| match call[*place].text.as_str() {
            "-" => stdin.map(str::to_owned),
            path => self.content(path),
        });
        let mut texts: Vec<String> = texts.map(|it| it.unwrap_or(HOLE.to_string())).collect();
        if texts.is_empty() {
            texts.push(stdin?.to_owned());
        }
        // `paste - -`: each of them takes its turn.
        if texts.len() > 1 && texts.iter().all(|it| Some(it.as_str()) == stdin) {
            let lines: Vec<&str> = stdin?.lines().collect();
            let joined = lines.chunks(texts.len()).map(|it| it.join(&delimiter) + "\n");
            return Some(joined.collect());
        }
        if is_serial {
            let serial = |text: &String| text.lines().collect::<Vec<_>>().join(&delimiter) + "\n";
            return Some(texts.iter().map(serial).collect());
        }
        let mut columns: Vec<_> = texts.iter().map(|text| text.lines()).collect();
        let mut shown = String::new();
        loop {
            let row: Vec<Option<&str>> = columns.iter_mut().map(Iterator::next).collect();
            if row.iter().all(Option::is_none) {
                return Some(shown);
            }
            let cells: Vec<&str> = row.into_iter().map(Option::unwrap_or_default).collect();
            shown.push_str(&cells.join(&delimiter));
            shown.push('\n');
        }
    }
}

fn echo(words: &[Field]) -> String {
    let options = words.iter().take_while(|word| {
        word.text.len() > 1
            && word.text.starts_with('-')
            && word.text[1..].chars().all(|c| matches!(c, 'n' | 'e' | 'E'))
    });
    let options: Vec<&str> = options.map(|word| word.text.as_str()).collect();
    let texts: Vec<&str> = words[options.len()..].iter().map(|word| word.text.as_str()).collect();
    let mut text = texts.join(" ");
    if options.iter().any(|option| option.contains('e')) {
        text = unescaped(&text);
    }
    if !options.iter().any(|option| option.contains('n')) {
        text.push('\n');
    }
    text
}

/// `printf format arguments…`, the format used again until the arguments are used up, or the text is
/// longer than any that is kept.
pub(super) fn printf(words: &[Field]) -> String {
    let words =
        if words.first().is_some_and(|word| word.text == "--") { &words[1..] } else { words };
    let Some((format, arguments)) = words.split_first() else { return String::new() };
    let mut arguments = arguments.iter().map(|word| word.text.as_str()).peekable();
    let mut text = String::new();
    loop {
        let before = arguments.len();
        let mut characters = format.text.chars().peekable();
        let mut literal = String::new();
        while let Some(character) = characters.next() {
            if character != '%' {
                literal.push(character);
                continue;
            }
            text.push_str(&unescaped(&std::mem::take(&mut literal)));
            let mut measures = String::new();
            let conversion = loop {
                match characters.next() {
                    Some(c) if c.is_ascii_digit() || matches!(c, '-' | '.' | '+' | ' ' | '#') => {
                        measures.push(c);
                    }
                    Some('*') => measures.push_str(arguments.next().unwrap_or("")),
                    conversion => break conversion,
                }
            };
            if conversion == Some('%') {
                text.push('%');
                continue;
            }
            let given = arguments.next().unwrap_or("");
            let made = match conversion {
                Some('b') => Some(unescaped(given)),
                Some('s' | 'q') => Some(given.to_owned()),
                Some('d' | 'i') if measures.is_empty() => {
                    Some(number(given).map_or(given.to_owned(), |it| it.to_string()))
                }
                Some('c') => Some(given.chars().take(1).collect()),
                Some('o') => number(given).map(|it| format!("{it:o}")),
                Some('x') => number(given).map(|it| format!("{it:x}")),
                Some('X') => number(given).map(|it| format!("{it:X}")),
                _ => None,
            };
            text.push_str(&made.map_or(HOLE.to_string(), |made| measured(made, &measures)));
        }
        text.push_str(&unescaped(&literal));
        if arguments.len() == 0 || arguments.len() == before || text.len() > limit::TEXT {
            break;
        }
    }
    text
}

/// What `printf` takes for a number: `103`, `0x67`, `'g`.
fn number(text: &str) -> Option<u32> {
    if let Some(character) = text.strip_prefix(['\'', '"']) {
        return character.chars().next().map(u32::from);
    }
    match text.strip_prefix("0x").or(text.strip_prefix("0X")) {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// Text cut and filled up as `-8.3` says.
fn measured(text: String, measures: &str) -> String {
    // A table is no wider.
    const WIDEST: usize = 256;
    if measures.is_empty() || text.contains(HOLE) {
        return text;
    }
    let (width, most) = measures.split_once('.').unwrap_or((measures, "-"));
    let text = match most.parse() {
        Ok(most) => text.chars().take(most).collect(),
        Err(_) if most.is_empty() => String::new(),
        Err(_) => text,
    };
    let width: usize = width.trim_matches(['-', '+', ' ', '#']).parse().unwrap_or(0);
    let width = width.min(WIDEST);
    if measures.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return format!("{text:0>width$}");
    }
    if measures.contains('-') { format!("{text:<width$}") } else { format!("{text:>width$}") }
}

/// `-v`, `-rfv`, `--verbose`
fn may_say(option: &str) -> bool {
    match option.strip_prefix('-') {
        Some(letters) if !letters.starts_with('-') => letters.contains(['v', 'c']),
        _ => option.starts_with("--v") || option.starts_with("--c"),
    }
}

/// `ls *.sh` shows what the pattern finds, and `ls -d a` its name; so does `ls a.json`, as far as a
/// name tells that it is a file. What folders hold, nobody knows.
fn listed(words: &[Field]) -> Option<String> {
    let (options, names): (Vec<&Field>, Vec<&Field>) =
        words.iter().partition(|word| word.text.starts_with('-'));
    let is_short = |it: &Field| !it.text.starts_with("--");
    let names_folders =
        options.iter().any(|it| it.text == "--directory" || is_short(it) && it.text.contains('d'));
    let is_file = |name: &str| {
        let name = last_part(name);
        name == "roz" || name.rsplit_once('.').is_some_and(|it| !it.0.is_empty())
    };
    let shown = |word: &Field| match &word.text {
        text if word.glob || names_folders || is_file(text) => text.clone(),
        _ => HOLE.to_string(),
    };
    let names: Vec<String> = names.into_iter().map(shown).collect();
    let knows = names.iter().any(|it| !it.chars().eq([HOLE]));
    knows.then(|| names.join("\n") + "\n")
}

/// `stat -c %n a` shows `a`.
fn named(words: &[Field]) -> Option<String> {
    let is_format = |it: &&Field| it.text.contains("%n") || it.text.contains("%N");
    let format = words.iter().position(|it| is_format(&it))?;
    let takes = |it: &Field| matches!(it.text.as_str(), "-c" | "--format" | "--printf" | "-f");
    let names = words.iter().enumerate().filter(|(at, it)| {
        let is_its = *at == format || *at + 1 == format && takes(it);
        !is_its && !it.text.starts_with('-')
    });
    let names: String = names.map(|(_, it)| it.text.clone() + "\n").collect();
    (!names.is_empty()).then_some(names)
}

/// `readlink -f a` shows where `a` really is. Whoever asks where a path leads follows it there
/// anyway, so that it is as good as where it leads.
fn followed(words: &[Field]) -> Option<String> {
    let is_plain = |word: &&Field| word.text.starts_with('-') && !word.text.starts_with("--rel");
    let options = words.iter().take_while(is_plain).count();
    let paths = &words[options..];
    let is_path = |word: &Field| !word.text.starts_with('-') && !word.glob;
    (!paths.is_empty() && paths.iter().all(is_path))
        .then(|| paths.iter().map(|word| word.text.clone() + "\n").collect())
}

/// `dirname ~/a/b` shows `~/a`.
fn folders(words: &[Field]) -> Option<String> {
    let words = after_dashes(words)?;
    let folder = |word: &Field| {
        let (folder, name) = parted(&word.text)?;
        Some(match folder {
            Some("") => "/\n".to_owned(),
            Some(folder) => format!("{folder}\n"),
            None if !word.text.is_empty() && name.is_empty() => "/\n".to_owned(),
            // What `~` stands for is known to the caller only.
            None if name.starts_with('~') => return None,
            None => ".\n".to_owned(),
        })
    };
    words.iter().map(folder).collect()
}

/// `basename a/b.c .c` shows `b`.
fn base(words: &[Field]) -> Option<String> {
    let (path, suffix) = match after_dashes(words)? {
        [path] => (path, ""),
        [path, suffix] => (path, suffix.text.as_str()),
        _ => return None,
    };
    // Of the files that a pattern finds, the second would be taken for a suffix.
    let (_, name) = parted(&path.text).filter(|it| !path.glob && !it.1.starts_with('~'))?;
    let short = name.strip_suffix(suffix).filter(|it| !it.is_empty()).unwrap_or(name);
    Some(format!("{short}\n"))
}

/// The operands of a program of whose options none is modelled.
fn after_dashes(words: &[Field]) -> Option<&[Field]> {
    match words {
        [first, rest @ ..] if first.text == "--" => Some(rest),
        [first, ..] if !first.text.starts_with('-') => Some(words),
        _ => None,
    }
}

/// A path's folder, where it names one, and its last name. `None` where it is not known what that is.
fn parted(path: &str) -> Option<(Option<&str>, &str)> {
    let path = path.trim_end_matches('/');
    let (folder, name) = match path.rsplit_once('/') {
        Some((folder, name)) => (Some(folder.trim_end_matches('/')), name),
        None => (None, path),
    };
    (!name.contains(HOLE)).then_some((folder, name))
}

/// The backslash escapes of `echo -e` and `printf`.
pub(super) fn unescaped(text: &str) -> String {
    if !text.contains('\\') {
        return text.to_owned();
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes().iter().copied().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        let number = |rest: &mut std::iter::Peekable<_>, radix: u32, most: usize| {
            let mut value = 0_u32;
            for _ in 0..most {
                let digit = rest.next_if(|byte: &u8| char::from(*byte).is_digit(radix));
                let Some(digit) = digit.and_then(|digit| char::from(digit).to_digit(radix)) else {
                    break;
                };
                value = value * radix + digit;
            }
            value
        };
        match rest.next() {
            Some(b'n') => bytes.push(b'\n'),
            Some(b't') => bytes.push(b'\t'),
            Some(b'r') => bytes.push(b'\r'),
            Some(b'a') => bytes.push(7),
            Some(b'b') => bytes.push(8),
            Some(b'e' | b'E') => bytes.push(27),
            Some(b'c') => break,
            Some(b'x') => bytes.push(number(&mut rest, 16, 2).to_le_bytes()[0]),
            Some(b'u') => push_character(&mut bytes, number(&mut rest, 16, 4)),
            Some(b'U') => push_character(&mut bytes, number(&mut rest, 16, 7)),
            Some(b'0') => bytes.push(number(&mut rest, 8, 3).to_le_bytes()[0]),
            Some(digit @ b'1'..=b'7') => {
                let first = u32::from(digit - b'0');
                let more = rest.clone().take(2).take_while(|b| (b'0'..=b'7').contains(b)).count();
                let tail = number(&mut rest, 8, more);
                let scale = 8_u32.pow(u32::try_from(more).unwrap_or(0));
                bytes.push((first * scale + tail).to_le_bytes()[0]);
            }
            Some(b'\\') | None => bytes.push(b'\\'),
            Some(other) => bytes.extend([b'\\', other]),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn push_character(bytes: &mut Vec<u8>, code: u32) {
    if let Some(character) = char::from_u32(code) {
        bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    }
}
