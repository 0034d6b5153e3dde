//! The interface to the ranks of a job, wherever they run, for the loop of [`super::job`].

use std::io;
use std::time::Instant;

use super::rank_output::RankOutput;
use super::report::{Loss, RankRecord};
use crate::facade::method::Method;
use crate::facade::usage::UsageReport;
use crate::sys::poll::Waiting;
use crate::sys::process::{Ending, Pid};

/// The end of a rank.
pub struct End {
    /// The rank.
    pub rank: usize,
    /// Its process.
    pub pid: Pid,
    /// How the rank ended.
    pub ending: Ending,
    /// Whether it had been started, as far as is known.
    pub was_started: bool,
}

/// The started ranks. No function here ever blocks.
pub trait Crew {
    /// One record per rank, none of which has ended.
    fn records(&self) -> Vec<RankRecord>;

    /// Appends the descriptors to wait for.
    fn add_waiting(&self, waiting: &mut Vec<Waiting>);

    /// When to call [`Crew::advance`] even if nothing is ready.
    fn next_deadline(&self) -> Option<Instant> {
        None
    }

    /// Handles what is ready; `waiting` has the results of a poll on what was appended.
    fn advance(&mut self, waiting: &[Waiting]) -> io::Result<()>;

    /// Looks for children of this process that have ended.
    fn look(&mut self) -> io::Result<()>;

    /// The ranks whose end was noticed since the last call.
    fn take_ends(&mut self) -> Vec<End>;

    /// Sends a signal to every rank's process group.
    fn signal_all(&mut self, signal: i32);

    /// Notes that this command was stopped and continues.
    fn continued(&mut self);

    /// Whether no more output can arrive.
    fn output_has_ended(&self) -> bool;

    /// Whether all received output is written.
    fn output_is_written(&self) -> bool;

    /// The sentence about output that cannot be written, for instance because a disk is full. A reader that
    /// has gone is none: the ranks are told by SIGPIPE.
    fn output_refusal(&self) -> Option<String>;

    /// Stops waiting for output: takes what has arrived.
    fn end_output(&mut self);

    /// A host that was lost, returned once. Its ranks count as ended.
    fn take_loss(&mut self) -> Option<Loss> {
        None
    }

    /// Reports of ranks about their NCCL or MPI since the last call, each with the method that was used on
    /// its host.
    fn take_usage_reports(&mut self) -> io::Result<Vec<(UsageReport, Method)>> {
        Ok(Vec::new())
    }

    /// A remark about the ranks for the user, returned once.
    fn take_remark(&mut self) -> Option<String> {
        None
    }

    /// Ends the crew after the job and returns what its ranks have written.
    fn finish(self: Box<Self>) -> io::Result<RankOutput>;
}
