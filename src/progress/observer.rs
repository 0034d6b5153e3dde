//! What counts and records the calls of an engine, while they are under way.

use std::collections::HashMap;
use std::sync::Arc;

use super::calls::ActiveCall;
use super::messaging::MessageTicket;
use crate::base::Rank;
use crate::endpoint::Endpoint;
use crate::observe::counts::{CallClass, RankCounts, add};
use crate::observe::metrics;
use crate::observe::timeline::{self, CallLine, SharedTimeline};
use crate::observe::trace::{self, Event};
use crate::sys::fork;

/// Name of an operation under way.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum ObservedTicket {
    /// A collective call, by its number.
    Call(u64),
    /// A message, or a probe for one.
    Message(MessageTicket),
}

/// What observes an engine.
pub(super) struct Observer {
    pub counts: Arc<RankCounts>,
    pub timeline: Option<SharedTimeline>,
    pub open: HashMap<ObservedTicket, OpenCall>,
    /// When the call was started that is about to be enlisted.
    pub started: u64,
    /// The process that counts. A child of fork does nothing: its parent may hold the locks.
    pub epoch: u16,
}

/// A call or message under way.
pub(super) struct OpenCall {
    pub ticket: ObservedTicket,
    pub class: CallClass,
    pub title: String,
    pub context: u32,
    pub number: Option<u32>,
    /// Endpoint at the other side of a message.
    pub peer: Option<Rank>,
    pub bytes: u64,
    pub begin: u64,
    pub is_blocking: bool,
    pub slot: usize,
    pub steps: Vec<Event>,
}

impl Observer {
    pub fn begin(&mut self, mut call: OpenCall) {
        add(&self.counts.class(call.class).begun, 1);
        if let Some(timeline) = &self.timeline {
            call.slot = timeline.lock().take_slot();
        }
        self.open.insert(call.ticket, call);
    }

    pub fn find(&mut self, ticket: ObservedTicket) -> Option<&mut OpenCall> {
        self.open.get_mut(&ticket)
    }

    /// Ends all that is under way in a communicator, which is gone: nobody takes the outcomes any more.
    pub fn end_comm(&mut self, context: u32) {
        let of_comm = self.open.values().filter(|call| call.context == context);
        let tickets: Vec<ObservedTicket> = of_comm.map(|call| call.ticket).collect();
        for ticket in tickets {
            self.end(ticket, FAILED);
        }
    }

    pub fn end(&mut self, ticket: ObservedTicket, state: &'static str) -> Option<OpenCall> {
        let call = self.open.remove(&ticket)?;
        let (counts, end) = (self.counts.class(call.class), trace::now());
        add(&counts.ended, 1);
        add(&counts.bytes, call.bytes);
        if state == FAILED {
            add(&counts.failed, 1);
        }
        if call.is_blocking {
            add(&counts.blocked, end.saturating_sub(call.begin));
        }
        self.write(&call, end, state);
        Some(call)
    }

    /// Writes a call to the time line.
    fn write(&self, call: &OpenCall, end: u64, state: &'static str) {
        let Some(timeline) = &self.timeline else { return };
        timeline.lock().note_call(&CallLine {
            name: call.class.name(),
            title: call.title.clone(),
            context: call.context,
            number: call.number,
            peer: call.peer,
            bytes: call.bytes,
            begin: call.begin,
            end,
            slot: call.slot,
            is_blocking: call.is_blocking,
            state,
            steps: &call.steps,
        });
    }

    /// Notes that a collective call has ended.
    #[cold]
    pub fn end_call(&mut self, active: &mut ActiveCall, endpoints: &[Endpoint], has_failed: bool) {
        self.add_steps(active);
        if !has_failed {
            for (peer, sent, received) in active.prepared.program.traffic() {
                self.counts.note_traffic(endpoints[peer as usize].transport(), sent, received);
            }
        }
        self.end(ObservedTicket::Call(active.number), if has_failed { FAILED } else { ENDED });
    }

    /// Adds the steps that a call has recorded.
    pub fn add_steps(&mut self, active: &mut ActiveCall) {
        let steps = active.execution.take_steps().unwrap_or_default();
        trace::keep(&steps);
        if self.timeline.is_some()
            && let Some(call) = self.find(ObservedTicket::Call(active.number))
        {
            call.steps.extend(steps);
        }
    }

    /// Notes that a communicator has failed: what is known so far is written.
    pub fn note_failure(&self) {
        add(&self.counts.failures, 1);
        if let Some(timeline) = &self.timeline {
            timeline.lock().flush();
        }
    }
}

pub(super) const ENDED: &str = "ended";
pub(super) const FAILED: &str = "failed";

impl Drop for Observer {
    /// Writes what is under way, and ends the time line.
    fn drop(&mut self) {
        if fork::last_epoch() != self.epoch {
            return;
        }
        let now = trace::now();
        for call in std::mem::take(&mut self.open).into_values() {
            self.write(&call, now, "running");
        }
        self.timeline.iter().for_each(timeline::end);
        metrics::write_now();
    }
}
