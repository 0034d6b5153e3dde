//! The binomial tree over 0..size with root 0, and how consecutive segments move along it.
//!
//! The parent of v is v without its lowest set bit. The subtree of v is v.. up to the next vertex
//! that is not below v, hence consecutive: a subtree's segments travel as one message.

use std::ops::Range;

use super::builder::LaneBuilder;
use crate::base::Rank;
use crate::plan::Span;

/// Parent of a vertex other than 0.
pub(in crate::algo) fn parent(vertex: usize) -> usize {
    vertex & (vertex - 1)
}

/// The vertex and everything below it.
pub(in crate::algo) fn subtree(vertex: usize, size: usize) -> Range<usize> {
    vertex..size.min(vertex + reach(vertex, size))
}

/// Children, the one with the smallest subtree first.
pub(in crate::algo) fn children(vertex: usize, size: usize) -> impl DoubleEndedIterator<Item = usize> {
    // One child for every power of two that stays inside the subtree.
    let below = subtree(vertex, size).len();
    let bits = below.next_power_of_two().trailing_zeros();
    (0..bits).map(move |bit| vertex + (1 << bit))
}

/// Distance to the first vertex that is not below `vertex`, for a full tree.
fn reach(vertex: usize, size: usize) -> usize {
    if vertex == 0 { size } else { 1 << vertex.trailing_zeros() }
}

/// Cuts a range at `at` if that is inside it.
fn cut(range: Range<usize>, at: usize) -> impl Iterator<Item = Range<usize>> {
    let at = at.clamp(range.start, range.end);
    [range.start..at, at..range.end].into_iter()
}

/// The tree, seen from one participant.
pub(in crate::algo) struct Tree<R> {
    /// This participant.
    pub(in crate::algo) vertex: usize,
    /// Number of vertices.
    pub(in crate::algo) size: usize,
    /// Rank of a vertex.
    pub(in crate::algo) rank_of: R,
    /// Messages from and to vertex 0 are cut before this segment, because its buffer wraps round there. It is
    /// `size` if the buffer does not wrap.
    pub(in crate::algo) wrap: usize,
}

impl<R: Fn(usize) -> Rank> Tree<R> {
    /// Every vertex sends the segments of its subtree to its parent. `span` gives the place of segments here;
    /// the own segment must be there already.
    pub(in crate::algo) fn gather(&self, lane: &mut LaneBuilder, span: impl Fn(Range<usize>) -> Span) {
        let &Tree { vertex, size, wrap, .. } = self;
        lane.round(|round| {
            for child in children(vertex, size) {
                let at = if vertex == 0 { wrap } else { size };
                for piece in cut(subtree(child, size), at) {
                    round.receive((self.rank_of)(child), span(piece));
                }
            }
        });
        if vertex > 0 {
            let at = if parent(vertex) == 0 { wrap } else { size };
            lane.round(|round| {
                for piece in cut(subtree(vertex, size), at) {
                    round.send((self.rank_of)(parent(vertex)), span(piece));
                }
            });
        }
    }

    /// The reverse of `gather`: every vertex receives the segments of its subtree and passes on those of its
    /// children, the largest subtree first.
    pub(in crate::algo) fn scatter(&self, lane: &mut LaneBuilder, span: impl Fn(Range<usize>) -> Span) {
        let &Tree { vertex, size, wrap, .. } = self;
        if vertex > 0 {
            let at = if parent(vertex) == 0 { wrap } else { size };
            lane.round(|round| {
                for piece in cut(subtree(vertex, size), at) {
                    round.receive((self.rank_of)(parent(vertex)), span(piece));
                }
            });
        }
        lane.round(|round| {
            for child in children(vertex, size).rev() {
                let at = if vertex == 0 { wrap } else { size };
                for piece in cut(subtree(child, size), at) {
                    round.send((self.rank_of)(child), span(piece));
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_spans_all_vertices_and_subtrees_are_consecutive() {
        for size in 1..200 {
            let mut seen = 0;
            for vertex in 0..size {
                let mut next = vertex + 1;
                for child in children(vertex, size) {
                    assert_eq!(parent(child), vertex);
                    assert_eq!(subtree(child, size).start, next);
                    next = subtree(child, size).end;
                    seen += 1;
                }
                assert_eq!(subtree(vertex, size).end, next);
            }
            assert_eq!(seen, size - 1);
        }
    }
}
