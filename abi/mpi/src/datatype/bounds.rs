//! Bounds of a typemap: lower and upper bound, with and without the marks of a resized type.
//!
//! The rules are MPI's (section 5.1.6). Where MPI leaves a choice, and for a resized type inside a struct,
//! they are those of MPICH 5:
//!
//! - A member counts as the interval between its bounds, whether marks or data made them.
//! - Blocks of length zero count in vectors and in types of equal blocks.
//! - A type made from one without data has no bounds, unless they are given.
//!
//! Sums are computed in 128 bits and then checked.

use crate::error::{Class, Error, Result};

/// Lower and upper bounds of one element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Bounds {
    /// Lower bound.
    pub lb: i64,
    /// Upper bound.
    pub ub: i64,
    /// Lowest byte of data.
    pub true_lb: i64,
    /// First byte behind the data.
    pub true_ub: i64,
}

/// The error of a value that does not fit 64 bits.
#[cold]
pub(super) fn too_large(what: &str) -> Error {
    Error::new(
        Class::VALUE_TOO_LARGE,
        format!("the {what} of the datatype does not fit a signed 64-bit number"),
    )
}

/// A value in 64 bits, if it fits.
pub(super) fn narrow(value: i128, what: &str) -> Result<i64> {
    i64::try_from(value).map_err(|_| too_large(what))
}

/// A product in 64 bits, if it fits.
pub(super) fn product(a: i64, b: i64, what: &str) -> Result<i64> {
    a.checked_mul(b).ok_or_else(|| too_large(what))
}

/// The distances that `count` steps reach below and above the first one.
fn reach(step: i64, count: i64) -> (i128, i128) {
    let last = i128::from(step) * (i128::from(count) - 1);
    if step < 0 { (last, 0) } else { (0, last) }
}

impl Bounds {
    /// Bytes between the bounds.
    pub fn extent(&self) -> i64 {
        self.ub.wrapping_sub(self.lb)
    }

    /// Checks that the bounds and both extents fit 64 bits.
    fn new(lb: i128, ub: i128, true_lb: i128, true_ub: i128) -> Result<Bounds> {
        narrow(ub - lb, "extent")?;
        narrow(true_ub - true_lb, "true extent")?;
        Ok(Bounds {
            lb: narrow(lb, "lower bound")?,
            ub: narrow(ub, "upper bound")?,
            true_lb: narrow(true_lb, "true lower bound")?,
            true_ub: narrow(true_ub, "true upper bound")?,
        })
    }

    /// Bounds of `count` elements of these bounds, `stride` bytes apart.
    pub fn repeated(&self, count: i64, stride: i64) -> Result<Bounds> {
        let (below, above) = reach(stride, count);
        Bounds::new(
            i128::from(self.lb) + below,
            i128::from(self.ub) + above,
            i128::from(self.true_lb) + below,
            i128::from(self.true_ub) + above,
        )
    }

    /// These bounds, moved up by `by` bytes.
    pub fn moved(&self, by: i64) -> Result<Bounds> {
        let by = i128::from(by);
        Bounds::new(
            i128::from(self.lb) + by,
            i128::from(self.ub) + by,
            i128::from(self.true_lb) + by,
            i128::from(self.true_ub) + by,
        )
    }

    /// The smallest bounds that contain both.
    pub fn union(&self, other: &Bounds) -> Result<Bounds> {
        Bounds::new(
            self.lb.min(other.lb).into(),
            self.ub.max(other.ub).into(),
            self.true_lb.min(other.true_lb).into(),
            self.true_ub.max(other.true_ub).into(),
        )
    }

    /// Bounds whose extent is rounded up to a multiple of the alignment, as C pads a struct.
    pub fn padded(&self, align: u32) -> Result<Bounds> {
        let extent = i128::from(self.extent());
        let padding = (-extent).rem_euclid(i128::from(align.max(1)));
        Bounds::new(self.lb.into(), i128::from(self.ub) + padding, self.true_lb.into(), self.true_ub.into())
    }

    /// The bounds of a type without data that has these marks.
    pub fn without_data(&self) -> Bounds {
        Bounds { true_lb: 0, true_ub: 0, ..*self }
    }

    /// The bounds with these marks around the same data.
    pub fn resized(&self, lb: i64, extent: i64) -> Result<Bounds> {
        Bounds::new(lb.into(), i128::from(lb) + i128::from(extent), self.true_lb.into(), self.true_ub.into())
    }
}
