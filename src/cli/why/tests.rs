use super::*;
use crate::core::protect::RULES;

#[test]
fn no_remedy_is_in_one_clients_words() {
    for rule in RULES {
        let said = neutral(rule.instead);
        for word in
            ["Agent tool", "subagent_type", "roz:roz", "Write tool", "Edit tool", "Bash tool"]
        {
            assert!(!said.contains(word), "{}: {said}", rule.name);
        }
    }
}
