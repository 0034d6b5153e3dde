//! Operators on floating-point numbers of 16 bytes, and on complex numbers of two of them.

use anyccl_engine::reduce::ReduceFn;

use super::loops::{operators, run};
use crate::constants as c;

/// A floating-point number that Rust does not know.
pub(super) trait Float: Copy + PartialOrd {
    fn add(self, other: Self) -> Self;
    fn subtract(self, other: Self) -> Self;
    fn multiply(self, other: Self) -> Self;
}

operators! {
    Sum<T: Float>: T, |a, b| a.add(b);
    Product<T: Float>: T, |a, b| a.multiply(b);
    Min<T: Float>: T, |a, b| if a < b { a } else { b };
    Max<T: Float>: T, |a, b| if a > b { a } else { b };
    ComplexSum<T: Float>: [T; 2], |a, b| [a[0].add(b[0]), a[1].add(b[1])];
    ComplexProduct<T: Float>: [T; 2], |a, b| [
        a[0].multiply(b[0]).subtract(a[1].multiply(b[1])),
        a[0].multiply(b[1]).add(a[1].multiply(b[0])),
    ];
}

/// The loop of an operator on real numbers.
pub(super) fn real<T: Float>(op: u32) -> Option<ReduceFn> {
    Some(match op {
        c::SUM => run::<Sum<T>>,
        c::PROD => run::<Product<T>>,
        c::MIN => run::<Min<T>>,
        c::MAX => run::<Max<T>>,
        _ => return None,
    })
}

/// The loop of an operator on complex numbers.
pub(super) fn complex<T: Float>(op: u32) -> Option<ReduceFn> {
    Some(match op {
        c::SUM => run::<ComplexSum<T>>,
        c::PROD => run::<ComplexProduct<T>>,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::loops::Combine;

    impl Float for f64 {
        fn add(self, other: f64) -> f64 {
            self + other
        }

        fn subtract(self, other: f64) -> f64 {
            self - other
        }

        fn multiply(self, other: f64) -> f64 {
            self * other
        }
    }

    #[test]
    fn the_smaller_and_the_larger_number_are_found() {
        for (a, b) in [(1.5, -2.25), (0.0, 7.0), (-3.0, -4.0), (2.0, 2.0)] {
            assert_eq!(Min::combine(a, b), a.min(b));
            assert_eq!(Max::combine(a, b), a.max(b));
        }
    }

    #[test]
    fn complex_numbers_are_multiplied_as_such() {
        assert_eq!(ComplexProduct::combine([1.0, 2.0], [3.0, 4.0]), [-5.0, 10.0]);
    }
}
