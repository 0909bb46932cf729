use super::*;

/// The lines of `content` that count as shown by `output`.
fn shown_by(content: &str, output: &str) -> Vec<(u64, u64)> {
    let mut ranges = shown(content, output);
    super::super::merge(&mut ranges);
    ranges
}

#[test]
fn a_file_that_is_printed_is_seen() {
    let content = "use a;\n\nfn f() {\n    g();\n}\n\nfn h() {\n}\n";
    let every = vec![(1, 8)];
    let numbered = |between: &str| -> String {
        let lines = content.lines().enumerate();
        lines.map(|(at, line)| format!("{}{between}{line}\n", at + 1)).collect::<Vec<_>>().concat()
    };
    // `nl` gives blank lines no number.
    let nl = "     1\tuse a;\n       \n     2\tfn f() {\n     3\t    g();\n     4\t}\n       \n     \
              5\tfn h() {\n     6\t}\n";
    let coloured = content.replace("fn", "\u{1b}[35mfn\u{1b}[m");
    for output in [
        content,
        content.trim_end(),
        &coloured,
        nl,
        &numbered("\t").replace('\n', "\n     "),
        &numbered("→"),
        &numbered(":"),
        &format!("$ cat b\nfn other() {{\n}}\n{content}done\n"),
        &content.replace('\n', "\r\n"),
    ] {
        assert_eq!(shown_by(content, output), every, "{output}");
    }
    assert_eq!(shown_by(content, "text\nfn f() {\n    g();\n}\ntext"), [(3, 5)]);
    assert_eq!(
        shown_by(content, "1:use a;\n--\n3:fn f() {\n4-    g();\n--\n7:fn h() {\n8-}\n"),
        [(1, 1), (3, 4), (7, 8)]
    );
}

#[test]
fn blank_lines_that_the_client_took_off_an_output_are_seen() {
    assert_eq!(shown_by("\n\none\n\n\n", "one"), [(1, 5)]);
    assert_eq!(shown_by("\n\none\n\n\ntwo\n", "text\none\ntext"), [(3, 3)]);
    let content = (1..=90).map(|at| format!("line {at}\n\n")).collect::<Vec<_>>().concat();
    let lines: Vec<&str> = content.lines().collect();
    let parts = lines.chunks(50).map(|part| part.join("\n"));
    let mut ranges: Vec<(u64, u64)> =
        parts.flat_map(|part| shown(&content, part.trim_end())).collect();
    super::super::merge(&mut ranges);
    assert_eq!(ranges, [(1, 180)]);
}

#[test]
fn a_line_that_is_everywhere_does_not_count_alone() {
    let content = "fn f() {\n}\n\nfn g() {\n}\n";
    assert_eq!(shown_by(content, "}\n\n"), []);
    assert_eq!(shown_by(content, "{}\n}\nother\n}\n"), []);
    assert_eq!(shown_by(content, "text\nfn g() {\n}\n"), [(4, 5)]);
}

#[test]
fn what_differs_is_not_seen() {
    assert_eq!(shown_by("one\ntwo\nthree\n", "one \u{2026}\nTwo\nthre"), []);
    assert_eq!(shown_by("one\ntwo\nthree\n", "one\nthree\n"), [(1, 1), (3, 3)]);
    assert_eq!(shown_by("", "one\n"), []);
    assert_eq!(shown_by("one\n", ""), []);
}

#[test]
fn a_part_is_found_where_it_is_among_lines_that_are_alike() {
    let block = |at: usize| format!("    return None\n    # case {at}\n    return None\n\n");
    let content: String = (0..200).map(block).collect();
    let part: String = (100..150).map(block).collect();
    // With the blank line above it.
    assert_eq!(shown_by(&content, part.trim_end()), [(400, 600)]);
    let amid = format!("$ sed\n{part}$ ls\n");
    assert_eq!(shown_by(&content, &amid), [(401, 600)]);
}

#[test]
fn a_number_says_which_of_equal_lines_it_is() {
    let content = "same\n".repeat(100);
    assert_eq!(shown_by(&content, "70:same\n71:same\n"), [(70, 71)]);
    assert_eq!(shown_by(&content, &content), [(1, 100)]);
    assert_eq!(shown_by("12:one\n", "12:one"), [(1, 1)]);
}

#[test]
fn large_files_of_equal_lines_are_searched_in_time() {
    let content = "    same\n}\n".repeat(200_000);
    let mixed = (0..20_000).map(|at| format!("    same\n}}\n{at}\n"));
    let mixed = mixed.collect::<Vec<_>>().concat();
    assert!(!shown_by(&content, &mixed).is_empty());
    assert_eq!(shown_by(&content, &content), [(1, 400_000)]);
}
