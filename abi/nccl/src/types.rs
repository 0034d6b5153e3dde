//! NCCL's types, with the layout of nccl.h of 2.32. The C test `layout.c` compares them with the header.
//!
//! Enumerations from C are integers: any value may arrive.

use std::ffi::{c_char, c_int, c_uint, c_void};

/// Pointee of a communicator's handle. It exists only for the compiler's type check.
pub struct ncclComm {
    _opaque: [u8; 0],
}

/// Handle of a communicator: a number that is looked up, never followed.
pub type ncclComm_t = *mut ncclComm;

/// Pointee of a window's handle. It exists only for the compiler's type check.
pub struct ncclWindow_vidmem {
    _opaque: [u8; 0],
}

/// Handle of a window: its number.
pub type ncclWindow_t = *mut ncclWindow_vidmem;

/// Pointee of a parameter's handle. It exists only for the compiler's type check.
pub struct ncclParamHandle {
    _opaque: [u8; 0],
}

/// Handle of a parameter.
pub type ncclParamHandle_t = *mut ncclParamHandle;

/// A CUDA stream, or any value that a program on host memory passes.
pub type cudaStream_t = *mut c_void;

/// A result code: one of the constants in [`crate::result`].
pub type ncclResult_t = c_int;
/// A datatype's number: see [`crate::datatype`].
pub type ncclDataType_t = c_int;
/// An operator's number: see [`crate::operators`].
pub type ncclRedOp_t = c_int;
/// Where a scalar lies: see [`crate::operators`].
pub type ncclScalarResidence_t = c_int;
/// A statistic of ncclCommMemStats.
pub type ncclCommMemStat_t = c_int;

/// Length of an id in bytes.
pub const NCCL_UNIQUE_ID_BYTES: usize = 128;

/// A unique id, passed by value.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ncclUniqueId {
    pub internal: [u8; NCCL_UNIQUE_ID_BYTES],
}

/// The first members of every struct that newer versions may extend.
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
/// Value of an integer that was not set.
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

/// The result of ncclGroupSimulateEnd.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ncclSimInfo_t {
    pub head: Head,
    pub estimatedTime: f32,
}

/// A number of signals to wait for, and the peer that raises them.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ncclWaitSignalDesc_t {
    pub opCnt: c_int,
    pub peer: c_int,
    pub sigIdx: c_int,
    pub ctx: c_int,
}

/// A subset of the ranks, for kernels. Returned by value.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ncclTeam_t {
    pub nRanks: c_int,
    pub rank: c_int,
    pub stride: c_int,
}
