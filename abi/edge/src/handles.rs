//! The table behind the handles that C holds.
//!
//! A handle looks like a pointer to C, but is a number that is looked up here. So a handle that was
//! destroyed, was never made, or comes from before a fork is an error with a sentence, not undefined
//! behaviour. An object lives until the last call that found it has returned, whatever other threads destroy.
//!
//! A number is `epoch << 48 | serial`. Serials are never reused in any table, so an old handle cannot come to
//! mean a new object, nor a request a communicator. They start high above what user space can map: following
//! one as a pointer faults at once, and `0xacc1...` is easy to recognise in a debugger.
//!
//! Most objects lie in slots that their serials name ([`crate::handle_table`]); a look-up then costs two
//! additions to one counter.
//!
//! After a fork the child starts with an empty table ([`PerProcess`]).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyccl_engine::base::{Error, Result};
use anyccl_engine::sys::per_process::{OfProcess, PerProcess};

use crate::handle_table::{HandleTable, ObjectRef};
use crate::slot::Pinned;

const SERIAL_BITS: u32 = 48;
const FIRST_SERIAL: usize = 0xacc1_0000_0000;
/// Number of slots of a table. Serials are handed out in order, so long-lived objects seldom share a slot.
const SLOTS: usize = 256;
static NEXT_SERIAL: AtomicUsize = AtomicUsize::new(FIRST_SERIAL);

/// All objects of one kind that C holds handles of.
pub struct Handles<T> {
    /// The name of the argument in messages.
    what: &'static str,
    /// The table of this process; a child of fork begins with an empty one.
    table: PerProcess<HandleTable<T, SLOTS>>,
}

impl<T: Send + Sync + 'static> Handles<T> {
    /// An empty table. `what` is the name of the argument in messages, such as "comm".
    pub const fn new(what: &'static str) -> Handles<T> {
        Handles { what, table: PerProcess::new() }
    }

    /// Adds an object and returns its handle, which is never 0.
    pub fn insert(&self, object: Arc<T>) -> usize {
        let OfProcess { epoch, value: table } = self.table();
        let serial = NEXT_SERIAL.fetch_add(1, Ordering::Relaxed);
        let handle = usize::from(*epoch) << SERIAL_BITS | serial;
        table.insert(handle, object);
        handle
    }

    /// The object of a handle.
    #[inline]
    pub fn get(&self, handle: usize) -> Result<ObjectRef<'_, T>> {
        let OfProcess { epoch, value: table } = self.table();
        match table.get(handle) {
            Some(found) => Ok(found),
            None => Err(self.unknown(handle, *epoch)),
        }
    }

    /// Pins an object in the fewest steps. `None`: look it up with `get`.
    #[inline(always)]
    pub fn pin(&self, handle: usize) -> Option<Pinned<'_, T>> {
        self.table.known()?.value.pin(handle)
    }

    /// Removes an object: its handle is unknown from here on. `may_go` decides, from the object and the
    /// number of its users besides this table; if it returns an error, nothing changes.
    pub fn remove(&self, handle: usize, may_go: impl FnOnce(&T, usize) -> Result<()>) -> Result<Arc<T>> {
        let OfProcess { epoch, value: table } = self.table();
        table.remove(handle, may_go).unwrap_or_else(|| Err(self.unknown(handle, *epoch)))
    }

    #[inline]
    fn table(&self) -> &OfProcess<HandleTable<T, SLOTS>> {
        self.table.get_or(HandleTable::new)
    }

    fn unknown(&self, handle: usize, epoch: u16) -> Error {
        let what = self.what;
        let inherited = (handle >> SERIAL_BITS) < usize::from(epoch);
        if inherited && handle & ((1 << SERIAL_BITS) - 1) >= FIRST_SERIAL {
            let text =
                format!("this {what} was made before a fork; only the process that made it may use it");
            return Error::InvalidUsage(text);
        }
        let got =
            if handle == 0 { "NULL".into() } else { format!("{handle:#x}; it is gone or never was one") };
        Error::InvalidArgument { what, got }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_removed_handle_is_unknown_and_its_number_is_not_used_again() {
        let handles = Handles::new("thing");
        let first = handles.insert(Arc::new(1));
        assert_eq!(*handles.get(first).unwrap(), 1);
        assert_eq!(*handles.remove(first, |_, _| Ok(())).unwrap(), 1);
        let second = handles.insert(Arc::new(2));
        assert_ne!(first, second);
        for handle in [first, 0, 1, usize::MAX] {
            assert!(matches!(handles.get(handle), Err(Error::InvalidArgument { what: "thing", .. })));
            let removed = handles.remove(handle, |_, _| Ok(()));
            assert!(matches!(removed, Err(Error::InvalidArgument { what: "thing", .. })));
        }
    }

    #[test]
    fn an_object_that_may_not_go_stays() {
        let handles = Handles::new("thing");
        let handle = handles.insert(Arc::new(1));
        let busy = |_: &i32, _| Err(Error::InvalidUsage("busy".into()));
        assert!(matches!(handles.remove(handle, busy), Err(Error::InvalidUsage(_))));
        assert_eq!(*handles.get(handle).unwrap(), 1);
    }

    #[test]
    fn more_objects_than_places_are_all_found_and_their_users_counted() {
        let handles = Handles::new("thing");
        let all: Vec<usize> = (0..SLOTS + if cfg!(miri) { 2 } else { 2 * SLOTS })
            .map(|i| handles.insert(Arc::new(i)))
            .collect();
        for (i, handle) in all.iter().enumerate() {
            let (found, shared) = (handles.get(*handle).unwrap(), handles.get(*handle).unwrap().share());
            assert_eq!((*found, *shared), (i, i));
            let users = handles.remove(*handle, |_, users| Err(Error::Internal(users.to_string())));
            assert_eq!(users.unwrap_err().to_string(), Error::Internal("2".into()).to_string());
            drop((found, shared));
            assert_eq!(*handles.remove(*handle, |_, _| Ok(())).unwrap(), i);
        }
        assert!(all.iter().all(|handle| handles.get(*handle).is_err()));
    }

    #[test]
    fn a_handle_of_one_table_is_unknown_in_another() {
        let (apples, pears) = (Handles::new("apple"), Handles::new("pear"));
        let apple = apples.insert(Arc::new(1));
        pears.insert(Arc::new(2));
        assert!(pears.get(apple).is_err());
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no fork")]
    fn a_child_is_told_that_a_handle_was_made_before_the_fork() {
        static HANDLES: Handles<i32> = Handles::new("thing");
        let handle = HANDLES.insert(Arc::new(1));
        // Held over the fork by a thread that does not exist in the child: the child must not ask for this
        // lock.
        let held = HANDLES.table().value.hold();
        // SAFETY: the child only looks a handle up, inserts one into memory of its own, and leaves by
        // `_exit`.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let refused = matches!(HANDLES.get(handle), Err(Error::InvalidUsage(_)));
            let fresh = HANDLES.insert(Arc::new(2));
            let works = HANDLES.get(fresh).is_ok_and(|object| *object == 2);
            // SAFETY: ends the child without running what belongs to the parent.
            unsafe { libc::_exit(if refused && works { 0 } else { 1 }) };
        }
        drop(held);
        let mut status = 0;
        // SAFETY: waits for the child made above; `status` is ours.
        let waited = unsafe { libc::waitpid(child, &mut status, 0) };
        assert_eq!((waited, status), (child, 0));
        assert_eq!(*HANDLES.get(handle).unwrap(), 1);
    }
}
