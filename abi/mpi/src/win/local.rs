//! Elements of this process, which an access reads or writes.

use std::sync::Arc;

use crate::arguments::DatatypeHandle;
use crate::datatype::Datatype;
use crate::error::Result;
use crate::types::host_memory::check_host;
use crate::types::memory::Memory;
use crate::types::{Typed, committed};

/// Elements of this process.
pub struct Local {
    pub memory: Memory,
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
