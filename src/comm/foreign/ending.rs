//! The end of the other engines of a communicator: in good order, or after a failure.

use std::time::{Duration, Instant};

use super::engine::AttachedEngine;
use super::engines::Engines;
use super::host::{EngineHost, failed};
use crate::base::{Error, Result};
use crate::sys::clock;

/// Time between two looks at calls that have not ended.
const NAP: Duration = Duration::from_micros(100);

/// Waits for the calls that the engines of `host` still make for this rank. An error: a call has lasted
/// longer than `timeout`, or the communicator has failed meanwhile.
pub(in crate::comm) fn drain(
    host: &dyn EngineHost,
    engines: &Engines,
    timeout: Option<Duration>,
) -> Result<()> {
    if engines.are_none() {
        return Ok(());
    }
    if host.has_failed() {
        if engines.made().any(|foreign| foreign.watch.has_enqueued()) {
            host.note_ended_streams();
        }
        return Ok(());
    }
    let since = clock::now();
    while engines.made().any(AttachedEngine::is_at_work) {
        host.try_move_on();
        look(engines, since, timeout).map_err(|error| failed(host, error))?;
        if let Some(failure) = host.report_failure() {
            return Err(failure);
        }
        clock::sleep(NAP);
    }
    Ok(())
}

fn look(engines: &Engines, since: Instant, timeout: Option<Duration>) -> Result<()> {
    if let Some(foreign) = engines.made_on_device() {
        foreign.watch.look(foreign.name, &*foreign.comm)?;
    }
    let waited = clock::since(since);
    let is_late = timeout.is_some_and(|limit| waited >= limit);
    match engines.made().find(|foreign| is_late && !foreign.comm.is_idle()) {
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
pub(in crate::comm) fn close(host: &dyn EngineHost, engines: &Engines, in_good_order: bool) {
    if in_good_order && !engines.are_none() && !host.has_failed() {
        engines.made().for_each(AttachedEngine::close);
    } else {
        engines.stop();
    }
}
