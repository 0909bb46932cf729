//! How the demo is shown: what the client sends on the left, what roz answers
//! on the right.

use std::io;

use serde::Serialize;
use serde_json::Value;

use crate::{
    cli::{
        cage::{Cage, Said, token},
        say::{self, Out, Tone},
    },
    core::bounded,
    hooks::Hook,
};

/// A narrower terminal gets the answer below the question.
const NARROW: usize = 76;
/// Lines of an answer that are shown.
const MOST: usize = 6;

/// What roz makes of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Verdict {
    Passes,
    /// It passes, and the agent is told something.
    Tells,
    Denies,
    Asks,
    /// A stop is held.
    Holds,
    /// A verb did what it should.
    Done,
    /// A verb would not.
    Refuses,
}

#[derive(Debug, Serialize)]
pub(super) struct Step {
    event: &'static str,
    client: String,
    verdict: Option<Verdict>,
    words: String,
    ms: f64,
    ok: bool,
}

pub(super) struct Stage<'a> {
    pub(super) cage: &'a Cage,
    /// None: nothing is shown.
    out: Option<Out>,
    steps: Vec<Step>,
    /// What is shown instead of a word.
    instead: Vec<(String, &'static str)>,
}

impl<'a> Stage<'a> {
    pub(super) fn new(cage: &'a Cage, out: Option<Out>) -> Self {
        let instead = vec![(cage.session.clone(), "SESSION")];
        Self { cage, out, steps: Vec::new(), instead }
    }

    fn shown(&self, text: &str) -> String {
        self.instead.iter().fold(text.to_owned(), |text, (word, with)| text.replace(word, with))
    }

    pub(super) fn steps(&self) -> &[Step] {
        &self.steps
    }

    pub(super) fn is_right(&self) -> bool {
        self.steps.iter().all(|it| it.ok)
    }

    pub(super) fn scene(&self, title: &str) -> io::Result<()> {
        let Some(out) = &self.out else { return Ok(()) };
        let lines = wrapped(title, out.width);
        let lines: Vec<String> = lines.iter().map(|it| out.paint(Tone::Bold, it)).collect();
        say::print(&format!("\n{}\n", lines.join("\n")))
    }

    /// Sends an event; `client` says what it is about.
    pub(super) fn hook(
        &mut self,
        hook: Hook,
        client: &str,
        fields: &Value,
        expected: Verdict,
    ) -> io::Result<Value> {
        let said = self.cage.hook(hook, fields);
        let seen = said.answer.as_ref().ok().map(verdict_of);
        let words = match &said.answer {
            Ok(answer) => words_of(answer),
            Err(why) => why.clone(),
        };
        if let Some(token) = said.answer.as_ref().ok().and_then(token) {
            self.instead.push((token, "TOKEN"));
        }
        self.show(hook.name(), client, seen, &words, said.ms, expected)?;
        Ok(said.answer.unwrap_or_default())
    }

    /// Runs a verb, as the agent, a reviewer or the user would.
    pub(super) fn verb(
        &mut self,
        who: &'static str,
        args: &[&str],
        stdin: &str,
        expected: Verdict,
    ) -> io::Result<String> {
        let Said { answer, ms } = self.cage.verb(args, stdin);
        let shown: Vec<String> = args
            .iter()
            .map(|it| if it.contains(' ') { format!("'{it}'") } else { (*it).to_owned() })
            .collect();
        let (seen, words) = match answer {
            Ok(said) => (Verdict::Done, said.as_str().unwrap_or_default().to_owned()),
            Err(why) => (Verdict::Refuses, why),
        };
        let client = format!("roz {}", shown.join(" "));
        self.show(who, &client, Some(seen), &words, ms, expected)?;
        Ok(words)
    }

    fn show(
        &mut self,
        event: &'static str,
        client: &str,
        verdict: Option<Verdict>,
        words: &str,
        ms: f64,
        expected: Verdict,
    ) -> io::Result<()> {
        let ok = verdict == Some(expected);
        let (client, words) = (self.shown(client), self.shown(words));
        let step = Step { event, client, verdict, words, ms, ok };
        if let Some(out) = &self.out {
            say::print(&step.rendered(out))?;
        }
        self.steps.push(step);
        Ok(())
    }

    pub(super) fn close(&self) -> io::Result<()> {
        let Some(out) = &self.out else { return Ok(()) };
        let hooks: Vec<&Step> = self.steps.iter().filter(|it| it.is_hook()).collect();
        let mut times: Vec<f64> = hooks.iter().map(|it| it.ms).collect();
        times.sort_by(f64::total_cmp);
        let median = times.get(times.len() / 2).copied().unwrap_or_default();
        let (tone, text) = if self.is_right() {
            (Tone::Good, "Every gate held, and let go when it should.")
        } else {
            (Tone::Bad, "Something did not go as it should: run `roz doctor`.")
        };
        let told = format!("{} hook processes, {median:.1} ms each (median).", times.len());
        let told = wrapped(&told, out.width).join("\n");
        let text: Vec<String> =
            wrapped(text, out.width).iter().map(|it| out.paint(tone, it)).collect();
        say::print(&format!("\n{}\n{told}\n", text.join("\n")))
    }
}

fn verdict_of(answer: &Value) -> Verdict {
    let specific = &answer["hookSpecificOutput"];
    if answer["decision"] == "block" {
        return Verdict::Holds;
    }
    match specific["permissionDecision"].as_str() {
        Some("deny") => Verdict::Denies,
        Some("ask") => Verdict::Asks,
        _ if specific["additionalContext"].is_string() => Verdict::Tells,
        _ => Verdict::Passes,
    }
}

fn words_of(answer: &Value) -> String {
    let specific = &answer["hookSpecificOutput"];
    let words = [
        &answer["reason"],
        &specific["permissionDecisionReason"],
        &specific["additionalContext"],
        &answer["systemMessage"],
    ];
    words.into_iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n")
}

impl Verdict {
    fn word(self) -> (&'static str, Tone) {
        match self {
            Self::Passes => ("passes", Tone::Good),
            Self::Tells => ("passes, and is told:", Tone::Good),
            Self::Denies => ("denied:", Tone::Bad),
            Self::Asks => ("the user is asked:", Tone::Warn),
            Self::Holds => ("held:", Tone::Warn),
            Self::Done => ("done", Tone::Good),
            Self::Refuses => ("refused:", Tone::Bad),
        }
    }
}

impl Step {
    fn is_hook(&self) -> bool {
        self.event.chars().all(char::is_alphanumeric)
    }

    fn rendered(&self, out: &Out) -> String {
        let is_narrow = out.width < NARROW;
        let left_width = if is_narrow { out.width } else { (out.width * 2 / 5).min(46) };
        let right_width = if is_narrow { out.width } else { out.width - left_width - 2 };
        let mut left = vec![(self.event.to_owned(), Some(Tone::Dim))];
        left.extend(
            wrapped(&self.client, left_width - 2).into_iter().map(|it| (format!("  {it}"), None)),
        );
        let (word, tone) = self.verdict.map_or(("went wrong:", Tone::Bad), Verdict::word);
        let mut right = vec![(word.to_owned(), Some(tone))];
        right.extend(self.told(right_width - 2).into_iter().map(|it| (format!("  {it}"), None)));
        let paint = |(text, tone): &(String, Option<Tone>)| {
            tone.map_or_else(|| text.clone(), |it| out.paint(it, text))
        };
        let mut text = String::new();
        if is_narrow {
            for line in left.iter().chain(&right) {
                text += &paint(line);
                text.push('\n');
            }
            return text;
        }
        let empty = (String::new(), None);
        for at in 0..left.len().max(right.len()) {
            let (left, right) = (left.get(at).unwrap_or(&empty), right.get(at).unwrap_or(&empty));
            let gap = " ".repeat((left_width + 2).saturating_sub(left.0.chars().count()));
            let line = format!("{}{gap}{}", paint(left), paint(right));
            text += line.trim_end();
            text.push('\n');
        }
        text
    }

    /// The first lines of what roz says, without the line that is for programs.
    fn told(&self, width: usize) -> Vec<String> {
        let is_for_people = |it: &&str| !it.trim().is_empty() && !it.starts_with("{\"");
        let lines = self.words.lines().filter(is_for_people);
        let mut lines: Vec<String> = lines.flat_map(|it| wrapped(it, width)).collect();
        if lines.len() > MOST {
            lines.truncate(MOST - 1);
            lines.push("…".to_owned());
        }
        lines
    }
}

/// In lines of at most `width` characters; a longer word goes over several.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut left = width;
    for word in bounded::plain_line(text).split_whitespace() {
        let length = word.chars().count();
        let is_first = left == width;
        if length < left || (is_first && length == left) {
            let line = lines.last_mut().expect("there is one from the start");
            if !is_first {
                line.push(' ');
                left -= 1;
            }
            line.push_str(word);
            left -= length;
            continue;
        }
        for piece in word.chars().collect::<Vec<_>>().chunks(width.max(1)) {
            lines.push(piece.iter().collect());
            left = width - piece.len();
        }
    }
    lines.retain(|it| !it.is_empty());
    lines
}
