//! Memory of another process of the host, mapped here for reading and writing: `anyccl_mem_import`.
//!
//! The owner writes a handle, which names its arena and a range in it. The importer maps that range of the
//! file. The file was passed to all processes whose ranks share memory with one of the owner, before the
//! handle was written (`peers`). Others do not know the file, and refuse the handle.
//!
//! A handle comes from another process, so nothing in it is trusted: the range must lie inside the file,
//! which cannot shrink. Whatever it says, a process can only reach memory that its peers have given it. What
//! it writes there can spoil bytes of the program and scratch of its calls; the list of allocations lies
//! elsewhere. No page is populated here: a handle that names holes of the file would fill the memory.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use super::window::file_of;
use super::{Arena, peers};
use crate::base::{Error, Result};
use crate::sys::clock;
use crate::sys::host::machine_id;
use crate::sys::owned::Owned;
use crate::sys::per_process::PerProcess;
use crate::sys::shared_memory::sealed_size;
use crate::sys::sparse_memory::{PAGE_BYTES, SparseMapping};

/// Size of a handle.
pub const HANDLE_BYTES: usize = 64;
/// Longest wait for a file that some peer has not passed yet, and the time between two looks for it.
const PATIENCE: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(1);
const MARK: u64 = u64::from_le_bytes(*b"anyccl m");
/// Numbers in a handle: mark, machine, device and inode of the file, offset, length; two are zero.
const NUMBERS: usize = HANDLE_BYTES / 8;

/// The imports of this process.
static IMPORTS: PerProcess<Mutex<Vec<Import>>> = PerProcess::new();

/// Memory of another process that this one has mapped.
struct Import {
    /// First byte.
    start: usize,
    /// `None`: memory of this process, exported by one of its threads.
    _mapping: Option<SparseMapping>,
}

/// Holds the lock of the imports.
#[cfg(test)]
pub(crate) fn hold() -> impl Drop {
    IMPORTS.get_or(Mutex::default).value.lock()
}

/// The handle by which other processes of this host map bytes of one live allocation of this process.
pub fn export(start: *const u8, bytes: usize) -> Result<[u8; HANDLE_BYTES]> {
    let handle = Arena::existing().and_then(|arena| handle_of(arena, start, bytes)).ok_or_else(|| {
        let got =
            format!("{start:p}, {bytes} bytes that are not part of one live allocation of this process");
        Error::InvalidArgument { what: "ptr", got }
    })?;
    peers::pass_to_all();
    Ok(handle)
}

/// `None`: the bytes are not part of one live allocation of the arena.
pub(super) fn handle_of(arena: &Arena, start: *const u8, bytes: usize) -> Option<[u8; HANDLE_BYTES]> {
    let offset = arena.offset_in_allocation(start, bytes)?;
    let (device, inode) = arena.identity();
    let numbers = [MARK, machine(), device, inode, offset as u64, bytes as u64, 0, 0];
    let mut handle = [0; HANDLE_BYTES];
    for (place, number) in handle.chunks_exact_mut(8).zip(numbers) {
        place.copy_from_slice(&number.to_le_bytes());
    }
    Some(handle)
}

/// Maps the memory that a handle names, and returns its address and length. It is readable and writable until
/// [`release`], and its owner and others use it meanwhile.
pub fn import(handle: &[u8; HANDLE_BYTES]) -> Result<(*mut u8, usize)> {
    let mut numbers = [0; NUMBERS];
    for (number, place) in numbers.iter_mut().zip(handle.as_chunks().0) {
        *number = u64::from_le_bytes(*place);
    }
    let [mark, of_machine, device, inode, offset, bytes, ..] = numbers;
    let invalid = |got: &str| Error::InvalidArgument { what: "handle", got: got.to_owned() };
    if mark != MARK {
        return Err(invalid("bytes that anyccl_mem_export has not written"));
    }
    if of_machine != machine() {
        return Err(Error::Unsupported("the memory is that of another host".into()));
    }
    let outside = || invalid("a range outside of the memory of its process");
    let offset = usize::try_from(offset).map_err(|_| outside())?;
    let bytes = usize::try_from(bytes).ok().filter(|&bytes| bytes > 0).ok_or_else(outside)?;
    let (start, mapping) = match Arena::existing().filter(|arena| arena.identity() == (device, inode)) {
        Some(arena) => (arena.at(offset, bytes).ok_or_else(outside)?.cast_mut(), None),
        None => {
            let fd = file_of_peer((device, inode)).ok_or_else(|| {
                Error::Unsupported(
                    "no rank of this process shares memory with the owner of the handle, or this process had no \
                     descriptor for it (ulimit -n)"
                        .into(),
                )
            })?;
            let refused = |e| Error::system("cannot map the memory of another process", e);
            let size = sealed_size(&fd).map_err(refused)?;
            let end = offset.checked_add(bytes).ok_or_else(outside)?;
            if end as u64 > size {
                return Err(outside());
            }
            let (start, mapping) = map(&fd, offset, bytes).map_err(refused)?;
            (start, Some(mapping))
        }
    };
    let import = Import { start: start.addr(), _mapping: mapping };
    IMPORTS.get_or(Mutex::default).value.lock().push(import);
    Ok((start, bytes))
}

/// Undoes one [`import`].
pub fn release(start: *mut u8) -> Result<()> {
    let mut imports = IMPORTS.get_or(Mutex::default).value.lock();
    match imports.iter().position(|import| import.start == start.addr()) {
        Some(at) => {
            imports.swap_remove(at);
            Ok(())
        }
        None => {
            let got = format!("{start:p}, which this process has not imported");
            Err(Error::InvalidArgument { what: "ptr", got })
        }
    }
}

/// The file of a peer. If the kernel has refused to pass it, because too many files are on their way, the
/// owner passes it when it looks at its links again.
fn file_of_peer(identity: (u64, u64)) -> Option<Arc<Owned<OwnedFd>>> {
    let end = clock::now() + PATIENCE;
    loop {
        // What has come is taken before the last look.
        let known = file_of(identity);
        let is_pending = known.is_none() && peers::take_from_all();
        let known = known.or_else(|| file_of(identity));
        if known.is_some() || !is_pending || clock::now() >= end {
            return known;
        }
        clock::sleep(PAUSE);
    }
}

/// Maps a range of a file, and what is before it in its first page.
fn map(fd: &OwnedFd, offset: usize, bytes: usize) -> io::Result<(*mut u8, SparseMapping)> {
    let before = offset % PAGE_BYTES;
    let mapping = SparseMapping::read_write(fd, offset - before, before + bytes)?;
    Ok((mapping.start().wrapping_add(before), mapping))
}

/// Number of this machine. Files of different machines may have the same identity.
fn machine() -> u64 {
    let start = 0xcbf2_9ce4_8422_2325;
    machine_id().bytes().fold(start, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
