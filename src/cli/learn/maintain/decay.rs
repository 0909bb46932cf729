//! What is due and what will be: shown, and done.

use std::{
    fmt::Write as _,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{Show, stock};
use crate::{
    cli::{
        self, Done,
        say::{self, Out},
    },
    core::reflection::{
        decay::{self, Due, Soon},
        usage::WARNED_DAYS,
    },
    open::Roz,
    world::in_a_line,
};

#[derive(Debug, clap::Args)]
pub(super) struct List {
    /// How many days ahead to look
    #[arg(long, default_value_t = WARNED_DAYS)]
    days: u64,
}

impl Default for List {
    fn default() -> Self {
        Self { days: WARNED_DAYS }
    }
}

#[derive(Debug, clap::Args)]
pub(super) struct Decay {
    /// With `--due`: only say what would be put away
    #[arg(long)]
    pub(super) dry_run: bool,
}

/// Long enough for thousands.
const PATIENCE: Duration = Duration::from_mins(10);

pub(super) fn list(args: &List, show: &Show) -> cli::Result {
    let (stock, world) = (show.stock, show.world);
    let own = stock.own();
    let due = show.roz.due(&own, &stock.view, world);
    let tallies = stock.view.tallies();
    let policy = &show.roz.policy.decay;
    let soon = decay::soon(&own, &tallies, policy, world.now, args.days);
    if show.json {
        let soon = soon.iter().map(|it| {
            json!({
                "id": it.id,
                "summary": stock.summary(&it.id),
                "at": it.at,
                "reason": it.reason.to_string(),
            })
        });
        return show.json(json!({
            "due": due.iter().map(|it| due_as_json(it, show)).collect::<Vec<_>>(),
            "soon": soon.collect::<Vec<_>>(),
        }));
    }
    let out = Out::new(world);
    let mut text = String::new();
    if !due.is_empty() {
        text += "Due: `roz learn archive --due` puts them away, or the next day's first session.\n";
        if due.iter().any(|it| stock.is_served(&it.id)) {
            text += "What a memory server keeps only the former does: a session asks no server.\n";
        }
        text += &out.table(&["ID", "BECAUSE", "SUMMARY"], &rows_of_due(&due, show));
    }
    if !soon.is_empty() {
        text += if due.is_empty() { "" } else { "\n" };
        let _ = writeln!(
            text,
            "Put away within {} days, unless somebody uses them (`roz ref`):",
            args.days
        );
        let row = |it: &Soon| {
            let day = it.at.format("%Y-%m-%d").to_string();
            vec![it.id.clone(), day, stock.summary(&it.id).to_owned()]
        };
        let rows: Vec<Vec<String>> = soon.iter().map(row).collect();
        text += &out.table(&["ID", "ON", "SUMMARY"], &rows);
    }
    if text.is_empty() {
        text = stock.nothing(&format!("Nothing is put away within {} days.", args.days));
    }
    show.text(&text, &out)
}

pub(super) fn run(args: &Decay, show: &Show) -> cli::Result {
    let stock = show.stock;
    let due = show.roz.due(&stock.own(), &stock.view, show.world);
    let out = Out::new(show.world);
    if args.dry_run {
        if show.json {
            let due: Vec<Value> = due.iter().map(|it| due_as_json(it, show)).collect();
            return show.json(json!({ "dry_run": true, "archived": due, "failed": [] }));
        }
        let text = match due.as_slice() {
            [] => stock.nothing("Nothing would be put away."),
            due => {
                let rows = rows_of_due(due, show);
                format!("Would be put away:\n{}", out.table(&["ID", "BECAUSE", "SUMMARY"], &rows))
            }
        };
        return show.text(&text, &out);
    }
    let until = Instant::now() + PATIENCE;
    let archive = |id: &str| stock.library.archive(id);
    let decayed = Roz::put_away(due, archive, &stock.log, show.world, until);
    let failed: Vec<(&str, String)> =
        decayed.failed.iter().map(|(due, err)| (due.id.as_str(), in_a_line(err))).collect();
    let ended = if failed.is_empty() { Done::Well } else { Done::Badly };
    if show.json {
        let archived: Vec<Value> =
            decayed.archived.iter().map(|it| due_as_json(it, show)).collect();
        let failed: Vec<Value> =
            failed.iter().map(|(id, error)| json!({ "id": id, "error": error })).collect();
        show.json(json!({
            "dry_run": false,
            "archived": archived,
            "failed": failed,
            "warnings": decayed.warnings,
        }))?;
        return Ok(ended);
    }
    let text = match decayed.archived.as_slice() {
        [] if failed.is_empty() => stock.nothing("Nothing is due."),
        [] => String::new(),
        archived => {
            let rows = rows_of_due(archived, show);
            let table = out.table(&["ID", "BECAUSE", "SUMMARY"], &rows);
            format!("Put away (`roz learn restore` brings them back):\n{table}")
        }
    };
    show.text(&text, &out)?;
    for warning in &decayed.warnings {
        say::warn(warning);
    }
    if failed.is_empty() {
        return Ok(ended);
    }
    let said = failed.into_iter().map(|(id, error)| format!("`{id}` was not put away: {error}"));
    Err(stock::Failed(said.collect()).into())
}

fn due_as_json(it: &Due, show: &Show) -> Value {
    json!({
        "id": it.id,
        "summary": show.stock.summary(&it.id),
        "reason": it.reason.to_string(),
    })
}

fn rows_of_due(due: &[Due], show: &Show) -> Vec<Vec<String>> {
    let row = |it: &Due| {
        let reason = match it.reason {
            decay::Reason::Shown { times, .. } => format!("shown {times} times in vain"),
            decay::Reason::Unused { days } => format!("unused {days} days"),
        };
        vec![it.id.clone(), reason, show.stock.summary(&it.id).to_owned()]
    };
    due.iter().map(row).collect()
}
