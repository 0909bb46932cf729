//! The client: that it is there, and knows every event that roz waits for.

use std::path::PathBuf;

use super::{Finding, Subject};
use crate::{
    cli::install::is_for,
    hooks::gather::config_dir,
    plugin::{
        self, Found, Place,
        client::{self, Client, OLDEST, SINCE, Version},
        settings::{self, Broken, Settings},
    },
    world::{World, git},
};

pub(super) fn check(subject: &Subject) -> Finding {
    let look = subject.client();
    let (Some(client), Some(version)) = (&look.client, &look.version) else {
        return Finding::warn(
            "`claude` is not on PATH",
            "install Claude Code, then run `roz install`",
        );
    };
    let program = client.program.display();
    match version {
        Ok(version) if *version < OLDEST => {
            let unknown = SINCE.iter().filter(|(_, since)| version < since);
            let unknown: Vec<&str> = unknown.map(|(event, _)| event.name()).collect();
            let update = format!("update it to {OLDEST} or newer");
            if unknown.is_empty() {
                let seen =
                    format!("Claude Code {version} is older than any that roz is tested with");
                Finding::warn(seen, update)
            } else {
                let unknown = unknown.join(", ");
                Finding::fail(format!("Claude Code {version} does not know {unknown}"), update)
            }
        }
        Ok(version) => Finding::ok(format!("Claude Code {version}, `{program}`")),
        Err(err @ client::Error::Silent { .. }) => {
            let seen = format!("{err}, so no session can start (`{program}`)");
            Finding::fail(seen, format!("find out why `{program} --version` hangs"))
        }
        Err(err) => {
            Finding::warn(err.to_string(), format!("see what `{program} --version` prints"))
        }
    }
}

/// What the client's files say, and what it says itself.
pub(super) struct Look {
    pub(super) client: Option<Client>,
    pub(super) version: Option<Result<Version, client::Error>>,
    pub(super) project: PathBuf,
    pub(super) settings: Vec<Settings>,
    pub(super) broken: Vec<Broken>,
    pub(super) plugin: Registered,
    /// The folder that the client reads our plugin from, and what is in it.
    pub(super) folder: Option<(PathBuf, Result<Found, String>)>,
}

/// Whether the client has our plugin.
pub(super) enum Registered {
    Enabled,
    Disabled,
    No,
    /// The client does not say.
    Unknown(String),
}

impl Look {
    pub(super) fn new(world: &World) -> Self {
        let config_dir = config_dir(world);
        let project = git::root(&world.cwd);
        let (settings, broken) = settings::read(config_dir.as_deref(), &project);
        let client = Client::find(world);
        let version = client.as_ref().map(Client::version);
        // One that hangs is not asked a second time.
        let hangs = matches!(version, Some(Err(client::Error::Silent { .. })));
        let plugin = match client.as_ref().filter(|_| !hangs).map(Client::installs) {
            Some(Err(err)) => Registered::Unknown(err.to_string()),
            Some(Ok(installs)) => {
                let here: Vec<_> =
                    installs.iter().filter(|install| is_for(install, &project)).collect();
                match here.as_slice() {
                    [] => Registered::No,
                    here if here.iter().any(|install| install.enabled) => Registered::Enabled,
                    _ => Registered::Disabled,
                }
            }
            None => match settings.iter().rev().find_map(Settings::enables_plugin) {
                Some(true) => Registered::Enabled,
                Some(false) => Registered::Disabled,
                None => Registered::No,
            },
        };
        let ours = Place::new(world.data_dir().as_deref()).map(|place| place.folder()).ok();
        let is_registered = matches!(plugin, Registered::Enabled);
        let ours = ours.filter(|ours| ours.exists() || is_registered);
        let folder = settings::marketplace(config_dir.as_deref()).or(ours);
        let folder = folder.map(|folder| (folder.clone(), plugin::read(&folder)));
        Self { client, version, project, settings, broken, plugin, folder }
    }
}
