//! Point to point: messages with tags from one rank to another.
//!
//! - [`matching`] has the posted queue and the unexpected queue, and decides which message goes to which
//!   receive.
//! - [`protocol`] is what the two sides of a message tell each other: eager, rendezvous, clear to send.
//!   [`credit`] bounds how much may be sent before the receiver has replied.
//! - `operations` is what is kept of a send, a receive, a probe. [`conversation`] has all of one
//!   communicator; `sending`, `receiving`, `incoming` and `probing` move them on.
//! - [`Noncontiguous`] is memory of a message that is not one run of bytes.
//! - [`fast_path`] sends and receives small messages with little bookkeeping.
//!
//! Guarantees:
//!
//! - Messages from one rank to another are numbered and announced in the order in which they were started. So
//!   the order of matching is that of the program, whatever the order in which large ones arrive.
//! - A message is sent eagerly as far as its receiver can hold it ([`protocol::WINDOW_BYTES`],
//!   [`credit::LIMIT_BYTES`]), and no further before a receive has matched it. So a link can always be read
//!   to its end, and a message without a receive blocks nothing behind it.
//! - A receive that is shorter than its message fails the communicator on both sides, so nothing is lost
//!   silently.

pub mod conversation;
pub mod credit;
pub mod fast_path;
pub mod matching;
pub mod protocol;

#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod foreign_bytes;
mod incoming;
mod noncontiguous;
mod operations;
mod probing;
mod receiving;
mod references;
mod sending;
mod slab;
mod status;

pub use conversation::Conversation;
pub use incoming::{Drain, Fault, Pulled};
pub use matching::{Envelope, Selector, Tag};
pub use noncontiguous::Noncontiguous;
pub use operations::{
    Completion, MatchedMessage, MessageFacts, MessageOutcome, OutgoingMessage, RecvBuffer, Ticket, Wanted,
};
pub use protocol::{REFERENCE_BYTES, Reference, WINDOW_BYTES};
pub use status::Status;

#[cfg(test)]
mod tests;
