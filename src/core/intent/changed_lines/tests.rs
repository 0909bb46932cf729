use proptest::prelude::*;

use super::*;

fn between(before: &str, after: &str) -> Changed {
    Changed::between(Some(before.as_bytes()), Some(after.as_bytes()))
}

fn lines_of(changed: &Changed) -> Vec<(u64, u64)> {
    changed.ranges.iter().map(|range| (range.start_line, range.end_line)).collect()
}

fn deletions(changed: &Changed) -> Vec<(u64, u64)> {
    changed.deletions.iter().map(|deletion| (deletion.after_line, deletion.lines)).collect()
}

fn hash(text: &str) -> String {
    format!("sha256:{}", bounded::sha256(text.as_bytes()))
}

#[test]
fn each_changed_stretch_is_a_range_of_the_text_after() {
    let changed = between("a\nb\nc\nd\ne\n", "a\nB\nc\nd\nnew\nnewer\ne\n");
    assert_eq!(lines_of(&changed), [(2, 2), (5, 6)]);
    assert_eq!(changed.ranges[0].content_hash, hash("B"));
    assert_eq!(changed.ranges[1].content_hash, hash("new\nnewer"));
    assert_eq!((changed.added, changed.removed), (3, 1));
    assert_eq!(changed.change, Change::Modified);
}

#[test]
fn a_deletion_is_no_range_but_is_told() {
    let changed = between("a\nb\nc\nd\n", "a\nd\n");
    assert_eq!(lines_of(&changed), []);
    assert_eq!(deletions(&changed), [(1, 2)]);
    let changed = between("a\nb\n", "b\n");
    assert_eq!(deletions(&changed), [(0, 1)]);
}

#[test]
fn a_new_file_is_one_range_and_an_empty_one_none() {
    let created = |text: &str| Changed::between(None, Some(text.as_bytes()));
    assert_eq!(lines_of(&created("a\nb\n")), [(1, 2)]);
    assert_eq!(created("a\nb\n").change, Change::Created);
    assert_eq!(lines_of(&created("")), []);
    assert_eq!(created("").change, Change::Created);
    assert_eq!(lines_of(&created("\n")), [(1, 1)]);
    assert_eq!(lines_of(&between("", "a\n")), [(1, 1)]);
}

#[test]
fn a_file_that_is_gone_lost_all_its_lines() {
    let changed = Changed::between(Some(b"a\nb"), None);
    assert_eq!(changed.change, Change::Deleted);
    assert_eq!((deletions(&changed), changed.removed), (vec![(0, 2)], 2));
    assert_eq!(Changed::between(Some(b""), None).change, Change::Deleted);
    assert_eq!(Changed::between(None, None).change, Change::Unchanged);
}

#[test]
fn a_last_line_without_its_end_is_a_line() {
    assert_eq!(lines_of(&between("a\nb", "a\nb\nc")), [(2, 3)]);
    let changed = between("a\nb\n", "a\nb");
    assert_eq!(lines_of(&changed), [(2, 2)], "as git says");
    assert_eq!(changed.ranges[0].content_hash, hash("b"));
}

#[test]
fn the_hash_is_the_same_with_other_ends_of_lines() {
    let unix = Changed::between(None, Some(b"a\nb\n"));
    let windows = Changed::between(None, Some(b"a\r\nb\r\n"));
    assert_eq!(unix.ranges, windows.ranges);
    assert_eq!(lines_of(&between("a\nb\n", "a\nb\r\n")), [(2, 2)], "but it is a change");
    assert_ne!(content_hash([&b"a\rb"[..]]), content_hash([&b"a"[..], b"b"]));
}

#[test]
fn what_git_calls_binary_has_no_lines() {
    let changed = Changed::between(Some(b"a\n"), Some(b"a\0b\n"));
    assert_eq!((lines_of(&changed), changed.opaque), (vec![], Some(Opaque::Binary)));
    let latin = Changed::between(Some(b"a\n"), Some(b"a\n\xe9\n"));
    assert_eq!((lines_of(&latin), latin.opaque), (vec![(2, 2)], None));
    let large = vec![b'\n'; LONGEST_TEXT + 1];
    assert_eq!(Changed::between(None, Some(&large)).opaque, Some(Opaque::TooLarge));
}

// Whatever the texts.

/// Few different lines, so that many are alike.
fn text() -> impl Strategy<Value = Vec<u8>> {
    let line = prop_oneof![Just(""), Just("a"), Just("b"), Just("  }"), Just("é\r"), Just("c")];
    (prop::collection::vec(line, 0..24), any::<bool>()).prop_map(|(lines, ends)| {
        let mut text = lines.join("\n");
        if ends && !lines.is_empty() {
            text.push('\n');
        }
        text.into_bytes()
    })
}

proptest! {
    #[test]
    fn what_is_in_no_range_was_there_before(before in text(), after in text()) {
        let changed = Changed::between(Some(&before), Some(&after));
        let old: Vec<&[u8]> = lines(&before).collect();
        let new: Vec<&[u8]> = lines(&after).collect();
        let is_new = |at: usize| {
            changed.ranges.iter().any(|range| (range.start_line..=range.end_line).contains(&(at as u64 + 1)))
        };
        let kept: Vec<&[u8]> =
            (0..new.len()).filter(|at| !is_new(*at)).map(|at| new[at]).collect();
        // In the same order.
        let mut rest = old.iter();
        prop_assert!(kept.iter().all(|line| rest.any(|items| items == line)));
        prop_assert_eq!(kept.len() as u64 + changed.removed, old.len() as u64);
        prop_assert_eq!(kept.len() as u64 + changed.added, new.len() as u64);
        for range in &changed.ranges {
            let at = |line: u64| usize::try_from(line).unwrap();
            let lines = &new[at(range.start_line) - 1..at(range.end_line)];
            prop_assert_eq!(&range.content_hash, &content_hash(lines.iter().copied()));
        }
        for pair in changed.ranges.windows(2) {
            prop_assert!(pair[0].end_line + 1 < pair[1].start_line);
        }
    }
}
