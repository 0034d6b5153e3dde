//! The parts of libfabric's binary interface that we use, in our own words.
//!
//! libfabric exports few functions: they list what a machine offers ([`Info`]) and open the first object. All
//! else goes through tables of functions in its objects. Each table begins with its size, and newer versions
//! append to tables and records. So we declare them up to the last member that we use, and never make one
//! that libfabric would keep. The functions are taken in the version [`SYMBOLS`], whose records are these.
//!
//! The layout is that of 64-bit machines. A test compares it with a table that was made from the headers.

use std::ffi::{c_char, c_int, c_void};

/// Version of the interface that we speak, as libfabric writes versions. It is as old as [`MR_MODE`].
pub const API_VERSION: u32 = (1 << 16) | 5;
/// Version of the symbols that exchange [`Info`] records.
pub const SYMBOLS: &std::ffi::CStr = c"FABRIC_1.3";
/// Version of the symbol of `fi_fabric`.
pub const FABRIC_SYMBOL: &std::ffi::CStr = c"FABRIC_1.1";

pub const FI_TAGGED: u64 = 1 << 3;
pub const FI_RECV: u64 = 1 << 10;
pub const FI_SEND: u64 = 1 << 11;
pub const FI_NUMERICHOST: u64 = 1 << 55;
pub const FI_SOURCE: u64 = 1 << 57;
pub const FI_CONTEXT: u64 = 1 << 59;
pub const FI_CONTEXT2: u64 = 1 << 52;

pub const FI_MR_LOCAL: c_int = 1 << 2;
pub const FI_MR_VIRT_ADDR: c_int = 1 << 4;
pub const FI_MR_ALLOCATED: c_int = 1 << 5;
pub const FI_MR_PROV_KEY: c_int = 1 << 6;
pub const FI_MR_ENDPOINT: c_int = 1 << 9;
/// What a provider may ask of registered memory.
pub const MR_MODE: c_int = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;

pub const FI_EP_RDM: c_int = 3;
pub const FI_THREAD_DOMAIN: c_int = 3;
pub const FI_RM_ENABLED: c_int = 2;
pub const FI_CQ_FORMAT_TAGGED: c_int = 4;
pub const FI_WAIT_NONE: c_int = 0;
pub const FI_WAIT_FD: c_int = 3;
pub const FI_GETWAIT: c_int = 5;
pub const FI_ENABLE: c_int = 6;

pub const FI_ADDR_UNSPEC: u64 = u64::MAX;

/// Errors are negative in results, and positive in [`CqError`].
pub const FI_EAGAIN: isize = libc::EAGAIN as isize;
pub const FI_EAVAIL: isize = 259;
pub const FI_ETRUNC: c_int = 265;

/// What every object begins with.
#[repr(C)]
pub struct Fid {
    pub class: usize,
    pub context: *mut c_void,
    pub ops: *const FidOps,
}

#[repr(C)]
pub struct FidOps {
    pub size: usize,
    pub close: unsafe extern "C" fn(*mut Fid) -> c_int,
    pub bind: unsafe extern "C" fn(*mut Fid, *mut Fid, u64) -> c_int,
    pub control: unsafe extern "C" fn(*mut Fid, c_int, *mut c_void) -> c_int,
}

/// What a machine offers, or what is asked of it: one record of a list.
#[repr(C)]
pub struct Info {
    pub next: *mut Info,
    pub caps: u64,
    pub mode: u64,
    pub addr_format: u32,
    pub src_addrlen: usize,
    pub dest_addrlen: usize,
    pub src_addr: *mut c_void,
    pub dest_addr: *mut c_void,
    pub handle: *mut Fid,
    pub tx_attr: *mut TxAttr,
    pub rx_attr: *mut RxAttr,
    pub ep_attr: *mut EpAttr,
    pub domain_attr: *mut DomainAttr,
    pub fabric_attr: *mut FabricAttr,
    pub nic: *mut Fid,
}

#[repr(C)]
pub struct TxAttr {
    pub caps: u64,
    pub mode: u64,
    pub op_flags: u64,
    pub msg_order: u64,
    pub comp_order: u64,
    pub inject_size: usize,
    pub size: usize,
}

#[repr(C)]
pub struct RxAttr {
    pub caps: u64,
    pub mode: u64,
    pub op_flags: u64,
    pub msg_order: u64,
    pub comp_order: u64,
    pub total_buffered_recv: usize,
    pub size: usize,
}

#[repr(C)]
pub struct EpAttr {
    pub kind: c_int,
    pub protocol: u32,
    pub protocol_version: u32,
    pub max_msg_size: usize,
    pub msg_prefix_size: usize,
    pub max_order_raw_size: usize,
    pub max_order_war_size: usize,
    pub max_order_waw_size: usize,
    pub mem_tag_format: u64,
}

#[repr(C)]
pub struct DomainAttr {
    pub domain: *mut Fid,
    pub name: *mut c_char,
    pub threading: c_int,
    pub control_progress: c_int,
    pub data_progress: c_int,
    pub resource_mgmt: c_int,
    pub av_type: c_int,
    pub mr_mode: c_int,
    pub mr_key_size: usize,
}

#[repr(C)]
pub struct FabricAttr {
    pub fabric: *mut Fid,
    pub name: *mut c_char,
    pub prov_name: *mut c_char,
    pub prov_version: u32,
    pub api_version: u32,
}

#[repr(C)]
pub struct Fabric {
    pub fid: Fid,
    pub ops: *const FabricOps,
}

#[repr(C)]
pub struct FabricOps {
    pub size: usize,
    pub domain: unsafe extern "C" fn(*mut Fabric, *mut Info, *mut *mut Domain, *mut c_void) -> c_int,
    pub passive_ep: *const c_void,
    pub eq_open: *const c_void,
    pub wait_open: *const c_void,
    pub trywait: unsafe extern "C" fn(*mut Fabric, *mut *mut Fid, c_int) -> c_int,
}

#[repr(C)]
pub struct Domain {
    pub fid: Fid,
    pub ops: *const DomainOps,
    pub mr: *const MrOps,
}

#[repr(C)]
pub struct DomainOps {
    pub size: usize,
    pub av_open: unsafe extern "C" fn(*mut Domain, *mut AvAttr, *mut *mut Av, *mut c_void) -> c_int,
    pub cq_open: unsafe extern "C" fn(*mut Domain, *mut CqAttr, *mut *mut Cq, *mut c_void) -> c_int,
    pub endpoint: unsafe extern "C" fn(*mut Domain, *mut Info, *mut *mut Ep, *mut c_void) -> c_int,
}

#[repr(C)]
pub struct MrOps {
    pub size: usize,
    pub reg: unsafe extern "C" fn(
        domain: *mut Fid,
        start: *const c_void,
        bytes: usize,
        access: u64,
        offset: u64,
        requested_key: u64,
        flags: u64,
        region: *mut *mut Mr,
        context: *mut c_void,
    ) -> c_int,
}

/// A region of registered memory.
#[repr(C)]
pub struct Mr {
    pub fid: Fid,
    pub descriptor: *mut c_void,
    pub key: u64,
}

#[repr(C)]
#[derive(Default)]
pub struct AvAttr {
    pub kind: c_int,
    pub rx_ctx_bits: c_int,
    pub count: usize,
    pub ep_per_node: usize,
    pub name: usize,
    pub map_addr: usize,
    pub flags: u64,
}

/// A table of addresses of peers.
#[repr(C)]
pub struct Av {
    pub fid: Fid,
    pub ops: *const AvOps,
}

#[repr(C)]
pub struct AvOps {
    pub size: usize,
    pub insert:
        unsafe extern "C" fn(*mut Av, *const c_void, usize, *mut u64, flags: u64, *mut c_void) -> c_int,
}

#[repr(C)]
#[derive(Default)]
pub struct CqAttr {
    pub size: usize,
    pub flags: u64,
    pub format: c_int,
    pub wait_obj: c_int,
    pub signaling_vector: c_int,
    pub wait_cond: c_int,
    pub wait_set: usize,
}

/// A queue of completions.
#[repr(C)]
pub struct Cq {
    pub fid: Fid,
    pub ops: *const CqOps,
}

#[repr(C)]
pub struct CqOps {
    pub size: usize,
    pub read: unsafe extern "C" fn(*mut Cq, *mut c_void, usize) -> isize,
    pub readfrom: *const c_void,
    pub readerr: unsafe extern "C" fn(*mut Cq, *mut CqError, flags: u64) -> isize,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct CqEntry {
    pub op_context: *mut c_void,
    pub flags: u64,
    pub len: usize,
    pub buf: *mut c_void,
    pub data: u64,
    pub tag: u64,
}

#[repr(C)]
pub struct CqError {
    pub op_context: *mut c_void,
    pub flags: u64,
    pub len: usize,
    pub buf: *mut c_void,
    pub data: u64,
    pub tag: u64,
    pub olen: usize,
    pub err: c_int,
    pub prov_errno: c_int,
    pub err_data: *mut c_void,
    pub err_data_size: usize,
}

/// A failed operation, with room for what newer versions append: not every provider asks which one we speak.
#[repr(C)]
pub struct CqErrorRoom {
    pub error: CqError,
    pub spare: [u64; 8],
}

#[repr(C)]
pub struct Ep {
    pub fid: Fid,
    pub ops: *const c_void,
    pub cm: *const CmOps,
    pub msg: *const c_void,
    pub rma: *const c_void,
    pub tagged: *const TaggedOps,
}

#[repr(C)]
pub struct CmOps {
    pub size: usize,
    pub setname: *const c_void,
    pub getname: unsafe extern "C" fn(*mut Fid, *mut c_void, *mut usize) -> c_int,
}

#[repr(C)]
pub struct TaggedOps {
    pub size: usize,
    pub recv: unsafe extern "C" fn(
        endpoint: *mut Ep,
        buffer: *mut c_void,
        bytes: usize,
        descriptor: *mut c_void,
        source: u64,
        tag: u64,
        ignored: u64,
        context: *mut c_void,
    ) -> isize,
    pub recvv: *const c_void,
    pub recvmsg: *const c_void,
    pub send: unsafe extern "C" fn(
        endpoint: *mut Ep,
        buffer: *const c_void,
        bytes: usize,
        descriptor: *mut c_void,
        destination: u64,
        tag: u64,
        context: *mut c_void,
    ) -> isize,
}

/// Memory that belongs to libfabric while an operation is under way. Its address names the operation.
#[repr(C)]
pub struct Context {
    internal: [*mut c_void; 8],
}

impl Context {
    pub const NEW: Context = Context { internal: [std::ptr::null_mut(); 8] };
}

#[cfg(all(test, target_pointer_width = "64"))]
mod layout;
