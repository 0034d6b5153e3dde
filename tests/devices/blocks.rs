//! Collectives whose blocks differ in length, by the direct path: the oracle's bytes in every form, ranks as
//! threads and as processes, with blocks longer than a slot and ranks without any. Ranks that disagree about
//! a length both learn of it, and their streams drain.
//!
//! `ANYCCL_TEST_SEEDS` sets the number of seeds (8; 100 is a long test).

use std::ptr::with_exposed_provenance;
use std::time::Duration;

use crate::common;
use anyccl_engine::base::{Collective, Datatype, Error, Rank, ReduceOp, Result};
use anyccl_engine::comm::{Communicator, Places, Unequal};
use anyccl_engine::observe::log;
use anyccl_engine::plan::{Block, BlockLayout};
use common::device::{Arena, Stream, Way, double, have_device};
use common::direct_ranks::{RankDevice, devices, direct, join_direct, on_direct_ranks};
use common::processes::{self, say};
use common::ranks::on_failing_ranks_after;
use common::unequal::{COLLECTIVES, Form, UnequalCase, attempt_on_device, check_on_device};
use common::watchdog::Watchdog;

const ARENA: usize = 8 << 20;
/// Room for blocks that are longer than a slot of the bounce buffer.
const LONG_ARENA: usize = 160 << 20;
/// The collectives of which a rank knows only its own lengths.
const PRIVATE: [Collective; 3] = [Collective::GatherV, Collective::ScatterV, Collective::AllToAllV];

fn seeds() -> u64 {
    std::env::var("ANYCCL_TEST_SEEDS").map_or(8, |seeds| seeds.parse().expect("a number"))
}

/// A call by the direct path.
fn check(comm: &Communicator, device: &mut RankDevice, case: UnequalCase, form: Form, way: Way) {
    let buffers_of_calls = || {
        let (in_place, moved) = comm.direct_buffers();
        in_place + moved
    };
    let before = buffers_of_calls();
    check_on_device(comm, &case, form, way, (&mut device.0, &device.1));
    comm.set_stream(None);
    let (size, rank) = (comm.size(), comm.rank());
    let has_block = |from: Rank, to: Rank| {
        let is_used = match case.collective {
            Collective::GatherV => to == case.root,
            Collective::ScatterV => from == case.root,
            _ => true,
        };
        is_used && case.len(from, to, form) > 0
    };
    let has_blocks = (0..size).any(|peer| has_block(rank, peer) || has_block(peer, rank));
    assert_eq!(buffers_of_calls() > before, has_blocks, "{case:?} {form:?} {way:?}");
    device.0.clear();
}

/// Calls in every form. On each rank, each is made in another way.
fn calls(comm: &Communicator, device: &mut RankDevice, seed: u64) {
    for (number, collective) in COLLECTIVES.into_iter().enumerate() {
        for (turn, form) in Form::ALL.into_iter().enumerate() {
            let way = [Way::Blocking, Way::Started, Way::Stream][(number + turn + comm.rank() as usize) % 3];
            let op = if turn % 2 == 0 { ReduceOp::Sum } else { ReduceOp::Max };
            let plain = UnequalCase::plain(collective, turn as u32 % comm.size(), 3000);
            let seed = 16 * seed + turn as u64;
            check(comm, device, UnequalCase { seed, op: plain.op.and(Some(op)), ..plain }, form, way);
        }
    }
}

/// Calls in which a rank has no element, and gives no address or one of the device.
fn calls_with_a_silent_rank(comm: &Communicator, device: &mut RankDevice) {
    for silent in 0..comm.size() {
        for collective in COLLECTIVES {
            for (form, way) in [(Form::Lists, Way::Stream), (Form::Packed, Way::Blocking)] {
                let plain = UnequalCase::plain(collective, 0, 500);
                let case = UnequalCase { silent: Some(silent), seed: silent.into(), ..plain };
                check(comm, device, case, form, way);
            }
        }
    }
}

#[test]
fn blocks_of_different_lengths_give_the_oracles_bytes() {
    for seed in 0..seeds() {
        double().set_seed(seed);
        let size = [1, 2, 4, 3][seed as usize % 4];
        on_direct_ranks(size, ARENA, |comm, device| calls(comm, device, seed));
    }
}

#[test]
fn blocks_of_different_lengths_give_the_right_bytes_on_ranks_as_processes() {
    let _watchdog = Watchdog::new("ranks as processes", Duration::from_secs(120 + 6 * seeds()));
    start_ranks(1, "calls", 0, 1);
    for seed in 0..seeds().div_ceil(4) {
        start_ranks(2, "calls", seed, 1);
        start_ranks(3, "calls", seed + 1, 1);
        start_ranks(4, "calls", seed + 2, 2);
    }
}

#[test]
fn a_rank_without_elements_takes_part() {
    for size in [2, 3, 4] {
        on_direct_ranks(size, ARENA, calls_with_a_silent_rank);
    }
    let _watchdog = Watchdog::new("ranks as processes", Duration::from_secs(60));
    start_ranks(3, "silent", 1, 1);
}

#[test]
fn blocks_longer_than_a_slot_go_in_pieces_until_the_leader_sees_the_end() {
    let _watchdog = Watchdog::new("ranks as processes", Duration::from_secs(200));
    start_ranks(2, "long", 1, 1);
}

fn start_ranks(size: u32, part: &'static str, seed: u64, devices: u32) {
    crate::direct::run_on_direct_path(module_path!(), (size, devices), part, seed, "all is right");
}

/// An exchange of bytes: block k of each side begins at byte `offsets[k]`, and has `lens[k]` bytes.
fn exchange(
    comm: &Communicator,
    (send, recv): (u64, u64),
    lens: [&[usize]; 2],
    offset: impl Fn(usize) -> usize,
) -> Result<()> {
    let blocks = |lens: &[usize]| -> Vec<Block> {
        let block = |(at, len): (usize, &usize)| Block { offset: offset(at), len: *len };
        lens.iter().enumerate().map(block).collect()
    };
    let (input, output) = (blocks(lens[0]), blocks(lens[1]));
    let recv = std::ptr::with_exposed_provenance_mut(recv as usize);
    let places = Places::Buffers { send: with_exposed_provenance(send as usize), recv };
    let layout = BlockLayout { input: &input, output: &output, ..BlockLayout::NONE };
    let (collective, datatype) = (Collective::AllToAllV, Datatype::Uint8);
    let call = Unequal { collective, datatype, op: None, root: 0, layout, places };
    // SAFETY: the buffers of these tests live until the call has ended.
    unsafe { comm.run(&call) }
}

/// Bytes of the block that `from` sends to `to`.
fn len(from: usize, to: usize) -> usize {
    1000 * from + 77 * to
}

/// Lengths of both sides of a rank.
fn lens(rank: usize, size: usize) -> [Vec<usize>; 2] {
    [(0..size).map(|to| len(rank, to)).collect(), (0..size).map(|from| len(from, rank)).collect()]
}

#[test]
fn pinned_memory_takes_part_and_ordinary_memory_does_not() {
    const STEP: usize = 10_000;
    on_direct_ranks(3, ARENA, |comm, (arena, _)| {
        let (rank, size) = (comm.rank() as usize, comm.size() as usize);
        let pinned = double().pinned(size * STEP);
        pinned.fill(rank as u8 + 1);
        let recv = arena.take(size * STEP);
        let [sent, received] = lens(rank, size);
        let before = comm.direct_buffers();
        let send = pinned.as_ptr().expose_provenance() as u64;
        exchange(comm, (send, recv), [&sent, &received], |at| at * STEP).unwrap();
        assert!(comm.direct_buffers().1 > before.1, "the pinned buffer is copied");
        let result = double().read(recv, size * STEP);
        for (from, len) in received.iter().enumerate() {
            assert!(result[from * STEP..][..*len].iter().all(|byte| *byte == from as u8 + 1), "rank {rank}");
        }
        let mut ordinary = vec![0u8; size * STEP];
        let start = ordinary.as_mut_ptr().expose_provenance() as u64;
        let error = exchange(comm, (start, recv), [&sent, &received], |at| at * STEP).unwrap_err();
        assert!(error.to_string().contains("one in ordinary host memory"), "{error}");
        arena.clear();
    });
}

#[test]
fn calls_on_two_streams_follow_each_other_without_the_host() {
    const STEP: usize = 4000;
    for seed in 0..20 {
        double().set_seed(seed);
        let size = 2 + seed as u32 % 2;
        let others: Vec<Stream> = (0..size).map(|_| Stream::new()).collect();
        on_direct_ranks(size, ARENA, |comm, (arena, stream)| {
            let (rank, size) = (comm.rank() as usize, comm.size() as usize);
            let streams = [&*stream, &others[rank]];
            let [sent, received] = lens(rank, size);
            let buffers: Vec<(u64, u64)> =
                (0..6).map(|_| (arena.take(size * STEP), arena.take(size * STEP))).collect();
            for (turn, (send, recv)) in buffers.iter().enumerate() {
                let stream = streams[turn % 2];
                comm.set_stream(Some(stream.handle()));
                double().fill(*send, (8 * turn + rank) as u8, size * STEP, stream);
                exchange(comm, (*send, *recv), [&sent, &received], |at| at * STEP).unwrap();
                // What follows in the stream must not come before the call.
                double().fill(*send, 0xff, size * STEP, stream);
            }
            streams.iter().for_each(|stream| stream.synchronize());
            for (turn, (_, recv)) in buffers.iter().enumerate() {
                let result = double().read(*recv, size * STEP);
                for (from, len) in received.iter().enumerate() {
                    let byte = (8 * turn + from) as u8;
                    assert!(result[from * STEP..][..*len].iter().all(|found| *found == byte), "turn {turn}");
                }
            }
            comm.set_stream(None);
            arena.clear();
        });
    }
}

/// A call in which the last rank passes a wrong length for its block for rank 0, or from it. Returns its
/// error, and checks that it names both ranks.
fn check_disagreement(comm: &Communicator, device: &mut RankDevice, collective: Collective, is_gone: bool) {
    let (last, plain) = (comm.size() - 1, UnequalCase::plain(collective, 0, 4000));
    let (from, to) = if collective == Collective::ScatterV { (0, last) } else { (last, 0) };
    let with_block = |seed: &u64| UnequalCase { seed: *seed, ..plain }.len(from, to, Form::Packed) > 1;
    let seed = (0..).find(with_block).expect("some seed gives them a block");
    let lie = |index: Rank, len: usize| match comm.rank() == last && index == 0 {
        true if is_gone => 0,
        true => len - 1,
        false => len,
    };
    let case = UnequalCase { seed, ..plain };
    let (arena, stream) = device;
    let way = if comm.rank() == 0 { Way::Blocking } else { Way::Started };
    let outcome = attempt_on_device(comm, &case, Form::Packed, way, (arena, stream), lie);
    let error = outcome.expect_err("the ranks disagree");
    let (who, text) =
        (format!("{collective:?} on rank {} of {}", comm.rank(), comm.size()), error.to_string());
    assert!(matches!(error, Error::Mismatch(_)), "{who}: {error:?}");
    assert_eq!(text.matches("a block of").count(), 2, "{who}: {text}");
    assert!(text.contains(&format!("rank {last} called")) && text.contains("rank 0 called"), "{who}: {text}");
}

#[test]
fn a_block_of_another_length_is_an_error_on_all_ranks_that_names_both_sides() {
    log::set_level(log::Level::Off);
    for size in [2, 3, 4] {
        for (collective, is_gone) in PRIVATE.into_iter().flat_map(|each| [(each, false), (each, true)]) {
            let devices = devices(size, ARENA);
            on_failing_ranks_after(size, &direct(), have_device, |comm| {
                let comm = comm.shared();
                let device = &mut devices[comm.rank() as usize].lock().unwrap();
                check_disagreement(&comm, device, collective, is_gone);
                device.1.synchronize();
            });
        }
    }
    let _watchdog = Watchdog::new("ranks as processes", Duration::from_secs(100));
    for part in ["disagree gather", "disagree scatter", "disagree exchange"] {
        start_ranks(3, part, 1, 1);
    }
}

#[test]
fn different_calls_are_named_on_every_rank() {
    log::set_level(log::Level::Off);
    for odd in [Collective::GatherV, Collective::ScatterV, Collective::AllGatherV, Collective::ReduceScatterV]
    {
        let devices = devices(3, ARENA);
        on_failing_ranks_after(3, &direct(), have_device, |comm| {
            let comm = comm.shared();
            let (arena, stream) = &mut *devices[comm.rank() as usize].lock().unwrap();
            let collective = if comm.rank() == 1 { odd } else { Collective::AllToAllV };
            let case = UnequalCase { seed: 1, ..UnequalCase::plain(collective, 0, 40) };
            let way = Way::Blocking;
            let outcome = attempt_on_device(&comm, &case, Form::Packed, way, (arena, stream), |_, len| len);
            let text = outcome.expect_err("the calls differ").to_string();
            assert!(text.contains("all_to_all_v on devices") && text.contains(odd.name()), "{text}");
            stream.synchronize();
        });
    }
}

/// Calls with blocks of several slots, and with next to nothing. Buffers are mapped after some calls, and
/// then the calls go as a whole, unless they are in place or lists.
fn long_calls(comm: &Communicator, device: &mut RankDevice) {
    // Wide elements: fewer of them to compare.
    let datatype = Datatype::Complex128;
    for collective in COLLECTIVES {
        let plain = UnequalCase { datatype, ..UnequalCase::plain(collective, 1, 1_250_000) };
        // A seed with which one block has more than fits into a slot, and the other one less.
        let blocks = |seed| {
            let case = UnequalCase { seed, ..plain };
            match collective {
                Collective::AllGatherV | Collective::GatherV => [(0, 1), (1, 1)],
                _ => [(1, 0), (1, 1)],
            }
            .map(|(from, to)| case.len(from, to, Form::Packed))
        };
        let seed = (0..).find(|seed| blocks(*seed)[0] > 600_000 && blocks(*seed)[1] < 300_000);
        let case = UnequalCase { seed: seed.expect("one of many"), ..plain };
        for form in Form::ALL {
            check(comm, device, case, form, Way::Stream);
        }
    }
}

#[test]
#[ignore = "a rank of the tests above, which start it as a process"]
fn a_rank_of_the_tests_in_this_file() {
    let Some(part) = processes::part() else { return };
    let seed: u64 = std::env::var("ANYCCL_TEST_SEED").expect("the test sets it").parse().expect("a number");
    let mut device = (Arena::new(if part == "long" { LONG_ARENA } else { ARENA }), Stream::new());
    let comm = join_direct();
    match part.as_str() {
        // Buffers that were used before may be mapped by then.
        "calls" => (0..3).for_each(|turn| calls(&comm, &mut device, seed + turn)),
        "silent" => calls_with_a_silent_rank(&comm, &mut device),
        "long" => long_calls(&comm, &mut device),
        "disagree gather" => check_disagreement(&comm, &mut device, Collective::GatherV, false),
        "disagree scatter" => check_disagreement(&comm, &mut device, Collective::ScatterV, true),
        "disagree exchange" => check_disagreement(&comm, &mut device, Collective::AllToAllV, false),
        other => panic!("no part {other}"),
    }
    device.1.synchronize();
    let ended = comm.finalize();
    assert_eq!(ended.is_ok(), !part.starts_with("disagree"));
    say("all is right");
}
