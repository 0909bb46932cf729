//! What would have been refused in a trial.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use crate::{
    cli::say::{Out, Tone},
    core::trace::TraceEvent,
};

/// How often each thing would have been refused, by gate, answer and subject.
#[derive(Debug, Default)]
pub(super) struct Trial(BTreeMap<(String, String, String), u32>);

impl Trial {
    pub(super) fn count(&mut self, events: &[TraceEvent], since: DateTime<Utc>) {
        let refusals = events.iter().filter(|event| event.event_type == "would_refuse");
        for event in refusals.filter(|refusal| refusal.timestamp >= since) {
            let field = |name: &str| event.payload[name].as_str().unwrap_or_default().to_owned();
            *self.0.entry((field("gate"), field("answer"), field("subject"))).or_default() += 1;
        }
    }

    fn most_frequent_first(&self) -> Vec<(&(String, String, String), &u32)> {
        let mut all: Vec<_> = self.0.iter().collect();
        all.sort_by(|a, b| b.1.cmp(a.1));
        all
    }

    pub(super) fn as_json(&self) -> Value {
        let rows = self.most_frequent_first().into_iter().map(|((gate, answer, subject), times)| {
            json!({ "gate": gate, "answer": answer, "subject": subject, "times": times })
        });
        rows.collect()
    }

    pub(super) fn in_words(&self, is_on: bool, out: &Out) -> String {
        if !is_on && self.0.is_empty() {
            return String::new();
        }
        let state = if is_on { "This is a trial" } else { "The trial is over" };
        let what = if self.0.is_empty() { " nothing so far." } else { "" };
        let head = out.paint(Tone::Bold, &format!("{state}. Would have been refused:{what}"));
        let rows =
            self.most_frequent_first().into_iter().map(|((gate, answer, subject), times)| {
                vec![times.to_string(), answer.clone(), gate.clone(), subject.clone()]
            });
        if self.0.is_empty() {
            return head + "\n\n";
        }
        format!("{head}\n{}\n", out.table(&["TIMES", "ANSWER", "GATE", "WHAT"], rows))
    }
}
