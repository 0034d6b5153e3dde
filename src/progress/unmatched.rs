//! What lies at the heads of the links when nothing moves, and is nobody's: of another call, another communicator, or of
//! one that is no more.

use super::context::{self, GroupId, Known};
use super::disagreement::{Verdict, describe};
use super::engine::{Active, Engine, Step, Trouble};
use crate::base::{Error, Rank};
use crate::executor::LinkFailure;
use crate::transport::Header;

impl Engine {
    /// Nobody can use the head of this link now: find out what it is, and take it away if it is in the way.
    pub(super) fn sort_out(&mut self, port: u32, stash_own: bool) -> Step<bool> {
        // A contradiction may have been stashed before the call that it contradicts was made here.
        for active in self.actives.iter().filter(|a| a.outcome.is_none()) {
            let mine = active.execution.header();
            let inbox = &self.ports[port as usize].inbox;
            if let Some(other) = inbox.stashed_contradiction(mine) {
                return Err(self.mismatch(
                    active.group,
                    port,
                    other.sequence,
                    other.call,
                    active.prepared.call,
                ));
            }
        }
        let head = match self.ports[port as usize].inbox.link.head() {
            Ok(Some(head)) => head,
            Ok(None) => return Ok(false),
            Err(source) => return self.blame(LinkFailure { peer: port, source }),
        };
        if head.is_taken_back() {
            // Its sender has told everybody why before.
            self.read_control();
        } else {
            self.check_counts(port, &head)?;
        }
        let taken = match self.groups.known(head.context) {
            _ if head.is_taken_back() => self.ports[port as usize].inbox.discard_head(),
            Known::Here(id) if self.failure(id).is_none() => {
                if context::is_of_transfers(head.context) {
                    let rank = self.member(id, port)?;
                    return self.hear(id, rank);
                }
                if !self.is_in_the_way(id, port, &head, stash_own)? {
                    return Ok(false);
                }
                self.ports[port as usize].inbox.stash_head()
            }
            Known::Future => self.ports[port as usize].inbox.stash_head(),
            Known::Here(_) | Known::Past => self.ports[port as usize].inbox.discard_head(),
        };
        if matches!(taken, Ok(true)) {
            self.hold_back(port, &head);
        }
        // What cannot be read, of a sender that has given it up, must not stand in the way.
        match taken.or_else(|_| self.ports[port as usize].inbox.discard_head()) {
            Ok(taken) => {
                self.ports[port as usize].ring_if_wanted();
                Ok(taken)
            }
            Err(source) => self.blame(LinkFailure { peer: port, source }),
        }
    }

    /// Fails where a message has another number of elements than its receive here, though the calls agree.
    fn check_counts(&self, port: u32, head: &Header) -> Step<()> {
        for active in self.actives.iter().filter(|a| a.outcome.is_none() && a.prepared.is_counted) {
            let stashed = self.ports[port as usize].inbox.first_of_call(active.execution.header());
            let next = stashed.unwrap_or(*head);
            if let Some(mine) = active.execution.other_count(port, &next) {
                return Err(self.mismatch(active.group, port, next.sequence, next.call, mine));
            }
        }
        Ok(())
    }

    /// Whether the head of a link, of this communicator, must wait for a later call or for others that are under way.
    fn is_in_the_way(&self, id: GroupId, port: u32, head: &Header, stash_own: bool) -> Step<bool> {
        let group = self.groups.get(id);
        let rank = self.member(id, port)?;
        match group.collectives.judge(head.sequence, head.call) {
            Verdict::Future => Ok(true),
            Verdict::Contradicts(mine) => Err(self.mismatch(id, port, head.sequence, head.call, mine)),
            Verdict::Forgotten => {
                let who = group.label(rank, &self.ports);
                let text = format!("{who} sends for call #{}, which ended here long ago", head.sequence);
                let error = Error::Mismatch(format!("{text}: {}", describe(head.call)));
                Err(Trouble { group: id, error })
            }
            Verdict::Agrees if stash_own => Ok(true),
            Verdict::Agrees => {
                let running = |a: &Active| a.outcome.is_none() && a.execution.header().is_of_call(head);
                if self.actives.iter().any(running) {
                    return Ok(false);
                }
                let who = group.label(rank, &self.ports);
                let detail = format!("{who} wrote nonsense: more than {} has", describe(head.call));
                Err(Trouble { group: id, error: Error::PeerLost { rank, detail } })
            }
        }
    }

    /// The rank of a communicator that sends through this port.
    fn member(&self, id: GroupId, port: u32) -> Step<Rank> {
        let group = self.groups.get(id);
        group.rank_of(port).ok_or_else(|| {
            let who = &self.ports[port as usize].label;
            let text = format!("{who} sends in \"{}\", of which it is no member", group.name);
            Trouble { group: id, error: Error::Mismatch(text) }
        })
    }

    /// A link has failed outside of a call's turn: that matters to a call that waits for it, if there is one.
    fn blame(&self, failure: LinkFailure) -> Step<bool> {
        let waits = |active: &Active| active.execution.waits_for().any(|(port, _)| port == failure.peer);
        match self.actives.iter().position(|a| a.outcome.is_none() && waits(a)) {
            Some(at) => Err(self.link_trouble(at, failure)),
            None => Ok(false),
        }
    }
}
