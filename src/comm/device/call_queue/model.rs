//! Model of the queue of device calls: a caller, the thread that starts its calls, and an abort, by loom
//! (crate `anyccl-models`), in every order with at most three preemptions.
//!
//! The stream of the call never comes to it, so only the abort ends it. The thread has the order of steps of
//! `worker`: take, start or refuse, note, end, note.

use std::sync::Arc;

use super::*;
use crate::outcome_cell::OutcomeCell;
use crate::sys::sync::{AtomicBool, Ordering};
use loom::thread;

/// A call of the model.
struct Call {
    /// Whether its stream has come to it.
    is_due: bool,
    is_last: bool,
    was_started: Arc<AtomicBool>,
    outcome: Arc<OutcomeCell<Result<(), &'static str>>>,
}

#[derive(Default)]
struct Shared {
    queue: CallQueue<Call>,
    /// Whether the communicator has failed.
    has_failed: AtomicFlag,
    /// Set when a call on host memory had its turn.
    has_passed: OutcomeCell<()>,
}

/// loom's flag, which begins unset.
struct AtomicFlag(AtomicBool);

impl Default for AtomicFlag {
    fn default() -> AtomicFlag {
        AtomicFlag(AtomicBool::new(false))
    }
}

/// The thread for device calls.
fn work(shared: &Shared) {
    while shared.queue.wait_for_call() {
        let failed = shared.has_failed.0.load(Ordering::Acquire);
        let Some(call) = shared.queue.take_if(|call| failed || call.is_due) else {
            shared.queue.nap(Duration::ZERO);
            continue;
        };
        call.was_started.store(true, Ordering::Relaxed);
        shared.queue.note_started();
        // A call may take long, and may end only after what its caller does next.
        if call.is_last {
            shared.has_passed.wait();
        }
        call.outcome.set(if failed { Err("aborted") } else { Ok(()) });
        shared.queue.note_ended();
    }
}

/// Queues calls, then waits for their outcomes, while another thread aborts. Returns the outcomes.
fn check(is_due: &'static [bool], judge: fn(usize, Result<(), &'static str>)) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(move || {
        let shared = Arc::new(Shared::default());
        let (mut working, count) = (None, is_due.len());
        let calls: Vec<_> = is_due
            .iter()
            .enumerate()
            .map(|(at, &is_due)| {
                let (was_started, outcome) = (Arc::new(AtomicBool::new(false)), Arc::default());
                let call = Call {
                    is_due,
                    is_last: at + 1 == count,
                    was_started: Arc::clone(&was_started),
                    outcome: Arc::clone(&outcome),
                };
                let start = || {
                    let shared = Arc::clone(&shared);
                    working = Some(thread::spawn(move || work(&shared)));
                    Ok::<_, ()>(())
                };
                shared.queue.enqueue(start, || (call, ())).unwrap();
                (was_started, outcome)
            })
            .collect();
        let aborting = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || shared.has_failed.0.store(true, Ordering::Release))
        };
        // A call on host memory comes behind all of them.
        shared.queue.wait_for_turn();
        assert!(calls.iter().all(|(was_started, _)| was_started.load(Ordering::Relaxed)), "overtaken");
        shared.has_passed.set(());
        shared.queue.drain();
        for (at, (_, outcome)) in calls.iter().enumerate() {
            judge(at, outcome.get().expect("a call that has ended has an outcome"));
            assert_eq!(outcome.wait(), outcome.get().unwrap());
        }
        shared.queue.close();
        working.expect("the first call starts the thread").join().unwrap();
        aborting.join().unwrap();
    });
}

#[test]
fn an_abort_ends_a_call_to_which_its_stream_never_comes() {
    check(&[false], |_, outcome| assert_eq!(outcome, Err("aborted")));
}

#[test]
fn calls_before_an_abort_end_in_their_order_and_the_thread_ends_with_the_queue() {
    check(&[true, false], |at, outcome| assert!(at == 0 || outcome.is_err()));
}
