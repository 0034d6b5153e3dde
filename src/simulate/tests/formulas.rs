//! Tests of times that can be computed by hand.

use super::*;
use crate::algo;

/// Bytes per second.
const B: f64 = 3e9;

/// A model in which only bytes cost anything, through the ports of the ranks.
fn ports_only() -> Model {
    let link = LinkCosts { byte: 1.0 / B, ..LinkCosts::FREE };
    Model { within: link, between: link, ..Model::FREE }
}

fn run(name: &str, request: &PlanRequest, model: &Model) -> Prediction {
    let algorithm = algo::find(request.collective, name).unwrap();
    simulate(algorithm, request, model, &Limits::default()).unwrap()
}

#[test]
fn a_pipelined_chain_takes_as_many_segment_times_as_segments_and_links_after_the_first() {
    for ranks in [2, 3, 5, 16, 100] {
        for segments in [1, 2, 7, 64] {
            let topology = Topology::one_host(ranks);
            let base = request(Collective::Broadcast, &topology, 64 * 7 * 1000);
            let n = (base.count * base.element_bytes) as f64;
            let request = PlanRequest { chunk_bytes: base.count * 4 / segments, ..base };
            let (k, s) = (f64::from(ranks), segments as f64);
            let outcome = run("chain", &request, &ports_only());
            let expected = n * (s + k - 2.0) / (s * B);
            assert!(close(outcome.seconds, expected), "{ranks} {segments}: {} {expected}", outcome.seconds);
            assert_eq!(outcome.traffic.within_bytes, (n * (k - 1.0)) as u64);
        }
    }
}

#[test]
fn a_ring_moves_the_least_bytes_and_takes_their_time() {
    for ranks in [2, 3, 4, 7, 8, 33, 300] {
        let topology = Topology::one_host(ranks);
        let request = request(Collective::AllReduce, &topology, ranks as usize * 1000);
        let (k, n) = (f64::from(ranks), (request.count * request.element_bytes) as f64);
        let outcome = run("ring", &request, &ports_only());
        let bytes = 2.0 * (k - 1.0) / k * n;
        assert_eq!(outcome.traffic.rank_sends, bytes.round() as u64, "{ranks} ranks");
        assert_eq!(outcome.traffic.rank_receives, bytes.round() as u64, "{ranks} ranks");
        assert!(close(outcome.seconds, bytes / B), "{ranks} ranks: {} {}", outcome.seconds, bytes / B);
    }
}

#[test]
fn latency_counts_once_per_round_of_a_ring_and_once_per_link_of_a_chain() {
    let topology = Topology::one_host(6);
    let mut model = ports_only();
    model.within.latency = 5e-6;
    let all_reduce = request(Collective::AllReduce, &topology, 6000);
    let bytes = 2.0 * 5.0 / 6.0 * 24000.0;
    assert!(close(run("ring", &all_reduce, &model).seconds, 10.0 * 5e-6 + bytes / B));
    let chain = PlanRequest { chunk_bytes: 4000, ..request(Collective::Broadcast, &topology, 10_000) };
    let expected = 5.0 * 5e-6 + 40000.0 * (10.0 + 6.0 - 2.0) / (10.0 * B);
    assert!(close(run("chain", &chain, &model).seconds, expected));
}

#[test]
fn a_binomial_tree_takes_one_message_per_level() {
    let mut model = ports_only();
    model.within.latency = 2e-6;
    for levels in 1..8 {
        let topology = Topology::one_host(1 << levels);
        let request = request(Collective::Broadcast, &topology, 1000);
        let expected = f64::from(levels) * (2e-6 + 4000.0 / B);
        assert!(close(run("binomial", &request, &model).seconds, expected), "{levels} levels");
    }
}

#[test]
fn rabenseifner_takes_the_bytes_of_a_ring_in_logarithmically_many_rounds() {
    let mut model = ports_only();
    model.within.latency = 2e-6;
    model.reduce_byte = 3.0 / B;
    for levels in 1..8u32 {
        let topology = Topology::one_host(1 << levels);
        let request = request(Collective::AllReduce, &topology, 128 * 1000);
        let (p, n) = (f64::from(1 << levels), 512_000.0);
        // Reduction is the slower half of the first phase and hides the transfer.
        let expected = 2.0 * f64::from(levels) * 2e-6 + (p - 1.0) / p * n * (3.0 / B + 1.0 / B);
        let seconds = run("rabenseifner", &request, &model).seconds;
        assert!(close(seconds, expected), "{levels} levels: {seconds} {expected}");
    }
}

#[test]
fn a_core_sends_receives_and_reduces_one_after_the_other() {
    let topology = cluster(2, 1);
    let request = request(Collective::AllReduce, &topology, 1000);
    let mut model = ports_only();
    model.between.core_byte = 2.0 / B;
    model.reduce_byte = 5.0 / B;
    // Two ranks exchange 4000 bytes: each core sends, receives and reduces them; ports idle meanwhile.
    let expected = 4000.0 * (2.0 + 2.0 + 5.0) / B;
    assert!(close(run("one_shot", &request, &model).seconds, expected));
}

#[test]
fn measured_messages_take_what_was_measured_alone_and_when_two_meet() {
    let curve = |us| Curve::new(&[(4000, us)]).unwrap();
    let link = LinkCosts { one_way: curve(10.0), exchange: curve(16.0), ..LinkCosts::FREE };
    let model = Model { within: link, reduce: curve(3.0), ..Model::FREE };
    let topology = Topology::one_host(2);
    for (collective, name, eager_bytes, us) in [
        (Collective::Broadcast, "one_shot", 0, 10.0),
        (Collective::Broadcast, "one_shot", u64::MAX, 10.0),
        (Collective::AllGather, "ring", 0, 16.0),
        (Collective::AllGather, "ring", u64::MAX, 16.0),
        (Collective::AllReduce, "one_shot", 0, 19.0),
    ] {
        let model = Model { within: LinkCosts { eager_bytes, ..link }, ..model };
        let outcome = run(name, &request(collective, &topology, 1000), &model);
        assert!(close(outcome.seconds, us * 1e-6), "{name} {eager_bytes}: {}", outcome.seconds);
    }
}

#[test]
fn ranks_of_a_host_share_its_interface_in_each_direction() {
    let model = Model { nic_byte: 1.0 / B, ..Model::FREE };
    for ranks in [1, 2, 8] {
        let topology = cluster(2, ranks);
        let blocks = request(Collective::AllToAll, &topology, 1000);
        // Each rank of a host sends a block to each rank of the other.
        let crossing = 4000.0 * f64::from(ranks * ranks);
        let outcome = run("spread", &blocks, &model);
        assert!(close(outcome.seconds, crossing / B), "{ranks}: {} {}", outcome.seconds, crossing / B);
        assert_eq!(outcome.traffic.host_sends, crossing as u64);
        assert_eq!(outcome.traffic.host_receives, crossing as u64);
        assert_eq!(outcome.traffic.between_bytes, 2 * crossing as u64);
    }
}

#[test]
fn a_core_works_on_each_message_that_it_sends_or_receives() {
    let link = LinkCosts { message: 1e-6, ..LinkCosts::FREE };
    let model = Model { within: link, ..Model::FREE };
    for ranks in [2, 3, 9] {
        let topology = Topology::one_host(ranks);
        let outcome = run("spread", &request(Collective::AllToAll, &topology, 1), &model);
        let peers = f64::from(ranks - 1);
        assert!(close(outcome.seconds, 2.0 * peers * 1e-6), "{ranks}: {}", outcome.seconds);
    }
}

#[test]
fn the_work_of_many_one_after_the_other_is_scheduled_on_one_core() {
    let topology = Topology::one_host(5);
    let mut model = ports_only();
    model.reduce_byte = 1.0 / B;
    // Four contributions arrive at once through one port; then four reductions.
    let outcome = run("one_shot", &request(Collective::Reduce, &topology, 1000), &model);
    assert!(close(outcome.seconds, 2.0 * 4.0 * 4000.0 / B), "{}", outcome.seconds);
}
