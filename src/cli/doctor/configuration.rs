//! Whether the configuration is valid and leaves the gates on.

use super::{Finding, Subject};
use crate::{cli::advice, config::Diagnostic, core::policy::Mode, world::git};

pub(super) fn check(subject: &Subject) -> Option<Finding> {
    Some(finding(subject))
}

fn finding(subject: &Subject) -> Finding {
    let config = &subject.config;
    let policy = &config.policy;
    let place = |key: &str| {
        let set = config.settings.iter().find(|setting| setting.key.path == key);
        set.and_then(|set| set.origins.last())
            .map_or(String::new(), |set| format!(" ({})", set.place))
    };
    if policy.review.mode == Mode::Never {
        let place = place("review.mode");
        return Finding::fail(
            format!("`review.mode` is `never`{place}, so no review is ever requested"),
            "set it to `prompt` or `always`",
        );
    }
    let templates = advice::templates(config, &subject.sources.roz_home);
    let tools = advice::tools(config);
    let all: Vec<&Diagnostic> = config.diagnostics.iter().chain(&templates).chain(&tools).collect();
    if let [first, rest @ ..] = all.as_slice() {
        let more =
            if rest.is_empty() { String::new() } else { format!(" (and {} more)", rest.len()) };
        return Finding::warn(format!("{first}{more}"), "fix it; `roz config check` lists all");
    }
    if policy.trial {
        let place = place("trial");
        return Finding::warn(
            format!("trial mode{place}: nothing is held or denied"),
            "`roz install --trial=false` ends it; `roz stats` lists what would have been refused",
        );
    }
    if !policy.protect.enabled {
        let place = place("protect.enabled");
        return Finding::warn(
            format!("`protect.enabled` is false{place}, so agents can change roz itself"),
            "remove that line",
        );
    }
    breaker(subject, &place("circuit_breaker.max_blocks"))
        .or_else(|| no_git(subject))
        .unwrap_or_else(|| {
            let files = config.files.iter().map(|file| format!("`{}`", file.display()));
            let files: Vec<String> = files.collect();
            Finding::ok(if files.is_empty() { "the defaults".to_owned() } else { files.join(", ") })
        })
}

/// Reports if the client lets a stop pass before roz's breaker trips.
fn breaker(subject: &Subject, place: &str) -> Option<Finding> {
    const CAP: &str = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP";
    let blocks = u64::from(subject.config.policy.circuit_breaker.max_blocks);
    if blocks == 0 {
        return Some(Finding::warn(
            format!("`circuit_breaker.max_blocks` is 0{place}, so no stop is ever held"),
            "set it to 1 or more (the default is 3)",
        ));
    }
    let by_settings =
        subject.client().settings.iter().rev().find_map(|setting| setting.variable(CAP));
    let set = by_settings.or_else(|| subject.world.var(CAP).map(str::to_owned));
    let cap: u64 = set.and_then(|set| set.trim().parse().ok()).unwrap_or(8);
    // 0 switches the cap off.
    (cap > 0 && blocks >= cap).then(|| {
        Finding::warn(
            format!(
                "`circuit_breaker.max_blocks` is {blocks}{place}, but the client lets a stop pass \
                 after {cap} blocks in a row"
            ),
            format!("set it below {cap}, or `{CAP}` above {blocks}"),
        )
    })
}

fn no_git(subject: &Subject) -> Option<Finding> {
    let is_needed = git::root(&subject.world.cwd).join(".git").exists();
    (is_needed && subject.world.on_path("git").is_empty()).then(|| {
        Finding::warn(
            "`git` is not on PATH, so roz cannot tell what was approved from what is there",
            "install git",
        )
    })
}
