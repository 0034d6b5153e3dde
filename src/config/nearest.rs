//! The name that a misspelt word is probably meant to be.

/// The candidate whose name is nearest to a word, if it is near: at most an edit for every three letters of
/// the longer one.
pub fn nearest<T>(word: &str, candidates: impl IntoIterator<Item = (String, T)>) -> Option<T> {
    let measured = candidates
        .into_iter()
        .map(|(name, candidate)| (strsim::osa_distance(word, &name), name.chars().count(), candidate));
    let (distance, length, candidate) = measured.min_by_key(|(distance, ..)| *distance)?;
    (distance * 3 <= word.chars().count().max(length)).then_some(candidate)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_word_leads_to_the_nearest_name_and_nonsense_to_none() {
        let among = |word| nearest(word, ["run", "info", "perf"].map(|name| (name.to_string(), name)));
        assert_eq!(
            (among("rnu"), among("inf"), among("banana"), among("")),
            (Some("run"), Some("info"), None, None)
        );
    }
}
