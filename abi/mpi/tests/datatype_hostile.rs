//! Tests with arguments of any size: a constructor returns a datatype or an error, at once and without a
//! panic.

use std::sync::Arc;

use anyccl_mpi::constants as c;
use anyccl_mpi::datatype::{Datatype, Distribution};
use anyccl_mpi::error::Result;
use proptest::prelude::*;

/// Numbers near zero, near powers of two and near both ends.
fn number() -> impl Strategy<Value = i64> {
    prop_oneof![
        4 => -3i64..6,
        1 => any::<i64>(),
        2 => (0u32..63, -2i64..3).prop_map(|(bit, near)| (1i64 << bit).wrapping_add(near)),
        1 => (0u32..63, -2i64..3).prop_map(|(bit, near)| (1i64 << bit).wrapping_add(near).wrapping_neg()),
        1 => proptest::sample::select(&[i64::MIN, i64::MIN + 1, i64::MAX, i64::MAX - 1][..]),
    ]
}

type Numbers = (u8, Vec<(i64, i64, i64)>, i64, i64, i64);

fn build((kind, list, a, b, d): &Numbers, old: &Arc<Datatype>) -> Result<Arc<Datatype>> {
    let first: Vec<i64> = list.iter().map(|item| item.0).collect();
    let second: Vec<i64> = list.iter().map(|item| item.1).collect();
    let third: Vec<i64> = list.iter().map(|item| item.2).collect();
    let order = if d % 2 == 0 { c::ORDER_C } else { c::ORDER_FORTRAN };
    match kind % 12 {
        0 => Datatype::contiguous(*a, old),
        1 => Datatype::vector(*a, *b, *d, old),
        2 => Datatype::hvector(*a, *b, *d, old),
        3 => Datatype::indexed(&first, &second, old),
        4 => Datatype::hindexed(&first, &second, old),
        5 => Datatype::indexed_block(*a, &second, old),
        6 => Datatype::hindexed_block(*a, &second, old),
        7 => Datatype::resized(old, *a, *b),
        8 => Datatype::subarray(&first, &second, &third, order, old),
        9 => {
            let small = |numbers: &[i64]| numbers.iter().map(|number| *number as i32).collect::<Vec<i32>>();
            let array = Distribution {
                size: *a,
                rank: *b,
                gsizes: &first,
                distribs: &vec![c::DISTRIBUTE_BLOCK + (d.rem_euclid(2)) as i32; first.len()],
                dargs: &small(&second),
                psizes: &small(&third),
                order,
            };
            Datatype::darray(array, old)
        }
        10 => Ok(Datatype::dup(old)),
        _ => {
            let int = Datatype::predefined(c::INT).unwrap();
            Datatype::structure(&[*a, 1], &[*b, *d], &[old.clone(), int.clone()])
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn constructors_and_queries_stay_calm_for_any_arguments(
        steps in proptest::collection::vec(
            (any::<u8>(), proptest::collection::vec((number(), number(), number()), 0..5), number(), number(), number()),
            1..7,
        ),
        bytes in number(),
        count in number(),
    ) {
        let mut datatype = Datatype::predefined(c::DOUBLE_INT).unwrap().clone();
        for step in &steps {
            // A refused step leaves the previous datatype.
            if let Ok(new) = build(step, &datatype) {
                datatype = new;
            }
            let (lb, ub) = (i128::from(datatype.lb()), i128::from(datatype.ub()));
            prop_assert_eq!(i128::from(datatype.extent()), ub - lb);
            prop_assert!(datatype.size() >= 0 && (datatype.size() == 0 || datatype.true_extent() > 0));
            prop_assert!(datatype.elements() <= datatype.size());
            if let Some(elements) = datatype.elements_in(bytes) {
                prop_assert!(elements >= 0 && elements <= bytes);
            }
            let _ = (datatype.count_in(bytes), datatype.envelope(), datatype.external32_size(count));
            for run in datatype.runs(1, 0).take(20) {
                let end = i128::from(run.offset) + i128::from(run.len);
                let (from, to) = (i128::from(datatype.true_lb()), i128::from(datatype.true_extent()));
                prop_assert!(i128::from(run.offset) >= from && end <= from + to, "{run:?}");
            }
            if datatype.size() > 0 {
                let last = datatype.runs(1, datatype.size() as usize - 1).next().unwrap();
                prop_assert_eq!(last.len, 1);
            }
        }
    }
}
