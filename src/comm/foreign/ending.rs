//! The end of the other engines of a communicator: in good order, or after a failure.

use std::time::{Duration, Instant};

use super::engine::AttachedEngine;
use super::usage::failed;
use crate::base::{Error, Result};
use crate::comm::communicator::Communicator;
use crate::sys::clock;

/// Time between two looks at calls that have not ended.
const NAP: Duration = Duration::from_micros(100);

/// Waits for the calls that other engines still make for this rank. An error: a call has lasted too long, or
/// the communicator has failed meanwhile.
pub(in crate::comm) fn drain(comm: &Communicator) -> Result<()> {
    if comm.engines.are_none() {
        return Ok(());
    }
    if has_failed(comm) {
        note_ended_streams(comm);
        return Ok(());
    }
    let since = clock::now();
    while comm.engines.made().any(AttachedEngine::is_at_work) {
        comm.driver.try_move_on();
        look(comm, since).map_err(|error| failed(comm, error))?;
        if let Some(failure) = comm.driver.lock().report_failure(comm.id) {
            return Err(failure);
        }
        clock::sleep(NAP);
    }
    Ok(())
}

fn look(comm: &Communicator, since: Instant) -> Result<()> {
    if let Some(foreign) = comm.engines.made_on_device() {
        foreign.watch.look(foreign)?;
    }
    let waited = clock::since(since);
    let is_late = comm.timeout.get().is_some_and(|limit| waited >= limit);
    match comm.engines.made().find(|foreign| is_late && !foreign.comm.is_idle()) {
        Some(foreign) => {
            let engine = foreign.name.name();
            let detail = format!("started calls have not ended in {engine}, and the communicator is left");
            Err(Error::Timeout { waited, detail })
        }
        None => Ok(()),
    }
}

/// Closes the other engines, in good order and if the communicator has not failed. Otherwise ends their
/// calls; the engines then stay open until the process ends.
pub(in crate::comm) fn close(comm: &Communicator, in_good_order: bool) {
    if in_good_order && !comm.engines.are_none() && !has_failed(comm) {
        comm.engines.made().for_each(AttachedEngine::close);
    } else {
        comm.engines.stop();
    }
}

pub(super) fn has_failed(comm: &Communicator) -> bool {
    comm.driver.lock().failure(comm.id).is_some()
}

/// Lets the end of this communicator, which has failed, return the failure if it has ended calls on streams.
pub(super) fn note_ended_streams(comm: &Communicator) {
    if comm.engines.made().any(|foreign| foreign.watch.has_enqueued()) {
        comm.driver.lock().note_ended_streams(comm.id);
    }
}
