//! Cost of the collecting phase, of which all algorithms of this folder are made.

use crate::cost::{LinkModel, Terms, burst, moved, reduced};

/// Time in which each rank collects `bytes` in all from the others, for its part of a buffer.
pub(super) fn collected(t: &Terms, link: &LinkModel, bytes: f64) -> f64 {
    burst(link, t.others()) + moved(link, bytes) + reduced(link, bytes)
}
