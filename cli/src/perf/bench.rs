//! What all measurements have in common.

use super::arguments::PerfArguments;
use super::output::Output;
use super::ranks::Ranks;
use super::trace::Tracer;

/// The ranks, and where the results go.
pub struct Bench<'a> {
    /// What the user wants.
    pub arguments: &'a PerfArguments,
    /// This rank and the others.
    pub ranks: Ranks,
    /// Reports of rank 0.
    pub output: Output,
    /// Trace of the steps, if it is wanted.
    pub tracer: Tracer,
}
