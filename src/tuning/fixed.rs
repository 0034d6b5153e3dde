//! The choice where reductions have the same bits in every call, among the algorithms that build the fixed
//! tree.

use super::{Tuning, shared};
use crate::algo::{Algorithm, fixed_in_order};
use crate::base::{Collective, Error, Result};
use crate::plan::PlanRequest;

impl Tuning {
    /// Whether a collective must have fixed bits.
    pub(super) fn is_fixed(&self, collective: Collective) -> bool {
        self.fixed_bits && collective.reduces()
    }

    /// Like [`Tuning::choose`], for fixed bits. The user's choice applies if that algorithm builds the fixed
    /// tree, and is refused otherwise.
    pub(super) fn choose_fixed(&self, request: &PlanRequest, all_tcp: bool) -> Result<&'static Algorithm> {
        self.check_override(request)?;
        let wanted = self.overrides.of(request.collective);
        let named = |row: &&Algorithm| wanted.is_some_and(|wanted| wanted.name == row.name);
        let best = || self.candidates(request, all_tcp).first().map(|&(algorithm, _)| algorithm);
        let served = self.rows(request.collective).filter(|row| (row.supports)(&shared(request)));
        served.into_iter().find(named).or_else(best).ok_or_else(|| {
            Error::Internal(format!("no algorithm with fixed bits for {}", request.collective.name()))
        })
    }

    /// Like [`Tuning::choose_ordered`], for fixed bits.
    pub(super) fn choose_fixed_ordered(
        &self,
        request: &PlanRequest,
        all_tcp: bool,
    ) -> Result<&'static Algorithm> {
        let wanted = self.overrides.of(request.collective);
        let named = |row: &&Algorithm| wanted.is_some_and(|wanted| wanted.name == row.name);
        let cost = |row: &&Algorithm| self.predict(row, request, all_tcp);
        let best = || fixed_in_order(request.collective).min_by(|a, b| cost(a).total_cmp(&cost(b)));
        fixed_in_order(request.collective).find(named).or_else(best).ok_or_else(|| {
            Error::Internal(format!("no ordered algorithm with fixed bits for {}", request.collective.name()))
        })
    }

    /// Refuses an algorithm of the user that cannot give these ranks fixed bits.
    fn check_override(&self, request: &PlanRequest) -> Result<()> {
        let Some(wanted) = self.overrides.of(request.collective) else { return Ok(()) };
        let served = self.rows(request.collective).filter(|row| (row.supports)(&shared(request)));
        let names: Vec<&str> = served.map(|row| row.name).collect();
        if names.contains(&wanted.name) {
            return Ok(());
        }
        let name = request.collective.name();
        Err(Error::Unsupported(format!(
            "ANYCCL_ALGORITHM wants {name}:{}, which has no fixed bits here (ANYCCL_DETERMINISTIC); these have: {}",
            wanted.name,
            names.join(", ")
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algo::fixed;
    use crate::config::Config;
    use crate::plan::BlockLayout;
    use crate::topology::Topology;

    fn tuning(algorithm: Option<&str>) -> Tuning {
        let algorithm = algorithm.map(str::to_owned);
        Tuning::from_config(&Config { algorithm, deterministic: true, ..Config::default() }).unwrap()
    }

    fn request(collective: Collective, topology: &Topology, count: usize) -> PlanRequest<'_> {
        PlanRequest {
            collective,
            size: topology.size(),
            rank: 0,
            root: 0,
            count,
            element_bytes: 4,
            in_place: false,
            chunk_bytes: 64 << 10,
            topology,
            layout: BlockLayout::NONE,
        }
    }

    #[test]
    fn every_chosen_algorithm_of_every_size_builds_the_fixed_tree() {
        for tuning in [tuning(None), tuning(None).oversubscribed(3)] {
            for collective in Collective::ALL.into_iter().filter(|collective| collective.reduces()) {
                for size in 1..=64 {
                    for hosts in [1, 2, 3, size] {
                        let labels: Vec<u32> = (0..size).map(|rank| rank * hosts.min(size) / size).collect();
                        let topology = Topology::from_labels(&labels);
                        for count in [0, 1, 100, 10_000, 1 << 20, 1 << 26] {
                            let request = request(collective, &topology, count);
                            for all_tcp in [false, true] {
                                let chosen = tuning.choose(&request, all_tcp).unwrap();
                                assert!(fixed(collective).any(|row| std::ptr::eq(row, chosen)));
                                assert!((chosen.supports)(&request), "{} {labels:?}", chosen.name);
                                let chosen = tuning.choose_ordered(&request, all_tcp).unwrap();
                                assert!(fixed_in_order(collective).any(|row| std::ptr::eq(row, chosen)));
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn the_users_word_counts_where_the_algorithm_builds_the_fixed_tree_and_is_refused_elsewhere() {
        let topology = Topology::one_host(4);
        let request = request(Collective::AllReduce, &topology, 8);
        assert_eq!(
            tuning(Some("all_reduce:rabenseifner")).choose(&request, false).unwrap().name,
            "rabenseifner"
        );
        let refused = tuning(Some("all_reduce:ring")).choose(&request, false).map(|chosen| chosen.name);
        let refused = refused.unwrap_err().to_string();
        assert!(refused.contains("all_reduce:ring") && refused.contains("recursive_doubling"), "{refused}");
    }

    #[test]
    fn collectives_that_do_not_reduce_are_chosen_as_ever() {
        let topology = Topology::one_host(4);
        let request = request(Collective::AllGather, &topology, 8);
        let plain = Tuning::from_config(&Config::default()).unwrap();
        let expected = plain.choose(&request, false).unwrap();
        assert!(std::ptr::eq(tuning(None).choose(&request, false).unwrap(), expected));
    }
}
