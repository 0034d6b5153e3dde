//! Which mapped buffers the executor's kernel uses now: words in memory that owner and executor share.
//!
//! A call takes a free word and *offers* its buffers. The executor takes the offer before its kernel runs,
//! and marks it as done afterwards. If the call fails first, the owner withdraws the offer. Offer and
//! withdrawal exclude each other, because both exchange the same word. A word carries the number of its
//! offer, so an executor that is late cannot take the offer of another call.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::sys::shared_memory::SharedMemory;

const BYTES: usize = 4096;
const WORDS: usize = BYTES / size_of::<u64>();

/// States of a word, in its lowest bits. The others are the number of the offer.
const FREE: u64 = 0;
const OFFERED: u64 = 1;
const TAKEN: u64 = 2;
const DONE: u64 = 3;
const STATE_BITS: u64 = 3;

/// The words of one connection.
pub struct Uses(SharedMemory);

/// The buffers of a call, offered to the executor.
pub struct Offer {
    uses: Arc<Uses>,
    index: usize,
    offered: u64,
}

/// The use of offered buffers by a kernel. Dropping it ends the use.
pub struct Use {
    uses: Arc<Uses>,
    index: usize,
    taken: u64,
}

impl Uses {
    /// Makes free words, and the descriptor by which the executor maps them.
    pub fn create() -> io::Result<(Arc<Uses>, OwnedFd)> {
        let (memory, descriptor) = SharedMemory::create(BYTES)?;
        Ok((Arc::new(Uses(memory)), descriptor))
    }

    /// Maps the words of an owner.
    pub fn open(descriptor: OwnedFd) -> io::Result<Arc<Uses>> {
        SharedMemory::open(descriptor, BYTES).map(|memory| Arc::new(Uses(memory)))
    }

    fn word(&self, index: usize) -> &AtomicU64 {
        assert!(index < WORDS);
        // SAFETY: an aligned word of the mapping, which lives as long as `self`. Both processes access it as
        // an atomic only.
        unsafe { &*self.0.start().cast::<AtomicU64>().wrapping_add(index) }
    }

    /// Takes a free word for the buffers of a call. `None`: none is free.
    pub fn offer(self: &Arc<Uses>) -> Option<Offer> {
        (0..WORDS).find_map(|index| {
            let word = self.word(index);
            let free = word.load(Ordering::Relaxed);
            let offered = ((free | STATE_BITS) + 1) | OFFERED;
            let is_mine = free & STATE_BITS == FREE
                && word.compare_exchange(free, offered, Ordering::AcqRel, Ordering::Relaxed).is_ok();
            is_mine.then(|| Offer { uses: Arc::clone(self), index, offered })
        })
    }

    /// Takes an offer that a rank has told. `None`: it was withdrawn, or never made.
    pub fn take(self: &Arc<Uses>, (index, offered): (u64, u64)) -> Option<Use> {
        let index = usize::try_from(index).ok().filter(|index| *index < WORDS)?;
        let taken = (offered & !STATE_BITS) | TAKEN;
        let is_offer = offered & STATE_BITS == OFFERED;
        let word = self.word(index);
        let was_taken =
            is_offer && word.compare_exchange(offered, taken, Ordering::AcqRel, Ordering::Relaxed).is_ok();
        was_taken.then(|| Use { uses: Arc::clone(self), index, taken })
    }
}

impl Offer {
    /// What the executor is told.
    pub fn told(&self) -> (u64, u64) {
        (self.index as u64, self.offered)
    }

    /// Withdraws the offer. Returns whether the executor's kernel may still use the buffers.
    pub fn withdraw(&self) -> bool {
        let number = self.offered & !STATE_BITS;
        let word = self.uses.word(self.index);
        let withdrawn =
            word.compare_exchange(self.offered, number | DONE, Ordering::AcqRel, Ordering::Acquire);
        withdrawn.is_err_and(|now| now == number | TAKEN)
    }
}

impl Drop for Offer {
    fn drop(&mut self) {
        // A word that the kernel still uses is given up.
        if !self.withdraw() {
            self.uses.word(self.index).store(self.offered & !STATE_BITS, Ordering::Release);
        }
    }
}

impl Drop for Use {
    fn drop(&mut self) {
        self.uses.word(self.index).store((self.taken & !STATE_BITS) | DONE, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offer_is_taken_or_withdrawn_but_not_both() {
        let (owner, descriptor) = Uses::create().unwrap();
        let executor = Uses::open(descriptor).unwrap();
        let offer = owner.offer().unwrap();
        let used = executor.take(offer.told()).unwrap();
        assert!(executor.take(offer.told()).is_none());
        assert!(offer.withdraw());
        drop(used);
        assert!(!offer.withdraw());
        let told = offer.told();
        drop(offer);
        // A late executor does not reach the next offer in the same word.
        let next = owner.offer().unwrap();
        assert_eq!(next.told().0, told.0);
        assert!(executor.take(told).is_none());
        assert!(!next.withdraw());
        assert!(executor.take(next.told()).is_none());
        assert!(executor.take((WORDS as u64, OFFERED)).is_none());
    }

    #[test]
    fn there_are_as_many_offers_as_words_and_one_in_use_is_given_up() {
        let (owner, descriptor) = Uses::create().unwrap();
        let executor = Uses::open(descriptor).unwrap();
        let offers: Vec<Offer> = std::iter::from_fn(|| owner.offer()).collect();
        assert_eq!(offers.len(), WORDS);
        let used = executor.take(offers[0].told()).unwrap();
        drop(offers);
        let again: Vec<Offer> = std::iter::from_fn(|| owner.offer()).collect();
        assert_eq!(again.len(), WORDS - 1);
        drop(used);
    }
}
