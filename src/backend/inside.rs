//! Whether this thread is inside the library of another engine.
//!
//! One of our doors exports NCCL's own names. The real NCCL, opened behind that door, is bound to its own
//! functions. If a loader binds it to ours all the same, a call that it makes to itself would enter our door
//! and loop for ever. The door asks here, and refuses such a call.

use std::cell::Cell;

thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// While this value lives, its thread is inside a foreign engine.
pub struct Inside(());

impl Inside {
    /// Enters.
    #[inline]
    pub fn enter() -> Inside {
        DEPTH.set(DEPTH.get() + 1);
        Inside(())
    }
}

impl Drop for Inside {
    #[inline]
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get() - 1);
    }
}

/// Whether this thread is inside a foreign engine.
#[inline]
pub fn is_inside() -> bool {
    DEPTH.get() > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_inside_until_the_outermost_call_has_returned() {
        let outer = Inside::enter();
        drop(Inside::enter());
        assert!(is_inside());
        assert!(!std::thread::spawn(is_inside).join().unwrap());
        drop(outer);
        assert!(!is_inside());
    }
}
