//! Shows the demo: what the client sends, and below it what roz answers.

use std::{fmt::Write as _, io};

use serde::Serialize;
use serde_json::{Value, json};
use textwrap::{Options, WordSplitter};

use crate::{
    cli::{
        demo::cage::Cage,
        say::{self, Out, Tone},
    },
    core::bounded,
    hooks::Hook,
};

const MOST: usize = 3;

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
    Done,
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

pub(in crate::cli) struct Stage {
    pub(super) cage: Cage,
    /// `None`: nothing is shown.
    out: Option<Out>,
    pub(in crate::cli) steps: Vec<Step>,
    /// Words, and what is shown instead of each.
    instead: Vec<(String, &'static str)>,
}

impl Stage {
    pub(super) fn new(cage: Cage, out: Option<Out>) -> Self {
        let project = format!("{}/", cage.project().display());
        let instead = vec![(cage.session.clone(), "SESSION"), (project, "")];
        Self { cage, out, steps: Vec::new(), instead }
    }

    pub(super) fn is_right(&self) -> bool {
        self.steps.iter().all(|step| step.ok)
    }

    pub(super) fn scene(&self, title: &str) -> io::Result<()> {
        let Some(out) = &self.out else { return Ok(()) };
        say::print(&format!("\n{}\n", out.paint(Tone::Bold, &folded(title, "", out))))
    }

    pub(super) fn call(&mut self, hook: Hook, call: &Value, expected: Verdict) -> io::Result<()> {
        let input = &call["tool_input"];
        let what = ["command", "file_path", "subagent_type"].map(|field| input[field].as_str());
        let what = what.into_iter().flatten().next().unwrap_or_default();
        let about = format!("{}: {what}", call["tool_name"].as_str().unwrap_or_default());
        self.hook(hook, &about, call, expected).map(drop)
    }

    pub(super) fn hook(
        &mut self,
        hook: Hook,
        about: &str,
        fields: &Value,
        expected: Verdict,
    ) -> io::Result<Value> {
        let payload = json!({
            "session_id": self.cage.session,
            "cwd": self.cage.project(),
            "permission_mode": "default",
            "hook_event_name": hook.name(),
            "prompt_id": "p1",
        });
        let (said, ms) = self.cage.hook(&["hook", hook.word()], &merged(&payload, fields));
        let seen = said.as_ref().ok().map(verdict_of);
        let words = said.as_ref().map_or_else(String::clone, words_of);
        self.show(hook.name(), about, seen, &words, (ms, seen == Some(expected)))?;
        Ok(said.unwrap_or_default())
    }

    /// Runs a command as the agent, a reviewer or the user would.
    pub(super) fn verb(
        &mut self,
        who: &'static str,
        args: &[&str],
        stdin: &str,
        expected: Verdict,
    ) -> io::Result<String> {
        let (said, ms) = self.cage.verb(args, stdin);
        let quoted =
            |arg: &&str| if arg.contains(' ') { format!("'{arg}'") } else { (*arg).into() };
        let about = format!("roz {}", args.iter().map(quoted).collect::<Vec<_>>().join(" "));
        let seen = if said.is_ok() { Verdict::Done } else { Verdict::Refuses };
        let words = said.unwrap_or_else(|why| why);
        self.show(who, &about, Some(seen), &words, (ms, seen == expected))?;
        Ok(words)
    }

    /// Shows a word as another one from now on.
    pub(super) fn hide(&mut self, word: &str, with: &'static str) {
        self.instead.push((word.to_owned(), with));
    }

    fn show(
        &mut self,
        event: &'static str,
        about: &str,
        verdict: Option<Verdict>,
        words: &str,
        (ms, ok): (f64, bool),
    ) -> io::Result<()> {
        let shown = |text: &str| {
            let words = self.instead.iter();
            words.fold(text.to_owned(), |text, (word, with)| text.replace(word, with))
        };
        let step = Step { event, client: shown(about), verdict, words: shown(words), ms, ok };
        if let Some(out) = &self.out {
            say::print(&step.rendered(out))?;
        }
        self.steps.push(step);
        Ok(())
    }

    pub(super) fn closing(&self) -> String {
        let Some(out) = &self.out else { return String::new() };
        let (tone, text) = if self.is_right() {
            (Tone::Good, "Every gate held, and let go when it should.")
        } else {
            (Tone::Bad, "Something did not go as it should: run `roz doctor`.")
        };
        let hooks = self.steps.iter().filter(|step| step.is_hook()).count();
        let (median, _) = times(&self.steps);
        let told = format!("{hooks} hook processes, {median:.1} ms each (median).");
        let (text, told) = (folded(text, "", out), folded(&told, "", out));
        format!("\n{}\n{told}\n", out.paint(tone, &text))
    }
}

/// The median and the longest time of a hook, in milliseconds.
pub(in crate::cli) fn times(steps: &[Step]) -> (f64, f64) {
    let hooks = steps.iter().filter(|step| step.is_hook());
    let mut times: Vec<f64> = hooks.map(|hook| hook.ms).collect();
    times.sort_by(f64::total_cmp);
    let median = times.get(times.len() / 2).copied().unwrap_or_default();
    (median, times.last().copied().unwrap_or_default())
}

pub(super) fn merged(object: &Value, more: &Value) -> Value {
    let all = [object, more].into_iter().filter_map(Value::as_object).flatten();
    all.map(|(name, value)| (name.clone(), value.clone())).collect()
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

    fn is_hook(&self) -> bool {
        self.event.chars().all(char::is_alphanumeric)
    }

    /// What the client sends, and the first lines of roz's answer, without the line for programs.
    fn rendered(&self, out: &Out) -> String {
        let (word, tone) = self.verdict.map_or(("went wrong:", Tone::Bad), Verdict::word);
        let client = folded(&self.client, "  ", out);
        let mut text = format!("{}\n{client}\n", out.paint(Tone::Dim, self.event));
        let _ = writeln!(text, "    {}", out.paint(tone, word));
        let is_for_people = |line: &&str| !line.trim().is_empty() && !line.starts_with("{\"");
        let words: Vec<&str> = self.words.lines().filter(is_for_people).collect();
        if words.is_empty() {
            return text;
        }
        let words = folded(&words.join(" "), "      ", out);
        let is_cut = words.lines().count() > MOST;
        let shown = words.lines().take(if is_cut { MOST - 1 } else { MOST });
        for line in shown.chain(is_cut.then_some("      …")) {
            let _ = writeln!(text, "{line}");
        }
        text
    }
}

/// The text in indented lines that fit the terminal. A word that does not fit is broken.
fn folded(text: &str, indent: &str, out: &Out) -> String {
    let options = Options::new(out.width)
        .initial_indent(indent)
        .subsequent_indent(indent)
        .word_splitter(WordSplitter::NoHyphenation);
    textwrap::fill(&bounded::plain_line(text), options)
}
