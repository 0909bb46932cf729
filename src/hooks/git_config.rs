//! What a configuration of git has git run, as far as its own text says:
//! editors, pagers, filters, an `fsmonitor`. It is taken apart as git does it,
//! so that no comment and no broken line hides a setting. Files that it
//! includes are not read: git itself is asked about those.

use std::{iter::Peekable, str::Chars};

use crate::shell;

/// The code in a file of git's configuration.
pub(super) fn code(text: &str) -> Vec<String> {
    let text = text.trim_start_matches('\u{FEFF}').replace("\r\n", "\n");
    let mut rest = text.chars().peekable();
    let mut found = Vec::new();
    let mut section = String::new();
    while let Some(character) = rest.next() {
        match character {
            '#' | ';' => skip_line(&mut rest),
            '[' => section = header(&mut rest),
            it if it.is_whitespace() => {}
            first => {
                let mut key = String::from(first);
                while let Some(it) = rest.next_if(|it| !matches!(it, '=' | '\n')) {
                    key.push(it);
                }
                if rest.next() == Some('=') {
                    let value = value(&mut rest);
                    if shell::is_git_code(&format!("{section}.{}", key.trim())) {
                        found.extend(worth(&value));
                    }
                }
            }
        }
    }
    found
}

fn skip_line(rest: &mut Peekable<Chars<'_>>) {
    while rest.next().is_some_and(|it| it != '\n') {}
}

/// A value that git would run. `None` where it says nothing.
pub(super) fn worth(value: &str) -> Option<String> {
    let text = value.trim().trim_start_matches('!');
    (!text.is_empty() && !matches!(text, "true" | "false")).then(|| text.to_owned())
}

/// `core]`, `diff "a]b"]`: a section and its subsection, from behind the bracket.
fn header(rest: &mut Peekable<Chars<'_>>) -> String {
    let mut name = String::new();
    let mut is_quoted = false;
    while let Some(character) = rest.next() {
        match character {
            ']' if !is_quoted => break,
            '\n' => break,
            '"' => is_quoted = !is_quoted,
            '\\' if is_quoted => name.extend(rest.next()),
            it if it.is_whitespace() && !is_quoted => {
                if !name.ends_with('.') {
                    name.push('.');
                }
            }
            it => name.push(it),
        }
    }
    name.trim_end_matches('.').to_owned()
}

/// A value without its quotes and its comment, up to the end of its line.
fn value(rest: &mut Peekable<Chars<'_>>) -> String {
    let mut text = String::new();
    let mut is_quoted = false;
    while let Some(character) = rest.next() {
        match character {
            '\n' => break,
            '"' => is_quoted = !is_quoted,
            '#' | ';' if !is_quoted => {
                skip_line(rest);
                break;
            }
            '\\' => match rest.next() {
                Some('\n') => {}
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                other => text.extend(other),
            },
            other => text.push(other),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_would_run_is_found() {
        let text = "[core]\n\tfsmonitor = \"git push;:\" # x\n\teditor=vim\n\tbare = false\n\
            [diff \"z\"] textconv = a \\\n b\n[alias]\n\tp = push\n[core] fsmonitor = true\n\
            [credential]\n\thelper = !f() { x; }; f\n[filter \"l\"]\n\tclean = \"a; b\"\n";
        let want = ["git push;:", "vim", "a  b", "f() { x", "a; b"];
        assert_eq!(code(text), want);
        assert!(code("").is_empty());
        assert!(code("[core\neditor").is_empty());
    }

    #[test]
    fn nothing_that_git_takes_otherwise_hides_a_setting() {
        for text in [
            "[core]\n# \\\neditor = x",
            "[core]\na = b ; \\\neditor = x",
            "[a] [core] editor = x",
            "[a][core]editor=x",
            "[diff \"a]b\"]\ntextconv = x",
            "[diff \"a\\\"]\\\\\"]\ntextconv = x",
            "\u{FEFF}[core]\r\nedi\r\n[core]\r\neditor = \\\r\nx\r\n",
            &format!("{}[core]\neditor = x", "\n".repeat(8192)),
        ] {
            assert_eq!(code(text), ["x"], "{text:?}");
        }
        assert!(code("# [core] editor = x\n[a] editor = y\n").is_empty());
    }
}
