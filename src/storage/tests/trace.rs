//! The trace after a kill, a cut, and at its bound.

use proptest::prelude::*;

use super::*;

#[test]
fn events_of_a_killed_save_are_kept_and_marked() {
    let home = home();
    record(&home.store, 2);
    home.append_raw(&(line(3) + &line(4)));
    record(&home.store, 1);
    let trace = home.store.read_trace(&id(1)).unwrap();
    assert_eq!(seqs(&home.store), [1, 2, 3, 4, 5, 6]);
    assert_eq!(trace[4], Mark::Interrupted { after_seq: 2, events: 2 }.at(5, at(0)));
    record(&home.store, 1);
    assert_eq!(seqs(&home.store), [1, 2, 3, 4, 5, 6, 7], "the mark is made once");
    assert_eq!(get(&home.store, 1).session.trace.events, 7);
}

#[test]
fn events_of_a_killed_save_are_noticed_by_a_save_without_any() {
    let home = home();
    record(&home.store, 1);
    home.append_raw(&line(2));
    update(&home.store, &id(1), soon(), || session(1), |item| item.head = Some("a".into()))
        .unwrap();
    assert_eq!(seqs(&home.store), [1, 2, 3]);
    assert_eq!(get(&home.store, 1).session.trace.seq, 3);
}

#[test]
fn a_torn_line_swallows_no_event() {
    let home = home();
    record(&home.store, 1);
    let torn = line(2);
    home.append_raw(&torn[..torn.len() / 2]);
    assert_eq!(seqs(&home.store), [1]);
    record(&home.store, 2);
    assert_eq!(seqs(&home.store), [1, 2, 3, 4]);
    assert_eq!(home.types()[1].1, "interrupted");
}

#[test]
fn a_line_that_lacks_nothing_but_its_end_is_an_event() {
    let home = home();
    record(&home.store, 1);
    home.append_raw(line(2).trim_end());
    assert_eq!(seqs(&home.store), [1, 2]);
    record(&home.store, 1);
    assert_eq!(seqs(&home.store), [1, 2, 3, 4]);
}

#[test]
fn a_trace_that_was_cut_or_removed_goes_on_counting() {
    let home = home();
    record(&home.store, 3);
    let trace = File::options().write(true).open(home.path("s1.trace.jsonl")).unwrap();
    trace.set_len(line(1).len() as u64 + 5).unwrap();
    record(&home.store, 1);
    assert_eq!(seqs(&home.store), [1, 4]);
    fs::remove_file(home.path("s1.trace.jsonl")).unwrap();
    record(&home.store, 1);
    assert_eq!(seqs(&home.store), [5]);
    assert_eq!(get(&home.store, 1).session.trace.events, 1);
}

#[test]
fn zeros_in_the_trace_hide_no_event() {
    let home = home();
    record(&home.store, 1);
    let trace = File::options().write(true).open(home.path("s1.trace.jsonl")).unwrap();
    trace.write_all_at(&[0; 300], trace.metadata().unwrap().len()).unwrap();
    record(&home.store, 1);
    assert_eq!(seqs(&home.store), [1, 2, 3]);
}

#[test]
fn a_killed_compaction_loses_nothing() {
    let home = home();
    record(&home.store, 60);
    let before = fs::read(home.path("s1.json")).unwrap();
    record(&home.store, 1);
    // The state as it was before the save that rewrote the trace.
    fs::write(home.path("s1.json"), before).unwrap();
    record(&home.store, 1);
    let known = get(&home.store, 1).session.trace;
    assert_eq!((known.seq, known.dropped), (63, 31));
    let seqs = seqs(&home.store);
    assert_eq!(seqs[seqs.len() - 3..], [61, 62, 63]);
    assert!(seqs.is_sorted_by(|a, b| a < b));
}

#[test]
fn the_trace_is_rewritten_only_at_twice_its_bound() {
    let home = home();
    record(&home.store, 1);
    let ino = || fs::metadata(home.path("s1.trace.jsonl")).unwrap().ino();
    let mut inos = vec![ino()];
    let mut longest = 0;
    for _ in 0..200 {
        record(&home.store, 1);
        inos.push(ino());
        let text = fs::read_to_string(home.path("s1.trace.jsonl")).unwrap();
        longest = longest.max(text.lines().count());
    }
    inos.dedup();
    assert_eq!(longest, 61);
    assert!((5..=7).contains(&inos.len()), "{} traces", inos.len());
}

#[test]
fn a_bound_of_nothing_keeps_nothing() {
    let home = home();
    record(&home.store, 3);
    let none = FileStore::new(home.dir.clone(), 0);
    record(&none, 2);
    assert!(none.read_trace(&id(1)).unwrap().is_empty());
    assert_eq!(home.names(), ["s1.json", "s1.lock"]);
    let known = get(&none, 1).session.trace;
    assert_eq!((known.seq, known.events, known.bytes, known.dropped), (5, 0, 0, 5));
}

#[test]
fn a_compaction_is_never_as_long_as_what_it_replaced() {
    let home = home();
    record(&home.store, 60);
    let names = ["s1.json", "s1.trace.jsonl"];
    let before = names.map(|name| fs::read(home.path(name)).unwrap());
    let restore = |names: &[&str]| {
        for name in names {
            let n = usize::from(*name == "s1.trace.jsonl");
            fs::write(home.path(name), &before[n]).unwrap();
        }
    };
    let say = |prompt: String| {
        let mark = Mark::ClientPrompt { prompt };
        update(&home.store, &id(1), soon(), || session(1), |item| item.record(&mark, at(1)))
            .unwrap();
        get(&home.store, 1).session.trace.bytes
    };
    let old = before[1].len() as u64;
    let shortest = say(String::new());
    restore(&names);
    // Without a blank line at its end it would be as long, and a kill before
    // the state is saved would not show.
    assert_eq!(say("x".repeat(usize::try_from(old - shortest).unwrap())), old + 1);
    restore(&["s1.json"]);
    say(String::new());
    let types = home.types();
    assert_eq!(types[types.len() - 2].1, "interrupted");
    assert!(types.is_sorted_by(|a, b| a.0 < b.0));
}

/// What may happen to a trace besides being saved.
#[derive(Debug, Clone)]
enum Accident {
    None,
    /// A kill after the trace was written, before the state was.
    Kill,
    /// A kill, or a full disk, in the middle of a line.
    Torn(usize),
    /// A kill before the temporary got its name.
    Temporary,
    Removed,
}

fn accident() -> impl Strategy<Value = Accident> {
    prop_oneof![
        4 => Just(Accident::None),
        2 => Just(Accident::Kill),
        2 => (1..90_usize).prop_map(Accident::Torn),
        1 => Just(Accident::Temporary),
        1 => Just(Accident::Removed),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn after_any_accident_numbers_rise_and_the_next_events_are_kept(
        acts in prop::collection::vec((1..10_usize, accident()), 1..30),
        max in 20..30_u64,
    ) {
        let mut home = home();
        home.store = FileStore::new(home.dir.clone(), max);
        record(&home.store, 1);
        let mut last = 1;
        for (n, accident) in acts {
            let before = fs::read(home.path("s1.json")).unwrap();
            record(&home.store, n);
            let trace = home.store.read_trace(&id(1)).unwrap();
            let known = get(&home.store, 1).session.trace;
            prop_assert!(trace.is_sorted_by(|a, b| a.seq < b.seq));
            let newest: Vec<_> = trace.iter().rev().take(n).map(|trace_event| trace_event.event_type.as_str()).collect();
            prop_assert_eq!(newest, vec!["client_prompt"; n]);
            let file = fs::read(home.path("s1.trace.jsonl")).unwrap();
            let events: Vec<TraceEvent> = json_lines::entries(&file).collect();
            let kept = events.iter().filter(|event| event.event_type != "trace_compacted").count();
            prop_assert_eq!(known.bytes, file.len() as u64);
            prop_assert_eq!(known.events, kept as u64);
            prop_assert_eq!(known.seq, events.last().unwrap().seq);
            prop_assert!(known.seq >= last + n as u64);
            last = known.seq;
            match accident {
                Accident::None => (),
                Accident::Kill => fs::write(home.path("s1.json"), before).unwrap(),
                Accident::Torn(len) => {
                    let line = line(last + 1);
                    home.append_raw(&line[..len.min(line.len() - 2)]);
                }
                Accident::Temporary => fs::write(home.path("s1.tmp"), "{").unwrap(),
                Accident::Removed => drop(fs::remove_file(home.path("s1.trace.jsonl"))),
            }
        }
    }
}
