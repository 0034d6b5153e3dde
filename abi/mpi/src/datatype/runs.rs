//! The contiguous runs of elements, for a transport that takes them in place.
//!
//! Every step finds its run from the top in O(depth * log(parts)). This pays off for runs of some hundred
//! bytes and more; [`Datatype::gather`] is for shorter ones.

use super::Datatype;
use super::layout::{Body, Layout, Shape};

/// A contiguous run of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Offset from the address of the first element, in bytes.
    pub offset: i64,
    /// Number of bytes.
    pub len: u64,
}

/// Iterator over the runs of a number of elements.
#[derive(Debug)]
pub struct Runs<'a> {
    datatype: &'a Datatype,
    position: u128,
    total: u128,
}

/// Finds the run that holds packed byte `skip` of a layout. Returns the offset of that byte, and the number
/// of bytes from it to the end of the run.
fn find(layout: &Layout, skip: u64) -> (i64, u64) {
    let in_run = |start: i64, len: u64, inside: u64| (start.wrapping_add(inside as i64), len - inside);
    match &layout.shape {
        Shape::Blocks { stride, len, .. } => {
            in_run(((skip / len) as i64).wrapping_mul(*stride), *len, skip % len)
        }
        Shape::Offsets { offsets, len } => in_run(offsets[(skip / len) as usize], *len, skip % len),
        Shape::Loop { stride, inner, .. } => {
            let (offset, len) = find(inner, skip % inner.size);
            (offset.wrapping_add(((skip / inner.size) as i64).wrapping_mul(*stride)), len)
        }
        Shape::List(parts) => {
            let part = &parts[parts.partition_point(|part| part.start <= skip) - 1];
            let inside = skip - part.start;
            match &part.body {
                Body::Run(len) => in_run(part.offset, *len, inside),
                Body::Nested(inner) => {
                    let (offset, len) = find(inner, inside);
                    (offset.wrapping_add(part.offset), len)
                }
            }
        }
    }
}

impl Iterator for Runs<'_> {
    type Item = Run;

    fn next(&mut self) -> Option<Run> {
        let left = self.total.checked_sub(self.position).filter(|left| *left > 0)?;
        let typemap = &self.datatype.typemap;
        let size = typemap.size as u128;
        let (element, skip) = ((self.position / size) as i64, (self.position % size) as u64);
        let (offset, len) = match &typemap.placed.body {
            Body::Run(len) if *len as i64 == typemap.extent() => (skip as i64, left),
            Body::Run(len) => (skip as i64, u128::from(len - skip)),
            Body::Nested(layout) => {
                let (offset, len) = find(layout, skip);
                (offset, u128::from(len))
            }
        };
        let start = element.wrapping_mul(typemap.extent()).wrapping_add(typemap.placed.offset);
        let len = len.min(left).min(u64::MAX.into());
        self.position += len;
        Some(Run { offset: start.wrapping_add(offset), len: len as u64 })
    }
}

impl Datatype {
    /// The contiguous runs of `count` elements from packed byte `position` on, in the order of the packed
    /// bytes.
    pub fn runs(&self, count: i64, position: usize) -> Runs<'_> {
        let total = self.size() as u128 * count.max(0) as u128;
        Runs { datatype: self, position: position as u128, total }
    }
}
