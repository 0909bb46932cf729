//! `roz install`: wires the hooks into the client, by the client's own means.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use serde_json::json;

use super::{Done, say};
use crate::{
    core::protect::{INSTALLED_PLUGINS, KNOWN_MARKETPLACES},
    hooks::gather::config_dir,
    plugin::{
        self, ID, MARKETPLACE, Place, Plugin,
        client::{self, Client, Install},
        is_in_build_folder, permissions, settings,
    },
    world::{World, git},
};

/// Wire roz into the client, as a plugin of the client
///
/// The plugin's hooks name this binary by its absolute path. Run it again after
/// the binary has moved. `roz uninstall` takes all of it back.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// For all projects of this user, or for the project of this folder alone
    #[arg(long, value_enum, default_value_t = Scope::User)]
    scope: Scope,
    /// A tool call is refused where roz itself cannot run (newer clients; older
    /// ones let it pass). Stays as it was if left out
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    strict: Option<bool>,
    /// Also have the client run the verbs of agents and reviewers (`roz reflect`,
    /// `roz decide`, …) without a question: rules in its settings
    #[arg(long)]
    permissions: bool,
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
    let place = Place::new(world.data_dir().as_deref())?;
    let folder = place.folder();
    let binary = world.binary()?;
    let strict = args.strict.unwrap_or_else(|| plugin::read(&folder).is_ok_and(|it| it.strict));
    let plugin = Plugin { binary: &binary, strict };
    let client = Client::find(world);
    let theirs = Theirs::new(args.scope, world);
    not_of_another(&folder, &theirs, world)?;
    if client.is_some() {
        // Before anything is written: the client would stop half way.
        theirs.settings.iter().try_for_each(|it| settings::check_writable(it))?;
    }

    let mut told = Told::default();
    told.warn_of_binary(&binary, world);
    told.warn_of_marketplace(&folder, world);
    if strict {
        told.warn_of_age(client.as_ref());
    }
    if plugin.is_written(&folder)? {
        told.did(format!("The plugin in `{}` is as it should be.", folder.display()), args);
    } else {
        if !args.dry_run {
            place.write(&plugin).map_err(|err| Unwritable(folder.clone(), err))?;
        }
        told.did(format!("Wrote the plugin to `{}`.", folder.display()), args);
    }
    match &client {
        Some(client) => {
            let wired =
                Wiring { client, place: &place, theirs: &theirs, args }.run(&mut told, world);
            if !args.dry_run {
                place.remember_what_was_made()?;
            }
            wired?;
        }
        None => told.to_type = commands(&folder, args).map(|it| client::line(&refs(&it))).into(),
    }
    let wired = client.is_some() && !args.dry_run;
    if args.json {
        say::print_json(&json!({
            "plugin": folder,
            "binary": binary,
            "strict": strict,
            "scope": args.scope.word(),
            "client": client.map(|it| it.program),
            "dry_run": args.dry_run,
            "done": told.done,
            "to_type": told.to_type,
            "offers": told.offers,
            "warnings": told.warnings,
        }))?;
        return Ok(Done::Well);
    }
    let width = say::Out::new(world).edge();
    let warning = |it: &String| say::folded(&format!("warning: {it}"), width, "  ");
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
        text += "Sessions that start from now on are governed; `roz doctor` proves it.\n";
    }
    say::print(&text)?;
    Ok(Done::Well)
}

/// What the client is asked to do.
fn commands(folder: &Path, args: &Args) -> [Vec<String>; 2] {
    let words = |it: &[&str]| it.iter().map(|it| (*it).to_owned()).collect();
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
    "failed to write the plugin to `{}`. Make that a place where you may write, or name another \
     one with `XDG_DATA_HOME`",
    .0.display()
)]
struct Unwritable(PathBuf, #[source] plugin::Error);

#[derive(Debug, thiserror::Error)]
#[error(
    "the client knows another marketplace `{MARKETPLACE}`, in `{}`, and has room for one of a \
     name{}. If you can do without it, `claude plugin marketplace remove {MARKETPLACE}`; else \
     have it bear another name. Then run `roz install` again. Nothing was changed",
    known.display(), of_it(others)
)]
struct Taken {
    known: PathBuf,
    others: BTreeSet<String>,
}

fn of_it(others: &BTreeSet<String>) -> String {
    let named: Vec<String> = others.iter().map(|it| format!("`{it}`")).collect();
    if named.is_empty() { String::new() } else { format!(" ({} would go)", named.join(", ")) }
}

/// An earlier roz makes room for this one; what is somebody else's stays.
fn not_of_another(folder: &Path, theirs: &Theirs, world: &World) -> Result<(), Taken> {
    let config = theirs.config.as_deref();
    let (all, _) = settings::read(config, &git::root(&world.cwd));
    let declared = || all.iter().find_map(|it| it.marketplace().map(Path::to_owned));
    let known = settings::marketplace(config).or_else(declared).filter(|it| it != folder);
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
        let mut settings: Vec<PathBuf> = config.iter().map(|it| it.join("settings.json")).collect();
        if scope == Scope::Project {
            settings.push(git::root(&world.cwd).join(".claude/settings.json"));
        }
        Self { config, settings }
    }

    fn of_plugins(&self, names: &[&str]) -> Vec<PathBuf> {
        let names = names.iter();
        names.filter_map(|it| Some(self.config.as_ref()?.join("plugins").join(it))).collect()
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
}

impl Wiring<'_> {
    fn run(&self, told: &mut Told, world: &World) -> super::Result<()> {
        let folder = self.place.folder();
        let project = git::root(&world.cwd);
        let scope = self.args.scope.word();
        let is_ours = |it: &&Install| it.scope == scope && is_for(it, &project);
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
        self.permit(told, &project);
        Ok(())
    }

    /// Adds the rules by which the client runs the verbs of agents and reviewers, or offers it.
    fn permit(&self, told: &mut Told, project: &Path) {
        let (all, _) = settings::read(self.theirs.config.as_deref(), project);
        let rules = permissions::missing(&all);
        let Some(path) = self.theirs.settings.last().filter(|_| !rules.is_empty()) else { return };
        let (listed, shown) = (rules.join("`, `"), path.display());
        if !self.args.permissions {
            told.offers.push(format!(
                "The client asks before agents and reviewers run roz's verbs. `roz install \
                 --permissions` adds the rules `{listed}` to `{shown}`."
            ));
            return;
        }
        let added = if self.args.dry_run { Ok(()) } else { permissions::add(path, &rules) };
        match added {
            Ok(()) => told.did(format!("Added `{listed}` to `{shown}`."), self.args),
            Err(why) => told.warnings.push(format!(
                "`{shown}` was left as it is ({why}): add `{listed}` to its `permissions.allow`."
            )),
        }
    }

    /// The client writes the time into its list whenever it is told again.
    fn is_declared(&self, folder: &Path, project: &Path) -> bool {
        let config = self.theirs.config.as_deref();
        let (all, _) = settings::read(config, project);
        settings::marketplace(config).as_deref() == Some(folder)
            && all.iter().any(|it| it.declares_marketplace(folder))
    }

    fn ask(&self, words: &[&str], told: &mut Told) -> super::Result<()> {
        if !self.args.dry_run {
            self.client.run(words)?;
        }
        told.did(format!("Ran `{}`.", client::line(words)), self.args);
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
        for old in all.iter().filter(|it| local.contains(&it.path) && !it.events().is_empty()) {
            let path = old.path.display();
            let events = if self.args.dry_run {
                old.events().into_iter().map(str::to_owned).collect()
            } else {
                self.place.prune(old)?
            };
            if !events.is_empty() {
                let events = events.join(", ");
                told.did(
                    format!("Took the old `roz hook` entries out of `{path}` ({events})."),
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
                "Hooks run twice here: {second} runs `roz hook` besides this plugin. Remove those \
                 entries, or that plugin."
            ));
        }
        Ok(())
    }
}

/// Whether an installation holds in a project.
pub(super) fn is_for(install: &Install, project: &Path) -> bool {
    let real = |it: &Path| it.canonicalize().unwrap_or_else(|_| it.to_owned());
    install.project_path.as_deref().is_none_or(|it| real(it) == real(project))
}

/// What is said at the end.
#[derive(Debug, Default)]
struct Told {
    done: Vec<String>,
    to_type: Vec<String>,
    /// What one may want as well.
    offers: Vec<String>,
    warnings: Vec<String>,
}

impl Told {
    fn did(&mut self, what: String, args: &Args) {
        self.done.push(if args.dry_run { format!("[dry run] {what}") } else { what });
    }

    fn warn_of_binary(&mut self, binary: &Path, world: &World) {
        let path = binary.display();
        if is_in_build_folder(binary) {
            self.warnings.push(format!(
                "`{path}` lies in a build folder. When that is cleaned, the hooks have no binary \
                 and every gate is open: install the binary first (`./install.sh`)."
            ));
        }
        match world.on_path("roz").first() {
            Some(first) if first == binary => (),
            Some(first) => self.warnings.push(format!(
                "`{}` comes before `{path}` on PATH, so reviewers run that one: remove it, or put \
                 the folder of this one first.",
                first.display()
            )),
            None => self.warnings.push(format!(
                "`{path}` is not on PATH as `roz`. Hooks and reviewers find it all the same; you \
                 will want it for `roz list` and the like."
            )),
        }
    }

    fn warn_of_age(&mut self, client: Option<&Client>) {
        let version = client.and_then(|it| it.version().ok());
        if let Some(version) = version.filter(|it| *it < client::STRICT_SINCE) {
            self.warnings.push(format!(
                "Claude Code {version} does not know `--strict`: until it is {} or newer, it lets \
                 a tool call pass where roz cannot run.",
                client::STRICT_SINCE
            ));
        }
    }

    fn warn_of_marketplace(&mut self, folder: &Path, world: &World) {
        let known: Option<PathBuf> = settings::marketplace(config_dir(world).as_deref());
        if let Some(known) = known.filter(|it| it != folder) {
            self.warnings.push(format!(
                "The client knew a marketplace `{}` in `{}`: it is this one from now on.",
                MARKETPLACE,
                known.display()
            ));
        }
    }
}

/// What was done, and what is left to be typed, for people.
pub(super) fn spoken(done: &[String], to_type: &[String]) -> String {
    let mut lines = done.to_vec();
    if !to_type.is_empty() {
        lines.push("The client (`claude`) is not on PATH. Where it is, type:".to_owned());
        lines.extend(to_type.iter().map(|it| format!("  {it}")));
    }
    lines.join("\n") + "\n"
}
