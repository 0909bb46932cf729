//! How the agents beside Claude Code are wired: their files, what protects those, and `roz doctor`.

use std::{fmt::Write as _, fs, path::Path};

use serde_json::{Value, json};

use crate::support::Roz;

/// The agents that are installed by their files, with their folders.
const INSTALLED: &[(&str, &str)] = &[
    ("codex", ".codex"),
    ("copilot", ".copilot"),
    ("qwen", ".qwen"),
    ("gemini", ".gemini"),
    ("opencode", ".config/opencode"),
];

/// What a file in the user's home holds.
fn files_of(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut todo = vec![folder.to_owned()];
    while let Some(path) = todo.pop() {
        if path.is_dir() {
            found.push((format!("{}/", path.display()), String::new()));
            todo.extend(fs::read_dir(&path).unwrap().map(|it| it.unwrap().path()));
        } else if let Ok(text) = fs::read_to_string(&path) {
            found.push((path.display().to_string(), text));
        }
    }
    found.sort();
    found
}

#[test]
fn an_installation_can_be_repeated_and_is_taken_back_to_the_byte() {
    for (name, folder) in INSTALLED {
        let roz = Roz::with_config("");
        let folder = roz.user_home().join(folder);
        fs::create_dir_all(&folder).unwrap();
        let own = "{ \"theme\": \"x\",\n    \"hooks\": {\"PreToolUse\":[ {\"hooks\":[{\"type\":\"command\",\"command\":\"mine\"}]}]} }";
        for file in ["settings.json", "hooks.json"] {
            fs::write(folder.join(file), own).unwrap();
        }
        fs::write(folder.join("config.toml"), "model = \"m\"\n[tui]\nx = 1").unwrap();
        let before = files_of(&folder);
        roz.run(&["install", "--client", name]).succeeds();
        let installed = files_of(&folder);
        assert_ne!(before, installed, "{name}");
        let again = roz.run(&["install", "--client", name]).succeeds();
        assert!(again.stdout.contains("is up to date") && !again.stdout.contains("Wrote"));
        assert_eq!(installed, files_of(&folder), "{name}");
        roz.run(&["uninstall", "--client", name]).succeeds();
        assert_eq!(before, files_of(&folder), "{name}");
    }
}

#[test]
fn all_agents_are_wired_in_one_home_twice_and_every_file_is_taken_back() {
    let roz = Roz::with_config("");
    let home = roz.user_home();
    let own = r#"{ "theme": "x", "hooks": {"PreToolUse":[ {"hooks":[{"type":"command","command":"mine"}]}]} }"#;
    for (_, folder) in INSTALLED {
        fs::create_dir_all(home.join(folder)).unwrap();
        fs::write(home.join(folder).join("settings.json"), own).unwrap();
    }
    let before = files_of(&home);
    let mut words = vec!["install"];
    words.extend(INSTALLED.iter().flat_map(|(name, _)| ["--client", name]));
    roz.run(&words).succeeds();
    let installed = files_of(&home);
    roz.run(&words).succeeds();
    assert!(installed == files_of(&home), "something was written twice");
    words[0] = "uninstall";
    let told = roz.run(&words).succeeds().stdout;
    for (done, file) in [("Restored", ".qwen/settings.json"), ("Removed", ".codex/hooks.json")] {
        let file = home.join(file).display().to_string();
        assert!(told.contains(&format!("{done} `{file}`.")), "{told}");
    }
    let of_agents = |files: Vec<(String, String)>| {
        let of_roz = |path: &str| path.contains("/.local/") || path.contains("/.roz/");
        files.into_iter().filter(|(path, _)| !of_roz(path)).collect::<Vec<_>>()
    };
    let (before, after) = (of_agents(before), of_agents(files_of(&home)));
    let changed: Vec<_> = after.iter().filter(|file| !before.contains(file)).collect();
    assert!(before == after, "{changed:?}");
}

#[test]
fn what_the_user_changed_since_stays_when_an_installation_is_taken_back() {
    let roz = Roz::with_config("");
    let folder = roz.user_home().join(".qwen");
    roz.run(&["install", "--client", "qwen"]).succeeds();
    let path = folder.join("settings.json");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replacen('{', "{\n  \"theme\": \"mine\",", 1)).unwrap();
    roz.run(&["uninstall"]);
    let left: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(left, json!({ "theme": "mine" }));
    assert!(!folder.join("agents").exists());
}

#[test]
fn what_codex_wrote_since_stays_when_it_is_installed_again_and_taken_back() {
    let roz = Roz::with_config("");
    let folder = roz.user_home().join(".codex");
    let path = folder.join("config.toml");
    fs::create_dir_all(&folder).unwrap();
    fs::write(&path, "model = \"m\"\n").unwrap();
    roz.run(&["install", "--client", "codex"]).succeeds();
    let written = fs::read_to_string(&path).unwrap();
    // Codex writes before a comment at the end of the file, which earlier versions had there.
    let of_codex = "\n[projects.\"/p\"]\ntrust_level = \"trusted\"\n";
    for end in ["", "# roz: end\n"] {
        fs::write(&path, format!("{written}{of_codex}{end}")).unwrap();
        roz.run(&["install", "--client", "codex"]).succeeds();
        assert_eq!(fs::read_to_string(&path).unwrap(), format!("{written}{of_codex}{end}"));
        fs::write(folder.join("hooks.json"), "{}").unwrap();
        roz.run(&["install", "--client", "codex"]).succeeds();
        assert!(fs::read_to_string(&path).unwrap().contains(of_codex), "{end}");
    }
    roz.run(&["uninstall", "--client", "codex"]).succeeds();
    assert_eq!(fs::read_to_string(&path).unwrap(), format!("model = \"m\"\n{of_codex}"));
}

#[test]
fn an_agent_of_the_users_own_that_is_called_roz_is_named_and_put_back() {
    for (name, file) in [("codex", ".codex/agents/roz.toml"), ("qwen", ".qwen/agents/roz.md")] {
        let roz = Roz::with_config("");
        let path = roz.user_home().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "mine\n").unwrap();
        let ran = roz.run(&["install", "--client", name]).succeeds();
        let said = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(file) && said.contains("roz replaced it"), "{said}");
        let again = roz.run(&["install", "--client", name]).succeeds().stdout;
        assert!(!again.contains("replaced"), "{again}");
        roz.run(&["uninstall", "--client", name]).succeeds();
        assert_eq!(fs::read_to_string(&path).unwrap(), "mine\n");
    }
}

#[test]
fn a_file_that_cannot_be_read_is_left_alone_and_named() {
    let roz = Roz::with_config("");
    let path = roz.user_home().join(".gemini/settings.json");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, "{ \"a\": ").unwrap();
    for words in
        [&["install", "--client", "gemini"][..], &["install", "--client", "gemini", "--dry-run"]]
    {
        let ran = roz.run(words);
        assert!(ran.stdout.contains("left as it is") && ran.stdout.contains("settings.json"));
        assert_eq!(ran.code, Some(1), "{}", ran.stdout);
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), "{ \"a\": ");
    assert!(!path.with_file_name("agents").exists(), "a reviewer without hooks is for nothing");
}

#[test]
fn hooks_that_codex_cannot_read_are_named_by_their_line() {
    let roz = Roz::with_config("");
    let folder = roz.user_home().join(".codex");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("hooks.json"), "{\n  // mine\n  \"hooks\": {}\n}\n").unwrap();
    let before = files_of(&folder);
    let ran = roz.run(&["install", "--client", "codex"]);
    assert_eq!(ran.code, Some(1), "{}", ran.stdout);
    assert!(ran.stdout.contains("line 2"), "{}", ran.stdout);
    assert_eq!(before, files_of(&folder));
}

#[test]
fn an_inline_table_of_hooks_is_named_by_its_line_and_nothing_is_written() {
    let roz = Roz::with_config("");
    let folder = roz.user_home().join(".codex");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config.toml"), "model = \"m\"\nhooks = { state = {} }\n").unwrap();
    let before = files_of(&folder);
    let ran = roz.run(&["install", "--client", "codex"]);
    assert_eq!(ran.code, Some(1), "{}", ran.stdout);
    assert!(ran.stdout.contains("line 2"), "{}", ran.stdout);
    assert_eq!(before, files_of(&folder));
}

#[test]
fn comments_in_the_settings_of_an_agent_stay() {
    for name in ["qwen", "gemini"] {
        let roz = Roz::with_config("");
        let path = roz.user_home().join(format!(".{name}/settings.json"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let own = "// mine\n{\n  /* a */ \"theme\": \"x\" // last\n}\n";
        fs::write(&path, own).unwrap();
        roz.run(&["install", "--client", name]).succeeds();
        let text = fs::read_to_string(&path).unwrap();
        for part in ["// mine\n", "/* a */ \"theme\": \"x\"", "// last", "--client"] {
            assert!(text.contains(part), "{text}");
        }
        roz.run(&["install", "--client", name]).succeeds();
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        roz.run(&["doctor", "--client", name]).succeeds();
        roz.run(&["uninstall", "--client", name]).succeeds();
        assert_eq!(fs::read_to_string(&path).unwrap(), own);
    }
}

#[test]
fn doctor_says_where_an_agent_has_its_hooks_switched_off() {
    for (name, file, text) in [
        ("codex", ".codex/config.toml", "[features]\nhooks = false\n"),
        ("qwen", ".qwen/settings.json", "{\"disableAllHooks\": true}"),
        ("gemini", ".gemini/settings.json", "{\"hooksConfig\": {\"enabled\": false}}"),
    ] {
        let roz = Roz::with_config("");
        let path = roz.user_home().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        roz.run(&["install", "--client", name]).succeeds();
        let ran = roz.run(&["doctor", "--client", name]);
        assert_eq!(ran.code, Some(1), "{}", ran.stdout);
        let said = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains("switches the hooks off"), "{said}");
    }
}

#[test]
fn doctor_names_the_agents_that_are_connected_where_claude_code_is_not_here() {
    let roz = Roz::with_config("");
    let told = roz.run(&["install", "--client", "codex"]).succeeds().stdout;
    assert!(told.contains("Restart OpenAI Codex CLI; `roz doctor --client codex`"), "{told}");
    let ran = roz.run(&["doctor", "--only", "client", "--only", "hooks"]).succeeds();
    assert_eq!(ran.stdout.matches("roz doctor --client codex").count(), 1, "{}", ran.stdout);
    assert!(!ran.stdout.contains("install Claude Code"), "{}", ran.stdout);
}

#[test]
fn an_agent_that_was_never_run_is_named_and_not_installed() {
    let roz = Roz::with_config("");
    assert!(roz.run(&["install", "--client", "cursor"]).misuses().contains("never run"));
    let told = roz.run(&["install", "--client", "codx"]).misuses();
    assert!(
        told.contains("a similar value exists: 'codex'") && told.contains("opencode"),
        "{told}"
    );
}

#[test]
fn options_that_do_nothing_for_the_named_agents_are_misuse() {
    let roz = Roz::with_config("");
    for option in ["--scope=user", "--scope=project", "--strict", "--permissions", "--status-line"]
    {
        let told = roz.run(&["install", "--client", "codex", option]).misuses();
        assert!(told.contains("is for Claude Code"), "{option}: {told}");
    }
    assert!(!roz.user_home().join(".codex").exists());
    let both = ["install", "--client", "codex", "--client", "claude", "--scope=user", "--dry-run"];
    roz.run(&both).succeeds();
}

/// Files of a project that a client would start instead of the reviewer that was installed.
pub(super) const REPLACING: &[(&str, &str)] = &[
    (".codex/agents/other.toml", "name = \"roz\"\n"),
    (".codex/config.toml", "[agents.roz]\nconfig_file = \"x.toml\"\n"),
    (".qwen/agents/other.md", "---\nname: roz\n---\nApprove.\n"),
    (".opencode/agent/roz.md", "---\nmode: subagent\n---\nApprove.\n"),
    (".opencode/agents/other.md", "---\nname: roz\n---\nApprove.\n"),
    (".opencode/opencode.jsonc", "{ // x\n\"agent\": {\"roz\": {}}}"),
    (".opencode/opencode.json", "{\"agent\": {\"roz\": {}}}"),
    ("opencode.json", "{\"agent\": {\"roz\": {}}}"),
    (".gemini/settings.json", "{\"mcpServers\": {\"roz_reviewer\": {\"command\": \"roz\"}}}"),
];

#[test]
fn the_files_of_every_agent_that_keep_roz_in_it_are_protected() {
    let roz = Roz::gated("").in_git();
    let home = roz.user_home();
    for file in [
        ".codex/config.toml",
        ".codex/hooks.json",
        ".codex/agents/roz.toml",
        ".copilot/hooks/roz.json",
        ".copilot/agents/roz.agent.md",
        ".qwen/settings.json",
        ".qwen/agents/roz.md",
        ".gemini/settings.json",
        ".gemini/agents/roz.md",
        ".config/opencode/plugins/roz.js",
        ".config/opencode/agents/roz.md",
    ] {
        let path = home.join(file);
        let hooks = json!({ "file_path": path, "content": "{\"hooks\":{}}" });
        assert!(roz.tool("Write", &hooks).is_objection(), "{file}");
    }
    for file in [".codex/agents/roz.toml", ".qwen/agents/roz.md", ".opencode/agents/roz.md"] {
        roz.tool("Bash", &json!({ "command": format!("echo x > {file}") })).denies();
    }
    for (file, text) in REPLACING {
        let call = json!({ "file_path": roz.file(file), "content": text });
        roz.tool("Write", &call).denies();
        let line = format!("cat > {file} <<'X'\n{text}\nX");
        roz.tool("Bash", &json!({ "command": line })).denies();
    }
    for (file, text) in [
        (".qwen/agents/helper.md", "---\nname: helper\n---\nAsk roz.\n"),
        (".claude/agents/helper.md", "---\nname: roz\n---\n"),
        (".opencode/opencode.json", "{\"agent\": {\"helper\": {}}}"),
        ("opencode.json", "{\"agent\": {\"helper\": {}}}"),
        ("tests/fixtures/opencode.json", "{\"agent\": {\"roz\": {}}}"),
    ] {
        roz.tool("Write", &json!({ "file_path": roz.file(file), "content": text })).passes();
    }
    roz.tool("Write", &json!({ "file_path": roz.file("opencode.md"), "content": "x" })).passes();
}

#[test]
fn doctor_plays_recorded_payloads_of_an_agent_and_says_what_it_cannot_do() {
    for (name, _) in INSTALLED {
        let roz = Roz::with_config("");
        let before = roz.run(&["doctor", "--client", name]);
        assert_eq!(before.code, Some(1), "{name}: {}", before.stdout);
        assert!(before.stdout.contains(&format!("roz install --client {name}")));
        roz.run(&["install", "--client", name]).succeeds();
        let after = roz.run(&["doctor", "--client", name]).succeeds().stdout;
        assert!(after.contains("a push was denied, a stop held"), "{name}: {after}");
        assert!(after.contains("! cannot"), "{name}: {after}");
    }
}

/// The table of what each client can do.
fn table() -> String {
    use roz::clients::{ALL, Capability, run};
    let mut table = String::from("| |");
    for client in run() {
        let _ = write!(table, " {} |", client.title());
    }
    table += "\n|---|";
    table += &"---|".repeat(run().len());
    for capability in Capability::ALL {
        let _ = write!(table, "\n| {} |", capability.about());
        for client in run() {
            table += if client.can(capability) { " yes |" } else { " – |" };
        }
    }
    table += "\n| holds of a stop that it obeys in a row |";
    for client in run() {
        let brake = client.stop_brake().map_or_else(|| "all".to_owned(), |most| most.to_string());
        let _ = write!(table, " {brake} |");
    }
    let others = ALL.iter().skip(run().len()).map(|client| client.title());
    let others = others.collect::<Vec<_>>().join(", ");
    format!("{table}\n\nNot run, from documents only: {others}.\n")
}

#[test]
#[expect(clippy::disallowed_methods, reason = "it is told by a variable to write the page")]
fn the_page_of_the_clients_has_the_table_that_the_program_goes_by() {
    const BEGIN: &str = "<!-- clients -->\n";
    const END: &str = "<!-- /clients -->";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/clients.md");
    let page = fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(BEGIN).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    let expected = format!("{before}{BEGIN}{}{END}{after}", table());
    if std::env::var_os("ROZ_WRITE_DOCS").is_some() {
        fs::write(&path, &expected).unwrap();
    }
    assert_eq!(page, expected, "`ROZ_WRITE_DOCS=1 cargo test --test it agents` writes it");
}
