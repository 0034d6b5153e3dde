//! Communicators that some rank has not made, because the one from which they are made has failed there
//! before.
//!
//! A call that makes a communicator ends on one rank before it ends on another. If a rank dies meanwhile, the
//! call may succeed on the first one and fail on the second. The first one would then wait for the second in
//! its next call on the new communicator, and the second knows of no such communicator. So a rank whose call
//! has failed tells the others, and they fail what they have made by it.

use super::comm_table::Known;
use super::context::CommId;
use super::engine::Engine;
use super::engine_comm::{FormedBy, GIVEN_UP};
use crate::base::{CallKind, Error, Result};
use crate::transport::control::ControlMessage;
use crate::transport::failure::ANOTHER_FAILED;

impl Engine {
    /// The next call on a communicator, which is about to make another one.
    pub fn next_formation(&self, id: CommId) -> Result<FormedBy> {
        let comm = self.comms.find(id).ok_or_else(|| GIVEN_UP.clone())?;
        Ok(FormedBy { parent: comm.context, call: comm.collectives.made() })
    }

    /// Tells the other ranks of a failing communicator if a call here will not make one any more.
    pub(super) fn tell_unformed(&mut self, id: CommId) {
        let unformed = self.unfinished().find_map(|active| {
            let is_formation = matches!(active.prepared.call.kind, CallKind::Formation(_));
            (active.comm == id && is_formation).then(|| active.execution.header().sequence)
        });
        let Some(call) = unformed else { return };
        let context = self.comms.get(id).context;
        self.tell_members(id, |_| ControlMessage::Unformed { context, call });
    }

    /// Handles the message of a rank that has not made a communicator.
    pub(super) fn take_unformed(&mut self, endpoint: u32, formed_by: FormedBy) {
        // This rank may be about to make it.
        if let Known::Here(parent) = self.comms.known(formed_by.parent) {
            let unformed = &mut self.comms.get_mut(parent).unformed;
            unformed.retain(|(other, _)| *other != endpoint);
            unformed.push((endpoint, formed_by.call));
        }
        for id in self.comms.ids() {
            if self.comms.get(id).formed_by == Some(formed_by) {
                self.fail_unformed(id, endpoint);
            }
        }
    }

    /// Fails a communicator that was just made, if another rank has not made it.
    pub(super) fn fail_if_unformed(&mut self, id: CommId) {
        let Some(FormedBy { parent, call }) = self.comms.get(id).formed_by else { return };
        let Known::Here(parent) = self.comms.known(parent) else { return };
        let unformed = self.comms.get(parent).unformed.iter();
        let missing: Vec<u32> =
            unformed.filter(|(_, number)| *number == call).map(|(endpoint, _)| *endpoint).collect();
        missing.into_iter().for_each(|endpoint| self.fail_unformed(id, endpoint));
    }

    fn fail_unformed(&mut self, id: CommId, endpoint: u32) {
        let comm = self.comms.get(id);
        if let Some(rank) = comm.rank_of(endpoint) {
            let who = comm.label(rank, &self.endpoints);
            let text = format!("{ANOTHER_FAILED}: {who} has not made \"{}\"", comm.name);
            self.fail(id, Error::Aborted(text));
        }
    }
}
