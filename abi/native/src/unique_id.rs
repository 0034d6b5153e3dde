//! The unique id: bytes that name a communicator that is being created.

use std::ffi::c_uchar;

use anyccl_edge::Out;
use anyccl_engine::bootstrap::UniqueId;
use anyccl_engine::config::Config;

use crate::status::{anyccl_status_t, edge};

/// Size of anyccl_unique_id_t.
pub const ANYCCL_UNIQUE_ID_BYTES: usize = 128;

/// Name of a communicator that is being created.
///
/// It is plain bytes: send them to the other ranks by any means. They contain a secret; any process that has
/// them can join.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct anyccl_unique_id_t {
    /// Opaque content.
    pub bytes: [c_uchar; ANYCCL_UNIQUE_ID_BYTES],
}

/// Makes a new unique id. One rank calls it and gives the id to all ranks of the new communicator.
///
/// \param[out] id  The id.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when id is NULL or an environment variable is
///          invalid; ANYCCL_ERR_SYSTEM when no socket could be opened.
///
/// Local. This process then answers the ranks that join. It must live until all have joined or the timeout
/// has passed. One id names one communicator. Replacement for ncclGetUniqueId.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_get_unique_id(id: *mut anyccl_unique_id_t) -> anyccl_status_t {
    edge("anyccl_get_unique_id", || {
        // SAFETY: the caller promises a writable id or NULL.
        let id = unsafe { Out::new(id, "id") }?;
        id.set(anyccl_unique_id_t { bytes: UniqueId::create(&Config::from_environment()?)?.0 });
        Ok(())
    })
}
