//! `anyccl run`: starts the ranks of a job on this machine, or on several, and runs the job to its end.
//!
//! 1. A watchdog is forked, so that nothing survives this process ([`watchdog`]).
//! 2. Signals become messages to read ([`signals`]).
//! 3. The store is served ([`store`]).
//! 4. The ranks are started, each in a process group of its own ([`spawn`], [`binding`]).
//! 5. One poll loop ([`job`]) passes on output, input and signals, and notices ends. It works on a [`crew`]:
//!    ranks here ([`local`], [`output`], [`input`]), or an agent per host ([`hosts`]). Each line is compared
//!    with what was said before ([`rank_output`], [`repeats`]).
//! 6. The outcome is reported ([`report`]).
//!
//! Without `--as`, [`other_mpi`] notices an MPI that does not know the job.
//!
//! With `--fake-gpu`, [`fake_gpus`] finds the CUDA driver for tests. With `--as`, [`takeover`] prepares the
//! ranks and checks which NCCL or MPI they get. With `--as gloo`, [`torch_name`] does that for PyTorch.

mod arguments;
mod binding;
mod crew;
mod fake_gpus;
#[cfg(test)]
mod foreign_bytes;
mod hosts;
mod input;
mod jax;
mod job;
mod lines;
mod local;
mod losses;
mod other_mpi;
mod output;
mod part;
mod python;
mod rank_output;
mod repeats;
mod report;
mod signals;
mod sink;
mod spawn;
mod store;
mod takeover;
mod torch;
mod torch_name;
mod watchdog;

pub use arguments::{Bind, RunArguments, number_of_gpus, number_of_ranks, seconds};
pub use hosts::agent;
pub use part::Part;

use crate::facade::StandIn;
use crate::failure::Failure;
use crate::mpiexec::placement;
use crate::remote::SSH;
use crate::sys::files::FileLimit;
use crew::Crew;
use input::Input;
use other_mpi::OtherMpi;
use torch::TorchMeeting;
pub use watchdog::Watchdog;

/// The variables by which ranks of torch, and of JAX if they are JAX's, find each other.
fn meeting_variables(
    arguments: &RunArguments,
    meeting: &TorchMeeting,
) -> Result<Vec<(String, String)>, Failure> {
    let mut variables = meeting.environment(&arguments.env);
    if arguments.stand_in == Some(StandIn::Jax) {
        variables.extend(jax::environment(meeting)?);
    }
    Ok(variables)
}

/// Runs the job. Returns the exit code: that of the first rank that failed, or 0.
pub fn run(arguments: &RunArguments) -> Result<u8, Failure> {
    let own = |what: &'static str| move |error| Failure::own(format_args!("{what}: {error}"));
    let mut places = hosts::places_of(arguments).map_err(|text| Failure { code: 2, text })?;
    let ranks = places.last().map(|place| place.ranks.end).or(arguments.ranks).unwrap_or(1);
    // Their own launcher may lead elsewhere.
    if arguments.launcher == SSH && places.iter().all(|place| placement::is_here(&place.host)) {
        places.clear();
    }
    // On other hosts, the agents look for the libraries.
    let fake_gpus = arguments.fake_gpus.filter(|_| places.is_empty());
    let mut environment = fake_gpus::environment(fake_gpus, &arguments.env)?;
    // First, because forking needs a process without threads, and the store may start some.
    let watchdog = Watchdog::start().map_err(own("cannot start the watchdog"))?;
    let signals = signals::Signals::take().map_err(own("cannot take over signals"))?;
    let files = FileLimit::raise().map_err(own("cannot raise the limit on open files"))?;
    let mut key = [0; 32];
    getrandom::fill(&mut key).map_err(|error| Failure::own(format_args!("no random bytes: {error}")))?;
    let reach = if places.is_empty() { store::Reach::ThisHost } else { store::Reach::Network };
    let ports = store::ports_of(&arguments.env).map_err(|text| Failure { code: 2, text })?;
    let served = store::serve(&key, ranks, reach, ports)
        .map_err(|error| Failure::own(format_args!("cannot serve the store: {error}")))?;
    let meeting = match places.first() {
        Some(first) => Some(TorchMeeting::at(&first.host, &key)),
        None => TorchMeeting::here(),
    };
    let common = meeting.as_ref().map(|meeting| meeting_variables(arguments, meeting)).transpose()?;
    let common = common.unwrap_or_default();
    let mask = signals.mask_before();
    // On an error the watchdog is dropped, and kills everything that was started so far.
    let crew: Box<dyn Crew> = if places.is_empty() {
        environment.extend(common);
        if arguments.stand_in == Some(StandIn::Gloo) {
            torch_name::check(&arguments.command[0], &environment, arguments.by)?;
        }
        let takeover = takeover::Takeover::of(arguments, &environment)?;
        let children = spawn::start_all(&spawn::JobOrders {
            command: &arguments.command,
            parts: &arguments.parts,
            environment: &environment,
            takeover: takeover.as_ref().map_or(&[], |takeover| &takeover.environment),
            bind: arguments.bind,
            world: ranks,
            ranks: 0..ranks,
            input: Input::of_rank_0,
            own_output: arguments.own_output,
            store: served.address(),
            key: &key,
            files,
            mask,
            watchdog: &watchdog,
        })?;
        let looks = arguments.facade().is_none() && ranks > 1 && !arguments.own_output;
        let other_mpi = OtherMpi::among(&arguments.command[0], looks, environment);
        let crew = local::LocalCrew::new(children, !arguments.no_prefix, takeover, other_mpi);
        Box::new(crew.map_err(own("cannot look after the ranks"))?)
    } else {
        let stores = served.addresses();
        let common =
            hosts::Common { arguments, environment: common, stores, key, files, mask, watchdog: &watchdog };
        Box::new(hosts::start(&common, places)?)
    };
    let outcome = job::RunningJob::new(arguments, crew, &served, signals).run_to_the_end();
    let outcome = outcome.map_err(own("cannot look after the ranks"))?;
    watchdog.stand_down();
    Ok(outcome.tell())
}
