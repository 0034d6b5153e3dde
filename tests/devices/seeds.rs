//! Calls on memory of a device give the right bytes whatever the delays of the device: many seeds of the
//! driver double, ranks as threads and as processes, with devices and without, every kind of call.
//!
//! `ANYCCL_TEST_SEEDS` sets the number of seeds (8; 500 is a long test).

use std::ptr::{with_exposed_provenance, with_exposed_provenance_mut};
use std::sync::Mutex;
use std::time::Duration;

use crate::common;
use anyccl_engine::base::{Collective, Datatype, ReduceOp};
use anyccl_engine::comm::{CallSpec, Communicator, List, Part};
use anyccl_engine::config::Config;
use anyccl_engine::p2p::{OutgoingMessage, RecvBuffer, Selector};
use common::attempt::{Attempt, Placement};
use common::case::{Case, support_table};
use common::device::{Arena, Stream, Way, call, double};
use common::processes::{self, ProcessJob, RankProcess, join, say, tcp_store};
use common::ranks::{TRANSPORTS, config, on_ranks};
use common::unequal::{COLLECTIVES, Form, UnequalCase, check_on_device};
use common::values::noise;
use common::watchdog::Watchdog;

const ARENA: usize = 4 << 20;
/// Number of calls of each kind for a seed.
const CALLS: usize = 6;

/// Bytes of a piece of a long call, by seed: most calls have none, some have, or nearly all have many.
const PIECES: [usize; 3] = [1 << 20, 5000, 100];

fn seeds() -> u64 {
    std::env::var("ANYCCL_TEST_SEEDS").map_or(8, |seeds| seeds.parse().expect("a number"))
}

/// Device memory and a stream of one rank.
struct Device {
    arena: Arena,
    stream: Stream,
}

impl Device {
    fn new() -> Device {
        Device { arena: Arena::new(ARENA), stream: Stream::new() }
    }
}

/// Calls of all kinds, which the seed chooses. On each rank, each call is made in another way.
fn calls_of_seed(comm: &Communicator, device: &mut Device, seed: u64) {
    let table = support_table();
    for turn in 0..CALLS {
        let chance = noise(seed as u32 + 1, turn);
        let way = Way::ALL[noise(seed as u32 + 1 + comm.rank() * 7919, turn) as usize % 4];
        let (collective, datatype, op) = table[chance as usize % table.len()];
        let count = [1, 9, 700, 9000][(chance >> 32) as usize % 4] / comm.size() as usize + 1;
        let case = Case { collective, datatype, op, root: (chance >> 40) as u32 % comm.size(), count };
        uniform(comm, device, case, Placement::ALL[(chance >> 48) as usize % 2], way);
        let collective = COLLECTIVES[(chance >> 50) as usize % COLLECTIVES.len()];
        let case = UnequalCase { seed, ..UnequalCase::plain(collective, case.root, 300) };
        let way = if way == Way::Host { Way::Stream } else { way };
        let form = Form::ALL[(chance >> 54) as usize % 4];
        check_on_device(comm, &case, form, way, (&mut device.arena, &device.stream));
        device.arena.clear();
    }
    list(comm, device);
    ring(comm, device);
}

fn uniform(comm: &Communicator, device: &mut Device, case: Case, placement: Placement, way: Way) {
    let mut attempt = Attempt::on(comm, case, placement);
    let outcome = match way {
        Way::Host => attempt.run(comm),
        _ => attempt.run_on_device(&mut device.arena, |operation| call(way, comm, &device.stream, operation)),
    };
    outcome.unwrap_or_else(|error| panic!("{case} on rank {}, {way:?}: {error}", comm.rank()));
    attempt.verify();
    device.arena.clear();
}

fn part(buffer: u64, count: usize) -> Part {
    let recv = with_exposed_provenance_mut::<u8>(buffer as usize);
    Part { send: recv.cast_const(), recv, count, datatype: Datatype::Uint8 }
}

/// An all_reduce of three buffers, of which every second rank has one on the host.
fn list(comm: &Communicator, device: &mut Device) {
    comm.set_stream(None);
    let counts = [5, 3000, 40_000];
    let buffers = counts.map(|count| device.arena.take(count));
    for (buffer, count) in buffers.iter().zip(counts) {
        double().write(*buffer, &vec![comm.rank() as u8 + 1; count]);
    }
    let mut on_host = vec![comm.rank() as u8 + 1; counts[1]];
    let mut parts: Vec<Part> =
        buffers.iter().zip(counts).map(|(buffer, count)| part(*buffer, count)).collect();
    let has_host = comm.rank() % 2 == 1;
    if has_host {
        parts[1] = part(on_host.as_mut_ptr().expose_provenance() as u64, counts[1]);
    }
    let list = List { collective: Collective::AllReduce, op: Some(ReduceOp::Sum), root: 0, parts: &parts };
    // SAFETY: the buffers live until the request has ended.
    let outcome = unsafe { comm.start(&list) }.and_then(|mut started| started.wait());
    outcome.unwrap_or_else(|error| panic!("rank {}: {error}", comm.rank()));
    let sum = (comm.size() * (comm.size() + 1) / 2) as u8;
    for (at, (buffer, count)) in buffers.into_iter().zip(counts).enumerate() {
        let bytes =
            if has_host && at == 1 { std::mem::take(&mut on_host) } else { double().read(buffer, count) };
        assert!(bytes.iter().all(|byte| *byte == sum), "buffer {at} on rank {}", comm.rank());
    }
    device.arena.clear();
}

/// A message around a ring, into a longer buffer, whose end stays as it is.
fn ring(comm: &Communicator, device: &mut Device) {
    const SENT: usize = 10_000;
    const ROOM: usize = 12_000;
    comm.set_stream(None);
    let (me, size) = (comm.rank(), comm.size());
    let (next, previous) = ((me + 1) % size, (me + size - 1) % size);
    let (from, to) = (device.arena.take(SENT), device.arena.take(ROOM));
    double().write(from, &[me as u8 + 1; SENT]);
    double().write(to, &[0xee; ROOM]);
    let data = with_exposed_provenance::<u8>(from as usize);
    let (datatype, tag) = (Datatype::Uint8, 5);
    let message =
        OutgoingMessage { to: next, tag, datatype, count: SENT as u64, data, is_synchronous: false };
    let data = with_exposed_provenance_mut::<u8>(to as usize);
    let room = RecvBuffer { data, datatype, count: ROOM as u64, is_lenient: false };
    // SAFETY: the buffers live until the requests have ended.
    let mut receive =
        unsafe { comm.start(CallSpec::Receive(Selector::new(Some(previous), Some(tag)), room)) }.unwrap();
    // SAFETY: as above.
    let mut send = unsafe { comm.start(&message) }.unwrap();
    receive.wait().unwrap();
    send.wait().unwrap();
    let status = receive.status().expect("it was a message");
    assert_eq!((status.source, status.count), (previous, SENT as u64));
    let expected = [vec![previous as u8 + 1; SENT], vec![0xee; ROOM - SENT]].concat();
    assert!(double().read(to, ROOM) == expected, "rank {me}");
    device.arena.clear();
}

#[test]
fn every_seed_gives_the_right_bytes_on_ranks_as_threads() {
    double();
    for seed in 0..seeds() {
        double().set_seed(seed);
        let size = [1, 2, 4, 8][seed as usize % 4];
        let devices: Vec<Mutex<Device>> = (0..size).map(|_| Mutex::new(Device::new())).collect();
        let plain = config(TRANSPORTS[seed as usize / 4 % 2]);
        let config = Config { device_piece_bytes: PIECES[seed as usize % 3], ..plain };
        on_ranks(size, &config, |comm| {
            double();
            calls_of_seed(comm, &mut devices[comm.rank() as usize].lock().unwrap(), seed);
        });
    }
}

#[test]
fn every_seed_gives_the_right_bytes_on_ranks_as_processes() {
    let rounds = seeds().div_ceil(4);
    let _watchdog = Watchdog::new("ranks as processes", Duration::from_secs(60 + 5 * rounds));
    for seed in 0..rounds {
        let size = [1, 2, 4, 8][seed as usize % 4];
        let job = ProcessJob::new(module_path!(), size, "calls", tcp_store())
            .set("CUDA_DOUBLE_SEED", seed)
            .set("ANYCCL_DEVICE_PIECE_BYTES", PIECES[(seed as usize + 1) % 3])
            .set("ANYCCL_TEST_SEED", seed);
        let mut ranks = job.start_all();
        ranks.iter_mut().for_each(|rank| rank.expect("all bytes are right"));
        ranks.into_iter().for_each(RankProcess::end_well);
    }
}

#[test]
#[ignore = "a rank of the tests above, which start it as a process"]
fn a_rank_of_the_tests_in_this_file() {
    let Some(part) = processes::part() else { return };
    assert_eq!(part, "calls");
    let seed = std::env::var("ANYCCL_TEST_SEED").expect("told").parse().expect("a number");
    double();
    let mut device = Device::new();
    let comm = join().expect("a world");
    calls_of_seed(&comm, &mut device, seed);
    comm.finalize().expect("all have ended well");
    say("all bytes are right");
}
