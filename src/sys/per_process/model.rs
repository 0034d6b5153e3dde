//! Model of the state of a process: threads that ask for it first, at once, in a process and in a child of
//! it, by loom (crate `anyccl-models`).

use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use super::*;
use loom::cell::UnsafeCell;
use loom::thread;

/// A value that loom watches, and the number of values that live.
struct Watched {
    number: UnsafeCell<u32>,
    live: Arc<AtomicU32>,
}

// SAFETY: written by the thread that makes it only; loom reports any other access beside that.
unsafe impl Sync for Watched {}

impl Watched {
    fn new(number: u32, live: &Arc<AtomicU32>) -> Watched {
        live.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let watched = Watched { number: UnsafeCell::new(0), live: Arc::clone(live) };
        // SAFETY: no other thread has it yet.
        watched.number.with_mut(|place| unsafe { *place = number });
        watched
    }

    fn number(&self) -> u32 {
        // SAFETY: loom reports a write that does not come before.
        self.number.with(|number| unsafe { *number })
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.live.fetch_sub(1, std::sync::atomic::Ordering::Relaxed);
    }
}

/// Two threads ask a cell at once. Both get one value, and the other one is dropped.
fn check(is_child: bool) {
    loom::model(move || {
        let live = Arc::new(AtomicU32::new(0));
        let cell = Arc::new(PerProcess::new());
        if is_child {
            assert_eq!(cell.get_or(|| Watched::new(9, &live)).value.number(), 9);
        }
        let threads = [1, 2].map(|number| {
            let (cell, live) = (Arc::clone(&cell), Arc::clone(&live));
            thread::spawn(move || {
                if is_child {
                    fork::be_a_child();
                }
                let found = cell.get_or(|| Watched::new(number, &live));
                assert_eq!(found.epoch, u16::from(is_child));
                let number = found.value.number();
                assert_eq!(cell.known().map(|known| known.value.number()), Some(number));
                number
            })
        });
        let [one, other] = threads.map(|thread| thread.join().unwrap());
        assert!(one == other && one != 9, "{one} and {other}");
        // The inherited value stays for ever: the cell of a child does not know who uses it.
        assert_eq!(live.load(std::sync::atomic::Ordering::Relaxed), 1 + u32::from(is_child));
    });
}

#[test]
fn threads_that_ask_first_at_once_get_the_same_value() {
    check(false);
}

#[test]
fn threads_of_a_child_get_one_fresh_value_and_leave_the_inherited_one_alone() {
    check(true);
}
