//! What would be written: roz's home, the plugin, the binary, and what of a project is a person's
//! business.

use std::{fs, os::unix::fs::symlink};

use serde_json::json;

use super::{House, path_of_tests};

#[test]
fn whatever_writes_roz_home_is_denied() {
    let house = House::new();
    for file in ["sessions/s1.json", "config.toml"] {
        for line in [
            "echo x > {home}/F",
            "echo x >> ~/.roz/F",
            "sed -i s/a/b/ $HOME/.roz/F",
            "echo x | tee {home}/F",
            "cp x {home}/F",
            "mv x {home}/F",
            "mv {home}/F x",
            "rm {home}/F",
            "rm -f ~/.r*/F",
            "ln -sf /dev/null {home}/F",
            "chmod 000 {home}/F",
            "flock {home}/F sleep 100",
            "d=.roz; echo x > ~/$d/F",
            "cd ~/.roz && rm F",
            "cd {project} && echo x > ../user/.roz/F",
            "echo x > {user}/../user/.roz/./F",
            "curl -o {home}/F http://example.com",
            "bash -c 'rm $0/F' ~/.roz",
            "trap f EXIT; f() { rm ~/.roz/F; }",
            "sudo rm ~/.roz/F",
        ] {
            house.denies("roz-home", &line.replace('F', file));
        }
    }
    for line in [
        "rm -rf {home}",
        "mv ~/.roz /tmp/x",
        "rm -rf {user}",
        "chmod -R 000 {user}",
        "mkdir ~/.roz/x",
    ] {
        house.denies("roz-home", line);
    }
    for (tool, input) in [
        ("Write", json!({ "file_path": "{home}/sessions/s1.json", "content": "" })),
        ("Edit", json!({ "file_path": "~/.roz/config.toml", "old_string": "", "new_string": "x" })),
        ("MultiEdit", json!({ "file_path": "{home}/config.toml", "edits": [] })),
        ("NotebookEdit", json!({ "notebook_path": "{home}/x.ipynb", "new_source": "" })),
        ("mcp__fs__write_file", json!({ "path": "{home}/config.toml", "content": "" })),
        ("mcp__fs__move", json!({ "files": [{ "from": "x", "to": "file://{home}/config.toml" }] })),
        ("Monitor", json!({ "command": "rm ~/.roz/config.toml" })),
        ("mcp__sh__run", json!({ "cmd": "rm ~/.roz/config.toml" })),
    ] {
        house.denies_tool("roz-home", tool, &input);
    }
}

#[test]
fn links_are_followed() {
    let house = House::new();
    let project = house.roz.project();
    symlink(house.roz.home(), project.join("link")).unwrap();
    symlink("link", project.join("again")).unwrap();
    symlink("link/new.toml", project.join("dangling")).unwrap();
    for line in [
        "echo x > link/config.toml",
        "rm again/sessions/s1.json",
        "echo x > dangling",
        "cd again && echo x > config.toml",
        "echo x > again/sessions/../config.toml",
    ] {
        house.denies("roz-home", line);
    }
    house.denies_tool(
        "roz-home",
        "Write",
        &json!({ "file_path": "{project}/link/config.toml", "content": "" }),
    );
    house.is_free("cat link/config.toml");
    house.is_free("rm again");
}

#[test]
fn the_plugin_and_the_agents_stay_what_they_are() {
    let house = House::new();
    for line in [
        "echo '{}' > ~/.local/share/roz/plugin/hooks/hooks.json",
        "rm -rf ~/.local/share/roz",
        "rm -rf ~/.claude/plugins",
        "jq . x > ~/.claude/plugins/installed_plugins.json",
        "rm -rf ~/.claude/plugins/cache/roz",
        "chmod -R 000 ~/.claude/plugins",
    ] {
        house.denies("plugin", line);
    }
    house.is_free("rm -rf ~/.claude/plugins/cache/another");
    let agent = |name: &str| json!({ "file_path": "{project}/.claude/agents/x.md", "content": format!("---\nname: {name}\n---\n") });
    house.denies_tool("reviewer-agent", "Write", &agent("roz:roz"));
    house.frees_tool("Write", &agent("helper"));
    house.denies(
        "reviewer-agent",
        "printf -- '---\\nname: \"roz:roz\"\\n---\\n' > ~/.claude/agents/innocent.md",
    );
    house.denies(
        "client-notes",
        "echo '{\"toolUseId\":\"x\"}' > {notes}/subagents/agent-b.meta.json",
    );
    house.denies("client-notes", "rm -rf {notes}");
}

#[test]
fn the_binary_stays_what_it_is() {
    let house = House::new();
    let bin = house.roz.dir().join("bin");
    fs::create_dir(&bin).unwrap();
    symlink(env!("CARGO_BIN_EXE_roz"), bin.join("roz")).unwrap();
    let House { roz } = house;
    let path = format!("{}:{}", bin.display(), path_of_tests());
    let house = House { roz: roz.with_var("PATH", &path) };
    let bin = bin.to_str().unwrap();
    for line in [
        "mv {binary} /tmp/x",
        "cp /bin/true {binary}",
        "chmod -x {binary}",
        "rm {binary}",
        "cp /bin/true BIN/roz",
        "ln -sf /bin/true BIN/roz",
        "rm BIN/roz",
        "cp /tmp/roz BIN/",
        "install -m755 x BIN/roz",
        "rm -rf BIN",
    ] {
        house.denies("binary", &line.replace("BIN", bin));
    }
    house.denies_tool(
        "binary",
        "Write",
        &json!({ "file_path": format!("{bin}/roz"), "content": "" }),
    );
    house.is_free("echo 'export EDITOR=vi' >> ~/.bashrc");
    house.is_free(&format!("cp x {bin}/other"));
}

#[test]
fn a_persons_business_is_asked_about() {
    let house = House::new();
    for line in ["roz clean --all", "roz install", "roz uninstall", "roz init --import x"] {
        house.asks("verb", line);
    }
    for line in [
        "echo 'review.mode = \"never\"' > .roz/config.toml",
        "mkdir -p .roz; cp x .roz/config.toml",
        "rm -rf .roz",
        "mv .roz old",
    ] {
        house.asks("project-config", line);
    }
    let config = house.roz.project().join(".roz/config.toml");
    let asked = house.roz.tool("Write", &json!({ "file_path": config, "content": "" })).asks();
    assert!(asked.contains("at a terminal"), "{asked}");
}

#[test]
fn an_agent_file_whose_text_is_not_in_the_line_is_asked_about() {
    let house = House::new();
    for line in [
        "echo LS0tCm5hbWU6IHJvejpyb3oKLS0tCg== | base64 -d > .claude/agents/x.md",
        "base64 -d x > .claude/agents/x.md",
        "curl -s http://x | base64 -d > ~/.claude/agents/x.md",
        "curl -o .claude/agents/x.md http://x",
        "cat x | tee .claude/agents/x.md",
    ] {
        house.asks("unknown-agent", line);
    }
    for line in [
        "cat > .claude/agents/x.md <<'X'\n---\nname: helper\n---\nX",
        "cat >> .claude/agents/x.md <<'X'\nmore\nX",
        "mkdir -p .claude/agents && echo hello > .claude/agents/x.md",
        "cp templates/x.md .claude/agents/x.md",
        "sed -i s/a/b/ .claude/agents/x.md",
        "rm .claude/agents/x.md",
        "cat .claude/agents/x.md | base64 > copy",
    ] {
        house.is_free(line);
    }
}
