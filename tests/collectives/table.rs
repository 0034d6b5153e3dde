//! Every collective with every datatype and operator, over both transports, compared with the oracle.
//!
//! The test leaves out combinations that would add nothing. Each supported combination runs with two counts,
//! in place and not, blocking and started, on each number of ranks. The remaining counts and all roots run
//! with two datatypes.

use std::collections::HashSet;
use std::sync::Mutex;

use crate::common;
use anyccl_engine::base::{Call, Collective, Datatype, Error, Rank, ReduceOp};
use anyccl_engine::comm::{Communicator, Operation};
use anyccl_engine::config::TransportChoice;
use common::attempt::{Placement, check, check_started};
use common::case::{Case, support_table};
use common::ranks::{TRANSPORTS, config, name_of, on_ranks};

const SIZES: [u32; 6] = [1, 2, 3, 4, 5, 8];
const ODD: usize = 1009;

/// Each combination with a small and an odd count. The root changes from case to case.
fn every_combination(size: u32) -> Vec<Case> {
    let cases = support_table().into_iter().enumerate().flat_map(|(at, (collective, datatype, op))| {
        let root = (at % size as usize) as Rank;
        let case = move |count| Case { collective, datatype, op, root, count };
        [case(size as usize + 1), case(ODD)]
    });
    cases.collect()
}

/// Counts at which segments are empty or unequal, with each root, for two datatypes.
fn every_count_and_root(size: u32) -> Vec<Case> {
    let n = size as usize;
    let mut cases = Vec::new();
    for collective in Collective::UNIFORM.into_iter().filter(|c| *c != Collective::Barrier) {
        for datatype in [Datatype::Uint16, Datatype::Float64] {
            let op = collective.reduces().then_some(ReduceOp::Sum);
            for count in [0, 1, n - 1, n, n + 1, ODD] {
                for root in 0..if collective.has_root() { size } else { 1 } {
                    cases.push(Case { collective, datatype, op, root, count });
                }
            }
        }
    }
    cases
}

/// What was checked, to compare with the table of what is supported.
#[derive(Default)]
struct Checked {
    cells: HashSet<(Collective, Datatype, Option<ReduceOp>)>,
    calls: usize,
}

fn the_whole_table(transport: TransportChoice) {
    let mut calls = 0;
    for size in SIZES {
        let cases = [every_combination(size), every_count_and_root(size)].concat();
        let checked = Mutex::new(Checked::default());
        on_ranks(size, &config(transport), |comm| {
            for case in &cases {
                for placement in Placement::ALL {
                    check(comm, *case, placement);
                    check_started(comm, *case, placement);
                    if comm.rank() == 0 {
                        let mut checked = checked.lock().unwrap();
                        checked.cells.insert((case.collective, case.datatype, case.op));
                        checked.calls += 2;
                    }
                }
            }
        });
        let Checked { cells, calls: of_this_size } = checked.into_inner().unwrap();
        let missed: Vec<_> = support_table().into_iter().filter(|cell| !cells.contains(cell)).collect();
        assert!(missed.is_empty(), "{size} ranks: not checked: {missed:?}");
        calls += of_this_size;
    }
    let cells = support_table().len();
    println!(
        "{}: {cells} combinations of collective, datatype and operator, on {SIZES:?} ranks: {calls} calls checked",
        name_of(transport)
    );
}

#[test]
fn every_supported_call_gives_the_oracles_bytes_over_shared_memory() {
    the_whole_table(TransportChoice::Auto);
}

#[test]
fn every_supported_call_gives_the_oracles_bytes_over_tcp() {
    the_whole_table(TransportChoice::Tcp);
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
