//! Cuts a range of elements into parts that differ by at most one element.

use std::ops::Range;

use crate::plan::PlanRequest;

/// Upper limit of the lanes of a pipelined algorithm: more chunks do not fill a pipeline better.
const MAX_CHUNKS: usize = 64;

/// `len` elements in `parts` parts; the first `len % parts` of them are one element longer.
#[derive(Clone, Copy, Debug)]
pub(in crate::algo) struct Segments {
    len: usize,
    parts: usize,
}

impl Segments {
    /// Cuts `len` elements into `parts` parts, at least one.
    pub(in crate::algo) fn new(len: usize, parts: usize) -> Segments {
        assert!(parts > 0, "a buffer has at least one segment");
        Segments { len, parts }
    }

    /// One segment for each block of `block` elements.
    pub(in crate::algo) fn blocks(block: usize, parts: usize) -> Segments {
        Segments::new(block * parts, parts)
    }

    /// The chunks of a pipeline: `chunk_bytes` each, or longer if there would be too many.
    pub(in crate::algo) fn chunks(request: &PlanRequest) -> Segments {
        let chunk = (request.chunk_bytes / request.element_bytes.max(1)).max(1);
        Segments::new(request.count, request.count.div_ceil(chunk).clamp(1, MAX_CHUNKS))
    }

    /// Number of parts.
    pub(in crate::algo) fn parts(&self) -> usize {
        self.parts
    }

    /// The elements of one part.
    pub(in crate::algo) fn part(&self, index: usize) -> Range<usize> {
        self.start(index)..self.start(index + 1)
    }

    /// The elements of consecutive parts, which are consecutive too.
    pub(in crate::algo) fn range(&self, parts: Range<usize>) -> Range<usize> {
        self.start(parts.start)..self.start(parts.end)
    }

    fn start(&self, index: usize) -> usize {
        index * (self.len / self.parts) + index.min(self.len % self.parts)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn segments_cover_the_range_once_and_differ_by_at_most_one(
            len in 0usize..10_000,
            parts in 1usize..300,
        ) {
            let segments = Segments::new(len, parts);
            let mut end = 0;
            for index in 0..parts {
                let part = segments.part(index);
                prop_assert_eq!(part.start, end);
                prop_assert!(part.len() == len / parts || part.len() == len.div_ceil(parts));
                end = part.end;
            }
            prop_assert_eq!(end, len);
        }
    }
}
