//! What is the client's: whether it runs our hooks, and once.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use super::Check;
use crate::{
    cli::install::is_for,
    hooks::{
        Hook,
        gather::{config_dir, shadow},
    },
    plugin::{
        self, Found, ID, Place,
        client::{self, Client, OLDEST, SINCE, Version},
        settings::{self, Broken, Settings},
    },
    world::{World, find_on, git, process},
};

const INSTALL: &str = "run `roz install`";

pub(super) fn checks(binary: &Path, world: &World) -> Vec<Check> {
    let look = Look::new(world);
    let mut checks = vec![look.path(binary, world), look.version()];
    checks.extend(look.broken());
    checks.push(look.hooks());
    checks.extend(look.folder(binary, world));
    checks.push(look.once());
    checks.extend(look.switched_off(world));
    checks.push(look.reviewer(world));
    checks.extend(look.permissions());
    checks
}

/// What was seen, before anything is made of it.
struct Look {
    client: Option<Client>,
    /// What it says of itself, if there is one.
    version: Option<Result<Version, client::Error>>,
    project: PathBuf,
    settings: Vec<Settings>,
    broken: Vec<Broken>,
    plugin: Registered,
    /// The folder that the client reads our plugin from, and what is in it.
    folder: Option<(PathBuf, Result<Found, String>)>,
}

/// Whether the client has our plugin.
enum Registered {
    Enabled,
    Disabled,
    No,
    /// The client does not say.
    Unknown(String),
}

impl Look {
    fn new(world: &World) -> Self {
        let config_dir = config_dir(world);
        let project = git::root(&world.cwd);
        let (settings, broken) = settings::read(config_dir.as_deref(), &project);
        let client = Client::find(world);
        let version = client.as_ref().map(Client::version);
        // One that hangs is not asked a second time.
        let hangs = matches!(version, Some(Err(client::Error::Silent { .. })));
        let plugin = match client.as_ref().filter(|_| !hangs) {
            Some(client) => asked(client, &project),
            None => match settings.iter().rev().find_map(Settings::enables_plugin) {
                Some(true) => Registered::Enabled,
                Some(false) => Registered::Disabled,
                None => Registered::No,
            },
        };
        let ours = Place::new(world.data_dir().as_deref()).map(|it| it.folder()).ok();
        let is_registered = matches!(plugin, Registered::Enabled);
        let ours = ours.filter(|it| it.exists() || is_registered);
        let folder = settings::marketplace(config_dir.as_deref()).or(ours);
        let folder = folder.map(|it| (it.clone(), plugin::read(&it)));
        Self { client, version, project, settings, broken, plugin, folder }
    }

    /// The files whose own hooks run roz, with the events.
    fn by_hand(&self) -> Vec<(&Settings, Vec<&str>)> {
        let found = self.settings.iter().map(|it| (it, it.events()));
        found.filter(|(_, events)| !events.is_empty()).collect()
    }

    fn path(&self, binary: &Path, world: &World) -> Check {
        const NAME: &str = "PATH";
        let by_settings = self.settings.iter().rev().find_map(|it| Some((it, it.path_variable()?)));
        let (found, whose) = match &by_settings {
            Some((settings, path)) => {
                let whose = format!("the PATH in `{}`", settings.path.display());
                (find_on(path, "roz"), whose)
            }
            None => (world.on_path("roz"), "PATH".to_owned()),
        };
        let parent = binary.parent().unwrap_or(Path::new("/")).display();
        let Some(first) = found.first() else {
            let linked = match &self.folder {
                Some((_, Ok(found))) => found.linked.as_deref(),
                _ => None,
            };
            if linked.is_some_and(|it| is_same(it, binary)) {
                return Check::ok(
                    NAME,
                    format!("not on {whose}; reviewers run the plugin's own link"),
                );
            }
            return Check::warn(
                NAME,
                format!("`roz` is not on {whose}: reviewers cannot run `roz decide`"),
                format!("put `{parent}` on PATH, or {INSTALL}"),
            );
        };
        let shown = first.display();
        if is_same(first, binary) {
            return Check::ok(NAME, format!("`roz` is `{shown}`"));
        }
        let remedy = format!("remove it, or put `{parent}` before it on PATH");
        if by_settings.is_some() {
            // A project's settings may say so: what they name is not started.
            let seen = format!("by {whose} reviewers run `{shown}`, not this binary");
            return Check::warn(NAME, seen, remedy);
        }
        match version_of(first) {
            Some(version) if version == env!("CARGO_PKG_VERSION") => {
                Check::warn(NAME, format!("reviewers run `{shown}`, another copy of roz"), remedy)
            }
            Some(version) => Check::fail(
                NAME,
                format!("reviewers run `{shown}`, which is roz {version}: no review can end"),
                remedy,
            ),
            None => Check::fail(
                NAME,
                format!("reviewers run `{shown}`, which is not roz: no review can end"),
                remedy,
            ),
        }
    }

    fn version(&self) -> Check {
        const NAME: &str = "client";
        let (Some(client), Some(version)) = (&self.client, &self.version) else {
            return Check::warn(
                NAME,
                "`claude` is not on PATH: nothing can be said of it",
                "install Claude Code, then `roz install`",
            );
        };
        let program = client.program.display();
        let update = format!("update it to {OLDEST} or newer");
        match version {
            Ok(version) if *version < OLDEST => {
                let seen = format!("Claude Code {version}, `{program}`");
                let unknown = SINCE.iter().filter(|(_, since)| version < since);
                let unknown: Vec<&str> = unknown.map(|(event, _)| event.name()).collect();
                if unknown.is_empty() {
                    let seen = format!("{seen}: older than any that roz was tried with");
                    Check::warn(NAME, seen, update)
                } else {
                    let unknown = unknown.join(", ");
                    Check::fail(NAME, format!("{seen}: it does not know {unknown}"), update)
                }
            }
            Ok(version) => Check::ok(NAME, format!("Claude Code {version}, `{program}`")),
            Err(err @ client::Error::Silent { .. }) => Check::fail(
                NAME,
                format!("{err}: no session can start with it (`{program}`)"),
                format!("see what holds `{program} --version` up"),
            ),
            Err(err) => {
                Check::warn(NAME, err.to_string(), format!("see what `{program} --version` says"))
            }
        }
    }

    fn broken(&self) -> Option<Check> {
        const NAME: &str = "client settings";
        let remedy = "mend it; `roz install` refuses until then";
        let broken = self.broken.first()?;
        if matches!(self.plugin, Registered::Enabled) {
            return Some(Check::warn(NAME, broken.to_string(), remedy));
        }
        let seen = format!("{broken}, and it starts without our hooks");
        Some(Check::fail(NAME, seen, remedy))
    }

    fn hooks(&self) -> Check {
        const NAME: &str = "hooks";
        let by_hand = self.by_hand();
        match &self.plugin {
            Registered::Enabled => {
                Check::ok(NAME, format!("plugin `{ID}` is installed and enabled"))
            }
            _ if !by_hand.is_empty() => {
                let events: BTreeSet<&str> =
                    by_hand.iter().flat_map(|(_, it)| it.clone()).collect();
                let missing =
                    Hook::ALL.iter().map(|it| it.name()).filter(|it| !events.contains(it));
                let missing: Vec<&str> = missing.collect();
                let path = by_hand[0].0.path.display();
                if missing.is_empty() {
                    Check::warn(
                        NAME,
                        format!("registered by hand in `{path}`; the reviewer is not"),
                        format!("remove those entries and {INSTALL}"),
                    )
                } else {
                    Check::fail(
                        NAME,
                        format!("registered by hand in `{path}`, without {}", missing.join(", ")),
                        format!("remove those entries and {INSTALL}"),
                    )
                }
            }
            // One fault, not two: what it says of our plugin is not read.
            Registered::Disabled | Registered::No if !self.broken.is_empty() => Check::fail(
                NAME,
                "the client cannot read what it is told of them (`client settings`)",
                "mend those settings",
            ),
            Registered::Disabled => Check::fail(
                NAME,
                format!("plugin `{ID}` is installed, but switched off here"),
                format!("`claude plugin enable {ID}`"),
            ),
            Registered::No if self.client.is_none() => Check::fail(
                NAME,
                "not registered with any client: nothing starts roz",
                "`roz install`, where `claude` is on PATH (`roz doctor --no-client` looks at the \
                 rest)",
            ),
            Registered::No => Check::fail(NAME, "not registered with the client", INSTALL),
            Registered::Unknown(why) => {
                Check::fail(NAME, format!("the client does not say: {why}"), INSTALL)
            }
        }
    }

    /// What the client reads at a session's start.
    fn folder(&self, binary: &Path, world: &World) -> Option<Check> {
        const NAME: &str = "plugin folder";
        let (folder, found) = self.folder.as_ref()?;
        let shown = folder.display();
        let found = match found {
            Ok(found) => found,
            Err(why) => {
                let seen = format!("{why}: the client starts without our hooks, and says nothing");
                return Some(Check::fail(NAME, seen, INSTALL));
            }
        };
        let [program] = found.programs.iter().collect::<Vec<_>>()[..] else {
            return Some(Check::fail(NAME, format!("`{shown}` does not run one program"), INSTALL));
        };
        let path = program.display();
        // One that is named without its folder is found by PATH, as in a
        // checkout.
        let starts = if program.is_absolute() {
            is_same(program, binary) || version_of(program).is_some()
        } else {
            !world.on_path(&program.to_string_lossy()).is_empty()
        };
        let known: BTreeSet<String> = Hook::ALL.iter().map(|it| it.name().to_owned()).collect();
        let version = env!("CARGO_PKG_VERSION");
        let is_newer = match (found.version.parse::<Version>(), version.parse()) {
            (Ok(theirs), Ok(own)) => theirs > own,
            _ => false,
        };
        Some(if !starts && !program.exists() {
            Check::fail(
                NAME,
                format!("its hooks run `{path}`, and there is no such program"),
                INSTALL,
            )
        } else if !starts {
            Check::fail(
                NAME,
                format!("its hooks run `{path}`, and that does not start as roz does"),
                format!("`chmod +x '{path}'` and a file system that runs programs, or {INSTALL}"),
            )
        } else if is_newer {
            Check::fail(
                NAME,
                format!("it is of version {}, newer than this binary ({version})", found.version),
                "update the binary (`./install.sh`), then run `roz install`",
            )
        } else if found.events != known {
            let events: Vec<_> = found.events.symmetric_difference(&known).cloned().collect();
            Check::fail(
                NAME,
                format!("`{shown}` does not agree with this roz on {}", events.join(", ")),
                INSTALL,
            )
        } else if program.is_absolute() && !is_same(program, binary) {
            Check::warn(NAME, format!("its hooks run `{path}`, not this binary"), INSTALL)
        } else if found.version != version {
            let seen =
                format!("it is of version {}, older than this binary ({version})", found.version);
            Check::warn(NAME, seen, INSTALL)
        } else if let Some(age) = self.too_old_to_be_strict().filter(|_| found.strict) {
            let since = client::STRICT_SINCE;
            Check::warn(
                NAME,
                format!(
                    "`{shown}` runs this binary, strict; but Claude Code {age} does not know that, \
                     and lets a tool call pass where roz cannot run"
                ),
                format!("update the client to {since} or newer"),
            )
        } else {
            let strict = if found.strict { ", strict" } else { "" };
            Check::ok(NAME, format!("`{shown}` runs this binary{strict}"))
        })
    }

    fn too_old_to_be_strict(&self) -> Option<Version> {
        let version = *self.version.as_ref()?.as_ref().ok()?;
        (version < client::STRICT_SINCE).then_some(version)
    }

    fn once(&self) -> Check {
        const NAME: &str = "registered once";
        let ours = matches!(self.plugin, Registered::Enabled).then(|| format!("plugin `{ID}`"));
        let all: Vec<String> = ours.into_iter().chain(settings::seconds(&self.settings)).collect();
        if all.len() < 2 {
            return Check::ok(NAME, "no second registration");
        }
        Check::fail(
            NAME,
            format!("every hook runs {} times: {}", all.len(), all.join(", ")),
            format!("keep plugin `{ID}`, and remove the `roz hook` entries or plugins besides it"),
        )
    }

    fn switched_off(&self, world: &World) -> Option<Check> {
        const NAME: &str = "hooks allowed";
        /// Variables that make the client run without what is the user's.
        const VARIABLES: [&str; 2] = ["CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_PERSONAL_HOOKS_OFF"];
        // The last that speaks wins; the administrator's come last.
        let found = self.settings.iter().rev().find_map(|it| Some((it, it.switches_hooks_off()?)));
        let Some((settings, (key, true))) = found else {
            let is_on = |it: &str| it != "0" && it != "false";
            // What a settings file says goes over the environment.
            for name in VARIABLES {
                let said = |it: &Settings| Some((it.path.clone(), it.variable(name)?));
                let said = self.settings.iter().rev().find_map(said);
                match said {
                    Some((path, value)) if is_on(&value) => {
                        let path = path.display();
                        let seen = format!("`{name}` in `{path}`: the client may run no hooks");
                        return Some(Check::warn(NAME, seen, "remove that line"));
                    }
                    None if world.var(name).is_some_and(is_on) => {
                        let seen =
                            format!("`{name}` is set: a client that starts here may run no hooks");
                        return Some(Check::warn(NAME, seen, format!("`unset {name}`")));
                    }
                    _ => (),
                }
            }
            return None;
        };
        let path = settings.path.display();
        Some(Check::fail(
            NAME,
            format!("`{key}` in `{path}` switches our hooks off"),
            if settings.is_managed { "ask your administrator" } else { "remove that line" },
        ))
    }

    fn reviewer(&self, world: &World) -> Check {
        const NAME: &str = "reviewer";
        match shadow(&[self.project.as_path()], world) {
            None => Check::ok(NAME, "no agent file bears its name"),
            Some(path) => Check::fail(
                NAME,
                format!("`{}` bears its name, so no reviewer gets a token", path.display()),
                "rename or remove that agent",
            ),
        }
    }

    /// Where nobody can be asked, a reviewer without these cannot decide.
    fn permissions(&self) -> Option<Check> {
        const NAME: &str = "permissions";
        self.client.as_ref()?;
        // Whatever is allowed: what denies comes first, then what asks.
        for list in ["deny", "ask"] {
            let rule = |program| {
                let mut found = self.settings.iter();
                found.find_map(|it| Some((it.path.display(), it.rule_about(list, program)?)))
            };
            let Some((path, rule)) = ["roz context", "roz decide"].into_iter().find_map(rule)
            else {
                continue;
            };
            let remedy = format!("remove that rule from `permissions.{list}`");
            return Some(if list == "deny" {
                let seen = format!("`{rule}` in `{path}` denies reviewers: no review can end");
                Check::fail(NAME, seen, remedy)
            } else {
                let seen = format!(
                    "`{rule}` in `{path}` asks before a reviewer may decide; with nobody to ask \
                     (`claude -p`) no review ends"
                );
                Check::warn(NAME, seen, remedy)
            });
        }
        let missing: Vec<&str> = ["roz context", "roz decide"]
            .into_iter()
            .filter(|program| !self.settings.iter().any(|it| it.lets_run(program)))
            .collect();
        if missing.is_empty() {
            let seen = "reviewers run `roz context` and `roz decide` without a question";
            return Some(Check::ok(NAME, seen));
        }
        let rules: Vec<String> = missing.iter().map(|it| format!("\"Bash({it}:*)\"")).collect();
        Some(Check::warn(
            NAME,
            "the client asks before a reviewer may decide; with nobody to ask (`claude -p`) no \
             review ends",
            format!(
                "`roz install --permissions`, or add {} to `permissions.allow` in \
                 ~/.claude/settings.json",
                rules.join(", ")
            ),
        ))
    }
}

fn asked(client: &Client, project: &Path) -> Registered {
    let installs = match client.installs() {
        Ok(installs) => installs,
        Err(err) => return Registered::Unknown(err.to_string()),
    };
    let mut here = installs.iter().filter(|it| is_for(it, project)).peekable();
    if here.peek().is_none() {
        Registered::No
    } else if here.any(|it| it.enabled) {
        Registered::Enabled
    } else {
        Registered::Disabled
    }
}

/// What `roz --version` says, if it is a roz.
fn version_of(program: &Path) -> Option<String> {
    let mut command = process::command(program);
    command.arg("--version");
    let ran = process::run(command, Instant::now() + Duration::from_secs(5)).ok()?;
    let text = String::from_utf8_lossy(&ran.stdout);
    Some(text.trim().strip_prefix("roz ")?.to_owned())
}

fn is_same(one: &Path, other: &Path) -> bool {
    one.canonicalize().ok().is_some_and(|it| other.canonicalize().ok() == Some(it))
}
