//! Which message goes to which receive.
//!
//! The rule is MPI's. A receive names a source and a tag, or says "any"; it takes the oldest message that fits, and
//! a message goes to the oldest receive that it fits. So messages from one rank that fit the same receives are
//! received in the order in which they were sent; others may overtake each other.
//!
//! Pure: neither memory nor links are touched here. `R` stands for a receive, `M` for a message; both are small and
//! the caller's.
//!
//! Cost: a few look-ups in hash tables per message and per receive, however many are waiting.

mod queue;
mod selector;

pub use selector::{Envelope, Mixing, Selector, Tag};

use queue::{Place, Shelf};
use selector::CLASSES;

/// A receive that waits; needed to cancel it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting(Place);

/// Receives without a message and messages without a receive. Never both for one message.
pub struct Matching<R, M> {
    receives: Shelf<(Selector, R), 1>,
    messages: Shelf<(Envelope, M), CLASSES>,
}

impl<R, M> Default for Matching<R, M> {
    fn default() -> Matching<R, M> {
        Matching { receives: Shelf::default(), messages: Shelf::default() }
    }
}

impl<R: Copy, M: Copy> Matching<R, M> {
    /// A message that has come already and fits is taken out.
    pub fn take_message(&mut self, selector: Selector) -> Option<(Envelope, M)> {
        let (_, place) = self.messages.oldest(selector)?;
        Some(self.messages.take(place))
    }

    /// The message that a receive would get now.
    pub fn find_message(&self, selector: Selector) -> Option<(Envelope, M)> {
        let (_, place) = self.messages.oldest(selector)?;
        Some(*self.messages.get(place))
    }

    /// A receive waits from now on. Only where `take_message` gave none.
    pub fn put_receive(&mut self, selector: Selector, receive: R) -> Waiting {
        debug_assert!(self.find_message(selector).is_none());
        Waiting(self.receives.put(&[selector], (selector, receive)))
    }

    /// A receive no longer waits. Only while it does.
    pub fn cancel(&mut self, waiting: Waiting) -> R {
        self.receives.take(waiting.0).1
    }

    /// The receive that a message which has just come goes to; it no longer waits.
    pub fn take_receive(&mut self, envelope: Envelope) -> Option<R> {
        if self.receives.is_empty() {
            return None;
        }
        let fronts = envelope.selectors();
        let fronts = fronts.as_slice().iter().filter_map(|selector| self.receives.oldest(*selector));
        let (_, place) = fronts.min_by_key(|(age, _)| *age)?;
        Some(self.receives.take(place).1)
    }

    /// A message waits from now on. Only where `take_receive` gave none.
    pub fn put_message(&mut self, envelope: Envelope, message: M) {
        self.messages.put(envelope.selectors().as_slice(), (envelope, message));
    }

    /// Whether no receive waits and no message.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.receives.is_empty() && self.messages.is_empty()
    }

    /// How many receives wait.
    pub fn receives(&self) -> usize {
        self.receives.len()
    }

    /// The messages that nobody has received, in no order.
    pub fn messages(&self) -> impl Iterator<Item = (Envelope, M)> {
        self.messages.iter().copied()
    }
}

#[cfg(test)]
mod tests;
