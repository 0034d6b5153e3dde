//! Calls on memory of a device without one of the orders that they rely on: the driver double ignores the
//! ordering calls of one function in turn, and the tests see the harm. So the orders are needed, and the
//! double would show where one is missing.

use std::process::{Command, Stdio};
use std::sync::{Mutex, mpsc};
use std::time::{Duration, Instant};

use crate::common;
use anyccl_engine::base::{Collective, Datatype, Error, ReduceOp, Result};
use anyccl_engine::comm::{Communicator, Operation};
use anyccl_engine::config::Config;
use common::case::Case;
use common::device::{Arena, Stream, both_paths, double, have_device};
use common::lateness::Stopwatch;
use common::processes::name_of_test;
use common::ranks::{TRANSPORTS, config, on_failing_ranks_after};

/// Number of seeds that give the right bytes with all orders.
const RIGHT_SEEDS: u64 = 30;
/// Number of seeds within which a missing order must do harm. Alone, most do within ten; beside a load, a
/// missing first wait of a call does in one seed of forty.
const SEEDS: u64 = 1500;
/// Bytes of a buffer: enough for a copy to take its time.
const BYTES: usize = 100_000;
/// Bytes of a piece, where calls are copied in pieces, and number of pieces of a call.
const PIECE: usize = 15_000;
const PIECES: usize = BYTES.div_ceil(PIECE);
/// Number of calls on the stream of one run.
const CALLS: u8 = 4;

/// One test at a time: the faults apply to the process.
static ALONE: Mutex<()> = Mutex::new(());

/// What one rank saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sight {
    Right,
    Wrong,
    Error,
}

/// Device memory and a stream of one rank.
struct Device {
    arena: Arena,
    stream: Stream,
}

fn devices(size: u32) -> Vec<Mutex<Device>> {
    (0..size).map(|_| Mutex::new(Device { arena: Arena::new(1 << 20), stream: Stream::new() })).collect()
}

fn sum_in_place(buffer: u64) -> Operation {
    let place = std::ptr::with_exposed_provenance_mut::<u8>(buffer as usize);
    let case = Case::reducing(Collective::AllReduce, Datatype::Uint8, ReduceOp::Sum, 0, BYTES);
    Operation { call: case.call(), send: place.cast_const(), recv: place }
}

/// Calls on a stream, each with an input that was enqueued just before it, then a blocking call.
fn run(comm: &Communicator, device: &mut Device) -> Result<Sight> {
    let Device { arena, stream } = device;
    let (on_stream, blocking) = (arena.take(BYTES), arena.take(BYTES));
    double().write(blocking, &vec![1 + comm.rank() as u8; BYTES]);
    comm.set_stream(Some(stream.handle()));
    for turn in 1..=CALLS {
        double().fill(on_stream, turn + comm.rank() as u8, BYTES, stream);
        // SAFETY: the arena lives until the stream has passed the call.
        unsafe { comm.run(&sum_in_place(on_stream)) }?;
    }
    stream.synchronize();
    comm.set_stream(None);
    // SAFETY: as above.
    unsafe { comm.run(&sum_in_place(blocking)) }?;
    let is = |buffer, byte| double().read(buffer, BYTES).iter().all(|read| *read == byte);
    Ok(if is(on_stream, 2 * CALLS + 1) && is(blocking, 3) { Sight::Right } else { Sight::Wrong })
}

/// A run on two ranks with new streams. The timeout is that of the calls, and not of joining. Returns what
/// each rank saw.
fn trial(seed: u64, ignored: &str, config: &Config) -> Vec<Sight> {
    double().set_seed(seed);
    let devices = devices(2);
    double().set_faults("", ignored);
    let joining = Config { timeout: common::ranks::config(TRANSPORTS[0]).timeout, ..config.clone() };
    let seen = on_failing_ranks_after(2, &joining, have_device, |comm| {
        comm.set_timeout(config.timeout);
        let device = &mut *devices[comm.rank() as usize].lock().unwrap();
        let comm = comm.shared();
        let outcome = run(&comm, device);
        let ended = comm.finalize();
        device.stream.synchronize();
        match outcome.and_then(|sight| ended.map(|()| sight)) {
            Ok(sight) => sight,
            Err(Error::System { .. } | Error::Internal(_)) => panic!("the driver does not fail here"),
            Err(_) => Sight::Error,
        }
    });
    double().set_faults("", "");
    seen
}

/// Whether ranks of the direct path do not see the right bytes, in a process of their own. Without an order,
/// a kernel may use any address, which ends the device, and a stream may wait for ever.
fn direct_path_fails(ignored: &str) -> bool {
    let program = std::env::current_exe().expect("the path of the test");
    let mut ranks = Command::new(program)
        .args([&name_of_test(module_path!(), "ranks_of_the_direct_path"), "--exact", "--ignored"])
        .env("ANYCCL_TEST_IGNORED", ignored)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("a process");
    let mut output = ranks.stdout.take().expect("a pipe");
    let (end, has_ended) = mpsc::channel();
    std::thread::spawn(move || {
        // The pipe closes with the process.
        let _ = std::io::copy(&mut output, &mut std::io::sink());
        let _ = end.send(());
    });
    if has_ended.recv_timeout(Duration::from_secs(30)).is_err() {
        ranks.kill().expect("a child");
    }
    !ranks.wait().expect("a child").success()
}

#[test]
#[ignore = "started as a process by the tests below"]
fn ranks_of_the_direct_path() {
    let Ok(ignored) = std::env::var("ANYCCL_TEST_IGNORED") else { return };
    let [_, direct] = both_paths(&Config::default());
    assert_eq!(first_harm_by(&ignored, &direct), None);
}

/// The first seed with which a staged rank does not see the right bytes, with calls in pieces.
fn first_harm_in_pieces(ignored: &str) -> Option<u64> {
    first_harm_by(ignored, &Config { device_piece_bytes: PIECE, ..Config::default() })
}

/// The first seed with which a rank does not see the right bytes.
fn first_harm_by(ignored: &str, of_path: &Config) -> Option<u64> {
    // Without its orders, a call may also use the words of another one, and wait for ever.
    let limit = if ignored.is_empty() { 60 } else { 2 };
    let config = Config {
        timeout: Some(Duration::from_secs(limit)),
        device_piece_bytes: of_path.device_piece_bytes,
        device_path: of_path.device_path,
        ..config(TRANSPORTS[0])
    };
    (0..if ignored.is_empty() { RIGHT_SEEDS } else { SEEDS })
        .find(|seed| trial(*seed, ignored, &config) != [Sight::Right; 2])
}

#[test]
fn with_all_orders_every_seed_gives_the_right_bytes() {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    for of_path in both_paths(&Config::default()) {
        assert_eq!(first_harm_by("", &of_path), None);
    }
    assert_eq!(first_harm_in_pieces(""), None);
}

#[test]
fn a_stream_that_does_not_wait_until_a_piece_is_final_gives_wrong_bytes() {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    for at in 0..PIECES {
        let seed = first_harm_in_pieces(&format!("cuStreamWaitValue32:{at}/{PIECES}"));
        println!("wait {at}: seed {seed:?}");
        assert!(seed.is_some(), "wait {at} of {PIECES}: {SEEDS} seeds have not shown it");
    }
}

#[test]
fn a_call_of_which_a_piece_is_not_told_to_have_arrived_does_not_end_well() {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let seed = first_harm_in_pieces(&format!("cuStreamWriteValue32:0/{PIECES}"));
    println!("seed {seed:?}");
    assert!(seed.is_some(), "{SEEDS} seeds have not shown it");
}

#[test]
fn a_stream_that_does_not_wait_for_the_end_of_a_call_gives_wrong_bytes() {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let seed = first_harm_by("cuStreamWaitValue32", &Config::default());
    println!("seed {seed:?}");
    assert!(seed.is_some(), "{SEEDS} seeds have not shown it");
}

#[test]
fn the_direct_path_needs_the_waits_and_the_events_of_its_streams() {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    assert!(!direct_path_fails(""));
    for ignored in ["cuStreamWaitValue32", "cuEventRecord"] {
        assert!((0..3).any(|_| direct_path_fails(ignored)), "{ignored}: no seed has shown it");
    }
}

#[test]
fn a_call_whose_end_is_not_recorded_in_the_stream_gives_wrong_bytes() {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let seed = first_harm_by("cuEventRecord", &Config::default());
    println!("seed {seed:?}");
    assert!(seed.is_some(), "{SEEDS} seeds have not shown it");
}

#[test]
fn a_rank_whose_stream_does_not_say_that_it_has_come_to_a_call_is_one_that_never_comes() {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    // How streams share queues is measured at the first call of the process, by writes.
    assert_eq!(trial(0, "", &config(TRANSPORTS[0])), [Sight::Right; 2]);
    let config = Config { timeout: Some(Duration::from_millis(400)), ..config(TRANSPORTS[0]) };
    // The third write of the calls: one rank has come to its call, and waits for the other.
    let begin = Stopwatch::start([]);
    assert_eq!(trial(0, "cuStreamWriteValue32:3", &config), [Sight::Error; 2]);
    begin.check(Duration::from_secs(5), Instant::now(), "every rank");
}
