//! Memory and events of other processes, by the handles of CUDA's legacy IPC.
//!
//! A handle names a socket of the process that made it, and an object there. Opening asks that socket for the
//! object's descriptor, so a handle of a process that has died opens nothing, and nothing is left behind.

pub mod events;
pub mod memory;
mod server;

use crate::status::{Result, Status};

pub use events::SharedEvent;
pub use server::withdraw;

/// A `CUipcMemHandle` or a `CUipcEventHandle`.
#[repr(C, align(8))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handle(pub [u64; 8]);

/// First word of a handle for memory.
const MEMORY: u64 = 0x6375_6970_636d_656d;
/// First word of a handle for an event.
const EVENT: u64 = 0x6375_6970_6365_7674;

impl Handle {
    /// A handle of this process for the object `id`; `size` is the size of memory, as the program asked for
    /// it.
    fn of(kind: u64, id: u64, size: u64) -> Result<Handle> {
        Ok(Handle([kind, server::stamp()?, id, size, 0, 0, 0, 0]))
    }

    /// The socket and the object, if the handle is of this kind and of another process.
    fn parse(self, kind: u64) -> Result<(u64, u64)> {
        let [found, stamp, id, ..] = self.0;
        if found != kind {
            return Err(Status::INVALID_VALUE);
        }
        if stamp == server::stamp()? {
            return Err(Status::INVALID_CONTEXT);
        }
        Ok((stamp, id))
    }
}
