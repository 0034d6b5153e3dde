//! Every collective with every datatype and operator, over both transports, compared with the oracle.
//!
//! Each of these cells runs on four ranks over shared memory. In a sample (`common::sample`), it also meets
//! every number of ranks, transport, count, root, placement and form of a call.

use std::sync::Mutex;

use crate::common;
use anyccl_engine::base::{Call, Collective, Datatype, Error, Rank, ReduceOp};
use anyccl_engine::comm::{Communicator, Operation};
use anyccl_engine::config::TransportChoice;
use common::attempt::{Placement, check, check_started};
use common::case::{Case, support_table};
use common::ranks::{TRANSPORTS, config, name_of, on_ranks};
use common::sample::{self, ALL_LEVELS, Coverage, points};

const SIZES: [u32; 6] = [1, 2, 3, 4, 5, 8];
/// Levels of the root of a call, which is the level modulo the number of ranks.
const ROOTS: usize = 8;

/// A call of one cell of the table, and how it is made.
#[derive(Clone, Copy)]
struct TableCall {
    cell: usize,
    case: Case,
    placement: Placement,
    is_started: bool,
}

/// Counts at which segments are empty or unequal.
fn counts(size: u32) -> [usize; 7] {
    let n = size as usize;
    [0, 1, n - 1, n, n + 1, 257, 1009]
}

/// The call at a point: the levels of the count, the root, the placement and the form.
fn call_at(cell: usize, size: u32, [count, root, placement, form]: [usize; 4]) -> TableCall {
    let (collective, datatype, op) = support_table()[cell];
    let count = if collective == Collective::Barrier { 0 } else { counts(size)[count] };
    let case = Case { collective, datatype, op, root: root as Rank % size, count };
    TableCall { cell, case, placement: Placement::ALL[placement], is_started: form == 1 }
}

/// Makes the calls on `size` ranks. Returns which cells they were of.
fn make(calls: &[TableCall], size: u32, transport: TransportChoice) -> Vec<usize> {
    let checked = Mutex::new(Vec::with_capacity(calls.len()));
    on_ranks(size, &config(transport), |comm| {
        for call in calls {
            match call.is_started {
                true => check_started(comm, call.case, call.placement),
                false => check(comm, call.case, call.placement),
            }
            if comm.rank() == 0 {
                checked.lock().unwrap().push(call.cell);
            }
        }
    });
    checked.into_inner().unwrap()
}

/// Checks that no cell was missed, and says how much was checked.
fn sum_up(what: &str, mut checked: Vec<usize>) {
    let calls = checked.len();
    checked.sort_unstable();
    checked.dedup();
    assert!(checked.into_iter().eq(0..support_table().len()), "{what}: a cell is missing");
    let cells = support_table().len();
    println!(
        "{what}: {cells} combinations of collective, datatype and operator, {calls} calls checked: {Coverage}"
    );
}

#[test]
fn every_combination_gives_the_oracles_bytes_on_4_ranks() {
    let calls = |cell| {
        let points = points(cell, ALL_LEVELS, [counts(4).len(), 4, 2, 2]);
        points.into_iter().map(move |point| call_at(cell, 4, point))
    };
    let calls: Vec<TableCall> = (0..support_table().len()).flat_map(calls).collect();
    sum_up("shm, 4 ranks", make(&calls, 4, TransportChoice::Auto));
}

fn on_all_numbers_of_ranks(transport: TransportChoice) {
    let (at, mut calls) = (TRANSPORTS.iter().position(|each| *each == transport).unwrap(), Vec::new());
    for cell in 0..support_table().len() {
        let levels = [TRANSPORTS.len(), SIZES.len(), counts(1).len(), ROOTS, 2, 2];
        let has_root = support_table()[cell].0.has_root();
        for [transport, size, count, root, placement, form] in points(cell, ALL_LEVELS, levels) {
            let size = SIZES[size];
            // The full product has these calls already.
            let is_again = sample::is_long() && root >= if has_root { size as usize } else { 1 };
            if transport == at && !is_again {
                calls.push((size, call_at(cell, size, [count, root, placement, form])));
            }
        }
    }
    let mut checked = Vec::new();
    for size in SIZES {
        let of_size: Vec<TableCall> =
            calls.iter().filter(|(of, _)| *of == size).map(|(_, call)| *call).collect();
        checked.extend(make(&of_size, size, transport));
    }
    sum_up(name_of(transport), checked);
}

#[test]
fn every_supported_call_gives_the_oracles_bytes_over_shared_memory() {
    on_all_numbers_of_ranks(TransportChoice::Auto);
}

#[test]
fn every_supported_call_gives_the_oracles_bytes_over_tcp() {
    on_all_numbers_of_ranks(TransportChoice::Tcp);
}

#[test]
fn unsupported_calls_are_refused_before_anything_is_sent() {
    for transport in TRANSPORTS {
        on_ranks(3, &config(transport), |comm| {
            let mut refused = 0;
            for collective in Collective::UNIFORM.into_iter().filter(|c| c.reduces()) {
                for datatype in Datatype::ALL {
                    for op in ReduceOp::ALL.into_iter().filter(|op| !op.accepts(datatype)) {
                        let case = Case { collective, datatype, op: Some(op), root: 0, count: 1 };
                        refuse(comm, case.call(), "operator");
                        refused += 1;
                    }
                }
            }
            let reducing = Collective::UNIFORM.into_iter().filter(|c| c.reduces()).count();
            assert_eq!(refused, reducing * (18 * 11 - supported_reductions()));
            for collective in Collective::UNIFORM.into_iter().filter(|c| c.has_root()) {
                refuse(comm, Case::plain(collective, 3, 1).call(), "root");
            }
            check(comm, Case::plain(Collective::AllReduce, 0, 100), Placement::Apart);
        });
    }
}

fn supported_reductions() -> usize {
    support_table().into_iter().filter(|(collective, ..)| *collective == Collective::AllReduce).count()
}

fn refuse(comm: &Communicator, call: Call, argument: &str) {
    let (send, mut recv) = ([0u64; 8], [0u64; 8]);
    let (send, recv) = (send.as_ptr().cast(), recv.as_mut_ptr().cast());
    let operation = Operation { call, send, recv };
    // SAFETY: one element of at most 16 bytes per rank fits into the 64 bytes of each buffer.
    let outcomes = [unsafe { comm.run(&operation) }, {
        // SAFETY: as above; a request would be dropped, and so end, in this statement.
        unsafe { comm.start(&operation) }.map(drop)
    }];
    for outcome in outcomes {
        match outcome {
            Err(Error::InvalidArgument { what, .. }) => assert_eq!(what, argument, "{call}"),
            other => panic!("{call} was not refused: {other:?}"),
        }
    }
}
