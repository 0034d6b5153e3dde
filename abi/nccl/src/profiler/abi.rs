//! The layouts and numbers of NCCL's profiler interface, versions 4 and 5.

use std::ffi::{c_char, c_int, c_ulong, c_void};

use crate::types::ncclResult_t;

/// Kinds of events, which are also the bits by which a plugin asks for them.
pub const GROUP: u64 = 1 << 0;
pub const COLL: u64 = 1 << 1;
pub const P2P: u64 = 1 << 2;
pub const GROUP_API: u64 = 1 << 8;
pub const COLL_API: u64 = 1 << 9;
pub const P2P_API: u64 = 1 << 10;

/// Events within operations: NCCL also starts the events around those that a plugin asks for.
pub const WITHIN_OPERATIONS: u64 = 1 << 3 | 1 << 4 | 1 << 6 | 1 << 7;

/// Writes a line of the plugin to the log. NCCL's takes more arguments, as printf does, which a function
/// in Rust cannot read.
pub type Logger = unsafe extern "C" fn(c_int, c_ulong, *const c_char, c_int, *const c_char);

type Start<D> = unsafe extern "C" fn(*mut c_void, *mut *mut c_void, *mut D) -> ncclResult_t;
type Stop = unsafe extern "C" fn(*mut c_void) -> ncclResult_t;

/// `ncclProfiler_v4_t`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Functions4 {
    pub name: *const c_char,
    pub init: Option<
        unsafe extern "C" fn(
            *mut *mut c_void,
            *mut c_int,
            *const c_char,
            u64,
            c_int,
            c_int,
            c_int,
            Logger,
        ) -> ncclResult_t,
    >,
    pub start: Option<Start<Description4>>,
    pub stop: Option<Stop>,
    pub record: *const c_void,
    pub finalize: Option<Stop>,
}

/// `ncclProfiler_v5_t`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Functions5 {
    pub name: *const c_char,
    pub init: Option<
        unsafe extern "C" fn(
            *mut *mut c_void,
            u64,
            *mut c_int,
            *const c_char,
            c_int,
            c_int,
            c_int,
            Logger,
        ) -> ncclResult_t,
    >,
    pub start: Option<Start<Description5>>,
    pub stop: Option<Stop>,
    pub record: *const c_void,
    pub finalize: Option<Stop>,
}

/// `ncclProfilerEventDescr_v4_t`.
#[repr(C)]
pub struct Description4 {
    pub kind: u8,
    pub parent: *mut c_void,
    pub rank: c_int,
    pub body: Body,
}

/// `ncclProfilerEventDescr_v5_t`.
#[repr(C)]
pub struct Description5 {
    pub kind: u64,
    pub parent: *mut c_void,
    pub rank: c_int,
    pub body: Body,
}

/// What is particular to a kind. Members of version 4 end before `parent_group`.
#[repr(C)]
#[derive(Clone, Copy)]
pub union Body {
    pub group_api: GroupApi,
    pub coll_api: CollApi,
    pub p2p_api: P2pApi,
    pub coll: Coll,
    pub p2p: P2p,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct GroupApi {
    pub is_captured: c_int,
    pub depth: c_int,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct CollApi {
    pub function: *const c_char,
    pub count: usize,
    pub datatype: *const c_char,
    pub root: c_int,
    pub stream: *mut c_void,
    pub is_captured: bool,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct P2pApi {
    pub function: *const c_char,
    pub count: usize,
    pub datatype: *const c_char,
    pub stream: *mut c_void,
    pub is_captured: bool,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Coll {
    pub number: u64,
    pub function: *const c_char,
    pub send: *const c_void,
    pub recv: *mut c_void,
    pub count: usize,
    pub root: c_int,
    pub datatype: *const c_char,
    pub channels: u8,
    pub warps: u8,
    pub algorithm: *const c_char,
    pub protocol: *const c_char,
    pub parent_group: *mut c_void,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct P2p {
    pub function: *const c_char,
    pub buffer: *mut c_void,
    pub datatype: *const c_char,
    pub count: usize,
    pub peer: c_int,
    pub channels: u8,
    pub parent_group: *mut c_void,
}
