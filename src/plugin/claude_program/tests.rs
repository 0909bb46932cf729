use super::*;

#[test]
fn versions_are_read_and_compared_as_numbers() {
    assert_eq!("2.1.197 (Claude Code)\n".parse(), Ok(Version([2, 1, 197])));
    assert_eq!("2.1.330-beta.1".parse(), Ok(Version([2, 1, 330])));
    assert!(Version([2, 1, 99]) < OLDEST && OLDEST < Version([10, 0, 0]));
    for text in ["", "claude", "2.1", "2..1"] {
        assert!(text.parse::<Version>().is_err(), "{text}");
    }
}

#[test]
fn a_command_can_be_pasted_into_a_shell() {
    assert_eq!(line(&["plugin", "install", "roz@roz"]), "claude plugin install roz@roz");
    assert_eq!(line(&["add", "/a b/it's"]), r"claude add '/a b/it'\''s'");
}
