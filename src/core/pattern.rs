//! Globs over tool keys.
//!
//! `*`, `?` and `[…]` mean what they mean to the `glob` crate; `*` crosses everything, and a
//! pattern covers a key whole. The key of a command may have holes, where its text cannot be known:
//! see [`shell::may_match`].

use super::tool::SHELL;
use glob::Pattern;

use crate::shell::{self, HOLE};

/// Whether `pattern` covers `key`, or could cover it. A pattern that is no glob matches as a
/// prefix, so that a typo opens no gate.
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

/// Whether the pattern's literal beginning is the key's, as far as either is known. Most patterns
/// end here for most keys, at the cost of a comparison.
fn begins_alike(pattern: &str, key: &str) -> bool {
    let mut known = key.bytes();
    for (at, wanted) in pattern.bytes().enumerate() {
        match known.next() {
            _ if matches!(wanted, b'*' | b'?' | b'[') => return true,
            Some(byte) if byte == wanted => (),
            // The hole begins there, or within its bytes.
            Some(_) => return key[key.floor_char_boundary(at)..].starts_with(HOLE),
            None => return false,
        }
    }
    true
}

/// What an exclusion excludes: of `!Bash:git push origin wip/*` the part behind the `!`.
pub fn exclusion(pattern: &str) -> Option<&str> {
    pattern.strip_prefix('!')
}

/// The program that a pattern of commands names: `git` of `Bash:git push*`. None where it names no
/// program (`Bash:*deploy*`) or a path (`Bash:./deploy.sh*`): such a command is known by the line
/// that runs it, and not by its name on PATH.
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
