//! What counts and records the calls of an engine, while they are under way.

use std::collections::HashMap;
use std::sync::Arc;

use super::calls::ActiveCall;
use super::messaging::MessageTicket;
use crate::endpoint::Endpoint;
use crate::observe::counts::{CallClass, RankCounts, add};
use crate::observe::metrics;
use crate::observe::timeline::{self, CallLine, SharedTimeline};
use crate::observe::trace;
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
    pub timelines: Vec<SharedTimeline>,
    pub has_steps: bool,
    pub open: HashMap<ObservedTicket, OpenCall>,
    /// Calls with files to be written to that have ended, and of which the program has not learnt that.
    untaken: HashMap<ObservedTicket, OpenCall>,
    /// When the call was started that is about to be enlisted.
    pub started: u64,
    /// The process that counts. A child of fork does nothing: its parent may hold the locks.
    epoch: u16,
}

/// A call or message under way.
pub(super) struct OpenCall {
    pub class: CallClass,
    pub line: CallLine,
}

impl OpenCall {
    /// A call of this thread.
    pub fn new(class: CallClass, line: CallLine) -> OpenCall {
        OpenCall { class, line: CallLine { name: class.name(), thread: timeline::thread(), ..line } }
    }
}

impl Observer {
    pub fn new(counts: Arc<RankCounts>, timelines: Vec<SharedTimeline>) -> Observer {
        Observer {
            counts,
            has_steps: timelines.iter().any(|timeline| timeline.lock().has_steps),
            timelines,
            open: HashMap::new(),
            untaken: HashMap::new(),
            started: 0,
            epoch: fork::epoch(),
        }
    }

    pub fn begin(&mut self, ticket: ObservedTicket, mut call: OpenCall) {
        add(&self.counts.class(call.class).begun, 1);
        for timeline in &self.timelines {
            // All have seen the same calls, so they have the same slots.
            call.line.slot = timeline.lock().take_slot();
        }
        self.open.insert(ticket, call);
    }

    pub fn find(&mut self, ticket: ObservedTicket) -> Option<&mut OpenCall> {
        self.open.get_mut(&ticket)
    }

    /// Notes that the start of a call has returned.
    pub fn note_returned(&mut self, ticket: ObservedTicket) {
        if let Some(call) = self.open.get_mut(&ticket).or_else(|| self.untaken.get_mut(&ticket)) {
            call.line.returned = Some(trace::now());
        }
    }

    /// Notes that the program has learnt of the end of a call.
    pub fn note_taken(&mut self, ticket: ObservedTicket) {
        if let Some(mut call) = self.untaken.remove(&ticket) {
            call.line.taken = Some((trace::now(), timeline::thread()));
            self.write(&call);
        }
    }

    /// Ends all that is under way in a communicator, which is gone: nobody takes the outcomes any more.
    pub fn end_comm(&mut self, context: u32) {
        let of_comm = self.open.iter().filter(|(_, call)| call.line.context == context);
        let tickets: Vec<ObservedTicket> = of_comm.map(|(ticket, _)| *ticket).collect();
        for ticket in tickets {
            self.end(ticket, FAILED);
        }
    }

    pub fn end(&mut self, ticket: ObservedTicket, state: &'static str) {
        let Some(mut call) = self.open.remove(&ticket) else { return };
        let (counts, end) = (self.counts.class(call.class), trace::now());
        add(&counts.ended, 1);
        add(&counts.bytes, call.line.bytes);
        if state == FAILED {
            add(&counts.failed, 1);
        }
        if call.line.is_blocking {
            add(&counts.blocked, end.saturating_sub(call.line.begin));
        }
        (call.line.end, call.line.state) = (end, state);
        self.timelines.iter().for_each(|timeline| timeline.lock().free_slot(call.line.slot));
        let is_call = matches!(ticket, ObservedTicket::Call(_));
        if !is_call {
            call.line.taken = Some((end, timeline::thread()));
        }
        if is_call && state == ENDED && !call.line.is_blocking && !self.timelines.is_empty() {
            self.untaken.insert(ticket, call);
        } else {
            self.write(&call);
        }
    }

    /// Writes a call to the files.
    fn write(&self, call: &OpenCall) {
        self.timelines.iter().for_each(|timeline| timeline.lock().note_call(&call.line));
    }

    /// Writes the calls that have ended, although the program has not learnt of that.
    fn write_untaken(&mut self) {
        for call in std::mem::take(&mut self.untaken).into_values() {
            self.write(&call);
        }
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
        if self.has_steps
            && let Some(call) = self.find(ObservedTicket::Call(active.number))
        {
            call.line.steps.extend(steps);
        }
    }

    /// Notes that a communicator has failed: what is known so far is written.
    pub fn note_failure(&mut self) {
        add(&self.counts.failures, 1);
        self.write_untaken();
        self.timelines.iter().for_each(|timeline| timeline.lock().flush());
    }
}

pub(super) const ENDED: &str = "ended";
pub(super) const FAILED: &str = "failed";
pub(super) const CANCELLED: &str = "cancelled";

impl Drop for Observer {
    /// Writes what is under way, and ends the time line.
    fn drop(&mut self) {
        if fork::last_epoch() != self.epoch {
            return;
        }
        self.write_untaken();
        let now = trace::now();
        for mut call in std::mem::take(&mut self.open).into_values() {
            (call.line.end, call.line.state) = (now, "running");
            self.write(&call);
        }
        self.timelines.iter().for_each(timeline::end);
        metrics::write_now();
    }
}
