//! The memory of an access: the program's elements, as the bytes that the file holds.

use std::sync::Arc;

use super::exchange::resize;
use super::representation::Representation;
use crate::arguments::DatatypeHandle;
use crate::error::Result;
use crate::types::host_memory::check_host;
use crate::types::memory::Memory;
use crate::types::{Typed, committed};

/// Bytes that are packed at a time, if memory is not one run.
const PIECE: usize = 4 << 20;

/// Elements in the program's memory.
pub struct Elements {
    data: Data,
    /// Length of the data in the file.
    pub bytes: usize,
    /// The elements, if the data is converted.
    converted: Option<Typed>,
}

/// Where the bytes of the file are in memory.
enum Data {
    /// One run of the program's memory.
    Run(*mut u8),
    /// Several runs of it.
    Typed(Typed),
    /// A converted copy.
    Copy(Vec<u8>),
}

impl Elements {
    /// The elements of an access. `is_written`: to the file.
    ///
    /// # Safety
    /// Until this is dropped, the elements are readable, and if they are not written to the file, writable.
    pub unsafe fn of(
        base: *mut u8,
        count: i64,
        datatype: DatatypeHandle,
        representation: Representation,
        is_written: bool,
    ) -> Result<Elements> {
        let datatype = Arc::clone(&*committed(datatype)?);
        let memory = Memory::with(base, count, &datatype)?;
        let bytes = representation.bytes_of(&datatype, count)? as usize;
        let typed = Typed { base, count, datatype };
        check_host(typed.first(), typed.bytes(), "access to a file, which the processor makes")?;
        if !representation.is_converted() {
            let data = match memory {
                Memory::Run(start, _) => Data::Run(start),
                Memory::Noncontiguous(typed) => Data::Typed(typed),
            };
            return Ok(Elements { data, bytes, converted: None });
        }
        let mut copy = Vec::new();
        resize(&mut copy, bytes)?;
        if is_written {
            // SAFETY: the elements are readable, as our caller promises; the copy has as many bytes as they.
            unsafe { typed.datatype.pack_external(count, base, copy.as_mut_ptr()) }?;
        }
        Ok(Elements { data: Data::Copy(copy), bytes, converted: Some(typed) })
    }

    /// Up to `len` bytes from byte `at` on, to be written to the file. They may be packed into `packed`.
    pub fn piece<'a>(&'a self, at: usize, len: usize, packed: &'a mut Vec<u8>) -> Result<&'a [u8]> {
        Ok(match &self.data {
            // SAFETY: `of` was promised that these bytes are readable until `self` is dropped.
            Data::Run(start) => unsafe { std::slice::from_raw_parts(start.wrapping_add(at), len) },
            Data::Copy(copy) => &copy[at..at + len],
            Data::Typed(typed) => {
                resize(packed, len.min(PIECE))?;
                let (place, len) = (packed.as_mut_ptr(), packed.len());
                // SAFETY: `of` was promised that the elements are readable; `packed` has `len` bytes.
                unsafe { typed.datatype.gather(typed.count, typed.base, at, place, len) };
                packed
            }
        })
    }

    /// Writes bytes of the file to the elements, from byte `at` on.
    pub fn put(&mut self, at: usize, bytes: &[u8]) {
        match &mut self.data {
            // SAFETY: `of` was promised that these bytes are writable until `self` is dropped. `bytes` is a
            // buffer of this library, which does not overlap them.
            Data::Run(start) => unsafe {
                std::ptr::copy_nonoverlapping(bytes.as_ptr(), start.wrapping_add(at), bytes.len());
            },
            Data::Copy(copy) => copy[at..at + bytes.len()].copy_from_slice(bytes),
            Data::Typed(typed) => {
                // SAFETY: `of` was promised that the elements are writable; they do not overlap `bytes`.
                unsafe { typed.datatype.scatter(typed.count, typed.base, at, bytes.as_ptr(), bytes.len()) };
            }
        }
    }

    /// Lets `read` fill up to `len` bytes from byte `at` on. Returns the number of bytes that it was asked
    /// for, and of those that it has read.
    pub fn fill(
        &mut self,
        at: usize,
        len: usize,
        buffer: &mut Vec<u8>,
        read: impl FnOnce(&mut [u8]) -> Result<usize>,
    ) -> Result<(usize, usize)> {
        match &mut self.data {
            Data::Run(start) => {
                // SAFETY: `of` was promised that these bytes are writable until `self` is dropped. The
                // program does not use them meanwhile; every byte is a value of `u8`.
                let target = unsafe { std::slice::from_raw_parts_mut(start.wrapping_add(at), len) };
                Ok((len, read(target)?))
            }
            Data::Copy(copy) => Ok((len, read(&mut copy[at..at + len])?)),
            Data::Typed(_) => {
                let len = len.min(PIECE);
                resize(buffer, len)?;
                let done = read(buffer)?;
                self.put(at, &buffer[..done]);
                Ok((len, done))
            }
        }
    }

    /// Ends the access: converts what was read. Returns the number of bytes of elements in memory for `bytes`
    /// bytes of the file.
    pub fn finish(self, bytes: usize, is_written: bool) -> Result<i64> {
        let (Data::Copy(copy), Some(typed)) = (&self.data, &self.converted) else { return Ok(bytes as i64) };
        if is_written {
            return Ok(typed.bytes() as i64);
        }
        let source = copy.as_ptr();
        // SAFETY: `of` was promised that the elements are writable; the copy has the bytes of all elements.
        let native = unsafe { typed.datatype.unpack_external_part(typed.count, typed.base, source, bytes) }?;
        Ok(native as i64)
    }
}
