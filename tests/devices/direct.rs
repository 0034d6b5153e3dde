//! Collectives on memory of a device by the direct path give the oracle's bytes: one rank carries them out
//! for all, ranks as threads and as processes, whatever the delays of the device.
//!
//! `ANYCCL_TEST_SEEDS` sets the number of seeds (8; 500 is a long test).

use std::time::Duration;

use crate::common;
use anyccl_engine::base::{Collective, Datatype, ReduceOp};
use common::attempt::Placement;
use common::case::Case;
use common::device::{Arena, Stream, Way, calls_of_table, check_order_in_stream, double};
use common::direct_ranks::{calls_of_seed, check, join_direct, on_direct_ranks};
use common::processes::{self, ProcessJob, RankProcess, say, tcp_store};
use common::sample::Coverage;
use common::watchdog::Watchdog;

const ARENA: usize = 8 << 20;
/// Calls of one seed.
const TURNS: usize = 8;

fn seeds() -> u64 {
    std::env::var("ANYCCL_TEST_SEEDS").map_or(8, |seeds| seeds.parse().expect("a number"))
}

#[test]
fn every_collective_datatype_and_operator_gives_the_oracles_bytes() {
    double();
    println!("{Coverage}");
    for (layout, size) in [1, 2, 4].into_iter().enumerate() {
        on_direct_ranks(size, ARENA, |comm, device| {
            for (case, placement, way) in calls_of_table(3, layout, size) {
                check(comm, device, case, placement, way);
            }
        });
    }
}

#[test]
fn every_seed_gives_the_right_bytes_on_ranks_as_threads() {
    double();
    for seed in 0..seeds() {
        double().set_seed(seed);
        let size = [1, 2, 4, 8][seed as usize % 4];
        on_direct_ranks(size, ARENA, |comm, device| calls_of_seed(comm, device, seed, TURNS));
    }
}

#[test]
fn every_seed_gives_the_right_bytes_on_ranks_as_processes() {
    let rounds = seeds().div_ceil(4);
    let _watchdog = Watchdog::new("ranks as processes", Duration::from_secs(60 + 5 * rounds));
    for seed in 0..rounds {
        start_ranks([2, 4, 8][seed as usize % 3], "calls", seed, 1);
    }
}

#[test]
fn ranks_on_several_devices_give_the_right_bytes() {
    if double().is_real() && double().device_count() < 2 {
        eprintln!("left out: there is one GPU");
        return;
    }
    let _watchdog = Watchdog::new("ranks as processes", Duration::from_secs(60));
    start_ranks(4, "calls", 1, 2);
}

#[test]
fn a_call_longer_than_a_slot_goes_in_pieces() {
    let _watchdog = Watchdog::new("ranks as processes", Duration::from_secs(120));
    start_ranks(2, "pieces", 3, 1);
}

/// Runs a part of a test's module on ranks with the direct path, until each has said `end`. `of`: number of
/// ranks and of devices.
pub fn run_on_direct_path(module: &str, of: (u32, u32), part: &'static str, seed: u64, end: &str) {
    let job = ProcessJob::new(module, of.0, part, tcp_store())
        .set("CUDA_DOUBLE_SEED", seed)
        .set("CUDA_DOUBLE_DEVICES", of.1)
        .set("ANYCCL_TEST_DEVICES", of.1)
        .set("ANYCCL_DEVICE_WAY", "direct")
        .set("ANYCCL_TEST_SEED", seed);
    let mut ranks = job.start_all();
    ranks.iter_mut().for_each(|rank| rank.expect(end));
    ranks.into_iter().for_each(RankProcess::end_well);
}

fn start_ranks(size: u32, part: &'static str, seed: u64, devices: u32) {
    run_on_direct_path(module_path!(), (size, devices), part, seed, "all bytes are right");
}

#[test]
fn calls_on_a_stream_follow_each_other_without_the_host() {
    double();
    for seed in 0..20 {
        double().set_seed(seed);
        on_direct_ranks(2, ARENA, |comm, device| check_order_in_stream(comm, device, seed));
    }
}

#[test]
#[ignore = "a rank of the tests above, which start it as a process"]
fn a_rank_of_the_tests_in_this_file() {
    let Some(part) = processes::part() else { return };
    let seed = std::env::var("ANYCCL_TEST_SEED").expect("told").parse().expect("a number");
    let mut device = (Arena::new(if part == "pieces" { 96 << 20 } else { ARENA }), Stream::new());
    let comm = join_direct();
    match part.as_str() {
        "calls" => calls_of_seed(&comm, &mut device, seed, TURNS),
        _ => {
            // Wide elements: fewer of them to compare.
            let (complex, sum) = (Datatype::Complex128, Some(ReduceOp::Sum));
            for (collective, op) in [
                (Collective::AllReduce, sum),
                (Collective::AllGather, None),
                (Collective::ReduceScatter, sum),
                (Collective::AllToAll, None),
            ] {
                let case = Case { collective, datatype: complex, op, root: 0, count: 1_250_000 };
                for way in [Way::Stream, Way::Started] {
                    check(&comm, &mut device, case, Placement::ALL[1], way);
                }
            }
        }
    }
    comm.finalize().expect("all have ended well");
    say("all bytes are right");
}
