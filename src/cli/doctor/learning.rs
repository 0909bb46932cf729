//! Whether what is learned is asked for, kept and found again.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use super::Check;
use crate::{
    core::policy::Auto,
    hooks::reflection_facts,
    memory::{self, Library},
    open::Roz,
    world::{World, git, in_a_line, shell_word},
};

const NAME: &str = "reflection gate";
const PATIENCE: Duration = Duration::from_secs(10);

/// Nothing of learnings where none are kept and none are asked for.
pub(super) fn checks(world: &World) -> Vec<Check> {
    let roz = match Roz::open(world, &world.cwd) {
        Ok(roz) => roz,
        Err(err) => {
            return vec![Check::warn(
                NAME,
                format!("it cannot be looked at: {}", in_a_line(&err)),
                "mend what is named above, and look again",
            )];
        }
    };
    let library = roz.library(world);
    let is_wanted = reflection_facts::is_wanted(&roz, &world.cwd);
    let mut checks = vec![gate(&roz, &library, is_wanted, world)];
    if !is_wanted && !library.markdown_file().exists() {
        return checks;
    }
    checks.push(learnings(&library));
    checks.extend(backends(&library));
    checks.push(log(&roz, &library));
    checks.extend(merging(&roz, &library));
    checks
}

fn gate(roz: &Roz, library: &Library, is_wanted: bool, world: &World) -> Check {
    let system =
        reflection_facts::markers(roz, &world.cwd).find_map(|it| Some((it.system, it.found?)));
    match (roz.policy.reflection.enabled, is_wanted) {
        (Auto::Off, _) => Check::warn(
            NAME,
            "`reflection.enabled` is false: nobody is asked what was learned",
            "remove that line, or set it to \"auto\"",
        ),
        (Auto::On, _) => Check::ok(NAME, "on: `reflection.enabled` is true"),
        (Auto::Auto, true) => Check::ok(
            NAME,
            system.map_or_else(
                || format!("on: there is `{}`", library.markdown_file().display()),
                |(system, at)| format!("on: {system} is used here (`{}`)", at.display()),
            ),
        ),
        (Auto::Auto, false) => Check::ok(
            NAME,
            "off in this project: no learnings and no ticket system (an empty \
             `.roz/learnings.md` switches it on)",
        ),
    }
}

fn learnings(library: &Library) -> Check {
    const NAME: &str = "learnings";
    let shelf = library.all();
    let active = shelf.learnings.iter().filter(|it| it.learning.is_active()).count();
    let all = shelf.learnings.len();
    let seen = format!("{all}, of which {active} are active");
    let Some(first) = shelf.problems.first() else { return Check::ok(NAME, seen) };
    let more = match shelf.problems.len() - 1 {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    Check::warn(
        NAME,
        format!("{seen}; {first}{more}"),
        "mend what is named; `roz learn list` shows all of it, and reads the rest meanwhile",
    )
}

fn backends(library: &Library) -> Vec<Check> {
    const NAME: &str = "backends";
    let answered = library.ping_all();
    let (well, badly): (Vec<_>, Vec<_>) = answered.iter().partition(|it| it.answer.is_ok());
    let names: Vec<&str> = well.iter().map(|it| it.backend).collect();
    let mut checks = Vec::new();
    if !names.is_empty() {
        checks.push(Check::ok(NAME, names.join(", ")));
    }
    for it in badly {
        let why = it.answer.as_ref().err().map(|err| in_a_line(err)).unwrap_or_default();
        checks.push(Check::warn(
            NAME,
            format!("`{}` does not answer: {why}", it.backend),
            "mend it, or switch it off in `backends.overrides`; what is learned meanwhile goes \
             to the markdown file",
        ));
    }
    checks
}

fn log(roz: &Roz, library: &Library) -> Check {
    const NAME: &str = "stats.log";
    let log = roz.usage_log(library);
    let shown = log.path().display();
    match log.read() {
        Ok(view) if view.broken > 0 => Check::warn(
            NAME,
            format!("{} lines, {} of them cannot be read", view.entries + view.broken, view.broken),
            format!("remove those lines from `{shown}`"),
        ),
        Ok(view) => Check::ok(NAME, format!("{} lines", view.entries)),
        Err(err) => Check::warn(
            NAME,
            format!("it cannot be read: {}", in_a_line(&err)),
            format!("make `{shown}` a file that you may read and write"),
        ),
    }
}

/// Two branches that both learned something merge by themselves only where git
/// is told how.
fn merging(roz: &Roz, library: &Library) -> Option<Check> {
    const NAME: &str = "merging";
    let folder = library.markdown_file().parent()?;
    if !roz.project.join(".git").exists() || !folder.is_dir() {
        return None;
    }
    let path = |name: &str| folder.join(name).strip_prefix(&roz.project).ok().map(Path::to_owned);
    let line = memory::ATTRIBUTES.trim();
    let path = line.split_once(' ').and_then(|(name, _)| path(name))?;
    // Without git nothing is merged.
    let value = git::attribute(&roz.project, "merge", &path, Instant::now() + PATIENCE).ok()?;
    if value == "union" {
        return Some(Check::ok(NAME, "git joins both branches' learnings (`merge=union`)"));
    }
    let file = folder.join(".gitattributes");
    Some(Check::warn(
        NAME,
        "two branches that both learned something would conflict",
        format!("`printf '%s\\n' '{line}' >> {}`", shell_word(&file.to_string_lossy())),
    ))
}
