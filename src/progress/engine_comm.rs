//! One communicator as the engine of this rank sees it: its ranks, its calls, its messages, and the reason of
//! its failure.

use std::sync::LazyLock;

use super::context::of_transfers;
use super::disagreement::History;
use crate::base::{Error, Rank, mix};
use crate::endpoint::{Endpoint, Presence};
use crate::executor::RecentCalls;
use crate::p2p::Conversation;
use crate::transport::control::{CallRecord, ControlMessage};

/// The answer to a call on a communicator that another thread has removed.
pub(super) static GIVEN_UP: LazyLock<Error> = LazyLock::new(|| {
    Error::InvalidUsage("another thread has removed the communicator before this call had ended".into())
});

/// Announcement of a peer that it has waited in a call for a while.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stall {
    pub sequence: u32,
    pub call: [u64; 2],
    /// Whether the peer was told that the call has ended here ([`super::ended_call`]).
    pub is_answered: bool,
}

/// A call that has ended at a peer, which does not remember it.
#[derive(Clone, Copy, Debug)]
pub(super) struct EndedCall {
    pub sequence: u32,
    /// Position of the peer's link behind which nothing comes for the call.
    pub sent: u64,
}

/// The call by which a communicator was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormedBy {
    /// Context of the communicator on which the call was made.
    pub parent: u32,
    /// Number of the call there.
    pub call: u32,
}

/// How a rank has left the communicator on its own.
#[derive(Clone, Debug)]
pub(super) struct Quit {
    /// Number of collective calls that the rank has made.
    pub calls: u32,
    /// The reason, in words of that rank.
    pub reason: String,
}

impl Quit {
    /// Whether the rank has taken part in the call with this number.
    pub fn has_made(&self, sequence: u32) -> bool {
        (sequence.wrapping_sub(self.calls) as i32) < 0
    }
}

/// Number of the first call of the program on the first communicator. Those by which its ranks join come
/// before.
pub(super) const FIRST_CALL: u32 = 1;

/// What is known of one rank of a communicator.
#[derive(Default)]
pub(super) struct Member {
    /// Number of the endpoint that leads to the rank.
    pub endpoint: u32,
    pub stall: Option<Stall>,
    /// The call that has ended there while this rank waits in it.
    pub ended: Option<EndedCall>,
    /// Number of turns in which messages to or from the rank moved. Only differences between two values mean
    /// anything.
    pub moves: u32,
    /// Whether the rank has left this communicator in good order.
    pub has_left: bool,
    /// Position of the rank's link when it left or quit. Until this rank has read up to there, it may still
    /// get data from the rank.
    pub sent: u64,
    /// The calls that the rank had made when it left, unless the communicator had failed there.
    pub calls: Option<Box<CallRecord>>,
    /// How the rank has left the communicator on its own, if it has.
    pub quit: Option<Box<Quit>>,
}

/// One communicator of this rank.
pub(super) struct EngineComm {
    pub context: u32,
    pub name: String,
    pub rank: Rank,
    /// The ranks of the communicator, in order.
    pub members: Vec<Member>,
    pub collectives: History,
    /// Messages from rank to rank of the communicator.
    pub conversation: Conversation,
    pub failure: Option<Error>,
    /// Whether no call of this rank has returned the failure yet: it is a disagreement of the ranks, or has
    /// ended calls on streams. The end of the communicator returns it.
    pub is_unreported: bool,
    /// Whether the program has been given the failure.
    pub is_reported: bool,
    /// Whether this rank has told the others that it leaves. It makes no more calls.
    pub has_announced_leave: bool,
    /// Whether a peer has announced that it stalls. Its call is compared with each new call of this rank.
    pub stalls_known: bool,
    /// Whether a peer has answered that a call in which this rank waits has ended there.
    pub ended_known: bool,
    /// Whether some rank was told to send nothing more ahead of this rank's calls. At each new call it is
    /// told what it may send.
    pub holds_senders: bool,
    /// Cache of recent calls, which need no preparation.
    pub recent: RecentCalls,
    /// Messages of its ranks in agreements ([`super::consensus`]) that have not been used yet.
    pub heard: Vec<(Rank, ControlMessage)>,
    /// Number of agreements that this rank has begun.
    pub agreements: u32,
    /// Numbers of those that have not ended.
    pub open_agreements: Vec<u32>,
    /// The call that has made it, if all of its ranks made that call.
    pub formed_by: Option<FormedBy>,
    /// Endpoints of ranks on which a call here has failed that would have made a communicator, and the
    /// number of the call.
    pub unformed: Vec<(u32, u32)>,
    /// Whether this rank says goodbye. The only call that it then has under way is the one for that.
    pub says_goodbye: bool,
    /// Whether this rank has told the others that it leaves the communicator on its own.
    pub has_quit: bool,
    /// Whether another rank has left the communicator on its own.
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
            is_reported: false,
            has_announced_leave: false,
            stalls_known: false,
            ended_known: false,
            holds_senders: false,
            recent: RecentCalls::default(),
            heard: Vec::new(),
            agreements: 0,
            open_agreements: Vec::new(),
            formed_by: None,
            unformed: Vec::new(),
            says_goodbye: false,
            has_quit: false,
            peer_has_quit: false,
        }
    }

    pub fn size(&self) -> u32 {
        self.members.len() as u32
    }

    /// Number of the group of its ranks: communicators of different ranks may have one context.
    pub fn group(&self) -> u64 {
        self.members.iter().fold(0, |group, member| mix(group ^ u64::from(member.endpoint)))
    }

    /// Context of its messages from rank to rank.
    pub fn transfers(&self) -> u32 {
        of_transfers(self.context)
    }

    /// The rank to which an endpoint leads.
    pub fn rank_of(&self, endpoint: u32) -> Option<Rank> {
        // A peer chose the context, so its endpoint may lead to no member. The communicator is usually the
        // first one, in which rank and endpoint are equal.
        let is = |rank: usize| self.members.get(rank).is_some_and(|member| member.endpoint == endpoint);
        if is(endpoint as usize) {
            return Some(endpoint);
        }
        self.members.iter().position(|member| member.endpoint == endpoint).map(|rank| rank as Rank)
    }

    /// Name of a rank in errors, such as "rank 3 (host b, pid 4711)". If the rank has another number in the
    /// job: "rank 0, in the job rank 3 (...)".
    pub fn label(&self, rank: Rank, endpoints: &[Endpoint]) -> String {
        let label = &endpoints[self.members[rank as usize].endpoint as usize].label;
        if self.members[rank as usize].endpoint == rank {
            label.clone()
        } else {
            format!("rank {rank}, in the job {label}")
        }
    }

    /// Whether a rank is present, as far as this rank knows.
    pub fn presence(&self, rank: Rank, endpoints: &[Endpoint]) -> Presence {
        let member = &self.members[rank as usize];
        // The fate of a rank after it has left does not concern this communicator.
        match member.has_left || member.quit.is_some() {
            true => Presence::Left,
            false => endpoints[member.endpoint as usize].presence,
        }
    }

    /// Whether a rank has left, but what it had sent before has not come completely.
    pub fn owes_data(&self, rank: Rank, endpoints: &[Endpoint]) -> bool {
        let member = &self.members[rank as usize];
        (member.has_left || member.quit.is_some())
            && !endpoints[member.endpoint as usize].has_come_to(member.sent)
    }

    /// Whether something may still come from a rank.
    pub fn may_send(&self, rank: Rank, endpoints: &[Endpoint]) -> bool {
        self.presence(rank, endpoints) == Presence::Here || self.owes_data(rank, endpoints)
    }

    /// Whether all other ranks have left or are gone.
    pub fn is_alone(&self, endpoints: &[Endpoint]) -> bool {
        (0..self.size()).all(|rank| rank == self.rank || self.presence(rank, endpoints) != Presence::Here)
    }

    /// Whether any rank is no longer present.
    pub fn has_absent_member(&self, endpoints: &[Endpoint]) -> bool {
        (0..self.size()).any(|rank| self.presence(rank, endpoints) != Presence::Here)
    }
}
