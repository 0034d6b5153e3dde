//! Memory and events of other processes, by the handles of CUDA's legacy IPC.
//!
//! A handle names a process and a descriptor there, so a handle of a process that has died opens nothing, and
//! nothing is left behind.

pub mod events;
mod foreign;
pub mod memory;
mod shared_event;

use crate::memory_file::MemoryFile;
use crate::status::{Result, Status};

use foreign::Object;
pub use foreign::check_free;
pub use shared_event::SharedEvent;

/// A `CUipcMemHandle` or a `CUipcEventHandle`.
#[repr(C, align(8))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handle(pub [u64; 8]);

/// First word of a handle for memory.
const MEMORY: u64 = 0x6375_6970_636d_656d;
/// First word of a handle for an event.
const EVENT: u64 = 0x6375_6970_6365_7674;

impl Handle {
    /// A handle for an object of this process; `size` is the size of memory, as the program asked for it.
    fn of(kind: u64, file: &MemoryFile, size: u64) -> Handle {
        Handle([kind, u64::from(std::process::id()), file.descriptor() as u64, file.inode(), size, 0, 0, 0])
    }

    /// The object and the size of memory, if the handle is of this kind and of another process.
    fn parse(self, kind: u64) -> Result<(Object, u64)> {
        let [found, pid, descriptor, inode, size, ..] = self.0;
        if found != kind {
            return Err(Status::INVALID_VALUE);
        }
        if pid == u64::from(std::process::id()) {
            return Err(Status::INVALID_CONTEXT);
        }
        Ok((Object { pid, descriptor, inode }, size))
    }
}
