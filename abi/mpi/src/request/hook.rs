//! Gives operations in stages their turns while a thread waits for something else in the engine.

use anyccl_engine::comm::ProgressHook;

/// The hook that the engine calls while a thread waits.
pub struct StagedWork;

impl ProgressHook for StagedWork {
    fn has_work(&self) -> bool {
        super::has_work()
    }

    fn progress(&self) -> bool {
        super::progress_staged()
    }
}
