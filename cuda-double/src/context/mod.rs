//! Contexts: the primary one of each device, those that programs create, and the stack of each thread.

pub mod api;
pub mod limits;
pub mod primary;
mod teardown;

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread::ThreadId;

use parking_lot::Mutex;

use crate::capture::rules;
use crate::counts::{self, Kind};
use crate::device::{Device, Ordinal};
use crate::handles::{Table, fresh};
use crate::host_thread::Caller;
use crate::loud;
use crate::status::{Result, Status};
use crate::stream::{Stream, StreamKind};

pub use api::GREATEST_PRIORITY;
pub use primary::primary_of;

/// Number of limits (`CUlimit`).
pub const LIMITS: usize = 7;

/// What a limit is at first: stack, buffer of printf, heap, depth, pending launches, L2 fetch, persisting L2.
const INITIAL_LIMITS: [usize; LIMITS] = [1024, 1 << 20, 8 << 20, 2, 2048, 64, 0];

/// A context: what belongs to one device and is destroyed together.
pub struct Context {
    /// The `CUcontext`.
    pub handle: usize,
    /// Its device.
    pub device: &'static Arc<Device>,
    /// `CUctx_flags`.
    pub flags: AtomicU32,
    /// The legacy default stream.
    pub legacy: Arc<Stream>,
    /// The default stream of each thread that used one.
    per_thread: Mutex<HashMap<ThreadId, Arc<Stream>>>,
    /// Devices whose memory kernels of this context may access.
    pub peers: Mutex<HashSet<Ordinal>>,
    /// `CUlimit`s.
    pub limits: Mutex<[usize; LIMITS]>,
    /// The thread that runs host functions of all its streams, one after the other.
    pub host_functions: Caller,
    /// The error that corrupted the context; zero for none.
    sticky: AtomicU32,
    is_destroyed: AtomicBool,
}

static CONTEXTS: Table<Context> = Table::empty();

thread_local! {
    /// The contexts that this thread has pushed; the last one is current. Zero stands for no context.
    static STACK: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

impl Context {
    fn create(device: &'static Arc<Device>, flags: u32) -> Arc<Context> {
        let handle = fresh();
        let context = Arc::new_cyclic(|context| Context {
            handle,
            device,
            flags: AtomicU32::new(flags),
            legacy: Stream::create(context.clone(), handle, device, StreamKind::Legacy, 0),
            per_thread: Mutex::new(HashMap::new()),
            peers: Mutex::new(HashSet::new()),
            limits: Mutex::new(INITIAL_LIMITS),
            host_functions: Caller::default(),
            sticky: AtomicU32::new(0),
            is_destroyed: AtomicBool::new(false),
        });
        CONTEXTS.insert(handle, Arc::clone(&context));
        counts::add(Kind::Contexts, 1);
        context
    }

    /// The default stream of the calling thread.
    pub fn per_thread_stream(self: &Arc<Context>) -> Arc<Stream> {
        let thread = std::thread::current().id();
        let mut streams = self.per_thread.lock();
        let owner = Arc::downgrade(self);
        let create = || Stream::create(owner, self.handle, self.device, StreamKind::Blocking, 0);
        Arc::clone(streams.entry(thread).or_insert_with(create))
    }

    /// All its streams.
    pub fn streams(&self) -> Vec<Arc<Stream>> {
        let streams = self.device.streams.lock();
        let streams = streams.iter().filter_map(|stream| stream.upgrade());
        streams.filter(|stream| stream.context == self.handle).collect()
    }

    /// Waits until all its work is done.
    pub fn synchronize(&self) -> Result {
        rules::refuse_in_context(self.handle)?;
        let ends: Vec<_> = {
            let _submission = self.device.submission.lock();
            self.streams().iter().map(|stream| stream.end()).collect()
        };
        ends.iter().for_each(|end| end.wait());
        self.check()
    }

    /// Fails once the context is corrupt.
    pub fn check(&self) -> Result {
        match self.sticky.load(Ordering::Acquire) {
            0 if self.is_destroyed.load(Ordering::Acquire) => Err(Status::CONTEXT_IS_DESTROYED),
            0 => Ok(()),
            error => Err(Status(error)),
        }
    }

    /// Corrupts the context, as an illegal access of a kernel does.
    pub fn corrupt(&self, error: Status, sentence: &str) {
        loud::say(&format!("{sentence}: the context is corrupt from now on, error {}", error.0));
        let _ = self.sticky.compare_exchange(0, error.0, Ordering::AcqRel, Ordering::Acquire);
    }
}

/// The context of a handle.
pub fn get(handle: usize) -> Result<Arc<Context>> {
    CONTEXTS.get(handle).map_err(|_| Status::INVALID_CONTEXT)
}

/// The handle of the current context of this thread; zero for none, also while the thread ends.
pub fn current_handle() -> usize {
    STACK.try_with(|stack| stack.borrow().last().copied().unwrap_or(0)).unwrap_or(0)
}

/// The current context of this thread; an error if there is none or it is corrupt.
pub fn current() -> Result<Arc<Context>> {
    let handle = current_handle();
    if handle == 0 {
        return Err(Status::INVALID_CONTEXT);
    }
    let context = CONTEXTS.get(handle).map_err(|_| Status::CONTEXT_IS_DESTROYED)?;
    context.check()?;
    Ok(context)
}

fn set_current(handle: usize) {
    change_stack(|stack| {
        stack.pop();
        if handle != 0 {
            stack.push(handle);
        }
    });
}

fn push(handle: usize) {
    change_stack(|stack| stack.push(handle));
}

fn pop() -> Result<usize> {
    change_stack(|stack| stack.pop()).flatten().ok_or(Status::INVALID_CONTEXT)
}

/// Changes the contexts of this thread. A thread that ends has none.
fn change_stack<T>(change: impl FnOnce(&mut Vec<usize>) -> T) -> Option<T> {
    STACK.try_with(|stack| change(&mut stack.borrow_mut())).ok()
}

/// The device of the current context.
pub fn current_device() -> Result<&'static Arc<Device>> {
    Ok(current()?.device)
}

/// Whether kernels of `context` may access memory of the device at `owner`.
pub fn may_access(context: &Context, owner: Ordinal) -> bool {
    owner == context.device.ordinal || context.peers.lock().contains(&owner)
}
