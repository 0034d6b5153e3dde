//! Handles of communicators: the objects behind them, and how a handle is looked up.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyccl_edge::{Handles, ObjectRef, Pinned};
use anyccl_engine::base::{Error, Result};
use anyccl_engine::comm::Communicator;

/// Opaque type behind anyccl_comm_t.
pub struct anyccl_comm {
    _opaque: [u8; 0],
}

/// Handle of a communicator.
///
/// Handles can be copied and compared. A handle whose communicator was destroyed is recognized and refused.
/// NULL is ANYCCL_WORLD.
pub type anyccl_comm_t = *mut anyccl_comm;

/// The object behind a handle. Calls and open requests hold it as well, so anyccl_comm_destroy can count
/// them.
pub struct Comm {
    pub engine: Arc<Communicator>,
    pub is_world: bool,
}

pub static COMMS: Handles<Comm> = Handles::new("comm");

/// ANYCCL_COMM_NONE as a number, which no handle has. The header defines it as a handle.
pub(crate) const NONE: usize = 1;

/// Handle of the world; 0 before anyccl_init. It stays after anyccl_finalize, and is unknown from then on.
pub static WORLD: AtomicUsize = AtomicUsize::new(0);

/// The handle in [`WORLD`].
#[inline(always)]
fn world_handle() -> usize {
    WORLD.load(Ordering::Acquire)
}

/// The world, or the error that tells why there is none. Always inlined: it is part of every small call.
#[inline(always)]
pub fn world() -> Result<ObjectRef<'static, Comm>> {
    match world_handle() {
        0 => Err(Error::InvalidUsage("there is no world yet: call anyccl_init first".into())),
        handle => COMMS.get(handle).map_err(finalized),
    }
}

/// Explains an unknown handle of the world: anyccl_finalize was called.
pub fn finalized(error: Error) -> Error {
    match error {
        Error::InvalidArgument { .. } => {
            Error::InvalidUsage("the world is finalized; this process cannot enter it again".into())
        }
        other => other,
    }
}

impl Comm {
    /// The communicator behind a handle from C.
    #[inline]
    pub fn from_handle(handle: anyccl_comm_t) -> Result<ObjectRef<'static, Comm>> {
        if handle.is_null() {
            world()
        } else {
            COMMS.get(handle.addr()).map_err(|error| explain(handle, error))
        }
    }

    /// Like [`Comm::from_handle`], with the fewest instructions. `None`: call that one. Always inlined: it is
    /// part of every small call.
    #[inline(always)]
    pub fn if_known(handle: anyccl_comm_t) -> Option<Pinned<'static, Comm>> {
        COMMS.pin(if handle.is_null() { world_handle() } else { handle.addr() })
    }

    /// Whether the communicator may be destroyed: it has no unfinished call or request, or it has failed.
    pub fn may_go(&self, users: usize) -> Result<()> {
        if users == 0 || self.engine.failure().is_some() {
            return Ok(());
        }
        Err(Error::InvalidUsage(format!(
            "{users} calls or requests of the communicator are not finished; wait for them or abort it first"
        )))
    }
}

#[cold]
fn explain(handle: anyccl_comm_t, error: Error) -> Error {
    if handle.addr() != NONE {
        return error;
    }
    let got = "ANYCCL_COMM_NONE: this rank is not in that communicator".to_string();
    Error::InvalidArgument { what: "comm", got }
}

/// A handle in the type of C.
pub fn to_c(handle: usize) -> anyccl_comm_t {
    std::ptr::without_provenance_mut(handle)
}
