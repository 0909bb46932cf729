//! `roz context`: shows a reviewer what it needs to know and the changes to review.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use super::{say, target_session};
use crate::{
    core::{
        bounded,
        review::{approval::Approved, diff, earlier_findings, seen::is_generated},
        session::Session,
    },
    hooks::gather::second_opinions,
    observe::work::{Question, Repository},
    open::{
        Roz,
        session_work::{self, Asker, Seen},
    },
    world::{World, git, in_a_line},
};

/// Show what a reviewer needs: the task, what waits, the changes
///
/// The changes are shown in pages that a reviewer's client does not cut. Changes
/// that are shown count as looked at.
///
/// Examples:
///   roz context                          the overview and the first page
///   roz context 6f0c --diff --page 2     the next page of the changes
///   roz context 6f0c --diff src/a.rs     the changes of one file, or of a folder
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// A session's id or a unique beginning of it; without one, the newest
    /// session of this project
    session: Option<String>,
    /// Show the changes alone: all of them, or those of these files and folders
    #[arg(long, value_name = "PATH", num_args = 0..)]
    diff: Option<Vec<String>>,
    /// Which page of the changes
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = super::at_least_one::<usize>)]
    page: usize,
    /// The whole work, not only what changed since it was approved last
    #[arg(long)]
    whole: bool,
}

/// How much of a command's output a client shows, in characters.
const SHOWN: usize = 30_000;
/// The length of a page of changes, in characters.
const PAGE: usize = 20_000;
/// How much of the summary of the changes is shown, in bytes.
const MAX_STAT: usize = 4 * 1024;

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    let (roz, session) = target_session::existing(args.session.as_deref(), world)?;
    let id = &session.session_id;
    let (asker, roots) = target_session::works(&session, world);
    let with_changes = |root: PathBuf| {
        let found = look(&roz, asker, &root, args);
        (root, found)
    };
    let works: Vec<Changes> = roots.into_iter().map(with_changes).collect();
    let opinions = second_opinions(&roz.policy, world);
    let value = as_json(&session, &works, &opinions);
    let paths = args.diff.as_deref().unwrap_or_default();
    let pages = pages(&works, paths, world)?;
    let at = if args.diff.is_some() { args.page } else { 1 };
    let Some(page) = at.checked_sub(1).and_then(|at| pages.get(at)) else {
        return Err(format!("there is no page {at}: the changes have {}", pages.len()).into());
    };
    let whole = if args.whole { " --whole" } else { "" };
    let command = format!("roz context {id} --diff{}{whole}", quoted(paths));
    let next = match at + 1 {
        next if next > pages.len() => String::new(),
        next => format!("\nPage {at} of {}. The next one: {command} --page {next}\n", pages.len()),
    };
    if args.diff.is_some() {
        return super::said(value, bounded::plain(&format!("{page}{next}")));
    }
    let mut text = as_text(&session, &works, &opinions, &roz, world);
    if works.iter().any(|(_, found)| found.is_ok()) && !page.is_empty() {
        let changes = format!("\nThe changes:\n\n{page}{next}");
        let fits = text.chars().count() + changes.chars().count() <= SHOWN;
        let changes = if fits { changes } else { format!("\nThe changes: {command}\n") };
        text += &changes;
    }
    super::said(value, bounded::plain(&text))
}

fn quoted(paths: &[String]) -> String {
    let quoted = |path: &String| format!(" {}", shlex::try_quote(path).unwrap_or_default());
    paths.iter().map(quoted).collect::<Vec<_>>().concat()
}

/// The changes in a work tree, or why they are unknown.
type Changes = (PathBuf, Result<Found, String>);

struct Found {
    seen: Seen,
    /// The tree that the present state is compared with.
    base: String,
    files: Vec<String>,
    approved: Option<Approved>,
}

fn look(roz: &Roz, asker: Asker, root: &Path, args: &Args) -> Result<Found, String> {
    let Some(repository) = Repository::of(root) else {
        let files = session_work::written_outside(asker, root);
        let files: Vec<String> =
            files.into_iter().map(|file| format!("\n  {}", file.path)).collect();
        return Err(match files.concat() {
            none if none.is_empty() => "not a git repository, and no file was written".to_owned(),
            files => format!("not a git repository. Read what the session wrote:{files}"),
        });
    };
    let seen = roz.look(asker, &repository, &Question::default())?;
    let base = if args.whole { seen.known.fork.clone() } else { seen.known.base.clone() };
    let files = seen.state.files(&base).map_err(|err| in_a_line(&err))?;
    let id = seen.known.compared_with.as_deref();
    let approved = id.and_then(|id| roz.approval(&repository, id));
    Ok(Found { seen, base, files, approved })
}

impl Found {
    fn stat(&self) -> Result<String, git::Error> {
        let names: Vec<&str> = self.files.iter().map(String::as_str).collect();
        if names.is_empty() {
            return Ok(String::new());
        }
        self.seen.state.stat(&self.base, &names)
    }
}

fn pages(works: &[Changes], paths: &[String], world: &World) -> super::Result<Vec<String>> {
    let mut all: Vec<String> = Vec::new();
    for (root, found) in works {
        let found = match found {
            Ok(found) => found,
            Err(why) if paths.is_empty() => {
                all.push(format!("Work tree {}: {why}\n", root.display()));
                continue;
            }
            Err(_) => continue,
        };
        let is_wanted = |file: &&String| {
            paths.is_empty() || paths.iter().any(|path| is_at(file, path, root, &world.cwd))
        };
        let names: Vec<&str> = found.files.iter().filter(is_wanted).map(String::as_str).collect();
        if names.is_empty() {
            continue;
        }
        let diff = found.seen.state.diff(&found.base, &found.seen.known.tree, &names, &["-M"])?;
        let heading = match works {
            [_] => String::new(),
            _ => format!("Work tree {}\n\n", root.display()),
        };
        for page in diff::pages(&diff, PAGE).into_iter().map(|page| heading.clone() + &page) {
            // Small changes of several work trees share a page.
            match all.last_mut() {
                Some(last) if last.chars().count() + page.chars().count() < PAGE => {
                    *last += "\n";
                    *last += &page;
                }
                _ => all.push(page),
            }
        }
    }
    if all.is_empty() && !paths.is_empty() {
        let paths = paths.join(", ");
        let why =
            format!("nothing has changed in {paths}. `roz context` lists the files that have");
        return Err(why.into());
    }
    if all.is_empty() {
        all.push(String::new());
    }
    Ok(all)
}

/// Whether a path on the command line names this file of the work, or a folder above it.
fn is_at(file: &str, path: &str, root: &Path, cwd: &Path) -> bool {
    let wanted = crate::world::links::normal(&cwd.join(path));
    [Path::new(path), &wanted]
        .iter()
        .any(|path| root.join(file).starts_with(path) || Path::new(file).starts_with(path))
}

fn as_json(session: &Session, works: &[Changes], opinions: &[String]) -> Value {
    let review = &session.review;
    let first = works.iter().find_map(|(_, found)| found.as_ref().ok());
    let work = |(root, changes): &Changes| {
        let found = changes.as_ref().ok();
        json!({
            "root": root,
            "base": found.map(|found| &found.base),
            "tree": found.map(|found| &found.seen.known.tree),
            "files": found.map(|found| &found.files),
            "approved_before": found.and_then(|found| found.approved.as_ref()),
            "left_out": found.map(|found| &found.seen.known.left_out),
            "problem": changes.as_ref().err(),
        })
    };
    json!({
        "session_id": session.session_id,
        "project": session.project,
        "state": review.phase().word(),
        "decision": review.decision,
        "user_prompts": review.user_prompts,
        "gate_trigger": review.trigger(),
        "findings": earlier_findings(review),
        "block_count": review.breaker.block_count,
        "changes": {
            "since": first.map(|found| &found.base),
            "stat": first.and_then(|found| found.stat().ok()),
            "commits": first.and_then(|found| found.seen.state.commits().ok()).unwrap_or_default(),
        },
        "works": works.iter().map(work).collect::<Vec<_>>(),
        "second_opinions": opinions,
        "reflection": {
            "state": session.reflection.status().word(),
            "ticket": session.reflection.ticket(),
            "observations": session.reflection.observations(),
        },
    })
}

fn as_text(
    session: &Session,
    works: &[Changes],
    opinions: &[String],
    roz: &Roz,
    world: &World,
) -> String {
    let review = &session.review;
    let mut text = format!("Session {}, review: {}.\n", session.session_id, review.phase().word());
    if let Some(project) = &session.project {
        let _ = writeln!(text, "Project: {}", project.display());
    }
    if let Some(at) = review.review_started_at {
        let _ = writeln!(text, "Asked for: {}", say::when(at, world.now));
    }
    let prompts: Vec<&str> = review.user_prompts.iter().map(bounded::Text::as_str).collect();
    let prompts =
        if prompts.is_empty() { "(no prompt was seen)".to_owned() } else { prompts.join("\n") };
    text += &part("What the user asked for, oldest first", &prompts);
    if let Some(trigger) = review.trigger() {
        let (tool, gate) = (&trigger.tool_name, &trigger.pattern_matched);
        let heading =
            format!("What waits for the decision: {tool} (gate `{gate}`), with the input");
        let input = serde_json::to_string_pretty(&trigger.tool_input.value).unwrap_or_default();
        text += &part(&heading, bounded::cut(&input, 4000));
        if let Some(size) = trigger.tool_input.original_size {
            let _ = writeln!(text, "  (cut: the whole input has {size} bytes)");
        }
    }
    text += &part("What earlier reviews of this work found", &earlier_findings(review));
    let notes = session.reflection.observations().iter().map(|note| format!("- {}\n", note.note));
    text += &part("Notes of the agent", &notes.collect::<String>());
    for (root, found) in works {
        let place = if works.len() > 1 { format!(" in {}", root.display()) } else { String::new() };
        text += &match found {
            Ok(found) => found.as_text(&place, &roz.policy.review.generated),
            Err(why) => part(&format!("What changed{place}"), why),
        };
    }
    let opinions = if opinions.is_empty() { "none".to_owned() } else { opinions.join(", ") };
    text + &format!("\nSecond opinions: {opinions}\n")
}

impl Found {
    fn as_text(&self, place: &str, generated: &[String]) -> String {
        // Only what changed since an approval may be shown.
        let is_delta = self.base != self.seen.known.fork;
        let since = if is_delta { " since the last approval" } else { "" };
        let stat = match self.stat() {
            Ok(stat) if stat.trim().is_empty() => "(nothing)".to_owned(),
            Ok(stat) => bounded::cut(&stat, MAX_STAT).to_owned(),
            Err(err) => format!("({})", in_a_line(&err)),
        };
        let mut text = part(&format!("What changed{place}{since}"), &stat);
        if let Some(approved) = self.approved.as_ref().filter(|_| is_delta) {
            let (by, seen) = (&approved.by, approved.seen.len());
            let summary = bounded::plain_line(&approved.summary);
            let not_seen = match approved.unseen.join("; ") {
                none if none.is_empty() => none,
                files => format!("\nNot looked at: {files}"),
            };
            text += &part(
                &format!("The rest was approved by {by}"),
                &format!(
                    "{summary}\n{seen} files were looked at. To see it all: \
                     `roz context --diff --whole`.{not_seen}"
                ),
            );
        }
        let files = self.files.iter().filter(|file| is_generated(generated, file));
        let files: Vec<&str> = files.map(String::as_str).collect();
        text += &part("Generated, need not be looked at", &files.join(", "));
        text += &part(
            "Untracked and not part of the work, since no session is known to have written them",
            &self.seen.known.left_out.join(", "),
        );
        text + &part("Commits", &self.seen.state.commits().unwrap_or_default())
    }
}

/// A heading with a text below it; empty without a text.
fn part(heading: &str, text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let lines: Vec<String> = text.trim_end().lines().map(|line| format!("  {line}")).collect();
    format!("\n{heading}:\n{}\n", lines.join("\n"))
}
