//! Streams: the order of a communicator's calls on a device.

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;

use crate::backend::engine::StreamPosition;
use crate::base::{Error, Result};
use crate::device::CudaStream;

/// A queue of a device, or the absence of one.
pub trait Stream: Send + Sync {
    /// Makes the stream's device current in the calling thread, before it calls the library.
    fn enter(&self) -> Result<()>;

    /// The handle to pass to the library.
    fn handle(&self) -> *mut c_void;

    /// Whether everything that was put into the stream has ended.
    fn has_ended(&self) -> Result<bool>;

    /// Refuses a buffer that the stream's device cannot use.
    fn check_buffer(&self, _address: usize) -> Result<()> {
        Ok(())
    }

    /// Whether a stream of the caller is recording a graph.
    fn is_recording(&self, _stream: CudaStream) -> Result<bool> {
        Ok(false)
    }

    /// The position behind everything that is in a stream of the caller.
    fn position(&self, _stream: CudaStream) -> Result<Arc<dyn StreamPosition>> {
        Err(Error::Internal("a stream without a device".into()))
    }
}

/// No stream: the library works on host memory, and a call has ended when it returns.
pub struct NoStream;

impl Stream for NoStream {
    fn enter(&self) -> Result<()> {
        Ok(())
    }

    fn handle(&self) -> *mut c_void {
        ptr::null_mut()
    }

    fn has_ended(&self) -> Result<bool> {
        Ok(true)
    }
}
