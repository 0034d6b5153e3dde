//! How communicators end: in good order, by abort, by revocation.
//!
//! In good order, the ranks of a communicator wait for each other, so that nobody takes the end of a process
//! for a crash. NCCL's programs may destroy the communicators of one thread one after the other; waiting in
//! the first would be for ever. So a communicator says goodbye in a thread of its own, as long as this
//! process has others of the same id that have not begun to; the last of them waits for all. When everything
//! is destroyed, all goodbyes are said.
//!
//! Those that were made from others leave alone: they share the links of the first one.

use std::ffi::c_int;
use std::sync::Arc;
use std::thread;

use anyccl_edge::check::invalid;
use anyccl_engine::base::{Error, Result};
use anyccl_engine::comm::Communicator;
use anyccl_engine::log_line;

use crate::call::Progress;
use crate::communicator::{Bar, COMMS, Comm, CommState};
use crate::types::ncclComm_t;

/// Says goodbye: here, or in a thread of its own.
fn leave(comm: &Arc<Comm>, engine: &Arc<Communicator>, in_background: bool) -> Result<()> {
    if let Err(error) = comm.flush() {
        log_line!(Info, "what was begun on \"{}\" has failed: {error}", engine.name());
    }
    let Some(mut member) = comm.member.lock().take() else {
        return say_goodbye(comm, engine);
    };
    let clique = comm.left_with.get_or_init(|| Arc::clone(member.clique()));
    // One that has failed waits for nobody.
    let others_stay = member.begin() && engine.failure().is_none();
    if !others_stay && !in_background {
        let parted = say_goodbye(comm, engine);
        drop(member);
        return parted.and(clique.wait());
    }
    let (comm, engine) = (Arc::clone(comm), Arc::clone(engine));
    let goodbye = move || {
        if let Err(error) = say_goodbye(&comm, &engine) {
            member.clique().keep_failure(error);
        }
        drop(member);
    };
    let started = thread::Builder::new().name("nccl goodbye".into()).spawn(goodbye);
    started.map(drop).map_err(|error| Error::system("starting a thread", error))
}

/// An error: the ranks have made different calls. Whatever else disturbs a goodbye harms nobody who leaves,
/// and is logged.
fn say_goodbye(comm: &Comm, engine: &Communicator) -> Result<()> {
    let parted = engine.finalize();
    comm.exchange(|state| matches!(state, CommState::Leaving), CommState::Left);
    match parted {
        Err(error @ Error::Mismatch(_)) => Err(error),
        Err(error) => {
            log_line!(Warn, "leaving \"{}\": {error}", engine.name());
            Ok(())
        }
        Ok(()) => Ok(()),
    }
}

/// ncclCommFinalize.
pub unsafe fn finalize(comm: ncclComm_t) -> Result<Progress> {
    let found = Comm::from_handle(comm)?;
    // Not of a revoked or suspended one.
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

/// ncclCommDestroy. NULL is nothing to destroy.
pub unsafe fn destroy(comm: ncclComm_t) -> Result<()> {
    if comm.is_null() {
        return Ok(());
    }
    let comm = COMMS.remove(comm.addr(), |_, _| Ok(()))?;
    match comm.exchange(|state| matches!(state, CommState::Forming | CommState::Ready), CommState::Leaving) {
        CommState::Ready => {
            let engine = Arc::clone(comm.any_engine()?);
            leave(&comm, &engine, false)
        }
        // Its ranks are let go when they meet.
        CommState::Forming | CommState::Failed(_) => Ok(()),
        // Finalized ones have gone or are about to.
        CommState::Left => comm.left_with.get().map_or(Ok(()), |clique| clique.tell_failure()),
        CommState::Leaving => comm.left_with.get().map_or(Ok(()), |clique| clique.wait()),
    }
}

/// ncclCommAbort: from any thread, also while another one is in a call, which then fails.
pub unsafe fn abort(comm: ncclComm_t) -> Result<()> {
    if comm.is_null() {
        return Ok(());
    }
    let comm = COMMS.remove(comm.addr(), |_, _| Ok(()))?;
    let before = comm.exchange(|state| matches!(state, CommState::Forming), CommState::Left);
    if let (CommState::Ready | CommState::Leaving, Ok(engine)) = (before, comm.any_engine())
        && engine.quit("ncclCommAbort")
    {
        let engine = Arc::clone(engine);
        // Without the thread, the kernel closes the connections at once, and may drop what it has not sent
        // yet.
        let see_off = thread::Builder::new().name("nccl goodbye".into()).spawn(move || engine.linger());
        if let Err(error) = see_off {
            log_line!(Info, "links are closed early: no thread could be started ({error})");
        }
    }
    Ok(())
}

/// ncclCommRevoke: what is under way fails, on all ranks; the communicator can be split, shrunk and
/// destroyed.
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
