//! Loom model of the handle table: a call looks an object up while another thread removes it, in every
//! interleaving (crate `anyccl-models`).

use loom::cell::UnsafeCell;
use loom::thread;

use super::*;

const HANDLE: usize = 8;
/// Handle of an earlier object in the same slot.
const OLD_HANDLE: usize = 7;

type Cells = HandleTable<UnsafeCell<u32>, 1>;

fn one_object() -> Arc<Cells> {
    let table = Arc::new(Cells::new());
    table.insert(HANDLE, Arc::new(UnsafeCell::new(1)));
    table
}

/// Removes the object unless it has users, as destroying a communicator does. Writes to a removed object, so
/// that loom detects a call that still reads it.
fn destroy(table: &Cells) -> Option<Result<(), usize>> {
    let removed = table.remove(HANDLE, |_, users| if users == 0 { Ok(()) } else { Err(users) })?;
    Some(removed.map(|object| {
        // SAFETY: the table counted no users of the object; loom reports any concurrent access.
        object.with_mut(|value| unsafe { *value = 2 })
    }))
}

/// Looks an object up and reads it, as a call does. Returns whether the handle was known.
fn call(table: &Cells, handle: usize) -> bool {
    let Some(found) = table.get(handle) else { return false };
    // SAFETY: the object is in use, which keeps it from being destroyed; loom reports any concurrent access.
    assert_eq!(found.with(|value| unsafe { *value }), 1);
    true
}

#[test]
fn a_destroyed_object_is_used_by_no_call() {
    loom::model(|| {
        let table = one_object();
        let theirs = Arc::clone(&table);
        let caller = thread::spawn(move || call(&theirs, HANDLE));
        let destroyed = destroy(&table).expect("only this thread removes it");
        caller.join().unwrap();
        // If the removal was refused because of the call, the object can be destroyed now.
        if destroyed.is_err() {
            assert!(call(&table, HANDLE));
            assert_eq!(destroy(&table), Some(Ok(())));
        }
        assert!(!call(&table, HANDLE));
    });
}

#[test]
fn a_refused_removal_hides_the_object_from_no_call() {
    loom::model(|| {
        let table = one_object();
        let user = table.get(HANDLE).unwrap().share();
        let theirs = Arc::clone(&table);
        let caller = thread::spawn(move || assert!(call(&theirs, HANDLE)));
        assert!(destroy(&table).unwrap().is_err());
        caller.join().unwrap();
        drop(user);
    });
}

#[test]
fn a_call_with_an_old_handle_blocks_neither_the_object_nor_its_slot() {
    loom::model(|| {
        let table = one_object();
        let theirs = Arc::clone(&table);
        let caller = thread::spawn(move || assert!(!call(&theirs, OLD_HANDLE)));
        let destroyed = destroy(&table).unwrap();
        caller.join().unwrap();
        if destroyed.is_err() {
            assert_eq!(destroy(&table), Some(Ok(())));
        }
        let slot = table.slots.first().unwrap();
        assert!(slot.fill(HANDLE + 1, Arc::new(UnsafeCell::new(3))).is_ok());
    });
}

#[test]
fn an_object_is_dropped_once_by_the_last_call_or_its_removal() {
    loom::model(|| {
        let table = one_object();
        let theirs = Arc::clone(&table);
        let caller = thread::spawn(move || call(&theirs, HANDLE));
        // Removes the object even if it has users, as an abort does.
        let object = table.remove(HANDLE, |_, _| Ok::<(), ()>(())).unwrap().unwrap();
        caller.join().unwrap();
        assert_eq!(Arc::strong_count(&object), 1);
    });
}
