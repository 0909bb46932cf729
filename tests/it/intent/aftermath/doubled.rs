//! Lines of the ledger that are there twice: put there, or left by a merge.

use super::*;

const LEDGER: &str = ".orchestration/agent_trace.jsonl";

#[test]
fn a_line_that_was_put_behind_itself_is_found_with_its_number() {
    let roz = selected("");
    roz.ran("printf 1 > src/auth/one.rs").passes();
    roz.ran("printf 2 > src/auth/two.rs").passes();
    let text = roz.text(LEDGER);
    roz.run(&["ledger", "verify"]).succeeds();
    for at in 0..2 {
        let mut lines: Vec<&str> = text.lines().collect();
        lines.insert(at, lines[at]);
        roz.write(LEDGER, &(lines.join("\n") + "\n"));
        let ran = roz.run(&["ledger", "verify"]);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        assert!(
            ran.stdout.contains(&format!("line {}: line {} once more", at + 2, at + 1)),
            "{ran:?}"
        );
    }
}

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
