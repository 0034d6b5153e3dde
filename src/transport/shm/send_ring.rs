//! The ring that this side fills.

use std::io;

use super::adapt::cache_distance::CacheDistance;
use super::protocol::{CorruptRing, Producer};
use super::ring::Ring;
use crate::transport::{Header, garbage};

/// The ring that this side fills.
pub(super) struct SendRing {
    pub ring: Ring,
    pub producer: Producer,
}

impl SendRing {
    pub fn new(ring: Ring, slots: usize) -> SendRing {
        SendRing { ring, producer: Producer::new(slots) }
    }

    /// Whether the next `slots` slots are free.
    #[inline]
    pub fn has_slots(&mut self, slots: usize, distance: &mut CacheDistance) -> io::Result<bool> {
        if self.producer.must_look_for(slots) {
            distance.sample(&self.ring.consumed);
        }
        self.producer.has_room(&self.ring.consumed, slots).map_err(corrupt)
    }

    /// Whether `buffers` more bounce buffers may be in flight, with a limit of `most`.
    #[inline]
    pub fn may_use(&mut self, buffers: usize, most: usize, distance: &mut CacheDistance) -> io::Result<bool> {
        if self.producer.buffers_in_flight() + buffers > most {
            distance.sample(&self.ring.consumed);
            self.producer.look(&self.ring.consumed).map_err(corrupt)?;
        }
        Ok(self.producer.buffers_in_flight() + buffers <= most)
    }

    /// Marks as cancelled what was sent of a call and is not read yet.
    pub fn cancel(&mut self, header: &Header) {
        // A corrupt count shows again at a place that reports it.
        if self.producer.look(&self.ring.consumed).is_err() {
            return;
        }
        for slot in self.producer.unread() {
            self.ring.line(slot).cancel(header);
        }
    }
}

fn corrupt(_: CorruptRing) -> io::Error {
    garbage("consumed too much")
}
