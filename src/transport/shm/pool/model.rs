//! Model of the pool: loom runs every interleaving of two threads (crate `anyccl-models`).

use super::*;
use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;

const QUOTA: usize = 4;

/// The writer fills a returned buffer only after the reader has read it.
#[test]
fn a_returned_buffer_belongs_to_one_side_only() {
    loom::model(|| {
        let returns: [AtomicU32; 2 * QUOTA] = std::array::from_fn(|_| AtomicU32::new(0));
        let data: [UnsafeCell<u32>; 2 * QUOTA] = std::array::from_fn(|_| UnsafeCell::new(0));
        let shared = Arc::new((returns, data));
        let theirs = Arc::clone(&shared);
        let none: [AtomicU32; 2 * QUOTA] = std::array::from_fn(|_| AtomicU32::new(0));
        let mut reader = BouncePool::new(1, QUOTA);
        let mut writer = BouncePool::new(0, QUOTA);
        // The writer has filled three buffers. The reader's pool has them here already; its thread reads them
        // before it returns any.
        for _ in 0..3 {
            let buffer = writer.pop().unwrap();
            let _ = reader.release(buffer);
        }
        let reading = thread::spawn(move || {
            let (returns, data) = &*theirs;
            for buffer in data.iter().take(3) {
                // SAFETY: the buffer is the reader's; loom reports any concurrent access.
                buffer.with(|cell| unsafe { *cell });
            }
            assert!(reader.rebalance(0, &none, returns));
            reader
        });
        let (returns, data) = &*shared;
        // The writer still has one buffer. The reader returns two of the three and keeps one.
        for _ in 0..3 {
            while !writer.has(1, returns) {
                thread::yield_now();
            }
            let buffer = writer.pop().unwrap();
            // SAFETY: the buffer is the writer's; loom reports any concurrent access.
            data[usize::from(buffer)].with_mut(|cell| unsafe { *cell = 1 });
        }
        reading.join().unwrap();
    });
}
