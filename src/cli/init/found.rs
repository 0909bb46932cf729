//! What the project has that `roz init` makes use of.

use crate::{
    hooks::{gather, reflection_facts},
    open::Roz,
    plugin::settings,
    world::World,
};

#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) is_git: bool,
    /// Ticket systems, by their markers.
    pub(super) systems: Vec<String>,
    /// Formatters, as rows of `[intent.format]`: a pattern and a program.
    pub(super) formatters: Vec<(&'static str, &'static str)>,
    /// The client starts roz already.
    pub(super) is_wired: bool,
}

/// A file that tells of a formatter, and a row of `[intent.format]` for it.
const SIGNS: &[(&str, (&str, &str))] = &[
    ("Cargo.toml", ("*.rs", "rustfmt")),
    ("go.mod", ("*.go", "gofmt -w")),
    (".prettierrc", ("*.ts", "npx prettier --write")),
    (".prettierrc.json", ("*.ts", "npx prettier --write")),
    ("ruff.toml", ("*.py", "ruff format")),
];

impl Found {
    pub(super) fn look(roz: &Roz, world: &World) -> Self {
        let has = |name: &str| roz.project.join(name).exists();
        let signs = SIGNS.iter().filter(|(file, _)| has(file));
        let mut formatters: Vec<_> = signs.map(|(_, formatter)| *formatter).collect();
        formatters.dedup();
        Self {
            is_git: has(".git"),
            systems: reflection_facts::markers(roz, &world.cwd)
                .filter(|marker| marker.found.is_some())
                .map(|marker| marker.system)
                .collect(),
            formatters,
            is_wired: is_wired(roz, world),
        }
    }

    /// Globs over tool keys that should wait for a reviewer.
    pub(super) fn gated(&self) -> Vec<&'static str> {
        let mut gated = vec!["Bash:git push*"];
        for system in &self.systems {
            gated.extend(match system.as_str() {
                "tissue" => &["Bash:tissue status * closed*"][..],
                "beads" => &["Bash:bd close*", "Bash:bd update * closed*"],
                _ => &[],
            });
        }
        gated
    }
}

/// By what the client's settings say: the client itself is not started.
fn is_wired(roz: &Roz, world: &World) -> bool {
    let (settings, _) = settings::read(gather::config_dir(world).as_deref(), &roz.project);
    let says = settings.iter().rev().find_map(settings::Settings::enables_plugin);
    says == Some(true) || settings.iter().any(|setting| !setting.events().is_empty())
}
