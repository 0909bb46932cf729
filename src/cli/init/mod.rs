//! `roz init`: sets up a project without overwriting anything.

mod add_mcp_server;
mod ask;
mod config;
mod project_systems;
mod step;

use std::{
    fs, io,
    path::Path,
    time::{Duration, Instant},
};

use serde::Serialize;
use serde_json::{Value, json};

use self::{
    project_systems::Found,
    step::{Step, lines, new_file},
};
use super::{input, say};
use crate::{
    core::{bounded, intent::selection},
    ledger, memory,
    open::Roz,
    sidecar::{FOLDER, unconfirmed},
    world::World,
};

/// Set up this project; nothing that exists is overwritten
///
/// At a terminal it asks which gates to switch on; elsewhere use these options:
///   --review      `git push` waits for a reviewer, and so does closing a ticket
///                 if a ticket system is found here
///   --reflection  no ticket closes before what was learned is written down
///   --intent      agents say what they work on, and stay in its scope
///
/// Writes `.roz/config.toml` with every key of a project and what it is for,
/// `.roz/learnings.md`, `.orchestration/` and the server `roz mcp` in
/// `.mcp.json`, and tells git how to merge learnings (`.gitattributes`). Commit
/// all of it. Git ignores the ledger and carries it as notes (`roz ledger push`).
///
/// Examples:
///   roz init
///   roz init --all
///   roz init --import
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
#[expect(clippy::struct_excessive_bools, reason = "they are flags")]
pub(super) struct Args {
    #[command(flatten)]
    wants: Wants,
    /// All three gates
    #[arg(long)]
    all: bool,
    /// Stop tracking the ledger in git, as older versions of roz did (implies --intent)
    #[arg(long)]
    untrack: bool,
    /// Copy your own learnings from `~/.grove/personal-learnings.md`; that file stays
    #[arg(long)]
    import: bool,
    #[arg(from_global)]
    json: bool,
}

const LEARNINGS: &str = ".roz/learnings.md";

/// The chosen gates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, clap::Args)]
struct Wants {
    /// Gated tools wait for a reviewer
    #[arg(long)]
    review: bool,
    /// Agents write down what they learned
    #[arg(long)]
    reflection: bool,
    /// Work is declared, and agents are kept to it
    #[arg(long)]
    intent: bool,
}

const INTENTS: &str = "\
# What is worked on here. An agent selects an intent before it changes anything,
# and stays inside its scope. Add one here or with `roz intent new`; `roz intent
# check` says what is wrong with this file.
#
# active_intents:
#   - id: INT-001
#     name: Login by link
#     # An open one is DRAFT, PENDING, TODO or IN_PROGRESS.
#     status: DRAFT
#     # Patterns begin at the project's root: `*` stays within a folder, `**`
#     # crosses them, a folder is all that is in it, `!` keeps something out.
#     owned_scope:
#       - src/auth/**
#       - \"!src/auth/legacy/**\"
#     constraints:
#       - No new dependency.
#     acceptance_criteria:
#       - A link works once.
active_intents: []
";

const IGNORED: &str = "\
# Lines as in a .gitignore: what is neither scoped nor recorded.
node_modules/
target/
# A verb before a pattern changes its meaning:
#   deny secrets/          protected from every intent
#   ask migrations/        a person is asked
#   auto docs/             no person is asked, but for critical commands
#   INT-003: deny src/x/   for that intent only
# An id by itself cannot be selected:
#   INT-009
";

const NOTHING_WANTED: &str = "say which gates this project wants: --review, --reflection, --intent, or --all (there is no \
     terminal to ask at)";

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    let roz = Roz::open(world, &world.cwd)?;
    if is_own(&roz, world) {
        let why = format!(
            "`{}` is not a project: `{}` is your own configuration, for every project. `cd` to a \
             project, or edit that file (`roz config schema` says what it can contain)",
            roz.project.display(),
            roz.project.join(config::NAME).display()
        );
        return Err(why.into());
    }
    let found = Found::look(&roz, world);
    let Some(wants) = wants(args, &found)? else {
        return super::said(Value::Null, "No gate was chosen, so nothing was written.\n");
    };
    let steps = set_up(wants, args, &roz, &found, world)?;
    let is_done = steps.iter().all(Step::is_done);
    let value = json!({
        "project": roz.project, "gates": wants, "files": steps, "done": is_done,
    });
    if wants.intent && !args.json && world.on_path("roz").is_empty() {
        say::warn("`roz` is not on PATH, so the client cannot start `roz mcp`");
    }
    let mut told: String = steps.iter().map(Step::told).collect();
    let is_config = |step: &Step| matches!(step, Step::Wrote { file } if file == config::NAME);
    if wants.review && steps.iter().any(is_config) {
        told += &["These calls wait for a reviewer: `", &found.gated.join("`, `"), "`.\n"].concat();
    }
    if wants.any() {
        let is_new = is_done && !steps.iter().all(|step| matches!(step, Step::Kept { .. }));
        told += &next(wants, &found, is_new);
    }
    super::judged(is_done, value, bounded::plain(&told))
}

impl Wants {
    fn any(self) -> bool {
        self.review || self.reflection || self.intent
    }
}

fn is_own(roz: &Roz, world: &World) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let project = real(&roz.project);
    let is_home = world.user_home.as_deref().is_some_and(|user_home| real(user_home) == project);
    is_home || real(&roz.home) == project.join(".roz") || real(&roz.home) == project
}

/// What the command line says, or the user at the terminal.
fn wants(args: &Args, found: &Found) -> super::Result<Option<Wants>> {
    if args.all {
        return Ok(Some(Wants { review: true, reflection: true, intent: true }));
    }
    // Only the intent gate has a ledger.
    let wants = Wants { intent: args.wants.intent || args.untrack, ..args.wants };
    if wants.any() || args.import {
        return Ok(Some(wants));
    }
    if !input::can_ask() || args.json {
        return Err(NOTHING_WANTED.into());
    }
    let (answers, questions) = (&mut io::stdin().lock(), &mut io::stderr().lock());
    let asked = ask::wants(found, answers, questions)?;
    Ok(asked.filter(|asked| asked.any()))
}

fn set_up(
    wants: Wants,
    args: &Args,
    roz: &Roz,
    found: &Found,
    world: &World,
) -> super::Result<Vec<Step>> {
    let project = &roz.project;
    let mut steps = Vec::new();
    let mut joined = Vec::new();
    // Next to the learnings that are in use, wherever they are.
    let library = roz.library(world);
    if args.import {
        let (copied, problems) =
            library.import()?.ok_or("there is no `~/.grove/personal-learnings.md` to import")?;
        for problem in problems {
            say::warn(&problem.to_string());
        }
        let file = roz.home.join("personal-learnings.md").display().to_string();
        steps.push(match copied {
            0 => Step::Kept { file },
            _ => Step::Added { file, what: bounded::counted(copied, "learning") },
        });
    }
    let folder =
        library.markdown_file().parent().and_then(|parent| parent.strip_prefix(project).ok());
    let folder = folder.unwrap_or(Path::new(".roz")).to_string_lossy().into_owned();
    if wants.review || wants.reflection {
        make(&project.join(".roz"))?;
        steps.push(config::write(project, wants, found));
    }
    if wants.reflection {
        if folder == ".roz" {
            steps.push(new_file(project, LEARNINGS, memory::EMPTY_FILE));
        }
        joined.push(format!("{folder}/{}", memory::ATTRIBUTES.trim()));
    }
    if wants.intent {
        make(&project.join(FOLDER))?;
        for (file, text) in [(selection::FILE, INTENTS), (selection::IGNORE, IGNORED)] {
            let step = new_file(project, file, text);
            if matches!(step, Step::Wrote { .. }) {
                note(file, text, roz, world);
            }
            steps.push(step);
        }
        steps.push(add_mcp_server::servers(project));
        let ignored: Vec<String> = ledger::IGNORED.lines().map(str::to_owned).collect();
        steps.push(lines(project, &format!("{FOLDER}/.gitignore"), &ignored));
        steps.extend(untracked(args, roz, world)?);
    }
    if !joined.is_empty() {
        steps.push(lines(project, ".gitattributes", &joined));
    }
    Ok(steps)
}

/// Makes git ignore the ledger in this clone, and untracks it if that is wanted.
fn untracked(args: &Args, roz: &Roz, world: &World) -> super::Result<Option<Step>> {
    const PATIENCE: Duration = Duration::from_mins(1);
    let until = Instant::now() + PATIENCE;
    let ledger = roz.own_ledger();
    ledger.prepare_clone(until);
    if roz.policy.intent.notes {
        let _ = ledger.take_notes_along(until);
    }
    if !ledger.is_tracked(until) {
        return Ok(None);
    }
    let question = "Stop tracking the ledger in git? No record is lost.";
    let is_wanted = args.untrack
        || !args.json && input::can_ask() && input::ask(question, true)?.unwrap_or(false);
    if !is_wanted {
        return Ok(Some(Step::Left {
            file: format!("{FOLDER}/{}", ledger::NAME),
            why: "git tracks it, so roz only reads it".to_owned(),
            by_hand: "`roz init --intent --untrack` makes git ignore it".to_owned(),
        }));
    }
    // The user may have taken their time to answer.
    let tracked = ledger.untrack(world.now.timestamp(), Instant::now() + PATIENCE)?;
    Ok(Some(Step::Untracked { file: tracked.join(" and ") }))
}

/// Records that roz itself wrote a file, so that no session asks to confirm it if an agent started
/// this. Without roz's home there are no sessions.
fn note(file: &str, text: &str, roz: &Roz, world: &World) {
    const PATIENCE: Duration = Duration::from_secs(5);
    let own = unconfirmed::Own {
        file: file.to_owned(),
        before: None,
        after: Some(bounded::hash_of(text.as_bytes())),
        at: world.now,
        by_agent: false,
    };
    if roz.home.is_dir() {
        let _ = unconfirmed::wrote(&roz.project, &roz.home, own, Instant::now() + PATIENCE);
    }
}

fn make(folder: &Path) -> super::Result<()> {
    let shown = folder.display();
    match fs::symlink_metadata(folder) {
        Ok(meta) if meta.is_symlink() => {
            return Err(format!("`{shown}` is a symbolic link. Remove it first").into());
        }
        Ok(meta) if !meta.is_dir() => {
            return Err(format!("`{shown}` is not a folder. Remove it first").into());
        }
        _ => (),
    }
    Ok(fs::create_dir_all(folder).map_err(|err| format!("failed to create `{shown}`: {err}"))?)
}

fn next(wants: Wants, found: &Found, is_new: bool) -> String {
    let learned = if found.systems.is_empty() {
        "there is no ticket system here, so agents are asked what they learned when they stop"
    } else {
        "close a ticket: the agent is asked what it learned"
    };
    let steps = [
        (true, "run `roz install`, if it was not yet: it connects the client"),
        (true, "run `roz doctor` to check the gates"),
        (is_new && found.is_git, "commit these files"),
        (wants.review, "begin a prompt with `#roz` when you want the work reviewed"),
        (wants.reflection, learned),
        (wants.intent, "declare work: `roz intent new \"Login by link\" --scope 'src/auth/**'`"),
        (true, "run `roz explain 'git push'` to see what roz makes of a command"),
    ];
    let steps = steps.iter().filter(|(is_next, _)| *is_next);
    let steps: Vec<String> = steps.map(|(_, text)| format!("- {text}\n")).collect();
    format!("\nNext:\n{}", steps.concat())
}
