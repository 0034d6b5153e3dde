//! Ranks that wait in a call that ended elsewhere too long ago to be compared.
//!
//! A rank that stalls tells the others in which call ([`ControlMessage::Stall`]). If the call has ended here,
//! and this rank no longer remembers it, it cannot tell whether the two calls differ. So it answers how much
//! it has sent. Whoever has received all of that and still waits for this rank has made another call.

use super::context::CommId;
use super::engine::Engine;
use crate::base::{Error, Rank};
use crate::transport::control::ControlMessage;

impl Engine {
    /// Tells a rank once that the call in which it stalls has ended here.
    pub(super) fn answer_stall(&mut self, id: CommId, rank: Rank) {
        let comm = self.comms.get_mut(id);
        let (context, member) = (comm.context, &mut comm.members[rank as usize]);
        let Some(stall) = member.stall.as_mut().filter(|stall| !stall.is_answered) else { return };
        stall.is_answered = true;
        let endpoint = &mut self.endpoints[member.endpoint as usize];
        let (sequence, sent) = (stall.sequence, endpoint.inbox.link.sent());
        if let Some(control) = &mut endpoint.control {
            control.send(&ControlMessage::Ended { context, sequence, sent });
        }
    }

    /// Fails a communicator in which this rank waits for one whose call with that number has ended.
    pub(super) fn fail_if_ended_elsewhere(&mut self, id: CommId) {
        let Some((rank, at)) = self.ended_elsewhere(id) else { return };
        // All of its data has come, but this rank may not have looked at it.
        let has_moved = self.progress_until_changed(|engine| engine.calls.active[at].moves);
        if has_moved || self.ended_elsewhere(id) != Some((rank, at)) {
            return;
        }
        let (comm, active) = (self.comms.get(id), &self.calls.active[at]);
        let error = Error::Mismatch(format!(
            "the ranks disagree in call #{} of \"{}\": rank {} called {}, and rank {rank} has made a call with this \
             number that has ended, too long ago to be remembered",
            active.execution.header().sequence,
            comm.name,
            comm.rank,
            active.prepared.call,
        ));
        self.fail(id, error);
    }

    /// A rank for which a call waits that has ended there, and the place of the call in the list.
    fn ended_elsewhere(&self, id: CommId) -> Option<(Rank, usize)> {
        let comm = self.comms.get(id);
        if comm.failure.is_some() || !comm.ended_known {
            return None;
        }
        let is_ended = |rank: Rank, number: u32| {
            let member = &comm.members[rank as usize];
            let has_come = |sent| self.endpoints[member.endpoint as usize].has_come_to(sent);
            member.ended.is_some_and(|ended| ended.sequence == number && has_come(ended.sent))
        };
        self.calls.active.iter().enumerate().find_map(|(at, active)| {
            let number = active.execution.header().sequence;
            let is_here = active.comm == id && active.outcome.is_none();
            let mut needed = active.execution.waits_for().filter_map(|(endpoint, _)| comm.rank_of(endpoint));
            let rank = needed.find(|rank| is_here && is_ended(*rank, number))?;
            Some((rank, at))
        })
    }
}
