//! Merges the layers key by key: defaults, user's file, project's file, environment. A project may
//! add and switch on, but not weaken.

use std::path::Path;

use serde_json::{Value, json};

use super::{
    Origin, Set,
    diagnostic::{Diagnostic, Place, nearest, quoted},
    keys::{Field, KEYS, Key, Kind, May, slot},
    layer::{Layer, Setting},
};
use crate::core::{policy::Policy, reflection::tickets::SYSTEMS, tool_pattern};

/// Ticket systems that are not built in.
const SYSTEM_ROWS: &str = "ticketing.systems";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Author {
    User,
    Project { trusted: bool },
}

#[derive(Debug)]
pub(super) struct Draft<'a> {
    user_file: &'a Path,
    /// A valid `Policy` as JSON.
    document: Value,
    policy: Policy,
    /// One per row of the table; empty for a default.
    origins: Vec<Vec<Origin>>,
    /// Where the gate patterns of each project's file start.
    project_files: Vec<usize>,
    /// The ticket systems that count before the project's file is applied.
    systems_of_user: Option<Vec<String>>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl<'a> Draft<'a> {
    pub(super) fn new(user_file: &'a Path) -> Self {
        let policy = Policy::default();
        Self {
            user_file,
            document: json!(policy),
            policy,
            origins: KEYS.iter().map(|_| Vec::new()).collect(),
            project_files: Vec::new(),
            systems_of_user: None,
            diagnostics: Vec::new(),
        }
    }

    pub(super) fn lay(&mut self, layer: Layer, author: Author) {
        self.diagnostics.extend(layer.diagnostics);
        if author != Author::User && self.systems_of_user.is_none() {
            let enabled = self.policy.ticketing.enabled();
            self.systems_of_user = Some(enabled.map(str::to_owned).collect());
        }
        for setting in layer.settings {
            match author {
                Author::User => self.set(setting, author),
                Author::Project { trusted } => self.set_by_project(setting, trusted),
            }
        }
    }

    pub(super) fn policy(&self) -> &Policy {
        &self.policy
    }

    pub(super) fn finish(mut self) -> (Policy, Vec<Diagnostic>, Vec<Set>) {
        self.warn_of_unknown_systems();
        if let Some(users) = &self.systems_of_user {
            let all = self.policy.ticketing.enabled().map(str::to_owned);
            let added = all.filter(|text| !users.contains(text)).collect();
            self.policy.ticketing.of_project = added;
        }
        self.policy.review.gates.project_files = self.project_files;
        let settings = KEYS
            .iter()
            .zip(self.origins)
            .map(|(key, origins)| {
                let value = slot(&mut self.document, key.path).clone();
                Set { key, value, origins }
            })
            .collect();
        (self.policy, self.diagnostics, settings)
    }

    fn set_by_project(&mut self, setting: Setting, trusted: bool) {
        let author = Author::Project { trusted };
        let path = setting.key.path;
        match setting.key.project {
            May::Set | May::Add => self.set(setting, author),
            May::StartProgram if trusted => self.set(setting, author),
            May::Only(_) | May::Stricter => {
                let without = slot(&mut self.document, path);
                if setting.key.is_stricter(&setting.value, without) {
                    self.set(setting, author);
                } else if setting.value != *without {
                    let rule = setting.key.rule();
                    let problem =
                        format!("`{path}` stays {without}, not {}: {rule}", setting.value);
                    self.refuse(setting.place, problem);
                }
            }
            May::StartProgram => self.refuse_program(setting.place, path),
            May::Nothing => {
                let problem = format!("`{path}` is ignored: {}", setting.key.rule());
                self.refuse(setting.place, problem);
            }
        }
    }

    fn refuse_program(&mut self, place: Place, what: &str) {
        let problem = format!("`{what}` is ignored: it starts a program of this project's choice");
        let remedy =
            format!("name the project in `trust.projects` of {}", self.user_file.display());
        self.diagnostics.push(Diagnostic { place, problem, remedy });
    }

    fn refuse(&mut self, place: Place, problem: String) {
        let remedy = format!("the user sets it in {}", self.user_file.display());
        self.diagnostics.push(Diagnostic { place, problem, remedy });
    }

    fn set(&mut self, setting: Setting, author: Author) {
        let Setting { key, mut value, place, rows } = setting;
        let Some(row) = KEYS.iter().position(|known| std::ptr::eq(known, key)) else { return };
        let by_project = author != Author::User;
        let adds = match key.kind {
            Kind::List(_) | Kind::Rows(_) => by_project && matches!(key.project, May::Add),
            // The default weights apply only if none are set.
            Kind::Weights => !self.origins[row].is_empty(),
            Kind::Switches(_) | Kind::Texts(_) => true,
            _ => false,
        };
        if by_project && key.path == SYSTEM_ROWS {
            self.take_known_systems(&mut value, &place, &rows);
        }
        if let (Kind::Rows(fields), Author::Project { trusted: false }) = (key.kind, author) {
            self.take_programs(key, fields, &mut value, &place);
        }
        let patterns_before = self.policy.review.gates.tools.len();
        let mut document = self.document.clone();
        let at = slot(&mut document, key.path);
        if adds {
            add(at, value);
        } else {
            *at = value;
        }
        // The table should accept only what the policy can read. If it is wrong about a value, only
        // that value is lost.
        match serde_json::from_value(document.clone()) {
            Ok(policy) => (self.document, self.policy) = (document, policy),
            Err(err) => {
                let problem = format!("`{}`: {err}", key.path);
                self.diagnostics.push(Diagnostic { place, problem, remedy: String::new() });
                return;
            }
        }
        let has_more_patterns = self.policy.review.gates.tools.len() > patterns_before;
        if by_project && has_more_patterns {
            self.project_files.push(patterns_before);
        }
        if !adds {
            self.origins[row].clear();
        }
        self.origins[row].push(Origin { place, by_project });
    }

    /// Removes programs from rows whose author may not start any.
    fn take_programs(&mut self, key: &Key, fields: &[Field], rows: &mut Value, place: &Place) {
        let rows = rows.as_array_mut().into_iter().flatten();
        for row in rows.filter_map(Value::as_object_mut) {
            for field in fields.iter().filter(|field| field.is_program) {
                if row.remove(field.name).is_some() {
                    self.refuse_program(place.clone(), &format!("{}.{}", key.path, field.name));
                }
            }
        }
    }
}

impl Draft<'_> {
    /// Removes a project's rows for known ticket systems: another marker could hide that the system
    /// is used.
    fn take_known_systems(&mut self, rows: &mut Value, place: &Place, lines: &[usize]) {
        let Value::Array(items) = rows else { return };
        let users = slot(&mut self.document, SYSTEM_ROWS).as_array().cloned().unwrap_or_default();
        let mut lines = lines.iter();
        items.retain(|item| {
            let line = lines.next().copied();
            let name = item["name"].as_str().unwrap_or_default();
            let whose = if users.iter().any(|user| user["name"] == name) {
                "the user has"
            } else if SYSTEMS.iter().any(|system| system.name == name) {
                "roz has"
            } else {
                return true;
            };
            if !users.contains(item) {
                let problem = format!(
                    "`{SYSTEM_ROWS}`: the row {} is ignored: {whose} a system of that name, and a \
                     project may only add others",
                    quoted(name)
                );
                let line = line.or(place.line);
                self.refuse(Place { line, ..place.clone() }, problem);
            }
            false
        });
    }

    /// Warns of unknown ticket systems: if a name is misspelt, the system that was meant stays off.
    fn warn_of_unknown_systems(&mut self) {
        let ticketing = &self.policy.ticketing;
        let own = ticketing.systems.iter().map(|system| system.name.as_str());
        let known: Vec<&str> = SYSTEMS.iter().map(|system| system.name).chain(own).collect();
        let listed = ticketing.discovery.iter().map(|text| ("ticketing.discovery", text));
        let switched = ticketing.overrides.keys().map(|key| ("ticketing.overrides", key));
        let unknown = listed.chain(switched).filter(|(_, text)| !known.contains(&text.as_str()));
        let place = |path: &str| {
            let row = KEYS.iter().position(|key| key.path == path)?;
            Some(self.origins[row].last()?.place.clone())
        };
        let told = unknown.filter_map(|(path, name)| {
            let remedy = match nearest(name, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("there are {}", known.join(", ")),
            };
            let problem = format!("`{path}` names {}, and there is no such system", quoted(name));
            Some(Diagnostic { place: place(path)?, problem, remedy })
        });
        let told: Vec<Diagnostic> = told.collect();
        self.diagnostics.extend(told);
    }
}

/// Lists grow by new elements; tables are merged by key. After an exclusion, a gate's pattern is
/// repeated, because the exclusion may have undone it.
fn add(below: &mut Value, above: Value) {
    let is_exclusion = |value: &Value| value.as_str().and_then(tool_pattern::exclusion).is_some();
    match (below, above) {
        (Value::Array(below), Value::Array(above)) => {
            for item in above {
                if !below.contains(&item) || below.iter().any(is_exclusion) {
                    below.push(item);
                }
            }
        }
        (Value::Object(below), Value::Object(above)) => below.extend(above),
        (below, above) => *below = above,
    }
}
