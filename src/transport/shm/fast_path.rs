//! Messages without detours: what [`Link`] does in five calls, in one or two, for whole messages that find room in the
//! ring at once.

use std::sync::atomic::Ordering;

use super::layout::{self, Extent, FINE_BYTES, FRAGMENT_BYTES, INLINE_BYTES};
use super::zero_copy::ZERO_COPY_BYTES;
use super::{AtomicU64, Header, Place, ShmLink};
use crate::sys::memory_copy::copy_short;

/// What lies at the head of the ring.
pub enum Peek {
    /// Nothing yet.
    Empty,
    /// The next fragment of the message that was asked for: so many bytes, none only of a message that has none. It
    /// may be memory that a hostile peer still writes: read each byte once, form no reference.
    Data(*const u8, usize),
    /// Something else: another call, too many bytes, an offer, or a head that is half consumed.
    SlowPath,
}

/// How a message is cut into fragments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FragmentSize {
    /// The largest there are: fewest steps, where both sides are busy with sending anyway.
    Full,
    /// Of half an area each: the receiver begins earlier, where it has nothing else to do (64 KiB one way: 2.3 instead of 2.5 us
    /// near, 4.8 instead of 5.3 far).
    Half,
}

impl ShmLink {
    /// Sends a whole message; whether there was room for all of it.
    ///
    /// # Safety
    /// `data` is readable for `bytes` bytes.
    #[inline]
    pub unsafe fn post(&mut self, header: &Header, data: *const u8, bytes: usize, cut: FragmentSize) -> bool {
        if self.offer.is_none() && !self.producer.must_look_for(1) {
            let line = self.outgoing + layout::line(self.producer.next_slot());
            if bytes <= INLINE_BYTES {
                // SAFETY: the caller vouches for `data`; the target is the 32 bytes of a control line that is ours until it
                // is published, inside the mapping.
                unsafe { copy_short(self.at(line + 32), data, bytes) };
                self.publish(line, header, Extent { bytes, area: 0 });
                return true;
            }
            if bytes < ZERO_COPY_BYTES
                && self.producer.areas_under_way() < layout::share(self.slots)
                && let Some(area) = self.areas.pop()
            {
                // SAFETY: the caller vouches for `data`; the area is ours.
                unsafe { self.fill(area, data, bytes) };
                self.publish(line, header, Extent { bytes, area });
                return true;
            }
        }
        // SAFETY: passed on from our caller.
        unsafe { self.post_longer(header, data, bytes, cut) }
    }

    /// # Safety
    /// As `post`.
    #[inline(never)]
    unsafe fn post_longer(
        &mut self,
        header: &Header,
        data: *const u8,
        bytes: usize,
        cut: FragmentSize,
    ) -> bool {
        // Whoever shares our core cannot begin before we have ended.
        let most =
            if cut == FragmentSize::Half && !self.is_oversubscribed { FINE_BYTES } else { FRAGMENT_BYTES };
        if !self.has_room(bytes.div_ceil(most).max(1)) {
            return false;
        }
        let mut done = 0;
        loop {
            let rest = data.wrapping_add(done);
            let line = self.outgoing + layout::line(self.producer.next_slot());
            // SAFETY: passed on from our caller; there is room for all of it.
            let Some(n) = (unsafe { self.put(line, header, rest, bytes - done, most) }) else {
                unreachable!("there is an area for each fragment")
            };
            done += n;
            if done == bytes {
                return true;
            }
        }
    }

    /// For so many fragments with areas.
    fn has_room(&mut self, fragments: usize) -> bool {
        let ring = self.outgoing;
        // SAFETY: as in `word64`; written out so that the borrow does not tie up `self.producer`.
        let consumed = unsafe { AtomicU64::from_ptr(self.at(ring).cast()) };
        if self.producer.must_look_for(fragments) {
            self.distance.sample(consumed);
        }
        let most = layout::share(self.slots);
        self.producer.has_room(consumed, fragments).unwrap_or(false)
            && self.may_go(fragments, most).unwrap_or(false)
            && self.has_areas(fragments)
    }

    /// Looks for a fragment of a message, of which up to `most` bytes are to come, at the head of the ring.
    #[inline]
    pub fn peek(&mut self, header: &Header, most: usize) -> Peek {
        let slot = self.consumer.slot();
        let ring = self.incoming;
        let line = ring + layout::line(slot);
        if !self.consumer.is_filled(self.word32(line)) {
            self.look_in_vain();
            return Peek::Empty;
        }
        let extent = Extent::decode(self.word32(line + 4).load(Ordering::Relaxed));
        let fits = |extent: &Extent| extent.bytes <= most && (extent.bytes > 0 || most == 0);
        let Some(extent) = extent.filter(fits) else {
            return Peek::SlowPath;
        };
        let is_mine = self.word32(line + 8).load(Ordering::Relaxed) == header.context
            && self.word32(line + 12).load(Ordering::Relaxed) == header.sequence
            && self.word64(line + 16).load(Ordering::Relaxed) == header.call[0]
            && self.word64(line + 24).load(Ordering::Relaxed) == header.call[1];
        if !is_mine || self.head.is_some() || !self.has_probed {
            return Peek::SlowPath;
        }
        if extent.bytes <= INLINE_BYTES {
            let data = self.at(line + 32);
            self.is_here(line, &Place::Slot(data), extent.bytes);
            self.head_area = None;
            return Peek::Data(data, extent.bytes);
        }
        let Ok(area) = self.came(line, extent.area) else {
            return Peek::SlowPath;
        };
        self.is_here(line, &Place::Slot(area), extent.bytes);
        self.head_area = Some(extent.area);
        Peek::Data(area, extent.bytes)
    }
}
