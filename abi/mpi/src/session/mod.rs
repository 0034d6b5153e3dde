//! Sessions (MPI 5.0, section 11.3): handles by which a part of a program uses MPI without the others.
//!
//! The first session, or `MPI_Init`, starts the engine with all processes of the job. The engine stays until
//! the process exits, because a later session cannot start it again. It ends at the exit, together with the
//! other processes, unless a session or the world is in use then.
//!
//! - `psets` has the sets of processes, [`calls`] MPI's functions.
//! - `comm::from_group` makes communicators from groups, without a communicator that all members have.

pub mod calls;
mod psets;

use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyccl_edge::ObjectRef;
use anyccl_engine::comm as engine;
use anyccl_engine::sys::at_exit;
use parking_lot::Mutex;

use crate::arguments::SessionHandle;
use crate::constants::SESSION_NULL;
use crate::errhandler::Errhandler;
use crate::error::{Class, Error, Result};
use crate::info::Pairs;
use crate::state::{Stage, stage};
use crate::table::Table;

/// A session.
pub struct Session {
    /// Its number.
    pub id: u32,
    /// Current error handler.
    pub errhandler: Mutex<Errhandler>,
    /// Hints that are in use.
    info: Pairs,
}

static SESSIONS: Table<Session> = Table::new("session", Class::SESSION);
/// Number of sessions now.
static OPEN: AtomicUsize = AtomicUsize::new(0);
/// Whether the process has had a session.
static HAS_BEEN: Once = Once::new();

impl Session {
    /// The session of a handle.
    pub fn from_handle(handle: SessionHandle) -> Result<ObjectRef<'static, Session>> {
        match handle.0 {
            SESSION_NULL => Err(Error::new(Class::SESSION, "the session is MPI_SESSION_NULL")),
            id => SESSIONS.get(id),
        }
    }

    fn open(errhandler: Errhandler, info: Pairs) -> SessionHandle {
        HAS_BEEN.call_once(|| at_exit::run(leave));
        OPEN.fetch_add(1, Ordering::Relaxed);
        let errhandler = Mutex::new(errhandler);
        SessionHandle(SESSIONS.insert_with(|id| Session { id, errhandler, info }))
    }

    fn close(handle: SessionHandle) -> Result<()> {
        SESSIONS.remove(handle.0)?;
        OPEN.fetch_sub(1, Ordering::Relaxed);
        Ok(())
    }
}

/// Number of sessions now.
pub fn number() -> usize {
    OPEN.load(Ordering::Relaxed)
}

/// Whether the process has had a session. Then the engine ends with the process.
pub fn has_been() -> bool {
    HAS_BEEN.is_completed()
}

/// Runs at the exit of the process. A process that leaves something open does not wait for the others, which
/// may be waiting for it.
extern "C" fn leave() {
    if OPEN.load(Ordering::Relaxed) == 0 && stage() != Stage::Initialized && engine::world_now().is_some() {
        // Nobody is left who could handle an error.
        let _ = engine::world_finalize();
    }
}
