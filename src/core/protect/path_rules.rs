//! Rules about protected paths that a call would write.

use super::{
    Context,
    accesses::{Accessed, Act, TextBefore},
    commands::{is_hidden, operands},
    program::base,
    protected_paths::{
        INSTALLED_PLUGINS, KNOWN_MARKETPLACES, Places, Position, fits, is_same_place, parts,
        position,
    },
    settings::{self, Content},
};
use crate::{
    core::{client_files, event::ToolCall, name_words::is_one, reviewer_file, tool::REVIEWER},
    shell::{self, HOLE, How, Reading},
};

impl Accessed {
    fn writes(&self) -> Option<How> {
        match self.access.act {
            Act::Write(how) => Some(how),
            Act::Read => None,
        }
    }

    pub(super) fn is(&self, is_it: impl Fn(&str) -> bool) -> bool {
        self.at.iter().any(|path| is_it(path))
    }

    pub(super) fn is_at(&self, places: &[String], expected: Position) -> bool {
        places.iter().any(|place| self.is(|path| position(path, place) == expected))
    }

    fn changes(&self, places: &[String]) -> bool {
        self.writes().is_some() && self.is_at(places, Position::Inside)
            || self.access.takes_away && self.is_at(places, Position::Above)
    }

    fn before(&self) -> Content {
        match &self.before {
            // A glob is not a file; its matches are.
            TextBefore::Absent if self.access.path.contains(['*', '?', '[', HOLE]) => {
                Content::Unknown
            }
            TextBefore::Absent => Content::Absent,
            TextBefore::Text(text) => Content::Text(text.clone()),
            TextBefore::NotAsked | TextBefore::Unreadable => Content::Unknown,
        }
    }

    fn after(&self, call: &ToolCall) -> Content {
        match self.writes() {
            Some(How::Remove) => Content::Absent,
            Some(How::Move) if self.access.takes_away => Content::Absent,
            _ => settings::after(call, &self.before()),
        }
    }
}

fn first(cx: Context, is_it: impl Fn(&Accessed) -> bool) -> Option<String> {
    let mut writes = cx.facts.accessed.iter().filter(|accessed| accessed.writes().is_some());
    writes.find(|write| is_it(write)).map(|write| write.access.path.clone())
}

pub fn wants_text(accessed: &Accessed, places: &Places) -> bool {
    accessed.writes().is_some()
        && accessed.is(|path| places.is_settings(path) || places.is_agent_file(path))
}

pub(super) fn writes_home(cx: Context) -> Option<String> {
    first(cx, |accessed| accessed.changes(&cx.facts.places.home))
}

pub(super) fn writes_notes(cx: Context) -> Option<String> {
    let places = &cx.facts.places;
    let is_note = |path: &str| {
        let is_clients =
            |dir: &String| position(path, &format!("{dir}/projects")) == Position::Inside;
        places.config_dirs.iter().any(is_clients) && parts(path).any(|part| part == "subagents")
    };
    first(cx, |accessed| accessed.changes(&places.notes) || accessed.is(is_note))
}

pub(super) fn changes_settings(cx: Context) -> Option<String> {
    first(cx, |accessed| {
        !matches!(accessed.writes(), Some(How::Touch | How::Directory))
            && accessed.is(|path| cx.facts.places.is_settings(path))
            && !settings::stays(&accessed.before(), &accessed.after(cx.call))
    })
}

pub(super) fn writes_plugin(cx: Context) -> Option<String> {
    let places = &cx.facts.places;
    let is_roz = |path: &str| {
        places.config_dirs.iter().any(|dir| {
            let folder = format!("{dir}/plugins");
            position(path, &folder) == Position::Inside
                && parts(path).skip(parts(&folder).count()).any(|part| part.starts_with("roz"))
        })
    };
    let is_list = |path: &str| {
        let named: Vec<&str> = parts(path).collect();
        let is_it = |name: &str| name == INSTALLED_PLUGINS || name == KNOWN_MARKETPLACES;
        matches!(named[..], [.., folder, "plugins", name] if client_files::is_folder(folder) && is_it(name))
    };
    first(cx, |accessed| {
        accessed.changes(&places.plugin)
            || accessed.is(is_roz)
            || accessed.is(is_list)
            || accessed.is(client_files::is_own_file)
    })
}

/// Whether a write may define an agent.
fn fills_agent_file(cx: Context, accessed: &Accessed) -> bool {
    !matches!(accessed.writes(), Some(How::Remove | How::Touch | How::Directory | How::Chmod))
        && accessed.is(|path| cx.facts.places.is_agent_file(path))
}

pub(super) fn makes_a_reviewer(cx: Context) -> Option<String> {
    let is_named = |path: &str| shell::last_part(path).starts_with("roz");
    first(cx, |accessed| {
        fills_agent_file(cx, accessed)
            && match accessed.after(cx.call) {
                Content::Text(text) => {
                    reviewer_file::names_reviewer(&text)
                        || accessed.is(|path| reviewer_file::replaces(path, &text))
                }
                // With unknown content, the input and the file's name decide.
                Content::Absent | Content::Unknown => {
                    cx.call.json.contains(REVIEWER)
                        || accessed.is(is_named)
                        || accessed.is(client_files::may_override)
                            && reviewer_file::may_name(cx.call.json)
                }
            }
    })
}

/// For command lines whose content comes from elsewhere. Copied files and files edited in place
/// were judged when they were written.
pub(super) fn makes_an_unknown_agent(cx: Context) -> Option<String> {
    let unknown = |reading: &&Reading| !shows_its_text(reading) && !copies(reading);
    let writes = cx.call.readings.iter().filter(unknown).flat_map(|reading| &reading.writes);
    let paths: Vec<&str> = writes.map(|write| write.path.as_str()).collect();
    first(cx, |accessed| {
        matches!(accessed.writes(), Some(How::Write | How::Append))
            && paths.contains(&accessed.access.path.as_str())
            && accessed.is(|path| {
                let lower = path.to_lowercase();
                cx.facts.places.is_agent_file(path)
                    && [".md", ".toml"].iter().any(|end| lower.ends_with(end))
            })
    })
}

/// Whether the line contains all the text that it writes: here-documents and plain `echo`.
fn shows_its_text(reading: &Reading) -> bool {
    reading.runs.iter().all(|run| match base(run) {
        "cat" => operands(run).all(|word| word == "-"),
        program => {
            is_one("echo printf tee mkdir cd true : test [ ls", program)
                && !run.argv.iter().any(|word| is_hidden(word))
        }
    })
}

fn copies(reading: &Reading) -> bool {
    reading.runs.iter().any(|run| is_one("cp mv ln install rsync sed git gcp gmv", base(run)))
}

pub(super) fn replaces_binary(cx: Context) -> Option<String> {
    let places = &cx.facts.places;
    let is_on_path = |path: &str| {
        path.strip_suffix("/roz")
            .is_some_and(|folder| places.path.iter().any(|text| is_same_place(folder, text)))
    };
    first(cx, |accessed| accessed.changes(&places.binary) || accessed.is(is_on_path))
}

pub(super) fn writes_orchestration(cx: Context) -> Option<String> {
    // Roz named exactly this command; its result is checked afterwards.
    if cx.call.tool.command().is_some_and(|line| cx.session.intent.is_way_back(line)) {
        return None;
    }
    first(cx, |accessed| {
        accessed.is(|path| {
            parts(path).any(|part| fits(part, ".orchestration"))
                && !cx.facts.places.is_temporary(path, ".orchestration")
        })
    })
}

pub(super) fn writes_project_config(cx: Context) -> Option<String> {
    let places = &cx.facts.places;
    let is_nobodys = |path: &str, folder: &str| {
        let name = if fits(folder, ".roz") { ".roz" } else { ".grove" };
        places.is_nobodys(path, name)
    };
    let is_folder = |name: &str| fits(name, ".roz") || fits(name, ".grove");
    first(cx, |accessed| {
        accessed.is(|path| match parts(path).collect::<Vec<_>>()[..] {
            [.., folder, name] if is_folder(folder) => {
                fits(name, "config.toml") && !is_nobodys(path, folder)
            }
            // The folder itself is moved away or replaced.
            [.., folder] => {
                let replaces = accessed.access.takes_away
                    || matches!(accessed.writes(), Some(How::Move | How::Link));
                replaces && is_folder(folder) && !is_nobodys(path, folder)
            }
            [] => false,
        })
    })
}
