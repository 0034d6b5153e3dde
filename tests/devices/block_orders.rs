//! Collectives whose blocks differ in length, by the direct path, without one of the orders that they rely
//! on: the driver double ignores the ordering calls of one function in turn, on one rank, and the ranks must
//! not get the right bytes. All ranks end, also the one whose stream never says that it has come to the call.

use std::time::Duration;

use crate::common;
use anyccl_engine::base::{Collective, Datatype};
use anyccl_engine::comm::{Communicator, Places, Unequal};
use anyccl_engine::plan::{Block, BlockLayout};
use common::device::{Arena, Stream, double};
use common::direct_ranks::join_direct;
use common::processes::{self, ProcessJob, first_silence, say, tcp_store};
use common::watchdog::Watchdog;

const ARENA: usize = 8 << 20;
/// Distance of blocks, which are shorter.
const STEP: usize = 150_000;
const SIZE: usize = 2;
/// Bytes of the blocks of one side, with the gaps between them.
const SIDE: usize = SIZE * STEP;
/// Rounds after the first, which has all orders.
pub const ROUNDS: u8 = 5;
/// Content of what no rank writes.
const UNTOUCHED: u8 = 0xc3;
/// Number of seeds within which a missing order must do harm.
const SEEDS: u64 = 60;
/// Number of seeds that give the right bytes with all orders.
const RIGHT_SEEDS: u64 = 4;

/// Missing orders: the call, the ordering calls that are ignored, and the rank.
const MISSING: [(&str, &str, u32); 16] = [
    // The streams of the program go on too early.
    ("gather_v", "cuStreamWaitValue32", 0),
    ("gather_v", "cuStreamWaitValue32", 1),
    ("scatter_v", "cuStreamWaitValue32", 0),
    ("scatter_v", "cuStreamWaitValue32", 1),
    ("all_to_all_v", "cuStreamWaitValue32", 0),
    ("all_to_all_v", "cuStreamWaitValue32", 1),
    ("all_to_all_list", "cuStreamWaitValue32", 0),
    ("all_to_all_list", "cuStreamWaitValue32", 1),
    // The stream of the program has come to the call, and then that of the library.
    ("all_to_all_v", "cuStreamWriteValue32:0/2", 1),
    ("all_to_all_v", "cuStreamWriteValue32:1/2", 1),
    // The same on the leader, and then its kernels have run.
    ("all_to_all_v", "cuStreamWriteValue32:0/3", 0),
    ("all_to_all_v", "cuStreamWriteValue32:1/3", 0),
    ("all_to_all_v", "cuStreamWriteValue32:2/3", 0),
    // The blocks are back from the bounce buffer.
    ("scatter_v", "cuEventRecord", 1),
    ("all_to_all_v", "cuEventRecord", 1),
    ("all_to_all_list", "cuEventRecord", 1),
];

/// The first seed with which ranks do not get the right bytes.
fn first_harm(call: &'static str, ignored: &str, rank: u32) -> Option<u64> {
    let (seeds, limit_s) = if ignored.is_empty() { (RIGHT_SEEDS, 50) } else { (SEEDS, 2) };
    let job = ProcessJob::new(module_path!(), SIZE as u32, call, tcp_store())
        .set("ANYCCL_DEVICE_WAY", "direct")
        .set("ANYCCL_DEVICE_MAP", "off")
        .set("ANYCCL_TEST_IGNORED", ignored)
        .set("ANYCCL_TEST_IGNORING", rank)
        .deadline(Duration::from_secs(limit_s));
    first_silence(seeds, |seed| job.clone().set("CUDA_DOUBLE_SEED", seed).start_all())
}

#[test]
fn without_the_orders_of_calls_with_blocks_some_seed_gives_wrong_bytes() {
    if double().leaves_out("orders that can be removed") {
        return;
    }
    let _watchdog = Watchdog::new("ranks as processes", Duration::from_secs(500));
    for (call, ignored, rank) in MISSING {
        let seed = first_harm(call, ignored, rank);
        println!("{call}, {ignored} of rank {rank}: seed {seed:?}");
        assert!(seed.is_some(), "{call}, {ignored} of rank {rank}: no seed has shown it");
    }
    for call in ["gather_v", "scatter_v", "all_to_all_v", "all_to_all_list"] {
        assert_eq!(first_harm(call, "", 0), None, "{call}");
    }
}

fn block(at: usize, from: usize, to: usize) -> Block {
    Block { offset: at * STEP, len: 90_000 * from + 7000 * to + 40_001 }
}

/// The blocks of a rank that it sends, and those that it receives, each with its sender.
fn blocks(collective: Collective, rank: usize) -> (Vec<Block>, Vec<(usize, Block)>) {
    let is_root = rank == 0;
    match collective {
        Collective::GatherV => {
            let received = (0..SIZE).map(|from| (from, block(from, from, 0)));
            (vec![block(0, rank, 0)], received.filter(|_| is_root).collect())
        }
        Collective::ScatterV => {
            let sent = (0..SIZE).map(|to| block(to, 0, to));
            (sent.filter(|_| is_root).collect(), vec![(0, block(0, 0, rank))])
        }
        _ => {
            let sent = (0..SIZE).map(|to| block(to, rank, to)).collect();
            (sent, (0..SIZE).map(|from| (from, block(from, from, rank))).collect())
        }
    }
}

/// Runs rounds of calls on a stream, the first with all orders, and the others without the one that the
/// variables name, if this is the rank.
pub fn run_without_an_order(comm: &Communicator, stream: &Stream, round: impl Fn(u8)) {
    comm.set_stream(Some(stream.handle()));
    // How streams wait is measured before an order is missing.
    round(0);
    stream.synchronize();
    if comm.rank().to_string() == std::env::var("ANYCCL_TEST_IGNORING").unwrap_or_default() {
        double().set_faults("", &std::env::var("ANYCCL_TEST_IGNORED").unwrap_or_default());
    }
    (1..=ROUNDS).for_each(round);
    stream.synchronize();
    double().set_faults("", "");
    assert_eq!(comm.failure().map(|error| error.to_string()), None);
}

/// Calls in a stream, between a fill of the input and a copy of the output. The host does not wait.
fn calls(comm: &Communicator, part: &str, (arena, stream): &mut (Arena, Stream)) {
    let collective = match part {
        "gather_v" => Collective::GatherV,
        "scatter_v" => Collective::ScatterV,
        _ => Collective::AllToAllV,
    };
    let (input, received) = blocks(collective, comm.rank() as usize);
    let output: Vec<Block> = received.iter().map(|(_, block)| *block).collect();
    let (send, recv, results) =
        (arena.take(SIDE), arena.take(SIDE), arena.take((ROUNDS as usize + 1) * SIDE));
    let from = std::ptr::with_exposed_provenance::<u8>(send as usize);
    let to = std::ptr::with_exposed_provenance_mut::<u8>(recv as usize);
    let sends: Vec<*const u8> = input.iter().map(|block| from.wrapping_add(block.offset)).collect();
    let recvs: Vec<*mut u8> = output.iter().map(|block| to.wrapping_add(block.offset)).collect();
    let places = match part {
        "all_to_all_list" => Places::Lists { sends: &sends, recvs: &recvs },
        _ => Places::Buffers { send: from, recv: to },
    };
    let layout = BlockLayout { input: &input, output: &output, ..BlockLayout::NONE };
    let call = Unequal { collective, datatype: Datatype::Uint8, op: None, root: 0, layout, places };
    let result = |round: u8| results + u64::from(round) * SIDE as u64;
    let round = |round: u8| {
        double().fill(send, 1 + SIZE as u8 * round + comm.rank() as u8, SIDE, stream);
        double().fill(recv, UNTOUCHED, SIDE, stream);
        // SAFETY: the arena lives until the stream has passed all calls.
        unsafe { comm.run(&call) }.unwrap();
        double().copy(result(round), recv, SIDE, stream);
    };
    run_without_an_order(comm, stream, round);
    for round in 0..=ROUNDS {
        let mut expected = vec![UNTOUCHED; SIDE];
        for (from, Block { offset, len }) in &received {
            expected[*offset..][..*len].fill(1 + SIZE as u8 * round + *from as u8);
        }
        assert!(double().read(result(round), SIDE) == expected, "{part}, round {round}");
    }
}

#[test]
#[ignore = "a rank of the tests above, which start it as a process"]
fn a_rank_of_the_tests_in_this_file() {
    let Some(part) = processes::part() else { return };
    let comm = join_direct();
    calls(&comm, &part, &mut (Arena::new(ARENA), Stream::new()));
    comm.finalize().expect("all calls have ended");
    say("all is right");
}
