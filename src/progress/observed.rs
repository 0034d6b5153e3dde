//! What an engine counts and records of its calls, if it is asked to ([`crate::observe::counts`],
//! [`crate::observe::timeline`]).
//!
//! An engine that is observed takes no fast path, so that each call and message begins and ends here: `start`
//! and `enlist` of collectives, `start_message` and the taking of an outcome for messages.

use std::collections::HashMap;
use std::time::Duration;

use super::context::CommId;
use super::engine::{Engine, Ticket};
use super::observer::{ENDED, FAILED, ObservedTicket, Observer, OpenCall};
use crate::base::{Call, CallKind, Collective, Rank, ReduceOp};
use crate::observe::counts::{CallClass, CountedRank, RankCounts, add};
use crate::observe::profile::{self, RankProfile};
use crate::observe::timeline::{CommLine, SharedTimeline};
use crate::observe::trace;
use crate::p2p::{OutgoingMessage, RecvBuffer, Status};
use crate::sys::fork;

impl Engine {
    /// Counts calls from now on, and records them in a time line if there is one.
    pub fn observe(&mut self, of: CountedRank, timeline: Option<SharedTimeline>, has_profile: bool) {
        trace::watch_calls(timeline.is_some());
        self.fast_below = 0;
        let (counts, open) = (RankCounts::enter(of), HashMap::new());
        if has_profile {
            profile::want(&counts);
        }
        self.observer = Some(Box::new(Observer { counts, timeline, open, started: 0, epoch: fork::epoch() }));
        for id in self.comms.ids() {
            self.note_comm(id);
        }
    }

    /// What the rank has done so far, for its profile. `None` if nobody wants one, or it was taken.
    pub fn take_profile(&self) -> Option<RankProfile> {
        let counts = &self.observer.as_ref()?.counts;
        profile::take(counts).then(|| RankProfile::of(counts))
    }

    /// Notes a new communicator in the time line.
    pub(super) fn note_comm(&self, id: CommId) {
        let Some(timeline) = self.observer.as_ref().and_then(|observer| observer.timeline.as_ref()) else {
            return;
        };
        let comm = self.comms.get(id);
        let members: Vec<Rank> = comm.members.iter().map(|member| member.endpoint).collect();
        let (context, name, rank, group) = (comm.context, comm.name.as_str(), comm.rank, comm.group());
        timeline.lock().note_comm(&CommLine { context, group, name, rank, members: &members });
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
        observer.begin(OpenCall {
            ticket: ObservedTicket::Call(active.number),
            class: CallClass::of(call.kind),
            title: call.to_string(),
            context: self.comms.get(active.comm).context,
            number: Some(active.execution.header().sequence),
            peer: None,
            bytes,
            begin: observer.started,
            is_blocking: false,
            slot: 0,
            steps: Vec::new(),
        });
    }

    /// Notes that a send has begun.
    pub(super) fn note_send(&mut self, ticket: Ticket, what: &OutgoingMessage) {
        let bytes = what.count.saturating_mul(what.datatype.bytes() as u64);
        let title = |to: String| {
            format!("send({}, count {}, to {to}, tag {})", what.datatype.name(), what.count, what.tag)
        };
        self.note_message(ticket, CallClass::SEND, Some(what.to), bytes, title);
    }

    /// Notes that a receive has begun. `None`: into noncontiguous memory, or of a message that is known.
    pub(super) fn note_receive(&mut self, ticket: Ticket, from: Option<Rank>, buffer: Option<&RecvBuffer>) {
        let what =
            buffer.map_or("bytes".to_string(), |one| format!("{}, up to {}", one.datatype.name(), one.count));
        let title = |from: String| format!("receive({what}, from {from})");
        self.note_message(ticket, CallClass::RECEIVE, from, 0, title);
    }

    /// Notes that a probe has begun.
    pub(super) fn note_probe(&mut self, ticket: Ticket, from: Option<Rank>) {
        self.note_message(ticket, CallClass::PROBE, from, 0, |from| format!("probe(from {from})"));
    }

    fn note_message(
        &mut self,
        ticket: Ticket,
        class: CallClass,
        with: Option<Rank>,
        bytes: u64,
        title: impl FnOnce(String) -> String,
    ) {
        let (Some(observer), Ticket::Message(message)) = (&mut self.observer, ticket) else { return };
        let comm = self.comms.get(message.comm);
        observer.begin(OpenCall {
            ticket: ObservedTicket::Message(message),
            class,
            title: title(with.map_or("any rank".into(), |rank| format!("rank {rank}"))),
            context: comm.context,
            number: None,
            peer: with.and_then(|rank| comm.members.get(rank as usize)).map(|member| member.endpoint),
            bytes,
            begin: trace::now(),
            is_blocking: false,
            slot: 0,
            steps: Vec::new(),
        });
    }

    /// Notes that the outcome of a message was taken. `status`: `None` if it has failed.
    #[cold]
    pub(super) fn note_message_end(&mut self, ticket: Ticket, status: Option<&Status>) {
        let (Some(observer), Ticket::Message(message)) = (&mut self.observer, ticket) else { return };
        let ticket = ObservedTicket::Message(message);
        let Some(call) = observer.find(ticket) else { return };
        if call.class == CallClass::RECEIVE
            && let Some(status) = status.filter(|status| !status.is_cancelled)
        {
            call.bytes = status.bytes as u64;
            let comm = self.comms.find(message.comm);
            let member = comm.and_then(|comm| comm.members.get(status.source as usize));
            call.peer = member.map(|member| member.endpoint).or(call.peer);
        }
        let state = if status.is_some() { ENDED } else { FAILED };
        let Some(call) = observer.end(ticket, state) else { return };
        if let Some(endpoint) = call.peer.and_then(|peer| self.endpoints.get(peer as usize))
            && state == ENDED
        {
            let (sent, received) = match call.class {
                CallClass::SEND => (call.bytes, 0),
                CallClass::RECEIVE => (0, call.bytes),
                _ => (0, 0),
            };
            observer.counts.note_traffic(endpoint.transport(), sent, received);
        }
    }

    /// Notes that a thread waits in the call itself until it ends.
    pub(super) fn note_blocking(&mut self, ticket: Ticket) {
        let ticket = match ticket {
            Ticket::Call(number) => ObservedTicket::Call(number),
            Ticket::Message(message) => ObservedTicket::Message(message),
        };
        if let Some(call) = self.observer.as_mut().and_then(|observer| observer.find(ticket)) {
            call.is_blocking = true;
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
        if let Some(timeline) = &observer.timeline {
            timeline.lock().note_wait(begin, end);
        }
    }
}

/// Bytes of the buffer that a call names, if its count says so.
fn bytes_of(call: &Call) -> Option<u64> {
    let is_opaque = matches!(call.op, Some(ReduceOp::Callback | ReduceOp::OrderedCallback));
    match call.kind {
        CallKind::Collective(Collective::Barrier) | CallKind::Formation(_) => Some(0),
        CallKind::Collective(collective) if collective.has_layout() || is_opaque => None,
        CallKind::Collective(_) | CallKind::Goodbye => {
            Some(call.count.saturating_mul(call.datatype.bytes() as u64))
        }
        _ => None,
    }
}
