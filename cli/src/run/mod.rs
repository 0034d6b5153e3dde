//! `anyccl run`: starts the ranks of a job on this machine and looks after them to the end.
//!
//! In order: a watchdog is forked, so that nothing survives this process ([`watchdog`]); signals
//! become things to read ([`signals`]); the store is served ([`store`]); the ranks are started,
//! each in a process group of its own ([`spawn`], [`binding`]); one poll loop passes on output,
//! input and signals and notices ends ([`job`], [`output`], [`input`]); the outcome is told
//! ([`report`]).

mod arguments;
mod binding;
mod input;
mod job;
mod lines;
mod losses;
mod output;
mod report;
mod signals;
mod sink;
mod spawn;
mod store;
mod watchdog;

pub use arguments::{Bind, RunArguments};

use crate::Failure;
use crate::sys::files::FileLimit;
use watchdog::Watchdog;

/// Runs the job. Answers the exit code: that of the first rank that failed, or 0.
pub fn run(arguments: &RunArguments) -> Result<u8, Failure> {
    let own = |what: &'static str| move |error| Failure::own(format_args!("{what}: {error}"));
    // First: forking wants a process without threads, and the store may start some.
    let watchdog = Watchdog::start().map_err(own("cannot start the watchdog"))?;
    let signals = signals::take().map_err(own("cannot take over signals"))?;
    let files = FileLimit::raise().map_err(own("cannot raise the limit on open files"))?;
    let mut key = [0; 32];
    getrandom::fill(&mut key).map_err(|error| Failure::own(format_args!("no random bytes: {error}")))?;
    let served = store::serve(&key, arguments.ranks)
        .map_err(|error| Failure::own(format_args!("cannot serve the store: {error}")))?;
    let mask = signals.mask_before();
    let store = served.address();
    let orders = spawn::JobOrders { arguments, store, key: &key, files, mask, watchdog: &watchdog };
    // On an error the watchdog is dropped, and ends what has been started so far.
    let ranks = spawn::start_all(&orders)?;
    let job = job::Job::new(arguments, ranks, signals);
    let outcome = job.and_then(job::Job::run_to_the_end).map_err(own("cannot look after the ranks"))?;
    watchdog.stand_down();
    Ok(outcome.tell())
}
