//! Tests of calls that come after another thread has removed their communicator.

use super::messages::{buffer, from, outgoing};
use super::*;
use crate::base::Error;
use crate::progress::Subject;

/// The outcome of every kind of call on the first communicator.
fn every_call(driver: &Driver) -> Vec<Result<()>> {
    let job = all_reduce("one_shot", 1, 0, 1);
    let (key, data, mut room) = (job.key(false), [5], [0]);
    let buffers = Buffers { input: data.as_ptr().cast(), output: room.as_mut_ptr().cast() };
    let prepared = || job.prepared(job.program(false));
    let id = CommId::FIRST;
    let mut outcomes = vec![job.run(driver, &data, &mut [0], LONG)];
    // SAFETY: the buffers live until the end of this function, and no started call outlives it.
    let again = unsafe { driver.run_fast_path(id, &key, buffers, |_| unreachable!()) };
    assert!(again.is_none());
    // SAFETY: as above.
    outcomes.extend(unsafe { driver.run_recent(id, &key, buffers, || Some(LONG)) });
    // SAFETY: as above.
    outcomes.push(unsafe { driver.run_once(id, prepared(), buffers, Some(LONG)) });
    // SAFETY: as above.
    outcomes.extend(unsafe { driver.start_recent(id, &key, buffers) }.map(|started| started.map(drop)));
    // SAFETY: as above.
    outcomes.push(unsafe { driver.start_and_remember(id, &key, prepared(), buffers) }.map(drop));
    // SAFETY: as above.
    outcomes.push(unsafe { driver.start_once(id, prepared(), buffers) }.map(drop));
    // SAFETY: as above.
    let has_left = unsafe { driver.send_fast_path(id, &outgoing(0, 1, &data)) };
    assert!(!has_left);
    // SAFETY: as above.
    let received = unsafe { driver.receive_fast_path(id, from(0, 1), buffer(&mut room), |_| unreachable!()) };
    assert!(received.is_none());
    // SAFETY: as above.
    outcomes.push(unsafe { driver.send(id, &outgoing(0, 1, &data), Some(LONG)) });
    // SAFETY: as above.
    outcomes.push(unsafe { driver.receive(id, from(0, 1), buffer(&mut room), Some(LONG)) }.map(drop));
    outcomes.push(driver.probe(id, from(0, 1), false, Some(LONG)).map(drop));
    outcomes.push(driver.find(id, from(0, 1)).map(drop));
    outcomes.push(driver.claim(id, from(0, 1)).map(drop));
    outcomes.push(driver.agree(id, Subject::Context, Some(LONG)).map(drop));
    driver.abort(id, "too late as well");
    outcomes
}

#[test]
fn a_call_on_a_removed_communicator_is_an_error_even_if_another_has_taken_its_place() {
    let driver = &world(1, Kind::Shm)[0];
    all_reduce("one_shot", 1, 0, 1).run(driver, &[5], &mut [0], LONG).unwrap();
    driver.lock().remove_comm(CommId::FIRST);
    for _ in 0..2 {
        let outcomes = every_call(driver);
        assert!(outcomes.len() >= 10);
        for outcome in outcomes {
            assert!(matches!(outcome, Err(Error::InvalidUsage(_))), "{outcome:?}");
        }
        let mut engine = driver.lock();
        let context = engine.lead().unwrap();
        engine.add_comm(context, "later".into(), 0, &[0], None);
    }
}

#[test]
fn a_call_that_waits_while_its_communicator_is_removed_ends_with_an_error() {
    let driver = world(2, Kind::Shm).remove(0);
    let waiting = Arc::clone(&driver);
    let waiter = thread::spawn(move || all_reduce("ring", 2, 0, 1).run(&waiting, &[1], &mut [0], LONG));
    while !driver.lock().is_busy() {
        thread::yield_now();
    }
    driver.lock().remove_comm(CommId::FIRST);
    let outcome = waiter.join().unwrap();
    assert!(matches!(outcome, Err(Error::InvalidUsage(_))), "{outcome:?}");
}
