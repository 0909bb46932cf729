//! `roz install`, `roz uninstall` and `roz doctor`, by the built binary in a
//! home of its own.

mod doctor;
mod faults;
mod homes;
mod wiring;

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
    path::{Path, PathBuf},
    process::{Command, Output},
};

use serde_json::Value;

/// A user's machine: a home with roz in `~/bin`, and git beside it on PATH.
struct Machine {
    dir: tempfile::TempDir,
    /// Beyond those that every process has.
    env: Vec<(&'static str, String)>,
    /// The roz that is run.
    binary: PathBuf,
}

type Listing = BTreeMap<PathBuf, Vec<u8>>;

/// A client that does as it is told, and notes it in `~/calls`.
const CLIENT: &str = r#"#!/bin/sh
PATH=/usr/bin:/bin
echo "$*" >> "$HOME/calls"
known="$HOME/.claude/plugins/known_marketplaces.json"
case "$*" in
    --version) echo "2.1.330 (Claude Code)" ;;
    "plugin list --json") cat "$HOME/installs" 2>/dev/null || echo "[]" ;;
    "plugin marketplace add "*)
        mkdir -p "$HOME/.claude/plugins"
        echo "{\"roz\":{\"source\":{\"source\":\"directory\",\"path\":\"$4\"}}}" > "$known" ;;
    "plugin install "*)
        [ -f "$HOME/installs" ] ||
            echo '[{"id":"roz@roz","version":"0.0.9","scope":"user","enabled":false}]' > "$HOME/installs" ;;
    "plugin update "*) sed -i "s/0\.0\.9/VERSION/" "$HOME/installs" ;;
    "plugin enable "*) sed -i s/false/true/ "$HOME/installs" ;;
    "plugin uninstall "*) rm "$HOME/installs" ;;
    "plugin marketplace remove roz") rm "$known" ;;
    *) echo "what?" >&2; exit 1 ;;
esac
"#;

impl Machine {
    #[track_caller]
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let binary = dir.path().canonicalize().unwrap().join("home/bin/roz");
        let it = Self { dir, env: Vec::new(), binary };
        fs::create_dir_all(it.home().join("bin")).unwrap();
        fs::create_dir_all(it.project().join(".git")).unwrap();
        put_binary(&it.roz());
        for dir in ["/usr/local/bin", "/usr/bin", "/bin"] {
            let git = Path::new(dir).join("git");
            if git.exists() && !it.home().join("bin/git").exists() {
                symlink(git, it.home().join("bin/git")).unwrap();
            }
        }
        it
    }

    fn with_client() -> Self {
        let it = Self::new();
        it.program("bin/claude", &CLIENT.replace("VERSION", env!("CARGO_PKG_VERSION")));
        it
    }

    fn home(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join("home")
    }

    fn project(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join("project")
    }

    fn roz(&self) -> PathBuf {
        self.binary.clone()
    }

    fn plugin(&self) -> PathBuf {
        self.home().join(".local/share/roz/plugin")
    }

    #[track_caller]
    fn write(&self, path: &str, text: &str) {
        let path = self.dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[track_caller]
    fn program(&self, path: &str, text: &str) {
        self.write(&format!("home/{path}"), text);
        let path = self.home().join(path);
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[track_caller]
    fn run(&self, args: &[&str]) -> Output {
        self.run_binary(&self.roz(), args)
    }

    #[track_caller]
    #[expect(clippy::disallowed_methods, reason = "a test starts what it tests")]
    fn run_binary(&self, binary: &Path, args: &[&str]) -> Output {
        let mut command = Command::new(binary);
        command.args(args).current_dir(self.project()).env_clear();
        command.env("HOME", self.home()).env("PATH", self.home().join("bin"));
        command.envs(self.env.iter().map(|(name, value)| (name, value))).output().unwrap()
    }

    /// What a run that does its work prints.
    #[track_caller]
    fn says(&self, args: &[&str]) -> String {
        let ran = self.run(args);
        let text = String::from_utf8(ran.stdout).unwrap();
        assert!(ran.status.success(), "{text}{}", String::from_utf8_lossy(&ran.stderr));
        text
    }

    #[track_caller]
    fn doctor(&self) -> Diagnosis {
        let ran = self.run(&["doctor", "--json"]);
        let found: Value = serde_json::from_slice(&ran.stdout).unwrap();
        assert_eq!(ran.status.success(), found["ok"] == true, "{found:#}");
        Diagnosis(found)
    }

    #[track_caller]
    fn doctor_at(&self, binary: &Path) -> Diagnosis {
        let ran = self.run_binary(binary, &["doctor", "--json"]);
        Diagnosis(serde_json::from_slice(&ran.stdout).unwrap())
    }

    /// Every path in the home, with what is there.
    fn listing(&self) -> Listing {
        listing_of(&self.home())
    }

    fn calls(&self) -> Vec<String> {
        let text = fs::read_to_string(self.home().join("calls")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    fn hooks(&self) -> Value {
        serde_json::from_slice(&fs::read(self.plugin().join("hooks/hooks.json")).unwrap()).unwrap()
    }
}

/// Every path in a folder, with what is there.
fn listing_of(folder: &Path) -> Listing {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let meta = path.symlink_metadata().unwrap();
            let text = if meta.is_dir() {
                folders.push(path.clone());
                Vec::new()
            } else if meta.is_symlink() {
                fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes()
            } else {
                fs::read(&path).unwrap()
            };
            found.insert(path, text);
        }
    }
    found
}

/// The binary under test at another place.
fn put_binary(path: &Path) {
    let built = env!("CARGO_BIN_EXE_roz");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    if fs::hard_link(built, path).is_err() {
        fs::copy(built, path).unwrap();
    }
}

struct Diagnosis(Value);

impl Diagnosis {
    #[track_caller]
    fn check(&self, name: &str) -> &Value {
        let checks = self.0["checks"].as_array().unwrap();
        let found = checks.iter().find(|it| it["name"] == name);
        found.unwrap_or_else(|| panic!("no `{name}` in {:#}", self.0))
    }

    /// Something is amiss with `name`, and the remedy is said.
    #[track_caller]
    fn finds(&self, name: &str, status: &str, seen: &str) {
        let check = self.check(name);
        assert_eq!(check["status"], status, "{check:#}");
        assert!(check["seen"].as_str().unwrap().contains(seen), "{check:#}");
        assert!(check["remedy"].is_string(), "{check:#}");
        if status == "fail" {
            assert_eq!(self.0["ok"], false);
        }
    }
}
