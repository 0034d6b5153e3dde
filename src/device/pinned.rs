//! Page-locked memory of the host, in which buffers of devices have their copies.
//!
//! All communicators of the process share one pool. It grows when a call needs more than is free, and is kept
//! until the process ends. Growing may make the driver wait for all work of the device. That must not happen
//! while a stream waits for a flag of ours, because the flag may only be raised after this thread goes on. So
//! each call counts as queued from before its wait until its stream has passed it, and the pool grows only
//! while no call is queued ([`Queued`]).

use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use super::driver::CudaDriver;
use crate::base::{Error, Result};
use crate::memory::Carver;

/// Size of the first region. Later ones are as large as all earlier ones together, or as the call needs.
const FIRST_BYTES: usize = 16 << 20;
/// Longest time for which a call waits for room that other calls use.
const PATIENCE: Duration = Duration::from_secs(60);

static POOL: Mutex<Pool> = Mutex::new(Pool { regions: Vec::new(), queued: 0 });
/// Signalled when a block is given back, and when no call is queued any more.
static CHANGED: Condvar = Condvar::new();

struct Pool {
    regions: Vec<Region>,
    /// Number of calls for which a stream waits.
    queued: usize,
}

struct Region {
    start: *mut u8,
    bytes: usize,
    carver: Carver,
}

// SAFETY: the pool only hands out disjoint parts of the memory, under its lock.
unsafe impl Send for Region {}

/// A part of the pool. Dropping it gives it back.
#[derive(Debug)]
pub(super) struct Block {
    start: *mut u8,
    region: usize,
    offset: usize,
}

// SAFETY: a block belongs to its owner alone, whatever thread that is in.
unsafe impl Send for Block {}
// SAFETY: sharing a block gives its address only.
unsafe impl Sync for Block {}

impl Block {
    /// Takes a block. It waits if the room is in use and the pool cannot grow now. The current thread has a
    /// context.
    pub fn take(driver: &'static CudaDriver, bytes: usize) -> Result<Block> {
        let mut pool = POOL.lock();
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(block) = pool.take(bytes) {
                return Ok(block);
            }
            if pool.queued == 0 {
                pool.grow(driver, bytes)?;
                continue;
            }
            if CHANGED.wait_until(&mut pool, end).timed_out() {
                return Err(no_room(bytes, pool.queued));
            }
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
        POOL.lock().regions[self.region].carver.give_back(self.offset);
        CHANGED.notify_all();
    }
}

/// A call that may have a wait in a stream. The pool does not grow while there is any.
#[derive(Debug)]
pub(super) struct Queued(());

impl Queued {
    /// Counts a call.
    pub fn new() -> Queued {
        POOL.lock().queued += 1;
        Queued(())
    }
}

/// Does what may make the driver wait for all work of a device, if no call of this process is queued. None is
/// queued meanwhile. `None`: nothing was done.
pub fn when_quiet<T>(action: impl FnOnce() -> T) -> Option<T> {
    let pool = POOL.lock();
    (pool.queued == 0).then(action)
}

impl Drop for Queued {
    fn drop(&mut self) {
        POOL.lock().queued -= 1;
        CHANGED.notify_all();
    }
}

impl Pool {
    fn take(&mut self, bytes: usize) -> Option<Block> {
        self.regions.iter_mut().enumerate().find_map(|(region, place)| {
            let (offset, _) = place.carver.take(bytes)?;
            Some(Block { start: place.start.wrapping_add(offset), region, offset })
        })
    }

    fn grow(&mut self, driver: &'static CudaDriver, bytes: usize) -> Result<()> {
        let _ignored = driver.ignore_captures();
        let all: usize = self.regions.iter().map(|region| region.bytes).sum();
        let wanted = bytes.next_multiple_of(FIRST_BYTES);
        // If there is no memory for a generous region, there may be enough for this call.
        let (start, bytes) = match driver.allocate_pinned(all.max(wanted)) {
            Ok(start) => (start, all.max(wanted)),
            Err(_) => (driver.allocate_pinned(wanted)?, wanted),
        };
        self.regions.push(Region { start, bytes, carver: Carver::new(bytes) });
        Ok(())
    }
}

#[cold]
fn no_room(bytes: usize, queued: usize) -> Error {
    Error::InvalidUsage(format!(
        "{bytes} bytes of page-locked memory are needed, and {queued} calls that are queued on streams keep the pool from \
         growing: a thread that makes calls for several ranks puts them into a group"
    ))
}
