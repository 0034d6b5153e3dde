//! Collectives on memory of a device by the direct path give the oracle's bytes: one rank carries them out
//! for all, ranks as threads and as processes, whatever the delays of the device.
//!
//! `ANYCCL_TEST_SEEDS` sets the number of seeds (8; 500 is a long test).

use std::sync::Mutex;
use std::time::Duration;

use crate::common;
use anyccl_engine::base::{Collective, Datatype, ReduceOp};
use anyccl_engine::comm::{Communicator, DevicePath};
use anyccl_engine::config::{Config, DevicePathChoice};
use common::attempt::{Attempt, Placement};
use common::case::{Case, support_table};
use common::device::{Arena, Stream, Way, call, calls_of_table, check_order_in_stream, double, have_device};
use common::processes::{self, ProcessJob, RankProcess, join, say, tcp_store};
use common::ranks::{TRANSPORTS, config, on_ranks_after};
use common::sample::Coverage;
use common::values::noise;
use common::watchdog::Watchdog;

const ARENA: usize = 8 << 20;

fn seeds() -> u64 {
    std::env::var("ANYCCL_TEST_SEEDS").map_or(8, |seeds| seeds.parse().expect("a number"))
}

fn direct() -> Config {
    Config { device_path: DevicePathChoice::Direct, ..config(TRANSPORTS[0]) }
}

fn on_direct_ranks(size: u32, body: impl Fn(&Communicator) + Sync) {
    on_ranks_after(size, &direct(), have_device, |comm| {
        assert_eq!(comm.device_path(), DevicePath::Direct);
        body(comm);
    });
}

/// Device memory and a stream for each rank.
struct Devices(Vec<Mutex<(Arena, Stream)>>);

impl Devices {
    fn new(size: u32) -> Devices {
        Devices((0..size).map(|_| Mutex::new((Arena::new(ARENA), Stream::new()))).collect())
    }
}

fn check(comm: &Communicator, device: &mut (Arena, Stream), case: Case, placement: Placement, way: Way) {
    let (arena, stream) = device;
    let mut attempt = Attempt::on(comm, case, placement);
    let outcome = attempt.run_on_device(arena, |operation| call(way, comm, stream, operation));
    outcome.unwrap_or_else(|error| panic!("{case} on rank {}, {way:?}: {error}", comm.rank()));
    attempt.verify();
    arena.clear();
}

#[test]
fn every_collective_datatype_and_operator_gives_the_oracles_bytes() {
    double();
    println!("{Coverage}");
    for (layout, size) in [1, 2, 4].into_iter().enumerate() {
        let devices = Devices::new(size);
        on_direct_ranks(size, |comm| {
            let device = &mut devices.0[comm.rank() as usize].lock().unwrap();
            for (case, placement, way) in calls_of_table(3, layout, size) {
                check(comm, device, case, placement, way);
            }
        });
    }
}

/// Calls that the seed chooses. On each rank, each call is made in another way.
fn calls_of_seed(comm: &Communicator, device: &mut (Arena, Stream), seed: u64) {
    let table = support_table();
    for turn in 0..8 {
        let chance = noise(seed as u32 + 1, turn);
        let way = noise(seed as u32 + 1 + comm.rank() * 7919, turn) as usize % 3;
        let (collective, datatype, op) = table[chance as usize % table.len()];
        let count = [1, 9, 700, 9000][(chance >> 32) as usize % 4] / comm.size() as usize + 1;
        let case = Case { collective, datatype, op, root: (chance >> 40) as u32 % comm.size(), count };
        let way = [Way::Blocking, Way::Started, Way::Stream][way];
        check(comm, device, case, Placement::ALL[(chance >> 48) as usize % 2], way);
    }
}

#[test]
fn every_seed_gives_the_right_bytes_on_ranks_as_threads() {
    double();
    for seed in 0..seeds() {
        double().set_seed(seed);
        let size = [1, 2, 4, 8][seed as usize % 4];
        let devices = Devices::new(size);
        on_direct_ranks(size, |comm| {
            calls_of_seed(comm, &mut devices.0[comm.rank() as usize].lock().unwrap(), seed);
        });
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
        let devices = Devices::new(2);
        on_direct_ranks(2, |comm| {
            let device = &mut *devices.0[comm.rank() as usize].lock().unwrap();
            check_order_in_stream(comm, device, seed);
        });
    }
}

#[test]
#[ignore = "a rank of the tests above, which start it as a process"]
fn a_rank_of_the_tests_in_this_file() {
    let Some(part) = processes::part() else { return };
    let seed = std::env::var("ANYCCL_TEST_SEED").expect("told").parse().expect("a number");
    double();
    let mut device = (Arena::new(if part == "pieces" { 96 << 20 } else { ARENA }), Stream::new());
    let comm = join().expect("a world");
    assert_eq!(comm.device_path(), DevicePath::Direct);
    match part.as_str() {
        "calls" => calls_of_seed(&comm, &mut device, seed),
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
