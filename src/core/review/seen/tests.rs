use super::*;
use crate::core::review::diff::{
    pages,
    tests::{Repository, numbers},
};

/// The paths of which `seen` lacks something.
fn missing(seen: &Seen, required: &[Required]) -> Vec<String> {
    required
        .iter()
        .filter(|required| !seen.has(required))
        .map(|required| required.path.clone())
        .collect()
}

fn is_enough(text: &str, required: &[Required]) -> bool {
    let mut seen = Seen::default();
    seen.diff(text);
    missing(&seen, required).is_empty()
}

fn change(repository: &Repository) -> Vec<Required> {
    required(&diff::parse(&repository.diff(&["-U0", "-M", "--full-index"])))
}

fn one(repository: &Repository) -> Required {
    let [required] = change(repository).try_into().unwrap();
    required
}

/// A repository whose file `a` has sixty lines, of which one was changed and one removed.
fn edited() -> Repository {
    let repository = Repository::new();
    repository.write("a", &numbers(60));
    repository.commit();
    repository.write("a", &numbers(60).replace("line 30\n", "new\n").replace("line 50\n", ""));
    repository
}

/// A repository with two new files.
fn two_new() -> Repository {
    let repository = Repository::new();
    repository.commit_empty();
    repository.write("a", &numbers(40));
    repository.write("b", &numbers(50));
    repository
}

/// What arrives where a program prints `text`: the client takes off its blank end.
fn arrives(text: &str) -> &str {
    text.trim_end()
}

fn first_lines(text: &str, count: usize) -> String {
    text.lines().take(count).collect::<Vec<_>>().join("\n")
}

// Diffs.

#[test]
fn what_was_changed_is_what_has_to_be_seen() {
    let required = one(&edited());
    assert_eq!((required.path.as_str(), required.blob.len()), ("a", 40));
    assert_eq!((required.ranges, required.deletions), (vec![(30, 30)], vec![49]));
    let with_context = required_of(&edited().diff(&[]));
    assert_eq!((&with_context.ranges, &with_context.deletions), (&vec![(30, 30)], &vec![49]));
}

fn required_of(diff: &str) -> Required {
    required(&diff::parse(diff)).remove(0)
}

#[test]
fn who_has_read_nothing_has_seen_nothing() {
    let required = change(&two_new());
    assert_eq!(missing(&Seen::default(), &required), ["a", "b"]);
    for text in ["", "a | 40 +\nb | 50 +\n", "LGTM", "diff --git", "@@ -1 +1 @@\n+line 1\n"] {
        assert!(!is_enough(text, &required), "{text}");
    }
}

#[test]
fn the_whole_diff_is_enough_however_git_prints_it() {
    for repository in [edited(), two_new()] {
        let required = change(&repository);
        for options in [
            &[][..],
            &["-U0"],
            &["-U30"],
            &["--color=always"],
            &["--no-prefix"],
            &["--stat", "-p"],
            &["--full-index"],
            &["--src-prefix=i/", "--dst-prefix=w/"],
        ] {
            assert!(is_enough(&repository.diff(options), &required), "{options:?}");
            assert!(is_enough(arrives(&repository.diff(options)), &required), "{options:?}");
        }
    }
}

#[test]
fn a_commit_that_is_shown_is_a_diff_too() {
    let repository = edited();
    let required = change(&repository);
    repository.commit();
    assert!(is_enough(&repository.git(&["show"]), &required));
    assert!(is_enough(&repository.git(&["log", "-p"]), &required));
}

#[test]
fn one_of_two_files_is_half_of_the_change() {
    let repository = two_new();
    let required = change(&repository);
    let mut seen = Seen::default();
    seen.diff(&repository.diff(&["--", "a"]));
    assert_eq!(missing(&seen, &required), ["b"]);
    seen.diff(&repository.diff(&["--", "b"]));
    assert_eq!(missing(&seen, &required), Vec::<String>::new());
}

#[test]
fn a_diff_that_the_client_cut_counts_as_far_as_it_goes() {
    let repository = two_new();
    let required = change(&repository);
    let text = repository.diff(&[]);
    // Within `+line 21` of the second file.
    let cut = &text[..text.rfind("ine 21\n").unwrap()];
    let mut seen = Seen::default();
    seen.diff(cut);
    assert_eq!(missing(&seen, &required), ["b"]);
    let mut more = seen.clone();
    more.lines(&required[1].blob, 22, 29);
    assert_eq!(missing(&more, &required), ["b"]);
    seen.lines(&required[1].blob, 21, 30);
    assert_eq!(missing(&seen, &required), Vec::<String>::new());
}

#[test]
fn a_line_that_the_cut_has_split_does_not_count() {
    let repository = two_new();
    let text = repository.diff(&["--", "a"]);
    let required = change(&repository)[..1].to_vec();
    let mut seen = Seen::default();
    seen.diff(text.strip_suffix("ine 39\n+line 40\n").unwrap());
    seen.lines(&required[0].blob, 40, 1);
    assert_eq!(missing(&seen, &required), ["a"]);
    seen.lines(&required[0].blob, 39, 1);
    assert_eq!(missing(&seen, &required), Vec::<String>::new());
}

#[test]
fn a_change_above_blank_lines_at_the_end_of_an_output_counts() {
    let repository = Repository::new();
    repository.write("a", "one\n\n\n\n\n");
    repository.commit();
    repository.write("a", "two\n\n\n\n\n");
    let required = change(&repository);
    let text = repository.diff(&[]);
    assert!(arrives(&text).ends_with("+two"));
    assert!(is_enough(arrives(&text), &required));
}

#[test]
fn a_page_piped_into_head_counts_as_far_as_it_was_let_through() {
    let repository = two_new();
    let required = change(&repository);
    let page = pages(&diff::parse(&repository.diff(&[])), 20_000).remove(0);
    assert!(is_enough(arrives(&page), &required));
    let mut seen = Seen::default();
    seen.diff(&first_lines(&page, 20));
    assert_eq!(missing(&seen, &required), ["a", "b"]);
    seen.diff(&first_lines(&page, 60));
    assert_eq!(missing(&seen, &required), ["b"]);
}

#[test]
fn every_page_has_to_be_seen() {
    let repository = Repository::new();
    repository.commit_empty();
    repository.write("a", &numbers(3000));
    let required = change(&repository);
    let pages = pages(&diff::parse(&repository.diff(&[])), 20_000);
    assert!(pages.len() > 1);
    let mut seen = Seen::default();
    for page in &pages {
        assert_eq!(missing(&seen, &required), ["a"]);
        seen.diff(arrives(page));
    }
    assert_eq!(missing(&seen, &required), Vec::<String>::new());
}

#[test]
fn headers_without_hunks_show_no_change() {
    let repository = edited();
    let required = change(&repository);
    for keeps in
        [&["diff", "index"][..], &["diff", "index", "---", "+++"], &["@@", "diff", "index"]]
    {
        let text = repository.diff(&[]);
        let kept = text.lines().filter(|line| keeps.iter().any(|start| line.starts_with(start)));
        assert!(!is_enough(&kept.collect::<Vec<_>>().join("\n"), &required), "{keeps:?}");
    }
    for options in [["--stat"], ["--name-only"], ["--raw"], ["--summary"]] {
        assert!(!is_enough(&repository.diff(&options), &required), "{options:?}");
    }
}

#[test]
fn what_a_filter_left_of_a_diff_does_not_count() {
    let repository = edited();
    let required = change(&repository);
    let text = repository.diff(&[]);
    let kept: Vec<&str> = text.lines().filter(|line| !line.contains("new")).collect();
    assert!(!is_enough(&kept.join("\n"), &required));
}

#[test]
fn the_diff_of_an_old_commit_does_not_count() {
    let repository = Repository::new();
    repository.write("a", "one\n");
    repository.commit();
    repository.write("a", "two\n");
    let old = repository.diff(&[]);
    repository.commit();
    repository.write("a", "three\n");
    let required = change(&repository);
    assert!(!is_enough(&old, &required));
    // Neither does a diff the other way round.
    assert!(!is_enough(&repository.diff(&["-R"]), &required));
    assert!(is_enough(&repository.diff(&[]), &required));
}

#[test]
fn an_edit_after_the_look_makes_the_file_unseen() {
    let repository = edited();
    let mut seen = Seen::default();
    seen.diff(&repository.diff(&[]));
    seen.lines(&one(&repository).blob, 1, 60);
    repository.write("a", &numbers(61));
    assert_eq!(missing(&seen, &change(&repository)), ["a"]);
}

#[test]
fn content_that_is_back_is_still_seen() {
    let repository = edited();
    let mut seen = Seen::default();
    seen.diff(&repository.diff(&[]));
    let required = change(&repository);
    repository.write("a", "other\n");
    seen.diff(&repository.diff(&[]));
    assert_eq!(missing(&seen, &required), Vec::<String>::new());
}

#[test]
fn three_hundred_files_are_known_one_by_one() {
    let repository = Repository::new();
    repository.commit_empty();
    for at in 0..300 {
        repository.write(&format!("src/{at}.rs"), &format!("fn f{at}() {{}}\n"));
    }
    let required = change(&repository);
    let pages = pages(&diff::parse(&repository.diff(&[])), 20_000);
    let mut seen = Seen::default();
    pages[1..].iter().for_each(|page| seen.diff(page));
    let left = missing(&seen, &required);
    assert!(!left.is_empty() && left.len() < 300);
    assert!(left.iter().all(|path| pages[0].contains(path)));
    seen.diff(&pages[0]);
    assert_eq!(missing(&seen, &required), Vec::<String>::new());
}

// Changes without lines.

#[test]
fn a_rename_is_seen_by_its_header() {
    let repository = Repository::new();
    repository.write("old", &numbers(20));
    repository.commit();
    repository.git(&["mv", "old", "new"]);
    let required = one(&repository);
    assert!(required.header_only);
    let required = [required];
    assert_eq!(missing(&Seen::default(), &required), ["new"]);
    assert!(is_enough(&repository.diff(&[]), &required));
    assert!(is_enough(&repository.diff(&["--color=always", "--no-prefix"]), &required));
    // Its text is as good, where the id is known.
    let blob = repository.git(&["rev-parse", ":new"]).trim().to_owned();
    let mut seen = Seen::default();
    seen.lines(&blob, 1, 5);
    let [required] = required;
    assert_eq!(missing(&seen, &[Required { blob, ..required }]), Vec::<String>::new());
}

#[test]
fn of_a_rename_with_changes_the_changed_lines_have_to_be_seen() {
    let repository = Repository::new();
    repository.write("old", &numbers(20));
    repository.commit();
    repository.git(&["mv", "old", "new"]);
    repository.write("new", &numbers(20).replace("line 7\n", "seven\n"));
    let required = one(&repository);
    assert_eq!((&required.ranges, required.header_only), (&vec![(7, 7)], false));
    let mut seen = Seen::default();
    seen.lines(&required.blob, 7, 1);
    assert!(seen.has(&required));
    assert!(is_enough(&repository.diff(&["--no-renames"]), &[required]));
}

#[test]
fn another_mode_is_seen_by_its_header() {
    let repository = Repository::new();
    repository.write("run", "echo\n");
    repository.commit();
    repository.git(&["update-index", "--chmod=+x", "run"]);
    let text = repository.git(&["diff", "--cached", "-U0", "-M", "--full-index"]);
    let required = required(&diff::parse(&text));
    assert!(required[0].header_only);
    assert!(!is_enough(&repository.git(&["diff", "--cached", "--summary"]), &required));
    for options in [&["diff", "--cached"][..], &["diff", "--cached", "--no-prefix"]] {
        assert!(is_enough(arrives(&repository.git(options)), &required));
    }
}

#[test]
fn an_empty_file_is_seen_by_its_header() {
    let repository = Repository::new();
    repository.commit_empty();
    repository.write("src/mod.rs", "");
    let required = change(&repository);
    assert!(required[0].header_only);
    assert_eq!(missing(&Seen::default(), &required), ["src/mod.rs"]);
    assert!(is_enough(&repository.diff(&[]), &required));
}

#[test]
fn what_is_deleted_or_binary_need_not_be_seen() {
    let repository = Repository::new();
    repository.write("gone", "one\n");
    repository.write("picture", "\0\u{1}");
    repository.commit();
    repository.git(&["rm", "-q", "gone"]);
    repository.write("picture", "\0\u{2}");
    repository.write("other", "\0\u{3}");
    assert_eq!(change(&repository), []);
}

#[test]
fn a_removed_line_is_seen_with_the_line_beside_it() {
    let repository = Repository::new();
    repository.write("a", &numbers(20));
    repository.commit();
    for (removed, enough) in [("line 1\n", &[1][..]), ("line 10\n", &[9, 10]), ("line 20\n", &[19])]
    {
        repository.write("a", &numbers(20).replace(removed, ""));
        let required = [one(&repository)];
        let seen_by: Vec<u64> = (1..=19)
            .filter(|&line| {
                let mut seen = Seen::default();
                seen.lines(&required[0].blob, line, 1);
                missing(&seen, &required).is_empty()
            })
            .collect();
        assert_eq!(seen_by, enough, "{removed}");
        assert!(is_enough(&repository.diff(&["-U0"]), &required), "{removed}");
        assert!(is_enough(arrives(&repository.diff(&["-U0"])), &required), "{removed}");
    }
}

#[test]
fn a_place_of_which_only_a_part_of_the_removed_lines_was_shown_is_not_seen() {
    let repository = Repository::new();
    repository.write("a", &numbers(20));
    repository.commit();
    repository.write("a", "line 1\n");
    let required = change(&repository);
    let text = repository.diff(&["-U0"]);
    assert!(!is_enough(&first_lines(&text, 10), &required));
    assert!(is_enough(&text, &required));
}

#[test]
fn a_file_that_became_empty_is_seen_by_its_diff() {
    let repository = Repository::new();
    repository.write("a", &numbers(3));
    repository.commit();
    repository.write("a", "");
    let required = change(&repository);
    assert_eq!(required[0].deletions, [0]);
    assert!(is_enough(&repository.diff(&[]), &required));
}

#[test]
fn text_files_of_another_system_and_files_without_a_last_newline_are_seen() {
    let repository = Repository::new();
    repository.write("dos", "one\r\ntwo\r\n");
    repository.write("end", "one\ntwo");
    repository.commit();
    repository.write("dos", "one\r\nnew\r\n");
    repository.write("end", "one\ntwo\nthree");
    let required = change(&repository);
    assert_eq!(required.len(), 2);
    assert!(is_enough(&repository.diff(&[]), &required));
    assert!(is_enough(&repository.diff(&["--color=always"]), &required));
    let mut seen = Seen::default();
    seen.output(&required[0].blob, "one\r\nnew\r\n", "one\r\nnew");
    seen.output(&required[1].blob, "one\ntwo\nthree", "one\ntwo\nthree");
    assert_eq!(missing(&seen, &required), Vec::<String>::new());
}

// Texts of files.

const BLOB: &str = "0123456789abcdef0123456789abcdef01234567";

fn lines_of(from: u64, to: u64) -> [Required; 1] {
    let (path, blob, ranges) = ("a".to_owned(), BLOB.to_owned(), vec![(from, to)]);
    [Required { path, blob, ranges, deletions: Vec::new(), header_only: false }]
}

#[test]
fn a_new_file_is_seen_by_two_reads() {
    let repository = Repository::new();
    repository.commit_empty();
    repository.write("a", &numbers(3000));
    let required = change(&repository);
    let mut seen = Seen::default();
    seen.lines(&required[0].blob, 1, 2000);
    assert_eq!(missing(&seen, &required), ["a"]);
    seen.lines(&required[0].blob, 2001, 1001);
    assert_eq!(missing(&seen, &required), Vec::<String>::new());
}

#[test]
fn ids_are_the_same_where_one_begins_the_other() {
    for (id, is_known) in
        [(BLOB, true), (&BLOB[..7], true), (&BLOB[..6], false), ("0123457", false)]
    {
        let mut seen = Seen::default();
        seen.lines(id, 1, 5);
        assert_eq!(missing(&seen, &lines_of(1, 5)).is_empty(), is_known, "{id}");
    }
    let mut seen = Seen::default();
    seen.lines(BLOB, 1, 5);
    seen.lines(&BLOB[..9], 6, 5);
    assert!(missing(&seen, &lines_of(1, 10)).is_empty());
    assert_eq!(missing(&seen, &lines_of(1, 11)).len(), 1);
}

// What is kept.

#[test]
fn what_was_seen_is_small_in_json_and_comes_back() {
    let mut seen = Seen::default();
    assert_eq!(serde_json::to_string(&seen).unwrap(), "{}");
    seen.lines(BLOB, 1, 20);
    seen.lines("abcdef0", 5, 1);
    seen.lines(BLOB, 60, 21);
    seen.lines(BLOB, 10, 31);
    seen.lines(BLOB, 7, 0);
    let json = format!(r#"{{"blobs":[["abcdef0",[[5,5]]],["{BLOB}",[[1,40],[60,80]]]]}}"#);
    assert_eq!(serde_json::to_string(&seen).unwrap(), json);
    assert_eq!(serde_json::from_str::<Seen>(&json).unwrap(), seen);
}

#[test]
fn what_was_shown_last_is_kept_longest() {
    let mut seen = Seen::default();
    seen.lines(BLOB, 1, 5);
    for at in 0..5000_u64 {
        seen.lines(&format!("{:08x}", at + 16), 1, 5);
        if at == 3000 {
            seen.lines(BLOB, 1, 1);
        }
    }
    assert_eq!(seen.blobs.len(), 4000);
    assert!(missing(&seen, &lines_of(1, 5)).is_empty());
    // Every other line of a long file.
    for id in ["aaaaaaa", "bbbbbbb"] {
        let ranges = (0..20_000).map(|at| (at * 2 + 1, at * 2 + 1)).collect();
        seen.add(id, ranges);
    }
    assert!(serde_json::to_string(&seen).unwrap().len() < 250_000);
    assert_eq!(
        seen.blobs.last().map(|(id, ranges)| (id.as_str(), ranges.len())),
        Some(("bbbbbbb", 4000))
    );
}

#[test]
fn numbers_out_of_bounds_are_read() {
    let mut seen = Seen::default();
    seen.lines(BLOB, u64::MAX, u64::MAX);
    seen.lines(BLOB, 0, 1);
    let max = u64::MAX;
    let text =
        format!("diff --git a/a b/a\nindex 1111111..2222222\n@@ -{max},1 +{max},2 @@\n+a\n x\n");
    seen.diff(&text);
    required(&diff::parse(&text));
    assert!(missing(&seen, &lines_of(1, 1)).is_empty());
}
