//! `roz intent lesson`: adds a line to the shared brain.

use std::path::Path;

use serde_json::json;

use super::{open, said};
use crate::{
    core::intent::{
        lessons::{About, LONGEST, Learned, Lesson, MOST_FILES},
        selection,
    },
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

/// A lesson as it was given, and to which tool. Paths are relative to `cwd`.
pub(in crate::cli) struct Said<'a> {
    pub(in crate::cli) text: &'a str,
    pub(in crate::cli) intent: Option<&'a str>,
    pub(in crate::cli) files: &'a [String],
    pub(in crate::cli) cwd: &'a Path,
    pub(in crate::cli) tool: &'static str,
}

impl Said<'_> {
    /// Validates it. The default intent is `selected`.
    fn lesson(&self, store: &IntentStore, selected: Option<String>) -> Result<Lesson, String> {
        let text = self.text.trim();
        if text.is_empty() {
            return Err("the lesson is empty: say what was learned".to_owned());
        }
        if text.chars().count() > LONGEST {
            return Err(format!(
                "the lesson is longer than {LONGEST} characters: say it in a sentence"
            ));
        }
        if self.files.len() > MOST_FILES {
            return Err(format!("there are more than {MOST_FILES} files"));
        }
        let files = self.files.iter().map(|file| file.trim()).filter(|file| !file.is_empty());
        let inside = |path: &str| {
            let why = || {
                format!(
                    "`{path}` is not a file of this project. Name it from its root, or from here"
                )
            };
            store.file(path, self.cwd).ok_or_else(why)
        };
        let files = files.map(inside).collect::<Result<Vec<String>, String>>()?;
        let intent = self.intent.map(str::trim).filter(|intent| !intent.is_empty());
        let intents = Vec::from_iter(intent.map(str::to_owned).or(selected));
        if intents.is_empty() && files.is_empty() {
            let text =
                "a lesson that concerns no intent and no file reaches nobody: name one of them";
            return Err(text.to_owned());
        }
        Ok(Lesson { text: text.to_owned(), about: About { intents, files } })
    }
}

/// The intent that the current session is working on, if the project declares it.
fn selected(roz: &Roz, store: &IntentStore, world: &World) -> Option<String> {
    let id = roz.find_session(agent_session(world)?).ok()?;
    let session = roz.store.get_session(&id).ok()??.session;
    let id = session.intent.selected()?.intent_id.clone();
    store.catalogue.find(&id).is_ok().then_some(id)
}

pub(super) fn run(args: &Args, world: &World) -> super::super::Result {
    let (roz, store) = open(world)?;
    let said = Said {
        text: &args.lesson,
        intent: args.intent.as_deref(),
        files: &args.file,
        cwd: &world.cwd,
        tool: "roz intent",
    };
    write(&said, &roz, &store, world)
}

pub(in crate::cli) fn write(
    what: &Said,
    roz: &Roz,
    store: &IntentStore,
    world: &World,
) -> super::super::Result {
    let lesson = what.lesson(store, selected(roz, store, world))?;
    let about = &lesson.about;
    for id in &about.intents {
        selection::find(&store.catalogue, id, what.tool)?;
    }
    let learned = store.learn(&lesson)?;
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
