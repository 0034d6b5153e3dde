//! How long a call has not moved, and what a wait does after how long.

use std::time::Duration;

use super::silence::Silence;
use crate::observe::status::WaitSlot;
use crate::sys::clock;
use crate::sys::poll::PollSet;

/// Polls between two looks at the clock.
pub(super) const POLLS_PER_CLOCK_READ: u32 = 64;
/// Polls before the first yield, if ranks share processors.
pub(super) const POLLS_WHEN_OVERSUBSCRIBED: u32 = 30;
/// Time of yielding before sleep.
pub(super) const YIELD_TIME: Duration = Duration::from_micros(500);
/// Longest time between two looks for a goodbye, because another thread may have read it.
pub(super) const LOOK_TIME: Duration = Duration::from_millis(20);
/// Silence after which this rank announces what it waits for.
pub(super) const STALL_TIME: Duration = Duration::from_millis(100);
/// Silence after which the loss of a rank that a call waits for is a failure. Data that it sent before may
/// still be on its way until then.
pub(super) const DESERTED_TIME: Duration = Duration::from_millis(100);
/// Silence after which the loss of any rank is a failure. Until then, ranks that wait for it directly may
/// report it, or may finish without it.
pub(super) const DESERTED_BY_OTHERS_TIME: Duration = Duration::from_millis(500);

/// Time of yielding before a nap, where ranks share processors and each look is a system call. A yield is
/// cheaper than a wake-up. But ranks that never sleep also never move to the idler processor. Figures:
/// docs/lab/constants.md.
pub(super) const YIELD_TIME_ON_SOCKETS: Duration = Duration::from_micros(100);

/// How long a call has not moved.
#[derive(Default)]
pub(super) struct Idle {
    /// Value of `Engine::moves` of the call when it was last looked at.
    moves: u32,
    pub polls: u32,
    silence: Silence,
    /// Time in which the call has not moved, if somebody wants to know.
    silent: Option<Duration>,
    /// Whether the other ranks have been told what this one waits for.
    pub announced: bool,
    /// Where other processes read what the thread waits for.
    pub shown: Option<WaitSlot>,
    /// Silence when that was written last.
    shown_at: Duration,
    /// Sockets for which a nap waits; kept to reuse its memory.
    pub sockets: PollSet,
}

impl Idle {
    /// Notes the moves of the call. Returns whether there were new ones.
    pub fn has_moved(&mut self, moves: u32) -> bool {
        let has_moved = moves != self.moves;
        if has_moved {
            self.end_silence();
            (self.moves, self.polls, self.silence) = (moves, 0, Silence::default());
            self.shown = None;
        }
        has_moved
    }

    /// Adds up the time in which the call does not move.
    pub fn add_up_silence(&mut self) {
        self.silent = Some(Duration::ZERO);
    }

    /// The time in which the call has not moved, as far as it was seen. `None`: nobody wants to know.
    pub fn end_silence(&mut self) -> Option<Duration> {
        let silent = self.silent.as_mut()?;
        if let Some(since) = std::mem::take(&mut self.silence).beginning() {
            *silent += clock::since(since);
        }
        self.silent
    }

    /// Whether other processes should read anew what the thread waits for. Not with each wake-up: with many
    /// ranks, the text is long.
    pub fn is_to_be_shown(&mut self, silence: Duration) -> bool {
        let is_due = self.announced && (self.shown.is_none() || silence >= self.shown_at + STALL_TIME);
        if is_due {
            self.shown_at = silence;
        }
        is_due
    }

    /// Time since the call last moved, or since this was first asked.
    pub fn silence(&mut self) -> Duration {
        self.silence.at(clock::now())
    }

    /// See [`Silence::leave_out`].
    pub fn leave_out(&mut self, late: Duration) {
        self.silence.leave_out(late);
    }
}
