//! What an engine counts and records of its calls, if it is asked to ([`crate::observe::counts`],
//! [`crate::observe::timeline`]).
//!
//! An engine that is observed takes no fast path, so that each call and message begins and ends here: `start`
//! and `enlist` of collectives, `start_message` and the taking of an outcome for messages.

use std::time::Duration;

use super::call_details;
use super::context::CommId;
use super::engine::{Engine, Ticket};
use super::observer::{CANCELLED, ENDED, FAILED, ObservedTicket, Observer, OpenCall};
use crate::base::{Call, CallKind, Collective, Rank};
use crate::observe::counts::{CallClass, CountedRank, RankCounts, add};
use crate::observe::profile::{self, RankProfile};
use crate::observe::timeline::{CallLine, CommLine, SharedTimeline};
use crate::observe::trace;
use crate::p2p::{OutgoingMessage, RecvBuffer, Status};

impl Engine {
    /// Counts calls from now on, and records them in files, if there are any.
    pub fn observe(&mut self, of: CountedRank, timelines: Vec<SharedTimeline>, has_profile: bool) {
        self.fast_below = 0;
        let counts = RankCounts::enter(of);
        if has_profile {
            profile::want(&counts);
        }
        let observer = Observer::new(counts, timelines);
        trace::watch_calls(observer.has_steps);
        self.observer = Some(Box::new(observer));
        for id in self.comms.ids() {
            self.note_comm(id);
        }
    }

    /// What the rank has done so far, for its profile. `None` if nobody wants one, or it was taken.
    pub fn take_profile(&self) -> Option<RankProfile> {
        let counts = &self.observer.as_ref()?.counts;
        profile::take(counts).then(|| RankProfile::of(counts))
    }

    /// Notes a new communicator in the files.
    pub(super) fn note_comm(&self, id: CommId) {
        let Some(observer) = &self.observer else { return };
        let comm = self.comms.get(id);
        let members: Vec<Rank> = comm.members.iter().map(|member| member.endpoint).collect();
        let (context, name, rank, group) = (comm.context, comm.name.as_str(), comm.rank, comm.group());
        let line = CommLine { context, group, name, rank, members: &members };
        observer.timelines.iter().for_each(|timeline| timeline.lock().note_comm(&line));
    }

    /// Notes that a call is being started.
    pub(super) fn note_start(&mut self) {
        if let Some(observer) = &mut self.observer {
            observer.started = trace::now();
        }
    }

    /// Notes that the call that was enlisted last has begun.
    #[cold]
    pub(super) fn note_begin(&mut self) {
        let (Some(observer), Some(active)) = (&mut self.observer, self.calls.active.last()) else { return };
        let (call, traffic) = (&active.prepared.call, active.prepared.program.traffic());
        let moved = || traffic.fold((0, 0), |(out, back), (_, sent, received)| (out + sent, back + received));
        let bytes = bytes_of(call).unwrap_or_else(|| {
            let (sent, received) = moved();
            sent.max(received)
        });
        let line = CallLine {
            title: call.to_string(),
            details: match observer.timelines.is_empty() {
                true => String::new(),
                false => call_details::of_call(&active.prepared, active.buffers) + &call_details::of_thread(),
            },
            context: self.comms.get(active.comm).context,
            number: Some(active.execution.header().sequence),
            bytes,
            begin: observer.started,
            ..CallLine::default()
        };
        observer.begin(ObservedTicket::Call(active.number), OpenCall::new(CallClass::of(call.kind), line));
    }

    /// Notes that a send has begun.
    pub(super) fn note_send(&mut self, ticket: Ticket, what: &OutgoingMessage) {
        let bytes = what.count.saturating_mul(what.datatype.bytes() as u64);
        let title = |to: String| {
            format!("send({}, count {}, to {to}, tag {})", what.datatype.name(), what.count, what.tag)
        };
        let details = || call_details::of_send(what);
        self.note_message(ticket, CallClass::SEND, Some(what.to), bytes, (title, details));
    }

    /// Notes that a receive has begun. `None`: into noncontiguous memory, or of a message that is known.
    pub(super) fn note_receive(&mut self, ticket: Ticket, from: Option<Rank>, buffer: Option<&RecvBuffer>) {
        let what =
            buffer.map_or("bytes".to_string(), |one| format!("{}, up to {}", one.datatype.name(), one.count));
        let title = |from: String| format!("receive({what}, from {from})");
        self.note_message(ticket, CallClass::RECEIVE, from, 0, (title, String::new));
    }

    /// Notes that a probe has begun.
    pub(super) fn note_probe(&mut self, ticket: Ticket, from: Option<Rank>) {
        let title = |from| format!("probe(from {from})");
        self.note_message(ticket, CallClass::PROBE, from, 0, (title, String::new));
    }

    fn note_message(
        &mut self,
        ticket: Ticket,
        class: CallClass,
        with: Option<Rank>,
        bytes: u64,
        (title, details): (impl FnOnce(String) -> String, impl FnOnce() -> String),
    ) {
        let (Some(observer), Ticket::Message(message)) = (&mut self.observer, ticket) else { return };
        let comm = self.comms.get(message.comm);
        let line = CallLine {
            title: title(with.map_or("any rank".into(), |rank| format!("rank {rank}"))),
            details: match observer.timelines.is_empty() {
                true => String::new(),
                false => details() + &call_details::of_thread(),
            },
            context: comm.context,
            peer: with.and_then(|rank| comm.members.get(rank as usize)).map(|member| member.endpoint),
            bytes,
            begin: trace::now(),
            ..CallLine::default()
        };
        observer.begin(ObservedTicket::Message(message), OpenCall::new(class, line));
    }

    /// Notes that the outcome of a message was taken. `status`: `None` if it has failed.
    #[cold]
    pub(super) fn note_message_end(&mut self, ticket: Ticket, status: Option<&Status>) {
        let (Some(observer), Ticket::Message(message)) = (&mut self.observer, ticket) else { return };
        let ticket = ObservedTicket::Message(message);
        let Some(call) = observer.find(ticket) else { return };
        let is_cancelled = status.is_some_and(|status| status.is_cancelled);
        if call.class != CallClass::SEND
            && let Some(status) = status.filter(|_| !is_cancelled)
        {
            call.line.details += &call_details::of_received(status);
            if call.class == CallClass::RECEIVE {
                call.line.bytes = status.bytes as u64;
            }
            let comm = self.comms.find(message.comm);
            let member = comm.and_then(|comm| comm.members.get(status.source as usize));
            call.line.peer = member.map(|member| member.endpoint).or(call.line.peer);
        }
        let (class, peer, bytes) = (call.class, call.line.peer, call.line.bytes);
        let state = match status {
            None => FAILED,
            Some(_) if is_cancelled => CANCELLED,
            Some(_) => ENDED,
        };
        observer.end(ticket, state);
        if let Some(endpoint) = peer.and_then(|peer| self.endpoints.get(peer as usize))
            && state != FAILED
        {
            let (sent, received) = match class {
                CallClass::SEND => (bytes, 0),
                CallClass::RECEIVE => (0, bytes),
                _ => (0, 0),
            };
            observer.counts.note_traffic(endpoint.transport(), sent, received);
        }
    }

    /// Notes that the program has learnt of the end of a collective call.
    #[cold]
    pub(super) fn note_taken(&mut self, number: u64) {
        if let Some(observer) = &mut self.observer {
            observer.note_taken(ObservedTicket::Call(number));
        }
    }

    /// Notes that the start of a call returns now.
    pub(super) fn note_returned(&mut self, ticket: Ticket) {
        if let Some(observer) = &mut self.observer {
            observer.note_returned(ticket.into());
        }
    }

    /// Notes that a thread waits in the call itself until it ends.
    pub(super) fn note_blocking(&mut self, ticket: Ticket) {
        if let Some(call) = self.observer.as_mut().and_then(|observer| observer.find(ticket.into())) {
            call.line.is_blocking = true;
        }
    }

    /// Whether its calls are counted.
    pub(super) fn is_observed(&self) -> bool {
        self.observer.is_some()
    }

    /// When a wait begins; `None` if nobody wants to know.
    pub(super) fn wait_begin(&self) -> Option<u64> {
        self.observer.is_some().then(trace::now)
    }

    /// Notes for how long nothing has moved in a wait.
    pub(super) fn note_silence(&mut self, silence: Duration) {
        if let Some(observer) = &self.observer {
            add(&observer.counts.silent, silence.as_nanos() as u64);
        }
    }

    /// Notes that a wait for calls has ended that were started before.
    pub(super) fn note_wait(&mut self, begin: Option<u64>) {
        let (Some(observer), Some(begin)) = (&self.observer, begin) else { return };
        let end = trace::now();
        add(&observer.counts.waits, 1);
        add(&observer.counts.waited, end.saturating_sub(begin));
        observer.timelines.iter().for_each(|timeline| timeline.lock().note_wait(begin, end));
    }
}

impl From<Ticket> for ObservedTicket {
    fn from(ticket: Ticket) -> ObservedTicket {
        match ticket {
            Ticket::Call(number) => ObservedTicket::Call(number),
            Ticket::Message(message) => ObservedTicket::Message(message),
        }
    }
}

/// Bytes of the buffer that a call names, if its count says so.
fn bytes_of(call: &Call) -> Option<u64> {
    match call.kind {
        CallKind::Collective(Collective::Barrier) | CallKind::Formation(_) => Some(0),
        _ => call.elements().map(|(count, bytes)| count.saturating_mul(bytes)),
    }
}
