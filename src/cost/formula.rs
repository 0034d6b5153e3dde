//! Terms of the cost functions, in the alpha-beta-gamma model of a [`LinkModel`].

use super::{Edges, LinkModel};
use crate::plan::PlanRequest;

/// The numbers of a request that formulas use.
pub(crate) struct Terms {
    /// Number of ranks (p in the formulas).
    pub(crate) size: f64,
    /// Length of `count` elements in bytes (n in the formulas).
    pub(crate) bytes: f64,
    /// Binary logarithm of the number of ranks, rounded up.
    pub(crate) log: f64,
}

impl Terms {
    /// Reads a request.
    pub(crate) fn of(request: &PlanRequest) -> Terms {
        Terms {
            size: f64::from(request.size),
            bytes: request.count as f64 * request.element_bytes as f64,
            log: f64::from(request.size.next_power_of_two().ilog2()),
        }
    }

    /// Number of the other ranks.
    pub(crate) fn others(&self) -> f64 {
        self.size - 1.0
    }

    /// Fraction of a buffer that is not one rank's own segment.
    pub(crate) fn foreign_share(&self) -> f64 {
        self.others() / self.size
    }
}

/// Time of several messages that one rank has under way at once: they share their latency.
pub(crate) fn burst(link: &LinkModel, messages: f64) -> f64 {
    if messages < 1.0 { 0.0 } else { link.latency_us + (messages - 1.0) * link.message_us }
}

/// Factor by which the same bytes take longer in exchanges of halves than in blocks from neighbour to
/// neighbour. The partner changes with each round, and large halves leave the caches before they are used
/// again. Below a mebibyte there is no difference; docs/lab/cost-model.md has the measurement.
pub(crate) fn halving(bytes: f64) -> f64 {
    if bytes > 1048576.0 { 1.4 } else { 1.0 }
}

/// Time of `rounds` rounds of a ring in which each round passes on what the round before received. `transfer`
/// is the time of a message without its latency.
///
/// A round of one rank waits only for the previous round of the previous rank. So one of two things decides.
/// One is the way of a segment over as many edges as there are rounds, each with its own latency and bytes.
/// The other is the rank with the busiest wire, which never idles: it works on one message while the wire
/// carries the previous one.
pub(crate) fn around(edges: &Edges, rounds: f64, transfer: impl Fn(&LinkModel) -> f64) -> f64 {
    let way = edges.on_average(|link| link.latency_us + transfer(link));
    let busiest = edges.at_the_busiest(|link| link.message_us.max(transfer(link)));
    rounds * way.max(busiest)
}

/// Time of `chunks` chunks along a chain of `ranks`. The first chunk passes all edges; the others follow as
/// fast as the busiest edge allows. `chunk` is the time of one chunk on an edge.
pub(crate) fn along(edges: &Edges, ranks: f64, chunks: f64, chunk: impl Fn(&LinkModel) -> f64) -> f64 {
    (ranks - 1.0) * edges.on_average(&chunk) + (chunks - 1.0) * edges.at_the_busiest(&chunk)
}

/// Time, besides that of its bytes, that a rank needs to pass on one of many chunks: it receives one and
/// sends another.
pub(crate) fn hop(link: &LinkModel) -> f64 {
    burst(link, 2.0)
}

/// Time to receive `bytes`.
pub(crate) fn moved(link: &LinkModel, bytes: f64) -> f64 {
    bytes * link.us_per_byte
}

/// Time to receive `bytes` that are reduced while they arrive: the slower of both decides.
pub(crate) fn moved_and_reduced(link: &LinkModel, bytes: f64) -> f64 {
    bytes * link.us_per_byte.max(link.reduce_us_per_byte)
}

/// Time to reduce `bytes` that arrived before.
pub(crate) fn reduced(link: &LinkModel, bytes: f64) -> f64 {
    bytes * link.reduce_us_per_byte
}

/// Time to receive `bytes` in all from `peers` in slots and to reduce them. Bytes from a single peer are
/// reduced while they arrive.
pub(crate) fn collected(link: &LinkModel, peers: f64, bytes: f64) -> f64 {
    match peers > 1.0 {
        true => moved(link, bytes) + reduced(link, bytes),
        false => moved_and_reduced(link, bytes),
    }
}
