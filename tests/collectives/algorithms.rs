//! Every algorithm, forced by name, gives the oracle's result, with the same bits on every rank and in every
//! run.

use crate::common;
use anyccl_engine::algo::{ALGORITHMS, Algorithm};
use anyccl_engine::base::{Collective, Datatype, Rank, ReduceOp};
use anyccl_engine::comm::{Communicator, Operation};
use anyccl_engine::config::{Config, TransportChoice};
use common::attempt::{Placement, check, check_started};
use common::case::Case;
use common::ranks::{TRANSPORTS, config, on_ranks};
use common::sample::{ALL_LEVELS, Coverage, points};
use common::values::{MOST_RANKS, noise};

/// A small chunk, so that a few hundred elements are many chunks. It is no multiple of an element.
const CHUNK_BYTES: usize = 100;

fn forced(algorithm: &Algorithm, transport: TransportChoice) -> Config {
    let name = format!("{}:{}", algorithm.collective.name(), algorithm.name);
    Config { algorithm: Some(name), chunk_bytes: CHUNK_BYTES, ..config(transport) }
}

/// Calls on `size` ranks. `cell` is the number of this set of calls.
fn calls(collective: Collective, size: u32, cell: usize) -> Vec<(Case, Placement, bool)> {
    const DATATYPES: [Datatype; 3] = [Datatype::Uint8, Datatype::Float32, Datatype::Complex128];
    let n = size as usize;
    let counts = [0, 1, n - 1, n, n + 1, 257];
    let call = |[count, datatype, root, placement, is_started]: [usize; 5]| {
        let op = collective.reduces().then_some(ReduceOp::Sum);
        let (datatype, root, count) = (DATATYPES[datatype], root as Rank, counts[count]);
        let case = match collective {
            Collective::Barrier => Case::barrier(),
            _ => Case { collective, datatype, op, root, count },
        };
        (case, Placement::ALL[placement], is_started == 1)
    };
    let levels = [counts.len(), DATATYPES.len(), if collective.has_root() { n } else { 1 }, 2, 2];
    points(cell, ALL_LEVELS, levels).into_iter().map(call).collect()
}

#[test]
fn every_algorithm_gives_the_oracles_bytes_on_every_number_of_ranks() {
    println!("{Coverage}");
    assert!(ALGORITHMS.len() >= Collective::ALL.len());
    for (row, algorithm) in ALGORITHMS.iter().filter(|row| !row.collective.has_layout()).enumerate() {
        for [size, transport] in points(row, ALL_LEVELS, [MOST_RANKS as usize, TRANSPORTS.len()]) {
            let calls = calls(algorithm.collective, size as u32 + 1, row * MOST_RANKS as usize + size);
            on_ranks(size as u32 + 1, &forced(algorithm, TRANSPORTS[transport]), |comm| {
                for (case, placement, is_started) in &calls {
                    match is_started {
                        true => check_started(comm, *case, *placement),
                        false => check(comm, *case, *placement),
                    }
                }
            });
        }
    }
}

/// Random numbers between 1 and 2, whose sums round differently in every order.
fn inexact(rank: Rank, count: usize) -> Vec<f32> {
    (0..count).map(|at| f32::from_bits(0x3f80_0000 | noise(rank, at) as u32 >> 9)).collect()
}

fn sum_of_inexact(comm: &Communicator, count: usize) -> Vec<f32> {
    let input = inexact(comm.rank(), count);
    let mut output = vec![0f32; count];
    let call = Case::reducing(Collective::AllReduce, Datatype::Float32, ReduceOp::Sum, 0, count).call();
    let operation = Operation { call, send: input.as_ptr().cast(), recv: output.as_mut_ptr().cast() };
    // SAFETY: both buffers have `count` elements.
    unsafe { comm.run(&operation) }.expect("an all_reduce");
    output
}

#[test]
fn sums_that_round_have_the_same_bits_on_all_ranks_and_in_every_run() {
    const COUNT: usize = 5003;
    for algorithm in ALGORITHMS.iter().filter(|a| a.collective == Collective::AllReduce) {
        for size in [2, 3, 4, 5, 8] {
            let inputs: Vec<Vec<f32>> = (0..size).map(|rank| inexact(rank, COUNT)).collect();
            let sum = |at| inputs.iter().map(|input: &Vec<f32>| f64::from(input[at])).sum();
            let exact: Vec<f64> = (0..COUNT).map(sum).collect();
            let run = |transport| {
                let config = || Config { chunk_bytes: 1 << 10, ..forced(algorithm, transport) };
                on_ranks(size, &config(), |comm| [(); 2].map(|()| sum_of_inexact(comm, COUNT)))
            };
            let all: Vec<Vec<f32>> = TRANSPORTS.into_iter().flat_map(run).flatten().collect();
            let bits = |sums: &[f32]| sums.iter().map(|s| s.to_bits()).collect::<Vec<_>>();
            let name = format!("{} on {size} ranks", algorithm.name);
            assert!(all.iter().all(|sums| bits(sums) == bits(&all[0])), "{name}: not the same bits");
            // The result is a sum of at most size - 1 additions of numbers below 2 * size. Each addition errs
            // by at most half a unit in the last place.
            let bound = f64::from(f32::EPSILON) * f64::from(size * size);
            let close =
                all[0].iter().zip(&exact).all(|(sum, exact)| (f64::from(*sum) - exact).abs() <= bound);
            assert!(close, "{name}: not the sum");
        }
    }
}
