//! Ranks as threads, connected by socket pairs and shared memory, without a bootstrap.

use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use super::wait::{Driver, Policy};
use super::*;
use crate::base::{Call, CallKind, Collective, Datatype, Error, Rank, ReduceOp, Result};
use crate::plan::{Buffer, Lane, Plan, PlanRequest, Round, Span, Step};
use crate::reduce::reduce_fn;
use crate::sys::socket::Socket;
use crate::topology::Topology;
use crate::transport::control::Control;
use crate::transport::loopback::LoopbackLink;
use crate::transport::tcp::TcpLink;
use crate::transport::{Link, shm};

const TIMEOUT: Option<Duration> = Some(Duration::from_secs(20));

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Shm,
    Tcp,
}

fn socket_pair() -> (Socket, Socket) {
    let (a, b) = UnixStream::pair().unwrap();
    (Socket::from_fd(a.into(), true).unwrap(), Socket::from_fd(b.into(), true).unwrap())
}

/// One driver per rank, all connected.
fn world(size: u32, kind: Kind) -> Vec<Arc<Driver>> {
    let mut ports: Vec<Vec<Option<Port>>> = (0..size).map(|_| (0..size).map(|_| None).collect()).collect();
    for a in 0..size as usize {
        ports[a][a] = Some(Port::new(Box::new(LoopbackLink::default()), None, format!("rank {a}")));
        for b in a + 1..size as usize {
            let (control_a, control_b) = socket_pair();
            let (link_a, link_b): (Box<dyn Link>, Box<dyn Link>) = match kind {
                Kind::Shm => {
                    let lower = shm::offer(&control_a).unwrap();
                    (Box::new(lower), Box::new(shm::accept(&control_b, None).unwrap()))
                }
                Kind::Tcp => {
                    let (data_a, data_b) = socket_pair();
                    (Box::new(TcpLink::new(data_a)), Box::new(TcpLink::new(data_b)))
                }
            };
            ports[a][b] = Some(Port::new(link_a, Some(Control::new(control_a)), format!("rank {b}")));
            ports[b][a] = Some(Port::new(link_b, Some(Control::new(control_b)), format!("rank {a}")));
        }
    }
    let driver = |(rank, ports): (usize, Vec<Option<Port>>)| {
        let ports = ports.into_iter().map(Option::unwrap).collect();
        let engine = Engine::new("test".into(), rank as Rank, ports);
        Arc::new(Driver::new(engine, Policy { spin: Duration::ZERO }).unwrap())
    };
    ports.into_iter().enumerate().map(driver).collect()
}

/// Runs `body` once per rank, each on its own thread; gives the results in rank order.
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

fn call(collective: Collective, count: usize) -> Call {
    let kind = CallKind::Collective(collective);
    Call { kind, datatype: Datatype::Int32, op: Some(ReduceOp::Sum), root: 0, count: count as u64 }
}

/// Every rank sends all to all others and adds up what comes: only commutative integers, so any order will do.
fn direct_all_reduce(size: u32, rank: Rank, count: usize) -> Plan {
    let span = |buffer| Span { buffer, offset: 0, len: count };
    let others: Vec<Rank> = (0..size).filter(|peer| *peer != rank).collect();
    let mut rounds = Vec::new();
    for (at, &from) in others.iter().enumerate() {
        let mut steps = Vec::new();
        if at == 0 {
            steps.push(Step::Send { to: others.clone(), span: span(Buffer::Input) });
        }
        let operand = span(if at == 0 { Buffer::Input } else { Buffer::Output });
        steps.push(Step::RecvReduce { from, operand, dst: span(Buffer::Output) });
        rounds.push(Round { steps });
    }
    Plan { scratch: 0, lanes: vec![Lane { rounds }] }
}

fn run_direct(
    driver: &Driver,
    size: u32,
    rank: Rank,
    data: &mut [i32],
    timeout: Option<Duration>,
) -> Result<()> {
    let topology = Topology::one_host(size);
    let request = PlanRequest {
        collective: Collective::AllReduce,
        size,
        rank,
        root: 0,
        count: data.len(),
        element_bytes: 4,
        in_place: true,
        chunk_bytes: 1024,
        topology: &topology,
    };
    let program = Program::compile(&direct_all_reduce(size, rank, data.len()), &request);
    let start = Start {
        call: call(Collective::AllReduce, data.len()),
        peer: 0,
        sends: false,
        program: Arc::new(program),
        buffers: Buffers { input: data.as_ptr().cast(), output: data.as_mut_ptr().cast() },
        reduce: reduce_fn(Datatype::Int32, ReduceOp::Sum),
        divide: None,
    };
    // SAFETY: the buffer is borrowed for the whole call.
    unsafe { driver.run(start, timeout) }
}

fn input(rank: Rank, count: usize) -> Vec<i32> {
    (0..count).map(|i| (i as i32).wrapping_mul(7).wrapping_add(rank as i32 * 1000)).collect()
}

fn expected(size: u32, count: usize) -> Vec<i32> {
    let inputs: Vec<Vec<i32>> = (0..size).map(|rank| input(rank, count)).collect();
    (0..count).map(|i| inputs.iter().fold(0i32, |s, x| s.wrapping_add(x[i]))).collect()
}

#[test]
fn an_exchange_in_place_larger_than_every_ring_and_buffer_is_right_on_both_transports() {
    for kind in [Kind::Shm, Kind::Tcp] {
        for count in [1, 5, 1000, 1_000_003] {
            let results = on_all(&world(2, kind), move |rank, driver| {
                let mut data = input(rank, count);
                run_direct(driver, 2, rank, &mut data, TIMEOUT).map(|()| data).unwrap()
            });
            for data in results {
                assert!(data == expected(2, count), "{kind:?}, {count} elements");
            }
        }
    }
}

#[test]
fn many_small_calls_in_a_row_do_not_mix() {
    for kind in [Kind::Shm, Kind::Tcp] {
        for size in [2, 3, 5] {
            let sums = on_all(&world(size, kind), move |rank, driver| {
                let mut sums = Vec::new();
                for round in 0..200 {
                    let mut data = vec![(rank as i32 + 1) * round, 1];
                    // More than two ranks need the input kept: send from a copy would be another plan.
                    if size == 2 {
                        run_direct(driver, size, rank, &mut data, TIMEOUT).unwrap();
                        sums.push(data[0]);
                    } else {
                        let before = data.clone();
                        let mut out = vec![0; 2];
                        run_out_of_place(driver, size, rank, &before, &mut out).unwrap();
                        sums.push(out[0]);
                    }
                }
                sums
            });
            let triangle = (size * (size + 1) / 2) as i32;
            for sums in sums {
                assert_eq!(sums, (0..200).map(|round| triangle * round).collect::<Vec<_>>());
            }
        }
    }
}

fn run_out_of_place(driver: &Driver, size: u32, rank: Rank, data: &[i32], out: &mut [i32]) -> Result<()> {
    let topology = Topology::one_host(size);
    let request = PlanRequest {
        collective: Collective::AllReduce,
        size,
        rank,
        root: 0,
        count: data.len(),
        element_bytes: 4,
        in_place: false,
        chunk_bytes: 1024,
        topology: &topology,
    };
    let start = Start {
        call: call(Collective::AllReduce, data.len()),
        peer: 0,
        sends: false,
        program: Arc::new(Program::compile(&direct_all_reduce(size, rank, data.len()), &request)),
        buffers: Buffers { input: data.as_ptr().cast(), output: out.as_mut_ptr().cast() },
        reduce: reduce_fn(Datatype::Int32, ReduceOp::Sum),
        divide: None,
    };
    // SAFETY: both buffers are borrowed for the whole call.
    unsafe { driver.run(start, TIMEOUT) }
}

#[test]
fn different_counts_are_an_error_on_all_ranks_that_names_both_calls() {
    for kind in [Kind::Shm, Kind::Tcp] {
        let errors = on_all(&world(3, kind), |rank, driver| {
            let count = if rank == 1 { 4 } else { 5 };
            let (data, mut out) = (vec![1; count], vec![0; count]);
            run_out_of_place(driver, 3, rank, &data, &mut out).unwrap_err()
        });
        for error in errors {
            assert!(matches!(error, Error::Mismatch(_)), "{error}");
            let text = error.to_string();
            assert!(text.contains("count 4") && text.contains("count 5"), "{text}");
        }
    }
}

/// Receives from rank 0 what nobody sends.
fn wait_for_nothing(driver: &Driver, size: u32, call: Call, from: Rank, timeout: Duration) -> Result<()> {
    let topology = Topology::one_host(size);
    let mut out = [0i32; 1];
    let dst = Span { buffer: Buffer::Output, offset: 0, len: 1 };
    let steps = vec![Step::Recv { from, dst }];
    let plan = Plan { scratch: 0, lanes: vec![Lane { rounds: vec![Round { steps }] }] };
    let request = PlanRequest {
        collective: Collective::Broadcast,
        size,
        rank: 1,
        root: 0,
        count: 1,
        element_bytes: 4,
        in_place: false,
        chunk_bytes: 1024,
        topology: &topology,
    };
    let start = Start {
        call,
        peer: 0,
        sends: false,
        program: Arc::new(Program::compile(&plan, &request)),
        buffers: Buffers { input: std::ptr::null(), output: out.as_mut_ptr().cast() },
        reduce: None,
        divide: None,
    };
    // SAFETY: the buffer outlives the call.
    unsafe { driver.run(start, Some(timeout)) }
}

#[test]
fn two_ranks_that_take_each_other_for_the_root_are_told_so_long_before_the_deadline() {
    for kind in [Kind::Shm, Kind::Tcp] {
        let errors = on_all(&world(2, kind), |rank, driver| {
            let call = Call { root: 1 - rank, ..call(Collective::Broadcast, 1) };
            wait_for_nothing(driver, 2, call, 1 - rank, Duration::from_secs(20)).unwrap_err()
        });
        for error in errors {
            let text = error.to_string();
            assert!(matches!(error, Error::Mismatch(_)), "{text}");
            assert!(text.contains("root 0") && text.contains("root 1"), "{text}");
        }
    }
}

#[test]
fn a_timeout_names_the_ranks_that_have_not_come_and_fails_all() {
    let drivers = world(3, Kind::Shm);
    let waiting = [Arc::clone(&drivers[1]), Arc::clone(&drivers[2])];
    let errors = on_all(&waiting, |_, driver| {
        wait_for_nothing(driver, 3, call(Collective::Broadcast, 1), 0, Duration::from_millis(300))
            .unwrap_err()
    });
    for error in errors {
        let text = error.to_string();
        assert!(matches!(error, Error::Timeout { .. }), "{text}");
        assert!(text.contains("rank 0 has not arrived") && text.contains("broadcast"), "{text}");
    }
    let (data, mut out) = (vec![1], vec![0]);
    let late = run_out_of_place(&drivers[0], 3, 0, &data, &mut out).unwrap_err();
    assert!(matches!(late, Error::Timeout { .. } | Error::Mismatch(_)), "{late}");
}

#[test]
fn a_rank_that_goes_without_a_word_is_named() {
    for kind in [Kind::Shm, Kind::Tcp] {
        let mut drivers = world(3, kind);
        drop(drivers.remove(1));
        let errors = on_all(&drivers, |at, driver| {
            let rank = [0, 2][at as usize];
            let (data, mut out) = (vec![1], vec![0]);
            run_out_of_place(driver, 3, rank, &data, &mut out).unwrap_err()
        });
        for error in errors {
            assert!(matches!(error, Error::PeerLost { rank: 1, .. }), "{error}");
        }
    }
}

#[test]
fn abort_from_another_thread_ends_a_blocked_call_on_every_rank() {
    let drivers = world(3, Kind::Shm);
    let blocked: Vec<_> = drivers.clone();
    let waiter = thread::spawn(move || {
        on_all(&blocked[1..], |_, driver| {
            wait_for_nothing(driver, 3, call(Collective::Broadcast, 1), 0, Duration::from_secs(20))
                .unwrap_err()
        })
    });
    drivers[1].abort("enough");
    for error in waiter.join().unwrap() {
        assert!(matches!(error, Error::Aborted(_)) && error.to_string().contains("enough"), "{error}");
    }
}

#[test]
fn a_transfer_to_oneself_may_be_started_before_its_receive() {
    let drivers = world(1, Kind::Shm);
    let transfer = |sends: bool, buffer: &mut [i32]| {
        let span = |buffer| Span { buffer, offset: 0, len: 3 };
        let step = if sends {
            Step::Send { to: vec![0], span: span(Buffer::Input) }
        } else {
            Step::Recv { from: 0, dst: span(Buffer::Output) }
        };
        let plan = Plan { scratch: 0, lanes: vec![Lane { rounds: vec![Round { steps: vec![step] }] }] };
        let topology = Topology::one_host(1);
        let request = PlanRequest {
            collective: Collective::Barrier,
            size: 1,
            rank: 0,
            root: 0,
            count: 3,
            element_bytes: 4,
            in_place: false,
            chunk_bytes: 1024,
            topology: &topology,
        };
        let call = Call { kind: CallKind::Transfer, datatype: Datatype::Int32, op: None, root: 0, count: 3 };
        let start = Start {
            call,
            peer: 0,
            sends,
            program: Arc::new(Program::compile(&plan, &request)),
            buffers: Buffers { input: buffer.as_ptr().cast(), output: buffer.as_mut_ptr().cast() },
            reduce: None,
            divide: None,
        };
        // SAFETY: the buffer outlives the call.
        unsafe { drivers[0].run(start, TIMEOUT) }.unwrap();
    };
    transfer(true, &mut [1, 2, 3]);
    let mut got = [0; 3];
    transfer(false, &mut got);
    assert_eq!(got, [1, 2, 3]);
}
