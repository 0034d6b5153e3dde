//! Operations whose requests the program has freed before their end. They run to it.

use parking_lot::Mutex;

use super::active::Active;
use super::held::{add_staged, remove_staged};

static ORPHANS: Mutex<Vec<Active>> = Mutex::new(Vec::new());

/// Keeps an operation until its end, unless it has ended.
pub fn add(mut active: Active) {
    if active.poll().is_some() {
        return;
    }
    if active.is_staged() {
        add_staged();
    }
    ORPHANS.lock().push(active);
}

/// Whether there are any.
pub fn is_any() -> bool {
    !ORPHANS.lock().is_empty()
}

/// Gives all of them a turn, unless another thread does, or this one in a call below.
pub fn poll() {
    let Some(mut orphans) = ORPHANS.try_lock() else { return };
    // Nobody is left who could handle an error.
    let ended: Vec<Active> = orphans.extract_if(.., |orphan| orphan.poll().is_some()).collect();
    drop(orphans);
    // What ends here may leave an orphan of its own, so it is dropped without the lock.
    ended.iter().filter(|orphan| orphan.is_staged()).for_each(|_| remove_staged());
}

/// Waits for all of them. Those that are not waited for yet get turns meanwhile: another process may need
/// them first.
pub fn finish() {
    loop {
        let last = ORPHANS.lock().pop();
        let Some(mut orphan) = last else { return };
        let _ = orphan.wait();
        if orphan.is_staged() {
            remove_staged();
        }
    }
}
