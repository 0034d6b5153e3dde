//! Memory that the other ranks of the host can read where it is.

use std::ffi::c_void;

use anyccl_edge::Out;
use anyccl_engine::memory;

use crate::status::{anyccl_status_t, edge};

/// Allocates memory that the other ranks of this host read where it is: a message in it is not copied on its way.
///
/// \param bytes  [in] Any number; 0 gives NULL.
/// \param ptr    [out] The first byte. Written only on ANYCCL_SUCCESS.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when ptr is NULL; ANYCCL_ERR_SYSTEM when there is not so much
///          memory.
///
/// Local. Any thread; needs no communicator, and serves all of them, made before or after. Such memory is ordinary memory
/// to the program. Calls take it, or any part of it, for any of their buffers; it pays for what is sent, from 8 KiB
/// on, out of place or in an in-place call that sends each element once. Calls of other ranks may use other memory.
/// Over TCP it is memory like any other. Its content is undefined at first. Aligned to 64 bytes, from 4096 bytes on to
/// 4096. The pages are there when the call returns: allocate once, not per call. Other processes of the same job can
/// read it at any time: put no secret into it.
/// After fork parent and child share it, as with MAP_SHARED. Replaces MPI_Alloc_mem and ncclMemAlloc.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_mem_alloc(bytes: usize, ptr: *mut *mut c_void) -> anyccl_status_t {
    edge("anyccl_mem_alloc", || {
        // SAFETY: the caller promises a writable pointer or NULL.
        let place = unsafe { Out::new(ptr, "ptr") }?;
        place.set(if bytes == 0 { std::ptr::null_mut() } else { memory::allocate(bytes)?.cast() });
        Ok(())
    })
}

/// Frees memory of anyccl_mem_alloc.
///
/// \param ptr  [in] Taken. What anyccl_mem_alloc gave; NULL is nothing to free.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when ptr is not, or no longer, such memory;
///          ANYCCL_ERR_INVALID_USAGE in a child of fork for memory of its parent. In these cases nothing has changed.
///
/// Local. Any thread. No call may be using the memory; where one does, its result is undefined on the ranks that read
/// it, and nothing else happens to them. Replaces MPI_Free_mem and ncclMemFree.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_mem_free(ptr: *mut c_void) -> anyccl_status_t {
    edge("anyccl_mem_free", || if ptr.is_null() { Ok(()) } else { memory::free(ptr.cast()) })
}
