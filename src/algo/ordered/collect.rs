//! Cost of the collecting phase, which every algorithm of this folder has.

use crate::cost::{LinkModel, Terms, burst, moved, reduced};

/// Time in which each rank receives `bytes` from the others, in all, and combines them.
pub(super) fn collected(t: &Terms, link: &LinkModel, bytes: f64) -> f64 {
    burst(link, t.others()) + moved(link, bytes) + reduced(link, bytes)
}
