//! Scripts of a `package.json` that the line itself writes: what `npm run name` and its like run.

use super::Io;
use super::Walker;
use super::call::{Call, quoted};
use super::field::Field;
use super::somewhere::is_familiar;

/// Where it is kept what `npm pkg set scripts.name=…` sets.
const SCRIPT: &str = "npm = ";
/// So many scripts of a name that is a pattern are run.
const MOST: usize = 16;

/// Verbs of package managers that may be called as a program is.
const VERBS: &[&str] = &[
    "add",
    "bin",
    "cache",
    "config",
    "create",
    "deploy",
    "dlx",
    "exec",
    "explain",
    "help",
    "info",
    "init",
    "install",
    "link",
    "list",
    "ls",
    "patch",
    "publish",
    "remove",
    "rm",
    "root",
    "run",
    "search",
    "set",
    "start",
    "store",
    "test",
    "update",
    "view",
    "why",
    "workspace",
    "workspaces",
];

/// Verbs, and the scripts that they run without being asked to.
const LIFE: &[(&[&str], &[&str])] = &[
    (&["test", "t", "tst"], &["pretest", "test", "posttest"]),
    (&["start"], &["prestart", "start", "poststart"]),
    (&["stop"], &["prestop", "stop", "poststop"]),
    (&["restart"], &["prerestart", "restart", "postrestart", "stop", "start"]),
    (&["version"], &["preversion", "version", "postversion"]),
    (
        &["install", "i", "in", "ci", "add", "install-ci-test", "cit", "install-test", "it"],
        &[
            "preinstall",
            "install",
            "postinstall",
            "prepublish",
            "preprepare",
            "prepare",
            "postprepare",
        ],
    ),
    (
        &["publish", "pack"],
        &[
            "prepublishOnly",
            "prepublish",
            "prepack",
            "prepare",
            "postpack",
            "publish",
            "postpublish",
        ],
    ),
    (&["uninstall", "rm", "remove"], &["preuninstall", "uninstall", "postuninstall"]),
    (&["rebuild", "rb"], &["preinstall", "install", "postinstall", "prepare"]),
];

impl Walker<'_> {
    /// Walks the scripts that a program of this family runs, or remembers one that is set.
    pub(super) fn packaged(&mut self, name: &str, call: &Call) {
        let at = Self::subcommand(name, &call.words);
        let words: Vec<&Field> = call.words.get(at..).unwrap_or_default().iter().collect();
        let operands = || words.iter().filter(|it| !it.text.starts_with('-'));
        let texts: Vec<&str> = operands().map(|it| it.text.as_str()).collect();
        if let ["pkg", "set", pairs @ ..] = &texts[..] {
            for (key, code) in pairs.iter().filter_map(|it| it.split_once('=')) {
                if let Some(name) = key.strip_prefix("scripts.") {
                    self.env.put_alias(&format!("{SCRIPT}{name}"), Some(code.to_owned()));
                }
            }
            return;
        }
        // Of npm before its ninth version.
        if let ["set-script", name, code] = &texts[..] {
            self.env.put_alias(&format!("{SCRIPT}{name}"), Some((*code).to_owned()));
            return;
        }
        let (asked, from): (Vec<String>, usize) = match (name, &texts[..]) {
            ("npm-run-all" | "run-s" | "run-p", names) => {
                (names.iter().map(|it| (*it).to_owned()).collect(), usize::MAX)
            }
            (_, ["run" | "run-script" | "rum" | "urn", script, ..]) => {
                (vec![format!("pre{script}"), (*script).to_owned(), format!("post{script}")], 2)
            }
            (_, [verb, ..]) => match LIFE.iter().find(|it| it.0.contains(verb)) {
                Some((_, scripts)) => (scripts.iter().map(|it| (*it).to_owned()).collect(), 1),
                None if name == "npm" => return,
                None => (vec![(*verb).to_owned()], 1),
            },
            // `yarn` alone installs.
            (_, []) => (
                vec!["preinstall", "install", "postinstall", "prepare"]
                    .into_iter()
                    .map(str::to_owned)
                    .collect(),
                0,
            ),
        };
        let scripts = self.scripts_of_package();
        // Where another program has put them in: `sed -i … package.json`.
        if scripts.is_empty() {
            self.suspect_file("package.json");
        }
        self.binary_of(name, &texts, call);
        let arguments: Vec<Field> = operands().skip(from).map(|it| (*it).clone()).collect();
        for asked in asked {
            let fits = |own: &str| match asked.split_once('*') {
                Some((start, end)) => {
                    own.starts_with(start) && own.ends_with(end.trim_matches('*'))
                }
                None => own == asked,
            };
            let written = scripts.iter().filter(|it| fits(&it.0)).map(|it| it.1.clone());
            let set = self.env.alias(&format!("{SCRIPT}{asked}")).cloned();
            let codes: Vec<String> = written.chain(set).take(MOST).collect();
            // A script may run itself.
            let key = format!("{SCRIPT}{asked} runs");
            if codes.is_empty() || self.is_active(&key) {
                continue;
            }
            self.alias(&key, |walker| {
                for code in codes {
                    let line = format!("{code} {}", quoted(&arguments));
                    walker.resolved += 1;
                    walker.nested_code(&line, &Io::default());
                    walker.resolved -= 1;
                }
            });
        }
    }

    /// `pnpm tsx file`, `yarn run tsx file`: what is no verb of theirs and no script is a program.
    fn binary_of(&mut self, name: &str, texts: &[&str], call: &Call) {
        let verb = match (name, texts) {
            ("yarn" | "bun", ["run", verb, _, ..]) | ("yarn" | "pnpm", [verb, _, ..]) => *verb,
            _ => return,
        };
        if VERBS.contains(&verb) || !is_familiar(verb) {
            return;
        }
        let Some(at) = call.words.iter().position(|it| it.text == verb) else { return };
        if self.spend(1) {
            let words = call.words[at..].to_vec();
            self.enter(|walker| walker.call(call.with_words(words)));
        }
    }

    /// What the line has written into `package.json`, name by name.
    fn scripts_of_package(&mut self) -> Vec<(String, String)> {
        let text = match self.made("package.json") {
            Some(super::env::Made::Text(text)) if self.spend(1 + text.len() / 64) => text,
            _ => return Vec::new(),
        };
        let value: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
        let scripts = value.get("scripts").and_then(|it| it.as_object());
        let scripts = scripts.into_iter().flatten();
        scripts.filter_map(|(name, code)| Some((name.clone(), code.as_str()?.to_owned()))).collect()
    }
}
