//! What a configuration of git has git run, as far as its own text says:
//! editors, pagers, filters, an `fsmonitor`. Files that it includes are not
//! read.

use crate::shell;

/// Longer ones are nobody's work.
const MAX_LINES: usize = 4096;

/// The code in a file of git's configuration.
pub(super) fn code(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut section = String::new();
    for line in text.replace("\\\n", "").lines().take(MAX_LINES) {
        let mut line = line.trim();
        if let Some((name, rest)) = line.strip_prefix('[').and_then(|it| it.split_once(']')) {
            section = match name.split_once(char::is_whitespace) {
                Some((name, sub)) => format!("{name}.{}", sub.trim().trim_matches('"')),
                None => name.to_owned(),
            };
            line = rest.trim();
        }
        if let Some((key, value)) = line.split_once('=')
            && shell::is_git_code(&format!("{section}.{}", key.trim()))
        {
            found.extend(plain(value.trim()));
        }
    }
    found
}

/// A value without its quotes and its comment. `None` where it says nothing.
fn plain(value: &str) -> Option<String> {
    let mut text = String::new();
    let mut is_quoted = false;
    let mut rest = value.chars();
    while let Some(character) = rest.next() {
        match character {
            '"' => is_quoted = !is_quoted,
            '#' | ';' if !is_quoted => break,
            '\\' => match rest.next() {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                other => text.extend(other),
            },
            other => text.push(other),
        }
    }
    let text = text.trim().trim_start_matches('!');
    (!text.is_empty() && !matches!(text, "true" | "false")).then(|| text.to_owned())
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
}
