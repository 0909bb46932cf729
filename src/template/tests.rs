use super::*;

fn say(notice: &Notice) -> String {
    let home = tempfile::tempdir().unwrap();
    speak(notice, home.path())
}

fn speak(notice: &Notice, home: &Path) -> String {
    let id = "s1".parse().unwrap();
    render(notice, Voice { session_id: &id, home, roz: "roz" })
}

#[test]
fn a_value_is_never_taken_for_a_placeholder() {
    let notice = Notice::new("protected").with("words", "{{session_id}} {{words}}");
    assert_eq!(say(&notice), "roz: {{session_id}} {{words}}\n\n{{json}}");
}

#[test]
fn a_users_own_template_shadows_ours() {
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir(home.path().join("templates")).unwrap();
    std::fs::write(home.path().join("templates/block-mine.md"), "Hold {{session_id}}!\n").unwrap();
    assert_eq!(speak(&Notice::new("block-mine"), home.path()), "Hold s1!");
}

#[test]
fn a_name_never_leaves_the_folder() {
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir(home.path().join("templates")).unwrap();
    std::fs::write(home.path().join("secret.md"), "secret").unwrap();
    assert!(!speak(&Notice::new("../secret"), home.path()).contains("secret"));
}

#[test]
fn every_built_in_text_is_short_enough_to_be_a_reason() {
    for (name, text) in BUILT_IN {
        assert!(text.chars().count() < 1500, "{name}");
    }
}
