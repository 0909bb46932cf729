//! What would be written: roz's home, the plugin, the binary, and what of a
//! project is a person's business.

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
            "python3 -c \"open('{home}/F','w').write('x')\"",
            "python3 -c \"from pathlib import Path; p = Path.home() / '.roz' / 'F'; p.write_text('x')\"",
            "echo x | tee {home}/F",
            "cp x {home}/F",
            "mv x {home}/F",
            "mv {home}/F x",
            "rm {home}/F",
            "rm -f ~/.r*/F",
            "ln -sf /dev/null {home}/F",
            "ln {home}/F x",
            "chmod 000 {home}/F",
            "flock {home}/F sleep 100",
            "exec 9<{home}/F; flock 9; sleep 100",
            "d=.roz; echo x > ~/$d/F",
            "D=$(unknown); echo x > $D/.roz/F",
            "cd ~/.roz && rm F",
            "cd {project} && echo x > ../user/.roz/F",
            "echo x > {user}/../user/.roz/./F",
            "Set-Content -Path {home}/F -Value x",
            "curl -o {home}/F http://example.com",
            "find {home} -name '*' -delete",
            "find ~/.roz -type f | xargs rm",
            "frobnicate {home}/F",
            "docker run -v ~/.roz:/x alpine sh -c 'rm /x/F'",
            "GIT_WORK_TREE=~/.roz git checkout F",
            "git -C {home} checkout .",
            "cd ~ && for f in .roz/*; do echo x > $f; done",
        ] {
            house.denies("roz-home", &line.replace('F', file));
        }
    }
    for line in [
        "rm -rf {home}",
        "mv ~/.roz /tmp/x",
        "rm -rf {user}",
        "chmod -R 000 {user}",
        "find ~ -name '*.json' -delete",
        "find ~ -name s1.json -delete",
        "find ~ -path '*/.roz/*' -exec rm {} +",
        "find ~ -type f | xargs rm",
        "for f in ~/.roz/sessions/*; do : > \"$f\"; done",
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
        ("PowerShell", json!({ "command": "Remove-Item ~/.roz/config.toml" })),
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
}

#[test]
fn reading_is_free() {
    let house = House::new();
    for line in [
        "cat {home}/config.toml {home}/sessions/s1.json",
        "ls -la ~/.roz",
        "jq .review ~/.roz/sessions/s1.json",
        "grep -rn x ~/.roz",
        "cp ~/.roz/config.toml /tmp/copy.toml",
        "python3 -c \"print(open('{home}/config.toml').read())\"",
        "find ~/.roz -name '*.json' | xargs cat",
        "jq .hooks ~/.claude/settings.json",
        "cat ~/.claude/settings.json > copy.json",
        "diff .claude/settings.json ~/.claude/settings.json",
        "ls -l {binary}",
        "git diff",
        "git add -A && git commit -m 'x' && git status",
        "cargo build",
        "cargo test 2>&1 | tail -5",
        "rm -rf target node_modules",
        "echo x > src/roz.rs",
        "echo x >> .roz/learnings.md",
        "X=$(mktemp); echo hi > $X; rm $X",
        "export PATH=$HOME/bin:$PATH; make",
        "kill $(cat server.pid)",
        "find ~ -name '*.log' -delete",
        "find . -name '*.orig' | xargs rm",
        "for f in src/*; do sed -i s/a/b/ \"$f\"; done",
        "git -C ~/.roz status",
        "docker run -v $PWD:/w rust cargo test",
        "tar czf /tmp/backup.tgz ~/.roz",
        "cp -r ~/.claude /tmp/backup",
        "python3 -m json.tool ~/.roz/sessions/s1.json",
        "pkill -f 'npm run dev'",
    ] {
        house.is_free(line);
    }
    for (tool, input) in [
        ("Read", json!({ "file_path": "{home}/config.toml" })),
        ("Read", json!({ "file_path": "{user}/.claude/settings.json" })),
        ("Grep", json!({ "path": "{home}", "pattern": "x" })),
        ("Write", json!({ "file_path": "{project}/src/roz.rs", "content": "roz decide" })),
        ("mcp__fs__read_text_file", json!({ "path": "{home}/config.toml" })),
        (
            "mcp__tracker__create_issue",
            json!({ "title": "roz", "body": "see ~/.roz/config.toml\nthere" }),
        ),
    ] {
        house.frees_tool(tool, &input);
    }
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
        "echo 'alias roz=true' >> ~/.bashrc",
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
        "mkdir -p sub/.roz; cp x sub/.roz/config.toml",
        "rm -rf .roz",
        "mv .roz old",
    ] {
        house.asks("project-config", line);
    }
    let config = house.roz.project().join("nested/.roz/config.toml");
    let asked = house.roz.tool("Write", &json!({ "file_path": config, "content": "" })).asks();
    assert!(asked.contains("at a terminal"), "{asked}");
}
