//! Memory from the library: `MPI_Alloc_mem`. Other processes of the host read it in place, so messages and
//! collectives on it are not copied on their way.

use std::ffi::c_void;

use anyccl_engine::{base, memory};

use crate::arguments::InfoHandle;
use crate::error::{Class, Error, Result};
use crate::info::Pairs;

/// `MPI_Alloc_mem`.
pub unsafe fn allocate(size: i64, info: InfoHandle, place: *mut c_void) -> Result<()> {
    // The memory is aligned to cache lines or pages, which is enough for `mpi_minimum_memory_alignment`.
    let alignment = Pairs::of_handle_or_null(info)?
        .get("mpi_minimum_memory_alignment")
        .and_then(|alignment| alignment.parse::<usize>().ok());
    let bytes =
        usize::try_from(size).map_err(|_| Error::new(Class::ARG, format!("size is {size}, less than 0")))?;
    if place.is_null() {
        return Err(Error::new(Class::ARG, "baseptr is NULL"));
    }
    let start = memory::allocate(bytes.max(alignment.unwrap_or(1))).map_err(no_memory)?;
    // SAFETY: the program passes the address of a pointer.
    unsafe { place.cast::<*mut u8>().write(start) };
    Ok(())
}

#[cold]
fn no_memory(error: base::Error) -> Error {
    Error::new(Class::NO_MEM, error.to_string())
}

/// `MPI_Free_mem`.
pub unsafe fn free(base: *mut c_void) -> Result<()> {
    if base.is_null() {
        return Ok(());
    }
    memory::free(base.cast()).map_err(|error| Error::new(Class::BASE, error.to_string()))
}
