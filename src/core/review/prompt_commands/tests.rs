use super::*;

#[test]
fn roz_is_a_word_and_its_commands_are_three() {
    for prompt in ["#roz", " #ROZ fix", "#roz, fix", "#roz; x", "#roz! x", "#roz: x", "#roz:"] {
        assert_eq!(command(prompt), Some(Command::Review), "{prompt:?}");
    }
    assert_eq!(command("#roz:stop enough"), Some(Command::Stop));
    assert_eq!(command("#roz:Allow"), Some(Command::Allow));
    assert_eq!(command("#roz:approve seen it"), Some(Command::Approve("seen it".to_owned())));
    assert_eq!(command("#roz:go on"), Some(Command::Unknown("go".to_owned())));
    for prompt in ["# roz fix", "/roz", "@roz x", "fix it #roz", "> #roz fix", "(#roz)", "#roz."] {
        assert_eq!(command(prompt), Some(Command::NearMiss), "{prompt:?}");
    }
    for prompt in ["fix the bug", "#rozzz", "roz", "#ro z", "/rozzz", "x#roz", "#roz-x", ""] {
        assert_eq!(command(prompt), None, "{prompt:?}");
    }
}
