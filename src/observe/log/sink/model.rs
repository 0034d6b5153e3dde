//! Model of the receiver of log lines: it is replaced while another thread logs, and at a fork, by loom
//! (crate `anyccl-models`).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering as Plain};

use super::*;
use crate::sys::fork;
use loom::cell::UnsafeCell;
use loom::thread;

/// A receiver that loom watches: a line that it takes after its end, or at that moment, is an error.
struct Receiver {
    number: UnsafeCell<u32>,
    lives: Arc<AtomicBool>,
}

// SAFETY: written when it is made and when it is dropped; loom reports any access beside that.
unsafe impl Sync for Receiver {}

impl Receiver {
    fn new(number: u32) -> (Receiver, Arc<AtomicBool>) {
        let lives = Arc::new(AtomicBool::new(true));
        (Receiver { number: UnsafeCell::new(number), lives: Arc::clone(&lives) }, lives)
    }

    fn take_line(&self) -> u32 {
        // SAFETY: loom reports a write beside this.
        self.number.with(|number| unsafe { *number })
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        // SAFETY: as above.
        self.number.with_mut(|number| unsafe { *number = 0 });
        self.lives.store(false, Plain::Relaxed);
    }
}

#[test]
fn a_receiver_takes_no_line_after_it_was_replaced() {
    loom::model(|| {
        let cell = Arc::new(SinkCell::new());
        cell.set(Some(Receiver::new(1).0));
        let logging = {
            let cell = Arc::clone(&cell);
            thread::spawn(move || {
                let number = cell.with(|receiver| receiver.map(Receiver::take_line));
                assert!(matches!(number, Some(1 | 2)), "{number:?}");
            })
        };
        let (second, lives) = Receiver::new(2);
        cell.set(Some(second));
        assert_eq!(cell.with(|receiver| receiver.map(Receiver::take_line)), Some(2));
        logging.join().unwrap();
        cell.set(None);
        assert!(!lives.load(Plain::Relaxed));
    });
}

#[test]
fn a_child_finds_a_live_receiver_at_whatever_moment_it_was_forked() {
    loom::model(|| {
        let cell = Arc::new(SinkCell::new());
        let (first, first_lives) = Receiver::new(1);
        let (second, second_lives) = Receiver::new(2);
        let first = Box::into_raw(Box::new(first));
        // The test knows the address of the first one.
        cell.current.store(first, Ordering::Relaxed);
        let replacing = {
            let cell = Arc::clone(&cell);
            thread::spawn(move || cell.set(Some(second)))
        };
        // An exchange that changes nothing finds the latest pointer. Loom lets no other thread run between it
        // and the next use of an atomic, as the kernel lets none run while it copies a process.
        let is_first =
            cell.current.compare_exchange(first, first, Ordering::AcqRel, Ordering::Acquire).is_ok();
        let lives = if is_first { &first_lives } else { &second_lives };
        assert!(lives.load(Plain::Relaxed), "the child got a receiver that was freed");
        replacing.join().unwrap();
        cell.set(None);
    });
}

#[test]
fn a_child_logs_although_its_parent_held_the_gate_at_the_fork() {
    loom::model(|| {
        let cell = Arc::new(SinkCell::new());
        cell.set(Some(Receiver::new(1).0));
        // The thread that replaces the receiver does not exist in the child, so it never lets go.
        std::mem::forget(cell.hold());
        let child = {
            let cell = Arc::clone(&cell);
            thread::spawn(move || {
                fork::be_a_child();
                assert_eq!(cell.with(|receiver| receiver.map(Receiver::take_line)), Some(1));
                cell.set(Some(Receiver::new(2).0));
                assert_eq!(cell.with(|receiver| receiver.map(Receiver::take_line)), Some(2));
                cell.set(None);
            })
        };
        child.join().unwrap();
    });
}
