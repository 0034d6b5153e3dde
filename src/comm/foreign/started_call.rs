//! A started call of another engine, as its request sees it.

use std::sync::{Arc, Weak};

use super::co_progress::SharedProgress;
use super::host::{EngineHost, failed};
use crate::backend::Started;
use crate::base::Result;

/// A started call, and the communicator that fails with it.
pub(in crate::comm) struct ForeignCall {
    /// Unset after the end.
    started: Option<Box<dyn Started>>,
    communicator: Weak<dyn EngineHost>,
    co_progress: Arc<SharedProgress>,
}

impl ForeignCall {
    pub(super) fn new(
        started: Box<dyn Started>,
        communicator: Weak<dyn EngineHost>,
        co_progress: Arc<SharedProgress>,
    ) -> ForeignCall {
        co_progress.note_started();
        ForeignCall { started: Some(started), communicator, co_progress }
    }

    /// Notes that a thread waits for the end.
    pub fn note_wait(&self) {
        if let Some(started) = &self.started {
            started.note_wait();
        }
    }

    /// The outcome, once the call has ended. An error fails the communicator and stops its engines. Must not
    /// be called again after an end.
    pub fn poll(&mut self) -> Option<Result<()>> {
        let outcome = match self.started.as_mut()?.test() {
            Ok(false) => return None,
            Ok(true) => {
                self.started = None;
                Ok(())
            }
            Err(error) => {
                // The engine may still use memory that belongs to the call.
                std::mem::forget(self.started.take());
                let fail = |communicator: Arc<dyn EngineHost>| failed(&*communicator, error.clone());
                Err(self.communicator.upgrade().map_or(error.clone(), fail))
            }
        };
        self.co_progress.note_ended();
        Some(outcome)
    }
}
