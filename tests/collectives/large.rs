//! Messages larger than every ring, socket buffer and chunk on their way.

use crate::common;
use anyccl_engine::base::Collective;
use anyccl_engine::config::{Config, TransportChoice};
use common::attempt::{Attempt, Placement, check, check_started};
use common::case::Case;
use common::ranks::{TRANSPORTS, config, on_ranks};
use common::sample::{ALL_LEVELS, Coverage, points};

/// Elements of four bytes per call. They are several times what a ring of shared memory and two socket
/// buffers hold, and no multiple of anything.
const ELEMENTS: usize = (6 << 20) / 4 + 1237;

/// Count of elements per rank, or per pair where the buffers hold one part for each rank.
fn count(collective: Collective, size: u32) -> usize {
    match collective {
        Collective::AllReduce | Collective::Reduce | Collective::Broadcast => ELEMENTS,
        _ => ELEMENTS / size as usize,
    }
}

#[test]
fn messages_larger_than_every_buffer_arrive_whole() {
    println!("{Coverage}");
    for (cell, collective) in
        Collective::UNIFORM.into_iter().filter(|c| *c != Collective::Barrier).enumerate()
    {
        for [size, transport, form] in points(cell, ALL_LEVELS, [3, TRANSPORTS.len(), 2]) {
            let size = [2, 3, 4][size];
            let case = Case::plain(collective, size - 1, count(collective, size));
            on_ranks(size, &config(TRANSPORTS[transport]), |comm| match form {
                0 => check(comm, case, Placement::Apart),
                _ => check_started(comm, case, Placement::InPlace),
            });
        }
    }
}

#[test]
fn messages_larger_than_every_buffer_arrive_whole_over_lanes() {
    let collectives = Collective::UNIFORM.into_iter().filter(|c| *c != Collective::Barrier);
    for (cell, collective) in collectives.enumerate() {
        let (size, lanes) = (2 + cell as u32 % 3, 2 + cell as u8 % 2);
        let config = Config { tcp_lanes: Some(lanes), ..config(TransportChoice::Tcp) };
        on_ranks(size, &config, |comm| {
            check(comm, Case::plain(collective, size - 1, count(collective, size)), Placement::Apart);
            check_started(comm, Case::plain(collective, 0, 20_003), Placement::InPlace);
        });
    }
}

#[test]
fn small_calls_run_beside_a_large_one_over_lanes() {
    let config = Config { tcp_lanes: Some(3), ..config(TransportChoice::Tcp) };
    on_ranks(2, &config, |comm| {
        let large = Case::plain(Collective::AllReduce, 0, ELEMENTS);
        let mut large = Attempt::on(comm, large, Placement::Apart).start(comm).expect("it starts");
        for count in [2, 2, 40_000, 2, 100_000, 2] {
            check(comm, Case::plain(Collective::AllReduce, 0, count), Placement::Apart);
        }
        large.wait_and_verify();
    });
}

#[test]
fn several_large_calls_may_be_under_way_at_once() {
    for transport in TRANSPORTS {
        on_ranks(3, &config(transport), |comm| {
            let cases = [
                Case::plain(Collective::AllReduce, 0, ELEMENTS / 4),
                Case::plain(Collective::Broadcast, 2, ELEMENTS / 4),
                Case::plain(Collective::AllToAll, 0, ELEMENTS / 12),
            ];
            let start = |case| Attempt::on(comm, case, Placement::Apart).start(comm).expect("it starts");
            let mut running = cases.map(start);
            // The last call is waited for first: the others must not need a waiting thread.
            running.iter_mut().rev().for_each(|call| call.wait_and_verify());
        });
    }
}

/// Elements of four bytes for each peer, enough that the receiver fetches them out of the sender's memory
/// (docs/adr/0006).
const TRIED: usize = (150 << 10) / 4 + 3;

#[test]
fn repeated_calls_give_the_same_result_whichever_transfer_they_try() {
    on_ranks(2, &config(TRANSPORTS[0]), |comm| {
        for collective in [Collective::AllGather, Collective::AllToAll] {
            let case = Case::plain(collective, 0, TRIED);
            // The calls outnumber those of a trial, which alternates between two ways. Another call runs
            // beside each.
            for _ in 0..40 {
                let mut beside = Attempt::on(comm, case, Placement::Apart).start(comm).expect("it starts");
                check(comm, case, Placement::Apart);
                check(comm, case, Placement::InPlace);
                beside.wait_and_verify();
            }
        }
    });
}

#[test]
fn staged_plans_give_the_same_result_over_every_transport() {
    const STAGED: [Collective; 3] = [Collective::AllReduce, Collective::Broadcast, Collective::AllGather];
    let algorithm = STAGED.map(|collective| format!("{}:staged", collective.name())).join(",");
    println!("{Coverage}");
    for (cell, collective) in STAGED.into_iter().enumerate() {
        for [count_of, size, transport] in points(cell, ALL_LEVELS, [4, 3, TRANSPORTS.len()]) {
            let size = [2, 3, 5][size];
            let config = Config { algorithm: Some(algorithm.clone()), ..config(TRANSPORTS[transport]) };
            // The counts fill one chunk, fewer chunks than there are slots, and so many chunks that slots are
            // reused.
            let count = [1, 20_011, 131_071, count(collective, size)][count_of];
            let [first, second] = [0, size - 1].map(|root| Case::plain(collective, root, count));
            on_ranks(size, &config, |comm| {
                let mut beside = Attempt::on(comm, first, Placement::Apart).start(comm).expect("it starts");
                check(comm, second, Placement::InPlace);
                check_started(comm, second, Placement::Apart);
                beside.wait_and_verify();
            });
        }
    }
}
