//! Tests of the tests: a rank is late by its own fault, and not because others have its processor.

use std::time::Duration;

use crate::common;
use common::lateness::Stopwatch;
use common::proc_fs::processor_waits;
use common::processes::{ProcessJob, RankProcess, a_processor, listen, part, say};
use common::watchdog::Watchdog;

/// The time that a rank needs on a processor of its own.
const WORK: Duration = Duration::from_millis(100);
/// The limit of the tests. A rank that sleeps sleeps twice as long.
const LIMIT: Duration = Duration::from_millis(300);
/// Busy processes that share the processor of the rank: enough to make it miss the limit.
const CROWD: u32 = 12;

/// Starts a rank that does `part` when it is told to, beside the crowd. Returns it with the crowd.
fn start_beside_crowd(part: &'static str) -> (RankProcess, Vec<RankProcess>) {
    let start = |part, size: u32| {
        let mut job = ProcessJob::new(module_path!(), size, part, "file:unused");
        job.prefixes = vec![vec!["taskset".into(), "-c".into(), a_processor()]; size as usize];
        let mut ranks = job.start_all();
        ranks.iter_mut().for_each(|rank| rank.expect("here"));
        ranks
    };
    let mut rank = start(part, 1);
    let mut crowd = start("compute for ever", CROWD);
    crowd.iter_mut().for_each(|one| one.tell("go"));
    crowd.iter_mut().for_each(|one| one.expect("computing"));
    (rank.remove(0), crowd)
}

/// The time until the rank has done its part, with waits and without.
fn times(part: &'static str) -> (Duration, Duration) {
    let _watchdog = Watchdog::new(part, Duration::from_secs(100));
    let (mut rank, _crowd) = start_beside_crowd(part);
    let watch = Stopwatch::start([rank.pid()]);
    rank.tell("go");
    let when = rank.hear().when;
    (when - watch.at, watch.late(watch.at, when))
}

fn kernel_counts() -> bool {
    let counts = !processor_waits(std::process::id()).is_empty();
    if !counts {
        common::network::skip("this kernel does not count how long threads wait for a processor");
    }
    counts
}

#[test]
fn a_rank_that_waits_for_a_processor_is_not_late() {
    if kernel_counts() {
        let (passed, late) = times("work");
        assert!(passed > LIMIT, "{passed:?}: nobody was in its way");
        assert!(late < LIMIT, "{late:?} of {passed:?}");
    }
}

#[test]
fn a_rank_that_sleeps_is_late_beside_others_that_compute() {
    if kernel_counts() {
        let (passed, late) = times("sleep");
        assert!(late >= LIMIT, "{late:?} of {passed:?}");
    }
}

/// Processor time of this thread.
fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the kernel writes one timespec.
    let done = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    assert_eq!(done, 0, "clock_gettime");
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn compute(time: Duration) {
    let end = processor_time() + time;
    while processor_time() < end {}
}

#[test]
#[ignore = "a rank of the tests above, which start it as a process"]
fn a_rank_of_the_tests_in_this_file() {
    let Some(part) = part() else { return };
    say("here");
    listen();
    match part.as_str() {
        "work" => compute(WORK),
        "sleep" => std::thread::sleep(LIMIT * 2),
        _ => {
            say("computing");
            compute(Duration::from_secs(100));
        }
    }
    say("done");
    // The kernel counts for threads that live.
    listen();
}
