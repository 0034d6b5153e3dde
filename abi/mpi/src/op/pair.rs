//! `MPI_MINLOC` and `MPI_MAXLOC` on pairs of a value and an index.
//!
//! A pair is a C struct and is combined as a whole, including the padding. Of equal values the one with the
//! smaller index wins, so the operators commute.

use std::marker::PhantomData;

use anyccl_engine::reduce::ReduceFn;

use super::kind::Pair;
use super::loops::{Combine, run};
use crate::constants as c;

/// A pair in memory.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Located<V, I> {
    value: V,
    index: I,
}

/// The smallest value and its index.
struct MinLoc<V, I>(PhantomData<(V, I)>);
/// The largest value and its index.
struct MaxLoc<V, I>(PhantomData<(V, I)>);

/// Returns `a` if it is better, or equal with a smaller index; else `b`.
#[inline(always)]
fn select<V: Copy, I: Copy + PartialOrd>(
    a: Located<V, I>,
    b: Located<V, I>,
    a_is_better: bool,
    are_equal: bool,
) -> Located<V, I> {
    if a_is_better | (are_equal & (a.index < b.index)) { a } else { b }
}

impl<V: Copy + PartialOrd, I: Copy + PartialOrd> Combine for MinLoc<V, I> {
    type Element = Located<V, I>;

    #[inline(always)]
    fn combine(a: Self::Element, b: Self::Element) -> Self::Element {
        select(a, b, a.value < b.value, a.value == b.value)
    }
}

impl<V: Copy + PartialOrd, I: Copy + PartialOrd> Combine for MaxLoc<V, I> {
    type Element = Located<V, I>;

    #[inline(always)]
    fn combine(a: Self::Element, b: Self::Element) -> Self::Element {
        select(a, b, a.value > b.value, a.value == b.value)
    }
}

fn of<V: Copy + PartialOrd, I: Copy + PartialOrd>(op: u32) -> Option<ReduceFn> {
    match op {
        c::MINLOC => Some(run::<MinLoc<V, I>>),
        c::MAXLOC => Some(run::<MaxLoc<V, I>>),
        _ => None,
    }
}

/// The loop of an operator on pairs.
pub(super) fn kernel(op: u32, pair: Pair) -> Option<ReduceFn> {
    match pair {
        Pair::FloatInt => of::<f32, i32>(op),
        Pair::DoubleInt => of::<f64, i32>(op),
        Pair::LongInt => of::<i64, i32>(op),
        Pair::TwoInt => of::<i32, i32>(op),
        Pair::ShortInt => of::<i16, i32>(op),
        Pair::LongDoubleInt => of::<super::LongDouble, i32>(op),
        Pair::TwoReal => of::<f32, f32>(op),
        Pair::TwoDouble => of::<f64, f64>(op),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_equal_values_the_smaller_index_is_left_on_either_side() {
        let [low, high] = [1, 2].map(|index| Located { value: 7.0_f64, index });
        for (a, b) in [(low, high), (high, low)] {
            assert_eq!(MinLoc::<f64, i32>::combine(a, b).index, 1);
            assert_eq!(MaxLoc::<f64, i32>::combine(a, b).index, 1);
        }
        let other = Located { value: 8.0, index: 0 };
        assert_eq!(MinLoc::<f64, i32>::combine(other, high).index, 2);
        assert_eq!(MaxLoc::<f64, i32>::combine(high, other).index, 0);
    }

    #[test]
    fn pairs_lie_in_memory_as_c_has_them() {
        assert_eq!((size_of::<Located<f64, i32>>(), std::mem::offset_of!(Located<f64, i32>, index)), (16, 8));
        assert_eq!((size_of::<Located<i16, i32>>(), std::mem::offset_of!(Located<i16, i32>, index)), (8, 4));
        assert_eq!(size_of::<Located<f32, f32>>(), 8);
    }
}
