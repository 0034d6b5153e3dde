//! The edges of a ring of ranks. Few of them leave a host, and those of one host share its wire.

use super::{LinkModel, Paths};
use crate::base::Rank;
use crate::plan::PlanRequest;

/// The edges of a ring: from each rank to the next one, and from the last to the first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edges {
    local: LinkModel,
    remote: LinkModel,
    /// Fraction of all edges that are remote.
    remote_share: f64,
    /// The largest number of remote edges of one host.
    sharing: f64,
}

impl Edges {
    /// A ring whose edges are all this link.
    pub fn alike(link: &LinkModel) -> Edges {
        Edges { local: *link, remote: *link, remote_share: 0.0, sharing: 1.0 }
    }

    /// The ring of a request's ranks, in their order.
    pub fn of(paths: &Paths, request: &PlanRequest) -> Edges {
        let Paths { local, remote } = *paths;
        let crossings = crossings(request);
        let most = crossings.iter().copied().max().unwrap_or(0);
        if most == 0 {
            return Edges::alike(&local);
        }
        let remote_share = f64::from(crossings.iter().sum::<u32>()) / f64::from(request.size);
        Edges { local, remote, remote_share, sharing: f64::from(most) }
    }

    /// The average of a cost over the edges.
    pub fn on_average(&self, cost: impl Fn(&LinkModel) -> f64) -> f64 {
        self.remote_share * cost(&self.remote) + (1.0 - self.remote_share) * cost(&self.local)
    }

    /// A cost on the most expensive edge, while the other edges of that host carry as much.
    pub fn at_the_busiest(&self, cost: impl Fn(&LinkModel) -> f64) -> f64 {
        let wire = LinkModel { us_per_byte: self.sharing * self.remote.us_per_byte, ..self.remote };
        let local = if self.remote_share < 1.0 { cost(&self.local) } else { 0.0 };
        let remote = if self.remote_share > 0.0 { cost(&wire) } else { 0.0 };
        local.max(remote)
    }
}

/// Number of ranks whose next rank is on another host, by host.
fn crossings(request: &PlanRequest) -> Vec<u32> {
    let host_of = |rank: Rank| request.topology.host_of(rank) as usize;
    let mut crossings = vec![0; request.topology.hosts() as usize];
    for rank in 0..request.size {
        if host_of(rank) != host_of((rank + 1) % request.size) {
            crossings[host_of(rank)] += 1;
        }
    }
    crossings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Collective;
    use crate::cost::tests::with_request;

    const PATHS: Paths = Paths { local: LinkModel::SHM, remote: LinkModel::TCP };

    fn edges(labels: &str) -> Edges {
        with_request(labels, Collective::Barrier, 0, |request| Edges::of(&PATHS, request))
    }

    #[test]
    fn edges_on_average_are_as_many_as_leave_a_host() {
        let latency = |labels| edges(labels).on_average(|link| link.latency_us);
        let (near, far) = (PATHS.local.latency_us, PATHS.remote.latency_us);
        for (labels, expected) in [
            ("aaaa", near),
            ("aaaabbbb", 0.25 * far + 0.75 * near),
            ("abab", far),
            ("aabb", 0.5 * far + 0.5 * near),
        ] {
            assert!((latency(labels) - expected).abs() < 1e-9, "{labels}");
        }
    }

    #[test]
    fn edges_that_leave_a_host_share_its_wire() {
        let wires = |labels| {
            let byte = edges(labels).at_the_busiest(|link| link.us_per_byte);
            byte / PATHS.remote.us_per_byte
        };
        assert_eq!(wires("aaabbb"), 1.0, "one edge of each host");
        assert_eq!(wires("ababab"), 3.0, "all three");
        assert_eq!(wires("abcbab"), 3.0, "of the host with the most");
        let byte = edges("aaaa").at_the_busiest(|link| link.us_per_byte);
        assert_eq!(byte, PATHS.local.us_per_byte, "none leaves");
    }

    #[test]
    fn a_rank_on_each_host_has_plain_links() {
        let edges = edges("abcd");
        for cost in [|link: &LinkModel| link.latency_us, |link: &LinkModel| link.us_per_byte] {
            assert_eq!(edges.on_average(cost), cost(&PATHS.remote));
            assert_eq!(edges.at_the_busiest(cost), cost(&PATHS.remote));
        }
    }
}
