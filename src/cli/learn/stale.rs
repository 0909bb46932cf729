//! `roz learn stale`: shows learnings that name files that no longer exist, because they may be
//! outdated.

use std::path::Path;

use serde_json::{Value, json};

use super::{learnings::Stock, say::Out};
use crate::{
    core::{
        bounded,
        reflection::learning::{Learning, Scope},
    },
    world::World,
};

pub(super) fn run(world: &World) -> super::Result {
    let stock = Stock::here(world)?;
    // Personal learnings are about other projects, too.
    let all = stock.learnings.iter();
    let own = all.filter(|learning| learning.is_active() && learning.scope != Scope::Personal);
    let looked = own.map(|learning| {
        let files = learning
            .context_files
            .iter()
            .map(String::as_str)
            .filter(|context_file| is_a_path(context_file));
        let (present, missing): (Vec<&str>, Vec<&str>) =
            files.partition(|file| is_there(file, &stock.roz.project));
        (learning, missing, present)
    });
    let looked: Vec<(&Learning, _, _)> =
        looked.filter(|(_, missing, _)| !missing.is_empty()).collect();
    let learnings = looked.iter().map(|(learning, missing, present)| {
        let Learning { id, summary, .. } = learning;
        json!({ "id": id, "summary": summary, "missing": missing, "present": present })
    });
    let value = json!({ "learnings": learnings.collect::<Vec<Value>>() });
    let out = Out::new(world);
    let row = |(learning, missing, present): &(&Learning, Vec<&str>, Vec<&str>)| {
        vec![
            learning.id.clone(),
            format!("{} of {}", missing.len(), missing.len() + present.len()),
            format!("{} ({})", missing.join(", "), bounded::line(&learning.summary, 200)),
        ]
    };
    let next = "Are they still true? `roz learn archive ID…` archives those that are not.\n";
    let text = match looked.len() {
        0 => stock.nothing("All files that learnings name exist."),
        _ => out.table(&["ID", "GONE", "FILES"], looked.iter().map(row)) + next,
    };
    stock.said(value, text, &[], &out)
}

fn is_a_path(text: &str) -> bool {
    !text.trim().is_empty() && !text.contains("://") && !text.starts_with('~')
}

/// Whether the text is a path that exists as written, without the line number after it, or as a
/// glob.
fn is_there(text: &str, root: &Path) -> bool {
    let text = text.trim();
    let is_number =
        |text: &str| !text.is_empty() && text.bytes().all(|byte| b"0123456789-,:".contains(&byte));
    let bare = text.split_once(':').filter(|(_, rest)| is_number(rest)).map(|(path, _)| path);
    let is_file = |text: &str| root.join(text).symlink_metadata().is_ok();
    let root_pattern = glob::Pattern::escape(&root.to_string_lossy());
    let is_glob = || {
        glob::glob(&format!("{root_pattern}/{text}")).is_ok_and(|mut found| found.next().is_some())
    };
    is_file(text) || bare.is_some_and(is_file) || is_glob()
}

#[cfg(test)]
mod tests;
