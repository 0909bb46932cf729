//! Sentences of the review gate that several places share.

use std::path::PathBuf;

use serde_json::Value;

use crate::core::{
    bounded::{self, plain_line},
    review::{
        decision::Decision,
        state::Review,
        work::{Author, Changed, Known, Work},
    },
};

const NAMED: usize = 8;

/// Why an approval does not cover the work, for a denial.
pub fn why_new(known: &Known) -> String {
    if !known.uncommitted.is_empty() {
        let files = listed(known.uncommitted.iter().map(|file| format!("`{}`", plain_line(file))));
        return format!("the approved version of {files} is not committed yet");
    }
    if !known.elsewhere.is_empty() {
        let files = listed(known.elsewhere.iter().map(|file| format!("`{}`", plain_line(file))));
        return format!(
            "what is pushed has {files} as this work tree does not: check that branch out and \
             have it reviewed there"
        );
    }
    match &known.compared_with {
        Some(_) => format!("changed since the approval: {}", changed(&known.changed)),
        None if known.has_expired => "the approval has expired".to_owned(),
        None => "no reviewer has approved this work".to_owned(),
    }
}

/// Changed files, with who changed each where known.
pub(super) fn changed(files: &[Changed]) -> String {
    listed(files.iter().map(|file| {
        let name = plain_line(&file.path);
        match &file.by {
            Author::Session => name,
            Author::Other(id) => format!("{name} (by session {})", bounded::line(id, 40)),
            Author::Unknown => {
                format!("{name} (not by this session's tools: `#roz:approve` if it was you)")
            }
        }
    }))
}

/// How the work changed since its approval, for the trace and for the user, in scopes where changed
/// work passes.
pub(super) fn changed_since_approval(work: &Work) -> (Vec<String>, Option<String>) {
    let known = match work {
        Work::Unknown(why) => {
            let why = bounded::chars(why, 300);
            let message =
                format!("roz: the work could not be compared with what was approved: {why}");
            return (vec![format!("(not known: {why})")], Some(message));
        }
        Work::Known(known) if known.approval.is_none() && known.compared_with.is_some() => known,
        Work::Known(_) | Work::NotAsked | Work::NoRepository => return (Vec::new(), None),
    };
    let named = known.changed.iter().take(10).map(|file| plain_line(&file.path)).collect();
    let message = format!(
        "roz: changed after the approval, so no reviewer has seen it: {}.",
        changed(&known.changed)
    );
    (named, Some(message))
}

/// The first names, and how many more there are.
pub(crate) fn listed(names: impl ExactSizeIterator<Item = String>) -> String {
    let more = match names.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    names.take(NAMED).collect::<Vec<_>>().join(", ") + &more
}

/// For the reviewer.
pub(super) fn folders(roots: &[PathBuf]) -> String {
    if roots.is_empty() {
        return "the current folder".to_owned();
    }
    let names = roots.iter().map(|root| plain_line(&root.to_string_lossy()));
    names.collect::<Vec<_>>().join(", ")
}

/// For the next reviewer of the cycle.
pub fn earlier_findings(review: &Review) -> String {
    let found = review.decisions_of_cycle().filter_map(|posted| match &posted.decision {
        Decision::Issues { summary, message_to_agent } => {
            let said = if message_to_agent == summary { "" } else { message_to_agent.as_str() };
            Some(format!("- {summary}\n{said}").trim_end().to_owned())
        }
        Decision::Pending | Decision::Complete { .. } => None,
    });
    found.collect::<Vec<_>>().join("\n")
}

pub(super) fn command(input: &Value) -> Option<&str> {
    ["command", "cmd", "script"].iter().find_map(|field| input.get(field)?.as_str())
}
