//! Bandwidths as nccl-tests defines them.
//!
//! Algorithm bandwidth is size over time. Bus bandwidth multiplies it by the bytes that an optimal algorithm
//! must move through the slowest link, per byte of the size. So it can be compared with the hardware,
//! whatever the number of ranks.

use anyccl_engine::base::Collective;

/// Ratio of bus bandwidth to algorithm bandwidth, for `ranks` ranks.
pub fn bus_factor(collective: Collective, ranks: u32) -> f64 {
    use Collective::*;
    let ranks = f64::from(ranks);
    match collective {
        AllReduce => 2.0 * (ranks - 1.0) / ranks,
        Broadcast | Reduce | Scan | Exscan => 1.0,
        Barrier => 0.0,
        _ => (ranks - 1.0) / ranks,
    }
}

/// Gigabytes (10^9) per second.
pub fn gigabytes_per_second(bytes: u64, seconds: f64) -> f64 {
    if seconds > 0.0 { bytes as f64 / seconds / 1e9 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bus_factors_are_those_of_nccl_tests() {
        use Collective::*;
        let table = [
            (AllReduce, 2, 1.0),
            (AllReduce, 4, 1.5),
            (AllGather, 4, 0.75),
            (ReduceScatter, 4, 0.75),
            (AllToAll, 8, 0.875),
            (Gather, 2, 0.5),
            (Scatter, 2, 0.5),
            (Broadcast, 4, 1.0),
            (Reduce, 4, 1.0),
            (AllReduce, 1, 0.0),
            (Barrier, 4, 0.0),
        ];
        for (collective, ranks, factor) in table {
            assert_eq!(bus_factor(collective, ranks), factor, "{collective:?} on {ranks}");
        }
    }

    #[test]
    fn a_gigabyte_has_ten_to_the_nine_bytes() {
        assert_eq!(gigabytes_per_second(2_000_000_000, 0.5), 4.0);
        assert_eq!(gigabytes_per_second(0, 0.0), 0.0);
    }
}
