//! Tests of links that fail at their n-th operation, for n = 1, 2, 3 and so on until nothing fails. Every
//! call ends, on all ranks, with the right result or with an error.

use std::cell::Cell;
use std::io;
use std::os::fd::RawFd;
use std::sync::atomic::{AtomicU64, Ordering};

use super::*;
use crate::base::Error;
use crate::sys::clock;
use crate::sys::poll::{Interest, PollSet};
use crate::transport::{AnyLink, Arrival, Header, SingleCopy};

/// A link that breaks.
struct Breaking {
    inner: AnyLink,
    /// Operations until the link breaks.
    left: Arc<AtomicU64>,
    is_broken: Cell<bool>,
}

impl Breaking {
    fn count(&self) -> io::Result<()> {
        let left = self.left.load(Ordering::Relaxed);
        if left == 0 && !self.is_broken.get() {
            self.is_broken.set(true);
        }
        self.left.store(left.saturating_sub(1), Ordering::Relaxed);
        if self.is_broken.get() { Err(io::Error::other("broken by a test")) } else { Ok(()) }
    }
}

impl Link for Breaking {
    unsafe fn send(
        &mut self,
        header: &Header,
        data: *const u8,
        bytes: usize,
        single_copy: SingleCopy,
    ) -> io::Result<Option<usize>> {
        self.count()?;
        // SAFETY: passed on from our caller.
        unsafe { self.inner.send(header, data, bytes, single_copy) }
    }

    unsafe fn abandon(&mut self, header: &Header, data: *const u8, bytes: usize) {
        // SAFETY: passed on from our caller.
        unsafe { self.inner.abandon(header, data, bytes) }
    }

    fn head(&mut self) -> io::Result<Option<Header>> {
        // A look that finds nothing is no operation, because the number of such looks depends on time.
        let head = self.inner.head()?;
        if head.is_some() || self.is_broken.get() {
            self.count()?;
        }
        Ok(head)
    }

    fn arrival(&mut self) -> io::Result<Arrival> {
        self.count()?;
        self.inner.arrival()
    }

    unsafe fn take(&mut self, dst: *mut u8, bytes: usize, streamed: bool) -> io::Result<usize> {
        self.count()?;
        // SAFETY: passed on from our caller.
        unsafe { self.inner.take(dst, bytes, streamed) }
    }

    fn consume(&mut self, bytes: usize) -> io::Result<()> {
        self.inner.consume(bytes)
    }

    fn descriptor(&self) -> Option<RawFd> {
        self.inner.descriptor()
    }

    fn watch(&self, interest: Interest, set: &mut PollSet) -> bool {
        self.inner.watch(interest, set)
    }

    fn set_sleeping(&mut self, sleeping: bool) {
        self.inner.set_sleeping(sleeping);
    }

    fn peer_needs_doorbell(&mut self) -> bool {
        self.inner.peer_needs_doorbell()
    }

    fn transport(&self) -> &'static str {
        self.inner.transport()
    }
}

/// A world in which the link from rank 0 to rank 1 breaks after `operations` operations.
fn world_that_breaks(size: u32, kind: Kind, operations: u64) -> (Vec<Arc<Driver>>, Arc<AtomicU64>) {
    let left = Arc::new(AtomicU64::new(operations));
    let inside = Arc::clone(&left);
    let drivers = world_with(size, kind, move |rank, peer, link| {
        if (rank, peer) != (0, 1) {
            return link;
        }
        AnyLink::Other(Box::new(Breaking {
            inner: link,
            left: Arc::clone(&inside),
            is_broken: Cell::new(false),
        }))
    });
    (drivers, left)
}

/// Whether no call of any rank failed. Checks the results of the calls that did not.
fn all_went_well(size: u32, kind: Kind, algorithm: &'static str, count: usize, operations: u64) -> bool {
    let (drivers, left) = world_that_breaks(size, kind, operations);
    let errors = on_all(&drivers, move |rank, driver| {
        for _ in 0..2 {
            let mut output = vec![0; count];
            let job = all_reduce(algorithm, size, rank, count);
            if let Err(error) = job.run(driver, &input(rank, count), &mut output, LONG) {
                return Some(error);
            }
            assert!((0..count).all(|i| output[i] == sum(size, i)), "rank {rank}, {operations} operations");
        }
        None
    });
    for error in errors.iter().flatten() {
        assert!(matches!(error, Error::PeerLost { .. }), "{error}");
        assert!(error.to_string().contains("broken by a test"), "{error}");
    }
    let some_failed = errors.iter().any(Option::is_some);
    assert_eq!(
        some_failed,
        left.load(Ordering::Relaxed) == 0 && errors[0].is_some(),
        "rank 0 has noticed it"
    );
    !some_failed
}

fn all_ways_to_break(kinds: &[Kind]) {
    for kind in kinds {
        for (size, algorithm, count) in
            [(2, "one_shot", 3), (3, "ring", 40), (3, "recursive_doubling", 70_000)]
        {
            let mut operations = 0;
            while !all_went_well(size, *kind, algorithm, count, operations) {
                // Large messages are many operations of the same kind.
                operations += if operations < 40 { 1 } else { 7 };
                assert!(operations < 5000, "it never goes well");
            }
            assert!(operations > 2, "{operations}");
        }
    }
}

/// Numbers of descriptors, of mappings of memory with a descriptor, and of threads of this process.
fn belongings() -> [usize; 3] {
    let count = |directory: &str| std::fs::read_dir(directory).unwrap().count();
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let shared = maps.lines().filter(|line| line.contains("memfd:")).count();
    [count("/proc/self/fd"), shared, count("/proc/self/task")]
}

#[test]
#[ignore = "counts what the process has: the test below runs it alone"]
fn alone() {
    // This makes what is made once and kept.
    assert!(!all_went_well(2, Kind::Shm, "one_shot", 3, 0));
    let before = belongings();
    all_ways_to_break(&[Kind::Shm, Kind::Tcp, Kind::Lanes]);
    // The kernel counts a thread for a moment after it was joined.
    let deadline = clock::now() + Duration::from_secs(60);
    while belongings() != before && clock::now() < deadline {
        std::thread::yield_now();
    }
    assert_eq!(belongings(), before);
}

#[test]
fn a_link_that_fails_at_any_operation_ends_every_call_on_every_rank_without_leaks() {
    let name = concat!(module_path!(), "::alone");
    let (_, name) = name.split_once("::").unwrap();
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    let output = child.args(["--ignored", "--exact", name, "--test-threads=1"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}
