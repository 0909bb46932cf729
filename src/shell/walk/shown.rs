//! What programs show that is text of their own arguments: code that prints literals, and formats.

use super::super::table::interpreters::{self, Operand};
use super::super::{HOLE, Interpreter, foreign};
use super::Io;
use super::call::Call;
use super::field::{Field, texts};
use super::foreign::given_to;

/// What the code of an interpreter prints, and what a format makes of nothing that is known.
pub(super) fn shown(name: &str, words: &[Field]) -> Option<String> {
    if let Some(row) = interpreters::find(name) {
        let (given, at) = row.grammar.leading(words, 1);
        let code = given.iter().filter(|given| row.code.contains(&given.name.as_str()));
        // `node -p 'expression'`
        let shows = |name: &str| row.language == Interpreter::JavaScript && name.starts_with('p');
        let is_shown = given.iter().any(|given| shows(&given.name));
        let code: Vec<Field> = code.filter_map(|given| given.value.clone()).collect();
        let code = match (&code[..], row.operand) {
            ([], Operand::Code) => words.get(at)?.text.clone(),
            ([], Operand::After(word)) if words.get(at)?.text == word => {
                words.get(at + 1)?.text.clone()
            }
            _ if is_shown => format!("print({})", texts(&code).join("\n")),
            _ => texts(&code).join("\n"),
        };
        let call = Call {
            words: words.to_vec(),
            assignments: Vec::new(),
            io: Io::default(),
            direct: false,
        };
        // Behind code that is an operand stand the arguments.
        let at = at + usize::from(given.iter().all(|it| !row.code.contains(&it.name.as_str())));
        return foreign::printed(&code, row.language, &given_to(row, &call, at, false));
    }
    if name == "git"
        && let Some(shown) = own_folder(words)
    {
        return Some(shown);
    }
    let after = |options: &[&str]| {
        let place = words.iter().position(|word| options.contains(&word.text.as_str()))?;
        words.get(place + 1).map(|word| word.text.as_str())
    };
    let prefixed = |prefixes: &[&str]| {
        words
            .iter()
            .skip(1)
            .find_map(|word| prefixes.iter().find_map(|prefix| word.text.strip_prefix(prefix)))
    };
    let format = match name {
        "git" => prefixed(&[
            "--format=format:",
            "--format=tformat:",
            "--format=",
            "--pretty=format:",
            "--pretty=tformat:",
            "--pretty=",
        ])
        .or(after(&["--format"])),
        "find" | "gfind" => after(&["-printf"]),
        "stat" | "gstat" => prefixed(&["--format=", "--printf="]).or(after(&["-c", "-f"])),
        "date" | "gdate" => prefixed(&["+"]),
        "seq" | "gseq" => after(&["-f"]).or(prefixed(&["-f", "--format="])),
        "yes" => return Some(texts(&words[1..]).join(" ") + "\n"),
        "docker" | "podman" | "gh" => {
            after(&["--format", "--template", "-t"]).or(prefixed(&["--format=", "--template="]))
        }
        "jq" => return jq(words),
        _ => None,
    }?;
    // A format may be shown many times or not at all; one line of it says what there is to say.
    Some(filled(format) + "\n")
}

/// `git rev-parse --git-dir` shows where git keeps its own, and `--sq-quote` the words that follow.
fn own_folder(words: &[Field]) -> Option<String> {
    let [_, verb, option, rest @ ..] = words else { return None };
    if verb.text != "rev-parse" {
        return None;
    }
    match (option.text.as_str(), rest) {
        ("--git-dir" | "--git-common-dir" | "--absolute-git-dir", []) => Some(".git\n".to_owned()),
        ("--git-path", [path]) => Some(format!(".git/{}\n", path.text)),
        ("--sq-quote", words) => Some(super::call::quoted(words) + "\n"),
        _ => None,
    }
}

/// A format with a hole for each of its fields.
fn filled(format: &str) -> String {
    let mut text = String::new();
    let mut rest = format.chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            '%' if rest.next_if_eq(&'%').is_some() => text.push('%'),
            '%' | '{' => {
                text.push(HOLE);
                let close = match (character, rest.peek()) {
                    ('{', _) => Some('}'),
                    (_, Some('(')) => Some(')'),
                    _ => None,
                };
                match close {
                    Some(close) => while rest.next().is_some_and(|it| it != close) {},
                    None => while rest.next().is_some_and(|it| !it.is_ascii_alphabetic()) {},
                }
            }
            '\\' if rest.next_if_eq(&'n').is_some() => text.push('\n'),
            character => text.push(character),
        }
    }
    text
}

/// `jq -n '"text"'`
fn jq(words: &[Field]) -> Option<String> {
    let code = words.iter().skip(1).find(|word| !word.text.starts_with('-'))?.text.trim();
    let text = code.strip_prefix('"')?.strip_suffix('"')?;
    (!text.contains(['"', '\\'])).then(|| format!("{text}\n"))
}
