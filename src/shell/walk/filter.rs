//! Programs that turn known input into known output: encodings, and the simple filters.

pub(in super::super) use super::encoding::unpacked;
pub use super::substitute::substituted;

use super::super::{HOLE, limit};
use super::awk;
use super::characters::{cut, rotated, translated};
use super::encoding::{BASE64, HEXADECIMAL, based, decoded, encoded, lossy};
use super::field::Field;
use super::json;
use super::lines::{end, grep, sort, uniq};
use super::output::unescaped;
use super::substitute::edit;

/// What a filter may make, in bytes, and what is not sure about it.
#[derive(Debug)]
pub(super) struct Room {
    left: usize,
    /// Only some of the lines may be shown, in whatever order.
    pub(super) is_part: bool,
    /// Some of the lines may not be there, or more than once.
    pub(super) is_unsure: bool,
    /// What is left to look for patterns with.
    pub(super) steps: usize,
}

impl Default for Room {
    fn default() -> Self {
        Self { left: Self::ALL, is_part: false, is_unsure: false, steps: Self::STEPS }
    }
}

impl Room {
    /// Scripts make several texts before the last.
    const ALL: usize = 4 * limit::TEXT;
    const STEPS: usize = 1 << 20;

    /// Takes what a text needs; none where it would be too long.
    pub(super) fn take(&mut self, bytes: usize) -> Option<()> {
        self.left = self.left.checked_sub(bytes).filter(|_| bytes <= limit::TEXT)?;
        Some(())
    }

    pub(super) fn taken(&self) -> usize {
        Self::ALL - self.left + (Self::STEPS - self.steps) / 4
    }

    /// Takes steps of a script.
    pub(super) fn work(&mut self, steps: usize) -> Option<()> {
        self.steps = self.steps.checked_sub(steps)?;
        Some(())
    }
}

/// What a filter shows for an input. `None` where that is not modelled.
pub(super) fn filter(name: &str, words: &[Field], input: &str, room: &mut Room) -> Option<String> {
    let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    let has = |options: &[&str]| texts.iter().any(|text| options.contains(text));
    let operands: Vec<&str> =
        texts.iter().copied().filter(|text| !text.starts_with('-') || *text == "-").collect();
    if input.contains(HOLE)
        && let Some(shows_lines) = of_found(name, &texts, input)
    {
        return shows_lines.then(|| input.to_owned());
    }
    match name {
        "base64" | "gbase64" | "base32" | "basenc" => based(name, &texts, &operands, input),
        "openssl" if (has(&["base64"]) || has(&["-base64", "-a"])) && has(&["-d"]) => {
            Some(lossy(&decoded(input, BASE64, 6)))
        }
        "xxd" if has(&["-r"]) && has(&["-p", "-ps"]) || has(&["-rp", "-pr"]) => {
            Some(lossy(&decoded(&input.to_ascii_lowercase(), HEXADECIMAL, 4)))
        }
        "xxd" if has(&["-p"]) => Some(encoded(input.as_bytes(), HEXADECIMAL, 4)),
        "rev" => Some(by_line(input, |line| Some(line.chars().rev().collect()))),
        "tac" => {
            let mut lines: Vec<&str> = input.lines().collect();
            lines.reverse();
            Some(lines.join("\n") + "\n")
        }
        "tr" | "gtr" => translated(&texts, input),
        "sed" | "gsed" | "ssed" | "perl" => edit(name, &texts, input, false, room),
        "grep" | "egrep" | "fgrep" | "ggrep" => grep(name, &texts, input, room),
        "sort" | "gsort" => sort(&texts, input, room),
        "uniq" | "guniq" => uniq(&texts, input, room),
        // Packed is as good as plain: what unpacks it gives it back.
        "gzip" | "gunzip" | "zcat" | "bzip2" | "bunzip2" | "bzcat" | "xz" | "unxz" | "xzcat"
        | "zstd" | "unzstd" | "zstdcat" | "lz4" | "unlz4" | "lz4cat" | "brotli" | "pigz"
        | "shuf" | "pv" | "iconv" | "ts" | "stdbuf" | "expand"
            if operands.is_empty() =>
        {
            room.is_part |= name == "shuf";
            Some(input.to_owned())
        }
        "xargs" if operands.is_empty() => {
            Some(input.split_whitespace().collect::<Vec<_>>().join(" ") + "\n")
        }
        "jq" | "gojq" | "jaq" | "yq"
            if let Some((is_raw, code)) = asked(&texts)
                && let Some(text) = json::shown(code, is_raw || name == "yq", input, room) =>
        {
            Some(text)
        }
        "jq" if has(&["-r", "--raw-output"]) && !operands.iter().any(|it| it.len() > 1) => {
            let text = input.trim().strip_prefix('"')?.strip_suffix('"')?;
            (!text.contains(['"', '\\'])).then(|| format!("{text}\n"))
        }
        "awk" | "gawk" | "mawk" | "nawk"
            if let Some(text) =
                program(&texts).and_then(|(given, code)| awk::shown(code, &given, input, room)) =>
        {
            Some(text)
        }
        "awk" | "gawk" | "mawk" | "nawk" => match texts[..] {
            [code] | ["-F", " ", code] | ["-F ", code] => {
                printed_fields(code.trim(), None, input, room)
            }
            ["-F", separator, code] => printed_fields(code.trim(), Some(separator), input, room),
            [option, code] => {
                printed_fields(code.trim(), Some(option.strip_prefix("-F")?), input, room)
            }
            _ => None,
        },
        "head" | "tail" | "ghead" | "gtail" => {
            end(name.trim_start_matches('g'), &texts, input, room)
        }
        "cut" | "gcut" => cut(&texts, input, room),
        _ => reshaped(name, &texts, &operands, input, room),
    }
}

/// Those that lay text out anew, and single changes to it.
fn reshaped(
    name: &str,
    texts: &[&str],
    operands: &[&str],
    input: &str,
    room: &mut Room,
) -> Option<String> {
    let has = |options: &[&str]| texts.iter().any(|text| options.contains(text));
    match name {
        "column" if has(&["-t"]) => {
            let separator = texts.iter().find_map(|it| it.strip_prefix("-s")).unwrap_or(" ");
            let separator = separator.chars().next().unwrap_or(' ');
            Some(input.replace(separator, " "))
        }
        // They lay lines out anew: how many stay beside each other depends on their lengths.
        "fmt" | "pr" | "column" | "rs" => {
            let lines = input.lines().count();
            let joined = input.lines().collect::<Vec<_>>().join(" ");
            Some(if lines > 1 { format!("{input}\n{joined}\n") } else { input.to_owned() })
        }
        "rot13" | "caesar" => Some(input.chars().map(rotated).collect()),
        "dd" => copied(texts, input),
        "sd" => {
            let [from, to] = texts[..] else { return None };
            let is_plain = |c: char| c.is_alphanumeric() || " -_/=:,@%#\"';<>~!&".contains(c);
            if from.is_empty() || !from.chars().all(is_plain) || to.contains(['$', '\\']) {
                return None;
            }
            room.take(input.len() + input.matches(from).count() * to.len())?;
            Some(input.replace(from, to))
        }
        "jq" if has(&["-r", "--raw-output"])
            && let [path] = operands[..]
            && path.len() > 1
            && path.starts_with('.') =>
        {
            let value: serde_json::Value = serde_json::from_str(input).ok()?;
            let value = value.pointer(&path.replace('.', "/"))?.as_str()?.to_owned();
            Some(value + "\n")
        }
        _ => None,
    }
}

/// `dd conv=lcase bs=1 skip=5`
fn copied(texts: &[&str], input: &str) -> Option<String> {
    let (mut size, mut skip, mut count) = (512_usize, 0_usize, None);
    let mut text = input.to_owned();
    for word in texts {
        let (name, value) = word.split_once('=')?;
        match (name, value) {
            ("conv", "lcase") => text.make_ascii_lowercase(),
            ("conv", "ucase") => text.make_ascii_uppercase(),
            ("status", _) => {}
            ("bs" | "ibs", _) => size = value.parse().ok()?,
            ("skip", _) => skip = value.parse().ok()?,
            ("count", _) => count = Some(value.parse::<usize>().ok()?),
            _ => return None,
        }
    }
    if skip == 0 && count.is_none() {
        return Some(text);
    }
    let from = skip.saturating_mul(size).min(text.len());
    let length = count.map_or(text.len(), |it| it.saturating_mul(size));
    let to = from.saturating_add(length).min(text.len());
    text.is_ascii().then(|| text[from..to].to_owned())
}

/// What a filter makes of lines that are known in part: a hole may hold all but the first of the
/// fields that are cut. Whether any of the lines may be shown, and else
/// nothing is known; `None`: as of any other text.
fn of_found(name: &str, words: &[&str], input: &str) -> Option<bool> {
    let has = |given: &[&str]| words.iter().any(|it| given.iter().any(|one| it.contains(one)));
    let is_found = input.contains(&format!("/{HOLE}"));
    match name {
        "cut" if is_found && !has(&["-f1"]) && words.last() != Some(&"1") => Some(false),
        "awk" | "gawk" | "mawk" | "nawk" if is_found && !has(&["print $1", "print $0"]) => {
            Some(false)
        }
        "xxd" | "rev" | "base64" | "base32" | "openssl" if is_found => Some(false),
        _ => None,
    }
}

pub(super) fn by_line(input: &str, change: impl Fn(&str) -> Option<String>) -> String {
    let mut text = String::with_capacity(input.len());
    for line in input.lines().filter_map(change) {
        text.push_str(&line);
        text.push('\n');
    }
    text
}

/// The program among the words of jq, and whether strings are shown without quotes.
fn asked<'a>(texts: &[&'a str]) -> Option<(bool, &'a str)> {
    let (mut is_raw, mut code) = (false, None);
    for text in texts {
        match *text {
            "-M" | "-e" | "--exit-status" | "--monochrome-output" => {}
            "-r" | "--raw-output" | "-er" | "-re" | "-rM" | "-Mr" => is_raw = true,
            text if text.starts_with('-') || code.is_some() => return None,
            text => code = Some(text),
        }
    }
    Some((is_raw, code.unwrap_or(".")))
}

/// The program among the words of awk, and the variables that its options set.
fn program<'a>(texts: &[&'a str]) -> Option<(Vec<(&'a str, &'a str)>, &'a str)> {
    let mut given = Vec::new();
    let mut rest = texts;
    loop {
        rest = match rest {
            [code] if !code.starts_with('-') => return Some((given, code)),
            ["-F", separator, rest @ ..] => {
                given.push(("FS", *separator));
                rest
            }
            ["-v", pair, rest @ ..] => {
                given.push(pair.split_once('=')?);
                rest
            }
            [option, rest @ ..] => {
                match (option.strip_prefix("-F"), option.strip_prefix("-v")) {
                    (Some(separator), _) => given.push(("FS", separator)),
                    (_, Some(pair)) => given.push(pair.split_once('=')?),
                    _ => return None,
                }
                rest
            }
            [] => return None,
        };
    }
}

/// `1`, `{print}`, `{print $2, $3}`, `{printf "a %s\n", $1}`; between fields stands what `-F` says.
fn printed_fields(
    code: &str,
    separator: Option<&str>,
    input: &str,
    room: &mut Room,
) -> Option<String> {
    if code == "1" {
        return Some(input.to_owned());
    }
    let is_special = |it: &str| it.contains(['\\', '[', '(', '|', '.', '*', '+', '?', '^', '$']);
    if separator.is_some_and(|it| it.is_empty() || it.len() > 1 && is_special(it)) {
        return None;
    }
    let action = code.strip_prefix('{')?.strip_suffix('}')?.trim();
    let (fields, format) = match action.strip_prefix("printf") {
        Some(rest) => {
            let (format, fields) = rest.trim().strip_prefix('"')?.split_once('"')?;
            (fields.trim_start(), Some(unescaped(format)))
        }
        None => (action.strip_prefix("print")?.trim(), None),
    };
    if matches!(fields, "" | "$0") && format.is_none() {
        return Some(input.to_owned());
    }
    let pieces = printed(fields)?;
    let lines = input.lines().count();
    room.take(pieces.len().checked_mul(input.len())?.checked_add(lines * code.len())?)?;
    let text = by_line(input, |line| {
        let field = |place: usize| match separator {
            Some(separator) => line.split(separator).nth(place - 1),
            None => line.split_whitespace().nth(place - 1),
        };
        let show = |piece: &Printed| match *piece {
            Printed::Text(text) => text.to_owned(),
            Printed::Comma => " ".to_owned(),
            Printed::Field(0) => line.to_owned(),
            Printed::Field(place) => field(place).unwrap_or("").to_owned(),
        };
        let Some(format) = &format else { return Some(pieces.iter().map(show).collect()) };
        // Between two commas all is one argument.
        let arguments = pieces.split(|it| matches!(it, Printed::Comma)).skip(1);
        let mut shown = arguments.map(|it| it.iter().map(show).collect::<String>());
        let mut pieces = format.split("%s");
        let first = pieces.next().unwrap_or("").to_owned();
        Some(pieces.fold(first, |all, piece| all + &shown.next().unwrap_or_default() + piece))
    });
    // Of `printf` each line ends as the format does.
    let ends = |format: &String| format.ends_with('\n');
    let text = match &format {
        Some(format) if ends(format) => text.replace("\n\n", "\n"),
        Some(_) if input.lines().count() > 1 => return None,
        _ => text,
    };
    (!text.contains('%')).then_some(text)
}

/// A piece of what awk prints.
enum Printed<'a> {
    Text(&'a str),
    Comma,
    Field(usize),
}

/// `"git " $1, $2`: pieces one behind the other, a comma standing for a blank.
fn printed(fields: &str) -> Option<Vec<Printed<'_>>> {
    let mut pieces = Vec::new();
    let mut rest = fields.trim().trim_end_matches(';');
    while let Some(first) = rest.chars().next() {
        let tail = &rest[first.len_utf8()..];
        rest = match first {
            ',' => {
                pieces.push(Printed::Comma);
                tail
            }
            '"' => {
                let (text, after) = tail.split_once('"')?;
                if text.contains('\\') {
                    return None;
                }
                pieces.push(Printed::Text(text));
                after
            }
            '$' => {
                let end = tail.find(|c: char| !c.is_ascii_digit()).unwrap_or(tail.len());
                pieces.push(Printed::Field(tail[..end].parse().ok()?));
                &tail[end..]
            }
            _ if first.is_whitespace() => tail,
            _ => return None,
        };
    }
    Some(pieces)
}
