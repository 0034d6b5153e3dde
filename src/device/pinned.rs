//! Pinned memory of the host, in which buffers of devices have their copies.
//!
//! All communicators of the process share one pool. It grows while no call is queued. It shrinks by what many
//! calls have not needed, and is given back when the last communicator that has used it ends. Growing and
//! shrinking may make the driver wait for all work of the device. That should not happen while a stream waits
//! for a flag of ours, because the flag may only be raised after this thread goes on. So each call counts as
//! queued from before its wait until its stream has passed it ([`Queued`]).
//!
//! Nobody waits for a block. A call that finds none goes by ordinary memory, and needs only small blocks:
//! for its words, and one at a time through which its copies go. These come from a reserve
//! ([`Block::of_reserve`]), so that calls which hold the rest of the pool do not keep such a call from its
//! end.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use parking_lot::{Mutex, MutexGuard};

use super::context::Entered;
use super::context_key::ContextKey;
use super::driver::CudaDriver;
use super::few_queues::{Waiting, warn_if_shared};
use super::handles::{CudaContext, CudaStream};
use crate::base::{Error, Result};
use crate::log_line;
use crate::memory::Carver;
use crate::sys::shared_memory::AnonymousMapping;

/// Size of the first region. Later ones are as large as all earlier ones together, or as the call needs.
const FIRST_BYTES: usize = 16 << 20;
/// Size of a reserve: small blocks of thousands of calls.
const RESERVE_BYTES: usize = 4 << 20;
/// Size of the pool at the first call.
pub const PINNED_AT_FIRST: usize = FIRST_BYTES + RESERVE_BYTES;
/// Size up to which the pool grows, at the next quiet moment, because a call has found no block.
pub const PINNED_FOR_LATER: usize = 256 << 20;
/// Blocks that are taken elsewhere before a region in which none is taken counts as not needed.
const IDLE_TAKES: u64 = 1000;

static POOL: Mutex<Pool> = Mutex::new(Pool {
    regions: Vec::new(),
    latest_region: 0,
    users: 0,
    takes: 0,
    queued: Vec::new(),
    missing: 0,
});

/// Launches of graphs for whose end a stream waits. A thread of the driver counts them, so it takes no lock.
static LAUNCHES: AtomicUsize = AtomicUsize::new(0);

struct Pool {
    regions: Vec<Region>,
    /// The number of the region that was added last.
    latest_region: u64,
    /// Number of communicators that may take blocks.
    users: usize,
    /// Number of blocks that were taken for calls.
    takes: u64,
    /// The calls for which a stream waits.
    queued: Vec<Waiting>,
    /// Bytes of the largest block that was not found since the pool has grown.
    missing: usize,
}

struct Region {
    number: u64,
    driver: &'static CudaDriver,
    /// The context that pins the memory.
    context: ContextKey,
    /// Unset when it is given back.
    memory: Option<AnonymousMapping>,
    start: *mut u8,
    bytes: usize,
    carver: Carver,
    is_reserve: bool,
    /// Number of blocks that were taken when one was last taken here.
    used: u64,
}

// SAFETY: the pool only hands out disjoint parts of the memory, under its lock.
unsafe impl Send for Region {}

/// A communicator that may take blocks. When the last one is dropped, the pool is given back.
pub(crate) struct PoolUser(());

/// A part of the pool. Dropping it gives it back.
#[derive(Debug)]
pub(crate) struct Block {
    start: *mut u8,
    region: u64,
    offset: usize,
}

// SAFETY: a block belongs to its owner alone, whatever thread that is in.
unsafe impl Send for Block {}
// SAFETY: sharing a block gives its address only.
unsafe impl Sync for Block {}

impl Block {
    /// Takes a block for a call in this context. `None`: all are in use, and the pool cannot grow now. The
    /// current thread has a context.
    pub fn take(driver: &'static CudaDriver, context: ContextKey, bytes: usize) -> Result<Option<Block>> {
        let mut pool = POOL.lock();
        pool.takes += 1;
        if pool.is_quiet() {
            pool.give_back_idle();
            pool.grow_for_later(driver, context)?;
        }
        if let Some(block) = pool.take(context, bytes, false) {
            return Ok(Some(block));
        }
        if !pool.is_quiet() {
            pool.missing = pool.missing.max(bytes);
            return Ok(None);
        }
        let region = Region::allocate(driver, context, bytes, pool.bytes(context))?;
        pool.add(region);
        Ok(pool.take(context, bytes, false))
    }

    /// Takes a block that is kept for long. If all are in use, the pool grows, even while calls are queued,
    /// as in [`Block::of_reserve`]. The current thread has a context.
    pub fn kept(driver: &'static CudaDriver, context: ContextKey, bytes: usize) -> Result<Block> {
        if let Some(block) = Block::take(driver, context, bytes)? {
            return Ok(block);
        }
        let mut pool = POOL.lock();
        let region = MutexGuard::unlocked(&mut pool, || Region::allocate(driver, context, bytes, 0))?;
        pool.add(region);
        pool.take(context, bytes, false).ok_or_else(|| Error::Internal("a region without its block".into()))
    }

    /// Takes a small block of the reserve. If all of the reserve is in use, another one is allocated, even
    /// while calls are queued. Drivers of GPUs were seen to do so while a stream waits (docs/gpu.md, facts of
    /// the driver). The current thread has a context.
    pub fn of_reserve(driver: &'static CudaDriver, context: ContextKey, bytes: usize) -> Result<Block> {
        let mut pool = POOL.lock();
        loop {
            if let Some(block) = pool.take(context, bytes, true) {
                return Ok(block);
            }
            let reserve = || Region::reserve(driver, context, bytes);
            // None may become queued meanwhile. Those that are queued need the pool to end.
            let region = if pool.is_quiet() { reserve() } else { MutexGuard::unlocked(&mut pool, reserve) }?;
            pool.add(region);
        }
    }

    /// Takes a block of the reserve, if there is one.
    pub fn if_in_reserve(context: ContextKey, bytes: usize) -> Option<Block> {
        POOL.lock().take(context, bytes, true)
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
        if let Some(region) = pool.regions.iter_mut().find(|region| region.number == self.region) {
            region.carver.give_back(self.offset);
        }
        pool.give_back_if_unused();
    }
}

impl PoolUser {
    /// Counts a communicator.
    pub fn new() -> PoolUser {
        POOL.lock().users += 1;
        PoolUser(())
    }
}

impl Drop for PoolUser {
    fn drop(&mut self) {
        let mut pool = POOL.lock();
        pool.users -= 1;
        pool.give_back_if_unused();
    }
}

/// Bytes of pinned memory that the pool of this process has.
pub fn pinned_bytes() -> usize {
    POOL.lock().regions.iter().map(|region| region.bytes).sum()
}

/// A call that may have a wait in a stream.
#[derive(Debug)]
pub(crate) struct Queued(Waiting);

impl Queued {
    /// Counts a call of this thread, on a stream of this context. `holds_queue`: the stream waits for a
    /// value.
    pub fn new(context: CudaContext, stream: CudaStream, holds_queue: bool) -> Queued {
        let call = Waiting { thread: thread::current().id(), context, stream };
        let mut pool = POOL.lock();
        if holds_queue {
            warn_if_shared(&call, &pool.queued);
        }
        pool.queued.push(call);
        Queued(call)
    }
}

/// Counts a launch of a graph whose stream is about to wait for it.
pub(crate) fn note_launch() {
    LAUNCHES.fetch_add(1, Ordering::AcqRel);
}

/// Notes that the stream of such a launch goes on.
pub(crate) fn note_launch_ended() {
    LAUNCHES.fetch_sub(1, Ordering::AcqRel);
}

/// Does what may make the driver wait for all work of a device, if no call of this process is queued, and no
/// stream waits for a launch of a graph. None is queued meanwhile. A graph may be launched, so no launch
/// needs the pool, or anything that `action` locks. `None`: nothing was done.
pub fn when_quiet<T>(action: impl FnOnce() -> T) -> Option<T> {
    let pool = POOL.lock();
    pool.is_quiet().then(action)
}

impl Drop for Queued {
    fn drop(&mut self) {
        let mut pool = POOL.lock();
        let at = pool.queued.iter().position(|call| *call == self.0).expect("added when this was made");
        pool.queued.swap_remove(at);
        pool.give_back_if_unused();
    }
}

impl Pool {
    /// Whether no stream waits for a call.
    fn is_quiet(&self) -> bool {
        self.queued.is_empty() && LAUNCHES.load(Ordering::Acquire) == 0
    }

    fn take(&mut self, context: ContextKey, bytes: usize, of_reserve: bool) -> Option<Block> {
        let usable = |region: &Region| region.is_reserve == of_reserve && region.is_usable_in(context);
        let takes = self.takes;
        self.regions.iter_mut().filter(|region| usable(region)).find_map(|region| {
            let (offset, _) = region.carver.take(bytes)?;
            region.used = takes;
            Some(Block { start: region.start.wrapping_add(offset), region: region.number, offset })
        })
    }

    fn add(&mut self, mut region: Region) {
        self.latest_region += 1;
        (region.number, region.used) = (self.latest_region, self.takes);
        self.regions.push(region);
    }

    /// Gives back a region that many calls have not needed. The first one, and the reserves, stay: a call may
    /// need them while others are queued. No call is queued.
    fn give_back_idle(&mut self) {
        let is_idle = |region: &Region| self.takes - region.used > IDLE_TAKES && region.is_unused();
        let in_use = self.regions.iter().skip_while(|region| region.is_reserve).skip(1);
        let found = in_use.filter(|region| !region.is_reserve && is_idle(region)).map(|region| region.number);
        if let Some(number) = found.last() {
            self.give_back(|region| region.number == number);
        }
    }

    /// Gives back all regions without blocks, if no communicator may take one.
    fn give_back_if_unused(&mut self) {
        if self.users == 0 && self.is_quiet() {
            self.give_back(Region::is_unused);
        }
    }

    fn give_back(&mut self, is_given_back: impl Fn(&Region) -> bool) {
        let before = self.regions.len();
        self.regions.retain(|region| !is_given_back(region));
        if self.regions.len() < before {
            let left: usize = self.regions.iter().map(|region| region.bytes).sum();
            log_line!(Debug, "pinned memory of this process: some given back, {} MiB left", left >> 20);
        }
    }

    /// The regions for blocks of calls that a call in this context can use.
    fn usable(&self, context: ContextKey, is_reserve: bool) -> impl Iterator<Item = &Region> {
        self.regions
            .iter()
            .filter(move |region| region.is_reserve == is_reserve && region.is_usable_in(context))
    }

    /// Bytes of all regions for blocks of calls that a call in this context can use.
    fn bytes(&self, context: ContextKey) -> usize {
        self.usable(context, false).map(|region| region.bytes).sum()
    }

    /// Allocates what calls need while others are queued: a reserve, and what calls have not found before. No
    /// call is queued.
    fn grow_for_later(&mut self, driver: &'static CudaDriver, context: ContextKey) -> Result<()> {
        if self.usable(context, true).next().is_none() {
            self.add(Region::reserve(driver, context, 0)?);
        }
        let missing = std::mem::take(&mut self.missing);
        let all = self.bytes(context);
        let most = PINNED_FOR_LATER.saturating_sub(all);
        if missing > 0 && missing.next_multiple_of(FIRST_BYTES) <= most {
            // Without it, calls that find no block are only slower.
            if let Ok(region) = Region::allocate(driver, context, missing, all.min(most)) {
                self.add(region);
            }
        }
        Ok(())
    }
}

impl Region {
    /// Whether no call uses it.
    fn is_unused(&self) -> bool {
        self.carver.is_unused()
    }

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
        let wanted = bytes.next_multiple_of(FIRST_BYTES);
        let region = |bytes| Region::new(driver, context, bytes, false);
        region(all.max(wanted)).or_else(|_| region(wanted))
    }

    /// Allocates a reserve, from which a block of `bytes` bytes can be taken.
    fn reserve(driver: &'static CudaDriver, context: ContextKey, bytes: usize) -> Result<Region> {
        Region::new(driver, context, bytes.max(RESERVE_BYTES), true)
    }

    fn new(
        driver: &'static CudaDriver,
        context: ContextKey,
        bytes: usize,
        is_reserve: bool,
    ) -> Result<Region> {
        let _ignored = driver.ignore_captures();
        let _entered = Entered::in_context(driver, context.context())?;
        let memory = driver.allocate_pinned(bytes)?;
        let (start, carver) = (memory.start(), Carver::new(bytes));
        let memory = Some(memory);
        Ok(Region { number: 0, driver, context, memory, start, bytes, carver, is_reserve, used: 0 })
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        let Some(memory) = self.memory.take() else { return };
        if self.context.has_gone() {
            // It is not pinned any more.
            return;
        }
        let _ignored = self.driver.ignore_captures();
        // This thread may have another context, or none. Without any, the driver may refuse.
        let is_pushed = self.driver.push(self.context.context()).is_ok();
        // An error means that the device has failed, and nothing is left to do.
        let _ = self.driver.free_pinned(memory);
        if is_pushed {
            self.driver.pop();
        }
    }
}
