//! `roz install`: wires the hooks into the client, by the client's own means; into other agents by
//! their files.

pub(super) mod agents;
mod codex;
mod others;
mod told;

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use serde_json::json;

use self::told::Told;
use super::{Done, input, say, trial};
use crate::{
    clients,
    core::protect::{INSTALLED_PLUGINS, KNOWN_MARKETPLACES},
    hooks::gather::config_dir,
    plugin::{
        self, ID, MARKETPLACE, Place, Plugin,
        client::{self, Client, Install},
        extras, settings,
    },
    world::{World, git},
};

/// Connect roz to Claude Code
///
/// Installs a plugin whose hooks start this binary by its absolute path. At a
/// terminal it asks whether to add permissions and the status line. Run it again
/// after the binary has moved; `roz uninstall` undoes all of it.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "they are flags")]
pub(super) struct Args {
    /// For all your projects, or for the current one only
    #[arg(long, value_enum, default_value_t = Scope::User)]
    scope: Scope,
    /// Refuse a tool call if roz itself cannot run (newer clients only). Unchanged if left out
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    strict: Option<bool>,
    /// Let agents run roz's own commands (`roz decide`, …) without asking you
    #[arg(long)]
    permissions: bool,
    /// Show roz in the client's status line
    #[arg(long)]
    status_line: bool,
    /// Answer every question with yes
    #[arg(short, long)]
    yes: bool,
    /// Trial mode: nothing is held or denied, and `roz stats` lists what would have been.
    /// `--trial=false` ends it
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    trial: Option<bool>,
    /// Connect this agent instead of Claude Code (may be given more than once)
    #[arg(long, value_name = "NAME")]
    client: Vec<String>,
    /// Connect every agent that is found here, Claude Code among them
    #[arg(long, conflicts_with = "client")]
    all: bool,
    /// Only say what would be done
    #[arg(long)]
    dry_run: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Scope {
    User,
    Project,
}

impl Scope {
    fn word(self) -> &'static str {
        match self {
            Scope::User => "user",
            Scope::Project => "project",
        }
    }
}

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    let named = args.client.iter().filter(|name| *name != CLAUDE).map(|name| agents::find(name));
    let named = named.collect::<Result<Vec<_>, _>>()?;
    if args.all || !args.client.is_empty() {
        let others = if args.all { agents::present(world) } else { named };
        others::connect(&others, args, world)?;
    }
    let is_claude_wanted = args.client.iter().any(|name| name == CLAUDE)
        || args.all && Client::find(world).is_some()
        || args.client.is_empty() && !args.all;
    if is_claude_wanted {
        return install(args, world);
    }
    if let Some(trial) = args.trial {
        say::print_plain(&(trial::set(trial, args.dry_run, world)? + "\n"))?;
    }
    Ok(Done::Well)
}

const CLAUDE: &str = "claude";

fn install(args: &Args, world: &World) -> super::Result {
    let place = Place::new(world.data_dir().as_deref())?;
    let folder = place.folder();
    let binary = world.binary()?;
    let strict =
        args.strict.unwrap_or_else(|| plugin::read(&folder).is_ok_and(|found| found.strict));
    let plugin = Plugin { binary: &binary, strict };
    let client = Client::find(world);
    let theirs = Theirs::new(args.scope, world);
    not_of_another(&folder, &theirs, world)?;
    if client.is_some() {
        // Before anything is written: the client would stop half way.
        theirs.settings.iter().try_for_each(|setting| settings::check_writable(setting))?;
    }

    let mut told = Told::default();
    told.warn_of_binary(&binary, world);
    told.warn_of_marketplace(&folder, world);
    if strict {
        told.warn_of_age(client.as_ref());
    }
    if plugin.is_written(&folder)? {
        told.done.push(format!("The plugin in `{}` is up to date.", folder.display()));
    } else {
        if !args.dry_run {
            place.write(&plugin).map_err(|err| Unwritable(folder.clone(), err))?;
        }
        told.did(WRITE, &format!("the plugin to `{}`.", folder.display()), args);
    }
    if let Some(trial) = args.trial {
        told.done.push(trial::set(trial, args.dry_run, world)?);
    }
    match &client {
        Some(client) => {
            let wired = Wiring { client, place: &place, theirs: &theirs, args, binary: &binary }
                .run(&mut told, world);
            if !args.dry_run {
                place.remember_what_was_made()?;
            }
            wired?;
        }
        None => {
            told.to_type =
                commands(&folder, args).map(|command| client::line(&refs(&command))).into();
        }
    }
    let unconnected = |other: &&&dyn clients::Client| {
        agents::plan(**other, world).is_ok_and(|files| files.iter().any(|file| !file.is_done()))
    };
    let others = agents::present(world);
    let others: Vec<&str> = others.iter().filter(unconnected).map(|other| other.title()).collect();
    if !others.is_empty() && !args.all {
        let others = others.join(", ");
        told.offers.push(format!("Also here: {others}. `roz install --all` connects them too."));
    }
    let wired = client.is_some() && !args.dry_run;
    if args.json {
        say::print_json(&json!({
            "plugin": folder,
            "binary": binary,
            "strict": strict,
            "scope": args.scope.word(),
            "client": client.map(|client| client.program),
            "dry_run": args.dry_run,
            "done": told.done,
            "to_type": told.to_type,
            "offers": told.offers,
            "warnings": told.warnings,
        }))?;
        return Ok(Done::Well);
    }
    let width = say::Out::new(world).edge();
    let warning = |text: &String| say::folded(&format!("warning: {text}"), width, "  ");
    let warnings: Vec<String> = told.warnings.iter().map(warning).collect();
    let mut text = spoken(&told.done, &told.to_type);
    if !warnings.is_empty() {
        let out = say::Out::new(world);
        text += &(out.paint(say::Tone::Warn, &warnings.join("\n")) + "\n");
    }
    for offer in &told.offers {
        text += &(say::folded(offer, width, "") + "\n");
    }
    if wired {
        text += "New sessions are governed from now on. `roz doctor` checks it.\n";
    }
    say::print(&text)?;
    Ok(Done::Well)
}

const WRITE: (&str, &str) = ("Wrote", "Would write");

/// What the client is asked to do.
fn commands(folder: &Path, args: &Args) -> [Vec<String>; 2] {
    let words = |items: &[&str]| items.iter().map(|text| (*text).to_owned()).collect();
    // The folder is this machine's, whatever the scope: no project's file is to
    // name it.
    let add = words(&["plugin", "marketplace", "add", &folder.to_string_lossy()]);
    [add, words(&["plugin", "install", ID, "--scope", args.scope.word()])]
}

fn refs(words: &[String]) -> Vec<&str> {
    words.iter().map(String::as_str).collect()
}

#[derive(Debug, thiserror::Error)]
#[error(
    "failed to write the plugin to `{}`. Make that folder writable, or name another one with \
     `XDG_DATA_HOME`",
    .0.display()
)]
struct Unwritable(PathBuf, #[source] plugin::Error);

#[derive(Debug, thiserror::Error)]
#[error(
    "the client already has another marketplace `{MARKETPLACE}`, in `{}`{}. Remove it (`claude \
     plugin marketplace remove {MARKETPLACE}`) or rename it, then run `roz install` again. Nothing \
     was changed",
    known.display(), of_it(others)
)]
struct Taken {
    known: PathBuf,
    others: BTreeSet<String>,
}

fn of_it(others: &BTreeSet<String>) -> String {
    let named: Vec<String> = others.iter().map(|other| format!("`{other}`")).collect();
    if named.is_empty() { String::new() } else { format!(" ({} would go)", named.join(", ")) }
}

/// An earlier roz makes room for this one; what is somebody else's stays.
fn not_of_another(folder: &Path, theirs: &Theirs, world: &World) -> Result<(), Taken> {
    let config = theirs.config.as_deref();
    let (all, _) = settings::read(config, &git::root(&world.cwd));
    let declared = || all.iter().find_map(|settings| settings.marketplace().map(Path::to_owned));
    let known =
        settings::marketplace(config).or_else(declared).filter(|marketplace| marketplace != folder);
    let Some(known) = known else { return Ok(()) };
    let others = settings::others_of_marketplace(config, &all);
    if others.is_empty() && plugin::is_of_roz(&known) {
        return Ok(());
    }
    Err(Taken { known, others })
}

/// The client's files that change when it takes a plugin in.
struct Theirs {
    config: Option<PathBuf>,
    settings: Vec<PathBuf>,
}

impl Theirs {
    fn new(scope: Scope, world: &World) -> Self {
        let config = config_dir(world);
        // The marketplace is declared in the user's, whatever the scope.
        let mut settings: Vec<PathBuf> =
            config.iter().map(|path| path.join("settings.json")).collect();
        if scope == Scope::Project {
            settings.push(git::root(&world.cwd).join(".claude/settings.json"));
        }
        Self { config, settings }
    }

    fn of_plugins(&self, names: &[&str]) -> Vec<PathBuf> {
        let names = names.iter();
        names.filter_map(|name| Some(self.config.as_ref()?.join("plugins").join(name))).collect()
    }

    fn remember(&self, place: &Place) -> super::Result<()> {
        let registries = self.of_plugins(&[KNOWN_MARKETPLACES, INSTALLED_PLUGINS]);
        let files = [self.settings.clone(), registries].concat();
        place.remember(&files, &self.of_plugins(&["cache", "marketplaces"]))?;
        Ok(())
    }
}

/// The plugin's way into the client.
struct Wiring<'a> {
    client: &'a Client,
    place: &'a Place,
    theirs: &'a Theirs,
    args: &'a Args,
    binary: &'a Path,
}

impl Wiring<'_> {
    fn run(&self, told: &mut Told, world: &World) -> super::Result<()> {
        let folder = self.place.folder();
        let project = git::root(&world.cwd);
        let scope = self.args.scope.word();
        let is_ours = |other: &&Install| other.scope == scope && is_for(other, &project);
        let [add, install] = commands(&folder, self.args);
        if !self.args.dry_run {
            // Before the first word to the client: a version that is new to a
            // home lays its files out anew, whatever it is asked.
            self.theirs.remember(self.place)?;
        }
        let installs = if self.args.dry_run { Vec::new() } else { self.client.installs()? };
        let mut ours = installs.iter().find(is_ours).cloned();
        if !self.is_declared(&folder, &project) || ours.is_none() {
            self.ask(&refs(&add), told)?;
        }
        if ours.is_none() {
            self.ask(&refs(&install), told)?;
            if !self.args.dry_run {
                // One that was there already keeps its version, and stays off.
                ours = self.client.installs()?.iter().find(is_ours).cloned();
            }
        }
        if let Some(ours) = ours {
            if ours.version != env!("CARGO_PKG_VERSION") {
                self.ask(&["plugin", "update", ID, "--scope", scope], told)?;
            }
            if !ours.enabled {
                self.ask(&["plugin", "enable", ID, "--scope", scope], told)?;
            }
        }
        self.prune(told, &project)?;
        self.add_extras(told, &project)
    }

    /// Adds permissions and the status line if the user wants them.
    fn add_extras(&self, told: &mut Told, project: &Path) -> super::Result<()> {
        let (all, _) = settings::read(self.theirs.config.as_deref(), project);
        let rules = extras::missing_rules(&all);
        if let Some(path) = self.theirs.settings.last().filter(|_| !rules.is_empty()) {
            let shown = path.display();
            let listed = rules.join("`, `");
            let what = format!("the rules `{listed}` to `{shown}`");
            let question =
                "Let agents run roz's own commands (`roz decide`, …) without asking you?";
            match self.wants(self.args.permissions, question)? {
                Some(true) => {
                    told.edited(path, &what, self.args, || extras::add_rules(path, &rules));
                }
                Some(false) => (),
                None => told.offers.push(format!(
                    "The client asks before agents run roz's own commands. `roz install \
                     --permissions` adds {what}."
                )),
            }
        }
        // It names this machine's binary, which is nothing for a project's file.
        let path = self.theirs.settings.first().filter(|_| self.args.scope == Scope::User);
        let is_free = !all.iter().any(settings::Settings::has_status_line);
        if let Some(path) = path.filter(|_| is_free) {
            let what = format!("the status line to `{}`", path.display());
            match self.wants(self.args.status_line, "Show roz in the client's status line?")? {
                Some(true) => {
                    let add = || extras::add_status_line(path, self.binary);
                    told.edited(path, &what, self.args, add);
                }
                Some(false) => (),
                None => told.offers.push(format!("`roz install --status-line` adds {what}.")),
            }
        } else if self.args.status_line && !is_free {
            told.warnings.push(
                "A status line is configured already, so it was left alone. Have it print what \
                 `roz statusline` prints."
                    .to_owned(),
            );
        }
        Ok(())
    }

    /// What a flag says, else what the user answers. None where nobody can be asked.
    fn wants(&self, flag: bool, question: &str) -> super::Result<Option<bool>> {
        if flag || self.args.yes {
            return Ok(Some(true));
        }
        if self.args.dry_run || self.args.json || !input::can_ask() {
            return Ok(None);
        }
        Ok(Some(input::ask(question, true)? == Some(true)))
    }

    /// The client writes the time into its list whenever it is told again.
    fn is_declared(&self, folder: &Path, project: &Path) -> bool {
        let config = self.theirs.config.as_deref();
        let (all, _) = settings::read(config, project);
        settings::marketplace(config).as_deref() == Some(folder)
            && all.iter().any(|settings| settings.declares_marketplace(folder))
    }

    fn ask(&self, words: &[&str], told: &mut Told) -> super::Result<()> {
        if !self.args.dry_run {
            self.client.run(words)?;
        }
        told.did(("Ran", "Would run"), &format!("`{}`.", client::line(words)), self.args);
        Ok(())
    }

    /// The plugin's hooks run now: those of an earlier installation would run
    /// besides them.
    fn prune(&self, told: &mut Told, project: &Path) -> super::Result<()> {
        let (all, _) = settings::read(self.theirs.config.as_deref(), project);
        let mut local = self.theirs.settings.clone();
        if self.args.scope == Scope::Project {
            local.push(project.join(".claude/settings.local.json"));
        }
        for old in all
            .iter()
            .filter(|settings| local.contains(&settings.path) && !settings.events().is_empty())
        {
            let path = old.path.display();
            let events = if self.args.dry_run {
                old.events().into_iter().map(str::to_owned).collect()
            } else {
                self.place.prune(old)?
            };
            if !events.is_empty() {
                let events = events.join(", ");
                told.did(
                    ("Removed", "Would remove"),
                    &format!("the old `roz hook` entries from `{path}` ({events})."),
                    self.args,
                );
            }
        }
        if self.args.dry_run {
            return Ok(());
        }
        let (all, _) = settings::read(self.theirs.config.as_deref(), project);
        for second in settings::seconds(&all) {
            told.warnings.push(format!(
                "Hooks run twice here: {second} also runs `roz hook`. Remove those entries, or that \
                 plugin."
            ));
        }
        Ok(())
    }
}

/// Whether an installation holds in a project.
pub(super) fn is_for(install: &Install, project: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    install.project_path.as_deref().is_none_or(|project_path| real(project_path) == real(project))
}

/// What was done, and what is left to be typed, for people.
pub(super) fn spoken(done: &[String], to_type: &[String]) -> String {
    let mut lines = done.to_vec();
    if !to_type.is_empty() {
        lines.push("Claude Code (`claude`) is not on PATH. To finish, run:".to_owned());
        lines.extend(to_type.iter().map(|text| format!("  {text}")));
    }
    lines.join("\n") + "\n"
}
