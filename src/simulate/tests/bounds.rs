//! Tests of bounds that hold for every algorithm on every cluster.

use super::*;
use crate::algo;

fn each_case(mut check: impl FnMut(&Algorithm, &PlanRequest, &Prediction)) {
    for labels in ["a", "aa", "aab", "aaaa", "abcabc", "aabbccc", "aaaabbbb", "abcdefgh"] {
        let topology = Topology::from_labels(&labels.chars().collect::<Vec<_>>());
        for algorithm in without_layout() {
            for count in [0, 1, 6, 5000, 60_001] {
                for in_place in [false, true] {
                    let base = request(algorithm.collective, &topology, count);
                    let root = if algorithm.collective.has_root() { topology.size() - 1 } else { 0 };
                    let request = PlanRequest { in_place, root, ..base };
                    let outcome = simulate(algorithm, &request, &MIXED, &Limits::default()).unwrap();
                    check(algorithm, &request, &outcome);
                }
            }
        }
    }
}

#[test]
fn every_algorithm_ends_and_takes_no_less_than_its_busiest_port_and_interface() {
    each_case(|algorithm, request, outcome| {
        let Prediction { seconds, traffic, .. } = outcome;
        let fastest = MIXED.within.byte.min(MIXED.between.byte);
        let least = [
            traffic.rank_sends as f64 * fastest,
            traffic.rank_receives as f64 * fastest,
            traffic.host_sends as f64 * MIXED.nic_byte,
            traffic.host_receives as f64 * MIXED.nic_byte,
        ];
        for least in least {
            let (name, collective) = (algorithm.name, algorithm.collective.name());
            assert!(*seconds >= least * (1.0 - 1e-9), "{collective} {name}, {request:?}: {seconds} {least}");
        }
    });
}

#[test]
fn the_critical_path_goes_from_the_begin_to_the_end_without_a_gap() {
    each_case(|algorithm, request, outcome| {
        let context = || format!("{} {}, {request:?}", algorithm.collective.name(), algorithm.name);
        let mut end = 0.0;
        for hop in &outcome.path {
            assert_eq!(hop.begin, end, "{}: {hop:?}", context());
            assert!(hop.end >= hop.begin, "{}: {hop:?}", context());
            let within = hop
                .peer
                .is_none_or(|peer| request.topology.host_of(peer) == request.topology.host_of(hop.rank));
            assert!(hop.within_host == within, "{}: {hop:?}", context());
            end = hop.end;
        }
        assert!(close(end, outcome.seconds), "{}: {end} {}", context(), outcome.seconds);
    });
}

#[test]
fn ranks_of_a_folded_path_are_those_that_meet() {
    let topology = cluster(16, 4);
    for name in ["ring", "rabenseifner", "hierarchical"] {
        let algorithm = algo::find(Collective::AllReduce, name).unwrap();
        let request = request(Collective::AllReduce, &topology, 64 * 1000);
        let folded =
            simulate(algorithm, &request, &MIXED, &Limits { plain: 0, ..Limits::default() }).unwrap();
        assert_ne!(folded.symmetry, Symmetry::None, "{name}");
        for pair in folded.path.windows(2) {
            let [before, after] = pair else { unreachable!() };
            let known = [Some(before.rank), before.peer];
            assert!(known.contains(&Some(after.rank)) || known.contains(&after.peer), "{name}: {pair:?}");
        }
        for hop in &folded.path {
            let plan = (algorithm.build)(&for_rank(&request, hop.rank));
            let steps = &plan.lanes[hop.lane as usize].rounds[hop.round as usize].steps;
            let met = steps.iter().any(|step| match step {
                crate::plan::Step::Send { to, .. } => hop.peer.is_some_and(|peer| to.contains(&peer)),
                crate::plan::Step::Recv { from, .. } | crate::plan::Step::RecvReduce { from, .. } => {
                    hop.peer == Some(*from)
                }
                _ => hop.peer.is_none(),
            });
            assert!(met, "{name}: {hop:?} {steps:?}");
        }
    }
}

#[test]
fn an_eager_sender_does_not_wait_for_its_receiver() {
    let topology = cluster(3, 1);
    let algorithm = algo::find(Collective::AllReduce, "recursive_doubling").unwrap();
    let request = request(Collective::AllReduce, &topology, 1000);
    let eager = |eager_bytes| {
        let model = Model { between: LinkCosts { eager_bytes, ..MIXED.between }, ..MIXED };
        simulate(algorithm, &request, &model, &Limits::default()).unwrap().seconds
    };
    assert!(eager(u64::MAX) < eager(0), "{} {}", eager(u64::MAX), eager(0));
}
