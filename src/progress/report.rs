//! The texts of errors: the call, the rank, and what the rank was doing.

use std::io::ErrorKind;

use super::calls::ActiveCall;
use super::context::CommId;
use super::disagreement::describe;
use super::engine::{Engine, Ticket, Trouble};
use super::messaging::MessageTicket;
use crate::base::{Call, Error, Rank};
use crate::executor::LinkFailure;
use crate::p2p::{Conversation, Status};
use crate::sys::poll::Interest;

impl Engine {
    /// An error: a member of a communicator, behind `endpoint`, made another call than this rank.
    pub(super) fn mismatch(
        &self,
        id: CommId,
        endpoint: u32,
        sequence: u32,
        theirs: [u64; 2],
        mine: Call,
    ) -> Trouble {
        let comm = self.comms.get(id);
        let peer = comm.rank_of(endpoint).unwrap_or(endpoint);
        let error = Error::Mismatch(format!(
            "the ranks disagree in call #{sequence} of \"{}\": rank {} called {mine}, rank {peer} called {}",
            comm.name,
            comm.rank,
            describe(theirs),
        ));
        Trouble { comm: id, error }
    }

    /// An error: a link failed during the active call at `at`.
    pub(super) fn link_trouble(&self, at: usize, failure: LinkFailure) -> Trouble {
        let active = &self.calls.active[at];
        self.broken_link(active.comm, failure, &self.title(active))
    }

    /// An error: a link of a communicator failed. `during` says during which operation.
    pub(super) fn broken_link(&self, id: CommId, failure: LinkFailure, during: &str) -> Trouble {
        let comm = self.comms.get(id);
        let rank = comm.rank_of(failure.peer).unwrap_or(failure.peer);
        let who = comm.label(rank, &self.endpoints);
        if failure.source.kind() == ErrorKind::OutOfMemory {
            let what = match rank == comm.rank {
                true => format!("no memory for data of this rank to itself during {during}"),
                false => format!("no memory for data from or to {who} during {during}"),
            };
            return Trouble { comm: id, error: Error::system(what, failure.source) };
        }
        if let Some(how) = self.describe_quit(id, rank) {
            let text = format!("{how}, and its data for {during} did not arrive completely");
            return Trouble { comm: id, error: Error::Aborted(text) };
        }
        let detail = if failure.source.kind() == ErrorKind::UnexpectedEof {
            format!("{who} closed its connection during {during}: killed, crashed or ended early")
        } else {
            let transport = self.endpoints[failure.peer as usize].transport();
            format!("the {transport} link to {who} failed during {during}: {}", failure.source)
        };
        Trouble { comm: id, error: Error::PeerLost { rank, detail } }
    }

    /// Title of a call in errors, such as "all_reduce(float32 sum, count 4) #12 on "world"".
    pub(super) fn title(&self, active: &ActiveCall) -> String {
        let name = &self.comms.get(active.comm).name;
        let number = shown(active.execution.header().sequence);
        format!("{} #{number} on \"{name}\"", active.prepared.call)
    }

    /// Number of a collective among those of its communicator. `None`: its outcome was taken.
    pub fn number_of_call(&self, ticket: Ticket) -> Option<u32> {
        let Ticket::Call(number) = ticket else { return None };
        self.find_call(number).map(|active| active.execution.header().sequence)
    }

    /// Number of the next collective of a communicator.
    pub fn next_number(&self, id: CommId) -> u32 {
        self.comms.find(id).map_or(0, |comm| comm.collectives.made())
    }

    /// Why a communicator fails in which a call has failed on this rank. If another rank has failed before,
    /// it has sent the reason. If only this rank has one, the error names the call and this rank. `call`
    /// describes the call.
    pub fn reason_of(&mut self, id: CommId, call: &str, reason: Error) -> Error {
        self.read_control();
        let Some(comm) = self.comms.find(id) else { return reason };
        if let Some(failure) = &comm.failure {
            return failure.clone();
        }
        let place =
            || format!("{call} on \"{}\" failed on {}", comm.name, comm.label(comm.rank, &self.endpoints));
        match reason {
            Error::Mismatch(_) | Error::Timeout { .. } | Error::PeerLost { .. } | Error::Aborted(_) => reason,
            Error::System { what, source } => Error::System { what: format!("{}: {what}", place()), source },
            other => Error::Aborted(format!("{}: {other}", place())),
        }
    }

    /// Text of a timeout about the ranks that have not arrived in the call of `ticket`.
    pub(super) fn describe_missing_ranks(&self, ticket: Ticket) -> String {
        let number = match ticket {
            Ticket::Message(ticket) => return self.describe_silent_peer(ticket),
            Ticket::Call(number) => number,
        };
        let Some(active) = self.find_call(number) else { return String::new() };
        let Some(comm) = self.comms.find(active.comm) else { return String::new() };
        let header = active.execution.header();
        let mut missing = Vec::new();
        let mut waiting = Vec::new();
        let mut peers: Vec<Rank> =
            active.execution.waits_for().filter_map(|(endpoint, _)| comm.rank_of(endpoint)).collect();
        let is_connected = |peer: &Rank| {
            let endpoint = comm.members[*peer as usize].endpoint;
            *peer != comm.rank && !self.endpoints[endpoint as usize].is_unconnected()
        };
        peers.extend((0..comm.size()).filter(is_connected));
        peers.sort_unstable();
        peers.dedup();
        let unknown = comm.members.len().saturating_sub(peers.len() + 1);
        for peer in peers {
            let label = comm.label(peer, &self.endpoints);
            if !is_connected(&peer) {
                missing.push(format!("{label} has not connected"));
                continue;
            }
            match comm.members[peer as usize].stall {
                Some(stall) if stall.sequence == header.sequence => waiting.push(peer.to_string()),
                Some(stall) => {
                    let call = describe(stall.call);
                    missing
                        .push(format!("{label} has not arrived; it is in {call} #{}", shown(stall.sequence)));
                }
                None if self.endpoints[comm.members[peer as usize].endpoint as usize].peer_holds(header) => {
                    missing.push(format!("{label} has not arrived, and has put calls ahead of it on hold"));
                }
                None if comm.owes_data(peer, &self.endpoints) => {
                    missing.push(format!("{label} has left, but not all of its data has come"));
                }
                None => missing.push(format!("{label} has not arrived and is in no call")),
            }
        }
        let mut text = format!("{}: ", self.title(active));
        if active.execution.lacks_input() {
            text.push_str("the device of this rank has not copied all of the input");
        } else if missing.is_empty() {
            text.push_str("all ranks are in the call, but nothing moves");
            text.push_str(&self.describe_needed_links(active));
        } else {
            text.push_str(&missing.join("; "));
        }
        if !waiting.is_empty() {
            text.push_str(&format!("; waiting like this rank: {}", waiting.join(", ")));
        }
        if unknown > 0 {
            text.push_str(&format!(
                "; nothing is known of {unknown} ranks that are not connected with this one"
            ));
        }
        text
    }

    /// The links for which a call waits: "; this rank waits for data of rank 1 (...), over tcp".
    fn describe_needed_links(&self, active: &ActiveCall) -> String {
        let mut text = String::new();
        for (endpoint, interest) in active.execution.waits_for() {
            let what = if interest == Interest::Write { "room for data to" } else { "data of" };
            let endpoint = &self.endpoints[endpoint as usize];
            text += if text.is_empty() { "; this rank waits for " } else { ", and for " };
            text += &format!("{what} {}, over {}", endpoint.label, endpoint.transport());
        }
        text
    }

    /// Title, in an error, of a message of a communicator that has not ended: `recv(...) on "world"`.
    pub(super) fn message_title(&self, id: CommId) -> String {
        let comm = self.comms.get(id);
        let first = comm.conversation.first_unfinished();
        let what = first.map_or("a message".into(), |ticket| comm.conversation.describe(ticket).0);
        format!("{what} on \"{}\"", comm.name)
    }

    /// Text of a timeout about the rank that has not done its part in a message.
    pub(super) fn describe_silent_peer(&self, ticket: MessageTicket) -> String {
        let Some(comm) = self.comms.find(ticket.comm) else { return String::new() };
        let (what, from) = comm.conversation.describe(ticket.ticket);
        let mut text = format!("{what} on \"{}\": ", comm.name);
        let Some(peer) = from else {
            text.push_str("no rank has sent such a message");
            return text + &unexpected(&comm.conversation, None);
        };
        text.push_str(&comm.label(peer, &self.endpoints));
        if self.endpoints[comm.members[peer as usize].endpoint as usize].is_unconnected() {
            text.push_str(" has not connected with this rank");
            return text;
        }
        text.push_str(if comm.conversation.is_send(ticket.ticket) {
            " has started no receive for it"
        } else {
            " has sent no such message"
        });
        if let Some(stall) = comm.members[peer as usize].stall {
            let call = describe(stall.call);
            text.push_str(&format!("; when last heard of, it waited in {call} #{}", shown(stall.sequence)));
        }
        text + &unexpected(&comm.conversation, Some(peer))
    }
}

/// Number of a call in an error. The call that comes before number 0 is one by which ranks join.
fn shown(number: u32) -> i64 {
    if number == u32::MAX { -1 } else { number.into() }
}

/// Lists the messages from a rank, or from any, that were not received.
fn unexpected(conversation: &Conversation, from: Option<Rank>) -> String {
    const MOST: usize = 4;
    let fits = |status: &Status| from.is_none_or(|from| status.source == from);
    let all: Vec<Status> = conversation.unexpected().filter(fits).collect();
    if all.is_empty() {
        return String::new();
    }
    let word =
        |s: &Status| format!("tag {} from rank {} ({} of {})", s.tag, s.source, s.count, s.datatype.name());
    let shown: Vec<String> = all.iter().take(MOST).map(word).collect();
    let more = all.len() - shown.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("; no receive has matched: {}{more}", shown.join(", "))
}
