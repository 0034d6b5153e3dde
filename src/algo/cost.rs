//! Words for the cost functions: the alpha-beta-gamma model of a [`LinkModel`].

use crate::plan::PlanRequest;
use crate::tuning::LinkModel;

/// A request in numbers for formulas.
pub(super) struct Terms {
    /// Ranks (p in the formulas).
    pub(super) size: f64,
    /// Bytes of `count` elements (n in the formulas).
    pub(super) bytes: f64,
    /// log2 of the ranks, rounded up.
    pub(super) log: f64,
}

impl Terms {
    /// Reads a request.
    pub(super) fn of(request: &PlanRequest) -> Terms {
        Terms {
            size: f64::from(request.size),
            bytes: request.count as f64 * request.element_bytes as f64,
            log: f64::from(request.size.next_power_of_two().ilog2()),
        }
    }

    /// The other ranks.
    pub(super) fn others(&self) -> f64 {
        self.size - 1.0
    }

    /// Share of a buffer that is not one rank's own segment.
    pub(super) fn foreign_share(&self) -> f64 {
        self.others() / self.size
    }
}

/// What several messages cost that one rank has under way at once: they share their latency.
pub(super) fn burst(link: &LinkModel, messages: f64) -> f64 {
    if messages < 1.0 { 0.0 } else { link.latency_us + (messages - 1.0) * link.message_us }
}

/// How much longer the same bytes take in exchanges of halves than in blocks from neighbour to neighbour: the partner
/// changes with each round, and large halves leave the caches before they are used again. Measured with 4 and 8 ranks
/// on two cores: about the same below a mebibyte, 1.2 to 1.5 above.
pub(super) fn halving(bytes: f64) -> f64 {
    if bytes > 1048576.0 { 1.4 } else { 1.0 }
}

/// What a rank needs, besides the bytes, to pass on one chunk of many: it receives one and sends another.
pub(super) fn hop(link: &LinkModel) -> f64 {
    burst(link, 2.0)
}

/// Receiving `bytes`.
pub(super) fn moved(link: &LinkModel, bytes: f64) -> f64 {
    bytes * link.us_per_byte
}

/// Receiving `bytes` that are reduced while they arrive: the slower of both decides.
pub(super) fn moved_and_reduced(link: &LinkModel, bytes: f64) -> f64 {
    bytes * link.us_per_byte.max(link.reduce_us_per_byte)
}

/// Reducing `bytes` that have arrived before.
pub(super) fn reduced(link: &LinkModel, bytes: f64) -> f64 {
    bytes * link.reduce_us_per_byte
}

/// Receiving `bytes` in all from `peers` in slots and reducing them; from one peer, while they arrive.
pub(super) fn collected(link: &LinkModel, peers: f64, bytes: f64) -> f64 {
    match peers > 1.0 {
        true => moved(link, bytes) + reduced(link, bytes),
        false => moved_and_reduced(link, bytes),
    }
}
