//! The default stream of each thread, and threads that share a context.

mod common;

use std::sync::atomic::Ordering;
use std::time::Duration;

use common::{Context, Pinned, Stream, device_memory, free, given, let_streams_work, ok};
use cuda::context::api::cuCtxSetCurrent;
use cuda::copy::fill::{cuMemsetD8Async, cuMemsetD8Async_ptsz};
use cuda::status::Status;
use cuda::stream::api::{
    cuStreamGetFlags, cuStreamGetPriority, cuStreamQuery, cuStreamQuery_ptsz, cuStreamSynchronize,
    cuStreamSynchronize_ptsz,
};
use cuda::value::api::{cuStreamWaitValue32_v2, cuStreamWaitValue32_v2_ptsz};

const PER_THREAD: usize = 2;

#[test]
fn each_thread_has_a_default_stream_of_its_own_that_waits_for_the_legacy_one() {
    let context = Context::current();
    let (flags, handle) = (Pinned::new(64), context.handle);
    let memory = device_memory(&[0; 64]);
    ok(cuStreamWaitValue32_v2_ptsz(0, flags.address, 1, 0));
    assert_eq!(cuStreamQuery(PER_THREAD), Status::NOT_READY);
    assert_eq!(cuStreamQuery_ptsz(0), Status::NOT_READY);
    std::thread::scope(|threads| {
        threads.spawn(|| {
            ok(cuCtxSetCurrent(handle));
            ok(cuMemsetD8Async_ptsz(memory, 1, 64, 0));
            ok(cuStreamSynchronize_ptsz(0));
        });
    });
    // The legacy stream runs after the waiting thread's stream, and other streams of threads after that.
    ok(cuMemsetD8Async(memory, 2, 64, 0));
    std::thread::scope(|threads| {
        threads.spawn(|| {
            ok(cuCtxSetCurrent(handle));
            ok(cuMemsetD8Async_ptsz(memory, 3, 64, 0));
            let_streams_work(0);
            assert_eq!(cuStreamQuery_ptsz(0), Status::NOT_READY);
        });
    });
    flags.word(0).store(1, Ordering::SeqCst);
    ok(cuStreamSynchronize(0));
    free(memory);
}

#[test]
fn the_thread_of_a_stream_waits_without_using_a_core() {
    let _context = Context::current();
    let (flags, stream) = (Pinned::new(64), Stream::new(1));
    ok(cuStreamWaitValue32_v2(stream.0, flags.address, 1, 0));
    let times = || [libc::CLOCK_PROCESS_CPUTIME_ID, libc::CLOCK_THREAD_CPUTIME_ID].map(processor_time);
    let before = times();
    // A thread that waits by looking would work as long as this one.
    let (all, own) = loop {
        let [all, own] = times();
        if own - before[1] > Duration::from_millis(300) {
            break (all - before[0], own - before[1]);
        }
    };
    flags.word(0).store(1, Ordering::SeqCst);
    stream.synchronize();
    let others = all.saturating_sub(own);
    assert!(others < own / 3, "{others:?} beside {own:?} of this thread");
}

/// Processor time by a clock of this process or thread.
fn processor_time(clock: libc::clockid_t) -> Duration {
    // SAFETY: zeros are a valid time.
    let mut time: libc::timespec = unsafe { std::mem::zeroed() };
    // SAFETY: the kernel writes the time.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

#[test]
fn a_stream_says_its_flags_and_its_priority_in_the_range() {
    let _context = Context::current();
    let urgent = given(|stream| cuda::stream::api::cuStreamCreateWithPriority(stream, 1, -100));
    assert_eq!(given(|flags| cuStreamGetFlags(urgent, flags)), 1);
    assert_eq!(given(|priority| cuStreamGetPriority(urgent, priority)), -5);
    ok(cuda::stream::api::cuStreamDestroy_v2(urgent));
}
