//! Tests of the communicator, over a fake library that records its calls.

use std::ffi::{c_char, c_int, c_void};
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering};
use std::thread;

use parking_lot::{Mutex, MutexGuard};

use super::communicator::{Calls, Communicator};
use super::features::Features;
use super::functions::{Functions, Handle, UniqueId};
use super::stream::{NoStream, Stream};
use crate::backend::MemoryKind;
use crate::backend::engine::{Exchange, ForeignComm, UniformCall};
use crate::backend::inside;
use crate::backend::nccl::NCCL;
use crate::base::{Collective, Datatype, ReduceOp, Result};

/// The calls in order. `TEST` lets one test at a time use it.
static CALLS: Mutex<Vec<String>> = Mutex::new(Vec::new());
static TEST: Mutex<()> = Mutex::new(());
/// The result of every call, and that of the question for an asynchronous error.
static ANSWER: AtomicI32 = AtomicI32::new(0);
static ASYNCHRONOUS: AtomicI32 = AtomicI32::new(0);

fn note(call: String) -> c_int {
    assert!(inside::is_inside() || call.starts_with("text"), "{call} without the fence");
    CALLS.lock().push(call);
    ANSWER.load(Ordering::SeqCst)
}

fn noted() -> Vec<String> {
    std::mem::take(&mut CALLS.lock())
}

fn alone() -> MutexGuard<'static, ()> {
    let test = TEST.lock();
    ANSWER.store(0, Ordering::SeqCst);
    ASYNCHRONOUS.store(0, Ordering::SeqCst);
    noted();
    test
}

unsafe extern "C" fn number(_: *mut c_int) -> c_int {
    0
}
unsafe extern "C" fn text(_: Handle) -> *const c_char {
    c" because it says so\n".as_ptr()
}
unsafe extern "C" fn id(_: *mut UniqueId<128>) -> c_int {
    0
}
unsafe extern "C" fn init(_: *mut Handle, _: usize, _: UniqueId<128>, _: c_int, _: *mut c_void) -> c_int {
    0
}
unsafe extern "C" fn finalize(_: Handle) -> c_int {
    note("finalize".into())
}
unsafe extern "C" fn destroy(_: Handle) -> c_int {
    note("destroy".into())
}
unsafe extern "C" fn abort(_: Handle) -> c_int {
    note("abort".into())
}
unsafe extern "C" fn asynchronous(_: Handle, result: *mut c_int) -> c_int {
    // SAFETY: one writable number.
    unsafe { *result = ASYNCHRONOUS.load(Ordering::SeqCst) };
    0
}
/// Writes 12 into each of the first two floats of the output.
unsafe extern "C" fn all_reduce(
    _: *const u8,
    recv: *mut u8,
    count: usize,
    datatype: c_int,
    op: c_int,
    _: Handle,
    _: *mut c_void,
) -> c_int {
    // SAFETY: these tests give two floats.
    unsafe { ptr::write_unaligned(recv.cast::<[f32; 2]>(), [12.0; 2]) };
    note(format!("all_reduce {count} of {datatype} by {op}"))
}
unsafe extern "C" fn reduce_scatter(
    _: *const u8,
    _: *mut u8,
    count: usize,
    datatype: c_int,
    op: c_int,
    _: Handle,
    _: *mut c_void,
) -> c_int {
    note(format!("reduce_scatter {count} of {datatype} by {op}"))
}
unsafe extern "C" fn reduce(
    _: *const u8,
    _: *mut u8,
    count: usize,
    datatype: c_int,
    op: c_int,
    root: c_int,
    _: Handle,
    _: *mut c_void,
) -> c_int {
    note(format!("reduce {count} of {datatype} by {op} to {root}"))
}
unsafe extern "C" fn broadcast(
    _: *const u8,
    _: *mut u8,
    count: usize,
    datatype: c_int,
    root: c_int,
    _: Handle,
    _: *mut c_void,
) -> c_int {
    note(format!("broadcast {count} of {datatype} from {root}"))
}
unsafe extern "C" fn all_gather(
    _: *const u8,
    _: *mut u8,
    count: usize,
    datatype: c_int,
    _: Handle,
    _: *mut c_void,
) -> c_int {
    note(format!("all_gather {count} of {datatype}"))
}
unsafe extern "C" fn group_start() -> c_int {
    note("start".into());
    0
}
unsafe extern "C" fn group_end() -> c_int {
    note("end".into());
    0
}
unsafe extern "C" fn send(
    _: *mut u8,
    count: usize,
    datatype: c_int,
    to: c_int,
    _: Handle,
    _: *mut c_void,
) -> c_int {
    note(format!("send {count} of {datatype} to {to}"))
}
unsafe extern "C" fn recv(
    _: *mut u8,
    count: usize,
    datatype: c_int,
    from: c_int,
    _: Handle,
    _: *mut c_void,
) -> c_int {
    note(format!("recv {count} of {datatype} from {from}"))
}

/// A communicator of rank 1 of 3.
fn communicator(averages: bool, stream: Box<dyn Stream>) -> Communicator<128> {
    let functions = Functions {
        get_version: number,
        get_error_text: text,
        get_unique_id: id,
        init,
        finalize,
        destroy,
        abort: Some(abort),
        get_async_error: Some(asynchronous),
        all_reduce,
        reduce,
        broadcast,
        all_gather,
        reduce_scatter,
        all_to_all: None,
        gather: None,
        scatter: None,
        group_start,
        group_end,
        send,
        recv,
    };
    let features =
        Features { memory: MemoryKind::Cpu, float8: false, averages, messages: true, aborts: true };
    Communicator::new(Calls {
        dialect: &NCCL,
        functions: Arc::new(functions),
        features,
        handle: ptr::null_mut(),
        stream,
        rank: 1,
        size: 3,
        is_aborted: AtomicBool::new(false),
        questions: Mutex::default(),
    })
}

fn call(
    collective: Collective,
    datatype: Datatype,
    op: Option<ReduceOp>,
    buffer: &mut [f32; 2],
) -> UniformCall {
    UniformCall {
        collective,
        datatype,
        op,
        root: 2,
        count: 1,
        send: buffer.as_ptr().cast(),
        recv: buffer.as_mut_ptr().cast(),
        in_place: true,
        memory: MemoryKind::Cpu,
        stream: None,
    }
}

fn run(comm: &dyn ForeignComm, call: &UniformCall) -> Result<()> {
    // SAFETY: two floats that the test owns, which is the most that the fake library writes.
    unsafe { comm.run(call) }
}

#[test]
fn a_complex_number_is_two_floats_and_what_is_unknown_is_bytes() {
    let _test = alone();
    let (comm, mut buffer) = (communicator(true, Box::new(NoStream)), [0.0; 2]);
    for (collective, datatype, op) in [
        (Collective::AllReduce, Datatype::Complex64, Some(ReduceOp::Sum)),
        (Collective::Reduce, Datatype::Bfloat16, Some(ReduceOp::Min)),
        (Collective::Broadcast, Datatype::Float8E4m3, None),
        (Collective::AllGather, Datatype::Complex128, None),
        (Collective::ReduceScatter, Datatype::Uint64, Some(ReduceOp::Product)),
    ] {
        run(&comm, &call(collective, datatype, op, &mut buffer)).unwrap();
    }
    let expected = [
        "all_reduce 2 of 7 by 0",
        "reduce 1 of 9 by 3 to 2",
        "broadcast 1 of 1 from 2",
        "all_gather 16 of 1",
        "reduce_scatter 1 of 5 by 1",
    ];
    assert_eq!(noted(), expected);
}

#[test]
fn an_average_is_the_librarys_or_a_sum_that_is_divided() {
    let _test = alone();
    let mut buffer = [0.0; 2];
    let both = UniformCall {
        count: 2,
        ..call(Collective::AllReduce, Datatype::Float32, Some(ReduceOp::Avg), &mut buffer)
    };
    run(&communicator(true, Box::new(NoStream)), &both).unwrap();
    assert_eq!((&noted()[..1], buffer), (&["all_reduce 2 of 7 by 4".to_string()][..], [12.0; 2]));
    run(&communicator(false, Box::new(NoStream)), &both).unwrap();
    assert_eq!((&noted()[0][..], buffer), ("all_reduce 2 of 7 by 0", [4.0; 2]));
}

#[test]
fn messages_are_one_group_that_is_closed_even_if_one_is_refused() {
    let _test = alone();
    let (comm, mut buffer) = (communicator(true, Box::new(NoStream)), [0_u8; 8]);
    let data = buffer.as_mut_ptr();
    let messages = [Exchange::Receive { from: 0, data, bytes: 5 }, Exchange::Send { to: 2, data, bytes: 8 }];
    let wait = || -> Result<()> {
        // SAFETY: the fake library touches no buffer of a message.
        let mut started = unsafe { comm.exchange(&messages) }?;
        while !started.test()? {
            thread::yield_now();
        }
        Ok(())
    };
    wait().unwrap();
    assert_eq!(noted(), ["start", "recv 5 of 1 from 0", "send 8 of 1 to 2", "end"]);
    ANSWER.store(5, Ordering::SeqCst);
    let text = wait().unwrap_err().to_string();
    assert_eq!(text, "NCCL failed in pncclGroupEnd: invalid usage (5): because it says so");
    assert_eq!(noted().last().map(String::as_str), Some("end"));
    ANSWER.store(0, Ordering::SeqCst);
}

/// A stream whose work has ended when the function says so.
struct EndsWhen<F>(F);

impl<F: Fn() -> bool + Send + Sync> Stream for EndsWhen<F> {
    fn enter(&self) -> Result<()> {
        Ok(())
    }

    fn handle(&self) -> *mut c_void {
        ptr::null_mut()
    }

    fn has_ended(&self) -> Result<bool> {
        Ok((self.0)())
    }
}

#[test]
fn a_call_on_a_stream_is_waited_for_and_an_error_there_ends_the_wait() {
    let _test = alone();
    let mut buffer = [0.0; 2];
    let call = call(Collective::Broadcast, Datatype::Float32, None, &mut buffer);
    // It has ended after it was asked this many times.
    let slow = |times| {
        let left = AtomicU32::new(times);
        let count = move || left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        communicator(true, Box::new(EndsWhen(move || count().is_err())))
    };
    run(&slow(3), &call).unwrap();
    ANSWER.store(NCCL.in_progress, Ordering::SeqCst);
    run(&slow(3), &call).unwrap();
    ANSWER.store(0, Ordering::SeqCst);
    ASYNCHRONOUS.store(6, Ordering::SeqCst);
    let text = run(&slow(u32::MAX), &call).unwrap_err().to_string();
    assert!(text.starts_with("NCCL failed in pncclCommGetAsyncError: remote error (6)"), "{text}");
}

#[test]
fn a_call_whose_stream_was_ended_by_an_abort_fails() {
    let _test = alone();
    let ends_with_abort = || {
        while !CALLS.lock().iter().any(|call| call == "abort") {
            thread::yield_now();
        }
        true
    };
    let comm = communicator(true, Box::new(EndsWhen(ends_with_abort)));
    thread::scope(|scope| {
        let stuck = scope.spawn(|| {
            let mut buffer = [0.0; 2];
            run(&comm, &call(Collective::Broadcast, Datatype::Float32, None, &mut buffer))
        });
        while CALLS.lock().is_empty() {
            thread::yield_now();
        }
        comm.abort();
        let text = stuck.join().unwrap().unwrap_err().to_string();
        assert_eq!(text, "the communicator was aborted while NCCL served it");
    });
}

#[test]
fn a_communicator_leaves_once_and_is_not_left_after_an_abort() {
    let _test = alone();
    let comm = communicator(true, Box::new(NoStream));
    comm.close();
    comm.close();
    comm.abort();
    drop(comm);
    assert_eq!(noted(), ["finalize", "destroy"]);
    let comm = communicator(true, Box::new(NoStream));
    comm.abort();
    comm.abort();
    let mut buffer = [0.0; 2];
    let refused = run(&comm, &call(Collective::Broadcast, Datatype::Float32, None, &mut buffer)).unwrap_err();
    assert_eq!(refused.to_string(), "the communicator was aborted while NCCL served it");
    comm.close();
    drop(comm);
    assert_eq!(noted(), ["abort"]);
}
