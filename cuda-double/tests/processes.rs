//! Memory, values and events that two processes use.

mod common;

use std::process::{Child, Command};
use std::sync::atomic::Ordering;

use common::flags::{Flags, number};
use common::{
    Context, Stream, bytes_of, device_memory, free, given, let_streams_work, live, ok, process, role,
};
use cuda::argument::{In, Out};
use cuda::context::api::{cuCtxCreate_v2, cuCtxDestroy_v2, cuCtxSetCurrent};
use cuda::copy::fill::cuMemsetD8Async;
use cuda::event::{cuEventCreate, cuEventDestroy_v2, cuEventQuery, cuEventRecord, cuEventSynchronize};
use cuda::ipc::Handle;
use cuda::ipc::events::{cuIpcGetEventHandle, cuIpcOpenEventHandle};
use cuda::ipc::memory::{cuIpcCloseMemHandle, cuIpcGetMemHandle, cuIpcOpenMemHandle_v2};
use cuda::status::Status;
use cuda::stream::api::cuStreamWaitEvent;
use cuda::value::api::{cuStreamWaitValue32_v2, cuStreamWriteValue32_v2};
use cuda::vmm::export::{cuMemExportToShareableHandle, cuMemImportFromShareableHandle};
use cuda::vmm::map::{Access, cuMemMap, cuMemSetAccess, cuMemUnmap};
use cuda::vmm::reserve::{cuMemAddressFree, cuMemAddressReserve};
use cuda::vmm::{Location, Properties, cuMemCreate, cuMemRelease};

const NON_BLOCKING: u32 = 1;

fn handle_of_parent() -> Handle {
    let text = std::env::var("HANDLE").unwrap();
    let words: Vec<u64> = text.split(',').map(|word| word.parse().unwrap()).collect();
    Handle(words.try_into().unwrap())
}

fn start(mut command: Command, flags: &Flags, handle: Handle) -> Child {
    let words: Vec<String> = handle.0.iter().map(u64::to_string).collect();
    command.env("HANDLE", words.join(",")).env("FLAGS", flags.descriptor());
    command.spawn().unwrap()
}

fn memory_handle(address: u64) -> Handle {
    let mut handle = Handle([0; 8]);
    ok(cuIpcGetMemHandle(Out::to(&mut handle), address));
    handle
}

fn open(handle: Handle) -> u64 {
    given(|address| cuIpcOpenMemHandle_v2(address, handle, 1))
}

#[test]
fn two_processes_order_their_work_on_one_memory_by_values() {
    const NAME: &str = "two_processes_order_their_work_on_one_memory_by_values";
    let primary = Context::current();
    if role().is_some() {
        let (flags, stream) = (Flags::of_parent(), Stream::new(NON_BLOCKING));
        let memory = open(handle_of_parent());
        assert_eq!(open(handle_of_parent()), memory, "a second opening gives the same address");
        let context = given(|context| cuCtxCreate_v2(context, 0, 0));
        let second = cuIpcOpenMemHandle_v2(Out::to(&mut 0), handle_of_parent(), 1);
        assert_eq!(second, Status::INVALID_CONTEXT, "one context of a device may open it");
        ok(cuCtxDestroy_v2(context));
        ok(cuCtxSetCurrent(primary.handle));
        ok(cuIpcCloseMemHandle(memory));
        ok(cuStreamWaitValue32_v2(stream.0, flags.at(0), 1, 0));
        ok(cuMemsetD8Async(memory + 512, 2, 512, stream.0));
        ok(cuStreamWriteValue32_v2(stream.0, flags.at(1), 1, 0));
        stream.synchronize();
        assert_eq!(bytes_of(memory, 512), [1; 512]);
        ok(cuIpcCloseMemHandle(memory));
        assert_eq!(cuIpcCloseMemHandle(memory), Status::INVALID_VALUE);
        return;
    }
    let (flags, stream) = (Flags::create(), Stream::new(NON_BLOCKING));
    let (memory, faults) = (device_memory(&[0; 1024]), live("faults"));
    let mut child = start(process(NAME, "child"), &flags, memory_handle(memory + 5));
    ok(cuMemsetD8Async(memory, 1, 1024, stream.0));
    ok(cuStreamWriteValue32_v2(stream.0, flags.at(0), 1, 0));
    ok(cuStreamWaitValue32_v2(stream.0, flags.at(1), 1, 0));
    stream.synchronize();
    assert_eq!(bytes_of(memory, 1024), [[1; 512], [2; 512]].concat());
    assert!(child.wait().unwrap().success());
    free(memory);
    assert_eq!(live("faults"), faults);
}

#[test]
fn memory_that_a_killed_process_had_open_can_be_freed_but_not_that_of_a_live_one() {
    const NAME: &str = "memory_that_a_killed_process_had_open_can_be_freed_but_not_that_of_a_live_one";
    let _context = Context::current();
    if role().is_some() {
        let flags = Flags::of_parent();
        open(handle_of_parent());
        flags.word(0).store(1, Ordering::SeqCst);
        flags.wait(1);
        return;
    }
    let before = live("faults");
    for (is_killed, faults) in [(true, 0), (false, 1)] {
        let (flags, memory) = (Flags::create(), device_memory(&[0; 1024]));
        let mut child = start(process(NAME, "child"), &flags, memory_handle(memory));
        flags.wait(0);
        if is_killed {
            child.kill().unwrap();
        }
        free(memory);
        assert_eq!(live("faults") - before, faults);
        flags.word(1).store(1, Ordering::SeqCst);
        child.wait().unwrap();
    }
}

#[test]
fn memory_of_a_stopped_process_can_be_opened_and_closed() {
    const NAME: &str = "memory_of_a_stopped_process_can_be_opened_and_closed";
    let _context = Context::current();
    if role().is_some() {
        let (flags, memory) = (Flags::of_parent(), device_memory(&[7; 64]));
        let halves = memory_handle(memory).0.into_iter().flat_map(|word| [word as u32, (word >> 32) as u32]);
        for (at, half) in halves.enumerate() {
            flags.word(2 + at as u64).store(half, Ordering::SeqCst);
        }
        flags.word(0).store(1, Ordering::SeqCst);
        flags.wait(1);
        free(memory);
        assert_eq!(live("faults"), 0);
        return;
    }
    let flags = Flags::create();
    let mut child = start(process(NAME, "child"), &flags, Handle([0; 8]));
    let signal = |number| {
        // SAFETY: takes integers. The child was not waited for yet, so the number is still its own.
        assert_eq!(unsafe { libc::kill(child.id() as libc::pid_t, number) }, 0);
    };
    flags.wait(0);
    signal(libc::SIGSTOP);
    let half = |at| u64::from(flags.word(2 + at).load(Ordering::SeqCst));
    let memory = open(Handle(std::array::from_fn(|at| half(2 * at as u64) | half(2 * at as u64 + 1) << 32)));
    assert_eq!(bytes_of(memory, 64), [7; 64]);
    ok(cuIpcCloseMemHandle(memory));
    signal(libc::SIGCONT);
    flags.word(1).store(1, Ordering::SeqCst);
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_handle_cannot_be_opened_by_its_own_process_nor_after_the_free_nor_for_other_memory() {
    let _context = Context::current();
    let memory = device_memory(&[0; 64]);
    let handle = memory_handle(memory);
    let mut address = 0;
    let own = cuIpcOpenMemHandle_v2(Out::to(&mut address), handle, 1);
    assert_eq!(own, Status::INVALID_CONTEXT);
    free(memory);
    let mut dead = handle;
    dead.0[1] ^= 1;
    assert_eq!(cuIpcOpenMemHandle_v2(Out::to(&mut address), dead, 1), Status::INVALID_VALUE);
    let flags = Flags::create();
    let mut handle = Handle([0; 8]);
    assert_eq!(cuIpcGetMemHandle(Out::to(&mut handle), flags.at(0)), Status::INVALID_VALUE);
    assert_eq!(cuIpcGetMemHandle(Out::to(&mut handle), memory), Status::INVALID_VALUE);
}

#[test]
fn an_event_of_one_process_orders_a_stream_of_another() {
    const NAME: &str = "an_event_of_one_process_orders_a_stream_of_another";
    let _context = Context::current();
    if role().is_some() {
        let (flags, stream) = (Flags::of_parent(), Stream::new(NON_BLOCKING));
        let event = given(|event| cuIpcOpenEventHandle(event, handle_of_parent()));
        assert_eq!(cuEventQuery(event), Status::NOT_READY);
        ok(cuStreamWaitEvent(stream.0, event, 0));
        ok(cuStreamWriteValue32_v2(stream.0, flags.at(2), 7, 0));
        let_streams_work(0);
        assert_eq!(flags.word(2).load(Ordering::SeqCst), 0);
        flags.word(0).store(1, Ordering::SeqCst);
        ok(cuEventSynchronize(event));
        stream.synchronize();
        assert_eq!(flags.word(2).load(Ordering::SeqCst), 7);
        ok(cuEventDestroy_v2(event));
        return;
    }
    let (flags, stream) = (Flags::create(), Stream::new(NON_BLOCKING));
    assert_eq!(cuEventCreate(Out::to(&mut 0), 4), Status::INVALID_VALUE);
    let event = given(|event| cuEventCreate(event, 4 | 2));
    let mut handle = Handle([0; 8]);
    ok(cuIpcGetEventHandle(Out::to(&mut handle), event));
    ok(cuStreamWaitValue32_v2(stream.0, flags.at(0), 1, 0));
    ok(cuEventRecord(event, stream.0));
    let mut child = start(process(NAME, "child"), &flags, handle);
    assert!(child.wait().unwrap().success());
    stream.synchronize();
    ok(cuEventDestroy_v2(event));
}

/// 2 MiB of physical memory, mapped.
fn map(handle: u64) -> u64 {
    let size = 2 << 20;
    let address = given(|address| cuMemAddressReserve(address, size, 0, 0, 0));
    ok(cuMemMap(address, size, 0, handle, 0));
    let access = Access { location: Location { kind: 1, id: 0 }, flags: 3 };
    ok(cuMemSetAccess(address, size, In::from(&access), 1));
    address
}

fn unmap(address: u64, handle: u64) {
    ok(cuMemUnmap(address, 2 << 20));
    ok(cuMemAddressFree(address, 2 << 20));
    ok(cuMemRelease(handle));
}

#[test]
fn physical_memory_goes_to_another_process_as_a_descriptor() {
    const NAME: &str = "physical_memory_goes_to_another_process_as_a_descriptor";
    let _context = Context::current();
    if role().is_some() {
        let descriptor = number("DESCRIPTOR") as usize;
        let handle = given(|handle| cuMemImportFromShareableHandle(handle, descriptor, 1));
        let memory = map(handle);
        assert_eq!(bytes_of(memory, 64), [3; 64]);
        unmap(memory, handle);
        assert_eq!((live("physical"), live("mappings"), live("reservations")), (0, 0, 0));
        return;
    }
    let (flags, stream) = (Flags::create(), Stream::new(NON_BLOCKING));
    let location = Location { kind: 1, id: 0 };
    let properties = Properties { kind: 1, handle_types: 1, location, ..Properties::default() };
    let handle = given(|handle| cuMemCreate(handle, 2 << 20, In::from(&properties), 0));
    let memory = map(handle);
    ok(cuMemsetD8Async(memory, 3, 64, stream.0));
    stream.synchronize();
    let descriptor = given(|descriptor: Out<i32>| cuMemExportToShareableHandle(descriptor, handle, 1, 0));
    assert_eq!(live("descriptors"), 1);
    // SAFETY: the descriptor is ours; the child gets a copy.
    unsafe { libc::fcntl(descriptor, libc::F_SETFD, 0) };
    let mut command = process(NAME, "child");
    command.env("DESCRIPTOR", descriptor.to_string());
    assert!(start(command, &flags, Handle([0; 8])).wait().unwrap().success());
    // SAFETY: the descriptor is ours.
    unsafe { libc::close(descriptor) };
    unmap(memory, handle);
    assert_eq!((live("physical"), live("descriptors"), live("bytes")), (0, 0, 0));
}
