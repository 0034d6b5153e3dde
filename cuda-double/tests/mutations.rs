//! A small pipeline through pinned memory, as a library that has no kernels would run it. With any of its
//! ordering calls taken out, a run goes wrong: that is what the double is for.

mod common;

use std::ffi::CStr;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use common::{Context, Pinned, Stream, bytes_of, device_memory, free, given, ok};
use cuda::argument::In;
use cuda::control::{cudaDoubleSetFaults, cudaDoubleSetSeed};
use cuda::copy::api::{cuMemcpyDtoHAsync_v2, cuMemcpyHtoDAsync_v2};
use cuda::copy::fill::cuMemsetD8Async;
use cuda::event::{cuEventCreate, cuEventDestroy_v2, cuEventRecord};
use cuda::stream::api::{cuStreamSynchronize, cuStreamWaitEvent};
use cuda::value::api::{cuStreamWaitValue32_v2, cuStreamWriteValue32_v2};

const BYTES: usize = 4096;
const PIECES: usize = 4;
const PIECE: usize = BYTES / PIECES;
/// Rounds after which a race must have shown.
const ROUNDS: u32 = 300;
/// How long the host waits for a piece.
const PATIENCE: Duration = Duration::from_millis(200);
/// Words in the page of flags: pieces that have arrived in host memory, pieces that are final there.
const READY: u64 = 0;
const FINAL: u64 = 1;

/// What the pipeline stands on.
struct Pipeline {
    memory: u64,
    host: Pinned,
    flags: Pinned,
    producer: Stream,
    stream: Stream,
    event: usize,
}

impl Pipeline {
    fn new() -> Pipeline {
        Pipeline {
            memory: device_memory(&[0; BYTES]),
            host: Pinned::new(BYTES),
            flags: Pinned::new(64),
            producer: Stream::new(1),
            stream: Stream::new(1),
            event: given(|event| cuEventCreate(event, 2)),
        }
    }

    /// One round: the producer fills the memory, the pipeline adds 1 to each byte by way of the host.
    fn round(&self, round: u32) -> bool {
        let value = (round as u8).wrapping_mul(7);
        let flag = |word: u64| self.flags.address + 4 * word;
        let sequence = |piece: usize| round * PIECES as u32 + piece as u32 + 1;
        ok(cuMemsetD8Async(self.memory, value, BYTES, self.producer.0));
        ok(cuEventRecord(self.event, self.producer.0));
        ok(cuStreamWaitEvent(self.stream.0, self.event, 0));
        let part = |address: u64, piece: usize| address + (piece * PIECE) as u64;
        for piece in 0..PIECES {
            let (host, memory) = (part(self.host.address, piece), part(self.memory, piece));
            ok(cuMemcpyDtoHAsync_v2(host, memory, PIECE, self.stream.0));
            ok(cuStreamWriteValue32_v2(self.stream.0, flag(READY), sequence(piece), 0));
        }
        for piece in 0..PIECES {
            ok(cuStreamWaitValue32_v2(self.stream.0, flag(FINAL), sequence(piece), 0));
            let (host, memory) = (part(self.host.address, piece), part(self.memory, piece));
            ok(cuMemcpyHtoDAsync_v2(memory, host, PIECE, self.stream.0));
        }
        let arrived = (0..PIECES).all(|piece| {
            let arrived = self.wait_for(sequence(piece));
            self.add_one(piece);
            self.flags.word(FINAL as usize).store(sequence(piece), Ordering::SeqCst);
            arrived
        });
        self.flags.word(FINAL as usize).store(sequence(PIECES - 1), Ordering::SeqCst);
        ok(cuStreamSynchronize(self.stream.0));
        let found = bytes_of(self.memory, BYTES);
        // The producer is done, too, before the next round begins.
        self.producer.synchronize();
        self.stream.synchronize();
        arrived && found == [value.wrapping_add(1); BYTES]
    }

    fn wait_for(&self, sequence: u32) -> bool {
        let start = Instant::now();
        while self.flags.word(READY as usize).load(Ordering::SeqCst) < sequence {
            if start.elapsed() > PATIENCE {
                return false;
            }
            std::thread::yield_now();
        }
        true
    }

    fn add_one(&self, piece: usize) {
        let start = (self.host.address as *mut u8).wrapping_add(piece * PIECE);
        for index in 0..PIECE {
            let byte = start.wrapping_add(index);
            // SAFETY: the byte lies in pinned memory; only a run that is out of order writes it meanwhile.
            let value = unsafe { byte.read_volatile() };
            // SAFETY: the same byte.
            unsafe { byte.write_volatile(value.wrapping_add(1)) };
        }
    }
}

impl Drop for Pipeline {
    fn drop(&mut self) {
        ok(cuEventDestroy_v2(self.event));
        free(self.memory);
    }
}

/// The first of `rounds` rounds that goes wrong when the ordering calls `ignored` do nothing.
fn first_wrong(ignored: &CStr, rounds: u32) -> Option<u32> {
    let pipeline = Pipeline::new();
    ok(cudaDoubleSetFaults(In::null(), 0, In::text_of(ignored)));
    let wrong = (1..=rounds).find(|round| !pipeline.round(*round));
    ok(cudaDoubleSetFaults(In::null(), 0, In::null()));
    wrong
}

#[test]
fn each_ordering_call_that_is_taken_out_makes_some_round_wrong() {
    let _context = Context::current();
    assert_eq!(first_wrong(c"", 30), None);
    let calls = [
        c"cuEventRecord",
        c"cuStreamWaitEvent",
        c"cuStreamWriteValue32:0/4",
        c"cuStreamWriteValue32:8",
        c"cuStreamWaitValue32",
        c"cuStreamWaitValue32:1/4",
        c"cuStreamSynchronize:1/3",
    ];
    for (seed, ignored) in (1..).zip(calls) {
        ok(cudaDoubleSetSeed(seed));
        assert_ne!(first_wrong(ignored, ROUNDS), None, "{ignored:?} was ignored, and nothing went wrong");
    }
}
