//! What comes back, and what does not.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, TimeDelta, Utc};
use proptest::prelude::*;

use super::{Chosen, Filters, Index, Occasion, Query, search};
use crate::core::{
    policy::{RetrievalPolicy, Strategy},
    reflection::{
        learning::{Category, Confidence, Learning, Scope, Status},
        usage::Tally,
    },
};

fn now() -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::days(20_000)
}

fn learning(id: &str, summary: &str, tags: &[&str]) -> Learning {
    Learning {
        id: id.into(),
        category: Category::Pitfall,
        summary: summary.into(),
        detail: "It took somebody an afternoon to find that out.".into(),
        scope: Scope::Project,
        confidence: Confidence::Medium,
        status: Status::Active,
        criteria: Vec::new(),
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        context_files: Vec::new(),
        relevance: None,
        ticket_id: None,
        session_id: None,
        supersedes: None,
        created_at: now() - TimeDelta::days(1),
        roz_version: None,
    }
}

fn ask(text: &str) -> Query {
    Query { text: text.into(), ..Query::default() }
}

/// Nothing was ever shown, and the policy is the default.
struct Case {
    learnings: Vec<Learning>,
    tallies: BTreeMap<String, Tally>,
    shown: BTreeSet<String>,
    policy: RetrievalPolicy,
}

impl Case {
    fn of(learnings: Vec<Learning>) -> Self {
        Self {
            learnings,
            tallies: BTreeMap::new(),
            shown: BTreeSet::new(),
            policy: RetrievalPolicy::default(),
        }
    }

    fn with(mut self, id: &str, surfaced: u32, referenced: u32) -> Self {
        let (used, hits) = (referenced, referenced);
        let tally = Tally { surfaced, referenced, used, hits, ..Tally::default() };
        self.tallies.insert(id.into(), tally);
        self
    }

    fn on<'a>(&'a self, query: &'a Query) -> Occasion<'a> {
        let (tallies, shown, policy) = (&self.tallies, &self.shown, &self.policy);
        Occasion { query, tallies, shown, policy, now: now() }
    }

    fn choose(&self, query: &Query) -> Vec<Chosen> {
        super::build(&self.learnings).index.choose(&self.on(query))
    }

    fn at_failure(&self, text: &str) -> Vec<String> {
        self.at_failure_of(&[], text)
    }

    fn at_failure_of(&self, programs: &[&str], text: &str) -> Vec<String> {
        let programs = programs.iter().map(|program| (*program).to_owned()).collect();
        let query = Query { programs, ..ask(text) };
        let chosen = super::build(&self.learnings).index.choose_at_failure(&self.on(&query));
        chosen.into_iter().map(|chosen| chosen.id).collect()
    }

    fn ids(&self, query: &Query) -> Vec<String> {
        self.choose(query).into_iter().map(|chosen| chosen.id).collect()
    }
}

fn some() -> Vec<Learning> {
    vec![
        learning("panics", "The parser panics on an empty heredoc", &["parser", "heredoc"]),
        learning("kebab", "Flags of the command line are kebab-case", &["cli", "naming"]),
        learning("tax", "Round tax for each line of an invoice", &["tax", "rounding"]),
        learning("vat", "Reverse charge needs a number that was validated", &["vat", "b2b"]),
        learning("dns", "Lower the lifetime of a record before you move it", &["dns"]),
    ]
}

/// Beside others that have nothing to do with them, as many as a project has.
fn among_many(learnings: Vec<Learning>) -> Vec<Learning> {
    let other = |at| learning(&format!("other{at}"), &format!("Whatever was {at}fold"), &[]);
    let others: Vec<Learning> = (learnings.len()..60).map(other).collect();
    learnings.into_iter().chain(others).collect()
}

#[test]
fn a_form_of_a_word_and_a_part_of_an_identifier_are_found() {
    let found = |text: &str| {
        let found = search(&ask(text), &Filters::default(), &some());
        found.into_iter().map(|found| (found.id, found.why)).next()
    };
    assert_eq!(found("panic"), Some(("panics".to_owned(), vec!["panic".to_owned()])));
    assert_eq!(found("kebab"), Some(("kebab".to_owned(), vec!["kebab".to_owned()])));
    assert_eq!(found("KebabCase").unwrap().0, "kebab");
    assert_eq!(found("rounded taxes").unwrap().0, "tax");
    assert_eq!(found("helicopter"), None);
}

#[test]
fn nothing_rather_than_noise() {
    let case = Case::of(some());
    for text in ["", "thanks, go on", "the", "translate this into Polish", "?!", "42"] {
        assert_eq!(case.ids(&ask(text)), Vec::<String>::new(), "{text}");
    }
    let main = Query { branch: "main".into(), ..Query::default() };
    let about_main = learning("main", "The main thread never blocks", &["main"]);
    assert_eq!(Case::of(vec![about_main]).ids(&main), Vec::<String>::new());
}

#[test]
fn what_more_than_an_eighth_of_the_learnings_have_brings_nothing_by_itself() {
    let of_parser = |at: usize| learning(&format!("p{at}"), &format!("A parser {at}"), &["parser"]);
    let with = |count: usize| among_many((0..count).map(of_parser).collect());
    assert_eq!(with(0).len(), 60);
    let ids = |count: usize, text: &str| Case::of(with(count)).ids(&ask(text)).len();
    assert_eq!(ids(7, "the parser"), 5, "seven of sixty");
    assert_eq!(ids(8, "the parser"), 0, "eight of sixty");
    assert_eq!(ids(8, "parser 3, otherwise a whatever"), 0);
    let few: Vec<Learning> = (0..5).map(of_parser).collect();
    assert_eq!(Case::of(few).ids(&ask("the parser")).len(), 5, "all of a store of five");
}

#[test]
fn each_part_of_a_query_finds() {
    let mut learnings = some();
    learnings[2].context_files = vec!["shop/checkout/tax.py".into()];
    let case = Case::of(among_many(learnings));
    let first = |query: Query| case.ids(&query).first().cloned().unwrap_or_default();
    assert_eq!(
        first(Query { branch: "fix/SHOP-12-tax-rounding".into(), ..Query::default() }),
        "tax"
    );
    assert_eq!(first(Query { ticket_title: "Tax is off".into(), ..Query::default() }), "tax");
    assert_eq!(first(Query { ticket_description: "Tax is off".into(), ..Query::default() }), "tax");
    assert_eq!(first(Query { tags: vec!["rounding".into()], ..Query::default() }), "tax");
    assert_eq!(
        first(Query { paths: vec!["shop/checkout/tax.py".into()], ..Query::default() }),
        "tax"
    );
    assert_eq!(first(ask("look at checkout/tax.py:12, it is wrong")), "tax");
}

#[test]
fn the_same_file_is_more_than_its_name_and_that_more_than_its_folder() {
    let score = |path: &str| {
        let mut learnings = among_many(some());
        learnings[0].context_files = vec!["src/billing/tax.py".into()];
        let query = Query { paths: vec![path.into()], ..Query::default() };
        let found = search(&query, &Filters::default(), &learnings);
        found.iter().find(|found| found.id == "panics").map_or(0.0, |found| found.score)
    };
    let (same, moved) = (score("./src/billing/tax.py"), score("backend/x/billing/tax.py"));
    let (beside, elsewhere) = (score("src/billing/invoice.py"), score("docs/mail.md"));
    assert!(same > moved && moved > beside && beside > elsewhere, "{same} {moved} {beside}");
    assert!(elsewhere < f64::EPSILON, "{elsewhere}");
}

#[test]
fn it_says_why_in_the_words_that_were_used() {
    let mut learnings = some();
    learnings[2].context_files = vec!["shop/checkout/tax.py".into()];
    let query = Query { paths: vec!["shop/checkout/tax.py".into()], ..ask("Rounding of Taxes") };
    let found = search(&query, &Filters::default(), &learnings);
    let mut why = found[0].why.clone();
    why.sort();
    assert_eq!(why, ["Rounding", "Taxes", "shop/checkout/tax.py"]);
}

#[test]
fn equal_learnings_are_not_suppressed_for_being_equal() {
    let same = |id: &str| learning(id, "The parser panics on an empty heredoc", &["parser"]);
    for count in [1, 3, 5] {
        let ids: Vec<String> = (0..count).map(|number| format!("same{number}")).collect();
        let case = Case::of(ids.iter().map(|text| same(text)).collect());
        assert_eq!(case.ids(&ask("why does the parser panic on this heredoc")), ids);
    }
}

#[test]
fn equal_learnings_take_turns() {
    let same = |at: u32| {
        learning(&format!("k{at:02}"), "Rebalancing the consumer stalls a partition", &["kafka"])
    };
    let mut case = Case::of(among_many((0..7).map(same).collect()));
    let mut seen = BTreeSet::new();
    for _ in 0..60 {
        for id in case.ids(&ask("rebalancing of the consumer stalls a kafka partition")) {
            case.tallies.entry(id.clone()).or_default().surfaced += 1;
            seen.insert(id);
        }
    }
    assert_eq!(seen.len(), 7, "each has had its turn: {seen:?}");
    let fewest = case.tallies.values().map(|tally| tally.surfaced).min();
    assert!(fewest.is_some_and(|fewest| fewest > 30), "{:?}", case.tallies);
}

#[test]
fn one_shown_once_in_vain_is_shown_again() {
    let case = Case::of(some()).with("panics", 1, 0);
    assert_eq!(case.ids(&ask("the parser panics on a heredoc")), ["panics"]);
}

#[test]
fn one_often_shown_in_vain_sinks_below_one_that_helped() {
    let mut learnings = some();
    learnings.push(learning(
        "other",
        "The parser panics on an empty heredoc",
        &["parser", "heredoc"],
    ));
    let query = ask("the parser panics on a heredoc");
    let case = Case::of(learnings).with("panics", 3, 0).with("other", 10, 8);
    assert_eq!(case.ids(&query), ["other"]);
    let case = case.with("other", 40, 0).with("panics", 3, 2);
    assert_eq!(case.ids(&query), ["panics"], "the other one has sunk");
}

#[test]
fn newer_comes_first_and_use_keeps_it_new() {
    let mut learnings = some();
    let mut old = learning("old", "The parser panics on an empty heredoc", &["parser", "heredoc"]);
    old.created_at = now() - TimeDelta::days(400);
    learnings.push(old);
    let query = ask("the parser panics on a heredoc");
    let mut case = Case::of(learnings);
    assert_eq!(case.ids(&query), ["panics", "old"]);
    let used = Tally { last_used: Some(now()), ..Tally::default() };
    case.tallies.insert("old".into(), used);
    assert_eq!(case.ids(&query), ["old", "panics"]);
}

#[test]
fn what_is_old_counts_less_and_is_found_all_the_same() {
    let score = |days: i64| {
        let mut learnings = some();
        learnings[0].created_at = now() - TimeDelta::days(days);
        Case::of(learnings).choose(&ask("the parser panics"))[0].score
    };
    let ratio = |days: i64| score(days) / score(0);
    assert!((ratio(90) - 0.85).abs() < 1e-9 && (ratio(180) - 0.775).abs() < 1e-9);
    assert!((ratio(4000) - 0.73).abs() < 1e-9 && (ratio(-50) - 1.0).abs() < 1e-9);
}

#[test]
fn who_names_the_occasion_is_found_by_its_words() {
    let query = ask("mails bounce since the move to the new provider");
    let score = |relevance: &str| {
        let mut learnings = some();
        learnings[4].relevance = Some(relevance.into());
        search(&query, &Filters::default(), &learnings)[0].score
    };
    assert!(score("mails bounce after a move; another provider") > 2.0 * score(""));
}

#[test]
fn what_this_session_has_is_not_shown_again() {
    let mut case = Case::of(some());
    let query = ask("the parser panics on a heredoc");
    case.shown.insert("panics".into());
    assert_eq!(case.ids(&query), Vec::<String>::new());
}

#[test]
fn as_many_as_the_policy_says() {
    let same = |item: u32| learning(&format!("l{item:02}"), "The parser panics on heredocs", &[]);
    let mut case = Case::of(among_many((0..7).map(same).collect()));
    let mut count = |max_injections: u64| {
        case.policy = RetrievalPolicy { max_injections, ..RetrievalPolicy::default() };
        case.ids(&ask("the parser panics on heredocs")).len()
    };
    assert_eq!([count(0), count(2), count(5), count(10)], [0, 2, 5, 7]);
}

#[test]
fn a_title_needs_a_share_of_the_best_ones_score_by_the_strategy() {
    let mut learnings = some();
    // One, two and three of the words.
    learnings.push(learning("one", "A heredoc is quoted by its first word", &[]));
    learnings.push(learning("two", "A heredoc that is empty panics nobody", &[]));
    let mut case = Case::of(among_many(learnings));
    let query = ask("the parser panics on an empty heredoc");
    let mut ids = |strategy: Strategy| {
        case.policy = RetrievalPolicy { strategy, ..RetrievalPolicy::default() };
        case.ids(&query)
    };
    assert_eq!(ids(Strategy::Conservative), ["panics", "two"]);
    assert_eq!(ids(Strategy::Moderate), ["panics", "two"]);
    assert_eq!(ids(Strategy::Aggressive), ["panics", "two", "one"]);
}

#[test]
fn only_active_ones_are_put_before_an_agent() {
    for status in [Status::Archived, Status::Superseded] {
        let mut learnings = some();
        learnings[0].status = status;
        assert_eq!(Case::of(learnings).ids(&ask("parser panics")), Vec::<String>::new());
    }
}

#[test]
fn what_one_clause_asks_for_stands_beside_what_another_does() {
    let case = Case::of(some());
    let mut ids = case.ids(&ask("the parser panics on a heredoc, and we move a record with dns"));
    ids.sort();
    assert_eq!(ids, ["dns", "panics"]);
}

#[test]
fn in_one_session_each_that_fits_has_its_turn() {
    let same = |at: u32| learning(&format!("l{at:02}"), "The parser panics on heredocs", &[]);
    let mut case = Case::of(among_many((0..7).map(same).collect()));
    let counts: Vec<usize> = (0..3)
        .map(|_| {
            let ids = case.ids(&ask("the parser panics on heredocs"));
            case.shown.extend(ids.iter().cloned());
            ids.len()
        })
        .collect();
    assert_eq!(counts, [5, 2, 0]);
}

#[test]
fn a_match_is_strong_that_ranks_first_and_has_a_file_or_an_identifier_of_the_query() {
    let mut learnings = among_many(some());
    learnings[0].context_files = vec!["src/parser.rs".into()];
    learnings[1].detail = "Pass them through to_kebab_case() before they are compared.".into();
    let case = Case::of(learnings);
    let strong = |query: &Query| {
        let chosen = case.choose(query).into_iter();
        chosen.filter(|chosen| chosen.is_strong).map(|chosen| chosen.id).collect::<Vec<_>>()
    };
    let of_file = Query { paths: vec!["src/parser.rs".into()], ..Query::default() };
    assert_eq!(strong(&of_file), ["panics"]);
    assert_eq!(strong(&ask("see src/parser.rs:12")), ["panics"]);
    assert_eq!(strong(&ask("what does toKebabCase do?")), ["kebab"]);
    assert_eq!(strong(&ask("the parser panics on a heredoc")), [""; 0]);
    let other = Query { paths: vec!["src/lexer.rs".into()], ..Query::default() };
    assert_eq!(strong(&other), [""; 0], "it is in the same folder only");
    let behind = ask("the record moves with dns, its lifetime is lower; to_kebab_case");
    assert_eq!(case.ids(&behind)[0], "dns");
    assert_eq!(strong(&behind), [""; 0], "it does not rank first");
}

#[test]
fn at_a_failure_comes_what_names_something_rare_in_it() {
    let mut learnings = among_many(some());
    learnings[0].detail = "It is E0502 again: borrow the parser's tokens later.".into();
    learnings[1].context_files = vec!["src/flags.rs".into()];
    for learning in &mut learnings[10..20] {
        learning.tags = vec!["cargo".into(), "test".into()];
    }
    let case = Case::of(learnings);
    assert_eq!(case.at_failure("cargo test\nerror[E0502]: cannot borrow"), ["panics"]);
    assert_eq!(case.at_failure("cargo test\n --> src/flags.rs:12:5"), ["kebab"]);
    assert_eq!(case.at_failure("./check\nthe invoice is wrong"), ["tax"]);
    assert_eq!(case.at_failure("cargo test\ntest failed"), [""; 0], "ten learnings have both");
    let many = "E0502 src/flags.rs invoice heredoc vat";
    assert_eq!(case.at_failure(many).len(), 2);
}

#[test]
fn in_a_small_store_a_failure_needs_more_in_common_than_the_program_and_that_it_failed() {
    let hangs = learning("hangs", "cargo test hangs when port 5432 is taken", &["postgres"]);
    let files = learning("files", "A file that is not found exits with code 2", &[]);
    let case = Case::of(vec![hangs, files]);
    let unrelated = "cargo build\nExit code 101\nerror: could not compile, file not found";
    assert_eq!(case.at_failure_of(&["cargo"], unrelated), [""; 0]);
    let related = "cargo build\nExit code 101\nerror: connection to postgres refused";
    assert_eq!(case.at_failure_of(&["cargo"], related), ["hangs"]);
}

#[test]
fn a_search_obeys_its_filters() {
    let mut learnings = some();
    learnings[0].status = Status::Archived;
    learnings[1].scope = Scope::Personal;
    learnings[2].category = Category::Domain;
    let found = |text: &str, filters: Filters| -> Vec<String> {
        search(&ask(text), &filters, &learnings).into_iter().map(|found| found.id).collect()
    };
    let none = Vec::<String>::new();
    assert_eq!(found("panic", Filters::default()), none);
    let archived = Filters { statuses: vec![Status::Archived], ..Filters::default() };
    assert_eq!(found("panic", archived), ["panics"]);
    let project = Filters { scopes: vec![Scope::Project], ..Filters::default() };
    assert_eq!(found("kebab", project), none);
    let domain = Filters { categories: vec![Category::Domain], ..Filters::default() };
    assert_eq!(found("tax kebab vat", domain), ["tax"]);
    let tagged = Filters { tags: vec!["B2B".into()], ..Filters::default() };
    assert_eq!(found("tax kebab vat", tagged), ["vat"]);
    let one = Filters { max_results: 1, ..Filters::default() };
    assert_eq!(found("tax kebab vat", one).len(), 1);
}

#[test]
fn an_index_is_read_as_it_was_written() {
    let built = super::build(&some());
    let json = serde_json::to_string(&built.index).unwrap();
    assert_eq!(serde_json::from_str::<Index>(&json).unwrap(), built.index);
    for learning in some() {
        let place = built.index.place(&learning.id).unwrap();
        let from = usize::try_from(place.offset).unwrap();
        let text = &built.texts[from..from + place.length as usize];
        assert_eq!(serde_json::from_slice::<Learning>(text).unwrap(), learning);
    }
}

#[test]
fn no_learnings_are_an_index_too() {
    let index = super::build(&[]).index;
    assert!(index.is_empty());
    assert_eq!(Case::of(Vec::new()).ids(&ask("anything")), Vec::<String>::new());
}

proptest! {
    #[test]
    fn no_text_is_too_strange_for_a_search(summary in any::<String>(), text in any::<String>(), path in any::<String>()) {
        let mut item = learning("a", &summary, &[&text]);
        item.context_files = vec![path.clone()];
        let query = Query { paths: vec![path], branch: text.clone(), ..ask(&text) };
        Case::of(vec![item]).ids(&query);
    }
}
