//! Requests: operations that were started, and how their end is observed.
//!
//! - [`Active`] is an operation under way, [`Steps`] one of another room that takes several steps;
//!   `generalized_operation` is one of the program's own, and `generalized` has MPI's functions for it.
//!   [`Prepared`] is the operation of a persistent request.
//! - `slab` keeps requests by `number`, each `held`; `finished` keeps those that had completed when they were
//!   started; `waiting` waits for one or several, `in_place` if another thread may cancel or complete them.
//! - `orphans` are operations whose requests were freed before their end.
//! - `service` has what other processes ask this one for, which is served whenever requests get turns.
//! - `complete` and `several` are MPI's functions: wait, test, start, free, cancel. `get_status` looks at
//!   requests and leaves them as they are.
//!
//! A persistent request knows how to start its operation again. While a thread waits for a request, another
//! thread may cancel it, look at its status or complete it, if it is the program's own. Whatever else that
//! thread asks is an error.

pub mod active;
pub mod complete;
mod finished;
pub mod generalized;
mod generalized_operation;
pub mod get_status;
mod held;
mod hook;
mod in_place;
mod number;
pub mod orphans;
mod prepared;
pub mod service;
pub mod several;
mod slab;
pub mod status;
mod steps;
mod waiting;

use anyccl_edge::PerProcess;
use parking_lot::MutexGuard;

pub use self::active::{Active, Stage, Staged};
pub use self::finished::FINISHED;
use self::held::Held;
pub use self::held::Restart;
use self::held::has_staged;
pub use self::hook::StagedWork;
pub use self::prepared::Prepared;
use self::slab::{RequestEntry, Slab};
pub use self::steps::Steps;
use crate::arguments::RequestHandle;
use crate::error::{Class, Error, Result};
use crate::status::Status;

static REQUESTS: PerProcess<Slab> = PerProcess::new();

/// Sets how many bits of a request's number fit into a handle. Called before the first request is made.
pub fn use_bits(bits: u32) {
    number::use_bits(bits);
}

#[inline]
fn requests() -> &'static Slab {
    &REQUESTS.get_or(Slab::new).value
}

/// Makes a request for an operation under way on a communicator.
#[inline]
pub fn create(comm: u32, active: Active) -> RequestHandle {
    if let Active::Complete(status) = &active
        && let Some(request) = finished::create(status)
    {
        return request;
    }
    RequestHandle(requests().put(Held::active_on(comm, active)))
}

/// Makes a persistent request, which is not active yet.
pub fn create_persistent(comm: u32, restart: Restart) -> RequestHandle {
    RequestHandle(requests().put(Held { comm, restart: Some(restart), active: None, has_waiter: false }))
}

/// The operation of a persistent request, which another thread may wait for, and the communicator.
pub fn prepared(request: RequestHandle) -> Result<(u32, Restart)> {
    let not_prepared = || Error::new(Class::REQUEST, "the request is not persistent");
    if request.is_null() || finished::is_finished(request) {
        return Err(not_prepared());
    }
    look_at(request, |held| held.restart.clone().map(|restart| (held.comm, restart)))?
        .ok_or_else(not_prepared)
}

/// Runs an operation to its end, for a blocking call.
pub fn run(mut active: Active) -> Result<Status> {
    active.wait()
}

/// Looks at the state of a request, for which another thread may be waiting.
fn look_at<T>(request: RequestHandle, look: impl FnOnce(&mut Held) -> T) -> Result<T> {
    let mut place = requests().find(request.0)?;
    place.held.as_mut().map(look).ok_or_else(|| number::unknown(request.0))
}

/// Runs a function on the state of a request.
pub fn with<T>(request: RequestHandle, look: impl FnOnce(&mut Held) -> T) -> Result<T> {
    let mut place = requests().find(request.0)?;
    place.held_mut().map(look)
}

/// Number of requests that are not complete, or persistent.
pub fn number() -> usize {
    requests().ids().len()
}

/// Whether operations on a communicator are under way, or may be started by a persistent request.
pub fn is_under_way_on(comm: u32) -> bool {
    // Freed requests do not know their communicator any more.
    if orphans::is_any() {
        return true;
    }
    let of_comm = |id: u32| {
        let place = requests().find(id);
        place.is_ok_and(|place| place.held.as_ref().is_some_and(|held| held.comm == comm))
    };
    requests().ids().into_iter().any(of_comm)
}

/// Whether anything of this crate needs turns.
#[inline]
pub fn has_work() -> bool {
    has_staged() || service::is_any()
}

/// Whether operations need turns, or more services than that.
pub fn has_work_besides(services: usize) -> bool {
    has_staged() || service::number() > services
}

/// Serves what other processes ask for, and gives every operation in stages a turn, except those that another
/// thread uses. Returns whether anything was served or any has ended.
pub fn progress_staged() -> bool {
    let mut has_ended = service::serve_all();
    if !has_staged() {
        return has_ended;
    }
    orphans::poll();
    requests().for_each_free(|held| {
        if held.active.as_ref().is_some_and(Active::is_staged) {
            has_ended |= held.poll().is_some();
        }
    });
    has_ended
}

/// A count of requests.
fn length(count: i32) -> Result<usize> {
    usize::try_from(count).map_err(|_| Error::new(Class::COUNT, format!("{count} requests")))
}

/// The end of a request, and whether its number is free now.
struct Ended {
    outcome: Result<Status>,
    is_gone: bool,
}

/// Notes the end of a request. A persistent request becomes inactive, any other is removed.
fn end(id: RequestHandle, mut place: MutexGuard<'_, RequestEntry>, outcome: Result<Status>) -> Ended {
    let mut outcome = outcome;
    let Some(held) = &mut place.held else { return Ended { outcome, is_gone: true } };
    held.has_waiter = false;
    if let Err(error) = outcome {
        outcome = Err(error.on(held.comm));
    }
    let active = held.take();
    let is_gone = held.restart.is_none();
    if is_gone {
        requests().give_back(id.0, place);
    } else {
        drop(place);
    }
    if let Some(Active::Generalized(generalized)) = active
        && let Err(error) = generalized.free()
    {
        outcome = outcome.and(Err(error));
    }
    Ended { outcome, is_gone }
}

/// Whether a request names an operation under way.
fn is_active(id: RequestHandle) -> Result<bool> {
    if finished::is_finished(id) {
        return finished::status(id).map(|_| true);
    }
    Ok(!id.is_null() && look_at(id, |held| held.has_waiter || held.active.is_some())?)
}

#[cfg(test)]
mod tests;
