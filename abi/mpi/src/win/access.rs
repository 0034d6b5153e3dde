//! Put and get: copies between the program's elements and those of a rank.

use std::sync::Arc;

use super::countdown::Countdown;
use super::distant;
use super::local::Local;
use super::remote::Remote;
use crate::error::Result;
use crate::types::memory::Memory;

/// Bytes that are packed at a time.
pub(super) const PIECE: usize = 1 << 20;

/// Writes elements to a target.
///
/// # Safety
/// The origin's elements are readable.
pub unsafe fn put(origin: &Local, remote: &Remote) -> Result<()> {
    remote.check_room(origin.bytes, true)?;
    if remote.is_distant() {
        // SAFETY: passed on from our caller.
        return unsafe { distant::put(origin, remote) };
    }
    if let Memory::Run(start, bytes) = &origin.memory {
        // SAFETY: promised by the caller; the target has room.
        return unsafe { remote.write(0, *start, *bytes) };
    }
    let mut buffer = vec![0u8; PIECE.min(origin.bytes)];
    let mut done = 0;
    while done < origin.bytes {
        let len = buffer.len().min(origin.bytes - done);
        // SAFETY: promised by the caller; the buffer has room.
        unsafe { origin.pack(done, buffer.as_mut_ptr(), len) };
        // SAFETY: the buffer has these bytes; the target has room.
        unsafe { remote.write(done, buffer.as_ptr(), len) }?;
        done += len;
    }
    Ok(())
}

/// Reads elements of a target. Where that is under way afterwards, returns what tells the end.
///
/// # Safety
/// The origin's elements are writable until then.
pub unsafe fn get(origin: Local, remote: &Remote) -> Result<Option<Arc<Countdown>>> {
    remote.check_room(origin.bytes, false)?;
    if remote.is_distant() {
        // SAFETY: passed on from our caller.
        return unsafe { distant::get(origin, remote) }.map(Some);
    }
    // SAFETY: passed on from our caller; the origin has room.
    unsafe { read(&origin, remote) }.map(|()| None)
}

/// Reads elements of a target of this host.
///
/// # Safety
/// The origin's elements are writable, and have room.
unsafe fn read(origin: &Local, remote: &Remote) -> Result<()> {
    if let Memory::Run(start, _) = &origin.memory {
        // SAFETY: promised by the caller; the origin has room.
        return unsafe { remote.read(0, *start, remote.bytes) };
    }
    let mut buffer = vec![0u8; PIECE.min(remote.bytes)];
    let mut done = 0;
    while done < remote.bytes {
        let len = buffer.len().min(remote.bytes - done);
        // SAFETY: the buffer has room.
        unsafe { remote.read(done, buffer.as_mut_ptr(), len) }?;
        // SAFETY: promised by the caller; the origin has room.
        unsafe { origin.unpack(done, buffer.as_ptr(), len) };
        done += len;
    }
    Ok(())
}
