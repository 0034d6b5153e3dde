//! Counts the memory that a thread has from the allocator.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    /// Bytes that this thread has allocated and not freed.
    static NOW: Cell<isize> = const { Cell::new(0) };
    /// The largest value of `NOW` since the last measurement began.
    static MOST: Cell<isize> = const { Cell::new(0) };
}

/// The allocator of the system, which counts. A program that measures has it as its global allocator;
/// elsewhere every measurement is 0.
pub struct Counting;

fn count(bytes: isize) {
    // A thread that ends may free memory after its counters are gone.
    let _ = NOW.try_with(|now| {
        now.set(now.get() + bytes);
        let _ = MOST.try_with(|most| most.set(most.get().max(now.get())));
    });
}

// SAFETY: passes every call on to the allocator of the system, and counts in memory of its own.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: passed on from our caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: passed on from our caller.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        count(bytes as isize - layout.size() as isize);
        // SAFETY: passed on from our caller.
        unsafe { System.realloc(old, layout, bytes) }
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: passed on from our caller.
        unsafe { System.dealloc(old, layout) }
    }
}

/// Runs `body`. Returns the most bytes that this thread had at one time, beyond those that it had before.
pub fn most_used(body: impl FnOnce()) -> usize {
    let before = NOW.get();
    MOST.set(before);
    body();
    (MOST.get() - before).max(0) as usize
}
