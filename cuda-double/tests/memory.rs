//! Copies of rows, fills, memory in stream order, mappings, and what contexts leave behind.

mod common;

use common::{Context, Pinned, Stream, bytes_of, device_memory, free, given, live, ok};
use cuda::address_space::{MemoryKind, place};
use cuda::allocation::{cuMemAlloc_v2, cuMemFree_v2, cuMemGetAddressRange_v2};
use cuda::argument::{In, Out};
use cuda::context::api::{cuCtxCreate_v2, cuCtxDestroy_v2, cuCtxSetCurrent};
use cuda::copy::api::cuMemcpyDtoDAsync_v2;
use cuda::copy::fill::{cuMemsetD8Async, cuMemsetD16_v2, cuMemsetD32_v2};
use cuda::copy::plane::{Plane, PlaneSide, cuMemcpy2D_v2};
use cuda::event::cuEventCreate;
use cuda::managed::cuMemAllocManaged;
use cuda::memory_file::FRESH;
use cuda::pinned::{cuMemHostAlloc, cuMemHostGetDevicePointer_v2, cuMemHostGetFlags};
use cuda::pointer::cuPointerGetAttribute;
use cuda::pool::{cuMemAllocAsync, cuMemFreeAsync};
use cuda::status::Status;
use cuda::stream::api::{cuStreamCreate, cuStreamSynchronize, cuStreamWaitEvent};
use cuda::value::api::cuStreamWaitValue32_v2;
use cuda::vmm::map::{Access, cuMemMap, cuMemRetainAllocationHandle, cuMemSetAccess, cuMemUnmap};
use cuda::vmm::reserve::{cuMemAddressFree, cuMemAddressReserve};
use cuda::vmm::{Location, Properties, cuMemCreate, cuMemRelease};

const NON_BLOCKING: u32 = 1;
const PIECE: usize = 2 << 20;

#[test]
fn fresh_memory_holds_a_pattern_and_fills_repeat_their_value() {
    let _context = Context::current();
    let memory = given(|address| cuMemAlloc_v2(address, 64));
    assert_eq!(bytes_of(memory, 64), [FRESH; 64]);
    ok(cuMemsetD32_v2(memory, 0x0403_0201, 15));
    ok(cuMemsetD16_v2(memory + 60, 0x0605, 2));
    ok(cuStreamSynchronize(0));
    assert_eq!(bytes_of(memory, 64), [[1, 2, 3, 4].repeat(15), vec![5, 6, 5, 6]].concat());
    assert_eq!(cuMemsetD32_v2(memory + 2, 0, 1), Status::INVALID_VALUE);
    assert_eq!(cuMemsetD32_v2(memory, 0, 17), Status::INVALID_VALUE);
    free(memory);
}

#[test]
fn rows_are_copied_with_their_pitch() {
    let _context = Context::current();
    let memory = device_memory(&[0; 64]);
    let host: Vec<u8> = (0..32).collect();
    let from = PlaneSide { memory_type: 1, host: host.as_ptr() as u64, pitch: 8, ..PlaneSide::default() };
    let to =
        PlaneSide { memory_type: 2, device: memory, pitch: 16, x_bytes: 2, y: 1, ..PlaneSide::default() };
    let plane = Plane { from, to, width_bytes: 4, height: 3 };
    ok(cuMemcpy2D_v2(In::from(&plane)));
    ok(cuStreamSynchronize(0));
    let mut expected = [0; 64];
    for row in 0..3u8 {
        for column in 0..4u8 {
            expected[16 + 2 + usize::from(16 * row + column)] = 8 * row + column;
        }
    }
    assert_eq!(bytes_of(memory, 64), expected);
    let too_many = Plane { height: 4, ..plane };
    assert_eq!(cuMemcpy2D_v2(In::from(&too_many)), Status::INVALID_VALUE);
    free(memory);
}

#[test]
fn memory_in_stream_order_is_an_illegal_access_before_its_time() {
    let primary = Context::current();
    let context = given(|context| cuCtxCreate_v2(context, 0, 0));
    let flags = Pinned::new(64);
    let stream = given(|stream| cuStreamCreate(stream, NON_BLOCKING));
    let other = given(|stream| cuStreamCreate(stream, NON_BLOCKING));
    ok(cuStreamWaitValue32_v2(stream, flags.address, 1, 0));
    let memory = given(|address| cuMemAllocAsync(address, 64, stream));
    ok(cuMemsetD8Async(memory, 1, 64, other));
    assert_eq!(cuStreamSynchronize(other), Status::ILLEGAL_ADDRESS);
    flags.word(0).store(1, std::sync::atomic::Ordering::SeqCst);
    ok(cuCtxDestroy_v2(context));
    ok(cuCtxSetCurrent(primary.handle));
}

#[test]
fn memory_in_stream_order_can_go_to_another_stream_by_an_event() {
    let _context = Context::current();
    let (one, other) = (Stream::new(NON_BLOCKING), Stream::new(NON_BLOCKING));
    let event = given(|event| cuEventCreate(event, 2));
    let memory = given(|address| cuMemAllocAsync(address, 64, one.0));
    ok(cuda::event::cuEventRecord(event, one.0));
    ok(cuStreamWaitEvent(other.0, event, 0));
    ok(cuMemsetD8Async(memory, 1, 64, other.0));
    ok(cuMemFreeAsync(memory, other.0));
    other.synchronize();
    ok(cuda::event::cuEventDestroy_v2(event));
    assert_eq!(live("allocations"), 0);
}

/// Physical memory, and a mapping of it at `address`.
fn map_piece(address: u64) -> u64 {
    let location = Location { kind: 1, id: 0 };
    let properties = Properties { kind: 1, location, ..Properties::default() };
    let handle = given(|handle| cuMemCreate(handle, PIECE, In::from(&properties), 0));
    ok(cuMemMap(address, PIECE, 0, handle, 0));
    handle
}

#[test]
fn a_copy_may_cross_mappings_that_lie_side_by_side_but_not_the_end_nor_without_access() {
    let _context = Context::current();
    let stream = Stream::new(NON_BLOCKING);
    let base = given(|address| cuMemAddressReserve(address, 3 * PIECE, 0, 0, 0));
    let handles = [map_piece(base), map_piece(base + PIECE as u64)];
    let access = Access { location: Location { kind: 1, id: 0 }, flags: 3 };
    ok(cuMemSetAccess(base, 2 * PIECE, In::from(&access), 1));
    let middle = base + PIECE as u64 - 512;
    ok(cuMemsetD8Async(middle, 9, 1024, stream.0));
    ok(cuMemcpyDtoDAsync_v2(base, middle, 1024, stream.0));
    stream.synchronize();
    assert_eq!(bytes_of(base, 1024), [9; 1024]);
    let end = base + 2 * PIECE as u64 - 512;
    assert_eq!(cuMemsetD8Async(end, 9, 1024, stream.0), Status::INVALID_VALUE);
    // The range of an address is that of its mapping; the handle behind it can be had again.
    let mut range = (0, 0);
    ok(cuMemGetAddressRange_v2(Out::to(&mut range.0), Out::to(&mut range.1), middle));
    assert_eq!(range, (base, PIECE));
    assert_eq!(given(|handle| cuMemRetainAllocationHandle(handle, middle)), handles[0]);
    ok(cuMemRelease(handles[0]));
    assert_eq!(cuMemFree_v2(base), Status::INVALID_VALUE);
    assert_eq!(cuMemAddressFree(base, 3 * PIECE), Status::INVALID_VALUE);
    ok(cuMemUnmap(base, 2 * PIECE));
    assert_eq!(live("physical"), 2);
    handles.iter().for_each(|handle| ok(cuMemRelease(*handle)));
    ok(cuMemAddressFree(base, 3 * PIECE));
    assert_eq!((live("physical"), live("bytes"), live("reservations")), (0, 0, 0));
}

#[test]
fn pinned_memory_has_one_address_for_all_and_says_its_flags() {
    let _context = Context::current();
    let write_combined = 4;
    let memory = given(|memory| cuMemHostAlloc(memory, 100, write_combined));
    assert_eq!(given(|device| cuMemHostGetDevicePointer_v2(device, memory, 0)), memory);
    assert_eq!(given(|flags| cuMemHostGetFlags(flags, memory)), 7);
    assert_eq!(place(memory + 96, 4), Ok(MemoryKind::Pinned));
    assert_eq!(place(memory + 96, 8), Err(Status::INVALID_VALUE));
    ok(cuda::pinned::cuMemFreeHost(memory));
    assert_eq!(place(memory, 4), Ok(MemoryKind::Pageable));
}

#[test]
fn managed_memory_is_that_of_a_device_and_the_host_uses_it() {
    let _context = Context::current();
    let memory = given(|memory| cuMemAllocManaged(memory, 64, 1));
    let (mut memory_type, mut is_managed) = (0u32, 0u8);
    ok(cuPointerGetAttribute(&raw mut memory_type as usize, 2, memory));
    ok(cuPointerGetAttribute(&raw mut is_managed as usize, 8, memory));
    assert_eq!((memory_type, is_managed), (2, 1));
    ok(cuMemsetD32_v2(memory, 7, 16));
    assert_eq!(bytes_of(memory, 4), 7u32.to_ne_bytes());
    assert_eq!(cuMemAllocManaged(Out::to(&mut 0), 64, 3), Status::INVALID_VALUE);
    assert_eq!(cuda::pinned::cuMemFreeHost(memory), Status::INVALID_VALUE);
    ok(cuMemFree_v2(memory));
    assert_eq!((place(memory, 4), live("allocations")), (Ok(MemoryKind::Pageable), 0));
}

#[test]
fn a_context_that_ends_takes_all_it_has_with_it() {
    let primary = Context::current();
    let context = given(|context| cuCtxCreate_v2(context, 0, 0));
    let memory = device_memory(&[0; 64]);
    let pinned: u64 = given(|memory| cuMemHostAlloc(memory, 64, 0));
    let managed: u64 = given(|memory| cuMemAllocManaged(memory, 64, 1));
    let stream = given(|stream| cuStreamCreate(stream, 0));
    given(|event: Out<usize>| cuEventCreate(event, 0));
    ok(cuMemsetD8Async(memory, 1, 64, stream));
    ok(cuMemsetD8Async(pinned, 1, 64, stream));
    ok(cuMemsetD8Async(managed, 1, 64, stream));
    ok(cuCtxDestroy_v2(context));
    ok(cuCtxSetCurrent(primary.handle));
    for kind in ["allocations", "bytes", "pinned", "streams", "events"] {
        assert_eq!(live(kind), 0, "{kind}");
    }
    assert_eq!(cuCtxSetCurrent(context), Status::INVALID_CONTEXT);
}
