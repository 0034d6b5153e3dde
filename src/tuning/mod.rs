//! Picks an algorithm: by the user's word, else by predicted cost.
//!
//! Every rank must pick the same one. So the choice depends on the request without rank and in-place
//! flag, on the topology, and on a [`Tuning`], which rank 0 makes and all others take over as bytes
//! when the communicator is made. Nothing is measured locally; what `anyccl perf --tune` has measured before is read
//! from a file.

mod curve;
mod edges;
mod file;
mod hosts;
mod link;
mod ordered;
mod overrides;
mod wire;

pub use curve::Curve;
pub use edges::Edges;
pub use file::Links;
pub use hosts::{Paths, Traffic};
pub use link::LinkModel;

use overrides::Overrides;

use crate::algo::{self, Algorithm, Cost};
use crate::base::{Error, Result};
use crate::config::Config;
use crate::plan::PlanRequest;
use crate::sys::trusted_file::Believed;

/// What the choice of algorithms depends on, besides the request.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuning {
    /// Links within a host.
    pub shm: LinkModel,
    /// Links between hosts.
    pub tcp: LinkModel,
    /// `PlanRequest::chunk_bytes` of every request.
    pub chunk_bytes: usize,
    /// Most ranks on one core. Each rank knows it from what all have said.
    pub ranks_per_core: u32,
    overrides: Overrides,
}

impl Tuning {
    /// Default or measured models with the user's settings. An unknown algorithm is an error that lists the known.
    pub fn from_config(config: &Config) -> Result<Tuning> {
        let believed = Believed::from_setting(config.allow_other_users);
        let file = config.tuning_file.as_deref().map(|path| Links::read(path, believed));
        let Links { shm, tcp, .. } = file.unwrap_or(Ok(Links::DEFAULT))?;
        Ok(Tuning {
            shm,
            tcp,
            chunk_bytes: config.chunk_bytes,
            ranks_per_core: 1,
            overrides: config.algorithm.as_deref().map_or(Ok(Overrides::default()), Overrides::parse)?,
        })
    }

    /// The same on other links.
    pub fn with_links(self, links: Links) -> Tuning {
        Tuning { shm: links.shm, tcp: links.tcp, ..self }
    }

    /// The same for a host with so many ranks on each core.
    pub fn oversubscribed(self, ranks_per_core: u32) -> Tuning {
        let (shm, tcp) =
            (self.shm.oversubscribed(ranks_per_core), self.tcp.oversubscribed_tcp(ranks_per_core));
        Tuning { shm, tcp, ranks_per_core, ..self }
    }

    /// The algorithm for a request. `all_tcp`: no shared memory, even within a host.
    ///
    /// Equal on all ranks: `request.rank` and `request.in_place` do not count.
    pub fn choose(&self, request: &PlanRequest, all_tcp: bool) -> Result<&'static Algorithm> {
        if let Some(wanted) = self.overrides.of(request.collective) {
            return match (wanted.supports)(&shared(request)) {
                true => Ok(wanted),
                false => Err(Error::Unsupported(format!(
                    "ANYCCL_ALGORITHM wants {}:{}, which cannot serve {} ranks and count {}",
                    request.collective.name(),
                    wanted.name,
                    request.size,
                    request.count,
                ))),
            };
        }
        let best = self.candidates(request, all_tcp).first().map(|&(algorithm, _)| algorithm);
        best.ok_or_else(|| Error::Internal(format!("no algorithm for {}", request.collective.name())))
    }

    /// All algorithms that can serve a request with their predicted microseconds, the fastest first.
    /// The user's word does not count.
    pub fn candidates(&self, request: &PlanRequest, all_tcp: bool) -> Vec<(&'static Algorithm, f64)> {
        let request = shared(request);
        let rows = algo::of(request.collective);
        let compared = rows.filter(|algorithm| self.why_not(algorithm, &request, all_tcp).is_none());
        let mut candidates: Vec<_> =
            compared.map(|algorithm| (algorithm, self.predict(algorithm, &request, all_tcp))).collect();
        // Stable: equal costs stay in the order of the table.
        candidates.sort_by(|(_, a), (_, b)| a.total_cmp(b));
        candidates
    }

    /// Why an algorithm is not compared with others for a request. `None`: it is.
    ///
    /// With one host, or one rank on each, a hierarchical algorithm is a flat one in other words.
    pub fn why_not(
        &self,
        algorithm: &Algorithm,
        request: &PlanRequest,
        all_tcp: bool,
    ) -> Option<&'static str> {
        let has_groups = (2..request.size).contains(&request.topology.hosts());
        match algorithm.cost {
            _ if !(algorithm.supports)(&shared(request)) => Some("does not serve this call"),
            Cost::ByHost(_) if !has_groups => {
                Some("not compared: needs several hosts with several ranks to differ from the others")
            }
            Cost::Crowded(_) if all_tcp || request.topology.hosts() > 1 || self.ranks_per_core <= 1 => {
                Some("not compared: for ranks that share cores and memory")
            }
            _ => None,
        }
    }

    fn predict(&self, algorithm: &Algorithm, request: &PlanRequest, all_tcp: bool) -> f64 {
        let local = if all_tcp { self.tcp } else { self.shm };
        let paths = Paths { local, remote: self.tcp };
        match algorithm.cost {
            Cost::Flat(_, cost) if request.topology.hosts() == 1 => cost(request, &local),
            Cost::Flat(traffic, cost) => cost(request, &paths.seen_by(traffic, request)),
            Cost::Around(cost) => cost(request, &Edges::of(&paths, request)),
            Cost::ByHost(cost) => cost(request, &paths),
            Cost::Crowded(cost) => cost(request, &local),
        }
    }
}

/// The request as far as all ranks agree on it.
fn shared<'a>(request: &PlanRequest<'a>) -> PlanRequest<'a> {
    PlanRequest { rank: 0, in_place: false, ..*request }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Collective;
    use crate::plan::BlockLayout;
    use crate::topology::Topology;

    const MIB: usize = 1 << 20;

    fn request(collective: Collective, topology: &Topology, bytes: usize) -> PlanRequest<'_> {
        PlanRequest {
            collective,
            size: topology.size(),
            rank: 0,
            root: 0,
            count: bytes,
            element_bytes: 1,
            in_place: false,
            chunk_bytes: 64 << 10,
            topology,
            layout: BlockLayout::NONE,
        }
    }

    fn default_tuning() -> Tuning {
        Tuning::from_config(&Config::default()).unwrap()
    }

    fn all_reduce(ranks: u32, bytes: usize) -> &'static str {
        let topology = Topology::one_host(ranks);
        default_tuning().choose(&request(Collective::AllReduce, &topology, bytes), false).unwrap().name
    }

    #[test]
    fn two_ranks_of_a_host_reduce_in_one_shot_at_least_up_to_16_mib() {
        for bytes in [0, 8, 1 << 10, 64 << 10, MIB, 16 * MIB] {
            assert_eq!(all_reduce(2, bytes), "one_shot", "{bytes} bytes");
        }
    }

    #[test]
    fn small_messages_within_a_host_take_the_fewest_latencies() {
        for ranks in [3, 4, 5, 8, 16, 64] {
            for bytes in [8, 256, 4 << 10] {
                let name = all_reduce(ranks, bytes);
                let small = ["one_shot", "recursive_doubling"];
                // Folding three ranks into two costs more rounds than the direct exchange.
                let fewest = small.contains(&name) || !ranks.is_power_of_two() && name == "two_shot";
                assert!(fewest, "{ranks} ranks, {bytes} bytes: {name}");
            }
        }
    }

    #[test]
    fn large_messages_take_the_fewest_bytes() {
        for ranks in [3, 4, 7, 8, 16] {
            let name = all_reduce(ranks, 16 * MIB);
            assert!(["ring", "rabenseifner", "two_shot"].contains(&name), "{ranks} ranks: {name}");
        }
    }

    #[test]
    fn the_choice_is_the_same_on_every_rank() {
        let topology = Topology::one_host(6);
        for collective in Collective::UNIFORM {
            for bytes in [1, 1000, MIB] {
                let base = request(collective, &topology, bytes);
                let name = default_tuning().choose(&base, false).unwrap().name;
                for rank in 0..6 {
                    for in_place in [false, true] {
                        let mine = PlanRequest { rank, in_place, ..base };
                        assert_eq!(default_tuning().choose(&mine, false).unwrap().name, name);
                    }
                }
            }
        }
    }

    #[test]
    fn every_prediction_is_finite_and_not_negative() {
        for collective in Collective::UNIFORM {
            for ranks in [1, 2, 3, 8, 1000] {
                let topology = Topology::one_host(ranks);
                for bytes in [0, 1, MIB] {
                    for tcp in [false, true] {
                        let request = request(collective, &topology, bytes);
                        for (algorithm, cost) in default_tuning().candidates(&request, tcp) {
                            let name = algorithm.name;
                            assert!(cost.is_finite() && cost >= 0.0, "{name} on {ranks}: {cost}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn ranks_that_share_cores_send_few_messages_over_tcp() {
        let topology = Topology::one_host(4);
        let tuning = default_tuning().oversubscribed(2);
        for (collective, few) in [
            (Collective::AllReduce, "recursive_doubling"),
            (Collective::AllGather, "recursive_doubling"),
            (Collective::AllToAll, "bruck"),
            (Collective::ReduceScatter, "recursive_halving"),
            (Collective::Barrier, "dissemination"),
        ] {
            let request = request(collective, &topology, 8);
            assert_eq!(tuning.choose(&request, true).unwrap().name, few, "{}", collective.name());
        }
    }

    #[test]
    fn long_messages_go_through_memory_that_all_see_where_ranks_share_cores_and_only_there() {
        let (one, two) = (Topology::one_host(4), Topology::from_labels(&["a", "a", "b", "b"]));
        let crowded = || default_tuning().oversubscribed(2);
        for collective in [Collective::AllReduce, Collective::Broadcast, Collective::AllGather] {
            let chosen = |tuning: Tuning, topology, bytes, all_tcp| {
                tuning.choose(&request(collective, topology, bytes), all_tcp).unwrap().name
            };
            assert_eq!(chosen(crowded(), &one, 8 * MIB, false), "staged", "{}", collective.name());
            for name in [
                chosen(crowded(), &one, 32 << 10, false),
                chosen(crowded(), &one, 8 * MIB, true),
                chosen(crowded(), &two, 8 * MIB, false),
                chosen(default_tuning(), &one, 8 * MIB, false),
            ] {
                assert_ne!(name, "staged", "{}", collective.name());
            }
        }
    }

    #[test]
    fn hosts_apart_pay_the_price_of_tcp() {
        let (near, far) = (Topology::one_host(2), Topology::from_labels(&["a", "b"]));
        let cost = |topology: &Topology, tcp| {
            default_tuning().candidates(&request(Collective::Barrier, topology, 0), tcp)[0].1
        };
        assert_eq!(cost(&near, false), LinkModel::SHM.latency_us);
        assert_eq!(cost(&near, true), LinkModel::TCP.latency_us);
        assert_eq!(cost(&far, false), LinkModel::TCP.latency_us);
    }

    #[test]
    fn the_users_word_comes_first() {
        let config = Config { algorithm: Some("all_reduce:ring".to_owned()), ..Config::default() };
        let topology = Topology::one_host(2);
        let choose = |collective| {
            let tuning = Tuning::from_config(&config).unwrap();
            tuning.choose(&request(collective, &topology, 8), false).unwrap().name
        };
        assert_eq!(choose(Collective::AllReduce), "ring");
        assert_eq!(choose(Collective::ReduceScatter), "pairwise");
        let config = Config { algorithm: Some("all_reduce:no".to_owned()), ..Config::default() };
        assert!(matches!(Tuning::from_config(&config), Err(Error::InvalidArgument { .. })));
    }
}
