//! The loop that runs a started job to its end.
//!
//! The [`Crew`] knows where the ranks run.
//!
//! The phases are:
//!
//! - *running*.
//! - *failing*: a rank has failed. The others have a moment to notice and to report it in their own words.
//! - *asked*: SIGTERM was sent; or all ranks have ended, and only a process that they have started still
//!   holds their output open.
//! - *killed*: SIGKILL was sent to all groups.
//! - *gave up*: the process that holds the output open is out of reach. Only output that has arrived is
//!   written.
//! - *abandoned*: not even that, because the user insists.

use std::io;
use std::time::{Duration, Instant};

use super::arguments::RunArguments;
use super::crew::{Crew, End};
use super::losses::Losses;
use super::report::{Cause, JobOutcome, RankRecord, say};
use super::signals::{Signals, asks_to_end};
use super::store::Store;
use super::takeover::{CheckAction, UsageCheck};
use crate::sys::poll::{self, Waiting};
use crate::sys::process::{Ending, stop_self};

/// Time that the kernel may need to end a large process after SIGKILL.
const DEATH: Duration = Duration::from_secs(10);
/// How long to wait, after the last rank was killed, for output that a process still holds open.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// How long the other ranks may end by themselves after the first failure. The library notices the loss of a
/// rank within a fraction of this time, and its error says more than a signal does. Together with the time to
/// end the others, the job is over within a second.
const OWN_WORDS: Duration = Duration::from_millis(900);

/// A job whose ranks have been started.
pub struct RunningJob<'a> {
    ranks: Vec<RankRecord>,
    crew: Box<dyn Crew>,
    store: &'a Store,
    signals: Signals,
    phase: Phase,
    grace: Duration,
    timeout: Option<(Instant, Duration)>,
    interrupts: u32,
    cause: Cause,
    losses: Losses,
    check: UsageCheck,
    programs: Vec<String>,
}

#[derive(Clone, Copy)]
enum Phase {
    Running,
    Failing { ask_at: Instant },
    Asked { kill_at: Instant },
    Killed { give_up_at: Instant },
    GaveUp,
    Abandoned,
}

impl RunningJob<'_> {
    /// Takes over a crew that was started as `arguments` say, with this store.
    pub fn new<'a>(
        arguments: &RunArguments,
        crew: Box<dyn Crew>,
        store: &'a Store,
        signals: Signals,
    ) -> RunningJob<'a> {
        let ranks = crew.records();
        let programs = (0..ranks.len() as u32).map(|rank| arguments.program_of(rank)).collect();
        RunningJob {
            ranks,
            crew,
            store,
            signals,
            phase: Phase::Running,
            grace: arguments.grace,
            timeout: arguments.timeout.map(|limit| (Instant::now() + limit, limit)),
            interrupts: 0,
            cause: Cause::AllExited,
            losses: Losses::new(arguments.keep_going),
            check: UsageCheck::new(arguments),
            programs,
        }
    }

    /// Runs until every rank has ended, all output is written, and no process group is left.
    pub fn run_to_the_end(mut self) -> io::Result<JobOutcome> {
        let mut waiting: Vec<Waiting> = Vec::new();
        // A rank may have ended before SIGCHLD was asked for: never wait without having looked.
        self.crew.look()?;
        self.note_ends();
        while !self.is_over() {
            waiting.clear();
            waiting.push(poll::readable(&self.signals));
            self.crew.add_waiting(&mut waiting);
            let until = self.deadline().into_iter().chain(self.crew.next_deadline()).min();
            let now = Instant::now();
            poll::poll(&mut waiting, until.map(|at| at.saturating_duration_since(now)))?;
            if poll::is_ready(&waiting[0]) {
                self.take_signals()?;
            }
            self.crew.advance(&waiting[1..])?;
            self.look_at_usage()?;
            self.note_ends();
            self.note_lost_output();
            self.keep_deadlines(Instant::now());
        }
        // The last rank may have reported something just before its end.
        self.look_at_usage()?;
        self.cause.becomes(self.losses.cause());
        let rank_output = self.crew.finish()?;
        let last_word = self.check.last_word();
        Ok(JobOutcome {
            programs: self.programs,
            ranks: self.ranks,
            cause: self.cause,
            rank_output,
            last_word,
        })
    }

    fn is_over(&self) -> bool {
        match self.phase {
            Phase::Abandoned => true,
            Phase::GaveUp => self.crew.output_is_written(),
            _ => self.all_ended() && self.crew.output_has_ended() && self.crew.output_is_written(),
        }
    }

    fn all_ended(&self) -> bool {
        self.ranks.iter().all(|rank| rank.ending.is_some())
    }

    fn deadline(&self) -> Option<Instant> {
        match self.phase {
            Phase::Running => self.timeout.map(|(at, _)| at),
            Phase::Failing { ask_at } => Some(ask_at),
            Phase::Asked { kill_at } => Some(kill_at),
            Phase::Killed { give_up_at } => Some(give_up_at),
            Phase::GaveUp | Phase::Abandoned => None,
        }
    }

    fn keep_deadlines(&mut self, now: Instant) {
        if self.deadline().is_none_or(|at| now < at) {
            return;
        }
        match self.phase {
            Phase::Running => {
                if let Some((_, limit)) = self.timeout {
                    self.cause = Cause::TimedOut(limit);
                }
                self.ask_all_to_end();
            }
            Phase::Failing { .. } => self.ask_all_to_end(),
            // A process that waits for our own slow reader is not to blame for waiting.
            Phase::Asked { .. } if self.all_ended() && !self.crew.output_is_written() => {
                self.phase = Phase::Asked { kill_at: now + self.grace.max(LAST_WORDS) };
            }
            Phase::Asked { .. } => self.kill_all(),
            Phase::Killed { .. } => {
                self.crew.end_output();
                self.phase = Phase::GaveUp;
            }
            Phase::GaveUp | Phase::Abandoned => {}
        }
    }

    fn take_signals(&mut self) -> io::Result<()> {
        while let Some(signal) = self.signals.next()? {
            match signal {
                libc::SIGCHLD => self.crew.look()?,
                // No rank is left that could end: the remaining work is ours.
                _ if asks_to_end(signal) && self.all_ended() => {
                    self.cause.becomes(Cause::Interrupted(signal));
                    self.phase = Phase::Abandoned;
                }
                libc::SIGINT if self.interrupts > 0 => {
                    self.cause.becomes(Cause::Interrupted(signal));
                    self.kill_all();
                }
                _ => self.pass_on(signal),
            }
        }
        Ok(())
    }

    fn pass_on(&mut self, signal: i32) {
        self.interrupts += u32::from(signal == libc::SIGINT);
        if asks_to_end(signal) {
            self.ranks.iter_mut().filter(|r| r.ending.is_none()).for_each(|r| r.passed_on = Some(signal));
        }
        self.signal_all(signal);
        match signal {
            libc::SIGTSTP => stop_self(),
            libc::SIGCONT => self.crew.continued(),
            _ => {}
        }
    }

    fn note_ends(&mut self) {
        let mut found = self.crew.take_ends();
        if let Some(why) = self.crew.take_loss()
            && matches!(self.phase, Phase::Running)
        {
            self.cause = Cause::HostLost(why);
            self.phase = Phase::Failing { ask_at: Instant::now() };
        }
        if found.is_empty() {
            return;
        }
        for end in &found {
            let record = &mut self.ranks[end.rank];
            (record.pid, record.ending) = (end.pid, Some(end.ending));
        }
        // Of ranks found at the same time, one that a signal has ended is more likely the cause: the others
        // may have exited because they lost it.
        found.sort_by_key(|end| matches!(end.ending, Ending::Exit(_)));
        for End { rank, pid, ending, was_started } in found {
            // A rank without a process id was lost with its host.
            let lost = pid == 0 && matches!(self.cause, Cause::HostLost(_));
            if !lost {
                self.store.note_end(rank, ending);
            }
            let asked = lost || !matches!(self.phase, Phase::Running | Phase::Failing { .. });
            let record = &mut self.ranks[rank];
            record.never_started = !was_started;
            record.with_the_job = asked && record.was_told_to(ending);
            if self.losses.fail_the_job(rank, ending) && matches!(self.phase, Phase::Running) {
                self.cause = Cause::RankFailed(rank);
                self.phase = Phase::Failing { ask_at: Instant::now() + OWN_WORDS };
            }
        }
        if self.all_ended() {
            self.phase = match self.phase {
                Phase::Running | Phase::Failing { .. } => {
                    Phase::Asked { kill_at: Instant::now() + self.grace }
                }
                Phase::Killed { give_up_at } => {
                    Phase::Killed { give_up_at: give_up_at.min(Instant::now() + LAST_WORDS) }
                }
                asked => asked,
            };
        }
    }

    /// Ends the job when its output is lost: nobody would see what the ranks do.
    fn note_lost_output(&mut self) {
        let Some(why) = self.crew.output_refusal() else { return };
        self.cause.becomes(Cause::OutputLost(why));
        if matches!(self.phase, Phase::Running) {
            self.ask_all_to_end();
        }
    }

    /// Reads the reports about libraries. A rank with a wrong library waits for its end, without having used
    /// it.
    fn look_at_usage(&mut self) -> io::Result<()> {
        self.crew.take_remark().iter().for_each(|text| say(text));
        for (report, method) in self.crew.take_usage_reports()? {
            match self.check.accept_report(&report, method) {
                Some(CheckAction::Log(text)) => say(&text),
                Some(CheckAction::EndJob(why))
                    if matches!(self.phase, Phase::Running) || self.all_ended() =>
                {
                    self.cause.becomes(Cause::WrongLibrary(why));
                    self.kill_all();
                }
                Some(CheckAction::EndJob(_)) | None => {}
            }
        }
        Ok(())
    }

    fn ask_all_to_end(&mut self) {
        self.signal_all(libc::SIGTERM);
        // A stopped process would not notice.
        self.signal_all(libc::SIGCONT);
        self.phase = Phase::Asked { kill_at: Instant::now() + self.grace };
    }

    fn kill_all(&mut self) {
        self.signal_all(libc::SIGKILL);
        let patience = if self.all_ended() { LAST_WORDS } else { DEATH };
        self.phase = Phase::Killed { give_up_at: Instant::now() + patience };
    }

    fn signal_all(&mut self, signal: i32) {
        self.crew.signal_all(signal);
    }
}
