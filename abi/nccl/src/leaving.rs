//! How communicators end: in good order, by abort, by revocation.
//!
//! In good order, the ranks of a communicator wait for each other, so that nobody takes the end of a process for a crash.
//! NCCL's programs may destroy the communicators of one thread one after the other; waiting in the first would be for
//! ever. So a communicator says goodbye in a thread of its own, as long as this process has others of the same id
//! that have not begun to; the last of them waits for all. When everything is destroyed, all goodbyes are said.
//!
//! Those that were made from others leave alone: they share the links of the first one.

use std::ffi::c_int;
use std::sync::Arc;
use std::thread;

use anyccl_edge::PerProcess;
use anyccl_edge::check::invalid;
use anyccl_engine::base::{Error, Result};
use anyccl_engine::bootstrap::UniqueId;
use anyccl_engine::comm::Communicator;
use anyccl_engine::log_line;
use parking_lot::{Condvar, Mutex};

use crate::call::Progress;
use crate::communicator::{Bar, COMMS, Comm, State};
use crate::types::ncclComm_t;

/// The communicators of this process that came by one id.
pub struct Clique {
    count: Mutex<Count>,
    changed: Condvar,
}

/// How many of them there are.
struct Count {
    /// Those that have not begun to leave.
    staying: usize,
    /// Those that say goodbye.
    leaving: usize,
    /// Why a goodbye that nobody waited for has failed.
    failure: Option<Error>,
}

/// Cliques by their ids.
type Cliques = Mutex<Vec<(UniqueId, Arc<Clique>)>>;

static CLIQUES: PerProcess<Cliques> = PerProcess::new();

/// Those of this process.
fn cliques() -> &'static Cliques {
    &CLIQUES.get_or(Cliques::default).value
}

/// A communicator's place in its clique, which ends with this.
pub struct Member {
    id: UniqueId,
    clique: Arc<Clique>,
    is_leaving: bool,
}

impl Member {
    /// One more of this id.
    pub fn of(id: &UniqueId) -> Member {
        let mut cliques = cliques().lock();
        let known = cliques.iter().find(|(known, _)| known == id).map(|(_, clique)| Arc::clone(clique));
        let clique = known.unwrap_or_else(|| {
            let count = Mutex::new(Count { staying: 0, leaving: 0, failure: None });
            let clique = Arc::new(Clique { count, changed: Condvar::new() });
            cliques.push((*id, Arc::clone(&clique)));
            clique
        });
        clique.count.lock().staying += 1;
        Member { id: *id, clique, is_leaving: false }
    }

    /// Begins to leave; tells whether others stay.
    fn begin(&mut self) -> bool {
        let mut count = self.clique.count.lock();
        count.staying -= 1;
        count.leaving += 1;
        self.is_leaving = true;
        count.staying > 0
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        let mut cliques = cliques().lock();
        let mut count = self.clique.count.lock();
        match self.is_leaving {
            true => count.leaving -= 1,
            false => count.staying -= 1,
        }
        self.clique.changed.notify_all();
        if count.staying + count.leaving == 0 {
            drop(count);
            cliques.retain(|(id, _)| *id != self.id);
        }
    }
}

impl Clique {
    /// Waits for the goodbyes of all, unless some have not begun. An error: one that nobody has waited for has failed.
    fn wait(&self) -> Result<()> {
        let mut count = self.count.lock();
        while count.staying == 0 && count.leaving > 0 {
            self.changed.wait(&mut count);
        }
        drop(count);
        self.tell_failure()
    }

    /// Why a goodbye that nobody waited for has failed, once.
    fn tell_failure(&self) -> Result<()> {
        self.count.lock().failure.take().map_or(Ok(()), Err)
    }
}

/// Says goodbye: here, or in a thread of its own.
fn leave(comm: &Arc<Comm>, engine: &Arc<Communicator>, in_background: bool) -> Result<()> {
    if let Err(error) = comm.flush() {
        log_line!(Info, "what was begun on \"{}\" has failed: {error}", engine.name());
    }
    let Some(mut member) = comm.member.lock().take() else {
        return say_goodbye(comm, engine);
    };
    let clique = comm.left_with.get_or_init(|| Arc::clone(&member.clique));
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
            member.clique.count.lock().failure.get_or_insert(error);
        }
        drop(member);
    };
    let started = thread::Builder::new().name("nccl goodbye".into()).spawn(goodbye);
    started.map(drop).map_err(|error| Error::system("starting a thread", error))
}

/// An error: the ranks have made different calls. Whatever else disturbs a goodbye harms nobody who leaves, and is logged.
fn say_goodbye(comm: &Comm, engine: &Communicator) -> Result<()> {
    let parted = engine.finalize();
    comm.exchange(|state| matches!(state, State::Leaving), State::Left);
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
    if !matches!(comm.exchange(|state| matches!(state, State::Ready), State::Leaving), State::Ready) {
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
    match comm.exchange(|state| matches!(state, State::Forming | State::Ready), State::Leaving) {
        State::Ready => {
            let engine = Arc::clone(comm.any_engine()?);
            leave(&comm, &engine, false)
        }
        // Its ranks are let go when they meet.
        State::Forming | State::Failed(_) => Ok(()),
        // Finalized ones have gone or are about to.
        State::Left => comm.left_with.get().map_or(Ok(()), |clique| clique.tell_failure()),
        State::Leaving => comm.left_with.get().map_or(Ok(()), |clique| clique.wait()),
    }
}

/// ncclCommAbort: from any thread, also while another one is in a call, which then fails.
pub unsafe fn abort(comm: ncclComm_t) -> Result<()> {
    if comm.is_null() {
        return Ok(());
    }
    let comm = COMMS.remove(comm.addr(), |_, _| Ok(()))?;
    let before = comm.exchange(|state| matches!(state, State::Forming), State::Left);
    if let (State::Ready | State::Leaving, Ok(engine)) = (before, comm.any_engine())
        && engine.quit("ncclCommAbort")
    {
        let engine = Arc::clone(engine);
        // Without the thread, the kernel closes the connections at once, and may drop what it has not sent yet.
        let see_off = thread::Builder::new().name("nccl goodbye".into()).spawn(move || engine.see_off());
        if let Err(error) = see_off {
            log_line!(Info, "links are closed early: no thread could be started ({error})");
        }
    }
    Ok(())
}

/// ncclCommRevoke: what is under way fails, on all ranks; the communicator can be split, shrunk and destroyed.
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
