//! One communicator, as the engine of this rank sees it: its ranks, its calls, its messages, and why it failed.

use std::sync::LazyLock;

use super::context::of_transfers;
use super::disagreement::History;
use super::quit::Quit;
use crate::base::{Error, Rank};
use crate::endpoint::{Endpoint, Presence};
use crate::executor::RecentCalls;
use crate::p2p::Conversation;
use crate::transport::control::{CallRecord, ControlMessage};

/// The answer to a call on a communicator that another thread has given up.
pub(super) static GIVEN_UP: LazyLock<Error> = LazyLock::new(|| {
    Error::InvalidUsage("the communicator was given up by another thread before this call had ended".into())
});

/// A peer's word that it has been waiting in a call for a while.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stall {
    pub sequence: u32,
    pub call: [u64; 2],
}

/// What is known of a rank of a communicator.
#[derive(Default)]
pub(super) struct Member {
    /// Number of the endpoint that leads to it.
    pub endpoint: u32,
    pub stall: Option<Stall>,
    /// Turns in which messages to or from it moved. Only differences mean something.
    pub moves: u32,
    /// It has given up this communicator, in good order.
    pub has_left: bool,
    /// The calls that it had made by then, unless the communicator had failed there.
    pub calls: Option<CallRecord>,
    /// How the rank has given the communicator up by itself, if it has.
    pub quit: Option<Quit>,
}

/// One communicator of this rank.
pub(super) struct EngineComm {
    pub context: u32,
    pub name: String,
    pub rank: Rank,
    /// By rank.
    pub members: Vec<Member>,
    pub collectives: History,
    /// Its messages from rank to rank.
    pub conversation: Conversation,
    pub failure: Option<Error>,
    /// The failure is a disagreement of the ranks that no call of this rank has returned yet.
    pub is_unreported: bool,
    /// This rank has told the others that it leaves, and makes no more calls.
    pub has_parted: bool,
    /// A peer has said that it stalls; compared with each new call.
    pub stalls_known: bool,
    /// Some rank was told to send nothing more ahead of this rank's calls; it is told with each new call what it may send.
    pub holds_senders: bool,
    /// Calls that need no preparation any more.
    pub recent: RecentCalls,
    /// What its ranks have said in agreements ([`super::consensus`]) and was not used yet.
    pub heard: Vec<(Rank, ControlMessage)>,
    /// Agreements that this rank has begun.
    pub agreements: u32,
    /// This rank says goodbye: all that it has under way is the call for that.
    pub says_goodbye: bool,
    /// This rank has told the others that it gives the communicator up by itself.
    pub has_quit: bool,
    /// Some other rank has.
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
            has_parted: false,
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

    /// Context of its transfers.
    pub fn transfers(&self) -> u32 {
        of_transfers(self.context)
    }

    /// The rank that an endpoint leads to.
    pub fn rank_of(&self, endpoint: u32) -> Option<Rank> {
        // Contexts are foreign, and so may be the endpoint that a message of one came through. Most often the first
        // communicator is meant, where both numbers are the same.
        let is = |rank: usize| self.members.get(rank).is_some_and(|member| member.endpoint == endpoint);
        if is(endpoint as usize) {
            return Some(endpoint);
        }
        self.members.iter().position(|member| member.endpoint == endpoint).map(|rank| rank as Rank)
    }

    /// "rank 3 (host b, pid 4711)"; where ranks are numbered otherwise in the job, "rank 0, in the job rank 3 (...)".
    pub fn label(&self, rank: Rank, endpoints: &[Endpoint]) -> String {
        let label = &endpoints[self.members[rank as usize].endpoint as usize].label;
        if self.members[rank as usize].endpoint == rank {
            label.clone()
        } else {
            format!("rank {rank}, in the job {label}")
        }
    }

    /// Whether a rank is there, as far as it is known.
    pub fn presence(&self, rank: Rank, endpoints: &[Endpoint]) -> Presence {
        let member = &self.members[rank as usize];
        // What becomes of a rank after it has left is not this communicator's matter.
        match member.has_left || member.quit.is_some() {
            true => Presence::Left,
            false => endpoints[member.endpoint as usize].presence,
        }
    }

    /// Whether all others have left, or are gone.
    pub fn is_deserted(&self, endpoints: &[Endpoint]) -> bool {
        (0..self.size()).all(|rank| rank == self.rank || self.presence(rank, endpoints) != Presence::Here)
    }

    /// Whether somebody is not there any more.
    pub fn misses_somebody(&self, endpoints: &[Endpoint]) -> bool {
        (0..self.size()).any(|rank| self.presence(rank, endpoints) != Presence::Here)
    }
}
