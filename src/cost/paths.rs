//! Links on several hosts: which link the messages of an algorithm use, and which ranks share it.
//!
//! A host has one wire to the others. Messages that its ranks send at the same time share that wire's
//! bandwidth; within the host each rank has links of its own.

use super::LinkModel;
use crate::plan::PlanRequest;

/// Both kinds of links of a job, for algorithms that know the host of each rank.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Paths {
    /// The model of links within a host, for each rank.
    pub local: LinkModel,
    /// The model of links between hosts, for all ranks of a host together.
    pub remote: LinkModel,
}

/// The receivers of a rank's messages in an algorithm that ignores hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Traffic {
    /// All ranks alike, or partners at many distances.
    Everywhere,
    /// One partner per round. Its number differs in one bit if the number of ranks is a power of two.
    Hypercube,
    /// A hypercube whose first partners are neighbours, with messages that become half as long from round to
    /// round.
    NearestFirst,
    /// The root, or the senders to it: the root's wire decides.
    Root,
}

/// How much longer the wire takes for the messages of a round if ranks that share it reduce between rounds:
/// with less, simulations of 16 hosts of 8 ranks took a seventh longer than with `hierarchical`.
const IDLE_WIRE: f64 = 1.15;

impl Paths {
    /// The link that an algorithm which ignores hosts seems to have.
    ///
    /// Its rounds wait for the slowest message. So the latency is that between hosts, except for rounds in
    /// which no message leaves its host. The cost of a byte is that on the busiest host, averaged over the
    /// peers of a rank there.
    pub fn seen_by(&self, traffic: Traffic, request: &PlanRequest) -> LinkModel {
        let ranks_of = ranks_of(request);
        let size = f64::from(request.size);
        let peers = (size - 1.0).max(1.0);
        // `sharing` ranks of a host with `ranks` use its wire at a time.
        let average = |ranks: u32, sharing: f64| {
            let (near, far) = (f64::from(ranks) - 1.0, size - f64::from(ranks));
            (near * self.local.us_per_byte + sharing * far * self.remote.us_per_byte) / peers
        };
        let leaving = match traffic {
            Traffic::Hypercube | Traffic::NearestFirst => leaving_by_round(request),
            Traffic::Everywhere | Traffic::Root => Vec::new(),
        };
        let us_per_byte = match traffic {
            Traffic::NearestFirst if !leaving.is_empty() => self.of_halves(&leaving),
            Traffic::Root => average(ranks_of[request.topology.host_of(request.root) as usize], 1.0),
            _ => ranks_of.iter().map(|&ranks| average(ranks, f64::from(ranks))).fold(0.0, f64::max),
        };
        let within = leaving.iter().filter(|&&leaving| leaving == 0).count() as f64;
        let stays = within / (leaving.len() as f64).max(1.0);
        let latency_us = stays * self.local.latency_us + (1.0 - stays) * self.remote.latency_us;
        LinkModel { latency_us, us_per_byte, ..self.remote }
    }

    /// The mean cost of a byte of messages that become half as long from round to round, if so many ranks of
    /// a host send to others in each. They share its wire, which idles while they reduce what has come.
    fn of_halves(&self, leaving: &[u32]) -> f64 {
        let (mut share, mut shares, mut cost) = (1.0, 0.0, 0.0);
        for &leaving in leaving {
            share /= 2.0;
            shares += share;
            let wire =
                f64::from(leaving) * self.remote.us_per_byte * if leaving > 1 { IDLE_WIRE } else { 1.0 };
            cost += share * self.local.us_per_byte.max(wire);
        }
        cost / shares
    }
}

/// Number of ranks by host.
fn ranks_of(request: &PlanRequest) -> Vec<u32> {
    let mut ranks_of = vec![0; request.topology.hosts() as usize];
    for rank in 0..request.size {
        ranks_of[request.topology.host_of(rank) as usize] += 1;
    }
    ranks_of
}

/// For each round of a hypercube, in the order of distances: the most ranks of a host that have their
/// partner on another. Empty: it is not known.
fn leaving_by_round(request: &PlanRequest) -> Vec<u32> {
    let PlanRequest { size, topology, .. } = *request;
    if !size.is_power_of_two() {
        return Vec::new();
    }
    let leaving = |round: u32| {
        let mut of_host = vec![0; topology.hosts() as usize];
        for rank in 0..size {
            let host = topology.host_of(rank);
            of_host[host as usize] += u32::from(host != topology.host_of(rank ^ (1 << round)));
        }
        of_host.into_iter().max().unwrap_or(0)
    };
    (0..size.ilog2()).map(leaving).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Collective;
    use crate::cost::tests::with_request;

    const PATHS: Paths = Paths { local: LinkModel::SHM, remote: LinkModel::TCP };

    /// Time of a byte in units of one wire's, if bytes within a host cost nothing.
    fn wires(labels: &str, traffic: Traffic) -> f64 {
        let local = LinkModel { us_per_byte: 0.0, ..LinkModel::SHM };
        with_request(labels, Collective::Barrier, 0, |request| {
            Paths { local, ..PATHS }.seen_by(traffic, request).us_per_byte / LinkModel::TCP.us_per_byte
        })
    }

    #[test]
    fn ranks_of_a_host_share_its_wire() {
        assert_eq!(wires("abc", Traffic::Everywhere), 1.0, "one rank, all peers elsewhere");
        assert_eq!(wires("aabb", Traffic::Everywhere), 4.0 / 3.0, "two ranks, two of three peers elsewhere");
        assert_eq!(wires("aabb", Traffic::Root), 2.0 / 3.0, "only the root");
        assert_eq!(
            wires("aabb", Traffic::NearestFirst),
            IDLE_WIRE * 2.0 / 3.0,
            "two ranks, with the shorter half"
        );
        assert_eq!(
            wires("abab", Traffic::NearestFirst),
            IDLE_WIRE * 4.0 / 3.0,
            "two ranks, with the longer half"
        );
        assert_eq!(wires("aaab", Traffic::NearestFirst), 1.0, "one rank in each round");
        assert_eq!(wires("aab", Traffic::NearestFirst), wires("aab", Traffic::Everywhere), "not known");
    }

    #[test]
    fn some_rounds_of_a_hypercube_stay_within_hosts() {
        let remote_rounds = |labels: &str| {
            let latencies = with_request(labels, Collective::Barrier, 0, |request| {
                let local = LinkModel { latency_us: 0.0, ..LinkModel::SHM };
                let link = Paths { local, ..PATHS }.seen_by(Traffic::Hypercube, request);
                3.0 * link.latency_us / LinkModel::TCP.latency_us
            });
            latencies.round()
        };
        assert_eq!(remote_rounds("aaaabbbb"), 1.0);
        assert_eq!(remote_rounds("aabbccdd"), 2.0);
        assert_eq!(remote_rounds("abababab"), 1.0, "only neighbours are apart");
        assert_eq!(remote_rounds("aaabbbbb"), 3.0);
        assert_eq!(remote_rounds("aaabbb"), 3.0, "not known");
    }

    #[test]
    fn one_rank_per_host_sees_the_plain_link() {
        for traffic in [Traffic::Everywhere, Traffic::Hypercube, Traffic::NearestFirst, Traffic::Root] {
            with_request("abcd", Collective::AllReduce, 1, |request| {
                assert_eq!(PATHS.seen_by(traffic, request), LinkModel::TCP);
            });
        }
    }
}
