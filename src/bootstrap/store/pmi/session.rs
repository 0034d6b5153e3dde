//! The one connection of this process to its process manager. It is kept until the goodbye.
//!
//! The goodbye is *finalize*. It is said when the world is finalized, or else when the process exits: mpiexec
//! takes a process that ends without it for a crash. If the program uses MPI, MPI says it once, if it was
//! initialised. So with MPI in the process, this module waits for the exit and looks. While the connection is
//! open, mpiexec notices when the process dies, and ends the others.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use super::connection::Connection;
use crate::base::Result;
use crate::sys::clock;
use crate::sys::per_process::PerProcess;
use crate::sys::{at_exit, mpi};

/// How long an exit may wait for the goodbye.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long an abort waits for a thread that is using the connection.
const HASTE: Duration = Duration::from_millis(200);

type Shared = Arc<Mutex<Connection>>;

/// The connection on which this process greeted. A child of fork has none, and says no goodbye.
static SESSION: PerProcess<Mutex<Option<Shared>>> = PerProcess::new();

fn session() -> &'static Mutex<Option<Shared>> {
    &SESSION.get_or(Mutex::default).value
}

/// The connection, shared with the code that says goodbye.
pub(crate) struct Kept(Shared);

impl Kept {
    /// A connection for which nobody says goodbye.
    #[cfg(any(test, feature = "fuzzing"))]
    pub(super) fn unshared(connection: Connection) -> Kept {
        Kept(Arc::new(Mutex::new(connection)))
    }

    /// Uses the connection.
    pub fn with<T>(&self, body: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        body(&self.0.lock())
    }
}

/// Keeps the connection for the goodbye.
pub(super) fn keep(connection: Connection) -> Kept {
    let connection = Arc::new(Mutex::new(connection));
    if session().lock().replace(Arc::clone(&connection)).is_none() {
        at_exit::run(goodbye);
    }
    Kept(connection)
}

/// Holds the lock of the session.
#[cfg(test)]
pub(crate) fn hold() -> impl Drop {
    session().lock()
}

/// Says goodbye at the end of the world, unless MPI may still need the connection.
pub(crate) fn leave() {
    if !mpi::is_loaded() {
        goodbye();
    }
}

/// Asks the process manager to end the job with this exit code. `false`: there is none that would.
pub(crate) fn abort(code: u8) -> bool {
    let Some(session) = session().try_lock_for(HASTE) else { return false };
    let Some(connection) = session.as_ref().and_then(|connection| connection.try_lock_for(HASTE)) else {
        return false;
    };
    connection.say(&format!("cmd=abort exitcode={code}"), clock::now() + HASTE).is_ok()
}

/// Asks the process manager for a number about the job: `field` of the answer `cmd`. `None`: there is no
/// process manager, or it does not say, or the connection is another MPI's now.
pub(crate) fn number(question: &str, cmd: &str, field: &str) -> Option<i32> {
    if mpi::is_initialized() {
        return None;
    }
    let session = session().try_lock_for(PATIENCE)?;
    let connection = session.as_ref()?.try_lock_for(PATIENCE)?;
    let answer = connection.ask(question, cmd, clock::now() + PATIENCE).ok()?;
    answer.number(field)
}

/// Runs at the exit of the process, and of its children of fork.
pub(crate) extern "C" fn goodbye() {
    // The exit may have cut a thread off while it held the lock: then there is nothing to wait for.
    let Some(session) = session().try_lock_for(PATIENCE).and_then(|mut session| session.take()) else {
        return;
    };
    if mpi::is_initialized() {
        return;
    }
    let Some(connection) = session.try_lock_for(PATIENCE) else { return };
    // If nobody answers, mpiexec is gone and cannot complain.
    let _ = connection.ask("cmd=finalize", "finalize_ack", clock::now() + PATIENCE);
}
