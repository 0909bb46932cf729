//! `roz undo`: undoes the changes of a call, a session or an intent.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Component, Path},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{input, intent::is_in_client, target_session::Target};
use crate::{
    core::{
        bounded,
        intent::{
            changed_lines::{Change, Changed},
            ledger::{Call, Change as Changes, FileDetails, Record},
        },
        session::SessionId,
    },
    ledger::{
        Ledger,
        images::{self, Images},
    },
    open::{Roz, agent_session},
    world::{
        self, World,
        files::{self, Replacement},
        git,
        objects::{self, Object},
    },
};

/// Undo what a call, a session or an intent has changed
///
/// Changes are undone from the newest to the oldest, with texts from git and
/// those that roz keeps for a while (`cleanup.retention_days`). Later changes are
/// merged; if that conflicts, the file is left alone and named. Only the work tree
/// changes: commits stay as they are.
///
/// Examples:
///   roz undo INT-001 --dry-run
///   roz undo 6f0c0d0e
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// A call's or record's id, a session's (or its beginning), or an intent's
    #[arg(value_name = "CALL|SESSION|INTENT")]
    what: String,
    /// Only say what would be done
    #[arg(long)]
    dry_run: bool,
    /// Do not ask
    #[arg(long)]
    yes: bool,
    #[arg(from_global)]
    json: bool,
}

const TOOL: &str = "roz undo";
const PATIENCE: Duration = Duration::from_secs(30);
/// In bytes. A longer file is left alone.
const LARGEST: usize = 16 << 20;

/// A file's content; `None` if it did not exist.
type Text = Option<Vec<u8>>;

struct Plan {
    path: String,
    now: Text,
    result: Result<(Text, &'static str), &'static str>,
}

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    let roz = Roz::open(world, &world.cwd)?;
    let until = Instant::now() + PATIENCE;
    let ledger = roz.ledger(&world.cwd).gathered(until);
    let records = chosen(&ledger, &args.what)?;
    let Some(last) = records.last() else {
        let what = &args.what;
        return Err(format!(
            "no record of `{what}` has changed anything. `roz ledger show` lists sessions and \
             intents, with `--json` the ids of calls"
        )
        .into());
    };
    let mut paths: BTreeMap<&str, Vec<&Record>> = BTreeMap::new();
    for record in &records {
        for file in &record.metadata.roz.files {
            paths.entry(&file.path).or_default().push(record);
        }
    }
    let mut texts = Texts { roz: &roz, project: ledger.project(), until };
    let mut plans: Vec<Plan> =
        paths.iter().filter_map(|(path, records)| texts.plan(path, records)).collect();
    if !args.dry_run && plans.iter().any(|plan| plan.result.is_ok()) {
        if !(args.yes || is_in_client(world)) {
            if args.json || !input::can_ask() {
                return Err("someone has to confirm: run it at a terminal, or add `--yes`".into());
            }
            if !input::is_yes(&format!("{}Do that?", told(&plans, true)))? {
                return super::judged(false, Value::Null, "Nothing was undone.\n");
            }
        }
        // The user may have taken their time to answer.
        texts.until = Instant::now() + PATIENCE;
        undo(&mut plans, last, &texts, &ledger, world)?;
    }
    let is_done = plans.iter().all(|plan| plan.result.is_ok());
    let file = |plan: &Plan| match &plan.result {
        Ok((_, how)) => json!({ "file": plan.path, "did": how }),
        Err(why) => json!({ "file": plan.path, "did": "left", "why": why }),
    };
    let files: Vec<_> = plans.iter().map(file).collect();
    let value = json!({ "files": files, "done": !args.dry_run && is_done });
    super::judged(is_done, value, told(&plans, args.dry_run))
}

/// The records of that call, session or intent, oldest first. A unique beginning of a session's id
/// is enough.
fn chosen(ledger: &Ledger, what: &str) -> super::Result<Vec<Record>> {
    const SHORTEST: usize = 4;
    let is_undo = |record: &Record| record.metadata.roz.tool_name.as_deref() == Some(TOOL);
    let is_named = |record: &Record| {
        let is_of = record.intent_id.as_deref() == Some(what) || record.session_id == what;
        let call = record.metadata.roz.tool_use_id.as_deref();
        record.id == what || call == Some(what) || is_of && !is_undo(record)
    };
    let (named, others): (Vec<Record>, Vec<Record>) =
        ledger.records()?.into_iter().partition(is_named);
    if !named.is_empty() || what.len() < SHORTEST {
        return Ok(named);
    }
    let begins = |record: &Record| record.session_id.starts_with(what) && !is_undo(record);
    let begun: Vec<Record> = others.into_iter().filter(begins).collect();
    let sessions: BTreeSet<&str> = begun.iter().map(|record| record.session_id.as_str()).collect();
    if sessions.len() > 1 {
        let sessions = sessions.into_iter().take(3).collect::<Vec<_>>().join(", ");
        return Err(format!(
            "several sessions begin with `{what}`: {sessions}. Give more characters of its id"
        )
        .into());
    }
    Ok(begun)
}

struct Texts<'a> {
    roz: &'a Roz,
    project: &'a Path,
    until: Instant,
}

impl Texts<'_> {
    /// `None` if the file is already as it was.
    fn plan(&self, path: &str, records: &[&Record]) -> Option<Plan> {
        let file = self.project.join(path);
        let is_plain =
            Path::new(path).components().all(|component| matches!(component, Component::Normal(_)));
        let left = |why| Some(Plan { path: path.to_owned(), now: None, result: Err(why) });
        let is_link = fs::symlink_metadata(&file).is_ok_and(|meta| !meta.is_file());
        if !is_plain || is_link || !self.is_inside(&file) {
            return left("not a regular file of the project");
        }
        if fs::metadata(&file).is_ok_and(|meta| meta.len() > LARGEST as u64) {
            return left("it is too long");
        }
        let now = world::read_head(&file, LARGEST);
        let mut text = now.clone();
        let mut how = "restored";
        for record in records.iter().rev() {
            let details = record.metadata.roz.files.iter().filter(|file| file.path == path);
            for changed in details.map(|detail| &detail.changed) {
                let before = match (changed.change, changed.before_hash.as_deref()) {
                    (Change::Created, _) => Some(None),
                    // A record of an older roz: the content in the commit, if nothing else had
                    // changed.
                    (_, None) => None,
                    (_, hash) => self.text(path, hash, record),
                };
                let Some(before) = before else {
                    return left("its previous content is not kept any more");
                };
                if text == before {
                    continue;
                }
                let hash = text.as_deref().map(images::hash_of);
                if hash == changed.file_hash {
                    text = before;
                    continue;
                }
                let after = self.text(path, changed.file_hash.as_deref(), record);
                let (Some(present), Some(Some(after)), Some(before)) = (&text, after, before)
                else {
                    return left("it was changed since");
                };
                let Some(merged) = self.merge(present, &after, &before) else {
                    return left("its lines were changed since");
                };
                (text, how) = (Some(merged), "merged");
            }
        }
        if text == now {
            return None;
        }
        let how = if text.is_none() { "removed" } else { how };
        Some(Plan { path: path.to_owned(), now, result: Ok((text, how)) })
    }

    fn is_inside(&self, file: &Path) -> bool {
        let there = file.ancestors().skip(1).find_map(|folder| folder.canonicalize().ok());
        let root = self.project.canonicalize().ok();
        there.zip(root).is_some_and(|(there, root)| there.starts_with(root))
    }

    /// The text with this hash, from what roz keeps or from git. No hash means that there was no
    /// file.
    fn text(&self, path: &str, hash: Option<&str>, record: &Record) -> Option<Text> {
        let Some(hash) = hash else { return Some(None) };
        let session = record.session_id.parse::<SessionId>().ok();
        let kept = session.and_then(|id| Images::new(&self.roz.home, &id).read(hash));
        kept.or_else(|| self.of_git(path, hash, record)).map(Some)
    }

    fn of_git(&self, path: &str, hash: &str, record: &Record) -> Option<Vec<u8>> {
        let then = record.vcs.as_ref().map(|vcs| vcs.revision.clone());
        let commits: Vec<String> = then.into_iter().chain(git::head(self.project)).collect();
        let names: Vec<(&str, &str)> =
            commits.iter().map(|commit| (commit.as_str(), path)).collect();
        let found = objects::named(self.project, &names, self.until).ok()?;
        found.into_iter().find_map(|object| match object {
            Some(Object::Text(text)) if images::hash_of(&text) == hash => Some(text),
            _ => None,
        })
    }

    /// Writes or removes a file. A new file gets its permissions from git.
    fn write(&self, path: &str, text: Option<&[u8]>, record: &Record) -> super::Result<()> {
        use std::os::unix::fs::PermissionsExt as _;
        let file = self.project.join(path);
        let Some(bytes) = text else { return Ok(files::remove(&file).map(drop)?) };
        let folder = file.parent().unwrap_or(&file);
        fs::create_dir_all(folder)?;
        let mode = if let Ok(meta) = file.metadata() {
            meta.permissions().mode() & 0o7777
        } else {
            let revision = record.vcs.as_ref().map_or("HEAD", |vcs| vcs.revision.as_str());
            let literal = format!(":(literal){path}");
            let args = ["ls-tree", revision, "--", literal.as_str()];
            let listed =
                git::feed_git(self.project, &args, &[], b"", self.until).unwrap_or_default();
            if listed.starts_with(b"100755") { 0o755 } else { 0o644 }
        };
        let tmp = folder.join(format!(".roz-undo.{}.tmp", std::process::id()));
        let new = Replacement { bytes, modified: None, durable: true, mode: Some(mode) };
        Ok(files::replace(&file, &tmp, &new)?)
    }

    /// The present text, with the change from `before` to `after` undone.
    fn merge(&self, now: &[u8], after: &[u8], before: &[u8]) -> Option<Vec<u8>> {
        let folder = tempfile::tempdir().ok()?;
        let put = |name: &str, text: &[u8]| {
            let file = folder.path().join(name);
            fs::write(&file, text).ok()?;
            Some(file.to_string_lossy().into_owned())
        };
        let (now, after, before) = (put("now", now)?, put("after", after)?, put("before", before)?);
        let args = ["merge-file", "-p", "-q", &now, &after, &before];
        git::feed_git(self.project, &args, &[], b"", self.until).ok()
    }
}

/// `is_to_come` says that nothing is done yet.
fn told(plans: &[Plan], is_to_come: bool) -> String {
    if plans.is_empty() {
        return "Nothing to undo: everything is as it was.\n".to_owned();
    }
    let line = |plan: &Plan| match &plan.result {
        Ok((_, how)) => format!("{how:<9} {}\n", bounded::plain_line(&plan.path)),
        Err(why) => format!("{:<9} {}: {why}\n", "left", bounded::plain_line(&plan.path)),
    };
    let heading = if is_to_come { "What `roz undo` would do:\n" } else { "" };
    heading.to_owned() + &plans.iter().map(line).collect::<String>()
}

/// Writes the files, and a record in the session of the last change. The previous texts are kept,
/// so that an undo can be undone. A file that has changed while the user was asked is left alone.
fn undo(
    plans: &mut [Plan],
    last: &Record,
    texts: &Texts,
    ledger: &Ledger,
    world: &World,
) -> super::Result<()> {
    let mut files = Vec::new();
    let mut failed = Ok(());
    let images = last.session_id.parse().ok().map(|id| Images::new(&texts.roz.home, &id));
    for Plan { path, now, result } in plans {
        let Ok((text, _)) = &*result else { continue };
        let file = ledger.project().join(&*path);
        if world::read_head(&file, LARGEST) != *now {
            *result = Err("it has just been changed");
            continue;
        }
        if let Some(images) = &images {
            [&*now, text].into_iter().flatten().for_each(|text| images.keep(text));
        }
        if let Err(err) = texts.write(path, text.as_deref(), last) {
            failed = Err(format!("failed to write `{}`: {err}", file.display()));
            break;
        }
        let mut changed = Changed::between(now.as_deref(), text.as_deref());
        changed.file_hash = text.as_deref().map(images::hash_of);
        changed.before_hash = now.as_deref().map(images::hash_of);
        let path = path.clone();
        files.push(FileDetails { path, changed, mutation_class: None, evidence: None });
    }
    if !files.is_empty() {
        unstage(&files, texts);
        let told = tell_session(&files, last, texts.roz, world);
        note(files, last, ledger, world)?;
        told?;
    }
    Ok(failed?)
}

/// Resets the index to HEAD for files that were added or removed (`git mv`, `git rm`).
fn unstage(files: &[FileDetails], texts: &Texts) {
    let is_moved =
        |file: &&FileDetails| matches!(file.changed.change, Change::Created | Change::Deleted);
    let paths = files.iter().filter(is_moved).map(|file| format!(":(literal){}", file.path));
    let paths: Vec<String> = paths.collect();
    if !paths.is_empty() {
        let mut args = vec!["reset", "--quiet", "--"];
        args.extend(paths.iter().map(String::as_str));
        // Outside of git there is no index.
        let _ = git::git_with(texts.project, &args, &[], texts.until);
    }
}

/// Records the new hashes for an agent that knew the files, so that its own undo does not make them
/// stale.
fn tell_session(
    files: &[FileDetails],
    last: &Record,
    roz: &Roz,
    world: &World,
) -> super::Result<()> {
    let id = agent_session(world).unwrap_or(&last.session_id);
    let target = Target::find(roz, Some(id), world).ok();
    let target = target.filter(|target| target.stored.is_some() && is_in_client(world));
    let Some(target) = target else { return Ok(()) };
    target.update(roz, world, |session| {
        for FileDetails { path, changed, .. } in files {
            if let Some(hash) = &changed.file_hash
                && session.intent.seen(None, path).is_some()
            {
                session.intent.saw(None, path, hash);
            }
        }
    })
}

fn note(
    files: Vec<FileDetails>,
    last: &Record,
    ledger: &Ledger,
    world: &World,
) -> super::Result<()> {
    let Ok(session_id) = last.session_id.parse::<SessionId>() else { return Ok(()) };
    let (dice, revision) = (world::dice(), git::head(ledger.project()));
    let call = Call {
        now: world.now,
        dice: &dice,
        session_id: &session_id,
        agent_id: None,
        model: None,
        intent_id: last.intent_id.as_deref(),
        revision: revision.as_deref(),
        tool_name: TOOL,
        tool_use_id: None,
    };
    let record = Record::of_change(&call, Changes { files, ..Changes::default() });
    ledger.append(record, Instant::now() + PATIENCE)?;
    Ok(())
}
