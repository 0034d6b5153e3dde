//! Averages of float16 whose sum is too large for the type: each is the value that all ranks have given.

use crate::common;
use anyccl_engine::base::{Call, CallKind, Collective, Datatype, Rank, ReduceOp};
use anyccl_engine::comm::{Communicator, List, Operation, Part, Places, Unequal};
use anyccl_engine::plan::{Block, BlockLayout};
use common::numbers::encode;
use common::ranks::{TRANSPORTS, config, on_ranks};

const COUNT: usize = 100;
const LARGE: f64 = 60_000.0;
const ROOT: Rank = 1;

fn halves(value: f64, count: usize) -> Vec<u16> {
    vec![encode(Datatype::Float16, value) as u16; count]
}

fn check(comm: &Communicator, collective: Collective, is_started: bool) {
    let (rank, size) = (comm.rank(), comm.size() as usize);
    let root = if collective.has_root() { ROOT } else { 0 };
    let send = halves(LARGE, collective.input_elements(size, rank, root, COUNT));
    let written = collective.output_elements(size, rank, root, COUNT);
    let mut recv = halves(0.0, COUNT);
    let kind = CallKind::Collective(collective);
    let call = Call { kind, datatype: Datatype::Float16, op: Some(ReduceOp::Avg), root, count: COUNT as u64 };
    let operation = Operation { call, send: send.as_ptr().cast(), recv: recv.as_mut_ptr().cast() };
    if is_started {
        // SAFETY: the buffers are as long as the collective says, and live until the call has ended.
        unsafe { comm.start(&operation) }.unwrap().wait().unwrap();
    } else {
        // SAFETY: as above.
        unsafe { comm.run(&operation) }.unwrap();
    }
    let expected = [halves(LARGE, written), halves(0.0, COUNT - written)].concat();
    assert!(recv == expected, "{call} of rank {rank}: {:x?}", &recv[..4]);
}

/// Checks a list of two buffers.
fn check_list(comm: &Communicator) {
    let (send, mut recv) = (halves(LARGE, COUNT), halves(0.0, COUNT));
    let half = COUNT / 2;
    let part = |at: usize, recv: *mut u16| Part {
        send: send[at..].as_ptr().cast(),
        recv: recv.wrapping_add(at).cast(),
        count: half,
        datatype: Datatype::Float16,
    };
    let to = recv.as_mut_ptr();
    let parts = [part(0, to), part(half, to)];
    let list = List { collective: Collective::AllReduce, op: Some(ReduceOp::Avg), root: 0, parts: &parts };
    // SAFETY: the parts lie in buffers that live until the call has ended.
    unsafe { comm.start(&list) }.unwrap().wait().unwrap();
    assert!(recv == send, "a list: {:x?}", &recv[..4]);
}

/// Checks blocks of unequal lengths.
fn check_unequal(comm: &Communicator) {
    let (rank, size) = (comm.rank() as usize, comm.size() as usize);
    let blocks: Vec<Block> = (0..size).map(|rank| Block { offset: 10 * rank, len: rank + 1 }).collect();
    let (send, mut recv) = (halves(LARGE, 10 * size), halves(0.0, rank + 1));
    let results = [Block { offset: 0, len: rank + 1 }];
    let layout = BlockLayout { input: &blocks, output: &results, ..BlockLayout::NONE };
    let places = Places::Buffers { send: send.as_ptr().cast(), recv: recv.as_mut_ptr().cast() };
    let (collective, datatype, op) = (Collective::ReduceScatterV, Datatype::Float16, Some(ReduceOp::Avg));
    let operation = Unequal { collective, datatype, op, root: 0, layout, places };
    // SAFETY: the blocks lie in buffers that live until the call has ended.
    unsafe { comm.run(&operation) }.unwrap();
    assert!(recv == halves(LARGE, rank + 1), "reduce_scatter_v: {recv:x?}");
}

#[test]
fn the_average_of_float16_fits_although_the_sum_does_not() {
    const REDUCING: [Collective; 4] =
        [Collective::AllReduce, Collective::Reduce, Collective::ReduceScatter, Collective::Scan];
    for transport in TRANSPORTS {
        for size in [2, 3, 4] {
            on_ranks(size, &config(transport), |comm| {
                for collective in REDUCING {
                    check(comm, collective, false);
                    check(comm, collective, true);
                }
                check_list(comm);
                check_unequal(comm);
            });
        }
    }
}
