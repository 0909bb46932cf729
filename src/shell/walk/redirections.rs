//! Redirections: which files they write, and where input and output go.

use super::{Io, Walker};
use crate::shell::syntax::{List, Part, Redirection, RedirectionKind};
use crate::shell::{Certainty, HOLE, How};
use std::rc::Rc;

/// A command's input and output after its redirections.
pub(super) struct Streams {
    pub(super) io: Io,
    /// Whether its output goes to a file.
    pub(super) to_file: bool,
    /// Lists that get its output: `> >(…)`.
    pub(super) processes: Vec<Rc<List>>,
    /// Whether its output still goes where the command's would.
    arrives: bool,
}

impl Walker<'_> {
    pub(super) fn streams(&mut self, redirections: &[Redirection], io: &Io) -> Streams {
        let mut streams =
            Streams { io: io.clone(), to_file: false, processes: Vec::new(), arrives: true };
        for redirection in redirections {
            self.redirect(redirection, &mut streams);
        }
        streams
    }

    fn redirect(&mut self, redirection: &Redirection, streams: &mut Streams) {
        use RedirectionKind as Kind;
        let is_output = matches!(redirection.descriptor, None | Some(1));
        let (how, both) = match redirection.kind {
            Kind::Document => {
                let text = redirection.body.get().map(|body| self.text(body)).unwrap_or_default();
                self.feed(redirection.descriptor, text, streams);
                return;
            }
            Kind::String => {
                let text = self.text(&redirection.target) + "\n";
                self.feed(redirection.descriptor, text, streams);
                return;
            }
            Kind::DuplicateIn => {
                let target = self.text(&redirection.target);
                if let Some(text) =
                    self.descriptors.text(&format!("/dev/fd/{target}")).map(str::to_owned)
                {
                    self.feed(redirection.descriptor, text, streams);
                }
                return;
            }
            Kind::Read => {
                let path = self.text(&redirection.target);
                let text = self.descriptors.text(&path).map_or(HOLE.to_string(), str::to_owned);
                self.record_read(&path, self.text_certainty(&path));
                self.feed(redirection.descriptor, text, streams);
                return;
            }
            Kind::DuplicateOut => {
                let target = self.text(&redirection.target);
                if is_descriptor(&target) {
                    if is_output && target != "1" {
                        streams.arrives = false;
                    }
                    return;
                }
                (How::Write, true)
            }
            Kind::Write | Kind::ReadWrite => (How::Write, false),
            Kind::Append => (How::Append, false),
            Kind::WriteBoth => (How::Write, true),
            Kind::AppendBoth => (How::Append, true),
        };
        if let [Part::Process { list, input: false }] = &redirection.target.parts[..] {
            streams.processes.push(Rc::clone(list));
            streams.arrives &= !is_output;
            return;
        }
        let path = self.text(&redirection.target);
        self.record_write(&path, how, self.text_certainty(&path));
        if is_output || both {
            streams.arrives = false;
            streams.to_file = true;
        }
    }

    /// Passes text to a descriptor: standard input unless another one is given.
    fn feed(&mut self, descriptor: Option<u32>, text: String, streams: &mut Streams) {
        match descriptor {
            None | Some(0) => streams.io.stdin = Some(Rc::from(text)),
            Some(other) => {
                self.descriptors.put(format!("/dev/fd/{other}"), text);
            }
        }
    }

    /// Passes a command's output to its redirections, and returns what is left for the outer
    /// command.
    pub(super) fn deliver(&mut self, streams: Streams, output: String) -> String {
        for list in streams.processes {
            let io = Io { stdin: Some(Rc::from(output.as_str())), capture: false };
            self.subshell(&list, &io);
        }
        if streams.arrives { output } else { String::new() }
    }

    pub(super) fn text_certainty(&self, text: &str) -> Certainty {
        let certainty = if text.contains(HOLE) { Certainty::Opaque } else { Certainty::Literal };
        self.recorder.certainty(certainty)
    }
}

fn is_descriptor(target: &str) -> bool {
    target == "-"
        || target.contains(HOLE)
        || target.trim_end_matches('-').bytes().all(|byte| byte.is_ascii_digit())
}
