//! Typed memory: the address, count and datatype of a message.

use std::sync::Arc;

use anyccl_engine::p2p::Noncontiguous;
use anyccl_engine::sys::zeroed::{self, reserve};

use super::committed;
use super::host_memory::check_host;
use crate::arguments::DatatypeHandle;
use crate::datatype::Datatype;
use crate::error::{Class, Error, Result};
use crate::table::FIRST;

/// Memory of `count` elements of a datatype.
pub struct Typed {
    /// Address to which offsets of the datatype are relative.
    pub base: *mut u8,
    /// Number of elements.
    pub count: i64,
    /// Their datatype.
    pub datatype: Arc<Datatype>,
}

// SAFETY: the pointer is the caller's buffer, which nobody else uses until the operation is complete, on
// whatever thread it runs.
unsafe impl Send for Typed {}
// SAFETY: as above.
unsafe impl Sync for Typed {}

/// Memory of a message.
pub enum Memory {
    /// One run of bytes.
    Run(*mut u8, usize),
    /// Several runs.
    Noncontiguous(Typed),
}

/// Lower limit of the counts that only the slow path handles, because their bytes may not fit 64 bits.
/// Negative counts are also left to it.
const LARGE: u64 = 1 << 31;

/// Number of bytes of `count` elements, if they start at their address and have no holes.
#[inline(always)]
pub fn dense_bytes(count: i64, datatype: DatatypeHandle) -> Option<u64> {
    if count.cast_unsigned() >= LARGE {
        return None;
    }
    if datatype.0 >= FIRST {
        return dense_bytes_of_made(count, datatype);
    }
    Some(Datatype::predefined_size(datatype.0)? as u64 * count.cast_unsigned())
}

/// Like [`dense_bytes`], for a datatype that the program has made.
#[inline(never)]
fn dense_bytes_of_made(count: i64, datatype: DatatypeHandle) -> Option<u64> {
    match committed(datatype).ok()?.run_for(count)? {
        (0, bytes) => Some(bytes),
        _ => None,
    }
}

impl Memory {
    /// The memory of a message, after its checks. One without elements needs no datatype.
    #[inline]
    pub fn of(base: *mut u8, count: i64, datatype: DatatypeHandle) -> Result<Memory> {
        if let Some(size) = Datatype::predefined_size(datatype.0)
            && count.cast_unsigned() < LARGE
            && !base.is_null()
        {
            return Ok(Memory::Run(base, size * count as usize));
        }
        if datatype == DatatypeHandle::NULL && count == 0 {
            return Ok(Memory::Run(base, 0));
        }
        let datatype = committed(datatype)?;
        Memory::with(base, count, &datatype)
    }

    /// The memory of a message whose datatype may be used.
    #[inline]
    pub fn with(base: *mut u8, count: i64, datatype: &Arc<Datatype>) -> Result<Memory> {
        if count < 0 {
            return Err(negative(count));
        }
        if count.checked_mul(datatype.size()).is_none() {
            return Err(too_many(count));
        }
        if let Some((offset, bytes)) = datatype.run_for(count) {
            if base.is_null() && bytes > 0 && offset == 0 {
                return Err(null_buffer());
            }
            // The addition wraps: with `MPI_BOTTOM`, the offset is the address.
            let start = base.wrapping_offset(offset as isize);
            return Ok(Memory::Run(start, bytes as usize));
        }
        let typed = Typed { base, count, datatype: Arc::clone(datatype) };
        check_holes(&typed)?;
        Ok(Memory::Noncontiguous(typed))
    }
}

/// Refuses elements of a GPU whose datatype has holes. Their first byte counts.
#[inline]
pub fn check_holes(elements: &Typed) -> Result<()> {
    check_host(elements.first(), elements.bytes(), "a datatype with holes, which the processor packs")
}

impl Typed {
    /// Address of the first byte of data.
    pub fn first(&self) -> *mut u8 {
        self.base.wrapping_offset(self.datatype.true_lb() as isize)
    }

    /// Bytes of data.
    pub fn bytes(&self) -> usize {
        (self.count * self.datatype.size()) as usize
    }

    /// Copies all data into new memory.
    ///
    /// # Safety
    /// The elements are readable.
    pub unsafe fn pack(&self) -> Result<Vec<u8>> {
        let bytes = self.bytes();
        let mut packed = Vec::new();
        reserve(&mut packed, bytes).map_err(|_| no_memory(bytes))?;
        // SAFETY: promised by the caller; the new memory has that many bytes.
        let n = unsafe { self.datatype.gather(self.count, self.base, 0, packed.as_mut_ptr(), bytes) };
        // SAFETY: that many bytes were just written.
        unsafe { packed.set_len(n) };
        Ok(packed)
    }
}

/// Copies data that lies side by side.
pub fn copied(data: &[u8]) -> Result<Vec<u8>> {
    zeroed::copied(data).map_err(|_| no_memory(data.len()))
}

#[cold]
fn no_memory(bytes: usize) -> Error {
    Error::new(Class::NO_MEM, format!("no memory for a copy of {bytes} bytes"))
}

/// The engine takes the data in any order, wherever its links have room for it.
impl Noncontiguous for Typed {
    fn bytes(&self) -> usize {
        Typed::bytes(self)
    }

    unsafe fn gather(&self, position: usize, dst: *mut u8, bytes: usize) {
        // SAFETY: promised by the caller.
        unsafe { self.datatype.gather(self.count, self.base, position, dst, bytes) };
    }

    unsafe fn scatter(&self, position: usize, src: *const u8, bytes: usize) {
        // SAFETY: promised by the caller.
        unsafe { self.datatype.scatter(self.count, self.base, position, src, bytes) };
    }
}

#[cold]
fn negative(count: i64) -> Error {
    Error::new(Class::COUNT, format!("the count is {count}"))
}

#[cold]
fn too_many(count: i64) -> Error {
    Error::new(Class::COUNT, format!("{count} elements of the datatype exceed memory"))
}

#[cold]
fn null_buffer() -> Error {
    Error::new(Class::BUFFER, "the buffer is NULL, and the count is not 0")
}
