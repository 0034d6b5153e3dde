//! Tests that compare one host that stands for all with a simulation of all hosts.

use super::*;
use crate::algo;

const FOLD: Limits = Limits { plain: 0, messages: 1_000_000, events: 10_000_000 };
const ALL: Limits = Limits { plain: 1_000_000, messages: 1_000_000, events: 10_000_000 };

fn clusters() -> impl Iterator<Item = (u32, u32)> {
    [(1, 6), (1, 8), (2, 3), (4, 1), (4, 2), (5, 2), (6, 3), (8, 4), (16, 3), (9, 1)].into_iter()
}

/// Runs a check for each algorithm that is symmetric on one of the clusters.
fn each_symmetric_case(mut check: impl FnMut(&Algorithm, &PlanRequest, &Prediction)) {
    for (hosts, ranks) in clusters() {
        let topology = cluster(hosts, ranks);
        for algorithm in without_layout() {
            for per_rank in [1, 250, 30_000] {
                let request = request(algorithm.collective, &topology, per_rank * topology.size() as usize);
                let folded = simulate(algorithm, &request, &MIXED, &FOLD).unwrap();
                check(algorithm, &request, &folded);
            }
        }
    }
}

#[test]
fn one_host_takes_exactly_the_time_of_all_hosts() {
    let mut folded_cases = Vec::new();
    each_symmetric_case(|algorithm, request, folded| {
        if folded.symmetry == Symmetry::None {
            return;
        }
        let Algorithm { name, collective, .. } = algorithm;
        folded_cases.push((*collective, *name, folded.order));
        let request = PlanRequest { count: folded.count, ..*request };
        let all = simulate(algorithm, &request, &MIXED, &ALL).unwrap();
        let context =
            format!("{} {name}, {} ranks, {} elements", collective.name(), request.size, request.count);
        assert_eq!(all.symmetry, Symmetry::None);
        match folded.order {
            Order::Same => {
                assert!(close(folded.seconds, all.seconds), "{context}: {} {}", folded.seconds, all.seconds)
            }
            Order::Different => {
                let ratio = folded.seconds / all.seconds;
                assert!((0.7..1.4).contains(&ratio), "{context}: {} {}", folded.seconds, all.seconds);
            }
        }
        assert_eq!(folded.traffic, all.traffic, "{context}");
        assert_eq!(folded.scratch, all.scratch, "{context}");
    });
    for expected in ["ring", "rabenseifner", "recursive_doubling", "hierarchical"] {
        let case = (Collective::AllReduce, expected, Order::Same);
        assert!(folded_cases.contains(&case), "{expected} was never folded");
    }
    assert!(folded_cases.contains(&(Collective::AllReduce, "one_shot", Order::Different)));
}

#[test]
fn sampled_hosts_tell_whether_all_hosts_are_alike() {
    for (hosts, ranks) in clusters().chain([(12, 2), (17, 1), (24, 1), (1, 33)]) {
        let topology = cluster(hosts, ranks);
        for algorithm in without_layout() {
            for count in [1, 7, 96, 97, 1000, 40 * 96] {
                let request = request(algorithm.collective, &topology, count);
                let plan_of = |rank| (algorithm.build)(&for_rank(&request, rank));
                for fold in Fold::candidates(&request) {
                    let sampled = fold.holds(fold.samples().into_iter(), plan_of);
                    let proved = fold.holds(1..fold.blocks, plan_of);
                    let (name, collective) = (algorithm.name, algorithm.collective.name());
                    assert_eq!(sampled, proved, "{collective} {name}, {hosts} x {ranks}, {count}: {fold:?}");
                }
            }
        }
    }
}

#[test]
fn irregular_hosts_are_never_folded() {
    for labels in ["aab", "abab", "aabbc", "abba"] {
        let topology = Topology::from_labels(&labels.chars().collect::<Vec<_>>());
        assert!(Fold::candidates(&request(Collective::Barrier, &topology, 0)).is_empty(), "{labels}");
    }
}

#[test]
fn a_count_that_cannot_be_shared_evenly_is_rounded_up_a_little() {
    let topology = cluster(8, 4);
    let ring = algo::find(Collective::AllReduce, "ring").unwrap();
    let odd = request(Collective::AllReduce, &topology, 32 * 1000 + 1);
    let folded = simulate(ring, &odd, &MIXED, &FOLD).unwrap();
    assert_eq!((folded.count, folded.ranks, folded.symmetry), (32 * 1001, 4, Symmetry::Rotation));
    let all = simulate(ring, &odd, &MIXED, &ALL).unwrap();
    assert_eq!((all.count, all.ranks), (odd.count, 32));
    assert!((folded.seconds / all.seconds - 1.0).abs() < 0.01, "{} {}", folded.seconds, all.seconds);
}

#[test]
fn the_error_of_too_many_messages_tells_their_number() {
    let topology = cluster(7, 3);
    let pairwise = algo::find(Collective::AllToAll, "pairwise").unwrap();
    let request = request(Collective::AllToAll, &topology, 10);
    let limits = Limits { plain: 10, messages: 50, events: 1000 };
    let skipped = simulate(pairwise, &request, &MIXED, &limits).unwrap_err();
    let Skipped::TooMany { messages, limit: 50 } = skipped else { panic!("{skipped}") };
    assert!((400.0..=440.0).contains(&messages), "21 x 20 messages: {messages}");
}

#[test]
fn plans_of_too_many_rounds_say_how_many_they_are() {
    let topology = cluster(7, 3);
    let staged = algo::find(Collective::AllReduce, "staged").unwrap();
    let request = request(Collective::AllReduce, &topology, 10);
    let limits = Limits { plain: 10, messages: 45, events: 1000 };
    let skipped = simulate(staged, &request, &MIXED, &limits).unwrap_err();
    let Skipped::TooManyRounds { rounds, limit: 225 } = skipped else { panic!("{skipped}") };
    assert!((220.0..=260.0).contains(&rounds), "rank r waits r rounds, 252 in all: {rounds}");
}
