//! Tests of the verifier: it accepts correct plans and names errors. There is one broken plan per kind of
//! violation.

use std::ops::Range;

use super::*;
use crate::plan::Buffer;
use crate::plan::{BlockLayout, Lane, Round, Span, Step};
use crate::topology::Topology;

fn span(buffer: Buffer, range: Range<usize>) -> Span {
    Span { buffer, offset: range.start, len: range.len() }
}

fn input(range: Range<usize>) -> Span {
    span(Buffer::Input, range)
}

fn output(range: Range<usize>) -> Span {
    span(Buffer::Output, range)
}

fn scratch(range: Range<usize>) -> Span {
    span(Buffer::Scratch, range)
}

fn send(to: Rank, span: Span) -> Step {
    Step::Send { to: vec![to], span }
}

fn receive(from: Rank, dst: Span) -> Step {
    Step::Recv { from, dst }
}

fn receive_reduce(from: Rank, operand: Span, dst: Span) -> Step {
    Step::RecvReduce { from, operand, dst }
}

fn copy(src: Span, dst: Span) -> Step {
    Step::Copy { src, dst }
}

fn lane(rounds: Vec<Vec<Step>>) -> Lane {
    Lane { rounds: rounds.into_iter().map(|steps| Round { steps }).collect() }
}

/// A plan of one lane, with 16 elements of scratch.
fn plan(rounds: Vec<Vec<Step>>) -> Plan {
    Plan { scratch: 16, lanes: vec![lane(rounds)], ..Plan::default() }
}

/// A plan of lanes of one round each.
fn side_by_side(lanes: Vec<Vec<Step>>) -> Plan {
    let lanes = lanes.into_iter().map(|steps| lane(vec![steps])).collect();
    Plan { scratch: 16, lanes, ..Plan::default() }
}

fn check_in_place(
    collective: Collective,
    count: usize,
    plans: &[Plan],
    in_place: &[bool],
) -> Result<(), Violation> {
    let topology = Topology::one_host(plans.len() as u32);
    let request = PlanRequest {
        collective,
        size: plans.len() as u32,
        rank: 0,
        root: 0,
        count,
        element_bytes: 4,
        in_place: false,
        chunk_bytes: 4,
        topology: &topology,
        layout: BlockLayout::NONE,
    };
    verify(plans, in_place, &request)
}

/// Checks plans of which none is in place.
fn check(collective: Collective, count: usize, plans: &[Plan]) -> Result<(), Violation> {
    check_in_place(collective, count, plans, &vec![false; plans.len()])
}

/// Plan of one rank of a two-rank all_reduce of 4 elements.
fn exchange(peer: Rank) -> Plan {
    plan(vec![vec![send(peer, input(0..4)), receive_reduce(peer, input(0..4), output(0..4))]])
}

/// Checks a world of one rank, whose plan makes the right all_reduce of 4 elements and then has these steps.
fn alone(steps: Vec<Step>) -> Result<(), Violation> {
    check(Collective::AllReduce, 4, &[plan(vec![vec![copy(input(0..4), output(0..4))], steps])])
}

/// Checks two ranks that make the right all_reduce of 4 elements, after which rank 0 has these transfers.
fn pair(steps: Vec<Step>) -> Result<(), Violation> {
    let mut plans = [exchange(1), exchange(0)];
    plans[0].lanes[0].rounds.push(Round { steps });
    check(Collective::AllReduce, 4, &plans)
}

macro_rules! assert_violation {
    ($result:expr, $pattern:pat $(if $guard:expr)?) => {
        match $result {
            Err($pattern) $(if $guard)? => {}
            other => panic!("expected {}, got {other:?}", stringify!($pattern)),
        }
    };
}

#[test]
fn an_exchange_is_an_all_reduce_whoever_is_in_place() {
    for flags in [[false, false], [true, false], [false, true], [true, true]] {
        let plans = [exchange(1), exchange(0)];
        assert_eq!(check_in_place(Collective::AllReduce, 4, &plans, &flags), Ok(()));
    }
}

#[test]
fn blocks_swap_in_place_because_sends_read_what_was_there_before_the_round() {
    let swap = |rank: usize, peer: usize| {
        let theirs = peer..peer + 1;
        let mut steps =
            vec![send(peer as Rank, input(theirs.clone())), receive(peer as Rank, output(theirs))];
        steps.rotate_left(rank);
        plan(vec![steps])
    };
    let plans = [swap(0, 1), swap(1, 0)];
    assert_eq!(check_in_place(Collective::AllToAll, 1, &plans, &[true, true]), Ok(()));
}

#[test]
fn a_span_beyond_its_buffer_is_refused() {
    assert_violation!(
        alone(vec![copy(scratch(15..17), output(0..2))]),
        Violation::OutOfBounds { available: 16, .. }
    );
    let endless = Span { buffer: Buffer::Output, offset: usize::MAX, len: 2 };
    assert_violation!(alone(vec![copy(input(0..2), endless)]), Violation::OutOfBounds { available: 4, .. });
}

#[test]
fn ranks_without_a_buffer_must_not_touch_it() {
    let leaf = |step| plan(vec![vec![step], vec![send(0, input(0..2))]]);
    let root = plan(vec![vec![receive_reduce(1, input(0..2), output(0..2))]]);
    let plans = [root, leaf(copy(input(0..2), output(0..2)))];
    assert_violation!(
        check(Collective::Reduce, 2, &plans),
        Violation::OutOfBounds { site: Site { rank: 1, .. }, available: 0, .. }
    );
    let plans = [plan(vec![]), plan(vec![vec![copy(input(0..2), output(0..2))]])];
    assert_violation!(
        check(Collective::Broadcast, 2, &plans),
        Violation::OutOfBounds { site: Site { rank: 1, .. }, available: 0, .. }
    );
}

#[test]
fn the_input_is_never_written() {
    assert_violation!(
        alone(vec![copy(output(0..1), input(1..2))]),
        Violation::InputWritten { site: Site { rank: 0, lane: 0, round: 1, step: 0 }, .. }
    );
}

#[test]
fn a_step_without_elements_is_refused() {
    assert_violation!(pair(vec![send(1, input(2..2))]), Violation::EmptySpan { .. });
}

#[test]
fn impossible_peers_are_refused() {
    let to = |to: &[Rank]| pair(vec![Step::Send { to: to.to_vec(), span: input(0..1) }]);
    assert_violation!(to(&[]), Violation::BadPeer { peer: None, .. });
    assert_violation!(to(&[0]), Violation::BadPeer { peer: Some(0), .. });
    assert_violation!(to(&[2]), Violation::BadPeer { peer: Some(2), .. });
    assert_violation!(to(&[1, 1]), Violation::BadPeer { peer: Some(1), .. });
    assert_violation!(pair(vec![receive(0, output(0..1))]), Violation::BadPeer { peer: Some(0), .. });
    assert_violation!(
        pair(vec![receive_reduce(9, input(0..1), output(0..1))]),
        Violation::BadPeer { peer: Some(9), .. }
    );
}

#[test]
fn the_spans_of_a_step_have_one_length() {
    assert_violation!(
        alone(vec![copy(input(0..2), output(0..3))]),
        Violation::LengthsDiffer { one: 2, other: 3, .. }
    );
    let reduce = Step::Reduce { a: input(0..2), b: input(0..3), dst: output(0..2) };
    assert_violation!(alone(vec![reduce]), Violation::LengthsDiffer { .. });
}

#[test]
fn a_step_must_not_overwrite_what_it_reads() {
    assert_violation!(alone(vec![copy(output(0..2), output(1..3))]), Violation::StepOverlaps { .. });
    let reduce = Step::Reduce { a: input(0..2), b: output(0..2), dst: output(1..3) };
    assert_violation!(alone(vec![reduce]), Violation::StepOverlaps { .. });
    // The same memory under two names, in place.
    let plans = [plan(vec![vec![copy(input(0..4), output(0..4))]])];
    assert_violation!(
        check_in_place(Collective::AllReduce, 4, &plans, &[true]),
        Violation::StepOverlaps { .. }
    );
}

#[test]
fn two_receives_of_a_round_must_not_meet() {
    assert_violation!(
        pair(vec![receive(1, scratch(0..3)), receive(1, scratch(2..4))]),
        Violation::WrittenTwice { site: Site { step: 1, .. }, other: 0, buffer: Buffer::Scratch, element: 2 }
    );
}

#[test]
fn a_round_must_not_write_what_it_sends_or_reduces() {
    // Sent and received spans overlap, but are not identical.
    assert_violation!(
        pair(vec![send(1, output(0..3)), receive(1, output(2..4))]),
        Violation::WrittenWhileRead {
            site: Site { step: 0, .. },
            other: 1,
            buffer: Buffer::Output,
            element: 2
        }
    );
    // One receive writes the operand of another.
    assert_violation!(
        pair(vec![receive_reduce(1, output(0..1), scratch(0..1)), receive(1, output(0..1))]),
        Violation::WrittenWhileRead { site: Site { step: 0, .. }, other: 1, .. }
    );
}

#[test]
fn lanes_must_not_share_what_one_of_them_writes() {
    let own = vec![copy(input(0..4), output(0..4))];
    let with = |other: Vec<Vec<Step>>| {
        let mut lanes = vec![own.clone()];
        lanes.extend(other);
        check(Collective::AllReduce, 4, &[side_by_side(lanes)])
    };
    assert_eq!(with(vec![vec![copy(input(0..4), scratch(0..4))]]), Ok(()), "both may read");
    assert_violation!(
        with(vec![vec![copy(input(0..1), output(3..4))]]),
        Violation::LanesCollide { site: Site { lane: 1, .. }, other: 0, buffer: Buffer::Output, element: 3 }
    );
    assert_violation!(
        with(vec![vec![copy(output(1..2), scratch(0..1))]]),
        Violation::LanesCollide { other: 0, element: 1, .. }
    );
    // Lane 1 writes what it reads itself. That lane 2 reads it too must not be forgotten.
    let reader = |to| vec![copy(input(0..1), scratch(to..to + 1))];
    let writes_scratch_0 = vec![copy(input(0..1), scratch(0..1))];
    assert_violation!(
        with(vec![writes_scratch_0, vec![copy(scratch(0..1), scratch(5..6))], reader(8)]),
        Violation::LanesCollide { site: Site { lane: 2, .. }, other: 1, .. }
    );
}

#[test]
fn lanes_that_collide_only_in_place_are_found_in_place() {
    let root = side_by_side(vec![
        vec![Step::Send { to: vec![1], span: input(0..1) }],
        vec![receive(1, output(0..1))],
    ]);
    let other = plan(vec![vec![receive(0, output(0..1)), send(0, input(0..1))]]);
    let plans = [root, other];
    assert_violation!(
        check_in_place(Collective::AllReduce, 1, &plans, &[true, false]),
        Violation::LanesCollide { .. }
    );
    // Two buffers: the lanes are independent, and only the result is wrong.
    assert_violation!(check(Collective::AllReduce, 1, &plans), Violation::WrongResult { .. });
}

#[test]
fn every_send_needs_its_receive_and_every_receive_its_send() {
    assert_violation!(
        pair(vec![send(1, output(0..1))]),
        Violation::UnmatchedSend { site: Site { rank: 0, lane: 0, round: 1, step: 0 }, peer: 1 }
    );
    assert_violation!(
        pair(vec![receive(1, scratch(0..1))]),
        Violation::UnmatchedReceive { site: Site { rank: 0, round: 1, .. }, peer: 1 }
    );
}

#[test]
fn a_message_has_one_length() {
    let short = plan(vec![vec![send(0, input(0..3)), receive_reduce(0, input(0..4), output(0..4))]]);
    assert_violation!(
        check(Collective::AllReduce, 4, &[exchange(1), short]),
        Violation::LengthMismatch { sent: 3, expected: 4, .. }
    );
}

#[test]
fn messages_match_by_round_then_lane_then_position() {
    // Round 1 of lane 0 comes after round 0 of lane 1, so the halves arrive crosswise.
    let root = Plan {
        scratch: 0,
        lanes: vec![
            lane(vec![vec![copy(input(0..2), output(0..2))], vec![send(1, input(0..1))]]),
            lane(vec![vec![send(1, input(1..2))]]),
        ],
        ..Plan::default()
    };
    let in_order = plan(vec![vec![receive(0, output(0..1)), receive(0, output(1..2))]]);
    let crosswise = plan(vec![vec![receive(0, output(1..2)), receive(0, output(0..1))]]);
    assert_violation!(
        check(Collective::Broadcast, 2, &[root.clone(), in_order]),
        Violation::WrongResult { rank: 1, element: 0, .. }
    );
    assert_eq!(check(Collective::Broadcast, 2, &[root, crosswise]), Ok(()));
}

#[test]
fn ranks_that_all_send_first_are_stuck() {
    let eager = |peer| {
        plan(vec![vec![send(peer, input(0..1))], vec![receive_reduce(peer, input(0..1), output(0..1))]])
    };
    assert_violation!(
        check(Collective::AllReduce, 1, &[eager(1), eager(0)]),
        Violation::Deadlock { site: Site { rank: 0, round: 0, .. }, peer: 1, peer_round: 0, .. }
    );
}

#[test]
fn a_message_does_not_overtake_an_earlier_one_of_its_pair() {
    // Rank 1 receives the first message of rank 0 only after rank 2 has sent. Rank 2 sends only after the
    // second message of rank 0 has come through rank 1.
    let word = |lane: usize| scratch(lane..lane + 1);
    let zero = side_by_side(vec![vec![send(1, input(0..1))], vec![send(1, input(0..1))]]);
    let one = |second_lane_waits: bool| {
        let mut second = vec![vec![receive(0, word(1))], vec![send(2, word(1))]];
        if !second_lane_waits {
            // Posted first, so the same plans are free of deadlock.
            return Plan {
                scratch: 16,
                lanes: vec![lane(second), lane(vec![vec![receive(2, word(2))], vec![receive(0, word(0))]])],
                ..Plan::default()
            };
        }
        second.insert(0, vec![copy(input(0..1), word(3))]);
        let first = vec![vec![receive(2, word(2))], vec![receive(0, word(0))]];
        Plan { scratch: 16, lanes: vec![lane(first), lane(second)], ..Plan::default() }
    };
    let two = plan(vec![vec![receive(1, word(0))], vec![send(1, word(0))]]);
    assert_violation!(
        check(Collective::AllReduce, 1, &[zero.clone(), one(true), two.clone()]),
        Violation::Deadlock { .. }
    );
    assert_violation!(
        check(Collective::AllReduce, 1, &[zero, one(false), two]),
        Violation::WrongResult { .. }
    );
}

#[test]
fn undefined_memory_is_not_read() {
    assert_violation!(
        alone(vec![copy(scratch(3..4), output(0..1))]),
        Violation::UndefinedRead { buffer: Buffer::Scratch, element: 3, .. }
    );
    let plans = [
        plan(vec![vec![send(1, output(0..1)), receive(1, output(0..1))]]),
        plan(vec![vec![send(0, input(0..1)), receive(0, output(0..1))]]),
    ];
    assert_violation!(
        check(Collective::AllReduce, 1, &plans),
        Violation::UndefinedRead { buffer: Buffer::Output, element: 0, site: Site { rank: 0, .. } }
    );
}

#[test]
fn a_wrong_result_is_explained_in_words() {
    let twice = Step::Reduce { a: input(0..1), b: output(0..1), dst: output(0..1) };
    let violation = alone(vec![twice]).unwrap_err();
    assert_eq!(violation.to_string(), "rank 0: Output element 0 is 2 x 0[0]; defined is 0[0]");
    let missing = [plan(vec![]), plan(vec![])];
    assert_eq!(
        check(Collective::ReduceScatter, 1, &missing).unwrap_err().to_string(),
        "rank 0: Output element 0 is undefined; defined is 0[0] + 1[0]"
    );
}

#[test]
fn all_reduce_must_reduce_in_the_same_order_everywhere() {
    let gather = |rank: u32, order: [usize; 3]| {
        let others: Vec<Rank> = (0..3).filter(|&other| other != rank).collect();
        let slot = |index: usize| scratch(index..index + 1);
        let mut steps = vec![Step::Send { to: others.clone(), span: input(0..1) }];
        steps.extend(others.iter().map(|&from| receive(from, slot(from as usize))));
        let at = |index: usize| if index == rank as usize { input(0..1) } else { slot(index) };
        let sum = vec![
            Step::Reduce { a: at(order[0]), b: at(order[1]), dst: scratch(9..10) },
            Step::Reduce { a: scratch(9..10), b: at(order[2]), dst: output(0..1) },
        ];
        plan(vec![steps, sum])
    };
    let same = [gather(0, [0, 1, 2]), gather(1, [1, 0, 2]), gather(2, [0, 1, 2])];
    assert_eq!(check(Collective::AllReduce, 1, &same), Ok(()), "left and right do not matter");
    let different = [gather(0, [0, 1, 2]), gather(1, [0, 1, 2]), gather(2, [1, 2, 0])];
    assert_eq!(
        check(Collective::AllReduce, 1, &different).unwrap_err().to_string(),
        "Output element 0 is ((0[0] + 1[0]) + 2[0]) on rank 0, but ((1[0] + 2[0]) + 0[0]) on rank 2: \
         the bits may differ"
    );
}

#[test]
fn a_barrier_that_only_neighbours_keep_is_none() {
    let signal = |rank: u32| {
        plan(vec![vec![send((rank + 1) % 3, scratch(0..1)), receive((rank + 2) % 3, scratch(1..2))]])
    };
    let plans = [signal(0), signal(1), signal(2)];
    assert_eq!(check(Collective::Barrier, 0, &plans), Err(Violation::BarrierLeaks { rank: 0, missing: 1 }));
    // A second round of the same signals brings the knowledge of ranks two away.
    let twice = plans.map(|mut plan| {
        let round = plan.lanes[0].rounds[0].clone();
        plan.lanes[0].rounds.push(round);
        plan
    });
    assert_eq!(check(Collective::Barrier, 0, &twice), Ok(()));
}

#[test]
fn every_message_says_where() {
    let violation = pair(vec![send(1, output(0..1))]).unwrap_err();
    assert_eq!(violation.to_string(), "rank 0, lane 0, round 1, step 0: rank 1 has no receive for this send");
}

#[test]
fn a_scan_must_put_lower_ranks_to_the_left() {
    let first = plan(vec![vec![copy(input(0..1), output(0..1)), send(1, input(0..1))]]);
    let second = |left: Span, right: Span| {
        let sum = Step::Reduce { a: left, b: right, dst: output(0..1) };
        plan(vec![vec![receive(0, scratch(0..1))], vec![sum]])
    };
    let in_order = second(scratch(0..1), input(0..1));
    assert_eq!(check(Collective::Scan, 1, &[first.clone(), in_order]), Ok(()));
    let swapped = second(input(0..1), scratch(0..1));
    assert_eq!(
        check(Collective::Scan, 1, &[first, swapped]).unwrap_err().to_string(),
        "rank 1: Output element 0 is (1[0] + 0[0]); defined is the same from left to right"
    );
}
