//! Collectives whose blocks differ in length: every datatype and operator, every form, over every transport
//! and on several hosts. Also tests ranks that disagree about a length.

use crate::common;
use anyccl_engine::base::{Collective, Datatype, Error, Rank, ReduceOp};
use anyccl_engine::comm::{Communicator, Places, Unequal};
use anyccl_engine::config::{Config, TransportChoice};
use anyccl_engine::observe::log;
use anyccl_engine::plan::{Block, BlockLayout};
use common::case::Case;
use common::ranks::{TRANSPORTS, config, name_of, on_failing_ranks, on_hosts, on_ranks};
use common::sample::{ALL_LEVELS, Coverage, points};
use common::unequal::{COLLECTIVES, Form, UnequalCase, attempt, check};

/// Numbers of ranks. A root is a number below 8, modulo the number of ranks.
const SIZES: [u32; 6] = [1, 2, 3, 4, 5, 8];

/// Largest numbers of elements of a block. Blocks of the last exceed every buffer on the way.
const MOST: [usize; 4] = [1, 3, 1000, 60_000];

/// A call, and how it is made.
#[derive(Clone, Copy)]
struct UnequalCall {
    case: UnequalCase,
    form: Form,
    is_started: bool,
}

impl UnequalCall {
    fn new(case: UnequalCase, [form, is_started]: [usize; 2]) -> UnequalCall {
        UnequalCall { case, form: Form::ALL[form], is_started: is_started == 1 }
    }
}

/// Every datatype with each operator that accepts it.
fn support_table() -> Vec<(Collective, Datatype, Option<ReduceOp>)> {
    let mut table = Vec::new();
    for collective in COLLECTIVES {
        for datatype in Datatype::ALL {
            match collective.reduces() {
                true => {
                    let accepted = ReduceOp::ALL.into_iter().filter(|op| op.accepts(datatype));
                    table.extend(accepted.map(|op| (collective, datatype, Some(op))));
                }
                false => table.push((collective, datatype, None)),
            }
        }
    }
    table
}

/// Calls of the whole table that go over the transport on so many ranks. Each row meets every transport,
/// number of ranks, form and root.
fn of_every_combination(transport: TransportChoice, size: u32) -> Vec<UnequalCall> {
    let mut calls = Vec::new();
    for (row, (collective, datatype, op)) in support_table().into_iter().enumerate() {
        let levels = [TRANSPORTS.len(), SIZES.len(), Form::ALL.len(), 2, 8];
        for [on, among, form, is_started, root] in points(row, ALL_LEVELS, levels) {
            if (TRANSPORTS[on], SIZES[among]) == (transport, size) {
                let root = if collective.has_root() { root as Rank % size } else { 0 };
                let (most, seed) = (40, row as u64);
                let case = UnequalCase { collective, datatype, op, root, most, seed, silent: None };
                calls.push(UnequalCall::new(case, [form, is_started]));
            }
        }
    }
    calls
}

/// Calls with each root, with no, few and many elements. `cell` is the number of this set of calls.
fn of_every_root_and_size(collectives: &[Collective], size: u32, cell: usize) -> Vec<UnequalCall> {
    let call = |at: usize, collective: &Collective| {
        let points = points(cell * COLLECTIVES.len() + at, ALL_LEVELS, [MOST.len(), Form::ALL.len(), 2, 8]);
        let collective = *collective;
        points.into_iter().map(move |[most, form, is_started, root]| {
            let case = UnequalCase::plain(collective, root as Rank % size, MOST[most]);
            UnequalCall::new(case, [form, is_started])
        })
    };
    collectives.iter().enumerate().flat_map(|(at, collective)| call(at, collective)).collect()
}

fn check_all(comm: &Communicator, calls: &[UnequalCall]) {
    calls.iter().for_each(|call| check(comm, &call.case, call.form, call.is_started));
}

fn the_whole_table(transport: TransportChoice) {
    println!("{}: {Coverage}", name_of(transport));
    for (cell, size) in SIZES.into_iter().enumerate() {
        let plain = of_every_root_and_size(&COLLECTIVES, size, cell);
        let calls = [of_every_combination(transport, size), plain].concat();
        on_ranks(size, &config(transport), |comm| check_all(comm, &calls));
    }
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
fn every_collective_works_across_pretended_hosts() {
    println!("{Coverage}");
    for (cell, layout) in ["aabb", "aaab", "abcc", "abab", "ab", "abbcac"].into_iter().enumerate() {
        let host = |rank: Rank| &layout[rank as usize..][..1];
        let settings = |rank| Config { host_id: Some(host(rank).into()), ..config(TransportChoice::Auto) };
        let size = layout.len() as u32;
        let calls = of_every_root_and_size(&COLLECTIVES, size, cell);
        on_hosts(size, settings, |comm| check_all(comm, &calls));
    }
}

#[test]
fn every_algorithm_gives_the_oracles_bytes() {
    let has_blocks = |row: &&anyccl_engine::algo::Algorithm| COLLECTIVES.contains(&row.collective);
    let mut sets = 0..;
    for algorithm in anyccl_engine::algo::ALGORITHMS.iter().filter(has_blocks) {
        for transport in TRANSPORTS {
            let name = format!("{}:{}", algorithm.collective.name(), algorithm.name);
            let settings = Config { algorithm: Some(name), ..config(transport) };
            for size in SIZES {
                // The harness shows this line when the test fails.
                println!("{} over {}, {size} ranks: {Coverage}", algorithm.name, name_of(transport));
                let set = sets.next().expect("without end");
                let calls = of_every_root_and_size(&[algorithm.collective], size, set);
                on_ranks(size, &settings, |comm| check_all(comm, &calls));
            }
        }
    }
}

#[test]
fn calls_that_are_under_way_together_do_not_mix_their_blocks() {
    for transport in TRANSPORTS {
        on_ranks(4, &config(transport), |comm| {
            // The requests are waited for in reverse order, so that most blocks, and empty messages too, are
            // buffered on the way.
            let counts =
                |seed: usize| -> Vec<usize> { (0..4).map(|_| [0, 3, 0, 70_000][seed % 4]).collect() };
            let mut blocks = Vec::new();
            for turn in 0..6usize {
                let mut offset = 0;
                let layout: Vec<Block> = counts(turn)
                    .into_iter()
                    .map(|len| {
                        offset += len;
                        Block { offset: offset - len, len }
                    })
                    .collect();
                let send: Vec<u32> = vec![comm.rank() * 100 + turn as u32; offset];
                blocks.push((layout, send, vec![u32::MAX; offset]));
            }
            let mut requests = Vec::new();
            for (layout, send, recv) in &mut blocks {
                let places = Places::Buffers { send: send.as_ptr().cast(), recv: recv.as_mut_ptr().cast() };
                let operation = Unequal {
                    collective: Collective::AllToAllV,
                    datatype: Datatype::Uint32,
                    op: None,
                    root: 0,
                    layout: BlockLayout { input: layout, output: layout, ..BlockLayout::NONE },
                    places,
                };
                // SAFETY: both buffers have all blocks, and outlive the requests, which end in this closure.
                requests.push(unsafe { comm.start(&operation) }.expect("it starts"));
            }
            for request in requests.iter_mut().rev() {
                request.wait().expect("it ends");
            }
            drop(requests);
            for (turn, (layout, _, recv)) in blocks.iter().enumerate() {
                for (from, block) in layout.iter().enumerate() {
                    let wanted = from as u32 * 100 + turn as u32;
                    assert!(recv[block.offset..block.end()].iter().all(|&element| element == wanted));
                }
            }
        });
    }
}

/// Settings without log lines. These tests fail hundreds of communicators, whose log lines would hide
/// everything else.
fn quietly(transport: TransportChoice) -> Config {
    log::set_level(log::Level::Off);
    config(transport)
}

/// The error of a call about which the ranks disagreed. A rank whose part of the call was correct may
/// complete it. It may also complete a barrier that the others entered before they noticed. No rank completes
/// two barriers.
fn learn(comm: &Communicator, first: anyccl_engine::base::Result<()>) -> Error {
    let barrier =
        || common::attempt::Attempt::on(comm, Case::barrier(), common::attempt::Placement::Apart).run(comm);
    first.and_then(|()| barrier()).and_then(|()| barrier()).expect_err("the ranks disagree")
}

#[test]
fn a_block_of_another_length_is_an_error_on_all_ranks_that_names_both_sides() {
    for transport in TRANSPORTS {
        for size in [2, 3, 4] {
            for collective in [Collective::GatherV, Collective::ScatterV, Collective::AllToAllV] {
                for (most, is_gone) in [(40, false), (40, true), (60_000, false)] {
                    let plain = UnequalCase::plain(collective, 0, most);
                    let last = size - 1;
                    let (from, to) = if collective == Collective::ScatterV { (0, last) } else { (last, 0) };
                    let with_block =
                        |seed: &u64| UnequalCase { seed: *seed, ..plain }.len(from, to, Form::Packed) > 1;
                    let seed = (0..).find(with_block).expect("some seed gives them a block");
                    let case = UnequalCase { seed, ..plain };
                    // The last rank passes a wrong length for its block for rank 0, or from it: a shorter
                    // one, or none.
                    on_failing_ranks(size, &quietly(transport), |comm| {
                        let is_last = comm.rank() == last;
                        let lie = |index: Rank, len: usize| match is_last && index == 0 {
                            true if is_gone => 0,
                            true => len - 1,
                            false => len,
                        };
                        let error = learn(&comm, attempt(&comm, &case, Form::Packed, false, lie));
                        let who =
                            format!("{collective:?}, rank {} of {size}, {}", comm.rank(), name_of(transport));
                        assert!(matches!(error, Error::Mismatch(_)), "{who}: {error:?}");
                        let text = error.to_string();
                        assert_eq!(text.matches("a block of").count(), 2, "{who}: {text}");
                        assert!(text.contains(&format!("rank {last} called")), "{who}: {text}");
                        assert!(text.contains("rank 0 called"), "{who}: {text}");
                    });
                }
            }
        }
    }
}

#[test]
fn counts_that_differ_between_ranks_are_an_error_on_all_ranks() {
    for transport in TRANSPORTS {
        for collective in [Collective::AllGatherV, Collective::ReduceScatterV] {
            on_failing_ranks(3, &quietly(transport), |comm| {
                let seed = u64::from(comm.rank() == 2);
                let case = UnequalCase { seed, ..UnequalCase::plain(collective, 0, 40) };
                let error = learn(&comm, attempt(&comm, &case, Form::Packed, false, |_, len| len));
                assert!(matches!(error, Error::Mismatch(_)), "{error:?}");
                assert_eq!(error.to_string().matches("counts #").count(), 2, "{error}");
            });
        }
    }
}

#[test]
fn the_error_of_different_calls_names_both_calls() {
    for transport in TRANSPORTS {
        for odd in [Collective::GatherV, Collective::ScatterV, Collective::AllGatherV] {
            on_failing_ranks(3, &quietly(transport), |comm| {
                let collective = if comm.rank() == 1 { odd } else { Collective::AllToAllV };
                let case = UnequalCase { seed: 1, ..UnequalCase::plain(collective, 0, 40) };
                let text = learn(&comm, attempt(&comm, &case, Form::Packed, false, |_, len| len)).to_string();
                assert!(text.contains("all_to_all_v(int32") && text.contains(odd.name()), "{text}");
            });
        }
    }
}

#[test]
fn invalid_layouts_are_refused_before_anything_is_sent() {
    on_ranks(2, &config(TransportChoice::Auto), |comm| {
        let block = |offset, len| Block { offset, len };
        let mut memory = [0u32; 64];
        let start = memory.as_mut_ptr().cast::<u8>();
        let all_to_all = |input: &[Block], output: &[Block], recv_at: usize| {
            let places = Places::Buffers { send: start, recv: start.wrapping_add(4 * recv_at) };
            let layout = BlockLayout { input, output, ..BlockLayout::NONE };
            let (collective, datatype) = (Collective::AllToAllV, Datatype::Uint32);
            let operation = Unequal { collective, datatype, op: None, root: 0, layout, places };
            // SAFETY: every block that is accepted lies in `memory`.
            match unsafe { comm.run(&operation) } {
                Err(Error::InvalidArgument { what, .. }) => what,
                other => panic!("not refused: {other:?}"),
            }
        };
        let two = [block(0, 2), block(2, 2)];
        assert_eq!(all_to_all(&two[..1], &two, 32), "number of blocks");
        assert_eq!(all_to_all(&two, &[block(0, 2), block(1, 2)], 32), "recv", "blocks overlap");
        assert_eq!(all_to_all(&two, &two, 1), "send", "shifted");
        assert_eq!(all_to_all(&two, &[block(2, 2), block(0, 2)], 0), "send", "not the counterpart");
        let mine = comm.rank() as usize;
        let mut unequal = two;
        unequal[mine].len = 1;
        assert_eq!(all_to_all(&two, &unequal, 32), "counts", "to oneself");
        assert_eq!(all_to_all(&two, &[block(usize::MAX / 4, 2), block(0, 2)], 32), "recv", "beyond memory");
        common::attempt::check(comm, Case::barrier(), common::attempt::Placement::Apart);
    });
}
