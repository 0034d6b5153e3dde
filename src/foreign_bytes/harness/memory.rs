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

/// Counts an allocation in the place of one of `before` bytes, unless it was refused.
fn count_new(new: *mut u8, bytes: usize, before: usize) {
    if !new.is_null() {
        count(bytes as isize - before as isize);
    }
}

// SAFETY: passes every call on to the allocator of the system, and counts in memory of its own.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: passed on from our caller.
        let new = unsafe { System.alloc(layout) };
        count_new(new, layout.size(), 0);
        new
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: passed on from our caller.
        let new = unsafe { System.alloc_zeroed(layout) };
        count_new(new, layout.size(), 0);
        new
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: passed on from our caller.
        let new = unsafe { System.realloc(old, layout, bytes) };
        count_new(new, bytes, layout.size());
        new
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
