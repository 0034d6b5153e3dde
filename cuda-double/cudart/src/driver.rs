//! The functions of the driver that this runtime uses, opened at the first call as CUDA's runtime does.

use std::ffi::{c_char, c_int, c_void};
use std::sync::LazyLock;

use libloading::Library;

use crate::arguments::{Handle, Plane};
use crate::error::{Error, Result};

/// The oldest driver that a runtime of CUDA 12 works with.
const OLDEST: c_int = 12_000;

/// Declares the table, with the names that the library exports.
macro_rules! functions {
    ($($name:ident: fn($($argument:ty),*);)*) => {
        /// The functions of a driver.
        pub struct Driver {
            $(
                #[doc = concat!("`", stringify!($name), "`.")]
                pub $name: extern "C" fn($($argument),*) -> Error,
            )*
        }

        impl Driver {
            fn of(library: &Library) -> std::result::Result<Driver, libloading::Error> {
                $(
                    // SAFETY: the type is that of the driver's function of this name: addresses and
                    // handles are numbers, places for results are pointers, a code is 32 bits.
                    let $name = unsafe { library.get(concat!(stringify!($name), "\0").as_bytes()) };
                )*
                Ok(Driver { $($name: *$name?),* })
            }
        }
    };
}

functions! {
    cuCtxDisablePeerAccess: fn(usize);
    cuCtxEnablePeerAccess: fn(usize, u32);
    cuCtxGetCurrent: fn(*mut usize);
    cuCtxGetDevice: fn(*mut c_int);
    cuCtxGetLimit: fn(*mut usize, c_int);
    cuCtxGetStreamPriorityRange: fn(*mut c_int, *mut c_int);
    cuCtxSetCurrent: fn(usize);
    cuCtxSetLimit: fn(c_int, usize);
    cuCtxSynchronize: fn();
    cuDeviceCanAccessPeer: fn(*mut c_int, c_int, c_int);
    cuDeviceGetAttribute: fn(*mut c_int, c_int, c_int);
    cuDeviceGetByPCIBusId: fn(*mut c_int, *const c_char);
    cuDeviceGetCount: fn(*mut c_int);
    cuDeviceGetDefaultMemPool: fn(*mut usize, c_int);
    cuDeviceGetName: fn(*mut c_char, c_int, c_int);
    cuDeviceGetP2PAttribute: fn(*mut c_int, c_int, c_int, c_int);
    cuDeviceGetPCIBusId: fn(*mut c_char, c_int, c_int);
    cuDeviceGetUuid_v2: fn(*mut [u8; 16], c_int);
    cuDevicePrimaryCtxGetState: fn(c_int, *mut u32, *mut c_int);
    cuDevicePrimaryCtxReset_v2: fn(c_int);
    cuDevicePrimaryCtxRetain: fn(*mut usize, c_int);
    cuDevicePrimaryCtxSetFlags_v2: fn(c_int, u32);
    cuDeviceTotalMem_v2: fn(*mut usize, c_int);
    cuDriverGetVersion: fn(*mut c_int);
    cuEventCreate: fn(*mut usize, u32);
    cuEventDestroy_v2: fn(usize);
    cuEventElapsedTime: fn(*mut f32, usize, usize);
    cuEventQuery: fn(usize);
    cuEventRecord: fn(usize, usize);
    cuEventRecordWithFlags: fn(usize, usize, u32);
    cuEventSynchronize: fn(usize);
    cuGetProcAddress_v2: fn(*const c_char, *mut *mut c_void, c_int, u64, *mut c_int);
    cuGraphCreate: fn(*mut usize, u32);
    cuGraphDestroy: fn(usize);
    cuGraphExecDestroy: fn(usize);
    cuGraphExecUpdate_v2: fn(usize, usize, usize);
    cuGraphGetNodes: fn(usize, *mut usize, *mut usize);
    cuGraphInstantiateWithFlags: fn(*mut usize, usize, u64);
    cuGraphLaunch: fn(usize, usize);
    cuGraphReleaseUserObject: fn(usize, usize, u32);
    cuGraphRetainUserObject: fn(usize, usize, u32, u32);
    cuInit: fn(u32);
    cuIpcCloseMemHandle: fn(usize);
    cuIpcGetEventHandle: fn(*mut Handle, usize);
    cuIpcGetMemHandle: fn(*mut Handle, usize);
    cuIpcOpenEventHandle: fn(*mut usize, Handle);
    cuIpcOpenMemHandle_v2: fn(*mut usize, Handle, u32);
    cuLaunchHostFunc: fn(usize, usize, usize);
    cuMemAllocAsync: fn(*mut usize, usize, usize);
    cuMemAllocManaged: fn(*mut usize, usize, u32);
    cuMemAlloc_v2: fn(*mut usize, usize);
    cuMemFreeAsync: fn(usize, usize);
    cuMemFreeHost: fn(usize);
    cuMemFree_v2: fn(usize);
    cuMemGetInfo_v2: fn(*mut usize, *mut usize);
    cuMemHostAlloc: fn(*mut usize, usize, u32);
    cuMemHostGetDevicePointer_v2: fn(*mut usize, usize, u32);
    cuMemHostGetFlags: fn(*mut u32, usize);
    cuMemHostRegister_v2: fn(usize, usize, u32);
    cuMemHostUnregister: fn(usize);
    cuMemcpy: fn(usize, usize, usize);
    cuMemcpy2DAsync_v2: fn(*const Plane, usize);
    cuMemcpy2DUnaligned_v2: fn(*const Plane);
    cuMemcpyAsync: fn(usize, usize, usize, usize);
    cuMemcpyDtoDAsync_v2: fn(usize, usize, usize, usize);
    cuMemcpyDtoD_v2: fn(usize, usize, usize);
    cuMemcpyDtoHAsync_v2: fn(usize, usize, usize, usize);
    cuMemcpyDtoH_v2: fn(usize, usize, usize);
    cuMemcpyHtoDAsync_v2: fn(usize, usize, usize, usize);
    cuMemcpyHtoD_v2: fn(usize, usize, usize);
    cuMemcpyPeer: fn(usize, usize, usize, usize, usize);
    cuMemcpyPeerAsync: fn(usize, usize, usize, usize, usize, usize);
    cuMemsetD8Async: fn(usize, u8, usize, usize);
    cuMemsetD8_v2: fn(usize, u8, usize);
    cuPointerGetAttribute: fn(*mut c_void, c_int, usize);
    cuStreamAddCallback: fn(usize, usize, usize, u32);
    cuStreamBeginCapture_v2: fn(usize, u32);
    cuStreamCreate: fn(*mut usize, u32);
    cuStreamCreateWithPriority: fn(*mut usize, u32, c_int);
    cuStreamDestroy_v2: fn(usize);
    cuStreamEndCapture: fn(usize, *mut usize);
    cuStreamGetCaptureInfo_v2: fn(usize, *mut u32, *mut u64, *mut usize, *mut usize, *mut usize);
    cuStreamGetFlags: fn(usize, *mut u32);
    cuStreamGetId: fn(usize, *mut u64);
    cuStreamGetPriority: fn(usize, *mut c_int);
    cuStreamIsCapturing: fn(usize, *mut u32);
    cuStreamQuery: fn(usize);
    cuStreamSynchronize: fn(usize);
    cuStreamWaitEvent: fn(usize, usize, u32);
    cuThreadExchangeStreamCaptureMode: fn(*mut u32);
    cuUserObjectCreate: fn(*mut usize, usize, usize, u32, u32);
    cuUserObjectRelease: fn(usize, u32);
    cuUserObjectRetain: fn(usize, u32);
}

/// The library, whether or not it was initialised. It stays open to the end of the process.
static OPENED: LazyLock<Option<Driver>> = LazyLock::new(|| {
    // SAFETY: the library is a CUDA driver, whose initialisers may run at any time.
    let library = unsafe { Library::new("libcuda.so.1") }.ok()?;
    let driver = Driver::of(&library).ok();
    std::mem::forget(library);
    driver
});

/// The outcome of its initialisation, which is tried once.
static INITIALISED: LazyLock<Result> = LazyLock::new(|| {
    let driver = opened()?;
    let mut version = 0;
    (driver.cuDriverGetVersion)(&raw mut version).check()?;
    if version < OLDEST {
        return Err(Error::INSUFFICIENT_DRIVER);
    }
    (driver.cuInit)(0).check()
});

/// The driver before its initialisation.
pub fn opened() -> Result<&'static Driver> {
    OPENED.as_ref().ok_or(Error::INSUFFICIENT_DRIVER)
}

/// The driver, initialised. Without a driver that fits, the error is the one that CUDA's runtime gives.
pub fn get() -> Result<&'static Driver> {
    (*INITIALISED)?;
    opened()
}
