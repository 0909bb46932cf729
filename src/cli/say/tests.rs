use std::fmt::Write as _;

use super::*;

#[test]
fn long_words_are_folded_between_words_only() {
    assert_eq!(folded("a bb  ccc", 100, "    "), "a bb  ccc", "what fits stays as it is");
    let text = "word ".repeat(12);
    let folded = folded(&text, 34, "  ");
    assert!(folded.lines().all(|line| line.chars().count() <= 34), "{folded}");
    assert_eq!(folded.split_whitespace().count(), 12);
}

#[test]
fn no_text_is_wider_than_its_column() {
    for (text, columns, fits) in [
        ("short", 5, "short"),
        ("longer", 5, "long…"),
        ("日本語", 6, "日本語"),
        ("日本語", 5, "日本…"),
        ("日本語", 4, "日…"),
        ("a🦀b", 4, "a🦀b"),
        ("a🦀bc", 3, "a…"),
        ("e\u{301}e\u{301}", 2, "e\u{301}e\u{301}"),
        ("ab", 0, "…"),
    ] {
        assert_eq!(fitted(text, columns), fits, "{text} in {columns}");
    }
    assert_eq!(padded("日本", 6), "日本  ");
}

#[test]
fn a_table_of_many_columns_is_no_wider_than_the_terminal() {
    let heading: Vec<String> = (0..9).map(|number| format!("COLUMN {number}")).collect();
    let heading: Vec<&str> = heading.iter().map(String::as_str).collect();
    let rows = [heading.iter().map(|text| text.repeat(3)).collect()];
    for width in [1, 40, 60, 80] {
        let text = Out { colour: false, width, has_edge: true }.table(&heading, rows.clone());
        assert!(text.lines().all(|line| line.width() <= width), "{width}:\n{text}");
    }
}

/// The layout of a table does not depend on its content.
#[test]
fn tables_fit_the_terminal_and_their_columns_stay_straight() {
    let rows: Vec<Vec<String>> = [
        [
            "6f0c1f7e-0000-4000-8000-000000000001",
            "pending",
            "2026-01-02 03:04:05 (3h ago)",
            "fix the bug in the parser, and then all the others too",
        ],
        [
            "s2",
            "idle",
            "2026-01-02 03:04:06 (just now)",
            "日本語のテキストが長くてもここで切れる。そして続く",
        ],
        ["🦀", "tripped", "never", "tab\there, a line\nbreak and \u{1b}[31mred"],
    ]
    .map(|row| row.map(str::to_owned).to_vec())
    .to_vec();
    let mut all = String::new();
    for width in [40, 80, 200] {
        let out = Out { colour: false, width, has_edge: true };
        let text = out.table(&["SESSION", "REVIEW", "UPDATED", "WHAT"], rows.clone());
        assert!(text.lines().all(|line| line.width() <= width), "{text}");
        let _ = writeln!(all, "{width}:\n{text}");
    }
    // Into a pipe no column but the last is cut.
    let out = Out { colour: false, width: 100, has_edge: false };
    assert!(out.table(&["SESSION", "WHAT"], rows.clone()).contains("000000000001"));
    insta::assert_snapshot!(all.trim_end());
}
