//! The way of a message: from its sender's door, or from end to end, to the end of its round at the receiver.

use super::calendar::EventKind;
use super::history::{
    ARRIVED, Cause, MAY_SEND, MAY_TAKE, QUEUED, REACHED, RECEIVER_FREE, SENDER_FREE, Side, TAKEN, WORKED,
};
use super::{Activity, Simulation, Task, WiredMessage};

impl Simulation<'_> {
    pub(super) fn sent(&mut self, message: u32) {
        self.history.trips[message as usize].sent = self.now;
        let WiredMessage { sent_in, next, .. } = self.wiring.messages[message as usize];
        self.transferred(sent_in, Cause::Sent(message));
        if let Some(next) = next {
            self.history.trips[next as usize].flags |= SENDER_FREE;
            self.tasks.push_back(Task::Consider(next, Cause::Sent(message), Side::Sender));
        }
    }

    pub(super) fn leg_done(&mut self, message: u32) {
        let trip = &mut self.history.trips[message as usize];
        trip.legs -= 1;
        if trip.legs == 0 {
            self.post(message, false);
        }
    }

    /// The last byte is on its way.
    pub(super) fn post(&mut self, message: u32, streamed: bool) {
        let link = self.model.link(self.wiring.messages[message as usize].within_host);
        let time = self.now + link.latency;
        self.calendar.add(time, EventKind::Arrival { message, streamed });
    }

    /// Starts or takes a message, if nothing is in the way any more.
    pub(super) fn consider(&mut self, message: u32, cause: Cause, side: Side) {
        let WiredMessage { from, within_host, bytes, .. } = self.wiring.messages[message as usize];
        let is_short = bytes <= self.model.link(within_host).eager_bytes;
        let trip = &mut self.history.trips[message as usize];
        let (may_send, may_take) = (trip.has(MAY_SEND), trip.has(MAY_TAKE));
        if !trip.has(QUEUED) {
            if is_short {
                // Only the sender's events count, in their order.
                if !may_send || side == Side::Receiver {
                    return;
                }
                trip.flags |= QUEUED;
                self.doors[from as usize].waiting.push_back((message, cause));
                self.next_through_door(from);
            } else if may_send && may_take {
                trip.flags |= QUEUED;
                self.stream(message, cause, side);
            }
        } else if may_take && !trip.has(TAKEN) && trip.has(REACHED) {
            trip.late_take = Some(cause);
            self.take(message, cause);
        }
    }

    fn stream(&mut self, message: u32, cause: Cause, side: Side) {
        self.history.trips[message as usize].start = (cause, side);
        self.taken(message, cause);
        self.start(Activity::Stream(message), self.work.streaming(message));
    }

    /// A message has gone through the door of its sender.
    pub(super) fn open_door(&mut self, message: u32) {
        let from = self.wiring.messages[message as usize].from;
        let door = &mut self.doors[from as usize];
        door.is_busy = false;
        if !door.waiting.is_empty() {
            door.freed_by = Some(Cause::Sent(message));
            // Not at once: thousands of messages that cost nothing would go deeper and deeper.
            self.tasks.push_back(Task::Door(from));
        }
    }

    /// The first that waits goes, if nothing is in the door.
    pub(super) fn next_through_door(&mut self, rank: u32) {
        let door = &mut self.doors[rank as usize];
        if door.is_busy {
            return;
        }
        let Some((message, cause)) = door.waiting.pop_front() else { return };
        door.is_busy = true;
        let trip = &mut self.history.trips[message as usize];
        trip.start = (door.freed_by.take().unwrap_or(cause), Side::Sender);
        trip.legs = 2;
        let link = self.model.link(self.wiring.messages[message as usize].within_host);
        self.calendar.add(self.now + link.latency, EventKind::Reach { message });
        self.start(Activity::Cross(message), self.work.crossing(message));
        self.start(Activity::Leave(message), self.work.leaving(message));
    }

    pub(super) fn reached(&mut self, message: u32) {
        let trip = &mut self.history.trips[message as usize];
        trip.flags |= REACHED;
        trip.reached = self.now;
        if trip.has(MAY_TAKE) {
            self.take(message, Cause::Reached(message));
        }
    }

    fn take(&mut self, message: u32, cause: Cause) {
        self.taken(message, cause);
        self.start(Activity::Take(message), [self.work.taking(message)]);
    }

    /// A short message is there. It is received when the receiver has done its part, too.
    pub(super) fn arrived(&mut self, message: u32) {
        let trip = &mut self.history.trips[message as usize];
        trip.flags |= ARRIVED;
        if trip.has(WORKED) {
            trip.late_take = None;
            self.received(message);
        }
    }

    pub(super) fn worked(&mut self, message: u32) {
        let trip = &mut self.history.trips[message as usize];
        trip.flags |= WORKED;
        if trip.has(ARRIVED) {
            self.received(message);
        }
    }

    /// The receiver has begun to take a message: the one behind it is no longer in its shadow.
    fn taken(&mut self, message: u32, cause: Cause) {
        self.history.trips[message as usize].flags |= TAKEN;
        if let Some(next) = self.wiring.messages[message as usize].next {
            self.history.trips[next as usize].flags |= RECEIVER_FREE;
            self.tasks.push_back(Task::Consider(next, cause, Side::Receiver));
        }
    }

    pub(super) fn received(&mut self, message: u32) {
        self.history.trips[message as usize].received = self.now;
        let round = self.wiring.messages[message as usize].received_in;
        self.transferred(round, Cause::Received(message));
    }
}
