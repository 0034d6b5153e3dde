//! The sending half of a link. It cuts messages into fragments, or exposes them.

use std::io;

use super::adapt::cma_choice::is_preferred;
use super::cma::CMA_BYTES;
use super::control_line::{
    Content, ContentWord, ControlLine, Extent, FRAGMENT_BYTES, HALF_FRAGMENT_BYTES, INLINE_BYTES,
};
use super::link::ShmLink;
use super::protocol::Ordering;
use super::zero_copy::ZERO_COPY_BYTES;
use crate::sys::memory_copy::{CopyMode, copy_to_shared};
use crate::transport::{Header, SingleCopy};

impl ShmLink {
    /// Sends or exposes the next bytes of a message, for [`crate::transport::Link::send`].
    ///
    /// # Safety
    /// See [`crate::transport::Link::send`].
    #[inline]
    pub(super) unsafe fn send_message(
        &mut self,
        header: &Header,
        data: *const u8,
        bytes: usize,
        single_copy: SingleCopy,
    ) -> io::Result<Option<usize>> {
        if let Some(exposed) = &self.exposures.current
            && (exposed.is_abandoned || exposed.header == *header)
        {
            let is_abandoned = exposed.is_abandoned;
            self.distance.sample_after(&self.send.ring.bytes_read, self.exposures.counted());
            let read = self.exposures.note_progress(&self.send.ring)?;
            if !is_abandoned {
                return Ok(read);
            }
        }
        if !self.send.has_slots(1, &mut self.distance)? {
            return Ok(None);
        }
        if self.exposures.current.is_none() && self.expose(header, data, bytes, single_copy) {
            return Ok(None);
        }
        // A receiver that shares this core reads only after this rank has ended its turn.
        let is_led = bytes > HALF_FRAGMENT_BYTES && !self.is_oversubscribed;
        let most = if is_led { self.memory.lead() } else { self.memory.quota() };
        if bytes > INLINE_BYTES && !self.send.may_use(1, most, &mut self.distance)? {
            return Ok(None);
        }
        // SAFETY: passed on from our caller; the slot is free.
        Ok(unsafe { self.send_fragment(header, data, bytes, FRAGMENT_BYTES) })
    }

    /// Sends the next bytes of a message that `fill` writes, for [`crate::transport::Link::send_filled`].
    pub(super) fn send_filled_message(
        &mut self,
        header: &Header,
        bytes: usize,
        fill: &mut dyn FnMut(*mut u8, usize, usize),
    ) -> io::Result<Option<usize>> {
        if self.exposures.current.as_ref().is_some_and(|exposed| exposed.is_abandoned) {
            self.exposures.note_progress(&self.send.ring)?;
        }
        if !self.send.has_slots(1, &mut self.distance)? {
            return Ok(None);
        }
        let ring = self.send.ring;
        let line = ring.line(self.send.producer.next_slot());
        if bytes <= INLINE_BYTES {
            // This payload of a control line belongs to this side until it is published.
            fill(line.inline_payload(), 0, bytes);
            self.publish_inline(line, header, bytes);
            return Ok(Some(bytes));
        }
        let is_led = bytes > HALF_FRAGMENT_BYTES && !self.is_oversubscribed;
        let most = if is_led { self.memory.lead() } else { self.memory.quota() };
        if !self.send.may_use(1, most, &mut self.distance)? || !self.has_buffers(1) {
            return Ok(None);
        }
        let Some(buffer) = self.pool.pop() else { return Ok(None) };
        let (left, bytes) = (bytes, bytes.min(FRAGMENT_BYTES));
        // The buffer belongs to this side until it is published.
        fill(self.memory.buffer(buffer), 0, bytes);
        if bytes >= HALF_FRAGMENT_BYTES {
            line.write_message_bytes(left);
        }
        self.publish_buffer(line, header, Extent { bytes, buffer });
        Ok(Some(bytes))
    }

    /// Exposes a message in the next slot, which is free, if that is permitted and worth it. Requires that no
    /// other message is exposed. Returns whether the message was exposed.
    #[inline]
    fn expose(&mut self, header: &Header, data: *const u8, bytes: usize, single_copy: SingleCopy) -> bool {
        if single_copy != SingleCopy::Never
            && bytes >= ZERO_COPY_BYTES
            && let Some(offset) = self.zero_copy_offset(data, bytes)
        {
            self.zero_copy.exposed = (data.addr(), bytes);
            self.publish_exposed(header, Content::ZeroCopy, offset as u64, bytes);
            return true;
        }
        let may_read = bytes >= CMA_BYTES
            && match single_copy {
                SingleCopy::Always => true,
                SingleCopy::IfOversubscribed => self.is_oversubscribed,
                SingleCopy::IfFaster => self.is_oversubscribed || self.peer_prefers_single_copy(bytes),
                SingleCopy::MappedOnly | SingleCopy::Never => false,
            };
        if !may_read || !self.peer_can_read() {
            return false;
        }
        self.publish_exposed(header, Content::PeerMemory, data as u64, bytes);
        true
    }

    /// Hands over the place of a message.
    fn publish_exposed(&mut self, header: &Header, content: Content, start: u64, bytes: usize) {
        let ring = self.send.ring;
        let line = ring.line(self.send.producer.next_slot());
        line.write_location(start, bytes);
        self.exposures.begin(&ring, header, bytes);
        self.publish(line, header, content.into(), false);
    }

    /// Whether the peer can read this process's memory.
    fn peer_can_read(&self) -> bool {
        self.memory.peer_single_copy().can_read.load(Ordering::Acquire) == 1
    }

    /// Whether the peer waits for a message of `bytes` bytes, or did a moment ago, and prefers to copy it
    /// itself.
    #[inline]
    fn peer_prefers_single_copy(&self, bytes: usize) -> bool {
        is_preferred(self.memory.peer_single_copy().preferred.load(Ordering::Relaxed), bytes)
            && self.memory.peer_waiting().load(Ordering::Relaxed) != 0
    }

    /// Whether a permitted message would be exposed now, by zero copy or because the peer prefers a single
    /// copy.
    #[inline]
    pub(super) fn sends_exposed(&self, data: *const u8, bytes: usize) -> bool {
        self.sends_zero_copy(data, bytes)
            || bytes >= CMA_BYTES
                && self.peer_prefers_single_copy(bytes)
                && !self.is_oversubscribed
                && self.exposures.current.is_none()
                && self.peer_can_read()
    }

    /// Whether a permitted message would go by zero copy now.
    #[inline]
    pub(super) fn sends_zero_copy(&self, data: *const u8, bytes: usize) -> bool {
        self.exposures.current.is_none() && self.zero_copy_offset(data, bytes).is_some()
    }

    /// Sends one fragment of up to `bytes` bytes, and at most `most`, in the next slot, which is free.
    /// Returns the number of bytes sent. `None`: no bounce buffer is free.
    ///
    /// # Safety
    /// `data` is readable for `bytes` bytes. One more bounce buffer may be in flight.
    #[inline]
    pub(super) unsafe fn send_fragment(
        &mut self,
        header: &Header,
        data: *const u8,
        bytes: usize,
        most: usize,
    ) -> Option<usize> {
        let ring = self.send.ring;
        let line = ring.line(self.send.producer.next_slot());
        if bytes <= FRAGMENT_BYTES {
            self.zero_copy.note_copied(data, bytes);
        }
        if bytes <= INLINE_BYTES {
            // SAFETY: the caller vouches for `data`; the target is the payload of a control line that
            // belongs to this side until it is published, inside the mapping.
            unsafe { std::ptr::copy_nonoverlapping(data, line.inline_payload(), bytes) };
            self.publish_inline(line, header, bytes);
            return Some(bytes);
        }
        if !self.has_buffers(1) {
            return None;
        }
        let buffer = self.pool.pop()?;
        let (left, bytes) = (bytes, bytes.min(most));
        // SAFETY: the caller vouches for `data`; the buffer belongs to this side.
        unsafe { self.fill_buffer(buffer, data, left, bytes) };
        if bytes >= HALF_FRAGMENT_BYTES {
            line.write_message_bytes(left);
        }
        self.publish_buffer(line, header, Extent { bytes, buffer });
        Some(bytes)
    }

    /// Copies a payload into a bounce buffer. `left` bytes of the message were not copied before, these
    /// included.
    ///
    /// # Safety
    /// `data` is readable for `bytes` bytes, at most [`FRAGMENT_BYTES`]. The buffer belongs to this side.
    #[inline]
    pub(super) unsafe fn fill_buffer(&mut self, buffer: u16, data: *const u8, left: usize, bytes: usize) {
        let buffer = self.memory.buffer(buffer);
        // SAFETY: the caller vouches for `data`; the target is a buffer inside the mapping that belongs to
        // this side until it is published, and no user buffer overlaps the mapping.
        let copy = |mode| unsafe { copy_to_shared(buffer, data, bytes, mode) };
        if self.distance.is_far() {
            let mode = |past| if past { CopyMode::PastCaches } else { CopyMode::Far };
            self.store_modes.copy(left, bytes, |past| copy(mode(past)));
        } else {
            copy(CopyMode::Near);
        }
    }

    /// Hands over a fragment whose payload is in its control line.
    #[inline]
    pub(super) fn publish_inline(&mut self, line: &ControlLine, header: &Header, bytes: usize) {
        self.publish(line, header, Content::Copied(Extent { bytes, buffer: 0 }).into(), false);
    }

    /// Hands over a fragment whose payload is in a bounce buffer.
    #[inline]
    pub(super) fn publish_buffer(&mut self, line: &ControlLine, header: &Header, extent: Extent) {
        line.write_other_consumed(self.recv.consumer.consumed());
        self.publish(line, header, Content::Copied(extent).into(), true);
    }

    /// Fills a control line except for the payload, and hands it over.
    #[inline]
    fn publish(&mut self, line: &ControlLine, header: &Header, content: ContentWord, has_buffer: bool) {
        line.write(header, content);
        self.send.producer.publish(&line.turn, has_buffer);
        self.is_doorbell_due = true;
    }

    /// Whether `buffers` bounce buffers are free.
    #[inline]
    pub(super) fn has_buffers(&mut self, buffers: usize) -> bool {
        self.pool.free() >= buffers || self.pool.has(buffers, self.recv.ring.returned(self.memory.slots()))
    }

    /// Offset of a message in this side's arena, if it would go by zero copy.
    #[inline]
    pub(super) fn zero_copy_offset(&self, data: *const u8, bytes: usize) -> Option<usize> {
        let has_mapped = || self.memory.peer_single_copy().has_mapped.load(Ordering::Acquire) == 1;
        let offset = self.zero_copy.offset_of(data, bytes);
        offset.filter(|_| has_mapped() && !self.zero_copy.is_echo(data, bytes))
    }
}
