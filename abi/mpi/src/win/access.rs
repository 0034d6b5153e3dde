//! Put and get: copies between the program's elements and those of a rank.

use std::sync::Arc;

use super::countdown::Countdown;
use super::distant;
use super::remote::Remote;
use crate::arguments::DatatypeHandle;
use crate::datatype::Datatype;
use crate::error::Result;
use crate::types::host_memory::check_host;
use crate::types::memory::Memory;
use crate::types::{Typed, committed};

/// Bytes that are packed at a time.
pub(super) const PIECE: usize = 1 << 20;

/// Elements of this process.
pub struct Local {
    memory: Memory,
    /// Their datatype.
    pub datatype: Arc<Datatype>,
    /// Bytes of data.
    pub bytes: usize,
}

// SAFETY: the memory is the program's, which nobody else uses until the access is complete, on whatever
// thread the answer of another host is taken.
unsafe impl Send for Local {}
// SAFETY: as above. Each answer is written once, to bytes of its own.
unsafe impl Sync for Local {}

impl Local {
    /// The elements of an argument. They are used until the call returns.
    pub fn of(base: *mut u8, count: i64, datatype: DatatypeHandle) -> Result<Local> {
        let datatype = Arc::clone(&*committed(datatype)?);
        let memory = Memory::with(base, count, &datatype)?;
        let bytes = (datatype.size() * count) as usize;
        let typed = Typed { base, count, datatype: Arc::clone(&datatype) };
        check_host(typed.first(), bytes, "access to a window, which the processor makes")?;
        Ok(Local { memory, datatype, bytes })
    }

    /// Packed bytes from `position` on, copied to `dst`.
    ///
    /// # Safety
    /// The elements are readable and have these bytes; `dst` is writable for `len` bytes.
    pub unsafe fn pack(&self, position: usize, dst: *mut u8, len: usize) {
        match &self.memory {
            // SAFETY: promised by the caller.
            Memory::Run(start, _) => unsafe { std::ptr::copy(start.wrapping_add(position), dst, len) },
            Memory::Noncontiguous(typed) => {
                // SAFETY: promised by the caller.
                unsafe { typed.datatype.gather(typed.count, typed.base, position, dst, len) };
            }
        }
    }

    /// Copies bytes at `src` to packed bytes from `position` on.
    ///
    /// # Safety
    /// The elements are writable and have these bytes; `src` is readable for `len` bytes.
    pub unsafe fn unpack(&self, position: usize, src: *const u8, len: usize) {
        match &self.memory {
            // SAFETY: promised by the caller.
            Memory::Run(start, _) => unsafe { std::ptr::copy(src, start.wrapping_add(position), len) },
            Memory::Noncontiguous(typed) => {
                // SAFETY: promised by the caller.
                unsafe { typed.datatype.scatter(typed.count, typed.base, position, src, len) };
            }
        }
    }
}

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
