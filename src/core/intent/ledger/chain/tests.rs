use proptest::prelude::*;
use serde_json::json;

use super::*;

/// A ledger of records that are made here, and what is known of it.
#[derive(Debug, Clone, Default)]
struct Scene {
    lines: Vec<String>,
    heads: BTreeMap<String, Head>,
}

impl Scene {
    /// A record for each letter, of the session of that name.
    fn of(sessions: &str) -> Self {
        let mut scene = Self::default();
        sessions.chars().for_each(|c| scene.add(&c.to_string()));
        scene
    }

    fn add(&mut self, session: &str) {
        let last = self.heads.get(session);
        let seq = last.map_or(0, |last| last.seq) + 1;
        let prev = last.map(|last| last.hash.clone());
        let line = record(session, seq, prev.as_deref(), "text");
        let head = Place::read(line.as_bytes()).unwrap().head(line.as_bytes());
        self.heads.insert(session.to_owned(), head);
        self.lines.push(line);
    }

    fn text(&self) -> Vec<u8> {
        self.lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect::<String>().into_bytes()
    }

    fn known(&self) -> Vec<Head> {
        self.heads.values().cloned().collect()
    }

    fn verdict(&self) -> Verdict {
        check(&self.text(), &self.known())
    }

    #[track_caller]
    fn problems(&self) -> Vec<String> {
        self.verdict().problems.iter().map(|problem| problem.what.to_string()).collect()
    }
}

fn record(session: &str, seq: u64, prev: Option<&str>, text: &str) -> String {
    let mut roz = json!({ "seq": seq, "tool_name": text });
    if let Some(prev) = prev {
        roz["prev"] = prev.into();
    }
    json!({ "id": format!("{session}-{seq}"), "session_id": session, "files": [], "metadata": { "dev.roz": roz } })
        .to_string()
}

fn check(text: &[u8], heads: &[Head]) -> Verdict {
    let mut chains = Chains::default();
    let mut lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
    let rest = lines.pop().unwrap_or_default();
    for line in lines {
        chains.add(line);
    }
    chains.add_rest(rest);
    chains.verdict(heads)
}

#[test]
fn a_ledger_as_it_was_written_is_whole() {
    for sessions in ["", "a", "aaaa", "abab", "abcabcabc"] {
        let verdict = Scene::of(sessions).verdict();
        assert_eq!(verdict.problems, [], "{sessions}");
        assert_eq!(verdict.records, sessions.len() as u64);
        assert!(verdict.unanchored.is_empty());
    }
}

#[test]
fn a_removed_line_is_found_wherever_it_stood() {
    for at in 0..6 {
        let mut scene = Scene::of("ababab");
        scene.lines.remove(at);
        let problems = scene.problems();
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].contains("a record is gone"), "{problems:?}");
    }
    let mut scene = Scene::of("ab");
    scene.lines.remove(0);
    assert_eq!(scene.problems(), ["a record is gone: the whole session"]);
}

#[test]
fn lines_of_other_sessions_may_stand_in_any_order() {
    let scene = Scene::of("ababab");
    let order = [1, 0, 2, 4, 3, 5];
    let moved = Scene { lines: order.map(|order| scene.lines[order].clone()).into(), ..scene };
    assert_eq!(moved.problems(), Vec::<String>::new());
}

#[test]
fn lines_of_a_session_that_changed_places_are_found() {
    for (one, two) in [(0, 1), (1, 2), (2, 3), (0, 3)] {
        let mut scene = Scene::of("aaaa");
        scene.lines.swap(one, two);
        let problems = scene.problems();
        assert!(problems.iter().any(|problem| problem.contains("out of order")), "{problems:?}");
    }
}

#[test]
fn a_doubled_line_does_no_harm() {
    for at in 1..3 {
        let mut scene = Scene::of("aba");
        scene.lines.insert(at, scene.lines[at].clone());
        assert_eq!(scene.problems(), Vec::<String>::new());
        assert_eq!(scene.verdict().records, 3);
    }
}

#[test]
fn a_forged_record_is_found_with_or_without_a_prev_that_fits() {
    for at in 0..=3_usize {
        let scene = Scene::of("aaa");
        let fits = at
            .checked_sub(1)
            .map(|checked_sub| bounded::sha256(scene.lines[checked_sub].as_bytes()));
        for prev in [fits.as_deref(), None, Some("nonsense"), Some(&"0".repeat(64))] {
            let mut scene = scene.clone();
            scene.lines.insert(at, record("a", at as u64 + 1, prev, "forged"));
            assert!(!scene.problems().is_empty(), "{at} {prev:?}");
        }
    }
    let mut scene = Scene::of("a");
    scene.lines.push("{}".to_owned());
    assert_eq!(scene.problems(), ["line 2: no record, or a damaged one"]);
}

#[test]
fn a_session_that_is_not_known_here_is_named_and_no_problem() {
    let mut scene = Scene::of("ab");
    scene.heads.remove("b");
    let verdict = scene.verdict();
    assert_eq!((verdict.problems, verdict.unanchored), (vec![], vec!["b".to_owned()]));
}

#[test]
fn an_unfinished_line_is_fine_as_long_as_a_record_vouches_for_it() {
    let mut scene = Scene::of("a");
    let torn = "{\"version\":\"0.1";
    scene.lines.push(torn.to_owned());
    assert_eq!(scene.problems(), ["line 2: no record, or a damaged one"]);
    let mut next: serde_json::Value =
        serde_json::from_str(&record("a", 2, Some(&scene.heads["a"].hash), "x")).unwrap();
    next["metadata"]["dev.roz"]["torn"] = bounded::sha256(torn.as_bytes()).into();
    let next = next.to_string();
    let head = Place::read(next.as_bytes()).unwrap().head(next.as_bytes());
    scene.heads.insert("a".to_owned(), head);
    scene.lines.push(next);
    let verdict = scene.verdict();
    assert_eq!((verdict.problems, verdict.torn), (vec![], vec![2]));
    scene.lines[1].push('x');
    assert_eq!(scene.problems().len(), 2, "{:?}", scene.problems());
    scene.lines.remove(1);
    assert_eq!(
        scene.problems(),
        ["line 2: the unfinished line that it refers to is missing or changed"]
    );
}

/// Every bit of every byte, but for what makes no difference to anybody: the
/// last line's end.
#[test]
fn any_flipped_bit_is_found() {
    let scene = Scene::of("abaab");
    let (text, heads) = (scene.text(), scene.known());
    for at in 0..text.len() - 1 {
        for bit in 0..8 {
            let mut changed = text.clone();
            changed[at] ^= 1 << bit;
            assert!(!check(&changed, &heads).problems.is_empty(), "byte {at}, bit {bit}");
        }
    }
    for bit in 0..8 {
        let mut changed = text.clone();
        *changed.last_mut().unwrap() ^= 1 << bit;
        assert!(!check(&changed, &heads).problems.is_empty(), "bit {bit}");
    }
    assert_eq!(check(&text[..text.len() - 1], &heads).problems, []);
}

#[test]
fn any_cut_is_found() {
    let scene = Scene::of("abaab");
    let (text, heads) = (scene.text(), scene.known());
    for at in 0..text.len() - 1 {
        assert!(!check(&text[..at], &heads).problems.is_empty(), "cut at {at}");
    }
}

proptest! {
    #[test]
    fn any_other_order_of_a_sessions_lines_is_found(
        sessions in "[abc]{2,10}", seed in prop::collection::vec(any::<u32>(), 10),
    ) {
        let scene = Scene::of(&sessions);
        let mut order: Vec<usize> = (0..scene.lines.len()).collect();
        order.sort_by_key(|at| seed[*at]);
        let lines = order.iter().map(|at| scene.lines[*at].clone()).collect();
        let letters = sessions.as_bytes();
        let of = |session: char| {
            order.iter().copied().filter(move |at| letters[*at] == session as u8)
        };
        let is_kept = "abc".chars().all(|c| of(c).is_sorted());
        let moved = Scene { lines, ..scene };
        prop_assert_eq!(moved.problems().is_empty(), is_kept);
    }

    #[test]
    fn nothing_that_is_read_panics(text in prop::collection::vec(any::<u8>(), 0..400)) {
        check(&text, &Scene::of("ab").known());
    }
}

/// Session `a` writes by turns into two files that both begin with its first
/// line, as on two branches; then they are joined, the second's lines first, and
/// it writes once more. With each line, what was in its file when it was written.
fn branched() -> Scene {
    let mut scene = Scene::of("a");
    let mut files = [vec![0], vec![0]];
    let mut write = |file: &mut Vec<usize>| {
        let head = scene.heads["a"].clone();
        let is_there =
            file.iter().any(|at| bounded::sha256(scene.lines[*at].as_bytes()) == head.hash);
        let line = record("a", head.seq + 1, Some(&head.hash), "text");
        let mut line: serde_json::Value = serde_json::from_str(&line).unwrap();
        if !is_there {
            line["metadata"]["dev.roz"]["elsewhere"] = true.into();
        }
        let line = line.to_string();
        let head = Place::read(line.as_bytes()).unwrap().head(line.as_bytes());
        scene.heads.insert("a".to_owned(), head);
        file.push(scene.lines.len());
        scene.lines.push(line);
    };
    for _ in 0..2 {
        files.iter_mut().for_each(&mut write);
    }
    let mut joined: Vec<usize> = [&files[1][..], &files[0][1..]].concat();
    write(&mut joined);
    let lines = joined.iter().map(|count| scene.lines[*count].clone()).collect();
    Scene { lines, ..scene }
}

#[test]
fn a_session_that_wrote_on_two_branches_is_whole_once_they_are_joined() {
    let scene = branched();
    assert_eq!(scene.problems(), Vec::<String>::new());
}

#[test]
fn of_a_session_on_two_branches_what_is_gone_put_in_or_changed_is_found() {
    let scene = branched();
    for at in 0..scene.lines.len() {
        let mut scene = scene.clone();
        scene.lines.remove(at);
        assert!(!scene.problems().is_empty(), "{at}");
    }
    for (at, prev) in scene.lines.iter().enumerate() {
        let prev = bounded::sha256(prev.as_bytes());
        let forged = record("a", at as u64 + 2, Some(&prev), "forged");
        let forged = [forged.replace("\"seq\"", "\"elsewhere\":true,\"seq\""), forged];
        for (line, forged) in
            (0..=scene.lines.len()).flat_map(|count| forged.iter().map(move |f| (count, f)))
        {
            let mut scene = scene.clone();
            scene.lines.insert(line, forged.clone());
            assert!(!scene.problems().is_empty(), "{line} {forged}");
        }
    }
    let text = scene.text();
    for at in 0..text.len() - 1 {
        let mut changed = text.clone();
        changed[at] ^= 1;
        assert!(!check(&changed, &scene.known()).problems.is_empty(), "byte {at}");
    }
}
