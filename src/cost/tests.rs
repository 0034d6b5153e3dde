//! Requests on several hosts, for the tests of this room and of `tuning`.

use crate::base::Collective;
use crate::plan::{BlockLayout, PlanRequest};
use crate::topology::Topology;

/// Runs a function with a request. `labels` has one letter per rank, which names its host.
pub(crate) fn with_request<R>(
    labels: &str,
    collective: Collective,
    bytes: usize,
    body: impl Fn(&PlanRequest) -> R,
) -> R {
    let labels: Vec<char> = labels.chars().collect();
    body(&PlanRequest {
        collective,
        size: labels.len() as u32,
        rank: 0,
        root: 0,
        count: bytes,
        element_bytes: 1,
        in_place: false,
        chunk_bytes: 64 << 10,
        topology: &Topology::from_labels(&labels),
        layout: BlockLayout::NONE,
    })
}
