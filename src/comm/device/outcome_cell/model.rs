//! Model of the outcome of a call: two threads wait, one of them after it has cancelled, and one works on the
//! call, by loom (crate `anyccl-models`).

use std::sync::Arc;

use super::*;
use loom::thread;

/// How the call of the model may end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    Received,
    Cancelled,
    Aborted,
}

/// Works on a call, as the thread for device calls does: it looks whether the call is cancelled, and ends it.
fn work(cell: &OutcomeCell<Ending>) {
    cell.set(if cell.is_cancelled() { Ending::Cancelled } else { Ending::Received });
}

fn wait(cell: &OutcomeCell<Ending>) -> Ending {
    cell.wait()
}

fn begin<T: 'static>(
    cell: &Arc<OutcomeCell<Ending>>,
    body: fn(&OutcomeCell<Ending>) -> T,
) -> thread::JoinHandle<T> {
    let cell = Arc::clone(cell);
    thread::spawn(move || body(&cell))
}

#[test]
fn all_who_wait_get_the_same_outcome_whoever_cancels() {
    loom::model(|| {
        let cell = Arc::new(OutcomeCell::default());
        let (working, waiting) = (begin(&cell, work), begin(&cell, wait));
        cell.cancel();
        let seen = cell.get();
        let ending = cell.wait();
        assert!(seen.is_none_or(|seen| seen == ending));
        assert_eq!(waiting.join().unwrap(), ending);
        working.join().unwrap();
        // A request that comes after the end changes nothing.
        cell.cancel();
        assert_eq!(cell.wait(), ending);
    });
}

#[test]
fn of_an_end_and_an_abort_at_once_the_first_stays() {
    loom::model(|| {
        let cell = Arc::new(OutcomeCell::default());
        let (working, waiting) = (begin(&cell, work), begin(&cell, wait));
        cell.set(Ending::Aborted);
        let ending = cell.wait();
        assert!(matches!(ending, Ending::Aborted | Ending::Received));
        assert_eq!(waiting.join().unwrap(), ending);
        working.join().unwrap();
        assert_eq!(cell.get(), Some(ending));
    });
}
