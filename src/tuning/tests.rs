//! The choice of algorithms, on one host and on several.

use super::*;
use crate::base::Collective;
use crate::cost::LinkModel;
use crate::cost::tests::with_request;
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
fn small_blocks_among_many_hosts_and_an_odd_number_of_ranks_go_by_pat() {
    let hosts: Vec<u32> = (0..61 * 7).map(|rank| rank / 7).collect();
    let topology = Topology::from_labels(&hosts);
    for collective in [Collective::AllGather, Collective::ReduceScatter] {
        let chosen =
            |bytes| default_tuning().choose(&request(collective, &topology, bytes), false).unwrap().name;
        assert_eq!(chosen(8), "pat", "{}", collective.name());
        assert_ne!(chosen(64 << 10), "pat", "{}", collective.name());
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
    let oversubscribed = || default_tuning().oversubscribed(2);
    for collective in [Collective::AllReduce, Collective::Broadcast, Collective::AllGather] {
        let chosen = |tuning: Tuning, topology, bytes, all_tcp| {
            tuning.choose(&request(collective, topology, bytes), all_tcp).unwrap().name
        };
        assert_eq!(chosen(oversubscribed(), &one, 8 * MIB, false), "staged", "{}", collective.name());
        for name in [
            chosen(oversubscribed(), &one, 32 << 10, false),
            chosen(oversubscribed(), &one, 8 * MIB, true),
            chosen(oversubscribed(), &two, 8 * MIB, false),
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

fn chosen(labels: &str, collective: Collective, bytes: usize) -> &'static str {
    let tuning = Tuning::from_config(&Config::default()).unwrap();
    with_request(labels, collective, bytes, |request| tuning.choose(request, false).unwrap().name)
}

#[test]
fn all_reduce_on_a_few_hosts_of_several_ranks_is_hierarchical_but_for_middle_sizes_of_many() {
    for labels in ["aaaabbbb", "abababab", "aaaabbbbccccdddd", "aabbbbb"] {
        for bytes in [8, 4 << 10, 1 << 20, 64 << 20] {
            // The simulation's tests examine what a ring gains in between.
            let by_ring = ["aaaabbbbccccdddd", "aabbbbb"].contains(&labels) && bytes == 1 << 20;
            let best = if by_ring { "ring" } else { "hierarchical" };
            assert_eq!(chosen(labels, Collective::AllReduce, bytes), best, "{labels} {bytes}");
        }
    }
}

#[test]
fn a_host_gives_and_gets_only_once_what_its_ranks_share() {
    use Collective::{AllGather, Barrier, Broadcast, ReduceScatter};
    for labels in ["aaaabbbb", "abababab", "abcdabcdabcdabcd"] {
        for (collective, bytes) in
            [(Broadcast, 8), (Broadcast, 1 << 20), (AllGather, 64), (ReduceScatter, 64), (Barrier, 0)]
        {
            let name = chosen(labels, collective, bytes);
            assert_eq!(name, "hierarchical", "{labels} {} {bytes}", collective.name());
        }
    }
    // A ring serves large blocks as well, but only if it leaves each host once.
    for collective in [AllGather, ReduceScatter] {
        assert_eq!(chosen("abababab", collective, 1 << 20), "hierarchical", "{}", collective.name());
    }
}

#[test]
fn large_blocks_that_are_all_different_take_no_detour() {
    // Each block must cross the wire anyway.
    for collective in [Collective::Gather, Collective::Scatter, Collective::AllToAll] {
        assert_ne!(chosen("aaaabbbb", collective, 1 << 20), "hierarchical", "{}", collective.name());
    }
}

#[test]
fn no_collective_is_hierarchical_on_one_host_or_with_one_rank_per_host() {
    for collective in Collective::UNIFORM {
        for labels in ["aaaaaaaa", "abcdefgh", "a"] {
            let bytes = if collective == Collective::Barrier { 0 } else { 1000 };
            assert_ne!(chosen(labels, collective, bytes), "hierarchical", "{}", collective.name());
        }
    }
}
