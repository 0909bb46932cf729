//! Prints a configuration for people and as JSON: values, origins and problems.

use std::fmt::{self, Write as _};

use serde_json::{Map, Value, json};

use super::{Full, Origin};

impl Full {
    /// All keys and values as a `config.toml`; with `origins`, where each value comes from.
    pub fn show(&self, origins: bool) -> String {
        let mut out = String::new();
        let lines: Vec<_> =
            self.settings.iter().map(|setting| line(setting.key.path, &setting.value)).collect();
        let width = lines.iter().map(|line| line.chars().count()).filter(|line| *line <= 56).max();
        for (line, setting) in lines.iter().zip(&self.settings) {
            if !origins {
                let _ = writeln!(out, "{line}");
                continue;
            }
            let origin = described(&setting.origins);
            let _ = writeln!(out, "{line:<0$}  # {origin}", width.unwrap_or(0));
        }
        for diagnostic in &self.diagnostics {
            let _ = writeln!(out, "# {diagnostic}");
        }
        out
    }

    /// `{"config": {…}, "origins": {"review.mode": [{…}]}, "files": […], "diagnostics": […]}`.
    /// Default values have no origins.
    pub fn to_json(&self) -> Value {
        let origins = self
            .settings
            .iter()
            .map(|setting| (setting.key.path.to_owned(), json!(setting.origins)));
        json!({
            "config": self.policy,
            "origins": origins.collect::<Map<_, _>>(),
            "files": self.file_names(),
            "diagnostics": self.diagnostics,
        })
    }

    /// One line per problem, or a line saying that there are none.
    pub fn check(&self) -> String {
        if !self.diagnostics.is_empty() {
            return self
                .diagnostics
                .iter()
                .map(|diagnostic| diagnostic.to_string() + "\n")
                .collect();
        }
        match &self.file_names()[..] {
            [] => "there is no configuration file: the defaults apply\n".to_owned(),
            files => {
                let is_held = files.iter().any(|file| file.contains("/confirmed/"));
                let held =
                    "the last confirmed configuration applies, `roz confirm --list` says why\n";
                let files = files.join(" and ");
                format!("nothing is wrong with {files}\n{}", if is_held { held } else { "" })
            }
        }
    }

    /// `{"ok": true, "files": […], "diagnostics": […]}`.
    pub fn check_json(&self) -> Value {
        json!({
            "ok": self.diagnostics.is_empty(),
            "files": self.file_names(),
            "diagnostics": self.diagnostics,
        })
    }

    fn file_names(&self) -> Vec<String> {
        self.files.iter().map(|file| file.to_string_lossy().into_owned()).collect()
    }
}

fn line(path: &str, value: &Value) -> String {
    match toml::Value::try_from(value) {
        Ok(value) => format!("{path} = {value}"),
        Err(_) => format!("# {path} is not set"),
    }
}

fn described(origins: &[Origin]) -> String {
    let origins: Vec<_> = origins.iter().map(Origin::to_string).collect();
    if origins.is_empty() { "default".to_owned() } else { origins.join(", ") }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place.variable {
            Some(name) => f.write_str(name)?,
            None => write!(f, "{}", self.place)?,
        }
        if self.by_project { f.write_str(" (project)") } else { Ok(()) }
    }
}
