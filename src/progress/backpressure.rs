//! Back pressure: a bound on how far peers may be ahead of this rank's calls.
//!
//! A rank that waits, in whatever call, takes blocking fragments from the link and stashes them
//! ([`crate::endpoint`]). If the stash of one communicator grows large, the rank tells the sender to *hold*
//! the calls of that communicator that this rank has not made. The sender goes on with everything else. At
//! each call that this rank makes there, it tells the sender how many calls it has made. When enough of the
//! stash is used up, it *releases* all calls.
//!
//! A sender reads its control channels whenever it has sent [`crate::endpoint::CONTROL_READ_BYTES`] to a
//! peer. So the stash of each communicator and each sender is bounded. The bound is the sum of
//! [`HELD_BYTES`], the bytes sent between two such reads, the bytes that the link holds, and one message that
//! the kernel copies.
//!
//! No rank waits for ever: a call is held only while a rank has not made it, and goes on as soon as that rank
//! does.
//!
//! Decision: docs/adr/0012-messages.md.

use super::comm_table::Known;
use super::context::{self, CommId};
use super::engine::Engine;
use crate::transport::Header;
use crate::transport::control::ControlMessage;

/// Bytes of one communicator and one sender that are stashed before the sender is told to hold.
pub(super) const HELD_BYTES: usize = 4 << 20;

impl Engine {
    /// Tells a sender to hold if too much of what it sent ahead of this rank's calls is stashed. Called when
    /// a fragment with the header `head` was stashed.
    pub(super) fn hold_sender_if_ahead(&mut self, endpoint: u32, head: &Header) {
        let Header { context, sequence, .. } = *head;
        let endpoint = &mut self.endpoints[endpoint as usize];
        let is_much = !context::is_of_transfers(context) && endpoint.inbox.stashed_cost(context) > HELD_BYTES;
        if !is_much || endpoint.held_here.contains(&context) {
            return;
        }
        let from = match self.comms.known(context) {
            Known::Here(id) => {
                let comm = self.comms.get_mut(id);
                let next = comm.collectives.made();
                if sequence.wrapping_sub(next).cast_signed() < 0 {
                    return;
                }
                comm.holds_senders = true;
                next
            }
            // This rank has made no call of the communicator.
            Known::Future => 0,
            Known::Past => return,
        };
        endpoint.held_here.push(context);
        if let Some(control) = &mut endpoint.control {
            control.send(&ControlMessage::Hold { context, from });
        }
    }

    /// Tells ranks that hold calls which of them may go on. Called when this rank has made a call.
    pub(super) fn release_senders(&mut self, id: CommId) {
        let comm = self.comms.get_mut(id);
        let (context, from) = (comm.context, comm.collectives.made());
        comm.holds_senders = false;
        for member in &comm.members {
            let endpoint = &mut self.endpoints[member.endpoint as usize];
            let Some(at) = endpoint.held_here.iter().position(|held| *held == context) else { continue };
            let message = if endpoint.inbox.stashed_cost(context) <= HELD_BYTES / 2 {
                endpoint.held_here.swap_remove(at);
                ControlMessage::Release { context }
            } else {
                comm.holds_senders = true;
                ControlMessage::Hold { context, from }
            };
            if let Some(control) = &mut endpoint.control {
                control.send(&message);
            }
        }
    }
}
