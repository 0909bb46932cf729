//! The client's settings: what is protected in them stays, other keys are free.

use serde_json::{Value, json};

use super::{House, USERS};

#[test]
fn hooks_stay_in_the_settings() {
    let house = House::new();
    house.project_file(".claude/settings.json", USERS);
    house.project_file(".claude/settings.local.json", USERS);
    for file in [
        "{user}/.claude/settings.json",
        "{project}/.claude/settings.json",
        "{project}/.claude/settings.local.json",
    ] {
        for line in [
            "jq 'del(.hooks)' F > /tmp/x && mv /tmp/x F",
            "jq 'del(.hooks)' F | sponge F",
            "sed -i /hooks/d F",
            "echo '{}' > F",
            "rm F",
            "chmod 000 F",
            "python3 -c \"import json; d=json.load(open('F')); d.pop('hooks'); json.dump(d, open('F','w'))\"",
        ] {
            house.denies("settings", &line.replace('F', file));
        }
        for (tool, input) in [
            ("Write", json!({ "file_path": file, "content": "{}" })),
            ("Write", json!({ "file_path": file, "content": "{ no json" })),
            (
                "Write",
                json!({ "file_path": file, "content": with("disableAllHooks", json!(true)) }),
            ),
            (
                "Write",
                json!({ "file_path": file, "content": with("env", json!({ "ROZ_HOME": "/x" })) }),
            ),
            (
                "Write",
                json!({ "file_path": file, "content": with("env", json!({ "PATH": "/x" })) }),
            ),
            ("Write", json!({ "file_path": file, "content": with("enabledPlugins", json!({})) })),
            ("Edit", json!({ "file_path": file, "old_string": "\"Stop\": []", "new_string": "" })),
            ("Edit", json!({ "file_path": file, "old_string": "absent", "new_string": "" })),
            (
                "MultiEdit",
                json!({ "file_path": file, "edits": [
                { "old_string": "\"model\": \"x\"", "new_string": "\"model\": \"y\"" },
                { "old_string": "true", "new_string": "false" },
            ] }),
            ),
            ("mcp__fs__write_file", json!({ "path": file, "content": "{}" })),
        ] {
            house.denies_tool("settings", tool, &input);
        }
        for (tool, input) in [
            ("Edit", json!({ "file_path": file, "old_string": "\"x\"", "new_string": "\"y\"" })),
            (
                "Write",
                json!({ "file_path": file, "content": with("permissions", json!({ "allow": [] })) }),
            ),
            (
                "Write",
                json!({ "file_path": file, "content": with("env", json!({ "EDITOR": "vi" })) }),
            ),
            (
                "MultiEdit",
                json!({ "file_path": file, "edits": [
                { "old_string": "\"model\": \"x\"", "new_string": "\"model\": \"y\"" },
            ] }),
            ),
        ] {
            house.frees_tool(tool, &input);
        }
    }
    house.denies("settings", "rm -rf .claude");
    house.denies("settings", "cp /tmp/settings.json .claude/");
}

/// [`USERS`], with another key.
fn with(key: &str, value: Value) -> String {
    let mut settings: Value = serde_json::from_str(USERS).unwrap();
    settings[key] = value;
    settings.to_string()
}

#[test]
fn a_pattern_is_read_as_the_shell_reads_it() {
    let house = House::new();
    house.project_file(".claude/settings.json", USERS);
    for name in [
        "[^x]ettings.json",
        "[!x]ettings.json",
        "[[:alpha:]]ettings.json",
        "[[:lower:][:digit:]]ettings.[[:alnum:]]son",
        "[[=s=]]ettings.json",
        "set[]t]ings.json",
        "s**s.json",
    ] {
        house.denies("settings", &format!("rm .claude/{name}"));
        house.denies("settings", &format!("for f in .claude/{name}; do echo '{{}}' > $f; done"));
        house.denies("settings", &format!("find .claude -name '{name}' -delete"));
    }
    house.denies("settings", "rm .claude/s[\"e\"]ttings.json");
    for line in [
        "for d in .c*; do rm $d/settings.json; done",
        "s=$(cat s); echo '{}' > \"$PWD${s}.claude/settings.json\"",
        "for d in .c*; do cd $d && rm settings.json; done",
        "for d in ~/.cl*; do echo '{}' > $d/settings.json; done",
    ] {
        house.denies("settings", line);
    }
    house.denies("reviewer-agent", "for d in .c*; do cp x.md $d/agents/roz.md; done");
    house.is_free("for d in .config/*; do rm $d/settings.json; done");
    house.is_free("for d in .vs*; do echo '{}' > $d/settings.json; done");
    for name in ["[^s]ettings.json", "[[:digit:]]ettings.json", "[![:alpha:]]*.json", "*.md"] {
        house.is_free(&format!("rm .claude/{name}"));
    }
}

#[test]
fn a_path_that_is_handed_over_is_written() {
    let house = House::new();
    for line in [
        "python3 - ~/.roz/F <<'X'\nimport sys\nopen(sys.argv[1], 'w').write('x')\nX",
        "P=~/.roz/F python3 -c 'import os; open(os.environ[\"P\"], \"w\")'",
        "node -e 'require(\"fs\").writeFileSync(process.argv[1], \"\")' ~/.roz/F",
        "awk -v f=\"$HOME/.roz/F\" 'BEGIN { print 1 > f }'",
        "curl --stderr ~/.roz/F http://example.com",
        "curl -D ~/.roz/F http://example.com",
        "GIT_TRACE=$HOME/.roz/F git status",
    ] {
        house.denies("roz-home", &line.replace("/F", "/config.toml"));
    }
}

#[test]
fn settings_are_not_put_away_by_other_names() {
    let house = House::new();
    house.project_file(".claude/settings.json", USERS);
    for line in [
        "rm .claude/*",
        "git rm -r .claude",
        "git stash -u -- .claude",
        "git stash push -u .claude/settings.json",
        "git checkout HEAD~1 -- '*laude/settings.json'",
        "git checkout HEAD~1 -- '*.claude/settings.json'",
        "git checkout HEAD~1 -- '?claude/settings.json'",
        "git checkout HEAD~1 -- ':(top)*[.]claude/settings.json'",
        "git checkout HEAD~1 -- '[.]claude/*.json'",
        "git checkout HEAD~1 -- '*laude/sett*.json'",
        "git checkout HEAD~1 -- '*laude*json'",
        "git checkout HEAD~1 -- *laude/settings.json",
        "git restore -s HEAD~1 '*laude/settings.json'",
        "git rm '*.claude/settings.json'",
        "git rm -f ':/.claude/settings.json'",
        "git rm -f ':(top).claude/settings.json'",
        "git rm -f ':(literal).claude/settings.json'",
        "git rm -f ':(glob).claude/*.json'",
        "git restore -s HEAD~1 ':/.claude/settings.json'",
        "python3 -c 'import shutil; shutil.copytree(\"x/.claude\", \".claude\", dirs_exist_ok=True)'",
    ] {
        house.denies("settings", line);
    }
    for line in [
        "rm .claude/*.log",
        "git stash -u -- src",
        "git checkout -- '*.md'",
        "git checkout HEAD -- '*.json' '*.toml'",
        "git checkout -- *",
        "git checkout HEAD -- src/*.rs '**/tests/*'",
        "git restore '*.rs'",
        "python3 -c 'import sys; sys.stdout.write(open(sys.argv[1]).read())' ~/.roz/config.toml",
        "awk -v n=3 '$1 > n { print }' ~/.roz/stats.log",
        "sqlite3 -readonly ~/.roz/index.db 'select 1'",
        "ls .claude/*",
    ] {
        house.is_free(line);
    }
}

#[test]
fn a_settings_file_that_is_new_may_not_bring_what_is_protected() {
    let house = House::new();
    let file = "{project}/.claude/settings.local.json";
    for content in [
        json!({ "hooks": {} }),
        json!({ "disableAllHooks": true }),
        json!({ "env": { "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "0" } }),
        json!({ "extraKnownMarketplaces": { "x": 1 } }),
    ] {
        let input = json!({ "file_path": file, "content": content.to_string() });
        house.denies_tool("settings", "Write", &input);
    }
    let input = json!({ "file_path": file, "content": "{\"model\": \"x\"}" });
    house.frees_tool("Write", &input);
    house.is_free("rm .claude/settings.local.json");
}

#[test]
fn an_edit_whose_result_is_known_is_compared() {
    let house = House::new();
    house.project_file(".claude/settings.json", USERS);
    for line in [
        "sed -i s/x/y/ .claude/settings.json",
        "sed -i 's/\"x\"/\"y\"/' .claude/settings.json",
        "sed -i s/x/y/ .claude/settings.json && jq .model .claude/settings.json",
        "cd . && sed -i s/x/y/ .claude/settings.json; git diff",
        "find . -name '*.json' -exec sed -i s/node:20/node:22/g {} +",
        "find . -name '*.json' | xargs sed -i s/node:20/node:22/g",
        "for f in $(find . -name '*.json'); do sed -i s/node:20/node:22/ $f; done",
        "sed -i s/node:20/node:22/ package.json && sed -i s/a1/a2/ .claude/settings.json",
    ] {
        house.is_free(line);
    }
    for line in [
        "sed -i s/x/y/ .claude/settings.json; python3 x.py",
        "sed -i s/x/y/ .claude/settings.json && jq .hooks={} .claude/settings.json | sponge .claude/settings.json",
        "find . -name '*.json' -exec sed -i s/roz/x/g {} +",
        "sed -i s/Stop/Xtop/ .claude/settings.json && sed -i s/Xtop/Stop/ src/a.txt",
        "sed -i s/Stop/Xtop/ .claude/settings.json || sed -i s/Xtop/Stop/ .claude/settings.json",
        "trap 'sed -i s/Stop/X/ .claude/settings.json' EXIT; sed -i s/X/Stop/ .claude/settings.json",
        "find . -name '*.json' | xargs sed -i s/hooks/h/",
        "for i in 1 2; do sed -i s/o/x/ .claude/settings.json; done",
        "sed -i s/hooks/h/ .claude/settings.json",
        "sed -i s/roz@roz/x/g .claude/settings.json",
        "sed -i s/x/hooks/ .claude/settings.json; sed -i s/Stop/y/ .claude/settings.json",
        "sed -i 's/h..ks/x/' .claude/settings.json",
        "sed -i \"s/$A/x/\" .claude/settings.json",
    ] {
        house.denies("settings", line);
    }
}

#[test]
fn a_file_of_that_name_that_nobody_reads_is_free() {
    let house = House::new();
    let hooks = json!({ "hooks": {} }).to_string();
    for file in ["tests/fixtures/.claude/settings.json", "tests/.roz/config.toml"] {
        let file = format!("{{project}}/{file}");
        house.frees_tool("Write", &json!({ "file_path": file, "content": hooks }));
    }
    house.is_free("mkdir -p t/.claude && echo x > t/.claude/settings.json");
    let content = json!({ "path": "{project}/notes", "content": "{home}/config.toml" });
    house.frees_tool("mcp__fs__write_file", &content);
    house.denies_tool(
        "roz-home",
        "mcp__fs__write_file",
        &json!({ "content": "{home}/config.toml" }),
    );
    for file in [".claude/settings.json", ".claude/worktrees/x/.claude/settings.json"] {
        let file = format!("{{project}}/{file}");
        house.denies_tool("settings", "Write", &json!({ "file_path": file, "content": hooks }));
    }
    house.denies("settings", "cp -r tests/.claude . ; echo '{}' > .claude/settings.json");
}

#[test]
fn what_a_listing_of_them_shows_is_theirs() {
    let house = House::new();
    house.project_file(".claude/settings.json", USERS);
    let mut passed = Vec::new();
    for line in [
        "rm $(ls ~/.claude/settings.json)",
        "ls ~/.claude/settings.json | xargs rm",
        "for f in $(ls ~/.claude/settings.json); do echo '{}' > $f; done",
        "ls ~/.claude/settings.json | while read f; do rm $f; done",
        "stat -c %n .claude/settings.json | xargs rm",
        "ls -d .claude | xargs rm -r",
        "cd ~/.claude; for f in *.json; do echo {} > $f; done",
        "cd ~/.claude; for f in *; do rm -rf $f; done",
        "cd .claude; for f in *.json; do jq 'del(.hooks)' $f > t; mv t $f; done",
        "cd ~/.claude; ls | xargs rm -r",
    ] {
        if !house.bash(line).is_objection() {
            passed.push(line);
        }
    }
    assert!(passed.is_empty(), "{passed:#?}");
    for line in [
        "ls .claude; rm -f $(ls build/*.o)",
        "ls .claude/settings.json; rm -f $(ls build/*.o)",
        "cat ~/.claude/settings.json | jq .hooks",
        "cd ~/.claude; for f in *.json; do jq . $f > /dev/null; done",
        "rm -f $(ls *.log)",
        "ls src | xargs rm",
        "stat -c %n a.txt | xargs rm",
    ] {
        house.is_free(line);
    }
}

#[test]
fn git_takes_them_away_with_the_folder() {
    let house = House::new();
    house.project_file(".claude/settings.json", USERS);
    for line in [
        "git rm -r .",
        "git rm '*'",
        "git rm -rf .claude",
        "git rm -r ./",
        "git rm -f './*'",
        "git rm -f ':/*'",
        "git rm -f 'src/../*'",
    ] {
        house.denies("settings", line);
    }
    for line in [
        "git rm -r --cached .",
        "git rm src/a.rs",
        "git rm -r src",
        "git rm '*.log'",
        "git rm -f $(find . -name '*.orig')",
    ] {
        house.is_free(line);
    }
}

#[test]
fn a_copy_that_nobody_reads_is_kept_beside_the_project() {
    let house = House::new();
    house.project_file(".claude/settings.json", USERS);
    for line in ["cp -r .claude ../backup", "cp -r .claude ../backup/", "cp -a ./.claude /tmp/b"] {
        house.is_free(line);
    }
    for line in ["cp -r x/.claude .", "cp -r x/.claude ../backup"] {
        house.denies("settings", line);
    }
    house.is_free("rm -rf sub/.[!.]*");
    assert!(house.bash("rm -rf .[!.]*").is_objection());
}

#[test]
fn a_project_is_copied_with_its_settings_and_a_fixture_holds_what_it_is_given() {
    let house = House::new();
    house.project_file(".claude/settings.json", USERS);
    for line in [
        "cp -r . ../copy",
        "cp -a . /tmp/copy",
        "rsync -a . /tmp/p",
        "rsync -a --exclude .claude . /tmp/p",
        "rsync -a .claude/ /tmp/c/",
        "mkdir -p /tmp/t/.claude && echo '{}' > /tmp/t/.claude/settings.json",
        "echo '{\"model\":\"opus\"}' > /tmp/t/.claude/settings.json",
    ] {
        house.is_free(line);
    }
    for line in [
        "cp -r . ~/",
        "rsync -a /tmp/x/.claude/ .claude",
        "rsync -a --exclude .claude --include .claude/settings.json . ~",
        "echo '{}' > .claude/settings.json",
        "echo '{\"disableAllHooks\":true}' > /tmp/t/.claude/settings.json",
        "echo '{}' > s; mv s .claude/settings.json",
        "echo '{\"a\":\"\\u0022,\\u0022disableAllHooks\\u0022:true,\\u0022b\\u0022:\\u0022\"}' > /tmp/t/.claude/settings.json",
        "echo \"{\\\"a\\\":\\\"$SHELL\\\"}\" > /tmp/t/.claude/settings.json",
        "mkdir -p x/.claude; echo '{\"disableAllHooks\":true}' > x/.claude/settings.json; rsync -a --exclude settings.json/ x/ .",
        "mkdir -p x/.claude; echo '{\"disableAllHooks\":true}' > x/.claude/settings.json; rsync -af'+ .claude' --exclude .claude x/ .",
        "mkdir -p x/.claude; echo '{\"disableAllHooks\":true}' > x/.claude/settings.json; rsync -a --exclude='+ .claude' --exclude .claude x/ .",
        "mkdir -p x/.claude; echo '{\"disableAllHooks\":true}' > x/.claude/settings.json; rsync -a --exclude .claude --exclude '!' x/ .",
        "mkdir -p x/.claude; echo '{\"disableAllHooks\":true}' > x/.claude/settings.json; rsync -a --exclude .claude --exclude-from=list x/ .",
        "mkdir -p x/.claude; echo '{\"disableAllHooks\":true}' > x/.claude/settings.json; cp -r x/. .",
        "echo '{}' > /tmp/t/.claude/settings.json; sed -i 's/{}/{\"disableAllHooks\":true}/' /tmp/t/.claude/settings.json",
    ] {
        house.denies("settings", line);
    }
}
