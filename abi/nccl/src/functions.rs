//! Every function of libnccl.so.2, in one table.
//!
//! A row has the tier, the NCCL version that first had the function, its name, its profiling twin, its
//! arguments, and the function that does the work. Both names are written out, so that they can be searched
//! for. The exported functions and [`FUNCTIONS`] are made from the table.
//!
//! Tiers: 0 loading, 1 what every client calls, 2 what many clients call, 3 resilience and newer host
//! functions, 4 the device side. Functions of tier 4 are only declared: [`refuse`] tells their callers so.
//!
//! A twin repeats its function's body and does not call the function. A profiler's own `ncclX`, which calls
//! `pncclX`, would otherwise be called again.

use std::ffi::{c_char, c_int, c_uint, c_void};

use anyccl_engine::base::Error;
use anyccl_engine::log_line;

use crate::call::edge;
use crate::types::*;
use crate::{
    collective, communicator, configured, creation, formation, group, last_error, leaving, memory, operators,
    parameters, properties, resizing, result, transfer, version, windows,
};

/// A row of the table.
#[derive(Debug)]
pub struct Function {
    /// Tier of the function, 0 to 4: see the module head.
    pub tier: u8,
    /// The first NCCL version that has the function.
    pub since: &'static str,
    /// Name of the function in nccl.h.
    pub name: &'static str,
    /// Name of the twin for profilers that wrap the function; empty if NCCL has none.
    pub twin: &'static str,
    /// Whether the function is implemented.
    #[cfg(test)]
    pub is_implemented: bool,
}

/// Refuses a call of a function that is only declared.
#[cold]
fn refuse(name: &str) -> ncclResult_t {
    let row = FUNCTIONS.iter().find(|row| row.name == name || row.twin == name);
    let why = match row {
        Some(Function { tier: 4, since, .. }) => {
            format!("for NCCL's own machinery (since {since}), which is not here")
        }
        _ => "declared, but not implemented by this library".into(),
    };
    log_line!(Warn, "{name} was called, which is {why}");
    edge(name, || Err::<(), _>(Error::Unsupported(format!("it is {why}"))))
}

/// Defines an exported function. All are unsafe for the same reason: pointers from C are NULL or as NCCL
/// documents them.
macro_rules! export {
    ($name:ident ($($argument:ident: $type:ty),*) [] [refused]) => {
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($(_: $type),*) -> ncclResult_t {
            refuse(stringify!($name))
        }
    };
    ($name:ident ($($argument:ident: $type:ty),*) [] [$($how:ident)::+]) => {
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> ncclResult_t {
            // SAFETY: the caller keeps the promises that NCCL's documentation demands; they are passed on.
            edge(stringify!($name), || unsafe { $($how)::+($($argument),*) })
        }
    };
    ($name:ident ($($argument:ident: $type:ty),*) [$value:ty] [$($how:ident)::+]) => {
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> $value {
            // SAFETY: as above. These functions do nothing that could panic.
            unsafe { $($how)::+($($argument),*) }
        }
    };
}

#[cfg(test)]
macro_rules! is_implemented {
    ([refused]) => {
        false
    };
    ($how:tt) => {
        true
    };
}

/// Splits the rows only as far as needed: the lists of a row are passed to [`export`] as they are.
macro_rules! functions {
    ($($tier:literal $since:literal $name:ident $($twin:ident)? ($($arguments:tt)*)
       $(-> $value:ty)? = $($how:ident)::+;)*) => {
        $(functions!(@row $name ($($arguments)*) [$($value)?] [$($how)::+] $($twin)?);)*
        /// Every function of the library.
        pub static FUNCTIONS: &[Function] = &[$(Function {
            tier: $tier,
            since: $since,
            name: stringify!($name),
            twin: concat!("", $(stringify!($twin))?),
            #[cfg(test)]
            is_implemented: is_implemented!([$($how)::+]),
        }),*];
    };
    (@row $name:ident $arguments:tt $value:tt $how:tt $($twin:ident)?) => {
        export!($name $arguments $value $how);
        $(export!($twin $arguments $value $how);)?
    };
}

functions! {
    // Loading.
    0 "2.3" ncclGetVersion pncclGetVersion (version: *mut c_int) = version::get_version;
    0 "2.3" ncclGetUniqueId pncclGetUniqueId (uniqueId: *mut ncclUniqueId) = creation::get_unique_id;
    0 "2.3" ncclGetErrorString pncclGetErrorString (result: ncclResult_t) -> *const c_char = result::error_string;
    0 "2.13" ncclGetLastError pncclGetLastError (comm: ncclComm_t) -> *const c_char = last_error::get_last_error;
    0 "2.3" ncclGroupStart pncclGroupStart () = group::start;
    0 "2.3" ncclGroupEnd pncclGroupEnd () = group::end;

    // Communicators.
    1 "2.3" ncclCommInitRank pncclCommInitRank
        (comm: *mut ncclComm_t, nranks: c_int, commId: ncclUniqueId, rank: c_int) = creation::init_rank;
    1 "2.14" ncclCommInitRankConfig pncclCommInitRankConfig
        (comm: *mut ncclComm_t, nranks: c_int, commId: ncclUniqueId, rank: c_int, config: *mut ncclConfig_t)
        = creation::init_rank_config;
    1 "2.3" ncclCommInitAll pncclCommInitAll
        (comm: *mut ncclComm_t, ndev: c_int, devlist: *const c_int) = creation::init_all;
    2 "2.23" ncclCommInitRankScalable pncclCommInitRankScalable
        (newcomm: *mut ncclComm_t, nranks: c_int, myrank: c_int, nId: c_int, commIds: *mut ncclUniqueId,
         config: *mut ncclConfig_t) = creation::init_rank_scalable;
    1 "2.14" ncclCommFinalize pncclCommFinalize (comm: ncclComm_t) = leaving::finalize;
    1 "2.3" ncclCommDestroy pncclCommDestroy (comm: ncclComm_t) = leaving::destroy;
    1 "2.4" ncclCommAbort pncclCommAbort (comm: ncclComm_t) = leaving::abort;
    3 "2.28" ncclCommRevoke pncclCommRevoke (comm: ncclComm_t, revokeFlags: c_int) = leaving::revoke;
    1 "2.4" ncclCommGetAsyncError pncclCommGetAsyncError
        (comm: ncclComm_t, asyncError: *mut ncclResult_t) = communicator::get_async_error;
    1 "2.3" ncclCommCount pncclCommCount (comm: ncclComm_t, count: *mut c_int) = communicator::count;
    1 "2.3" ncclCommCuDevice pncclCommCuDevice (comm: ncclComm_t, device: *mut c_int) = communicator::device;
    1 "2.3" ncclCommUserRank pncclCommUserRank (comm: ncclComm_t, rank: *mut c_int) = communicator::user_rank;
    2 "2.18" ncclCommSplit pncclCommSplit
        (comm: ncclComm_t, color: c_int, key: c_int, newcomm: *mut ncclComm_t, config: *mut ncclConfig_t)
        = formation::split;
    3 "2.27" ncclCommShrink pncclCommShrink
        (comm: ncclComm_t, excludeRanksList: *mut c_int, excludeRanksCount: c_int, newcomm: *mut ncclComm_t,
         config: *mut ncclConfig_t, shrinkFlags: c_int) = resizing::shrink;
    3 "2.29" ncclCommGetUniqueId pncclCommGetUniqueId
        (comm: ncclComm_t, uniqueId: *mut ncclUniqueId) = resizing::get_unique_id;
    3 "2.29" ncclCommGrow pncclCommGrow
        (comm: ncclComm_t, nRanks: c_int, uniqueId: *const ncclUniqueId, rank: c_int, newcomm: *mut ncclComm_t,
         config: *mut ncclConfig_t) = resizing::grow;
    3 "2.29" ncclCommSuspend pncclCommSuspend (comm: ncclComm_t, flags: c_int) = properties::suspend;
    3 "2.29" ncclCommResume pncclCommResume (comm: ncclComm_t) = properties::resume;
    3 "2.29" ncclCommMemStats pncclCommMemStats
        (comm: ncclComm_t, stat: ncclCommMemStat_t, value: *mut u64) = properties::mem_stats;
    2 "2.29" ncclCommQueryProperties pncclCommQueryProperties
        (comm: ncclComm_t, props: *mut c_void) = properties::query;

    // Collectives.
    1 "2.3" ncclAllReduce pncclAllReduce
        (sendbuff: *const c_void, recvbuff: *mut c_void, count: usize, datatype: ncclDataType_t, op: ncclRedOp_t,
         comm: ncclComm_t, stream: cudaStream_t) = collective::all_reduce;
    1 "2.3" ncclBroadcast pncclBroadcast
        (sendbuff: *const c_void, recvbuff: *mut c_void, count: usize, datatype: ncclDataType_t, root: c_int,
         comm: ncclComm_t, stream: cudaStream_t) = collective::broadcast;
    1 "2.3" ncclBcast pncclBcast
        (buff: *mut c_void, count: usize, datatype: ncclDataType_t, root: c_int, comm: ncclComm_t,
         stream: cudaStream_t) = collective::bcast;
    1 "2.3" ncclReduce pncclReduce
        (sendbuff: *const c_void, recvbuff: *mut c_void, count: usize, datatype: ncclDataType_t, op: ncclRedOp_t,
         root: c_int, comm: ncclComm_t, stream: cudaStream_t) = collective::reduce;
    1 "2.3" ncclAllGather pncclAllGather
        (sendbuff: *const c_void, recvbuff: *mut c_void, sendcount: usize, datatype: ncclDataType_t,
         comm: ncclComm_t, stream: cudaStream_t) = collective::all_gather;
    1 "2.3" ncclReduceScatter pncclReduceScatter
        (sendbuff: *const c_void, recvbuff: *mut c_void, recvcount: usize, datatype: ncclDataType_t,
         op: ncclRedOp_t, comm: ncclComm_t, stream: cudaStream_t) = collective::reduce_scatter;
    2 "2.28" ncclAlltoAll pncclAlltoAll
        (sendbuff: *const c_void, recvbuff: *mut c_void, count: usize, datatype: ncclDataType_t,
         comm: ncclComm_t, stream: cudaStream_t) = collective::all_to_all;
    2 "2.28" ncclGather pncclGather
        (sendbuff: *const c_void, recvbuff: *mut c_void, count: usize, datatype: ncclDataType_t, root: c_int,
         comm: ncclComm_t, stream: cudaStream_t) = collective::gather;
    2 "2.28" ncclScatter pncclScatter
        (sendbuff: *const c_void, recvbuff: *mut c_void, count: usize, datatype: ncclDataType_t, root: c_int,
         comm: ncclComm_t, stream: cudaStream_t) = collective::scatter;
    // RCCL's spelling, which some clients look up, and its form with unequal blocks.
    2 "RCCL" ncclAllToAll pncclAllToAll
        (sendbuff: *const c_void, recvbuff: *mut c_void, count: usize, datatype: ncclDataType_t,
         comm: ncclComm_t, stream: cudaStream_t) = collective::all_to_all;
    2 "RCCL" ncclAllToAllv pncclAllToAllv
        (sendbuff: *const c_void, sendcounts: *const usize, sdispls: *const usize, recvbuff: *mut c_void,
         recvcounts: *const usize, rdispls: *const usize, datatype: ncclDataType_t, comm: ncclComm_t,
         stream: cudaStream_t) = collective::all_to_all_v;

    // Collectives with settings of one call.
    3 "2.31" ncclAllReduceConfig pncclAllReduceConfig
        (sendbuff: *const c_void, recvbuff: *mut c_void, count: usize, datatype: ncclDataType_t, op: ncclRedOp_t,
         comm: ncclComm_t, stream: cudaStream_t, config: *const ncclCollConfig_t) = configured::all_reduce;
    3 "2.31" ncclBroadcastConfig pncclBroadcastConfig
        (sendbuff: *const c_void, recvbuff: *mut c_void, count: usize, datatype: ncclDataType_t, root: c_int,
         comm: ncclComm_t, stream: cudaStream_t, config: *const ncclCollConfig_t) = configured::broadcast;
    3 "2.31" ncclReduceConfig pncclReduceConfig
        (sendbuff: *const c_void, recvbuff: *mut c_void, count: usize, datatype: ncclDataType_t, op: ncclRedOp_t,
         root: c_int, comm: ncclComm_t, stream: cudaStream_t, config: *const ncclCollConfig_t)
        = configured::reduce;
    3 "2.31" ncclAllGatherConfig pncclAllGatherConfig
        (sendbuff: *const c_void, recvbuff: *mut c_void, sendcount: usize, datatype: ncclDataType_t,
         comm: ncclComm_t, stream: cudaStream_t, config: *const ncclCollConfig_t) = configured::all_gather;
    3 "2.31" ncclReduceScatterConfig pncclReduceScatterConfig
        (sendbuff: *const c_void, recvbuff: *mut c_void, recvcount: usize, datatype: ncclDataType_t,
         op: ncclRedOp_t, comm: ncclComm_t, stream: cudaStream_t, config: *const ncclCollConfig_t)
        = configured::reduce_scatter;
    3 "2.31" ncclAlltoAllConfig pncclAlltoAllConfig
        (sendbuff: *const c_void, recvbuff: *mut c_void, count: usize, datatype: ncclDataType_t,
         comm: ncclComm_t, stream: cudaStream_t, config: *const ncclCollConfig_t) = configured::all_to_all;
    3 "2.31" ncclGatherConfig pncclGatherConfig
        (sendbuff: *const c_void, recvbuff: *mut c_void, count: usize, datatype: ncclDataType_t, root: c_int,
         comm: ncclComm_t, stream: cudaStream_t, config: *const ncclCollConfig_t) = configured::gather;
    3 "2.31" ncclScatterConfig pncclScatterConfig
        (sendbuff: *const c_void, recvbuff: *mut c_void, count: usize, datatype: ncclDataType_t, root: c_int,
         comm: ncclComm_t, stream: cudaStream_t, config: *const ncclCollConfig_t) = configured::scatter;

    // Messages from rank to rank.
    1 "2.7" ncclSend pncclSend
        (sendbuff: *const c_void, count: usize, datatype: ncclDataType_t, peer: c_int, comm: ncclComm_t,
         stream: cudaStream_t) = transfer::send;
    1 "2.7" ncclRecv pncclRecv
        (recvbuff: *mut c_void, count: usize, datatype: ncclDataType_t, peer: c_int, comm: ncclComm_t,
         stream: cudaStream_t) = transfer::recv;
    3 "2.22" ncclGroupSimulateEnd pncclGroupSimulateEnd (simInfo: *mut ncclSimInfo_t) = group::simulate_end;

    // Operators.
    2 "2.11" ncclRedOpCreatePreMulSum pncclRedOpCreatePreMulSum
        (op: *mut ncclRedOp_t, scalar: *mut c_void, datatype: ncclDataType_t, residence: ncclScalarResidence_t,
         comm: ncclComm_t) = operators::create_pre_mul_sum;
    2 "2.11" ncclRedOpDestroy pncclRedOpDestroy (op: ncclRedOp_t, comm: ncclComm_t) = operators::destroy;

    // Memory.
    2 "2.19" ncclMemAlloc pncclMemAlloc (ptr: *mut *mut c_void, size: usize) = memory::alloc;
    2 "2.19" ncclMemFree pncclMemFree (ptr: *mut c_void) = memory::free;
    2 "2.19" ncclCommRegister pncclCommRegister
        (comm: ncclComm_t, buff: *mut c_void, size: usize, handle: *mut *mut c_void) = memory::register;
    2 "2.19" ncclCommDeregister pncclCommDeregister (comm: ncclComm_t, handle: *mut c_void) = memory::deregister;
    3 "2.27" ncclCommWindowRegister pncclCommWindowRegister
        (comm: ncclComm_t, buff: *mut c_void, size: usize, win: *mut ncclWindow_t, winFlags: c_int) = windows::register;
    3 "2.27" ncclCommWindowDeregister pncclCommWindowDeregister (comm: ncclComm_t, win: ncclWindow_t) = windows::deregister;
    3 "2.29" ncclWinGetUserPtr pncclWinGetUserPtr
        (comm: ncclComm_t, win: ncclWindow_t, outUserPtr: *mut *mut c_void) = windows::user_pointer;
    3 "2.29" ncclPutSignal pncclPutSignal
        (localbuff: *const c_void, count: usize, datatype: ncclDataType_t, peer: c_int, peerWin: ncclWindow_t,
         peerWinOffset: usize, sigIdx: c_int, ctx: c_int, flags: c_uint, comm: ncclComm_t, stream: cudaStream_t)
        = windows::put_signal;
    3 "2.29" ncclSignal pncclSignal
        (peer: c_int, sigIdx: c_int, ctx: c_int, flags: c_uint, comm: ncclComm_t, stream: cudaStream_t)
        = windows::signal;
    3 "2.29" ncclWaitSignal pncclWaitSignal
        (nDesc: c_int, signalDescs: *mut ncclWaitSignalDesc_t, comm: ncclComm_t, stream: cudaStream_t)
        = windows::wait_signal;

    // Parameters.
    3 "2.30" ncclParamBind pncclParamBind (out: *mut ncclParamHandle_t, key: *const c_char) = parameters::bind;
    3 "2.30" ncclParamGetI8 pncclParamGetI8 (h: ncclParamHandle_t, out: *mut i8) = parameters::get_number;
    3 "2.30" ncclParamGetI16 pncclParamGetI16 (h: ncclParamHandle_t, out: *mut i16) = parameters::get_number;
    3 "2.30" ncclParamGetI32 pncclParamGetI32 (h: ncclParamHandle_t, out: *mut i32) = parameters::get_number;
    3 "2.30" ncclParamGetI64 pncclParamGetI64 (h: ncclParamHandle_t, out: *mut i64) = parameters::get_number;
    3 "2.30" ncclParamGetU8 pncclParamGetU8 (h: ncclParamHandle_t, out: *mut u8) = parameters::get_number;
    3 "2.30" ncclParamGetU16 pncclParamGetU16 (h: ncclParamHandle_t, out: *mut u16) = parameters::get_number;
    3 "2.30" ncclParamGetU32 pncclParamGetU32 (h: ncclParamHandle_t, out: *mut u32) = parameters::get_number;
    3 "2.30" ncclParamGetU64 pncclParamGetU64 (h: ncclParamHandle_t, out: *mut u64) = parameters::get_number;
    3 "2.30" ncclParamGetStr pncclParamGetStr (h: ncclParamHandle_t, out: *mut *const c_char) = parameters::get_text;
    3 "2.30" ncclParamGet pncclParamGet
        (h: ncclParamHandle_t, out: *mut c_void, maxLen: c_int, len: *mut c_int)
        = parameters::get_bytes;
    3 "2.30" ncclParamGetParameter pncclParamGetParameter
        (key: *const c_char, value: *mut *const c_char, valueLen: *mut c_int)
        = parameters::get_by_key;
    3 "2.30" ncclParamGetAllParameterKeys pncclParamGetAllParameterKeys
        (table: *mut *mut *const c_char, tableLen: *mut c_int) = parameters::get_keys;
    3 "2.30" ncclParamDumpAll pncclParamDumpAll () -> () = parameters::dump_all;

    // Log settings are read again at each new communicator, so there is nothing to reset.
    4 "2.24" ncclResetDebugInit pncclResetDebugInit () -> () = properties::nothing;
    4 "2.32" ncclResetDebugInitInternal () -> () = properties::nothing;
    4 "2.32" ncclSetEncryption pncclSetEncryption (config: *const c_void) = refused;

    // The device side.
    4 "2.28" ncclDevCommCreate pncclDevCommCreate
        (comm: ncclComm_t, reqs: *const c_void, outDevComm: *mut c_void) = refused;
    4 "2.28" ncclDevCommDestroy pncclDevCommDestroy (comm: ncclComm_t, devComm: *const c_void) = refused;
    4 "2.29" ncclGetLsaMultimemDevicePointer pncclGetLsaMultimemDevicePointer
        (window: ncclWindow_t, offset: usize, outPtr: *mut *mut c_void) = refused;
    4 "2.29" ncclGetMultimemDevicePointer pncclGetMultimemDevicePointer
        (window: ncclWindow_t, offset: usize, multimem: *mut c_void, outPtr: *mut *mut c_void) = refused;
    4 "2.29" ncclGetLsaDevicePointer pncclGetLsaDevicePointer
        (window: ncclWindow_t, offset: usize, lsaRank: c_int, outPtr: *mut *mut c_void) = refused;
    4 "2.29" ncclGetPeerDevicePointer pncclGetPeerDevicePointer
        (window: ncclWindow_t, offset: usize, peer: c_int, outPtr: *mut *mut c_void) = refused;
    4 "2.31" ncclGetMultimemDeviceLeInfo pncclGetMultimemDeviceLeInfo
        (window: ncclWindow_t, offset: usize, leId: *mut c_void, leOffset: *mut usize) = refused;
    4 "2.31" ncclGetCftDeviceLeInfo pncclGetCftDeviceLeInfo
        (window: ncclWindow_t, offset: usize, peerCft: c_int, cftTeam: ncclTeam_t, leId: *mut c_void,
         leOffset: *mut usize) = refused;
    4 "2.31" ncclGetPeerDeviceLeInfo pncclGetPeerDeviceLeInfo
        (window: ncclWindow_t, offset: usize, peerWorld: c_int, leId: *mut c_void, leOffset: *mut usize) = refused;
    4 "2.28" ncclTeamWorld pncclTeamWorld (comm: ncclComm_t) -> ncclTeam_t = properties::no_team;
    4 "2.28" ncclTeamLsa pncclTeamLsa (comm: ncclComm_t) -> ncclTeam_t = properties::no_team;
    4 "2.28" ncclTeamRail pncclTeamRail (comm: ncclComm_t) -> ncclTeam_t = properties::no_team;
    4 "2.31" ncclTeamCft pncclTeamCft (comm: ncclComm_t, mode: c_int) -> ncclTeam_t = properties::no_cft_team;
    4 "2.31" ncclTeamCftMultimem pncclTeamCftMultimem (comm: ncclComm_t) -> ncclTeam_t = properties::no_team;
    4 "2.28" ncclTeamRankToWorld pncclTeamRankToWorld
        (comm: ncclComm_t, team: ncclTeam_t, rank: c_int) -> c_int = properties::no_rank;
    4 "2.28" ncclTeamRankToLsa pncclTeamRankToLsa
        (comm: ncclComm_t, team: ncclTeam_t, rank: c_int) -> c_int = properties::no_rank;
    4 "2.28" ncclLsaBarrierCreateRequirement pncclLsaBarrierCreateRequirement
        (team: ncclTeam_t, nBarriers: c_int, outHandle: *mut c_void, outReq: *mut c_void) = refused;
    4 "2.28" ncclGinBarrierCreateRequirement pncclGinBarrierCreateRequirement
        (comm: ncclComm_t, team: ncclTeam_t, nBarriers: c_int, outHandle: *mut c_void, outReq: *mut c_void)
        = refused;
    4 "2.29" ncclGinOutboxCreateRequirement pncclGinOutboxCreateRequirement
        (nBlocks: c_int, sizeLog2: c_int, outHandle: *mut c_void, outReq: *mut c_void) = refused;
    4 "2.29" ncclGinInboxA2ACreateRequirement pncclGinInboxA2ACreateRequirement
        (peers: ncclTeam_t, nBlocks: c_int, sizeLog2: c_int, outHandle: *mut c_void, outReq: *mut c_void)
        = refused;
    4 "2.28" ncclLLA2ACalcSlots pncclLLA2ACalcSlots
        (maxElts: c_int, maxEltSize: c_int) -> c_int = properties::no_slots;
    4 "2.28" ncclLLA2ACreateRequirement pncclLLA2ACreateRequirement
        (nBlocks: c_int, nSlots: c_int, outHandle: *mut c_void, outReq: *mut c_void) = refused;
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_are_there_once_and_twins_are_spelled_after_them() {
        let mut seen = HashSet::new();
        for function in FUNCTIONS {
            assert!(seen.insert(function.name), "{} twice", function.name);
            assert!(function.twin.is_empty() || function.twin == format!("p{}", function.name));
        }
    }

    #[test]
    fn every_tier_below_the_device_side_is_implemented() {
        for function in FUNCTIONS.iter().filter(|function| function.tier <= 3) {
            assert!(function.is_implemented, "{}", function.name);
        }
    }
}
