//! A new intent, or patterns to add to an existing one, validated before anything is written.

use chrono::{DateTime, SecondsFormat, Utc};

use super::{
    catalogue::{Catalogue, Intent, Status},
    scope::{Complaint, Scope, shortened},
    selection::next_id,
};

const LONGEST_ID: usize = 128;
const LONGEST_TEXT: usize = 4000;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Draft {
    /// `None`: the next free id.
    pub id: Option<String>,
    pub name: String,
    pub owned_scope: Vec<String>,
    pub constraints: Vec<String>,
    pub acceptance_criteria: Vec<String>,
    pub depends_on: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    #[error("`{0}` is not an id: use up to 128 characters, without blanks, `:` or `#`")]
    BadId(String),
    #[error("an intent `{0}` is already declared, on line {1}")]
    Taken(String, usize),
    #[error("the {0} is empty")]
    Empty(&'static str),
    #[error("the {0} is longer than {LONGEST_TEXT} characters, or has control characters in it")]
    Unfit(&'static str),
    #[error("a pattern of the scope is refused: {0}")]
    Refused(Complaint),
    #[error("no intent `{0}` is declared to depend on")]
    Unknown(String),
}

/// Returns the intent and complaints about its scope.
pub fn intent(
    draft: &Draft,
    catalogue: &Catalogue,
    now: DateTime<Utc>,
) -> Result<(Intent, Vec<Complaint>), Flaw> {
    let id = draft.id.as_deref().map(str::trim).filter(|id| !id.is_empty());
    let id = id.map_or_else(|| next_id(catalogue), str::to_owned);
    let is_odd = |c: char| c.is_whitespace() || c.is_control() || ":#\"'`<>".contains(c);
    if id.chars().count() > LONGEST_ID || id.contains(is_odd) || id.starts_with('!') {
        return Err(Flaw::BadId(shortened(&id)));
    }
    if let Some(other) = catalogue.intents.iter().find(|intent| intent.id == id) {
        return Err(Flaw::Taken(id, other.line));
    }
    let name = draft.name.trim();
    text(name, "name")?;
    if draft.owned_scope.is_empty() {
        return Err(Flaw::Empty("scope"));
    }
    let lists = [
        ("scope", &draft.owned_scope),
        ("constraints", &draft.constraints),
        ("acceptance criteria", &draft.acceptance_criteria),
        ("depends_on", &draft.depends_on),
    ];
    for (what, list) in lists {
        list.iter().try_for_each(|item| text(item, what))?;
    }
    let is_declared = |id: &&String| catalogue.intents.iter().any(|intent| intent.id == **id);
    if let Some(unknown) = draft.depends_on.iter().find(|text| !is_declared(text)) {
        return Err(Flaw::Unknown(shortened(unknown)));
    }
    let doubts = patterns(&draft.owned_scope)?;
    let at = Some(stamp(now));
    let intent = Intent {
        id,
        name: name.to_owned(),
        status: Status::Draft,
        owned_scope: draft.owned_scope.clone(),
        constraints: draft.constraints.clone(),
        acceptance_criteria: draft.acceptance_criteria.clone(),
        created_at: at.clone(),
        updated_at: at,
        depends_on: draft.depends_on.clone(),
        blocks: Vec::new(),
        line: 0,
    };
    Ok((intent, doubts))
}

pub fn patterns(patterns: &[String]) -> Result<Vec<Complaint>, Flaw> {
    patterns.iter().try_for_each(|pattern| text(pattern, "pattern"))?;
    let problems = Scope::new(patterns).problems().to_vec();
    match problems.iter().find(|problem| problem.refused) {
        Some(refused) => Err(Flaw::Refused(refused.clone())),
        None => Ok(problems),
    }
}

/// For example `2026-01-02T03:04:05Z`.
pub fn stamp(now: DateTime<Utc>) -> String {
    now.to_rfc3339_opts(SecondsFormat::Secs, true)
}

fn text(text: &str, what: &'static str) -> Result<(), Flaw> {
    let is_odd = |c: char| c.is_control() && c != '\n' && c != '\t';
    if text.trim().is_empty() {
        return Err(Flaw::Empty(what));
    }
    if text.chars().count() > LONGEST_TEXT || text.contains(is_odd) {
        return Err(Flaw::Unfit(what));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
