//! Waiting for the first of several operations, on one or several communicators.

use std::sync::{Barrier, Mutex};
use std::time::{Duration, Instant};

use crate::common;
use anyccl_engine::base::{Datatype, Error};
use anyccl_engine::bootstrap::UniqueId;
use anyccl_engine::comm::{CallSpec, CommConfig, Communicator, Work, wait_some};
use anyccl_engine::config::{Config, TransportChoice};
use anyccl_engine::observe::log;
use anyccl_engine::p2p::{OutgoingMessage, RecvBuffer, Selector};
use common::proc_fs::{state, wait_until};
use common::ranks::{TRANSPORTS, config, on_threads};

/// # Safety
/// `place` is left alone until the work has ended.
unsafe fn receive(comm: &Communicator, place: *mut u32) -> Work {
    let buffer = RecvBuffer { data: place.cast(), datatype: Datatype::Uint32, count: 1, is_lenient: false };
    // SAFETY: one element; the rest is the caller's promise.
    Work::from(unsafe { comm.start(CallSpec::Receive(Selector::new(Some(1), Some(0)), buffer)) }.unwrap())
}

fn send(comm: &Communicator, value: u32) {
    let data = (&raw const value).cast();
    let what =
        OutgoingMessage { to: 0, tag: 0, datatype: Datatype::Uint32, count: 1, data, is_synchronous: false };
    // SAFETY: one element that outlives the call.
    unsafe { comm.send(&what) }.unwrap();
}

/// Name of the calling thread in /proc.
fn own_task() -> String {
    let link = std::fs::read_link("/proc/thread-self").expect("Linux");
    link.to_string_lossy().into_owned()
}

/// Runs `body` on two ranks that share `number` communicators, each with links of its own.
fn with_communicators(number: usize, config: &Config, body: impl Fn(&[Communicator]) + Sync) {
    let ids: Vec<UniqueId> = (0..number).map(|_| UniqueId::create(config).unwrap()).collect();
    on_threads(2, |rank| {
        let join = |id| Communicator::create(id, 2, rank, config, &CommConfig::default()).unwrap();
        let comms: Vec<Communicator> = ids.iter().map(join).collect();
        body(&comms);
    });
}

#[test]
fn the_first_operation_to_end_is_found_on_any_communicator_and_after_any_time() {
    for transport in TRANSPORTS {
        for patient in [false, true] {
            let together = Barrier::new(2);
            let waiter = Mutex::new(String::new());
            with_communicators(3, &config(transport), |comms| {
                let order = [1, 2, 0];
                if comms[0].rank() == 1 {
                    for (turn, at) in order.into_iter().enumerate() {
                        together.wait();
                        if patient {
                            let task = waiter.lock().unwrap().clone();
                            wait_until("rank 0 sleeps", || state(&task) == Some('S'));
                        }
                        send(&comms[at], 10 + turn as u32);
                    }
                } else {
                    let mut places = [0u32; 3];
                    let start = places.as_mut_ptr();
                    // SAFETY: three different places that are read only after the end of their works.
                    let receive = |at: usize| unsafe { receive(&comms[at], start.wrapping_add(at)) };
                    let mut works: Vec<(usize, Work)> = (0..3).map(|at| (at, receive(at))).collect();
                    for (turn, expected) in order.into_iter().enumerate() {
                        *waiter.lock().unwrap() = own_task();
                        together.wait();
                        let mut open: Vec<&mut Work> = works.iter_mut().map(|(_, work)| work).collect();
                        let ended = wait_some(&mut open);
                        assert_eq!(ended.len(), 1);
                        let (at, mut work) = works.remove(ended[0]);
                        work.wait().unwrap();
                        assert_eq!(at, expected);
                        // SAFETY: its work has ended.
                        assert_eq!(unsafe { start.wrapping_add(at).read() }, 10 + turn as u32);
                    }
                    assert_eq!(wait_some(&mut []), [0usize; 0]);
                }
                comms.iter().for_each(|comm| comm.finalize().unwrap());
            });
        }
    }
}

#[test]
fn an_operation_without_a_peer_ends_by_the_timeout_of_its_communicator() {
    log::set_level(log::Level::Off);
    let limit = Duration::from_millis(400);
    let config = Config { timeout: Some(limit), ..config(TransportChoice::Auto) };
    let over = Barrier::new(2);
    with_communicators(2, &config, |comms| {
        if comms[0].rank() == 0 {
            let mut places = [0u32; 2];
            let start = places.as_mut_ptr();
            // SAFETY: two places that nobody reads.
            let mut works = [0, 1].map(|at| unsafe { receive(&comms[at], start.wrapping_add(at)) });
            let since = Instant::now();
            let ended = wait_some(&mut works.iter_mut().collect::<Vec<_>>());
            assert!(since.elapsed() >= limit);
            assert!(!ended.is_empty());
            let error = works[ended[0]].wait().unwrap_err();
            assert!(matches!(error, Error::Timeout { .. }), "{error:?}");
        }
        over.wait();
    });
}

#[test]
fn an_abort_by_another_thread_ends_the_wait() {
    log::set_level(log::Level::Off);
    with_communicators(2, &config(TransportChoice::Auto), |comms| {
        if comms[0].rank() == 1 {
            return comms[1].abort("for the test");
        }
        let mut places = [0u32; 2];
        let start = places.as_mut_ptr();
        // SAFETY: two places that nobody reads.
        let mut works = [0, 1].map(|at| unsafe { receive(&comms[at], start.wrapping_add(at)) });
        let ended = wait_some(&mut works.iter_mut().collect::<Vec<_>>());
        let error = works[*ended.last().unwrap()].wait().unwrap_err();
        assert!(matches!(error, Error::Aborted(_) | Error::PeerLost { .. }), "{error:?}");
    });
}
