//! A benchmark of a message from one core to another through the slots of shared memory, without the engine
//! above: one cache line, and 8 KiB. A time is one way, half of a round trip.
//!
//! Two threads are two ranks here. Each is bound to a core; with one core there is nothing to measure. The
//! result depends mostly on the machine: on whether the two cores share a cache.

use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyccl_engine::sys::cores;
use anyccl_engine::sys::memory_copy::copy_from_shared;
use anyccl_engine::sys::socket::Socket;
use anyccl_engine::transport::fast_path::{FastPath, FragmentSize, Peek};
use anyccl_engine::transport::shm::{PairFile, Settings, ShmLink, UnopenedShm, slots};
use anyccl_engine::transport::{Header, Link};
use criterion::{BenchmarkId, Criterion, Throughput};

/// The first fits into a control line, the second into a slot.
const SIZES: [usize; 2] = [8, 8 << 10];
const HEADER: Header = Header { context: 1, sequence: 1, call: [1, 1] };
const SETTINGS: Settings = Settings { ranks: 2, single_copy: false };

/// One end of the link, with a buffer to send from and one to receive to.
struct End {
    link: ShmLink,
    send: Vec<u8>,
    recv: Vec<u8>,
}

impl End {
    fn new(link: ShmLink, bytes: usize) -> End {
        End { link, send: vec![1; bytes], recv: vec![0; bytes] }
    }

    fn post(&mut self) {
        // SAFETY: a vector is readable for its length.
        let is_sent =
            unsafe { self.link.post(&HEADER, self.send.as_ptr(), self.send.len(), FragmentSize::Full) };
        assert!(is_sent, "the ring has room: the peer has taken all that came before");
    }

    /// Takes a message if one has arrived. Tells whether it did.
    fn poll(&mut self) -> bool {
        match self.link.peek(&HEADER, self.recv.len()) {
            Peek::Empty => false,
            Peek::Data(data, _) => {
                // SAFETY: `data` is a message of as many bytes as `recv` has, and lies in memory of the link.
                unsafe { copy_from_shared(self.recv.as_mut_ptr(), data, self.recv.len(), false) };
                self.link.release();
                true
            }
            // The first message: a link looks at its peer then.
            Peek::SlowPath => {
                self.link.head().expect("a healthy link").expect("a message");
                // SAFETY: a vector is writable for its length.
                let taken = unsafe { self.link.take(self.recv.as_mut_ptr(), self.recv.len(), false) };
                assert_eq!(taken.expect("a healthy link"), self.recv.len());
                true
            }
        }
    }
}

fn ends(bytes: usize) -> (End, End) {
    let (one, two) = UnixStream::pair().expect("a pair of sockets");
    let socket = |stream: UnixStream| Socket::from_fd(OwnedFd::from(stream), true).expect("a socket");
    let (one, two) = (socket(one), socket(two));
    let file = PairFile::create(0, 2, slots(SETTINGS.ranks)).expect("shared memory");
    let open = |pair, socket| {
        let link = UnopenedShm::new(pair, 2, Some(file.clone()), SETTINGS).open(socket);
        link.expect("shared memory").expect("the file is here")
    };
    (End::new(open((0, 1), &one), bytes), End::new(open((1, 0), &two), bytes))
}

/// Numbers of the first two cores that this process may use.
fn two_cores() -> Option<[usize; 2]> {
    let allowed = cores::allowed();
    let is_allowed = |core: &usize| allowed.as_bytes()[core / 8] >> (core % 8) & 1 == 1;
    let mut found = (0..cores::CoreSet::BYTES * 8).filter(is_allowed);
    Some([found.next()?, found.next()?])
}

/// Binds this thread to a core. If that fails, the thread is measured unbound.
fn bind_to(core: usize) {
    // SAFETY: all-zero is the empty set.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: `core` is a number that the kernel has given, below the 1024 of a set.
    unsafe { libc::CPU_SET(core, &mut set) };
    // SAFETY: the kernel reads one set.
    unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &set) };
}

fn there_and_back(end: &mut End, times: u64) -> Duration {
    let start = Instant::now();
    for _ in 0..times {
        end.post();
        while !end.poll() {
            std::hint::spin_loop();
        }
    }
    start.elapsed()
}

fn one_way(criterion: &mut Criterion) {
    let Some([here, there]) = two_cores() else {
        println!("SKIPPED: two cores are needed");
        return;
    };
    bind_to(here);
    let mut group = criterion.benchmark_group("slots one way");
    group.warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2)).sample_size(30);
    for bytes in SIZES {
        let (mut near, mut far) = ends(bytes);
        let is_over = AtomicBool::new(false);
        thread::scope(|scope| {
            let _over = SetWhenDropped(&is_over);
            scope.spawn(|| {
                bind_to(there);
                while !is_over.load(Ordering::Relaxed) {
                    if far.poll() {
                        far.post();
                    }
                    std::hint::spin_loop();
                }
            });
            group.throughput(Throughput::Bytes(bytes as u64));
            group.bench_function(BenchmarkId::from_parameter(bytes), |bencher| {
                bencher.iter_custom(|times| there_and_back(&mut near, times) / 2);
            });
        });
    }
}

/// Guard that ends the other thread, also when this one panics.
struct SetWhenDropped<'a>(&'a AtomicBool);

impl Drop for SetWhenDropped<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    one_way(&mut criterion);
    criterion.final_summary();
}
