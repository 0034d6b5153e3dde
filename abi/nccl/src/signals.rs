//! Puts and the waits for their signals, carried out by messages.
//!
//! NCCL promises that the bytes of a put are in the window when its receiver has waited for its signal, and
//! no earlier. So a put is a message, and the wait for its signal receives the message and writes it into the
//! window. The message's tag says which signal of which context it raises. A signal alone is a put of no
//! bytes. The bytes of a put are copied, because nobody may be waiting yet. So the caller may reuse its
//! buffer when the call returns, and the copy stays until it was sent.

use std::ffi::c_int;
use std::ptr;
use std::sync::Arc;

use anyccl_edge::check::invalid;
use anyccl_engine::base::{Datatype, Error, Rank, Result};
use anyccl_engine::comm::{Communicator, Work};
use anyccl_engine::p2p::{MatchedMessage, OutgoingMessage, RecvBuffer, Selector, Status, Tag};

use crate::communicator::Comm;

/// Tag of signal 0 of context 0; the tags of the others follow downwards. Programs have no tags.
const FIRST_TAG: Tag = -1024;
/// Number of signals of a context, and number of contexts.
const SIGNALS: c_int = 4096;
const CONTEXTS: c_int = 256;
/// Length of the header before the bytes of a put: window, offset.
const HEADER_BYTES: usize = 16;

/// A put whose arguments were checked.
pub struct Put {
    to: Rank,
    tag: Tag,
    message: Arc<[u8]>,
}

/// A wait for signals of one peer.
#[derive(Clone, Copy)]
pub struct SignalWait {
    /// The rank that raises the signals.
    pub peer: Rank,
    /// Tag of the signal, from [`tag_of`].
    pub tag: Tag,
    /// Number of signals still to wait for.
    pub times: u32,
}

impl Put {
    /// A put of `payload` at `offset` in window number `window` of rank `to`, which raises the signal named
    /// `tag`.
    pub fn new(to: Rank, tag: Tag, window: usize, offset: usize, payload: &[u8]) -> Put {
        let mut message = Vec::with_capacity(HEADER_BYTES + payload.len());
        message.extend(window.to_le_bytes());
        message.extend(offset.to_le_bytes());
        message.extend(payload);
        Put { to, tag, message: message.into() }
    }

    /// A signal alone: a put of no bytes.
    pub fn signal(to: Rank, tag: Tag) -> Put {
        Put::new(to, tag, 0, 0, &[])
    }

    /// Sends the put. Never waits.
    pub fn post(&self, comm: &Comm, engine: &Communicator) -> Result<()> {
        let what = OutgoingMessage {
            to: self.to,
            tag: self.tag,
            datatype: Datatype::Byte,
            count: self.message.len() as u64,
            data: self.message.as_ptr(),
            is_synchronous: false,
        };
        // SAFETY: the message is kept unchanged next to the work, which is waited for before the message is
        // freed.
        let mut work = Work::from(unsafe { engine.start(&what) }?);
        let mut outbox = comm.outbox.lock();
        outbox.retain_mut(|(work, _)| !work.has_ended());
        if !work.has_ended() {
            outbox.push((work, Arc::clone(&self.message)));
        }
        Ok(())
    }
}

impl SignalWait {
    fn selector(self) -> Selector {
        Selector::new(Some(self.peer), Some(self.tag))
    }

    /// Waits for all signals.
    pub fn wait(self, comm: &Comm, engine: &Communicator) -> Result<()> {
        for _ in 0..self.times {
            let (message, status) = engine.matched_probe(self.selector())?;
            take(comm, engine, message, status)?;
        }
        Ok(())
    }

    /// Receives the signals that have arrived; returns whether those were all.
    pub fn advance(&mut self, comm: &Comm, engine: &Communicator) -> Result<bool> {
        while self.times > 0 {
            let Some((message, status)) = engine.try_matched_probe(self.selector())? else {
                return Ok(false);
            };
            take(comm, engine, message, status)?;
            self.times -= 1;
        }
        Ok(true)
    }
}

/// Receives a put and writes it into its window.
fn take(comm: &Comm, engine: &Communicator, message: MatchedMessage, status: Status) -> Result<()> {
    let mut bytes = vec![0u8; status.bytes];
    let buffer = RecvBuffer {
        data: bytes.as_mut_ptr(),
        datatype: Datatype::Byte,
        count: bytes.len() as u64,
        is_lenient: false,
    };
    // SAFETY: room for the whole message, which nobody else uses until it is received.
    unsafe { engine.start_matched_receive(message, buffer) }?.wait()?;
    let Some((header, payload)) = bytes.split_at_checked(HEADER_BYTES) else {
        return Err(Error::Internal(format!("a put of {} bytes", bytes.len())));
    };
    let word = |at: usize| usize::from_le_bytes(std::array::from_fn(|i| header[8 * at + i]));
    let (number, offset) = (word(0), word(1));
    if payload.is_empty() {
        return Ok(());
    }
    let windows = comm.windows.lock();
    let place = windows.place(number, offset, payload.len());
    let place =
        place.map_err(|got| Error::Mismatch(format!("ncclPutSignal of rank {}: {got}", status.source)))?;
    // SAFETY: the bytes lie inside memory that the program has registered. The program leaves it to puts
    // until it has waited for them.
    unsafe { ptr::copy_nonoverlapping(payload.as_ptr(), place, payload.len()) };
    Ok(())
}

/// The tag of a signal, or an error for invalid numbers.
pub fn tag_of(sigIdx: c_int, ctx: c_int) -> Result<Tag> {
    if !(0..SIGNALS).contains(&sigIdx) {
        return invalid("sigIdx", format!("{sigIdx}; accepted: 0 to {}", SIGNALS - 1));
    }
    if !(0..CONTEXTS).contains(&ctx) {
        return invalid("ctx", format!("{ctx}; accepted: 0 to {}", CONTEXTS - 1));
    }
    Ok(FIRST_TAG - (ctx * SIGNALS + sigIdx))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_have_names_of_their_own() {
        let mut seen = std::collections::HashSet::new();
        for ctx in [0, 1, CONTEXTS - 1] {
            for signal in [0, 1, SIGNALS - 1] {
                assert!(seen.insert(tag_of(signal, ctx).unwrap()));
            }
        }
        assert!(seen.iter().all(|tag| *tag <= FIRST_TAG));
        assert!(tag_of(SIGNALS, 0).is_err() && tag_of(0, CONTEXTS).is_err() && tag_of(-1, 0).is_err());
    }
}
