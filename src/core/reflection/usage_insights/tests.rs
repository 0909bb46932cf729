//! Each row: what is just enough for it, and what is just not.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use super::*;
use crate::core::{
    policy::DecayPolicy,
    reflection::{
        learning::{Category, Confidence, Learning, Scope, Status},
        usage::{Entry, Event, View},
    },
};

fn now() -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::days(20_000)
}

/// A log and the learnings that it is about.
#[derive(Default, Clone)]
struct Scene {
    view: View,
    learnings: Vec<Learning>,
    sessions: u32,
}

impl Scene {
    fn entry(&mut self, days_ago: i64, event: Event) {
        // No two at the same moment: they would be one.
        let at = now() - TimeDelta::days(days_ago) + TimeDelta::seconds(self.sessions.into());
        self.sessions += 1;
        self.view.add(&Entry::new(at, event));
    }

    fn learning(&mut self, id: &str, category: Category) -> &mut Learning {
        self.learnings.push(Learning {
            id: id.into(),
            category,
            summary: format!("What {id} is about"),
            detail: "What there is to say about it.".into(),
            scope: Scope::Project,
            confidence: Confidence::Medium,
            status: Status::Active,
            criteria: Vec::new(),
            tags: Vec::new(),
            context_files: Vec::new(),
            relevance: None,
            ticket_id: None,
            session_id: None,
            supersedes: None,
            created_at: now() - TimeDelta::days(80),
            roz_version: None,
        });
        self.learnings.last_mut().unwrap()
    }

    /// Shown so often, each time in another session; helpful in some of them.
    fn shown(&mut self, id: &str, times: u32, helped: u32, days_ago: i64) {
        for at in 0..times {
            let (learning_id, session_id) = (id.to_owned(), format!("s{}", self.sessions));
            let ids = || (learning_id.clone(), session_id.clone());
            let (learning_id, session_id) = ids();
            self.entry(days_ago, Event::Surfaced { learning_id, session_id, ticket_id: None });
            if at < helped {
                let (learning_id, session_id) = ids();
                let used =
                    Event::Referenced { learning_id, session_id, ticket_id: None, how: None };
                self.entry(days_ago, used);
            }
        }
    }

    fn used_in(&mut self, id: &str, tickets: &[&str]) {
        for ticket in tickets {
            self.entry(
                5,
                Event::Referenced {
                    learning_id: id.into(),
                    session_id: (*ticket).into(),
                    ticket_id: Some((*ticket).into()),
                    how: None,
                },
            );
        }
    }

    /// What the write gate made of so many candidates.
    fn judged(&mut self, accepted: u32, rejected: u32) {
        self.reflected(accepted, "behavior_changing", 0, None);
        for at in 0..rejected {
            self.rejected(&format!("Vague number {at}"), "write_gate", "vague");
        }
    }

    fn reflected(&mut self, accepted: u32, criterion: &str, claims: u32, ticket: Option<&str>) {
        self.entry(
            9,
            Event::Reflection {
                session_id: "r".into(),
                ticket_id: ticket.map(str::to_owned),
                tickets: Vec::new(),
                candidates: accepted,
                accepted,
                learnings: Vec::new(),
                categories: BTreeMap::new(),
                criteria: [(criterion.to_owned(), claims)].into(),
            },
        );
    }

    fn rejected(&mut self, summary: &str, stage: &str, reason: &str) {
        self.entry(
            40,
            Event::Rejected {
                session_id: "r".into(),
                summary: summary.into(),
                tags: Vec::new(),
                stage: stage.into(),
                reason: reason.into(),
            },
        );
    }

    fn skipped(&mut self, ticket: &str, days_ago: i64) {
        self.entry(
            days_ago,
            Event::Skip {
                session_id: "r".into(),
                ticket_id: Some(ticket.into()),
                tickets: Vec::new(),
                reason: "small".into(),
                decider: "agent".into(),
                lines_changed: None,
            },
        );
    }

    fn drawn(&self) -> Vec<Insight> {
        let policy = DecayPolicy::default();
        draw(&Report::new(&self.view, &self.learnings, &policy, now()))
    }

    fn kinds(&self) -> Vec<&str> {
        self.drawn().into_iter().map(|insight| insight.kind).collect()
    }
}

#[track_caller]
fn fires(kind: &str, make: impl FnOnce(&mut Scene)) {
    let mut scene = Scene::default();
    make(&mut scene);
    assert_eq!(
        scene.kinds().iter().filter(|text| **text == kind).count(),
        1,
        "{:?}",
        scene.drawn()
    );
}

#[track_caller]
fn is_silent(kind: &str, make: impl FnOnce(&mut Scene)) {
    let mut scene = Scene::default();
    make(&mut scene);
    assert!(!scene.kinds().contains(&kind), "{:?}", scene.drawn());
}

#[test]
fn an_empty_log_says_nothing() {
    assert_eq!(Scene::default().drawn(), []);
}

#[test]
fn a_category_that_hardly_helps() {
    let shown = |times, helped| {
        move |scene: &mut Scene| {
            scene.learning("a", Category::Process);
            scene.shown("a", times, helped, 5);
        }
    };
    fires("LowHitCategory", shown(10, 2));
    is_silent("LowHitCategory", shown(10, 3));
    is_silent("LowHitCategory", shown(9, 2));
}

#[test]
fn a_rare_category_that_helps() {
    let shown = |learnings: u32, times, helped| {
        move |scene: &mut Scene| {
            for at in 0..learnings {
                scene.learning(&format!("a{at}"), Category::Debugging);
                scene.shown(&format!("a{at}"), times, helped, 5);
            }
        }
    };
    fires("HighValueRare", shown(1, 4, 3));
    fires("HighValueRare", shown(4, 4, 3));
    is_silent("HighValueRare", shown(5, 4, 3));
    is_silent("HighValueRare", shown(1, 10, 7));
    is_silent("HighValueRare", shown(1, 2, 2));
}

#[test]
fn one_learning_was_shown_and_two_were() {
    for (learnings, said) in [(1, "1 learning with"), (2, "2 learnings with")] {
        let mut scene = Scene::default();
        for at in 0..learnings {
            scene.learning(&format!("a{at}"), Category::Debugging);
            scene.shown(&format!("a{at}"), 4, 4, 5);
        }
        let rare =
            scene.drawn().into_iter().find(|insight| insight.kind == "HighValueRare").unwrap();
        assert!(rare.message.contains(said), "{}", rare.message);
    }
}

#[test]
fn a_skipped_ticket_that_taught_something() {
    fires("SkipMiss", |scene| {
        scene.skipped("t1", 20);
        scene.reflected(1, "stable_fact", 1, Some("t1"));
    });
    is_silent("SkipMiss", |scene| {
        scene.skipped("t1", 20);
        scene.reflected(1, "stable_fact", 1, Some("t2"));
    });
    is_silent("SkipMiss", |scene| {
        scene.skipped("t1", 1);
        scene.reflected(1, "stable_fact", 1, Some("t1"));
    });
}

#[test]
fn a_write_gate_that_takes_too_little() {
    fires("WriteGateTooStrict", |scene| scene.judged(4, 6));
    is_silent("WriteGateTooStrict", |scene| scene.judged(5, 5));
    is_silent("WriteGateTooStrict", |scene| scene.judged(3, 6));
    // What was malformed, or was there already, the gate has not judged.
    is_silent("WriteGateTooStrict", |scene| {
        scene.judged(5, 5);
        scene.rejected("Malformed", "schema", "no tags");
        scene.rejected("Known", "duplicate", "the same");
    });
}

#[test]
fn a_write_gate_that_repents() {
    let repents = |topics: &'static [&str]| {
        move |scene: &mut Scene| {
            for topic in topics {
                scene.rejected(topic, "write_gate", "vague");
                let learning = scene.learning(topic, Category::Domain);
                learning.summary = (*topic).into();
                learning.created_at = now() - TimeDelta::days(10);
            }
        }
    };
    fires("WriteGateTooStrict", repents(&["Invoices per tenant", "Rename replaces locks"]));
    is_silent("WriteGateTooStrict", repents(&["Invoices per tenant"]));
}

#[test]
fn a_write_gate_that_takes_everything() {
    let taken = |accepted, rejected, shown, helped| {
        move |scene: &mut Scene| {
            scene.judged(accepted, rejected);
            scene.shown("a", shown, helped, 5);
        }
    };
    fires("WriteGateTooLoose", taken(10, 0, 10, 2));
    fires("WriteGateTooLoose", taken(96, 4, 10, 2));
    is_silent("WriteGateTooLoose", taken(95, 5, 10, 2));
    is_silent("WriteGateTooLoose", taken(9, 0, 10, 2));
    is_silent("WriteGateTooLoose", taken(10, 0, 10, 3));
    is_silent("WriteGateTooLoose", taken(10, 0, 9, 2));
}

#[test]
fn the_same_criterion_for_everything() {
    let claimed = |accepted, claims| {
        move |scene: &mut Scene| scene.reflected(accepted, "behavior_changing", claims, None)
    };
    fires("RubberStamping", claimed(10, 10));
    fires("RubberStamping", claimed(100, 91));
    is_silent("RubberStamping", claimed(100, 90));
    is_silent("RubberStamping", claimed(9, 9));
}

#[test]
fn a_learning_that_helps_everywhere() {
    let used = |tickets: &'static [&str]| {
        move |scene: &mut Scene| {
            scene.learning("a", Category::Pattern).ticket_id = Some("own".into());
            scene.used_in("a", tickets);
        }
    };
    fires("HighCrossPollination", used(&["t1", "t2", "t3"]));
    is_silent("HighCrossPollination", used(&["own", "t1", "t2"]));
    is_silent("HighCrossPollination", used(&["t1", "t1", "t2"]));
}

#[test]
fn a_learning_whose_time_is_nearly_over() {
    let unused = |days| {
        move |scene: &mut Scene| {
            scene.learning("a", Category::Domain).created_at = now() - TimeDelta::days(days);
        }
    };
    fires("DecayWarning", unused(173));
    fires("DecayWarning", unused(179));
    is_silent("DecayWarning", unused(172));
}

#[test]
fn a_learning_whose_time_is_over_is_warned_of_too() {
    let mut scene = Scene::default();
    for (id, days) in [("soon", 179), ("due", 180), ("overdue", 300)] {
        scene.learning(id, Category::Domain).created_at = now() - TimeDelta::days(days);
    }
    let said =
        scene.drawn().into_iter().find(|insight| insight.kind == "DecayWarning").unwrap().message;
    assert!(said.starts_with("3 learnings due to be archived within 7 days: overdue "), "{said}");
}

#[test]
fn a_good_learning_that_nobody_needs_any_more() {
    let used = |times, helped, days| {
        move |scene: &mut Scene| {
            scene.learning("a", Category::Domain);
            scene.shown("a", times, helped, days);
        }
    };
    fires("StaleTopLearning", used(2, 1, 61));
    is_silent("StaleTopLearning", used(2, 1, 60));
    is_silent("StaleTopLearning", used(3, 1, 61));
    is_silent("StaleTopLearning", |scene| {
        used(2, 1, 61)(scene);
        scene.learnings[0].status = Status::Archived;
    });
}

#[test]
fn a_learning_that_is_shown_in_vain() {
    let used = |times, helped| {
        move |scene: &mut Scene| {
            scene.learning("a", Category::Domain);
            scene.shown("a", times, helped, 5);
        }
    };
    fires("OverSurfaced", used(5, 0));
    fires("OverSurfaced", used(10, 1));
    is_silent("OverSurfaced", used(4, 0));
    is_silent("OverSurfaced", used(9, 1));
}

#[test]
fn what_helps_where_it_was_searched_for_is_shown_in_vain_all_the_same() {
    fires("OverSurfaced", |scene| {
        scene.learning("a", Category::Domain);
        scene.shown("a", 10, 0, 5);
        scene.used_in("a", &["t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8", "t9"]);
    });
    is_silent("HighValueRare", |scene| {
        scene.learning("a", Category::Domain);
        scene.shown("a", 4, 0, 5);
        scene.used_in("a", &["t1", "t2", "t3", "t4"]);
    });
}

#[test]
fn shown_again_after_a_compaction_is_not_shown_in_vain_twice() {
    is_silent("OverSurfaced", |scene| {
        for _ in 0..20 {
            let (learning_id, session_id) = ("a".to_owned(), "s1".to_owned());
            scene.entry(5, Event::Surfaced { learning_id, session_id, ticket_id: None });
        }
    });
}

#[test]
fn a_pitfall_that_recurs() {
    let again = |category, shown: u32| {
        move |scene: &mut Scene| {
            scene.learning("a", category).created_at = now() - TimeDelta::days(79);
            scene.shown("a", shown, 0, 60);
            scene.rejected("The same in other words", "duplicate", "near `a`");
        }
    };
    fires("RecurringPitfall", again(Category::Pitfall, 1));
    is_silent("RecurringPitfall", again(Category::Pitfall, 0));
    is_silent("RecurringPitfall", again(Category::Pattern, 1));
}

// The table.

#[test]
fn every_kind_has_one_row_a_trigger_and_a_recommendation_that_names_a_setting() {
    const ALL: [&str; 11] = [
        "LowHitCategory",
        "HighValueRare",
        "SkipMiss",
        "WriteGateTooStrict",
        "WriteGateTooLoose",
        "RubberStamping",
        "HighCrossPollination",
        "DecayWarning",
        "StaleTopLearning",
        "OverSurfaced",
        "RecurringPitfall",
    ];
    let kinds: Vec<&str> = TABLE.iter().map(|row| row.kind).collect();
    assert_eq!(kinds, ALL);
    let sections = ["decay.", "retrieval.", "gate.auto_skip.", "gate.write_gate."];
    for row in TABLE {
        let names = row.recommendation.split('`').skip(1).step_by(2);
        let settings =
            names.filter(|name| sections.iter().any(|section| name.starts_with(section)));
        assert!(settings.count() > 0, "{row:?}");
        assert!(!row.trigger.is_empty(), "{row:?}");
    }
}

#[test]
fn an_insight_is_json_as_documented() {
    let mut scene = Scene::default();
    scene.skipped("t1", 20);
    scene.reflected(1, "stable_fact", 1, Some("t1"));
    let json = serde_json::to_value(scene.drawn()).unwrap();
    assert_eq!(json[0]["kind"], "SkipMiss");
    assert_eq!(json[0]["message"], "1 skipped ticket taught something later: `t1`");
    assert!(
        json[0]["recommendation"].as_str().unwrap().contains("`gate.auto_skip.line_threshold`")
    );
}

#[test]
fn many_are_counted_and_few_are_named() {
    let mut scene = Scene::default();
    for at in 0..7 {
        scene.shown(&format!("a{at}"), 5, 0, 5);
    }
    let over = scene.drawn().into_iter().find(|insight| insight.kind == "OverSurfaced").unwrap();
    assert!(over.message.starts_with("7 learnings kept being shown"), "{}", over.message);
    assert!(over.message.ends_with("a0, a1, a2 …"), "{}", over.message);
}
