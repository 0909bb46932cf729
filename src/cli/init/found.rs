//! What a project has that its set-up should know of.

use std::{fmt::Write as _, path::Path};

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
    /// Commands that test it.
    pub(super) tests: Vec<&'static str>,
    /// Documents that say what is to be built.
    pub(super) specs: Vec<&'static str>,
    /// There are learnings of the project, or of the user, in `.grove/`.
    pub(super) has_older_learnings: bool,
    /// The client starts roz already.
    pub(super) is_wired: bool,
}

/// A file that tells of tools: its name, what formats, what tests.
type Sign = (&'static str, Option<(&'static str, &'static str)>, Option<&'static str>);

const SIGNS: &[Sign] = &[
    ("Cargo.toml", Some(("*.rs", "rustfmt")), Some("cargo test")),
    ("go.mod", Some(("*.go", "gofmt -w")), Some("go test ./...")),
    ("package.json", None, Some("npm test")),
    (".prettierrc", Some(("*.ts", "npx prettier --write")), None),
    (".prettierrc.json", Some(("*.ts", "npx prettier --write")), None),
    ("pyproject.toml", None, Some("pytest")),
    ("ruff.toml", Some(("*.py", "ruff format")), None),
    ("pom.xml", None, Some("mvn test")),
    ("build.gradle", None, Some("gradle test")),
    ("Makefile", None, Some("make test")),
];

const SPECS: &[&str] = &["specs", "spec", ".specify", "docs/specs", "openspec", "PRD.md"];

impl Found {
    pub(super) fn look(roz: &Roz, world: &World) -> Self {
        let has = |name: &str| roz.project.join(name).exists();
        let signs: Vec<&Sign> = SIGNS.iter().filter(|it| has(it.0)).collect();
        let mut formatters: Vec<_> = signs.iter().filter_map(|it| it.1).collect();
        formatters.dedup();
        let older = world.user_home.as_ref().map(|it| it.join(".grove/personal-learnings.md"));
        Self {
            is_git: has(".git"),
            systems: reflection_facts::markers(roz, &world.cwd)
                .filter(|it| it.found.is_some())
                .map(|it| it.system)
                .collect(),
            formatters,
            tests: signs.iter().filter_map(|it| it.2).collect(),
            specs: SPECS.iter().copied().filter(|it| has(it)).collect(),
            has_older_learnings: has(".grove/learnings.md")
                || older.as_deref().is_some_and(Path::exists),
            is_wired: is_wired(roz, world),
        }
    }

    /// What is here, a line for each kind of thing; empty if there is nothing
    /// to say.
    pub(super) fn told(&self) -> String {
        let mut res = String::new();
        let mut line = |what: &str, them: Vec<String>| {
            if !them.is_empty() {
                let _ = writeln!(res, "  {what:<11} {}", them.join(", "));
            }
        };
        let owned = |them: &[&str]| them.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        line("tickets", self.systems.clone());
        line("tests", owned(&self.tests));
        line("formatters", self.formatters.iter().map(|it| it.1.to_owned()).collect());
        line("specs", owned(&self.specs));
        if self.has_older_learnings {
            line("learnings", vec!["in .grove/".to_owned()]);
        }
        res
    }

    /// Globs over tool keys that a reviewer should come before.
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
    says == Some(true) || settings.iter().any(|it| !it.events().is_empty())
}
