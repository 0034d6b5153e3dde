//! Codes of the runtime (`cudaError_t`), their texts, and the last error of a thread.
//!
//! The runtime gives the driver's errors the driver's numbers, and has a few more of its own.

use std::cell::Cell;
use std::ffi::{CStr, c_char};

/// A `cudaError_t`, or a `CUresult` of the same number.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error(pub u32);

/// Outcome of a function of the runtime.
pub type Result<T = ()> = std::result::Result<T, Error>;

thread_local! {
    /// The last error of this thread that nobody has taken.
    static LAST: Cell<Error> = const { Cell::new(Error::SUCCESS) };
}

impl Error {
    /// No error.
    pub const SUCCESS: Error = Error(0);
    /// An argument makes no sense.
    pub const INVALID_VALUE: Error = Error(1);
    /// A pitch is smaller than a row.
    pub const INVALID_PITCH: Error = Error(12);
    /// A direction of a copy does not exist.
    pub const INVALID_DIRECTION: Error = Error(21);
    /// There is no driver, or an old one.
    pub const INSUFFICIENT_DRIVER: Error = Error(35);
    /// There is no device.
    pub const NO_DEVICE: Error = Error(100);
    /// No device has this number.
    pub const INVALID_DEVICE: Error = Error(101);
    /// There is no code of this kernel for the device.
    pub const NO_KERNEL_IMAGE: Error = Error(209);
    /// The driver does not know this name.
    pub const SYMBOL_NOT_FOUND: Error = Error(500);

    /// The code as an outcome.
    pub fn check(self) -> Result {
        if self == Error::SUCCESS { Ok(()) } else { Err(self) }
    }

    /// Remembers an error for `cudaGetLastError`, and returns the code.
    pub fn remember(outcome: Result) -> Error {
        let Err(error) = outcome else { return Error::SUCCESS };
        LAST.set(error);
        error
    }

    fn texts(self) -> (&'static CStr, &'static CStr) {
        let found = TEXTS.iter().find(|(number, ..)| *number == self.0);
        found.map_or((UNKNOWN, UNKNOWN), |&(_, name, sentence)| (name, sentence))
    }
}

/// Fails with an invalid value unless `holds`.
pub fn require(holds: bool) -> Result {
    if holds { Ok(()) } else { Err(Error::INVALID_VALUE) }
}

const UNKNOWN: &CStr = c"unrecognized error code";

/// Name and sentence of each code.
const TEXTS: &[(u32, &CStr, &CStr)] = &[
    (0, c"cudaSuccess", c"no error"),
    (1, c"cudaErrorInvalidValue", c"invalid argument"),
    (2, c"cudaErrorMemoryAllocation", c"out of memory"),
    (3, c"cudaErrorInitializationError", c"initialization error"),
    (4, c"cudaErrorCudartUnloading", c"driver shutting down"),
    (9, c"cudaErrorInvalidConfiguration", c"invalid configuration argument"),
    (12, c"cudaErrorInvalidPitchValue", c"invalid pitch argument"),
    (21, c"cudaErrorInvalidMemcpyDirection", c"invalid copy direction for memcpy"),
    (35, c"cudaErrorInsufficientDriver", c"CUDA driver version is insufficient for CUDA runtime version"),
    (98, c"cudaErrorInvalidDeviceFunction", c"invalid device function"),
    (100, c"cudaErrorNoDevice", c"no CUDA-capable device is detected"),
    (101, c"cudaErrorInvalidDevice", c"invalid device ordinal"),
    (200, c"cudaErrorInvalidKernelImage", c"device kernel image is invalid"),
    (201, c"cudaErrorDeviceUninitialized", c"invalid device context"),
    (205, c"cudaErrorMapBufferObjectFailed", c"mapping of buffer object failed"),
    (209, c"cudaErrorNoKernelImageForDevice", c"no kernel image is available for execution on the device"),
    (217, c"cudaErrorPeerAccessUnsupported", c"peer access is not supported between these two devices"),
    (218, c"cudaErrorInvalidPtx", c"a PTX JIT compilation failed"),
    (300, c"cudaErrorInvalidSource", c"device kernel image is invalid"),
    (301, c"cudaErrorFileNotFound", c"file not found"),
    (304, c"cudaErrorOperatingSystem", c"OS call failed or operation not supported on this OS"),
    (400, c"cudaErrorInvalidResourceHandle", c"invalid resource handle"),
    (401, c"cudaErrorIllegalState", c"the operation cannot be performed in the present state"),
    (500, c"cudaErrorSymbolNotFound", c"named symbol not found"),
    (600, c"cudaErrorNotReady", c"device not ready"),
    (700, c"cudaErrorIllegalAddress", c"an illegal memory access was encountered"),
    (701, c"cudaErrorLaunchOutOfResources", c"too many resources requested for launch"),
    (704, c"cudaErrorPeerAccessAlreadyEnabled", c"peer access is already enabled"),
    (705, c"cudaErrorPeerAccessNotEnabled", c"peer access has not been enabled"),
    (708, c"cudaErrorSetOnActiveProcess", c"cannot set while device is active in this process"),
    (709, c"cudaErrorContextIsDestroyed", c"context is destroyed"),
    (
        712,
        c"cudaErrorHostMemoryAlreadyRegistered",
        c"part or all of the requested memory range is already mapped",
    ),
    (713, c"cudaErrorHostMemoryNotRegistered", c"pointer does not correspond to a registered memory region"),
    (719, c"cudaErrorLaunchFailure", c"unspecified launch failure"),
    (800, c"cudaErrorNotPermitted", c"operation not permitted"),
    (801, c"cudaErrorNotSupported", c"operation not supported"),
    (900, c"cudaErrorStreamCaptureUnsupported", c"operation not permitted when stream is capturing"),
    (901, c"cudaErrorStreamCaptureInvalidated", c"operation failed due to a previous error during capture"),
    (902, c"cudaErrorStreamCaptureMerge", c"operation would result in a merge of separate capture sequences"),
    (903, c"cudaErrorStreamCaptureUnmatched", c"capture was not ended in the same stream as it began"),
    (904, c"cudaErrorStreamCaptureUnjoined", c"capturing stream has unjoined work"),
    (905, c"cudaErrorStreamCaptureIsolation", c"dependency created on uncaptured work in another stream"),
    (
        906,
        c"cudaErrorStreamCaptureImplicit",
        c"operation would make the legacy stream depend on a capturing blocking stream",
    ),
    (
        907,
        c"cudaErrorCapturedEvent",
        c"operation not permitted on an event last recorded in a capturing stream",
    ),
    (
        908,
        c"cudaErrorStreamCaptureWrongThread",
        c"attempt to terminate a thread-local capture sequence from another thread",
    ),
    (
        910,
        c"cudaErrorGraphExecUpdateFailure",
        c"the graph update was not performed because it included changes which violated constraints specific to \
instantiated graph update",
    ),
    (999, c"cudaErrorUnknown", c"unknown error"),
];

/// `cudaGetLastError`: the last error of this thread, which is forgotten.
#[unsafe(no_mangle)]
pub extern "C" fn cudaGetLastError() -> Error {
    LAST.replace(Error::SUCCESS)
}

/// `cudaPeekAtLastError`: the last error of this thread.
#[unsafe(no_mangle)]
pub extern "C" fn cudaPeekAtLastError() -> Error {
    LAST.get()
}

/// `cudaGetErrorName`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaGetErrorName(error: Error) -> *const c_char {
    error.texts().0.as_ptr()
}

/// `cudaGetErrorString`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaGetErrorString(error: Error) -> *const c_char {
    error.texts().1.as_ptr()
}
