use super::{earlier_names::Turn, *};

fn lines(text: &str) -> Vec<Line<'_>> {
    let line = |items| Line { text: items, committed: None, since: None };
    text.lines().map(str::as_bytes).map(line).collect()
}

fn written(ranges: &[&str]) -> Written {
    let range = |text: &&str| {
        let marks = text.lines().map(|line| mark(line.as_bytes())).collect();
        Range { marks, before: mark(b"?"), after: mark(b"?") }
    };
    Written { at: DateTime::UNIX_EPOCH, ranges: ranges.iter().map(range).collect() }
}

fn whose(text: &str, all: &[Written]) -> String {
    let sign =
        |count: Option<usize>| count.map_or_else(|| "-".to_owned(), |count| count.to_string());
    attribute(&lines(text), &[], all).into_iter().map(sign).collect()
}

#[test]
fn lines_are_found_wherever_they_have_gone_and_however_they_stand() {
    let all = [written(&["fn one() {\n    two();\n}"]), written(&["let three = 3;"])];
    assert_eq!(whose("by hand();\n\nfn one() {\nlet three = 3;\n\ttwo( );\n}\n", &all), "--0100");
}

#[test]
fn each_line_accounts_for_one_and_the_latest_for_the_first() {
    let all = [written(&["same();"]), written(&["same();"])];
    assert_eq!(whose("same();\nsame();\nsame();\n", &all), "10-");
}

#[test]
fn what_says_nothing_belongs_to_what_is_around_it_or_to_nobody() {
    let all = [written(&["fn one() {\n}"]), written(&["fn two() {\n    three();\n}"])];
    assert_eq!(whose("}\nfn two() {\n    three();\n}\nfn one() {\n}\n", &all), "-11100");
    assert_eq!(whose("}\n\n}\n", &all), "---");
}

#[test]
fn a_line_that_a_formatter_broke_is_whose_it_was() {
    let all = [written(&["call(first, second, third);"])];
    assert_eq!(whose("call(\n    first,\n    second, third);\nother();\n", &all), "000-");
}

#[test]
fn a_comma_that_a_formatter_put_is_nobodys() {
    let all = [written(&["call(first, second);"])];
    assert_eq!(whose("call(\n    first,\n    second,\n);\n", &all), "0000");
}

#[test]
fn a_line_is_looked_for_where_it_came_from_first() {
    let all = [written(&["one();\nsame();"]), written(&["two();\nsame();"])];
    let now = lines("same();\nthree();");
    // Its former neighbours are gone.
    let then = lines("one();\nsame();\nthree();");
    let origin = Origin { lines: then, came: vec![(1, 0)] };
    assert_eq!(attribute(&now, &[], &all), [Some(1), None]);
    assert_eq!(attribute(&now, &[origin], &all), [Some(0), None]);
    let origin = Origin { lines: Vec::new(), came: vec![(1, 0), (9, 9)] };
    assert_eq!(attribute(&now, &[origin], &all), [Some(1), None]);
}

#[test]
fn nothing_accounts_for_a_line_that_is_older() {
    let mut all = [written(&["same();"])];
    all[0].at = DateTime::UNIX_EPOCH + TimeDelta::seconds(10);
    let mut now = lines("same();");
    now[0].committed = Some(DateTime::UNIX_EPOCH);
    assert_eq!(attribute(&now, &[], &all), [None]);
    now[0].committed = Some(DateTime::UNIX_EPOCH + TimeDelta::seconds(10));
    assert_eq!(attribute(&now, &[], &all), [Some(0)]);
}

fn turn(at: i64, path: &str, from: Option<&str>) -> Turn {
    let at = DateTime::from_timestamp(at, 0).unwrap();
    Turn { at, path: path.to_owned(), from: from.map(str::to_owned) }
}

#[test]
fn a_file_is_followed_through_its_names() {
    let turns = [
        turn(1, "a", None),
        turn(2, "b", Some("a")),
        turn(2, "a", None),
        // Somebody else's `b` goes, and two change their names.
        turn(3, "c", Some("b")),
        turn(3, "b", Some("c")),
    ];
    let shown = |path: &str| {
        let second = |at: Option<DateTime<Utc>>| at.map_or(-1, |at| at.timestamp());
        let name =
            |item: &Name| format!("{} {}..{}", item.path, second(item.since), second(item.until));
        let names: Vec<String> = earlier_names::of(path, &turns).iter().map(name).collect();
        names.join(", ")
    };
    assert_eq!(shown("c"), "c 3..-1, b 2..3, a 1..2");
    assert_eq!(shown("b"), "b 3..-1, c -1..3");
    assert_eq!(shown("a"), "a -1..-1");
    assert_eq!(shown("d"), "d -1..-1");
}

#[test]
fn a_mark_of_the_bytes_order_makes_no_other_line() {
    assert_eq!(mark("\u{feff}use a;".as_bytes()), mark(b"use a;"));
}
