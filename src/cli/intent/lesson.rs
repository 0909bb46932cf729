//! `roz intent lesson`: adds a line to the shared brain.

use std::path::Path;

use serde_json::json;

use super::{find, open, said};
use crate::{
    core::intent::lessons::{About, LONGEST, Learned, Lesson, MOST_FILES},
    open::{Roz, agent_session},
    sidecar::{
        FOLDER,
        intent_store::{BRAIN, IntentStore},
    },
    world::World,
};

/// Write down what was learned, for others who work on the same files
///
/// It goes into `.orchestration/CLAUDE.md`, below `## Lessons Learned`. The same
/// lesson for another intent or other files is not repeated, but extended.
///
/// Example:
///   roz intent lesson "links expire by the server's clock" --intent INT-001 --file src/auth/link.rs
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// What was learned, in a sentence
    lesson: String,
    /// The intent for which it was learned (default: that of the session in which
    /// this runs)
    #[arg(long, value_name = "ID")]
    intent: Option<String>,
    /// A file of the project that it is about; may be given again
    #[arg(long, value_name = "PATH")]
    file: Vec<String>,
}

/// Validates a lesson. Paths are relative to `cwd`; the default intent is `selected`.
pub(in crate::cli) fn lesson(
    text: &str,
    intent: Option<&str>,
    files: &[String],
    store: &IntentStore,
    cwd: &Path,
    selected: Option<String>,
) -> Result<Lesson, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err("the lesson is empty: say what was learned".to_owned());
    }
    if text.chars().count() > LONGEST {
        return Err(format!(
            "the lesson is longer than {LONGEST} characters: say it in a sentence"
        ));
    }
    if files.len() > MOST_FILES {
        return Err(format!("there are more than {MOST_FILES} files"));
    }
    let files = files.iter().map(|file| file.trim()).filter(|file| !file.is_empty());
    let inside = |path: &str| {
        store.file(path, cwd).ok_or_else(|| {
            format!("`{path}` is not a file of this project. Name it from its root, or from here")
        })
    };
    let files = files.map(inside).collect::<Result<Vec<String>, String>>()?;
    let intent = intent.map(str::trim).filter(|intent| !intent.is_empty()).map(str::to_owned);
    let intents = Vec::from_iter(intent.or(selected));
    if intents.is_empty() && files.is_empty() {
        let text = "a lesson that concerns no intent and no file reaches nobody: name one of them";
        return Err(text.to_owned());
    }
    Ok(Lesson { text: text.to_owned(), about: About { intents, files } })
}

/// The intent that the current session is working on, if the project declares it.
pub(in crate::cli) fn selected(roz: &Roz, store: &IntentStore, world: &World) -> Option<String> {
    let id = roz.find_session(agent_session(world)?).ok()?;
    let session = roz.store.get_session(&id).ok()??.session;
    let id = session.intent.selected()?.intent_id.clone();
    store.catalogue.find(&id).is_ok().then_some(id)
}

pub(super) fn run(args: &Args, world: &World) -> super::super::Result {
    let (roz, store) = open(world)?;
    let selected = selected(&roz, &store, world);
    let intent = args.intent.as_deref();
    let lesson = lesson(&args.lesson, intent, &args.file, &store, &world.cwd, selected)?;
    for id in &lesson.about.intents {
        find(&store, id)?;
    }
    let learned = store.learn(&lesson)?;
    let about = &lesson.about;
    let value = json!({
        "lesson": lesson.text,
        "about": about,
        "new": learned == Learned::New,
        "changed": learned != Learned::Known,
    });
    let concerns: Vec<&str> =
        about.intents.iter().chain(&about.files).map(String::as_str).collect();
    let words = match learned {
        Learned::New => format!("Written to {FOLDER}/{BRAIN}.\n"),
        Learned::Wider => {
            format!("{FOLDER}/{BRAIN} says so already, and now of {} too.\n", concerns.join(", "))
        }
        Learned::Known => format!("{FOLDER}/{BRAIN} says so already.\n"),
    };
    said(value, &words)
}
