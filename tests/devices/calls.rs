//! Calls on memory of a device give what the same calls give on host memory, with streams and without, among
//! ranks with devices and without.

use std::sync::Mutex;

use crate::common;
use anyccl_engine::algo::ALGORITHMS;
use anyccl_engine::base::{Collective, Datatype, ReduceOp};
use anyccl_engine::comm::Communicator;
use anyccl_engine::config::Config;
use common::attempt::{Attempt, Placement};
use common::case::{Case, support_table};
use common::device::{Arena, Stream, Way, call, calls_of_table, check_order_in_stream, double};
use common::ranks::{TRANSPORTS, config, on_ranks};
use common::sample::Coverage;

const ARENA: usize = 8 << 20;

/// Device memory and a stream for each rank.
struct Devices(Vec<Mutex<(Arena, Stream)>>);

impl Devices {
    fn new(size: u32) -> Devices {
        Devices((0..size).map(|_| Mutex::new((Arena::new(ARENA), Stream::new()))).collect())
    }
}

fn check(comm: &Communicator, devices: &Devices, case: Case, placement: Placement, way: Way) {
    double();
    let (arena, stream) = &mut *devices.0[comm.rank() as usize].lock().unwrap();
    let mut attempt = Attempt::on(comm, case, placement);
    let outcome = match way {
        Way::Host => attempt.run(comm),
        _ => attempt.run_on_device(arena, |operation| call(way, comm, stream, operation)),
    };
    outcome.unwrap_or_else(|error| panic!("{case} on rank {}, {way:?}: {error}", comm.rank()));
    attempt.verify();
    arena.clear();
}

#[test]
fn every_collective_datatype_and_operator_gives_the_oracles_bytes_on_device_memory() {
    double();
    println!("{Coverage}");
    for (layout, size) in [1, 2, 4].into_iter().enumerate() {
        let devices = Devices::new(size);
        on_ranks(size, &config(TRANSPORTS[0]), |comm| {
            for (case, placement, way) in calls_of_table(3, layout, size) {
                check(comm, &devices, case, placement, way);
            }
        });
    }
}

#[test]
fn calls_in_pieces_give_the_oracles_bytes_by_every_algorithm() {
    const COUNT: usize = 5000;
    double();
    for (at, row) in ALGORITHMS.iter().filter(|row| !row.collective.has_layout()).enumerate() {
        let (collective, size) = (row.collective, [4, 3][at % 2]);
        let devices = Devices::new(size);
        let algorithm = Some(format!("{}:{}", collective.name(), row.name));
        let plain = config(TRANSPORTS[at / 2 % 2]);
        let config = Config { device_piece_bytes: 1000, chunk_bytes: 3000, algorithm, ..plain };
        on_ranks(size, &config, |comm| {
            for turn in 0..Way::ALL.len() {
                let op = collective.reduces().then_some([ReduceOp::Sum, ReduceOp::Avg][turn / 2]);
                let count = if collective == Collective::Barrier { 0 } else { COUNT };
                let case = Case { collective, datatype: Datatype::Float32, op, root: 1, count };
                let way = Way::ALL[(comm.rank() as usize + turn + at) % Way::ALL.len()];
                check(comm, &devices, case, Placement::ALL[turn % 2], way);
            }
        });
    }
}

#[test]
fn ranks_with_and_without_a_device_share_a_communicator() {
    double();
    for transport in TRANSPORTS {
        let devices = Devices::new(3);
        on_ranks(3, &config(transport), |comm| {
            for (at, (collective, datatype, op)) in support_table().into_iter().enumerate().step_by(5) {
                let case = Case { collective, datatype, op, root: at as u32 % 3, count: 5 + at };
                let way = [Way::Host, Way::Stream, Way::Blocking][(comm.rank() as usize + at) % 3];
                check(comm, &devices, case, Placement::ALL[at % 2], way);
            }
        });
    }
}

#[test]
fn a_call_on_a_stream_sees_what_came_before_it_and_is_seen_by_what_comes_after() {
    double();
    for seed in 0..20 {
        double().set_seed(seed);
        let devices = Devices::new(2);
        on_ranks(2, &config(TRANSPORTS[0]), |comm| {
            double();
            let device = &mut *devices.0[comm.rank() as usize].lock().unwrap();
            check_order_in_stream(comm, device, seed);
        });
    }
}
