//! `roz install`: installs the hooks with the client's own commands, or by editing an agent's
//! files.

mod codex_trust;
pub(super) mod other_clients;

use std::path::{Path, PathBuf};

use clap::Args as _;
use serde::Serialize;

use super::{
    input,
    say::{self, Out, Tone},
    trial,
};
use crate::{
    clients::{self, Capability},
    core::protect::{INSTALLED_PLUGINS, KNOWN_MARKETPLACES},
    hooks::gather::config_dir,
    plugin::{
        self, ID, MARKETPLACE, Place, Plugin,
        claude_program::{self, Client, Install},
        permission_rules,
        read_settings::{self, Settings},
    },
    world::{World, git, in_a_line},
};

/// Connect roz to a coding agent
///
/// In Claude Code it installs a plugin whose hooks start this binary by its absolute path. At a
/// terminal it asks whether to add permissions and the status line. Run it again
/// after the binary has moved; `roz uninstall` undoes all of it.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "they are flags")]
pub(super) struct Args {
    /// For all your projects (default: `user`), or for the current one only
    #[arg(long, value_parser = ["user", "project"])]
    scope: Option<String>,
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
    #[arg(long, value_name = "NAME", value_parser = other_clients::named())]
    client: Vec<&'static dyn clients::Client>,
    /// Connect every agent that is found here, Claude Code among them
    #[arg(long, conflicts_with = "client")]
    all: bool,
    /// Say what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
    #[arg(from_global)]
    json: bool,
}

impl Args {
    /// Refuses the options that would do nothing without Claude Code.
    fn concern_only_others(&self) -> Result<(), clap::Error> {
        let options = [
            ("--scope", self.scope.is_some()),
            ("--strict", self.strict.is_some()),
            ("--permissions", self.permissions),
            ("--status-line", self.status_line),
        ];
        let Some((option, _)) = options.iter().find(|(_, is_given)| *is_given) else {
            return Ok(());
        };
        let what = format!("`{option}` is for Claude Code, so it needs `--client claude` as well");
        let mut command = Self::augment_args(clap::Command::new("roz install"));
        Err(command.error(clap::error::ErrorKind::ArgumentConflict, what))
    }
}

#[derive(Debug, Default, Serialize)]
pub(super) struct Told {
    pub(super) done: Vec<String>,
    /// Commands for the user to type, because the client is not on PATH.
    pub(super) to_type: Vec<String>,
    pub(super) notes: Vec<String>,
    pub(super) warnings: Vec<String>,
    /// An agent that was to be connected is not.
    #[serde(skip)]
    pub(super) is_unfinished: bool,
    /// Nothing is done, and `done` is what would be.
    #[serde(skip)]
    is_dry: bool,
}

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    let (claude, others): (Vec<_>, Vec<_>) =
        args.client.iter().copied().partition(|client| other_clients::is_claude(*client));
    let others = if args.all { other_clients::present(world) } else { others };
    let is_claude_wanted = if args.all {
        Client::find(world).is_some()
    } else {
        others.is_empty() || !claude.is_empty()
    };
    if !args.all && !is_claude_wanted {
        args.concern_only_others()?;
    }
    let mut told = Told { is_dry: args.dry_run, ..Told::default() };
    if args.all && others.is_empty() && !is_claude_wanted {
        let names: Vec<&str> = clients::run().iter().map(|client| client.name()).collect();
        let names = names.join("`, `");
        let next = "Install one, then run `roz install --all` again";
        return Err(format!("no agent was found: none of `{names}` is on PATH. {next}").into());
    }
    if let Some(trial) = args.trial {
        told.done.push(if told.is_dry {
            format!("Would write `trial = {trial}` to your configuration.")
        } else {
            trial::set(trial, world)?
        });
    }
    for client in &others {
        connect(*client, &mut told, world)?;
    }
    if is_claude_wanted {
        Wiring { claude: &Claude::new(world)?, args, world }.run(&mut told)?;
    }
    told.said(!told.is_unfinished, world)
}

fn connect(client: &dyn clients::Client, told: &mut Told, world: &World) -> super::Result<()> {
    other_clients::install(client, told, world)?;
    let (title, name) = (client.title(), client.name());
    if told.is_unfinished || told.is_dry {
        return Ok(());
    }
    if !client.can(Capability::EnvironmentFile) {
        let program = client.setup().map_or(name, |setup| setup.program);
        told.notes.push(format!(
            "To judge gated programs when they start, start {title} through roz: put `alias \
             {program}='roz run -- {program}'` into your shell's start-up file."
        ));
    }
    told.notes.push(format!("Restart {title}; `roz doctor --client {name}` checks it."));
    Ok(())
}

impl Told {
    pub(super) fn said(&self, is_done: bool, world: &World) -> super::Result {
        let out = Out::new(world);
        let mut lines = self.done.clone();
        if !self.to_type.is_empty() {
            lines.push("Unfinished: `claude` is not on PATH. Once it is, run:".to_owned());
            lines.extend(self.to_type.iter().map(|command| format!("  {command}")));
        }
        for warning in &self.warnings {
            let warning = say::folded(&format!("warning: {warning}"), out.edge(), "  ");
            lines.push(out.paint(Tone::Warn, &warning));
        }
        if lines.is_empty() && self.notes.is_empty() {
            lines.push("Nothing to do.".to_owned());
        }
        lines.extend(self.notes.iter().map(|note| say::folded(note, out.edge(), "")));
        super::judged(is_done, serde_json::to_value(self)?, lines.join("\n") + "\n")
    }

    fn added(&mut self, path: &Path, what: &str, added: Result<(), String>) {
        match added {
            Ok(()) => self.done.push(format!("Added {what}.")),
            Err(why) => self.warnings.push(format!(
                "`{}` was left as it is: {why}. Add {what} by hand.",
                path.display()
            )),
        }
    }
}

pub(super) struct Claude {
    pub(super) place: Place,
    pub(super) config: Option<PathBuf>,
    pub(super) project: PathBuf,
}

impl Claude {
    pub(super) fn new(world: &World) -> Result<Self, plugin::Error> {
        Ok(Self {
            place: Place::new(world.data_dir().as_deref())?,
            config: config_dir(world),
            project: git::root(&world.cwd),
        })
    }

    pub(super) fn settings(&self) -> Vec<Settings> {
        read_settings::read(self.config.as_deref(), &self.project).0
    }

    /// The folder that the client reads a plugin of our name from.
    pub(super) fn marketplace(&self) -> Option<PathBuf> {
        read_settings::marketplace(self.config.as_deref())
    }

    pub(super) fn is_declared(&self) -> bool {
        let folder = self.place.folder();
        self.settings().iter().any(|settings| settings.marketplace() == Some(&folder))
    }
}

struct Wiring<'a> {
    claude: &'a Claude,
    args: &'a Args,
    world: &'a World,
}

impl Wiring<'_> {
    fn run(&self, told: &mut Told) -> super::Result<()> {
        let place = &self.claude.place;
        let (folder, binary) = (place.folder(), self.world.binary()?);
        self.check_marketplace(&folder)?;
        if told.is_dry {
            self.would(&folder, told);
            return if self.args.yes { self.offer_others(told) } else { Ok(()) };
        }
        let client = Client::find(self.world);
        if client.is_some() {
            // Check this before anything is written, because the client would stop half way.
            self.files().iter().try_for_each(|file| read_settings::check_writable(file))?;
        }
        if plugin::is_in_build_folder(&binary) {
            told.warnings.push(format!(
                "`{}` is in a build folder. When that is cleaned, the hooks have no binary and \
                 every gate is open. Install the binary first (`./install.sh`).",
                binary.display()
            ));
        }
        let was_strict = || plugin::read(&folder).is_ok_and(|found| found.strict);
        let strict = self.args.strict.unwrap_or_else(was_strict);
        let written = place.write(&Plugin { binary: &binary, strict });
        let shown = folder.display();
        let is_new = written.map_err(|err| {
            format!(
                "failed to write the plugin to `{shown}`: {}. Make that folder writable, or name \
                 another one with `XDG_DATA_HOME`",
                in_a_line(&err)
            )
        })?;
        told.done.push(if is_new {
            format!("Wrote the plugin to `{shown}`.")
        } else {
            format!("The plugin in `{shown}` is up to date.")
        });
        // The folder only exists on this machine, so no project's file may name it in any scope.
        let folder = folder.to_string_lossy();
        let add = ["plugin", "marketplace", "add", &folder];
        let install = ["plugin", "install", ID, "--scope", self.scope()];
        if let Some(client) = &client {
            // First, because a new version of the client may reformat its files at any command.
            self.remember()?;
            let wired = self
                .wire(client, &add, &install, told)
                .and_then(|()| self.prune(told))
                .and_then(|()| self.add_extras(&binary, told));
            place.remember_what_was_made()?;
            wired?;
        } else {
            told.to_type = [&add[..], &install].map(claude_program::line).into();
            if self.args.yes || self.args.permissions || self.args.status_line {
                let left = "Permissions and status line were not added: run this again, too.";
                told.warnings.push(left.to_owned());
            }
        }
        self.offer_others(told)?;
        if client.is_some() {
            let next = "New sessions are governed from now on. `roz doctor` checks it.";
            told.notes.push(next.to_owned());
        }
        Ok(())
    }

    fn would(&self, folder: &Path, told: &mut Told) {
        told.done.push(format!("Would write the plugin to `{}`.", folder.display()));
        if !self.claude.is_declared() {
            told.done.push(format!("Would have the client install `{ID}` from there."));
        }
        if self.args.permissions || self.args.yes {
            told.done.push("Would add the permissions that roz's own commands need.".to_owned());
        }
        if self.args.status_line || self.args.yes {
            told.done.push("Would add the status line.".to_owned());
        }
    }

    fn scope(&self) -> &str {
        self.args.scope.as_deref().unwrap_or("user")
    }

    /// The client's settings that change when it installs a plugin. The marketplace is declared in
    /// the user's settings, whatever the scope.
    fn files(&self) -> Vec<PathBuf> {
        let user = self.claude.config.iter().map(|config| config.join("settings.json"));
        let project = self.claude.project.join(".claude/settings.json");
        user.chain((self.scope() == "project").then_some(project)).collect()
    }

    /// Fails if another program's marketplace has the name. An earlier roz is replaced.
    fn check_marketplace(&self, folder: &Path) -> Result<(), String> {
        let all = self.claude.settings();
        let declared =
            || all.iter().find_map(|settings| settings.marketplace().map(Path::to_owned));
        let known = self.claude.marketplace().or_else(declared);
        let foreign = known.filter(|known| known != folder && !plugin::is_of_roz(known));
        foreign.map_or(Ok(()), |known| {
            Err(format!(
                "the client already has another marketplace `{MARKETPLACE}`, in `{}`. Remove it \
                 (`claude plugin marketplace remove {MARKETPLACE}`) or rename it, then run `roz \
                 install` again. Nothing was changed",
                known.display()
            ))
        })
    }

    fn remember(&self) -> Result<(), plugin::Error> {
        let plugins = self.claude.config.as_ref().map(|config| config.join("plugins"));
        let inside = |names: [&str; 2]| -> Vec<PathBuf> {
            plugins.iter().flat_map(|folder| names.map(|name| folder.join(name))).collect()
        };
        let files = [self.files(), inside([KNOWN_MARKETPLACES, INSTALLED_PLUGINS])].concat();
        self.claude.place.remember(&files, &inside(["cache", "marketplaces"]))
    }

    fn wire(
        &self,
        client: &Client,
        add: &[&str],
        install: &[&str],
        told: &mut Told,
    ) -> super::Result<()> {
        let scope = self.scope();
        let is_ours = |other: &Install| other.scope == scope && is_for(other, &self.claude.project);
        let find = || client.installs().map(|all| all.into_iter().find(is_ours));
        let mut ask = |words: &[&str]| -> Result<(), claude_program::Error> {
            client.run(words)?;
            told.done.push(format!("Ran `{}`.", claude_program::line(words)));
            Ok(())
        };
        let mut ours = find()?;
        // Adding it again would change the time in the client's list.
        let is_known = self.claude.marketplace() == Some(self.claude.place.folder());
        if ours.is_none() || !is_known || !self.claude.is_declared() {
            ask(add)?;
        }
        if ours.is_none() {
            ask(install)?;
            // The client does not update or enable a plugin that is installed already.
            ours = find()?;
        }
        if let Some(ours) = ours {
            if ours.version != env!("CARGO_PKG_VERSION") {
                ask(&["plugin", "update", ID, "--scope", scope])?;
            }
            if !ours.enabled {
                ask(&["plugin", "enable", ID, "--scope", scope])?;
            }
        }
        Ok(())
    }

    /// Removes hooks of an earlier installation, which would run in addition to the plugin's.
    fn prune(&self, told: &mut Told) -> super::Result<()> {
        let mut local = self.files();
        if self.scope() == "project" {
            local.push(self.claude.project.join(".claude/settings.local.json"));
        }
        let all = self.claude.settings();
        for old in all.iter().filter(|settings| local.contains(&settings.path)) {
            if self.claude.place.prune(old)? {
                let events: Vec<&str> = old.events().into_iter().collect();
                let (path, events) = (old.path.display(), events.join(", "));
                told.done
                    .push(format!("Removed the old `roz hook` entries from `{path}` ({events})."));
            }
        }
        for second in read_settings::seconds(&self.claude.settings()) {
            told.warnings.push(format!(
                "Hooks run twice here: {second} also runs `roz hook`. Remove those entries, or that \
                 plugin."
            ));
        }
        Ok(())
    }

    fn add_extras(&self, binary: &Path, told: &mut Told) -> super::Result<()> {
        let (all, files) = (self.claude.settings(), self.files());
        let rules = permission_rules::missing_rules(&all);
        if let Some(path) = files.last().filter(|_| !rules.is_empty()) {
            let what = format!("the rules `{}` to `{}`", rules.join("`, `"), path.display());
            let question =
                "Let agents run roz's own commands (`roz decide`, …) without asking you?";
            match self.wants(self.args.permissions, question)? {
                Some(true) => told.added(path, &what, permission_rules::add_rules(path, &rules)),
                Some(false) => (),
                None => told.notes.push(format!(
                    "The client asks before agents run roz's own commands. `roz install \
                     --permissions` adds {what}."
                )),
            }
        }
        // It contains the path of this machine's binary, so it must not be in a project's file.
        let path = files.first().filter(|_| self.scope() == "user");
        let is_free = !all.iter().any(Settings::has_status_line);
        if let Some(path) = path.filter(|_| is_free) {
            let what = format!("the status line to `{}`", path.display());
            match self.wants(self.args.status_line, "Show roz in the client's status line?")? {
                Some(true) => {
                    told.added(path, &what, permission_rules::add_status_line(path, binary));
                }
                Some(false) => (),
                None => told.notes.push(format!("`roz install --status-line` adds {what}.")),
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

    /// The flag, or else the user's answer. `None` if nobody can be asked.
    fn wants(&self, flag: bool, question: &str) -> super::Result<Option<bool>> {
        if flag || self.args.yes {
            return Ok(Some(true));
        }
        if self.args.json || !input::can_ask() {
            return Ok(None);
        }
        Ok(Some(input::ask(question, true)? == Some(true)))
    }

    fn offer_others(&self, told: &mut Told) -> super::Result<()> {
        if self.args.all {
            return Ok(());
        }
        let is_unconnected = |other: &&dyn clients::Client| {
            let files = other_clients::plan(*other, self.world);
            files.is_ok_and(|files| files.iter().any(|file| !file.is_done()))
        };
        let mut left = Vec::new();
        for other in other_clients::present(self.world).into_iter().filter(is_unconnected) {
            match self.wants(false, &format!("{} is here too. Connect it?", other.title()))? {
                Some(true) => connect(other, told, self.world)?,
                Some(false) => (),
                None => left.push(other.title()),
            }
        }
        if !left.is_empty() {
            let left = left.join(", ");
            told.notes.push(format!("Also here: {left}. `roz install --all` connects them too."));
        }
        Ok(())
    }
}

pub(super) fn is_for(install: &Install, project: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    install.project_path.as_deref().is_none_or(|project_path| real(project_path) == real(project))
}
