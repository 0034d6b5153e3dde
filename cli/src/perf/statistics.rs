//! Statistics of many samples.

use serde::Serialize;

/// Median, minimum and 95th percentile. The mean is left out, because one interruption distorts it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// The middle sample, or the mean of the two in the middle.
    pub median: f64,
    /// The fastest sample.
    pub min: f64,
    /// The smallest sample that at least 95 of 100 do not exceed.
    pub p95: f64,
}

impl Summary {
    /// Summary of at least one sample.
    pub fn of(samples: &[f64]) -> Summary {
        let mut sorted = samples.to_vec();
        sorted.sort_by(f64::total_cmp);
        let n = sorted.len();
        let median = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2.0;
        Summary { median, min: sorted[0], p95: sorted[(n * 95).div_ceil(100) - 1] }
    }

    /// All numbers times `factor`: a change of unit.
    pub fn times(self, factor: f64) -> Summary {
        Summary { median: self.median * factor, min: self.min * factor, p95: self.p95 * factor }
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
        for (samples, [median, min, p95]) in table {
            assert_eq!(Summary::of(samples), Summary { median, min, p95 }, "{samples:?}");
        }
    }

    #[test]
    fn a_change_of_unit_changes_every_number() {
        let summary = Summary::of(&[1.0, 2.0]).times(10.0);
        assert_eq!(summary, Summary { median: 15.0, min: 10.0, p95: 20.0 });
    }
}
