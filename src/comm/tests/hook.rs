//! Tests of work in stages that makes progress while a thread waits for something else.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use super::*;
use crate::sys::clock;

/// Receives a message from the other rank, adds one, and sends it back, as often as told.
struct Echo {
    comm: Arc<Communicator>,
    left: AtomicUsize,
    stage: Mutex<Stage>,
    number: Box<Mutex<u64>>,
}

enum Stage {
    Begin,
    Receiving(Request),
    Sending(Request),
}

impl Echo {
    fn new(comm: &Arc<Communicator>, times: usize) -> Arc<Echo> {
        Arc::new(Echo {
            comm: comm.clone(),
            left: AtomicUsize::new(times),
            stage: Mutex::new(Stage::Begin),
            number: Box::default(),
        })
    }

    fn peer(&self) -> u32 {
        1 - self.comm.rank()
    }

    fn receive(&self) -> Stage {
        // SAFETY: the number is on the heap, and used between stages only.
        Stage::Receiving(unsafe { start_receive(&self.comm, self.peer(), 1, self.number.data_ptr()) })
    }
}

impl ProgressHook for Echo {
    fn has_work(&self) -> bool {
        self.left.load(Ordering::Relaxed) > 0
    }

    fn progress(&self) -> bool {
        let Some(mut stage) = self.stage.try_lock() else { return false };
        if let Stage::Receiving(request) | Stage::Sending(request) = &mut *stage
            && !request.test().unwrap()
        {
            return false;
        }
        let next = match &*stage {
            Stage::Begin => self.receive(),
            Stage::Receiving(_) => {
                *self.number.lock() += 1;
                // SAFETY: as in `receive`.
                Stage::Sending(unsafe { start_send(&self.comm, self.peer(), 2, self.number.data_ptr()) })
            }
            Stage::Sending(_) => {
                self.left.fetch_sub(1, Ordering::Relaxed);
                if self.has_work() { self.receive() } else { Stage::Begin }
            }
        };
        *stage = next;
        true
    }
}

/// # Safety
/// The number is readable until the request has ended.
unsafe fn start_send(comm: &Communicator, to: u32, tag: i32, number: *mut u64) -> Request {
    let (datatype, data) = (Datatype::Uint64, number.cast_const().cast());
    let what = OutgoingMessage { to, tag, datatype, count: 1, data, is_synchronous: false };
    // SAFETY: passed on from our caller.
    unsafe { comm.start(&what) }.unwrap()
}

/// # Safety
/// The number is writable until the request has ended.
unsafe fn start_receive(comm: &Communicator, source: u32, tag: i32, number: *mut u64) -> Request {
    let (datatype, data) = (Datatype::Uint64, number.cast());
    let buffer = RecvBuffer { data, datatype, count: 1, is_lenient: false };
    // SAFETY: passed on from our caller.
    unsafe { comm.start(CallSpec::Receive(Selector::new(Some(source), Some(tag)), buffer)) }.unwrap()
}

/// Waits until the thread of the other rank sleeps.
fn wait_for_sleep(other: &OnceLock<Arc<Communicator>>) {
    let end = clock::now() + Duration::from_secs(60);
    while !other.get().is_some_and(|other| other.driver.is_anybody_asleep()) {
        assert!(clock::now() < end, "rank 0 does not fall asleep");
        thread::yield_now();
    }
}

/// Runs two ranks. Rank 0 has an echo with that many turns, and waits for a message that rank 1 sends after
/// them. With `asleep` rank 1 sends when the thread of rank 0 sleeps.
fn with_echo(transport: TransportChoice, asleep: bool, wait: impl Fn(Request) + Sync) {
    let times = 5;
    let waiting = OnceLock::new();
    let config = config(transport);
    let id = UniqueId::create(&config).unwrap();
    thread::scope(|scope| {
        for rank in 0..2 {
            let (config, wait, waiting) = (&config, &wait, &waiting);
            scope.spawn(move || {
                let own = CommConfig::default();
                let comm = Arc::new(Communicator::create(&id, 2, rank, config, &own).unwrap());
                let mut number = 0;
                if rank == 0 {
                    let echo = Echo::new(&comm, times);
                    comm.set_progress_hook(echo.clone());
                    let _ = waiting.set(comm.clone());
                    // SAFETY: the request ends before the number goes.
                    wait(unsafe { start_receive(&comm, 1, 3, &raw mut number) });
                    assert_eq!(number, 10 + times as u64);
                } else {
                    number = 10;
                    for _ in 0..times {
                        if asleep {
                            wait_for_sleep(waiting);
                        }
                        // SAFETY: as above.
                        unsafe { start_send(&comm, 0, 1, &raw mut number) }.wait().unwrap();
                        // SAFETY: as above.
                        unsafe { start_receive(&comm, 0, 2, &raw mut number) }.wait().unwrap();
                    }
                    // SAFETY: as above.
                    unsafe { start_send(&comm, 0, 3, &raw mut number) }.wait().unwrap();
                }
                comm.finalize().unwrap();
            });
        }
    });
}

#[test]
fn stages_make_progress_while_a_thread_waits_for_something_else_awake_or_asleep() {
    for transport in [TransportChoice::Auto, TransportChoice::Tcp] {
        for asleep in [false, true] {
            with_echo(transport, asleep, |mut request| request.wait().unwrap());
            with_echo(transport, asleep, |request| {
                let calls: Vec<_> = request.pending_call().into_iter().collect();
                crate::progress::wait::wait_for_first(&calls);
                assert!(request.pending_call().is_some());
            });
        }
    }
}

#[test]
fn a_hook_without_work_is_not_called() {
    #[derive(Default)]
    struct Idle {
        asked: AtomicUsize,
        called: AtomicBool,
    }
    impl ProgressHook for Idle {
        fn has_work(&self) -> bool {
            self.asked.fetch_add(1, Ordering::Relaxed);
            false
        }
        fn progress(&self) -> bool {
            self.called.store(true, Ordering::Relaxed);
            true
        }
    }
    let idle = Arc::new(Idle::default());
    on_ranks(2, TransportChoice::Auto, |comm| {
        comm.set_progress_hook(idle.clone());
        let end = clock::now() + Duration::from_secs(60);
        while comm.rank() == 0 && idle.asked.load(Ordering::Relaxed) == 0 {
            assert!(clock::now() < end, "rank 1 waits and does not ask");
            thread::yield_now();
        }
        all_reduce(comm, Datatype::Int32, ReduceOp::Sum, &mut [1]).unwrap();
        comm.finalize().unwrap();
        assert!(!idle.called.load(Ordering::Relaxed));
    });
}

#[test]
fn a_hook_that_always_has_work_does_not_postpone_a_deadline() {
    struct Busy;
    impl ProgressHook for Busy {
        fn has_work(&self) -> bool {
            true
        }
        fn progress(&self) -> bool {
            true
        }
    }
    on_ranks(2, TransportChoice::Auto, |comm| {
        comm.set_progress_hook(Arc::new(Busy));
        let impatient = CommConfig { timeout: Some(Duration::from_millis(200)), ..CommConfig::default() };
        let dup = comm.dup(&impatient).unwrap();
        if comm.rank() == 0 {
            let error = all_reduce(&dup, Datatype::Int32, ReduceOp::Sum, &mut [1]).unwrap_err();
            assert!(matches!(error, Error::Timeout { .. }), "{error}");
        }
        comm.finalize().unwrap();
    });
}
