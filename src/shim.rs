//! Replaces a gated program: roz is started under the program's name through a link that comes
//! first on PATH. It passes the real argv to `hooks::shim_judge`, and becomes the program unless a
//! gate objects.
//!
//! ```text
//! make release ─► sh ─► git push ─► <ROZ_HOME>/shims/…/git ─► judged ─► /usr/bin/git
//!                                                                   └─► reason, exit code 126
//! ```
//!
//! Everything that is not an agent's work in this session is allowed: other sessions, ended
//! sessions, folders for temporary files, a person's own terminal.

use std::{
    io::{self, IsTerminal as _, Write as _},
    panic,
    path::{Path, PathBuf},
    process::ExitCode,
    time::{Duration, Instant},
};

use crate::{
    core::bounded,
    hooks::shim_judge::{self, Judgement, Place, Start},
    observe::work,
    open::shim_store::Watched,
    world::{
        World, git,
        parent_processes::{Ancestor, ancestors},
        shim_start::{Started, session_id},
    },
};

/// The exit codes of a shell for a program that it may not run, and for one that it does not find.
const DENIED: u8 = 126;
const NOT_FOUND: u8 = 127;

/// Runs as a gated program. `None` if this process was started as roz.
pub fn run() -> Option<ExitCode> {
    let started: &'static Started = Box::leak(Box::new(Started::now()?));
    let Some(program) = started.program() else {
        say(&format!("{}: command not found", started.name.display()));
        return Some(NOT_FOUND.into());
    };
    // The program runs even if something is wrong with roz.
    let real = program.clone();
    panic::set_hook(Box::new(move |_| {
        let _ = started.become_program(&real);
    }));
    let Some(id) = session_id() else { return Some(become_program(started, &program)) };
    let argv = started.argv();
    let watched = Watched::read(&started.home, &id);
    if let (Some(watched), Ok(cwd)) = (&watched, std::env::current_dir())
        && shim_judge::is_unwatched(&argv, &cwd, watched)
    {
        return Some(become_program(started, &program));
    }
    let variables = watched.map(|watched| watched.variables);
    let world = World::from_env().with_roz_vars(&started.home, variables);
    let Ok(session_id) = id.parse() else { return Some(become_program(started, &program)) };
    let start = Start { session_id, cwd: world.cwd.clone(), argv };
    let is_ours = |place: &Place| is_sessions_work(place, &start, &world) && !is_persons(&world);
    Some(match shim_judge::judge(&start, is_ours, &world) {
        Judgement::Free => become_program(started, &program),
        Judgement::Denied(reason) => {
            say(&format!("{}{reason}", got_so_far(&start, &world)));
            DENIED.into()
        }
        Judgement::Closes(closings) => match run_once(started, &program) {
            Ok(0) => {
                // The program has succeeded, even if recording that fails.
                panic::set_hook(Box::new(|_| signal_hook::low_level::exit(0)));
                if let Err(why) = shim_judge::note_closed_tickets(&start, &closings, &world) {
                    say(&format!("roz: warning: the closed ticket could not be recorded: {why}"));
                }
                ExitCode::SUCCESS
            }
            Ok(code) => code.into(),
            Err(err) => cannot_run(&program, &err),
        },
    })
}

/// Runs the program. It is not run again, whatever goes wrong after that.
fn run_once(started: &Started, program: &Path) -> io::Result<u8> {
    drop(panic::take_hook());
    started.run_program(program)
}

fn become_program(started: &Started, program: &Path) -> ExitCode {
    let err = started.become_program(program);
    cannot_run(program, &err)
}

fn cannot_run(program: &Path, err: &io::Error) -> ExitCode {
    say(&format!("{}: {err}", program.display()));
    DENIED.into()
}

fn say(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Whether the program works on the session's project, or anywhere that is neither a temporary
/// folder nor ignored by git.
fn is_sessions_work(place: &Place, start: &Start, world: &World) -> bool {
    let named = git_folders(start, world);
    let mut folders = place.folders.iter().chain(&named);
    folders.any(|folder| !is_scratch(folder, place.project, world))
}

/// The folders in which git is told to look for the repository, besides the current one.
fn git_folders(start: &Start, world: &World) -> Vec<PathBuf> {
    let by_environment = world.var("GIT_DIR").map(str::to_owned);
    let options = crate::shell::git_options(&start.argv).into_iter();
    let options = options.filter(|(name, _)| name == "git-dir" || name == "work-tree");
    let named = options.filter_map(|(_, value)| value).chain(by_environment);
    named.map(|named| start.cwd.join(named)).collect()
}

fn is_scratch(folder: &Path, project: &Path, world: &World) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let (folder, project) = (real(folder), real(project));
    let root = git::find_root(&folder);
    let common = |root: &Path| Some(real(&git::git_dirs(root)?.1));
    let is_own = match &root {
        // A linked work tree belongs to the project, wherever it is.
        Some(root) => {
            *root == project || common(root).is_some_and(|path| common(&project) == Some(path))
        }
        None => folder.starts_with(&project),
    };
    if is_own {
        return false;
    }
    // A folder that contains the home, or is in it, is not only for temporary files.
    let meets_home = |path: &Path| {
        world
            .user_home
            .as_deref()
            .is_some_and(|home| home.starts_with(path) || path.starts_with(home))
    };
    let own = world.var("TMPDIR").map(Path::new).filter(|path| !meets_home(path));
    let mut temporary = ["/tmp", "/var/tmp"].map(Path::new).into_iter().chain(own);
    if temporary.any(|path| folder.starts_with(real(path))) {
        return true;
    }
    root.is_some_and(|root| is_ignored(&root))
}

/// Whether the work tree is inside another one whose git ignores it.
fn is_ignored(root: &Path) -> bool {
    let Some(around) = root.parent().and_then(git::find_root) else { return false };
    work::is_ignored(&around, root, Instant::now() + Duration::from_secs(2))
}

/// Whether a person started it at their own terminal. An editor or tmux that an agent opened counts
/// as a person's.
fn is_persons(world: &World) -> bool {
    (io::stdin().is_terminal() || io::stderr().is_terminal())
        && !ancestors().iter().any(|folder| folder.is_agent(&agents(world)))
}

/// The processes that the environment names as agents.
fn agents(world: &World) -> Vec<u32> {
    let named = ["CLAUDE_PID", "ROZ_AGENT_PID"].into_iter().filter_map(|text| world.var(text));
    named.filter_map(|text| text.parse().ok()).collect()
}

/// A line about what started the program; empty if the agent's own command line did.
fn got_so_far(start: &Start, world: &World) -> String {
    let agents = agents(world);
    let above = ancestors().into_iter().take_while(|folder| !folder.is_agent(&agents));
    let cause =
        above.filter(|above| !above.is_shell_line()).map(|above: Ancestor| above.line()).next();
    let shown = |text: &str| bounded::plain_line(&bounded::line(text, 100));
    match cause.filter(|cause| !cause.is_empty()) {
        Some(cause) => {
            format!("roz: `{}` got as far as `{}`.\n", shown(&cause), shown(&start.argv.join(" ")))
        }
        None => String::new(),
    }
}
