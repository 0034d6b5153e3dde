//! Collectives over libfabric, between ranks that pretend to be on several hosts. The providers are software
//! that works on any machine. Without libfabric, these tests end at once.

use crate::common;
use anyccl_engine::base::{Collective, Rank};
use anyccl_engine::comm::Communicator;
use anyccl_engine::config::{Config, TransportChoice};
use common::attempt::{Attempt, Placement, check, check_started};
use common::case::{Case, support_table};
use common::fabric::library;
use common::ranks::{config, on_hosts};
use common::sample::{Coverage, points};

const PROVIDERS: [&str; 3] = ["tcp", "tcp;ofi_rxm", "sockets"];
/// Ranks, and hosts among which they are dealt out.
const LAYOUTS: [(u32, u32); 4] = [(2, 2), (3, 3), (4, 2), (5, 3)];
const COUNTS: [usize; 5] = [0, 1, 3, 257, 20_011];

/// Runs `body` on the ranks of a layout, all of which talk over a provider between hosts.
fn over(library: &str, provider: &str, layout: (u32, u32), body: impl Fn(&Communicator) + Sync) {
    let (size, hosts) = layout;
    let of_rank = |rank: Rank| Config {
        host_id: Some(format!("host {}", rank % hosts)),
        ofi_library: Some(library.into()),
        ofi_provider: Some(provider.into()),
        ..config(TransportChoice::Ofi)
    };
    on_hosts(size, of_rank, |comm| {
        for peer in (0..size).filter(|peer| *peer != comm.rank()) {
            let is_near = peer % hosts == comm.rank() % hosts;
            assert_eq!(comm.transport(peer), if is_near { "shm" } else { "ofi" }, "{provider}");
        }
        body(comm);
    });
}

#[test]
fn every_combination_gives_the_oracles_bytes_over_each_provider() {
    let Some(library) = library() else { return };
    let mut checked = 0;
    for (provider, name) in PROVIDERS.iter().enumerate() {
        for (layout, ranks) in LAYOUTS.into_iter().enumerate() {
            let mut calls = Vec::new();
            for (cell, (collective, datatype, op)) in support_table().into_iter().enumerate() {
                let levels = [PROVIDERS.len(), LAYOUTS.len(), COUNTS.len(), 5, Placement::ALL.len(), 2];
                for [at, laid_out, count, root, placement, form] in points(cell, 2, levels) {
                    let root = root as Rank % ranks.0;
                    let count = if collective == Collective::Barrier { 0 } else { COUNTS[count] };
                    let case = Case { collective, datatype, op, root, count };
                    if (at, laid_out) == (provider, layout) {
                        calls.push((case, Placement::ALL[placement], form));
                    }
                }
            }
            checked += calls.len();
            over(&library, name, ranks, |comm| {
                for (case, placement, form) in &calls {
                    match form {
                        0 => check(comm, *case, *placement),
                        _ => check_started(comm, *case, *placement),
                    }
                }
            });
        }
    }
    println!("{checked} calls over {PROVIDERS:?}: {Coverage}");
}

#[test]
fn messages_larger_than_every_buffer_arrive_whole_over_a_fabric() {
    let Some(library) = library() else { return };
    let collectives = Collective::UNIFORM.into_iter().filter(|c| *c != Collective::Barrier);
    for (cell, collective) in collectives.enumerate() {
        let layout = LAYOUTS[cell % 4];
        let count = (3 << 20) / 4 / if collective == Collective::AllReduce { 1 } else { layout.0 as usize };
        let case = Case::plain(collective, layout.0 - 1, count + 1237);
        over(&library, PROVIDERS[cell % 3], layout, |comm| check(comm, case, Placement::Apart));
    }
}

#[test]
fn small_calls_run_beside_a_large_one_over_a_fabric() {
    let Some(library) = library() else { return };
    over(&library, "tcp", (2, 2), |comm| {
        let large = Case::plain(Collective::AllReduce, 0, 1 << 20);
        let mut large = Attempt::on(comm, large, Placement::Apart).start(comm).expect("it starts");
        for count in [2, 2, 40_000, 2, 100_000, 2] {
            check(comm, Case::plain(Collective::AllReduce, 0, count), Placement::Apart);
        }
        large.wait_and_verify();
    });
}
