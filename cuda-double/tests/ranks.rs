//! Ranks as processes on one device: each writes that it has arrived, and one of them runs a kernel over the
//! memory of all. Its value waits order the processes; without them sums are wrong.

mod common;

use std::process::Child;
use std::sync::atomic::Ordering;
use std::thread;

use common::flags::{Flags, number};
use common::{Context, Pinned, Stream, device_memory, free, given, live, ok, process, role};
use cuda::argument::{In, Out};
use cuda::control::cudaDoubleSetFaults;
use cuda::copy::api::cuMemcpyDtoHAsync_v2;
use cuda::copy::fill::cuMemsetD8Async;
use cuda::ipc::Handle;
use cuda::ipc::memory::{cuIpcCloseMemHandle, cuIpcGetMemHandle, cuIpcOpenMemHandle_v2};
use cuda::launch::enqueue_kernel;
use cuda::status::Result;
use cuda::stream::Defaults;
use cuda::stream::api::{cuStreamCreateWithPriority, cuStreamDestroy_v2, cuStreamSynchronize};
use cuda::value::api::{cuStreamWaitValue32_v2, cuStreamWriteValue32_v2};

const RANKS: u64 = 3;
const ROUNDS: u32 = 40;
const BYTES: usize = 4096;

// Words of the page: the round of each rank, the round that is done, results that were wrong, ranks that may
// end; then the handles.
const ARRIVED: u64 = 0;
const DONE: u64 = 8;
const WRONG: u64 = 9;
const END: u64 = 10;
const READY: u64 = 16;
const HANDLES: u64 = 64;

fn value(rank: u64, round: u32) -> u8 {
    (round as u8).wrapping_mul(3).wrapping_add(rank as u8)
}

/// What a rank does: fills its memory, says so, waits for the kernel, looks at the sum.
fn run_rank(rank: u64) {
    let (flags, stream, result) = (Flags::of_parent(), Stream::new(1), Pinned::new(BYTES));
    let memory = device_memory(&[0; BYTES]);
    let mut handle = Handle([0; 8]);
    ok(cuIpcGetMemHandle(Out::to(&mut handle), memory));
    for (index, word) in (0..).zip(handle.0) {
        let at = HANDLES + 16 * rank + 2 * index;
        flags.word(at).store(word as u32, Ordering::SeqCst);
        flags.word(at + 1).store((word >> 32) as u32, Ordering::SeqCst);
    }
    flags.word(READY + rank).store(1, Ordering::SeqCst);
    for round in 1..=ROUNDS {
        // Where nobody waits for this rank, the kernel is there before it, whatever the machine does.
        while std::env::var_os("IS_LATE").is_some() && flags.word(DONE).load(Ordering::SeqCst) < round {
            thread::yield_now();
        }
        ok(cuMemsetD8Async(memory, value(rank, round), BYTES, stream.0));
        ok(cuStreamWriteValue32_v2(stream.0, flags.at(ARRIVED + rank), round, 0));
        ok(cuStreamWaitValue32_v2(stream.0, flags.at(DONE), round, 0));
        ok(cuMemcpyDtoHAsync_v2(result.address, memory, BYTES, stream.0));
        stream.synchronize();
        let sum = (0..RANKS).map(|rank| value(rank, round)).fold(0, u8::wrapping_add);
        if result.bytes() != [sum; BYTES] {
            flags.word(WRONG).fetch_add(1, Ordering::SeqCst);
        }
    }
    flags.word(ARRIVED + rank).store(ROUNDS + 1, Ordering::SeqCst);
    flags.wait(END);
    free(memory);
    assert_eq!(live("faults"), 0);
}

fn open_handle(flags: &Flags, rank: u64) -> u64 {
    flags.wait(READY + rank);
    let half = |at: u64| u64::from(flags.word(HANDLES + 16 * rank + at).load(Ordering::SeqCst));
    let words: Vec<u64> = (0..8).map(|index| half(2 * index) | half(2 * index + 1) << 32).collect();
    given(|address| cuIpcOpenMemHandle_v2(address, Handle(words.try_into().unwrap()), 1))
}

/// The kernel: the sum over all memory, into all memory.
fn sum(stream: usize, memory: &[u64]) {
    let memory = memory.to_vec();
    let kernel = move |view: &cuda::launch::DeviceView| {
        let readable =
            memory.iter().map(|address| view.readable(*address, BYTES as u64)).collect::<Result<Vec<_>>>()?;
        for index in 0..BYTES {
            let place = |start: &*mut u8| start.wrapping_add(index);
            // SAFETY: the memory has so many bytes; only a run that is out of order writes it meanwhile.
            let read = |start: &*mut u8| unsafe { place(start).read_volatile() };
            let sum = readable.iter().map(read).fold(0, u8::wrapping_add);
            // SAFETY: as above.
            readable.iter().for_each(|start| unsafe { place(start).write_volatile(sum) });
        }
        Ok(())
    };
    enqueue_kernel(stream, Defaults::Legacy, kernel).unwrap();
}

/// Runs all ranks; how many results were wrong. `ignored` are ordering calls of the executing process. If
/// there are any, it does not wait for rank 1, which then comes late.
fn wrong_results(name: &str, ignored: &std::ffi::CStr) -> u32 {
    let flags = Flags::create();
    let start = |rank: u64| {
        let mut command = process(name, "rank");
        command.env("FLAGS", flags.descriptor()).env("ANYCCL_RANK", rank.to_string());
        if rank == 1 && !ignored.is_empty() {
            command.env("IS_LATE", "1");
        }
        command.spawn().unwrap()
    };
    let mut children: Vec<Child> = (0..RANKS).map(start).collect();
    let memory: Vec<u64> = (0..RANKS).map(|rank| open_handle(&flags, rank)).collect();
    let stream = given(|stream| cuStreamCreateWithPriority(stream, 1, -5));
    ok(cudaDoubleSetFaults(In::null(), 0, In::text_of(ignored)));
    for round in 1..=ROUNDS {
        for rank in 0..RANKS {
            ok(cuStreamWaitValue32_v2(stream, flags.at(ARRIVED + rank), round, 0));
        }
        sum(stream, &memory);
        ok(cuStreamWriteValue32_v2(stream, flags.at(DONE), round, 0));
    }
    ok(cuStreamSynchronize(stream));
    ok(cudaDoubleSetFaults(In::null(), 0, In::null()));
    for rank in 0..RANKS {
        ok(cuStreamWaitValue32_v2(stream, flags.at(ARRIVED + rank), ROUNDS + 1, 0));
    }
    ok(cuStreamSynchronize(stream));
    memory.iter().for_each(|address| ok(cuIpcCloseMemHandle(*address)));
    flags.word(END).store(1, Ordering::SeqCst);
    assert!(children.iter_mut().all(|child| child.wait().unwrap().success()));
    ok(cuStreamDestroy_v2(stream));
    flags.word(WRONG).load(Ordering::SeqCst)
}

#[test]
fn a_kernel_over_the_memory_of_all_ranks_waits_for_all_of_them() {
    const NAME: &str = "a_kernel_over_the_memory_of_all_ranks_waits_for_all_of_them";
    let _context = Context::current();
    if role().is_some() {
        return run_rank(number("ANYCCL_RANK"));
    }
    assert_eq!(wrong_results(NAME, c""), 0);
    assert_ne!(wrong_results(NAME, c"cuStreamWaitValue32"), 0);
    assert_ne!(wrong_results(NAME, c"cuStreamWaitValue32:2/3"), 0, "the wait for one rank was taken out");
    assert_eq!(live("ipc_openings"), 0);
}
