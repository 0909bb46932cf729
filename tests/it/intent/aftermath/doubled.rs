//! Lines of the ledger that are there twice: put there, or left by a merge.

use super::*;

const LEDGER: &str = ".orchestration/agent_trace.jsonl";

#[test]
fn two_branches_that_both_hold_a_line_merge_into_a_ledger_that_is_whole() {
    let roz = project("");
    for session in ["s1", "s2", "s3"] {
        roz.at(session, "INT-001");
    }
    roz.write(".gitattributes", ".orchestration/* merge=union\n");
    roz.tick();
    let commit = |text: &str| {
        roz.git(&["add", "."]);
        roz.git(&["commit", "-qm", text]);
    };
    let works = |session: &str, name: &str| {
        roz.runs_in(session, &format!("printf {name} > src/auth/{name}.rs")).ends().passes();
        commit(name);
    };
    works("s1", "base");
    roz.git(&["checkout", "-qb", "topic"]);
    works("s2", "picked");
    works("s2", "later");
    roz.git(&["checkout", "-q", "-"]);
    works("s3", "own");
    roz.git(&["cherry-pick", "topic~1"]);
    roz.git(&["merge", "-q", "--no-edit", "topic"]);
    assert!(roz.text(LEDGER).lines().count() >= 4, "{}", roz.text(LEDGER));
    roz.run(&["ledger", "verify"]).succeeds();
}
