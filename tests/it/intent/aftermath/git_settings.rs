//! What git runs: its hooks, and the settings that name a program.

use super::*;

#[test]
fn a_hook_that_a_hidden_line_installs_is_told_and_taken_back() {
    let roz = selected("");
    fs::create_dir_all(roz.project().join(".git/hooks")).unwrap();
    let make = hidden(&roz, "printf x > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit");
    let told = roz.ran(make).context();
    assert!(told.contains(".git/hooks/pre-commit (is in nobody's scope)"), "{told}");
    assert_eq!(refusal(&roz.last_record()), "PROTECTED_PATH");
    roz.ran(&way_back(&told)).passes();
    assert!(!roz.project().join(".git/hooks/pre-commit").exists());
    // One that was there, and is changed or gone.
    roz.write(".git/hooks/pre-push", "true\n");
    roz.tick();
    let make = hidden(&roz, "printf x >> .git/hooks/pre-push");
    assert!(roz.ran(make).context().contains(".git/hooks/pre-push ("));
    roz.tick();
    let make = hidden(&roz, "rm .git/hooks/pre-push");
    assert!(roz.ran(make).context().contains(".git/hooks ("));
}

#[test]
fn settings_that_run_something_are_told_and_no_others() {
    let roz = selected("");
    let make = hidden(
        &roz,
        "git config user.name x\ngit remote add o /x\ngit config branch.main.remote o\n\
         git commit -q --allow-empty -m x\ngit gc -q",
    );
    roz.ran(make).passes();
    for line in
        ["git config core.hooksPath /x", "git config alias.st '!x'", "git config filter.a.clean x"]
    {
        let before = roz.text(".git/config");
        roz.tick();
        let make = hidden(&roz, line);
        let told = roz.ran(make).context();
        assert!(told.contains(".git/config (is in nobody's scope)"), "{line}: {told}");
        roz.tick();
        roz.ran(&way_back(&told)).passes();
        assert_eq!(roz.text(".git/config"), before);
    }
}

#[test]
fn hooks_count_wherever_git_looks_for_them() {
    let roz = selected("");
    fs::create_dir_all(roz.project().join("target/hooks")).unwrap();
    let make = hidden(&roz, "printf x > target/hooks/pre-commit");
    roz.ran(make).passes();
    roz.git(&["config", "core.hooksPath", "target/hooks"]);
    roz.tick();
    let make = hidden(&roz, "printf y > target/hooks/pre-commit");
    let told = roz.ran(make).context();
    assert!(told.contains("target/hooks/pre-commit (Scope Violation"), "{told}");
}

#[test]
fn hooks_of_a_folder_in_the_home_count_with_a_comment_behind_it() {
    let roz = selected("");
    let hooks = roz.user_home().join("of mine");
    fs::create_dir_all(&hooks).unwrap();
    let config = roz.text(".git/config") + "[user][core] hooksPath = \"~/of mine\" # mine\n";
    roz.write(".git/config", &config);
    roz.tick();
    let make = hidden(&roz, &format!("printf y > '{}/pre-commit'", hooks.display()));
    let told = roz.ran(make).context();
    assert!(told.contains("of mine/pre-commit ("), "{told}");
}

#[test]
fn settings_of_the_work_tree_alone_count() {
    let roz = selected("");
    roz.write(".git/config.worktree", "[core]\n\tsparseCheckout = false\n");
    let make = hidden(&roz, "git config -f .git/config.worktree core.sparseCheckout true");
    roz.ran(make).passes();
    roz.tick();
    let make = hidden(&roz, "git config -f .git/config.worktree core.hooksPath /x");
    let told = roz.ran(make).context();
    assert!(told.contains(".git/config.worktree (is in nobody's scope)"), "{told}");
}

#[test]
fn what_is_written_through_a_link_counts_as_well() {
    let roz = selected("");
    let make = hidden(&roz, "mv .git/config .git/c2; ln -s c2 .git/config");
    roz.ran(make);
    roz.tick();
    let make = hidden(&roz, "printf '[core] pager = evil\\n' >> .git/c2");
    let told = roz.ran(make).context();
    assert!(told.contains(".git/config (is in nobody's scope)"), "{told}");
}

#[test]
fn git_may_keep_submodules_as_it_does() {
    let roz = selected("");
    let other = roz.dir().join("other");
    fs::create_dir(&other).unwrap();
    roz.shell(&format!(
        "cd {0} && git init -q && git -c user.name=x -c user.email=x commit -q --allow-empty -m x",
        other.display()
    ));
    roz.tick();
    let clone = format!(
        "git -c protocol.file.allow=always submodule --quiet add {} lib/a",
        other.display()
    );
    let make = hidden(&roz, &clone);
    let told = roz.ran(make).context();
    assert!(roz.project().join(".git/modules/lib/a/HEAD").exists());
    assert!(!told.contains(".git/modules"), "{told}");
}

#[test]
fn of_the_configuration_of_a_work_tree_elsewhere_only_what_runs_counts() {
    let roz = selected("");
    roz.git(&["config", "alias.st", "!true"]);
    let tree = roz.dir().join("tree");
    roz.git(&["worktree", "add", "-q", "--detach", tree.to_str().unwrap()]);
    let session = |mut call: Value| {
        call["session_id"] = "s3".into();
        call["cwd"] = tree.to_str().unwrap().into();
        call
    };
    let mut call = session(roz.call(SELECT, &json!({ "intent_id": "INT-001" })));
    roz.hook("pre-tool-use", call.clone()).objects_to_nothing();
    call["tool_response"] = json!({});
    roz.hook("post-tool-use", call).objects_to_nothing();
    let ran = |line: &str| {
        fs::write(tree.join("Makefile"), format!("all:\n\t{line}\n")).unwrap();
        roz.tick();
        let call = session(roz.call("Bash", &json!({ "command": "make -s" })));
        roz.hook("pre-tool-use", call.clone()).passes();
        roz.shell(&format!("make -s -C {}", tree.display()));
        roz.hook("post-tool-use", call)
    };
    ran("git config user.name x").passes();
    let told = ran("git config alias.st '!x'").context();
    assert!(told.contains(".git/config ("), "{told}");
}
