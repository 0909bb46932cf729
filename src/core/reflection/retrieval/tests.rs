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

mod wanted;

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
        tags: tags.iter().map(|it| (*it).to_owned()).collect(),
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
        self.tallies.insert(id.into(), Tally { surfaced, referenced, ..Tally::default() });
        self
    }

    fn choose(&self, query: &Query) -> Vec<Chosen> {
        Index::build(&self.learnings).index.choose(&Occasion {
            query,
            tallies: &self.tallies,
            shown: &self.shown,
            policy: &self.policy,
            now: now(),
        })
    }

    fn ids(&self, query: &Query) -> Vec<String> {
        self.choose(query).into_iter().map(|it| it.id).collect()
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
        found.into_iter().map(|it| (it.id, it.why)).next()
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
    for text in ["", "thanks, go on", "the", "translate the size guide into Polish", "?!", "42"] {
        assert_eq!(case.ids(&ask(text)), Vec::<String>::new(), "{text}");
    }
    let main = Query { branch: "main".into(), ..Query::default() };
    assert_eq!(case.ids(&main), Vec::<String>::new());
}

#[test]
fn where_little_is_known_one_word_in_common_is_not_enough() {
    let one = learning("commits", "Commit messages name the ticket in their first line", &["git"]);
    let port = "cargo test hangs when port 5432 is taken by a local Postgres";
    let few = vec![one, learning("port", port, &["tests"])];
    let found = |learnings: &[Learning], text: &str| Case::of(learnings.to_vec()).ids(&ask(text));
    for text in ["the transaction is not committed", "where is the port of the service set?"] {
        assert_eq!(found(&few, text), [""; 0], "{text}");
    }
    assert_eq!(found(&few, "cargo test hangs on port 5432, why?"), ["port"]);
    assert_eq!(found(&few, "the tests hang locally"), ["port"]);
    assert_eq!(found(&few, "what does the first line of a commit message name?"), ["commits"]);
}

#[test]
fn each_part_of_a_query_finds() {
    let mut learnings = some();
    learnings[2].context_files = vec!["shop/checkout/tax.py".into()];
    let case = Case::of(among_many(learnings));
    let of = |query: Query| case.ids(&query);
    assert_eq!(
        of(Query { branch: "fix/SHOP-12-tax-rounding".into(), ..Query::default() }),
        ["tax"]
    );
    assert_eq!(of(Query { ticket_title: "Tax is off".into(), ..Query::default() }), ["tax"]);
    assert_eq!(of(Query { tags: vec!["rounding".into()], ..Query::default() }), ["tax"]);
    assert_eq!(
        of(Query { paths: vec!["shop/checkout/tax.py".into()], ..Query::default() }),
        ["tax"]
    );
    assert_eq!(of(ask("look at checkout/tax.py:12, it is wrong")), ["tax"]);
}

#[test]
fn it_says_why_in_the_words_that_were_used() {
    let mut learnings = some();
    learnings[2].context_files = vec!["shop/checkout/tax.py".into()];
    let query = Query { paths: vec!["shop/checkout/tax.py".into()], ..ask("Rounding of Taxes") };
    let chosen = Case::of(learnings).choose(&query);
    let mut why = chosen[0].why.clone();
    why.sort();
    assert_eq!(why, ["Rounding", "Taxes", "shop/checkout/tax.py"]);
}

#[test]
fn equal_learnings_are_not_suppressed_for_being_equal() {
    let same = |id: &str| learning(id, "The parser panics on an empty heredoc", &["parser"]);
    for count in [1, 3, 5] {
        let ids: Vec<String> = (0..count).map(|it| format!("same{it}")).collect();
        let case = Case::of(ids.iter().map(|it| same(it)).collect());
        assert_eq!(case.ids(&ask("why does the parser panic on this heredoc")), ids);
    }
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
    for it in &mut learnings {
        it.relevance = Some(format!("{}; somebody reports that", it.summary));
    }
    let query = ask("the parser panics on a heredoc");
    let case = Case::of(learnings).with("panics", 3, 0).with("other", 10, 8);
    assert_eq!(case.ids(&query), ["other", "panics"]);
    let case = case.with("other", 40, 0).with("panics", 3, 2);
    assert_eq!(case.ids(&query), ["panics"], "the other one has sunk");
}

#[test]
fn what_is_barely_relevant_and_never_used_is_no_longer_shown() {
    let query = ask("the command line wants another flag for the output of the exporter");
    let case = Case::of(some());
    let before = case.ids(&query);
    assert_eq!(before, ["kebab"]);
    assert_eq!(case.with("kebab", 60, 0).ids(&query), Vec::<String>::new());
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
    let used = Tally { last_referenced: Some(now()), ..Tally::default() };
    case.tallies.insert("old".into(), used);
    assert_eq!(case.ids(&query), ["old", "panics"]);
}

#[test]
fn recency_halves_and_has_a_floor() {
    let score = |days: i64| {
        let mut learnings = some();
        learnings[0].created_at = now() - TimeDelta::days(days);
        Case::of(learnings).choose(&ask("the parser panics"))[0].score
    };
    let ratio = |a: i64, b: i64| score(a) / score(b);
    assert!((ratio(90, 0) - 0.5).abs() < 1e-9 && (ratio(180, 90) - 0.5).abs() < 1e-9);
    assert!((ratio(4000, 0) - 0.1).abs() < 1e-9 && (ratio(-50, 0) - 1.0).abs() < 1e-9);
}

#[test]
fn who_names_the_occasion_is_found_by_its_words_and_not_by_those_spread() {
    let query = ask("mails bounce since the move to the new provider");
    let score = |relevance: &str| {
        let mut learnings = some();
        learnings[4].relevance = Some(relevance.into());
        let found = search(&query, &Filters::default(), &learnings);
        (found[0].score, Case::of(learnings).ids(&query))
    };
    let (without, shown) = score("");
    assert_eq!(shown, [""; 0]);
    let (focused, shown) = score("mails bounce after a move; a ball game; before the next one");
    assert_eq!(shown, ["dns"]);
    let (spread, _) = score("mails in a game; a ball must bounce; before the next move");
    assert!(focused > spread && spread > without, "{focused} {spread} {without}");
}

#[test]
fn what_this_session_has_is_not_shown_again() {
    let mut case = Case::of(some());
    let query = ask("the parser panics on a heredoc");
    case.shown.insert("panics".into());
    assert_eq!(case.ids(&query), Vec::<String>::new());
}

#[test]
fn as_many_as_the_strategy_and_the_policy_say() {
    let same = |it: u32| Learning {
        relevance: Some("the parser panics; a heredoc is cut off".into()),
        ..learning(&format!("l{it:02}"), "The parser panics on heredocs", &["parser", "heredoc"])
    };
    let mut case = Case::of((0..12).map(same).collect());
    let mut count = |strategy: Strategy, max_injections: u64| {
        case.policy = RetrievalPolicy { max_injections, strategy, ..RetrievalPolicy::default() };
        case.ids(&ask("the parser panics on heredocs")).len()
    };
    assert_eq!(count(Strategy::Conservative, 5), 3);
    assert_eq!(count(Strategy::Moderate, 5), 5);
    assert_eq!(count(Strategy::Moderate, 10), 5);
    assert_eq!(count(Strategy::Aggressive, 10), 10);
    assert_eq!(count(Strategy::Aggressive, 2), 2);
    assert_eq!(count(Strategy::Aggressive, 0), 0);
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
fn what_is_akin_to_the_most_relevant_one_comes_with_it_and_a_personal_one_does_not() {
    let query = ask("the tax on an invoice is rounded wrong");
    let mut learnings = among_many(some());
    let refund = "A refund takes its rounding from the order";
    learnings[5] = learning("refund", refund, &["tax", "rounding"]);
    assert_eq!(Case::of(learnings.clone()).ids(&query), ["tax", "refund"]);
    learnings[5].scope = Scope::Personal;
    assert_eq!(Case::of(learnings.clone()).ids(&query), ["tax"]);
    assert_eq!(Case::of(learnings.clone()).ids(&ask("rounding of a refund")), ["refund"]);
    learnings[5].scope = Scope::Project;
    learnings[5].tags = vec!["orders".into()];
    assert_eq!(Case::of(learnings).ids(&query), ["tax"]);
}

#[test]
fn what_one_clause_asks_for_stands_beside_what_another_does() {
    let case = Case::of(some());
    let ids = |text: &str| case.ids(&ask(text));
    assert_eq!(ids("the parser panics on a heredoc while we move a record with dns"), ["panics"]);
    let clauses = "the parser panics on a heredoc, and we move a record with dns";
    assert_eq!(ids(clauses), ["panics", "dns"]);
    let ticket = Query {
        ticket_title: "The parser panics on a heredoc".into(),
        ticket_description: "We move a record with dns.".into(),
        ..Query::default()
    };
    assert_eq!(case.ids(&ticket), ["panics", "dns"]);
}

#[test]
fn related_words_count_once() {
    let score = |summary: &str, text: &str| {
        let mut learnings = some();
        learnings.push(learning("it", summary, &[]));
        let found = search(&ask(text), &Filters::default(), &learnings);
        found.into_iter().find(|it| it.id == "it").map_or(0.0, |it| it.score)
    };
    let text = "a zebra vanishes";
    let one = score("The zebra has disappeared", text);
    let two = score("The zebra has disappeared and is gone", text);
    let same = score("The zebra has vanished", text);
    assert!(one > score("The zebra has feet", text), "{one}");
    assert!(two <= one && one < same, "{two} {one} {same}");
}

#[test]
fn a_search_obeys_its_filters() {
    let mut learnings = some();
    learnings[0].status = Status::Archived;
    learnings[1].scope = Scope::Personal;
    learnings[2].category = Category::Domain;
    let found = |text: &str, filters: Filters| -> Vec<String> {
        search(&ask(text), &filters, &learnings).into_iter().map(|it| it.id).collect()
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
    let new = Filters { created_after: Some(now()), ..Filters::default() };
    assert_eq!(found("tax kebab vat", new), none);
    let one = Filters { max_results: 1, ..Filters::default() };
    assert_eq!(found("tax kebab vat", one).len(), 1);
}

#[test]
fn an_index_is_read_as_it_was_written_or_not_at_all() {
    let built = Index::build(&some());
    let bytes = built.index.bytes().to_vec();
    assert_eq!(Index::read(bytes.clone()), Some(built.index.clone()));
    for it in some() {
        let place = built.index.place(&it.id).unwrap();
        let from = usize::try_from(place.offset).unwrap();
        let text = &built.texts[from..from + place.length as usize];
        assert_eq!(place.read(text), Some(it));
        assert_eq!(place.read(&text[1..]), None);
    }
    for at in 0..bytes.len() {
        assert_eq!(Index::read(bytes[..at].to_vec()), None, "cut at {at}");
        let mut other = bytes.clone();
        other[at] ^= 0x10;
        assert_eq!(Index::read(other), None, "changed at {at}");
    }
}

#[test]
fn no_learnings_are_an_index_too() {
    let index = Index::build(&[]).index;
    assert!(index.is_empty());
    assert_eq!(Index::read(index.bytes().to_vec()).map(|it| it.len()), Some(0));
    assert_eq!(Case::of(Vec::new()).ids(&ask("anything")), Vec::<String>::new());
}

proptest! {
    #[test]
    fn no_text_is_too_strange_for_a_search(summary in any::<String>(), text in any::<String>(), path in any::<String>()) {
        let mut it = learning("a", &summary, &[&text]);
        it.context_files = vec![path.clone()];
        let query = Query { paths: vec![path], branch: text.clone(), ..ask(&text) };
        Case::of(vec![it]).ids(&query);
    }

    /// Bytes that have the right checksum and mean nothing.
    #[test]
    fn no_index_is_too_strange_to_be_asked(body in prop::collection::vec(any::<u8>(), 16..400), documents in 0_u32..4, terms in 0_u32..4) {
        let mut body = body;
        body[..4].copy_from_slice(&documents.to_le_bytes());
        body[4..8].copy_from_slice(&terms.to_le_bytes());
        let tables = documents as usize * super::index::DOCUMENT + terms as usize * super::index::TERM;
        let rest = (body.len() - 16).saturating_sub(tables);
        body[8..12].copy_from_slice(&u32::try_from(rest / 2).unwrap().to_le_bytes());
        body[12..16].copy_from_slice(&u32::try_from(rest - rest / 2).unwrap().to_le_bytes());
        let mut bytes = super::index::MAGIC.to_vec();
        bytes.extend(super::index::VERSION.to_le_bytes());
        bytes.extend(super::checksum(&body).to_le_bytes());
        bytes.extend(body);
        if let Some(index) = Index::read(bytes) {
            index.search(&ask("a panic in the kebab"), &Filters::default());
            index.place("a");
        }
    }
}
