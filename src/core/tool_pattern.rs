//! Globs that match tool keys, such as `Bash:git push*`.
//!
//! `*`, `?` and `[…]` are those of the `glob` crate; `*` also matches `/`, and a pattern has to
//! match the whole key. Unknown parts of a command are holes in its key: see [`shell::may_match`].

use super::tool::SHELL;
use glob::Pattern;

use crate::shell::{self, HOLE};

/// Whether `pattern` matches `key`, or could. An invalid glob matches as a prefix, so that a typo
/// does not open a gate.
pub fn matches(pattern: &str, key: &str) -> bool {
    if !begins_alike(pattern, key) {
        return false;
    }
    match Pattern::new(pattern) {
        Ok(_) if key.starts_with("Bash:") => shell::may_match(pattern, key),
        Ok(glob) => glob.matches(key),
        Err(_) => key.starts_with(pattern),
    }
}

/// Compares the literal beginnings: a cheap test that rules out most patterns.
fn begins_alike(pattern: &str, key: &str) -> bool {
    let mut known = key.bytes();
    for (at, wanted) in pattern.bytes().enumerate() {
        match known.next() {
            _ if matches!(wanted, b'*' | b'?' | b'[') => return true,
            Some(byte) if byte == wanted => (),
            // The hole is at this position, or within a character there.
            Some(_) => return key[key.floor_char_boundary(at)..].starts_with(HOLE),
            None => return false,
        }
    }
    true
}

/// The pattern after the `!`: `Bash:git push origin wip/*` for `!Bash:git push origin wip/*`.
pub fn exclusion(pattern: &str) -> Option<&str> {
    pattern.strip_prefix('!')
}

/// The program that a command pattern names: `git` for `Bash:git push*`. `None` without a program
/// (`Bash:*deploy*`) and for a path (`Bash:./deploy.sh*`), which PATH does not resolve.
pub fn program(pattern: &str) -> Option<&str> {
    let words = pattern.strip_prefix("Bash:")?;
    let end = words.find([' ', '*', '?', '[']).unwrap_or(words.len());
    let (name, rest) = words.split_at(end);
    let is_name = |c: char| c.is_ascii_alphanumeric() || "._+-".contains(c);
    let is_whole = rest.is_empty() || rest.starts_with([' ', '*']);
    let is_program = name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name != "roz";
    (is_whole && is_program && name.chars().all(is_name)).then_some(name)
}

pub fn check(pattern: &str) -> Result<(), String> {
    if exclusion(pattern).is_some() {
        return Err("only `review.gates.tools` has exclusions".to_owned());
    }
    Pattern::new(pattern).map_err(|err| err.msg.to_owned())?;
    let (tool, rest) = pattern.split_once(':').unwrap_or((pattern, ""));
    if tool.contains(['(', ' ']) {
        return Err("it names no tool; for a command write `Bash:git push*`".to_owned());
    }
    if tool.eq_ignore_ascii_case(SHELL) && tool != SHELL {
        return Err(format!("the tool is called `{SHELL}`"));
    }
    if tool == SHELL && rest.starts_with(' ') {
        return Err("remove the blank after `Bash:`".to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests;
