//! A conversation: all messages of one communicator, as one rank sees them.
//!
//! A conversation never waits and knows no clock. The owner of the links calls it for each watched peer in
//! turn. [`Conversation::push`] offers messages to the peer, and [`Conversation::pull`] takes in what came
//! from it.

use std::collections::{HashMap, VecDeque};

use super::credit::{Account, Debt};
use super::matching::{BuildTagHasher, Matching, Tag};
use super::noncontiguous::NOTHING;
use super::operations::{
    IncomingMessage, Kind, MessageFacts, MessageOutcome, OutgoingMessage, Probe, Receive, RecvBuffer,
    Sending, Ticket,
};
use super::slab::{Key, Slab};
use super::status::Status;
use crate::base::{Error, Rank};
use crate::transport::Header;

/// The messages to and from one peer.
#[derive(Default)]
pub(super) struct Peer {
    /// Number of the next message to the peer.
    pub next_out: u32,
    /// Replies about messages of the peer, and credit for it, that wait for room in the link. They are sent
    /// before messages.
    pub replies: VecDeque<Header>,
    /// Messages whose eager part is not completely sent, in the order in which they were started.
    pub eager_sends: VecDeque<Key<Sending>>,
    /// Messages that are clear to send and have bytes left.
    pub cleared_sends: VecDeque<Key<Sending>>,
    /// Messages that have begun and wait for the peer's reply, by number.
    pub awaiting_reply: HashMap<u32, Key<Sending>, BuildTagHasher>,
    pub account: Account,
    /// Number of the next message from the peer.
    pub next_in: u32,
    /// Messages from the peer that have begun and have bytes still to come, by number.
    pub unfinished: HashMap<u32, Key<IncomingMessage>, BuildTagHasher>,
    pub debt: Debt,
    /// Number of receives and probes that name the peer, and of receives that have matched a message of it
    /// whose bytes have not all arrived.
    pub expected: usize,
    is_listed: bool,
}

impl Peer {
    pub fn has_outgoing(&self) -> bool {
        !self.replies.is_empty() || !self.eager_sends.is_empty() || !self.cleared_sends.is_empty()
    }

    /// Whether any started operation waits for the peer. Replies that wait to be sent need room, not the
    /// peer.
    pub fn is_needed(&self) -> bool {
        self.expected > 0 || self.has_sends()
    }

    /// Whether any started send to the peer has not ended.
    pub fn has_sends(&self) -> bool {
        !self.eager_sends.is_empty() || !self.cleared_sends.is_empty() || !self.awaiting_reply.is_empty()
    }

    fn is_watched(&self) -> bool {
        self.is_needed() || !self.replies.is_empty()
    }
}

/// All messages of one communicator, as one rank sees them.
pub struct Conversation {
    /// The context in the headers of the fragments.
    pub(super) context: u32,
    pub(super) own: Rank,
    size: u32,
    /// The peers, by rank. Empty before the first message, because most communicators have none.
    pub(super) peers: Vec<Peer>,
    pub(super) sends: Slab<Sending>,
    pub(super) receives: Slab<Receive>,
    pub(super) incoming: Slab<IncomingMessage>,
    pub(super) probes: Slab<Probe>,
    pub(super) matching: Matching<Key<Receive>, Key<IncomingMessage>>,
    /// Probes without an outcome.
    pub(super) probing: Vec<Key<Probe>>,
    /// Number of receives and probes that wait for any source.
    pub(super) anywhere: usize,
    /// All peers that need turns, and perhaps some that no longer do.
    pub(super) listed: Vec<Rank>,
    pub(super) failure: Option<Error>,
}

impl Conversation {
    /// Makes the conversation of rank `own` among `size` ranks. Its fragments carry this context.
    pub fn new(context: u32, own: Rank, size: u32) -> Conversation {
        Conversation {
            context,
            own,
            size,
            peers: Vec::new(),
            sends: Slab::default(),
            receives: Slab::default(),
            incoming: Slab::default(),
            probes: Slab::default(),
            matching: Matching::default(),
            probing: Vec::new(),
            anywhere: 0,
            listed: Vec::new(),
            failure: None,
        }
    }

    /// Whether a message has ever been sent or has come.
    pub fn is_used(&self) -> bool {
        self.peers.iter().any(|peer| (peer.next_out, peer.next_in) != (0, 0))
    }

    /// The messages to and from `rank`.
    pub(super) fn peer(&mut self, rank: Rank) -> &mut Peer {
        if self.peers.is_empty() {
            self.peers.resize_with(self.size as usize, Peer::default);
        }
        &mut self.peers[rank as usize]
    }

    /// Lists a peer, which needs turns from now on.
    pub(super) fn list(&mut self, rank: Rank) {
        if !std::mem::replace(&mut self.peer(rank).is_listed, true) {
            self.listed.push(rank);
        }
    }

    /// Notes that something waits for a message from `source`. `None`: from any rank.
    pub(super) fn expect_from(&mut self, source: Option<Rank>) {
        match source {
            Some(rank) => {
                self.peer(rank).expected += 1;
                self.list(rank);
            }
            None => self.anywhere += 1,
        }
    }

    pub(super) fn stop_expecting_from(&mut self, source: Option<Rank>) {
        match source {
            Some(rank) => self.peer(rank).expected -= 1,
            None => self.anywhere -= 1,
        }
    }

    /// Whether no peer needs a turn, as far as is known without [`Conversation::settle`].
    #[inline]
    pub fn is_idle(&self) -> bool {
        self.anywhere == 0 && self.listed.is_empty()
    }

    /// Removes from the list all peers that need no turns any more.
    pub fn settle(&mut self) {
        let Conversation { listed, peers: known, .. } = self;
        listed.retain(|rank| {
            let peer = &mut known[*rank as usize];
            peer.is_listed = peer.is_watched();
            peer.is_listed
        });
    }

    /// Puts the peers that need a turn into `peers`, each once.
    pub fn watched(&mut self, peers: &mut Vec<Rank>) {
        peers.clear();
        self.settle();
        if self.anywhere > 0 {
            peers.extend(0..self.size);
        } else {
            peers.extend(&self.listed);
        }
    }

    /// The peers to which a message or reply goes, or from which a message must come.
    pub fn partners(&self) -> impl Iterator<Item = Rank> {
        self.listed.iter().copied().filter(|rank| self.depends_on(*rank))
    }

    /// Whether bytes or replies wait for room in the link to a peer.
    pub fn has_outgoing(&self, peer: Rank) -> bool {
        self.peers.get(peer as usize).is_some_and(Peer::has_outgoing)
    }

    /// Fragments that were offered to links and not completely taken, each with the rest of its bytes. After
    /// a failure they must be withdrawn.
    pub fn under_way(&self) -> impl Iterator<Item = (Rank, Header, *const u8, usize)> {
        let replies = self.peers.iter().zip(0..).filter_map(|(peer, rank)| {
            let reply = *peer.replies.front()?;
            Some((rank, reply, NOTHING, 0))
        });
        replies.chain(self.sends.iter().filter_map(Sending::under_way))
    }

    /// Whether all outcomes have been taken.
    pub fn is_over(&self) -> bool {
        self.sends.is_empty() && self.receives.is_empty() && self.probes.is_empty()
    }

    /// The context in the headers of the fragments.
    pub fn context(&self) -> u32 {
        self.context
    }

    /// Whether some operation cannot end without this peer.
    pub fn depends_on(&self, peer: Rank) -> bool {
        self.peers.get(peer as usize).is_some_and(Peer::is_watched)
    }

    /// Whether some operation waits that any peer could end.
    pub fn waits_for_any_source(&self) -> bool {
        self.anywhere > 0
    }

    /// Whether a started operation has ended.
    pub fn has_outcome(&self, ticket: Ticket) -> bool {
        match ticket.0 {
            Kind::Send(key) => self.sends[key].outcome.is_some(),
            Kind::Receive(key) => self.receives[key].outcome.is_some(),
            Kind::Probe(key) => self.probes[key].outcome.is_some(),
        }
    }

    /// The rank at the other end of an operation. `None`: any rank.
    pub fn party(&self, ticket: Ticket) -> Option<Rank> {
        match ticket.0 {
            Kind::Send(key) => Some(self.sends[key].what().to),
            Kind::Receive(key) => self.receives[key].selector.source(),
            Kind::Probe(key) => self.probes[key].selector.source(),
        }
    }

    /// The source that a receive in the posted queue names. `None`: the receive is no longer in the queue.
    pub fn posted_source(&self, ticket: Ticket) -> Option<Option<Rank>> {
        let Kind::Receive(key) = ticket.0 else { return None };
        let receive = &self.receives[key];
        receive.is_posted().then(|| receive.selector.source())
    }

    /// The outcome, once there is one. This uses up the ticket.
    pub fn take_outcome(&mut self, ticket: Ticket) -> Option<MessageOutcome> {
        if !self.has_outcome(ticket) {
            return None;
        }
        match ticket.0 {
            Kind::Send(key) => self.sends.take(key).outcome,
            Kind::Receive(key) => self.receives.take(key).outcome,
            Kind::Probe(key) => self.probes.take(key).outcome,
        }
    }

    /// Keeps a number for whoever records a message. [`Conversation::record`] returns it.
    #[inline]
    pub fn set_record(&mut self, ticket: Ticket, number: u64) {
        match ticket.0 {
            Kind::Send(key) => self.sends[key].record = number,
            Kind::Receive(key) => self.receives[key].record = number,
            Kind::Probe(_) => {}
        }
    }

    /// The number that was kept for a message; 0 if there is none.
    #[inline]
    pub fn record(&self, ticket: Ticket) -> u64 {
        match ticket.0 {
            Kind::Send(key) => self.sends[key].record,
            Kind::Receive(key) => self.receives[key].record,
            Kind::Probe(_) => 0,
        }
    }

    /// What a message is, as far as it is known when it is started. `None`: it is a probe, or the rest of a
    /// message that was started before.
    pub fn facts(&self, ticket: Ticket) -> Option<MessageFacts> {
        match ticket.0 {
            Kind::Send(key) => {
                let OutgoingMessage { to, tag, datatype, count, .. } = *self.sends[key].what();
                self.sends[key].header.is_none().then_some(MessageFacts {
                    is_send: true,
                    peer: Some(to),
                    tag,
                    datatype,
                    count,
                })
            }
            Kind::Receive(key) => {
                let Receive { selector, buffer: RecvBuffer { datatype, count, .. }, .. } = self.receives[key];
                let (peer, tag) = (selector.source(), selector.tag().unwrap_or(Tag::MIN));
                Some(MessageFacts { is_send: false, peer, tag, datatype, count })
            }
            Kind::Probe(_) => None,
        }
    }

    /// Ends everything with this error. The caller's buffers are not touched from now on.
    pub fn fail(&mut self, error: &Error) {
        self.failure.get_or_insert_with(|| error.clone());
        let failed = || Some(Err(error.clone()));
        for send in self.sends.iter_mut().filter(|send| send.outcome.is_none()) {
            send.outcome = failed();
        }
        for receive in self.receives.iter_mut().filter(|receive| receive.outcome.is_none()) {
            receive.outcome = failed();
        }
        for probe in self.probes.iter_mut().filter(|probe| probe.outcome.is_none()) {
            probe.outcome = failed();
        }
        self.peers.clear();
        self.incoming.clear();
        self.matching = Matching::default();
        self.probing.clear();
        self.anywhere = 0;
        self.listed.clear();
    }

    /// Describes a started operation, for an error message. The second value is the rank at the other end, if
    /// there is exactly one.
    pub fn describe(&self, ticket: Ticket) -> (String, Option<Rank>) {
        match ticket.0 {
            Kind::Send(key) => {
                let what = self.sends[key].what();
                (what.to_string(), Some(what.to))
            }
            Kind::Receive(key) => {
                let Receive { selector, buffer, .. } = &self.receives[key];
                (buffer.describe(selector), selector.source())
            }
            Kind::Probe(key) => {
                let selector = self.probes[key].selector;
                (format!("probe({selector})"), selector.source())
            }
        }
    }

    /// Whether the started operation is a send.
    pub fn is_send(&self, ticket: Ticket) -> bool {
        matches!(ticket.0, Kind::Send(_))
    }

    /// Some operation that has not ended.
    pub fn first_unfinished(&self) -> Option<Ticket> {
        let sends = self.sends.keys().filter(|key| self.sends[*key].outcome.is_none()).map(Kind::Send);
        let receives =
            self.receives.keys().filter(|key| self.receives[*key].outcome.is_none()).map(Kind::Receive);
        sends.chain(receives).chain(self.probing.iter().copied().map(Kind::Probe)).next().map(Ticket)
    }

    /// Messages that have come and were not received, in no order.
    pub fn unexpected(&self) -> impl Iterator<Item = Status> {
        self.matching.unexpected().map(|(_, key)| self.incoming[key].status())
    }
}
