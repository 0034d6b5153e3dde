//! A store that fails at its n-th operation, for n = 1, 2, 3 ... until nothing fails any more. No rank hangs,
//! each gets an error, and nothing is left of the attempt.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyccl_engine::base::{Error, Result};
use anyccl_engine::bootstrap::{Job, MemoryStore, Store};
use anyccl_engine::comm::{CommConfig, Communicator};
use anyccl_engine::config::{Config, TransportChoice};
use anyccl_engine::sys::clock::TestClock;

use crate::common::clock::with_clock;
use crate::common::proc_fs::wait_until;

/// Timeout after which ranks stop waiting for a rank that has failed without telling the others. The clock is
/// turned for that.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A store that fails after some operations.
struct Breaking {
    inner: Box<dyn Store>,
    left: Arc<AtomicI64>,
    /// Whether the store also fails to tell the other ranks about the failure.
    is_mute: bool,
}

impl Breaking {
    fn count(&self) -> Result<()> {
        if self.left.fetch_sub(1, Ordering::Relaxed) > 0 {
            return Ok(());
        }
        Err(Error::Bootstrap("the store was broken by a test".into()))
    }
}

impl Store for Breaking {
    fn set(&mut self, key: &str, value: &[u8], deadline: Instant) -> Result<()> {
        self.count()?;
        self.inner.set(key, value, deadline)
    }

    fn get(&mut self, key: &str, deadline: Instant) -> Result<Vec<u8>> {
        self.count()?;
        self.inner.get(key, deadline)
    }

    fn fail(&mut self, why: &str) {
        if !self.is_mute {
            self.inner.fail(why);
        }
    }

    fn check(&mut self, deadline: Instant) -> Result<()> {
        self.inner.check(deadline)
    }
}

/// Joins on all ranks, where the store of `victim` works for `operations`. Returns whether all ranks joined.
fn attempt(
    clock: &TestClock,
    victim: u32,
    operations: i64,
    is_mute: bool,
    transport: TransportChoice,
) -> bool {
    const SIZE: u32 = 3;
    let config = Config { transport, timeout: Some(TIMEOUT), ..Config::default() };
    let left = Arc::new(AtomicI64::new(operations));
    let joined: Vec<Result<()>> = thread::scope(|scope| {
        let join = |mut job: Job| {
            if job.rank == victim {
                let inner = job.store.take().expect("a store");
                job.store = Some(Box::new(Breaking { inner, left: Arc::clone(&left), is_mute }));
            }
            let config = &config;
            scope.spawn(move || Communicator::join(job, config, &CommConfig::default())?.finalize())
        };
        let ranks: Vec<_> = MemoryStore::jobs(SIZE).expect("jobs").into_iter().map(join).collect();
        // Once the store of the victim has failed, nobody else is to come.
        while is_mute && ranks.iter().any(|rank| !rank.is_finished()) {
            if left.load(Ordering::Relaxed) < 0 {
                clock.advance(TIMEOUT);
            }
            thread::sleep(Duration::from_millis(1));
        }
        ranks.into_iter().map(|rank| rank.join().expect("no panic")).collect()
    });
    let failed = joined.iter().filter(|outcome| outcome.is_err()).count();
    assert!(failed == 0 || failed == SIZE as usize, "all or none: {joined:?}");
    // Nobody has to wait for the time where the others are told.
    let waited = |outcome: &Result<()>| matches!(outcome, Err(Error::Timeout { .. }));
    assert!(is_mute || !joined.iter().any(waited), "{joined:?}");
    if let Err(error) = &joined[victim as usize] {
        assert!(error.to_string().contains("broken by a test"), "{error}");
    }
    failed == 0
}

/// Number of descriptors, of memory mappings with a descriptor, and of threads of this process.
fn belongings() -> [usize; 3] {
    let count = |directory: &str| fs::read_dir(directory).expect("Linux").count();
    let maps = fs::read_to_string("/proc/self/maps").expect("Linux");
    [
        count("/proc/self/fd"),
        maps.lines().filter(|line| line.contains("memfd:")).count(),
        count("/proc/self/task"),
    ]
}

/// The only test of this process, because it counts what the whole process holds.
#[test]
fn a_store_that_fails_at_any_operation_is_an_error_on_every_rank_and_nothing_is_left() {
    with_clock(|clock| {
        // The first attempt makes what the process makes once and keeps.
        assert!(attempt(clock, 0, 1000, false, TransportChoice::Auto));
        let before = belongings();
        for transport in [TransportChoice::Auto, TransportChoice::Tcp] {
            for victim in 0..3 {
                for is_mute in [false, true] {
                    let mut operations = 0;
                    while !attempt(clock, victim, operations, is_mute, transport) {
                        operations += 1;
                        assert!(operations < 100, "it never goes well");
                    }
                    assert!(
                        operations >= 2,
                        "{operations}: a rank says who it is, and hears who the others are"
                    );
                }
            }
        }
        // The kernel counts a thread for a moment after it was joined.
        wait_until("nothing is left", || belongings() == before);
    });
}
