use super::*;

#[test]
fn a_file_is_there_however_it_is_named() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("src")).unwrap();
    std::fs::write(dir.path().join("src/a.rs"), "").unwrap();
    for named in
        ["src/a.rs", "src", "src/", "src/a.rs:12", "src/a.rs:3-9", "src/*.rs", "./src/a.rs"]
    {
        assert!(is_there(named, dir.path()), "{named}");
    }
    for named in ["src/b.rs", "a.rs", "src/*.c", "[", "\0", &"x".repeat(5000), "src/b.rs:1"] {
        assert!(!is_there(named, dir.path()), "{named}");
    }
}
