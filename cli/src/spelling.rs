//! Names as users spell them: other spellings that mean a name, and the name that a misspelt one is near.

use std::ffi::OsStr;

use anyccl_engine::config;
use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Command};

/// The name that a word spells, without regard to case, underscores and hyphens: `allreduce` is all_reduce.
pub fn find<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters = letters(word);
    names.into_iter().find(|name| self::letters(name) == letters)
}

/// A question with the name that is nearest to a word, to follow a refusal; empty if none is near.
pub fn did_you_mean<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, names).map_or_else(String::new, |name| format!("; did you mean {name}?"))
}

/// The name that is nearest to a word, if it is near.
pub fn nearest<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    config::nearest(&letters(word), names.into_iter().map(|name| (letters(name), name)))
}

fn letters(word: &str) -> String {
    word.chars().filter(|c| !matches!(c, '_' | '-')).flat_map(char::to_lowercase).collect()
}

/// A parser of a word that is one of some names. Shells complete the names; help does not list them.
#[derive(Clone)]
pub struct OneOf<T> {
    /// Parses a word. An error is a sentence.
    pub parse: fn(&str) -> Result<T, String>,
    /// The names.
    pub names: fn() -> Vec<&'static str>,
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for OneOf<T> {
    type Value = T;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<T, clap::Error> {
        self.parse.parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.names)().into_iter().map(PossibleValue::new)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 4] = ["all_reduce", "all_to_all", "p2p-matrix", "run"];

    #[test]
    fn other_spellings_of_a_name_are_found() {
        for (word, name) in [
            ("allreduce", "all_reduce"),
            ("AllToAll", "all_to_all"),
            ("p2p_matrix", "p2p-matrix"),
            ("run", "run"),
        ] {
            assert_eq!(find(word, NAMES), Some(name));
        }
        assert_eq!(find("all_reduc", NAMES), None);
    }

    #[test]
    fn a_misspelt_name_leads_to_the_nearest_one_and_nonsense_to_none() {
        assert_eq!(did_you_mean("rnu", NAMES), "; did you mean run?");
        assert_eq!(did_you_mean("all_redcue", NAMES), "; did you mean all_reduce?");
        assert_eq!(did_you_mean("banana", NAMES), "");
    }
}
