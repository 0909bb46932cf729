//! The clauses of a query, each asked by itself: what is wanted beside the first is often what one
//! of them is about, and among the words of all the others it stands far behind.

use super::{Query, rank::Asked};

/// So many are asked, the first ones: each is a lookup, and what a long story comes to is rarely
/// a wish.
const MOST: usize = 8;
/// What stands between two of them. To cut at joining words (`and`, `while`) as well is no better.
const ENDS: [&str; 18] = [
    "\n", ". ", "! ", "? ", "; ", ", ", ": ", " - ", " – ", " — ", " / ", "(", ")", "。", "！",
    "？", "；", "，",
];

/// Each clause of `query`, of those that say anything. None where there are not two: a single one
/// says what the whole does.
pub(super) fn asked<'a>(whole: &Asked<'a>, query: &Query) -> Vec<Asked<'a>> {
    let texts = [&query.text, &query.ticket_title, &query.ticket_description];
    let clauses: Vec<&str> = texts.into_iter().flat_map(|it| cut(it)).take(MOST).collect();
    if clauses.len() < 2 {
        return Vec::new();
    }
    let asked = clauses.into_iter().map(|it| whole.clause(it));
    let asked: Vec<Asked> = asked.filter(|it| it.length > 0.0).collect();
    if asked.len() < 2 { Vec::new() } else { asked }
}

fn cut(text: &str) -> Vec<&str> {
    let mut all = vec![text];
    for end in ENDS {
        all = all.into_iter().flat_map(|it| it.split(end)).collect();
    }
    all.into_iter().map(str::trim).filter(|it| !it.is_empty()).collect()
}

/// By how much each of some learnings is ahead of the best other one of them, in that clause in
/// which it is most; 0 for what is ahead in none. A clause is their log odds. Of many clauses some
/// one is about anything, so that it counts less: by one and the logarithm of their number.
pub(super) fn leads(clauses: &[Vec<f32>]) -> Vec<f32> {
    let mut leads = vec![0.0_f32; clauses.first().map_or(0, Vec::len)];
    for odds in clauses {
        for (at, lead) in leads.iter_mut().enumerate() {
            let (before, others) = odds.split_at(at.min(odds.len()));
            let Some((own, after)) = others.split_first() else { continue };
            if let Some(best) = before.iter().chain(after).copied().reduce(f32::max) {
                *lead = lead.max(own - best);
            }
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "at most MOST")]
    let many = 1.0 + (clauses.len().max(1) as f32).ln();
    leads.iter().map(|it| it / many).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_end_where_a_reader_pauses_and_names_stay_whole() {
        assert_eq!(
            cut("Sync hangs: src/a.rs:12, then v1.2 fails (once)! Retry it.\nWhy?"),
            ["Sync hangs", "src/a.rs:12", "then v1.2 fails", "once", "Retry it.", "Why?"]
        );
        assert_eq!(cut("导入失败，需要重试"), ["导入失败", "需要重试"]);
        assert_eq!(cut(" , \n. "), [""; 0]);
    }

    #[test]
    fn what_is_first_in_a_clause_is_ahead_and_what_is_first_in_none_is_not() {
        let clauses = [vec![2.0, -1.0, -2.0], vec![-7.0, 1.5, 0.5]];
        let many = 1.0 + 2.0_f32.ln();
        assert_eq!(leads(&clauses), [3.0 / many, 1.0 / many, 0.0]);
        assert_eq!(leads(&[vec![2.0], vec![1.0]]), [0.0], "ahead of no one");
        assert_eq!(leads(&[]), [0.0; 0]);
    }

    #[test]
    fn of_many_clauses_one_says_less() {
        let (one, other) = (vec![-1.0, 1.0], vec![2.0, -7.0]);
        let two = leads(&[one.clone(), other.clone()]);
        let three = leads(&[one, other.clone(), other]);
        assert!(three[1] < two[1] && three[1] > 0.0, "{three:?} {two:?}");
    }
}
