//! How communicators end: in good order, by abort, by revocation.
//!
//! In good order, the ranks of a communicator wait for each other, so that nobody takes the end of a process
//! for a crash. A process that waits must not keep others waiting for the end of another communicator: ranks
//! may end their communicators in any order, and one thread may hold several ranks. So a communicator says
//! goodbye in the background while this process has others that have not begun to leave. The last of them
//! waits for all. When all are destroyed, all goodbyes have been said.
//!
//! So no ranks wait for each other in a circle. A process waits only when it has begun to leave all its
//! communicators, so the goodbyes of others need nothing more from it.
//!
//! Communicators that were made from others wait for nobody: they share the links of the first one.

use std::ffi::c_int;
use std::sync::Arc;
use std::thread;

use anyccl_edge::check::invalid;
use anyccl_engine::base::{Error, Result};
use anyccl_engine::comm::Communicator;
use anyccl_engine::log_line;

use crate::call::Progress;
use crate::communicator::{Bar, COMMS, Comm, CommState};
use crate::departures::Departures;
use crate::types::ncclComm_t;

/// Says goodbye, in this thread or in a thread of its own.
fn leave(comm: &Arc<Comm>, engine: &Arc<Communicator>, in_background: bool) -> Result<()> {
    if let Err(error) = comm.flush() {
        log_line!(Info, "what was begun on \"{}\" has failed: {error}", engine.name());
    }
    let Some(mut member) = comm.member.lock().take() else {
        return settle(comm, engine.name(), engine.finalize());
    };
    let others_stay = member.begin();
    // A failed communicator waits for nobody.
    if engine.failure().is_some() || !others_stay && !in_background {
        let parted = settle(comm, engine.name(), engine.finalize());
        drop(member);
        return parted.and(Departures::of_this_process().wait());
    }
    if others_stay {
        comm.exchange(|state| matches!(state, CommState::Leaving), CommState::Departed);
    }
    let (own, name) = (Arc::clone(comm), engine.name().to_owned());
    let begun = engine.leave_in_background(move |parted| {
        if let Err(error) = settle(&own, &name, parted) {
            Departures::of_this_process().keep_failure(error);
        }
        drop(member);
    });
    begun.or_else(|error| settle(comm, engine.name(), Err(error)))
}

/// Notes the end of a goodbye. Returns an error only if the ranks have made different calls. Any other
/// problem harms no rank that leaves, and is logged.
fn settle(comm: &Comm, name: &str, parted: Result<()>) -> Result<()> {
    comm.exchange(|state| matches!(state, CommState::Leaving | CommState::Departed), CommState::Left);
    match parted {
        Err(error @ Error::Mismatch(_)) => Err(error),
        Err(error) => {
            log_line!(Warn, "leaving \"{name}\": {error}");
            Ok(())
        }
        Ok(()) => Ok(()),
    }
}

/// ncclCommFinalize.
pub unsafe fn finalize(comm: ncclComm_t) -> Result<Progress> {
    let found = Comm::from_handle(comm)?;
    // A revoked or suspended communicator cannot be finalized.
    let engine = Arc::clone(found.engine()?);
    let comm = found.share();
    drop(found);
    if !matches!(
        comm.exchange(|state| matches!(state, CommState::Ready), CommState::Leaving),
        CommState::Ready
    ) {
        return Err(Error::InvalidUsage("the communicator is finalized already".into()));
    }
    comm.set_bar(Bar::Finalized);
    leave(&comm, &engine, !comm.traits.is_blocking)?;
    Ok(if comm.traits.is_blocking { Progress::Done } else { Progress::Begun })
}

/// ncclCommDestroy. Does nothing for NULL.
pub unsafe fn destroy(comm: ncclComm_t) -> Result<()> {
    if comm.is_null() {
        return Ok(());
    }
    let comm = COMMS.remove(comm.addr(), |_, _| Ok(()))?;
    comm.end_profile();
    match comm.exchange(|state| matches!(state, CommState::Forming | CommState::Ready), CommState::Leaving) {
        CommState::Ready => {
            let engine = Arc::clone(comm.any_engine()?);
            leave(&comm, &engine, false)
        }
        // The forming thread aborts it when its ranks meet.
        CommState::Forming | CommState::Failed(_) => Ok(()),
        // It is finalized.
        CommState::Leaving | CommState::Departed | CommState::Left => Departures::of_this_process().wait(),
    }
}

/// ncclCommAbort. Any thread may call it, also while another one is in a call, which then fails.
pub unsafe fn abort(comm: ncclComm_t) -> Result<()> {
    if comm.is_null() {
        return Ok(());
    }
    let comm = COMMS.remove(comm.addr(), |_, _| Ok(()))?;
    comm.end_profile();
    let before = comm.exchange(|state| matches!(state, CommState::Forming), CommState::Left);
    if let (CommState::Ready | CommState::Leaving | CommState::Departed, Ok(engine)) =
        (before, comm.any_engine())
        && engine.quit("ncclCommAbort")
    {
        let engine = Arc::clone(engine);
        // Without this thread the kernel would close the connections at once, and might drop data that it has
        // not sent yet.
        let see_off = thread::Builder::new().name("nccl goodbye".into()).spawn(move || engine.linger());
        if let Err(error) = see_off {
            log_line!(Info, "links are closed early: no thread could be started ({error})");
        }
    }
    Ok(())
}

/// ncclCommRevoke: calls under way fail on all ranks. The communicator can be split, shrunk and destroyed.
pub unsafe fn revoke(comm: ncclComm_t, revokeFlags: c_int) -> Result<()> {
    if revokeFlags != 0 {
        return invalid("revokeFlags", format!("{revokeFlags}; accepted: 0"));
    }
    let comm = Comm::from_handle(comm)?;
    let engine = comm.any_engine()?;
    if comm.bar() == Bar::Finalized {
        return Err(Error::InvalidUsage("the communicator is finalized; it can only be destroyed".into()));
    }
    comm.set_bar(Bar::Revoked);
    engine.abort("ncclCommRevoke");
    Ok(())
}
