//! `roz context`: what a reviewer needs to know, and the changes that it has to look at.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{Done, say};
use crate::{
    core::{
        bounded,
        review::{approval::Approved, diff, earlier_findings, seen::is_generated, work::Known},
        session::Session,
    },
    hooks::gather::second_opinions,
    observe::work::{Question, Repository},
    open::{
        Roz,
        work::{self, Asker, Seen},
    },
    world::{World, git, in_a_line},
};

/// Show what a reviewer needs: the task, what waits, the changes
///
/// The changes are shown in pages that a reviewer's client does not cut. What
/// is shown of them counts as looked at.
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
    #[arg(long, default_value_t = 1, value_name = "N")]
    page: usize,
    /// The whole work, not only what changed since it was approved last
    #[arg(long)]
    whole: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

const PATIENCE: Duration = Duration::from_secs(20);
/// What a client shows of a command's output, in characters.
const SHOWN: usize = 30_000;
/// A page of changes, in characters.
const PAGE: usize = 20_000;
/// What is shown of the summary of the changes, in bytes.
const MAX_STAT: usize = 4 * 1024;

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("there is no page {0}: the changes have {1}")]
    NoPage(usize, usize),
    #[error("nothing has changed in {0}. `roz context` lists the files that have")]
    NoSuchChange(String),
}

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    let roz = Roz::open(world, &world.cwd)?;
    let id = roz.session_or_newest(args.session.as_deref())?;
    let session = roz.load(&id)?.session;
    let roz = roz.of_session(&session, world).unwrap_or(Ok(roz))?;
    let project = session.project.clone().unwrap_or_else(|| world.cwd.clone());
    let asker = Asker { session: &session, now: world.now, until: Instant::now() + PATIENCE };
    let works: Vec<Changes> = work::roots(&session, &project)
        .into_iter()
        .map(|root| Changes::of(&roz, asker, root, args))
        .collect();
    if let Some(paths) = args.diff.as_ref().filter(|_| !args.json) {
        let pages = pages(&works, paths, world)?;
        let Some(page) = args.page.checked_sub(1).and_then(|at| pages.get(at)) else {
            return Err(Error::NoPage(args.page, pages.len()).into());
        };
        say::print_plain(&(page.clone() + &next_page(&id, paths, args, pages.len())))?;
        return Ok(Done::Well);
    }
    let mut opinions = session.review.second_opinions().to_vec();
    if opinions.is_empty() {
        opinions = second_opinions(&roz.policy, world);
    }
    if args.json {
        say::print_json(&as_json(&session, &works, &opinions))?;
        return Ok(Done::Well);
    }
    let mut text = as_text(&session, &works, &opinions, &roz, world);
    let pages = pages(&works, &[], world)?;
    let has_changes = works.iter().any(|work| work.known().is_some());
    if let Some(first) = pages.first().filter(|page| has_changes && !page.is_empty()) {
        let next = next_page(&id, &[], args, pages.len());
        let changes = format!("\nThe changes:\n\n{first}{next}");
        if text.chars().count() + changes.chars().count() <= SHOWN {
            text += &changes;
        } else {
            let whole = if args.whole { " --whole" } else { "" };
            let _ = writeln!(text, "\nThe changes: roz context {id} --diff{whole}");
        }
    }
    say::print_plain(&text)?;
    Ok(Done::Well)
}

/// What changed in one work tree.
struct Changes {
    root: PathBuf,
    found: Result<Found, String>,
}

struct Found {
    seen: Seen,
    /// The tree that the present state is compared with.
    base: String,
    files: Vec<String>,
    /// The approval that it is compared with.
    approved: Option<Approved>,
}

impl Changes {
    fn of(roz: &Roz, asker: Asker, root: PathBuf, args: &Args) -> Self {
        let Some(repository) = Repository::of(&root) else {
            let files = work::written_outside(asker, &root);
            let files = files.iter().map(|file| format!("\n  {}", file.path));
            let found = Err(match files.collect::<String>() {
                none if none.is_empty() => "not a git repository, and no file was written".into(),
                files => format!("not a git repository. Read what the session wrote:{files}"),
            });
            return Self { root, found };
        };
        let found = roz.look(asker, &repository, &Question::default()).and_then(|seen| {
            let base = if args.whole { &seen.known.fork } else { &seen.known.base };
            let files = seen.state.files(base).map_err(|err| in_a_line(&err))?;
            let id = seen.known.compared_with.as_deref();
            let approved = id.and_then(|id| roz.approval(&repository, id));
            Ok(Found { base: base.clone(), files, approved, seen })
        });
        Self { root, found }
    }

    fn known(&self) -> Option<&Known> {
        self.found.as_ref().ok().map(|found| &found.seen.known)
    }
}

impl Found {
    fn stat(&self) -> Result<String, git::Error> {
        let names: Vec<&str> = self.files.iter().map(String::as_str).collect();
        if names.is_empty() {
            return Ok(String::new());
        }
        self.seen.state.stat(&self.base, &names)
    }

    /// Whether only what changed since an approval is shown.
    fn is_delta(&self) -> bool {
        self.base != self.seen.known.fork
    }
}

/// The changes of all work trees in pages, of some paths or of all.
fn pages(
    works: &[Changes],
    paths: &[String],
    world: &World,
) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let mut all: Vec<String> = Vec::new();
    for work in works {
        let found = match &work.found {
            Ok(found) => found,
            Err(why) if paths.is_empty() => {
                all.push(format!("Work tree {}: {why}\n", work.root.display()));
                continue;
            }
            Err(_) => continue,
        };
        let is_wanted = |file: &&String| {
            paths.is_empty() || paths.iter().any(|path| is_at(file, path, &work.root, &world.cwd))
        };
        let names: Vec<&str> = found.files.iter().filter(is_wanted).map(String::as_str).collect();
        if names.is_empty() {
            continue;
        }
        let diff = found.seen.state.diff(&found.base, &found.seen.known.tree, &names, &["-M"])?;
        let heading = match works {
            [_] => String::new(),
            _ => format!("Work tree {}\n\n", work.root.display()),
        };
        for page in diff::pages(&diff, PAGE).into_iter().map(|page| heading.clone() + &page) {
            // Small works of several work trees share a page.
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
        return Err(Error::NoSuchChange(paths.join(", ")).into());
    }
    if all.is_empty() {
        all.push(String::new());
    }
    Ok(all)
}

/// Whether a file of the work is what a path on the command line names, or lies below it.
fn is_at(file: &str, path: &str, root: &Path, cwd: &Path) -> bool {
    let wanted = crate::world::links::normal(&cwd.join(path));
    [Path::new(path), &wanted]
        .iter()
        .any(|path| root.join(file).starts_with(path) || Path::new(file).starts_with(path))
}

fn next_page(id: &impl std::fmt::Display, paths: &[String], args: &Args, pages: usize) -> String {
    let page = args.page;
    if page >= pages {
        return String::new();
    }
    let quoted =
        paths.iter().map(|path| format!(" {}", shlex::try_quote(path).unwrap_or_default()));
    let paths = quoted.collect::<Vec<_>>().concat();
    let whole = if args.whole { " --whole" } else { "" };
    let next = page + 1;
    format!(
        "\nPage {page} of {pages}. The next one: roz context {id} --diff{paths}{whole} --page {next}\n"
    )
}

fn as_json(session: &Session, works: &[Changes], opinions: &[String]) -> Value {
    let review = &session.review;
    let first = works.iter().find_map(|work| work.found.as_ref().ok());
    let work = |work: &Changes| {
        let known = work.known();
        json!({
            "root": work.root,
            "base": work.found.as_ref().ok().map(|found| &found.base),
            "tree": known.map(|known| &known.tree),
            "files": work.found.as_ref().ok().map(|found| &found.files),
            "approved_before": work.found.as_ref().ok().and_then(|found| found.approved.as_ref()),
            "left_out": known.map(|known| &known.left_out),
            "problem": work.found.as_ref().err(),
        })
    };
    json!({
        "session_id": session.session_id,
        "project": session.project,
        "state": review.phase().word(),
        "decision": review.decision(),
        "user_prompts": review.prompts(),
        "gate_trigger": review.trigger(),
        "findings": earlier_findings(review),
        "block_count": review.block_count(),
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
    let mut text = String::new();
    let _ = writeln!(text, "Session {}, review: {}.", session.session_id, review.phase().word());
    if let Some(project) = &session.project {
        let _ = writeln!(text, "Project: {}", project.display());
    }
    if let Some(at) = review.started_at() {
        let _ = writeln!(text, "Asked for: {}", say::when(at, world.now));
    }
    let _ = writeln!(text, "\nWhat the user asked for, oldest first:");
    for prompt in review.prompts() {
        let _ = writeln!(text, "{}", indented(prompt.as_str()));
    }
    if review.prompts().is_empty() {
        let _ = writeln!(text, "  (no prompt was seen)");
    }
    if let Some(trigger) = review.trigger() {
        let input = serde_json::to_string_pretty(&trigger.tool_input.value).unwrap_or_default();
        let _ = writeln!(
            text,
            "\nWhat waits for the decision: {} (gate `{}`), with the input\n{}",
            trigger.tool_name,
            trigger.pattern_matched,
            indented(bounded::cut(&input, 4000)),
        );
        if let Some(size) = trigger.tool_input.original_size {
            let _ = writeln!(text, "  (cut: the whole input has {size} bytes)");
        }
    }
    let findings = earlier_findings(review);
    if !findings.is_empty() {
        let _ =
            writeln!(text, "\nWhat earlier reviews of this work found:\n{}", indented(&findings));
    }
    let notes = session.reflection.observations();
    if !notes.is_empty() {
        let notes: Vec<String> = notes.iter().map(|note| format!("- {}", note.note)).collect();
        let _ = writeln!(text, "\nNotes of the agent:\n{}", indented(&notes.join("\n")));
    }
    for work in works {
        work_as_text(&mut text, work, works.len() > 1, &roz.policy.review.generated);
    }
    let opinions = if opinions.is_empty() { "none".to_owned() } else { opinions.join(", ") };
    let _ = writeln!(text, "\nSecond opinions: {opinions}");
    text
}

fn work_as_text(text: &mut String, work: &Changes, names_root: bool, generated: &[String]) {
    let place = if names_root { format!(" in {}", work.root.display()) } else { String::new() };
    let found = match &work.found {
        Ok(found) => found,
        Err(why) => {
            let _ = writeln!(text, "\nWhat changed{place}:\n  {why}");
            return;
        }
    };
    let since = if found.is_delta() { " since the last approval" } else { "" };
    let _ = writeln!(text, "\nWhat changed{place}{since}:");
    let _ = match found.stat() {
        Ok(stat) if stat.trim().is_empty() => writeln!(text, "  (nothing)"),
        Ok(stat) => writeln!(text, "{}", bounded::cut(&stat, MAX_STAT).trim_end()),
        Err(err) => writeln!(text, "  ({})", in_a_line(&err)),
    };
    if let Some(approved) = found.approved.as_ref().filter(|_| found.is_delta()) {
        let summary = bounded::plain_line(&approved.summary);
        let _ = writeln!(
            text,
            "\nThe rest was approved by {}: {summary}\n  {} files were looked at. To see it all: \
             `roz context --diff --whole`.",
            approved.by,
            approved.seen.len(),
        );
        if !approved.unseen.is_empty() {
            let _ = writeln!(text, "  Not looked at: {}", approved.unseen.join("; "));
        }
    }
    let skipped: Vec<&str> = found
        .files
        .iter()
        .filter(|file| is_generated(generated, file))
        .map(String::as_str)
        .collect();
    if !skipped.is_empty() {
        let _ = writeln!(text, "\nGenerated, need not be looked at: {}", skipped.join(", "));
    }
    let left_out = &found.seen.known.left_out;
    if !left_out.is_empty() {
        let _ = writeln!(
            text,
            "\nUntracked and not part of the work, since no session is known to have written \
             them: {}",
            left_out.join(", ")
        );
    }
    let commits = found.seen.state.commits().unwrap_or_default();
    if !commits.is_empty() {
        let _ = writeln!(text, "\nCommits:\n{}", indented(&commits));
    }
}

fn indented(text: &str) -> String {
    let lines: Vec<String> = text.trim_end().lines().map(|line| format!("  {line}")).collect();
    lines.join("\n")
}
