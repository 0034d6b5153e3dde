//! Collectives with settings of one call (NCCL 2.31). They check the settings, then make the call without
//! settings.

use std::ffi::{c_int, c_void};

use anyccl_engine::base::Result;

use crate::call::Progress;
use crate::types::{cudaStream_t, ncclCollConfig_t, ncclComm_t, ncclDataType_t, ncclRedOp_t};
use crate::{collective, config};

/// Defines functions that check the settings, then call the function of the same name in [`collective`].
macro_rules! configured {
    ($($(#[$doc:meta])* $name:ident($($argument:ident: $kind:ty),*);)*) => {$(
        $(#[$doc])*
        pub unsafe fn $name($($argument: $kind,)* config: *const ncclCollConfig_t) -> Result<Progress> {
            // SAFETY: passed on from our caller.
            unsafe { config::check_call(config) }?;
            // SAFETY: passed on from our caller.
            unsafe { collective::$name($($argument),*) }
        }
    )*};
}

configured! {
    /// ncclAllReduceConfig.
    all_reduce(
        send: *const c_void,
        recv: *mut c_void,
        count: usize,
        datatype: ncclDataType_t,
        op: ncclRedOp_t,
        comm: ncclComm_t,
        stream: cudaStream_t
    );
    /// ncclBroadcastConfig.
    broadcast(
        send: *const c_void,
        recv: *mut c_void,
        count: usize,
        datatype: ncclDataType_t,
        root: c_int,
        comm: ncclComm_t,
        stream: cudaStream_t
    );
    /// ncclReduceConfig.
    reduce(
        send: *const c_void,
        recv: *mut c_void,
        count: usize,
        datatype: ncclDataType_t,
        op: ncclRedOp_t,
        root: c_int,
        comm: ncclComm_t,
        stream: cudaStream_t
    );
    /// ncclAllGatherConfig.
    all_gather(
        send: *const c_void,
        recv: *mut c_void,
        count: usize,
        datatype: ncclDataType_t,
        comm: ncclComm_t,
        stream: cudaStream_t
    );
    /// ncclReduceScatterConfig.
    reduce_scatter(
        send: *const c_void,
        recv: *mut c_void,
        count: usize,
        datatype: ncclDataType_t,
        op: ncclRedOp_t,
        comm: ncclComm_t,
        stream: cudaStream_t
    );
    /// ncclAlltoAllConfig.
    all_to_all(
        send: *const c_void,
        recv: *mut c_void,
        count: usize,
        datatype: ncclDataType_t,
        comm: ncclComm_t,
        stream: cudaStream_t
    );
    /// ncclGatherConfig.
    gather(
        send: *const c_void,
        recv: *mut c_void,
        count: usize,
        datatype: ncclDataType_t,
        root: c_int,
        comm: ncclComm_t,
        stream: cudaStream_t
    );
    /// ncclScatterConfig.
    scatter(
        send: *const c_void,
        recv: *mut c_void,
        count: usize,
        datatype: ncclDataType_t,
        root: c_int,
        comm: ncclComm_t,
        stream: cudaStream_t
    );
}
