//! Proof that no contribution to a result is rounded too often on its way, where sums travel in narrow forms.

use super::algebra::{Algebra, NarrowPlace};
use super::machine::outputs_of_verified;
use super::violation::Violation;
use crate::base::Rank;
use crate::plan::{Plan, PlanRequest};

/// Most narrow forms through which one of the contributions to a value has come.
#[derive(Clone, Copy)]
enum Roundings {
    Most(u32),
    /// An element of a narrow form.
    Narrow(NarrowPlace),
}

impl Roundings {
    fn most(self) -> u32 {
        match self {
            Roundings::Most(most) => most,
            Roundings::Narrow(_) => u32::MAX,
        }
    }
}

impl Algebra for Roundings {
    fn contribution(_rank: Rank, _element: usize) -> Roundings {
        Roundings::Most(0)
    }

    fn reduce(&self, other: &Roundings) -> Roundings {
        Roundings::Most(self.most().max(other.most()))
    }

    fn rounded(&self) -> Roundings {
        Roundings::Most(self.most().saturating_add(1))
    }

    fn narrow(place: NarrowPlace) -> Roundings {
        Roundings::Narrow(place)
    }

    fn narrow_place(&self) -> Option<NarrowPlace> {
        if let Roundings::Narrow(place) = self { Some(*place) } else { None }
    }
}

/// Proves that no contribution to any result is rounded more than `most` times, for plans that
/// [`super::verify_each`] has accepted for these requests.
///
/// # Panics
/// If `verify_each` would not accept the plans.
pub fn verify_roundings(plans: &[Plan], requests: &[PlanRequest], most: u32) -> Result<(), Violation> {
    let outputs = outputs_of_verified::<Roundings>(plans, requests);
    for (rank, output) in (0..).zip(&outputs) {
        let found = |value: &Option<Roundings>| value.map_or(0, Roundings::most);
        if let Some(element) = output.iter().position(|value| found(value) > most) {
            return Err(Violation::RoundedTooOften { rank, element, found: found(&output[element]), most });
        }
    }
    Ok(())
}
