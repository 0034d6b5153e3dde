//! Memory that the other ranks of the host can read where it is, and memory of devices.

use std::ffi::{c_int, c_uchar, c_void};

use anyccl_edge::Out;
use anyccl_edge::check::not_null;
use anyccl_engine::base::{Error, Result};
use anyccl_engine::device::allocations::{self, DeviceMemory};
use anyccl_engine::memory;

use crate::status::{anyccl_status_t, edge};

/// Allocates memory that the other ranks of this host read where it is: a message in it is not copied on its
/// way.
///
/// \param[in]  bytes  Size; 0 gives NULL.
/// \param[out] ptr    First byte. Owned by the caller; release with anyccl_mem_free().
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when ptr is NULL; ANYCCL_ERR_SYSTEM when there is not
///          enough memory.
///
/// Local. It needs no communicator, and serves all of them, made before or after.
///
/// The program uses the memory like any other. Calls accept it, or any part of it, for any buffer. It saves
/// time for sends from 8 KiB on: out of place, or in an in-place call that sends each element once. The other
/// ranks may use other memory. Over TCP it makes no difference.
///
/// The content is undefined at first. The address is aligned to 64 bytes, and from 4096 bytes on to 4096. The
/// pages exist when the call returns: allocate once, not for each call. Other processes of the job can use
/// the memory at any time: put no secret into it. After fork, parent and child share it, as with MAP_SHARED.
/// Replacement for MPI_Alloc_mem and ncclMemAlloc.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_mem_alloc(bytes: usize, ptr: *mut *mut c_void) -> anyccl_status_t {
    edge("anyccl_mem_alloc", || {
        // SAFETY: the caller promises a writable pointer or NULL.
        let place = unsafe { Out::new(ptr, "ptr") }?;
        place.set(if bytes == 0 { std::ptr::null_mut() } else { memory::allocate(bytes)?.cast() });
        Ok(())
    })
}

/// Kind of memory: one of enum anyccl_mem_kind.
pub type anyccl_mem_kind_t = c_int;

/// Values of anyccl_mem_kind_t. They never change.
// Numbers from C are integers until checked, so Rust uses this only to compare.
#[allow(dead_code)]
#[repr(C)]
pub enum anyccl_mem_kind {
    /// Host memory that the other ranks of this host read where it is, as anyccl_mem_alloc() gives it.
    ANYCCL_MEM_SHARED = 0,
    /// Memory of a CUDA device, as cudaMalloc() gives it.
    ANYCCL_MEM_DEVICE = 1,
    /// Memory of a CUDA device that other processes can map. Sizes are rounded up, usually to 2 MiB.
    ANYCCL_MEM_DEVICE_EXPORTABLE = 2,
}

/// Allocates memory of a kind.
///
/// \param[in]  bytes  Size; 0 gives NULL.
/// \param[in]  kind   One of enum anyccl_mem_kind.
/// \param[out] ptr    First byte. Owned by the caller; release with anyccl_mem_free().
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when ptr is NULL or kind is none of the enum;
///          ANYCCL_ERR_UNSUPPORTED when there is no CUDA driver, or when it cannot share memory;
///          ANYCCL_ERR_SYSTEM when there is not enough memory.
///
/// Local. It needs no communicator, and serves all of them, made after it. See docs/gpu.md for calls on
/// memory of a device.
///
/// Memory of a device belongs to the device that is current in this thread, or to device 0 if none is. The
/// content is undefined. The memory lives until it is freed, or until the process ends. As cudaMalloc() and
/// cudaFree(), the functions may wait for all work of the device: call them while no stream of this thread
/// waits for a call that another rank has still to make. They may be called while a stream records a graph,
/// which has nothing of them.
///
/// Calls accept device memory of any origin. Exportable memory is the kind that processes on devices with
/// peer access can use without copies. Replacement for ncclMemAlloc.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_mem_alloc_kind(
    bytes: usize,
    kind: anyccl_mem_kind_t,
    ptr: *mut *mut c_void,
) -> anyccl_status_t {
    edge("anyccl_mem_alloc_kind", || {
        // SAFETY: the caller promises a writable pointer or NULL.
        let place = unsafe { Out::new(ptr, "ptr") }?;
        let kind = kind_of(kind)?;
        let start = match kind {
            _ if bytes == 0 => std::ptr::null_mut(),
            None => memory::allocate(bytes)?.cast(),
            Some(kind) => std::ptr::with_exposed_provenance_mut(allocations::allocate(kind, bytes)?),
        };
        place.set(start);
        Ok(())
    })
}

/// The kind of device memory; none for host memory.
fn kind_of(kind: anyccl_mem_kind_t) -> Result<Option<DeviceMemory>> {
    match kind {
        0 => Ok(None),
        1 => Ok(Some(DeviceMemory::Plain)),
        2 => Ok(Some(DeviceMemory::Exportable)),
        _ => Err(Error::InvalidArgument { what: "kind", got: kind.to_string() }),
    }
}

/// Frees memory of anyccl_mem_alloc() or anyccl_mem_alloc_kind().
///
/// \param[in] ptr  Taken. NULL: nothing happens.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when ptr is not such memory, or no longer;
///          ANYCCL_ERR_INVALID_USAGE while a part of it is registered, or in a child of fork for memory of
///          its parent. After these two, nothing has changed. ANYCCL_ERR_SYSTEM when the CUDA driver fails.
///
/// Local. No call may be using the memory. If one does, its result is undefined on the ranks that read the
/// memory; nothing else happens to them. Replacement for MPI_Free_mem and ncclMemFree.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_mem_free(ptr: *mut c_void) -> anyccl_status_t {
    edge("anyccl_mem_free", || {
        if ptr.is_null() || allocations::free(ptr.expose_provenance())? {
            return Ok(());
        }
        memory::free(ptr.cast())
    })
}

/// Registers memory of the program that calls are going to use. Calls accept memory that is not registered,
/// too.
///
/// \param[in]  ptr     First byte. The memory must stay valid until anyccl_mem_deregister(). NULL when bytes
///                     is 0.
/// \param[in]  bytes   Size of the range, which may begin anywhere; 0 registers nothing.
/// \param[out] shared  1 where the other ranks of this host read the memory where it is, as memory of
///                     anyccl_mem_alloc(); else 0. May be NULL.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when some of the range is not mapped, cannot be read,
///          or belongs to anyccl_mem_alloc() without lying in one live allocation; ANYCCL_ERR_SYSTEM when
///          there are no pages for it. After these two, nothing is registered.
///
/// Local. It needs no communicator, and serves all of them. In memory of anyccl_mem_alloc(), the allocation
/// cannot be freed until all its registered parts are deregistered. Other memory gets its pages now, so that
/// no call waits for them; messages are sent from it as before, because no other process can map it.
///
/// The content does not change. Ranges may overlap, and may be registered several times. A child of fork has
/// registered nothing. Replacement for ncclCommRegister.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_mem_register(
    ptr: *const c_void,
    bytes: usize,
    shared: *mut c_int,
) -> anyccl_status_t {
    edge("anyccl_mem_register", || {
        let is_shared = bytes > 0 && memory::register(ptr.cast(), bytes)?;
        if !shared.is_null() {
            // SAFETY: the caller promises a writable pointer or NULL.
            unsafe { Out::new(shared, "shared") }?.set(is_shared.into());
        }
        Ok(())
    })
}

/// Ends a registration, once for each anyccl_mem_register().
///
/// \param[in] ptr    As it was registered.
/// \param[in] bytes  As it was registered; 0: nothing happens.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when exactly this range is not registered, or no
///          longer.
///
/// Local. Calls may be using the memory. Memory that is not of anyccl_mem_alloc() may already be unmapped.
/// Replacement for ncclCommDeregister.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_mem_deregister(ptr: *const c_void, bytes: usize) -> anyccl_status_t {
    edge("anyccl_mem_deregister", || if bytes == 0 { Ok(()) } else { memory::deregister(ptr.cast(), bytes) })
}

/// Size of anyccl_mem_handle_t.
pub const ANYCCL_MEM_HANDLE_BYTES: usize = 64;
const _: () = assert!(ANYCCL_MEM_HANDLE_BYTES == memory::HANDLE_BYTES);

/// Name of memory of anyccl_mem_alloc(), for the other ranks of the host.
///
/// Its bytes may be sent to the other ranks by any means.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct anyccl_mem_handle_t {
    /// Opaque content.
    pub bytes: [c_uchar; ANYCCL_MEM_HANDLE_BYTES],
}

/// Makes a handle by which the other ranks of this host read and write memory of this one.
///
/// \param[in]  ptr     First byte, anywhere in memory of anyccl_mem_alloc().
/// \param[in]  bytes   Size of the range, at least 1.
/// \param[out] handle  Name of the range.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when handle is NULL, or when the range is not part of
///          one live allocation of anyccl_mem_alloc() in this process.
///
/// Local. The handle is valid until the memory is freed. Free it only when no rank uses what it has imported:
/// what that rank wrote would come into other memory of this process. anyccl_mem_register() keeps memory from
/// being freed. Replacement for the exchange inside of MPI_Win_create.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_mem_export(
    ptr: *const c_void,
    bytes: usize,
    handle: *mut anyccl_mem_handle_t,
) -> anyccl_status_t {
    edge("anyccl_mem_export", || {
        // SAFETY: the caller promises a writable handle or NULL.
        let place = unsafe { Out::new(handle, "handle") }?;
        if bytes == 0 {
            return Err(Error::InvalidArgument { what: "bytes", got: "0".into() });
        }
        place.set(anyccl_mem_handle_t { bytes: memory::export(ptr.cast(), bytes)? });
        Ok(())
    })
}

/// Maps memory of another rank of this host, for reading and writing.
///
/// \param[in]  handle  From anyccl_mem_export(), made by this or another process.
/// \param[out] ptr     First byte of the range. Borrowed from its owner; release with anyccl_mem_release().
/// \param[out] bytes   Size of the range, as its owner has exported it. May be NULL.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when handle or ptr is NULL, or the handle is invalid;
///          ANYCCL_ERR_UNSUPPORTED when the owner is on another host, or when this process has no
///          communicator in which a rank of it and one of the owner are connected through shared memory;
///          ANYCCL_ERR_SYSTEM when it cannot be mapped.
///
/// Local. The memory is the owner's own: both see what the other one writes, in the order that atomic
/// operations establish, as between threads. The mapping outlives the communicators. A child of fork does not
/// inherit it. Replacement for MPI_Win_shared_query.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_mem_import(
    handle: *const anyccl_mem_handle_t,
    ptr: *mut *mut c_void,
    bytes: *mut usize,
) -> anyccl_status_t {
    edge("anyccl_mem_import", || {
        not_null(handle, "handle")?;
        // SAFETY: not NULL; the caller promises a readable handle. It is bytes, so any content is a value.
        let handle = unsafe { handle.read() };
        // SAFETY: the caller promises a writable pointer or NULL.
        let place = unsafe { Out::new(ptr, "ptr") }?;
        let (start, len) = memory::import(&handle.bytes)?;
        place.set(start.cast());
        if !bytes.is_null() {
            // SAFETY: the caller promises a writable number or NULL.
            unsafe { Out::new(bytes, "bytes") }?.set(len);
        }
        Ok(())
    })
}

/// Ends the use of imported memory, once for each anyccl_mem_import().
///
/// \param[in] ptr  From anyccl_mem_import(). NULL: nothing happens.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when ptr was not imported, or no longer is.
///
/// Local. The memory stays with its owner, who may have freed it already.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_mem_release(ptr: *mut c_void) -> anyccl_status_t {
    edge("anyccl_mem_release", || if ptr.is_null() { Ok(()) } else { memory::release(ptr.cast()) })
}
