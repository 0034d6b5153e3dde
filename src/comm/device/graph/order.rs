//! The order of a communicator's collectives in one graph.
//!
//! They are captured one behind the other, whatever streams they are in, so that all ranks launch them in the
//! same order.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::base::Result;
use crate::comm::device::stream_order::StreamInContext;
use crate::device::{Capture, StreamEvent};

/// The last collective of a communicator in a capture: the number of the capture, and where the collective
/// was in its stream.
#[derive(Default)]
pub struct CaptureOrder(Mutex<Option<(u64, StreamInContext, Arc<StreamEvent>)>>);

impl CaptureOrder {
    /// Lets the stream of the next collective wait for the last one of the same capture, if that was in
    /// another stream.
    pub fn order(&self, capture: Capture, next: &StreamInContext) -> Result<()> {
        match &*self.0.lock() {
            Some((last, stream, event)) if *last == capture.id && !stream.is(next) => next.wait_for(event),
            _ => Ok(()),
        }
    }

    /// Notes that the last collective is where its stream is now.
    pub fn note(&self, capture: Capture, stream: &StreamInContext) -> Result<()> {
        let event = stream.mark()?;
        *self.0.lock() = Some((capture.id, stream.clone(), event));
        Ok(())
    }
}
