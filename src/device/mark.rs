//! A mark in a stream of the program: whether the stream has passed it.

use super::driver::CudaDriver;
use super::handles::{CudaEvent, CudaStream};
use crate::base::Result;

/// A mark in a stream, which the context of its thread may use.
pub struct StreamMark {
    driver: &'static CudaDriver,
    event: CudaEvent,
}

impl StreamMark {
    /// Puts a mark behind everything that is in the stream.
    pub fn new(driver: &'static CudaDriver, stream: CudaStream) -> Result<StreamMark> {
        let mark = StreamMark { driver, event: driver.create_event()? };
        driver.record(mark.event, stream)?;
        Ok(mark)
    }

    /// Whether the stream has passed it.
    pub fn has_passed(&self) -> Result<bool> {
        self.driver.has_passed(self.event)
    }
}

impl Drop for StreamMark {
    fn drop(&mut self) {
        self.driver.destroy_event(self.event);
    }
}
