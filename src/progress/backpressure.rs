//! How far peers may be ahead of this rank's calls: what they send for calls that this rank has not made is kept, up to a limit.
//!
//! A rank that waits, in whatever call, takes what stands in its way from the link and keeps it (`inbox`). If that is much of
//! one communicator, it tells the sender to *hold* the calls of that communicator which it has not made. The sender goes on with
//! everything else. With each call that this rank makes there, it says which calls it has made by now, or, when it has used
//! up enough, *releases* them all.
//!
//! Until the sender has heard that, it goes on: it listens whenever it has sent [`crate::endpoint::UNHEARD_BYTES`] to a peer.
//! So of each communicator and each sender, no more is kept than [`HELD_BYTES`], as much as a sender sends without listening, what
//! the link holds, and the message that is under way if the kernel fetches it.
//!
//! Nobody waits for ever: a call is held only while a rank has not made it, and goes on as soon as that rank does.
//!
//! See docs/adr/0034-calls-ahead-are-held.md.

use super::context::{self, GroupId, Known};
use super::engine::Engine;
use crate::transport::Header;
use crate::transport::control::Message;

/// What is kept of one communicator and one sender before the sender is told to hold.
pub(super) const HELD_BYTES: usize = 4 << 20;

impl Engine {
    /// Something that came through a port was kept: tells the sender if that is too much ahead of the calls of this rank.
    pub(super) fn hold_back(&mut self, port: u32, head: &Header) {
        let Header { context, sequence, .. } = *head;
        let port = &mut self.ports[port as usize];
        let is_much = !context::is_of_transfers(context) && port.inbox.stashed_cost(context) > HELD_BYTES;
        if !is_much || port.holding.contains(&context) {
            return;
        }
        let from = match self.groups.known(context) {
            Known::Here(id) => {
                let group = self.groups.get_mut(id);
                let next = group.collectives.made();
                if sequence.wrapping_sub(next).cast_signed() < 0 {
                    return;
                }
                group.is_holding = true;
                next
            }
            // No call of it has been made here.
            Known::Future => 0,
            Known::Past => return,
        };
        port.holding.push(context);
        if let Some(control) = &mut port.control {
            control.send(&Message::Hold { context, from });
        }
    }

    /// A call has been made: tells those who hold calls which of them may go on.
    pub(super) fn let_go(&mut self, id: GroupId) {
        let group = self.groups.get_mut(id);
        let (context, from) = (group.context, group.collectives.made());
        group.is_holding = false;
        for member in &group.members {
            let port = &mut self.ports[member.port as usize];
            let Some(at) = port.holding.iter().position(|held| *held == context) else { continue };
            let message = if port.inbox.stashed_cost(context) <= HELD_BYTES / 2 {
                port.holding.swap_remove(at);
                Message::Release { context }
            } else {
                group.is_holding = true;
                Message::Hold { context, from }
            };
            if let Some(control) = &mut port.control {
                control.send(&message);
            }
        }
    }
}
