//! A trace of when the steps of plans began and ended, to show a schedule on a time line.
//!
//! Recording is off until [`record`] turns it on, or an engine writes a [`super::timeline`]. While it is off,
//! each call costs one relaxed load and each step one test of an `Option`. While it is on, every execution
//! keeps a [`Recorder`] of its own. When its call has ended, the engine gives the events to its time line.
//! With [`record`] they also go to one list per process, which [`take`] empties. A child of fork begins
//! without events.
//!
//! The same load tells whether any engine counts its calls ([`super::counts`]). Calls do not take the fast
//! path then.
//!
//! A transfer begins when its round does, or when the previous transfer to or from the same rank has ended.
//! So a wait for the peer shows as a long transfer. Times are nanoseconds since the Unix epoch. They are read
//! from a monotonic clock that is compared with the calendar once, so the events of ranks of one host can be
//! put side by side.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;

use crate::base::Rank;
use crate::sys::per_process::PerProcess;

/// The kind of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// A whole call.
    Call,
    /// Memory copied on this rank.
    Copy,
    /// Memory reduced on this rank.
    Reduce,
    /// A message to a peer.
    Send,
    /// A message from a peer.
    Receive,
    /// A message from a peer, reduced while it arrived.
    ReceiveReduce,
}

/// One bar of the time line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Kind of the event.
    pub activity: Activity,
    /// Begin, in nanoseconds since the Unix epoch.
    pub begin: u64,
    /// End, in nanoseconds since the Unix epoch.
    pub end: u64,
    /// Bytes copied, reduced or transferred; for a call, the sum of all.
    pub bytes: u64,
    /// The other side of a transfer.
    pub peer: Option<Rank>,
    /// Lane of the plan.
    pub lane: u32,
    /// Round of the lane.
    pub round: u32,
    /// Number of the call in its conversation.
    pub sequence: u32,
}

/// What is on, as bits.
static ON: AtomicU8 = AtomicU8::new(0);
/// Events are kept for [`take`].
const KEPT: u8 = 1;
/// Some engine writes a time line.
const TIMELINE: u8 = 2;
/// Some engine counts its calls.
const COUNTED: u8 = 4;

static EVENTS: PerProcess<Mutex<Vec<Event>>> = PerProcess::new();

fn events() -> &'static Mutex<Vec<Event>> {
    &EVENTS.get_or(Mutex::default).value
}

/// Turns recording on or off, for calls that begin from now on, in all communicators of this process.
pub fn record(on: bool) {
    if on {
        ON.fetch_or(KEPT, Ordering::Relaxed);
    } else {
        ON.fetch_and(!KEPT, Ordering::Relaxed);
    }
}

/// Makes engines see each call, for as long as the process lives. `has_timeline`: each step, too.
pub fn watch_calls(has_timeline: bool) {
    let bits = if has_timeline { TIMELINE | COUNTED } else { COUNTED };
    ON.fetch_or(bits, Ordering::Relaxed);
}

/// Whether engines must see each call that begins now: it is recorded, or counted.
#[inline]
pub fn is_on() -> bool {
    ON.load(Ordering::Relaxed) != 0
}

/// Whether the steps of calls that begin now are recorded.
fn records_steps() -> bool {
    ON.load(Ordering::Relaxed) & (KEPT | TIMELINE) != 0
}

/// Keeps the events of a call for [`take`], if that is wanted.
pub fn keep(events: &[Event]) {
    if ON.load(Ordering::Relaxed) & KEPT != 0 {
        self::events().lock().extend_from_slice(events);
    }
}

/// The events recorded since the last call of this function, in the order in which their calls ended.
pub fn take() -> Vec<Event> {
    std::mem::take(&mut events().lock())
}

/// Holds the lock of the list.
#[cfg(test)]
pub(crate) fn hold() -> impl Drop {
    events().lock()
}

/// The current time on the clock of events.
pub fn now() -> u64 {
    static START: OnceLock<(Instant, u64)> = OnceLock::new();
    let (instant, epoch) = START.get_or_init(|| {
        let epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        (Instant::now(), epoch.as_nanos() as u64)
    });
    epoch + instant.elapsed().as_nanos() as u64
}

/// The recorder of one running plan.
pub struct Recorder {
    sequence: u32,
    begin: u64,
    /// Time when the last local step ended, or its round began.
    local: u64,
    lanes: Vec<LaneStart>,
    /// Time when the last transfer to (`true`) or from a peer ended.
    queues: Vec<(bool, Rank, u64)>,
    events: Vec<Event>,
}

#[derive(Clone, Copy)]
struct LaneStart {
    round: u32,
    begin: u64,
}

impl Recorder {
    /// A recorder for a call that begins now; `None` while recording is off.
    #[inline]
    pub fn begin(sequence: u32, lanes: usize) -> Option<Box<Recorder>> {
        records_steps().then(|| {
            let begin = now();
            let lanes = vec![LaneStart { round: 0, begin }; lanes];
            Box::new(Recorder {
                sequence,
                begin,
                local: begin,
                lanes,
                queues: Vec::new(),
                events: Vec::new(),
            })
        })
    }

    /// Notes that a lane begins a round.
    pub fn enter(&mut self, lane: usize, round: u32) {
        let begin = now();
        self.lanes[lane] = LaneStart { round, begin };
        self.local = begin;
    }

    /// Records a local step of this lane that has ended.
    pub fn local(&mut self, (activity, bytes): (Activity, usize), lane: usize) {
        let end = now();
        let begin = std::mem::replace(&mut self.local, end);
        self.push(activity, lane as u32, (begin, end), bytes, None);
    }

    /// Records a transfer of this lane that has ended.
    pub fn transfer(&mut self, activity: Activity, lane: u32, peer: Rank, bytes: usize) {
        let (sends, end) = (activity == Activity::Send, now());
        let entered = self.lanes[lane as usize].begin;
        let known = self.queues.iter_mut().find(|(out, other, _)| (*out, *other) == (sends, peer));
        let before = match known {
            Some((_, _, last)) => std::mem::replace(last, end),
            None => {
                self.queues.push((sends, peer, end));
                entered
            }
        };
        self.push(activity, lane, (entered.max(before), end), bytes, Some(peer));
    }

    /// Records the end of the call.
    pub fn end(&mut self) {
        let bytes = self.events.iter().map(|event| event.bytes as usize).sum();
        self.push(Activity::Call, 0, (self.begin, now()), bytes, None);
    }

    /// The events so far, in the order in which they ended.
    pub fn into_events(self) -> Vec<Event> {
        self.events
    }

    fn push(
        &mut self,
        activity: Activity,
        lane: u32,
        (begin, end): (u64, u64),
        bytes: usize,
        peer: Option<Rank>,
    ) {
        let round = self.lanes.get(lane as usize).map_or(0, |lane| lane.round);
        let (bytes, sequence) = (bytes as u64, self.sequence);
        self.events.push(Event { activity, begin, end, bytes, peer, lane, round, sequence });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transfers_of_one_queue_do_not_overlap_and_begin_with_their_round() {
        let mut recorder = Recorder {
            sequence: 7,
            begin: now(),
            local: now(),
            lanes: vec![LaneStart { round: 0, begin: 0 }; 2],
            queues: Vec::new(),
            events: Vec::new(),
        };
        recorder.enter(1, 3);
        recorder.transfer(Activity::Send, 1, 2, 100);
        recorder.transfer(Activity::ReceiveReduce, 1, 2, 50);
        recorder.transfer(Activity::Send, 1, 2, 200);
        let [first, other, second] = recorder.events.as_slice() else { panic!("{:?}", recorder.events) };
        let facts = |event: &Event| (event.peer, event.lane, event.round, event.sequence, event.bytes);
        assert_eq!(facts(first), (Some(2), 1, 3, 7, 100));
        assert_eq!(facts(second), (Some(2), 1, 3, 7, 200));
        assert_eq!(second.begin, first.end);
        // Another direction is another queue: it began with the round.
        assert_eq!(other.begin, first.begin);
    }

    #[test]
    fn nothing_is_recorded_unless_it_was_asked_for() {
        assert!(!is_on());
        assert!(Recorder::begin(0, 1).is_none());
    }
}
