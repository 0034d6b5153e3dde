//! Quitting: a rank that has done its part in everything that it has begun leaves a communicator on its own.
//!
//! It tells the others how many calls it has made ([`ControlMessage::Quit`]), and is gone for them. All data
//! that it owed to these calls has been sent: into shared memory, where it stays until it is read, or to the
//! kernel. So the calls that the others are still finishing succeed. Only a later call that needs the rank
//! fails, as soon as this is detected. A rank that says goodbye in good order waits for no one after another
//! rank has quit.

use super::context::CommId;
use super::engine::Engine;
use super::engine_comm::{EngineComm, FIRST_CALL, Quit};
use crate::base::{Error, Rank};
use crate::transport::FIRST_CONTEXT;
use crate::transport::control::ControlMessage;

impl EngineComm {
    /// Whether a rank quit only after its part in a call, so it has sent everything that the call needs.
    pub(super) fn has_served(&self, rank: Rank, sequence: u32) -> bool {
        self.members[rank as usize].quit.as_ref().is_some_and(|quit| quit.has_made(sequence))
    }

    /// Whether any rank has quit. The calls of the others may then differ, and are not compared.
    pub(super) fn is_quit(&self) -> bool {
        self.has_quit || self.peer_has_quit
    }

    /// Whether a rank has quit while this one says goodbye. This rank then waits for no one, and nothing can
    /// fail.
    pub(super) fn is_over(&self) -> bool {
        self.says_goodbye && self.is_quit()
    }

    /// Whether this rank has begun anything since the communicator was made.
    fn is_used(&self) -> bool {
        let first = if self.context == FIRST_CONTEXT { FIRST_CALL } else { 0 };
        self.collectives.made().wrapping_sub(first).cast_signed() > 0 || self.conversation.is_used()
    }
}

impl Engine {
    /// Begins the goodbye of this rank. `false`: there is no one to say it to, because a failure has told the
    /// others already.
    pub fn begin_goodbye(&mut self, id: CommId) -> bool {
        self.read_control();
        let comm = self.comms.find_mut(id).filter(|comm| comm.failure.is_none());
        comm.is_some_and(|comm| {
            comm.says_goodbye = true;
            true
        })
    }

    /// Whether this rank, which says goodbye, need not wait for the others.
    pub fn is_over(&self, id: CommId) -> bool {
        self.comms.find(id).is_none_or(EngineComm::is_over)
    }

    /// Leaves a communicator if this rank has done its part in everything that it has begun. `false`: nothing
    /// was done. Then this rank has begun nothing, or something has not ended, or the communicator has failed
    /// or was removed.
    pub fn quit(&mut self, id: CommId, reason: &str) -> bool {
        let has_begun = |comm: &EngineComm| comm.has_announced_leave || comm.is_used();
        self.comms.find(id).is_some_and(has_begun) && self.quit_companion(id, reason)
    }

    /// Leaves a communicator that serves the calls of another one, as [`Engine::quit`] does. This rank may
    /// have begun nothing in it.
    pub fn quit_companion(&mut self, id: CommId, reason: &str) -> bool {
        let comm = self.comms.find_mut(id).filter(|comm| comm.failure.is_none());
        let Some(EngineComm { conversation, has_announced_leave, .. }) = comm else { return false };
        if *has_announced_leave {
            // This rank has already left.
            return true;
        }
        conversation.settle();
        let comm = self.comms.get(id);
        let is_at_work = !comm.says_goodbye && self.unfinished().any(|active| active.comm == id);
        if is_at_work || !comm.conversation.is_idle() {
            return false;
        }
        let (context, calls) = (comm.context, comm.collectives.made());
        let comm = self.comms.get_mut(id);
        (comm.has_quit, comm.has_announced_leave) = (true, true);
        let quit = |sent| ControlMessage::Quit { context, sent, calls, reason: reason.into() };
        self.tell_members(id, quit);
        self.end_goodbye(id);
        true
    }

    /// Notes that a rank has quit.
    pub(super) fn note_quit(&mut self, id: CommId, rank: Rank, calls: u32, reason: String) {
        let comm = self.comms.get_mut(id);
        comm.peer_has_quit = true;
        comm.members[rank as usize].quit.get_or_insert_with(|| Box::new(Quit { calls, reason }));
    }

    /// Fails a communicator in which a call needs a rank that quit before it.
    pub(super) fn fail_if_quitter_is_needed(&mut self, id: CommId) {
        if self.comms.get(id).is_over() {
            return self.end_goodbye(id);
        }
        if !self.comms.get(id).peer_has_quit {
            return;
        }
        let comm = self.comms.get(id);
        let doomed = self.unfinished().filter(|active| active.comm == id).find_map(|active| {
            let sequence = active.execution.header().sequence;
            let mut needed = active.execution.waits_for().filter_map(|(endpoint, _)| comm.rank_of(endpoint));
            let has_quit = |rank: &Rank| comm.members[*rank as usize].quit.is_some();
            let missing = needed.find(|rank| has_quit(rank) && !comm.has_served(*rank, sequence));
            missing.map(|rank| (rank, self.title(active)))
        });
        if let Some((rank, title)) = doomed {
            let what = self.describe_quit(id, rank).unwrap_or_default();
            self.fail(id, Error::Aborted(format!("{what}; {title} needs it")));
        }
    }

    /// Ends the goodbye of this rank, which need not wait for the others.
    fn end_goodbye(&mut self, id: CommId) {
        for active in self.calls.active.iter_mut().filter(|a| a.comm == id && a.outcome.is_none()) {
            active.execution.abandon(&mut self.endpoints);
            active.outcome = Some(Ok(()));
        }
    }

    /// How a rank has quit, for an error: "rank 2 (...) has aborted "world" after its call #7
    /// (ncclCommAbort)".
    pub(super) fn describe_quit(&self, id: CommId, rank: Rank) -> Option<String> {
        let comm = self.comms.find(id)?;
        let Quit { calls, reason } = comm.members[rank as usize].quit.as_deref()?;
        let after = match calls.checked_sub(1) {
            Some(last) => format!("after its call #{last}"),
            None => "before its first collective call".into(),
        };
        let who = comm.label(rank, &self.endpoints);
        Some(format!("{who} has aborted \"{}\" {after} ({reason})", comm.name))
    }
}
