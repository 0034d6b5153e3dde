//! Operators of the program in every collective that reduces, over both transports, compared with a plain
//! fold.

use std::ffi::{c_int, c_void};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common;
use anyccl_engine::base::{Call, CallKind, Collective, Datatype, Error, Rank, ReduceOp, Result};
use anyccl_engine::comm::{CallSpec, Communicator, Operation, Operator, Scalar};
use anyccl_engine::config::{Config, TransportChoice};
use anyccl_engine::observe::log;
use common::numbers::{encode, join};
use common::ranks::{TRANSPORTS, config, on_failing_ranks, on_ranks};
use common::sample::{ALL_LEVELS, Coverage, points};

const SIZES: [u32; 6] = [1, 2, 3, 4, 5, 8];
const REDUCING: [Collective; 3] = [Collective::AllReduce, Collective::Reduce, Collective::ReduceScatter];

/// One reduction as a rank calls it.
#[derive(Clone, Copy, Debug)]
struct Reduction {
    collective: Collective,
    datatype: Datatype,
    op: ReduceOp,
    root: Rank,
    count: usize,
    in_place: bool,
    started: bool,
}

impl Reduction {
    fn operation(&self, send: *const u8, recv: *mut u8) -> Operation {
        let kind = CallKind::Collective(self.collective);
        let root = if self.collective.has_root() { self.root } else { 0 };
        let call = Call { kind, datatype: self.datatype, op: Some(self.op), root, count: self.count as u64 };
        Operation { call, send, recv }
    }

    /// Makes the call with `element(rank, index)` as input and compares the output with `expected(index)`.
    /// Also checks that the input is unchanged. All elements are given as bytes.
    fn check(
        &self,
        comm: &Communicator,
        operator: &Arc<Operator>,
        element: &dyn Fn(Rank, usize) -> Vec<u8>,
        expected: &dyn Fn(usize) -> Vec<u8>,
    ) {
        let (size, rank) = (comm.size() as usize, comm.rank());
        let read = self.collective.input_elements(size, rank, self.root, self.count);
        let written = self.collective.output_elements(size, rank, self.root, self.count);
        let scatters = self.collective == Collective::ReduceScatter;
        let first = if scatters { rank as usize * self.count } else { 0 };
        let width = self.datatype.bytes();
        let input: Vec<u8> = (0..read).flat_map(|index| element(rank, index)).collect();
        let mut send = input.clone();
        let mut recv = vec![0xee; written * width];
        let in_place = self.in_place && (written > 0 || scatters);
        let into = match (in_place, scatters) {
            (false, _) => recv.as_mut_ptr(),
            (true, false) => send.as_mut_ptr(),
            (true, true) => send[first * width..].as_mut_ptr(),
        };
        let operation = self.operation(send.as_ptr(), into);
        let outcome = if self.started {
            // SAFETY: both buffers have what the collective defines, and outlive the call.
            unsafe { comm.start(CallSpec::Collective(&operation, Some(operator))) }
                .and_then(|mut request| request.wait())
        } else {
            // SAFETY: as above.
            unsafe { comm.run(CallSpec::Collective(&operation, Some(operator))) }
        };
        outcome.unwrap_or_else(|error| panic!("rank {rank} of {size}, {self:?}: {error}"));
        let got = if in_place { &send[first * width..][..written * width] } else { &recv[..] };
        let expected: Vec<u8> = (first..first + written).flat_map(expected).collect();
        assert!(*got == expected, "rank {rank} of {size}, {self:?}: {got:x?} is not {expected:x?}");
        if !in_place {
            assert!(send == input, "rank {rank} of {size}, {self:?}: the input was changed");
        }
    }
}

/// Every reducing collective, blocking and started, with separate buffers and in place, from some roots.
fn reductions(size: u32, datatype: Datatype, op: ReduceOp, count: usize) -> Vec<Reduction> {
    let mut some = Vec::new();
    for (at, collective) in REDUCING.into_iter().enumerate() {
        let cell = (size as usize * 8 + count % 7) * REDUCING.len() + at;
        for [root, in_place, started] in
            points(cell, ALL_LEVELS, [1 + usize::from(collective.has_root()), 2, 2])
        {
            let (root, in_place, started) = ([0, size - 1][root], in_place == 1, started == 1);
            some.push(Reduction { collective, datatype, op, root, count, in_place, started });
        }
    }
    some
}

/// The bytes of a small integer.
fn small(datatype: Datatype, value: u8) -> Vec<u8> {
    let bits = match datatype {
        Datatype::Complex64 => join(Datatype::Float32, value.into(), 0.0),
        Datatype::Complex128 => join(Datatype::Float64, value.into(), 0.0),
        real if real.is_float() => encode(real, value.into()),
        _ => value.into(),
    };
    bits.to_le_bytes()[..datatype.bytes()].to_vec()
}

fn immediate(datatype: Datatype, value: u8) -> Scalar {
    let mut bytes = [0; Scalar::BYTES];
    bytes[..datatype.bytes()].copy_from_slice(&small(datatype, value));
    Scalar::Immediate(bytes)
}

/// 0 or 1, which rank r multiplies by r+1. The sum is at most 6 for three ranks, so it is exact in every
/// datatype.
fn bit(rank: Rank, index: usize) -> u8 {
    u8::from(!(index + 2 * rank as usize).is_multiple_of(3))
}

#[test]
fn a_premultiplied_sum_scales_each_ranks_share_by_its_own_scalar() {
    for transport in TRANSPORTS {
        for size in [1, 2, 3] {
            on_ranks(size, &config(transport), |comm| {
                let numbers = Datatype::ALL.into_iter().filter(|d| ReduceOp::PremulSum.accepts(*d));
                for datatype in numbers {
                    let scalar = immediate(datatype, comm.rank() as u8 + 1);
                    // SAFETY: an immediate scalar asks for nothing.
                    let operator = Arc::new(unsafe { Operator::premul_sum(datatype, scalar) }.unwrap());
                    let expected = |index: usize| {
                        small(datatype, (0..size).map(|rank| (rank as u8 + 1) * bit(rank, index)).sum())
                    };
                    for count in [0, 1, 3, 1009] {
                        for reduction in reductions(size, datatype, ReduceOp::PremulSum, count) {
                            let element = |rank, index| small(datatype, bit(rank, index));
                            reduction.check(comm, &operator, &element, &expected);
                        }
                    }
                }
            });
        }
    }
}

#[test]
fn a_deferred_scalar_is_read_by_each_call() {
    on_ranks(3, &config(TransportChoice::Auto), |comm| {
        let mut scalar = 0i64;
        let place = (&raw mut scalar).cast::<u8>();
        // SAFETY: the scalar outlives the operator.
        let operator =
            Arc::new(unsafe { Operator::premul_sum(Datatype::Int64, Scalar::Deferred(place)) }.unwrap());
        for value in [1i64, -7, 1 << 40] {
            // SAFETY: our own variable, which no call uses now.
            unsafe { place.cast::<i64>().write(value) };
            for reduction in reductions(3, Datatype::Int64, ReduceOp::PremulSum, 100) {
                let element = |rank, index| (i64::from(rank) + index as i64).to_le_bytes().to_vec();
                let expected = |index: usize| ((3 + 3 * index as i64) * value).to_le_bytes().to_vec();
                reduction.check(comm, &operator, &element, &expected);
            }
        }
    });
}

/// Applies one map after the other. An element is the map x -> a*x + b of 32-bit numbers, with a in the lower
/// half and b in the upper half. This operator is associative but does not commute.
fn then(left: u64, right: u64) -> u64 {
    let (a, b) = (left as u32, (left >> 32) as u32);
    let (c, d) = (right as u32, (right >> 32) as u32);
    let b = c.wrapping_mul(b).wrapping_add(d);
    u64::from(b) << 32 | u64::from(a.wrapping_mul(c))
}

fn map(rank: Rank, index: usize) -> u64 {
    let (rank, index) = (u64::from(rank), index as u64);
    (rank * 7919 + index * 13 + 5) << 32 | (2 * (rank + index) + 3)
}

/// # Safety
/// The contract of `CallbackFn` holds; `context` counts elements.
unsafe extern "C-unwind" fn one_after_the_other(
    input: *const c_void,
    inout: *mut c_void,
    count: usize,
    datatype: c_int,
    context: *mut c_void,
) {
    assert_eq!(datatype, Datatype::Uint64 as c_int);
    // SAFETY: the elements are aligned, as every callback may assume, and do not overlap with `inout`.
    let left = unsafe { std::slice::from_raw_parts(input.cast::<u64>(), count) };
    // SAFETY: as above.
    let right = unsafe { std::slice::from_raw_parts_mut(inout.cast::<u64>(), count) };
    for (left, right) in left.iter().zip(right) {
        *right = then(*left, *right);
    }
    // SAFETY: the tests pass a counter as context.
    unsafe { &*context.cast::<AtomicUsize>() }.fetch_add(count, Ordering::Relaxed);
}

/// # Safety
/// The contract of `CallbackFn` holds.
unsafe extern "C-unwind" fn plus(
    input: *const c_void,
    inout: *mut c_void,
    count: usize,
    _datatype: c_int,
    _context: *mut c_void,
) {
    // SAFETY: the elements are aligned, as every callback may assume, and do not overlap with `inout`.
    let left = unsafe { std::slice::from_raw_parts(input.cast::<u64>(), count) };
    // SAFETY: as above.
    let right = unsafe { std::slice::from_raw_parts_mut(inout.cast::<u64>(), count) };
    left.iter().zip(right).for_each(|(left, right)| *right = left.wrapping_add(*right));
}

fn adding(commutative: bool) -> Arc<Operator> {
    // SAFETY: the function is as it should be and needs no context.
    Arc::new(unsafe { Operator::callback(plus, std::ptr::null_mut(), commutative) }.unwrap())
}

#[test]
fn a_function_that_does_not_commute_is_applied_in_the_order_of_the_ranks() {
    let elements = AtomicUsize::new(0);
    let counter = (&raw const elements).expose_provenance();
    for transport in TRANSPORTS {
        for size in SIZES {
            on_ranks(size, &config(transport), |comm| {
                let context = std::ptr::with_exposed_provenance_mut(counter);
                // SAFETY: the function is as it should be, and the counter outlives everything.
                let operator =
                    Arc::new(unsafe { Operator::callback(one_after_the_other, context, false) }.unwrap());
                let expected = |index: usize| {
                    let maps = (0..size).map(|rank| map(rank, index));
                    maps.reduce(then).unwrap().to_le_bytes().to_vec()
                };
                let element = |rank, index| map(rank, index).to_le_bytes().to_vec();
                for count in [0, 1, size as usize + 1, 1009, 40_000] {
                    for reduction in reductions(size, Datatype::Uint64, ReduceOp::OrderedCallback, count) {
                        reduction.check(comm, &operator, &element, &expected);
                    }
                }
            });
        }
    }
    assert!(elements.load(Ordering::Relaxed) > 0);
}

#[test]
fn a_function_that_commutes_gives_what_the_same_builtin_operator_gives() {
    println!("{Coverage}");
    for transport in TRANSPORTS {
        for size in SIZES {
            on_ranks(size, &config(transport), |comm| {
                let operator = adding(true);
                let element = |rank, index| map(rank, index).to_le_bytes().to_vec();
                let expected = |index: usize| {
                    let sum = (0..size).map(|rank| map(rank, index)).fold(0, u64::wrapping_add);
                    sum.to_le_bytes().to_vec()
                };
                // The last count is longer than what a rank lends in place, and than what the kernels write
                // through the caches.
                for count in [0, 1, size as usize + 1, 1009, 300_000] {
                    for reduction in reductions(size, Datatype::Uint64, ReduceOp::Callback, count) {
                        if count < 10_000 || !reduction.started {
                            reduction.check(comm, &operator, &element, &expected);
                        }
                    }
                }
            });
        }
    }
}

#[test]
fn two_functions_in_turn_are_not_taken_for_each_other() {
    on_ranks(2, &config(TransportChoice::Auto), |comm| {
        let elements = AtomicUsize::new(0);
        let context = (&raw const elements).cast_mut().cast();
        // SAFETY: the function is as it should be, and the counter outlives the operator.
        let first = Arc::new(unsafe { Operator::callback(one_after_the_other, context, false) }.unwrap());
        let second = adding(false);
        let element = |rank, index| map(rank, index).to_le_bytes().to_vec();
        let reduction = Reduction {
            collective: Collective::AllReduce,
            datatype: Datatype::Uint64,
            op: ReduceOp::OrderedCallback,
            root: 0,
            count: 10,
            in_place: false,
            started: false,
        };
        for _ in 0..3 {
            let one_then_other = |index| then(map(0, index), map(1, index)).to_le_bytes().to_vec();
            reduction.check(comm, &first, &element, &one_then_other);
            let sum = |index| map(0, index).wrapping_add(map(1, index)).to_le_bytes().to_vec();
            reduction.check(comm, &second, &element, &sum);
        }
    });
}

fn attempt(comm: &Communicator, operator: Option<&Arc<Operator>>, op: ReduceOp) -> Result<()> {
    let data = [1u64; 10];
    let mut out = [0u64; 10];
    let reduction = Reduction {
        collective: Collective::AllReduce,
        datatype: Datatype::Uint64,
        op,
        root: 0,
        count: 10,
        in_place: false,
        started: false,
    };
    let operation = reduction.operation(data.as_ptr().cast(), out.as_mut_ptr().cast());
    // SAFETY: ten elements each, alive for the whole call.
    unsafe { comm.run(CallSpec::Collective(&operation, operator)) }
}

#[test]
fn ranks_with_operators_of_different_kinds_all_learn_both() {
    log::set_level(log::Level::Off);
    for transport in TRANSPORTS {
        let config: Config = config(transport);
        let kinds = [ReduceOp::Sum, ReduceOp::PremulSum, ReduceOp::Callback, ReduceOp::OrderedCallback];
        for common in kinds {
            for odd in kinds.into_iter().filter(|odd| *odd != common) {
                on_failing_ranks(3, &config, |comm| {
                    let op = if comm.rank() == 1 { odd } else { common };
                    let operator = match op {
                        ReduceOp::PremulSum => {
                            let scalar = immediate(Datatype::Uint64, 3);
                            // SAFETY: an immediate scalar asks for nothing.
                            Some(Arc::new(unsafe { Operator::premul_sum(Datatype::Uint64, scalar) }.unwrap()))
                        }
                        ReduceOp::Sum => None,
                        _ => Some(adding(op == ReduceOp::Callback)),
                    };
                    let outcome = attempt(&comm, operator.as_ref(), op)
                        .and_then(|()| attempt(&comm, None, ReduceOp::Sum))
                        .and_then(|()| attempt(&comm, None, ReduceOp::Sum));
                    let error = outcome.expect_err("the ranks disagree");
                    assert!(matches!(error, Error::Mismatch(_)), "{error:?}");
                    let text = error.to_string();
                    assert!(text.contains(common.name()) && text.contains(odd.name()), "{text}");
                });
            }
        }
    }
}

#[test]
fn an_operator_of_another_datatype_is_refused_before_anything_is_sent() {
    on_ranks(2, &config(TransportChoice::Auto), |comm| {
        // SAFETY: an immediate scalar asks for nothing.
        let operator = Arc::new(
            unsafe { Operator::premul_sum(Datatype::Int32, immediate(Datatype::Int32, 3)) }.unwrap(),
        );
        let refused = attempt(comm, Some(&operator), ReduceOp::PremulSum).unwrap_err();
        assert!(matches!(refused, Error::InvalidArgument { what: "op", .. }), "{refused}");
        attempt(comm, None, ReduceOp::Sum).unwrap();
    });
    for datatype in [Datatype::Bool, Datatype::Byte] {
        // SAFETY: an immediate scalar asks for nothing.
        let refused = unsafe { Operator::premul_sum(datatype, Scalar::Immediate([1; Scalar::BYTES])) };
        assert!(matches!(refused, Err(Error::InvalidArgument { what: "datatype", .. })));
    }
}
