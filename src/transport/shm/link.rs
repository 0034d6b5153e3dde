//! A link through shared memory: its parts, and what the engine sees of it.

use std::io;
use std::os::fd::{OwnedFd, RawFd};

use super::adapt::cache_distance::CacheDistance;
use super::adapt::cma_choice::CmaChoice;
use super::adapt::store_mode::StoreModes;
use super::cma::{Cma, publish_stamp};
use super::exposure::Exposures;
use super::pair::PairMemory;
use super::peer_arena::PeerArena;
use super::pool::BouncePool;
use super::protocol::{Ordering, announce_awake, announce_sleep, is_asleep, must_wake};
use super::recv_ring::RecvRing;
use super::send_ring::SendRing;
use super::zero_copy::ZeroCopy;
use crate::sys::owned::Owned;
use crate::sys::shared_memory::SharedMemory;
use crate::transport::{Arrival, Header, Link, SingleCopy};

/// A link through shared memory.
pub struct ShmLink {
    /// The memory of the pair. It outlives the handles in `send` and `recv`.
    pub(super) memory: PairMemory,
    pub(super) send: SendRing,
    pub(super) recv: RecvRing,
    /// Bounce buffers that this side may fill.
    pub(super) pool: BouncePool,
    /// How often the pool has been rebalanced.
    pub(super) rebalanced: u32,
    /// Messages in this side's memory that the peer reads there.
    pub(super) exposures: Exposures,
    /// Whether something was published or released since the last look at the peer's awake flag.
    pub(super) is_doorbell_due: bool,
    /// Whether ranks share processors.
    pub(super) is_oversubscribed: bool,
    /// Whether the peer's core is far, and if so, how bytes are stored for it.
    pub(super) distance: CacheDistance,
    pub(super) store_modes: StoreModes,
    /// The peer's memory, if the kernel can copy from it, and whether this side prefers that.
    pub(super) cma: Cma,
    pub(super) cma_choice: CmaChoice,
    /// The arenas of both sides.
    pub(super) zero_copy: ZeroCopy,
}

// SAFETY: the raw pointers in `send` and `recv` point into `memory`, which the link owns and which any thread
// may use; all access goes through `&mut self`.
unsafe impl Send for ShmLink {}

impl ShmLink {
    /// Makes the link of one side. `mapping` is zeroed, `layout::pair_bytes(slots)` long, and mapped by
    /// exactly two links, one for each side. `peer` is the process of the other side, if it is known.
    pub(super) fn new(
        mapping: SharedMemory,
        slots: usize,
        side: usize,
        peer: Option<libc::pid_t>,
    ) -> io::Result<ShmLink> {
        let memory = PairMemory::new(mapping, slots, side);
        publish_stamp(memory.own_single_copy())?;
        announce_awake(memory.own_awake());
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
            store_modes: StoreModes::default(),
            cma: Cma::new(peer),
            cma_choice: CmaChoice::default(),
            zero_copy: ZeroCopy::default(),
        })
    }

    /// Whether the peer's arena has not come.
    pub fn awaits_arena(&self) -> bool {
        self.zero_copy.peer.is_pending()
    }

    /// Takes over what is known of the peer's arena. This side's own messages may go by zero copy as soon as
    /// the peer has mapped this side's arena, whether the peer's has come or not.
    pub(super) fn set_arena(&mut self, arena: PeerArena) {
        self.enable_zero_copy(ZeroCopy::with_peer(arena));
    }

    /// Permits zero copies from now on: out of this side's memory once the peer has mapped it, and out of the
    /// peer's if it is known.
    pub(super) fn enable_zero_copy(&mut self, zero_copy: ZeroCopy) {
        let has_mapped = matches!(zero_copy.peer, PeerArena::Known(_));
        self.zero_copy = zero_copy;
        self.memory.own_single_copy().has_mapped.store(u32::from(has_mapped), Ordering::Release);
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

    fn take_file(&mut self, file: Option<Owned<OwnedFd>>) -> io::Result<()> {
        let arena = std::mem::take(&mut self.zero_copy.peer).with_file(file)?;
        self.set_arena(arena);
        Ok(())
    }

    fn set_sleeping(&mut self, sleeping: bool) {
        let awake = self.memory.own_awake();
        if sleeping { announce_sleep(awake) } else { announce_awake(awake) }
    }

    #[inline]
    fn peer_needs_doorbell(&mut self) -> bool {
        std::mem::take(&mut self.is_doorbell_due) && must_wake(self.memory.peer_awake())
    }

    #[inline]
    fn peer_is_asleep(&self) -> bool {
        self.is_doorbell_due && is_asleep(self.memory.peer_awake())
    }

    fn transport(&self) -> &'static str {
        "shm"
    }
}
