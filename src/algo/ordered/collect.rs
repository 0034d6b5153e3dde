//! Cost of the phase that all algorithms of this folder are made of.

use crate::cost::{LinkModel, Terms, burst, moved, reduced};

/// Time in which each rank collects, for its part of a buffer, `bytes` from the others together.
pub(super) fn collected(t: &Terms, link: &LinkModel, bytes: f64) -> f64 {
    burst(link, t.others()) + moved(link, bytes) + reduced(link, bytes)
}
