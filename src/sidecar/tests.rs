use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::{
    edit::{Change, Error, apply},
    yaml::parse,
};
use crate::core::intent::catalogue::{Catalogue, Intent, Status};

const OF_THE_DOCUMENT: &str = "\
active_intents:
  - id: \"INT-001\"
    name: \"JWT Authentication Migration\"
    status: \"IN_PROGRESS\"            # DRAFT | IN_PROGRESS | COMPLETED | ARCHIVED
    owned_scope:
      - \"src/auth/**\"
      - \"src/middleware/jwt.ts\"
    constraints:
      - \"Must not use external auth providers\"
    acceptance_criteria:
      - \"Unit tests in tests/auth/ pass\"
    created_at: \"2026-02-18T12:00:00Z\"
    updated_at: \"2026-02-18T14:30:00Z\"
";

fn problems(text: &str) -> Vec<String> {
    parse(text.as_bytes()).problems.iter().map(ToString::to_string).collect()
}

#[track_caller]
fn breaks(text: &str, words: &str) {
    let catalogue = parse(text.as_bytes());
    let said = catalogue.broken().map(ToString::to_string);
    assert!(said.as_ref().is_some_and(|said| said.contains(words)), "{text:?}: {said:?}");
}

#[test]
fn a_field_that_is_nearly_a_known_one_is_named() {
    let said = problems(
        "active_intents:\n- {id: A, status: DRAFT, owned_scope: [a],\n   acceptance_critera: [x], owner: me}\n",
    );
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(
        said[0].contains("`acceptance_critera`; did you mean `acceptance_criteria`?"),
        "{said:?}"
    );
}

#[test]
fn the_documents_example_is_read_whole() {
    let catalogue = parse(OF_THE_DOCUMENT.as_bytes());
    assert_eq!(catalogue.problems, []);
    let [intent] = &catalogue.intents[..] else { panic!("{catalogue:?}") };
    assert_eq!(intent.name, "JWT Authentication Migration");
    assert_eq!(intent.status, Status::InProgress);
    assert_eq!(intent.owned_scope, ["src/auth/**", "src/middleware/jwt.ts"]);
    assert_eq!(intent.acceptance_criteria, ["Unit tests in tests/auth/ pass"]);
    assert_eq!(intent.updated_at.as_deref(), Some("2026-02-18T14:30:00Z"));
    assert_eq!(intent.line, 2);
}

#[test]
fn what_is_harmless_is_read_leniently() {
    let text = "active_intents:\n- id: 7\n  owned_scope: src/**\n  constraints: &c [a, 'b: c']\n  priority: high\n\
                \x20 status: in progress\n- id: X\n  constraints: *c\n  owned_scope:\n  acceptance_criteria:\n  - must: pass\n  status: nonsense\n- id: Y\n";
    let catalogue = parse(text.as_bytes());
    assert_eq!(catalogue.broken(), None);
    let [seven, x, y] = &catalogue.intents[..] else { panic!("{catalogue:?}") };
    assert_eq!((seven.id.as_str(), &seven.owned_scope[..]), ("7", &["src/**".to_owned()][..]));
    assert_eq!(seven.name, "7");
    assert_eq!(seven.constraints, ["a", "b: c"]);
    assert_eq!(x.constraints, ["a", "b: c"]);
    assert_eq!(x.owned_scope, [""; 0]);
    assert_eq!(x.acceptance_criteria, ["must: pass"]);
    assert_eq!(x.status, Status::Unknown("nonsense".into()));
    assert_eq!(y.status, Status::Draft);
    let crlf = parse(OF_THE_DOCUMENT.replace('\n', "\r\n").as_bytes());
    let with_bom = parse(format!("\u{feff}{OF_THE_DOCUMENT}").as_bytes());
    assert_eq!(crlf, parse(OF_THE_DOCUMENT.as_bytes()));
    assert_eq!(with_bom, crlf);
}

#[test]
fn an_empty_file_declares_nothing() {
    for text in ["", "\n", "# nothing\n", "---\n", "\u{feff}", "~\n"] {
        let catalogue = parse(text.as_bytes());
        assert_eq!(catalogue.intents, []);
        assert_eq!(catalogue.broken(), None, "{text:?}");
        assert_eq!(problems(text).len(), 1, "{text:?}");
    }
    for text in ["active_intents:\n", "active_intents: []\n"] {
        assert_eq!(parse(text.as_bytes()), Catalogue::default());
    }
}

#[test]
fn what_matters_is_named_with_line_and_column() {
    breaks("active_intents:\n  - name: x\n", "line 2, column 5: the intent has no id");
    breaks("active_intents:\n  - id:\n", "line 2, column 5: the intent has no id");
    breaks("active_intents:\n- id: A\n- id: B\n- id: A\n", "`A`, on lines 2 and 4");
    breaks(
        "active_intents:\n- id: A\n  status: a\n  status: b\n",
        "`status` is given twice, on lines 3 and 4",
    );
    breaks("active_intent:\n- id: A\n", "line 1, column 1: there is no `active_intents:`");
    breaks("active_intents: 7\n", "is not a list");
    breaks("active_intents:\n- INT-1\n", "line 2, column 3: an intent is a list of fields");
    breaks("active_intents:\n- id: [a\n", "line");
    breaks("active_intents:\n- id: A\n  owned_scope:\n  - *.ts\n", "line 4, column 5");
    breaks("active_intents:\n- id: A\n  owned_scope:\n  - *.ts\n", "needs quotes");
    breaks(
        "active_intents:\n- id: A\n  owned_scope:\n  - !src/gen/**\n",
        "`!src/gen/**` is a tag to YAML: write it in quotes",
    );
    breaks("active_intents:\n- id: A\n  owned_scope: !x\n", "`!x` is a tag");
    breaks(
        "active_intents:\n- id: A\n  owned_scope:\n  - [id]\n",
        "line 4, column 5: this is not a path",
    );
    breaks("active_intents:\n- id: A\n  owned_scope: {a: b}\n", "not a path");
    breaks("active_intents:\n- id: A\n  owned_scope:\n  - a: b\n", "not a path");
    breaks("active_intents:\n\t- id: A\n", "line 2");
    breaks(
        "active_intents:\n- id: A\n---\nactive_intents: []\n",
        "line 3, column 1: a second document",
    );
    breaks("active_intents:\n- id: \"a\\nb\"\n", "line breaks");
    breaks("active_intents: *x\n", "line 1");
    breaks("active_intents:\n- id: A\n  name: \"x\n", "line");
    assert_eq!(
        parse(b"active_intents:\n- id: \xff\n").broken().unwrap().to_string(),
        "line 2: it is not UTF-8 from here on"
    );
    assert!(parse(b"\xff\xfea\0c\0").broken().is_some(), "UTF-16");
    breaks("a\0b", "line 1");
}

#[test]
fn a_merge_key_is_said_not_to_be_supported() {
    let text = "active_intents:\n- &a\n  id: A\n- <<: *a\n  id: B\n";
    assert_eq!(problems(text), ["line 4: `<<` is not supported: write the fields out"]);
}

#[test]
fn hostile_texts_end_soon() {
    let laughs = (1..20).fold("a0: &a0 [x, x]\n".to_owned(), |text, i| {
        let refs = vec![format!("*a{}", i - 1); 10].join(", ");
        format!("{text}a{i}: &a{i} [{refs}]\n")
    });
    let long = "x".repeat(1 << 20);
    let texts = [
        format!("{laughs}active_intents:\n- id: A\n  owned_scope: *a19\n"),
        format!("{laughs}active_intents:\n- id: A\n  constraints: *a19\n"),
        format!(
            "l: &l {long}\nactive_intents:\n- id: A\n  constraints: [{}]\n",
            "*l, ".repeat(9000)
        ),
        format!("active_intents: {}", "[".repeat(100_000)),
        format!("active_intents: {}", "{a: ".repeat(100_000)),
        "- ".repeat(100_000),
        "? ".repeat(100_000),
        (0..2000).map(|i| " ".repeat(i) + "a:\n").collect(),
        "active_intents: &a\n- *a\n".to_owned(),
        "active_intents:\n- &a\n  id: A\n  constraints: [*a, *a]\n".to_owned(),
        "active_intents:\n".to_owned() + &"- id: A\n".repeat(100_000),
        format!("active_intents:\n- id: {long}\n"),
        format!("active_intents:\n- id: A\n  status: \"{long}"),
        "&a ".repeat(50_000),
        "!t ".repeat(50_000),
        "active_intents:\n- id: A\n".to_owned() + &"  k: v\n".repeat(100_000),
    ];
    for text in texts {
        let begun = Instant::now();
        let catalogue = parse(text.as_bytes());
        let took = begun.elapsed();
        assert!(took < Duration::from_secs(20), "{took:?} for {:?}", &text[..40]);
        let size: usize =
            catalogue.intents.iter().flat_map(|intent| &intent.constraints).map(String::len).sum();
        assert!(size <= 17 << 20);
    }
}

// Changes

const NOW: &str = "2026-03-01T00:00:00Z";

fn status(id: &str, status: Status) -> Change {
    Change::Status { id: id.into(), status }
}

fn path(id: &str, path: &str) -> Change {
    Change::AddPaths { id: id.into(), paths: vec![path.into()] }
}

#[track_caller]
fn changed(text: &str, change: &Change) -> String {
    apply(text, change, NOW).unwrap_or_else(|err| panic!("{err}"))
}

/// The lines that differ, each with what became of it.
fn diff(old: &str, new: &str) -> Vec<(String, String)> {
    assert_eq!(old.lines().count(), new.lines().count());
    let pairs = old.lines().zip(new.lines()).filter(|(a, b)| a != b);
    pairs.map(|(a, b)| (a.trim().to_owned(), b.trim().to_owned())).collect()
}

#[test]
fn a_status_is_one_word_and_updated_at_goes_with_it() {
    let new = changed(OF_THE_DOCUMENT, &status("INT-001", Status::Completed));
    assert_eq!(
        diff(OF_THE_DOCUMENT, &new),
        [
            (
                "status: \"IN_PROGRESS\"            # DRAFT | IN_PROGRESS | COMPLETED | ARCHIVED"
                    .into(),
                "status: \"COMPLETED\"            # DRAFT | IN_PROGRESS | COMPLETED | ARCHIVED"
                    .into()
            ),
            ("updated_at: \"2026-02-18T14:30:00Z\"".into(), format!("updated_at: \"{NOW}\"")),
        ]
    );
    let crlf = OF_THE_DOCUMENT.replace('\n', "\r\n");
    assert_eq!(changed(&crlf, &status("INT-001", Status::Completed)), new.replace('\n', "\r\n"));
    assert_eq!(changed(OF_THE_DOCUMENT, &status("INT-001", Status::InProgress)), OF_THE_DOCUMENT);
    for (old, expected) in [
        ("- id: A\n  status:  # none\n  name: x", "- id: A\n  status: ARCHIVED  # none\n  name: x"),
        ("- id: A\n  status: 'x'", "- id: A\n  status: 'ARCHIVED'"),
        ("- status: DRAFT\n  id: A", "- status: ARCHIVED\n  id: A"),
    ] {
        let text = format!("active_intents:\n{old}\n");
        let expected = format!("active_intents:\n{expected}\n");
        assert_eq!(changed(&text, &status("A", Status::Archived)), expected);
    }
}

#[test]
fn a_path_is_added_in_the_lists_own_style() {
    for (old, new) in [
        (
            "owned_scope:\n    - a\n    - b # c\n    # d\n  name: x",
            "owned_scope:\n    - a\n    - b # c\n    - \"n/**\"\n    # d\n  name: x",
        ),
        ("owned_scope:\n  - a", "owned_scope:\n  - a\n  - \"n/**\""),
        ("owned_scope: [a, 'b'] # c", "owned_scope: [a, 'b', \"n/**\"] # c"),
        ("owned_scope: []", "owned_scope: [\"n/**\"]"),
        ("owned_scope: &x\n  - &y a", "owned_scope: &x\n  - &y a\n  - \"n/**\""),
    ] {
        let text = format!("active_intents:\n- id: A\n  {old}\n");
        let expected = format!("active_intents:\n- id: A\n  {new}\n");
        assert_eq!(changed(&text, &path("A", "n/**")), expected);
    }
    let without_end = "active_intents:\r\n- id: A\r\n  owned_scope:\r\n  - a";
    assert_eq!(changed(without_end, &path("A", "b")), format!("{without_end}\r\n  - \"b\""));
    assert_eq!(changed(without_end, &path("A", "a")), without_end);
    for odd in ["!hole", "*.ts", "a: b", "a # b", "é\"\\", "- x"] {
        let catalogue = parse(changed(without_end, &path("A", odd)).as_bytes());
        assert_eq!(catalogue.intents[0].owned_scope, ["a", odd]);
    }
}

#[test]
fn an_intent_is_appended_where_the_others_are() {
    let intent = Intent {
        id: "N".into(),
        name: "new: # \"one\"".into(),
        owned_scope: vec!["!x".into(), "*.ts".into()],
        ..Intent::default()
    };
    let append = Change::Append(Box::new(intent));
    let lines = "  - id: \"N\"\n    name: \"new: # \\\"one\\\"\"\n    status: \"DRAFT\"\n    owned_scope:\n      - \"!x\"\n      - \"*.ts\"\n";
    let flat = lines.replace("\n  ", "\n").replacen("  - ", "- ", 1);
    for (old, new) in [
        (String::new(), format!("active_intents:\n{lines}")),
        ("# only this\n".into(), format!("# only this\nactive_intents:\n{lines}")),
        ("active_intents:\n".into(), format!("active_intents:\n{lines}")),
        (
            "active_intents: []  # none\nx: y\n".into(),
            format!("active_intents:   # none\n{lines}x: y\n"),
        ),
        (OF_THE_DOCUMENT.into(), format!("{OF_THE_DOCUMENT}{lines}")),
        (
            "active_intents:\n- id: A # a\n# end\n".into(),
            format!("active_intents:\n- id: A # a\n{flat}# end\n"),
        ),
        (
            "active_intents:\n- id: A".into(),
            format!("active_intents:\n- id: A\n{}", flat.trim_end()),
        ),
        ("- id: A\n".into(), format!("- id: A\n{flat}")),
    ] {
        assert_eq!(changed(&old, &append), new);
    }
    assert!(matches!(apply("active_intents:\n- id: N\n", &append, NOW), Err(Error::Exists(_, 2))));
}

#[test]
fn a_shape_that_cannot_be_changed_says_what_to_type() {
    let append = Change::Append(Box::new(Intent { id: "N".into(), ..Intent::default() }));
    for (text, change, words) in [
        (
            "active_intents:\n- id: A\n",
            status("A", Status::Done),
            "line 2: roz does not change YAML of this shape. By hand: `status: DONE` in the intent A",
        ),
        ("active_intents:\n- {id: A, status: TODO}\n", status("A", Status::Done), "By hand"),
        ("active_intents:\n- id: A\n  status: |\n    x\n", status("A", Status::Done), "By hand"),
        (
            "active_intents:\n- id: A\n  status: &s TODO\n- id: B\n  name: *s\n",
            status("A", Status::Done),
            "By hand",
        ),
        (
            "active_intents:\n- id: A\n",
            path("A", "x"),
            "By hand: `- \"x\"` below `owned_scope:` of the intent A",
        ),
        ("active_intents:\n- id: A\n  owned_scope:\n", path("A", "x"), "By hand"),
        ("active_intents:\n- id: A\n  owned_scope: [a,\n    b]\n", path("A", "x"), "By hand"),
        (
            "active_intents:\n- id: A\n  owned_scope: &s [a]\n- id: B\n  owned_scope: *s\n",
            path("B", "x"),
            "line 4",
        ),
        ("active_intents:\n- id: A\n  owned_scope:\n  - |\n    a\n", path("A", "x"), "By hand"),
        ("active_intents: [{id: A}]\n", append.clone(), "By hand"),
        ("active_intents:\n- id: A\n...\n", append.clone(), ""),
        ("x: y\n", append, "there is no `active_intents:`"),
        ("active_intents:\n- id: A\n", status("B", Status::Done), "no such intent"),
        ("active_intents:\n- id: A\n", path("A", "x\ny"), "not a pattern"),
    ] {
        match apply(text, &change, NOW) {
            Err(err) => assert!(err.to_string().contains(words), "{text:?}: {err}"),
            Ok(new) => assert!(words.is_empty(), "{text:?} became {new:?}"),
        }
    }
}

/// How many lines two texts share, in their order.
fn in_common(one: &[&str], other: &[&str]) -> usize {
    let mut best = vec![0; other.len() + 1];
    for a in one {
        let mut diagonal = 0;
        for (i, b) in other.iter().enumerate() {
            let above = best[i + 1];
            best[i + 1] = if a == b { diagonal + 1 } else { above.max(best[i]) };
            diagonal = above;
        }
    }
    best[other.len()]
}

/// An intent in one of the ways that people write them.
fn written_intent(index: usize) -> impl Strategy<Value = String> {
    let word = || {
        prop::sample::select(
            &["src/auth/**", "a b", "x: y", "é#1", "- z", "*.ts", "#", "\"q\"", "it's", "!h"][..],
        )
    };
    let quote = |text: &str, style: u8| match style % 3 {
        0 => format!("\"{}\"", text.replace('"', "\\\"")),
        1 => format!("'{}'", text.replace('\'', "''")),
        _ if text.chars().all(|c| c.is_alphanumeric() || "/* ".contains(c))
            && !text.starts_with('*') =>
        {
            text.to_owned()
        }
        _ => format!("\"{}\"", text.replace('"', "\\\"")),
    };
    let words = prop::collection::vec((word(), any::<u8>()), 0..4);
    let comments =
        prop::collection::vec(prop::sample::select(&["", "", "  # a comment: \"x\"", " #"][..]), 8);
    let lines = prop::collection::vec(
        prop::sample::select(&["", "", "\n", "    # - id: no\n", "\t\n"][..]),
        8,
    );
    (words, comments, lines, any::<u8>(), any::<u8>(), any::<bool>()).prop_map(
        move |(words, comments, lines, style, fields, anchored)| {
            let mut res =
                format!("  - id: {}{}\n", quote(&format!("INT-{index}"), style), comments[0]);
            let mut field = |i: usize, text: String| {
                res.push_str(lines[i].trim_start_matches('\t'));
                res.push_str(&text);
            };
            field(1, format!("    name: {}{}\n", quote("some name", fields), comments[1]));
            if fields & 1 == 0 {
                let anchor = if anchored { format!("&s{index} ") } else { String::new() };
                field(
                    2,
                    format!("    status: {anchor}{}{}\n", quote("todo", style >> 2), comments[2]),
                );
            }
            if fields & 2 == 0 {
                field(3, format!("    updated_at: {}{}\n", quote("2026", style >> 1), comments[3]));
            }
            let items: Vec<String> =
                words.iter().map(|(text, style)| quote(text, *style)).collect();
            match fields >> 4 & 3 {
                0 => field(4, format!("    owned_scope: [{}]{}\n", items.join(", "), comments[4])),
                1 => (),
                2 if !items.is_empty() => {
                    field(4, format!("    owned_scope: {}{}\n", items[0], comments[4]));
                }
                _ => {
                    let items: String = items
                        .iter()
                        .flat_map(|item| ["      - ", item, comments[5], "\n"])
                        .collect();
                    field(4, format!("    owned_scope:{}\n{items}", comments[4]));
                }
            }
            if fields & 4 == 0 {
                field(5, "    note: |\n      status: DRAFT\n\n      - id: no\n".to_owned());
            }
            if anchored && fields & 9 == 0 {
                field(6, format!("    other: *s{index}{}\n", comments[6]));
            }
            res
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_change_changes_what_it_says_and_no_other_byte(
        intents in (written_intent(0), written_intent(1), written_intent(2)),
        which in 0..3usize,
        kind in 0..3u8,
        crlf in any::<bool>(),
        ends in any::<bool>(),
        bom in any::<bool>(),
    ) {
        let mut text = format!("# head\nactive_intents:\n{}{}{}", intents.0, intents.1, intents.2);
        if ends {
            text.push_str("# tail\n");
        } else {
            text.truncate(text.trim_end().len());
        }
        if crlf {
            text = text.replace('\n', "\r\n");
        }
        if bom {
            text.insert(0, '\u{feff}');
        }
        let before = parse(text.as_bytes());
        prop_assert_eq!(before.broken(), None, "{}", text);
        let id = format!("INT-{which}");
        let change = match kind {
            0 => status(&id, Status::InProgress),
            1 => path(&id, "new/**"),
            _ => Change::Append(Box::new(Intent { id: "INT-9".into(), name: "n".into(), ..Intent::default() })),
        };
        let new = match apply(&text, &change, NOW) {
            Ok(new) => new,
            Err(Error::ByHand { .. }) => return Ok(()),
            Err(err) => return Err(TestCaseError::fail(err.to_string())),
        };
        let mut expected = before.clone();
        match kind {
            0 => expected.intents[which].status = Status::InProgress,
            1 => expected.intents[which].owned_scope.push("new/**".into()),
            _ => expected.intents.push(Intent { id: "INT-9".into(), name: "n".into(), ..Intent::default() }),
        }
        if kind < 2 && let Some(at) = &mut expected.intents[which].updated_at {
            NOW.clone_into(at);
        }
        let mut after = parse(new.as_bytes());
        for intent in after.intents.iter_mut().chain(&mut expected.intents) {
            intent.line = 0;
        }
        prop_assert_eq!(&after.intents, &expected.intents, "{}", new);
        // Every line that is not the change is there as it was, in its order.
        let old: Vec<&str> = text.split_inclusive('\n').collect();
        let lines: Vec<&str> = new.split_inclusive('\n').collect();
        let lost = old.len() - in_common(&old, &lines);
        prop_assert!(lost <= 2, "{lost} lines are lost of\n{text}\nin\n{new}");
    }

    #[test]
    fn any_text_is_read_and_changed_without_a_panic(text in "\\PC{0,60}|([]\\[{}:,!&*#'\"|>\\n a-]|active_intents:|- id: A\n|status: ){0,30}") {
        let _ = parse(text.as_bytes());
        for change in [status("A", Status::Done), path("A", "x"), Change::Append(Box::new(Intent { id: "B".into(), ..Intent::default() }))] {
            let _ = apply(&text, &change, NOW);
        }
    }
}
