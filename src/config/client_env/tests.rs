use std::fs;

use super::*;

fn dir(settings: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join(".claude")).unwrap();
    fs::write(dir.path().join(FILES[1]), settings).unwrap();
    dir
}

#[test]
fn a_variable_in_a_projects_settings_is_the_projects() {
    let dir = dir(r#"{"env": {"ROZ_HOME": "/tmp/x"}, "model": "not ROZ_CONFIG"}"#);
    let names = ["ROZ_HOME", "ROZ_CONFIG"];
    assert_eq!(set_by_project(names, &[dir.path()], None), ["ROZ_HOME"]);
    assert!(set_by_project(names, &[], None).is_empty());
}

#[test]
fn settings_in_the_users_own_home_are_the_users() {
    let dir = dir(r#"{"env": {"ROZ_HOME": "/tmp/x"}}"#);
    assert!(set_by_project(["ROZ_HOME"], &[dir.path()], Some(dir.path())).is_empty());
}

#[test]
fn settings_that_we_cannot_parse_may_set_what_they_name() {
    let dir = dir(r#"{"env": {"ROZ_HOME": "/tmp/x",}} // trailing"#);
    assert_eq!(set_by_project(["ROZ_HOME", "ROZ_CONFIG"], &[dir.path()], None), ["ROZ_HOME"]);
}

#[test]
fn a_variable_may_be_spelt_with_escapes_or_in_a_file_too_large_to_read() {
    for text in [
        "{\"env\": {\"\\u0052OZ_HOME\": \"/tmp/x\"}}",
        "{\"env\": {\"\\u0052OZ_HOME\": \"/tmp/x\"},}",
        &format!("{{\"a\": \"{}\"}}", "x".repeat(5 << 20)),
    ] {
        let dir = dir(text);
        assert_eq!(set_by_project(["ROZ_HOME"], &[dir.path()], None), ["ROZ_HOME"]);
    }
}

#[test]
fn a_byte_order_mark_hides_nothing() {
    let dir = dir("\u{feff}{\"env\": {\"ROZ_HOME\": \"/tmp/x\"}}");
    assert_eq!(set_by_project(["ROZ_HOME"], &[dir.path()], None), ["ROZ_HOME"]);
}
