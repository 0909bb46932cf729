//! Programs that turn known input into known output: encodings, and the simple filters.

use super::super::{HOLE, foreign, limit};
use super::characters::{cut, rotated, translated};
use super::field::Field;
use super::output::unescaped;
use std::collections::BTreeMap;

/// What a filter shows for an input. `None` where that is not modelled.
pub(super) fn filter(name: &str, words: &[Field], input: &str) -> Option<String> {
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
        "tr" => translated(&texts, input),
        "sed" if !has(&["-i"]) => {
            // What a group is, hangs on the kind of the pattern.
            let is_extended = has(&["-E", "-r", "--regexp-extended"]);
            let other = if is_extended { r"\(.*\)" } else { "(.*)" };
            sed(&operands, input).filter(|_| !operands.iter().any(|it| it.contains(other)))
        }
        "grep" | "egrep" | "fgrep" => grep(&texts, &operands, input),
        "head" if has(&["-c"]) || texts.iter().any(|text| text.starts_with("-c")) => {
            let mut count =
                texts.iter().filter_map(|text| text.trim_start_matches("-c").parse().ok());
            Some(input.chars().take(count.next_back()?).collect())
        }
        "sort" | "gsort" if operands.is_empty() => {
            // By other keys the order may stay as it is.
            let is_plain = |it: &&str| matches!(*it, "-r" | "-u" | "-ru" | "-ur" | "--reverse");
            if !texts.iter().all(is_plain) {
                return Some(input.to_owned());
            }
            let mut lines: Vec<&str> = input.lines().collect();
            lines.sort_unstable();
            if texts.iter().any(|text| text.starts_with('-') && text.contains('r')) {
                lines.reverse();
            }
            Some(lines.into_iter().map(|line| line.to_owned() + "\n").collect())
        }
        // Packed is as good as plain: what unpacks it gives it back.
        "gzip" | "gunzip" | "zcat" | "bzip2" | "bunzip2" | "bzcat" | "xz" | "unxz" | "xzcat"
        | "zstd" | "unzstd" | "zstdcat" | "lz4" | "unlz4" | "lz4cat" | "brotli" | "pigz"
        | "uniq" | "shuf" | "pv" | "iconv" | "ts" | "stdbuf" | "expand"
            if operands.is_empty() =>
        {
            Some(input.to_owned())
        }
        "paste" if has(&["-s"]) || has(&["-sd"]) || has(&["-sd "]) => {
            Some(input.lines().collect::<Vec<_>>().join(" ") + "\n")
        }
        "xargs" if operands.is_empty() => {
            Some(input.split_whitespace().collect::<Vec<_>>().join(" ") + "\n")
        }
        "jq" if has(&["-r", "--raw-output"]) && !operands.iter().any(|it| it.len() > 1) => {
            let text = input.trim().strip_prefix('"')?.strip_suffix('"')?;
            (!text.contains(['"', '\\'])).then(|| format!("{text}\n"))
        }
        "awk" | "gawk" | "mawk" | "nawk" => match texts[..] {
            [code] | ["-F", " ", code] | ["-F ", code] => awk(code.trim(), None, input),
            ["-F", separator, code] => awk(code.trim(), Some(separator), input),
            [option, code] => awk(code.trim(), Some(option.strip_prefix("-F")?), input),
            _ => None,
        },
        "tail" if texts.iter().any(|text| text.starts_with("-c")) => last_characters(&texts, input),
        "head" | "tail" => {
            let count = count(&texts)?;
            let lines: Vec<&str> = input.lines().collect();
            let skip = if name == "tail" { lines.len().saturating_sub(count) } else { 0 };
            let kept: Vec<&str> = lines.into_iter().skip(skip).take(count).collect();
            Some(kept.join("\n") + "\n")
        }
        "cut" => cut(&texts, input),
        _ => reshaped(name, &texts, &operands, input),
    }
}

/// The lines that `grep` finds.
fn grep(texts: &[&str], operands: &[&str], input: &str) -> Option<String> {
    let has = |options: &[&str]| texts.iter().any(|text| options.contains(text));
    let [pattern] = operands[..] else { return None };
    let is_short = |it: &&&str| it.starts_with('-') && !it.starts_with("--");
    let letters: String = texts.iter().filter(is_short).copied().collect();
    if letters.contains('o') {
        let is_plain = letters.chars().all(|c| "-oEPFh".contains(c));
        return only_matching(pattern, input).filter(|_| is_plain);
    }
    if has(&["-c", "-q", "-l"]) {
        return None;
    }
    // Of the lines that a pattern finds all may be some.
    if !pattern.chars().all(|c| c.is_alphanumeric() || " -_/".contains(c)) {
        return Some(input.to_owned());
    }
    let inverted = has(&["-v"]);
    // A pattern of files may come to what is looked for.
    let is_shown =
        |line: &str| line.contains(['*', '?', '[']) || line.contains(pattern) != inverted;
    Some(by_line(input, |line| is_shown(line).then(|| line.to_owned())))
}

/// `base64 -d`, `basenc --base32 --decode`
fn based(name: &str, texts: &[&str], operands: &[&str], input: &str) -> Option<String> {
    let is_base = |it: &&&str| it.starts_with("--b") || it.starts_with("--z");
    let base = match texts.iter().find(is_base) {
        Some(base) if name == "basenc" => base.trim_start_matches('-'),
        _ => name.trim_start_matches('g'),
    };
    let (alphabet, width) = match base {
        "base32" => (BASE32, 5),
        "base32hex" => (BASE32_HEX, 5),
        "base16" => (BASE16, 4),
        "base2msbf" => (&b"01"[..], 1),
        _ => (BASE64, 6),
    };
    let is_short = |it: &&str| it.starts_with('-') && !it.starts_with("--");
    let decodes = |it: &&str| {
        is_short(it) && it.contains(['d', 'D']) || it.len() > 2 && "--decode".starts_with(it)
    };
    if texts.iter().any(decodes) {
        let input = if base == "base64url" {
            input.replace('-', "+").replace('_', "/")
        } else {
            input.to_owned()
        };
        Some(lossy(&decoded(&input, alphabet, width)))
    } else {
        operands.is_empty().then(|| encoded(input.as_bytes(), alphabet, width))
    }
}

/// Those that lay text out anew, and single changes to it.
fn reshaped(name: &str, texts: &[&str], operands: &[&str], input: &str) -> Option<String> {
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
        "dd" if has(&["conv=lcase"]) => Some(input.to_lowercase()),
        "dd" if has(&["conv=ucase"]) => Some(input.to_uppercase()),
        "sd" => match operands[..] {
            [from, to] => Some(input.replace(from, to)),
            _ => None,
        },
        "jq" if has(&["-r", "--raw-output"])
            && let [path] = operands[..]
            && path.len() > 1
            && path.starts_with('.') =>
        {
            let value: serde_json::Value = serde_json::from_str(input).ok()?;
            let value = value.pointer(&path.replace('.', "/"))?.as_str()?.to_owned();
            Some(value + "\n")
        }
        // `perl -pe s/a/b/`
        "perl" | "ruby" if has(&["-pe"]) => {
            let [script] = operands[..] else { return None };
            script.starts_with('s').then(|| sed(operands, input)).flatten()
        }
        _ => None,
    }
}

/// What a filter makes of lines that are known in part: a hole may hold what `grep` looks for, and
/// all but the first of the fields that are cut. Whether any of the lines may be shown, and else
/// nothing is known; `None`: as of any other text.
fn of_found(name: &str, words: &[&str], input: &str) -> Option<bool> {
    let has = |given: &[&str]| words.iter().any(|it| given.iter().any(|one| it.contains(one)));
    let is_found = input.contains(&format!("/{HOLE}"));
    match name {
        "grep" | "egrep" | "fgrep" => {
            let shows_lines = !words.iter().any(|it| matches!(*it, "-o" | "-c" | "-q" | "-l"));
            Some(shows_lines)
        }
        "cut" if is_found && !has(&["-f1"]) && words.last() != Some(&"1") => Some(false),
        "awk" | "gawk" | "mawk" | "nawk" if is_found && !has(&["print $1", "print $0"]) => {
            Some(false)
        }
        "xxd" | "rev" | "base64" | "base32" | "openssl" if is_found => Some(false),
        _ => None,
    }
}

const BASE64: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const BASE32: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const BASE32_HEX: &[u8] = b"0123456789ABCDEFGHIJKLMNOPQRSTUV";
const BASE16: &[u8] = b"0123456789ABCDEF";
const HEXADECIMAL: &[u8] = b"0123456789abcdef";

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Text that code decodes: `b64decode("…")`, `fromhex("…")`.
pub(in super::super) fn unpacked(name: &str, text: &str) -> Option<String> {
    match name {
        "b64decode" | "decode_base64" | "atob" | "base64_decode" | "decode64"
        | "urlsafe_b64decode" | "decodestring" | "standard_b64decode" => {
            Some(lossy(&decoded(text, BASE64, 6)))
        }
        "fromhex" | "unhexlify" | "hex2bin" | "a2b_hex" => {
            Some(lossy(&decoded(&text.to_ascii_lowercase(), HEXADECIMAL, 4)))
        }
        _ => None,
    }
}

/// Digits of `width` bits to bytes; whatever is no digit is left out.
fn decoded(input: &str, alphabet: &[u8], width: u32) -> Vec<u8> {
    let mut places = [None; 256];
    for (value, digit) in (0_u32..).zip(alphabet) {
        places[usize::from(*digit)] = Some(value);
    }
    let mut bytes = Vec::with_capacity(input.len());
    let (mut bits, mut buffer) = (0, 0_u32);
    for value in input.bytes().filter_map(|byte| places[usize::from(byte)]) {
        buffer = buffer << width | value;
        bits += width;
        if bits >= 8 {
            bits -= 8;
            bytes.push((buffer >> bits & 0xff).to_le_bytes()[0]);
        }
        buffer &= (1 << bits) - 1;
    }
    bytes
}

fn encoded(input: &[u8], alphabet: &[u8], width: u32) -> String {
    let mut text = String::new();
    let (mut bits, mut buffer) = (0, 0_usize);
    for byte in input {
        buffer = buffer << 8 | usize::from(*byte);
        bits += 8;
        while bits >= width {
            bits -= width;
            text.push(char::from(alphabet[buffer >> bits]));
            buffer &= (1 << bits) - 1;
        }
    }
    if bits > 0 {
        text.push(char::from(alphabet[buffer << (width - bits)]));
    }
    if width == 6 {
        while !text.len().is_multiple_of(4) {
            text.push('=');
        }
    }
    text.push('\n');
    text
}

pub(super) fn by_line(input: &str, change: impl Fn(&str) -> Option<String>) -> String {
    let mut text = String::with_capacity(input.len());
    for line in input.lines().filter_map(change) {
        text.push_str(&line);
        text.push('\n');
    }
    text
}

/// What a plain substitution of `sed` makes of a text. `None` where it is another script.
pub fn substituted(script: &str, input: &str) -> Option<String> {
    sed(&[script], input).filter(|_| !script.contains(super::super::HOLE))
}

/// `s/literal/replacement/g` alone, without an `e`.
fn sed(operands: &[&str], input: &str) -> Option<String> {
    let [script] = operands else { return None };
    // `s/a/b/;s/c/d/`: one after the other, where nothing else is parted so.
    if let Some((first, rest)) = script.split_once(';')
        && first.matches('/').count() == 3
        && first.starts_with("s/")
        && rest.matches(';').count() < 8
    {
        return sed(&[rest.trim_start()], &sed(&[first], input)?);
    }
    if !foreign::read_sed(script).is_empty() {
        return None;
    }
    // `y/from/to/`
    if let Some(sets) = script.strip_prefix('y') {
        let delimiter = sets.chars().next()?;
        let sets: Vec<&str> = sets.split(delimiter).collect();
        let ["", from, to, ""] = sets[..] else { return None };
        // The first of those that are the same counts.
        let mut changes: BTreeMap<char, char> = BTreeMap::new();
        for (own, other) in from.chars().zip(to.chars()) {
            changes.entry(own).or_insert(other);
        }
        return Some(input.chars().map(|c| changes.get(&c).copied().unwrap_or(c)).collect());
    }
    let body = script.strip_prefix('s')?;
    let delimiter = body.chars().next()?;
    let parts: Vec<&str> = body.split(delimiter).collect();
    let ["", from, to, flags] = parts[..] else { return None };
    let plain = |text: &str| !text.contains(['\\', '*', '[', '^', '$', '.', '&']);
    // The whole line, as `&` or as the first group.
    if matches!(from, ".*" | "^.*$" | "^.*" | "(.*)" | "^(.*)$" | r"\(.*\)" | r"^\(.*\)$") {
        let to = to.replace(r"\1", "&");
        let is_plain = !to.contains('\\') && matches!(flags, "" | "g");
        let is_plain = is_plain && is_short(to.matches('&').count(), input);
        return is_plain.then(|| by_line(input, |line| Some(to.replace('&', line))));
    }
    let is_plain = !to.contains(['\\', '&']);
    match from {
        _ if !is_plain || !matches!(flags, "" | "g") => return None,
        "^" => return Some(by_line(input, |line| Some(format!("{to}{line}")))),
        "$" => return Some(by_line(input, |line| Some(format!("{line}{to}")))),
        _ => {}
    }
    // `s/^a/b/`: where a line begins so.
    if let Some(from) = from.strip_prefix('^').filter(|it| plain(it)) {
        let change = |line: &str| match line.strip_prefix(from) {
            Some(rest) => format!("{to}{rest}"),
            None => line.to_owned(),
        };
        return Some(by_line(input, |line| Some(change(line))));
    }
    if let Some(from) = from.strip_suffix('$').filter(|it| plain(it)) {
        let change = |line: &str| match line.strip_suffix(from) {
            Some(rest) => format!("{rest}{to}"),
            None => line.to_owned(),
        };
        return Some(by_line(input, |line| Some(change(line))));
    }
    if from.is_empty() || !plain(from) {
        return None;
    }
    Some(by_line(input, |line| {
        Some(if flags == "g" { line.replace(from, to) } else { line.replacen(from, to, 1) })
    }))
}

/// `tail -c 3`, `tail -c3`, `tail -c +3`
fn last_characters(words: &[&str], input: &str) -> Option<String> {
    let mut counts = words.iter().map(|text| text.trim_start_matches("-c"));
    let count = counts.rfind(|it| !it.is_empty())?;
    let skip = if let Some(from) = count.strip_prefix('+') {
        from.parse::<usize>().ok()?.saturating_sub(1)
    } else {
        let length = input.chars().count();
        length.saturating_sub(count.trim_start_matches('-').parse().ok()?)
    };
    Some(input.chars().skip(skip).collect())
}

/// `-n 3`, `-n3`, `-3`
fn count(words: &[&str]) -> Option<usize> {
    match *words {
        [] => Some(10),
        ["-n", count] => count.parse().ok(),
        [option] => option.strip_prefix("-n").or(option.strip_prefix('-'))?.parse().ok(),
        _ => None,
    }
}

/// Whether so many times the input is no work to speak of.
fn is_short(times: usize, input: &str) -> bool {
    times.saturating_mul(input.len()) <= 16 * limit::TEXT
}

/// `grep -o`: what stands between a plain beginning of the pattern and the line's end, or the plain
/// pattern itself.
fn only_matching(pattern: &str, input: &str) -> Option<String> {
    let pattern = pattern.trim_start_matches('^');
    let (start, is_open) = match pattern.strip_suffix(".*").or(pattern.strip_suffix(".*$")) {
        Some(start) => (start, true),
        None => (pattern, false),
    };
    if !start.chars().all(|c| c.is_alphanumeric() || " -_/".contains(c)) {
        return None;
    }
    Some(by_line(input, |line| {
        let rest = &line[line.find(start)?..];
        Some(if is_open { rest.to_owned() } else { start.to_owned() })
    }))
}

/// `1`, `{print}`, `{print $2, $3}`, `{printf "a %s\n", $1}`; between fields stands what `-F` says.
fn awk(code: &str, separator: Option<&str>, input: &str) -> Option<String> {
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
    let pieces = printed(fields).filter(|it| is_short(it.len(), input))?;
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
