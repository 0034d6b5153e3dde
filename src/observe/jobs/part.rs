//! One rank of a communicator, as the page of its process shows it, and what the rank does by that.

use super::processes::Process;
use super::rank_report::{RankReport, State};
use crate::base::Call;
use crate::observe::status::{
    CommSnapshot, FailureKind, OperationSnapshot, Progress, Snapshot, WaitSnapshot,
};

/// Time without a byte after which a call counts as silent. Ranks that wait show that after a tenth of a
/// second, and at the latest with the next look at the clock.
const SILENT_SECONDS: f64 = 0.2;

/// A communicator of one process.
pub(super) struct Part<'a> {
    pub process: &'a Process,
    pub page: &'a Snapshot,
    pub comm: &'a CommSnapshot,
}

impl Part<'_> {
    /// The longest wait in the communicator.
    pub fn wait(&self) -> Option<&WaitSnapshot> {
        let here = self.page.waits.iter().filter(|wait| wait.context == self.comm.context);
        here.max_by_key(|wait| wait.silence)
    }

    /// The number of the call in which it waits.
    pub fn waiting_call(&self) -> Option<u64> {
        self.wait()?.call.map(u64::from)
    }

    /// The number of the call that it has made last.
    pub fn last_number(&self) -> Option<u64> {
        self.comm.made.checked_sub(1)
    }

    /// The number of the call in which, or because of which, the communicator has failed.
    pub fn failed_call(&self) -> Option<u64> {
        let has_failed = || self.last_operation().is_some_and(|last| last.has_failed);
        match self.comm.failure? {
            FailureKind::Mismatch => self.last_number(),
            // The others may be anywhere when a rank gives up.
            FailureKind::Aborted => None,
            _ => self.last_number().filter(|_| has_failed()),
        }
    }

    /// The last call, as the recorder has it.
    pub fn last_operation(&self) -> Option<&OperationSnapshot> {
        let last = self.page.last_operation(self.comm.context)?;
        (self.last_number() == Some(u64::from(last.call_number))).then_some(last)
    }

    /// The time that has passed since then, in seconds.
    pub fn since(&self, time: Option<u64>) -> Option<f64> {
        Some(self.page.read_at.saturating_sub(time?) as f64 / 1e9)
    }

    /// How long ago this rank has ended a call, in seconds. `None`: it has not, or that is not known.
    pub fn ended_ago(&self, number: u64) -> Option<f64> {
        let operations = self.page.operations.iter().rev();
        let mut here = operations.filter(|operation| operation.context == self.comm.context);
        let operation = here.find(|operation| u64::from(operation.call_number) == number)?;
        self.since(operation.ended).filter(|_| !operation.has_failed)
    }

    /// The longest wait of its process in another communicator.
    pub fn wait_elsewhere(&self) -> Option<&WaitSnapshot> {
        let is_here = |page: &Snapshot, wait: &WaitSnapshot| {
            std::ptr::eq(page, self.page) && wait.context == self.comm.context
        };
        let pages = self.process.pages.iter();
        let waits = pages.flat_map(|page| page.waits.iter().map(move |wait| (page, wait)));
        waits
            .filter(|(page, wait)| !is_here(page, wait))
            .map(|(_, wait)| wait)
            .max_by_key(|wait| wait.silence)
    }

    /// How far the call has come that is in progress, if it moves many bytes.
    pub fn progress(&self) -> Option<&Progress> {
        let last = self.last_operation().filter(|last| !last.has_ended)?;
        self.page.progress.get(&last.number)
    }

    /// Whether bytes of the call have moved within the time after which a wait is shown.
    fn is_moving(&self) -> bool {
        let moved = self.progress().and_then(|progress| self.since(progress.at));
        moved.is_some_and(|seconds| seconds < SILENT_SECONDS)
    }
}

/// What a rank does. `number`: the call in which ranks wait, or about which they disagree, and what most have
/// called.
pub(super) fn report_of(part: &Part, number: Option<u64>, call: Option<Call>) -> RankReport {
    let comm = part.comm;
    let wait = part.wait();
    // A rank that waits in an earlier call is not late itself.
    let is_late = part.waiting_call().is_none() && number.is_some_and(|number| comm.made <= number);
    let differs = number.is_some()
        && part.last_number() == number
        && comm.last.zip(call).is_some_and(|(mine, call)| !Call::agree(mine.pack(), call.pack()));
    let state = match () {
        () if part.process.has_ended => State::Ended,
        () if part.process.is_stopped => State::Stopped,
        () if differs => State::Mismatch,
        () if comm.failure.is_some() => State::Failed,
        () if is_late => State::Late,
        () if wait.is_some() => State::Waits,
        () if part.is_moving() => State::Moves,
        () => State::Runs,
    };
    let last = part.last_operation();
    let progress = part.progress();
    let elsewhere = part.wait_elsewhere().filter(|_| state == State::Late && wait.is_none());
    RankReport {
        rank: comm.rank,
        host: part.process.host.clone(),
        pid: Some(part.process.pid),
        state,
        calls: comm.made,
        calls_by_kind: comm.made_by_kind.clone(),
        last_call: comm.last.map(|call| format!("{call} #{}", comm.made.saturating_sub(1))),
        call_number: part.last_number(),
        in_call_for_seconds: last.filter(|last| !last.has_ended).and_then(|last| part.since(last.began)),
        since_last_call_seconds: last.and_then(|last| part.since(last.ended)),
        failure: comm.failure.map(|_| comm.reason.clone()),
        failure_kind: comm.failure,
        waits_for_seconds: wait.map(|wait| wait.silence.as_secs_f64()),
        waits_for: wait.map(|wait| wait.text.clone()),
        waits_elsewhere_seconds: elsewhere.map(|wait| wait.silence.as_secs_f64()),
        waits_elsewhere_for: elsewhere.map(|wait| wait.text.clone()),
        bytes_asked: progress.map(|progress| progress.asked),
        bytes_moved: progress.map(|progress| progress.moved),
        last_moved_seconds: progress.and_then(|progress| part.since(progress.at)),
    }
}
