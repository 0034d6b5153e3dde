//! Proves every row with the verifier: it is the collective, all ranks have the same bits, and no number is
//! rounded more often than the documentation says.

use proptest::prelude::*;

use super::*;
use crate::algo::algorithm::Algorithm;
use crate::algo::tests::sizes;
use crate::base::{Collective, Rank, WireFormat};
use crate::plan::verify::{Violation, verify_each, verify_roundings};
use crate::plan::{BlockLayout, PlanRequest, Step};
use crate::topology::Topology;

/// Roundings of a number: on its way to the owner of the result, and with the result.
fn roundings(collective: Collective) -> u32 {
    if collective == Collective::AllReduce { 2 } else { 1 }
}

fn requests<'a>(
    row: &Algorithm,
    topology: &'a Topology,
    in_place: &[bool],
    count: usize,
) -> Vec<PlanRequest<'a>> {
    let of_rank = |(rank, &in_place): (Rank, &bool)| PlanRequest {
        collective: row.collective,
        size: topology.size(),
        rank,
        root: 0,
        count,
        element_bytes: 4,
        in_place,
        chunk_bytes: 12,
        topology,
        layout: BlockLayout::NONE,
    };
    (0..).zip(in_place).map(of_rank).collect()
}

fn proof(row: &Algorithm, topology: &Topology, in_place: &[bool], count: usize) -> Result<(), Violation> {
    let requests = requests(row, topology, in_place, count);
    let plans: Vec<Plan> = requests.iter().map(row.build).collect();
    verify_each(&plans, &requests)?;
    verify_roundings(&plans, &requests, roundings(row.collective))
}

fn assert_proved(row: &Algorithm, topology: &Topology, in_place: &[bool], count: usize) {
    if let Err(violation) = proof(row, topology, in_place, count) {
        panic!("{} {}, {topology:?}, count {count}: {violation}", row.collective.name(), row.name);
    }
}

#[test]
fn every_row_is_correct_for_every_number_of_hosts_up_to_64() {
    for row in NARROW {
        for size in sizes(64) {
            let topology = Topology::from_labels(&(0..size).collect::<Vec<_>>());
            for count in [0, 1, size as usize - 1, size as usize + 1, 127, 1030] {
                if count * size as usize > 20_000 {
                    continue;
                }
                for every in [1, 2, 1000] {
                    let in_place: Vec<bool> = (1..=size).map(|rank| rank % every == 0).collect();
                    assert_proved(row, &topology, &in_place, count);
                }
            }
        }
    }
}

#[test]
fn every_row_is_correct_on_hosts_of_several_ranks() {
    for row in NARROW {
        for layout in
            ["aab", "aabb", "abab", "aaabbc", "abcbacbb", "abbbbbbbb", "aaabbbccc", "abcddddcbaabbbccdef"]
        {
            let topology = Topology::from_labels(layout.as_bytes());
            for count in [0, 1, 5, 64, 259, 1031] {
                let in_place: Vec<bool> = (0..topology.size()).map(|rank| rank % 3 == 1).collect();
                assert_proved(row, &topology, &in_place, count);
            }
        }
    }
}

/// Numbers, in float32, that leave a host and that its messages within the host have.
fn sent(row: &Algorithm, topology: &Topology, count: usize, rank: Rank) -> (usize, usize) {
    let requests = requests(row, topology, &vec![false; topology.size() as usize], count);
    let plan = (row.build)(&PlanRequest { chunk_bytes: 64 << 10, ..requests[rank as usize] });
    let steps = plan.lanes.iter().flat_map(|lane| &lane.rounds).flat_map(|round| &round.steps);
    let (mut far, mut near) = (0, 0);
    for step in steps {
        let Step::Send { to, span } = step else { continue };
        for peer in to {
            let is_far = topology.host_of(*peer) != topology.host_of(rank);
            *(if is_far { &mut far } else { &mut near }) += span.len;
        }
    }
    (far, near)
}

#[test]
fn messages_between_hosts_are_narrow_and_those_within_a_host_are_not() {
    let topology = Topology::from_labels(b"aabb");
    for row in NARROW {
        let format = WireFormat::ALL.into_iter().find(|format| format.name() == row.name).unwrap();
        let count = 256 * 1024;
        let (far, near) = sent(row, &topology, count, 0);
        let full = match row.collective {
            // Half of its slice to the other host, twice.
            Collective::AllReduce => count / 2,
            // A block to each rank there would be two: one per carrier.
            _ => count,
        };
        assert_eq!(far, format.narrow_len(full), "{} {}", row.collective.name(), row.name);
        assert!(near >= count / 2, "{} {}: {near}", row.collective.name(), row.name);
    }
}

/// Shows that the proofs can fail.
#[test]
fn an_owner_that_keeps_its_own_sum_is_noticed_and_so_is_one_rounding_more() {
    let topology = Topology::from_labels(b"abc");
    let row = narrow(Collective::AllReduce, WireFormat::Bf16).unwrap();
    let requests = requests(row, &topology, &[false; 3], 9);
    let plans: Vec<Plan> = requests.iter().map(row.build).collect();
    assert_eq!(
        verify_roundings(&plans, &requests, 1).map_err(|violation| violation.to_string()).unwrap_err(),
        "rank 0: Output element 0 was rounded 2 times, not 1"
    );
    let mut kept = plans.clone();
    for round in kept[1].lanes.iter_mut().flat_map(|lane| &mut lane.rounds) {
        let has_result = round.steps.iter().any(|step| matches!(step, Step::Narrow { .. }));
        round.steps.retain(|step| !(has_result && matches!(step, Step::Widen { operand: None, .. })));
    }
    assert!(matches!(verify_each(&kept, &requests), Err(Violation::NotIdentical { .. })));
    let mut torn = plans;
    let mut steps = torn[0].lanes[0].rounds.iter_mut().flat_map(|round| &mut round.steps);
    let step = steps.find(|step| matches!(step, Step::Widen { .. }));
    let Some(Step::Widen { format, .. }) = step else { panic!("it has one") };
    *format = WireFormat::F8;
    assert!(verify_each(&torn, &requests).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn rows_are_correct_for_any_mixture_of_ranks_in_place_on_any_hosts(
        row in 0..NARROW.len(),
        in_place in proptest::collection::vec(any::<bool>(), 1..20),
        hosts in proptest::collection::vec(0u8..6, 20),
        count in 0usize..600,
    ) {
        let topology = Topology::from_labels(&hosts[..in_place.len()]);
        let row = &NARROW[row];
        let proved = proof(row, &topology, &in_place, count);
        prop_assert!(proved.is_ok(), "{} {}: {}", row.collective.name(), row.name, proved.unwrap_err());
    }
}
