//! Ranks on this host: children of this process.
//!
//! A rank that has ended stays unreaped until the whole job has ended. So its process id still names its
//! process group, and a signal to that group can never hit a stranger.

use std::io;
use std::process::Child;
use std::time::Instant;

use super::crew::{Crew, End};
use super::input::Input;
use super::other_mpi::OtherMpi;
use super::output::Output;
use super::rank_output::RankOutput;
use super::report::RankRecord;
use super::takeover::Takeover;
use crate::facade::method::Method;
use crate::facade::usage::UsageReport;
use crate::sys::poll::{self, Waiting};
use crate::sys::process::{Pid, ended, signal_group};

/// The ranks as children of this process.
pub struct LocalCrew {
    children: Vec<Child>,
    /// For each rank, whether its end was found.
    found: Vec<bool>,
    /// Ends that were found and not yet taken.
    ends: Vec<End>,
    output: Output,
    input: Input,
    takeover: Option<Takeover>,
    other_mpi: OtherMpi,
}

impl LocalCrew {
    /// Takes over the ranks that were started.
    pub fn new(
        mut children: Vec<Child>,
        prefixed: bool,
        takeover: Option<Takeover>,
        other_mpi: OtherMpi,
    ) -> io::Result<LocalCrew> {
        let input = Input::new(children[0].stdin.take());
        let output = Output::of(&mut children, prefixed)?;
        let found = vec![false; children.len()];
        Ok(LocalCrew { children, found, ends: Vec::new(), output, input, takeover, other_mpi })
    }

    fn pid(child: &Child) -> Pid {
        child.id() as Pid
    }
}

impl Crew for LocalCrew {
    fn records(&self) -> Vec<RankRecord> {
        self.children.iter().map(|child| RankRecord::new(LocalCrew::pid(child), None)).collect()
    }

    fn add_waiting(&self, waiting: &mut Vec<Waiting>) {
        waiting
            .push(self.takeover.as_ref().map_or_else(poll::nothing, |takeover| takeover.reports.waiting()));
        waiting.push(self.input.waiting());
        self.output.add_waiting(waiting);
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.other_mpi.next_look()
    }

    fn advance(&mut self, waiting: &[Waiting]) -> io::Result<()> {
        // The reports, at index 0, are read when they are asked for.
        if poll::is_ready(&waiting[1]) {
            self.input.advance();
        }
        self.output.advance(&waiting[2..]);
        for rank in self.output.take_new_speakers() {
            self.other_mpi.look_at(LocalCrew::pid(&self.children[rank]));
        }
        self.other_mpi.look_if_due(LocalCrew::pid(&self.children[0]));
        Ok(())
    }

    fn look(&mut self) -> io::Result<()> {
        for (rank, child) in self.children.iter().enumerate().filter(|(rank, _)| !self.found[*rank]) {
            let pid = LocalCrew::pid(child);
            self.ends.extend(ended(pid)?.map(|ending| End { rank, pid, ending, was_started: true }));
        }
        for end in &self.ends {
            self.found[end.rank] = true;
            self.other_mpi.note_end();
        }
        Ok(())
    }

    fn take_ends(&mut self) -> Vec<End> {
        std::mem::take(&mut self.ends)
    }

    fn signal_all(&mut self, signal: i32) {
        self.children.iter().for_each(|child| signal_group(LocalCrew::pid(child), signal));
    }

    fn continued(&mut self) {
        self.input.continued();
    }

    fn output_has_ended(&self) -> bool {
        self.output.has_ended()
    }

    fn output_is_written(&self) -> bool {
        self.output.is_written()
    }

    fn output_refusal(&self) -> Option<String> {
        self.output.refusal()
    }

    fn end_output(&mut self) {
        self.output.end_all();
    }

    fn take_usage_reports(&mut self) -> io::Result<Vec<(UsageReport, Method)>> {
        let Some(Takeover { reports, method, .. }) = &self.takeover else { return Ok(Vec::new()) };
        Ok(reports.read_new()?.into_iter().map(|report| (report, *method)).collect())
    }

    fn take_remark(&mut self) -> Option<String> {
        self.other_mpi.take_remark()
    }

    fn finish(mut self: Box<Self>) -> io::Result<RankOutput> {
        self.signal_all(libc::SIGKILL);
        for (child, _) in self.children.iter_mut().zip(&self.found).filter(|(_, found)| **found) {
            child.wait()?;
        }
        Ok(self.output.into_rank_output())
    }
}
