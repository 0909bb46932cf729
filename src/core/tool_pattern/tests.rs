use proptest::prelude::*;

use super::*;

#[test]
fn a_pattern_that_is_no_glob_still_gates_as_a_prefix() {
    assert!(matches("Bash:git push[", "Bash:git push[x"));
    assert!(!matches("Bash:git push[", "Bash:git pull"));
    assert!(check("Bash:git push[").is_err());
}

#[test]
fn a_pattern_names_a_program_by_its_first_word() {
    for (pattern, expected) in [
        ("Bash:git push*", Some("git")),
        ("Bash:npm", Some("npm")),
        ("Bash:terraform*", Some("terraform")),
        ("Bash:docker-compose up", Some("docker-compose")),
        ("Bash:*deploy*", None),
        ("Bash:./deploy.sh*", None),
        ("Bash:/usr/bin/git push", None),
        ("Bash:g?t push", None),
        ("Bash:roz decide*", None),
        ("!Bash:git push origin wip/*", None),
        ("Bash", None),
        ("mcp__x__y", None),
    ] {
        assert_eq!(program(pattern), expected, "{pattern}");
    }
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
            prop_assert_eq!(glob.matches(&key), matches(&pattern, &key));
        }
    }
}
