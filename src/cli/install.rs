//! `roz install`: wires the hooks into the client, by the client's own means.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::{Done, say};
use crate::{
    hooks::gather::config_dir,
    plugin::{
        self, ID, Place, Plugin,
        client::{self, Client, Install},
        is_in_build_folder, settings,
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

    let mut told = Told::default();
    told.warn_of_binary(&binary, world);
    told.warn_of_marketplace(&folder, world);
    if plugin.is_written(&folder)? {
        told.did(format!("The plugin in `{}` is as it should be.", folder.display()), args);
    } else {
        if !args.dry_run {
            place.write(&plugin)?;
        }
        told.did(format!("Wrote the plugin to `{}`.", folder.display()), args);
    }
    match &client {
        Some(client) => wire(client, &folder, args, &mut told, world)?,
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
            "warnings": told.warnings,
        }))?;
        return Ok(Done::Well);
    }
    let warnings = told.warnings.iter().map(|it| format!("warning: {it}")).collect::<Vec<_>>();
    let mut text = spoken(&told.done, &told.to_type);
    if !warnings.is_empty() {
        let out = say::Out::new(world);
        text += &(out.paint(say::Tone::Warn, &warnings.join("\n")) + "\n");
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

fn wire(
    client: &Client,
    folder: &Path,
    args: &Args,
    told: &mut Told,
    world: &World,
) -> super::Result<()> {
    let mut todo: Vec<Vec<String>> = commands(folder, args).into();
    if args.dry_run {
        for words in todo {
            told.did(format!("Ran `{}`.", client::line(&refs(&words))), args);
        }
        return Ok(());
    }
    for words in todo.drain(..) {
        client.run(&refs(&words))?;
        told.did(format!("Ran `{}`.", client::line(&refs(&words))), args);
    }
    let project = git::root(&world.cwd);
    let is_ours = |it: &&Install| it.scope == args.scope.word() && is_for(it, &project);
    let installs = client.installs()?;
    let Some(install) = installs.iter().find(is_ours) else {
        return Ok(());
    };
    let scope = args.scope.word();
    // An installation of an older version, or one that was switched off, is
    // `already installed` to the client.
    let mut more: Vec<[&str; 5]> = Vec::new();
    if install.version != env!("CARGO_PKG_VERSION") {
        more.push(["plugin", "update", ID, "--scope", scope]);
    }
    if !install.enabled {
        more.push(["plugin", "enable", ID, "--scope", scope]);
    }
    for words in more {
        client.run(&words)?;
        told.did(format!("Ran `{}`.", client::line(&words)), args);
    }
    Ok(())
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

    fn warn_of_marketplace(&mut self, folder: &Path, world: &World) {
        let known: Option<PathBuf> = settings::marketplace(config_dir(world).as_deref());
        if let Some(known) = known.filter(|it| it != folder) {
            self.warnings.push(format!(
                "The client knew a marketplace `{}` in `{}`: it is this one from now on.",
                plugin::MARKETPLACE,
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
