//! The fast path of a link through shared memory.
//!
//! A sender copies a message into shared memory if all its fragments fit: each needs a slot of the ring and,
//! unless it is inline, a bounce buffer. A receiver looks at one fragment at a time. Messages that the
//! receiver reads in the sender's memory (exposures) take the slow path.

use super::control_line::{Extent, FRAGMENT_BYTES, HALF_FRAGMENT_BYTES, INLINE_BYTES};
use super::link::ShmLink;
use super::recv_ring::FragmentSource;
use super::zero_copy::ZERO_COPY_BYTES;
use crate::sys::memory_copy::copy_short;
use crate::transport::Header;
use crate::transport::fast_path::{FastPath, FragmentSize, Peek};

/// Largest fragment of short messages between near cores, which see one quickly.
const QUARTER_FRAGMENT_BYTES: usize = FRAGMENT_BYTES / 4;

impl FastPath for ShmLink {
    #[inline]
    unsafe fn post(&mut self, header: &Header, data: *const u8, bytes: usize, size: FragmentSize) -> bool {
        if self.exposures.current.is_none() && !self.send.producer.must_look_for(1) {
            let ring = self.send.ring;
            let line = ring.line(self.send.producer.next_slot());
            if bytes <= INLINE_BYTES {
                // SAFETY: the caller vouches for `data`; the target is the payload of a control line that
                // belongs to this side until it is published, inside the mapping.
                unsafe { copy_short(line.inline_payload(), data, bytes) };
                self.publish_inline(line, header, bytes);
                return true;
            }
            if bytes < ZERO_COPY_BYTES
                && self.send.producer.buffers_in_flight() < self.memory.quota()
                && let Some(buffer) = self.pool.pop()
            {
                // SAFETY: the caller vouches for `data`; the buffer belongs to this side.
                unsafe { self.fill_buffer(buffer, data, bytes, bytes) };
                self.publish_buffer(line, header, Extent { bytes, buffer });
                return true;
            }
        }
        // SAFETY: passed on from our caller.
        unsafe { self.post_longer(header, data, bytes, size) }
    }

    #[inline]
    fn peek(&mut self, header: &Header, most: usize) -> Peek {
        let ring = self.recv.ring;
        let line = ring.line(self.recv.consumer.slot());
        if !self.recv.consumer.is_filled(&line.turn) {
            self.note_empty_poll();
            return Peek::Empty;
        }
        let fits = |extent: &Extent| extent.bytes <= most && (extent.bytes > 0 || most == 0);
        let Some(extent) = line.extent().filter(fits) else {
            return Peek::SlowPath;
        };
        if !line.has_header(header) || self.recv.head.is_some() || !self.cma.has_probed {
            return Peek::SlowPath;
        }
        let Ok((data, buffer)) = self.accept_copied(line, extent) else {
            return Peek::SlowPath;
        };
        self.note_arrival(line, &FragmentSource::Bounce(data), extent.bytes);
        self.recv.head_buffer = buffer;
        Peek::Data(data, extent.bytes)
    }

    #[inline]
    fn release(&mut self) {
        self.release_head();
    }

    #[inline]
    fn would_zero_copy(&self, data: *const u8, bytes: usize) -> bool {
        self.sends_zero_copy(data, bytes)
    }

    #[inline]
    fn would_expose(&self, data: *const u8, bytes: usize) -> bool {
        self.sends_exposed(data, bytes)
    }
}

impl ShmLink {
    /// Posts a message that the short cuts in [`FastPath::post`] do not cover.
    ///
    /// Such a message has at least [`ZERO_COPY_BYTES`], or follows an exposed one, or needs a closer look
    /// whether there is room. It is copied whatever its length: a caller that wants zero copy has asked
    /// [`FastPath::would_zero_copy`] before.
    ///
    /// # Safety
    /// See [`FastPath::post`].
    #[inline(never)]
    unsafe fn post_longer(
        &mut self,
        header: &Header,
        data: *const u8,
        bytes: usize,
        size: FragmentSize,
    ) -> bool {
        let most = self.fragment_bytes(bytes, size);
        if !self.has_room(bytes.div_ceil(most).max(1)) {
            return false;
        }
        let mut done = 0;
        loop {
            let rest = data.wrapping_add(done);
            // SAFETY: passed on from our caller; there is room for all of it.
            let Some(n) = (unsafe { self.send_fragment(header, rest, bytes - done, most) }) else {
                unreachable!("there is a buffer for each fragment")
            };
            done += n;
            if done == bytes {
                return true;
            }
        }
    }

    /// Most bytes of a fragment of a message of `bytes` bytes. Smaller fragments let a receiver begin
    /// earlier. One that shares this core cannot begin before this rank has ended its turn.
    fn fragment_bytes(&self, bytes: usize, size: FragmentSize) -> usize {
        if size == FragmentSize::Full || self.is_oversubscribed {
            FRAGMENT_BYTES
        } else if bytes <= FRAGMENT_BYTES && !self.distance.is_far() {
            QUARTER_FRAGMENT_BYTES
        } else {
            HALF_FRAGMENT_BYTES
        }
    }

    /// Whether there is room for `fragments` fragments. Each is taken to need a bounce buffer, even
    /// one that is inline.
    fn has_room(&mut self, fragments: usize) -> bool {
        let quota = self.memory.quota();
        self.send.has_slots(fragments, &mut self.distance).unwrap_or(false)
            && self.send.may_use(fragments, quota, &mut self.distance).unwrap_or(false)
            && self.has_buffers(fragments)
    }
}
