//! The parts that all measurements share.

use anyccl_engine::base::Result;

use super::arguments::PerfArguments;
use super::output::Output;
use super::ranks::Ranks;
use super::trace::Tracer;

/// The ranks, and the destination of results.
pub struct Bench<'a> {
    /// The user's arguments.
    pub arguments: &'a PerfArguments,
    /// This rank and the others.
    pub ranks: Ranks,
    /// Reports of rank 0.
    pub output: Output,
    /// Recorder of steps, if the user wants a trace.
    pub tracer: Tracer,
}

impl Bench<'_> {
    /// Whether rank 0 can still report. If not, all ranks leave in good order, so there is one message
    /// instead of one per rank. Collective.
    pub fn goes_on(&self) -> Result<bool> {
        self.ranks.all(!self.output.has_failed())
    }
}
