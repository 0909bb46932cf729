use super::*;

#[test]
fn a_push_names_what_it_takes_along() {
    let pushed = |line: &str| push(&line.split(' ').collect::<Vec<_>>());
    let refs = |names: &[&str]| {
        let refs = names.iter().map(|&name| name.to_owned()).collect();
        Some(Push { head: false, refs })
    };
    let head = Push { head: true, refs: Vec::new() };
    for line in ["push", "push -u origin", "push --force", "push -o a b"] {
        assert_eq!(pushed(line), Some(head.clone()), "{line}");
    }
    assert_eq!(pushed("push origin HEAD:main"), refs(&["HEAD"]));
    assert_eq!(pushed("push origin +feat:main other"), refs(&["feat", "other"]));
    assert_eq!(pushed("push origin tag v1"), refs(&["v1"]));
    for line in ["push origin :old", "push -d origin old", "push origin refs/notes/*"] {
        assert_eq!(pushed(line), refs(&[]), "{line}");
    }
    assert_eq!(pushed("pull origin"), None);
    assert_eq!(push(&["push", "origin", &HOLE.to_string()]), Some(head.clone()));
    assert_eq!(pushed("push origin :"), Some(head));
}

#[test]
fn records_are_no_work_and_a_configuration_is() {
    let folders = [".beads/".to_owned()];
    for path in [".roz/learnings.md", ".grove/stats.log", ".orchestration/x", ".beads/i.jsonl"] {
        assert!(is_record(path, &folders), "{path}");
    }
    for path in [".roz/config.toml", "src/.roz/x", ".rozx/a", ".tissue/a", "a"] {
        assert!(!is_record(path, &folders), "{path}");
    }
}
