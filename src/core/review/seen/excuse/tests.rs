use super::*;

#[test]
fn generated_files_are_known_by_their_globs() {
    let globs: Vec<String> =
        ["*.lock", "go.sum", "dist/**", "**/gen/*.rs", "[", "web/*.js"].map(String::from).into();
    for path in
        ["Cargo.lock", "web/yarn.lock", "a/go.sum", "dist/a/b.js", "x/y/gen/a.rs", "web/a.js"]
    {
        assert!(is_generated(&globs, path), "{path}");
    }
    for path in ["lock", "a.lock.rs", "src/dist/a.js", "x/gen/y/a.rs", "web/src/a.js", "go.sum/a"] {
        assert!(!is_generated(&globs, path), "{path}");
    }
}

#[test]
fn an_excuse_is_for_a_file_a_folder_or_a_glob() {
    for (text, covered, other) in [
        ("src/a.rs: generated", "src/a.rs", "src/a.rs.bak"),
        ("README.md: text", "README.md", "docs/README.md"),
        ("vendor: not ours", "vendor/a/b.c", "src/vendor/a.c"),
        ("./vendor/: not ours", "vendor/a", "vendored"),
        ("*.snap: snapshots", "tests/a/b.snap", "snap"),
        ("app/[id]/page.tsx: moved", "app/[id]/page.tsx", "app/x"),
        ("data/**/*.json: data", "data/a/b/c.json", "data/a/b/c.rs"),
    ] {
        let excuse = Excuse::parse(text).unwrap();
        assert!(excuse.covers(covered), "{text}");
        assert!(!excuse.covers(other), "{text}");
    }
    let excuse = Excuse::parse("a:b.txt: made by `x: y`").unwrap();
    assert_eq!((excuse.glob.as_str(), excuse.reason.as_str()), ("a:b.txt", "made by `x: y`"));
}

#[test]
fn an_excuse_without_a_reason_is_none() {
    for text in ["src/a.rs", "src/a.rs:", "src/a.rs:  "] {
        let told = Excuse::parse(text).unwrap_err();
        assert_eq!(told, format!("`{text}` lacks a file or a reason: write `PATH: reason`"));
    }
    assert!(Excuse::parse(": reason").unwrap_err().contains("lacks a file"));
}
