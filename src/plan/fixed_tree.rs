//! The fixed tree: the brackets of a reduction that has the same bits in every call.
//!
//! The complete binary tree whose leaves are the ranks, in order, with the lowest level filled from the left.
//! So 3 ranks give `(0 + 1) + 2`, 5 ranks `((0 + 1) + 2) + (3 + 4)`, and 6 ranks
//! `((0 + 1) + (2 + 3)) + (4 + 5)`. It depends on the number of ranks alone.
//!
//! Three properties let fast algorithms keep it. Recursive doubling builds it, if ranks beyond a power of two
//! fold into their neighbours. Each subtree is a run of ranks, so operators that do not commute may use it.
//! And among hosts with as many consecutive ranks each, a power of two, it is the fixed tree of the hosts
//! over the fixed trees of their ranks.
//!
//! A scan has other brackets: from left to right, so that every prefix is the same in every length.

/// Number of ranks in the left subtree of `ranks` ranks, at least two.
pub fn left_of(ranks: usize) -> usize {
    let half = (1 << ranks.ilog2()) / 2;
    let extra = ranks - 2 * half;
    half + extra.min(half)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn brackets(first: usize, ranks: usize) -> String {
        if ranks == 1 {
            return first.to_string();
        }
        let left = left_of(ranks);
        format!("({}{})", brackets(first, left), brackets(first + left, ranks - left))
    }

    #[test]
    fn the_lowest_level_is_filled_from_the_left() {
        let known = ["0", "(01)", "((01)2)", "((01)(23))", "(((01)2)(34))", "(((01)(23))(45))"];
        for (ranks, known) in (1..).zip(known) {
            assert_eq!(brackets(0, ranks), known);
        }
        assert_eq!(brackets(0, 7), "(((01)(23))((45)6))");
        assert_eq!(brackets(0, 8), "(((01)(23))((45)(67)))");
    }
}
