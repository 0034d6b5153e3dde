//! Balanced dimensions: `MPI_Dims_create`.
//!
//! Of all ways to write a number as a product, the one whose smallest factor is largest is taken; among
//! those, the one whose second smallest is, and so on. Factors are tried from the root of the number down, so
//! the first way that is found is the one.

use crate::arguments::InputOutputs;
use crate::error::{Class, Error, Result};

/// `MPI_Dims_create`.
pub unsafe fn create(nnodes: i32, ndims: i32, dims: InputOutputs<i32>) -> Result<()> {
    let len = super::length("ndims", ndims)?;
    let given = dims.read(len)?;
    for (at, dim) in complete(nnodes, &given)?.into_iter().enumerate() {
        dims.set(at, dim);
    }
    Ok(())
}

/// The dimensions with each 0 replaced.
fn complete(nodes: i32, dims: &[i32]) -> Result<Vec<i32>> {
    let wrong =
        |why: &str| Error::new(Class::DIMS, format!("{nodes} processes in dimensions {dims:?}: {why}"));
    if nodes <= 0 {
        return Err(wrong("the number of processes is at least 1"));
    }
    if dims.iter().any(|dim| *dim < 0) {
        return Err(wrong("a dimension is at least 0"));
    }
    let given = dims.iter().filter(|dim| **dim > 0).try_fold(1i64, |product, dim| {
        product.checked_mul(i64::from(*dim)).filter(|product| *product <= i64::from(nodes))
    });
    let open = dims.iter().filter(|dim| **dim == 0).count();
    let rest =
        given.filter(|given| i64::from(nodes) % given == 0).map(|given| (i64::from(nodes) / given) as u32);
    let rest = rest.ok_or_else(|| wrong("the product of those given does not divide the number"))?;
    if open == 0 {
        return if rest == 1 { Ok(dims.to_vec()) } else { Err(wrong("their product is another number")) };
    }
    let divisors = divisors(rest);
    let mut factors = Vec::with_capacity(open);
    // One factor is at least 1, whatever the others are: there is a way.
    balance(rest, open, 1, &divisors, &mut factors);
    // The largest first.
    let mut factors = factors.into_iter().rev();
    let next = |dim: &i32| match *dim {
        0 => factors.next().map_or(1, u32::cast_signed),
        given => given,
    };
    Ok(dims.iter().map(next).collect())
}

/// All divisors, in order.
fn divisors(number: u32) -> Vec<u32> {
    let small: Vec<u32> = (1..)
        .take_while(|n| u64::from(*n) * u64::from(*n) <= u64::from(number))
        .filter(|n| number.is_multiple_of(*n))
        .collect();
    let large =
        small.iter().rev().map(|n| number / n).filter(|n| u64::from(*n) * u64::from(*n) > u64::from(number));
    let large: Vec<u32> = large.collect();
    [small, large].concat()
}

/// Appends `len` factors of a number, from the smallest on, none below `least`; whether there is a way.
fn balance(number: u32, len: usize, least: u32, divisors: &[u32], factors: &mut Vec<u32>) -> bool {
    if len == 1 {
        if number < least {
            return false;
        }
        factors.push(number);
        return true;
    }
    // The smallest of `len` factors is no larger than the root.
    let is_small =
        |n: u32| (0..len).try_fold(1u32, |power, _| power.checked_mul(n)).is_some_and(|p| p <= number);
    let end = divisors.partition_point(|n| is_small(*n));
    for factor in divisors[..end].iter().rev().copied().take_while(|factor| *factor >= least) {
        if number.is_multiple_of(factor) {
            factors.push(factor);
            if balance(number / factor, len - 1, factor, divisors, factors) {
                return true;
            }
            factors.pop();
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// All ways to write a number as `len` factors, in order.
    fn ways(number: i32, len: usize, least: i32) -> Vec<Vec<i32>> {
        if len == 1 {
            return if number >= least { vec![vec![number]] } else { vec![] };
        }
        let mut all = Vec::new();
        for factor in (least..=number).filter(|factor| number % factor == 0) {
            for mut way in ways(number / factor, len - 1, factor) {
                way.insert(0, factor);
                all.push(way);
            }
        }
        all
    }

    proptest! {
        #[test]
        fn the_smallest_factors_are_as_large_as_possible(nodes in 1..2000i32, len in 1..5usize) {
            let mut found = complete(nodes, &vec![0; len]).unwrap();
            prop_assert!(found.is_sorted_by(|a, b| a >= b));
            found.reverse();
            prop_assert_eq!(Some(found), ways(nodes, len, 1).into_iter().max());
        }

        #[test]
        fn what_is_given_stays(nodes in 1..500i32, given in 1..6i32) {
            match complete(nodes * given, &[0, given, 0]) {
                Ok(dims) => prop_assert_eq!((dims[1], dims[0] * dims[2]), (given, nodes)),
                Err(error) => prop_assert!(false, "{}", error),
            }
        }
    }

    #[test]
    fn dimensions_are_those_of_other_libraries() {
        for (nodes, len, expected) in [
            (6, 2, &[3, 2][..]),
            (7, 2, &[7, 1]),
            (12, 3, &[3, 2, 2]),
            (360, 3, &[10, 6, 6]),
            (64, 3, &[4, 4, 4]),
            (i32::MAX, 2, &[i32::MAX, 1]),
            (2_095_133_040, 5, &[78, 78, 76, 70, 65]),
        ] {
            let found = complete(nodes, &vec![0; len]).unwrap();
            assert_eq!(found.iter().map(|dim| i64::from(*dim)).product::<i64>(), i64::from(nodes));
            if nodes < 1_000_000_000 || len < 5 {
                assert_eq!(found, expected);
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for (nodes, dims) in [(6, &[4, 0][..]), (6, &[2, 2]), (0, &[0]), (6, &[-1, 0]), (6, &[])] {
            assert_eq!(complete(nodes, dims).unwrap_err().class, Class::DIMS);
        }
        assert_eq!(complete(6, &[3, 2]).unwrap(), [3, 2]);
    }
}
