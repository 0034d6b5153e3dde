//! Tests of whole communicators: ranks are threads that join by a unique id.

mod devices;
mod foreign;
mod foreign_endings;
mod forked;
mod formation;
mod hook;
mod leaving;
mod noncontiguous;
mod on_demand;
mod opaque;
mod signatures;
mod windows;

use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use super::*;
use crate::base::{Call, CallKind, Collective, Datatype, Error, Rank, ReduceOp, Result};
use crate::bootstrap::UniqueId;
use crate::config::{Config, TransportChoice};
use crate::p2p::{OutgoingMessage, RecvBuffer, Selector};

fn config(transport: TransportChoice) -> Config {
    Config { transport, timeout: Some(Duration::from_secs(60)), ..Config::default() }
}

/// Runs `body` on `size` ranks of a new communicator. Returns the results in rank order.
fn on_ranks<T: Send>(
    size: u32,
    transport: TransportChoice,
    body: impl Fn(&Communicator) -> T + Sync,
) -> Vec<T> {
    on_ranks_with(size, &config(transport), body)
}

/// Like [`on_ranks`], with another configuration.
fn on_ranks_with<T: Send>(size: u32, config: &Config, body: impl Fn(&Communicator) -> T + Sync) -> Vec<T> {
    let id = UniqueId::create(config).unwrap();
    thread::scope(|scope| {
        let body = &body;
        let start = |rank| {
            scope.spawn(move || {
                body(&Communicator::create(&id, size, rank, config, &CommConfig::default()).unwrap())
            })
        };
        let threads: Vec<_> = (0..size).map(start).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// Sends a number to a rank.
fn send_number(comm: &Communicator, to: Rank, number: u32) -> Result<()> {
    let (datatype, data) = (Datatype::Uint32, (&raw const number).cast());
    // SAFETY: one number, which outlives the call.
    unsafe { comm.send(&OutgoingMessage { to, tag: 9, datatype, count: 1, data, is_synchronous: false }) }
}

/// Receives a number of [`send_number`].
fn receive_number(comm: &Communicator, from: Rank) -> Result<u32> {
    let mut number = 0;
    let data = (&raw mut number).cast();
    let buffer = RecvBuffer { data, datatype: Datatype::Uint32, count: 1, is_lenient: false };
    // SAFETY: one number, which outlives the call.
    unsafe { comm.receive(Selector::new(Some(from), Some(9)), buffer) }?;
    Ok(number)
}

fn all_reduction(datatype: Datatype, op: ReduceOp, data: &mut [i32]) -> Operation {
    let call = Call {
        kind: CallKind::Collective(Collective::AllReduce),
        datatype,
        op: Some(op),
        root: 0,
        count: data.len() as u64,
    };
    let start = data.as_mut_ptr().cast::<u8>();
    Operation { call, send: start, recv: start }
}

fn all_reduce(comm: &Communicator, datatype: Datatype, op: ReduceOp, data: &mut [i32]) -> Result<()> {
    // SAFETY: the buffer is borrowed for the whole call, and elements of all datatypes used here have at most
    // 4 bytes.
    unsafe { comm.run(&all_reduction(datatype, op, data)) }
}

/// # Safety
/// Nobody else uses the data until the request has ended.
unsafe fn start_all_reduce(
    comm: &Communicator,
    datatype: Datatype,
    op: ReduceOp,
    data: &mut [i32],
) -> Request {
    // SAFETY: passed on from our caller; see `all_reduce` for the bytes.
    unsafe { comm.start(&all_reduction(datatype, op, data)) }.unwrap()
}

#[test]
fn ranks_join_by_a_unique_id_and_leave_together() {
    for transport in [TransportChoice::Auto, TransportChoice::Tcp] {
        for size in [1, 2, 3, 5, 8] {
            let sums = on_ranks(size, transport, |comm| {
                let mut data = [comm.rank() as i32 + 1, 10];
                all_reduce(comm, Datatype::Int32, ReduceOp::Sum, &mut data).unwrap();
                comm.finalize().unwrap();
                data
            });
            assert!(
                sums.iter().all(|s| *s == [(size * (size + 1) / 2) as i32, 10 * size as i32]),
                "{sums:?}"
            );
        }
    }
}

#[test]
fn an_average_of_integers_truncates() {
    let results = on_ranks(3, TransportChoice::Auto, |comm| {
        let mut data = [comm.rank() as i32 + 1, -1 - comm.rank() as i32 * 2, 7];
        all_reduce(comm, Datatype::Int32, ReduceOp::Avg, &mut data).unwrap();
        data
    });
    assert!(results.iter().all(|r| *r == [2, -3, 7]), "{results:?}");
}

#[test]
fn an_unsupported_call_is_refused_before_anything_is_sent() {
    let results = on_ranks(2, TransportChoice::Auto, |comm| {
        let refused = all_reduce(comm, Datatype::Byte, ReduceOp::Sum, &mut [1]).unwrap_err();
        let mut data = [1];
        all_reduce(comm, Datatype::Int32, ReduceOp::Sum, &mut data).unwrap();
        (refused, data)
    });
    for (refused, data) in results {
        assert!(matches!(refused, Error::InvalidArgument { .. }), "{refused}");
        assert!(refused.to_string().contains("band, bor, bxor"), "{refused}");
        assert_eq!(data, [2]);
    }
}

#[test]
fn a_count_beyond_memory_is_refused_and_not_computed_with() {
    let comm = &on_ranks(1, TransportChoice::Auto, |comm| {
        let call = Call {
            kind: CallKind::Collective(Collective::AllToAll),
            datatype: Datatype::Complex128,
            op: None,
            root: 0,
            count: u64::MAX / 3,
        };
        let nowhere = Operation { call, send: std::ptr::null(), recv: std::ptr::null_mut() };
        // SAFETY: refused before any buffer is touched; if it were not, NULL would end the test.
        unsafe { comm.run(&nowhere) }
    })[0];
    assert!(matches!(comm, Err(Error::InvalidArgument { what: "count", .. })), "{comm:?}");
}

#[test]
fn a_finalized_communicator_says_so() {
    let results = on_ranks(2, TransportChoice::Auto, |comm| {
        comm.finalize().unwrap();
        (all_reduce(comm, Datatype::Int32, ReduceOp::Sum, &mut [1]), comm.finalize())
    });
    for (call, again) in results {
        assert!(matches!(call, Err(Error::InvalidUsage(_))) && matches!(again, Err(Error::InvalidUsage(_))));
    }
}

#[test]
fn many_transfers_with_all_peers_at_once_do_not_mix() {
    let results = on_ranks(4, TransportChoice::Auto, |comm| {
        let (rank, size) = (comm.rank(), comm.size());
        let sent: Vec<[i32; 2]> = (0..size).map(|to| [rank as i32, to as i32]).collect();
        let mut got = vec![[-1; 2]; size as usize];
        let mut requests = Vec::new();
        for round in 0..size {
            let (to, from) = ((rank + round) % size, (rank + size - round) % size);
            let data = sent[to as usize].as_ptr().cast();
            let send = OutgoingMessage {
                to,
                tag: 0,
                datatype: Datatype::Int32,
                count: 2,
                data,
                is_synchronous: false,
            };
            let data = got[from as usize].as_mut_ptr().cast();
            let buffer = RecvBuffer { data, datatype: Datatype::Int32, count: 2, is_lenient: false };
            // SAFETY: the buffers live until every request is waited for, below.
            requests.push(unsafe { comm.start(&send) }.unwrap());
            // SAFETY: as above.
            requests.push(
                unsafe { comm.start(CallSpec::Receive(Selector::new(Some(from), Some(0)), buffer)) }.unwrap(),
            );
        }
        wait_all(&mut requests.iter_mut().collect::<Vec<_>>()).unwrap();
        got
    });
    for (rank, got) in results.iter().enumerate() {
        let expected: Vec<[i32; 2]> = (0..4).map(|from| [from, rank as i32]).collect();
        assert_eq!(*got, expected);
    }
}
