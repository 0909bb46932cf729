//! The text of a configuration of git, taken apart as git does it, so that no
//! comment, quote or broken line hides a setting. Files that it includes are not
//! followed.

/// The settings in their order, each as `section.subsection.name` and its value,
/// without its quotes and its comment; the value of one that has none is empty.
pub fn settings(text: &str) -> Vec<(String, String)> {
    let text = text.replace("\r\n", "\n");
    let mut section = String::new();
    let mut found = Vec::new();
    let mut rest = text.trim_start_matches('\u{feff}');
    loop {
        rest = rest.trim_start();
        if rest.is_empty() {
            return found;
        }
        if let Some(after) = rest.strip_prefix('[') {
            // Another one may stand behind it, and a setting, in the same line.
            match header(after) {
                Some((name, after)) => (section, rest) = (name, after),
                None => rest = behind_line(rest),
            }
            continue;
        }
        let end = rest.find(|it: char| it.is_whitespace() || matches!(it, '=' | '#' | ';'));
        let (name, after) = rest.split_at(end.unwrap_or(rest.len()));
        let after = after.trim_start_matches([' ', '\t']);
        let (value, after) = match after.strip_prefix('=') {
            Some(after) => value(after),
            None => (String::new(), behind_line(after)),
        };
        rest = after;
        if !name.is_empty() {
            found.push((format!("{section}.{name}"), value));
        }
    }
}

fn behind_line(text: &str) -> &str {
    text.split_once('\n').map_or("", |it| it.1)
}

/// What a section is called whose `[` is taken off, and what stands behind it.
fn header(text: &str) -> Option<(String, &str)> {
    let letters = text.bytes().position(|it| !it.is_ascii_alphanumeric());
    let (plain, rest) = text.split_at(letters.unwrap_or(text.len()));
    if let Some(rest) = rest.strip_prefix(']') {
        return Some((plain.to_owned(), rest));
    }
    let mut name = String::new();
    let mut is_quoted = false;
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\n' => return None,
            ']' if !is_quoted => return Some((name, &text[at + 1..])),
            '"' if is_quoted => is_quoted = false,
            '"' => {
                is_quoted = true;
                name.push('.');
            }
            '\\' if is_quoted => name.extend(letters.next().map(|it| it.1)),
            it if it.is_whitespace() && !is_quoted => (),
            it => name.push(it),
        }
    }
    None
}

/// What stands behind a `=`, and what behind that. A line may go on in the next.
fn value(text: &str) -> (String, &str) {
    // Nearly all are plain.
    let special = text.bytes().position(|it| matches!(it, b'\n' | b'#' | b';' | b'"' | b'\\'));
    let plain = text.split_at(special.unwrap_or(text.len()));
    if plain.1.is_empty() || plain.1.starts_with('\n') {
        return (plain.0.trim().to_owned(), plain.1);
    }
    let mut value = String::new();
    // Blanks behind it are none of it, but for those in quotes.
    let mut length = 0;
    let mut is_quoted = false;
    let mut letters = text.char_indices();
    let mut rest = "";
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\n' => {
                rest = &text[at..];
                break;
            }
            '#' | ';' if !is_quoted => {
                rest = behind_line(&text[at..]);
                break;
            }
            '"' => is_quoted = !is_quoted,
            '\\' => match letters.next().map(|it| it.1) {
                None | Some('\n') => continue,
                Some('n') => value.push('\n'),
                Some('t') => value.push('\t'),
                Some('b') => value.push('\u{8}'),
                Some(it) => value.push(it),
            },
            it if it.is_whitespace() && !is_quoted => {
                if length > 0 {
                    value.push(it);
                }
                continue;
            }
            it => value.push(it),
        }
        length = value.len();
    }
    value.truncate(length);
    (value, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_have_their_section_and_their_value() {
        let text = "[core]\n\tfsmonitor = \"git push;:\" # x\n\teditor=vim\n\tbare\n[diff \"a]b\"] x = a \\\n b\n\
                    [A][url \"q\\\"\"] y=\"c; d\"e ; f \\\nz=1\n[broken\nw = 2";
        let want = [
            ("core.fsmonitor", "git push;:"),
            ("core.editor", "vim"),
            ("core.bare", ""),
            ("diff.a]b.x", "a  b"),
            ("url.q\".y", "c; de"),
            ("url.q\".z", "1"),
            ("url.q\".w", "2"),
        ];
        let found = settings(text);
        let found: Vec<(&str, &str)> = found.iter().map(|it| (&*it.0, &*it.1)).collect();
        assert_eq!(found, want);
        assert!(settings("").is_empty() && settings("[core\n").is_empty());
    }
}
