//! Whether the client is installed and knows every event that roz needs.

use std::path::PathBuf;

use super::{Finding, Subject};
use crate::{
    cli::install::{is_for, other_clients},
    hooks::gather::config_dir,
    plugin::{
        self, Found, Place,
        claude_program::{self, Client, KNOWS_ALL, OLDEST, Version},
        read_settings::{self, Broken, Settings},
    },
    world::{World, git},
};

pub(super) fn check(subject: &Subject) -> Option<Finding> {
    let Some((client, version)) = &subject.client().client else {
        if let Some(others) = connected(subject.world) {
            return Some(Finding::ok(format!("Claude Code is not here; {others}")));
        }
        let remedy = "install Claude Code, then run `roz install`";
        return Some(Finding::warn("`claude` is not on PATH", remedy));
    };
    let program = client.program.display();
    let update = format!("update it to {OLDEST} or newer");
    Some(match version {
        Ok(version) if *version < KNOWS_ALL => {
            let seen = format!("Claude Code {version} does not know every event of roz's hooks");
            Finding::fail(seen, update)
        }
        Ok(version) if *version < OLDEST => {
            let seen = format!("Claude Code {version} is older than any that roz is tested with");
            Finding::warn(seen, update)
        }
        Ok(version) => Finding::ok(format!("Claude Code {version}, `{program}`")),
        Err(err) => Finding::warn(err.to_string(), format!("see what `{program} --version` does")),
    })
}

/// The other agents that are connected, and how to look at them.
pub(super) fn connected(world: &World) -> Option<String> {
    let others = other_clients::connected(world);
    let first = others.first()?.name();
    let titles: Vec<&str> = others.iter().map(|client| client.title()).collect();
    Some(format!("connected: {} (`roz doctor --client {first}`)", titles.join(", ")))
}

/// What the client and its files say.
pub(super) struct Look {
    pub(super) client: Option<(Client, Result<Version, claude_program::Error>)>,
    pub(super) project: PathBuf,
    pub(super) settings: Vec<Settings>,
    pub(super) broken: Vec<Broken>,
    /// Whether our plugin is enabled, if it is installed; an error if the client does not say.
    pub(super) plugin: Result<Option<bool>, String>,
    /// The folder that the client reads our plugin from, and what is in it.
    pub(super) folder: Option<(PathBuf, Result<Found, String>)>,
}

impl Look {
    pub(super) fn new(world: &World) -> Self {
        let config_dir = config_dir(world);
        let project = git::root(&world.cwd);
        let (settings, broken) = read_settings::read(config_dir.as_deref(), &project);
        let client = Client::find(world).map(|client| (client.clone(), client.version()));
        // A client that hangs is not asked a second time.
        let sound = client.as_ref().filter(|(_, version)| version.is_ok());
        let plugin = match sound.map(|(client, _)| client.installs()) {
            Some(Err(err)) => Err(err.to_string()),
            Some(Ok(installs)) => {
                let here = installs.iter().filter(|install| is_for(install, &project));
                Ok(here.map(|install| install.enabled).reduce(|one, other| one || other))
            }
            None => Ok(settings.iter().rev().find_map(Settings::enables_plugin)),
        };
        let ours = Place::new(world.data_dir().as_deref()).map(|place| place.folder()).ok();
        let ours = ours.filter(|ours| ours.exists() || plugin == Ok(Some(true)));
        let folder = read_settings::marketplace(config_dir.as_deref()).or(ours);
        let folder = folder.map(|folder| (folder.clone(), plugin::read(&folder)));
        Self { client, project, settings, broken, plugin, folder }
    }
}
