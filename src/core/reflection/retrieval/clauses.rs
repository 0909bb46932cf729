//! The clauses of a query, each asked by itself: what is wanted beside the first is often what one
//! of them is about, and among the words of all the others it stands far behind.

use super::{
    Query,
    rank::Asked,
    words::{Words, ends},
};

/// So many that say anything are asked, of more the first ones and the last: each is a lookup, and
/// what a long story comes to is rarely a wish.
const MOST: usize = 8;
/// So many are looked at for whether they say anything.
const MOST_LOOKED_AT: usize = 64;
/// What stands between two of them. To cut at joining words (`and`, `while`) as well is no better.
const ENDS: [&str; 33] = [
    "\n", "\r", "\t", ". ", "! ", "? ", "; ", ", ", ": ", ".\" ", "!\" ", "?\" ", " - ", " -- ",
    " – ", "—", "…", " / ", " | ", "(", ")", "。", "！", "？", "；", "，", "、", "：", "（", "）",
    "،", "؛", "؟",
];

/// Each clause of `query`, of those that say anything. None where there are not two: a single one
/// says what the whole does.
pub(super) fn asked<'a>(whole: &Asked<'a>, query: &Query) -> Vec<Asked<'a>> {
    let texts = [&query.text, &query.ticket_title, &query.ticket_description];
    let clauses: Vec<&str> = texts.into_iter().flat_map(|it| cut(it)).collect();
    if clauses.len() < 2 {
        return Vec::new();
    }
    let words = Words::new();
    let mut telling = ends(&clauses, MOST_LOOKED_AT);
    telling.retain(|it| words.says_anything(it));
    let asked = ends(&telling, MOST).into_iter().map(|it| whole.clause(it));
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

/// What one learning is in the clauses of a query.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Lead {
    /// By how much it is ahead of the best one of the whole query, in that clause in which it is
    /// most; 0 for one that is ahead in none. Of many clauses some one is about anything, so that it
    /// counts less: by one and the logarithm of their number.
    pub(super) ahead: f32,
    /// In one of those in which it is ahead nothing is before it.
    pub(super) is_first: bool,
}

/// The lead of each of some learnings, the first of which is the best one of the whole query. A
/// clause is their log odds. They are not compared with each other: two that are about the same
/// clause are both what it asks for.
pub(super) fn leads(clauses: &[Vec<f32>]) -> Vec<Lead> {
    let mut leads = vec![Lead::default(); clauses.first().map_or(0, Vec::len)];
    for odds in clauses {
        let Some((best, others)) = odds.split_first() else { continue };
        let most = others.iter().copied().fold(*best, f32::max);
        for (lead, own) in leads.iter_mut().skip(1).zip(others).filter(|(_, own)| *own > best) {
            lead.ahead = lead.ahead.max(own - best);
            lead.is_first |= *own >= most;
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "at most MOST")]
    let many = 1.0 + (clauses.len().max(1) as f32).ln();
    for it in &mut leads {
        it.ahead /= many;
    }
    leads
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
    fn clauses_of_other_scripts_end_as_well() {
        assert_eq!(
            cut("税の丸めが違う、そして（時々）落ちる：なぜ"),
            ["税の丸めが違う", "そして", "時々", "落ちる", "なぜ"]
        );
        assert_eq!(cut("Он падает — \"почему?\" Почини…"), ["Он падает", "\"почему", "Почини"]);
    }

    #[test]
    fn what_is_before_the_best_in_a_clause_leads_there_and_equals_do_not_hide_each_other() {
        let clauses = [vec![2.0, -1.0, -2.0, -3.0], vec![-7.0, 1.5, 1.5, 0.5]];
        let many = 1.0 + 2.0_f32.ln();
        let lead = |ahead: f32, is_first| Lead { ahead: ahead / many, is_first };
        let (none, both) = (Lead::default(), lead(8.5, true));
        assert_eq!(leads(&clauses), [none, both, both, lead(7.5, false)]);
        assert_eq!(leads(&[vec![2.0], vec![1.0]]), [none], "there is nothing else");
        assert_eq!(leads(&[]), []);
    }

    #[test]
    fn of_many_clauses_one_says_less() {
        let (one, other) = (vec![-1.0, 1.0], vec![2.0, -7.0]);
        let two = leads(&[one.clone(), other.clone()]);
        let three = leads(&[one, other.clone(), other]);
        assert!(three[1].ahead < two[1].ahead && three[1].ahead > 0.0, "{three:?} {two:?}");
    }
}
