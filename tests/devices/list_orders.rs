//! Lists of collectives by the direct path, without one of the orders that they rely on. The driver double
//! ignores the ordering calls of one function in turn, on one rank. Then the ranks must not get the right
//! bytes.

use std::time::Duration;

use super::block_orders::{ROUNDS, run_without_an_order};
use super::lists::{list, sums};
use crate::common;
use anyccl_engine::base::Collective;
use anyccl_engine::comm::Communicator;
use common::device::{Arena, Stream, double};
use common::direct_ranks::join_direct;
use common::processes::{self, ProcessJob, first_silence, say, tcp_store};
use common::watchdog::Watchdog;

const ARENA: usize = 16 << 20;

/// Orders without which lists give wrong bytes: ordering calls that are ignored, and on which rank.
const MISSING: [(&str, u32); 6] = [
    // The streams of the program go on too early.
    ("cuStreamWaitValue32", 0),
    ("cuStreamWaitValue32", 1),
    // The stream of the program has come to the list, and then that of the library to its first bundle.
    ("cuStreamWriteValue32:0/2", 1),
    ("cuStreamWriteValue32:1/2", 1),
    // The leader's kernels have run.
    ("cuStreamWriteValue32:2/3", 0),
    // The buffers are back from the bounce buffer.
    ("cuEventRecord", 1),
];

/// Number of seeds within which a missing order must do harm, and of those that are right with all orders.
const SEEDS: (u64, u64) = (60, 4);

fn first_harm(ignored: &str, rank: u32) -> Option<u64> {
    let (seeds, limit_s) = if ignored.is_empty() { (SEEDS.1, 50) } else { (SEEDS.0, 2) };
    let job = ProcessJob::new(module_path!(), 2, "orders", tcp_store())
        .set("ANYCCL_DEVICE_WAY", "direct")
        .set("ANYCCL_DEVICE_MAP", "off")
        .set("CUDA_DOUBLE_OPEN_FREE", 1)
        .set("ANYCCL_TEST_IGNORED", ignored)
        .set("ANYCCL_TEST_IGNORING", rank)
        .deadline(Duration::from_secs(limit_s));
    first_silence(seeds, |seed| job.clone().set("CUDA_DOUBLE_SEED", seed).start_all())
}

#[test]
fn without_the_orders_of_lists_some_seed_gives_wrong_bytes() {
    if double().leaves_out("orders that can be removed") {
        return;
    }
    let _watchdog = Watchdog::new("ranks as processes", Duration::from_secs(500));
    for (ignored, rank) in MISSING {
        let seed = first_harm(ignored, rank);
        println!("{ignored} of rank {rank}: seed {seed:?}");
        assert!(seed.is_some(), "{ignored} of rank {rank}: no seed has shown it");
    }
    assert_eq!(first_harm("", 0), None);
}

/// Lists in a stream, between fills of the buffers and copies of them. The host does not wait.
fn orders(comm: &Communicator, (arena, stream): &mut (Arena, Stream)) {
    let parts = sums(arena);
    let buffers: Vec<(u64, usize)> = parts.iter().map(|part| (part.recv.addr() as u64, part.count)).collect();
    let results: Vec<Vec<u64>> =
        (0..=ROUNDS).map(|_| buffers.iter().map(|(_, count)| arena.take(*count)).collect()).collect();
    let round = |round: u8| {
        for (buffer, count) in &buffers {
            double().fill(*buffer, 1 + 2 * round + comm.rank() as u8, *count, stream);
        }
        // SAFETY: the arena lives until the stream has passed all calls.
        unsafe { comm.run(&list(Collective::AllReduce, 0, &parts)) }.unwrap();
        for ((buffer, count), result) in buffers.iter().zip(&results[round as usize]) {
            double().copy(*result, *buffer, *count, stream);
        }
    };
    run_without_an_order(comm, stream, round);
    for (round, results) in (0..=ROUNDS).zip(&results) {
        for ((_, count), result) in buffers.iter().zip(results) {
            let sum = 2 * (1 + 2 * round) + 1;
            assert!(double().read(*result, *count).iter().all(|byte| *byte == sum), "round {round}");
        }
    }
}

#[test]
#[ignore = "a rank of the tests above, which start it as a process"]
fn a_rank_of_the_tests_in_this_file() {
    if processes::part().is_none() {
        return;
    }
    let comm = join_direct();
    orders(&comm, &mut (Arena::new(ARENA), Stream::new()));
    comm.finalize().expect("all calls have ended");
    say("all is right");
}
