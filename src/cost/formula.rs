//! Terms of the cost functions, in the alpha-beta-gamma model of a [`LinkModel`].

use super::{Edges, LinkModel};
use crate::plan::PlanRequest;

/// A request in numbers for formulas.
pub(crate) struct Terms {
    /// Ranks (p in the formulas).
    pub(crate) size: f64,
    /// Bytes of `count` elements (n in the formulas).
    pub(crate) bytes: f64,
    /// log2 of the ranks, rounded up.
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

    /// The other ranks.
    pub(crate) fn others(&self) -> f64 {
        self.size - 1.0
    }

    /// Share of a buffer that is not one rank's own segment.
    pub(crate) fn foreign_share(&self) -> f64 {
        self.others() / self.size
    }
}

/// Time of several messages that one rank has under way at once: they share their latency.
pub(crate) fn burst(link: &LinkModel, messages: f64) -> f64 {
    if messages < 1.0 { 0.0 } else { link.latency_us + (messages - 1.0) * link.message_us }
}

/// Factor by which the same bytes take longer in exchanges of halves than in blocks from neighbour to
/// neighbour: the partner changes with each round, and large halves leave the caches before they are used
/// again. Measured with 4 and 8 ranks on two cores: about the same below a mebibyte, 1.2 to 1.5 above.
pub(crate) fn halving(bytes: f64) -> f64 {
    if bytes > 1048576.0 { 1.4 } else { 1.0 }
}

/// Time of `rounds` rounds of a ring that passes on in each round what came in the one before. `transfer`:
/// time of a message without its latency.
///
/// A round of one rank waits only for the round before of the rank before it. So either the way of a segment
/// decides, over as many edges as there are rounds, each with its own latency and bytes; or the rank with the
/// busiest wire, which has something to do all the time: it works on one message while the wire carries the
/// one before.
pub(crate) fn around(edges: &Edges, rounds: f64, transfer: impl Fn(&LinkModel) -> f64) -> f64 {
    let way = edges.on_average(|link| link.latency_us + transfer(link));
    let busiest = edges.at_the_busiest(|link| link.message_us.max(transfer(link)));
    rounds * way.max(busiest)
}

/// Chunks along a chain of `ranks`: the first passes all edges, the others follow as fast as the busiest edge
/// lets them. `chunk`: one chunk on an edge.
pub(crate) fn along(edges: &Edges, ranks: f64, chunks: f64, chunk: impl Fn(&LinkModel) -> f64) -> f64 {
    (ranks - 1.0) * edges.on_average(&chunk) + (chunks - 1.0) * edges.at_the_busiest(&chunk)
}

/// Time that a rank needs, besides the bytes, to pass on one chunk of many: it receives one and sends
/// another.
pub(crate) fn hop(link: &LinkModel) -> f64 {
    burst(link, 2.0)
}

/// Receiving `bytes`.
pub(crate) fn moved(link: &LinkModel, bytes: f64) -> f64 {
    bytes * link.us_per_byte
}

/// Receiving `bytes` that are reduced while they arrive: the slower of both decides.
pub(crate) fn moved_and_reduced(link: &LinkModel, bytes: f64) -> f64 {
    bytes * link.us_per_byte.max(link.reduce_us_per_byte)
}

/// Reducing `bytes` that have arrived before.
pub(crate) fn reduced(link: &LinkModel, bytes: f64) -> f64 {
    bytes * link.reduce_us_per_byte
}

/// Receiving `bytes` in all from `peers` in slots and reducing them; from one peer, while they arrive.
pub(crate) fn collected(link: &LinkModel, peers: f64, bytes: f64) -> f64 {
    match peers > 1.0 {
        true => moved(link, bytes) + reduced(link, bytes),
        false => moved_and_reduced(link, bytes),
    }
}
