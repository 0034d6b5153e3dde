//! `shm`: the transport between two ranks of one host, through memory that both map.
//!
//! The memory is a sealed `memfd`, passed over the pair's Unix socket (`connect`). It has no name in any file
//! system, so kill -9 leaves nothing behind. Each direction is a ring of slots (`layout`, `control_line`,
//! `ring`, `protocol`). A payload of more than a few bytes lies in a bounce buffer, and both sides recycle
//! these buffers (`pool`). The receiver reads, and reduces, straight out of them. Large messages are read in
//! the sender's memory instead (`exposure`), if the kernel permits it (`cma`) or if both sides can map that
//! memory (`zero_copy`).
//!
//! `send` and `recv` are the two halves of a link, and `fast_path` is the short way through both. `adapt` has
//! the choices that a link makes from its own measurements.
//!
//! Nothing that the peer wrote is trusted. Each field is loaded once, then checked. Payload is handed on as a
//! raw pointer, never as a reference.

mod adapt;
mod cma;
mod connect;
mod control_line;
mod exposure;
mod fast_path;
#[cfg(any(test, feature = "fuzzing"))]
pub(super) mod foreign_bytes;
mod layout;
mod pair;
mod pool;
mod protocol;
mod recv;
mod ring;
mod send;
mod zero_copy;

use std::io;
use std::os::fd::RawFd;

use self::adapt::cache_distance::CacheDistance;
use self::adapt::cma_choice::CmaChoice;
use self::adapt::store_mode::StoreMode;
use self::cma::Cma;
use self::exposure::Exposures;
use self::pair::PairMemory;
use self::pool::BouncePool;
use self::protocol::Ordering;
use self::recv::RecvRing;
use self::send::SendRing;
use self::zero_copy::ZeroCopy;
use super::{Arrival, Header, Link, SingleCopy};
use crate::sys::shared_memory::SharedMemory;

pub use adapt::exchange_trial::{ExchangeRun, ExchangeTrial};
pub use connect::{Offered, Settings, accept, offer};
pub use control_line::FRAGMENT_BYTES;
pub use zero_copy::ZERO_COPY_BYTES;

/// A link through shared memory.
pub struct ShmLink {
    /// The memory of the pair. It outlives the handles in `send` and `recv`.
    memory: PairMemory,
    send: SendRing,
    recv: RecvRing,
    /// Bounce buffers that this side may fill.
    pool: BouncePool,
    /// How often the pool has been rebalanced.
    rebalanced: u32,
    /// Messages in this side's memory that the peer reads there.
    exposures: Exposures,
    /// Whether something was published or released since the last look at the peer's sleeping flag.
    is_doorbell_due: bool,
    /// Whether ranks share processors.
    is_oversubscribed: bool,
    /// Whether the peer's core is far, and if so, how bytes are stored for it.
    distance: CacheDistance,
    store_mode: StoreMode,
    /// The peer's memory, if the kernel can copy from it, and whether this side prefers that.
    cma: Cma,
    cma_choice: CmaChoice,
    /// The arenas of both sides.
    zero_copy: ZeroCopy,
}

// SAFETY: the raw pointers in `send` and `recv` point into `memory`, which the link owns and which any thread
// may use; all access goes through `&mut self`.
unsafe impl Send for ShmLink {}

impl ShmLink {
    /// Makes the link of one side. `mapping` is zeroed, `layout::pair_bytes(slots)` long, and mapped by
    /// exactly two links, one for each side. `peer` is the process of the other side, if it is known.
    fn new(
        mapping: SharedMemory,
        slots: usize,
        side: usize,
        peer: Option<libc::pid_t>,
    ) -> io::Result<ShmLink> {
        let memory = PairMemory::new(mapping, slots, side);
        cma::publish_stamp(memory.own_single_copy())?;
        // SAFETY: the link owns the memory and the handles, and drops them together.
        let (outgoing, incoming) = unsafe { memory.rings() };
        Ok(ShmLink {
            send: SendRing::new(outgoing, slots),
            recv: RecvRing::new(incoming, slots, memory.lead()),
            pool: BouncePool::new(side, memory.quota()),
            memory,
            rebalanced: 0,
            exposures: Exposures::default(),
            is_doorbell_due: false,
            is_oversubscribed: false,
            distance: CacheDistance::default(),
            store_mode: StoreMode::default(),
            cma: Cma::new(peer),
            cma_choice: CmaChoice::default(),
            zero_copy: ZeroCopy::default(),
        })
    }
}

impl Link for ShmLink {
    #[inline]
    unsafe fn send(
        &mut self,
        header: &Header,
        data: *const u8,
        bytes: usize,
        single_copy: SingleCopy,
    ) -> io::Result<Option<usize>> {
        // SAFETY: passed on from our caller.
        unsafe { self.send_message(header, data, bytes, single_copy) }
    }

    fn send_filled(
        &mut self,
        header: &Header,
        bytes: usize,
        fill: &mut dyn FnMut(*mut u8, usize, usize),
    ) -> Option<io::Result<Option<usize>>> {
        Some(self.send_filled_message(header, bytes, fill))
    }

    fn cancel_sent(&mut self, header: &Header) {
        self.send.cancel(header);
    }

    unsafe fn abandon(&mut self, header: &Header, _data: *const u8, _bytes: usize) {
        self.exposures.abandon(&self.send.ring, header);
    }

    #[inline]
    fn head(&mut self) -> io::Result<Option<Header>> {
        self.look_at_head()
    }

    #[inline]
    fn arrival(&mut self) -> io::Result<Arrival> {
        self.arrival_of_head()
    }

    #[inline]
    unsafe fn take(&mut self, dst: *mut u8, bytes: usize, streamed: bool) -> io::Result<usize> {
        // SAFETY: passed on from our caller.
        unsafe { self.take_from_head(dst, bytes, streamed) }
    }

    #[inline]
    fn consume(&mut self, bytes: usize) -> io::Result<()> {
        self.consume_head(bytes)
    }

    fn discard(&mut self) -> io::Result<bool> {
        let Some(head) = self.recv.head else { return Ok(false) };
        // Nobody has looked at the bytes, so it does not matter what they were.
        let _ = self.consume_head(head.bytes - head.consumed);
        Ok(true)
    }

    fn set_oversubscribed(&mut self, oversubscribed: bool) {
        self.is_oversubscribed = oversubscribed;
    }

    fn descriptor(&self) -> Option<RawFd> {
        None
    }

    fn set_sleeping(&mut self, sleeping: bool) {
        let flag = self.memory.own_sleeping();
        if sleeping {
            protocol::announce_sleep(flag);
        } else {
            flag.store(0, Ordering::Relaxed);
        }
    }

    #[inline]
    fn peer_needs_doorbell(&mut self) -> bool {
        std::mem::take(&mut self.is_doorbell_due) && protocol::must_wake(self.memory.peer_sleeping())
    }

    #[inline]
    fn peer_is_asleep(&self) -> bool {
        self.is_doorbell_due && self.memory.peer_sleeping().load(Ordering::Relaxed) != 0
    }

    fn transport(&self) -> &'static str {
        "shm"
    }
}

#[cfg(test)]
mod tests;
