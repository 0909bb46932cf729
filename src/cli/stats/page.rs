//! `roz stats --html FILE`: writes the statistics as a self-contained page. Pictures are inline,
//! and nothing is fetched. Series differ by pattern and label, so the page can be read and printed
//! without colour.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    fmt::Write as _,
    fs,
    path::Path,
};

use chrono::{DateTime, NaiveDate, Utc};
use serde_json::json;

use crate::{
    cli::{self, say},
    core::{
        bounded,
        intent::{catalogue::Intent, ledger::Record},
        last_refusal,
        session::Session,
        trace::TraceEvent,
    },
    open::Roz,
    sidecar::{self, intent_store::IntentStore},
    template,
    world::World,
};

const SKELETON: &str = include_str!("page.html");
/// The most rows of a table or of a picture; the others are counted.
const MOST_ROWS: usize = 40;
/// In characters; longer texts are cut.
const LONGEST_TEXT: usize = 400;
const WIDTH: usize = 900;

/// How often each of [`SERIES`] happened.
type Counts = [usize; 4];

const SERIES: [(&str, &str); 4] = [
    ("hatched", "calls blocked"),
    ("plain", "gated calls let through"),
    ("open", "stops held"),
    ("dashed", "refused only in a trial"),
];

#[derive(Debug, Default)]
struct Told {
    /// True for an approval, false for issues, in order.
    verdicts: Vec<bool>,
    days: BTreeMap<NaiveDate, Counts>,
}

pub(super) fn write(file: &Path, days: u32, since: DateTime<Utc>, world: &World) -> cli::Result {
    let roz = Roz::here(world)?;
    let with_trace = |session: Session| {
        let events = roz.store.read_trace(&session.session_id).unwrap_or_default();
        (session, told(&events, since))
    };
    let sessions: Vec<(Session, Told)> =
        super::sessions(&roz, since)?.into_iter().map(with_trace).collect();
    let mut by_day: BTreeMap<NaiveDate, Counts> = BTreeMap::new();
    for (day, counts) in sessions.iter().flat_map(|(_, told)| &told.days) {
        add(by_day.entry(*day).or_default(), counts);
    }
    let by_day: Vec<(String, Counts)> =
        by_day.into_iter().rev().map(|(day, counts)| (day.to_string(), counts)).collect();
    let parts = [
        ("project", escaped(&name_of(&roz.project))),
        ("now", world.now.format("%Y-%m-%d %H:%M UTC").to_string()),
        ("days", days.to_string()),
        ("by_day", bars(&by_day, &SERIES, "Nothing was blocked or approved.")),
        ("reviews", reviews(&sessions)),
        ("sessions", session_table(&sessions)),
        ("learnings", learnings(&roz, world)),
        ("intents", intents(&roz, world)),
    ];
    let part = |name: &str| parts.iter().find(|(known, _)| *known == name).map(|(_, text)| &**text);
    let path = world.cwd.join(file);
    fs::write(&path, template::fill(SKELETON, part))
        .map_err(|err| format!("failed to write `{}`: {err}", path.display()))?;
    cli::said(json!({ "written": file }), format!("Wrote `{}`.\n", file.display()))
}

fn told(events: &[TraceEvent], since: DateTime<Utc>) -> Told {
    let mut told = Told::default();
    // A gated program is judged again when it starts, under the call's own id.
    let mut passed: HashSet<&str> = HashSet::new();
    for event in events.iter().filter(|event| event.timestamp >= since) {
        let text = |field: &str| event.payload[field].as_str().unwrap_or_default();
        let call = text("tool_use_id");
        let is_refusal = matches!(text("answer"), "deny" | "ask" | "block");
        let series = match event.event_type.as_str() {
            "would_refuse" => 3,
            _ if is_refusal && last_refusal::is_trial(event, events) => continue,
            "gate_blocked" => 0,
            "intent_refused" | "protected" if text("answer") != "told" => 0,
            "gate_allowed" if call.is_empty() || passed.insert(call) => 1,
            "stop_hook_called" | "reflection_stop" if text("answer") == "block" => 2,
            "roz_decision" if event.payload["stands"] == true => {
                told.verdicts.push(text("decision") == "COMPLETE");
                continue;
            }
            _ => continue,
        };
        told.days.entry(event.timestamp.date_naive()).or_default()[series] += 1;
    }
    told
}

fn add(sum: &mut Counts, counts: &Counts) {
    for (all, more) in sum.iter_mut().zip(counts) {
        *all += more;
    }
}

/// Rows of bars: a name, and the counts of the `series` next to each other.
fn bars<const N: usize>(
    rows: &[(String, [usize; N])],
    series: &[(&str, &str); N],
    empty: &str,
) -> String {
    const NAME: usize = 420;
    if rows.is_empty() {
        return none(empty);
    }
    let top = rows.iter().map(|(_, counts)| counts.iter().sum()).max().unwrap_or(1).max(1);
    let shown = &rows[..rows.len().min(MOST_ROWS)];
    let mut drawn = String::new();
    for (number, (name, counts)) in shown.iter().enumerate() {
        let (y, mut x) = (number * 22 + 14, NAME);
        let name = escaped(&say::fitted(name, 62));
        let _ = write!(drawn, "<text x=\"0\" y=\"{y}\">{name}</text>");
        for (count, (class, _)) in counts.iter().zip(series) {
            let wide: usize = count * (WIDTH - NAME - 120) / top;
            drawn += &rectangle(class, x, y, wide);
            x += wide;
        }
        let counts = counts.map(|count| count.to_string()).join(", ");
        let _ = write!(drawn, "<text x=\"{}\" y=\"{y}\">{counts}</text>", x + 8);
    }
    let height = shown.len() * 22 + 30;
    for (number, (class, meaning)) in series.iter().enumerate() {
        let (x, y) = (number * 220 + 1, height - 4);
        drawn += &rectangle(class, x, y, 14);
        let _ = write!(drawn, "<text x=\"{}\" y=\"{y}\">{meaning}</text>", x + 21);
    }
    format!(
        "<svg viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" role=\"img\">{drawn}</svg>\n{}",
        beyond(rows.len())
    )
}

fn rectangle(class: &str, x: usize, line: usize, width: usize) -> String {
    let y = line - 11;
    format!("<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"14\"/>")
}

/// How many reviews needed how many verdicts. The last row has those without an approval yet.
fn reviews(sessions: &[(Session, Told)]) -> String {
    let mut rounds: BTreeMap<usize, usize> = BTreeMap::new();
    let mut open = 0;
    for (_, told) in sessions {
        for review in told.verdicts.split_inclusive(|is_approval| *is_approval) {
            match review.last() {
                Some(true) => *rounds.entry(review.len()).or_default() += 1,
                _ => open += 1,
            }
        }
    }
    let name = |verdicts: usize| format!("approved after {}", say::counted(verdicts, "verdict"));
    let mut rows: Vec<_> =
        rounds.into_iter().map(|(verdicts, count)| (name(verdicts), [count])).collect();
    if open > 0 {
        rows.push(("issues found, not approved yet".to_owned(), [open]));
    }
    bars(&rows, &[("plain", "reviews")], "No reviewer has decided.")
}

fn session_table(sessions: &[(Session, Told)]) -> String {
    let rows = sessions.iter().take(MOST_ROWS).map(|(session, told)| {
        let mut sum = Counts::default();
        told.days.values().for_each(|counts| add(&mut sum, counts));
        let marks: Vec<&str> =
            told.verdicts.iter().map(|verdict| if *verdict { "✓" } else { "✗" }).collect();
        let place = session.project.as_ref().or(session.cwd.as_ref());
        [
            session.updated_at.format("%Y-%m-%d %H:%M").to_string(),
            bounded::session_shown(session.session_id.as_str()),
            place.map(|place| name_of(place)).unwrap_or_default(),
            session.review.phase().word().to_owned(),
            marks.join(" "),
            sum[0].to_string(),
            sum[1].to_string(),
        ]
    });
    let heading =
        ["last active", "session", "project", "review", "verdicts", "blocked", "let through"];
    table(&heading, rows, "No sessions.") + &beyond(sessions.len())
}

fn learnings(roz: &Roz, world: &World) -> String {
    let library = roz.library(world);
    let Ok(view) = roz.usage_log(&library).read() else {
        return none("The log of their use cannot be read.");
    };
    let mut rows: Vec<_> = library
        .all()
        .learnings
        .into_iter()
        .map(|found| {
            let tally = view.tally(&found.learning.id);
            let (shown, used) = (tally.surfaced as usize, tally.hits as usize);
            (found.learning.summary, [used, shown.saturating_sub(used)])
        })
        .collect();
    rows.sort_by_key(|(_, [used, unused])| std::cmp::Reverse((used + unused, *used)));
    let series = [("hatched", "shown and used"), ("open", "shown, not used")];
    bars(&rows, &series, "No learnings yet.")
}

/// The declared intents and those that are only in the ledger, with the files that were changed for
/// each.
fn intents(roz: &Roz, world: &World) -> String {
    let mut files: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
    let read = roz.ledger(&world.cwd).each_line(|_, line| {
        let Some(record) =
            Record::read(line).filter(|record| record.metadata.roz.refusal.is_none())
        else {
            return;
        };
        let Some(id) = record.intent_id else { return };
        for file in record.files {
            *files.entry(id.clone()).or_default().entry(file.relative_path).or_default() += 1;
        }
    });
    if read.is_err() {
        return none("The ledger cannot be read.");
    }
    let store = sidecar::governing(&roz.sidecar, &world.cwd)
        .and_then(|root| IntentStore::open(&root, &roz.home));
    let declared: BTreeMap<&str, &Intent> = store
        .iter()
        .flat_map(|store| &store.catalogue.intents)
        .map(|intent| (&*intent.id, intent))
        .collect();
    let ids: BTreeSet<&str> =
        declared.keys().copied().chain(files.keys().map(|id| &**id)).collect();
    let rows = ids.into_iter().map(|id| {
        let intent = declared.get(id);
        let changed = files.get(id);
        let named = changed.into_iter().flatten().map(|(path, count)| format!("{path} ({count})"));
        let named: Vec<String> = named.collect();
        [
            id.to_owned(),
            intent.map(|intent| intent.name.clone()).unwrap_or_default(),
            intent.map_or("not declared here", |intent| intent.status.word()).to_owned(),
            changed.map_or(0, |files| files.values().sum::<usize>()).to_string(),
            named.join(", "),
        ]
    });
    table(&["intent", "name", "status", "changes", "files"], rows, "This project declares no work.")
}

fn table<const N: usize>(
    heading: &[&str; N],
    rows: impl Iterator<Item = [String; N]>,
    empty: &str,
) -> String {
    let mut body = String::new();
    for row in rows {
        let cells = row.map(|cell| format!("<td>{}</td>", escaped(&cell))).concat();
        let _ = writeln!(body, "<tr>{cells}</tr>");
    }
    if body.is_empty() {
        return none(empty);
    }
    let heading = heading.map(|name| format!("<th>{name}</th>")).concat();
    format!("<table><tr>{heading}</tr>\n{body}</table>\n")
}

/// The folder's name without its path, because the page may be shared.
fn name_of(folder: &Path) -> String {
    folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy().into_owned()
}

fn beyond(rows: usize) -> String {
    match rows.saturating_sub(MOST_ROWS) {
        0 => String::new(),
        more => format!("<p>and {more} more</p>\n"),
    }
}

fn none(text: &str) -> String {
    format!("<p>{text}</p>\n")
}

/// The text on one line, cut, and escaped for HTML.
fn escaped(text: &str) -> String {
    let text = bounded::plain_line(&bounded::line(text, LONGEST_TEXT));
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
