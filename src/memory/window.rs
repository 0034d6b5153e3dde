//! A window: a peer's arena, mapped for reading, as far as the peer has sent messages out of it.
//!
//! What the peer claims is not trusted. The file must be a sealed `memfd`; otherwise the peer could truncate
//! it at any time. Each range must lie inside the file. Bytes that the peer never allocated, or has freed,
//! read as zeros.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use super::Arena;
use super::arena::identity;
use crate::sys::owned::Owned;
use crate::sys::shared_memory::sealed_size;
use crate::sys::shared_values::SharedValues;
use crate::sys::sparse_memory::{PAGE_BYTES, SparseMapping};

/// Bytes that are mapped at first.
const FIRST_BYTES: usize = 64 << 20;

/// The files of peers, which links to the same process share.
static FILES: SharedValues<(u64, u64), Owned<OwnedFd>> = SharedValues::new();

/// The file of a peer, while a link to it exists.
pub(super) fn file_of(identity: (u64, u64)) -> Option<Arc<Owned<OwnedFd>>> {
    FILES.get(&identity)
}

#[cfg(test)]
pub(crate) fn hold() -> impl Drop {
    FILES.hold()
}

/// A peer's arena.
#[derive(Debug)]
pub enum Window {
    /// The peer is a thread of this process.
    Own(&'static Arena),
    /// The peer is another process.
    Foreign {
        /// The peer's file.
        fd: Arc<Owned<OwnedFd>>,
        /// Size of the file in bytes.
        size: usize,
        /// Mapping of the beginning of the file.
        mapping: Option<SparseMapping>,
    },
}

impl Window {
    /// Makes a window on the descriptor that the peer has passed.
    pub fn new(fd: OwnedFd) -> io::Result<Window> {
        let size = usize::try_from(sealed_size(&fd)?).map_err(|_| garbage("memory without end"))?;
        if size == 0 || size % PAGE_BYTES != 0 {
            return Err(garbage("memory of an odd size"));
        }
        if let Some(arena) = Arena::existing()
            && arena.is(&fd)?
        {
            return Ok(Window::Own(arena));
        }
        // While the file is open, no other one has its identity.
        let fd = FILES.get_or(identity(&fd)?, |_| true, || Ok::<_, io::Error>(Owned::new(fd)))?;
        Ok(Window::Foreign { fd, size, mapping: None })
    }

    /// The `bytes` bytes at `offset`. They are readable until the next call, and the peer may write them
    /// meanwhile. Pointers from earlier calls are invalid afterwards.
    pub fn at(&mut self, offset: u64, bytes: u64) -> io::Result<*const u8> {
        let outside = || garbage("bytes outside of its memory");
        let offset = usize::try_from(offset).map_err(|_| outside())?;
        let bytes = usize::try_from(bytes).map_err(|_| outside())?;
        let end = offset.checked_add(bytes).ok_or_else(outside)?;
        match self {
            Window::Own(arena) => arena.at(offset, bytes).ok_or_else(outside),
            Window::Foreign { size, .. } if end > *size => Err(outside()),
            Window::Foreign { fd, size, mapping } => {
                if mapping.as_ref().is_none_or(|mapping| mapping.len() < end) {
                    // The mapping grows by doubling, so at most a few dozen times per link.
                    let len = end.max(FIRST_BYTES).next_power_of_two().min(*size);
                    *mapping = None;
                    *mapping = Some(SparseMapping::read_only(fd, len)?);
                }
                let mapping = mapping.as_ref().ok_or_else(outside)?;
                Ok(mapping.start().wrapping_add(offset).cast_const())
            }
        }
    }
}

fn garbage(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("the peer offers {what}"))
}
