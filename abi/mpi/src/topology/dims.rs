//! Balanced dimensions: `MPI_Dims_create`.
//!
//! A number can be written as a product in several ways. The chosen one has its largest and smallest factors
//! as close as possible. Among equals, the one with the largest smallest factor wins, then the one with the
//! largest second smallest factor, and so on. Factors are tried from the root of the number downwards.
//! Products that cannot be closer than the best so far are skipped. These are nearly all, so large numbers
//! take microseconds.

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
    if dims.is_empty() {
        return Ok(Vec::new());
    }
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
    let mut search = Search { divisors: divisors(rest), factors: Vec::with_capacity(open), best: None };
    search.extend(rest, open);
    let (_, factors) = search.best.expect("the number itself and ones are a way");
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

/// A search for factors.
struct Search {
    divisors: Vec<u32>,
    /// The factors so far, from the smallest on.
    factors: Vec<u32>,
    /// The best product so far: the distance between its largest and its smallest factor, and its factors.
    best: Option<(u32, Vec<u32>)>,
}

impl Search {
    /// Tries all ways to extend by `len` factors of a number, none below the last one.
    fn extend(&mut self, number: u32, len: usize) {
        let least = self.factors.last().copied().unwrap_or(1);
        if len == 1 {
            let distance = number - self.factors.first().copied().unwrap_or(number).min(number);
            if number >= least && self.best.as_ref().is_none_or(|(best, _)| distance < *best) {
                let factors = self.factors.iter().copied().chain([number]).collect();
                self.best = Some((distance, factors));
            }
            return;
        }
        // The smallest of `len` factors is no larger than the root.
        let end = self.divisors.partition_point(|factor| power(*factor, len) <= u64::from(number));
        for at in (0..end).rev() {
            let factor = self.divisors[at];
            if factor < least {
                break;
            }
            if !number.is_multiple_of(factor) {
                continue;
            }
            // The largest of the others is no smaller than their root, which grows from here on.
            let first = self.factors.first().copied().unwrap_or(factor);
            let is_hopeless =
                |best: u32| power(first + best.saturating_sub(1), len - 1) < u64::from(number / factor);
            if self.best.as_ref().is_some_and(|(best, _)| *best == 0 || is_hopeless(*best)) {
                break;
            }
            self.factors.push(factor);
            self.extend(number / factor, len - 1);
            self.factors.pop();
        }
    }
}

/// A power, or the largest number if it does not fit.
fn power(factor: u32, len: usize) -> u64 {
    u64::from(factor).saturating_pow(len as u32)
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
        fn factors_are_as_close_as_possible_and_the_smallest_as_large_as_possible(nodes in 1..2000i32, len in 1..5usize) {
            let mut found = complete(nodes, &vec![0; len]).unwrap();
            prop_assert!(found.is_sorted_by(|a, b| a >= b));
            found.reverse();
            let rank = |way: &Vec<i32>| (way[0] - way[len - 1], way.clone());
            prop_assert_eq!(Some(found), ways(nodes, len, 1).into_iter().max_by_key(rank));
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
        for (nodes, expected) in [
            (6, &[3, 2][..]),
            (7, &[7, 1]),
            (12, &[3, 2, 2]),
            (360, &[10, 6, 6]),
            (1008, &[12, 12, 7]),
            (1800, &[9, 8, 5, 5]),
            (21600, &[30, 30, 24]),
            (64, &[4, 4, 4]),
            (i32::MAX, &[i32::MAX, 1]),
        ] {
            assert_eq!(complete(nodes, &vec![0; expected.len()]).unwrap(), expected);
        }
    }

    #[test]
    fn numbers_of_many_divisors_are_found_at_once() {
        for len in 1..20 {
            let nodes = 2_095_133_040;
            let found = complete(nodes, &vec![0; len]).unwrap();
            assert_eq!(found.iter().map(|dim| i64::from(*dim)).product::<i64>(), i64::from(nodes));
        }
    }

    #[test]
    fn dimensions_that_do_not_fit_are_refused() {
        for (nodes, dims) in [(6, &[4, 0][..]), (6, &[2, 2]), (0, &[0]), (6, &[-1, 0])] {
            assert_eq!(complete(nodes, dims).unwrap_err().class, Class::DIMS);
        }
        assert_eq!(complete(6, &[3, 2]).unwrap(), [3, 2]);
    }
}
