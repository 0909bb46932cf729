use super::*;

fn laxer(before: &str, after: &str) -> Vec<String> {
    laxer_than(before, after, Path::new("config.toml"), None)
}

#[test]
fn what_a_project_may_not_say_is_laxer() {
    for (before, after, key) in [
        ("", "protect.enabled = false", "protect.enabled"),
        ("review.mode = \"always\"", "", "review.mode"),
        ("", "review.mode = \"never\"", "review.mode"),
        ("[review.gates]\ntools = [\"a\", \"b\"]", "[review.gates]\ntools = [\"a\"]", "tools"),
        ("[review.gates]\ntools = [\"a\"]", "[review.gates]\ntools = [\"a\", \"!b\"]", "tools"),
        ("", "circuit_breaker.max_blocks = 0", "circuit_breaker.max_blocks"),
        ("", "[trust]\nprojects = [\"/x\"]", "trust.projects"),
        ("", "not toml", "not TOML"),
    ] {
        let found = laxer(before, after);
        assert!(found.len() == 1 && found[0].contains(key), "{after}: {found:?}");
    }
}

#[test]
fn what_a_project_may_say_is_not() {
    for (before, after) in [
        ("", "review.mode = \"always\""),
        ("", "[review.gates]\ntools = [\"Bash:git push*\"]"),
        ("", "[retrieval]\nmax_injections = 0"),
        ("# a\n", "# b\nprotect.enabled = true"),
        ("not toml", ""),
    ] {
        assert_eq!(laxer(before, after), Vec::<String>::new(), "{after}");
    }
}
