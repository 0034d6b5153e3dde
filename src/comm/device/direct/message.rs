//! A message on the direct path: its receiver copies it out of the buffer of its sender.
//!
//! 1. The sender's stream reaches the send. The sender sends a record in the place of the elements
//!    ([`super::message_record`]), by the engine, which matches it like any other message.
//! 2. The receive only claims a message at first. When its stream has come to it, the receiver copies the
//!    elements on the library's stream.
//! 3. When the copy has ended, the receiver tells the sender, and each lets its stream go on.
//!
//! The streams of the program have only a gate, as for a [`super::gated`] call. A receiver that cannot use
//! the record asks for the elements, which go through host memory then ([`super::message_by_host`]). So does
//! a message of another kind that the receive gets: the sender alone decides, and the receiver takes what
//! comes.
//!
//! So go messages of groups that are longer than [`STAGED_MESSAGE_BYTES`], or than the variable says. Shorter
//! ones are staged: their send does not wait for the receiver.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::buffers::{BufferRecord, BufferUse, MappedSide, PublishedBuffers, RankBuffers, SideBlocks};
use super::direct_path::DirectPath;
use super::exchange::{FoundSides, Next, Offered, SharedBuffers};
use super::message_by_host::MessageByHost;
use super::message_record::MessageRecord;
use crate::base::{Rank, Result};
use crate::comm::call::spec::CallSpec;
use crate::comm::device::call_streams::CallStream;
use crate::comm::device::host::Host;
use crate::comm::device::stream_call_state::{GATE_WORDS, StreamCallState, WORD_STEP};
use crate::comm::device::stream_order::StreamInContext;
use crate::comm::device::stream_tail::StagedTail;
use crate::config::STAGED_MESSAGE_BYTES;
use crate::device::direct::copy_in;
use crate::device::{Entered, PinnedBlock, StreamEvent};
use crate::p2p::{Completion, MatchedMessage, OutgoingMessage, RecvBuffer, Selector, Status};

// A staged send of more bytes waits for its receive as well, so the direct path adds no wait.
const _: () = assert!(STAGED_MESSAGE_BYTES == crate::p2p::WINDOW_BYTES);

/// A message that may take the direct path.
pub struct DirectMessage(MessageSide);

/// What this rank does.
pub(super) enum MessageSide {
    Send { what: OutgoingMessage, record: MessageRecord, shared: SharedBuffers },
    Receive { selector: Selector, buffer: RecvBuffer },
}

// SAFETY: the pointers lead to buffers that the caller has promised to leave to the call, on whatever thread
// it goes on. Only the device uses them.
unsafe impl Send for MessageSide {}

/// See the module head.
pub struct MessageCall<H: Host> {
    // Dropped before the gate, which keeps the buffers for the call.
    by_host: Option<Box<MessageByHost>>,
    /// What the copy of a receive reads.
    in_use: Option<BufferUse>,
    gate: StreamCallState,
    path: Arc<DirectPath<H>>,
    side: MessageSide,
    /// The library's stream, and the event behind the copy.
    own: CallStream,
    event: StreamEvent,
    /// Events for a message through the host. The thread of the communicator makes none.
    spare: Vec<StreamEvent>,
    /// Whether launches of graphs may stand before the call in its stream.
    follows_launches: bool,
    phase: Phase,
    /// What the engine has ended.
    completion: Option<Completion>,
}

#[derive(Clone, Copy)]
enum Phase {
    /// The engine sends the record, or claims a message.
    Announcing,
    /// The receive has this message, and waits for its stream.
    Claimed(MatchedMessage, Status),
    /// The copy is in the library's stream.
    Copying(MatchedMessage, Status),
    /// The reply to the sender is on its path.
    Replying(Rank),
    ByHost,
    Done,
}

impl<H: Host> DirectPath<H> {
    /// The message of `rank` in a group on the direct path, if it is longer than `longest_staged` bytes.
    /// `None`: it is staged. The call is checked. Outside of a group, a send does not wait for its receive:
    /// that may stand behind a send of its own on its stream, whose receive stands behind this send.
    pub fn message(&self, rank: Rank, call: &CallSpec, longest_staged: usize) -> Option<DirectMessage> {
        match call {
            CallSpec::Send(what) => {
                let bytes = what.count as usize * what.datatype.bytes();
                if bytes <= longest_staged || !self.is_on_device(what.data.addr()) {
                    return None;
                }
                let (record, shared) = self.share(rank, what.to, what.data.addr(), bytes)?;
                Some(DirectMessage(MessageSide::Send { what: **what, record, shared }))
            }
            CallSpec::Receive(selector, buffer) | CallSpec::ReceiveAll(selector, buffer) => {
                let bytes = buffer.count as usize * buffer.datatype.bytes();
                if bytes <= longest_staged || !self.is_on_device(buffer.data.addr()) {
                    return None;
                }
                let sources = selector.source().map_or(0..self.size() as Rank, |source| source..source + 1);
                sources.filter_map(|source| self.importer(source)).for_each(|known| known.note_map_request());
                self.serve_owners();
                Some(DirectMessage(MessageSide::Receive { selector: *selector, buffer: *buffer }))
            }
            CallSpec::Collective(..) | CallSpec::Unequal(..) | CallSpec::List(..) => None,
        }
    }

    fn is_on_device(&self, address: usize) -> bool {
        self.driver.is_on_device(address) && self.driver.device_of(address) == Some(self.device)
    }

    /// Shares a buffer of `rank` with another rank. `None`: that cannot address it, perhaps only not yet.
    fn share(
        &self,
        rank: Rank,
        to: Rank,
        address: usize,
        bytes: usize,
    ) -> Option<(MessageRecord, SharedBuffers)> {
        let peer = self.peers.get(to as usize)?;
        if peer.is_local {
            if !peer.shares_device && !self.driver.is_plain_memory(address) {
                return None;
            }
            let buffers =
                RankBuffers { input: SideBlocks::At(vec![address as u64]), ..RankBuffers::default() };
            let published = PublishedBuffers::add(rank, vec![buffers]).ok()?;
            let record = MessageRecord { number: published.number(), ..MessageRecord::default() };
            return Some((record, SharedBuffers { published: Some(published), offered: None }));
        }
        let owner = self.owner(to)?;
        let found = owner.find(self.driver, address as u64, bytes as u64, self.map)?;
        let offer = owner.offer()?;
        let side = MappedSide { token: *found.token, offset: found.offset };
        let record = MessageRecord { number: 0, side, offer: offer.bits() };
        let offered = Offered { owner, found: vec![FoundSides { input: Some(found), output: None }], offer };
        Some((record, SharedBuffers { published: None, offered: Some(offered) }))
    }

    /// Where a rank has the elements of a message, as this one addresses them, and their use. `None`: this
    /// rank cannot address them, or the sender has withdrawn them.
    fn find_message(&self, source: Rank, record: &MessageRecord, bytes: u64) -> Option<(u64, BufferUse)> {
        let mapped = |_: &BufferRecord| {
            let importer = self.importer(source)?;
            let (address, allocation) = importer.address(record.side.token, record.side.offset, bytes)?;
            let in_use = BufferUse::Mapped(importer.take(record.offer)?, vec![allocation]);
            let input = SideBlocks::At(vec![address]);
            Some((vec![RankBuffers { input, ..RankBuffers::default() }], Some(in_use)))
        };
        let found = record.as_buffers().buffers(source, mapped);
        found.ok().and_then(|(buffers, in_use)| Some((buffers.first()?.input.place(0, 0), in_use?)))
    }
}

impl<H: Host> fmt::Display for MessageCall<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.side {
            MessageSide::Send { what, .. } => what.fmt(f),
            MessageSide::Receive { selector, buffer } => f.write_str(&buffer.describe(selector)),
        }
    }
}

impl<H: Host> MessageCall<H> {
    /// Makes a call on a stream; `own` is the library's stream of the context. Nothing is enqueued yet.
    pub fn new(
        path: &Arc<DirectPath<H>>,
        message: DirectMessage,
        follows_launches: bool,
        stream: CallStream,
        own: CallStream,
    ) -> Result<MessageCall<H>> {
        let (driver, context) = (path.driver, path.context);
        let entered = Entered::for_device(driver, path.device)?;
        let event = own.events.borrow()?;
        let spare = vec![own.events.borrow()?, own.events.borrow()?];
        drop(entered);
        let block = PinnedBlock::of_reserve(driver, stream.events.context(), GATE_WORDS * WORD_STEP)?;
        Ok(MessageCall {
            by_host: None,
            in_use: None,
            gate: StreamCallState::new(driver, context, stream, block.into(), GATE_WORDS),
            path: Arc::clone(path),
            side: message.0,
            own,
            event,
            spare,
            follows_launches,
            phase: Phase::Announcing,
            completion: None,
        })
    }

    /// See [`StreamCallState::stream_in_context`].
    pub fn stream_in_context(&self) -> StreamInContext {
        self.gate.stream_in_context()
    }

    /// See [`StreamCallState::event`].
    pub fn event(&self) -> Option<Arc<StreamEvent>> {
        self.gate.event()
    }

    /// Puts the gate into the stream, or only its start if the tail is apart. After an error, the stream does
    /// not wait.
    pub fn enqueue(&mut self) -> Result<()> {
        self.gate.enqueue_gate()
    }

    /// Takes the tail out of the call.
    pub fn split_tail(&mut self) -> Result<StagedTail> {
        self.gate.split_gate()
    }

    /// Whether the CPU may begin with the call. A receive claims its message before its stream has come to
    /// it: another call may wait for it.
    pub fn may_begin(&self) -> bool {
        let claims = matches!(self.side, MessageSide::Receive { .. });
        claims && !self.follows_launches || self.gate.is_ready()
    }

    /// Begins with the call in the engine.
    pub fn start(&mut self, comm: &H) -> Result<H::Started> {
        match &self.side {
            MessageSide::Send { what, record, .. } => comm.start_reference(what, &record.to_reference()),
            MessageSide::Receive { selector, buffer } => comm.start_claim(*selector, *buffer),
        }
    }

    /// Notes how the engine has ended what it worked on.
    pub fn note_completion(&mut self, completion: Option<Completion>) {
        self.completion = completion;
    }

    /// Looks at the copies of a message through the host. Returns whether anything has changed.
    pub fn look(&mut self) -> Result<bool> {
        self.by_host.as_mut().map_or(Ok(false), |by_host| by_host.look())
    }

    /// What the call needs next, after the engine has ended what it worked on.
    ///
    /// # Safety
    /// The buffers are valid, and `self` does not move, and lives, until the work has ended.
    pub unsafe fn next(&mut self, comm: &H) -> Result<Next<H::Started>> {
        match self.phase {
            Phase::Announcing => self.see_match(),
            Phase::Claimed(message, status) if self.gate.is_ready() => self.take_over(comm, message, status),
            Phase::Claimed(..) => Ok(Next::Device),
            Phase::Copying(message, status) => {
                self.gate.adopt_context()?;
                if self.event.has_passed()? {
                    self.in_use = None;
                    comm.end_reference(message);
                    self.phase = Phase::Replying(status.source);
                }
                Ok(Next::Device)
            }
            Phase::Replying(source) => {
                let has_replied = comm.has_replied(source);
                Ok(if has_replied { self.done() } else { Next::Device })
            }
            Phase::ByHost => {
                let Some(by_host) = &mut self.by_host else { return Ok(self.done()) };
                // SAFETY: passed on from our caller.
                let next = unsafe { by_host.next(comm) }?;
                Ok(if matches!(next, Next::Ended) { self.done() } else { next })
            }
            Phase::Done => Ok(Next::Ended),
        }
    }

    fn done<S>(&mut self) -> Next<S> {
        self.phase = Phase::Done;
        Next::Ended
    }

    /// Goes on when the record has met its receive, or the receive its message.
    fn see_match(&mut self) -> Result<Next<H::Started>> {
        let Some(completion) = self.completion.take() else { return Ok(self.done()) };
        if let Some(message) = completion.message {
            self.phase = Phase::Claimed(message, completion.status);
            return Ok(Next::Device);
        }
        let Some(wanted) = completion.wanted else {
            let is_sent = matches!(self.side, MessageSide::Send { .. });
            self.path.in_place.fetch_add(u64::from(is_sent), Ordering::Relaxed);
            return Ok(self.done());
        };
        self.gate.adopt_context()?;
        self.spare.clear();
        self.path.moved.fetch_add(1, Ordering::Relaxed);
        self.phase = Phase::ByHost;
        if let MessageSide::Send { what, .. } = &self.side {
            self.by_host = Some(Box::new(MessageByHost::send(what, wanted, &self.own)?));
        }
        Ok(Next::Device)
    }

    /// Copies the elements of a claimed message, or begins to receive them.
    fn take_over(&mut self, comm: &H, message: MatchedMessage, status: Status) -> Result<Next<H::Started>> {
        let MessageSide::Receive { buffer, .. } = self.side else { return Ok(self.done()) };
        let most = buffer.count as usize * buffer.datatype.bytes();
        let reference = comm.reference(message).filter(|_| (1..=most).contains(&status.bytes));
        let found = reference.and_then(|bytes| {
            let record = MessageRecord::from_reference(&bytes);
            self.path.find_message(status.source, &record, status.bytes as u64)
        });
        self.gate.adopt_context()?;
        let Some((from, in_use)) = found else { return self.receive_by_host(comm, buffer, message, status) };
        self.path.in_place.fetch_add(1, Ordering::Relaxed);
        (self.in_use, self.phase) = (Some(in_use), Phase::Copying(message, status));
        // SAFETY: the buffer belongs to the call, and has memory for the message. What the sender shares
        // stays until `in_use` is dropped.
        unsafe {
            copy_in(
                self.gate.driver,
                buffer.data.expose_provenance() as u64,
                from,
                status.bytes,
                self.own.stream,
            )
        }?;
        self.event.record(self.own.stream)?;
        Ok(Next::Device)
    }

    fn receive_by_host(
        &mut self,
        comm: &H,
        buffer: RecvBuffer,
        message: MatchedMessage,
        status: Status,
    ) -> Result<Next<H::Started>> {
        self.phase = Phase::ByHost;
        if status.bytes == 0 {
            let nothing = RecvBuffer { data: std::ptr::dangling_mut(), count: 0, ..buffer };
            // SAFETY: the message has no bytes.
            return unsafe { comm.start_claimed(message, nothing) }.map(Next::Call);
        }
        self.spare.clear();
        self.path.moved.fetch_add(1, Ordering::Relaxed);
        self.by_host = Some(Box::new(MessageByHost::receive(&buffer, message, &status, &self.own)?));
        Ok(Next::Device)
    }

    /// Whether a copy of this rank, or of the receiver, may still use the buffer of the call, which has
    /// failed.
    pub fn is_in_use(&mut self) -> bool {
        let is_shared = match &self.side {
            MessageSide::Send { shared, .. } => shared.withdraw(),
            MessageSide::Receive { .. } => false,
        };
        let is_copied = matches!(self.phase, Phase::Copying(..))
            && self.gate.adopt_context().is_ok()
            && matches!(self.gate.driver.stream_has_ended(self.own.stream), Ok(false));
        is_shared || is_copied || self.by_host.as_mut().is_some_and(|by_host| by_host.is_in_use())
    }

    /// Lets the stream of the program go on.
    pub fn end(&mut self) {
        self.gate.let_go();
    }

    /// Asks whether the device still works on what the call waits for.
    pub fn check(&self) -> Result<()> {
        match (&self.by_host, self.phase) {
            (Some(by_host), _) => by_host.check(),
            (None, Phase::Copying(..)) => {
                self.gate.adopt_context()?;
                self.event.has_passed().map(drop)
            }
            _ => self.gate.check(),
        }
    }

    /// See [`StreamCallState::has_passed`].
    pub fn has_passed(&mut self) -> Result<bool> {
        self.gate.has_passed()
    }
}
