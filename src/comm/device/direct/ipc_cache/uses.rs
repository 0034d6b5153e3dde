//! Which mapped buffers the leader's kernel uses now: words ([`UseWord`]) in memory that owner and leader
//! share.

use std::io;
use std::ops::Range;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use super::use_word::{Offered, UseWord};
use crate::sys::shared_memory::SharedMemory;

const BYTES: usize = 8192;
const WORDS: usize = BYTES / size_of::<UseWord>();
/// The last words are for slots of bounce buffers: calls on mapped buffers leave them, however many there
/// are.
pub const SLOT_WORDS: usize = WORDS / 2;

/// The words of one connection.
pub struct Uses(SharedMemory);

/// An offer, as a record holds it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OfferBits {
    /// Number of the word.
    pub index: u64,
    /// What the word holds.
    pub word: u64,
}

/// The buffers of a call, offered to the leader.
pub struct Offer {
    uses: Arc<Uses>,
    index: usize,
    offered: Offered,
}

/// The use of offered buffers by a kernel. Dropping it ends the use.
pub struct Use {
    uses: Arc<Uses>,
    index: usize,
    offered: Offered,
}

impl Uses {
    /// Makes free words, and the descriptor by which the leader maps them.
    pub fn create() -> io::Result<(Arc<Uses>, OwnedFd)> {
        let (memory, descriptor) = SharedMemory::create(BYTES)?;
        Ok((Arc::new(Uses(memory)), descriptor))
    }

    /// Maps the words of an owner.
    pub fn open(descriptor: OwnedFd) -> io::Result<Arc<Uses>> {
        SharedMemory::open(descriptor, BYTES).map(|memory| Arc::new(Uses(memory)))
    }

    fn word(&self, index: usize) -> &UseWord {
        assert!(index < WORDS);
        // SAFETY: an aligned word of the mapping, which lives as long as `self`. Both processes access it as
        // an atomic only, and any value is one of the atomic.
        unsafe { &*self.0.start().cast::<UseWord>().wrapping_add(index) }
    }

    /// Takes a free word for the buffers of a call. `None`: none is free.
    pub fn offer(self: &Arc<Uses>) -> Option<Offer> {
        self.offer_one_of(0..WORDS - SLOT_WORDS)
    }

    /// Takes a free word for a slot of a bounce buffer, as [`Uses::offer`] does.
    pub fn offer_slot(self: &Arc<Uses>) -> Option<Offer> {
        self.offer_one_of(WORDS - SLOT_WORDS..WORDS)
    }

    fn offer_one_of(self: &Arc<Uses>, mut words: Range<usize>) -> Option<Offer> {
        words.find_map(|index| {
            let offered = self.word(index).offer()?;
            Some(Offer { uses: Arc::clone(self), index, offered })
        })
    }

    /// Takes an offer from a rank's record. `None`: it was withdrawn, or never made.
    pub fn take(self: &Arc<Uses>, bits: OfferBits) -> Option<Use> {
        let index = usize::try_from(bits.index).ok().filter(|index| *index < WORDS)?;
        let offered = Offered::from_bits(bits.word).filter(|offered| self.word(index).take(*offered))?;
        Some(Use { uses: Arc::clone(self), index, offered })
    }
}

impl Offer {
    /// The offer, as the record holds it.
    pub fn bits(&self) -> OfferBits {
        OfferBits { index: self.index as u64, word: self.offered.to_bits() }
    }

    /// Withdraws the offer. Returns whether the leader's kernel may still use the buffers.
    pub fn withdraw(&self) -> bool {
        self.uses.word(self.index).withdraw(self.offered)
    }
}

impl Drop for Offer {
    fn drop(&mut self) {
        self.uses.word(self.index).free(self.offered);
    }
}

impl Drop for Use {
    fn drop(&mut self) {
        self.uses.word(self.index).finish(self.offered);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offer_is_taken_or_withdrawn_but_not_both() {
        let (owner, descriptor) = Uses::create().unwrap();
        let leader = Uses::open(descriptor).unwrap();
        let offer = owner.offer().unwrap();
        let used = leader.take(offer.bits()).unwrap();
        assert!(leader.take(offer.bits()).is_none());
        assert!(offer.withdraw());
        drop(used);
        assert!(!offer.withdraw());
        let bits = offer.bits();
        drop(offer);
        // A slow leader does not reach the next offer in the same word.
        let next = owner.offer().unwrap();
        assert_eq!(next.bits().index, bits.index);
        assert!(leader.take(bits).is_none());
        assert!(!next.withdraw());
        assert!(leader.take(next.bits()).is_none());
        assert!(leader.take(OfferBits { index: WORDS as u64, ..bits }).is_none());
    }

    #[test]
    fn there_are_as_many_offers_as_words_and_one_in_use_is_given_up() {
        let (owner, descriptor) = Uses::create().unwrap();
        let leader = Uses::open(descriptor).unwrap();
        let offers: Vec<Offer> = std::iter::from_fn(|| owner.offer()).collect();
        assert_eq!(offers.len(), WORDS - SLOT_WORDS);
        let of_slots: Vec<Offer> = std::iter::from_fn(|| owner.offer_slot()).collect();
        assert_eq!(of_slots.len(), SLOT_WORDS);
        let used = leader.take(offers[0].bits()).unwrap();
        drop(offers);
        let again: Vec<Offer> = std::iter::from_fn(|| owner.offer()).collect();
        assert_eq!(again.len(), WORDS - SLOT_WORDS - 1);
        drop(used);
    }
}
