//! The calendar: future events in the order of time.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Kinds of events.
#[derive(Clone, Copy, Debug)]
pub(super) enum EventKind {
    /// A flow ends, unless its version has changed by then.
    End { flow: u32, version: u32 },
    /// The first byte of a short message arrives.
    Reach { message: u32 },
    /// The last byte of a message arrives.
    Arrival { message: u32, streamed: bool },
}

/// An event and its time.
#[derive(Clone, Copy, Debug)]
struct Event {
    time: f64,
    what: EventKind,
}

impl Ord for Event {
    /// Orders events so that the earliest is the greatest: a heap returns the greatest first.
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

/// All future events.
#[derive(Debug, Default)]
pub(super) struct Calendar {
    events: BinaryHeap<Event>,
}

impl Calendar {
    /// Adds an event.
    pub fn add(&mut self, time: f64, what: EventKind) {
        self.events.push(Event { time, what });
    }

    /// The time of the next event.
    pub fn next_time(&self) -> Option<f64> {
        self.events.peek().map(|event| event.time)
    }

    /// Removes and returns the next event, if it is not later than `time`.
    pub fn take_until(&mut self, time: f64) -> Option<EventKind> {
        let is_due = self.events.peek().is_some_and(|event| event.time <= time);
        is_due.then(|| self.events.pop().expect("it was peeked").what)
    }
}
