//! The fixed tree as a tree of ranks: which rank holds the result of each subtree.
//!
//! A subtree is held by the root, if that is in it, else by its first rank. The holder of a subtree receives
//! from the holder of the half that it is not in.

use std::ops::Range;

use crate::plan::fixed_tree::left_of;

/// A rank, its parent and its children.
pub(super) struct Holder {
    /// The rank that gets its result; `None` for the root.
    pub(super) parent: Option<usize>,
    /// The ranks whose results it gets, the one with the smallest subtree first.
    pub(super) children: Vec<usize>,
}

impl Holder {
    /// What `rank` of `size` ranks holds, if the result ends at `root`.
    pub(super) fn of(rank: usize, size: usize, root: usize) -> Holder {
        let holder = |ranks: &Range<usize>| if ranks.contains(&root) { root } else { ranks.start };
        let (mut parent, mut children) = (None, Vec::new());
        let mut ranks = 0..size;
        while ranks.len() > 1 {
            let middle = ranks.start + left_of(ranks.len());
            let (left, right) = (ranks.start..middle, middle..ranks.end);
            let (mine, other) = if rank < middle { (left, right) } else { (right, left) };
            match holder(&ranks) {
                above if above == rank => children.push(holder(&other)),
                above if holder(&mine) == rank => parent = Some(above),
                _ => {}
            }
            ranks = mine;
        }
        children.reverse();
        Holder { parent, children }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rank_but_the_root_is_the_child_of_its_parent() {
        for size in 1..40 {
            for root in 0..size {
                assert_eq!(Holder::of(root, size, root).parent, None);
                for rank in (0..size).filter(|rank| *rank != root) {
                    let parent = Holder::of(rank, size, root).parent.expect("it is not the root");
                    assert!(
                        Holder::of(parent, size, root).children.contains(&rank),
                        "{rank} of {size}, {root}"
                    );
                }
                let children: usize = (0..size).map(|rank| Holder::of(rank, size, root).children.len()).sum();
                assert_eq!(children, size - 1);
            }
        }
    }
}
