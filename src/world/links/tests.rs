use std::os::unix::fs::symlink;

use super::*;

#[test]
fn a_link_that_leads_nowhere_yet_is_followed() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let real = |path: &str| Links::default().real(&root.join(path));
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
fn what_lies_on_the_way_to_where_we_stand_is_no_link_and_all_else_is_looked_at() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    std::fs::create_dir_all(root.join("here/below")).unwrap();
    symlink("here", root.join("her")).unwrap();
    symlink("here", root.join("here2")).unwrap();
    symlink("below", root.join("here/link")).unwrap();
    let mut links = Links::of(&root.join("here"));
    assert_eq!(links.real(&root.join("here")), root.join("here"));
    assert!(links.seen.is_empty(), "nothing was looked at: {links:?}");
    assert_eq!(links.real(&root.join("her/x")), root.join("here/x"));
    assert_eq!(links.real(&root.join("here2/x")), root.join("here/x"));
    assert_eq!(links.real(&root.join("here/link/x")), root.join("here/below/x"));
}

#[test]
fn a_folder_that_is_asked_about_often_says_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    std::fs::create_dir(root.join("there")).unwrap();
    std::fs::write(root.join("file"), "").unwrap();
    symlink("there", root.join("link")).unwrap();
    symlink("nowhere", root.join("dangling")).unwrap();
    let mut links = Links::default();
    for n in 0..2 * MANY {
        assert_eq!(links.real(&root.join(format!("none{n}/x"))), root.join(format!("none{n}/x")));
    }
    assert!(links.folders[root.as_os_str().as_bytes()].names.is_some(), "it has been listed");
    assert_eq!(links.real(&root.join("link/x")), root.join("there/x"));
    assert_eq!(links.real(&root.join("dangling")), root.join("nowhere"));
    assert_eq!(links.real(&root.join("file")), root.join("file"));
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
    assert_eq!(Links::default().real(&long), Path::new("/x"));
}
