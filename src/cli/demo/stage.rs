//! How the demo is shown: what the client sends, and below it what roz answers.

use std::{fmt::Write as _, io};

use serde::Serialize;
use serde_json::Value;
use textwrap::{Options, WordSplitter};

use crate::{
    cli::{
        demo::cage::{Cage, Said, token},
        say::{self, Out, Tone},
    },
    core::bounded,
    hooks::Hook,
};

/// Lines of an answer that are shown.
const MOST: usize = 3;

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
pub(in crate::cli) struct Step {
    event: &'static str,
    client: String,
    verdict: Option<Verdict>,
    pub(in crate::cli) words: String,
    pub(in crate::cli) ms: f64,
    pub(in crate::cli) ok: bool,
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

    pub(super) fn into_steps(self) -> Vec<Step> {
        self.steps
    }

    pub(super) fn is_right(&self) -> bool {
        self.steps.iter().all(|step| step.ok)
    }

    pub(super) fn scene(&self, title: &str) -> io::Result<()> {
        let Some(out) = &self.out else { return Ok(()) };
        say::print(&format!("\n{}\n", out.paint(Tone::Bold, &folded(title, "", out))))
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
            .map(|arg| if arg.contains(' ') { format!("'{arg}'") } else { (*arg).to_owned() })
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
        let hooks: Vec<&Step> = self.steps.iter().filter(|step| step.is_hook()).collect();
        let mut times: Vec<f64> = hooks.iter().map(|hook| hook.ms).collect();
        times.sort_by(f64::total_cmp);
        let median = times.get(times.len() / 2).copied().unwrap_or_default();
        let (tone, text) = if self.is_right() {
            (Tone::Good, "Every gate held, and let go when it should.")
        } else {
            (Tone::Bad, "Something did not go as it should: run `roz doctor`.")
        };
        let told = format!("{} hook processes, {median:.1} ms each (median).", times.len());
        let (text, told) = (folded(text, "", out), folded(&told, "", out));
        say::print(&format!("\n{}\n{told}\n", out.paint(tone, &text)))
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
    /// `PreToolUse: Bash: git push`.
    pub(in crate::cli) fn name(&self) -> String {
        format!("{}: {}", self.event, self.client)
    }

    pub(in crate::cli) fn is_hook(&self) -> bool {
        self.event.chars().all(char::is_alphanumeric)
    }

    fn rendered(&self, out: &Out) -> String {
        let (word, tone) = self.verdict.map_or(("went wrong:", Tone::Bad), Verdict::word);
        let client = folded(&self.client, "  ", out);
        let mut text = format!("{}\n{client}\n", out.paint(Tone::Dim, self.event));
        let _ = writeln!(text, "    {}", out.paint(tone, word));
        for line in self.told(out) {
            let _ = writeln!(text, "{line}");
        }
        text
    }

    /// The first lines of what roz says, without the line that is for programs.
    fn told(&self, out: &Out) -> Vec<String> {
        let is_for_people = |line: &&str| !line.trim().is_empty() && !line.starts_with("{\"");
        let lines: Vec<&str> = self.words.lines().filter(is_for_people).collect();
        if lines.is_empty() {
            return Vec::new();
        }
        let text = folded(&lines.join(" "), "      ", out);
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        if lines.len() > MOST {
            lines.truncate(MOST - 1);
            lines.push("      …".to_owned());
        }
        lines
    }
}

/// In lines that fit the terminal, indented; a word that does not fit is broken.
fn folded(text: &str, indent: &str, out: &Out) -> String {
    let options = Options::new(out.width)
        .initial_indent(indent)
        .subsequent_indent(indent)
        .word_splitter(WordSplitter::NoHyphenation);
    textwrap::fill(&bounded::plain_line(text), options)
}
