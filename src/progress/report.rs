//! What is said when something is wrong: which call, which rank, what it was doing.

use super::disagreement::describe;
use super::engine::{Active, COLLECTIVES, Engine, Ticket};
use super::execution::LinkFailure;
use crate::base::{Call, Error, Rank};

impl Engine {
    pub(super) fn mismatch(&self, peer: Rank, sequence: u32, theirs: [u64; 2], mine: Call) -> Error {
        Error::Mismatch(format!(
            "the ranks disagree in call #{sequence} of \"{}\": rank {} called {mine}, rank {peer} called {}",
            self.name,
            self.rank,
            describe(theirs),
        ))
    }

    /// The error of a link that failed while the active at `at` was served.
    pub(super) fn link_error(&self, at: usize, failure: LinkFailure) -> Error {
        let during = self.actives.get(at).map_or(String::new(), |a| format!(" during {}", self.title(a)));
        let port = &self.ports[failure.peer as usize];
        let detail = if failure.source.kind() == std::io::ErrorKind::UnexpectedEof {
            format!("{} closed its connection{during}: killed, crashed or ended early", port.label)
        } else {
            format!("the {} link to {} failed{during}: {}", port.transport(), port.label, failure.source)
        };
        Error::PeerLost { rank: failure.peer, detail }
    }

    /// "all_reduce(float32 sum, count 4) #12 on "world"".
    pub(super) fn title(&self, active: &Active) -> String {
        format!("{} #{} on \"{}\"", active.prepared.call, active.execution.header().sequence, self.name)
    }

    /// Who has not arrived in the call of `ticket`, for a timeout message.
    pub(super) fn who_is_missing(&self, ticket: Ticket) -> String {
        let Some(active) = self.actives.iter().find(|a| a.ticket == ticket) else { return String::new() };
        let header = active.execution.header();
        let mut missing = Vec::new();
        let mut waiting = Vec::new();
        let mut awaited: Vec<Rank> = active.execution.waits_for().map(|(peer, _)| peer).collect();
        if header.context == COLLECTIVES {
            awaited.extend((0..self.ports.len() as Rank).filter(|peer| *peer != self.rank));
        }
        awaited.sort_unstable();
        awaited.dedup();
        for peer in awaited {
            let port = &self.ports[peer as usize];
            match port.stall {
                Some(s) if s.context == header.context && s.sequence == header.sequence => {
                    waiting.push(peer.to_string());
                }
                Some(s) if s.context == header.context => {
                    let call = describe(s.call);
                    missing.push(format!("{} has not arrived; it is in {call} #{}", port.label, s.sequence));
                }
                _ => missing.push(format!("{} has not arrived and is in no call", port.label)),
            }
        }
        let mut text = format!("{}: ", self.title(active));
        if missing.is_empty() {
            text.push_str("all ranks are in the call, but nothing moves");
        } else {
            text.push_str(&missing.join("; "));
        }
        if !waiting.is_empty() {
            text.push_str(&format!("; waiting like this rank: {}", waiting.join(", ")));
        }
        text
    }
}
