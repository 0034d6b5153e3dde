//! Tests of the steps in logical time.

use super::*;
use crate::algo;

fn arrows(name: &str, request: &PlanRequest) -> Vec<Arrow> {
    let algorithm = algo::find(request.collective, name).unwrap();
    steps(algorithm, request, &Limits::default()).unwrap()
}

#[test]
fn a_ring_takes_a_step_per_round_and_every_rank_sends_in_each() {
    let topology = cluster(3, 2);
    let arrows = arrows("ring", &request(Collective::AllReduce, &topology, 60));
    assert_eq!(arrows.len(), 6 * 10);
    for (at, arrow) in arrows.iter().enumerate() {
        assert_eq!((arrow.step, arrow.from), (at as u32 / 6, at as u32 % 6));
        assert_eq!((arrow.round, arrow.to), (arrow.step, (arrow.from + 1) % 6));
        assert_eq!(arrow.reduces, arrow.step < 5);
        assert_eq!(arrow.within_host, arrow.from % 2 == 0);
    }
}

#[test]
fn a_chain_is_a_staircase() {
    let topology = Topology::one_host(4);
    let base = request(Collective::Broadcast, &topology, 30);
    let arrows = arrows("chain", &PlanRequest { chunk_bytes: 24, ..base });
    assert_eq!(arrows.len(), 3 * 5);
    for arrow in arrows {
        let chunk = arrow.span.offset as u32 / 6;
        assert_eq!(arrow.step, chunk + arrow.from, "{arrow:?}");
    }
}

#[test]
fn every_message_of_every_algorithm_has_a_step_after_what_it_waits_for() {
    let topology = cluster(3, 3);
    for algorithm in without_layout() {
        let request = request(algorithm.collective, &topology, 100);
        let arrows = steps(algorithm, &request, &Limits::default()).unwrap();
        let name = format!("{} {}", algorithm.collective.name(), algorithm.name);
        let outcome = simulate(algorithm, &request, &MIXED, &Limits::default()).unwrap();
        assert_eq!(arrows.len() as u64, outcome.traffic.messages, "{name}");
        for arrow in &arrows {
            let same_lane =
                arrows.iter().filter(|other| (other.from, other.lane) == (arrow.from, arrow.lane));
            for other in same_lane {
                let in_order = other.round >= arrow.round || other.step < arrow.step;
                assert!(in_order, "{name}: {other:?} before {arrow:?}");
            }
        }
    }
}
