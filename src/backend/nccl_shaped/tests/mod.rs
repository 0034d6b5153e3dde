//! Tests of the communicator, over a fake library that records its calls.

mod calls;
mod connect;
mod ending;

use std::ffi::{c_char, c_int, c_void};
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};

use super::communicator::{Calls, Communicator};
use super::connect::Connecting;
use super::features::Features;
use super::functions::{Functions, Handle, UniqueId};
use super::stream::{NoStream, Stream};
use crate::backend::MemoryKind;
use crate::backend::engine::{Exchange, ForeignComm, OobExchange, UniformCall};
use crate::backend::inside;
use crate::backend::nccl::NCCL;
use crate::base::{Collective, Datatype, Error, Rank, ReduceOp, Result};

/// The calls in order. `TEST` lets one test at a time use it.
static CALLS: Mutex<Vec<String>> = Mutex::new(Vec::new());
static TEST: Mutex<()> = Mutex::new(());
/// The result of every call, and that of the question for an asynchronous error.
static ANSWER: AtomicI32 = AtomicI32::new(0);
static ASYNCHRONOUS: AtomicI32 = AtomicI32::new(0);
/// Whether the making and the abort of a communicator last until this is unset.
static IS_HELD: AtomicBool = AtomicBool::new(false);

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
unsafe extern "C" fn init(
    _: *mut Handle,
    size: usize,
    _: UniqueId<128>,
    rank: c_int,
    _: *mut c_void,
) -> c_int {
    let result = note(format!("init {rank} of {size}"));
    while_held();
    result
}
fn while_held() {
    while IS_HELD.load(Ordering::SeqCst) {
        thread::yield_now();
    }
}
unsafe extern "C" fn finalize(_: Handle) -> c_int {
    note("finalize".into())
}
unsafe extern "C" fn destroy(_: Handle) -> c_int {
    note("destroy".into())
}
unsafe extern "C" fn abort(_: Handle) -> c_int {
    let result = note("abort".into());
    while_held();
    result
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

fn functions() -> Arc<Functions<128>> {
    Arc::new(Functions {
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
    })
}

fn features(averages: bool) -> Features {
    Features { memory: MemoryKind::Cpu, float8: false, averages, messages: true, aborts: true }
}

/// A communicator of rank 1 of 3.
fn communicator(averages: bool, stream: Box<dyn Stream>) -> Communicator<128> {
    Communicator::new(Calls {
        dialect: &NCCL,
        functions: functions(),
        features: features(averages),
        handle: ptr::null_mut(),
        stream,
        rank: 1,
        size: 3,
        is_aborted: AtomicBool::new(false),
        has_let_go: AtomicBool::new(false),
        questions: Mutex::default(),
        handover: Mutex::default(),
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

fn wait_until(is_there: impl Fn() -> bool) {
    while !is_there() {
        thread::yield_now();
    }
}

fn is_noted(call: &str) -> bool {
    CALLS.lock().iter().any(|noted| noted == call)
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
