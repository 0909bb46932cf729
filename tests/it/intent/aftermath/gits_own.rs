//! What git runs, and what may be run: neither stands in a text of the project.

use std::os::unix::fs::PermissionsExt as _;

use super::*;

fn is_executable(roz: &Roz, path: &str) -> bool {
    fs::metadata(roz.project().join(path)).unwrap().permissions().mode() & 0o100 != 0
}

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
fn what_may_be_run_now_is_a_change() {
    let roz = selected("");
    for is_read in [false, true] {
        if is_read {
            roz.reads("src/billing/tax.rs");
        }
        roz.tick();
        let make = hidden(&roz, "chmod +x src/billing/tax.rs");
        let told = roz.ran(make).context();
        assert!(told.contains("src/billing/tax.rs (Scope Violation"), "{told}");
        assert!(is_executable(&roz, "src/billing/tax.rs"));
        roz.tick();
        roz.ran(&way_back(&told)).passes();
        assert!(!is_executable(&roz, "src/billing/tax.rs"));
    }
    // Its own is in the ledger, and no line of it is anybody's for that.
    roz.tick();
    roz.ran("chmod +x src/auth/login.rs").passes();
    assert_eq!(files(&roz.last_record()), ["src/auth/login.rs modified"]);
    let records = roz.records().len();
    roz.tick();
    roz.ran("chmod +x src/auth/login.rs").passes();
    roz.ran(hidden(&roz, "touch src/billing/invoice.rs")).passes();
    assert!(roz.records().len() <= records + 1, "{:?}", roz.records());
}
