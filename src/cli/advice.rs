//! Finds settings that are valid but probably not what was meant, for `roz config check` and `roz
//! doctor`.

use std::path::Path;

use crate::{
    clients,
    config::{Diagnostic, Full, Place, nearest},
    core::tool_pattern,
    template,
};

pub(super) fn templates(full: &Full, home: &Path) -> Vec<Diagnostic> {
    let templates = &full.policy.templates;
    let named: Vec<(&str, &String)> = if templates.active == "random" {
        let weights = templates.weights.iter().filter(|(_, weight)| **weight > 0);
        weights.map(|(id, _)| ("templates.weights", id)).collect()
    } else {
        vec![("templates.active", &templates.active)]
    };
    let check = |(key, id): (&str, &String)| {
        let name = format!("block-{id}");
        let file = home.join("templates").join(format!("{name}.md"));
        (!template::exists(&name, home)).then(|| Diagnostic {
            place: place_of(full, key),
            problem: format!("`{key}` names `{id}`, and there is no such template"),
            remedy: format!("write `{}`; until then the default is used", file.display()),
        })
    };
    named.into_iter().filter_map(check).collect()
}

/// Gated tools whose names are similar to that of a tool of the client. They are not wrong, because
/// a server may have any tool.
pub(super) fn tools(full: &Full) -> Vec<Diagnostic> {
    let known = || clients::ALL.iter().flat_map(|client| client.tools());
    let named = full.policy.review.gates.tools.iter();
    let misspelt = named.filter_map(|pattern| {
        let glob = tool_pattern::exclusion(pattern).unwrap_or(pattern);
        let name = glob.split_once(':').map_or(glob, |parts| parts.0);
        let is_plain = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric());
        if !is_plain || known().any(|tool| tool == name) {
            return None;
        }
        let near = nearest(name, known())?;
        let remedy = format!("did you mean `{}`?", pattern.replacen(name, near, 1));
        let problem = format!("`review.gates.tools`: the client has no tool `{name}`");
        Some(Diagnostic { place: place_of(full, "review.gates.tools"), problem, remedy })
    });
    misspelt.collect()
}

/// Gates on commands without a program's name: they cover command lines, but not the programs that
/// these start.
pub(super) fn lines_alone(full: &Full) -> Vec<Diagnostic> {
    let named = full.policy.review.gates.tools.iter().filter(|tool| tool.starts_with("Bash:"));
    let without =
        named.filter(|named| full.policy.shims.enabled && tool_pattern::program(named).is_none());
    let told = without.map(|pattern| Diagnostic {
        place: place_of(full, "review.gates.tools"),
        problem: format!("`review.gates.tools`: `{pattern}` names no program on PATH"),
        remedy: "it covers command lines, but not what a script or a Makefile starts; \
                 `Bash:PROGRAM …` covers both"
            .to_owned(),
    });
    told.collect()
}

fn place_of(full: &Full, key: &str) -> Place {
    let set = full.settings.iter().find(|setting| setting.key.path == key);
    let origin = set.and_then(|set| set.origins.last());
    let default = || Place::variable("default");
    origin.map_or_else(default, |origin| origin.place.clone())
}
