//! Turns for operations in stages while a thread waits for something else in the engine.

use anyccl_engine::comm::ProgressHook;

/// What the engine calls while a thread waits.
pub struct StagedWork;

impl ProgressHook for StagedWork {
    fn has_work(&self) -> bool {
        super::has_staged()
    }

    fn progress(&self) -> bool {
        super::progress_staged()
    }
}
