//! What git runs from files of its own: aliases that hide a verb, and hooks.

use std::{fs, os::unix::fs::PermissionsExt as _};

use serde_json::json;

use crate::support::Roz;

/// A repository where pushing waits for a review.
fn gated() -> Roz {
    let roz = Roz::gated("").in_git();
    let config = roz.user_home().join(".gitconfig");
    roz.with_var("GIT_CONFIG_GLOBAL", config.to_str().unwrap())
}

fn user_file(roz: &Roz, path: &str, text: &str) {
    let path = roz.user_home().join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn write(roz: &Roz, path: &str, text: &str) {
    let file = roz.project().join(path);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

fn hook(roz: &Roz, path: &str, text: &str) {
    write(roz, path, text);
    let path = roz.project().join(path);
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn an_alias_is_what_it_stands_for() {
    let roz = gated();
    roz.git(&["config", "alias.p", "push"]);
    roz.git(&["config", "alias.Deep", "p -q"]);
    roz.git(&["config", "alias.sh", "!f() { git push \"$@\"; }; f"]);
    roz.git(&["config", "alias.st", "status -sb"]);
    write(&roz, "sub/x", "");
    user_file(&roz, ".gitconfig", "[alias]\n\tup = push origin\n\tlg = log --oneline\n");
    for line in [
        "git p",
        "git p origin main",
        "git deep",
        "git sh x",
        "git up",
        "git -C sub p",
        "cd sub && git p",
        "make && git p",
        "GIT_CONFIG_GLOBAL=x git z",
        "export GIT_CONFIG_GLOBAL=x; git z",
        "git -c include.path=x z",
        "printf '[alias]\\nz = push\\n' >> .git/config; git z",
        "printf '[alias]\\nz = push\\n' >> $(git rev-parse --git-dir)/config; git z",
        "printf '[alias]\\nz = push\\n' >> \"$(git rev-parse --git-path config)\"; git z",
        "EDITOR='echo \"[alias] z=push\" >' git config --edit; git z",
    ] {
        assert!(roz.bash(line).is_objection(), "{}", line);
    }
    write(&roz, "p.sh", "git p\n");
    write(&roz, "f.sh", "g() { git \"$@\"; }\n");
    for line in ["sh p.sh", ". ./f.sh; g p origin"] {
        assert!(roz.bash(line).is_objection(), "{line}");
    }
    roz.bash(". ./f.sh; g st").objects_to_nothing();
    for line in
        ["git st", "git lg", "git status", "git absent", "git -C sub st", "git config alias.q push"]
    {
        roz.bash(line).objects_to_nothing();
    }
}

#[test]
fn a_hook_of_the_repository_is_a_script_that_git_runs() {
    let roz = gated();
    hook(&roz, ".git/hooks/pre-commit", "#!/bin/sh\ngit push\n");
    write(&roz, ".git/hooks/post-checkout", "git push\n");
    write(&roz, "sub/x", "");
    write(&roz, "f.sh", "g() { git \"$@\"; }\n");
    for line in [
        "git commit -m x",
        "cd sub && git commit -qm x",
        "git merge x",
        "git -C sub commit",
        "git -c a.b=c -C sub commit",
        "git commit -C HEAD",
        "git commit --amend -C HEAD~1",
        ". ./f.sh; g commit -m x",
    ] {
        assert!(roz.bash(line).is_objection(), "{}", line);
    }
    // Where no folder is, the line may make one.
    let line = "mv sub other; git -C other commit";
    assert!(roz.bash(line).is_objection(), "{line}");
    for line in [
        ". ./f.sh; g log",
        "git clone https://h.example/d.git && git -C d checkout -q v1",
        "git init -q new; git -C new status; git -C new checkout x",
        "git -C absent log",
    ] {
        roz.bash(line).objects_to_nothing();
    }
    let line = "git worktree add ../wt main && git -C ../wt commit -m x";
    assert!(roz.bash(line).is_objection(), "{}", line);
    // What may not be run is not run.
    for line in ["git checkout main", "git status", "git diff", "git log"] {
        roz.bash(line).objects_to_nothing();
    }
}

#[test]
fn what_the_configuration_has_git_run_is_run_by_its_verbs() {
    for (setting, line) in [
        ("diff.external", "git diff HEAD"),
        ("core.fsmonitor", "git status"),
        ("core.editor", "git commit"),
        ("core.sshCommand", "git fetch ssh://h/x"),
        ("filter.z.clean", "git add x"),
        ("diff.z.textconv", "git log -p"),
        ("help.autocorrect", "git puhs"),
    ] {
        let roz = gated();
        roz.bash(line).objects_to_nothing();
        let code = if setting == "help.autocorrect" { "1" } else { "git push;:" };
        roz.git(&["config", setting, code]);
        assert!(roz.bash(line).is_objection(), "{setting}");
        roz.bash("git rev-parse HEAD").objects_to_nothing();
        roz.git(&["config", setting, if code == "1" { "never" } else { "vim" }]);
        roz.bash(line).objects_to_nothing();
    }
    let roz = gated();
    hook(&roz, "f.sh", "#!/bin/sh\ngit push\n");
    roz.git(&["config", "core.fsmonitor", "./f.sh"]);
    assert!(roz.bash("git status").is_objection());
    for (setting, line) in [
        ("core.editor", "git config -e"),
        ("diff.z.textconv", "git cat-file --textconv HEAD:x"),
        ("core.fsmonitor", "git ls-files -m"),
    ] {
        let roz = gated();
        roz.git(&["config", setting, "git push;:"]);
        assert!(roz.bash(line).is_objection(), "{setting}");
    }
}

#[test]
fn a_configuration_is_read_to_its_end_and_what_it_includes() {
    let config = |before: &[u8], code: &str| {
        let roz = gated();
        let path = roz.project().join(".git/config");
        let text = [&fs::read(&path).unwrap(), before, code.as_bytes()].concat();
        fs::write(path, text).unwrap();
        roz
    };
    let lines = "; x\n".repeat(5000);
    let code = "[core]\n\tfsmonitor = \"git push;:\"\n";
    for before in [lines.as_bytes(), b"# \xff\xfe\n", "#\n".repeat(200_000).as_bytes()] {
        assert!(config(before, code).bash("git status").is_objection());
    }
    config(lines.as_bytes(), "[core]\n\teditor = vim\n").bash("git commit").objects_to_nothing();
    let roz = config(b"", "[include]\n\tpath = ../more\n");
    roz.bash("git status").objects_to_nothing();
    write(&roz, "more", code);
    assert!(roz.bash("git status").is_objection());
}

#[test]
fn a_hook_that_is_asked_for_by_its_name_is_run() {
    let roz = gated();
    hook(&roz, ".git/hooks/mine", "#!/bin/sh\ngit push\n");
    assert!(roz.bash("git hook run mine").is_objection());
    for line in ["git hook run other", "git status", "git commit -m mine"] {
        roz.bash(line).objects_to_nothing();
    }
}

#[test]
fn a_file_that_git_shows_to_a_shell_is_read() {
    let roz = gated();
    write(&roz, "d.sh", "git push\n");
    for line in [
        "git show HEAD:d.sh | sh",
        "git cat-file -p HEAD:d.sh | bash",
        "bash -c \"$(git show HEAD:d.sh)\"",
        ". <(git show HEAD:d.sh)",
        "git show HEAD:d.sh > e.sh; sh e.sh",
    ] {
        assert!(roz.bash(line).is_objection(), "{line}");
    }
    for line in ["git show HEAD:d.sh", "git show HEAD:d.sh | cat", "git show HEAD:e | sh"] {
        roz.bash(line).objects_to_nothing();
    }
}

#[test]
fn hooks_are_found_where_the_configuration_says() {
    let roz = gated();
    hook(&roz, "mine/pre-commit", "#!/bin/sh\ngit push\n");
    roz.bash("git commit -m x").objects_to_nothing();
    roz.git(&["config", "core.hooksPath", "mine"]);
    assert!(roz.bash("git commit -m x").is_objection(), "{}", "git commit -m x");
    roz.bash("git log").objects_to_nothing();
}

#[test]
fn a_hook_that_the_line_itself_writes_is_run_by_it() {
    let roz = gated();
    write(&roz, "x.sh", "git push\n");
    for line in [
        "printf 'git push\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; git commit -m x",
        "cp x.sh .git/hooks/post-commit && git commit -m x",
    ] {
        assert!(roz.bash(line).is_objection(), "{}", line);
    }
    for line in [
        "printf 'make lint\\n' > .git/hooks/pre-commit; git commit -m x",
        "echo 'git push' > notes; git commit -m x",
        "cp x.sh .git/hooks/post-commit",
    ] {
        roz.bash(line).objects_to_nothing();
    }
}

#[test]
fn other_shells_and_tools_run_what_they_are_told() {
    let roz = gated();
    for line in [
        "iex \"git push\"",
        "Invoke-Expression 'git push'",
        "Start-Process git -ArgumentList push",
        "Start-Process -FilePath git -ArgumentList 'push origin' -Wait",
        "Start-Process git -ArgumentList push,origin",
        "saps git push",
    ] {
        assert!(roz.tool("PowerShell", &json!({ "command": line })).is_objection());
    }
    for line in ["iex \"git status\"", "Start-Process git -ArgumentList status", "Write-Output iex"]
    {
        roz.tool("PowerShell", &json!({ "command": line })).objects_to_nothing();
    }
    for input in [
        json!({ "argv": ["git", "push"] }),
        json!({ "args": ["git", "push", "origin"] }),
        json!({ "command": "git", "argv": ["push"] }),
        json!({ "commandLine": "git push" }),
    ] {
        assert!(roz.tool("mcp__sh__run", &input).is_objection());
    }
    for input in [json!({ "argv": ["git", "status"] }), json!({ "args": { "a": "git push" } })] {
        roz.tool("mcp__sh__run", &input).objects_to_nothing();
    }
}
