//! `roz intent new` and `expand`.

use serde_json::json;

use super::{Decided, find, is_sound, needs_a_person, open, said};
use crate::{
    core::intent::{
        catalogue::Intent,
        draft::{self, Draft},
        scope::Complaint,
        selection,
    },
    sidecar::intent_store::IntentStore,
    world::World,
};

/// Declare an intent (a person decides)
///
/// Patterns begin at the project's root: `*` stays within a folder, `**`
/// crosses them, `!pattern` excludes something. It begins as DRAFT.
///
/// Example:
///   roz intent new "Login by link" --scope 'src/auth/**' --scope '!src/auth/legacy/**' \
///     --constraint "no new dependency" --criterion "a link works once"
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct New {
    /// What it is about, in a few words
    name: String,
    /// Its id (default: the next free one, as INT-001)
    #[arg(long)]
    id: Option<String>,
    /// What it may change; may be given again
    #[arg(long, value_name = "PATTERN", required = true)]
    scope: Vec<String>,
    /// A constraint to keep to; may be given again
    #[arg(long, value_name = "TEXT")]
    constraint: Vec<String>,
    /// A criterion for when it is done; may be given again
    #[arg(long, value_name = "TEXT")]
    criterion: Vec<String>,
    /// An intent that comes before it; may be given again
    #[arg(long, value_name = "ID")]
    depends_on: Vec<String>,
    #[command(flatten)]
    decided: Decided,
}

/// Give an intent more paths (a person decides)
///
/// Example:
///   roz intent expand INT-001 'src/mail/**' 'tests/mail/**'
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Expand {
    /// The intent's id
    id: String,
    /// Patterns from the project's root
    #[arg(required = true, value_name = "PATTERN")]
    patterns: Vec<String>,
    #[command(flatten)]
    decided: Decided,
}

pub(super) fn new(args: &New, world: &World) -> super::super::Result {
    needs_a_person("new", &args.decided, world)?;
    let draft = Draft {
        id: args.id.clone(),
        name: args.name.clone(),
        owned_scope: args.scope.clone(),
        constraints: args.constraint.clone(),
        acceptance_criteria: args.criterion.clone(),
        depends_on: args.depends_on.clone(),
    };
    declare(&draft, "roz intent new", &open(world)?.1, world)
}

pub(in crate::cli) fn declare(
    draft: &Draft,
    tool: &'static str,
    store: &IntentStore,
    world: &World,
) -> super::super::Result {
    is_sound(store, tool)?;
    let (intent, complaints) = draft::intent(draft, &store.catalogue, world.now)?;
    store.add(intent.clone(), world.now)?;
    let mind = minded(store, &intent, &complaints);
    let words = format!(
        "Declared {0} ({1}): {2}\nSelect it before you change anything: `roz intent select {0}`, or \
         the tool `select_active_intent`.",
        intent.id, intent.status, intent.name
    );
    said(json!({ "intent": intent, "mind": mind }), &lines(words, &mind))
}

pub(super) fn expand(args: &Expand, world: &World) -> super::super::Result {
    needs_a_person("expand", &args.decided, world)?;
    let (_, store) = open(world)?;
    widen(find(&store, &args.id)?, &args.patterns, &store, world)
}

pub(in crate::cli) fn widen(
    intent: &Intent,
    patterns: &[String],
    store: &IntentStore,
    world: &World,
) -> super::super::Result {
    let complaints = draft::patterns(patterns)?;
    let added = store.expand(&intent.id, patterns, world.now)?;
    let mut wider = intent.clone();
    wider.owned_scope.extend(added.iter().cloned());
    let mind = minded(store, &wider, &complaints);
    let value = json!({
        "intent_id": intent.id,
        "added": added,
        "owned_scope": wider.owned_scope,
        "mind": mind,
    });
    let words = if added.is_empty() {
        format!("{} owns that already: nothing was written.", intent.id)
    } else {
        format!("{} now owns {} too.", intent.id, added.join(", "))
    };
    said(value, &lines(words, &mind))
}

/// What is odd about a scope, and what other open intents own of the same.
fn minded(store: &IntentStore, intent: &Intent, complaints: &[Complaint]) -> Vec<String> {
    const TOLD: usize = 10;
    let shared = selection::shared(&store.catalogue, intent, store.case).into_iter().take(TOLD);
    let shared = shared.map(|(id, path)| format!("{id} owns `{path}` too"));
    complaints.iter().map(|complaint| format!("scope {complaint}")).chain(shared).collect()
}

fn lines(words: String, mind: &[String]) -> String {
    let mind = mind.iter().map(|what| format!("Mind: {what}."));
    std::iter::once(words).chain(mind).collect::<Vec<_>>().join("\n") + "\n"
}
