//! Point to point: messages with tags from one rank to another.
//!
//! - [`matching`] decides which message goes to which receive.
//! - [`protocol`] is what the two sides of a message tell each other, [`credit`] how much may be under way unasked.
//! - [`conversation`] is all of that in one communicator: `sending`, `receiving`, what is `incoming`, `probing`.
//! - [`fast_path`] is the short way of small messages.
//!
//! What must hold:
//!
//! - Messages from one rank to another are numbered and announced in the order in which they were started. So the
//!   order of matching is that of the program, whatever the order in which large ones arrive.
//! - A message leaves unasked as far as its receiver could hold it ([`protocol::WINDOW_BYTES`], [`credit::LIMIT_BYTES`]), and
//!   no further before a receive has met it. So a link is always read to its end, and what belongs to somebody else
//!   is never stuck behind a message that nobody wants.
//! - A receive that is shorter than its message fails the communicator: nothing is lost, and no side believes
//!   otherwise.

pub mod conversation;
pub mod credit;
pub mod fast_path;
pub mod matching;
pub mod protocol;

mod incoming;
mod probing;
mod receiving;
mod sending;
mod slab;
mod status;

pub use conversation::{Conversation, Ticket};
pub use incoming::{Drain, Fault, Pulled};
pub use matching::{Envelope, Selector, Tag};
pub use receiving::RecvBuffer;
pub use sending::OutgoingMessage;
pub use status::{Completion, MatchedMessage, MessageOutcome, Status};

#[cfg(test)]
mod tests;
