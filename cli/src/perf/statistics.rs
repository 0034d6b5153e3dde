//! Statistics of many samples.

use serde::Serialize;

/// Median, minimum, 95th percentile, and how far samples disagree. The mean is left out, because one
/// interruption distorts it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// The middle sample, or the mean of the two in the middle.
    pub median: f64,
    /// The fastest sample.
    pub min: f64,
    /// The smallest sample that at least 95 of 100 do not exceed.
    pub p95: f64,
    /// Width of the middle half of the samples, as a share of the median. A few interruptions do not change
    /// it; samples that fall into two groups, or drift, do.
    pub disagreement: f64,
}

impl Summary {
    /// Summary of at least one sample.
    pub fn of(samples: &[f64]) -> Summary {
        let mut sorted = samples.to_vec();
        sorted.sort_by(f64::total_cmp);
        let n = sorted.len();
        let median = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2.0;
        let half = sorted[n - 1 - n / 4] - sorted[n / 4];
        let disagreement = if median > 0.0 { half / median } else { 0.0 };
        Summary { median, min: sorted[0], p95: sorted[(n * 95).div_ceil(100) - 1], disagreement }
    }

    /// All times times `factor`: a change of unit.
    pub fn times(self, factor: f64) -> Summary {
        let Summary { median, min, p95, disagreement } = self;
        Summary { median: median * factor, min: min * factor, p95: p95 * factor, disagreement }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_of_known_samples() {
        let twenty: Vec<f64> = (1..=20).rev().map(f64::from).collect();
        let table: [(&[f64], [f64; 3]); 5] = [
            (&[3.0], [3.0, 3.0, 3.0]),
            (&[4.0, 2.0], [3.0, 2.0, 4.0]),
            (&[9.0, 1.0, 5.0], [5.0, 1.0, 9.0]),
            (&[1.0, 1.0, 1.0, 100.0], [1.0, 1.0, 100.0]),
            (&twenty, [10.5, 1.0, 19.0]),
        ];
        for (samples, numbers) in table {
            let Summary { median, min, p95, .. } = Summary::of(samples);
            assert_eq!([median, min, p95], numbers, "{samples:?}");
        }
    }

    #[test]
    fn a_change_of_unit_changes_every_number() {
        let summary = Summary::of(&[1.0, 2.0]).times(10.0);
        assert_eq!((summary.median, summary.min, summary.p95), (15.0, 10.0, 20.0));
        assert_eq!(summary.disagreement, Summary::of(&[1.0, 2.0]).disagreement);
    }

    #[test]
    fn samples_disagree_when_they_fall_into_two_groups_and_not_by_one_interruption() {
        let of = |samples: &[f64]| Summary::of(samples).disagreement;
        assert_eq!(of(&[1.0, 1.0, 1.0, 1.0, 100.0]), 0.0);
        assert_eq!(of(&[1.0, 1.0, 1.0, 3.0, 3.0]), 2.0);
        assert_eq!((of(&[7.0]), of(&[0.0, 0.0])), (0.0, 0.0));
    }
}
