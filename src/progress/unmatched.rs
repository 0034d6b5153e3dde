//! Unmatched fragments: fragments at the head of a link, when nothing moves, that belong to no running call.
//!
//! Such a fragment may belong to a call that this rank has not made yet, to another communicator, or to one
//! that was removed. It is stashed, given to the messages of its communicator, or dropped. If it contradicts
//! a call of this rank, the communicator fails.

use std::io::ErrorKind;

use super::calls::ActiveCall;
use super::comm_table::Known;
use super::context::{self, CommId};
use super::disagreement::{Verdict, describe};
use super::engine::{Engine, Step, Trouble};
use crate::base::{Call, Error, Rank};
use crate::executor::LinkFailure;
use crate::transport::Header;

impl Engine {
    /// Compares the calls that this rank has made since this was last done with what was stashed before: a
    /// peer may have made another call. What is stashed later is compared at that time.
    pub(super) fn compare_new_calls(&mut self) -> Step<()> {
        let first = std::mem::replace(&mut self.calls.compared, self.calls.next_number);
        if first == self.calls.next_number {
            return Ok(());
        }
        for active in self.calls.active.iter().filter(|a| a.number >= first && a.outcome.is_none()) {
            for endpoint in self.connected.iter().copied() {
                let inbox = &self.endpoints[endpoint as usize].inbox;
                if let Some(other) = inbox.stashed_contradiction(active.execution.header()) {
                    let (number, theirs) = (other.sequence, other.call);
                    let mine = active.prepared.call;
                    return Err(self.mismatch(active.comm, endpoint, number, theirs, mine));
                }
            }
        }
        Ok(())
    }

    /// Examines the head of this link, which no call can use now, and removes it if it is in the way. Returns
    /// whether it was removed.
    pub(super) fn handle_unmatched(&mut self, endpoint: u32, stash_own: bool) -> Step<bool> {
        let head = match self.endpoints[endpoint as usize].inbox.link.head() {
            Ok(Some(head)) => head,
            Ok(None) => return Ok(false),
            Err(source) => return self.blame(LinkFailure { peer: endpoint, source }),
        };
        if head.is_cancelled() {
            // Its sender has told all ranks the reason before.
            self.read_control();
        } else {
            self.check_counts(endpoint, &head)?;
        }
        let taken = match self.comms.known(head.context) {
            _ if head.is_cancelled() => self.endpoints[endpoint as usize].inbox.discard_head(&head),
            Known::Here(id) if self.failure(id).is_none() => {
                if context::is_of_transfers(head.context) {
                    let rank = self.member(id, endpoint)?;
                    return self.accept_unrequested(id, rank);
                }
                if !self.is_in_the_way(id, endpoint, &head, stash_own)? {
                    return Ok(false);
                }
                self.endpoints[endpoint as usize].inbox.stash_head(&head)
            }
            Known::Future => self.endpoints[endpoint as usize].inbox.stash_head(&head),
            Known::Here(_) | Known::Past => self.endpoints[endpoint as usize].inbox.discard_head(&head),
        };
        if matches!(taken, Ok(true)) {
            self.hold_sender_if_ahead(endpoint, &head);
        }
        // A fragment that its sender has withdrawn cannot be read, and must not stay in the way. One for
        // which this rank has no memory would be missed.
        let taken = taken.or_else(|error| match error.kind() {
            ErrorKind::OutOfMemory => Err(error),
            _ => self.endpoints[endpoint as usize].inbox.discard_head(&head),
        });
        match taken {
            Ok(taken) => {
                self.endpoints[endpoint as usize].ring_doorbell_if_due();
                Ok(taken)
            }
            Err(source) => self.blame(LinkFailure { peer: endpoint, source }),
        }
    }

    /// Looks at what all ranks have sent, also if no call waits for it. Returns whether anything was taken,
    /// or a communicator has failed because ranks have made different calls.
    pub(super) fn look_at_all(&mut self) -> bool {
        let shares = self.unfinished().count() + self.messaging.comms.len() > 1;
        let (mut has_found, mut next) = (false, 0);
        while let Some(endpoint) = self.connected.get(next).copied() {
            next += 1;
            match self.handle_unmatched(endpoint, shares) {
                Ok(taken) => has_found |= taken,
                Err(Trouble { comm, error }) => {
                    self.fail(comm, error);
                    has_found = true;
                }
            }
        }
        has_found
    }

    /// Fails a communicator if a message has another number of elements than its receive here, although the
    /// calls agree.
    fn check_counts(&self, endpoint: u32, head: &Header) -> Step<()> {
        for active in self.calls.active.iter().filter(|a| a.outcome.is_none() && a.prepared.is_counted) {
            let stashed = self.endpoints[endpoint as usize].inbox.first_of_call(active.execution.header());
            let next = stashed.unwrap_or(*head);
            if let Some(mine) = active.execution.other_count(endpoint, &next) {
                return Err(self.mismatch(active.comm, endpoint, next.sequence, next.call, mine));
            }
        }
        Ok(())
    }

    /// Whether the head of a link, which belongs to this communicator, must be stashed. It then belongs to a
    /// later call, or to a call under way that cannot take it now.
    fn is_in_the_way(&self, id: CommId, endpoint: u32, head: &Header, stash_own: bool) -> Step<bool> {
        let comm = self.comms.get(id);
        let rank = self.member(id, endpoint)?;
        match self.judge(id, head.sequence, head.call) {
            Verdict::Future => Ok(true),
            Verdict::Contradicts(mine) => Err(self.mismatch(id, endpoint, head.sequence, head.call, mine)),
            Verdict::Forgotten => {
                let who = comm.label(rank, &self.endpoints);
                let text = format!("{who} sends for call #{}, which ended here long ago", head.sequence);
                let error = Error::Mismatch(format!("{text}: {}", describe(head.call)));
                Err(Trouble { comm: id, error })
            }
            Verdict::Agrees if stash_own => Ok(true),
            Verdict::Agrees => {
                let running = |a: &ActiveCall| a.outcome.is_none() && a.execution.header().is_of_call(head);
                if self.calls.active.iter().any(running) {
                    return Ok(false);
                }
                let who = comm.label(rank, &self.endpoints);
                let detail = format!("{who} wrote nonsense: more bytes than {} has", describe(head.call));
                Err(Trouble { comm: id, error: Error::PeerLost { rank, detail } })
            }
        }
    }

    /// Compares a peer's call with the one that this rank made under the same number: among the last calls,
    /// or under way, however many calls have been made since.
    pub(super) fn judge(&self, id: CommId, number: u32, call: [u64; 2]) -> Verdict {
        let verdict = self.comms.get(id).collectives.judge(number, call);
        if verdict != Verdict::Forgotten {
            return verdict;
        }
        let mut unfinished = self.unfinished();
        match unfinished.find(|a| a.comm == id && a.execution.header().sequence == number) {
            None => Verdict::Forgotten,
            Some(mine) if Call::agree(mine.prepared.packed, call) => Verdict::Agrees,
            Some(mine) => Verdict::Contradicts(mine.prepared.call),
        }
    }

    /// The rank of a communicator that sends through this endpoint.
    fn member(&self, id: CommId, endpoint: u32) -> Step<Rank> {
        let comm = self.comms.get(id);
        comm.rank_of(endpoint).ok_or_else(|| {
            let who = &self.endpoints[endpoint as usize].label;
            let text = format!("{who} sends in \"{}\", but is not a member of it", comm.name);
            Trouble { comm: id, error: Error::Mismatch(text) }
        })
    }

    /// Attributes the failure of a link outside of a call's turn to a call that waits for the link, if there
    /// is one.
    fn blame(&mut self, failure: LinkFailure) -> Step<bool> {
        let waits =
            |active: &ActiveCall| active.execution.waits_for().any(|(endpoint, _)| endpoint == failure.peer);
        match self.calls.active.iter().position(|a| a.outcome.is_none() && waits(a)) {
            Some(_) if self.may_hear_why(&failure) => Ok(false),
            Some(at) => Err(self.link_trouble(at, failure)),
            None => Ok(false),
        }
    }
}
