//! The ranks of a job, wherever they run: what the loop of [`super::job`] looks after.

use std::io;

use super::rank_output::RankOutput;
use super::report::{Loss, RankRecord};
use crate::facade::method::Method;
use crate::facade::usage::UsageReport;
use crate::sys::poll::Waiting;
use crate::sys::process::{Ending, Pid};

/// A rank has ended.
pub struct End {
    /// Which.
    pub rank: usize,
    /// Its process.
    pub pid: Pid,
    /// How.
    pub ending: Ending,
}

/// Ranks that have been started. Nothing here ever blocks.
pub trait Crew {
    /// One record per rank, none ended.
    fn records(&self) -> Vec<RankRecord>;

    /// Appends what to wait for.
    fn add_waiting(&self, waiting: &mut Vec<Waiting>);

    /// Moves what is ready; `waiting` is what was appended, answered.
    fn advance(&mut self, waiting: &[Waiting]) -> io::Result<()>;

    /// A child of this process may have ended.
    fn look(&mut self) -> io::Result<()>;

    /// The ranks whose end was noticed since the last time.
    fn take_ends(&mut self) -> Vec<End>;

    /// Sends a signal to every rank's process group.
    fn signal_all(&mut self, signal: i32);

    /// This command was stopped, and goes on.
    fn continued(&mut self);

    /// Whether no more output will come.
    fn output_has_ended(&self) -> bool;

    /// Whether all output that came is written.
    fn output_is_written(&self) -> bool;

    /// Waits for no more output: takes what is there.
    fn end_output(&mut self);

    /// A host that was lost, told once. Its ranks count as ended.
    fn take_loss(&mut self) -> Option<Loss> {
        None
    }

    /// What ranks have told about their NCCL or MPI since the last time, and the method that was in place
    /// there.
    fn take_usage_reports(&mut self) -> io::Result<Vec<(UsageReport, Method)>> {
        Ok(Vec::new())
    }

    /// The job is over. What its ranks have said.
    fn finish(self: Box<Self>) -> io::Result<RankOutput>;
}
