//! Buffers of ranks in other processes that the leader has mapped itself, so that calls need no bounce
//! buffer for them.
//!
//! The process of a rank, the *owner* of its buffers, has a connection to the leader's process (`channel`).
//! All communicators that these two processes share with the same leader use it, so an allocation is mapped
//! once. For a message, its receiver is in the place of the leader.
//!
//! 1. At the first call on an allocation, the owner exports it, and asks the leader to map it. The call
//!    uses the bounce buffer (`owner`).
//! 2. The leader maps it before a later call, the receiver before a later receive, while no call of its
//!    process is queued: to map memory may make the driver wait for all work of the device. It answers with a
//!    *token* (`importer`).
//! 3. From then on, the rank's record has the token and an offset instead of a slot.
//!
//! The owner alone decides what stays mapped. It knows an allocation by the number that the driver gives it.
//! The driver never uses a number again, so an address that was freed and given out again cannot reach old
//! memory. The owner has the leader unmap what the program has freed, and what was not used for longest if
//! there are too many.
//!
//! A call that fails must not release its stream while the leader's kernel still uses its buffers. Memory
//! that both processes share says whether it does (`uses`).
//!
//! Bounce buffers are mapped over the same connection, when a communicator is made, and a slot is offered
//! like a mapped buffer.

mod channel;
mod importer;
mod owner;
mod use_word;
mod uses;

pub use importer::{Importer, adopt, listen, serve_all};
pub use owner::{Found, Owner, forget_everywhere};
pub use uses::{Offer, OfferBits, SLOT_WORDS, Use};

use crate::base::{Error, Result};

/// The number of a connection, or of a listening socket. All zeros: there is none.
pub type Number = [u8; 16];

/// A random number, which no other process can guess.
pub fn number() -> Result<Number> {
    let mut number = [0; 16];
    getrandom::fill(&mut number)
        .map_err(|error| Error::Unsupported(format!("cannot get random bytes: {error}")))?;
    Ok(number)
}

/// Reads the records that have come after each part.
#[cfg(any(test, feature = "fuzzing"))]
pub fn channel_records(socket: crate::sys::socket::Socket, parts: impl Iterator<Item = ()>) {
    let mut channel = channel::Channel::new(socket);
    for () in parts {
        while let Some(record) = channel.next() {
            // No descriptor has come with any record.
            assert!(!matches!(
                record,
                channel::Record::Map { export: crate::device::direct::Export::Descriptor(_), .. }
            ));
            assert!(channel.take_descriptor().is_none());
        }
    }
}

/// Name of the abstract socket of a process that maps buffers.
fn socket_name(name: &Number) -> Vec<u8> {
    let digits: String = name.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("anyccl-buffers-{digits}").into_bytes()
}
