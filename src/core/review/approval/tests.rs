use chrono::TimeDelta;

use super::*;

fn approved(id: &str, at: i64) -> Row {
    Row::Approved(Box::new(Approved {
        id: id.to_owned(),
        at: DateTime::UNIX_EPOCH + TimeDelta::seconds(at),
        tree: "t".to_owned(),
        base: "b".to_owned(),
        fork: "f".to_owned(),
        head: None,
        branch: None,
        works: Vec::new(),
        by: By::Human,
        session: "s1".to_owned(),
        summary: "fine".to_owned(),
        key: None,
        seen: Vec::new(),
        unseen: Vec::new(),
    }))
}

fn ids(table: &Table) -> Vec<&str> {
    table.approvals.iter().map(|approved| approved.id.as_str()).collect()
}

#[test]
fn a_withdrawn_approval_does_not_hold() {
    let now = DateTime::UNIX_EPOCH;
    let rows = [
        Row::First { at: now, head: None },
        approved("a", 1),
        approved("b", 2),
        Row::Withdrawn { at: now, approval: "a".to_owned() },
        Row::First { at: now, head: Some("later".to_owned()) },
    ];
    let table = Table::of(rows.clone());
    assert_eq!(ids(&table), ["b"]);
    assert_eq!(table.first, Some(None), "the first session's commit");
    assert_eq!(kept(rows.to_vec(), DateTime::UNIX_EPOCH).len(), 3, "both firsts and the approval");
}

#[test]
fn approvals_expire_and_are_bounded() {
    let now = DateTime::UNIX_EPOCH + TimeDelta::seconds(100);
    let table = Table::of([approved("old", 1), approved("new", 90)]);
    assert_eq!(ids(&table.clone().unexpired(Some(60), now)), ["new"]);
    assert_eq!(ids(&table.unexpired(None, now)), ["old", "new"]);
    let many = (0..600).map(|n| approved(&n.to_string(), n)).collect();
    assert_eq!(kept(many, DateTime::UNIX_EPOCH).len(), MAX_ROWS);
}
