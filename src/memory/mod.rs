//! Memory that the other ranks of the host can read where it is: `anyccl_mem_alloc`.
//!
//! Each process has one [`Arena`]: a `memfd`, far larger than what is ever in use, sealed so that it never
//! shrinks. It takes no memory but for what is allocated in it; what is freed is punched out. Peers get its
//! descriptor when they connect, once, and map it for reading as far as they need ([`Window`]).
//!
//! So sending a buffer without a copy is telling an offset. There is nothing to announce, to look up or to
//! cancel per buffer. Descriptors and mappings stay the same over any number of allocations. Whatever becomes
//! of a buffer, a peer that reads it reads bytes of a file that is there.
//!
//! - `carver` finds room in the arena: arithmetic only.
//! - `arena` owns the memory of this process.
//! - `window` is a peer's arena, seen from here. The peer's word is checked before it is believed.
//! - `registrations` are ranges that the program has registered: those of the arena stay until they are
//!   deregistered.

mod arena;
mod carver;
mod registrations;
mod window;

use crate::base::{Error, Result};
use crate::sys::populate::populate;

pub use arena::Arena;
pub use window::Window;

/// Allocates `bytes` bytes that peers can read. Their content is undefined. Aligned to 64 bytes, from 4 KiB
/// on to 4 KiB.
pub fn allocate(bytes: usize) -> Result<*mut u8> {
    Arena::of_this_process()?.allocate(bytes)
}

/// Frees memory that `allocate` gave in this process.
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

/// Prepares memory for being used by calls, until [`deregister`]. Says whether peers read it where it is.
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
