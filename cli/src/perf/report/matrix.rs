//! Every pair of ranks: latency of the smallest messages, bandwidth of the largest.

use anyccl_engine::base::Rank;

use super::rows::PairRow;
use crate::plan::units;

/// The measurements of each pair so far. The first size of a pair is the smallest, the last one the largest.
#[derive(Default)]
pub struct Matrix {
    ranks: u32,
    latency: Vec<Option<f64>>,
    bandwidth: Vec<Option<f64>>,
    bytes: (u64, u64),
    correct: Option<bool>,
}

/// One number for each pair.
pub struct Values<'a> {
    /// Meaning of the numbers, with their unit.
    pub title: String,
    ranks: u32,
    values: &'a [Option<f64>],
}

impl Matrix {
    /// An empty matrix of `ranks` ranks.
    pub fn new(ranks: u32) -> Matrix {
        let none = vec![None; (ranks * ranks) as usize];
        Matrix { ranks, latency: none.clone(), bandwidth: none, ..Matrix::default() }
    }

    /// The matrix of all measurements of `ranks` ranks.
    pub fn of(ranks: u32, rows: &[PairRow]) -> Matrix {
        let mut matrix = Matrix::new(ranks);
        rows.iter().for_each(|row| matrix.add(row));
        matrix
    }

    /// Number of ranks.
    pub fn ranks(&self) -> u32 {
        self.ranks
    }

    /// Adds a measurement.
    pub fn add(&mut self, row: &PairRow) {
        let at = (row.from * self.ranks + row.to) as usize;
        if self.latency[at].is_none() {
            self.latency[at] = Some(row.latency_us.median);
            self.bytes.0 = row.bytes;
        }
        self.bandwidth[at] = Some(row.bandwidth_gb_s);
        self.bytes.1 = row.bytes;
        self.correct = match (self.correct, row.correct) {
            (Some(false), _) => Some(false),
            (_, new) => new,
        };
    }

    /// Latency of each pair: half a round trip.
    pub fn latency(&self) -> Values<'_> {
        let title = format!("latency of {} in us", units::bytes(self.bytes.0));
        Values { title, ranks: self.ranks, values: &self.latency }
    }

    /// One-way bandwidth of each pair.
    pub fn bandwidth(&self) -> Values<'_> {
        let title = format!("bandwidth of {} in GB/s", units::bytes(self.bytes.1));
        Values { title, ranks: self.ranks, values: &self.bandwidth }
    }

    /// Whether all checked results were right; `None` if nothing was checked.
    pub fn correct(&self) -> Option<bool> {
        self.correct
    }
}

impl Values<'_> {
    /// Number of ranks.
    pub fn ranks(&self) -> u32 {
        self.ranks
    }

    /// Value of a pair; `None` between a rank and itself.
    pub fn get(&self, from: Rank, to: Rank) -> Option<f64> {
        self.values[(from * self.ranks + to) as usize]
    }

    /// All values, row by row.
    pub fn all(&self) -> &[Option<f64>] {
        self.values
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perf::statistics::Summary;

    fn row(from: u32, to: u32, bytes: u64, latency: f64, bandwidth: f64, correct: bool) -> PairRow {
        PairRow {
            from,
            to,
            transport: "shm",
            bytes,
            calls: 1,
            samples: 1,
            latency_us: Summary::of(&[latency]),
            stream_us: Summary::of(&[latency]),
            bandwidth_gb_s: bandwidth,
            correct: Some(correct),
        }
    }

    #[test]
    fn a_pair_has_the_latency_of_its_smallest_size_and_the_bandwidth_of_its_largest() {
        let mut matrix = Matrix::new(3);
        matrix.add(&row(0, 2, 8, 1.5, 0.1, true));
        matrix.add(&row(0, 2, 4096, 90.0, 7.0, false));
        matrix.add(&row(2, 0, 8, 2.5, 0.2, true));
        assert_eq!(matrix.latency().get(0, 2), Some(1.5));
        assert_eq!(matrix.bandwidth().get(0, 2), Some(7.0));
        assert_eq!(matrix.latency().get(1, 1), None);
        assert_eq!(matrix.bandwidth().all().iter().flatten().count(), 2);
        assert_eq!(matrix.correct(), Some(false));
    }
}
