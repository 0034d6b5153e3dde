//! Matching: the posted queue, the unexpected queue, and which message goes to which receive.
//!
//! The rule is MPI's. A receive names a source and a tag, or says "any". It takes the oldest message that it
//! accepts, and a message goes to the oldest receive that accepts it. So messages from one rank that the same
//! receives accept are received in the order in which they were sent. Others may overtake each other.
//!
//! This module is pure: it touches neither memory nor links. `R` stands for a receive and `M` for a message;
//! both are small values of the caller.
//!
//! Cost: a few look-ups in hash tables per message and per receive, however many are waiting.

mod queue;
mod selector;

pub use selector::{BuildTagHasher, Envelope, Selector, Tag};

use queue::{MatchQueue, QueueSlot};
use selector::CLASSES;

/// A receive in the posted queue. It is needed to cancel the receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting(QueueSlot);

/// The posted queue (receives without a message) and the unexpected queue (messages without a receive).
pub struct Matching<R, M> {
    posted: MatchQueue<(Selector, R), 1>,
    unexpected: MatchQueue<(Envelope, M), CLASSES>,
}

impl<R, M> Default for Matching<R, M> {
    fn default() -> Matching<R, M> {
        Matching { posted: MatchQueue::default(), unexpected: MatchQueue::default() }
    }
}

impl<R: Copy, M: Copy> Matching<R, M> {
    /// Takes out the oldest unexpected message that the selector accepts.
    pub fn take_unexpected(&mut self, selector: Selector) -> Option<(Envelope, M)> {
        let (_, slot) = self.unexpected.oldest(selector)?;
        Some(self.unexpected.take(slot))
    }

    /// The unexpected message that a receive would get now.
    pub fn find_unexpected(&self, selector: Selector) -> Option<(Envelope, M)> {
        let (_, slot) = self.unexpected.oldest(selector)?;
        Some(*self.unexpected.get(slot))
    }

    /// Posts a receive. Only valid if `take_unexpected` gave no message.
    pub fn post_receive(&mut self, selector: Selector, receive: R) -> Waiting {
        debug_assert!(self.find_unexpected(selector).is_none());
        Waiting(self.posted.put(&[selector], (selector, receive)))
    }

    /// Removes a receive from the posted queue, in which it must be.
    pub fn cancel(&mut self, waiting: Waiting) -> R {
        self.posted.take(waiting.0).1
    }

    /// Takes out the oldest posted receive that accepts a message that has just come.
    pub fn take_posted(&mut self, envelope: Envelope) -> Option<R> {
        if self.posted.is_empty() {
            return None;
        }
        let fronts = envelope.selectors();
        let fronts = fronts.as_slice().iter().filter_map(|selector| self.posted.oldest(*selector));
        let (_, slot) = fronts.min_by_key(|(age, _)| *age)?;
        Some(self.posted.take(slot).1)
    }

    /// Puts a message into the unexpected queue. Only valid if `take_posted` gave no receive.
    pub fn put_unexpected(&mut self, envelope: Envelope, message: M) {
        self.unexpected.put(envelope.selectors().as_slice(), (envelope, message));
    }

    /// Whether both queues are empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.posted.is_empty() && self.unexpected.is_empty()
    }

    /// Whether one posted receive is all that waits.
    #[inline]
    pub fn has_one_receive(&self) -> bool {
        self.posted.len() == 1 && self.unexpected.is_empty()
    }

    /// Number of posted receives.
    pub fn posted(&self) -> usize {
        self.posted.len()
    }

    /// The unexpected messages, in no order.
    pub fn unexpected(&self) -> impl Iterator<Item = (Envelope, M)> {
        self.unexpected.iter().copied()
    }
}

#[cfg(test)]
mod tests;
