//! Every interleaving of two threads, by loom (crate `anyccl-models`).

use super::*;
use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;

const SHARE: usize = 4;

/// One side reads all that the other sends and gives it back: no area is filled before it was read.
#[test]
fn what_was_given_back_is_nobody_elses() {
    loom::model(|| {
        let returns: [AtomicU32; 2 * SHARE] = std::array::from_fn(|_| AtomicU32::new(0));
        let data: [UnsafeCell<u32>; 2 * SHARE] = std::array::from_fn(|_| UnsafeCell::new(0));
        let shared = Arc::new((returns, data));
        let theirs = Arc::clone(&shared);
        let none: [AtomicU32; 2 * SHARE] = std::array::from_fn(|_| AtomicU32::new(0));
        let mut reader = BouncePool::new(1, SHARE);
        // It has read three areas, which it may do without giving any back.
        let mut writer = BouncePool::new(0, SHARE);
        for _ in 0..3 {
            let area = writer.pop().unwrap();
            let _ = reader.release(area);
        }
        let reading = thread::spawn(move || {
            let (returns, data) = &*theirs;
            for area in data.iter().take(3) {
                // SAFETY: the area is the reader's; loom reports any concurrent access.
                area.with(|cell| unsafe { *cell });
            }
            assert!(reader.settle(0, &none, returns));
            reader
        });
        let (returns, data) = &*shared;
        // One is still its own, and two of them come back.
        for _ in 0..3 {
            while !writer.has(1, returns) {
                thread::yield_now();
            }
            let area = writer.pop().unwrap();
            // SAFETY: the area is the writer's; loom reports any concurrent access.
            data[usize::from(area)].with_mut(|cell| unsafe { *cell = 1 });
        }
        reading.join().unwrap();
    });
}
