//! The communicator as the host of the calls of other engines.

use super::communicator::Communicator;
use super::foreign::host::EngineHost;
use crate::backend::{BackendName, ForeignComm};
use crate::base::Error;

impl EngineHost for Communicator {
    fn try_move_on(&self) {
        self.driver.try_move_on();
    }

    fn has_failed(&self) -> bool {
        self.driver.lock().failure(self.id).is_some()
    }

    fn report_failure(&self) -> Option<Error> {
        self.driver.lock().report_failure(self.id)
    }

    fn note_ended_streams(&self) {
        self.driver.lock().note_ended_streams(self.id);
    }

    fn fail(&self, error: Error) {
        self.fail(error);
    }

    fn abort(&self, reason: &str) {
        self.abort(reason);
    }

    fn stop_engines(&self) {
        self.engines.stop();
    }

    fn engine_of_devices(&self) -> Option<(BackendName, &dyn ForeignComm)> {
        self.engines.made_on_device().map(|foreign| (foreign.name, &*foreign.comm))
    }
}
