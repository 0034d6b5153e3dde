//! The simulation itself: follows all messages, event by event.
//!
//! A rank enters a round, does its local work, then opens the round: its transfers may run. The round ends
//! with the last of them. A message may leave when its round is open at the sender and the previous message
//! of its queue has been sent. Its receiver is ready when the round is open there and the previous message is
//! being taken.
//!
//! Short messages leave whether or not the receiver is ready, one after the other in the order of the plan:
//! there is room for them somewhere. If the receiver is ready, it does its part (copying, reducing) from the
//! first byte on, while the rest arrives. Long messages wait until the receiver is ready, and then all that
//! are under way share their resources. `executor::execution` does the same, with one fragment per queue and
//! turn. Hazards need no rule of their own: a receive that waits for a send of its round ends in the same
//! round as that send.
//!
//! Each event records what it waited for last, so that the critical path can be walked backwards (see
//! `path`).

mod calendar;
mod history;
mod messages;
mod work;

use std::collections::VecDeque;

use super::fluid::{Fluid, Forecast, Use};
use super::limits::Skipped;
use super::model::Model;
use super::wiring::{Round, WiredMessage, Wiring};
use calendar::{Calendar, EventKind};
pub(super) use history::{Cause, History, Side};
use history::{RECEIVER_FREE, RECEIVER_OPEN, SENDER_FREE, SENDER_OPEN, Trip, Visit};
use work::Work;

/// The kind of work that a flow stands for.
#[derive(Clone, Copy, Debug)]
enum Activity {
    Compute(u32),
    /// A long message, from end to end.
    Stream(u32),
    /// A short message: leaving its sender, then crossing to its receiver.
    Leave(u32),
    Cross(u32),
    /// Work of the receiver on a short message.
    Take(u32),
}

/// Work to be done before time goes on.
#[derive(Clone, Copy, Debug)]
enum Task {
    Enter(u32, Cause),
    Consider(u32, Cause, Side),
    /// Starts the next short message of this rank.
    SendNext(u32),
}

/// Short messages of a rank that wait for its other short messages to leave.
#[derive(Debug, Default)]
struct SendQueue {
    /// The waiting messages, each with the cause for which it began to wait.
    waiting: VecDeque<(u32, Cause)>,
    is_busy: bool,
    /// What the first waiting message waited for last, if it is not its own cause.
    freed_by: Option<Cause>,
}

/// Events as close as this count as simultaneous: sums in another order differ by rounding.
const TOGETHER: f64 = 1.0 + 1e-13;

/// A simulation under way.
pub(super) struct Simulation<'a> {
    wiring: &'a Wiring,
    model: &'a Model,
    work: Work<'a>,
    now: f64,
    calendar: Calendar,
    fluid: Fluid,
    /// Kind of work, by flow.
    activities: Vec<Activity>,
    tasks: VecDeque<Task>,
    /// Waiting short messages, by rank.
    send_queues: Vec<SendQueue>,
    history: History,
}

impl<'a> Simulation<'a> {
    /// Prepares a simulation. `host_of` is the host of a simulated rank, counted from 0.
    pub fn new(wiring: &'a Wiring, model: &'a Model, host_of: &dyn Fn(u32) -> u32) -> Simulation<'a> {
        let trip = |message: &WiredMessage| {
            let flags = if message.follows { 0 } else { SENDER_FREE | RECEIVER_FREE };
            Trip { flags, ..Trip::default() }
        };
        let visit = |round: &Round| Visit { open_transfers: round.transfers, ..Visit::default() };
        let work = Work::new(wiring, model, host_of);
        Simulation {
            wiring,
            model,
            now: 0.0,
            calendar: Calendar::default(),
            fluid: Fluid::new(work.resources()),
            work,
            activities: Vec::new(),
            tasks: VecDeque::new(),
            send_queues: (0..wiring.fold.block).map(|_| SendQueue::default()).collect(),
            history: History {
                trips: wiring.messages.iter().map(trip).collect(),
                visits: wiring.rounds.iter().map(visit).collect(),
                end: (0.0, Cause::Begin),
                events: 0,
            },
        }
    }

    /// Runs to the end, or gives up after `limit` forecasts.
    pub fn run(mut self, limit: u64) -> Result<History, Skipped> {
        self.tasks.extend(self.wiring.lanes.iter().map(|&round| Task::Enter(round, Cause::Begin)));
        loop {
            self.work_off();
            if self.history.events > limit {
                return Err(Skipped::TooLong { events: limit });
            }
            let Some(time) = self.calendar.next_time() else { break };
            self.now = self.now.max(time);
            while let Some(what) = self.calendar.take_until(self.now * TOGETHER) {
                self.happen(what);
                self.do_tasks();
            }
        }
        let is_done = self.history.visits.iter().all(|visit| visit.open_transfers == 0);
        is_done.then_some(self.history).ok_or(Skipped::Stuck)
    }

    /// Does what can be done now, and shares the resources anew.
    fn work_off(&mut self) {
        self.do_tasks();
        let (calendar, events) = (&mut self.calendar, &mut self.history.events);
        self.fluid.settle(self.now, |Forecast { flow, version, end }| {
            *events += 1;
            calendar.add(end, EventKind::End { flow, version });
        });
    }

    fn do_tasks(&mut self) {
        while let Some(task) = self.tasks.pop_front() {
            match task {
                Task::Enter(round, cause) => self.enter(round, cause),
                Task::Consider(message, cause, side) => self.consider(message, cause, side),
                Task::SendNext(rank) => self.start_next_in_queue(rank),
            }
        }
    }

    fn happen(&mut self, what: EventKind) {
        match what {
            EventKind::End { flow, version } => {
                if self.fluid.is_current(flow, version) {
                    self.fluid.end(flow);
                    self.finish(self.activities[flow as usize]);
                }
            }
            EventKind::Reach { message } => self.reached(message),
            EventKind::Arrival { message, streamed: true } => self.received(message),
            EventKind::Arrival { message, streamed: false } => self.arrived(message),
        }
    }

    fn enter(&mut self, round: u32, cause: Cause) {
        self.history.visits[round as usize].entered = cause;
        self.start(Activity::Compute(round), [self.work.computing(round)]);
    }

    fn finish(&mut self, job: Activity) {
        match job {
            Activity::Compute(round) => self.computed(round),
            Activity::Stream(message) => {
                self.sent(message);
                self.post(message, true);
            }
            Activity::Leave(message) => {
                self.sent(message);
                self.leg_done(message);
                self.leave_send_queue(message);
            }
            Activity::Cross(message) => self.leg_done(message),
            Activity::Take(message) => self.worked(message),
        }
    }

    fn computed(&mut self, round: u32) {
        let Round { copied, reduced, transfers, .. } = self.wiring.rounds[round as usize];
        let visit = &mut self.history.visits[round as usize];
        visit.computed = self.now;
        let cause = if copied + reduced > 0 { Cause::Computed(round) } else { visit.entered };
        if transfers == 0 {
            self.leave(round, cause);
            return;
        }
        for &message in self.wiring.sent.of(round) {
            self.history.trips[message as usize].flags |= SENDER_OPEN;
            self.tasks.push_back(Task::Consider(message, cause, Side::Sender));
        }
        for &message in self.wiring.received.of(round) {
            self.history.trips[message as usize].flags |= RECEIVER_OPEN;
            self.tasks.push_back(Task::Consider(message, cause, Side::Receiver));
        }
    }

    fn transferred(&mut self, round: u32, cause: Cause) {
        let open = &mut self.history.visits[round as usize].open_transfers;
        *open -= 1;
        if *open == 0 {
            self.leave(round, cause);
        }
    }

    fn leave(&mut self, round: u32, cause: Cause) {
        self.history.end = (self.now, cause);
        if !self.wiring.rounds[round as usize].is_last {
            self.tasks.push_back(Task::Enter(round + 1, cause));
        }
    }

    /// Starts work as a flow; work of no seconds is done at once.
    fn start(&mut self, job: Activity, uses: impl IntoIterator<Item = Use>) {
        let uses: Vec<Use> = uses.into_iter().filter(|work| work.seconds > 0.0).collect();
        if uses.is_empty() {
            return self.finish(job);
        }
        let flow = self.fluid.begin(&uses, self.now) as usize;
        if flow == self.activities.len() {
            self.activities.push(job);
        }
        self.activities[flow] = job;
    }
}
