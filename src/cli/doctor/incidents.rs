//! Earlier incidents that someone has to look at: the newest of each kind.

use std::fs;

use super::{Finding, Subject, home};
use crate::{core::bounded, hooks::unknown_tools, observe::own_files, world::read_ending};

pub(super) fn check(subject: &Subject) -> Option<Finding> {
    weakened(subject)
        .or_else(|| crash(subject))
        .or_else(|| unreadable_session(subject))
        .or_else(|| unknown_tool(subject))
}

fn weakened(subject: &Subject) -> Option<Finding> {
    let waiting = own_files::unconfirmed(&subject.sources.roz_home);
    let first = waiting.first()?;
    Some(Finding::warn(
        format!("a {} call changed {}", first.tool, first.shown()),
        "put it back, or run `roz confirm` if it is right",
    ))
}

fn crash(subject: &Subject) -> Option<Finding> {
    let path = subject.sources.roz_home.join("crash.log");
    let text = read_ending(&path, 1 << 16)?;
    let last = text.lines().rev().find(|line| !line.trim().is_empty())?;
    Some(Finding::warn(
        format!("a hook crashed, so its gate was open: {}", bounded::plain_line(last)),
        format!("report what `{0}` says, then `rm '{0}'`", path.display()),
    ))
}

/// A session that could not be parsed: its open gates are forgotten.
fn unreadable_session(subject: &Subject) -> Option<Finding> {
    let homes = home::homes(subject);
    let files = homes.iter().filter_map(|home| fs::read_dir(home.join("sessions")).ok());
    let mut paths = files.flatten().flatten().map(|file| file.path());
    let aside = paths.find(|path| path.to_string_lossy().contains(".corrupt-"))?;
    Some(Finding::warn(
        format!("a session could not be read and started over: `{}`", aside.display()),
        "find out what wrote to that file; `roz clean` removes it in time",
    ))
}

/// A tool that roz does not know: its calls passed.
fn unknown_tool(subject: &Subject) -> Option<Finding> {
    let home = &subject.sources.roz_home;
    let names = unknown_tools::called(home);
    let first = names.first()?;
    let more = match names.len() {
        1 => String::new(),
        count => format!(" (and {} more)", count - 1),
    };
    Some(Finding::warn(
        format!("roz does not know the tool `{first}`{more}, so its calls passed"),
        format!(
            "if it runs commands or writes files, name it in `review.gates.tools`; `rm '{}'` \
             forgets these tools",
            unknown_tools::file(home).display()
        ),
    ))
}
