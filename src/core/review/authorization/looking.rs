//! Records what a reviewer saw.

use serde_json::Value;

use crate::core::{
    facts::Shown,
    review::state::{GateTrigger, Review},
};

/// Long outputs per reviewer that are tracked page by page.
const MAX_KEPT_OUTPUTS: usize = 16;

pub(in crate::core::review) fn was_shown(
    review: &mut Review,
    agent: &str,
    shown: &Shown,
    succeeded: bool,
) {
    let trigger = review.trigger().cloned();
    let Some(reviewer) = review.reviewers.get_mut(agent) else { return };
    for text in &shown.diffs {
        reviewer.seen.diff(text);
    }
    for read in &shown.reads {
        match reviewer.kept_outputs.get_mut(&read.path) {
            // The next page of a long output: the diff is now known up to there.
            Some(shown) if read.start <= *shown + 1 => {
                *shown = (*shown).max(read.start + read.count - 1);
                reviewer.seen.diff(&read.text);
            }
            Some(_) => (),
            None => reviewer.seen.lines(&read.blob, read.start, read.count),
        }
    }
    for output in &shown.outputs {
        reviewer.seen.output(&output.blob, &output.content, &output.text);
    }
    if let Some(path) = &shown.kept_output
        && reviewer.kept_outputs.len() < MAX_KEPT_OUTPUTS
    {
        reviewer.kept_outputs.insert(path.clone(), 0);
    }
    if succeeded && trigger.is_some_and(|trigger| is_about(&trigger, &shown.words)) {
        reviewer.looked_at_call = true;
    }
}

/// Whether a command looks at what a gated call names: it shares a number with it (`gh pr diff 7`
/// with `gh pr merge 7`), or without a number the program or an operand.
fn is_about(trigger: &GateTrigger, commands: &[Vec<String>]) -> bool {
    let key = trigger.key.as_deref().unwrap_or_default();
    let words = key.strip_prefix("Bash:").unwrap_or_default().split_whitespace();
    let mut named: Vec<String> =
        words.filter(|word| !word.starts_with('-')).map(str::to_owned).collect();
    if let Some(fields) = trigger.tool_input.value.as_object().filter(|_| named.is_empty()) {
        named.extend(fields.values().filter_map(|value| match value {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        }));
    }
    let is_number = |word: &String| word.parse::<u64>().is_ok();
    if named.iter().any(is_number) {
        named.retain(is_number);
    }
    commands.iter().any(|words| {
        words.first().is_some_and(|program| program != "roz")
            && words.iter().any(|word| named.contains(word))
    })
}
