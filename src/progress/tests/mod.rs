//! Tests of progress: ranks are threads, connected by socket pairs and shared memory, without a bootstrap.

mod algorithms;
mod backpressure;
mod broken_links;
mod calls;
mod failures;
mod late;
mod late_data;
mod messages;
mod opening;
mod quit;
mod recorded;

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use super::wait::Driver;
use super::*;
use crate::algo;
use crate::base::{Call, CallKind, Collective, Datatype, Rank, ReduceOp, Result};
use crate::endpoint::Endpoint;
use crate::executor::{Buffers, Key, Prepared, Program};
use crate::plan::{BlockLayout, PlanRequest};
use crate::reduce::{Reducer, kernel_of};
use crate::sys::socket::Socket;
use crate::topology::Topology;
use crate::transport::connect::{shared_memory_pair, tcp_link, unopened_pair};
use crate::transport::control::ControlChannel;
use crate::transport::loopback::LoopbackLink;
use crate::transport::shm;
use crate::transport::{AnyLink, Link, SingleCopy};

/// A time that is long enough on the busiest machine.
const LONG: Duration = Duration::from_secs(60);

/// How two ranks are connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Shared memory. A large message may be read in the sender's memory.
    Shm,
    /// Shared memory. No rank reads the memory of the other.
    Slots,
    /// Shared memory that is opened when the ranks first talk.
    Unopened,
    Tcp,
    /// TCP with three lanes.
    Lanes,
}

const KINDS: [Kind; 5] = [Kind::Shm, Kind::Slots, Kind::Unopened, Kind::Tcp, Kind::Lanes];

/// The two ends of a link between the ranks `a` < `b`.
fn endpoint_pair(
    a: u32,
    b: u32,
    kind: Kind,
    wrap: &impl Fn(Rank, Rank, AnyLink) -> AnyLink,
) -> (Endpoint, Endpoint) {
    let (control_a, control_b) = Socket::pair();
    let (mut control_a, mut control_b) = (ControlChannel::new(control_a), ControlChannel::new(control_b));
    let (link_a, link_b) = match kind {
        Kind::Shm | Kind::Slots => {
            let settings = shm::Settings { ranks: 8, single_copy: kind == Kind::Shm };
            let (mut lower, mut higher) = shared_memory_pair(&mut control_a, &mut control_b, settings);
            // `TestCall` allows single copies of large messages only on such links.
            lower.set_oversubscribed(true);
            higher.set_oversubscribed(true);
            (lower, higher)
        }
        Kind::Unopened => {
            let (mut lower, mut higher) =
                unopened_pair(&mut control_a, shm::Settings { ranks: 8, single_copy: true });
            lower.set_oversubscribed(true);
            higher.set_oversubscribed(true);
            (lower, higher)
        }
        Kind::Tcp | Kind::Lanes => {
            let sockets = if kind == Kind::Tcp { 1 } else { 4 };
            let (data_a, data_b) = (0..sockets).map(|_| Socket::pair()).unzip();
            (tcp_link(data_a, false).unwrap(), tcp_link(data_b, true).unwrap())
        }
    };
    let endpoint_a = Endpoint::new(wrap(a, b, link_a), Some(control_a), format!("rank {b}"));
    let endpoint_b = Endpoint::new(wrap(b, a, link_b), Some(control_b), format!("rank {a}"));
    (endpoint_a, endpoint_b)
}

/// One driver per rank, all connected.
fn world(size: u32, kind: Kind) -> Vec<Arc<Driver>> {
    world_with(size, kind, |_, _, link| link)
}

/// One driver per rank, all connected. `wrap` may replace the link from a rank to a peer.
fn world_with(size: u32, kind: Kind, wrap: impl Fn(Rank, Rank, AnyLink) -> AnyLink) -> Vec<Arc<Driver>> {
    let mut endpoints: Vec<Vec<Endpoint>> = (0..size).map(|_| Vec::new()).collect();
    // Rank by rank, so that each list grows in rank order.
    for b in 0..size {
        for a in 0..b {
            let (endpoint_a, endpoint_b) = endpoint_pair(a, b, kind, &wrap);
            endpoints[a as usize].push(endpoint_a);
            endpoints[b as usize].push(endpoint_b);
        }
        let own = Endpoint::new(AnyLink::Other(Box::new(LoopbackLink::default())), None, format!("rank {b}"));
        endpoints[b as usize].push(own);
    }
    let driver = |(rank, endpoints)| {
        let engine = Engine::new("test".into(), rank as Rank, endpoints);
        Arc::new(Driver::new(engine, Duration::ZERO).unwrap())
    };
    endpoints.into_iter().enumerate().map(driver).collect()
}

/// Runs `body` once per driver, each on its own thread, with its rank. Returns the results in rank order.
fn on_all<T: Send + 'static>(
    drivers: &[Arc<Driver>],
    body: impl Fn(Rank, &Driver) -> T + Send + Sync + 'static,
) -> Vec<T> {
    let body = Arc::new(body);
    let start = |(rank, driver): (usize, &Arc<Driver>)| {
        let (driver, body) = (Arc::clone(driver), Arc::clone(&body));
        thread::spawn(move || body(rank as Rank, &driver))
    };
    let threads: Vec<_> = drivers.iter().enumerate().map(start).collect();
    threads.into_iter().map(|thread| thread.join().unwrap()).collect()
}

/// A collective call on int32, which computes sums if it reduces. `algorithm` makes its plan.
struct TestCall<'a> {
    collective: Collective,
    algorithm: &'a str,
    size: u32,
    rank: Rank,
    root: Rank,
    count: usize,
}

impl TestCall<'_> {
    fn call(&self) -> Call {
        Call {
            kind: CallKind::Collective(self.collective),
            datatype: Datatype::Int32,
            op: self.collective.reduces().then_some(ReduceOp::Sum),
            root: self.root,
            count: self.count as u64,
        }
    }

    fn program(&self, in_place: bool) -> Program {
        let topology = Topology::one_host(self.size);
        let request = PlanRequest {
            collective: self.collective,
            size: self.size,
            rank: self.rank,
            root: self.root,
            count: self.count,
            element_bytes: 4,
            in_place,
            chunk_bytes: 256,
            topology: &topology,
            layout: BlockLayout::NONE,
        };
        let algorithm = algo::find(self.collective, self.algorithm).unwrap();
        Program::compile(&(algorithm.build)(&request), &request, SingleCopy::IfOversubscribed)
    }

    /// Runs with separate buffers.
    fn run(&self, driver: &Driver, input: &[i32], output: &mut [i32], timeout: Duration) -> Result<()> {
        let buffers = Buffers { input: input.as_ptr().cast(), output: output.as_mut_ptr().cast() };
        // SAFETY: both buffers are borrowed for the whole call; each test makes them as long as its
        // collective needs.
        unsafe {
            driver.run_and_remember(
                CommId::FIRST,
                &self.key(false),
                self.prepared(self.program(false)),
                buffers,
                Some(timeout),
            )
        }
    }

    /// Runs in place, where input and output start together.
    fn run_in_place(&self, driver: &Driver, data: &mut [i32]) -> Result<()> {
        let start = data.as_mut_ptr().cast::<u8>();
        let buffers = Buffers { input: start, output: start };
        // SAFETY: the buffer is borrowed for the whole call; each test makes it as long as its collective
        // needs.
        unsafe {
            driver.run_and_remember(
                CommId::FIRST,
                &self.key(true),
                self.prepared(self.program(true)),
                buffers,
                Some(LONG),
            )
        }
    }

    fn key(&self, in_place: bool) -> Key {
        Key::new(&self.call(), in_place)
    }

    fn prepared(&self, program: Program) -> Arc<Prepared> {
        let reduce = kernel_of(Datatype::Int32, ReduceOp::Sum).map(Reducer::Kernel);
        Arc::new(Prepared { reduce, ..Prepared::new(self.call(), program) })
    }
}

fn all_reduce(algorithm: &str, size: u32, rank: Rank, count: usize) -> TestCall<'_> {
    TestCall { collective: Collective::AllReduce, algorithm, size, rank, root: 0, count }
}

/// Element `i` of the contribution of `rank`.
fn element(rank: Rank, i: usize) -> i32 {
    (i as i32).wrapping_mul(7).wrapping_add(rank as i32 * 100_003)
}

fn input(rank: Rank, count: usize) -> Vec<i32> {
    (0..count).map(|i| element(rank, i)).collect()
}

/// Element `i` of the sum over all ranks.
fn sum(size: u32, i: usize) -> i32 {
    (0..size).fold(0i32, |sum, rank| sum.wrapping_add(element(rank, i)))
}
