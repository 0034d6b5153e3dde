//! Exported functions by name: `cuGetProcAddress`, and the check of the names in `CUDA_DOUBLE_FAIL`.

use std::ffi::{c_char, c_int, c_void};

use crate::allocation::{
    cuMemAlloc_v2, cuMemAllocManaged, cuMemAllocPitch_v2, cuMemFree_v2, cuMemGetAddressRange_v2,
    cuMemGetInfo_v2,
};
use crate::argument::{In, Out};
use crate::capture::{
    cuStreamBeginCapture_v2, cuStreamBeginCapture_v2_ptsz, cuStreamEndCapture, cuStreamEndCapture_ptsz,
    cuStreamGetCaptureInfo_v2, cuStreamGetCaptureInfo_v2_ptsz, cuStreamGetCaptureInfo_v3,
    cuStreamGetCaptureInfo_v3_ptsz, cuStreamIsCapturing, cuStreamIsCapturing_ptsz,
};
use crate::context::api::{
    cuCtxCreate_v2, cuCtxDestroy_v2, cuCtxDisablePeerAccess, cuCtxEnablePeerAccess, cuCtxGetApiVersion,
    cuCtxGetCurrent, cuCtxGetDevice, cuCtxGetFlags, cuCtxGetId, cuCtxGetStreamPriorityRange,
    cuCtxPopCurrent_v2, cuCtxPushCurrent_v2, cuCtxSetCurrent, cuCtxSynchronize,
};
use crate::context::primary::{
    cuDevicePrimaryCtxGetState, cuDevicePrimaryCtxRelease_v2, cuDevicePrimaryCtxReset_v2,
    cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxSetFlags_v2,
};
use crate::copy::api::{
    cuMemcpy, cuMemcpy_ptds, cuMemcpyAsync, cuMemcpyAsync_ptsz, cuMemcpyDtoD_v2, cuMemcpyDtoD_v2_ptds,
    cuMemcpyDtoDAsync_v2, cuMemcpyDtoDAsync_v2_ptsz, cuMemcpyDtoH_v2, cuMemcpyDtoH_v2_ptds,
    cuMemcpyDtoHAsync_v2, cuMemcpyDtoHAsync_v2_ptsz, cuMemcpyHtoD_v2, cuMemcpyHtoD_v2_ptds,
    cuMemcpyHtoDAsync_v2, cuMemcpyHtoDAsync_v2_ptsz, cuMemcpyPeer, cuMemcpyPeer_ptds, cuMemcpyPeerAsync,
    cuMemcpyPeerAsync_ptsz,
};
use crate::copy::fill::{
    cuMemsetD8_v2, cuMemsetD8_v2_ptds, cuMemsetD8Async, cuMemsetD8Async_ptsz, cuMemsetD16_v2,
    cuMemsetD16_v2_ptds, cuMemsetD16Async, cuMemsetD16Async_ptsz, cuMemsetD32_v2, cuMemsetD32_v2_ptds,
    cuMemsetD32Async, cuMemsetD32Async_ptsz,
};
use crate::copy::plane::{
    cuMemcpy2D_v2, cuMemcpy2D_v2_ptds, cuMemcpy2DAsync_v2, cuMemcpy2DAsync_v2_ptsz, cuMemcpy2DUnaligned_v2,
    cuMemcpy2DUnaligned_v2_ptds,
};
use crate::device::api::{
    cuDeviceCanAccessPeer, cuDeviceComputeCapability, cuDeviceGet, cuDeviceGetAttribute,
    cuDeviceGetByPCIBusId, cuDeviceGetCount, cuDeviceGetName, cuDeviceGetP2PAttribute, cuDeviceGetPCIBusId,
    cuDeviceGetUuid, cuDeviceGetUuid_v2, cuDeviceTotalMem_v2, cuDriverGetVersion,
};
use crate::entry::before_init;
use crate::entry::cuInit;
use crate::event::{
    cuEventCreate, cuEventDestroy_v2, cuEventElapsedTime, cuEventElapsedTime_v2, cuEventQuery, cuEventRecord,
    cuEventRecord_ptsz, cuEventRecordWithFlags, cuEventRecordWithFlags_ptsz, cuEventSynchronize,
};
use crate::host_function::{
    cuLaunchHostFunc, cuLaunchHostFunc_ptsz, cuStreamAddCallback, cuStreamAddCallback_ptsz,
};
use crate::ipc::events::{cuIpcGetEventHandle, cuIpcOpenEventHandle};
use crate::ipc::memory::{cuIpcCloseMemHandle, cuIpcGetMemHandle, cuIpcOpenMemHandle_v2};
use crate::pinned::{
    cuMemAllocHost_v2, cuMemFreeHost, cuMemHostAlloc, cuMemHostGetDevicePointer_v2, cuMemHostGetFlags,
    cuMemHostRegister_v2, cuMemHostUnregister,
};
use crate::pointer::{
    cuMemGetHandleForAddressRange, cuPointerGetAttribute, cuPointerGetAttributes, cuPointerSetAttribute,
};
use crate::pool::{
    cuDeviceGetDefaultMemPool, cuDeviceGetMemPool, cuMemAllocAsync, cuMemAllocAsync_ptsz, cuMemFreeAsync,
    cuMemFreeAsync_ptsz, cuMemPoolCreate, cuMemPoolExportToShareableHandle, cuMemPoolSetAttribute,
    cuMemPoolTrimTo,
};
use crate::settings::settings;
use crate::status::{Status, require};
use crate::status::{cuGetErrorName, cuGetErrorString};
use crate::stream::api::{
    cuStreamCreate, cuStreamCreateWithPriority, cuStreamDestroy_v2, cuStreamGetCtx, cuStreamGetCtx_ptsz,
    cuStreamGetDevice, cuStreamGetDevice_ptsz, cuStreamGetFlags, cuStreamGetFlags_ptsz, cuStreamGetId,
    cuStreamGetId_ptsz, cuStreamGetPriority, cuStreamGetPriority_ptsz, cuStreamQuery, cuStreamQuery_ptsz,
    cuStreamSynchronize, cuStreamSynchronize_ptsz, cuStreamWaitEvent, cuStreamWaitEvent_ptsz,
};
use crate::value::{
    cuStreamBatchMemOp_v2, cuStreamBatchMemOp_v2_ptsz, cuStreamWaitValue32_v2, cuStreamWaitValue32_v2_ptsz,
    cuStreamWaitValue64_v2, cuStreamWaitValue64_v2_ptsz, cuStreamWriteValue32_v2,
    cuStreamWriteValue32_v2_ptsz, cuStreamWriteValue64_v2, cuStreamWriteValue64_v2_ptsz,
};
use crate::vmm::export::{cuMemExportToShareableHandle, cuMemImportFromShareableHandle};
use crate::vmm::map::{cuMemGetAccess, cuMemMap, cuMemRetainAllocationHandle, cuMemSetAccess, cuMemUnmap};
use crate::vmm::reserve::{cuMemAddressFree, cuMemAddressReserve};
use crate::vmm::{
    cuMemCreate, cuMemGetAllocationGranularity, cuMemGetAllocationPropertiesFromHandle, cuMemRelease,
};

/// An exported function.
struct Function {
    name: &'static str,
    address: *const c_void,
}

/// Lists functions by their names.
macro_rules! functions {
    ($($name:ident)*) => {
        &[$(Function { name: stringify!($name), address: $name as *const c_void }),*]
    };
}

// SAFETY: the addresses are those of functions.
unsafe impl Sync for Function {}

static FUNCTIONS: &[Function] = functions! {
    cuCtxCreate_v2
    cuCtxDestroy_v2
    cuCtxDisablePeerAccess
    cuCtxEnablePeerAccess
    cuCtxGetApiVersion
    cuCtxGetCurrent
    cuCtxGetDevice
    cuCtxGetFlags
    cuCtxGetId
    cuCtxGetStreamPriorityRange
    cuCtxPopCurrent_v2
    cuCtxPushCurrent_v2
    cuCtxSetCurrent
    cuCtxSynchronize
    cuDeviceCanAccessPeer
    cuDeviceComputeCapability
    cuDeviceGet
    cuDeviceGetAttribute
    cuDeviceGetByPCIBusId
    cuDeviceGetCount
    cuDeviceGetDefaultMemPool
    cuDeviceGetMemPool
    cuDeviceGetName
    cuDeviceGetP2PAttribute
    cuDeviceGetPCIBusId
    cuDeviceGetUuid
    cuDeviceGetUuid_v2
    cuDevicePrimaryCtxGetState
    cuDevicePrimaryCtxRelease_v2
    cuDevicePrimaryCtxReset_v2
    cuDevicePrimaryCtxRetain
    cuDevicePrimaryCtxSetFlags_v2
    cuDeviceTotalMem_v2
    cuDriverGetVersion
    cuEventCreate
    cuEventDestroy_v2
    cuEventElapsedTime
    cuEventElapsedTime_v2
    cuEventQuery
    cuEventRecord
    cuEventRecordWithFlags
    cuEventRecordWithFlags_ptsz
    cuEventRecord_ptsz
    cuEventSynchronize
    cuGetErrorName
    cuGetErrorString
    cuGetProcAddress
    cuGetProcAddress_v2
    cuInit
    cuIpcCloseMemHandle
    cuIpcGetEventHandle
    cuIpcGetMemHandle
    cuIpcOpenEventHandle
    cuIpcOpenMemHandle_v2
    cuLaunchHostFunc
    cuLaunchHostFunc_ptsz
    cuMemAddressFree
    cuMemAddressReserve
    cuMemAllocAsync
    cuMemAllocAsync_ptsz
    cuMemAllocHost_v2
    cuMemAllocManaged
    cuMemAllocPitch_v2
    cuMemAlloc_v2
    cuMemCreate
    cuMemExportToShareableHandle
    cuMemFreeAsync
    cuMemFreeAsync_ptsz
    cuMemFreeHost
    cuMemFree_v2
    cuMemGetAccess
    cuMemGetAddressRange_v2
    cuMemGetAllocationGranularity
    cuMemGetAllocationPropertiesFromHandle
    cuMemGetHandleForAddressRange
    cuMemGetInfo_v2
    cuMemHostAlloc
    cuMemHostGetDevicePointer_v2
    cuMemHostGetFlags
    cuMemHostRegister_v2
    cuMemHostUnregister
    cuMemImportFromShareableHandle
    cuMemMap
    cuMemPoolCreate
    cuMemPoolExportToShareableHandle
    cuMemPoolSetAttribute
    cuMemPoolTrimTo
    cuMemRelease
    cuMemRetainAllocationHandle
    cuMemSetAccess
    cuMemUnmap
    cuMemcpy
    cuMemcpy2DAsync_v2
    cuMemcpy2DAsync_v2_ptsz
    cuMemcpy2DUnaligned_v2
    cuMemcpy2DUnaligned_v2_ptds
    cuMemcpy2D_v2
    cuMemcpy2D_v2_ptds
    cuMemcpyAsync
    cuMemcpyAsync_ptsz
    cuMemcpyDtoDAsync_v2
    cuMemcpyDtoDAsync_v2_ptsz
    cuMemcpyDtoD_v2
    cuMemcpyDtoD_v2_ptds
    cuMemcpyDtoHAsync_v2
    cuMemcpyDtoHAsync_v2_ptsz
    cuMemcpyDtoH_v2
    cuMemcpyDtoH_v2_ptds
    cuMemcpyHtoDAsync_v2
    cuMemcpyHtoDAsync_v2_ptsz
    cuMemcpyHtoD_v2
    cuMemcpyHtoD_v2_ptds
    cuMemcpyPeer
    cuMemcpyPeerAsync
    cuMemcpyPeerAsync_ptsz
    cuMemcpyPeer_ptds
    cuMemcpy_ptds
    cuMemsetD16Async
    cuMemsetD16Async_ptsz
    cuMemsetD16_v2
    cuMemsetD16_v2_ptds
    cuMemsetD32Async
    cuMemsetD32Async_ptsz
    cuMemsetD32_v2
    cuMemsetD32_v2_ptds
    cuMemsetD8Async
    cuMemsetD8Async_ptsz
    cuMemsetD8_v2
    cuMemsetD8_v2_ptds
    cuPointerGetAttribute
    cuPointerGetAttributes
    cuPointerSetAttribute
    cuStreamAddCallback
    cuStreamAddCallback_ptsz
    cuStreamBatchMemOp_v2
    cuStreamBatchMemOp_v2_ptsz
    cuStreamBeginCapture_v2
    cuStreamBeginCapture_v2_ptsz
    cuStreamCreate
    cuStreamCreateWithPriority
    cuStreamDestroy_v2
    cuStreamEndCapture
    cuStreamEndCapture_ptsz
    cuStreamGetCaptureInfo_v2
    cuStreamGetCaptureInfo_v2_ptsz
    cuStreamGetCaptureInfo_v3
    cuStreamGetCaptureInfo_v3_ptsz
    cuStreamGetCtx
    cuStreamGetCtx_ptsz
    cuStreamGetDevice
    cuStreamGetDevice_ptsz
    cuStreamGetFlags
    cuStreamGetFlags_ptsz
    cuStreamGetId
    cuStreamGetId_ptsz
    cuStreamGetPriority
    cuStreamGetPriority_ptsz
    cuStreamIsCapturing
    cuStreamIsCapturing_ptsz
    cuStreamQuery
    cuStreamQuery_ptsz
    cuStreamSynchronize
    cuStreamSynchronize_ptsz
    cuStreamWaitEvent
    cuStreamWaitEvent_ptsz
    cuStreamWaitValue32_v2
    cuStreamWaitValue32_v2_ptsz
    cuStreamWaitValue64_v2
    cuStreamWaitValue64_v2_ptsz
    cuStreamWriteValue32_v2
    cuStreamWriteValue32_v2_ptsz
    cuStreamWriteValue64_v2
    cuStreamWriteValue64_v2_ptsz
};

/// `CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM`.
const PER_THREAD: u64 = 2;

/// Whether a function of this name, without a suffix, is exported.
pub fn exists(name: &str) -> bool {
    FUNCTIONS.iter().any(|function| base(function.name) == name)
}

/// A name without the suffixes for versions and default streams.
fn base(name: &str) -> &str {
    let name = name.trim_end_matches("_ptsz").trim_end_matches("_ptds");
    match name.rsplit_once("_v") {
        Some((base, version)) if version.parse::<u32>().is_ok() => base,
        _ => name,
    }
}

/// The newest form of the function `name`; the one for the thread's default stream if there is one and it is
/// asked.
fn find(name: &str, is_per_thread: bool) -> Option<*const c_void> {
    let is_form = |function: &&Function| base(function.name) == base(name);
    let suffixed = |name: &str| name.ends_with("_ptsz") || name.ends_with("_ptds");
    let newest = |of_thread: bool| {
        let forms = FUNCTIONS.iter().filter(is_form).filter(|form| suffixed(form.name) == of_thread);
        forms.max_by_key(|form| form.name.len() * 1000 + form.name.bytes().last().unwrap_or(0) as usize)
    };
    let found = if is_per_thread { newest(true).or_else(|| newest(false)) } else { newest(false) };
    found.map(|function| function.address)
}

fn answer(name: In<c_char>, function: Out<*const c_void>, flags: u64, status: Out<c_int>) -> Status {
    let found = || {
        let name = name.text()?;
        require(!function.is_null() && flags <= PER_THREAD)?;
        // A name with a suffix is not known to the driver.
        require(base(name) == name).map_err(|_| Status::NOT_FOUND)?;
        find(name, flags == PER_THREAD).ok_or(Status::NOT_FOUND)
    };
    let found = found();
    let code = match found {
        Ok(_) => 0,
        // `CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND`.
        Err(_) => 1,
    };
    status.set_if_asked(code);
    function.set_if_asked(found.unwrap_or(std::ptr::null()));
    found.map(drop).into()
}

/// `cuGetProcAddress`. Every version that is asked for gets the newest form.
#[unsafe(no_mangle)]
pub extern "C" fn cuGetProcAddress(
    name: In<c_char>,
    function: Out<*const c_void>,
    version: c_int,
    flags: u64,
) -> Status {
    cuGetProcAddress_v2(name, function, version, flags, Out::null())
}

/// `cuGetProcAddress_v2`. Every version that is asked for gets the newest form.
#[unsafe(no_mangle)]
pub extern "C" fn cuGetProcAddress_v2(
    name: In<c_char>,
    function: Out<*const c_void>,
    version: c_int,
    flags: u64,
    status: Out<c_int>,
) -> Status {
    let mut outcome = Status::INVALID_VALUE;
    before_init("cuGetProcAddress", || {
        require(version <= settings().version)?;
        outcome = answer(name, function, flags, status);
        if outcome == Status::SUCCESS { Ok(()) } else { Err(outcome) }
    })
}
