//! `ANYCCL_ALGORITHM`: the algorithms that the user demands.
//!
//! The variable of rank 0 counts for all ranks, so it travels as text with the rest of the tuning
//! ([`super::wire`]).

use crate::algo::{self, Algorithm};
use crate::base::{Collective, Error, Result};

/// At most one algorithm per collective, chosen by the user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Overrides {
    /// Names of rows of the table, indexed by the collective's discriminant.
    names: [Option<&'static str>; Collective::ALL.len()],
}

impl Overrides {
    /// Parses text such as `all_reduce:ring,broadcast:binomial`. Spaces around names are ignored. An empty
    /// text is an error.
    pub(super) fn parse(text: &str) -> Result<Overrides> {
        let mut overrides = Overrides::default();
        for entry in text.split(',').map(str::trim) {
            let (collective, algorithm) =
                entry.split_once(':').ok_or_else(|| bad(entry, "accepted: COLLECTIVE:ALGORITHM".into()))?;
            let (collective, algorithm) = (collective.trim(), algorithm.trim());
            let collective = Collective::from_name(collective).ok_or_else(|| {
                let known = Collective::ALL.map(Collective::name).join(", ");
                bad(collective, format!("collectives: {known}"))
            })?;
            let row = algo::find(collective, algorithm).ok_or_else(|| {
                let known: Vec<_> = algo::of(collective).map(|row| row.name).collect();
                bad(entry, format!("algorithms of {}: {}", collective.name(), known.join(", ")))
            })?;
            if overrides.names[collective as usize].replace(row.name).is_some() {
                return Err(bad(text, format!("{} is named twice", collective.name())));
            }
        }
        Ok(overrides)
    }

    /// The algorithm that the user wants for a collective.
    pub(super) fn of(&self, collective: Collective) -> Option<&'static Algorithm> {
        algo::find(collective, self.names[collective as usize]?)
    }

    /// The text that [`Overrides::parse`] reads. It is empty if the user has chosen nothing, and `parse`
    /// refuses an empty text.
    pub(super) fn to_text(self) -> String {
        let chosen = Collective::ALL.into_iter().zip(self.names);
        let entries =
            chosen.filter_map(|(collective, name)| Some(format!("{}:{}", collective.name(), name?)));
        entries.collect::<Vec<_>>().join(",")
    }
}

fn bad(got: &str, accepted: String) -> Error {
    Error::InvalidArgument { what: "ANYCCL_ALGORITHM", got: format!("\"{got}\"; {accepted}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_survives_a_round_trip() {
        let overrides = Overrides::parse(" broadcast:binomial , all_reduce : ring").unwrap();
        assert_eq!(overrides.to_text(), "all_reduce:ring,broadcast:binomial");
        assert_eq!(Overrides::parse(&overrides.to_text()).unwrap(), overrides);
        assert_eq!(overrides.of(Collective::AllReduce).unwrap().name, "ring");
        assert!(overrides.of(Collective::Reduce).is_none());
    }

    #[test]
    fn an_unknown_name_is_refused_with_the_known_names() {
        let message = |text| Overrides::parse(text).unwrap_err().to_string();
        assert_eq!(
            message("all_reduce:rnig"),
            "invalid ANYCCL_ALGORITHM: \"all_reduce:rnig\"; algorithms of all_reduce: one_shot, two_shot, \
             recursive_doubling, rabenseifner, ring, staged, hierarchical"
        );
        assert!(message("allreduce:ring").contains("collectives: all_reduce, reduce, broadcast"));
        assert!(message("ring").contains("COLLECTIVE:ALGORITHM"));
        assert!(message("barrier:dissemination,").contains("COLLECTIVE:ALGORITHM"));
        assert!(message("reduce:chain,reduce:binomial").contains("reduce is named twice"));
    }
}
