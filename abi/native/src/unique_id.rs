//! The bytes that name a communicator to be.

use std::ffi::c_uchar;

use anyccl_edge::Out;
use anyccl_engine::bootstrap::UniqueId;
use anyccl_engine::config::Config;

use crate::status::{anyccl_status_t, edge};

/// Bytes of anyccl_unique_id_t.
pub const ANYCCL_UNIQUE_ID_BYTES: usize = 128;

/// The name of a communicator to be. Plain bytes: copy them to the other ranks by any means. They contain the
/// job's secret; whoever has them may join.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct anyccl_unique_id_t {
    /// Not to be interpreted.
    pub bytes: [c_uchar; ANYCCL_UNIQUE_ID_BYTES],
}

/// Makes a new id. One rank calls it, and gives the bytes to all ranks of the communicator to be, itself
/// included.
///
/// \param id  [out] Written only on ANYCCL_SUCCESS.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when id is NULL or a variable cannot be understood;
///          ANYCCL_ERR_SYSTEM when no socket could be opened.
///
/// Local. Any thread. This process then answers the ranks that come, until all have come or the deadline has
/// passed: it must live that long. One id names one communicator. Replacement for ncclGetUniqueId.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_get_unique_id(id: *mut anyccl_unique_id_t) -> anyccl_status_t {
    edge("anyccl_get_unique_id", || {
        // SAFETY: the caller promises a writable id or NULL.
        let id = unsafe { Out::new(id, "id") }?;
        id.set(anyccl_unique_id_t { bytes: UniqueId::create(&Config::from_environment()?)?.0 });
        Ok(())
    })
}
