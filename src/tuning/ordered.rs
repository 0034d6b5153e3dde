//! The choice of an algorithm for an operator that does not commute, among the algorithms that keep the
//! order.

use super::{Tuning, shared};
use crate::algo::{Algorithm, ordered};
use crate::base::{Error, Result};
use crate::plan::PlanRequest;

impl Tuning {
    /// Like [`Tuning::choose`], but for an operator that does not commute. The user's choice applies if that
    /// algorithm keeps the order.
    pub fn choose_ordered(&self, request: &PlanRequest, all_tcp: bool) -> Result<&'static Algorithm> {
        let request = shared(request);
        if self.is_fixed(request.collective) {
            return self.choose_fixed_ordered(&request, all_tcp);
        }
        let wanted = self.overrides.of(request.collective);
        let named = |row: &&Algorithm| wanted.is_some_and(|wanted| wanted.name == row.name);
        let cost = |row: &&Algorithm| self.predict(row, &request, all_tcp);
        let best = || ordered(request.collective).min_by(|a, b| cost(a).total_cmp(&cost(b)));
        ordered(request.collective).find(named).or_else(best).ok_or_else(|| {
            let name = request.collective.name();
            Error::Unsupported(format!("{name} by an operator that does not commute"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Collective;
    use crate::config::Config;
    use crate::topology::Topology;

    fn chosen(algorithm: Option<&str>, collective: Collective, count: usize) -> &'static str {
        let config = Config { algorithm: algorithm.map(str::to_owned), ..Config::default() };
        let topology = Topology::one_host(4);
        let request = PlanRequest {
            collective,
            size: 4,
            rank: 0,
            root: 0,
            count,
            element_bytes: 1,
            in_place: false,
            chunk_bytes: 64 << 10,
            topology: &topology,
            layout: crate::plan::BlockLayout::NONE,
        };
        Tuning::from_config(&config).unwrap().choose_ordered(&request, false).unwrap().name
    }

    #[test]
    fn small_results_are_combined_by_all_and_large_ones_in_segments() {
        for collective in [Collective::AllReduce, Collective::Reduce] {
            assert_eq!(chosen(None, collective, 8), "one_shot");
            assert_eq!(chosen(None, collective, 16 << 20), "two_shot");
        }
    }

    #[test]
    fn scans_keep_the_order_by_any_of_their_algorithms() {
        for collective in [Collective::Scan, Collective::Exscan] {
            assert_eq!(chosen(None, collective, 8), "recursive_doubling");
            assert_eq!(chosen(None, collective, 16 << 20), "chain");
        }
    }

    #[test]
    fn the_users_word_counts_where_the_algorithm_keeps_the_order() {
        assert_eq!(chosen(Some("all_reduce:two_shot"), Collective::AllReduce, 8), "two_shot");
        assert_eq!(chosen(Some("all_reduce:ring"), Collective::AllReduce, 8), "one_shot");
    }
}
