//! What ends the process, and the variables that a process reads at its start.

mod common;

use std::os::unix::process::ExitStatusExt;
use std::sync::atomic::Ordering;

use common::{
    Context, Pinned, Stream, device_memory, free, given, let_streams_work, live, ok, role, run_alone,
    wait_for_count,
};
use cuda::allocation::cuMemAlloc_v2;
use cuda::argument::Out;
use cuda::context::api::{cuCtxEnablePeerAccess, cuCtxSetCurrent};
use cuda::context::primary::cuDevicePrimaryCtxRetain;
use cuda::copy::api::cuMemcpyDtoHAsync_v2;
use cuda::copy::fill::cuMemsetD8Async;
use cuda::device::api::{cuDeviceCanAccessPeer, cuDeviceGetCount, cuDeviceGetUuid_v2};
use cuda::event::{cuEventCreate, cuEventDestroy_v2};
use cuda::init::cuInit;
use cuda::launch::enqueue_kernel;
use cuda::status::Status;
use cuda::stream::Defaults;
use cuda::stream::api::{cuStreamCreateWithPriority, cuStreamDestroy_v2, cuStreamQuery, cuStreamSynchronize};
use cuda::value::api::{cuStreamWaitValue32_v2, cuStreamWriteValue32_v2};

const NON_BLOCKING: u32 = 1;

#[test]
fn a_touch_of_device_memory_from_the_host_is_a_crash() {
    const NAME: &str = "a_touch_of_device_memory_from_the_host_is_a_crash";
    if role().is_none() {
        assert_eq!(run_alone(NAME, &[]).0.signal(), Some(libc::SIGSEGV));
        return;
    }
    let _context = Context::current();
    let memory = device_memory(&[0; 64]);
    // SAFETY: none; the crash is what the test is about.
    let byte = unsafe { (memory as *const u8).read_volatile() };
    println!("read {byte}");
}

#[test]
fn an_allocation_while_a_value_wait_is_pending_aborts_with_its_name() {
    const NAME: &str = "an_allocation_while_a_value_wait_is_pending_aborts_with_its_name";
    if role().is_none() {
        let (status, errors) = run_alone(NAME, &[("CUDA_DOUBLE_HANG_MS", "100")]);
        assert_eq!(status.signal(), Some(libc::SIGABRT));
        assert!(errors.contains("cuMemAlloc synchronises device 0 implicitly"), "{errors}");
        return;
    }
    let _context = Context::current();
    let (flags, stream) = (Pinned::new(64), Stream::new(NON_BLOCKING));
    ok(cuStreamWaitValue32_v2(stream.0, flags.address, 1, 0));
    ok(cuMemAlloc_v2(Out::to(&mut 0), 64));
}

#[test]
fn an_event_that_ends_behind_a_copy_to_pageable_memory_that_waits_aborts_with_the_name_of_the_call() {
    const NAME: &str =
        "an_event_that_ends_behind_a_copy_to_pageable_memory_that_waits_aborts_with_the_name_of_the_call";
    if role().is_none() {
        let (status, errors) = run_alone(NAME, &[("CUDA_DOUBLE_HANG_MS", "100")]);
        assert_eq!(status.signal(), Some(libc::SIGABRT));
        assert!(errors.contains("waits for a copy to pageable memory by another thread"), "{errors}");
        return;
    }
    let context = Context::current();
    let (memory, flags, stream) = (device_memory(&[0; 64]), Pinned::new(64), Stream::new(NON_BLOCKING));
    ok(cuStreamWaitValue32_v2(stream.0, flags.address, 1, 0));
    std::thread::scope(|threads| {
        threads.spawn(|| {
            ok(cuCtxSetCurrent(context.handle));
            let mut host = [0u8; 64];
            ok(cuMemcpyDtoHAsync_v2(host.as_mut_ptr() as u64, memory, 64, stream.0));
        });
        // Until the copy has begun, events come and go.
        loop {
            ok(cuEventDestroy_v2(given(|event| cuEventCreate(event, 2))));
        }
    });
}

#[test]
fn a_context_that_is_released_under_a_pending_value_wait_aborts_with_the_name_of_the_call() {
    const NAME: &str =
        "a_context_that_is_released_under_a_pending_value_wait_aborts_with_the_name_of_the_call";
    if role().is_none() {
        let (status, errors) = run_alone(NAME, &[("CUDA_DOUBLE_HANG_MS", "100")]);
        assert_eq!(status.signal(), Some(libc::SIGABRT));
        assert!(errors.contains("cuDevicePrimaryCtxRelease synchronises"), "{errors}");
        return;
    }
    let context = Context::current();
    let (flags, stream) = (Pinned::new(64), Stream::new(NON_BLOCKING));
    ok(cuStreamWaitValue32_v2(stream.0, flags.address, 1, 0));
    drop(context);
}

#[test]
fn a_lenient_driver_allocates_under_a_pending_value_wait() {
    const NAME: &str = "a_lenient_driver_allocates_under_a_pending_value_wait";
    if role().is_none() {
        let variables = [("CUDA_DOUBLE_LENIENT", "1"), ("CUDA_DOUBLE_HANG_MS", "100")];
        let (status, errors) = run_alone(NAME, &variables);
        assert!(status.success(), "{errors}");
        return;
    }
    let _context = Context::current();
    let (flags, stream) = (Pinned::new(64), Stream::new(NON_BLOCKING));
    ok(cuStreamWaitValue32_v2(stream.0, flags.address, 1, 0));
    let memory = given(|address| cuMemAlloc_v2(address, 64));
    flags.word(0).store(1, Ordering::SeqCst);
    free(memory);
}

#[test]
fn a_call_while_the_process_exits_is_refused() {
    extern "C" fn at_exit() {
        let refused = cuDeviceGetCount(Out::to(&mut 0)) == Status::DEINITIALIZED;
        // SAFETY: ends the process at once.
        unsafe { libc::_exit(if refused { 42 } else { 1 }) };
    }
    const NAME: &str = "a_call_while_the_process_exits_is_refused";
    if role().is_none() {
        let (status, errors) = run_alone(NAME, &[]);
        assert_eq!(status.code(), Some(42), "{errors}");
        return;
    }
    // SAFETY: the function is part of the program. What is registered first runs last.
    unsafe { libc::atexit(at_exit) };
    ok(cuInit(0));
}

#[test]
fn a_wait_holds_up_a_stream_behind_it_when_they_share_a_hardware_queue() {
    const NAME: &str = "a_wait_holds_up_a_stream_behind_it_when_they_share_a_hardware_queue";
    if role().is_none() {
        let (status, errors) = run_alone(NAME, &[("CUDA_DOUBLE_CHANNELS", "1")]);
        assert!(status.success(), "{errors}");
        return;
    }
    let _context = Context::current();
    let flags = Pinned::new(64);
    let (waiter, signaller) = (Stream::new(NON_BLOCKING), Stream::new(NON_BLOCKING));
    ok(cuStreamWaitValue32_v2(waiter.0, flags.address, 1, 0));
    ok(cuStreamWriteValue32_v2(signaller.0, flags.address + 4, 1, 0));
    // Urgent streams have another queue.
    let_streams_work(-5);
    assert_eq!(cuStreamQuery(signaller.0), Status::NOT_READY);
    let urgent = given(|stream| cuStreamCreateWithPriority(stream, NON_BLOCKING, -5));
    ok(cuStreamWriteValue32_v2(urgent, flags.address, 1, 0));
    signaller.synchronize();
    ok(cuStreamDestroy_v2(urgent));
}

#[test]
fn an_ignored_wait_is_a_race_that_shows() {
    const NAME: &str = "an_ignored_wait_is_a_race_that_shows";
    if role().is_none() {
        let (status, errors) = run_alone(NAME, &[("CUDA_DOUBLE_IGNORE", "cuStreamSynchronize:0/2")]);
        assert!(status.success(), "{errors}");
        let (status, errors) = run_alone(NAME, &[("CUDA_DOUBLE_IGNORE", "cuStreamSynchronise")]);
        assert_eq!(status.signal(), Some(libc::SIGABRT));
        assert!(errors.contains("names no call"), "{errors}");
        return;
    }
    let _context = Context::current();
    let (memory, pinned) = (device_memory(&[0; 4096]), Pinned::new(4096));
    let stream = Stream::new(NON_BLOCKING);
    let mut wrong = 0;
    for round in 1..100u8 {
        ok(cuMemsetD8Async(memory, round, 4096, stream.0));
        ok(cuMemcpyDtoHAsync_v2(pinned.address, memory, 4096, stream.0));
        ok(cuStreamSynchronize(stream.0));
        wrong += u32::from(pinned.bytes() != [round; 4096]);
        ok(cuStreamSynchronize(stream.0));
    }
    assert!(wrong > 10, "{wrong} of 99");
}

#[test]
fn the_nth_call_fails_and_the_report_at_exit_counts_what_is_left() {
    const NAME: &str = "the_nth_call_fails_and_the_report_at_exit_counts_what_is_left";
    if role().is_none() {
        let report =
            std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("report-{}", std::process::id()));
        let path = report.to_str().unwrap();
        let (status, errors) =
            run_alone(NAME, &[("CUDA_DOUBLE_FAIL", "cuMemAlloc:2"), ("CUDA_DOUBLE_REPORT", path)]);
        assert!(status.success(), "{errors}");
        let line = std::fs::read_to_string(&report).unwrap();
        std::fs::remove_file(&report).unwrap();
        assert!(line.contains("allocations=1 bytes=4096"), "{line}");
        return;
    }
    let context = Context::current();
    device_memory(&[0; 64]);
    assert_eq!(cuMemAlloc_v2(Out::to(&mut 0), 64), Status::OUT_OF_MEMORY);
    assert_eq!(live("allocations"), 1);
    std::mem::forget(context);
}

#[test]
fn an_operation_that_is_made_to_fail_corrupts_the_context_and_releases_its_waits() {
    const NAME: &str = "an_operation_that_is_made_to_fail_corrupts_the_context_and_releases_its_waits";
    if role().is_none() {
        let (status, errors) = run_alone(NAME, &[("CUDA_DOUBLE_CORRUPT", "2")]);
        assert!(status.success(), "{errors}");
        assert!(errors.contains("the context is corrupt from now on, error 700"), "{errors}");
        return;
    }
    let _context = Context::current();
    let (flags, waiter, writer) = (Pinned::new(64), Stream::new(NON_BLOCKING), Stream::new(NON_BLOCKING));
    ok(cuStreamWaitValue32_v2(waiter.0, flags.address, 1, 0));
    // The wait is the first operation to run.
    wait_for_count("waits", 1);
    ok(cuStreamWriteValue32_v2(writer.0, flags.address, 1, 0));
    assert_eq!(cuStreamSynchronize(writer.0), Status::ILLEGAL_ADDRESS);
    assert_eq!(cuStreamSynchronize(waiter.0), Status::ILLEGAL_ADDRESS);
    assert_eq!(flags.word(0).load(Ordering::SeqCst), 0);
}

#[test]
fn a_host_that_is_far_ahead_waits_for_room_in_the_queue() {
    const NAME: &str = "a_host_that_is_far_ahead_waits_for_room_in_the_queue";
    if role().is_none() {
        let variables = [("CUDA_DOUBLE_DEPTH", "8"), ("CUDA_DOUBLE_HANG_MS", "50")];
        let (status, errors) = run_alone(NAME, &variables);
        assert!(status.success(), "{errors}");
        assert!(errors.contains("8 operations are queued already"), "{errors}");
        return;
    }
    let _context = Context::current();
    let (flags, stream) = (Pinned::new(64), Stream::new(NON_BLOCKING));
    ok(cuStreamWaitValue32_v2(stream.0, flags.address, 1, 0));
    std::thread::scope(|threads| {
        threads.spawn(|| {
            wait_for_count("stalls", 1);
            assert_eq!(flags.word(1).load(Ordering::SeqCst), 0);
            flags.word(0).store(1, Ordering::SeqCst);
        });
        for value in 1..=20 {
            ok(cuStreamWriteValue32_v2(stream.0, flags.address + 4, value, 0));
        }
    });
    stream.synchronize();
    assert_eq!(flags.word(1).load(Ordering::SeqCst), 20);
}

#[test]
fn several_devices_have_uuids_and_a_matrix_of_peers() {
    const NAME: &str = "several_devices_have_uuids_and_a_matrix_of_peers";
    if role().is_none() {
        let (status, errors) = run_alone(NAME, &[("CUDA_DOUBLE_DEVICES", "3"), ("CUDA_DOUBLE_PEERS", "0-1")]);
        assert!(status.success(), "{errors}");
        return;
    }
    let context = Context::current();
    ok(cuInit(0));
    assert_eq!(given(|number| cuDeviceGetCount(number)), 3);
    let uuids: Vec<[u8; 16]> = (0..3).map(|device| given(|uuid| cuDeviceGetUuid_v2(uuid, device))).collect();
    assert!(uuids[0] != uuids[1] && uuids[1] != uuids[2]);
    assert_eq!(given(|can| cuDeviceCanAccessPeer(can, 1, 0)), 1);
    assert_eq!(given(|can| cuDeviceCanAccessPeer(can, 1, 2)), 0);
    let others: Vec<usize> =
        (1..3).map(|device| given(|context| cuDevicePrimaryCtxRetain(context, device))).collect();
    let memory = device_memory(&[5; 64]);
    ok(cuCtxSetCurrent(others[0]));
    ok(cuCtxEnablePeerAccess(context.handle, 0));
    assert_eq!(cuCtxEnablePeerAccess(context.handle, 0), Status::PEER_ACCESS_ALREADY_ENABLED);
    let read = |stream| {
        enqueue_kernel(stream, Defaults::Legacy, move |view| view.readable(memory, 64).map(drop)).unwrap()
    };
    read(0);
    ok(cuStreamSynchronize(0));
    ok(cuCtxSetCurrent(others[1]));
    assert_eq!(cuCtxEnablePeerAccess(context.handle, 0), Status::PEER_ACCESS_UNSUPPORTED);
    read(0);
    assert_eq!(cuStreamSynchronize(0), Status::ILLEGAL_ADDRESS);
    ok(cuCtxSetCurrent(context.handle));
    free(memory);
}
