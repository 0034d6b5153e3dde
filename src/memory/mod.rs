//! Memory that the other ranks of the host can read in place: `anyccl_mem_alloc`.
//!
//! Each process has one [`Arena`]. It is a `memfd`, far larger than what is ever in use, and sealed so that
//! it never shrinks. It has pages only for what is allocated in it; freed pages are punched out. Peers get
//! its descriptor once, when they first talk or a handle is written. They map it for reading as far as they
//! need ([`Window`]).
//!
//! So sending a buffer without a copy means sending an offset. No buffer has to be announced, looked up or
//! revoked. Descriptors and mappings stay the same over any number of allocations. Whatever happens to a
//! buffer, a peer that reads it reads bytes of an existing file.
//!
//! - `carver` finds room in the arena; it is arithmetic only.
//! - `arena` owns the memory of this process.
//! - `window` is a peer's arena as this process sees it. What the peer claims is checked first.
//! - `imports` are ranges of a peer's arena that the program reads and writes itself.
//! - `peers` are the engines, which pass the arena on.
//! - `registrations` are ranges that the program has registered. Those of the arena stay allocated until they
//!   are deregistered.

mod arena;
mod carver;
mod imports;
mod peers;
mod registrations;
mod window;

use crate::base::{Error, Result};
use crate::sys::populate::populate;

pub use arena::Arena;
pub(crate) use carver::Carver;
#[cfg(test)]
pub(crate) use imports::hold as hold_imports;
pub use imports::{HANDLE_BYTES, export, import, release};
#[cfg(test)]
pub(crate) use peers::hold as hold_peers;
pub use peers::{ArenaPeers, add_peers, has_exported};
pub use window::Window;
#[cfg(test)]
pub(crate) use window::hold as hold_windows;

/// Allocates `bytes` bytes that peers can read. Their content is undefined. They are aligned to 64 bytes, or
/// to 4 KiB from 4 KiB on.
pub fn allocate(bytes: usize) -> Result<*mut u8> {
    Arena::of_this_process()?.allocate(bytes)
}

/// Frees memory that `allocate` returned in this process.
pub fn free(start: *mut u8) -> Result<()> {
    if let Some(arena) = Arena::existing()
        && arena.free(start)?
    {
        return Ok(());
    }
    if Arena::is_inherited(start) {
        let text = format!("{start:p} belongs to the process that this one was forked from");
        return Err(Error::InvalidUsage(text));
    }
    let got = format!("{start:p}, which is no live allocation of this process");
    Err(Error::InvalidArgument { what: "ptr", got })
}

/// Prepares memory for use by calls, until [`deregister`]. Returns whether peers read it in place.
pub fn register(start: *const u8, bytes: usize) -> Result<bool> {
    let arena = Arena::of_this_process()?;
    if let Some(is_registered) = arena.register(start, bytes) {
        let got = || format!("{start:p}, {bytes} bytes that are not part of one live allocation");
        return if is_registered {
            Ok(true)
        } else {
            Err(Error::InvalidArgument { what: "ptr", got: got() })
        };
    }
    let refused = |e| Error::system(format!("cannot get pages for {bytes} bytes at {start:p}"), e);
    if !populate(start, bytes).map_err(refused)? {
        let got = format!("{start:p}, {bytes} bytes some of which cannot be read");
        return Err(Error::InvalidArgument { what: "ptr", got });
    }
    arena.note(start, bytes);
    Ok(false)
}

/// Undoes one [`register`] of exactly these bytes.
pub fn deregister(start: *const u8, bytes: usize) -> Result<()> {
    if Arena::existing().is_some_and(|arena| arena.deregister(start, bytes)) {
        return Ok(());
    }
    let got = format!("{start:p}, {bytes} bytes that this process has not registered");
    Err(Error::InvalidArgument { what: "ptr", got })
}

#[cfg(test)]
mod tests;
