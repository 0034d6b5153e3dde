//! Collectives with settings of one call (NCCL 2.31): the settings are checked, and the call is the plain one.

use std::ffi::{c_int, c_void};

use anyccl_engine::base::Result;

use crate::call::Progress;
use crate::types::{cudaStream_t, ncclCollConfig_t, ncclComm_t, ncclDataType_t, ncclRedOp_t};
use crate::{collective, config};

/// ncclAllReduceConfig.
pub unsafe fn all_reduce(
    send: *const c_void,
    recv: *mut c_void,
    count: usize,
    datatype: ncclDataType_t,
    op: ncclRedOp_t,
    comm: ncclComm_t,
    stream: cudaStream_t,
    config: *const ncclCollConfig_t,
) -> Result<Progress> {
    // SAFETY: passed on from our caller.
    unsafe { config::check_call(config) }?;
    // SAFETY: passed on from our caller.
    unsafe { collective::all_reduce(send, recv, count, datatype, op, comm, stream) }
}

/// ncclBroadcastConfig.
pub unsafe fn broadcast(
    send: *const c_void,
    recv: *mut c_void,
    count: usize,
    datatype: ncclDataType_t,
    root: c_int,
    comm: ncclComm_t,
    stream: cudaStream_t,
    config: *const ncclCollConfig_t,
) -> Result<Progress> {
    // SAFETY: passed on from our caller.
    unsafe { config::check_call(config) }?;
    // SAFETY: passed on from our caller.
    unsafe { collective::broadcast(send, recv, count, datatype, root, comm, stream) }
}

/// ncclReduceConfig.
pub unsafe fn reduce(
    send: *const c_void,
    recv: *mut c_void,
    count: usize,
    datatype: ncclDataType_t,
    op: ncclRedOp_t,
    root: c_int,
    comm: ncclComm_t,
    stream: cudaStream_t,
    config: *const ncclCollConfig_t,
) -> Result<Progress> {
    // SAFETY: passed on from our caller.
    unsafe { config::check_call(config) }?;
    // SAFETY: passed on from our caller.
    unsafe { collective::reduce(send, recv, count, datatype, op, root, comm, stream) }
}

/// ncclAllGatherConfig.
pub unsafe fn all_gather(
    send: *const c_void,
    recv: *mut c_void,
    count: usize,
    datatype: ncclDataType_t,
    comm: ncclComm_t,
    stream: cudaStream_t,
    config: *const ncclCollConfig_t,
) -> Result<Progress> {
    // SAFETY: passed on from our caller.
    unsafe { config::check_call(config) }?;
    // SAFETY: passed on from our caller.
    unsafe { collective::all_gather(send, recv, count, datatype, comm, stream) }
}

/// ncclReduceScatterConfig.
pub unsafe fn reduce_scatter(
    send: *const c_void,
    recv: *mut c_void,
    count: usize,
    datatype: ncclDataType_t,
    op: ncclRedOp_t,
    comm: ncclComm_t,
    stream: cudaStream_t,
    config: *const ncclCollConfig_t,
) -> Result<Progress> {
    // SAFETY: passed on from our caller.
    unsafe { config::check_call(config) }?;
    // SAFETY: passed on from our caller.
    unsafe { collective::reduce_scatter(send, recv, count, datatype, op, comm, stream) }
}

/// ncclAlltoAllConfig.
pub unsafe fn all_to_all(
    send: *const c_void,
    recv: *mut c_void,
    count: usize,
    datatype: ncclDataType_t,
    comm: ncclComm_t,
    stream: cudaStream_t,
    config: *const ncclCollConfig_t,
) -> Result<Progress> {
    // SAFETY: passed on from our caller.
    unsafe { config::check_call(config) }?;
    // SAFETY: passed on from our caller.
    unsafe { collective::all_to_all(send, recv, count, datatype, comm, stream) }
}

/// ncclGatherConfig.
pub unsafe fn gather(
    send: *const c_void,
    recv: *mut c_void,
    count: usize,
    datatype: ncclDataType_t,
    root: c_int,
    comm: ncclComm_t,
    stream: cudaStream_t,
    config: *const ncclCollConfig_t,
) -> Result<Progress> {
    // SAFETY: passed on from our caller.
    unsafe { config::check_call(config) }?;
    // SAFETY: passed on from our caller.
    unsafe { collective::gather(send, recv, count, datatype, root, comm, stream) }
}

/// ncclScatterConfig.
pub unsafe fn scatter(
    send: *const c_void,
    recv: *mut c_void,
    count: usize,
    datatype: ncclDataType_t,
    root: c_int,
    comm: ncclComm_t,
    stream: cudaStream_t,
    config: *const ncclCollConfig_t,
) -> Result<Progress> {
    // SAFETY: passed on from our caller.
    unsafe { config::check_call(config) }?;
    // SAFETY: passed on from our caller.
    unsafe { collective::scatter(send, recv, count, datatype, root, comm, stream) }
}
