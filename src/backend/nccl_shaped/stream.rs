//! Streams: the order of the calls of a communicator.

use std::ffi::c_void;
use std::ptr;

use crate::base::Result;

/// A queue of a device, or none.
pub trait Stream: Send + Sync {
    /// Makes its device the current one of the calling thread, before it calls the library.
    fn enter(&self) -> Result<()>;

    /// The handle that the library is given.
    fn handle(&self) -> *mut c_void;

    /// Whether all that was put into it has ended.
    fn has_ended(&self) -> Result<bool>;
}

/// None: the library works on host memory, and a call has ended when it returns.
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
