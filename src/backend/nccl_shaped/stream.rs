//! Streams: the order of a communicator's calls on a device.

use std::ffi::c_void;
use std::ptr;

use crate::base::Result;

/// A queue of a device, or the absence of one.
pub trait Stream: Send + Sync {
    /// Makes the stream's device current in the calling thread, before it calls the library.
    fn enter(&self) -> Result<()>;

    /// The handle to pass to the library.
    fn handle(&self) -> *mut c_void;

    /// Whether everything that was put into the stream has ended.
    fn has_ended(&self) -> Result<bool>;
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
