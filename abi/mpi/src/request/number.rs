//! Numbers of requests: `generation << 20 | place`.
//!
//! The generation changes when a place is freed. So an old handle is noticed, until the generations of that
//! place start again. Each ABI library sets how many bits of a number its handles hold ([`use_bits`]). That
//! gives the number of generations.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::error::{Class, Error};

pub(super) const PLACE_BITS: u32 = 20;
/// The bits of a number that hold the place.
pub(super) const PLACE_MASK: u32 = (1 << PLACE_BITS) - 1;
/// Number of slots for operations that had completed when they were started. They have the last places.
pub(super) const SLOTS: u32 = 1024;
/// First place of the slots.
pub(super) const FIRST_PLACE: u32 = PLACE_MASK - SLOTS;
/// Generations are numbered from 1 to this.
static LAST_GENERATION: AtomicU32 = AtomicU32::new(63);

/// Sets how many bits of a number fit into a handle. Called before the first request is made.
pub(super) fn use_bits(bits: u32) {
    LAST_GENERATION.store((1 << (bits - PLACE_BITS)) - 1, Ordering::Relaxed);
}

#[inline]
pub(super) fn last_generation() -> u32 {
    LAST_GENERATION.load(Ordering::Relaxed)
}

#[cold]
pub(super) fn unknown(id: u32) -> Error {
    Error::new(Class::REQUEST, format!("{id:#x} is no request; it was completed or freed, or never was one"))
}
