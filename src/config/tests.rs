//! What applies, layer by layer, through the two doors of the module.

mod cached;
mod layers;
mod named;
mod properties;
mod review;

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::*;

/// A home and a project in a temporary folder.
struct Scene {
    dir: tempfile::TempDir,
    sources: Sources,
}

impl Scene {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().join("home");
        let roz_home = home.join(".roz");
        let project = dir.path().join("project");
        fs::create_dir_all(&roz_home).unwrap();
        fs::create_dir_all(project.join(".roz")).unwrap();
        fs::create_dir_all(project.join(".claude")).unwrap();
        let sources = Sources {
            user_file: roz_home.join("config.toml"),
            roz_home,
            home: Some(home),
            project: Some(project),
            main: None,
            launch_dir: None,
            env: Vec::new(),
        };
        Self { dir, sources }
    }

    fn user(self, text: impl AsRef<[u8]>) -> Self {
        fs::write(&self.sources.user_file, text).unwrap();
        self
    }

    fn project(self, text: impl AsRef<[u8]>) -> Self {
        fs::write(self.project_file(), text).unwrap();
        self
    }

    fn variable(mut self, name: &str, value: &str) -> Self {
        self.sources.env.push((name.to_owned(), value.to_owned()));
        self
    }

    /// A variable that comes from the project's client settings.
    fn projects_variable(self, name: &str, value: &str) -> Self {
        let settings = json!({ "env": { name: value } }).to_string();
        fs::write(self.root().join(".claude/settings.json"), settings).unwrap();
        self.variable(name, value)
    }

    fn root(&self) -> &Path {
        self.sources.project.as_deref().unwrap()
    }

    fn project_file(&self) -> PathBuf {
        self.root().join(".roz/config.toml")
    }

    fn load(&self) -> Loaded {
        load(&self.sources)
    }

    /// What applies, with the diagnostics as lines in which the temporary
    /// folder is `…`. Both doors must agree.
    #[track_caller]
    fn told(&self) -> (Policy, Vec<String>) {
        let fresh = load_fresh(&self.sources);
        let loaded = self.load();
        assert_eq!((&fresh.policy, &fresh.diagnostics), (&loaded.policy, &loaded.diagnostics));
        let folder = self.dir.path().to_str().unwrap();
        let lines =
            loaded.diagnostics.iter().map(|diagnostic| diagnostic.to_string().replace(folder, "…"));
        (loaded.policy, lines.collect())
    }

    /// What applies; there is nothing to complain about.
    #[track_caller]
    fn policy(&self) -> Policy {
        let (policy, told) = self.told();
        assert!(told.is_empty(), "{told:#?}");
        policy
    }

    fn value(&self, path: &str) -> Value {
        let full = load_fresh(&self.sources);
        full.settings.into_iter().find(|setting| setting.key.path == path).unwrap().value
    }
}

use serde_json::json;
