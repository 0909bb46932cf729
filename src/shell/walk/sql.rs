//! SQL, as far as it names files: its statements, its comments and its texts in quotes.

use std::collections::BTreeSet;

/// The texts in quotes that stand behind some words of SQL.
pub(super) fn find_paths<'a>(text: &'a str, words: &[&str], paths: &mut BTreeSet<&'a str>) {
    let lower = text.to_ascii_lowercase();
    for word in words {
        for (at, word) in lower.match_indices(word) {
            let rest = text[at + word.len()..].trim_start();
            let rest = match word {
                "writefile" => rest.strip_prefix('(').map(str::trim_start),
                "attach" => {
                    let is_word =
                        rest.get(..8).is_some_and(|it| it.eq_ignore_ascii_case("database"));
                    Some(if is_word { rest[8..].trim_start() } else { rest })
                }
                _ => Some(rest),
            };
            let quoted = rest
                .and_then(|it| it.strip_prefix(['\'', '"']))
                .and_then(|it| it.split(['\'', '"']).next());
            paths.extend(quoted.filter(|it| !it.is_empty()));
        }
    }
}

/// The statements of SQL, without the comments before them; lines that sqlite3 takes for itself are
/// none.
pub(super) fn statements(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ';');
        let Some(first) = rest.chars().next() else { return found };
        if matches!(first, '.' | '#') {
            rest = rest.split_once('\n').map_or("", |it| it.1);
        } else if let Some(behind) = behind_quoted(rest).filter(|_| matches!(first, '-' | '/')) {
            rest = behind;
        } else {
            let mut tail = rest;
            while let Some(character) = tail.chars().next().filter(|it| *it != ';') {
                tail = behind_quoted(tail).unwrap_or(&tail[character.len_utf8()..]);
            }
            found.push(&rest[..rest.len() - tail.len()]);
            rest = tail;
        }
    }
}

/// What stands behind a comment or a text in quotes that SQL begins with.
fn behind_quoted(text: &str) -> Option<&str> {
    let close = match text.chars().next()? {
        '-' if text.starts_with("--") => "\n",
        '/' if text.starts_with("/*") => {
            return Some(text[2..].split_once("*/").map_or("", |it| it.1));
        }
        '\'' => "'",
        '"' => "\"",
        '`' => "`",
        '[' => "]",
        _ => return None,
    };
    Some(text[1..].split_once(close).map_or("", |it| it.1))
}
