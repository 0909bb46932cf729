#[test]
fn one_block_is_once() {
    assert_eq!([0, 1, 3].map(super::times), ["0 times", "once", "3 times"]);
}
