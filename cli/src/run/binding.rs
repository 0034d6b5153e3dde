//! The cores that each rank gets.
//!
//! Two ranks that share a core while another one is idle cost more than any choice of algorithm, and a rank
//! that moves between cores loses its caches. So binding is the default.

/// The cores of `rank`, out of those that the job may use, ascending.
///
/// If there are enough cores, ranks get neighbouring cores. Shares differ by at most one, and no core is
/// given twice. Otherwise each rank gets one core, in turn.
pub fn cores_of(rank: usize, ranks: usize, usable: &[usize]) -> &[usize] {
    let cores = usable.len();
    if ranks <= cores {
        &usable[rank * cores / ranks..(rank + 1) * cores / ranks]
    } else {
        let core = rank % cores;
        &usable[core..=core]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_cover_every_core_once_and_differ_by_at_most_one() {
        let usable: Vec<usize> = (0..23).map(|i| 3 * i).collect();
        for ranks in 1..=23 {
            let shares: Vec<&[usize]> = (0..ranks).map(|rank| cores_of(rank, ranks, &usable)).collect();
            assert_eq!(shares.concat(), usable);
            let sizes = shares.iter().map(|share| share.len());
            assert!(sizes.clone().max().unwrap() - sizes.min().unwrap() <= 1, "{shares:?}");
        }
    }

    #[test]
    fn more_ranks_than_cores_take_one_core_each_in_turn() {
        let cores: Vec<usize> = (0..5).flat_map(|rank| cores_of(rank, 5, &[4, 9])).copied().collect();
        assert_eq!(cores, [4, 9, 4, 9, 4]);
    }
}
