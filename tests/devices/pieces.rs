//! The copies of long calls on memory of a device overlap with the calls: what was copied to the host first
//! is sent before the rest is there, and what is final is copied back before the call has ended.
//!
//! The driver double never tells that the last piece has arrived. So these calls cannot end, and their
//! deadline ends them when the test has seen enough.

use std::sync::{Barrier, Mutex};
use std::time::{Duration, Instant};

use crate::common;
use anyccl_engine::base::{Collective, Datatype};
use anyccl_engine::comm::{Communicator, Operation};
use anyccl_engine::config::{Config, TransportChoice};
use common::case::Case;
use common::clock::with_clock;
use common::device::{Arena, Stream, double};
use common::proc_fs::wait_until;
use common::ranks::{TRANSPORTS, config, on_failing_ranks};

const PIECE: usize = 8 << 10;
const PIECES: usize = 8;
const BYTES: usize = PIECE * PIECES;
/// Value of the bytes that the root sends.
const SENT: u8 = 7;
/// The deadline of calls, by which the clock is turned once it has been seen what there is to see.
const A_MINUTE: Duration = Duration::from_secs(60);
/// Time within which the first piece comes, on a busy machine, too.
const SOON: Duration = Duration::from_secs(60);

/// One test at a time: the faults apply to the process.
static ALONE: Mutex<()> = Mutex::new(());

fn settings(transport: TransportChoice) -> Config {
    Config { device_piece_bytes: PIECE, ..config(transport) }
}

fn broadcast(buffer: usize) -> Operation {
    let place = std::ptr::with_exposed_provenance_mut::<u8>(buffer);
    let case = Case { datatype: Datatype::Uint8, ..Case::plain(Collective::Broadcast, 0, BYTES) };
    Operation { call: case.call(), send: place.cast_const(), recv: place }
}

/// Makes a call on a stream. At the first one the library measures how streams share queues, by writes that
/// the faults would count.
fn make_first_call() {
    on_failing_ranks(1, &settings(TRANSPORTS[0]), |comm| {
        double();
        let (comm, stream) = (comm.shared(), Stream::new());
        let mut arena = Arena::new(1 << 20);
        let buffer = arena.take(BYTES);
        comm.set_stream(Some(stream.handle()));
        // SAFETY: the arena lives until the stream has passed the call.
        unsafe { comm.run(&broadcast(buffer as usize)) }.expect("it is only enqueued");
        stream.synchronize();
        comm.finalize().unwrap();
    });
}

/// Begins the call on the root, whose last piece is never told to have arrived.
fn begin_on_root(comm: &Communicator, buffer: u64, stream: &Stream) {
    comm.set_stream(Some(stream.handle()));
    // The first piece is shorter than the others if the buffer begins inside a cache line.
    let last = [PIECES, PIECES + 1].map(|number| format!("cuStreamWriteValue32:{number}"));
    double().set_faults("", &last.join(","));
    // SAFETY: the arena lives until the stream has passed the call.
    unsafe { comm.run(&broadcast(buffer as usize)) }.expect("it is only enqueued");
}

#[test]
fn the_first_piece_is_sent_before_the_last_one_has_arrived() {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if double().leaves_out("words that are not written") {
        return;
    }
    make_first_call();
    with_clock(|clock| {
        for transport in TRANSPORTS {
            let arena = Mutex::new(Arena::new(1 << 20));
            on_failing_ranks(2, &settings(transport), |comm| {
                double();
                let comm = comm.shared();
                if comm.rank() == 0 {
                    let (buffer, stream) = (arena.lock().unwrap().take(BYTES), Stream::new());
                    double().write(buffer, &[SENT; BYTES]);
                    begin_on_root(&comm, buffer, &stream);
                    stream.synchronize();
                    assert!(comm.failure().is_some(), "the deadline has ended the call");
                } else {
                    let received: Vec<u8> = vec![0; BYTES];
                    let place = received.as_ptr().expose_provenance();
                    // SAFETY: the memory lives until the request has ended.
                    let mut started = unsafe { comm.start(&broadcast(place)) }.unwrap();
                    let at = |offset: usize| {
                        let byte = std::ptr::with_exposed_provenance::<u8>(place + offset);
                        // SAFETY: a byte of the memory. Only this thread makes progress: nobody writes.
                        unsafe { byte.read_volatile() }
                    };
                    let end = Instant::now() + SOON;
                    while at(0) != SENT {
                        assert!(!started.test().expect("the deadline has not come"), "the call cannot end");
                        assert!(Instant::now() < end, "the first piece has not come");
                    }
                    assert_eq!(at(BYTES - 1), 0, "the last piece has not arrived");
                    assert!(clock.advance_while(A_MINUTE, || started.wait()).is_err());
                }
                let _ = comm.finalize();
            });
            double().set_faults("", "");
        }
    });
}

#[test]
fn the_first_piece_is_copied_back_before_the_last_one_has_come() {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if double().leaves_out("words that are not written") {
        return;
    }
    make_first_call();
    with_clock(|clock| {
        for has_stream in [true, false] {
            let arenas = [0; 2].map(|_| Mutex::new(Arena::new(1 << 20)));
            let is_enqueued = Barrier::new(2);
            on_failing_ranks(2, &settings(TRANSPORTS[0]), |comm| {
                double();
                let comm = comm.shared();
                let (buffer, stream) =
                    (arenas[comm.rank() as usize].lock().unwrap().take(BYTES), Stream::new());
                if comm.rank() == 0 {
                    double().write(buffer, &[SENT; BYTES]);
                    is_enqueued.wait();
                    begin_on_root(&comm, buffer, &stream);
                    stream.synchronize();
                } else {
                    double().write(buffer, &[0; BYTES]);
                    comm.set_stream(has_stream.then(|| stream.handle()));
                    // SAFETY: the arena lives until the request has ended.
                    let mut started = unsafe { comm.start(&broadcast(buffer as usize)) }.unwrap();
                    is_enqueued.wait();
                    wait_until("the first piece is there", || double().read(buffer, 100) == [SENT; 100]);
                    assert!(!started.test().expect("the deadline has not come"), "the call cannot end");
                    let last = double().read(buffer + (BYTES - 100) as u64, 100);
                    assert_eq!(last, [0; 100], "the last piece has not come");
                    assert!(clock.advance_while(A_MINUTE, || started.wait()).is_err());
                    stream.synchronize();
                }
                let _ = comm.finalize();
            });
            double().set_faults("", "");
        }
    });
}
