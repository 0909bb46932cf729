//! Globs over tool keys.
//!
//! `*`, `?` and `[…]` mean what they mean to the `glob` crate; `*` crosses
//! everything, and a pattern covers a key whole. The key of a command may have
//! holes, where its text cannot be known: see [`shell::may_match`].

use glob::Pattern;

use crate::shell;

/// Whether `pattern` covers `key`, or could cover it. A pattern that is no
/// glob matches as a prefix, so that a typo opens no gate.
pub fn matches(pattern: &str, key: &str) -> bool {
    match Pattern::new(pattern) {
        Ok(_) if key.starts_with("Bash:") => shell::may_match(pattern, key),
        Ok(glob) => glob.matches(key),
        Err(_) => key.starts_with(pattern),
    }
}

/// What is wrong with a pattern, if anything is.
pub fn check(pattern: &str) -> Result<(), String> {
    Pattern::new(pattern).map(drop).map_err(|err| err.msg.to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_pattern_that_is_no_glob_still_gates_as_a_prefix() {
        assert!(matches("Bash:git push[", "Bash:git push[x"));
        assert!(!matches("Bash:git push[", "Bash:git pull"));
        assert!(check("Bash:git push[").is_err());
    }

    proptest! {
        /// Two matchers, one meaning.
        #[test]
        fn without_holes_both_matchers_agree(
            pattern in "[ab*?\\[\\]!-]{0,8}", key in "[ab\\[\\]!-]{0,8}",
        ) {
            let (pattern, key) = (format!("Bash:{pattern}"), format!("Bash:{key}"));
            if let Ok(glob) = Pattern::new(&pattern) {
                prop_assert_eq!(glob.matches(&key), shell::may_match(&pattern, &key));
            }
        }
    }
}
