//! One communicator, as the engine of this rank sees it: its ranks, its calls, its messages, and why it
//! failed.

use std::sync::LazyLock;

use super::context::of_transfers;
use super::disagreement::History;
use crate::base::{Error, Rank};
use crate::endpoint::{Endpoint, Presence};
use crate::executor::RecentCalls;
use crate::p2p::Conversation;
use crate::transport::control::{CallRecord, ControlMessage};

/// The answer to a call on a communicator that another thread has given up.
pub(super) static GIVEN_UP: LazyLock<Error> = LazyLock::new(|| {
    Error::InvalidUsage("the communicator was given up by another thread before this call had ended".into())
});

/// Announcement of a peer that it has been waiting in a call for a while.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stall {
    pub sequence: u32,
    pub call: [u64; 2],
}

/// How a rank has given the communicator up by itself.
#[derive(Clone, Debug)]
pub(super) struct Quit {
    /// Number of collective calls that it has made.
    pub calls: u32,
    /// Why, in its own words.
    pub reason: String,
}

impl Quit {
    /// Whether it has taken part in the call of this number.
    pub fn has_made(&self, sequence: u32) -> bool {
        (sequence.wrapping_sub(self.calls) as i32) < 0
    }
}

/// What is known of a rank of a communicator.
#[derive(Default)]
pub(super) struct Member {
    /// Number of the endpoint that leads to it.
    pub endpoint: u32,
    pub stall: Option<Stall>,
    /// Turns in which messages to or from it moved. Only differences mean something.
    pub moves: u32,
    /// The rank has left this communicator in good order.
    pub has_left: bool,
    /// The calls that the rank had made when it left, unless the communicator had failed there.
    pub calls: Option<CallRecord>,
    /// How the rank has given the communicator up by itself, if it has.
    pub quit: Option<Quit>,
}

/// One communicator of this rank.
pub(super) struct EngineComm {
    pub context: u32,
    pub name: String,
    pub rank: Rank,
    /// The ranks, in order.
    pub members: Vec<Member>,
    pub collectives: History,
    /// Its messages from rank to rank.
    pub conversation: Conversation,
    pub failure: Option<Error>,
    /// The failure is a disagreement of the ranks that no call of this rank has returned yet.
    pub is_unreported: bool,
    /// This rank has told the others that it leaves, and makes no more calls.
    pub has_announced_leave: bool,
    /// A peer has announced that it stalls. Its call is compared with each new call of this rank.
    pub stalls_known: bool,
    /// Some rank was told to send nothing more ahead of this rank's calls. With each new call it is told what
    /// it may send.
    pub holds_senders: bool,
    /// Cache of calls that need no preparation any more.
    pub recent: RecentCalls,
    /// Messages of its ranks in agreements ([`super::consensus`]) that were not used yet.
    pub heard: Vec<(Rank, ControlMessage)>,
    /// Number of agreements that this rank has begun.
    pub agreements: u32,
    /// This rank says goodbye: all that it has under way is the call for that.
    pub says_goodbye: bool,
    /// This rank has told the others that it gives the communicator up by itself.
    pub has_quit: bool,
    /// Another rank has given the communicator up by itself.
    pub peer_has_quit: bool,
}

impl EngineComm {
    pub fn new(context: u32, name: String, rank: Rank, endpoints: impl Iterator<Item = u32>) -> EngineComm {
        let members: Vec<Member> =
            endpoints.map(|endpoint| Member { endpoint, ..Member::default() }).collect();
        EngineComm {
            context,
            name,
            rank,
            conversation: Conversation::new(of_transfers(context), rank, members.len() as u32),
            members,
            collectives: History::default(),
            failure: None,
            is_unreported: false,
            has_announced_leave: false,
            stalls_known: false,
            holds_senders: false,
            recent: RecentCalls::default(),
            heard: Vec::new(),
            agreements: 0,
            says_goodbye: false,
            has_quit: false,
            peer_has_quit: false,
        }
    }

    pub fn size(&self) -> u32 {
        self.members.len() as u32
    }

    /// Context of its messages from rank to rank.
    pub fn transfers(&self) -> u32 {
        of_transfers(self.context)
    }

    /// The rank that an endpoint leads to.
    pub fn rank_of(&self, endpoint: u32) -> Option<Rank> {
        // A peer chose the context, so its endpoint may lead to no member. Most often the first communicator
        // is meant, where both numbers are the same.
        let is = |rank: usize| self.members.get(rank).is_some_and(|member| member.endpoint == endpoint);
        if is(endpoint as usize) {
            return Some(endpoint);
        }
        self.members.iter().position(|member| member.endpoint == endpoint).map(|rank| rank as Rank)
    }

    /// Name of a rank in errors: "rank 3 (host b, pid 4711)"; where ranks are numbered otherwise in the job,
    /// "rank 0, in the job rank 3 (...)".
    pub fn label(&self, rank: Rank, endpoints: &[Endpoint]) -> String {
        let label = &endpoints[self.members[rank as usize].endpoint as usize].label;
        if self.members[rank as usize].endpoint == rank {
            label.clone()
        } else {
            format!("rank {rank}, in the job {label}")
        }
    }

    /// Whether a rank is there, as far as this rank knows.
    pub fn presence(&self, rank: Rank, endpoints: &[Endpoint]) -> Presence {
        let member = &self.members[rank as usize];
        // What becomes of a rank after it has left does not concern this communicator.
        match member.has_left || member.quit.is_some() {
            true => Presence::Left,
            false => endpoints[member.endpoint as usize].presence,
        }
    }

    /// Whether all others have left, or are gone.
    pub fn is_deserted(&self, endpoints: &[Endpoint]) -> bool {
        (0..self.size()).all(|rank| rank == self.rank || self.presence(rank, endpoints) != Presence::Here)
    }

    /// Whether any rank is not there any more.
    pub fn misses_somebody(&self, endpoints: &[Endpoint]) -> bool {
        (0..self.size()).any(|rank| self.presence(rank, endpoints) != Presence::Here)
    }
}
