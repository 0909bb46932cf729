//! Redirections: where a command's input comes from and its output goes.

use super::super::syntax::{Part, Redirection, RedirectionKind, Word};
use super::super::{Certainty, HOLE, How, limit};
use super::env::Made;
use super::expand::has_glob;
use super::field::Field;
use super::origin::normal;
use super::sinks::{Sink, Sinks};
use super::{Io, Walker};
use std::rc::Rc;

/// A command's input and output after its redirections.
pub(super) struct Streams {
    pub(super) io: Io,
    /// Files that its output goes to, and whether it is added to them.
    pub(super) files: Vec<(String, bool)>,
    /// Lists that its output goes to: `> >(…)`.
    pub(super) processes: Vec<Rc<super::List>>,
    /// The same of lists that a descriptor feeds.
    pub(super) lists: Vec<usize>,
    /// Whether output that is looked at still arrives.
    pub(super) arrives: bool,
    /// Whether the output is sent anywhere, and whether to where errors go.
    pub(super) moves: bool,
    pub(super) to_errors: bool,
    /// What is open for it.
    pub(super) opened: Sinks,
}

impl Streams {
    /// Whoever writes to a file is looked at.
    pub(super) fn capture(&mut self) {
        let goes = [self.files.is_empty(), self.processes.is_empty(), self.lists.is_empty()];
        self.io.capture |= goes.contains(&false);
    }

    /// Its output goes there, too.
    pub(super) fn sends(&mut self, sink: Sink) {
        match sink {
            Sink::Shown => self.arrives = true,
            Sink::File(path) => self.files.push((path.to_string(), true)),
            Sink::List(place) => self.lists.push(place),
        }
    }
}

impl Walker<'_> {
    pub(super) fn streams(&mut self, redirections: &[Redirection], io: &Io) -> Streams {
        let mut streams = Streams {
            io: io.clone(),
            files: Vec::new(),
            processes: Vec::new(),
            lists: Vec::new(),
            arrives: true,
            moves: false,
            to_errors: false,
            opened: Sinks::default(),
        };
        for redirection in redirections {
            self.redirect(redirection, &mut streams);
        }
        streams.arrives |= streams.to_errors && streams.opened.joined;
        streams
    }

    fn redirect(&mut self, redirection: &Redirection, streams: &mut Streams) {
        use RedirectionKind as Kind;
        let is_output = matches!(redirection.descriptor, None | Some(1));
        let (how, both) = match redirection.kind {
            Kind::Document => {
                let text = redirection.body.get().map(|body| self.text(body)).unwrap_or_default();
                self.heard(&text);
                self.feed(redirection.descriptor, text, streams);
                return;
            }
            Kind::String => {
                let text = self.text(&redirection.target) + "\n";
                self.heard(&text);
                self.feed(redirection.descriptor, text, streams);
                return;
            }
            Kind::DuplicateIn => {
                let target = self.text(&redirection.target);
                if let Some(text) = self.content(&format!("/dev/fd/{target}")) {
                    self.feed(redirection.descriptor, text, streams);
                }
                return;
            }
            Kind::Read => {
                let path = self.text(&redirection.target);
                let text = self.content(&path).unwrap_or(HOLE.to_string());
                self.record_read(&path, self.text_certainty(&path));
                self.given(&path);
                self.feed(redirection.descriptor, text, streams);
                return;
            }
            Kind::DuplicateOut => {
                let target = self.text(&redirection.target);
                if is_descriptor(&target) {
                    streams.moves |= is_output;
                    self.duplicate(redirection.descriptor, &target, streams);
                    return;
                }
                (How::Write, true)
            }
            Kind::Write | Kind::ReadWrite => (How::Write, false),
            Kind::Append => (How::Append, false),
            Kind::WriteBoth => (How::Write, true),
            Kind::AppendBoth => (How::Append, true),
        };
        streams.moves |= is_output || both;
        let number = redirection.descriptor.filter(|it| *it > 2);
        if let [Part::Process { list, input: false }] = &redirection.target.parts[..] {
            if let Some(number) = number {
                let sink = self.feeds(list);
                streams.opened.numbered.extend(sink.map(|sink| (number, sink)));
                return;
            }
            streams.processes.push(Rc::clone(list));
            streams.arrives &= !is_output;
            return;
        }
        let path = self.text(&redirection.target);
        let literal = redirection.target.as_text().is_some();
        let least = if literal { Certainty::Literal } else { Certainty::Resolved };
        let glob = is_pattern(&redirection.target);
        let word = Field { text: path, glob, ..Field::default() };
        self.record_written(&word, how, self.text_certainty(&word.text).max(least));
        let path = word.text;
        if let Some(number) = number {
            // A program may write to it what nobody sees.
            self.make(&path, "", true);
            streams.opened.numbered.push((number, Sink::File(Rc::from(path))));
        } else if is_output || both {
            streams.arrives = false;
            if let Some(sinks) = self.sinks_of(&path, &streams.opened) {
                for sink in sinks {
                    streams.sends(sink);
                }
            } else if path != "/dev/null" {
                streams.files.push((path, how == How::Append));
            }
        }
    }

    /// Gives text to a descriptor, which is the input unless another one is named.
    fn feed(&mut self, descriptor: Option<u32>, text: String, streams: &mut Streams) {
        match descriptor {
            None | Some(0) => streams.io.stdin = Some(Rc::from(text)),
            Some(other) => {
                let path = format!("/dev/fd/{other}");
                let text = match self.env.files.get(&path) {
                    Some(Made::Text(before)) if path == super::origin::ANY_DESCRIPTOR => {
                        format!("{before}\n{text}")
                    }
                    _ => text,
                };
                let made = if text.len() > limit::TEXT { Made::Unknown } else { Made::Text(text) };
                self.env.files.insert(path, made);
            }
        }
    }

    /// Puts a command's output where its redirections say, and gives back what is left of it.
    pub(super) fn delivered(&mut self, streams: Streams, output: String) -> String {
        for list in streams.processes {
            let io = Io { stdin: Some(Rc::from(output.as_str())), capture: false };
            self.subshell(&list, &io);
        }
        self.spend(streams.files.len() / 2);
        for (path, append) in streams.files {
            self.make(&path, &output, append);
        }
        for place in streams.lists {
            self.send(&Sink::List(place), &output);
        }
        if !streams.arrives {
            return String::new();
        }
        match self.sinks.out.clone() {
            Some(sink) if !output.is_empty() => {
                self.send(&sink, &output);
                String::new()
            }
            _ => output,
        }
    }

    /// A file holds a text; where it may not have come to that, what it held before, too.
    pub(super) fn holds(&mut self, path: &str, mut text: String) {
        self.may_stay(path);
        if self.is_in_doubt()
            && let Some(Made::Text(before)) = self.env.files.get(path).cloned()
            && self.spend((text.len() + before.len()) / 1024)
            && !text.contains(&before)
        {
            if before.contains(&text) {
                return;
            }
            text = format!("{text}\n{before}");
        }
        let made = if text.len() > limit::TEXT { Made::Unknown } else { Made::Text(text) };
        self.env.files.insert(path.to_owned(), made);
    }

    /// Remembers what a file holds from now on.
    pub(super) fn make(&mut self, path: &str, text: &str, append: bool) {
        for located in self.located(path) {
            let path = &*normal(&located);
            let is_shared = self.lane_writes(path);
            let mut is_longer = false;
            match self.env.files.get_mut(path) {
                // One of them, or a mixture.
                Some(Made::Text(before)) if is_shared => {
                    if !before.starts_with(HOLE) {
                        before.insert_str(0, "\u{FFFC}\n");
                    }
                    before.push_str(text);
                }
                Some(Made::Text(before)) if append => {
                    before.push_str(text);
                    is_longer = true;
                }
                // What it held before is not known.
                _ if append => {
                    self.env.files.insert(path.to_owned(), Made::Text(format!("{HOLE}\n{text}")));
                }
                _ => self.holds(path, text.to_owned()),
            }
            if let Some(made) = self.env.files.get_mut(path)
                && matches!(made, Made::Text(text) if text.len() > super::limit::TEXT)
            {
                *made = Made::Unknown;
                is_longer = false;
            }
            if !is_longer || !self.record_more(&located, text) {
                self.record_text(located);
            }
        }
    }

    pub(super) fn text_certainty(&self, text: &str) -> Certainty {
        let certainty = if text.contains(HOLE) { Certainty::Opaque } else { Certainty::Literal };
        self.certainty(certainty)
    }
}

/// Whether the shell may take a word for a pattern of files.
fn is_pattern(word: &Word) -> bool {
    word.parts.iter().any(|part| match part {
        Part::Text { text, quoted } => !quoted && has_glob(text),
        Part::Parameter { quoted, .. } | Part::Command { quoted, .. } => !quoted,
        Part::Arithmetic(_) | Part::Process { .. } | Part::Array(_) => false,
    })
}

fn is_descriptor(target: &str) -> bool {
    target == "-"
        || target.contains(HOLE)
        || target.trim_end_matches('-').bytes().all(|byte| byte.is_ascii_digit())
}
