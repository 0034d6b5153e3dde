//! Operations that are prepared once and started often, on memory of a device: in the order of a stream,
//! without one, and beside ranks whose buffers are on the host.

use std::ptr::with_exposed_provenance_mut;
use std::sync::{Arc, Barrier};

use crate::common;
use anyccl_engine::base::{Collective, Datatype, ReduceOp, Result};
use anyccl_engine::comm::{CallSpec, Communicator, List, Operation, Part, Persistent, Places, Unequal};
use anyccl_engine::p2p::{OutgoingMessage, RecvBuffer, Selector};
use anyccl_engine::plan::{Block, BlockLayout};
use common::case::Case;
use common::device::{Arena, Stream, double};
use common::ranks::{TRANSPORTS, config, on_ranks};

const BYTES: usize = 5000;
const ROUNDS: u8 = 3;

/// The buffers of one operation, where the device or the host has them.
struct Buffers {
    send: u64,
    recv: u64,
}

impl Buffers {
    fn new(arena: &mut Arena, bytes: usize) -> Buffers {
        Buffers { send: arena.take(BYTES), recv: arena.take(bytes) }
    }

    fn send(&self) -> *const u8 {
        with_exposed_provenance_mut::<u8>(self.send as usize).cast_const()
    }

    fn recv(&self) -> *mut u8 {
        with_exposed_provenance_mut(self.recv as usize)
    }
}

/// One prepared operation, and what its output is in a round.
struct Prepared {
    operation: Persistent,
    buffers: Buffers,
    expected: Box<dyn Fn(u8) -> Vec<u8>>,
}

/// What a rank sends in a round, in each byte.
fn input(rank: u32, round: u8) -> u8 {
    round * 20 + rank as u8 + 1
}

fn sum(size: u32, round: u8) -> u8 {
    (0..size).fold(0, |sum, rank| sum + input(rank, round))
}

fn all_reduce(comm: &Arc<Communicator>, arena: &mut Arena) -> Result<Prepared> {
    let (buffers, size) = (Buffers::new(arena, BYTES), comm.size());
    let case = Case::reducing(Collective::AllReduce, Datatype::Uint8, ReduceOp::Sum, 0, BYTES);
    let operation = Operation { call: case.call(), send: buffers.send(), recv: buffers.recv() };
    // SAFETY: the buffers live longer than the operation.
    let operation = unsafe { Persistent::new(Arc::clone(comm), &operation) }?;
    Ok(Prepared { operation, buffers, expected: Box::new(move |round| vec![sum(size, round); BYTES]) })
}

/// Rank r sends 100 + r bytes.
fn all_gather_v(comm: &Arc<Communicator>, arena: &mut Arena) -> Result<Prepared> {
    let (buffers, size) = (Buffers::new(arena, BYTES), comm.size());
    let len = |rank: u32| 100 + rank as usize;
    let mut offset = 0;
    let block = |rank: u32| {
        offset += len(rank);
        Block { offset: offset - len(rank), len: len(rank) }
    };
    let output: Vec<Block> = (0..size).map(block).collect();
    let layout = BlockLayout {
        input: &[Block { offset: 0, len: len(comm.rank()) }],
        output: &output,
        ..BlockLayout::NONE
    };
    let places = Places::Buffers { send: buffers.send(), recv: buffers.recv() };
    let (collective, datatype) = (Collective::AllGatherV, Datatype::Uint8);
    let operation = Unequal { collective, datatype, op: None, root: 0, layout, places };
    // SAFETY: the buffers live longer than the operation.
    let operation = unsafe { Persistent::new(Arc::clone(comm), &operation) }?;
    let expected = move |round| (0..size).flat_map(|rank| vec![input(rank, round); len(rank)]).collect();
    Ok(Prepared { operation, buffers, expected: Box::new(expected) })
}

/// Two parts, which meet.
fn list(comm: &Arc<Communicator>, arena: &mut Arena) -> Result<Prepared> {
    const CUT: usize = 700;
    let (buffers, size) = (Buffers::new(arena, BYTES), comm.size());
    let part = |offset: usize, count| Part {
        send: buffers.send().wrapping_add(offset),
        recv: buffers.recv().wrapping_add(offset),
        count,
        datatype: Datatype::Uint8,
    };
    let parts = [part(0, CUT), part(CUT, BYTES - CUT)];
    let list = List { collective: Collective::AllReduce, op: Some(ReduceOp::Sum), root: 0, parts: &parts };
    // SAFETY: the buffers live longer than the operation.
    let operation = unsafe { Persistent::new(Arc::clone(comm), &list) }?;
    Ok(Prepared { operation, buffers, expected: Box::new(move |round| vec![sum(size, round); BYTES]) })
}

/// A send to the next rank. The output stays as it is.
fn send(comm: &Arc<Communicator>, arena: &mut Arena) -> Result<Prepared> {
    let buffers = Buffers::new(arena, 0);
    let to = (comm.rank() + 1) % comm.size();
    let (datatype, count, data) = (Datatype::Uint8, BYTES as u64, buffers.send());
    let message = OutgoingMessage { to, tag: 3, datatype, count, data, is_synchronous: false };
    // SAFETY: the buffer lives longer than the operation.
    let operation = unsafe { Persistent::new(Arc::clone(comm), &message) }?;
    Ok(Prepared { operation, buffers, expected: Box::new(|_| Vec::new()) })
}

/// A receive from the rank before.
fn receive(comm: &Arc<Communicator>, arena: &mut Arena) -> Result<Prepared> {
    let buffers = Buffers::new(arena, BYTES);
    let from = (comm.rank() + comm.size() - 1) % comm.size();
    let (datatype, count, data) = (Datatype::Uint8, BYTES as u64, buffers.recv());
    let room = RecvBuffer { data, datatype, count, is_lenient: false };
    // SAFETY: the buffer lives longer than the operation.
    let operation = unsafe {
        Persistent::new(Arc::clone(comm), CallSpec::Receive(Selector::new(Some(from), Some(3)), room))
    }?;
    Ok(Prepared { operation, buffers, expected: Box::new(move |round| vec![input(from, round); BYTES]) })
}

/// Prepares one operation of each kind. Sends are started before receives, which hold up the stream.
fn prepare(comm: &Arc<Communicator>, arena: &mut Arena) -> [Prepared; 5] {
    [all_reduce, all_gather_v, list, send, receive].map(|prepare| prepare(comm, arena).unwrap())
}

fn check(prepared: &Prepared, round: u8, what: &str) {
    let expected = (prepared.expected)(round);
    let found = double().read(prepared.buffers.recv, expected.len());
    assert!(found == expected, "round {round}, {what}");
}

#[test]
fn each_start_is_part_of_the_stream_that_the_communicator_has() {
    double();
    for (seed, size) in [1, 2, 4, 2, 4].into_iter().enumerate() {
        double().set_seed(seed as u64);
        let have_memory = Barrier::new(size as usize);
        on_ranks(size, &config(TRANSPORTS[seed % 2]), |comm| {
            double();
            let comm = comm.dup(&Default::default()).unwrap().shared();
            let (mut arena, stream) = (Arena::new(1 << 20), Stream::new());
            // An allocation would wait for the streams of ranks that are ahead, and they for this rank.
            have_memory.wait();
            let mut prepared = prepare(&comm, &mut arena);
            comm.set_stream(Some(stream.handle()));
            for round in 1..=ROUNDS {
                for prepared in &mut prepared {
                    let (send, value) = (prepared.buffers.send, input(comm.rank(), round));
                    double().fill(send, value, BYTES, &stream);
                    prepared.operation.start().unwrap();
                    // The stream comes to this after the operation.
                    double().fill(send, 0, BYTES, &stream);
                    assert!(prepared.operation.start().is_err());
                }
                for (at, prepared) in prepared.iter_mut().enumerate() {
                    prepared.operation.wait().unwrap();
                    check(prepared, round, &format!("operation {at}, seed {seed}"));
                }
                stream.synchronize();
            }
            let status = prepared[4].operation.status().expect("a message");
            assert_eq!((status.count, status.tag), (BYTES as u64, 3));
            drop(prepared);
            comm.finalize().unwrap();
        });
    }
}

#[test]
fn without_a_stream_each_wait_ends_a_run_and_the_buffers_may_be_written_again() {
    double();
    let have_memory = Barrier::new(2);
    on_ranks(2, &config(TRANSPORTS[0]), |comm| {
        double();
        let comm = comm.dup(&Default::default()).unwrap().shared();
        let (mut arena, stream) = (Arena::new(1 << 20), Stream::new());
        have_memory.wait();
        let mut prepared = prepare(&comm, &mut arena);
        for round in 1..=ROUNDS {
            for prepared in &prepared {
                double().fill(prepared.buffers.send, input(comm.rank(), round), BYTES, &stream);
            }
            stream.synchronize();
            prepared.iter_mut().for_each(|prepared| prepared.operation.start().unwrap());
            for (at, prepared) in prepared.iter_mut().enumerate() {
                prepared.operation.wait().unwrap();
                check(prepared, round, &format!("operation {at}"));
            }
        }
        drop(prepared);
        comm.finalize().unwrap();
    });
}

#[test]
fn a_rank_whose_buffers_are_on_the_host_starts_the_same_operation() {
    double();
    let have_memory = Barrier::new(2);
    on_ranks(2, &config(TRANSPORTS[0]), |comm| {
        double();
        let comm = comm.dup(&Default::default()).unwrap().shared();
        let mut arena = Arena::new(1 << 20);
        have_memory.wait();
        let mut on_device = (comm.rank() == 0).then(|| all_reduce(&comm, &mut arena).unwrap());
        let (mut send, mut recv) = (vec![0; BYTES], vec![0; BYTES]);
        let case = Case::reducing(Collective::AllReduce, Datatype::Uint8, ReduceOp::Sum, 0, BYTES);
        let operation = Operation { call: case.call(), send: send.as_mut_ptr(), recv: recv.as_mut_ptr() };
        // SAFETY: the buffers live longer than the operation.
        let mut on_host = unsafe { Persistent::new(Arc::clone(&comm), &operation) }.unwrap();
        for round in 1..=ROUNDS {
            match &mut on_device {
                Some(prepared) => {
                    double().write(prepared.buffers.send, &vec![input(0, round); BYTES]);
                    prepared.operation.start().unwrap();
                    prepared.operation.wait().unwrap();
                    check(prepared, round, "all_reduce");
                }
                None => {
                    // SAFETY: `BYTES` bytes of the test, which no run uses now.
                    unsafe { operation.send.cast_mut().write_bytes(input(1, round), BYTES) };
                    on_host.start().unwrap();
                    on_host.wait().unwrap();
                    // SAFETY: as above.
                    let found = unsafe { std::slice::from_raw_parts(operation.recv, BYTES) };
                    assert_eq!(found, vec![sum(2, round); BYTES]);
                }
            }
        }
        drop((on_device, on_host));
        comm.finalize().unwrap();
    });
}

#[test]
fn a_wrong_call_is_refused_when_it_is_prepared() {
    double();
    on_ranks(1, &config(TRANSPORTS[0]), |comm| {
        double();
        let comm = comm.dup(&Default::default()).unwrap().shared();
        let mut arena = Arena::new(1 << 20);
        let buffers = Buffers::new(&mut arena, BYTES);
        let case = Case::reducing(Collective::AllReduce, Datatype::Float32, ReduceOp::Band, 0, 10);
        let operation = Operation { call: case.call(), send: buffers.send(), recv: buffers.recv() };
        // SAFETY: nothing is started.
        assert!(unsafe { Persistent::new(Arc::clone(&comm), &operation) }.is_err());
        let message = OutgoingMessage {
            to: 9,
            tag: 1,
            datatype: Datatype::Uint8,
            count: 1,
            data: buffers.send(),
            is_synchronous: false,
        };
        // SAFETY: as above.
        assert!(unsafe { Persistent::new(Arc::clone(&comm), &message) }.is_err());
        comm.finalize().unwrap();
    });
}
