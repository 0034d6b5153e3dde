//! Pinned memory of the host, in which buffers of devices have their copies.
//!
//! All communicators of the process share one pool. It grows when a call needs more than is free, and is
//! kept until the process ends. Growing may make the driver wait for all work of the device. That should
//! not happen while a stream waits for a flag of ours, because the flag may only be raised after this
//! thread goes on. So each call counts as queued from before its wait until its stream has passed it
//! ([`Queued`]). A call that finds no free block waits for one, or until no call is queued.
//!
//! If ranks are threads of one process, that may wait for ever: the queued calls of one rank wait for the
//! call of another, which waits here for a block. So after [`STALL`] without a change the pool grows beside
//! calls that other threads have queued. Drivers of GPUs were seen to allocate pinned memory while a
//! stream waits (docs/gpu.md, facts of the driver). Where one does not, the deadlines of the queued calls
//! end them, and it goes on.

use std::thread;
use std::time::Duration;

use parking_lot::{Condvar, Mutex, MutexGuard};

use super::context::Entered;
use super::context_key::ContextKey;
use super::driver::CudaDriver;
use super::few_queues::{Waiting, warn_if_shared};
use super::handles::{CudaContext, CudaStream};
use crate::base::{Error, Result};
use crate::log_line;
use crate::memory::Carver;
use crate::sys::clock;

/// Size of the first region. Later ones are as large as all earlier ones together, or as the call needs.
const FIRST_BYTES: usize = 16 << 20;
/// Longest time for which a call waits for blocks that other calls use.
const PATIENCE: Duration = Duration::from_secs(60);
/// Time without a change after which the pool grows beside queued calls of other threads.
const STALL: Duration = Duration::from_secs(1);

static POOL: Mutex<Pool> =
    Mutex::new(Pool { regions: Vec::new(), queued: Vec::new(), changes: 0, is_growing: false });
/// Signalled when a block is given back, when a call is not queued any more, and when the pool has grown.
static CHANGED: Condvar = Condvar::new();

struct Pool {
    regions: Vec<Region>,
    /// The calls for which a stream waits.
    queued: Vec<Waiting>,
    /// Number of blocks and calls that have ended, and of regions.
    changes: u64,
    /// Whether a thread allocates a region without the lock.
    is_growing: bool,
}

struct Region {
    /// The memory goes with it.
    context: ContextKey,
    start: *mut u8,
    bytes: usize,
    carver: Carver,
}

// SAFETY: the pool only hands out disjoint parts of the memory, under its lock.
unsafe impl Send for Region {}

/// A part of the pool. Dropping it gives it back.
#[derive(Debug)]
pub(crate) struct Block {
    start: *mut u8,
    region: usize,
    offset: usize,
}

// SAFETY: a block belongs to its owner alone, whatever thread that is in.
unsafe impl Send for Block {}
// SAFETY: sharing a block gives its address only.
unsafe impl Sync for Block {}

impl Block {
    /// Takes a block for a call in this context. It waits if all blocks are in use and the pool cannot grow
    /// now. The current thread has a context.
    pub fn take(driver: &'static CudaDriver, context: ContextKey, bytes: usize) -> Result<Block> {
        let mut pool = POOL.lock();
        let mut seen = (pool.changes, clock::now());
        let end = seen.1 + PATIENCE;
        loop {
            if let Some(block) = pool.take(context, bytes) {
                return Ok(block);
            }
            if pool.queued.is_empty() {
                let region = Region::allocate(driver, context, bytes, pool.bytes(context))?;
                pool.add(region);
                continue;
            }
            let now = clock::now();
            if now >= end {
                return Err(no_block(bytes, pool.queued.len()));
            }
            if pool.changes != seen.0 {
                seen = (pool.changes, now);
            }
            let stalled_at = seen.1 + STALL;
            if now >= stalled_at && pool.may_grow_beside_calls() {
                grow_beside_calls(&mut pool, driver, context, bytes);
                continue;
            }
            let next = if now < stalled_at { stalled_at } else { now + STALL };
            clock::wait_until(&CHANGED, &mut pool, next.min(end));
        }
    }

    /// Its first byte, aligned to 64 bytes.
    pub fn start(&self) -> *mut u8 {
        self.start
    }

    /// Keeps the block from its next user for ever: a device may still use it.
    pub fn leak(self) {
        std::mem::forget(self);
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        let mut pool = POOL.lock();
        pool.regions[self.region].carver.give_back(self.offset);
        pool.note_change();
    }
}

/// A call that may have a wait in a stream. The pool grows beside it only after a [`STALL`].
#[derive(Debug)]
pub(crate) struct Queued(Waiting);

impl Queued {
    /// Counts a call of this thread, on a stream of this context.
    pub fn new(context: CudaContext, stream: CudaStream) -> Queued {
        let call = Waiting { thread: thread::current().id(), context, stream };
        let mut pool = POOL.lock();
        warn_if_shared(&call, &pool.queued);
        pool.queued.push(call);
        Queued(call)
    }
}

/// Does what may make the driver wait for all work of a device, if no call of this process is queued. None is
/// queued meanwhile. `None`: nothing was done.
pub fn when_quiet<T>(action: impl FnOnce() -> T) -> Option<T> {
    let pool = POOL.lock();
    pool.queued.is_empty().then(action)
}

impl Drop for Queued {
    fn drop(&mut self) {
        let mut pool = POOL.lock();
        let at = pool.queued.iter().position(|call| *call == self.0).expect("added when this was made");
        pool.queued.swap_remove(at);
        pool.note_change();
    }
}

impl Pool {
    fn take(&mut self, context: ContextKey, bytes: usize) -> Option<Block> {
        let regions = self.regions.iter_mut().enumerate().filter(|(_, region)| region.is_usable_in(context));
        regions.into_iter().find_map(|(region, place)| {
            let (offset, _) = place.carver.take(bytes)?;
            Some(Block { start: place.start.wrapping_add(offset), region, offset })
        })
    }

    /// Bytes of all regions that a call in this context can use.
    fn bytes(&self, context: ContextKey) -> usize {
        self.regions.iter().filter(|region| region.is_usable_in(context)).map(|region| region.bytes).sum()
    }

    fn add(&mut self, region: Region) {
        self.regions.push(region);
        self.note_change();
    }

    fn note_change(&mut self) {
        self.changes += 1;
        CHANGED.notify_all();
    }

    /// Whether other threads have queued calls, which may wait for a call of this thread.
    fn may_grow_beside_calls(&self) -> bool {
        let me = thread::current().id();
        !self.is_growing && self.queued.iter().any(|call| call.thread != me)
    }
}

/// Grows the pool while calls are queued. The pool is not locked meanwhile: to end, the calls need it. If it
/// fails, a block may be free later.
fn grow_beside_calls(
    pool: &mut MutexGuard<'static, Pool>,
    driver: &'static CudaDriver,
    context: ContextKey,
    bytes: usize,
) {
    let all = pool.bytes(context);
    pool.is_growing = true;
    let region = MutexGuard::unlocked(pool, || Region::allocate(driver, context, bytes, all));
    pool.is_growing = false;
    match region {
        Ok(region) => {
            pool.add(region);
            log_line!(
                Info,
                "pinned memory has grown to {} MiB beside {} queued calls, which may wait for a call that got no block",
                pool.bytes(context) >> 20,
                pool.queued.len()
            );
        }
        Err(error) => {
            pool.note_change();
            log_line!(Info, "pinned memory does not grow beside queued calls: {error}");
        }
    }
}

impl Region {
    /// Whether the memory is still there. All contexts can use it, while its own is alive.
    fn is_usable_in(&self, context: ContextKey) -> bool {
        self.context == context || !self.context.has_gone()
    }

    /// Allocates a region of at least `bytes` bytes, and as large as the others together, `all` bytes, if
    /// there is memory for that.
    fn allocate(
        driver: &'static CudaDriver,
        context: ContextKey,
        bytes: usize,
        all: usize,
    ) -> Result<Region> {
        let _ignored = driver.ignore_captures();
        let _entered = Entered::in_context(driver, context.context())?;
        let wanted = bytes.next_multiple_of(FIRST_BYTES);
        let (start, bytes) = match driver.allocate_pinned(all.max(wanted)) {
            Ok(start) => (start, all.max(wanted)),
            Err(_) => (driver.allocate_pinned(wanted)?, wanted),
        };
        Ok(Region { context, start, bytes, carver: Carver::new(bytes) })
    }
}

#[cold]
fn no_block(bytes: usize, queued: usize) -> Error {
    Error::InvalidUsage(format!(
        "{bytes} bytes of pinned memory are needed, and {queued} calls that are queued on streams keep the pool from \
         growing: a thread that makes calls for several ranks puts them into a group"
    ))
}
