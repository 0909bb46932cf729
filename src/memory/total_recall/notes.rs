//! Reads what others wrote into Total Recall as learnings.
//!
//! ```text
//! registers/decisions.md   ## Auth
//!                          - **claim**: JWT over cookies ^tr0123456789
//!                          - **confidence**: high
//! daily/2026-02-01.md      [14:32] Deferred OAuth2
//! ```

use std::path::Path;

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveTime, Utc};

use super::super::markdown::parse::{self, day};
use crate::core::{
    bounded,
    reflection::learning::{Category, Confidence, Learning, Scope, Status, is_note_id},
};

/// The notes in a daily log: lines with a time, list items and paragraphs, each with its
/// continuation lines. Our own lines, which have a mark, do not count.
pub(super) fn of_day(
    path: &Path,
    bytes: &[u8],
    local: fn(DateTime<Utc>) -> DateTime<FixedOffset>,
) -> Vec<Learning> {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let date = name.get(..10).and_then(|name| NaiveDate::parse_from_str(name, "%Y-%m-%d").ok());
    let midnight = date.unwrap_or_default().and_time(NaiveTime::MIN);
    let mut section = "";
    let mut notes: Vec<Note> = Vec::new();
    // Whether the next line may continue the last note.
    let mut is_open = false;
    for text in visible_lines(bytes) {
        let heading = text.strip_prefix("## ").map(str::trim);
        section = heading.unwrap_or(section);
        let is_ours = || text.rsplit_once(" ^").is_some_and(|(_, mark)| is_ours(mark));
        if text.starts_with('#') || text.trim().is_empty() || is_ours() {
            is_open = false;
            continue;
        }
        let timed = text.strip_prefix('[').and_then(|rest| rest.split_once("] "));
        let (time, said) = match timed.filter(|(time, _)| time.len() == 5) {
            Some((time, said)) => (NaiveTime::parse_from_str(time, "%H:%M").ok(), said),
            None => match item(text) {
                Some(said) => (None, said),
                // An empty item, or a placeholder such as "none".
                None if text.trim_start().starts_with(['-', '[']) => continue,
                None => match notes.last_mut().filter(|_| is_open) {
                    Some(note) => {
                        note.more.push(text.trim());
                        continue;
                    }
                    None => (None, text.trim()),
                },
            },
        };
        is_open = true;
        notes.push(Note { section, time, said, more: Vec::new() });
    }
    let learned = |it: Note| {
        let at = midnight + it.time.unwrap_or_default().signed_duration_since(NaiveTime::MIN);
        // The time zone offset of that day is accurate enough.
        let at = at.and_utc();
        let at = at - chrono::TimeDelta::seconds(local(at).offset().local_minus_utc().into());
        learning(&name, it.section, it.said, &it.more.join("\n"), at)
    };
    notes.into_iter().filter_map(learned).collect()
}

/// A note in a daily log.
struct Note<'a> {
    section: &'a str,
    time: Option<NaiveTime>,
    said: &'a str,
    more: Vec<&'a str>,
}

/// A claim of a register, with its other lines.
struct Claim<'a> {
    section: &'a str,
    text: String,
    fields: Vec<(String, String)>,
}

/// The claims of a register.
pub(super) fn of_register(path: &Path, bytes: &[u8], modified: DateTime<Utc>) -> Vec<Learning> {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let mut section = "";
    let mut claims: Vec<Claim> = Vec::new();
    for text in visible_lines(bytes) {
        if let Some(heading) = text.strip_prefix("## ") {
            section = heading.trim();
        } else if let Some((key, value)) = field(text) {
            match claims.last_mut().filter(|claim| claim.section == section && key != "claim") {
                Some(claim) => claim.fields.push((key, value)),
                None => claims.push(Claim { section, text: value, fields: Vec::new() }),
            }
        } else if let Some(item) = item(text) {
            claims.push(Claim { section, text: item.to_owned(), fields: Vec::new() });
        }
    }
    let mut learnings = Vec::new();
    for Claim { section, text, fields } in claims {
        let get =
            |key: &str| fields.iter().find(|field| field.0 == key).map(|field| field.1.as_str());
        let verified = get("last_verified").and_then(parse::time);
        let more: Vec<_> = fields.iter().map(|(key, value)| format!("{key}: {value}")).collect();
        let made = learning(&name, section, &text, &more.join("\n"), verified.unwrap_or(modified));
        learnings.extend(made.map(|made| Learning {
            confidence: get("confidence").and_then(Confidence::find).unwrap_or_default(),
            ..made
        }));
    }
    learnings
}

/// The lines outside comments: templates explain themselves in comments.
fn visible_lines(bytes: &[u8]) -> Vec<&str> {
    let mut is_comment = false;
    let mut visible = Vec::new();
    for line in parse::lines(bytes) {
        let Some(text) = line.text else { continue };
        if !is_comment && !text.contains("<!--") {
            visible.push(text);
        }
        let (open, close) = (text.rfind("<!--"), text.rfind("-->"));
        is_comment = match (open, close) {
            (Some(open), Some(close)) => open > close,
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (None, None) => is_comment,
        };
    }
    visible
}

/// `- **key**: value`.
fn field(text: &str) -> Option<(String, String)> {
    let (key, value) = text.trim_start().strip_prefix("- **")?.split_once("**")?;
    let value = value.strip_prefix(':').or_else(|| key.ends_with(':').then_some(value))?;
    let key = key.trim_end_matches(':').trim().to_lowercase().replace(' ', "_");
    Some((key, value.trim().to_owned()))
}

/// The text of a list item, unless it is empty or a placeholder such as "none".
fn item(text: &str) -> Option<&str> {
    let item = text.trim_start().strip_prefix("- ")?.trim();
    let is_filled = item.chars().any(char::is_alphanumeric) && !item.starts_with("[None");
    is_filled.then_some(item)
}

fn is_ours(mark: &str) -> bool {
    !is_note_id(mark) && crate::memory::is_id(mark)
}

fn learning(
    file: &str,
    section: &str,
    text: &str,
    more: &str,
    created_at: DateTime<Utc>,
) -> Option<Learning> {
    let (text, mark) = match text.rsplit_once('^') {
        Some((text, mark)) if is_note_id(mark.trim()) => (text.trim_end(), Some(mark.trim())),
        _ => (text, None),
    };
    let is_done = text.starts_with("[x] ") || text.starts_with("[X] ");
    let text =
        text.trim_start_matches("[ ] ").trim_start_matches("[x] ").trim_start_matches("[X] ");
    if !text.chars().any(char::is_alphanumeric) {
        return None;
    }
    let id = mark.map_or_else(
        || {
            // Only its text distinguishes it from others.
            let hash = bounded::sha256(format!("{file}\n{section}\n{text}\n{more}").as_bytes());
            format!("tr_{}", bounded::cut(&hash, 10))
        },
        str::to_owned,
    );
    let is_superseded = [section, text].iter().any(|text| text.contains("[superseded"));
    let category = match file {
        "decisions" | "open-loops" => Category::Process,
        "preferences" => Category::Convention,
        "tech-stack" => Category::Dependency,
        _ => Category::Domain,
    };
    let kind = if day(&file.replace('-', "")).is_some() { "daily" } else { file };
    let section = section.trim_matches(['[', ']']).to_lowercase();
    let tags = [kind.to_owned(), section].into_iter().filter(|text| !text.is_empty());
    Some(Learning {
        id,
        category,
        summary: bounded::line(text, 200),
        detail: if more.is_empty() { text.to_owned() } else { format!("{text}\n{more}") },
        scope: Scope::Project,
        confidence: Confidence::default(),
        status: match (is_superseded, is_done) {
            (true, _) => Status::Superseded,
            (false, true) => Status::Archived,
            (false, false) => Status::Active,
        },
        criteria: Vec::new(),
        tags: tags.collect(),
        context_files: Vec::new(),
        relevance: None,
        ticket_id: None,
        session_id: None,
        supersedes: None,
        created_at,
        roz_version: None,
    })
}
