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

/// The world is finalized as a communicator is destroyed: only the thread that removes its handle leaves the
/// job.
#[test]
fn of_two_threads_that_finalize_beside_a_call_at_most_one_leaves_and_no_call_uses_what_it_left() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(|| {
        let table = one_object();
        let [caller, other] = [call as fn(&Cells, usize) -> bool, |table, _| destroy(table) == Some(Ok(()))]
            .map(|body| {
                let theirs = Arc::clone(&table);
                thread::spawn(move || body(&theirs, HANDLE))
            });
        let ours = destroy(&table) == Some(Ok(()));
        caller.join().unwrap();
        let theirs = other.join().unwrap();
        assert!(!(ours && theirs), "both have left");
        if !ours && !theirs {
            assert_eq!(destroy(&table), Some(Ok(())), "refused because of a call, which has returned");
        }
        assert!(!call(&table, HANDLE));
    });
}

/// An operation as the object of a request: the number of times that it ended, and of wishes to cancel it.
type Requests = HandleTable<loom::sync::Mutex<(u32, u32)>, 1>;

/// Waits for a request, as `anyccl_wait` does. `None`: another thread uses it, or it has ended already.
fn wait_for(table: &Requests) -> Option<()> {
    let found = table.get(HANDLE)?;
    let mut work = found.try_lock().ok()?;
    // The end of an operation is repeated to a thread that found the request before it was removed.
    work.0 = 1;
    table.remove(HANDLE, |_, _| Ok::<(), ()>(()))?.ok().map(drop)
}

/// Asks for the end of a request, as `anyccl_cancel` does. Returns whether it could be asked.
fn cancel(table: &Requests) -> bool {
    let Some(found) = table.get(HANDLE) else { return false };
    let Ok(mut work) = found.try_lock() else { return false };
    work.1 += 1;
    true
}

#[test]
fn a_request_is_taken_by_one_of_two_threads_that_wait_whoever_cancels() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(|| {
        let table = Arc::new(Requests::new());
        let work = Arc::new(loom::sync::Mutex::new((0, 0)));
        table.insert(HANDLE, Arc::clone(&work));
        let waiting = {
            let table = Arc::clone(&table);
            thread::spawn(move || wait_for(&table).is_some())
        };
        let cancelling = {
            let table = Arc::clone(&table);
            thread::spawn(move || cancel(&table))
        };
        let ours = wait_for(&table).is_some();
        let (theirs, was_asked) = (waiting.join().unwrap(), cancelling.join().unwrap());
        assert!(!(ours && theirs), "two threads have taken the request");
        // A thread that cancels may hold it while both others look. Then one of them waits again.
        assert!(ours || theirs || was_asked && wait_for(&table).is_some());
        assert!(table.get(HANDLE).is_none());
        assert_eq!(*work.lock().unwrap(), (1, u32::from(was_asked)));
        assert_eq!(Arc::strong_count(&work), 1, "the operation outlives its request");
    });
}
