//! Calls that find no block of pinned memory, because queued calls have all of it. If ranks are threads of
//! one process, the queued call of one rank waits for such a call of another. The double aborts a process
//! that allocates pinned memory meanwhile.

use std::sync::{Barrier, Mutex};
use std::time::Duration;

use crate::common;
use anyccl_engine::base::{Collective, Datatype, ReduceOp};
use anyccl_engine::comm::{Communicator, Operation};
use common::case::Case;
use common::device::{Arena, Stream, double, have_device};
use common::processes::{self, ProcessJob, RankProcess, say, tcp_store};
use common::ranks::{TRANSPORTS, config, on_failing_ranks_after};
use common::watchdog::Watchdog;

/// More than half of what the pool has when the first call has its block.
const BYTES: usize = 20 << 20;

/// Puts the greatest of all ranks' bytes into the stream of the communicator.
fn enqueue(comm: &Communicator, send: u64, recv: u64) {
    let place = |at: u64| std::ptr::with_exposed_provenance_mut::<u8>(at as usize);
    let case = Case::reducing(Collective::AllReduce, Datatype::Uint8, ReduceOp::Max, 0, BYTES);
    let operation = Operation { call: case.call(), send: place(send).cast_const(), recv: place(recv) };
    // SAFETY: the arena lives until the stream has passed the call.
    unsafe { comm.run(&operation) }.expect("it is only enqueued");
}

#[test]
fn calls_of_ranks_as_threads_need_no_block_beside_each_others_calls() {
    let _watchdog = Watchdog::new("ranks as threads", Duration::from_secs(100));
    let job = ProcessJob::new(module_path!(), 1, "threads", tcp_store());
    let mut process = job.start(0);
    process.expect("all bytes are right");
    RankProcess::end_well(process);
}

#[test]
#[ignore = "a process of the test above, which starts it"]
fn a_rank_of_the_tests_in_this_file() {
    if processes::part().is_none() {
        return;
    }
    double();
    for size in [2, 4] {
        let arenas: Vec<_> = (0..size).map(|_| Mutex::new(Arena::new(3 * BYTES))).collect();
        let first_is_queued = Barrier::new(size as usize);
        on_failing_ranks_after(size, &config(TRANSPORTS[0]), have_device, |comm| {
            let (comm, stream) = (comm.shared(), Stream::new());
            let mut arena = arenas[comm.rank() as usize].lock().unwrap();
            let (send, recv) = (arena.take(BYTES), arena.take(BYTES));
            comm.set_stream(Some(stream.handle()));
            double().fill(send, comm.rank() as u8, BYTES, &stream);
            if comm.rank() > 0 {
                first_is_queued.wait();
            }
            enqueue(&comm, send, recv);
            if comm.rank() == 0 {
                first_is_queued.wait();
            }
            stream.synchronize();
            comm.set_stream(None);
            comm.finalize().unwrap();
            assert!(double().read(recv, BYTES).iter().all(|byte| *byte == size as u8 - 1), "{size} ranks");
        });
    }
    say("all bytes are right");
}
