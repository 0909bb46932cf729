//! Ordinary lines that look like something protected, and are none of roz's business.

use std::fs;

use serde_json::json;

use super::{House, USERS};

#[test]
fn moving_a_file_to_a_folder_takes_nothing_away_from_it() {
    let house = House::new();
    for line in [
        "mv a.txt ~",
        "mv a.txt ~/",
        "mv a.txt $HOME",
        "mv a.txt {user}",
        "mv a.txt b.txt ~",
        "mv -t ~ a.txt",
        "mv -n --target-directory={user} a.txt",
        "mv a.txt ..",
        "cd src && mv a.txt ..",
        "mv a.txt ~ && mv b.txt c.txt",
        "cp -r src ~",
        "cp a.txt ~/",
        "rsync -a src/ ~/backup/",
        "touch ~",
        "mkdir -p ~/bin",
        "chmod 755 ~",
        "chmod u+x ~/bin",
    ] {
        house.is_free(line);
    }
    for line in ["mv ~ /tmp/x", "mv {user} /tmp/x", "mv ~ ~/..", "rm -rf ~", "chmod -R 000 ~"] {
        house.objects(line);
    }
}

#[test]
fn a_file_that_has_a_protected_name_may_be_copied_elsewhere() {
    let house = House::new();
    house.project_file(".claude/settings.json", USERS);
    house.project_file("settings.json", "{}");
    for line in [
        "cp settings.json /tmp/",
        "cp settings.json config/",
        "mv settings.json src/settings.json",
        "cp .claude/settings.json /tmp/backup.json",
        "cp .claude/settings.json settings.example.json",
        "cp ~/.claude/settings.json .",
        "cp ~/.roz/config.toml /tmp/copy.toml",
        "cp -r .claude /tmp/backup",
        "cp -r . ../copy",
        "cp README.md docs/roz",
        "echo x > src/roz.rs",
        "echo '{}' > .vscode/settings.json",
        "sed -i s/a/b/ .vscode/settings.json",
        "mkdir -p tests/fixtures/.claude && echo '{}' > tests/fixtures/.claude/settings.json",
        "mkdir -p /tmp/t/.claude && echo '{}' > /tmp/t/.claude/settings.json",
        "echo x >> .roz/learnings.md",
        "cat > .claude/commands/x.md <<'X'\nhello\nX",
        "mkdir -p .claude/skills/x && cp notes.md .claude/skills/x/SKILL.md",
        "rm .claude/*.log",
    ] {
        house.is_free(line);
    }
    for path in ["tests/fixtures/.claude/settings.json", "tests/.roz/config.toml"] {
        let input = json!({ "file_path": format!("{{project}}/{path}"), "content": USERS });
        house.frees_tool("Write", &input);
    }
}

#[test]
fn reading_is_free() {
    let house = House::new();
    for line in [
        "cat {home}/config.toml {home}/sessions/s1.json",
        "ls -la ~/.roz ~/.claude",
        "jq .review ~/.roz/sessions/s1.json",
        "grep -rn x ~/.roz ~/.claude/skills",
        "grep -r x ~/.claude/projects",
        "cp -r ~/.claude /tmp/backup",
        "tar czf /tmp/backup.tgz ~/.roz ~/.claude",
        "find ~/.roz -name '*.json' | xargs cat",
        "jq .hooks ~/.claude/settings.json",
        "cat ~/.claude/settings.json > copy.json",
        "diff .claude/settings.json ~/.claude/settings.json",
        "ls -l {binary} && file {binary}",
        "cat .orchestration/active_intents.yaml",
        "cat \"$(readlink -f ~/.roz/config.toml)\"",
        "for f in ~/.roz/*; do cat \"$f\"; done",
        "bash -c 'cat \"$0\"' ~/.roz/config.toml",
        "git -C ~/.roz status",
        "cat {notes}/subagents/agent-other.jsonl",
        "ls -R ~/.claude/projects",
    ] {
        house.is_free(line);
    }
    for (tool, input) in [
        ("Read", json!({ "file_path": "{home}/config.toml" })),
        ("Read", json!({ "file_path": "{user}/.claude/settings.json" })),
        ("Grep", json!({ "path": "{home}", "pattern": "x" })),
        ("Grep", json!({ "path": "{user}/.claude", "pattern": "x" })),
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
fn everyday_lines_are_free() {
    let house = House::new();
    for line in [
        "docker compose config",
        "docker run -v $PWD:/w rust cargo test",
        "git push --dry-run",
        "git diff",
        "git add -A && git commit -m 'roz decide s1 COMPLETE' && git status",
        "git clean -n",
        "git restore . && git switch main && git pull",
        "cargo build",
        "cargo test 2>&1 | tail -5",
        "cargo build -p roz",
        "npm config set registry https://example.com",
        "rm -rf target node_modules",
        "X=$(mktemp); echo hi > $X; rm $X",
        "export PATH=$HOME/bin:$PATH; make",
        "export PATH=$HOME/bin:$PATH; claude -p hi",
        "kill $(cat server.pid)",
        "pkill -f 'npm run dev'",
        "find . -name '*.pyc' -delete",
        "find ~ -name '*.log' -delete",
        "find . -name '*.orig' | xargs rm",
        "find . -name node_modules -exec rm -rf {} +",
        "for f in src/*; do sed -i s/a/b/ \"$f\"; done",
        "for f in $(git diff --name-only); do prettier --write $f; done",
        "grep -rl foo src | xargs sed -i s/foo/bar/",
        "echo 'export EDITOR=vi' >> ~/.bashrc",
        "rm -rf ~/.claude/plugins/cache/another",
        "roz list && roz status",
    ] {
        house.is_free(line);
    }
}

#[test]
fn a_sidecar_in_a_temporary_folder_is_nobodys() {
    let house = House::new();
    house.project_file(".orchestration/intent_map.md", "");
    for line in [
        "cp -r . /tmp/sb-x",
        "rm -rf /tmp/sb-x/.orchestration",
        "mkdir -p /tmp/sb-x/.orchestration && echo a > /tmp/sb-x/.orchestration/intents.yaml",
        "mkdir /tmp/sb-x/.roz && echo a > /tmp/sb-x/.roz/config.toml",
        "rm -rf /var/tmp/sb-x/.roz",
    ] {
        house.is_free(line);
    }
    for line in [
        "rm -rf {project}/.orchestration",
        "rm -rf {project}/../.orchestration",
        "echo a > /tmp/.orchestration/active_intents.yaml",
        "echo a > ~/other/.orchestration/active_intents.yaml",
        "mkdir -p tests/fx/.orchestration && echo a > tests/fx/.orchestration/a.yaml",
    ] {
        house.denies("orchestration", line);
    }
    house.asks("project-config", "echo a > ~/other/.roz/config.toml");
}

#[test]
fn many_paths_hide_nothing() {
    let house = House::new();
    let files: Vec<String> = (0..500).map(|number| format!("f{number}")).collect();
    house.denies("roz-home", &format!("touch {} ~/.roz/config.toml", files.join(" ")));
    house.is_free(&format!("touch {}", files.join(" ")));
    fs::create_dir(house.roz.project().join("src")).unwrap();
    house.is_free("rm -rf src");
}
