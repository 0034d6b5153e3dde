//! `anyccl perf`: measures collectives and transfers.
//!
//! With `-n` the command starts itself again as every rank ([`launch`]). A rank joins the job that the environment
//! describes ([`ranks`]), goes through the sizes ([`sweep`], [`pairs`]), checks each result against the definition
//! ([`check`]), times calls ([`measure`]), and rank 0 reports ([`output`], [`report`]). docs/PERF.md says what the
//! numbers mean.

mod arguments;
mod bandwidth;
mod check;
mod launch;
mod measure;
mod memory;
mod output;
mod pairs;
mod ranks;
mod report;
mod sizes;
mod statistics;
mod sweep;

pub use arguments::PerfArguments;

use anyccl_engine::base::{Error, Result};
use anyccl_engine::reduce;

use crate::Failure;
use measure::Effort;
use output::Output;
use ranks::{Form, Ranks};
use report::Header;

/// What all measurements have in common.
struct Bench<'a> {
    arguments: &'a PerfArguments,
    ranks: Ranks,
    output: Output,
}

/// Measures. Answers the exit code: 1 when a result was wrong.
pub fn perf(arguments: &PerfArguments) -> std::result::Result<u8, Failure> {
    if let (Some(ranks), false) = (arguments.ranks, arguments.launched) {
        return launch::launch(ranks, arguments);
    }
    arguments.validate(None)?;
    let ranks = Ranks::join()?;
    arguments.validate(Some(ranks.size()))?;
    let output = Output::new(arguments, ranks.speaks());
    let mut bench = Bench { arguments, ranks, output };
    let header = bench.header()?;
    bench.output.header(&header)?;
    let mut right = true;
    for collective in arguments.collectives() {
        right &= sweep::sweep(&mut bench, collective)?;
    }
    if arguments.collectives().is_empty() {
        right = pairs::pairs(&mut bench)?;
    }
    let Bench { ranks, output, .. } = bench;
    ranks.leave()?;
    output.end()?;
    Ok(u8::from(!right))
}

impl Bench<'_> {
    fn form(&self) -> Form {
        if self.arguments.non_blocking { Form::NonBlocking } else { Form::Blocking }
    }

    fn effort(&self) -> Effort {
        Effort { warmup: self.arguments.warmup, iterations: self.arguments.iterations }
    }

    /// Says what is measured. Collective: each rank knows its own links only.
    fn header(&self) -> Result<Header> {
        let (arguments, ranks) = (self.arguments, &self.ranks);
        let mut transports = Vec::new();
        for name in ["shm", "tcp"] {
            if ranks.count((0..ranks.size()).any(|peer| ranks.world.transport(peer) == name))? > 0 {
                transports.push(name);
            }
        }
        Ok(Header {
            anyccl: anyccl_engine::base::VERSION,
            ranks: ranks.size(),
            hosts: ranks.count(ranks.world.local_rank() == 0)?,
            transports,
            datatype: arguments.datatype.name(),
            op: arguments.op.name(),
            root: arguments.root,
            kernels: reduce::instruction_set(),
            calls: if arguments.non_blocking { "non-blocking" } else { "blocking" },
        })
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::own(error)
    }
}
