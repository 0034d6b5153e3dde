//! What the ranks tell each other beside the data: stalls, failures, goodbyes, and that somebody is gone.

use std::time::Instant;

use super::disagreement::Verdict;
use super::engine::{COLLECTIVES, Engine, Joining};
use super::execution::LinkFailure;
use super::failure;
use super::port::{Presence, Stall};
use crate::base::{Error, Rank};
use crate::transport::Header;
use crate::transport::control::{Event, Message};

impl Engine {
    /// Reads what the peers have to say. Call it when nothing moves.
    pub(super) fn read_control(&mut self) {
        for peer in 0..self.ports.len() {
            let port = &mut self.ports[peer];
            let Some(control) = &mut port.control else { continue };
            control.flush();
            loop {
                match control.next_event() {
                    Ok(None) => break,
                    Ok(Some(Event::Message(Message::Bell))) => {}
                    Ok(Some(Event::Message(Message::Stall { context, sequence, call }))) => {
                        port.stall = Some(Stall { context, sequence, call });
                        self.stalls_known = true;
                    }
                    Ok(Some(Event::Message(notice @ Message::Notice { .. }))) => {
                        return self.take_notice(peer, &notice);
                    }
                    Ok(Some(Event::Message(Message::Bye))) => {
                        port.presence = Presence::Left;
                        self.departure.get_or_insert_with(Instant::now);
                    }
                    Ok(Some(Event::Closed)) => {
                        if port.presence == Presence::Here {
                            port.presence = Presence::Gone;
                            self.departure.get_or_insert_with(Instant::now);
                        }
                    }
                    Err(source) => {
                        let failure = LinkFailure { peer: peer as Rank, source };
                        let error = self.link_error(0, failure);
                        return self.fail(error);
                    }
                }
            }
        }
        if self.stalls_known {
            self.compare_stalls();
        }
    }

    /// Another rank has noticed a failure.
    fn take_notice(&mut self, sender: usize, notice: &Message) {
        if let Joining::UnderWay(kept) = &mut self.joining {
            kept.get_or_insert_with(|| (sender, notice.clone()));
            return;
        }
        let Message::Notice { kind, origin, subject, text } = notice else { return };
        // The number is foreign: a rank that does not exist is taken for the sender.
        let origin = self.ports.get(*origin as usize).unwrap_or(&self.ports[sender]);
        let error = failure::from_notice(*kind, *subject, text, &origin.label);
        self.end_all(error, notice);
    }

    /// Until `all_have_met`, what others have noticed does not count.
    pub fn begin_joining(&mut self) {
        self.joining = Joining::UnderWay(None);
    }

    /// From now on it does, and what was kept back too. Also if the ranks do not meet after all.
    pub fn all_have_met(&mut self) {
        if let Joining::UnderWay(Some((sender, notice))) = std::mem::take(&mut self.joining) {
            self.take_notice(sender, &notice);
        }
    }

    /// Nothing moves any more: fails if that is because somebody went away for whom a call of this rank waits, or,
    /// `by_anybody`, because somebody died at all.
    pub(super) fn fail_if_deserted(&mut self, by_anybody: bool) {
        let waiting = self.actives.iter().find(|a| a.outcome.is_none());
        let during = waiting.map_or(String::new(), |a| format!(" while this rank was in {}", self.title(a)));
        let is = |peer: Rank, presence| self.ports[peer as usize].presence == presence;
        let mut anybody = 0..self.ports.len() as Rank;
        let awaited_gone = self.awaited().map(|(peer, _)| peer).find(|peer| is(*peer, Presence::Gone));
        let gone = awaited_gone.or_else(|| anybody.find(|peer| by_anybody && is(*peer, Presence::Gone)));
        let left = self.awaited().map(|(peer, _)| peer).find(|peer| is(*peer, Presence::Left));
        let (peer, how) = match (gone, left) {
            (Some(peer), _) => (peer, "was killed, crashed or ended without finalizing"),
            (None, Some(peer)) => (peer, "has already left the communicator"),
            (None, None) => return,
        };
        let detail = format!("{} {how}{during}", self.ports[peer as usize].label);
        self.fail(Error::PeerLost { rank: peer, detail });
    }

    /// Tells everybody what this rank waits for.
    pub(super) fn announce_stalls(&mut self) {
        for active in self.actives.iter().filter(|a| a.outcome.is_none()) {
            let Header { context, sequence, call } = *active.execution.header();
            if context != COLLECTIVES {
                continue;
            }
            for control in self.ports.iter_mut().filter_map(|p| p.control.as_mut()) {
                control.send(&Message::Stall { context, sequence, call });
            }
        }
    }

    /// Fails if a stalled peer waits in another call than the one made here under the same number.
    pub(super) fn compare_stalls(&mut self) {
        // Only a peer that is ahead of this rank needs another look at the next call.
        self.stalls_known = false;
        for peer in 0..self.ports.len() {
            let Some(stall) = self.ports[peer].stall else { continue };
            if stall.context != COLLECTIVES {
                continue;
            }
            match self.collectives.judge(stall.sequence, stall.call) {
                Verdict::Contradicts(mine) => {
                    return self.fail(self.mismatch(peer as Rank, stall.sequence, stall.call, mine));
                }
                Verdict::Future => self.stalls_known = true,
                Verdict::Agrees | Verdict::Forgotten => {}
            }
        }
    }

    /// Whether somebody went away, in whatever manner.
    pub(super) fn somebody_went(&self) -> bool {
        self.ports.iter().any(|p| p.presence != Presence::Here)
    }

    /// Says goodbye to everybody.
    pub fn say_bye(&mut self) {
        for control in self.ports.iter_mut().filter_map(|p| p.control.as_mut()) {
            control.send(&Message::Bye);
        }
    }

    /// Whether everybody has said goodbye, or is gone.
    pub fn all_left(&self) -> bool {
        self.ports.iter().all(|p| p.control.is_none() || p.presence != Presence::Here)
    }
}
