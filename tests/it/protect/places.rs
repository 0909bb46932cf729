//! What would be written: roz's home, the plugin, the binary, and what of a
//! project is a person's business.
//!
//! Long because it is one list of spellings.

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
            "for d in ~/.r*; do rm -r \"$d/F\"; done",
            "$SHELL -c 'rm ~/.roz/F'",
            "\"$X\" -c 'rm ~/.roz/F'",
            "trap f EXIT; f() { rm ~/.roz/F; }",
            "> \"$(readlink -f ~/.roz)/F\"",
            "rm \"$(realpath ~/.roz)/F\"",
            "bash -c '> \"$0\"' ~/.roz/F",
            "bash -c 'rm $0/F' ~/.roz",
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
        "cd ~/.roz && git clone https://example.com/x",
        "for f in ~/.roz/sessions/*; do : > \"$f\"; done",
        "for d in ~/.r*; do rm -r \"$d\"; done",
        "for d in ~/.[r]*/; do rm -r \"$d\"; done",
        "for f in ~/.*/config.toml; do rm \"$f\"; done",
        "for d in ~/.*; do case $d in *roz) rm -r \"$d\";; esac; done",
        "for f in {home}/*; do rm \"$f\"; done",
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
        "for f in ~/.roz/*; do cat \"$f\"; done",
        "for f in ~/.b*; do cp \"$f\" /tmp/; done",
        "cat \"$(readlink -f ~/.roz/config.toml)\"",
        "bash -c 'cat \"$0\"' ~/.roz/config.toml",
        "$SHELL -c 'cat ~/.roz/config.toml'",
        "git -C ~/.roz status",
        "docker run -v $PWD:/w rust cargo test",
        "tar czf /tmp/backup.tgz ~/.roz",
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

/// A house whose project has its own of everything.
pub(super) fn furnished() -> House {
    let house = House::new();
    // Its intents are there to be guarded, not to be lived by.
    house.roz.configure("intent.enabled = false");
    house.project_file(".claude/settings.json", r#"{"hooks": {"Stop": []}}"#);
    house.project_file(".roz/config.toml", "");
    house.project_file(".orchestration/active_intents.yaml", "");
    house.project_file("src/a.rs", "");
    house.roz.git(&["add", "src"]);
    house
}

#[test]
fn what_a_find_comes_to_is_what_it_changes() {
    let house = furnished();
    for line in [
        r"find ~ -name .roz -exec rm -rf {} \;",
        "find ~ -name '.r*' -exec rm -rf {} +",
        r"find ~ -iname '.ROZ' -exec rm -rf {} \;",
        "rm -rf $(find ~ -name .roz)",
        "find ~ -name .roz | while read f; do rm -rf \"$f\"; done",
        "for f in $(find ~ -name .roz); do rm -rf $f; done",
        "find ~ -type f | sort | xargs rm",
        "find ../user -type d | xargs rm -rf",
        "cd ~ && find . -name .roz -exec rm -rf {} +",
        "fd -H -t d '^.roz$' ~ -x rm -rf",
        "fd . ~ -H -X rm",
        "find ~/.roz -name config.toml -exec sh -c 'echo > \"$1\"' _ {} +",
        r"find ~ \( -name '*.tmp' -o -name '*.toml' \) -delete",
        "find ~/.roz -mindepth 1 -delete",
        "find ~ ! -name '*.log' -delete",
        "find ~ -regex '.*toml' -delete",
    ] {
        house.denies("roz-home", line);
    }
    for line in [
        "find . -name 'settings*.json' -delete",
        r"find . -name settings.json -exec rm {} \;",
        "find . -name settings.json -print0 | xargs -0 -I{} sed -i s/hooks/x/ {}",
        "find . -path '*/.claude/*' -delete",
        "fd -H settings.json -x rm",
        r"find .claude -name '*.json' -exec cp /dev/null {} \;",
        r"find . -name '*.json' -exec tee {} \;",
        "find . -maxdepth 1 -name .claude -exec mv {} /tmp/x +",
        "find . -name '*.md' -prune -o -type f -print | xargs sed -i /a/d",
    ] {
        house.denies("settings", line);
    }
    house.denies("orchestration", "find . -name .orchestration -exec rm -rf {} +");
    house.asks("project-config", "find . -name config.toml -delete");
    for line in [
        "find . -name '*.pyc' -delete",
        "find target -type f -delete",
        "find . -name node_modules -exec rm -rf {} +",
        "find . -name node_modules -prune -exec rm -rf {} +",
        "find src -name '*.rs' | xargs sed -i s/a/b/",
        "find . -type d -name __pycache__ | xargs rm -rf",
        "find . -name '*.rs' | grep -v target | xargs sed -i s/a/b/",
        r"find . -name '*.py' -exec sed -i s/a/b/ {} \;",
        "fd -e pyc -x rm",
        r"fd '\.orig$' -x rm",
        "fd . -x rm",
        "find ~ -name '*.log' -delete",
        r"find ~ \( -name '*.tmp' -o -name '*.bak' \) -delete",
        "find . -path ./.claude -prune -o -name '*.json' -print | xargs sed -i s/a/b/",
        "find ~/.roz -type f -exec cat {} +",
        "find . -name '*.json' | xargs cat",
        "find . -type f | wc -l; X=$(mktemp); echo hi > $X; rm $X",
        "find . -regex '.*\\.pyc' -delete",
        "find . -maxdepth 1 -type f -name '*.toml' -delete",
        "grep -rl foo src | xargs sed -i s/foo/bar/",
        "git ls-files | xargs sed -i s/a/b/",
    ] {
        house.is_free(line);
    }
}

#[test]
fn what_git_clean_removes_is_what_git_says() {
    let house = furnished();
    for line in ["git clean -fd .claude", "git clean -fdx", "cd src && git clean -fdx .."] {
        house.denies("settings", line);
    }
    for line in [
        "git clean -n",
        "git clean -fdx src",
        "git clean -fdx -e .claude -e .roz -e .orchestration",
    ] {
        house.is_free(line);
    }
    house.roz.git(&["add", "-A"]);
    house.is_free("git clean -fdx");
}

#[test]
fn a_patch_changes_what_its_headers_name() {
    let house = furnished();
    let patch = |file: &str| {
        format!("--- a/{file}\n+++ b/{file}\n@@ -1 +1 @@\n--- a/.claude/settings.json\n+x\n")
    };
    house.project_file("bad.patch", &patch(".claude/settings.json"));
    house.project_file("odd.patch", &format!("\0{}", patch(".claude/settings.json")));
    house.project_file("moved.patch", "diff --git a/x b/.claude/settings.json\nsimilarity index 100%\nrename from x\nrename to .claude/settings.json\n");
    house.project_file("gone.patch", "diff --git a/.claude/settings.json b/.claude/settings.json\ndeleted file mode 100644\n--- a/.claude/settings.json\n+++ /dev/null\n@@ -1 +0,0 @@\n-{}\n");
    house.project_file("good.patch", &patch("src/a.rs"));
    for line in [
        "git apply bad.patch",
        "git apply --index bad.patch",
        "git am bad.patch",
        "git am < bad.patch",
        "patch -p1 < bad.patch",
        "patch -p1 -i bad.patch",
        "patch -p1 --input=bad.patch",
        "cat bad.patch | git apply",
        "cat bad.patch | patch -p1",
        "cd .claude && patch < ../bad.patch",
        "patch -d .claude -p2 < bad.patch",
        "git apply odd.patch",
        "git apply moved.patch",
        "git apply gone.patch",
        "git apply -p1 <<'X'\n--- a/.claude/settings.json\n+++ b/.claude/settings.json\n@@ -1 +1 @@\n-a\n+b\nX",
        "cp good.patch x; echo '+++ b/.claude/settings.json' > y.patch; git apply y.patch",
    ] {
        house.denies("settings", line);
    }
    house.denies(
        "roz-home",
        "cd ~ && patch -p1 <<'X'\n--- a/.roz/config.toml\n+++ b/.roz/config.toml\n@@ -1 +1 @@\n-a\n+b\nX",
    );
    for line in [
        "git apply good.patch",
        "git am good.patch",
        "patch -p1 < good.patch",
        "git apply --check bad.patch",
        "git apply --stat bad.patch",
        "patch --dry-run -p1 < bad.patch",
        "git apply absent.patch",
        "git am --abort",
        "git diff | git apply -R",
        "cat bad.patch",
    ] {
        house.is_free(line);
    }
}

#[test]
fn what_is_put_away_or_unpacked_is_written_as_well() {
    let house = furnished();
    for line in [
        "tar --remove-files -cf x.tar ~/.roz",
        "tar czf x.tgz -C ~ --remove-files .roz",
        "zip -rm x.zip ~/.roz",
        "git worktree add ~/.roz/x",
        "git bundle create ~/.roz/x HEAD",
        "git format-patch -o ~/.roz HEAD~1",
        "unzip -d ~/.roz x.zip",
    ] {
        house.denies("roz-home", line);
    }
    for line in [
        "git bundle create .claude/settings.json HEAD",
        "unzip x.zip -d .claude",
        "tar xf x.tar -C ~/.claude/",
        "tar --remove-files -cf x.tar .claude",
    ] {
        house.denies("settings", line);
    }
    for line in [
        "git format-patch -o patches HEAD~1",
        "git worktree add ../wt -b x",
        "git worktree list",
        "git bundle create x.bundle HEAD",
        "unzip x.zip -d out",
        "mkdir -p .claude && tar xf x.tar -C out",
        "tar xf x.tar -C .claude/skills",
        "cp notes.md .claude/",
    ] {
        house.is_free(line);
    }
}

#[test]
fn an_agent_file_is_read_before_it_is_there() {
    let house = House::new();
    for line in [
        // `name: roz:roz`, and the same in several steps.
        "echo LS0tCm5hbWU6IHJvejpyb3oKLS0tCg== | base64 -d > .claude/agents/x.md",
        "echo LS0tCm5hbWU6IHJvejpyb3oKLS0tCg== | base64 -d | tee .claude/agents/x.md",
        "a=roz; { echo ---; echo \"name: $a:$a\"; } > ~/.claude/agents/x.md",
        "echo --- > .claude/agents/x.md; a=roz; echo \"name: $a:$a\" >> .claude/agents/x.md",
    ] {
        house.denies("reviewer-agent", line);
    }
    for line in [
        "base64 -d x > .claude/agents/x.md",
        "curl -s http://x | base64 -d > ~/.claude/agents/x.md",
        "curl -o .claude/agents/x.md http://x",
        "{ cat x | rev; } > .claude/agents/x.md",
        "cat x | tee .claude/agents/x.md",
    ] {
        house.asks("unknown-agent", line);
    }
    for line in [
        "echo LS0tCm5hbWU6IGhlbHBlcgotLS0K | base64 -d > .claude/agents/x.md",
        "cat > .claude/agents/x.md <<'X'\n---\nname: helper\n---\nX",
        "cat >> .claude/agents/x.md <<'X'\nmore\nX",
        "cp templates/x.md .claude/agents/x.md",
        "sed -i s/a/b/ .claude/agents/x.md",
        "rm .claude/agents/x.md",
        "cat .claude/agents/x.md | base64 > copy",
    ] {
        house.is_free(line);
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
        "for f in BIN/*; do rm \"$f\"; done",
        "rm \"$(readlink -f BIN/roz)\"",
        "rm -rf \"$(dirname \"$(command -v roz)\")\"",
        "d=$(dirname \"$(which roz)\"); mv \"$d\" \"$d.bak\"",
        "b=$(command -v roz); rm -r ${b%/*}",
        "rm $(type -a roz | awk '{print $3}')",
        "rm $(whereis -b roz | cut -d' ' -f2)",
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
fn what_the_line_made_itself_hides_nothing() {
    let house = House::new();
    for line in [
        // A link to a folder above.
        "ln -s ~ l; rm -rf l/.roz",
        "ln -s ../user l; echo x > l/.roz/config.toml",
        "ln -s ~ l && mv l m && rm -rf ./m/.roz",
        "ln -s ~ a; ln -s a b; rm -rf b/.roz",
        "mkdir d; cd d; ln -s ../../user l; cd l && rm -rf .roz",
        // A path that a program shows.
        "rm -rf $(dirname ~/.roz/config.toml)",
        "x=$(dirname ~/.roz/x); rm -rf \"$x\"",
        "rm -rf ~/$(basename x/.roz)",
        "rm -rf ~/$(basename x/.roz.y .y)",
        // The folder that a program stands in.
        "cd ~/.roz && tar xf x.tar",
        "cd ~/.roz && unzip x.zip",
        "cd ~/.roz && cpio -id < x",
        "cd ~/.roz && curl -sO https://example.com/config.toml",
        "cd ~/.roz && wget https://example.com/config.toml",
        "cd ~/.roz && git init",
        "cd ~/.roz && split f",
        "cd ~/.roz && mktemp -p .",
    ] {
        house.denies("roz-home", line);
    }
    for line in [
        "ln -s ~ l && cp n.json l/.claude/settings.json",
        "cd .claude && tar xf x.tar",
        "cd .claude && wget -q 'https://example.com/settings.json?x=1'",
        "cp -rT nc/.claude .claude",
    ] {
        house.denies("settings", line);
    }
    for line in ["chmod 000 ABOVE", "chmod u-x ABOVE", "chmod u=r ABOVE"] {
        let above = std::path::Path::new(env!("CARGO_BIN_EXE_roz")).parent().unwrap();
        house.denies("binary", &line.replace("ABOVE", above.to_str().unwrap()));
    }
    for line in [
        "ln -s ../shared l; echo x > l/notes.md; rm -rf l/build",
        "ln -s ~ l; rm l",
        "rm -rf $(dirname build/x/y)",
        "cd build && tar xf x.tar && curl -sO https://example.com/a && git init",
        "cd ~/.roz && tar tf x.tar",
        "chmod 755 ~ && chmod u+x ~",
    ] {
        house.is_free(line);
    }
}

#[test]
fn a_database_is_shown_and_not_changed() {
    let house = House::new();
    for line in [
        "sqlite3 ~/.roz/x.db .tables",
        "sqlite3 ~/.roz/x.db '.schema t' 'select 1;'",
        "sqlite3 -header -column ~/.roz/x.db 'SELECT * FROM t'",
        "sqlite3 ~/.roz/x.db .dump",
        "sqlite3 -readonly ~/.roz/x.db 'with a as (select 1) select * from a'",
    ] {
        house.is_free(line);
    }
    for line in [
        "sqlite3 ~/.roz/x.db 'delete from t'",
        "sqlite3 ~/.roz/x.db 'select 1; drop table t'",
        "sqlite3 ~/.roz/x.db '/* select */ drop table t'",
        "sqlite3 ~/.roz/x.db 'with a as (select 1) delete from t'",
        "sqlite3 ~/.roz/x.db",
        "sqlite3 ~/.roz/x.db '.restore x'",
        "sqlite3 ~/.roz/x.db $'.tables\n.restore x'",
        "sqlite3 -init f ~/.roz/x.db .tables",
        "sqlite3 -cmd 'drop table t' ~/.roz/x.db .tables",
        "sqlite3 x.db \"attach '{home}/x.db' as a; delete from a.t\"",
    ] {
        house.denies("roz-home", line);
    }
}

#[test]
fn a_sidecar_in_a_temporary_folder_is_nobodys() {
    let house = House::new();
    house.project_file(".orchestration/intent_map.md", "");
    house.project_file(".roz/config.toml", "");
    house.project_file("src/a.rs", "");
    for line in [
        "cp -r . /tmp/sb-x",
        "rsync -a ./ /tmp/sb-x/",
        "cp -a . ../copy",
        "rm -rf /tmp/sb-x/.orchestration",
        "rm -rf /tmp/sb-x/.*",
        "mkdir -p /tmp/sb-x/.orchestration && echo a > /tmp/sb-x/.orchestration/active_intents.yaml",
        "cd /tmp/sb-x && mkdir .roz && echo a > /tmp/sb-x/.roz/config.toml",
        "rm -rf /var/tmp/sb-x/.roz",
    ] {
        house.is_free(line);
    }
    for line in [
        "rm -rf {project}/.orchestration",
        "cp -r /tmp/sb-x/.orchestration .",
        "mv /tmp/sb-x/.orchestration .",
        "mkdir -p /tmp/sb-x/.orchestration; echo a > /tmp/sb-x/.orchestration/a.yaml; cp -r /tmp/sb-x/. .",
        "mkdir -p /tmp/sb-x/.orchestration; echo a > /tmp/sb-x/.orchestration/a.yaml; rsync -a /tmp/sb-x/ .",
        "ln -s {project} /tmp/sb-x; echo a > /tmp/sb-x/.orchestration/active_intents.yaml",
        "ln -s {project}/.orchestration /tmp/sb-x/.orchestration; echo a > /tmp/sb-x/.orchestration/a",
        "ln -sfn /tmp/sb-x/.orchestration .orchestration",
        "rm -rf {project}/../.orchestration",
        "echo a > /tmp/.orchestration/active_intents.yaml",
        "echo a > /tmp/sb-x/../../{project}/.orchestration/active_intents.yaml",
        "echo a > /tmp/*/.orchestration/active_intents.yaml",
        "rm -rf \"$D/.orchestration\"",
        // That of a folder below is asked about what lies there.
        "mkdir -p tests/fx/.orchestration && echo a > tests/fx/.orchestration/a.yaml",
        "cp -r . sub/copy",
        "echo a > ~/other/.orchestration/active_intents.yaml",
    ] {
        house.denies("orchestration", line);
    }
    house.asks("project-config", "rm -rf .roz");
    house.asks("project-config", "echo a > ~/other/.roz/config.toml");
}
