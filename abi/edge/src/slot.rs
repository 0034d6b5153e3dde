//! One slot of a table of objects. An object is found by its handle, pinned while it is used, and dropped
//! after its last use.
//!
//! One word counts the pins and holds the state of the object. That word settles all races. A call may be
//! counted in it before a removal counts the pins: then the object stays until the pin is gone. Otherwise the
//! call sees that the handle is gone. So the handle is hidden *before* the pins are counted, and shown again
//! if the object stays.
//!
//! ```text
//! free ──fill──▶ LIVE ──hide, close──▶ LIVE|CLOSING ──last pin gone──▶ CLOSING ──object dropped──▶ free
//! ```

use std::ops::Deref;

use crate::sync::{Arc, AtomicUsize, Ordering, UnsafeCell};

const CLOSING: usize = 1 << (usize::BITS - 1);
const LIVE: usize = 1 << (usize::BITS - 2);
const PINS: usize = LIVE - 1;

/// See the module head. It has a cache line of its own: a pin disturbs no neighbour.
#[repr(align(64))]
pub(crate) struct Slot<T> {
    state: AtomicUsize,
    /// Handle of the object; 0 if there is none, or nobody can find it any more.
    handle: AtomicUsize,
    object: UnsafeCell<Option<Arc<T>>>,
}

// SAFETY: the object is written in two states only. In state "free", `fill` writes it under the lock of the
// table. In state CLOSING without LIVE, the one thread whose exchange led there writes it. It is read only
// while it is LIVE, under a pin or that lock. `Arc<T>` itself needs both bounds.
unsafe impl<T: Send + Sync> Sync for Slot<T> {}

impl<T> Default for Slot<T> {
    fn default() -> Slot<T> {
        Slot { state: AtomicUsize::new(0), handle: AtomicUsize::new(0), object: UnsafeCell::new(None) }
    }
}

impl<T> Slot<T> {
    /// The object, if it has this handle, which is not 0.
    #[inline]
    pub fn pin(&self, handle: usize) -> Option<Pinned<'_, T>> {
        self.state.fetch_add(1, Ordering::Acquire);
        // From here on the pin counts. Its drop undoes it, also if the handle is another one.
        let pin = Pinned { slot: self };
        (self.handle.load(Ordering::Acquire) == handle).then_some(pin)
    }

    /// Adds an object; returns it if the slot is in use. The caller holds the lock of the table.
    pub fn fill(&self, handle: usize, object: Arc<T>) -> Result<(), Arc<T>> {
        if self.state.load(Ordering::Acquire) & (LIVE | CLOSING) != 0 {
            return Err(object);
        }
        // SAFETY: the slot is free: nobody reads or clears it, and by the caller's lock nobody else fills it.
        self.object.with_mut(|slot| unsafe { *slot = Some(object) });
        self.state.fetch_or(LIVE, Ordering::Release);
        self.handle.store(handle, Ordering::Release);
        Ok(())
    }

    /// Hides the object of this handle, for a moment or for ever. The caller holds the lock of the table, as
    /// long as the returned value lives.
    pub fn hide(&self, handle: usize) -> Option<Hidden<'_, T>> {
        if self.handle.load(Ordering::Acquire) != handle {
            return None;
        }
        self.handle.store(0, Ordering::Release);
        Some(Hidden { slot: self, handle })
    }

    /// Drops the object after the last pin is gone. A stray pin of a call with an old handle may come and go
    /// meanwhile; exactly one thread drops the object.
    #[cold]
    fn clear(&self) {
        let last = self.state.compare_exchange(LIVE | CLOSING, CLOSING, Ordering::AcqRel, Ordering::Relaxed);
        if last.is_ok() {
            // SAFETY: this thread alone has led the state from LIVE to here, and nobody fills a slot that is
            // CLOSING.
            let object = self.object.with_mut(|slot| unsafe { &mut *slot }.take());
            self.state.fetch_and(!CLOSING, Ordering::Release);
            drop(object);
        }
    }
}

/// An object that no call finds any more. Dropping this value shows the object again.
pub(crate) struct Hidden<'a, T> {
    slot: &'a Slot<T>,
    handle: usize,
}

impl<T> Hidden<'_, T> {
    /// The object.
    pub fn object(&self) -> &Arc<T> {
        // SAFETY: the object had a handle, so it is live, and the lock of the table keeps everybody from
        // closing it.
        let object = self.slot.object.with(|object| unsafe { &*object });
        object.as_ref().expect("a slot with a handle has an object")
    }

    /// Number of calls that use the object. No further call can: one that is not counted here sees that the
    /// handle is gone.
    pub fn pins(&self) -> usize {
        // A read-modify-write that changes nothing. It has a place among the pins' own changes, in an order
        // that all threads see.
        self.slot.state.fetch_or(0, Ordering::AcqRel) & PINS
    }

    /// Removes the object for ever and returns it. Its slot is free once nobody uses the object.
    pub fn close(self) -> Arc<T> {
        let (slot, object) = (self.slot, Arc::clone(self.object()));
        std::mem::forget(self);
        if slot.state.fetch_or(CLOSING, Ordering::AcqRel) & PINS == 0 {
            slot.clear();
        }
        object
    }
}

impl<T> Drop for Hidden<'_, T> {
    fn drop(&mut self) {
        self.slot.handle.store(self.handle, Ordering::Release);
    }
}

/// An object in use.
pub struct Pinned<'a, T> {
    slot: &'a Slot<T>,
}

impl<T> Pinned<'_, T> {
    /// The object, to be kept longer than the pin.
    pub fn object(&self) -> &Arc<T> {
        // SAFETY: a pin is given out only for a handle that was there after the pin was counted: the object
        // is live until the pin is gone.
        let object = self.slot.object.with(|object| unsafe { &*object });
        object.as_ref().expect("a slot with a handle has an object")
    }
}

impl<T> Deref for Pinned<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.object()
    }
}

impl<T> Drop for Pinned<'_, T> {
    #[inline]
    fn drop(&mut self) {
        let before = self.slot.state.fetch_sub(1, Ordering::AcqRel);
        if before == (LIVE | CLOSING) + 1 {
            self.slot.clear();
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::sync::atomic::AtomicU32;
    use std::thread;

    use super::*;

    #[test]
    fn an_object_stays_until_its_last_pin_is_gone_and_its_place_is_used_again_after_that() {
        let (slot, object) = (Slot::default(), Arc::new(5));
        slot.fill(7, Arc::clone(&object)).unwrap();
        let pin = slot.pin(7).unwrap();
        assert!(slot.pin(8).is_none());
        assert!(slot.hide(8).is_none());
        let hidden = slot.hide(7).unwrap();
        assert_eq!((**hidden.object(), hidden.pins()), (5, 1));
        assert!(slot.pin(7).is_none());
        drop(hidden);
        assert_eq!(*slot.pin(7).unwrap(), 5);
        slot.hide(7).unwrap().close();
        assert!(slot.pin(7).is_none());
        assert_eq!(*pin, 5);
        assert!(slot.fill(9, Arc::new(6)).is_err());
        drop(pin);
        assert_eq!(Arc::strong_count(&object), 1);
        slot.fill(9, Arc::new(6)).unwrap();
        assert_eq!(*slot.pin(9).unwrap(), 6);
    }

    /// Counts its drops, and notices a use after the drop.
    struct Counted<'a>(&'a AtomicU32, AtomicU32);

    impl Drop for Counted<'_> {
        fn drop(&mut self) {
            self.1.store(0, Ordering::Relaxed);
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn threads_that_pin_while_it_is_closed_see_the_object_whole_or_not_at_all() {
        let drops = AtomicU32::new(0);
        let slot: Slot<Counted> = Slot::default();
        const ROUNDS: usize = if cfg!(miri) { 100 } else { 20_000 };
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    while drops.load(Ordering::Relaxed) < ROUNDS as u32 {
                        for handle in [drops.load(Ordering::Relaxed) as usize + 1, 1] {
                            if let Some(pin) = slot.pin(handle) {
                                assert_eq!(pin.1.load(Ordering::Relaxed), 99);
                            }
                        }
                    }
                });
            }
            for round in 1..=ROUNDS {
                let mut object = Arc::new(Counted(&drops, AtomicU32::new(99)));
                while let Err(back) = slot.fill(round, object) {
                    object = back;
                    thread::yield_now();
                }
                slot.hide(round).unwrap().close();
            }
        });
        assert_eq!(drops.load(Ordering::Relaxed), ROUNDS as u32);
    }
}
