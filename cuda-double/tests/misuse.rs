//! Wrong use of the driver: the errors that it gives.

mod common;

use common::{Context, Pinned, Stream, device_memory, free, given, live, ok, role, run_alone};
use cuda::allocation::{cuMemAlloc_v2, cuMemFree_v2, cuMemGetAddressRange_v2, cuMemGetInfo_v2};
use cuda::argument::Out;
use cuda::context::api::{cuCtxCreate_v2, cuCtxDestroy_v2, cuCtxSetCurrent, cuCtxSynchronize};
use cuda::control::cudaDoubleCorrupt;
use cuda::copy::api::{cuMemcpyDtoD_v2, cuMemcpyDtoH_v2, cuMemcpyHtoD_v2, cuMemcpyHtoDAsync_v2};
use cuda::copy::fill::cuMemsetD8_v2;
use cuda::device::api::{cuDeviceGet, cuDeviceGetCount};
use cuda::event::{cuEventCreate, cuEventDestroy_v2, cuEventRecord};
use cuda::init::cuInit;
use cuda::launch::enqueue_kernel;
use cuda::pinned::{cuMemHostGetFlags, cuMemHostRegister_v2, cuMemHostUnregister};
use cuda::pointer::cuPointerGetAttribute;
use cuda::pool::{cuMemAllocAsync, cuMemFreeAsync};
use cuda::status::Status;
use cuda::stream::Defaults;
use cuda::stream::api::{cuStreamDestroy_v2, cuStreamQuery, cuStreamSynchronize};

#[test]
fn a_thread_without_a_context_and_a_stale_handle_are_refused() {
    let context = Context::current();
    let stream = Stream::new(0);
    ok(cuCtxSetCurrent(0));
    assert_eq!(cuMemAlloc_v2(Out::to(&mut 0), 64), Status::INVALID_CONTEXT);
    assert_eq!(cuStreamQuery(stream.0), Status::INVALID_CONTEXT);
    assert_eq!(cuCtxSynchronize(), Status::INVALID_CONTEXT);
    ok(cuCtxSetCurrent(context.handle));
    ok(cuStreamDestroy_v2(stream.0));
    assert_eq!(cuStreamQuery(stream.0), Status::INVALID_HANDLE);
    assert_eq!(cuStreamDestroy_v2(stream.0), Status::INVALID_HANDLE);
    assert_eq!(cuStreamSynchronize(0x1234), Status::INVALID_HANDLE);
    assert_eq!(cuDeviceGet(Out::to(&mut 0), 1), Status::INVALID_DEVICE);
    assert_eq!(cuDeviceGetCount(Out::null()), Status::INVALID_VALUE);
    assert_eq!(cuCtxDestroy_v2(context.handle), Status::INVALID_CONTEXT);
}

#[test]
fn copies_with_wild_addresses_and_over_the_end_are_refused() {
    let _context = Context::current();
    let (memory, host) = (device_memory(&[0; 64]), [0u8; 128]);
    let address = host.as_ptr() as u64;
    assert_eq!(cuMemcpyHtoD_v2(memory, address, 65), Status::INVALID_VALUE);
    assert_eq!(cuMemcpyHtoD_v2(memory + 4096, address, 1), Status::INVALID_VALUE);
    assert_eq!(cuMemcpyHtoD_v2(address, address, 1), Status::INVALID_VALUE);
    assert_eq!(cuMemcpyDtoH_v2(memory, memory, 1), Status::INVALID_VALUE);
    assert_eq!(cuMemcpyDtoD_v2(memory, 0, 1), Status::INVALID_VALUE);
    assert_eq!(cuMemFree_v2(memory + 1), Status::INVALID_VALUE);
    free(memory);
    assert_eq!(cuMemFree_v2(memory), Status::INVALID_VALUE);
    assert_eq!(cuMemcpyHtoD_v2(memory, address, 64), Status::INVALID_VALUE);
    let mut range = (0, 0);
    let found = cuMemGetAddressRange_v2(Out::to(&mut range.0), Out::to(&mut range.1), memory);
    assert_eq!(found, Status::NOT_FOUND);
}

#[test]
fn memory_ends_where_the_device_ends() {
    let _context = Context::current();
    let mut free_bytes = 0;
    let mut total = 0;
    ok(cuMemGetInfo_v2(Out::to(&mut free_bytes), Out::to(&mut total)));
    assert_eq!(cuMemAlloc_v2(Out::to(&mut 0), total + 1), Status::OUT_OF_MEMORY);
    assert_eq!(cuMemAlloc_v2(Out::to(&mut 0), 0), Status::INVALID_VALUE);
    let memory = device_memory(&[0; 64]);
    let mut left = 0;
    ok(cuMemGetInfo_v2(Out::to(&mut left), Out::to(&mut total)));
    assert_eq!(free_bytes - left, 4096);
    free(memory);
}

#[test]
fn host_memory_is_registered_once_and_unregistered_once() {
    let _context = Context::current();
    let host = vec![0u8; 3 * 4096];
    let address = (host.as_ptr() as u64).next_multiple_of(4096);
    ok(cuMemHostRegister_v2(address, 4000, 0));
    // Whole pages are registered.
    let again = cuMemHostRegister_v2(address + 4050, 20, 0);
    assert_eq!(again, Status::HOST_MEMORY_ALREADY_REGISTERED);
    // A copy that is in part registered and in part not.
    let memory = device_memory(&[0; 8192]);
    assert_eq!(cuMemcpyHtoDAsync_v2(memory, address, 8192, 0), Status::INVALID_VALUE);
    assert_eq!(cuMemHostGetFlags(Out::to(&mut 0), address), Status::INVALID_VALUE);
    ok(cuMemHostUnregister(address));
    assert_eq!(cuMemHostUnregister(address), Status::HOST_MEMORY_NOT_REGISTERED);
    assert_eq!(cuMemHostRegister_v2(4096, 4096, 0), Status::INVALID_VALUE);
    free(memory);
    assert_eq!(live("registrations"), 0);
}

fn attribute<T: Default>(attribute: i32, address: u64) -> Result<T, Status> {
    let mut value = T::default();
    match cuPointerGetAttribute(&raw mut value as usize, attribute, address) {
        Status::SUCCESS => Ok(value),
        error => Err(error),
    }
}

#[test]
fn pointers_say_what_they_are() {
    let context = Context::current();
    let (memory, pinned) = (device_memory(&[0; 100]), Pinned::new(64));
    let inside = memory + 50;
    assert_eq!(attribute::<u32>(2, inside), Ok(2));
    assert_eq!(attribute::<u32>(2, pinned.address), Ok(1));
    assert_eq!(attribute::<i32>(9, inside), Ok(0));
    assert_eq!(attribute::<usize>(1, inside), Ok(context.handle));
    assert_eq!(attribute::<u64>(11, inside), Ok(memory));
    assert_eq!(attribute::<usize>(12, inside), Ok(100));
    assert_eq!(attribute::<u8>(10, inside), Ok(1));
    assert_eq!(attribute::<u32>(14, inside), Ok(0));
    assert_eq!(attribute::<u8>(8, inside), Ok(0));
    let on_stack = 0u32;
    assert_eq!(attribute::<u32>(2, &raw const on_stack as u64), Err(Status::INVALID_VALUE));
    assert_eq!(attribute::<u32>(2, memory + 100), Err(Status::INVALID_VALUE));
    let id = attribute::<u64>(7, memory).unwrap();
    free(memory);
    let again = device_memory(&[0; 100]);
    assert_ne!(attribute::<u64>(7, again), Ok(id), "a buffer id is never used again");
    free(again);
}

#[test]
fn memory_in_stream_order_cannot_be_shared_and_is_freed_in_order() {
    let _context = Context::current();
    let stream = Stream::new(1);
    let memory = given(|address| cuMemAllocAsync(address, 256, stream.0));
    assert_eq!(attribute::<u8>(10, memory), Ok(0));
    ok(cuMemFreeAsync(memory, stream.0));
    assert_eq!(cuMemFreeAsync(memory, stream.0), Status::INVALID_VALUE);
    assert_eq!(cuMemFree_v2(memory), Status::INVALID_VALUE);
    stream.synchronize();
    assert_eq!(live("allocations"), 0);
}

#[test]
fn an_illegal_access_of_a_kernel_corrupts_its_context_only() {
    let primary = Context::current();
    let context = given(|context| cuCtxCreate_v2(context, 0, 0));
    ok(enqueue_kernel(0, Defaults::Legacy, |view| view.readable(64, 4).map(drop)).into());
    assert_eq!(cuCtxSynchronize(), Status::ILLEGAL_ADDRESS);
    assert_eq!(cuMemAlloc_v2(Out::to(&mut 0), 64), Status::ILLEGAL_ADDRESS);
    ok(cuCtxDestroy_v2(context));
    ok(cuCtxSetCurrent(primary.handle));
    free(device_memory(&[1; 64]));
}

#[test]
fn an_operation_that_a_test_makes_fail_corrupts_the_context() {
    let primary = Context::current();
    let context = given(|context| cuCtxCreate_v2(context, 0, 0));
    let memory = device_memory(&[0; 64]);
    ok(cudaDoubleCorrupt(2));
    ok(cuMemsetD8_v2(memory, 1, 64));
    assert_eq!(cuCtxSynchronize(), Status::SUCCESS);
    ok(cuMemsetD8_v2(memory, 1, 64));
    assert_eq!(cuCtxSynchronize(), Status::ILLEGAL_ADDRESS);
    ok(cuCtxDestroy_v2(context));
    ok(cuCtxSetCurrent(primary.handle));
}

#[test]
fn an_event_and_a_launch_need_a_stream_of_their_context() {
    let primary = Context::current();
    let stream = Stream::new(0);
    let context = given(|context| cuCtxCreate_v2(context, 0, 0));
    let event = given(|event| cuEventCreate(event, 0));
    assert_eq!(cuEventRecord(event, stream.0), Status::INVALID_HANDLE);
    let launch = enqueue_kernel(stream.0, Defaults::Legacy, |_| Ok(()));
    assert_eq!(launch.unwrap_err(), Status::INVALID_HANDLE);
    ok(cuEventDestroy_v2(event));
    ok(cuCtxDestroy_v2(context));
    ok(cuCtxSetCurrent(primary.handle));
}

#[test]
fn nothing_works_before_init_and_in_a_forked_child() {
    const NAME: &str = "nothing_works_before_init_and_in_a_forked_child";
    if role().is_none() {
        let (status, errors) = run_alone(NAME, &[]);
        assert!(status.success(), "{errors}");
        return;
    }
    assert_eq!(cuDeviceGetCount(Out::to(&mut 0)), Status::NOT_INITIALIZED);
    ok(cuInit(0));
    ok(cuDeviceGetCount(Out::to(&mut 0)));
    // SAFETY: the child only calls the driver, which refuses it before it takes a lock, and ends.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let refused = cuDeviceGetCount(Out::to(&mut 0)) == Status::NOT_INITIALIZED
            && cuInit(0) == Status::NOT_INITIALIZED;
        // SAFETY: ends the child at once.
        unsafe { libc::_exit(i32::from(!refused)) };
    }
    let mut status = 0;
    // SAFETY: waits for the child.
    unsafe { libc::waitpid(child, &raw mut status, 0) };
    assert_eq!(status, 0);
}
