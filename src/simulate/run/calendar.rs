//! The calendar: future events, by time.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Kinds of events.
#[derive(Clone, Copy, Debug)]
pub(super) enum EventKind {
    /// End of a flow, unless it has another version by then.
    End { flow: u32, version: u32 },
    /// Arrival of the first byte of a short message.
    Reach { message: u32 },
    /// Arrival of the last byte.
    Arrival { message: u32, streamed: bool },
}

/// An event and its time.
#[derive(Clone, Copy, Debug)]
struct Event {
    time: f64,
    what: EventKind,
}

impl Ord for Event {
    /// The earliest is the greatest: a heap gives the greatest first.
    fn cmp(&self, other: &Event) -> Ordering {
        other.time.total_cmp(&self.time)
    }
}

impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Event) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Event {
    fn eq(&self, other: &Event) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Event {}

/// All that will happen.
#[derive(Debug, Default)]
pub(super) struct Calendar {
    events: BinaryHeap<Event>,
}

impl Calendar {
    /// Writes something down.
    pub fn add(&mut self, time: f64, what: EventKind) {
        self.events.push(Event { time, what });
    }

    /// When the next thing happens.
    pub fn next_time(&self) -> Option<f64> {
        self.events.peek().map(|event| event.time)
    }

    /// The next thing, if it happens not later than `time`.
    pub fn take_until(&mut self, time: f64) -> Option<EventKind> {
        let is_due = self.events.peek().is_some_and(|event| event.time <= time);
        is_due.then(|| self.events.pop().expect("it was peeked").what)
    }
}
