//! Physical memory as a descriptor: `cuMemExportToShareableHandle`, `cuMemImportFromShareableHandle`.

use std::os::fd::{BorrowedFd, IntoRawFd};

use super::{DESCRIPTOR, PHYSICAL, add};
use crate::argument::Out;
use crate::context;
use crate::counts;
use crate::device;
use crate::entry::call;
use crate::memory_file::MemoryFile;
use crate::status::{Status, require};

/// `cuMemExportToShareableHandle`. The program owns the descriptor.
#[unsafe(no_mangle)]
pub extern "C" fn cuMemExportToShareableHandle(
    descriptor: Out<i32>,
    handle: u64,
    kind: u32,
    flags: u64,
) -> Status {
    call("cuMemExportToShareableHandle", || {
        require(!descriptor.is_null() && kind == DESCRIPTOR && flags == 0)?;
        let all = PHYSICAL.lock();
        let physical = all.get(&handle).ok_or(Status::INVALID_VALUE)?;
        require(physical.file.handle_types & u64::from(kind) != 0)?;
        let given = physical.file.duplicate()?.into_raw_fd();
        counts::note_descriptor(given);
        descriptor.set(given)
    })
}

/// `cuMemImportFromShareableHandle`. The descriptor stays the program's.
#[unsafe(no_mangle)]
pub extern "C" fn cuMemImportFromShareableHandle(handle: Out<u64>, descriptor: usize, kind: u32) -> Status {
    call("cuMemImportFromShareableHandle", || {
        let context = context::current()?;
        let descriptor = descriptor as i32;
        require(!handle.is_null() && kind == DESCRIPTOR && descriptor >= 0)?;
        // SAFETY: not -1; a descriptor that is not open is an error of the duplication.
        let borrowed = unsafe { BorrowedFd::borrow_raw(descriptor) };
        let copy = borrowed.try_clone_to_owned().map_err(|_| Status::INVALID_VALUE)?;
        let file = MemoryFile::from_descriptor(copy)?;
        require(file.handle_types & u64::from(kind) != 0)?;
        let device = device::by_position(file.device as usize).unwrap_or(context.device);
        handle.set(add(file, device, false))
    })
}
