//! NCCL's types, as nccl.h of 2.32 lays them out. The C test `layout.c` compares them with the header.
//!
//! Enumerations from C are integers: any value may arrive.

use std::ffi::{c_char, c_int, c_uint, c_void};

/// For the compiler's type check only.
pub struct ncclComm {
    _opaque: [u8; 0],
}

/// A number that is looked up, never followed.
pub type ncclComm_t = *mut ncclComm;

/// For the compiler's type check only.
pub struct ncclWindow_vidmem {
    _opaque: [u8; 0],
}

/// A window's number.
pub type ncclWindow_t = *mut ncclWindow_vidmem;

/// For the compiler's type check only.
pub struct ncclParamHandle {
    _opaque: [u8; 0],
}

/// A parameter.
pub type ncclParamHandle_t = *mut ncclParamHandle;

/// A CUDA stream, or whatever a program on host memory passes.
pub type cudaStream_t = *mut c_void;

/// One of the constants in [`crate::result`].
pub type ncclResult_t = c_int;
/// See [`crate::collective`].
pub type ncclDataType_t = c_int;
/// See [`crate::operators`].
pub type ncclRedOp_t = c_int;
/// See [`crate::operators`].
pub type ncclScalarResidence_t = c_int;
/// What ncclCommMemStats is asked for.
pub type ncclCommMemStat_t = c_int;

/// Bytes of an id.
pub const NCCL_UNIQUE_ID_BYTES: usize = 128;

/// Passed by value.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ncclUniqueId {
    pub internal: [u8; NCCL_UNIQUE_ID_BYTES],
}

/// What begins every struct that grows with the versions.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    pub size: usize,
    pub magic: c_uint,
    pub version: c_uint,
}

/// `magic` of configurations.
pub const NCCL_API_MAGIC: c_uint = 0xcafe_beef;
/// `magic` of ncclSimInfo_t.
pub const NCCL_SIM_INFO_MAGIC: c_uint = 0x7468_5283;
/// An integer that was not set.
pub const NCCL_CONFIG_UNDEF_INT: c_int = c_int::MIN;

/// Settings of a communicator.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ncclConfig_t {
    pub head: Head,
    pub blocking: c_int,
    pub cgaClusterSize: c_int,
    pub minCTAs: c_int,
    pub maxCTAs: c_int,
    pub netName: *const c_char,
    pub splitShare: c_int,
    pub trafficClass: c_int,
    pub commName: *const c_char,
    pub collnetEnable: c_int,
    pub CTAPolicy: c_int,
    pub shrinkShare: c_int,
    pub nvlsCTAs: c_int,
    pub nChannelsPerNetPeer: c_int,
    pub nvlinkCentricSched: c_int,
    pub graphUsageMode: c_int,
    pub numRmaCtx: c_int,
    pub maxP2pPeers: c_int,
    pub graphStreamOrdering: c_int,
    pub launchOrderImplicit: c_int,
    pub numRmaSig: c_int,
    pub rmaEagerInit: c_int,
    pub hostCftMode: c_int,
    pub nvlsHostMode: c_int,
}

/// Settings of one call.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ncclCollConfig_t {
    pub head: Head,
    pub ext: *const c_void,
    pub minCTAs: c_int,
    pub maxCTAs: c_int,
    pub nvlsCTAs: c_int,
    pub cgaClusterSize: c_int,
    pub algSelection: *const c_char,
    pub forceAlgSelection: c_int,
    pub CTAPolicy: c_int,
    pub userProfilerTag: u64,
    pub launchCompletionEvent: *mut c_void,
}

/// What ncclGroupSimulateEnd tells.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ncclSimInfo_t {
    pub head: Head,
    pub estimatedTime: f32,
}

/// How many signals to wait for, and whose.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ncclWaitSignalDesc_t {
    pub opCnt: c_int,
    pub peer: c_int,
    pub sigIdx: c_int,
    pub ctx: c_int,
}

/// A part of the ranks, for kernels. Returned by value.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ncclTeam_t {
    pub nRanks: c_int,
    pub rank: c_int,
    pub stride: c_int,
}
