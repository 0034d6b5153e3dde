//! Each call that the library makes of the driver fails in turn: all ranks get an error or none does, the
//! streams drain, and nothing is left behind but pinned memory that a stream was not seen to pass.

use std::sync::{Barrier, Mutex};
use std::time::Duration;

use crate::common;
use anyccl_engine::base::{Collective, Datatype, ReduceOp, Result};
use anyccl_engine::comm::{Communicator, Operation};
use anyccl_engine::config::Config;
use common::case::Case;
use common::device::{Arena, Stream, both_paths, double, have_device};
use common::proc_fs::wait_until;
use common::ranks::{TRANSPORTS, config, on_failing_ranks_after};

const SIZE: u32 = 2;
const BYTES: usize = 1000;

/// One test at a time: the faults apply to the process.
static ALONE: Mutex<()> = Mutex::new(());

/// Functions that the library calls for calls on memory of a device.
const FUNCTIONS: [&str; 23] = [
    "cuCtxGetDevice",
    "cuCtxGetId",
    "cuCtxGetCurrent",
    "cuCtxSetCurrent",
    "cuCtxPushCurrent",
    "cuCtxPopCurrent",
    "cuCtxGetStreamPriorityRange",
    "cuPointerGetAttribute",
    "cuStreamCreateWithPriority",
    "cuStreamDestroy",
    "cuStreamQuery",
    "cuStreamGetCaptureInfo",
    "cuStreamWaitValue32",
    "cuStreamWriteValue32",
    "cuThreadExchangeStreamCaptureMode",
    "cuEventCreate",
    "cuEventDestroy",
    "cuEventRecord",
    "cuEventQuery",
    "cuMemHostGetDevicePointer",
    "cuMemcpyDtoHAsync",
    "cuMemcpyHtoDAsync",
    "cuLaunchKernel",
];

/// Device memory and a stream of one rank.
struct Device {
    buffers: [u64; 3],
    stream: Stream,
    _arena: Arena,
}

impl Device {
    fn new(rank: u8) -> Device {
        let mut arena = Arena::new(1 << 20);
        let buffers = std::array::from_fn(|_| arena.take(BYTES));
        for buffer in buffers {
            double().write(buffer, &[rank + 1; BYTES]);
        }
        Device { buffers, stream: Stream::new(), _arena: arena }
    }
}

fn sum_in_place(buffer: u64) -> Operation {
    let place = std::ptr::with_exposed_provenance_mut::<u8>(buffer as usize);
    let case = Case::reducing(Collective::AllReduce, Datatype::Uint8, ReduceOp::Sum, 0, BYTES);
    Operation { call: case.call(), send: place.cast_const(), recv: place }
}

/// Calls on a stream, then a started and a blocking one, then a barrier in host memory.
fn calls(comm: &Communicator, device: &Device) -> Result<()> {
    let [first, second, third] = device.buffers;
    comm.set_stream(Some(device.stream.handle()));
    // SAFETY: the memory lives until the streams have passed the calls.
    let mut outcome = unsafe { comm.run(&sum_in_place(first)) };
    // SAFETY: as above.
    outcome = outcome.and_then(|()| unsafe { comm.run(&sum_in_place(first)) });
    // If everything fails, this does, too.
    device.stream.has_drained();
    comm.set_stream(None);
    // SAFETY: as above.
    outcome = outcome.and_then(|()| unsafe { comm.start(&sum_in_place(second)) }?.wait());
    // SAFETY: as above.
    outcome = outcome.and_then(|()| unsafe { comm.run(&sum_in_place(third)) });
    let barrier = Case::plain(Collective::Barrier, 0, 0).call();
    let barrier = Operation { call: barrier, send: std::ptr::null(), recv: std::ptr::null_mut() };
    // SAFETY: a barrier touches no buffer.
    outcome.and_then(|()| unsafe { comm.run(&barrier) })
}

/// What a run with a fault has shown.
struct Seen {
    /// The outcome of each rank.
    outcomes: Vec<Result<()>>,
    /// Number of calls that were made to fail.
    failures: u64,
}

/// Runs the calls on two ranks while `fail` fails. Checks that the streams drain and that nothing is left.
fn run_with(fail: &str, is_sticky: bool, config: &Config) -> Seen {
    let driver = double();
    let devices: Vec<Device> = (0..SIZE as u8).map(Device::new).collect();
    // Registrations are the pool of pinned memory, which stays if a stream may still use a part of it.
    let counts = || ["streams", "events", "allocations"].map(|kind| double().live(kind));
    let before = counts();
    let meet = Barrier::new(SIZE as usize);
    let ends = on_failing_ranks_after(SIZE, config, have_device, |comm| {
        let device = &devices[comm.rank() as usize];
        if meet.wait().is_leader() {
            match is_sticky {
                true => double().set_sticky_faults(fail),
                false => double().set_faults(fail, ""),
            }
        }
        meet.wait();
        let comm = comm.shared();
        let outcome = calls(&comm, device);
        let ended = comm.finalize();
        drop(comm);
        outcome.and(ended)
    });
    // `double` would call the driver once more.
    let failures = driver.live("failures");
    driver.set_faults("", "");
    for (device, rank) in devices.iter().zip(0..) {
        device.stream.synchronize();
        let sums: [u8; 3] = [2 * 3, 3, 3];
        let is_right = || {
            device.buffers.iter().zip(sums).all(|(buffer, sum)| double().read(*buffer, BYTES) == [sum; BYTES])
        };
        assert!(ends[rank].is_err() || is_right(), "{fail}: rank {rank} has not got the sums");
    }
    // The library's thread ends after its communicator. What could not be destroyed is left.
    let leaves_some = u64::from(fail.contains("Destroy") || is_sticky);
    // Each communicator makes 16 events at a time.
    let excused = [8, 16 * SIZE as u64, 8, 8].map(|count| leaves_some * count);
    let is_clean =
        || counts().iter().zip(before).zip(excused).all(|((now, before), excused)| *now <= before + excused);
    wait_until(&format!("{fail}: streams, events and memory are as they were: {before:?}"), is_clean);
    Seen { outcomes: ends, failures }
}

fn short() -> [Config; 2] {
    both_paths(&Config { timeout: Some(Duration::from_secs(20)), ..config(TRANSPORTS[0]) })
}

/// Number of runs in which a rank has got an error, while the n-th call of a function fails, for each n.
fn errors_by(name: &str, config: &Config) -> usize {
    let mut errors = 0;
    // The number of questions about events depends on time.
    for n in 1..=40 {
        let fault = format!("{name}:{n}");
        let Seen { outcomes, failures } = run_with(&fault, false, config);
        let failed = outcomes.iter().filter(|outcome| outcome.is_err()).count();
        println!("{:?}, {fault}: {outcomes:?}", config.device_path);
        assert!(failed == 0 || failed == SIZE as usize, "{fault}: {outcomes:?}");
        errors += usize::from(failed > 0);
        if failures == 0 {
            assert_eq!(failed, 0, "{fault}: nothing was made to fail: {outcomes:?}");
            break;
        }
    }
    errors
}

#[test]
fn if_any_call_of_the_driver_fails_all_ranks_get_an_error_or_none_does() {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    for config in short() {
        let errors: usize = FUNCTIONS.iter().map(|name| errors_by(name, &config)).sum();
        assert!(errors > 50, "{:?}: only {errors} faults were seen", config.device_path);
    }
}

#[test]
fn if_any_copy_or_order_of_a_piece_fails_all_ranks_get_an_error_or_none_does() {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let in_pieces = Config { device_piece_bytes: BYTES / 4, ..short()[0].clone() };
    let of_pieces = ["cuStreamWaitValue32", "cuStreamWriteValue32", "cuMemcpyDtoHAsync", "cuMemcpyHtoDAsync"];
    let errors: usize = of_pieces.iter().map(|name| errors_by(name, &in_pieces)).sum();
    assert!(errors > 60, "only {errors} faults were seen");
}

#[test]
fn if_the_driver_fails_for_good_all_ranks_get_an_error_or_none_does() {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    for config in short() {
        // A driver that cannot be initialised is given up for the whole process.
        run_with("", false, &config);
        for n in (1..1000).step_by(5) {
            if fail_for_good(&n.to_string(), &config).failures == 0 {
                break;
            }
        }
    }
}

#[test]
fn a_driver_that_fails_for_good_is_not_a_call_that_has_ended() {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    // Later, `double` would call the driver.
    let driver = double();
    for config in short() {
        let devices: Vec<Device> = (0..SIZE as u8).map(Device::new).collect();
        let meet = Barrier::new(SIZE as usize);
        let ends = on_failing_ranks_after(SIZE, &config, have_device, |comm| {
            let [first, second, _] = devices[comm.rank() as usize].buffers;
            let comm = comm.shared();
            // SAFETY: the memory lives until the blocking call has ended.
            unsafe { comm.run(&sum_in_place(first)) }.expect("the driver does not fail yet");
            if meet.wait().is_leader() {
                // The first question about the end of the second call fails, and all that follows it.
                driver.set_sticky_faults("cuEventQuery:1");
            }
            meet.wait();
            // SAFETY: as above.
            unsafe { comm.run(&sum_in_place(second)) }
        });
        driver.set_faults("", "");
        assert!(ends.iter().all(Result::is_err), "{:?}: {ends:?}", config.device_path);
    }
}

/// Runs the calls on two ranks while the driver fails from one call on.
fn fail_for_good(fail: &str, config: &Config) -> Seen {
    let seen = run_with(fail, true, config);
    let failed = seen.outcomes.iter().filter(|outcome| outcome.is_err()).count();
    println!("{:?}, from {fail} on: {:?}", config.device_path, seen.outcomes);
    assert!(failed == 0 || failed == SIZE as usize, "from {fail} on: {:?}", seen.outcomes);
    seen
}
