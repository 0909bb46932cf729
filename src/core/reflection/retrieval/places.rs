//! Where in a learning a word stands, as bits: words that stand together say
//! more than as many that are spread over it.

pub(super) const SUMMARY: u8 = 1 << 6;
pub(super) const DETAIL: u8 = 1 << 7;
/// The first of the occasions that `relevance` names. They have the bits below
/// those two.
pub(super) const FIRST: u8 = 1;
const OCCASIONS: u32 = 6;

/// What `relevance` names, one occasion behind the other, each with its bit. The
/// last one holds whatever is left.
pub(super) fn occasions(relevance: &str) -> impl Iterator<Item = (u8, &str)> {
    let parts = relevance.split([';', '\n']).filter(|it| !it.trim().is_empty());
    (0..).zip(parts).map(|(at, it)| (FIRST << u32::min(at, OCCASIONS - 1), it))
}

/// How much of what was asked for stands in each place.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sums {
    all: [f32; 8],
    /// What the last meaning was worth in each.
    had: [f32; 8],
}

impl Sums {
    /// The next meaning begins.
    pub(super) fn close(&mut self) {
        self.had = [0.0; 8];
    }

    /// Of words of one meaning the strongest counts.
    pub(super) fn add(&mut self, places: u8, worth: f32) {
        for (at, (all, had)) in self.all.iter_mut().zip(&mut self.had).enumerate() {
            if places >> at & 1 == 1 && worth > *had {
                *all += worth - *had;
                *had = worth;
            }
        }
    }

    /// Of the occasion that has most.
    pub(super) fn occasion(&self) -> f32 {
        self.all[..OCCASIONS as usize].iter().copied().fold(0.0, f32::max)
    }

    pub(super) fn summary(&self) -> f32 {
        self.all[6]
    }

    pub(super) fn detail(&self) -> f32 {
        self.all[7]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_occasion_has_a_place_of_its_own_and_the_last_one_has_the_rest() {
        let bits = |it| occasions(it).map(|(bit, _)| bit).collect::<Vec<_>>();
        assert_eq!(bits("one"), [1]);
        assert_eq!(bits("one; two;; three\n"), [1, 2, 4]);
        assert_eq!(bits("1;2;3;4;5;6;7;8"), [1, 2, 4, 8, 16, 32, 32, 32]);
        assert_eq!(bits(" ; "), [0; 0]);
        let most = occasions("1;2;3;4;5;6;7").map(|it| it.0).max();
        assert!(most.is_some_and(|it| it < SUMMARY));
    }

    #[test]
    fn of_one_meaning_the_strongest_counts_in_each_place() {
        let mut sums = Sums::default();
        sums.add(SUMMARY | 1, 0.5);
        sums.add(SUMMARY, 0.8);
        sums.close();
        sums.add(2 | DETAIL, 0.4);
        sums.close();
        sums.add(2, 0.3);
        assert!((sums.summary() - 0.8).abs() < 1e-6);
        assert!((sums.detail() - 0.4).abs() < 1e-6);
        assert!((sums.occasion() - 0.7).abs() < 1e-6, "those of two occasions are not added up");
    }
}
