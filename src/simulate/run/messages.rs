//! The way of a message through a simulation, from its sender to the end of its round at the receiver.

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

    /// Sends the last byte on its way.
    pub(super) fn post(&mut self, message: u32, streamed: bool) {
        let link = self.model.link(self.wiring.messages[message as usize].within_host);
        let time = self.now + link.latency;
        self.calendar.add(time, EventKind::Arrival { message, streamed });
    }

    /// Starts or takes a message if nothing prevents it any more.
    pub(super) fn consider(&mut self, message: u32, cause: Cause, side: Side) {
        let WiredMessage { from, within_host, bytes, .. } = self.wiring.messages[message as usize];
        let is_short = bytes <= self.model.link(within_host).eager_bytes;
        let trip = &mut self.history.trips[message as usize];
        let (may_send, may_take) = (trip.has(MAY_SEND), trip.has(MAY_TAKE));
        if !trip.has(QUEUED) {
            if is_short {
                // Only events of the sender count, in their order.
                if !may_send || side == Side::Receiver {
                    return;
                }
                trip.flags |= QUEUED;
                self.send_queues[from as usize].waiting.push_back((message, cause));
                self.start_next_in_queue(from);
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

    /// Lets the next message of a sender leave, after `message` has left it.
    pub(super) fn leave_send_queue(&mut self, message: u32) {
        let from = self.wiring.messages[message as usize].from;
        let queue = &mut self.send_queues[from as usize];
        queue.is_busy = false;
        if !queue.waiting.is_empty() {
            queue.freed_by = Some(Cause::Sent(message));
            // The task runs later. A direct call would recurse too deeply with thousands of messages that
            // cost nothing.
            self.tasks.push_back(Task::SendNext(from));
        }
    }

    /// Starts the first waiting message, if no other one is leaving.
    pub(super) fn start_next_in_queue(&mut self, rank: u32) {
        let queue = &mut self.send_queues[rank as usize];
        if queue.is_busy {
            return;
        }
        let Some((message, cause)) = queue.waiting.pop_front() else { return };
        queue.is_busy = true;
        let trip = &mut self.history.trips[message as usize];
        trip.start = (queue.freed_by.take().unwrap_or(cause), Side::Sender);
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

    /// Notes that a short message has arrived. It is received when the receiver has done its part, too.
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

    /// Notes that the receiver has begun to take a message: the one behind it may be taken next.
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
