use std::{fs, path::Path, process::Command};

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;

/// A git repository in a folder of its own.
pub(in crate::core::review) struct Repository(TempDir);

impl Repository {
    pub(in crate::core::review) fn new() -> Self {
        let repository = Self(tempfile::tempdir().unwrap());
        repository.git(&["init", "-q", "-b", "main"]);
        repository
    }

    #[expect(clippy::disallowed_methods, reason = "the real git, in a folder of its own")]
    pub(in crate::core::review) fn git(&self, args: &[&str]) -> String {
        let git = Command::new("git")
            .args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.hooksPath=/dev/null"])
            .args(["-c", "core.autocrlf=false"])
            .args(args)
            .current_dir(self.0.path())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .output()
            .unwrap();
        // `git diff --no-index` exits 1 where there is a difference.
        let is_diff = args.contains(&"--no-index") && git.status.code() == Some(1);
        let told = String::from_utf8_lossy(&git.stderr);
        assert!(git.status.success() || is_diff, "{args:?}: {told}");
        String::from_utf8(git.stdout).unwrap()
    }

    pub(in crate::core::review) fn write(&self, path: &str, text: &str) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(in crate::core::review) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(in crate::core::review) fn commit(&self) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-qm", "a change\n\nindex 1234567..89abcde\n@@ -1 +1 @@\n+text"]);
    }

    /// The diff of everything against HEAD.
    pub(in crate::core::review) fn diff(&self, options: &[&str]) -> String {
        self.git(&["add", "-A"]);
        self.git(&[&["diff", "--cached"], options].concat())
    }
}

pub(in crate::core::review) fn numbers(last: usize) -> String {
    (1..=last).map(|number| format!("line {number}\n")).collect::<Vec<_>>().concat()
}

/// One change of each kind.
fn every_kind() -> Repository {
    let repository = Repository::new();
    repository.write("src/a.rs", &numbers(60));
    repository.write("crlf.txt", "one\r\n\r\ntwo\r\n");
    repository.write("end.txt", "no newline");
    repository.write("script.sh", "echo\n");
    repository.write("old ä.txt", &numbers(30));
    repository.write("changed.txt", &numbers(30).replace("line", "text"));
    repository.write("picture", "\0\u{1}");
    repository.write("with\ttab \"q\"", "one\n");
    repository.write("gone", "1\n2\n");
    repository.write("-- b/x", "-- a\n++ b\nthree\n");
    repository.commit();
    repository
        .write("src/a.rs", &numbers(60).replace("line 30\n", "new\n").replace("line 50\n", ""));
    repository.write("crlf.txt", "one\r\n\r\nnew\r\n");
    repository.write("end.txt", "still none");
    repository.git(&["add", "-A"]);
    repository.git(&["update-index", "--chmod=+x", "script.sh"]);
    repository.git(&["mv", "old ä.txt", "new b"]);
    repository.git(&["mv", "changed.txt", "moved.txt"]);
    repository
        .write("moved.txt", &numbers(30).replace("line", "text").replace("text 7\n", "new\n"));
    repository.write("picture", "\0\u{2}");
    repository.write("with\ttab \"q\"", "two\n");
    repository.git(&["rm", "-q", "gone"]);
    repository.write("-- b/x", "three\n");
    repository.write("empty", "");
    repository.write("new.txt", "one\n\ntwo\n");
    repository.git(&[
        "add",
        "--",
        "-- b",
        "empty",
        "new.txt",
        "moved.txt",
        "picture",
        "with\ttab \"q\"",
    ]);
    repository
}

fn diff_of_every_kind(options: &[&str]) -> String {
    every_kind().git(&[options, &["diff", "--cached", "-M"]].concat())
}

fn file<'a>(files: &'a [FileDiff], path: &str) -> &'a FileDiff {
    files.iter().find(|file| file.path == path).unwrap_or_else(|| panic!("{path} in {files:#?}"))
}

fn post_lines(file: &FileDiff) -> Vec<(u64, u64)> {
    file.hunks.iter().map(|hunk| (hunk.new_start, hunk.new_lines)).collect()
}

#[test]
fn an_escaped_path_is_read() {
    let text = "diff --git \"a/\\303\\244.txt\" \"b/\\303\\244.txt\"\nnew file mode 100644\n";
    assert_eq!(parse(text)[0].path, "ä.txt");
    assert_eq!(parse(text)[0].header[0], text.lines().next().unwrap());
}

#[test]
fn each_kind_of_change_is_read() {
    let files = parse(&diff_of_every_kind(&[]));
    assert_eq!(files.len(), 12);
    assert!(files.iter().flat_map(|file| &file.hunks).all(|hunk| hunk.extent == Extent::Whole));

    assert_eq!(post_lines(file(&files, "src/a.rs")), [(27, 7), (47, 6)]);
    assert_eq!(file(&files, "src/a.rs").hunks[1].section, "line 46");
    assert_eq!(file(&files, "src/a.rs").post.len(), 7);
    let crlf = ["one\r", "\r", "two\r", "new\r"].iter().zip([" ", " ", "-", "+"]);
    let crlf: Vec<String> = crlf.map(|(text, sign)| format!("{sign}{text}")).collect();
    assert_eq!(file(&files, "crlf.txt").hunks[0].lines, crlf);
    let none = "\\ No newline at end of file";
    assert_eq!(file(&files, "end.txt").hunks[0].lines, ["-no newline", none, "+still none", none]);

    let script = file(&files, "script.sh");
    assert_eq!(script.header[1..], ["old mode 100644", "new mode 100755"]);
    assert!(script.hunks.is_empty() && script.post.is_empty());
    let renamed = file(&files, "new b");
    assert!(renamed.hunks.is_empty() && renamed.post.is_empty());
    let moved = file(&files, "moved.txt");
    assert_eq!(post_lines(moved), [(4, 7)]);

    assert!(file(&files, "picture").is_binary);
    assert_eq!(post_lines(file(&files, "with\ttab \"q\"")), [(1, 1)]);
    assert!(file(&files, "gone").is_deleted);
    assert_eq!(file(&files, "-- b/x").hunks[0].lines, ["--- a", "-++ b", " three"]);
    assert!(file(&files, "empty").hunks.is_empty());
    assert_eq!(file(&files, "new.txt").hunks[0].lines, ["+one", "+", "+two"]);
}

#[test]
fn colours_and_prefixes_change_nothing() {
    let without_names = |text: &str| {
        let mut files = parse(text);
        for file in &mut files {
            file.header.clear();
        }
        files
    };
    let plain = without_names(&diff_of_every_kind(&[]));
    for setting in
        ["color.ui=always", "diff.noprefix=true", "diff.mnemonicPrefix=true", "diff.srcPrefix=s/"]
    {
        let text = diff_of_every_kind(&["-c", setting]);
        assert_eq!(without_names(&text), plain, "{setting}");
    }
    let coloured = diff_of_every_kind(&["-c", "color.ui=always", "-c", "color.diff.meta=normal"]);
    assert_eq!(without_names(&coloured), plain);
    let blank = parse(&diff_of_every_kind(&["-c", "diff.suppressBlankEmpty=true"]));
    assert_eq!(blank.len(), plain.len());
    assert!(
        blank
            .iter()
            .flat_map(|file_diff| &file_diff.hunks)
            .all(|hunk| hunk.extent == Extent::Whole)
    );
}

#[test]
fn escape_sequences_of_a_file_stay_in_a_diff_without_colours() {
    let repository = Repository::new();
    repository.commit_empty();
    repository.write("a", "\u{1b}[8mhidden\u{1b}[m\n");
    assert_eq!(parse(&repository.diff(&[]))[0].hunks[0].lines, ["+\u{1b}[8mhidden\u{1b}[m"]);
}

#[test]
fn a_diff_without_context_is_read() {
    let files = parse(&every_kind().git(&["diff", "--cached", "-M", "-U0", "--full-index"]));
    assert_eq!(post_lines(file(&files, "src/a.rs")), [(30, 1), (49, 0)]);
    assert_eq!(file(&files, "src/a.rs").hunks[1].first_new(), 50);
    assert_eq!(file(&files, "src/a.rs").post.len(), 40);
}

#[test]
fn two_files_without_a_repository_are_compared() {
    let repository = Repository::new();
    repository.write("one", "1\n");
    repository.write("dir/two", "2\n");
    let files = parse(&repository.git(&["diff", "--no-index", "one", "dir/two"]));
    assert_eq!((files.len(), files[0].path.as_str()), (1, "dir/two"));
    assert_eq!(post_lines(&files[0]), [(1, 1)]);
}

#[test]
fn what_a_log_prints_between_diffs_is_not_part_of_them() {
    let repository = Repository::new();
    for text in ["1\n", "2\n", "3\n"] {
        repository.write("a", text);
        repository.commit();
    }
    let log = format!("$ git log\n{}\ndone\n", repository.git(&["log", "-p", "--stat"]));
    let files = parse(&log);
    assert_eq!(files.len(), 3);
    for file in &files {
        assert_eq!(post_lines(file), [(1, 1)]);
        assert_eq!(file.hunks[0].extent, Extent::Whole);
    }
    assert_eq!(parse(&repository.git(&["show"]))[0], files[0]);
}

#[test]
fn a_combined_diff_is_left_out() {
    let repository = Repository::new();
    repository.write("a", "1\n");
    repository.commit();
    repository.git(&["checkout", "-qb", "side"]);
    repository.write("a", "2\n");
    repository.commit();
    repository.git(&["checkout", "-q", "main"]);
    repository.write("a", "3\n");
    repository.commit();
    repository.git(&["merge", "-q", "-s", "ours", "side"]);
    repository.write("a", "4\n");
    repository.git(&["commit", "-qa", "--amend", "--no-edit"]);
    let shown = repository.git(&["show"]);
    assert!(shown.contains("diff --cc a") && shown.contains("@@@"), "{shown}");
    assert_eq!(parse(&shown), []);
}

#[test]
fn a_submodule_is_a_file_of_one_line() {
    let text = "diff --git a/sub b/sub\nindex 1111111..2222222 160000\n--- a/sub\n+++ b/sub\n\
                @@ -1 +1 @@\n-Subproject commit 1111111\n+Subproject commit 2222222\n";
    let files = parse(text);
    assert_eq!((files[0].post.as_str(), post_lines(&files[0])), ("2222222", vec![(1, 1)]));
}

#[test]
fn the_diff_of_another_program_does_not_go_on_the_one_before() {
    let text = "diff --git a/a b/a\nindex 1111111..2222222 100644\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n\
                -1\n+2\n--- x\n+++ y\n@@ -5 +5 @@\n-1\n+2\n";
    assert_eq!(post_lines(&parse(text)[0]), [(1, 1)]);
}

#[test]
fn lines_that_a_filter_left_out_make_a_hunk_filtered() {
    let text = diff_of_every_kind(&[]);
    let kept: Vec<&str> = text.lines().filter(|line| !line.starts_with(' ')).collect();
    let files = parse(&kept.join("\n"));
    assert!(file(&files, "src/a.rs").hunks.iter().all(|hunk| hunk.extent == Extent::Filtered));
    let words = every_kind().git(&["diff", "--cached", "--word-diff", "src"]);
    assert!(parse(&words)[0].hunks.iter().all(|hunk| hunk.extent == Extent::Filtered));
}

#[test]
fn a_diff_may_be_cut_anywhere() {
    for text in [diff_of_every_kind(&[]), diff_of_every_kind(&["-c", "color.ui=always"])] {
        let whole = parse(&text);
        for end in (0..text.len()).filter(|&end| text.is_char_boundary(end)) {
            let cut = parse(&text[..end]);
            assert!(cut.len() <= whole.len());
            let hunks = |files: &[FileDiff]| -> Vec<Hunk> {
                files.iter().flat_map(|file| file.hunks.clone()).collect()
            };
            let (cut, whole) = (hunks(&cut), hunks(&whole));
            let Some((last, before)) = cut.split_last() else { continue };
            assert_eq!(before, &whole[..before.len()]);
            let full = &whole[before.len()];
            assert!(last.lines.len() <= full.lines.len());
            let is_shorter = last.lines.len() < full.lines.len();
            assert!(last.extent == Extent::Whole || (last.extent == Extent::Cut && is_shorter));
        }
    }
}

#[test]
fn blank_lines_behind_a_cut_hunk_are_not_part_of_it() {
    let text = "diff --git a/a b/a\nindex 1111111..2222222 100644\n--- a/a\n+++ b/a\n\
                @@ -1,5 +1,5 @@\n-1\n+2\n\n\n";
    assert_eq!(parse(text)[0].hunks[0].lines, ["-1", "+2"]);
}

#[test]
fn pages_show_every_kind_of_change() {
    let text = diff_of_every_kind(&["-c", "core.quotePath=false"]);
    assert_eq!(parse(&pages(&parse(&text), 20_000)[0]), parse(&text));
}

#[test]
fn git_applies_a_page() {
    let repository = every_kind();
    let page = pages(&parse(&repository.diff(&["-M", "--", ".", ":!picture"])), 20_000).concat();
    let after = repository.git(&["write-tree"]);
    repository.git(&["reset", "-q", "--hard"]);
    let patch = tempfile::NamedTempFile::new().unwrap();
    fs::write(patch.path(), page).unwrap();
    repository.git(&["apply", "--index", patch.path().to_str().unwrap()]);
    repository.write("picture", "\0\u{2}");
    repository.git(&["add", "-A"]);
    assert_eq!(repository.git(&["write-tree"]), after);
}

#[test]
fn a_page_ends_between_files_else_hunks_else_lines() {
    let repository = Repository::new();
    for name in ["a", "b", "c"] {
        repository.write(name, &numbers(1000));
    }
    repository.commit();
    let marked = |step: usize| {
        let line =
            |at: usize| format!("line {at}{}\n", if at.is_multiple_of(step) { "!" } else { "" });
        (1..=1000).map(line).collect::<Vec<_>>().concat()
    };
    repository.write("a", &marked(400));
    repository.write("b", &marked(50));
    repository.write("c", &marked(1));
    let pages = pages(&parse(&repository.diff(&[])), 2000);
    assert!(pages.iter().all(|page| page.chars().count() <= 2000));
    // The two hunks of `a`, and no part of `b`, which does not fit beside them.
    let files = parse(&pages[0]);
    assert_eq!((files.len(), files[0].hunks.len()), (1, 2));
    // `b` by hunks, each as git made it.
    let b: Vec<FileDiff> =
        pages.iter().flat_map(|page| parse(page)).filter(|page| page.path == "b").collect();
    assert!(b.len() > 1);
    assert_eq!(b.iter().map(|file_diff| file_diff.hunks.len()).sum::<usize>(), 20);
    // `c` is one hunk, in pieces.
    let c: Vec<FileDiff> =
        pages.iter().flat_map(|page| parse(page)).filter(|page| page.path == "c").collect();
    assert!(c.len() > 10 && c.iter().all(|file| file.post == c[0].post));
    assert_eq!(
        c.iter().flat_map(|file_diff| &file_diff.hunks).map(|hunk| hunk.new_lines).sum::<u64>(),
        1000
    );
}

#[test]
fn a_line_longer_than_a_page_is_cut_and_says_so() {
    let repository = Repository::new();
    repository.commit_empty();
    repository.write("a", &format!("first\n{}\nlast", "ä".repeat(5000)));
    let pages = pages(&parse(&repository.diff(&[])), 1000);
    assert!(pages.iter().all(|page| page.chars().count() <= 1000));
    let text = pages.concat();
    assert!(text.contains("ä [… this line has 5000 characters]\n"), "{text}");
    assert!(text.ends_with("+last\n\\ No newline at end of file\n"), "{text}");
    let hunks: Vec<Hunk> =
        pages.iter().flat_map(|page| parse(page)).flat_map(|page| page.hunks).collect();
    assert_eq!(hunks.iter().map(|hunk| hunk.new_lines).sum::<u64>(), 3);
}

#[test]
fn a_page_without_room_still_ends() {
    let files = parse(&diff_of_every_kind(&[]));
    assert!(pages(&files, 0).len() >= files.len());
    assert_eq!(pages(&[], 100), Vec::<String>::new());
}

impl Repository {
    pub(in crate::core::review) fn commit_empty(&self) {
        self.git(&["commit", "-q", "--allow-empty", "-m", "first"]);
    }
}

fn hunk_lines() -> impl Strategy<Value = Vec<String>> {
    let line = (prop_oneof![Just(' '), Just('+'), Just('-')], "[ -~ä]{0,90}");
    let line = line.prop_map(|(sign, text)| format!("{sign}{text}"));
    (prop::collection::vec(line, 1..120), any::<bool>()).prop_map(|(mut lines, has_newline)| {
        if !has_newline {
            lines.push("\\ No newline at end of file".to_owned());
        }
        lines
    })
}

/// Files as git might print them.
fn files() -> impl Strategy<Value = Vec<FileDiff>> {
    let hunks = prop::collection::vec((0..40_u64, hunk_lines()), 0..5);
    prop::collection::vec(("[a-z][a-z ä]{0,11}", hunks), 1..6).prop_map(|files| {
        let files = files.into_iter().enumerate();
        files
            .map(|(at, (path, hunks))| {
                let (mut old, mut new) = (1, 1);
                let hunks = hunks.into_iter().map(|(gap, lines)| {
                    let mut hunk = Hunk {
                        old_start: old + gap,
                        old_lines: 0,
                        new_start: new + gap,
                        new_lines: 0,
                        section: "fn a()".to_owned(),
                        lines,
                        extent: Extent::Whole,
                    };
                    (hunk.old_lines, hunk.new_lines) = hunk.counts();
                    (old, new) = (old + gap + hunk.old_lines, new + gap + hunk.new_lines);
                    hunk.old_start -= u64::from(hunk.old_lines == 0);
                    hunk.new_start -= u64::from(hunk.new_lines == 0);
                    hunk
                });
                let post = format!("{:07x}", at + 1);
                let hunks = hunks.collect();
                let title = format!("diff --git a/{path} b/{path}");
                let header = vec![title, format!("index 1111111..{post} 100644")];
                FileDiff { path, post, header, hunks, ..FileDiff::default() }
            })
            .collect()
    })
}

/// Every line, with its numbers on both sides, by the file's id.
fn numbered(files: &[FileDiff]) -> Vec<(String, u64, u64, String)> {
    let mut found = Vec::new();
    for file in files {
        for hunk in &file.hunks {
            let (mut old, mut new) = (first(hunk.old_start, hunk.old_lines), hunk.first_new());
            for line in &hunk.lines {
                found.push((file.post.clone(), old, new, line.clone()));
                old += u64::from(line.starts_with([' ', '-']));
                new += u64::from(line.starts_with([' ', '+']));
            }
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn pages_have_every_line_of_the_diff_and_no_other(files in files(), max in 600_usize..4000) {
        let pages = pages(&files, max);
        let parsed: Vec<Vec<FileDiff>> = pages.iter().map(|page| parse(page)).collect();
        for (page, files) in pages.iter().zip(&parsed) {
            prop_assert!(page.chars().count() <= max);
            prop_assert!(files.iter().flat_map(|file| &file.hunks).all(|file| file.extent == Extent::Whole));
        }
        let parsed = parsed.concat();
        prop_assert_eq!(numbered(&parsed), numbered(&files));
        for file in &files {
            prop_assert!(parsed.iter().any(|file_diff| (&file_diff.path, &file_diff.post) == (&file.path, &file.post)));
        }
    }

    #[test]
    fn any_text_is_read(text in "(diff --git |@@ -1,2 \\+3,4 @@|index |\\+\\+\\+ |[-+ \\\\\"a/\n\r\u{1b}\\[m]){0,60}") {
        pages(&parse(&text), 1000);
    }
}
