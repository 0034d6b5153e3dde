//! `anyccl perf`: measures collectives and transfers.
//!
//! With `-n` the command starts itself again as every rank ([`launch`]). A rank joins the job that the
//! environment describes ([`ranks`]). It goes through the sizes ([`sweep`], [`pairs`]), checks each
//! result against the definition ([`check`]), and times calls ([`measure`]). Rank 0 reports ([`output`],
//! [`report`], [`plot`], [`page`]). [`trace`] shows the steps of calls on a time line, [`tune`] measures
//! the costs on which the choice of algorithms depends. [`replay`] makes the calls of a recorded job
//! again. docs/measuring.md says what the numbers mean.

mod arguments;
mod bandwidth;
mod bench;
mod check;
mod launch;
mod machines;
mod measure;
mod memory;
mod noise;
mod output;
mod page;
mod pairs;
mod ping_pong;
mod plot;
mod ranks;
mod region;
mod replay;
mod report;
pub mod sizes;
mod statistics;
mod sweep;
mod trace;
mod tune;

pub use arguments::{MEMORY, PerfArguments};

use std::time::SystemTime;

use anyccl_engine::base::{Error, Result};
use anyccl_engine::config::MemoryKind;
use anyccl_engine::reduce;

use crate::failure::Failure;
use crate::output::say;
use crate::replay::Recording;
use crate::sys::signal;
use arguments::What;
use bench::Bench;
use machines::Machine;
use output::{Files, Output};
use ranks::Ranks;
use report::Header;
use trace::Tracer;

/// Runs the measurement. Returns the exit code, which is 1 if a result was wrong.
pub fn perf(arguments: &PerfArguments) -> std::result::Result<u8, Failure> {
    if let (Some(ranks), false) = (arguments.ranks, arguments.launched) {
        return launch::launch(ranks, arguments);
    }
    if arguments.launched {
        // Ranks have the terminal of `anyccl perf -n` without being in its foreground; under `stty tostop`
        // the first output would stop them.
        signal::ignore(libc::SIGTTOU);
    }
    arguments.validate(None)?;
    if let Some(recording) = Recording::find(&arguments.recorded) {
        return replay::replay(arguments, recording, Ranks::join()?);
    }
    let mut ranks = Ranks::join()?;
    arguments.validate(Some(ranks.size()))?;
    if arguments.memory == MemoryKind::Cuda
        && let Err(error) = ranks.use_devices()
    {
        ranks.leave()?;
        return Err(error.into());
    }
    let files = if ranks.speaks() { Files::of(arguments) } else { Ok(Files::default()) };
    // If rank 0 cannot report, all ranks leave in good order: one message, not one per rank.
    if !ranks.all(files.is_ok())? {
        ranks.leave()?;
        return files.map(|_| 1);
    }
    let right = match arguments.what {
        Some(what) => bench(arguments, what, ranks, files?)?,
        None => {
            let result = tune::tune(arguments, &ranks, files?.tune)?;
            ranks.leave()?;
            if let Some((file, text)) = result {
                file.write(&text)?;
                say(&text)?;
            }
            true
        }
    };
    Ok(u8::from(!right))
}

/// Runs all measurements. Returns whether all results were right.
fn bench(
    arguments: &PerfArguments,
    what: What,
    ranks: Ranks,
    files: Files,
) -> std::result::Result<bool, Failure> {
    let tracer = Tracer::new(&ranks, arguments.trace.is_some(), files.trace)?;
    let header = header(arguments, what, &ranks)?;
    let output = Output::new(files.reports, &header);
    let mut bench = Bench { arguments, ranks, output, tracer };
    let mut right = true;
    for collective in arguments.collectives() {
        if !bench.goes_on()? {
            break;
        }
        right &= sweep::sweep(&mut bench, collective)?;
    }
    if arguments.collectives().is_empty() {
        right = bench.goes_on()? && pairs::pairs(&mut bench)?;
    }
    let Bench { ranks, output, tracer, .. } = bench;
    let trace = tracer.end(&ranks)?;
    ranks.leave()?;
    output.end()?;
    if let Some((file, text)) = trace {
        file.write(text)?;
    }
    Ok(right)
}

/// Describes the measurement. Collective: each rank knows only its own links.
fn header(arguments: &PerfArguments, what: What, ranks: &Ranks) -> Result<Header> {
    let mut transports = Vec::new();
    for name in ["shm", "tcp", "ofi"] {
        if ranks.count((0..ranks.size()).any(|peer| ranks.world.transport(peer) == name))? > 0 {
            transports.push(name);
        }
    }
    let machines = machines::machines(ranks)?;
    Ok(Header {
        anyccl: anyccl_engine::base::VERSION,
        what,
        date: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        warnings: machines
            .iter()
            .filter_map(Machine::warning)
            .chain(arguments.remarks(ranks.size()))
            .collect(),
        machines,
        ranks: ranks.size(),
        hosts: ranks.count(ranks.world.local_rank() == 0)?,
        transports,
        datatype: arguments.datatype.name(),
        op: arguments.op.name(),
        root: arguments.root,
        kernels: reduce::instruction_set(),
        calls: if arguments.non_blocking { "non-blocking" } else { "blocking" },
        memory: arguments.memory.name(),
        way: (arguments.memory == MemoryKind::Cuda).then(|| ranks.world.device_path().name()),
    })
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::own(error)
    }
}
