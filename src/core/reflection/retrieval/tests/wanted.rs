//! What is wanted in a text, wherever in it that stands and however it is written.

use super::*;

const PANICS: &str = "the parser panics on a heredoc";
const RECORD: &str = "we move a record with dns";

fn ids(learnings: &[Learning], text: &str) -> Vec<String> {
    Case::of(learnings.to_vec()).ids(&ask(text))
}

fn with(more: &[Learning]) -> Vec<Learning> {
    some().into_iter().chain(more.iter().cloned()).collect()
}

#[test]
fn two_that_are_about_one_clause_do_not_hide_each_other() {
    let ttl = learning("ttl", "Lower the TTL before you move a DNS record", &["dns"]);
    let ptr = learning("ptr", "A DNS record that moves needs its PTR moved as well", &["dns"]);
    let both = format!("{PANICS}, and {RECORD}");
    for more in [vec![ttl.clone()], vec![ttl.clone(), ptr]] {
        let found = ids(&with(&more), &both);
        let all = ["panics".to_owned()].into_iter().chain(more.iter().map(|it| it.id.clone()));
        assert!(all.into_iter().all(|it| found.contains(&it)), "{found:?}");
    }
    let twin = Learning { id: "twin".into(), ..ttl.clone() };
    let found = ids(&with(&[ttl, twin]), &both);
    assert!(found.contains(&"ttl".into()) && found.contains(&"twin".into()), "{found:?}");
}

#[test]
fn twins_do_not_silence_each_other() {
    let all = among_many(some());
    let twins = all.iter().map(|it| Learning { id: format!("{}2", it.id), ..it.clone() });
    for text in ["what lifetime", "the tax on an invoice is rounded wrong"] {
        let alone = ids(&all, text);
        assert_eq!(alone.len(), 1, "{text}");
        let found = ids(&with(&twins.clone().collect::<Vec<_>>()), text);
        assert!(found.contains(&alone[0]), "{text}: {found:?}");
    }
}

#[test]
fn one_of_many_about_the_first_wish_leaves_room_for_the_second() {
    let about = |at: u32| Learning {
        relevance: Some("the parser panics; a heredoc is cut off".into()),
        ..learning(
            &format!("p{at}"),
            &format!("The parser panics on heredocs, case {at}"),
            &["parser"],
        )
    };
    let mut all: Vec<Learning> = (0..8).map(about).collect();
    all.push(Learning {
        relevance: Some("a record moves; dns".into()),
        ..learning("dns", "Lower the lifetime of a record before you move it", &["dns"])
    });
    let found = ids(&all, &format!("{PANICS}, and {RECORD}"));
    assert!(found.contains(&"dns".into()) && found.len() == 5, "{found:?}");
}

#[test]
fn a_wish_is_seen_before_what_is_pasted_and_behind_it() {
    let lines = (0..100).map(|at| format!("12:00:{:02} worker {at} ok\n", at % 60));
    let log = lines.collect::<Vec<_>>().concat();
    assert_eq!(
        ids(&some(), &format!("Why does the parser panic on a heredoc?\n{log}")),
        ["panics"]
    );
    assert_eq!(
        ids(&some(), &format!("{log}\nWhy does the parser panic on a heredoc?")),
        ["panics"]
    );
}

#[test]
fn clauses_that_say_nothing_take_no_places() {
    let text = format!(
        "Hello, ok, thanks. So, well, please (if you can), yes, no. 1. {PANICS}\n2. {RECORD}"
    );
    assert_eq!(ids(&some(), &text), ["panics", "dns"]);
}

#[test]
fn a_file_is_found_by_its_place_whatever_else_is_said() {
    let mut quota = learning("quota", "Never reorder the two passes here", &["ordering"]);
    quota.context_files = vec!["shop/limits/quota.py".into()];
    let all = with(&[quota]);
    for text in ["shop/limits/quota.py", "shop/limits/quota.py:12", "shop/limits/quota.py:12:5:"] {
        assert_eq!(ids(&all, &format!("look at {text}")), ["quota"], "{text}");
    }
}

#[test]
fn what_only_looks_like_a_file_asks_for_nothing() {
    for more in ["", ", e.g. this", " of Node.js"] {
        let found = ids(&among_many(some()), &format!("a record{more}"));
        assert_eq!(found, ["dns"], "{more}");
    }
}

#[test]
fn words_of_a_path_are_those_of_its_last_folder_and_its_name() {
    let about = learning("owners", "The owners of code are asked in their order", &["codeowners"]);
    for path in [".github/CODEOWNERS", "github/CODEOWNERS", "conf.d/codeowners.txt"] {
        let query = Query { paths: vec![path.into()], ..Query::default() };
        let found = search(&query, &Filters::default(), &with(std::slice::from_ref(&about)));
        assert_eq!(found.first().map(|it| it.id.as_str()), Some("owners"), "{path}");
    }
}

#[test]
fn a_name_is_found_between_words_of_another_script() {
    for text in [
        "parser が heredoc で panic する",
        "parserがheredocでpanicする",
        "修复parser处理heredoc时的panic",
        "heredoc에서 parser가 panic",
    ] {
        assert_eq!(ids(&some(), text), ["panics"], "{text}");
    }
}

#[test]
fn words_that_say_nothing_in_their_language_find_nothing() {
    let german = [
        learning(
            "index",
            "Der Suchindex wird nur auf dem Test neu gebaut, nicht auf dem Server",
            &["suche"],
        ),
        learning(
            "steuer",
            "Die Steuer wird je Zeile gerundet und nicht auf der Summe",
            &["steuer"],
        ),
        learning("backup", "Das Backup ist erst gut, wenn es einmal gelesen wurde", &["backup"]),
    ];
    for text in [
        "das ist noch nicht gut, mach es bitte noch einmal",
        "schreib bitte eine Anleitung für die neue Klasse, und räum auf",
    ] {
        assert_eq!(ids(&german, text), [""; 0], "{text}");
    }
    assert_eq!(ids(&german, "Die Steuer auf der Rechnung ist falsch gerundet"), ["steuer"]);
}

#[test]
fn what_has_sunk_makes_room_for_what_says_the_same() {
    let same = |at: u32| {
        learning(&format!("k{at:02}"), "Rebalancing the consumer stalls a partition", &["kafka"])
    };
    let all: Vec<Learning> = (0..20).map(same).collect();
    let mut case = Case::of(all);
    let mut seen = BTreeSet::new();
    for _ in 0..60 {
        for id in case.ids(&ask("rebalancing of the consumer stalls a kafka partition")) {
            case.tallies.entry(id.clone()).or_default().surfaced += 1;
            seen.insert(id);
        }
    }
    assert_eq!(seen.len(), 20, "each has had its turn: {seen:?}");
}

#[test]
fn in_one_session_each_that_fits_has_its_turn() {
    let same = |at: u32| Learning {
        relevance: Some("the parser panics; a heredoc is cut off".into()),
        ..learning(&format!("l{at:02}"), "The parser panics on heredocs", &["parser", "heredoc"])
    };
    let mut case = Case::of((0..14).map(same).collect());
    let counts: Vec<usize> = (0..4)
        .map(|_| {
            let ids = case.ids(&ask("the parser panics on heredocs"));
            case.shown.extend(ids.iter().cloned());
            ids.len()
        })
        .collect();
    assert_eq!(counts, [5, 5, 4, 0]);
}

/// One of the user's own, and when it is wanted.
fn own(id: &str, relevance: &str) -> Learning {
    let summary = "This is how I want it to be done, wherever I am";
    let relevance = Some(relevance.to_owned());
    Learning { scope: Scope::Personal, relevance, ..learning(id, summary, &[]) }
}

#[test]
fn how_the_user_wants_it_done_comes_beside_what_the_project_knows() {
    let learnings = with(&[
        own("drafts", "open a PR for this branch; merge request for this ticket"),
        own("tables", "add unit tests for this function; many cases of one kind"),
    ]);
    assert_eq!(ids(&learnings, "ok, put it up for review"), ["drafts"]);
    assert_eq!(ids(&learnings, &format!("{PANICS}, write tests for it")), ["panics", "tables"]);
    assert_eq!(ids(&learnings, PANICS), ["panics"]);
    let speaks_of_it = "which function opens a file, and how?";
    assert_eq!(ids(&learnings, speaks_of_it), [""; 0]);
    let found = Case::of(learnings).choose(&ask("put it up for review"));
    assert!(found[0].why.contains(&"pull-request".to_owned()), "{found:?}");
}

#[test]
fn many_of_the_user_leave_room_for_the_project() {
    let many = (0..8).map(|it| own(&format!("own{it}"), "write tests; extend the tests"));
    let learnings: Vec<Learning> = some().into_iter().chain(many).collect();
    let found = ids(&learnings, &format!("{PANICS}. Write tests for it"));
    assert_eq!(found.iter().filter(|it| it.starts_with("own")).count(), 4, "{found:?}");
    assert!(found.contains(&"panics".into()), "{found:?}");
}

#[test]
fn each_thing_to_do_has_its_own_before_another_has_two() {
    let commits = (0..4).map(|it| own(&format!("commit{it}"), "commit these changes"));
    let mut learnings: Vec<Learning> = commits.collect();
    learnings.push(own("drafts", "opening a pull request"));
    learnings.push(own("onto", "rebase onto main; resolve merge conflicts"));
    let found = ids(&learnings, "Thanks! commit this\nthen rebase onto main\nand open a PR");
    assert_eq!(found.len(), 5, "{found:?}");
    assert!(found.contains(&"drafts".into()) && found.contains(&"onto".into()), "{found:?}");
    assert_eq!(ids(&learnings, "please rebase"), ["onto"]);
}

#[test]
fn one_of_the_user_comes_once_in_a_session_and_in_each_however_often() {
    let case = || Case::of(vec![own("drafts", "open a pull request")]);
    let query = ask("open a PR");
    assert_eq!(case().ids(&query), ["drafts"]);
    assert_eq!(case().with("drafts", 400, 0).ids(&query), ["drafts"]);
    let mut shown = case();
    shown.shown.insert("drafts".into());
    assert_eq!(shown.ids(&query), [""; 0]);
}

#[test]
fn of_those_of_the_user_one_that_never_helped_sinks_below_one_that_did() {
    let of = |id: &str| own(id, "open a pull request");
    let many = ["in-vain", "helped", "new", "other"].map(of);
    let case = Case::of(with(&many)).with("in-vain", 40, 0).with("helped", 40, 30);
    let found = case.ids(&ask(&format!("{PANICS}. Open a PR")));
    let place = |id: &str| found.iter().position(|it| it == id);
    assert!(place("helped") < place("new") && place("new") < place("in-vain"), "{found:?}");
}

#[test]
fn the_user_has_the_places_that_the_project_leaves() {
    let all = ["write tests", "update the docs", "run the linter", "rebase onto main", "commit it"];
    let learnings: Vec<Learning> = all.iter().map(|it| own(it, it)).collect();
    let text = all.join(", ");
    assert_eq!(ids(&learnings, &text).len(), 5);
    let found = ids(&with(&learnings), &format!("{PANICS}: {text}"));
    assert!(found.contains(&"panics".into()) && found.len() == 5, "{found:?}");
}

#[test]
fn one_of_the_user_that_is_for_no_activity_is_found_by_its_words() {
    let mac = own("mac", "sed: invalid command code; date: illegal option");
    let text = "date: illegal option -- d, in the nightly script";
    assert_eq!(ids(&among_many(with(&[mac])), text), ["mac"]);
}

#[test]
fn what_is_said_between_two_tasks_finds_nothing() {
    let learnings = with(&[
        learning(
            "resume",
            "Continue an upload from the second part, the first is kept",
            &["upload"],
        ),
        learning(
            "lock",
            "A conflict of the lock file is solved by a new one, never by hand",
            &["git"],
        ),
    ]);
    for text in [
        "thanks, looks good. continue with the second one",
        "rebase onto main, take theirs for the lock file if there is a conflict",
    ] {
        assert_eq!(ids(&learnings, text), [""; 0], "{text}");
    }
    assert_eq!(ids(&learnings, "the upload does not continue"), ["resume"]);
}
