//! Tests of data that comes late, as after a lost packet, behind the goodbye of the rank that has sent it.

use std::io;
use std::os::fd::RawFd;
use std::sync::atomic::{AtomicBool, Ordering};

use super::messages::{from, receive, send};
use super::*;
use crate::base::Error;
use crate::sys::clock::TestClock;
use crate::sys::clock::tests::with_clock;
use crate::transport::{Arrival, Header};

/// A link whose incoming data comes only once the test lets it through.
struct HeldBack {
    inner: AnyLink,
    is_released: Arc<AtomicBool>,
}

impl Link for HeldBack {
    unsafe fn send(
        &mut self,
        header: &Header,
        data: *const u8,
        bytes: usize,
        single_copy: SingleCopy,
    ) -> io::Result<Option<usize>> {
        // SAFETY: passed on from our caller.
        unsafe { self.inner.send(header, data, bytes, single_copy) }
    }

    fn head(&mut self) -> io::Result<Option<Header>> {
        if self.is_released.load(Ordering::Relaxed) { self.inner.head() } else { Ok(None) }
    }

    fn arrival(&mut self) -> io::Result<Arrival> {
        self.inner.arrival()
    }

    unsafe fn take(&mut self, dst: *mut u8, bytes: usize, streamed: bool) -> io::Result<usize> {
        // SAFETY: passed on from our caller.
        unsafe { self.inner.take(dst, bytes, streamed) }
    }

    fn consume(&mut self, bytes: usize) -> io::Result<()> {
        self.inner.consume(bytes)
    }

    fn sent(&self) -> u64 {
        self.inner.sent()
    }

    fn received(&self) -> u64 {
        self.inner.received()
    }

    fn descriptor(&self) -> Option<RawFd> {
        self.inner.descriptor()
    }

    fn transport(&self) -> &'static str {
        self.inner.transport()
    }
}

/// Two ranks over TCP, and the flag that lets through what rank 1 sends.
fn held_back_pair() -> (Arc<Driver>, Arc<Driver>, Arc<AtomicBool>) {
    let is_released = Arc::new(AtomicBool::new(false));
    let wrap = |at, _, inner| match at {
        0 => AnyLink::Other(Box::new(HeldBack { inner, is_released: Arc::clone(&is_released) })),
        _ => inner,
    };
    let mut drivers = world_with(2, Kind::Tcp, wrap);
    let (one, zero) = (drivers.remove(1), drivers.remove(0));
    (zero, one, is_released)
}

fn broadcast(rank: Rank, root: Rank, count: usize) -> TestCall<'static> {
    TestCall { collective: Collective::Broadcast, algorithm: "binomial", size: 2, rank, root, count }
}

/// Ends a rank whose calls have ended, as the end of its process does.
fn end(driver: Arc<Driver>, by_quitting: bool) {
    if by_quitting {
        assert!(driver.quit(CommId::FIRST, "enough"));
        driver.lock().remove_comm(CommId::FIRST);
        driver.lock().say_bye();
    } else {
        driver.leave(CommId::FIRST, None).unwrap();
    }
}

/// Runs `wait` on rank 0, where the data of rank 1 comes long after its goodbye.
fn with_late_data<T: Send + 'static>(
    clock: &TestClock,
    rank: Arc<Driver>,
    released: &AtomicBool,
    wait: impl FnOnce(&Driver) -> T + Send + 'static,
) -> T {
    let waiting = Arc::clone(&rank);
    let waiter = thread::spawn(move || wait(&waiting));
    let has_heard = |engine: &Engine| engine.comms.get(CommId::FIRST).has_absent_member(&engine.endpoints);
    while !has_heard(&rank.lock()) {
        thread::yield_now();
    }
    // Longer than any grace, shorter than the deadline. After each turn, the waiting rank wakes, looks and
    // sleeps.
    for _ in 0..20 {
        clock.advance(Duration::from_secs(1));
        for asleep in [false, true] {
            while rank.is_anybody_asleep() != asleep && !waiter.is_finished() {
                thread::yield_now();
            }
        }
    }
    assert!(!waiter.is_finished());
    released.store(true, Ordering::Relaxed);
    waiter.join().unwrap()
}

#[test]
fn a_call_gets_data_that_comes_after_the_goodbye_of_its_sender() {
    with_clock(|clock| {
        for by_quitting in [false, true] {
            let (zero, one, released) = held_back_pair();
            for _ in 0..2 {
                broadcast(1, 1, 100).run(&one, &input(1, 100), &mut [0; 100], LONG).unwrap();
            }
            end(one, by_quitting);
            let error = with_late_data(clock, zero, &released, |driver| {
                let mut room = [0; 100];
                for _ in 0..2 {
                    broadcast(0, 1, 100).run(driver, &[], &mut room, LONG).unwrap();
                    assert_eq!(room[..], input(1, 100));
                    room.fill(0);
                }
                // Rank 1 has not made this call.
                broadcast(0, 1, 100).run(driver, &[], &mut room, LONG).unwrap_err()
            });
            let is_loss = matches!(error, Error::PeerLost { .. } | Error::Aborted(_));
            assert!(is_loss, "{error}");
        }
    });
}

#[test]
fn a_message_is_received_although_the_goodbye_of_its_sender_came_first() {
    with_clock(|clock| {
        for by_quitting in [false, true] {
            let (zero, one, released) = held_back_pair();
            send(&one, 0, 7, &input(1, 100)).unwrap();
            end(one, by_quitting);
            let error = with_late_data(clock, zero, &released, |driver| {
                let mut room = [0; 100];
                receive(driver, from(1, 7), &mut room, LONG).unwrap();
                assert_eq!(room[..], input(1, 100));
                receive(driver, from(1, 7), &mut room, LONG).unwrap_err()
            });
            let is_loss = matches!(error, Error::PeerLost { .. } | Error::Aborted(_));
            assert!(is_loss, "{error}");
        }
    });
}

#[test]
fn a_call_that_sends_to_a_rank_that_has_left_does_not_wait_for_data_that_nobody_receives() {
    with_clock(|clock| {
        let (zero, one, released) = held_back_pair();
        released.store(true, Ordering::Relaxed);
        send(&one, 0, 7, &input(1, 100)).unwrap();
        end(one.clone(), false);
        let error = clock.advance_while(Duration::from_millis(50), || {
            // More than a socket holds.
            let data = input(0, 4_000_000);
            broadcast(0, 0, data.len()).run(&zero, &data, &mut vec![0; data.len()], LONG).unwrap_err()
        });
        assert!(matches!(error, Error::PeerLost { rank: 1, .. }), "{error}");
    });
}
