//! The sentence that names the missing ranks.

use crate::base::Rank;

/// How many ranks are named one by one.
const NAMED: usize = 16;

/// Text such as "rank 3 has not come", "ranks 1, 2 have not come".
pub(crate) fn not_come(ranks: &[Rank]) -> String {
    let named: Vec<String> = ranks.iter().take(NAMED).map(Rank::to_string).collect();
    match ranks.len() {
        1 => format!("rank {} has not come", named[0]),
        n if n <= NAMED => format!("ranks {} have not come", named.join(", ")),
        n => format!("ranks {} and {} more have not come", named.join(", "), n - NAMED),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_ranks_are_counted_after_the_first_few() {
        assert_eq!(not_come(&[3]), "rank 3 has not come");
        assert_eq!(not_come(&[1, 2]), "ranks 1, 2 have not come");
        let all: Vec<Rank> = (0..100).collect();
        assert!(not_come(&all).ends_with("15 and 84 more have not come"), "{}", not_come(&all));
    }
}
