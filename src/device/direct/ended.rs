//! Memory and mappings that nobody uses any more, until they can be given back.
//!
//! To free and to unmap makes the driver wait for all work of the device. So both happen only while no call
//! of this process is queued ([`when_quiet`]).

use parking_lot::Mutex;

pub(crate) use crate::device::pinned::when_quiet;

/// Dropping one of them gives it back.
static ENDED: Mutex<Vec<Box<dyn Send>>> = Mutex::new(Vec::new());

/// Keeps memory, or a mapping, that nobody uses any more until it can be given back.
pub(super) fn give_back_later(ended: impl Send + 'static) {
    ENDED.lock().push(Box::new(ended));
}

/// Gives back what nobody uses any more, if no call is queued.
pub fn give_back_ended() {
    if !ENDED.lock().is_empty() {
        when_quiet(|| drop(std::mem::take(&mut *ENDED.lock())));
    }
}
