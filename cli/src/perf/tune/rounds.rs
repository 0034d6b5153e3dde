//! Rounds: how often a timing is measured, and which of its measurements count.

use crate::perf::statistics::Summary;

/// Two successive rounds agree if the larger time is at most this many times the smaller.
const AGREEMENT: f64 = 1.2;
/// Upper limit of rounds.
pub const MOST: usize = 6;

/// The results of one timing, one for each round in which it was measured.
#[derive(Clone, Debug, Default)]
pub struct Rounds {
    us: Vec<f64>,
}

impl Rounds {
    /// Adds the time of a round.
    pub fn add(&mut self, us: f64) {
        self.us.push(us);
    }

    /// Whether the last two rounds agree.
    pub fn agree(&self) -> bool {
        match self.us.as_slice() {
            [.., one, other] => one.max(*other) <= one.min(*other) * AGREEMENT,
            _ => false,
        }
    }

    /// Whether another round is needed.
    pub fn need_another(&self) -> bool {
        !self.agree() && self.us.len() < MOST
    }

    /// The result: the mean of the two rounds that agree, or else the median of all.
    pub fn result(&self) -> f64 {
        let from = if self.agree() { self.us.len() - 2 } else { 0 };
        Summary::of(&self.us[from..]).median
    }

    /// The smallest time and the largest.
    pub fn range(&self) -> (f64, f64) {
        let ends = |one: f64, other: fn(f64, f64) -> f64| self.us.iter().copied().fold(one, other);
        (ends(f64::INFINITY, f64::min), ends(0.0, f64::max))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds times until no other is needed. Tells how many there were, whether the last two agree, and the
    /// result.
    fn measured(us: &[f64]) -> (usize, bool, f64) {
        let mut rounds = Rounds::default();
        for us in us {
            if rounds.need_another() {
                rounds.add(*us);
            }
        }
        (rounds.us.len(), rounds.agree(), rounds.result())
    }

    #[test]
    fn rounds_end_when_two_in_a_row_agree_and_their_mean_counts() {
        assert_eq!(measured(&[10.0, 12.0, 99.0]), (2, true, 11.0));
        assert_eq!(measured(&[12.0, 10.0, 99.0]), (2, true, 11.0));
        assert_eq!(measured(&[10.0, 30.0, 10.0, 11.0, 99.0]), (4, true, 10.5));
        assert_eq!(measured(&[0.0, 0.0, 99.0]), (2, true, 0.0));
    }

    #[test]
    fn rounds_that_never_agree_end_after_six_and_the_median_counts() {
        let never = [10.0, 12.5, 10.0, 12.5, 10.0, 12.5, 99.0];
        assert_eq!(measured(&never), (MOST, false, 11.25));
        let mut rounds = Rounds::default();
        never.into_iter().for_each(|us| rounds.add(us));
        assert_eq!(rounds.range(), (10.0, 99.0));
    }

    #[test]
    fn one_round_is_never_enough() {
        let mut rounds = Rounds::default();
        assert!(rounds.need_another());
        rounds.add(5.0);
        assert!(rounds.need_another() && !rounds.agree());
    }
}
