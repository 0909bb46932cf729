//! `roz intent new` and `expand`: what the user grants.

use serde_json::json;

use super::{Done, doubts, find, needs_a_person, open, refused, say, shared};
use crate::{
    core::intent::{
        draft::{self, Draft},
        selection,
    },
    world::World,
};

/// Declare an intent (a person's word)
///
/// Patterns begin at the project's root: `*` stays within a folder, `**`
/// crosses them, `!pattern` keeps something out. It begins as DRAFT.
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
    /// What has to be kept to; may be given again
    #[arg(long, value_name = "TEXT")]
    constraint: Vec<String>,
    /// When it is done; may be given again
    #[arg(long, value_name = "TEXT")]
    criterion: Vec<String>,
    /// An intent that comes before it; may be given again
    #[arg(long, value_name = "ID")]
    depends_on: Vec<String>,
    /// A person has decided so already: for scripts
    #[arg(long)]
    yes: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Give an intent more paths (a person's word)
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
    /// A person has decided so already: for scripts
    #[arg(long)]
    yes: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn new(args: &New, world: &World) -> super::super::Result {
    needs_a_person("new", args.yes, world)?;
    let (_, desk) = open(world)?;
    if let Some(problem) = desk.catalogue.broken() {
        return refused(selection::unreliable(problem, "roz intent new"), args.json);
    }
    let draft = Draft {
        id: args.id.clone(),
        name: args.name.clone(),
        owned_scope: args.scope.clone(),
        constraints: args.constraint.clone(),
        acceptance_criteria: args.criterion.clone(),
        depends_on: args.depends_on.clone(),
    };
    let (intent, complaints) = draft::intent(&draft, &desk.catalogue, world.now)?;
    desk.add(intent.clone(), world.now)?;
    let mut mind = doubts(&complaints);
    mind.extend(shared(&desk, &intent));
    if args.json {
        say::print_json(&json!({ "intent": intent, "mind": mind }))?;
        return Ok(Done::Well);
    }
    let told = format!("Declared {} ({}): {}", intent.id, intent.status, intent.name);
    say::print_plain(&lines(told, &mind))?;
    Ok(Done::Well)
}

pub(super) fn expand(args: &Expand, world: &World) -> super::super::Result {
    needs_a_person("expand", args.yes, world)?;
    let (_, desk) = open(world)?;
    let intent = match find(&desk, &args.id) {
        Ok(intent) => intent,
        Err(refusal) => return refused(refusal, args.json),
    };
    let complaints = draft::patterns(&args.patterns)?;
    let added = desk.expand(&intent.id, &args.patterns, world.now)?;
    let mut wider = intent.clone();
    wider.owned_scope.extend(added.iter().cloned());
    let mut mind = doubts(&complaints);
    mind.extend(shared(&desk, &wider));
    if args.json {
        say::print_json(&json!({
            "intent_id": intent.id,
            "added": added,
            "owned_scope": wider.owned_scope,
            "mind": mind,
        }))?;
        return Ok(Done::Well);
    }
    let told = if added.is_empty() {
        format!("{} owns that already: nothing was written.", intent.id)
    } else {
        format!("{} now owns {} too.", intent.id, added.join(", "))
    };
    say::print_plain(&lines(told, &mind))?;
    Ok(Done::Well)
}

fn lines(told: String, mind: &[String]) -> String {
    let mind = mind.iter().map(|it| format!("Mind: {it}."));
    std::iter::once(told).chain(mind).collect::<Vec<_>>().join("\n") + "\n"
}
