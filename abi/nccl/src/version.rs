//! The NCCL version that programs are told.

use std::ffi::c_int;

use anyccl_edge::Out;
use anyccl_engine::base::Result;
use anyccl_engine::observe::ras::NCCL_VERSION;

use crate::presence;

/// NCCL 2.30.7: the host side of that version is implemented, as far as docs/nccl.md says. It is not the
/// newest version whose names are exported, because programs ask newer versions for their device side.
pub const COMPATIBLE_WITH: c_int = NCCL_VERSION as c_int;

/// ncclGetVersion.
pub unsafe fn get_version(version: *mut c_int) -> Result<()> {
    presence::tell();
    // SAFETY: the caller promises a writable number or NULL.
    unsafe { Out::new(version, "version") }?.set(COMPATIBLE_WITH);
    Ok(())
}
