//! Builtin operators on all types, scaled sums, and functions of the program.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyccl::{Element, ErrorKind, Op, Operator};

/// Whether `Op` gives `expected` from `inputs`, one for each rank.
fn reduces<T: Element + PartialEq + std::fmt::Debug>(op: Op, inputs: [T; 2], expected: T) {
    let results = anyccl::threads(2, |comm| {
        let mut data = [inputs[comm.rank()]; 3];
        comm.all_reduce_in_place(&mut data, op)?;
        Ok(data)
    });
    assert_eq!(results.unwrap(), [[expected; 3]; 2], "{op:?}");
}

#[test]
fn builtin_operators_work_on_every_type_that_has_them() {
    reduces(Op::Sum, [100i8, 100], -56);
    reduces(Op::Product, [3u8, 5], 15);
    reduces(Op::Min, [-3i16, 5], -3);
    reduces(Op::Max, [3u16, 5], 5);
    reduces(Op::Avg, [-4i32, -3], -3);
    reduces(Op::Band, [0b110u32, 0b011], 0b010);
    reduces(Op::Bor, [0b110i64, 0b011], 0b111);
    reduces(Op::Bxor, [0b110u64, 0b011], 0b101);
    reduces(Op::Land, [2u8, 0], 0);
    reduces(Op::Lor, [2u8, 0], 1);
    reduces(Op::Lxor, [2u8, 3], 0);
    reduces(Op::Avg, [1.0f32, 2.0], 1.5);
    reduces(Op::Sum, [1.0f64, 0.5], 1.5);
}

#[cfg(feature = "half")]
#[test]
fn builtin_operators_work_on_floats_of_16_bits() {
    let half = half::f16::from_f32;
    reduces(Op::Sum, [half(1.0), half(0.5)], half(1.5));
    let brain = half::bf16::from_f32;
    reduces(Op::Max, [brain(1.0), brain(0.5)], brain(1.0));
}

#[cfg(feature = "complex")]
#[test]
fn builtin_operators_work_on_complex_numbers() {
    let of = num_complex::Complex::<f32>::new;
    reduces(Op::Product, [of(0.0, 1.0), of(0.0, 1.0)], of(-1.0, 0.0));
    let of = num_complex::Complex::<f64>::new;
    reduces(Op::Sum, [of(1.0, 2.0), of(3.0, 4.0)], of(4.0, 6.0));
}

#[test]
fn an_operator_that_a_type_lacks_is_refused_before_anything_is_sent() {
    anyccl::threads(2, |comm| {
        let error = comm.all_reduce_in_place(&mut [1.0f32], Op::Band).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        let text = error.to_string();
        assert!(text.contains("band") && text.contains("float32") && text.contains("all_reduce"), "{text}");
        comm.barrier()
    })
    .unwrap();
}

#[test]
fn a_scaled_sum_multiplies_each_contribution_by_the_scalar_of_its_rank() {
    let results = anyccl::threads(3, |comm| {
        let operator = Operator::scaled_sum(comm.rank() as f32)?;
        let mut recv = [0.0; 4];
        comm.all_reduce(&[10.0; 4], &mut recv, &operator)?;
        let mut block = [0.0; 2];
        comm.reduce_scatter(&[1.0; 6], &mut block, &operator)?;
        assert_eq!(block, [3.0; 2]);
        Ok(recv)
    });
    assert_eq!(results.unwrap(), [[30.0; 4]; 3]);
}

#[test]
fn a_function_that_does_not_commute_gets_the_contributions_in_rank_order() {
    for size in 1..=4 {
        anyccl::threads(size, |comm| {
            // Appends decimal digits.
            let append = Operator::associative(|left: u64, right: u64| {
                let digits = if right == 0 { 1 } else { right.ilog10() + 1 };
                left * 10u64.pow(digits) + right
            })?;
            let expected = (1..=size as u64).fold(0, |all, digit| 10 * all + digit);
            let mut data = vec![comm.rank() as u64 + 1; 4000];
            comm.all_reduce_in_place(&mut data, &append)?;
            assert!(data.iter().all(|element| *element == expected));
            let data = vec![comm.rank() as u64 + 1; 10];
            let (_, result) = comm.start_reduce(data, vec![0; 10], append, 0)?.wait()?;
            assert!(comm.rank() != 0 || result == [expected; 10]);
            Ok(())
        })
        .unwrap();
    }
}

#[test]
fn a_request_keeps_the_function_that_it_runs() {
    let calls = Arc::new(AtomicUsize::new(0));
    anyccl::threads(2, |comm| {
        let counted = Arc::clone(&calls);
        let operator = Operator::commutative_slices(move |left: &[f64], right: &mut [f64]| {
            counted.fetch_add(left.len(), Ordering::Relaxed);
            left.iter().zip(right).for_each(|(left, right)| *right += *left);
        })?;
        let request = comm.start_all_reduce_in_place(vec![1.0; 1000], &operator)?;
        drop(operator);
        assert_eq!(request.wait()?, [2.0; 1000]);
        Ok(())
    })
    .unwrap();
    assert!(calls.load(Ordering::Relaxed) >= 1000);
    assert_eq!(Arc::strong_count(&calls), 1, "no call keeps the function any more");
}

#[test]
fn a_panic_in_a_function_is_an_error_with_its_text_and_fails_the_communicator() {
    let outcomes = anyccl::threads(3, |comm| {
        let operator = Operator::commutative(|_: i32, _: i32| panic!("no sum of {} today", 1))?;
        let first = comm.all_reduce_in_place(&mut [1; 10], &operator).unwrap_err();
        let again = comm.all_reduce_in_place(&mut [1; 10], &operator).unwrap_err();
        Ok((first, again, comm.failure()))
    });
    for (first, again, failure) in outcomes.unwrap() {
        // A rank whose part has needed no function only learns of it.
        match first.kind() {
            ErrorKind::OperatorPanicked => {
                assert!(first.to_string().contains("no sum of 1 today"), "{first}");
                assert_eq!(again.kind(), ErrorKind::InvalidUsage, "{again}");
                assert!(failure.is_some());
            }
            kind => assert_eq!(kind, ErrorKind::Aborted, "{first}"),
        }
    }
}

#[test]
fn a_call_from_inside_a_function_is_refused() {
    let results = anyccl::threads(2, |comm| {
        let inner = comm.duplicate()?;
        let refused = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&refused);
        let operator = Operator::commutative(move |left: u8, right: u8| {
            let error = inner.barrier().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidUsage);
            inner.abort("this does nothing either");
            counted.fetch_add(1, Ordering::Relaxed);
            left + right
        })?;
        let mut data = [1u8];
        comm.all_reduce_in_place(&mut data, operator)?;
        assert_eq!(data, [2]);
        Ok(refused.load(Ordering::Relaxed))
    });
    assert!(results.unwrap().into_iter().sum::<usize>() > 0);
}
