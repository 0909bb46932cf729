//! What git itself brings is neither recorded nor told.

use super::*;

/// A second branch, with another invoice, a new file and none of the taxes.
fn with_branch() -> Roz {
    let roz = selected("");
    roz.shell(
        "git switch -qc other; sed -i s/two/2/ src/billing/invoice.rs; echo new > \
         src/billing/new.rs; ln -s invoice.rs src/billing/link; git rm -q src/billing/tax.rs; git \
         add .; git commit -qm other; git switch -q -",
    );
    roz.tick();
    roz
}

/// The agent may know nothing of it, and so do the ledger and the user.
#[track_caller]
fn is_gits(roz: &Roz, line: &str) {
    let before = roz.records().len();
    roz.ran(line).passes();
    assert_eq!(roz.records().len(), before, "{line}: {:?}", roz.records().pop());
    roz.tick();
}

#[test]
fn a_branch_that_is_switched_to_is_no_change() {
    let roz = with_branch();
    is_gits(&roz, "git switch -q other");
    assert!(!roz.project().join("src/billing/tax.rs").exists());
    is_gits(&roz, "git switch -q -");
    is_gits(&roz, "git checkout -q --detach other");
    is_gits(&roz, hidden(&roz, "git switch -q -"));
}

#[test]
fn what_is_merged_and_rebased_is_no_change() {
    let roz = with_branch();
    is_gits(&roz, "git merge -q other");
    roz.shell("git reset -q --hard HEAD~; echo b > src/auth/b.rs; git add .; git commit -qm b");
    roz.tick();
    is_gits(&roz, "git merge -q --no-edit other");
    roz.shell("git reset -q --hard HEAD~");
    roz.tick();
    is_gits(&roz, hidden(&roz, "git rebase -q other"));
    assert!(roz.project().join("src/billing/new.rs").exists());
}

#[test]
fn what_is_pulled_is_no_change() {
    let roz = selected("");
    roz.shell(
        "git clone -q . ../theirs && cd ../theirs && sed -i s/two/2/ src/billing/tax.rs && echo x \
         > src/auth/theirs.rs && git add . && git commit -qm theirs",
    );
    roz.tick();
    is_gits(&roz, "git pull -q ../theirs");
    assert_eq!(roz.text("src/auth/theirs.rs"), "x\n");
}

#[test]
fn what_was_stashed_before_comes_back_as_no_change() {
    let roz = selected("");
    roz.ran("sed -i s/two/2/ src/auth/login.rs").passes();
    roz.tick();
    let before = roz.records().len();
    let make = hidden(&roz, "git stash push -q src/auth/login.rs");
    roz.ran(make).passes();
    roz.tick();
    let make = hidden(&roz, "git stash pop -q");
    roz.ran(make).passes();
    assert_eq!(roz.records().len(), before);
    assert!(roz.text("src/auth/login.rs").contains("\n2\n"));
}

#[test]
fn what_the_call_commits_is_its_own_wherever_it_goes_then() {
    for line in [
        "echo x >> src/billing/tax.rs; git commit -qam x",
        "git switch -q other; git switch -q -; echo x >> src/billing/tax.rs; git commit -qam x",
        "git switch -qc t; echo x >> src/billing/tax.rs; git commit -qam x; git switch -q -; git \
         merge -q --no-ff --no-edit t",
        "git switch -qc t; echo x >> src/billing/tax.rs; git commit -qam x; git switch -q -; git \
         merge -q t",
    ] {
        let roz = with_branch();
        let make = hidden(&roz, line);
        let told = roz.ran(make).context();
        assert!(told.contains("src/billing/tax.rs (Scope Violation"), "{line}: {told}");
        assert!(!told.contains("invoice"), "{line}: {told}");
    }
}

#[test]
fn what_is_changed_behind_a_pull_is_told_and_the_rest_is_not() {
    let roz = with_branch();
    let make = hidden(&roz, "git merge -q other; echo x >> src/billing/invoice.rs");
    let told = roz.ran(make).context();
    assert!(told.contains("src/billing/invoice.rs (Scope"), "{told}");
    assert!(!told.contains("new.rs") && !told.contains("tax.rs"), "{told}");
}
