//! Tests of hierarchical algorithms on several hosts. The verifier proves them on many layouts of ranks on
//! hosts, and the messages and elements that each host sends to others are counted.

use super::*;
use crate::algo::algorithm::HIERARCHICAL;

/// Hosts of equal size. The ranks fill one host after the other, or go round the hosts in turn.
fn regular(hosts: u32, ranks: u32) -> [Topology; 2] {
    let size = hosts * ranks;
    let consecutive: Vec<u32> = (0..size).map(|rank| rank / ranks).collect();
    let in_turn: Vec<u32> = (0..size).map(|rank| rank % hosts).collect();
    [consecutive, in_turn].map(|labels| Topology::from_labels(&labels))
}

/// Hosts of unequal sizes: consecutive, mixed, and with the largest first, last and in between.
const UNEQUAL: [&str; 10] = [
    "aab",
    "abb",
    "aaabbc",
    "abcbacbb",
    "abbbbbbbb",
    "aaaabcd",
    "abacabadabacaba",
    "aaaaaabbbbccccccd",
    "abcddddcbaabbbccdef",
    "aaaaaaabaaaaaaaccccbbbddddddeeffgh",
];

fn prove_on(collective: Collective, topology: &Topology) {
    let algorithm = find(collective, HIERARCHICAL).expect("a row of the table");
    let size = topology.size();
    for root in roots(collective, size) {
        for count in counts(collective, size) {
            for in_place in [InPlace::Nobody, InPlace::Everybody, InPlace::Some] {
                prove_exactly(algorithm, topology, root, count, 12, &in_place.of(size));
            }
        }
    }
}

/// Whether so many hosts of so many ranks are proved: the others only in the long tests.
fn is_proved(hosts: u32, ranks: u32) -> bool {
    hosts.min(ranks) <= 2 || hosts.max(ranks) <= 4 || hosts + ranks >= 15 || is_long()
}

fn prove_on_all_layouts(collective: Collective) {
    for hosts in 1..=8 {
        for ranks in (1..=8).filter(|ranks| is_proved(hosts, *ranks)) {
            for topology in regular(hosts, ranks) {
                prove_on(collective, &topology);
            }
        }
    }
    for layout in UNEQUAL {
        prove_on(collective, &Topology::from_labels(layout.as_bytes()));
    }
    // Many hosts, with one root and one count only.
    let algorithm = find(collective, HIERARCHICAL).expect("a row of the table");
    for topology in regular(12, 9) {
        let root = if collective.has_root() { 85 } else { 0 };
        let count = usize::from(collective != Collective::Barrier);
        prove_exactly(algorithm, &topology, root, count, 12, &InPlace::Some.of(topology.size()));
    }
}

macro_rules! proofs_on_hosts {
    ($($test:ident: $collective:ident;)*) => {
        $(#[test]
        fn $test() {
            prove_on_all_layouts(Collective::$collective);
        })*
    };
}

proofs_on_hosts! {
    all_reduce_is_correct_on_up_to_8_hosts_of_8_ranks_and_unequal_ones: AllReduce;
    reduce_is_correct_on_up_to_8_hosts_of_8_ranks_and_unequal_ones: Reduce;
    broadcast_is_correct_on_up_to_8_hosts_of_8_ranks_and_unequal_ones: Broadcast;
    all_gather_is_correct_on_up_to_8_hosts_of_8_ranks_and_unequal_ones: AllGather;
    gather_is_correct_on_up_to_8_hosts_of_8_ranks_and_unequal_ones: Gather;
    scatter_is_correct_on_up_to_8_hosts_of_8_ranks_and_unequal_ones: Scatter;
    reduce_scatter_is_correct_on_up_to_8_hosts_of_8_ranks_and_unequal_ones: ReduceScatter;
    all_to_all_is_correct_on_up_to_8_hosts_of_8_ranks_and_unequal_ones: AllToAll;
    barrier_is_correct_on_up_to_8_hosts_of_8_ranks_and_unequal_ones: Barrier;
}

#[test]
fn all_reduce_is_correct_with_each_algorithm_between_2_to_64_hosts() {
    // With these numbers of hosts and elements, each algorithm between hosts is the cheapest at least once.
    let all_reduce = find(Collective::AllReduce, HIERARCHICAL).expect("a row of the table");
    for hosts in [2, 3, 12, 16, 64] {
        for count in [1, 200, 20_011] {
            let [topology, _] = regular(hosts, 2);
            let in_place = InPlace::Some.of(topology.size());
            prove_exactly(all_reduce, &topology, 0, count, 12, &in_place);
        }
    }
}

/// Number of messages and elements that leave each host.
fn sent_by_hosts(collective: Collective, topology: &Topology, count: usize) -> Vec<(usize, usize)> {
    let algorithm = find(collective, HIERARCHICAL).expect("a row of the table");
    let mut sent = vec![(0, 0); topology.hosts() as usize];
    for rank in 0..topology.size() {
        let request =
            PlanRequest { rank, root: 0, count, chunk_bytes: 64 << 10, ..small(algorithm, topology) };
        let plan = (algorithm.build)(&request);
        let steps = plan.lanes.iter().flat_map(|lane| &lane.rounds).flat_map(|round| &round.steps);
        for step in steps {
            let Step::Send { to, span } = step else { continue };
            let far = to.iter().filter(|&&to| topology.host_of(to) != topology.host_of(rank)).count();
            let (messages, elements) = &mut sent[topology.host_of(rank) as usize];
            *messages += far;
            *elements += far * span.len;
        }
    }
    sent
}

#[test]
fn a_host_sends_no_more_than_a_single_rank_in_its_place_would() {
    for topology in regular(4, 3) {
        // A ring or halving among 4 sends 2 * 3/4 of the elements.
        let sent = sent_by_hosts(Collective::AllReduce, &topology, 120_000);
        assert!(sent.iter().all(|&(_, elements)| elements == 180_000), "{sent:?}");
        let sent = sent_by_hosts(Collective::ReduceScatter, &topology, 1000);
        assert!(sent.iter().all(|&(_, elements)| elements == 3 * 3 * 1000), "{sent:?}");
        let sent = sent_by_hosts(Collective::AllGather, &topology, 1000);
        assert!(sent.iter().all(|&(_, elements)| elements == 3 * 3 * 1000), "{sent:?}");
        // Each of the other three hosts gets the data once, from the root's host or from another one.
        let sent = sent_by_hosts(Collective::Broadcast, &topology, 120_000);
        assert_eq!(sent.iter().map(|&(_, elements)| elements).sum::<usize>(), 3 * 120_000, "{sent:?}");
    }
}

#[test]
fn hosts_exchange_few_messages() {
    for topology in regular(4, 3) {
        let messages = |collective| {
            let count = if collective == Collective::Barrier { 0 } else { 5 };
            let sent = sent_by_hosts(collective, &topology, count);
            sent.into_iter().map(|(messages, _)| messages).collect::<Vec<_>>()
        };
        assert_eq!(messages(Collective::Gather), [0, 1, 1, 1], "one to the root's host");
        assert_eq!(messages(Collective::Scatter), [3, 0, 0, 0], "one to each host");
        assert_eq!(
            messages(Collective::AllToAll),
            [9; 4],
            "one to each rank elsewhere, not one for each pair"
        );
        assert_eq!(messages(Collective::AllReduce), [3; 4], "one slice, one rank for each host");
    }
}
