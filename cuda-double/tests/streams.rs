//! Streams, copies, events and value waits, by the exported functions.

mod common;

use std::sync::atomic::Ordering;

use common::{Context, Pinned, Stream, bytes_of, device_memory, free, given, let_streams_work, live, ok};
use cuda::argument::{In, Out};
use cuda::copy::api::{cuMemcpyDtoDAsync_v2, cuMemcpyDtoHAsync_v2, cuMemcpyHtoDAsync_v2};
use cuda::copy::fill::{cuMemsetD8Async, cuMemsetD32Async};
use cuda::event::{cuEventCreate, cuEventDestroy_v2, cuEventElapsedTime, cuEventQuery, cuEventRecord};
use cuda::host_function::cuLaunchHostFunc;
use cuda::status::Status;
use cuda::stream::api::{cuStreamQuery, cuStreamWaitEvent};
use cuda::value::api::{cuStreamWaitValue32_v2, cuStreamWriteValue32_v2};
use cuda::value::batch::{BatchEntry, cuStreamBatchMemOp_v2};

const BLOCKING: u32 = 0;
const NON_BLOCKING: u32 = 1;
const LEGACY: usize = 1;

/// Makes later work of the stream wait until `word` is 1.
fn hold_back(stream: &Stream, flags: &Pinned, word: usize) {
    ok(cuStreamWaitValue32_v2(stream.0, flags.address + 4 * word as u64, 1, 0));
}

fn release(flags: &Pinned, word: usize) {
    flags.word(word).store(1, Ordering::SeqCst);
}

fn is_idle(stream: usize) -> bool {
    let_streams_work(0);
    cuStreamQuery(stream) == Status::SUCCESS
}

#[test]
fn bytes_come_back_from_the_device_as_they_went() {
    let _context = Context::current();
    let bytes: Vec<u8> = (0..10_000).map(|index| (index * 7) as u8).collect();
    let memory = device_memory(&bytes);
    assert_eq!(bytes_of(memory, bytes.len()), bytes);
    free(memory);
    assert_eq!(live("allocations"), 0);
}

#[test]
fn a_copy_into_pinned_memory_is_not_there_when_the_call_returns() {
    let _context = Context::current();
    let (memory, pinned, flags) = (device_memory(&[7; 256]), Pinned::new(256), Pinned::new(64));
    let stream = Stream::new(NON_BLOCKING);
    hold_back(&stream, &flags, 0);
    ok(cuMemcpyDtoHAsync_v2(pinned.address, memory, 256, stream.0));
    assert_eq!(cuStreamQuery(stream.0), Status::NOT_READY);
    assert_eq!(pinned.bytes(), [0; 256]);
    release(&flags, 0);
    stream.synchronize();
    assert_eq!(pinned.bytes(), [7; 256]);
    free(memory);
}

#[test]
fn a_copy_into_pageable_memory_waits_and_one_from_it_is_staged() {
    let _context = Context::current();
    let (memory, stream) = (device_memory(&[0; 64]), Stream::new(NON_BLOCKING));
    let mut host = vec![5u8; 64];
    for round in 0..50 {
        host.fill(round);
        ok(cuMemcpyHtoDAsync_v2(memory, host.as_ptr() as u64, 64, stream.0));
        host.fill(99);
        ok(cuMemcpyDtoHAsync_v2(host.as_mut_ptr() as u64, memory, 64, stream.0));
        assert_eq!(host, [round; 64]);
    }
    free(memory);
}

#[test]
fn the_legacy_stream_is_ordered_with_blocking_streams_only() {
    let _context = Context::current();
    let (memory, flags) = (device_memory(&[0; 64]), Pinned::new(64));
    let (blocking, other) = (Stream::new(BLOCKING), Stream::new(NON_BLOCKING));
    hold_back(&blocking, &flags, 0);
    ok(cuMemsetD8Async(memory, 1, 64, LEGACY));
    ok(cuMemsetD8Async(memory, 1, 64, other.0));
    other.synchronize();
    assert!(!is_idle(LEGACY), "the legacy stream runs after the blocking one");
    let late = Stream::new(BLOCKING);
    ok(cuMemsetD8Async(memory, 2, 64, late.0));
    assert!(!is_idle(late.0), "a blocking stream runs after the legacy one");
    release(&flags, 0);
    late.synchronize();
    assert_eq!(bytes_of(memory, 64), [2; 64]);
    free(memory);
}

#[test]
fn an_event_orders_two_streams_and_a_wait_takes_the_record_of_its_time() {
    let _context = Context::current();
    let (memory, copy, flags) = (device_memory(&[0; 64]), device_memory(&[0; 64]), Pinned::new(64));
    let (one, other) = (Stream::new(NON_BLOCKING), Stream::new(NON_BLOCKING));
    let event = given(|event| cuEventCreate(event, 2));
    assert_eq!(cuEventQuery(event), Status::SUCCESS);
    hold_back(&one, &flags, 0);
    ok(cuMemsetD32Async(memory, 0x0101_0101, 16, one.0));
    ok(cuEventRecord(event, one.0));
    ok(cuStreamWaitEvent(other.0, event, 0));
    ok(cuMemcpyDtoDAsync_v2(copy, memory, 64, other.0));
    assert_eq!(cuEventQuery(event), Status::NOT_READY);
    // A later record holds nothing back that waits already.
    release(&flags, 0);
    hold_back(&one, &flags, 1);
    ok(cuEventRecord(event, one.0));
    other.synchronize();
    assert_eq!(cuEventQuery(event), Status::NOT_READY);
    release(&flags, 1);
    assert_eq!(bytes_of(copy, 64), [1; 64]);
    one.synchronize();
    assert_eq!(cuEventElapsedTime(Out::to(&mut 0.0), event, event), Status::INVALID_HANDLE);
    ok(cuEventDestroy_v2(event));
    assert_eq!(cuEventQuery(event), Status::INVALID_HANDLE);
    free(memory);
    free(copy);
}

#[test]
fn values_are_written_in_order_and_a_batch_is_checked_as_a_whole() {
    let _context = Context::current();
    let (flags, stream) = (Pinned::new(64), Stream::new(NON_BLOCKING));
    let entry = |kind, word: u64, value| BatchEntry {
        kind,
        address: flags.address + 4 * word,
        value,
        ..BatchEntry::default()
    };
    let (write, wait) = (2, 1);
    let batch = [entry(wait, 0, 3), entry(write, 1, 5)];
    ok(cuStreamBatchMemOp_v2(stream.0, 2, In::array(&batch), 0));
    ok(cuStreamWriteValue32_v2(stream.0, flags.address + 8, 6, 0));
    assert!(!is_idle(stream.0));
    assert_eq!(flags.word(1).load(Ordering::SeqCst), 0);
    flags.word(0).store(4, Ordering::SeqCst);
    stream.synchronize();
    assert_eq!((flags.word(1).load(Ordering::SeqCst), flags.word(2).load(Ordering::SeqCst)), (5, 6));
    let wrong = [entry(write, 3, 1), entry(9, 1, 5)];
    assert_eq!(cuStreamBatchMemOp_v2(stream.0, 2, In::array(&wrong), 0), Status::INVALID_VALUE);
    assert_eq!(flags.word(3).load(Ordering::SeqCst), 0);
}

#[test]
fn a_value_in_pageable_memory_and_one_that_is_not_aligned_are_refused() {
    let _context = Context::current();
    let (flags, stream) = (Pinned::new(64), Stream::new(BLOCKING));
    let pageable = Box::new(0u32);
    let address = &raw const *pageable as u64;
    assert_eq!(cuStreamWaitValue32_v2(stream.0, address, 0, 0), Status::INVALID_VALUE);
    assert_eq!(cuStreamWriteValue32_v2(stream.0, flags.address + 2, 0, 0), Status::INVALID_VALUE);
    assert_eq!(cuStreamWaitValue32_v2(stream.0, flags.address, 0, 1 << 30), Status::NOT_SUPPORTED);
}

#[test]
fn a_host_function_runs_in_order_and_must_not_call_the_driver() {
    extern "C" fn note(word: *mut std::ffi::c_void) {
        let status = cuda::context::api::cuCtxSynchronize();
        // SAFETY: the test gave a word that outlives the stream's work.
        unsafe { std::sync::atomic::AtomicU32::from_ptr(word.cast()) }.store(status.0, Ordering::SeqCst);
    }
    let _context = Context::current();
    let (flags, stream) = (Pinned::new(64), Stream::new(BLOCKING));
    ok(cuLaunchHostFunc(stream.0, Some(note), flags.address as *mut _));
    stream.synchronize();
    assert_eq!(Status(flags.word(0).load(Ordering::SeqCst)), Status::NOT_PERMITTED);
}

#[test]
fn a_missing_wait_shows() {
    let _context = Context::current();
    let (memory, pinned) = (device_memory(&[0; 4096]), Pinned::new(4096));
    let stream = Stream::new(NON_BLOCKING);
    let mut seen_early = 0;
    for round in 1..100u8 {
        ok(cuMemsetD8Async(memory, round, 4096, stream.0));
        ok(cuMemcpyDtoHAsync_v2(pinned.address, memory, 4096, stream.0));
        seen_early += u32::from(pinned.bytes() != [round; 4096]);
        stream.synchronize();
        assert_eq!(pinned.bytes(), [round; 4096]);
    }
    assert!(seen_early > 10, "{seen_early} of 99 reads without a wait were wrong");
    free(memory);
}
