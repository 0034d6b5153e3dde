//! The receiving half of a link: the fragment at the head of the ring, wherever its bytes are.

use std::io;

use super::control_line::{Content, ControlLine, Extent, HALF_FRAGMENT_BYTES, INLINE_BYTES};
use super::exposure;
use super::link::ShmLink;
use super::protocol::{Ordering, is_asleep};
use super::recv_ring::{Fragment, FragmentSource, RecvRing};
use super::zero_copy::{PIECE_BYTES, overlap};
use crate::sys::memory_copy::copy_from_shared;
use crate::transport::{Arrival, Header, Link, garbage};

/// Number of rebalancings from one sample of the distance to the next.
const REBALANCED_PER_SAMPLE: u32 = 8;

impl ShmLink {
    /// Looks at the head of the ring, for [`crate::transport::Link::head`].
    #[inline]
    pub(super) fn look_at_head(&mut self) -> io::Result<Option<Header>> {
        if let Some(head) = &self.recv.head {
            return Ok(Some(head.header));
        }
        let ring = self.recv.ring;
        let line = ring.line(self.recv.consumer.slot());
        if !self.recv.consumer.is_filled(&line.turn) {
            self.note_empty_poll();
            return Ok(None);
        }
        if !self.cma.has_probed {
            self.probe();
        }
        let header = line.header();
        let content = line.content().ok_or_else(|| garbage("a fragment longer than its buffer"))?;
        let (source, bytes, buffer) = match content {
            Content::Copied(extent) => {
                let (data, buffer) = self.accept_copied(line, extent)?;
                (FragmentSource::Bounce(data), extent.bytes, buffer)
            }
            Content::PeerMemory => {
                let (address, bytes) = line.location();
                (FragmentSource::PeerMemory(address), bytes as usize, None)
            }
            Content::ZeroCopy => {
                let (offset, bytes) = line.location();
                (FragmentSource::ZeroCopy(self.zero_copy.map(offset, bytes)?), bytes as usize, None)
            }
        };
        self.note_arrival(line, &source, bytes);
        self.recv.head_buffer = buffer;
        self.recv.head = Some(Fragment { header, source, bytes, consumed: 0 });
        Ok(Some(header))
    }

    /// Accepts a fragment that was copied into shared memory. Returns its bytes, and its bounce buffer if it
    /// has one.
    #[inline]
    pub(super) fn accept_copied(
        &mut self,
        line: &ControlLine,
        extent: Extent,
    ) -> io::Result<(*const u8, Option<u16>)> {
        if extent.bytes <= INLINE_BYTES {
            return Ok((line.inline_payload(), None));
        }
        if !self.pool.may_arrive(extent.buffer) {
            return Err(garbage("a fragment in a buffer that is not the sender's"));
        }
        self.send.producer.note_consumed(line.other_consumed()).map_err(|_| garbage("consumed too much"))?;
        Ok((self.memory.buffer(extent.buffer), Some(extent.buffer)))
    }

    /// The bytes that can be read in place, for [`crate::transport::Link::arrival`].
    #[inline]
    pub(super) fn arrival_of_head(&mut self) -> io::Result<Arrival> {
        let head = self.recv.head.ok_or_else(|| garbage("no fragment"))?;
        let left = head.bytes - head.consumed;
        match head.source {
            FragmentSource::Bounce(data) => {
                // SAFETY: `consumed` is at most `bytes`, which was checked against its buffer, so the result
                // is inside the mapping.
                let data = unsafe { data.add(head.consumed) };
                Ok(Arrival { data, bytes: left, complete: true })
            }
            FragmentSource::PeerMemory(address) => {
                let reader = &mut self.cma.reader;
                let reader = reader.as_mut().ok_or_else(|| garbage("a message that nobody can read"))?;
                let address = address.wrapping_add(head.consumed as u64);
                let (data, bytes) = reader.piece(address, left)?;
                Ok(Arrival { data, bytes, complete: bytes == left })
            }
            FragmentSource::ZeroCopy(data) => {
                let bytes = left.min(PIECE_BYTES);
                Ok(Arrival { data: data.wrapping_add(head.consumed), bytes, complete: bytes == left })
            }
        }
    }

    /// Moves bytes from the head to `dst`, for [`crate::transport::Link::take`].
    ///
    /// # Safety
    /// See [`crate::transport::Link::take`].
    #[inline]
    pub(super) unsafe fn take_from_head(
        &mut self,
        dst: *mut u8,
        bytes: usize,
        streamed: bool,
    ) -> io::Result<usize> {
        self.zero_copy.received = (dst.addr(), bytes);
        if let (Some(head), Some(reader)) = (self.recv.head, &self.cma.reader)
            && let FragmentSource::PeerMemory(address) = head.source
            && !reader.has_piece()
        {
            let want = bytes.min(head.bytes - head.consumed);
            let address = address.wrapping_add(head.consumed as u64);
            // SAFETY: the caller vouches for `bytes` writable bytes at `dst`, and `want` is no more than
            // that.
            let n = unsafe { reader.process.read(address, dst, want) }?;
            self.consume_head(n)?;
            return Ok(n);
        }
        if let Some(Fragment { source: FragmentSource::ZeroCopy(_), .. }) = self.recv.head {
            // SAFETY: passed on from our caller.
            return unsafe { self.take_zero_copy(dst, bytes, streamed) };
        }
        let arrival = self.arrival_of_head()?;
        let n = bytes.min(arrival.bytes);
        // SAFETY: `n` bytes of the fragment are inside the mapping, or in the reader's buffer for a piece.
        // The caller vouches for `dst` and that it does not overlap the link's memory. The peer wrote a
        // fragment before the turn that `head` has seen (Acquire); a peer that breaks the protocol can only
        // make the bytes wrong.
        unsafe { copy_from_shared(dst, arrival.data, n, streamed) };
        self.consume_head(n)?;
        Ok(n)
    }

    /// Drops bytes of the head, for [`crate::transport::Link::consume`].
    #[inline]
    pub(super) fn consume_head(&mut self, bytes: usize) -> io::Result<()> {
        let Some(head) = &mut self.recv.head else { return Ok(()) };
        head.consumed += bytes;
        debug_assert!(head.consumed <= head.bytes);
        let is_over = head.consumed >= head.bytes;
        let is_exposed = !matches!(head.source, FragmentSource::Bounce(_));
        if is_over {
            self.recv.head = None;
        }
        let outcome = if is_exposed { self.count_read(bytes) } else { Ok(()) };
        if is_over {
            self.release_head();
        }
        outcome
    }

    /// Counts bytes that were read of an exposed message. An error means that the bytes are undefined.
    fn count_read(&mut self, bytes: usize) -> io::Result<()> {
        if let Some(reader) = &mut self.cma.reader {
            reader.consume(bytes);
        }
        self.is_doorbell_due = true;
        exposure::count_read(&self.recv.ring, bytes)
    }

    /// Frees the slot of the fragment at the head, and its bounce buffer.
    #[inline]
    pub(super) fn release_head(&mut self) {
        if self.cma_choice.is_watching() {
            self.note_watched_read();
        }
        // A peer that has just gone to sleep is found at the next fragment, or has nothing to wait for.
        let is_asleep = is_asleep(self.memory.peer_awake());
        let RecvRing { ring, consumer, head_buffer, .. } = &mut self.recv;
        self.is_doorbell_due |= consumer.release(&ring.consumed, head_buffer.is_some(), is_asleep);
        if let Some(buffer) = *head_buffer
            && self.pool.release(buffer)
        {
            self.rebalance();
        }
    }

    /// Returns bounce buffers if this side has too many.
    #[cold]
    fn rebalance(&mut self) {
        // Where both sides send, no other code looks at this word.
        if self.rebalanced.is_multiple_of(REBALANCED_PER_SAMPLE) {
            self.distance.sample(&self.send.ring.consumed);
        }
        self.rebalanced = self.rebalanced.wrapping_add(1);
        if self.pool.has_surplus(self.send.producer.buffers_in_flight()) {
            // A corrupt count shows again at a place that reports it.
            let _ = self.send.producer.look(&self.send.ring.consumed);
        }
        let slots = self.memory.slots();
        let [from_peer, to_peer] = [self.recv.ring.returned(slots), self.send.ring.returned(slots)];
        self.is_doorbell_due |=
            self.pool.rebalance(self.send.producer.buffers_in_flight(), from_peer, to_peer);
    }

    /// Tries whether the peer's memory can be read. The peer has just shown that it is running.
    #[cold]
    fn probe(&mut self) {
        self.cma_choice.can_read = self.cma.probe(&self.memory);
    }

    /// Notes that nothing has arrived.
    #[inline]
    pub(super) fn note_empty_poll(&mut self) {
        // A peer that shares this core exposes its messages anyway.
        if !self.is_oversubscribed && self.cma_choice.note_empty_poll() {
            self.memory.own_waiting().store(1, Ordering::Relaxed);
        }
    }

    /// Notes that `bytes` bytes are at the head of the ring, in the slot of `line`.
    #[inline]
    pub(super) fn note_arrival(&mut self, line: &ControlLine, source: &FragmentSource, bytes: usize) {
        let has_waited = self.cma_choice.end_wait();
        if has_waited || self.cma_choice.is_watching() {
            self.watch(has_waited, line, source, bytes);
        }
    }

    #[cold]
    fn watch(&mut self, has_waited: bool, line: &ControlLine, source: &FragmentSource, bytes: usize) {
        // The peer may have written anything there. It only decides for how long the message is timed.
        let (single_copy, left) = match source {
            FragmentSource::Bounce(_) if bytes < HALF_FRAGMENT_BYTES => (false, bytes),
            FragmentSource::Bounce(_) => (false, line.message_bytes()),
            FragmentSource::PeerMemory(_) => (true, bytes),
            FragmentSource::ZeroCopy(_) => (true, usize::MAX),
        };
        if has_waited {
            self.memory.own_waiting().store(0, Ordering::Relaxed);
            self.cma_choice.begin_watch(single_copy, left);
        }
        self.cma_choice.note_arrival(single_copy, left, bytes);
    }

    /// Notes that a fragment of the timed message has been read.
    #[cold]
    fn note_watched_read(&mut self) {
        let Some(preferred) = self.cma_choice.note_read() else { return };
        let word = &self.memory.own_single_copy().preferred;
        // The peer reads this word often. It can do so from its own cache while nobody writes the word.
        if word.load(Ordering::Relaxed) != preferred {
            word.store(preferred, Ordering::Relaxed);
        }
    }

    /// Moves bytes of a message in the peer's arena to `dst`, for [`Link::take`].
    ///
    /// # Safety
    /// See [`Link::take`].
    pub(super) unsafe fn take_zero_copy(
        &mut self,
        dst: *mut u8,
        bytes: usize,
        streamed: bool,
    ) -> io::Result<usize> {
        let arrival = self.arrival()?;
        let n = bytes.min(arrival.bytes);
        // Lines that a far peer has read are slow to get back. The C library copies whole pieces in a way
        // that avoids this; shorter ones are better written past the caches.
        let was_exposed =
            n < PIECE_BYTES && self.distance.is_far() && overlap(self.zero_copy.exposed, (dst.addr(), n));
        let streaming = streamed || was_exposed;
        // SAFETY: the window has checked the message against its mapping, which stays until the next one is
        // mapped; the caller vouches for `dst`. The peer filled the memory before the turn that `head` has
        // seen (Acquire); a peer that still writes there can only make the bytes wrong.
        unsafe { copy_from_shared(dst, arrival.data, n, streaming) };
        self.consume(n)?;
        Ok(n)
    }
}
