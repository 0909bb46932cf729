//! Where output goes that is sent to a descriptor: `exec 5> f; echo a >&5`, `exec > f`,
//! `{ echo a >&2; } 2>&1 | b`.

use super::super::syntax::List;
use super::super::{HOLE, limit};
use super::streams::Streams;
use super::{Io, Walker};
use std::rc::Rc;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Sink {
    /// Where output goes that nobody sends elsewhere.
    Shown,
    File(Rc<str>),
    /// The input of a list that is walked at the end, by its place among [`Walker::fed_lists`].
    List(usize),
}

/// What is open at a point.
#[derive(Debug, Clone, Default)]
pub(super) struct Sinks {
    /// Above 2. Those that are named by a variable are all one.
    pub(super) numbered: Vec<(u32, Sink)>,
    /// Where the shell's own output goes since an `exec`.
    pub(super) out: Option<Sink>,
    /// Errors go where output goes.
    pub(super) joined: bool,
}

impl Sinks {
    /// Those that a target of `>&` may mean: `5`, `$fd`.
    fn meant(&self, target: &str) -> Vec<Sink> {
        let number = target.trim_end_matches('-').parse().ok();
        let is_it = |it: &&(u32, Sink)| target.contains(HOLE) || Some(it.0) == number;
        self.numbered.iter().filter(is_it).map(|it| it.1.clone()).collect()
    }
}

/// The descriptor that a path stands for.
fn number_of(path: &str) -> Option<&str> {
    match path {
        "/dev/stdout" => Some("1"),
        "/dev/stderr" => Some("2"),
        _ => path.strip_prefix("/dev/fd/").or(path.strip_prefix("/proc/self/fd/")),
    }
}

impl Walker<'_> {
    /// What may be sent to a path that stands for a descriptor. `None` where it stands for none that
    /// is known.
    pub(super) fn sinks_of(&self, path: &str, opened: &Sinks) -> Option<Vec<Sink>> {
        let target = number_of(path)?;
        let is_joined = self.sinks.joined || opened.joined;
        let found = match target {
            "1" => vec![Sink::Shown],
            "2" if is_joined => vec![Sink::Shown],
            target => [opened.meant(target), self.sinks.meant(target)].concat(),
        };
        (!found.is_empty()).then_some(found)
    }

    /// `>&target` of a descriptor, the output where it is `None`.
    pub(super) fn duplicate(&mut self, descriptor: Option<u32>, target: &str, to: &mut Streams) {
        let sinks = self.sinks_of(&format!("/dev/fd/{target}"), &to.opened);
        match descriptor {
            None | Some(1) => {
                if target == "1" {
                    return;
                }
                to.arrives = false;
                // Errors may be joined to the output behind it.
                to.to_errors |= target == "2";
                for sink in sinks.unwrap_or_default() {
                    to.sends(sink);
                }
            }
            Some(2) => to.opened.joined |= target == "1",
            Some(number) => {
                let sinks = sinks.unwrap_or_default().into_iter();
                to.opened.numbered.extend(sinks.map(|sink| (number, sink)));
            }
        }
    }

    /// A list that a descriptor feeds from now on.
    pub(super) fn feeds(&mut self, list: &Rc<List>) -> Option<Sink> {
        if self.fed_lists.len() >= limit::CHOICES {
            self.fail(super::Unreadable::Work);
            return None;
        }
        self.fed_lists.push((Rc::clone(list), String::new()));
        Some(Sink::List(self.fed_lists.len() - 1))
    }

    pub(super) fn send(&mut self, sink: &Sink, text: &str) {
        match sink {
            Sink::Shown => {}
            Sink::File(path) => self.make(path, text, true),
            Sink::List(place) => {
                let Some((_, input)) = self.fed_lists.get_mut(*place) else { return };
                if input.len() + text.len() < limit::TEXT {
                    input.push_str(text);
                } else {
                    self.fail(super::Unreadable::Work);
                }
            }
        }
    }

    /// What a redirection opens holds while `walk` runs, and, of `exec`, from then on.
    pub(super) fn opened<T>(
        &mut self,
        streams: &mut Streams,
        lasts: bool,
        walk: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let opened = std::mem::take(&mut streams.opened);
        if lasts {
            self.sinks.joined |= opened.joined;
            let numbers: Vec<u32> = opened.numbered.iter().map(|it| it.0).collect();
            // Those that a variable names are any.
            self.sinks.numbered.retain(|it| it.0 == u32::MAX || !numbers.contains(&it.0));
            self.sinks.numbered.extend(opened.numbered);
            if self.sinks.numbered.len() > limit::CHOICES {
                self.fail(super::Unreadable::Work);
                self.sinks.numbered.truncate(limit::CHOICES);
            }
            let list = std::mem::take(&mut streams.processes).pop();
            let list = list.and_then(|list| self.feeds(&list));
            let file = streams.files.last().map(|it| Sink::File(Rc::from(it.0.as_str())));
            let sent = streams.lists.last().map(|place| Sink::List(*place));
            if streams.moves {
                self.sinks.out = list.or(file).or(sent);
            }
            return walk(self);
        }
        if opened.numbered.is_empty()
            && !opened.joined
            && (streams.arrives || self.sinks.out.is_none())
        {
            return walk(self);
        }
        let outer = self.sinks.clone();
        self.sinks.joined |= opened.joined;
        self.sinks.numbered.splice(0..0, opened.numbered);
        if !streams.arrives {
            self.sinks.out = None;
        }
        let walked = walk(self);
        self.sinks = outer;
        walked
    }

    /// At the end of a shell: the lists that its descriptors have fed, with all that they were given.
    pub(super) fn feed_lists(&mut self, from: usize) {
        for (list, input) in self.fed_lists.split_off(from.min(self.fed_lists.len())) {
            let io = Io { stdin: Some(Rc::from(input)), capture: false };
            self.subshell(&list, &io);
        }
    }
}
