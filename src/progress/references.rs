//! Messages whose receiver may read the elements itself ([`crate::p2p::Reference`]), as calls of a thread.

use super::context::CommId;
use super::engine::Ticket;
use super::wait::Driver;
use crate::base::{Rank, Result};
use crate::p2p::{MatchedMessage, OutgoingMessage, RecvBuffer, Reference, Selector, Wanted};

impl Driver {
    /// Starts a message that is sent as a reference. `what.data` is not used.
    pub fn start_reference(
        &self,
        comm: CommId,
        what: &OutgoingMessage,
        reference: &Reference,
    ) -> Result<Ticket> {
        let mut engine = self.lock();
        let start =
            |conversation: &mut crate::p2p::Conversation| Ok(conversation.start_reference(what, reference));
        let ticket = engine.start_message(comm, start)?;
        self.move_on(&mut engine);
        Ok(ticket)
    }

    /// Sends the elements of a message whose receiver cannot use the reference.
    ///
    /// # Safety
    /// See [`crate::p2p::Conversation::start_wanted`].
    pub unsafe fn start_wanted(
        &self,
        comm: CommId,
        what: &OutgoingMessage,
        wanted: Wanted,
    ) -> Result<Ticket> {
        let mut engine = self.lock();
        let start = |conversation: &mut crate::p2p::Conversation| {
            // SAFETY: passed on from our caller.
            Ok(unsafe { conversation.start_wanted(what, wanted) })
        };
        let ticket = engine.start_message(comm, start)?;
        self.move_on(&mut engine);
        Ok(ticket)
    }

    /// Starts a receive that only claims its message.
    pub fn start_claim(&self, comm: CommId, selector: Selector, buffer: RecvBuffer) -> Result<Ticket> {
        let mut engine = self.lock();
        let ticket = engine.start_message(comm, |conversation| conversation.start_claim(selector, buffer))?;
        engine.opening.note_source(selector.source());
        self.move_on(&mut engine);
        Ok(ticket)
    }

    /// The reference of a claimed message, if it has one.
    pub fn reference(&self, comm: CommId, message: MatchedMessage) -> Option<Reference> {
        self.lock().comms.find(comm)?.conversation.reference(message)
    }

    /// Ends a claimed message, because its receiver has read the elements.
    pub fn end_reference(&self, comm: CommId, message: MatchedMessage) {
        let mut engine = self.lock();
        if let Some(found) = engine.comms.find_mut(comm) {
            found.conversation.end_reference(message);
            engine.note_messaging(comm);
            self.move_on(&mut engine);
        }
    }

    /// Whether all replies to a rank are in its link. Makes progress.
    pub fn has_replied(&self, comm: CommId, to: Rank) -> bool {
        let mut engine = self.lock();
        self.move_on(&mut engine);
        engine.comms.find(comm).is_none_or(|comm| comm.conversation.has_replied(to))
    }
}
