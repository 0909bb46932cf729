use std::os::unix::fs::symlink;

use super::*;

#[test]
fn a_link_that_leads_nowhere_yet_is_followed() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let real = |path: &str| super::real(&root.join(path));
    symlink("b/new", root.join("a")).unwrap();
    std::fs::create_dir(root.join("c")).unwrap();
    symlink("c", root.join("b")).unwrap();
    assert_eq!(real("a"), root.join("c/new"));
    assert_eq!(real("b/../x"), root.join("x"));
    assert_eq!(real("none/../b/none/../y"), root.join("c/y"));
    assert_eq!(real("b/none/deep"), root.join("c/none/deep"));
    symlink(root.join("c"), root.join("absolute")).unwrap();
    assert_eq!(real("absolute/z"), root.join("c/z"));
    symlink("e", root.join("d")).unwrap();
    symlink("d", root.join("e")).unwrap();
    assert!(real("d").starts_with(&root), "a circle ends");
    symlink("../../../../../../../../../../../..", root.join("up")).unwrap();
    assert_eq!(real("up"), Path::new("/"), "above the root is the root");
    assert_eq!(real("up/none/.././x//y/"), Path::new("/x/y"));
    for name in ["", "c", "b", "absolute"] {
        assert_eq!(real(name), root.join(name).canonicalize().unwrap(), "{name}");
    }
}

#[test]
fn a_path_is_taken_for_what_it_says() {
    let rows = [
        ("/a//b/./c/", "/a/b/c"),
        ("/a/../../b", "/b"),
        ("/..", "/"),
        ("/", "/"),
        ("./a/b/..", "a"),
        ("a/../../b", "b"),
        ("..", ""),
        ("", ""),
        ("/.a/..b/c..", "/.a/..b/c.."),
    ];
    for (path, says) in rows {
        assert_eq!(normal(Path::new(path)).as_os_str(), says, "{path}");
    }
}

#[test]
fn a_path_that_no_system_takes_is_read_as_it_says() {
    let long = Path::new("/").join("none/../".repeat(20_000)).join("x");
    assert_eq!(real(&long), Path::new("/x"));
}
