//! One word that says whether the leader's kernel uses the buffers of a call.
//!
//! A call takes a free word and *offers* its buffers. The leader takes the offer before its kernel runs,
//! and marks it as done afterwards. If the call fails first, the owner withdraws the offer. Taking and
//! withdrawing exclude each other, because both exchange the same word. A word carries the number of its
//! offer, so a slow leader cannot take the offer of another call. A model checks this (crate
//! `anyccl-models`).

use crate::sys::sync::{AtomicU64, Ordering};

/// States of a word, in its lowest bits. The others are the number of the offer.
const FREE: u64 = 0;
const OFFERED: u64 = 1;
const TAKEN: u64 = 2;
const DONE: u64 = 3;
const STATE_BITS: u64 = 3;

/// See the module head. Zero is a free word.
#[repr(transparent)]
pub struct UseWord(AtomicU64);

/// The offer of a call, as the word holds it. The leader receives it in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offered(u64);

impl Offered {
    /// The offer in a message of another process, if it can be one.
    pub fn from_bits(bits: u64) -> Option<Offered> {
        (bits & STATE_BITS == OFFERED).then_some(Offered(bits))
    }

    /// What a message to another process holds.
    pub fn to_bits(self) -> u64 {
        self.0
    }

    fn in_state(self, state: u64) -> u64 {
        self.0 & !STATE_BITS | state
    }
}

impl UseWord {
    /// Takes the word for the buffers of a call. `None`: it is not free.
    pub fn offer(&self) -> Option<Offered> {
        let free = self.0.load(Ordering::Relaxed);
        let offered = ((free | STATE_BITS) + 1) | OFFERED;
        let is_mine = free & STATE_BITS == FREE
            && self.0.compare_exchange(free, offered, Ordering::AcqRel, Ordering::Relaxed).is_ok();
        is_mine.then_some(Offered(offered))
    }

    /// Takes an offer, for the kernel. `false`: it was withdrawn, or never made.
    pub fn take(&self, offer: Offered) -> bool {
        let taken = offer.in_state(TAKEN);
        self.0.compare_exchange(offer.0, taken, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// Notes that the kernel does not use the buffers any more.
    pub fn finish(&self, offer: Offered) {
        self.0.store(offer.in_state(DONE), Ordering::Release);
    }

    /// Withdraws an offer. Returns whether the kernel may still use the buffers.
    pub fn withdraw(&self, offer: Offered) -> bool {
        let done = offer.in_state(DONE);
        let withdrawn = self.0.compare_exchange(offer.0, done, Ordering::AcqRel, Ordering::Acquire);
        withdrawn.is_err_and(|now| now == offer.in_state(TAKEN))
    }

    /// Withdraws an offer, and frees the word. A word that the kernel still uses is given up.
    pub fn free(&self, offer: Offered) {
        if !self.withdraw(offer) {
            self.0.store(offer.in_state(FREE), Ordering::Release);
        }
    }
}

// The module is named by path because another crate also compiles this file, from elsewhere.
#[cfg(all(test, loom))]
#[path = "use_word/model.rs"]
mod model;
