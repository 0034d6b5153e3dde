//! Handles of the CUDA driver: contexts, streams, events. The library never looks behind them.

use std::ffi::c_void;
use std::ptr;

/// Declares a handle that any thread may use.
macro_rules! handle {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[repr(transparent)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name(*mut c_void);

        // SAFETY: the driver's objects may be used by any thread; the driver has its own locks.
        unsafe impl Send for $name {}
        // SAFETY: as above.
        unsafe impl Sync for $name {}
    };
}

handle! {
    /// A context of a device.
    CudaContext
}

handle! {
    /// A stream: a queue of work of a device.
    CudaStream
}

handle! {
    /// An event: a mark in a stream.
    CudaEvent
}

handle! {
    /// A graph.
    CudaGraph
}

impl CudaContext {
    /// No context.
    pub const NONE: CudaContext = CudaContext(ptr::null_mut());

    /// The context whose handle has this number.
    pub(crate) fn from_address(address: u64) -> CudaContext {
        CudaContext(ptr::with_exposed_provenance_mut(address as usize))
    }

    /// The number of the handle.
    pub(crate) fn to_address(self) -> u64 {
        self.0.expose_provenance() as u64
    }
}

impl CudaGraph {
    /// No graph.
    pub(super) const NONE: CudaGraph = CudaGraph(ptr::null_mut());
}

impl CudaStream {
    /// The legacy default stream of the current context.
    pub const LEGACY: CudaStream = CudaStream(ptr::null_mut());

    /// Whether the handle stands for different streams: in each context, or in each thread.
    pub fn is_default(self) -> bool {
        const PER_THREAD: usize = 2;
        self.0.addr() <= PER_THREAD
    }

    /// A stream of the program: a `CUstream`, or a `cudaStream_t`, which is the same.
    pub fn from_raw(handle: *mut c_void) -> CudaStream {
        CudaStream(handle)
    }

    /// The handle, for a C function.
    pub fn as_raw(self) -> *mut c_void {
        self.0
    }
}

impl CudaEvent {
    /// No event.
    pub(super) const NONE: CudaEvent = CudaEvent(ptr::null_mut());
}
