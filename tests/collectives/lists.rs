//! Collectives on lists of buffers, and the calls that training needs, over both transports.

use std::sync::Arc;

use crate::common;
use anyccl_engine::base::{Collective, Datatype, Error, Rank, ReduceOp, Result};
use anyccl_engine::comm::{CallSpec, Communicator, List, Operator, Part, Scalar};
use anyccl_engine::observe::log;
use common::ranks::{TRANSPORTS, config, on_failing_ranks, on_ranks};

const LISTED: [Collective; 4] =
    [Collective::AllReduce, Collective::Broadcast, Collective::AllGather, Collective::ReduceScatter];

/// Lists with no buffer, with one, with many small and some large ones, in orders in which not all can share
/// messages.
const COUNTS: [&[usize]; 5] = [
    &[],
    &[7],
    &[0, 3, 1, 0, 1000],
    &[1, 20_000, 5, 9000, 2],
    &[6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000],
];

/// Value of `rank` at `index` of buffer `at`.
fn number(rank: Rank, at: usize, index: usize) -> u64 {
    (u64::from(rank) + 1) * 1_000_003 + at as u64 * 7919 + index as u64
}

/// The buffers of one rank, and their expected content.
struct Buffers {
    send: Vec<Vec<u64>>,
    recv: Vec<Vec<u64>>,
    expected: Vec<Vec<u64>>,
}

impl Buffers {
    /// Makes the buffers. `factor` gives the factor of each rank's share of a sum.
    fn new(
        collective: Collective,
        size: u32,
        rank: Rank,
        root: Rank,
        counts: &[usize],
        factor: &dyn Fn(Rank) -> u64,
    ) -> Buffers {
        let elements = |of: fn(Collective, usize, Rank, Rank, usize) -> usize, count| {
            of(collective, size as usize, rank, root, count)
        };
        let sum = |at, index| (0..size).map(|rank| factor(rank) * number(rank, at, index)).sum::<u64>();
        let expect = |at, index, count: usize| match collective {
            Collective::AllReduce => sum(at, index),
            Collective::Broadcast => number(root, at, index),
            Collective::AllGather => number((index / count) as Rank, at, index % count),
            _ => sum(at, rank as usize * count + index),
        };
        let mut buffers = Buffers { send: Vec::new(), recv: Vec::new(), expected: Vec::new() };
        for (at, &count) in counts.iter().enumerate() {
            let (read, written) =
                (elements(Collective::input_elements, count), elements(Collective::output_elements, count));
            buffers.send.push((0..read).map(|index| number(rank, at, index)).collect());
            buffers.recv.push(vec![u64::MAX; written]);
            buffers.expected.push((0..written).map(|index| expect(at, index, count)).collect());
        }
        buffers
    }

    fn parts(&mut self, counts: &[usize]) -> Vec<Part> {
        let pairs = self.send.iter().zip(&mut self.recv).zip(counts);
        let part = |((send, recv), count): ((&Vec<u64>, &mut Vec<u64>), &usize)| Part {
            send: send.as_ptr().cast(),
            recv: recv.as_mut_ptr().cast(),
            count: *count,
            datatype: Datatype::Uint64,
        };
        pairs.map(part).collect()
    }
}

#[test]
fn a_list_gives_what_each_of_its_buffers_would_give() {
    for transport in TRANSPORTS {
        for size in [1, 2, 3, 5] {
            on_ranks(size, &config(transport), |comm| {
                for collective in LISTED {
                    let op = collective.reduces().then_some(ReduceOp::Sum);
                    for counts in COUNTS {
                        let root = if collective.has_root() { size - 1 } else { 0 };
                        let mut buffers = Buffers::new(collective, size, comm.rank(), root, counts, &|_| 1);
                        let parts = buffers.parts(counts);
                        let list = List { collective, op, root, parts: &parts };
                        for tested in [false, true] {
                            // SAFETY: the buffers have what the collective defines for each count, and
                            // outlive the call.
                            let mut started = unsafe { comm.start(&list) }.unwrap();
                            while tested && !started.test().unwrap() {}
                            started.wait().unwrap();
                            assert!(buffers.recv == buffers.expected, "{collective:?} {counts:?}");
                            buffers.recv.iter_mut().for_each(|recv| recv.fill(u64::MAX));
                        }
                    }
                }
            });
        }
    }
}

#[test]
fn operators_of_the_program_serve_packed_and_large_buffers_alike() {
    for transport in TRANSPORTS {
        on_ranks(3, &config(transport), |comm| {
            let mut scalar = [0; Scalar::BYTES];
            scalar[0] = comm.rank() as u8 + 2;
            // SAFETY: an immediate scalar asks for nothing.
            let operator = unsafe { Operator::premul_sum(Datatype::Uint64, Scalar::Immediate(scalar)) };
            let operator = Arc::new(operator.unwrap());
            for collective in [Collective::AllReduce, Collective::ReduceScatter] {
                for counts in COUNTS {
                    let factor = |rank| u64::from(rank) + 2;
                    let mut buffers = Buffers::new(collective, 3, comm.rank(), 0, counts, &factor);
                    let parts = buffers.parts(counts);
                    let list = List { collective, op: Some(ReduceOp::PremulSum), root: 0, parts: &parts };
                    // SAFETY: the buffers have what the collective defines for each count, and outlive the
                    // call.
                    unsafe { comm.start(CallSpec::List(&list, Some(&operator))) }.unwrap().wait().unwrap();
                    assert!(buffers.recv == buffers.expected, "{collective:?} {counts:?}");
                }
            }
        });
    }
}

fn sum_list(comm: &Communicator, counts: &[usize]) -> Result<()> {
    let mut buffers = Buffers::new(Collective::AllReduce, comm.size(), comm.rank(), 0, counts, &|_| 1);
    let parts = buffers.parts(counts);
    let list = List { collective: Collective::AllReduce, op: Some(ReduceOp::Sum), root: 0, parts: &parts };
    // SAFETY: the buffers have what the collective defines for each count, and outlive the call.
    unsafe { comm.start(&list) }?.wait()
}

#[test]
fn ranks_with_different_lists_all_learn_both() {
    log::set_level(log::Level::Off);
    let lists: [&[usize]; 6] = [&[], &[1, 2, 3], &[3, 2, 1], &[6], &[1, 2, 3, 0], &[100_000, 1]];
    for transport in TRANSPORTS {
        for common in lists {
            for odd in lists.into_iter().filter(|odd| *odd != common) {
                on_failing_ranks(3, &config(transport), |comm| {
                    let counts = if comm.rank() == 1 { odd } else { common };
                    // A rank whose part was correct may complete its call. No rank completes three calls.
                    let outcome = sum_list(&comm, counts)
                        .and_then(|()| sum_list(&comm, counts))
                        .and_then(|()| sum_list(&comm, counts));
                    let error = outcome.expect_err("the ranks disagree");
                    assert!(matches!(error, Error::Mismatch(_)), "{error:?}");
                    let text = error.to_string();
                    for counts in [common, odd] {
                        let named = format!("{} buffers with lengths #", counts.len());
                        assert!(text.contains(&named), "{common:?}, {odd:?}: {text}");
                    }
                });
            }
        }
    }
}

#[test]
fn parameters_of_any_datatypes_come_from_the_root() {
    for transport in TRANSPORTS {
        for size in [1, 2, 4] {
            on_ranks(size, &config(transport), |comm| {
                let root = size / 2;
                let at_root = comm.rank() == root;
                let (mut weights, mut steps) =
                    (vec![f32::from(u8::from(at_root)); 50_000], [i64::from(at_root) * 7]);
                let mut masks: Vec<Vec<u8>> = (0..40).map(|n| vec![u8::from(at_root); n * 10]).collect();
                let mut parts =
                    vec![whole(&mut weights, Datatype::Float32), whole(&mut steps, Datatype::Int64)];
                parts.extend(masks.iter_mut().map(|mask| whole(mask, Datatype::Bool)));
                // SAFETY: the buffers are as long as their parts say, and outlive the call.
                unsafe { comm.sync_params(&parts, root) }.unwrap();
                assert!(weights.iter().all(|w| *w == 1.0) && steps == [7]);
                assert!(masks.iter().flatten().all(|m| *m == 1));
            });
        }
    }
}

fn whole<T>(data: &mut [T], datatype: Datatype) -> Part {
    let start = data.as_mut_ptr().cast::<u8>();
    Part { send: start, recv: start, count: data.len(), datatype }
}

#[test]
fn gradients_are_summed_and_one_that_is_missing_on_some_ranks_is_named_on_all() {
    for transport in TRANSPORTS {
        on_ranks(3, &config(transport), |comm| {
            let mut gradients: Vec<Vec<f32>> =
                (0..20).map(|n| vec![comm.rank() as f32 + n as f32; n * 700]).collect();
            let mut counters = [1u16; 9];
            let mut parts: Vec<Part> =
                gradients.iter_mut().map(|gradient| whole(gradient, Datatype::Float32)).collect();
            parts.push(whole(&mut counters, Datatype::Uint16));
            // No rank has the third gradient, and one rank lacks the last.
            parts[2].send = std::ptr::null();
            parts[2].recv = std::ptr::null_mut();
            let mut incomplete = parts.clone();
            if comm.rank() == 1 {
                incomplete[20] = Part { send: std::ptr::null(), recv: std::ptr::null_mut(), ..parts[20] };
            }
            // SAFETY: the buffers are as long as their parts say, and outlive the calls.
            let error = unsafe { comm.sum_grads(&incomplete) }.expect_err("rank 1 has no counters");
            assert!(matches!(error, Error::InvalidArgument { what: "buffers", .. }), "{error:?}");
            let text = error.to_string();
            assert!(text.contains("buffer 20 is NULL on rank 1 but not on ranks 0, 2"), "{text}");
            // SAFETY: as above.
            unsafe { comm.sum_grads(&parts) }.unwrap();
            for (n, gradient) in gradients.iter().enumerate() {
                let sum = if n == 2 { comm.rank() as f32 + 2.0 } else { 3.0 + 3.0 * n as f32 };
                assert!(gradient.iter().all(|g| *g == sum), "gradient {n}");
            }
            assert_eq!(counters, [3; 9]);
        });
    }
}
