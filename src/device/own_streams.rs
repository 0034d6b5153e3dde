//! Streams of the library, for calls to which the program gives no stream.

use parking_lot::Mutex;

use super::driver::CudaDriver;
use super::handles::{CudaContext, CudaStream};
use crate::base::Result;

/// One stream for each context that a communicator has used.
#[derive(Default)]
pub(crate) struct OwnStreams(Mutex<Vec<(CudaContext, CudaStream)>>);

impl OwnStreams {
    /// The stream of the context, which is current in this thread.
    pub fn of(&self, driver: &CudaDriver, context: CudaContext) -> Result<CudaStream> {
        let mut streams = self.0.lock();
        if let Some((_, stream)) = streams.iter().find(|(known, _)| *known == context) {
            return Ok(*stream);
        }
        let stream = driver.create_stream()?;
        streams.push((context, stream));
        Ok(stream)
    }
}

impl Drop for OwnStreams {
    fn drop(&mut self) {
        let streams = std::mem::take(self.0.get_mut());
        if streams.is_empty() {
            return;
        }
        // The driver is there: it has made the streams.
        if let Ok(driver) = CudaDriver::get() {
            streams.iter().for_each(|(_, stream)| driver.destroy_stream(*stream));
        }
    }
}
