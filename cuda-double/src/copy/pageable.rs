//! The lock that the driver holds during a copy to pageable memory.
//!
//! Such a copy keeps its thread in the driver until the stream has come to it. Seen on an H200 with driver
//! 580: meanwhile another copy to pageable memory waits, and so does `cuEventDestroy`. Other copies, launches
//! and queries go on. Here `cuEventCreate` waits, too. If the copy is behind a value wait, nobody may be left
//! to satisfy it: after `CUDA_DOUBLE_HANG_MS` the process is aborted with the name of the call that waits.

use parking_lot::{Mutex, MutexGuard};

use crate::loud;
use crate::settings::settings;

static COPYING: Mutex<()> = Mutex::new(());

/// Waits for the copies of other threads. They wait for the caller while the guard lives.
pub fn hold(call: &str) -> MutexGuard<'static, ()> {
    let hang = settings().hang;
    COPYING.try_lock_for(hang).unwrap_or_else(|| {
        loud::stop(&format!(
            "{call} waits for a copy to pageable memory by another thread, which has waited for its stream for \
             more than {} ms: on a GPU this can hang for ever. Copy to page-locked memory, or call {call} before.",
            hang.as_millis()
        ))
    })
}
