//! How likely it is that a learning helps, from what speaks for it.
//!
//! Three logistic models, one after the other. [`alone`] weighs what a learning
//! has in common with the query, and so ranks; [`first`] says whether the one
//! that ranks first is worth showing at all, [`beside`] whether another one is,
//! next to that; a query of several clauses has two more weights for this. So what
//! is shown is decided by a probability, and not by a score that means something
//! else for each query.
//!
//! The weights were fitted by `tests/retrieval/fit.py` to the labelled
//! projects; its head says how, and `tests/retrieval/README.md` what comes out
//! for projects that were left out. They are few, and each can be read: what
//! the weights of a sum are for.

/// What speaks for a learning by itself.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Traits {
    /// Evidence of words and files, of what is attainable: about 1 for what is
    /// asked for.
    pub(super) score: f32,
    /// What the files that it names add to that. In rarities of a new word, as
    /// is the next.
    pub(super) files: f32,
    /// The words that it has as they were asked for.
    pub(super) exact: f32,
    /// The share of its tags that the query names.
    pub(super) tagged: f32,
    /// What stands in that one of the occasions that it names which has most,
    /// in its summary, and in its detail. In rarities of a new word.
    pub(super) occasion: f32,
    pub(super) summary: f32,
    pub(super) detail: f32,
    /// It is for an activity that is asked for: how rare such learnings are, in rarities of a new
    /// word.
    pub(super) activity: f32,
    /// It is one of the user, and for an activity that is not asked for.
    pub(super) is_unasked: bool,
}

/// How likely the best is to help, and what is known about it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Best {
    pub(super) alone: f32,
    pub(super) score: f32,
    /// How far behind the next one is, as logits.
    pub(super) lead: f32,
}

/// One that may be shown beside the best.
#[derive(Debug, Clone, Copy)]
pub(super) struct Other {
    pub(super) alone: f32,
    pub(super) score: f32,
    /// What it has in common with the best.
    pub(super) kinship: f32,
    /// How far it is ahead in one clause of the query (see `clauses`), where
    /// that has several.
    pub(super) ahead: Option<f32>,
}

/// The log odds that it helps, whatever else there is.
pub(super) fn alone(of: &Traits) -> f32 {
    let [base, score, files, exact, tagged, occasion, summary, detail, activity, unasked] = ALONE;
    base + score * of.score
        + files * of.files.ln_1p()
        + exact * of.exact.ln_1p()
        + tagged * of.tagged
        + occasion * of.occasion.ln_1p()
        + summary * of.summary.ln_1p()
        + detail * of.detail.ln_1p()
        + activity * of.activity.ln_1p()
        + if of.is_unasked { unasked } else { 0.0 }
}

/// The log odds that the one that ranks first helps.
pub(super) fn first(best: &Best) -> f32 {
    let [base, alone, lead] = FIRST;
    base + alone * best.alone + lead * best.lead
}

/// The log odds that another one helps as well. A query of one clause is asked
/// no more and no less on account of those that have several.
pub(super) fn beside(best: &Best, it: &Other) -> f32 {
    let [base, alone, behind, kin, share] = BESIDE;
    let [of_several, ahead] = CLAUSES;
    base + alone * it.alone
        + behind * (best.alone - it.alone)
        + kin * it.kinship.ln_1p()
        + share * it.score / best.score.max(LEAST_SCORE)
        + it.ahead.map_or(0.0, |lead| of_several + ahead * lead)
}

/// The log odds that one of the user helps with an activity that is asked for, whatever else there
/// is: how one wants pull requests to be opened does not compete with what the project knows. Of 89
/// in the labelled projects 85 do; too few to fit a model to.
pub(super) const OWN: f32 = 2.0;

/// What a small store takes from the odds of each of its learnings, as a logarithm. The weights know
/// projects of sixty: of a store with half as many, half as many queries have their answer there,
/// and for the others something is nearest all the same. Below fifteen no more is taken: who has three
/// learnings wants to see them. (`tests/retrieval/README.md` says what it does.)
pub(super) fn scarcity(learnings: usize) -> f32 {
    #[expect(clippy::cast_precision_loss, reason = "sixty at most")]
    let share = learnings.clamp(FEW, MANY) as f32 / MANY as f32;
    -share.ln()
}

/// Of log odds.
pub(super) fn probability(logit: f32) -> f32 {
    1.0 / (1.0 + (-logit).exp())
}

const FEW: usize = 15;
pub(super) const MANY: usize = 60;

/// A best one below this score is no measure for others.
const LEAST_SCORE: f32 = 0.05;

impl Traits {
    /// As `fit.py` reads them.
    pub(super) fn numbers(&self) -> [f32; 9] {
        [
            self.score,
            self.files,
            self.exact,
            self.tagged,
            self.occasion,
            self.summary,
            self.detail,
            self.activity,
            if self.is_unasked { 1.0 } else { 0.0 },
        ]
    }
}

// What `fit.py` printed.
const ALONE: [f32; 10] =
    [-7.2411, 2.1317, 6.1376, 1.5762, 2.0765, 1.8509, 1.7345, 0.6439, 1.0373, -0.3337];
const FIRST: [f32; 3] = [0.3615, 0.3105, 0.2071];
const BESIDE: [f32; 5] = [-2.7916, 0.3233, -0.0624, 1.6922, 1.4418];
const CLAUSES: [f32; 2] = [-0.4403, 0.6894];

#[cfg(test)]
mod tests {
    use super::*;

    fn about(change: impl Fn(&mut Traits)) -> f32 {
        let mut of = Traits {
            score: 0.5,
            files: 0.0,
            exact: 0.8,
            tagged: 0.3,
            occasion: 0.5,
            summary: 0.5,
            detail: 0.5,
            activity: 0.0,
            is_unasked: false,
        };
        change(&mut of);
        alone(&of)
    }

    #[test]
    fn each_thing_in_common_speaks_for_a_learning() {
        let before = about(|_| ());
        assert!(about(|it| it.score += 0.1) > before);
        assert!(about(|it| it.files += 0.5) > before);
        assert!(about(|it| it.exact += 0.5) > before);
        assert!(about(|it| it.occasion += 0.5) > before);
        assert!(about(|it| it.summary += 0.5) > before);
        assert!(about(|it| it.detail += 0.5) > before);
        assert!(about(|it| it.tagged += 0.3) > before);
        assert!(about(|it| it.activity += 0.5) > before);
    }

    #[test]
    fn one_of_the_user_that_is_for_something_else_has_to_be_meant_clearly() {
        assert!(about(|it| it.is_unasked = true) < about(|_| ()));
    }

    #[test]
    fn nothing_in_common_is_unlikely_and_all_of_it_is_likely() {
        assert!(probability(alone(&Traits::default())) < 0.01);
        let all = |it: &mut Traits| {
            (it.score, it.exact, it.occasion, it.summary) = (1.4, 2.5, 2.5, 2.0);
        };
        assert!(probability(about(all)) > 0.9);
    }

    const BEST: Best = Best { alone: 1.0, score: 0.8, lead: 1.0 };

    #[test]
    fn the_best_is_likelier_to_help_the_further_it_leads() {
        assert!(first(&Best { lead: 3.0, ..BEST }) > first(&BEST));
        assert!(first(&Best { alone: -3.0, ..BEST }) < first(&BEST));
    }

    #[test]
    fn another_helps_if_it_is_near_the_best_or_akin_to_it_or_a_clause_asks_for_it() {
        let far = Other { alone: -2.0, score: 0.2, kinship: 0.0, ahead: None };
        let near = Other { alone: 0.8, score: 0.7, ..far };
        let odds = |it| beside(&BEST, &it);
        assert!(odds(near) > odds(far));
        assert!(odds(Other { kinship: 2.0, ..far }) > odds(far));
        let [none, own] = [0.0, 1.0].map(|it| odds(Other { ahead: Some(it), ..far }));
        assert!(own > odds(far) && none < odds(far), "some clause is about it, or none is");
    }

    #[test]
    fn a_store_half_as_large_has_half_the_odds_between_fifteen_learnings_and_sixty() {
        let halved = scarcity(20) - scarcity(40);
        assert!((halved - 2.0_f32.ln()).abs() < 1e-6, "{halved}");
        assert!(scarcity(60).abs() < f32::EPSILON && scarcity(10_000).abs() < f32::EPSILON);
        assert!(scarcity(16) < scarcity(15) && scarcity(0).total_cmp(&scarcity(15)).is_eq());
    }

    #[test]
    fn a_probability_is_one_whatever_the_odds() {
        for logit in [-1e30, -90.0, 0.0, 90.0, 1e30] {
            assert!((0.0..=1.0).contains(&probability(logit)), "{logit}");
        }
    }
}
