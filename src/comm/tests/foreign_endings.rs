//! Tests of failures, waits and ends where another engine serves the calls. The engine does nothing but
//! note what it is asked for. Its started calls end when a thread has said that it waits for them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use super::foreign::EVERYTHING;
use super::*;
use crate::backend::{BackendName, Exchange, ForeignComm, MemoryKind, Started, UnequalCall, UniformCall};
use crate::comm::foreign::co_progress::SharedProgress;
use crate::comm::foreign::engine::AttachedEngine;
use crate::sys::clock;

/// What the engine was asked for, and how it behaves.
#[derive(Default)]
struct Notes {
    aborts: AtomicU32,
    closes: AtomicU32,
    waits: AtomicU32,
    freed: AtomicU32,
    /// Whether started calls fail.
    fails: AtomicBool,
    /// Whether calls are under way for ever.
    is_busy: AtomicBool,
}

impl Notes {
    /// Number of aborts, of closes, and of started calls whose memory was freed.
    fn counts(&self) -> (u32, u32, u32) {
        let read = |counter: &AtomicU32| counter.load(Ordering::SeqCst);
        (read(&self.aborts), read(&self.closes), read(&self.freed))
    }
}

struct Noting(Arc<Notes>);

struct NotingCall {
    notes: Arc<Notes>,
    begun: Instant,
}

impl Started for NotingCall {
    fn note_wait(&self) {
        self.notes.waits.fetch_add(1, Ordering::SeqCst);
    }

    fn test(&mut self) -> Result<bool> {
        if self.notes.fails.load(Ordering::SeqCst) {
            return Err(Error::Unsupported("not today".into()));
        }
        assert!(clock::since(self.begun) < Duration::from_secs(60), "nobody says that it waits");
        Ok(self.notes.waits.load(Ordering::SeqCst) > 0)
    }
}

impl Drop for NotingCall {
    fn drop(&mut self) {
        self.notes.freed.fetch_add(1, Ordering::SeqCst);
    }
}

// No call touches a buffer.
impl ForeignComm for Noting {
    fn fits(&self, _call: &UniformCall) -> bool {
        true
    }

    unsafe fn run(&self, _call: &UniformCall) -> Result<()> {
        Ok(())
    }

    unsafe fn start(&self, _call: &UniformCall) -> Result<Box<dyn Started>> {
        Ok(Box::new(NotingCall { notes: Arc::clone(&self.0), begun: clock::now() }))
    }

    unsafe fn run_unequal(&self, _call: &UnequalCall<'_>) -> Result<()> {
        unreachable!("not called here")
    }

    unsafe fn start_unequal(&self, _call: &UnequalCall<'_>) -> Result<Box<dyn Started>> {
        unreachable!("not called here")
    }

    unsafe fn exchange(&self, _messages: &[Exchange]) -> Result<Box<dyn Started>> {
        unreachable!("not called here")
    }

    fn move_on(&self) {}

    fn is_idle(&self) -> bool {
        !self.0.is_busy.load(Ordering::SeqCst)
    }

    fn abort(&self) {
        self.0.aborts.fetch_add(1, Ordering::SeqCst);
    }

    fn close(&self) {
        self.0.closes.fetch_add(1, Ordering::SeqCst);
    }
}

/// Runs `body` on a communicator with that engine.
fn with_notes(body: impl Fn(Arc<Communicator>, &Notes) + Sync) {
    on_ranks(1, TransportChoice::Auto, |first| {
        let (notes, mut comm) = (Arc::<Notes>::default(), first.dup(&CommConfig::default()).unwrap());
        let noting: Arc<dyn ForeignComm> = Arc::new(Noting(Arc::clone(&notes)));
        let co_progress = SharedProgress::of(&comm.driver, &noting);
        let (name, engine) = (BackendName::Mpi, Arc::new(EVERYTHING));
        comm.engines.on_host =
            Some(Box::new(AttachedEngine::new(name, engine, noting, MemoryKind::Cpu, co_progress)));
        body(comm.shared(), &notes);
        first.finalize().unwrap();
    });
}

fn start(comm: &Communicator) -> Request {
    let mut data = [1];
    // SAFETY: the engine touches no buffer.
    unsafe { start_all_reduce(comm, Datatype::Int32, ReduceOp::Sum, &mut data) }
}

fn run(comm: &Communicator) -> Result<()> {
    all_reduce(comm, Datatype::Int32, ReduceOp::Sum, &mut [1])
}

#[test]
fn every_wait_says_that_it_waits() {
    let all: fn(&mut Request, &mut Request) = |first, second| wait_all(&mut [first, second]).unwrap();
    let one: fn(&mut Request, &mut Request) = |first, second| {
        first.wait().unwrap();
        second.wait().unwrap();
    };
    let any: fn(&mut Request, &mut Request) = |first, second| {
        while !first.test().unwrap() || !second.test().unwrap() {
            wait_for_any([&*first, &*second].into_iter());
        }
    };
    with_notes(|comm, notes| {
        for wait in [all, one, any] {
            notes.waits.store(0, Ordering::SeqCst);
            wait(&mut start(&comm), &mut start(&comm));
        }
        let until: fn(&mut Work) = |work| assert!(work.wait_until(clock::now() + Duration::from_secs(60)));
        let some: fn(&mut Work) = |work| assert_eq!(wait_some(&mut [work]), [0]);
        for wait in [until, some] {
            notes.waits.store(0, Ordering::SeqCst);
            wait(&mut Work::from(start(&comm)));
        }
    });
}

#[test]
fn a_started_call_that_fails_ends_the_engine_and_keeps_its_memory() {
    with_notes(|comm, notes| {
        notes.fails.store(true, Ordering::SeqCst);
        assert_eq!(start(&comm).wait().unwrap_err().to_string(), "not today");
        let text = comm.failure().unwrap().to_string();
        assert!(text.contains("rank 0: not today"), "{text}");
        assert_eq!(notes.counts(), (1, 0, 0));
    });
}

#[test]
fn no_call_begins_after_the_builtin_engine_has_failed() {
    with_notes(|comm, notes| {
        run(&comm).unwrap();
        comm.driver.abort(comm.id, "a receive has timed out");
        let text = run(&comm).unwrap_err().to_string();
        assert!(text.contains("a receive has timed out"), "{text}");
        assert_eq!(notes.counts(), (1, 0, 0));
    });
}

#[test]
fn an_engine_is_closed_in_good_order_and_stopped_after_a_failure() {
    let finalize: fn(Arc<Communicator>) = |comm| comm.finalize().unwrap();
    for end in [finalize, drop] {
        with_notes(|comm, notes| {
            end(comm);
            assert_eq!(notes.counts(), (0, 1, 0));
        });
        with_notes(|comm, notes| {
            comm.driver.abort(comm.id, "enough");
            end(comm);
            assert_eq!(notes.counts(), (1, 0, 0));
        });
    }
}

#[test]
fn the_end_waits_for_calls_under_way_until_their_deadline() {
    with_notes(|comm, notes| {
        comm.set_timeout(Some(Duration::from_millis(20)));
        notes.is_busy.store(true, Ordering::SeqCst);
        let error = comm.finalize().unwrap_err();
        assert!(matches!(&error, Error::Timeout { .. }), "{error}");
        assert!(error.to_string().contains("have not ended in mpi, and the communicator is left"), "{error}");
        let (aborts, closes, _) = notes.counts();
        assert!(aborts > 0 && closes == 0);
    });
    with_notes(|comm, notes| {
        notes.is_busy.store(true, Ordering::SeqCst);
        thread::scope(|scope| {
            let ending = scope.spawn(|| comm.finalize());
            clock::sleep(Duration::from_millis(20));
            assert!(!ending.is_finished() && notes.counts() == (0, 0, 0));
            notes.is_busy.store(false, Ordering::SeqCst);
            ending.join().unwrap().unwrap();
        });
        assert_eq!(notes.counts(), (0, 1, 0));
    });
}
