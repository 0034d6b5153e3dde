//! Unequal blocks that travel by host. Tests every hierarchical plan on two and three hosts, and calls that
//! run while their ranks do other things. Also tests ranks that disagree about a block inside a parcel.

use crate::common;
use anyccl_engine::base::{Collective, Datatype, Error, Rank};
use anyccl_engine::comm::{CallSpec, Communicator, Places, Request, Unequal};
use anyccl_engine::config::{Config, TransportChoice};
use anyccl_engine::observe::log;
use anyccl_engine::p2p::{OutgoingMessage, RecvBuffer, Selector};
use anyccl_engine::plan::{Block, BlockLayout};
use common::ranks::{config, on_failing_hosts, on_hosts};
use common::sample::{ALL_LEVELS, Coverage, points};
use common::unequal::{COLLECTIVES, Form, UnequalCase, attempt, check};

/// Layouts of ranks on hosts. Each letter is the host of one rank.
const LAYOUTS: [&str; 11] = [
    "ab",
    "aabb",
    "aaabbb",
    "aaaabbbb",
    "abc",
    "aabbcc",
    "aaabbbccc",
    "aaaabbbbcccc",
    // The hosts have unequal numbers of ranks, or the ranks alternate between hosts, or there is one host.
    "abbcacc",
    "abab",
    "aaa",
];

/// Settings that force the hierarchical algorithm of each collective, on simulated hosts.
fn settings(layout: &str) -> impl Fn(Rank) -> Config + Sync + '_ {
    let wanted: Vec<String> = COLLECTIVES.iter().map(|c| format!("{}:hierarchical", c.name())).collect();
    let wanted = wanted.join(",");
    move |rank| Config {
        host_id: Some(layout[rank as usize..][..1].into()),
        algorithm: Some(wanted.clone()),
        ..config(TransportChoice::Auto)
    }
}

#[test]
fn every_hierarchical_plan_gives_the_oracles_bytes_on_2_and_3_hosts_of_1_to_4_ranks() {
    // The last number is how often the call is made.
    const BLOCKS: [(u64, usize, usize); 5] = [(0, 1, 1), (1, 3, 1), (2, 3, 2), (3, 1000, 1), (4, 30_000, 1)];
    let mut cell = 0;
    for layout in LAYOUTS {
        println!("{layout}: {Coverage}");
        let size = layout.len() as u32;
        let mut calls = Vec::new();
        for collective in COLLECTIVES {
            cell += 1;
            for [blocks, form, is_started, root] in
                points(cell, ALL_LEVELS, [BLOCKS.len(), Form::ALL.len(), 2, 2])
            {
                let (seed, most, times) = BLOCKS[blocks];
                let case = UnequalCase { seed, ..UnequalCase::plain(collective, [0, size - 1][root], most) };
                calls.extend((0..times).map(|_| (case, Form::ALL[form], is_started == 1)));
            }
        }
        on_hosts(size, settings(layout), |comm| {
            calls.iter().for_each(|(case, form, is_started)| check(comm, case, *form, *is_started));
        });
    }
}

/// Blocks of one length in a row, one for each of `size` ranks.
fn side_by_side(size: u32, len: usize) -> Vec<Block> {
    (0..size as usize).map(|rank| Block { offset: rank * len, len }).collect()
}

fn start(comm: &Communicator, blocks: &[Block], send: &[u32], recv: &mut [u32]) -> Request {
    let operation = Unequal {
        collective: Collective::AllToAllV,
        datatype: Datatype::Uint32,
        op: None,
        root: 0,
        layout: BlockLayout { input: blocks, output: blocks, ..BlockLayout::NONE },
        places: Places::Buffers { send: send.as_ptr().cast(), recv: recv.as_mut_ptr().cast() },
    };
    // SAFETY: both buffers have all blocks; the callers keep them until the request has ended.
    unsafe { comm.start(&operation) }.expect("it starts")
}

/// Starting a call must not wait for the answers of other ranks: here, such a start would never reach its
/// receive.
#[test]
fn a_call_that_was_started_asks_and_goes_on_while_its_rank_waits_for_something_else() {
    let layout = "aabb";
    on_hosts(4, settings(layout), |comm| {
        for len in [1, 5000, 100_000] {
            let (me, next) = (comm.rank(), (comm.rank() + 1) % 4);
            let blocks = side_by_side(4, len);
            let send = vec![me; 4 * len];
            let mut recv = vec![u32::MAX; 4 * len];
            let mut token = [u32::MAX];
            let receive = |token: &mut [u32; 1]| {
                let selector = Selector::new(Some((me + 3) % 4), Some(7));
                let data = token.as_mut_ptr().cast();
                let buffer = RecvBuffer { data, datatype: Datatype::Uint32, count: 1, is_lenient: false };
                // SAFETY: one element, waited for at once.
                let mut request =
                    unsafe { comm.start(CallSpec::Receive(selector, buffer)) }.expect("it starts");
                request.wait().expect("the token");
            };
            let pass = || {
                let data = (&raw const me).cast();
                let is_synchronous = true;
                let what = OutgoingMessage {
                    to: next,
                    tag: 7,
                    datatype: Datatype::Uint32,
                    count: 1,
                    data,
                    is_synchronous,
                };
                // SAFETY: one element, waited for at once.
                unsafe { comm.start(&what) }.expect("it starts").wait().expect("it is received");
            };
            // Rank 0 has started the call and waits for a token. The token comes only after all other ranks
            // have started and completed theirs.
            let mut request = start(comm, &blocks, &send, &mut recv);
            if me == 0 {
                receive(&mut token);
                request.wait().expect("it ends");
                pass();
            } else {
                if me > 1 {
                    receive(&mut token);
                }
                request.wait().expect("it ends");
                pass();
            }
            if me == 1 {
                receive(&mut token);
            }
            assert!(recv.chunks(len).zip(0..).all(|(block, from)| block.iter().all(|found| *found == from)));
        }
    });
}

#[test]
fn calls_that_are_under_way_together_do_not_mix_their_questions() {
    for layout in ["aabb", "abab", "aabbcc"] {
        let size = layout.len() as u32;
        on_hosts(size, settings(layout), |comm| {
            let lens = [3, 0, 20_000, 1, 7, 0];
            let all_blocks = lens.map(|len| side_by_side(size, len));
            let sends: Vec<Vec<u32>> = (0..lens.len())
                .map(|turn| vec![comm.rank() * 100 + turn as u32; size as usize * lens[turn]])
                .collect();
            let mut recvs: Vec<Vec<u32>> = sends.iter().map(|send| vec![u32::MAX; send.len()]).collect();
            let mut requests: Vec<Request> = Vec::new();
            for ((blocks, send), recv) in all_blocks.iter().zip(&sends).zip(&mut recvs) {
                requests.push(start(comm, blocks, send, recv));
            }
            requests.iter_mut().rev().for_each(|request| request.wait().expect("it ends"));
            drop(requests);
            for (turn, recv) in recvs.iter().enumerate() {
                for (from, block) in all_blocks[turn].iter().enumerate() {
                    let wanted = from as u32 * 100 + turn as u32;
                    assert!(recv[block.offset..block.end()].iter().all(|&element| element == wanted));
                }
            }
        });
    }
}

/// The error of a call about which the ranks disagreed. The second barrier after the call reports it at the
/// latest.
fn learn(comm: &Communicator, first: anyccl_engine::base::Result<()>) -> Error {
    let barrier = || {
        let apart = common::attempt::Placement::Apart;
        common::attempt::Attempt::on(comm, common::case::Case::barrier(), apart).run(comm)
    };
    first.and_then(|()| barrier()).and_then(|()| barrier()).expect_err("the ranks disagree")
}

/// The last two ranks share a host. One of them passes too short a length for its block for, or from, rank 0.
/// Rank 0 passes too short a length for the block of the other. The sum of the lengths is the same on both
/// sides.
#[test]
fn a_parcel_of_the_right_length_with_blocks_of_wrong_lengths_is_an_error_on_all_ranks() {
    log::set_level(log::Level::Off);
    for layout in ["aabb", "abcc"] {
        for collective in [Collective::GatherV, Collective::ScatterV, Collective::AllToAllV] {
            let plain = UnequalCase::plain(collective, 0, 40);
            let len = |case: &UnequalCase, rank: Rank| match collective {
                Collective::ScatterV => case.len(0, rank, Form::Packed),
                _ => case.len(rank, 0, Form::Packed),
            };
            let is_fit =
                |seed: &u64| [2, 3].iter().all(|rank| len(&UnequalCase { seed: *seed, ..plain }, *rank) > 1);
            let case =
                UnequalCase { seed: (0..).find(is_fit).expect("some seed gives both a block"), ..plain };
            on_failing_hosts(4, settings(layout), |comm| {
                // Blocks are numbered through input and output. This is the number of rank 0's block, or of
                // the block of rank 3 on rank 0.
                let wrong = match (collective, comm.rank()) {
                    (Collective::GatherV, 0) => 1 + 3,
                    (Collective::ScatterV, 0) => 3,
                    (Collective::AllToAllV, 0) => 4 + 3,
                    (_, 2) => 0,
                    _ => u32::MAX,
                };
                let lie = |index: Rank, len: usize| if index == wrong { len - 1 } else { len };
                let error = learn(&comm, attempt(&comm, &case, Form::Packed, false, lie));
                let who = format!("{collective:?} on {layout}, rank {}", comm.rank());
                assert!(matches!(error, Error::Mismatch(_)), "{who}: {error:?}");
                assert_eq!(error.to_string().matches("blocks #").count(), 2, "{who}: {error}");
            });
        }
    }
}
