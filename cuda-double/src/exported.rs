//! The names of the exported functions, and what their suffixes mean.

/// Gives the names of all exported functions to a macro.
macro_rules! each_exported {
    ($use:ident) => {
        $use! {
            cuCtxCreate_v2
            cuCtxCreate_v3
            cuCtxCreate_v4
            cuCtxDestroy_v2
            cuCtxDisablePeerAccess
            cuCtxEnablePeerAccess
            cuCtxGetApiVersion
            cuCtxGetCacheConfig
            cuCtxGetCurrent
            cuCtxGetDevice
            cuCtxGetFlags
            cuCtxGetId
            cuCtxGetLimit
            cuCtxGetStreamPriorityRange
            cuCtxPopCurrent_v2
            cuCtxPushCurrent_v2
            cuCtxSetCacheConfig
            cuCtxSetCurrent
            cuCtxSetLimit
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
            cuFuncGetAttribute
            cuFuncGetModule
            cuFuncGetParamInfo
            cuFuncIsLoaded
            cuFuncLoad
            cuFuncSetAttribute
            cuFuncSetCacheConfig
            cuGetErrorName
            cuGetErrorString
            cuGetProcAddress
            cuGetProcAddress_v2
            cuGraphCreate
            cuGraphDestroy
            cuGraphExecDestroy
            cuGraphExecUpdate_v2
            cuGraphGetNodes
            cuGraphInstantiateWithFlags
            cuGraphInstantiate_v2
            cuGraphLaunch
            cuGraphLaunch_ptsz
            cuGraphNodeGetType
            cuGraphReleaseUserObject
            cuGraphRetainUserObject
            cuInit
            cuIpcCloseMemHandle
            cuIpcGetEventHandle
            cuIpcGetMemHandle
            cuIpcOpenEventHandle
            cuIpcOpenMemHandle_v2
            cuLaunchHostFunc
            cuLaunchHostFunc_ptsz
            cuLaunchKernel
            cuLaunchKernelEx
            cuLaunchKernelEx_ptsz
            cuLaunchKernel_ptsz
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
            cuModuleGetFunction
            cuModuleGetFunctionCount
            cuModuleGetGlobal_v2
            cuModuleGetLoadingMode
            cuModuleLoadData
            cuModuleLoadDataEx
            cuModuleUnload
            cuOccupancyMaxActiveBlocksPerMultiprocessor
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
            cuThreadExchangeStreamCaptureMode
            cuUserObjectCreate
            cuUserObjectRelease
            cuUserObjectRetain
        }
    };
}
pub(crate) use each_exported;

macro_rules! names {
    ($($name:ident)*) => {
        &[$(stringify!($name)),*]
    };
}

static NAMES: &[&str] = each_exported!(names);

/// Whether a function of this name, without a suffix, is exported.
pub fn exists(name: &str) -> bool {
    NAMES.iter().any(|exported| base(exported) == name)
}

/// A name without the suffixes for versions and default streams.
pub fn base(name: &str) -> &str {
    let name = plain(name);
    match name.rsplit_once("_v") {
        Some((base, version)) if version.parse::<u32>().is_ok() => base,
        _ => name,
    }
}

/// A name without the suffix for the thread's default stream.
pub fn plain(name: &str) -> &str {
    name.trim_end_matches("_ptsz").trim_end_matches("_ptds")
}
