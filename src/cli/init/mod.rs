//! `roz init`: what a project needs to be governed. Adds, and never overwrites.

mod ask;
mod config;
mod found;
mod import;
mod servers;
mod step;

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use self::{
    found::Found,
    import::LEARNINGS,
    step::{Step, lines, new_file},
};
use super::{Done, input, say};
use crate::{
    core::intent::selection,
    ledger::{self, in_git},
    memory,
    open::Roz,
    sidecar::{FOLDER, word},
    world::World,
};

/// Set this project up; nothing that is there is overwritten
///
/// Asks at a terminal which gates the project wants; elsewhere say it:
///   --review      `git push` and what closes a ticket wait for a reviewer
///   --reflection  no ticket closes before what was learned is written down
///   --intent      agents declare what they are at, and stay in its scope
///
/// Writes `.roz/config.toml` with every key of a project and what it is for,
/// `.roz/learnings.md`, `.orchestration/` and the server `roz mcp` in
/// `.mcp.json`, and tells git how branches of what is learned are joined
/// (`.gitattributes`). All of it is to be committed. The ledger is not: git
/// ignores it and carries it as notes (`roz ledger push`).
///
/// Examples:
///   roz init
///   roz init --all
///   roz init --reflection --import
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
#[expect(clippy::struct_excessive_bools, reason = "they are flags")]
pub(super) struct Args {
    /// Have gated tools wait for a reviewer
    #[arg(long)]
    review: bool,
    /// Have agents write down what they learned
    #[arg(long)]
    reflection: bool,
    /// Declare what is worked on, and hold agents to it
    #[arg(long)]
    intent: bool,
    /// All three gates
    #[arg(long)]
    all: bool,
    /// Have git track the ledger no more, as a project of an older roz has it
    #[arg(long)]
    untrack: bool,
    /// Copy the learnings that lie in `.grove/`, the project's and your own
    #[arg(long)]
    import: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// What is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a question of its own")]
struct Wants {
    review: bool,
    reflection: bool,
    intent: bool,
    import: bool,
}

const INTENTS: &str = "\
# What is worked on here. An agent selects the intent that it is at before it
# changes anything, and stays inside its scope. `roz intent new` adds one, and
# so does this file; `roz intent check` says what is wrong with it.
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
# A verb before a pattern says something else:
#   deny secrets/          protected from every intent
#   ask migrations/        a person is asked
#   auto docs/             no person is asked, but for critical commands
#   INT-003: deny src/x/   for that intent only
# An id by itself cannot be selected:
#   INT-009
";

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("`{0}` is there and is no folder. Remove it first")]
    NoFolder(String),
    #[error("`{0}` is a link, and where it leads is not this project's. Remove it first")]
    Link(String),
    #[error(
        "`{}` is no project: `{}` would be your own configuration, for every project. `cd` to the \
         one that is meant, or write your own by hand (`roz config schema` says what it may say)",
        .0.display(), .0.join(".roz/config.toml").display()
    )]
    Own(PathBuf),
    #[error("failed to make `{0}`")]
    Make(String, #[source] io::Error),
    #[error(
        "say which gates this project wants: --review, --reflection, --intent, or --all (there is \
         no terminal to ask at)"
    )]
    NothingWanted,
    #[error("there are no learnings to import: no `.grove/` here, and none in your home")]
    NothingToImport,
    #[error("failed to ask")]
    Ask(#[source] io::Error),
}

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    let roz = Roz::open(world, &world.cwd)?;
    if is_own(&roz, world) {
        return Err(Error::Own(roz.project).into());
    }
    let found = Found::look(&roz, world);
    if args.import && !found.has_older_learnings {
        return Err(Error::NothingToImport.into());
    }
    let Some(wants) = wants(args, &found)? else {
        say::print_plain("Nothing is wanted, and nothing was written.\n")?;
        return Ok(Done::Well);
    };
    let steps = set_up(wants, args, &roz, &found, world)?;
    let is_done = steps.iter().all(Step::is_done);
    if args.json {
        let steps: Vec<Value> = steps.iter().map(Step::as_json).collect();
        let gates = json!({
            "review": wants.review, "reflection": wants.reflection, "intent": wants.intent,
        });
        say::print_json(&json!({
            "project": roz.project, "gates": gates, "files": steps, "done": is_done,
        }))?;
    } else {
        let told: String = steps.iter().map(Step::told).collect();
        say::print_plain(&(told + &next(wants, &found)))?;
        if wants.intent && world.on_path("roz").is_empty() {
            say::warn("`roz` is not on PATH, so the client cannot start `roz mcp`");
        }
    }
    Ok(if is_done { Done::Well } else { Done::Badly })
}

/// Whether what a project keeps would lie where the user's own things do.
fn is_own(roz: &Roz, world: &World) -> bool {
    let real = |it: &Path| it.canonicalize().unwrap_or_else(|_| it.to_owned());
    let project = real(&roz.project);
    let is_home = world.user_home.as_deref().is_some_and(|it| real(it) == project);
    is_home || real(&roz.home) == project.join(".roz") || real(&roz.home) == project
}

/// What the command line says, or the user at the terminal.
fn wants(args: &Args, found: &Found) -> super::Result<Option<Wants>> {
    let said = Wants {
        review: args.review || args.all,
        reflection: args.reflection || args.all,
        intent: args.intent || args.all,
        import: args.import,
    };
    if said.review || said.reflection || said.intent || said.import {
        return Ok(Some(said));
    }
    if !input::can_ask() || args.json {
        return Err(Error::NothingWanted.into());
    }
    let (answers, questions) = (&mut io::stdin().lock(), &mut io::stderr().lock());
    let asked = ask::wants(found, answers, questions).map_err(Error::Ask)?;
    Ok(asked.filter(|it| it.review || it.reflection || it.intent || it.import))
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
    if wants.import {
        steps.extend(import::import(roz, world));
    }
    // Beside the learnings that are in use, wherever they lie.
    let library = roz.library(world);
    let folder = library.markdown_file().parent().and_then(|it| it.strip_prefix(project).ok());
    let folder = folder.unwrap_or(Path::new(".roz")).to_string_lossy().into_owned();
    if wants.review || wants.reflection {
        make(&project.join(".roz"))?;
        steps.extend(config::write(project, wants, found));
    }
    if wants.reflection || wants.import {
        // What was imported into it says what became of it.
        let is_told = steps.iter().any(|it| it.file() == LEARNINGS)
            && project.join(LEARNINGS).symlink_metadata().is_ok();
        if wants.reflection && folder == ".roz" && !is_told {
            steps.push(new_file(project, LEARNINGS, memory::EMPTY_FILE));
        }
        joined.push(format!("{folder}/{}", memory::ATTRIBUTES.trim()));
    }
    if wants.intent {
        make(&project.join(FOLDER))?;
        for (file, text) in [(selection::FILE, INTENTS), (selection::IGNORE, IGNORED)] {
            let step = new_file(project, file, text);
            if matches!(step, Step::Wrote(_)) {
                note(file, text, roz, world);
            }
            steps.push(step);
        }
        steps.push(servers::servers(project));
        let ignored: Vec<String> = in_git::IGNORED.lines().map(str::to_owned).collect();
        steps.push(lines(project, &format!("{FOLDER}/.gitignore"), &ignored));
        steps.extend(untracked(args, roz, world)?);
    }
    if !joined.is_empty() {
        steps.push(lines(project, ".gitattributes", &joined));
    }
    Ok(steps)
}

/// Has git ignore the ledger in this clone, and where it tracks it, untracks it if that is wanted.
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
    let name = format!("{FOLDER}/{}", ledger::NAME);
    let question = "Stop tracking the ledger in git? No record is lost.";
    let is_wanted = args.untrack
        || !args.json
            && input::can_ask()
            && input::ask(question, true).map_err(Error::Ask)?.unwrap_or(false);
    if !is_wanted {
        let why = "git tracks it, so roz only reads it".to_owned();
        let by_hand = "`roz init --intent --untrack` has git ignore it".to_owned();
        return Ok(Some(Step::ByHand(name, why, by_hand)));
    }
    let tracked = ledger.untrack(world.now.timestamp(), until)?;
    Ok(Some(Step::Untracked(tracked)))
}

/// What is new declares and ignores nothing: it is in no doubt, should an agent
/// have started this. What somebody makes of it meanwhile is not meant. Without
/// roz's home there is no session that could ask.
fn note(file: &str, text: &str, roz: &Roz, world: &World) {
    const PATIENCE: Duration = Duration::from_secs(5);
    let own = word::Own {
        file: file.to_owned(),
        before: None,
        after: Some(word::of(text.as_bytes())),
        at: world.now,
        by_agent: false,
        confirms: false,
    };
    if roz.home.is_dir() {
        let _ = word::wrote(&roz.project, &roz.home, own, Instant::now() + PATIENCE);
    }
}

fn make(folder: &Path) -> Result<(), Error> {
    let shown = || folder.display().to_string();
    match fs::symlink_metadata(folder) {
        Ok(it) if it.is_symlink() => return Err(Error::Link(shown())),
        Ok(it) if !it.is_dir() => return Err(Error::NoFolder(shown())),
        _ => (),
    }
    fs::create_dir_all(folder).map_err(|err| Error::Make(shown(), err))
}

/// What the user does now, a line each.
fn next(wants: Wants, found: &Found) -> String {
    let mut res = String::from("\nNext:\n");
    let mut step = |it: &str| {
        res.push_str("- ");
        res.push_str(it);
        res.push('\n');
    };
    if !found.is_wired {
        step("`roz install` wires the client; `roz doctor` shows that the gates are alive");
    }
    if found.is_git {
        step("commit these files");
    }
    if wants.review {
        step("type `#roz` in a prompt when the work is to be reviewed before it is done");
    }
    if wants.reflection {
        step(if found.systems.is_empty() {
            "there is no ticket system here: an agent that changed enough is asked when it stops"
        } else {
            "close a ticket: the agent is asked what it learned before it may stop"
        });
    }
    if wants.intent {
        step("declare what is worked on: `roz intent new \"Login by link\" --scope 'src/auth/**'`");
    }
    step("`roz explain 'git push'` says what roz makes of a command");
    res
}
