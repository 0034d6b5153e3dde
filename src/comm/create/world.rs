//! The communicator of the whole job, of which each process has one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Mutex, MutexGuard};

use crate::base::{Error, Result};
use crate::bootstrap;
use crate::comm::communicator::{CommConfig, Communicator};
use crate::config::Config;
use crate::sys::clock;
use crate::sys::per_process::PerProcess;

enum World {
    NotYet,
    Here(Arc<Communicator>),
    Gone,
    /// A world of the process that this one was forked from. It is no world of this process.
    OfParent,
}

static WORLD: PerProcess<Mutex<World>> = PerProcess::new();
/// Whether this process, or one that it was forked from, has begun to join a world.
static HAS_JOINED: AtomicBool = AtomicBool::new(false);

/// The world of this process, locked.
fn lock() -> MutexGuard<'static, World> {
    cell().lock()
}

/// Holds the lock of the world, as a thread does that joins one.
#[cfg(test)]
pub(in crate::comm) fn hold() -> impl Drop {
    lock()
}

fn cell() -> &'static Mutex<World> {
    let first = || if HAS_JOINED.load(Ordering::Relaxed) { World::OfParent } else { World::NotYet };
    &WORLD.get_or(|| Mutex::new(first())).value
}

/// Joins the job that the environment describes. A second call returns the same world. After
/// [`world_finalize`] there is no world any more.
pub fn world_init(config: &Config, own: &CommConfig) -> Result<Arc<Communicator>> {
    enter(config, own, bootstrap::job_from_environment)
}

/// Joins the job like [`world_init`], for programs that do not know anyccl. An incomplete description of a
/// job in the environment counts as none.
pub fn world_init_or_alone(config: &Config, own: &CommConfig) -> Result<Arc<Communicator>> {
    enter(config, own, bootstrap::job_from_environment_or_alone)
}

fn enter(
    config: &Config,
    own: &CommConfig,
    find: fn(&Config, Instant) -> Result<bootstrap::Job>,
) -> Result<Arc<Communicator>> {
    // The lock is held during the set-up, so a second thread waits for the first one's world.
    let mut world = lock();
    match &*world {
        World::Here(comm) => return Ok(Arc::clone(comm)),
        World::Gone => return Err(finalized()),
        World::OfParent => return Err(forked()),
        World::NotYet => {}
    }
    HAS_JOINED.store(true, Ordering::Relaxed);
    let timeout = own.timeout.or(config.timeout).filter(|t| !t.is_zero());
    let deadline = clock::now() + timeout.unwrap_or(Duration::from_secs(365 * 24 * 3600));
    let own = CommConfig { name: own.name.clone().or_else(|| Some("world".into())), ..own.clone() };
    let job = find(config, deadline)?;
    let comm = Communicator::join(job, config, &own)?.shared();
    *world = World::Here(Arc::clone(&comm));
    Ok(comm)
}

/// The world, if it exists.
pub fn world() -> Result<Arc<Communicator>> {
    match &*lock() {
        World::Here(comm) => Ok(Arc::clone(comm)),
        World::Gone => Err(finalized()),
        World::OfParent => Err(forked()),
        World::NotYet => Err(Error::InvalidUsage("there is no world yet: call anyccl_init first".into())),
    }
}

/// The world, if it exists and no thread is joining or leaving it. Never waits.
pub fn world_now() -> Option<Arc<Communicator>> {
    match &*cell().try_lock()? {
        World::Here(comm) => Some(Arc::clone(comm)),
        World::Gone | World::NotYet | World::OfParent => None,
    }
}

/// Whether this process was forked from one that had begun to join a world.
pub fn is_world_of_parent() -> bool {
    matches!(cell().try_lock().as_deref(), Some(World::OfParent))
}

/// Leaves the world. Collective.
pub fn world_finalize() -> Result<()> {
    let comm = world()?;
    let outcome = comm.finalize();
    bootstrap::leave_launcher();
    *lock() = World::Gone;
    outcome
}

fn finalized() -> Error {
    Error::InvalidUsage("the world is finalized; it cannot be entered again by this process".into())
}

fn forked() -> Error {
    let text = "the world belongs to the process that this one was forked from; only that process may use it";
    Error::InvalidUsage(text.into())
}
