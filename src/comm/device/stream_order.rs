//! The order between the streams of calls.
//!
//! NCCL runs the collectives of a communicator in the order of the calls, whatever their streams are. It lets
//! all streams of a group begin and end together. Here events order the streams so. Messages outside of a
//! group are left out: a receive would hold up a send that another rank waits for.

use std::sync::Arc;

use parking_lot::Mutex;

use super::call_streams::CallStream;
use crate::base::Result;
use crate::device::{CudaContext, CudaDriver, Entered, StreamEvent};

/// The stream of a call, in its context.
#[derive(Clone)]
pub(in crate::comm) struct StreamInContext {
    pub driver: &'static CudaDriver,
    pub context: CudaContext,
    pub stream: CallStream,
}

impl StreamInContext {
    /// An event behind everything that is in the stream now.
    pub fn mark(&self) -> Result<Arc<StreamEvent>> {
        let _entered = Entered::in_context(self.driver, self.context)?;
        let event = self.stream.events.borrow()?;
        event.record(self.stream.stream)?;
        Ok(Arc::new(event))
    }

    /// Lets what is enqueued later wait for an event.
    pub fn wait_for(&self, event: &StreamEvent) -> Result<()> {
        let _entered = Entered::in_context(self.driver, self.context)?;
        event.hold_up(self.stream.stream)
    }

    /// Whether both are the same stream, as far as the handle tells.
    pub fn is(&self, other: &StreamInContext) -> bool {
        let (mine, its) = (self.stream.stream, other.stream.stream);
        mine == its && self.context == other.context && !mine.is_default()
    }
}

/// The streams of the calls of a group on one communicator, each once.
#[derive(Default)]
pub(super) struct JointStreams(Vec<StreamInContext>);

impl JointStreams {
    /// Adds the stream of a call.
    pub fn add(&mut self, stream: StreamInContext) {
        let is_known = |known: &StreamInContext| {
            (known.stream.stream, known.context) == (stream.stream.stream, stream.context)
        };
        if stream.stream.is_programs && !self.0.iter().any(is_known) {
            self.0.push(stream);
        }
    }

    /// Lets each stream wait for what is in the others now.
    pub fn join(&self) -> Result<()> {
        if self.0.len() < 2 {
            return Ok(());
        }
        let marks = self.0.iter().map(StreamInContext::mark).collect::<Result<Vec<_>>>()?;
        for stream in &self.0 {
            for (other, mark) in self.0.iter().zip(&marks) {
                if !std::ptr::eq(other, stream) {
                    stream.wait_for(mark)?;
                }
            }
        }
        Ok(())
    }

    /// All streams.
    pub fn iter(&self) -> impl Iterator<Item = &StreamInContext> {
        self.0.iter()
    }
}

/// The end of the last collective of a communicator in a stream of the program.
#[derive(Default)]
pub(super) struct LastCollective(Mutex<Option<(StreamInContext, Arc<StreamEvent>)>>);

impl LastCollective {
    /// Lets the stream of the next collective wait for the last one, if that is in another stream.
    pub fn order(&self, next: &StreamInContext) -> Result<()> {
        let mut last = self.0.lock();
        // It has ended with its context.
        last.take_if(|(stream, event)| !stream.is(next) && event.has_gone());
        match &*last {
            Some((last, event)) if next.stream.is_programs && !last.is(next) => next.wait_for(event),
            _ => Ok(()),
        }
    }

    /// Notes a collective that is in its stream with its end, which `event` follows.
    pub fn note(&self, stream: &StreamInContext, event: Arc<StreamEvent>) {
        if stream.stream.is_programs {
            *self.0.lock() = Some((stream.clone(), event));
        }
    }

    /// Notes that collectives end where the stream is now.
    pub fn note_here(&self, stream: &StreamInContext) -> Result<()> {
        let event = stream.mark()?;
        self.note(stream, event);
        Ok(())
    }
}
