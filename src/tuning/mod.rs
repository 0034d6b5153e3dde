//! The choice of algorithms: the one that the user names, else the cheapest by predicted cost.
//!
//! Every rank must choose the same algorithm. So the choice depends on the request without its rank and
//! in-place flag, on the topology, and on a [`Tuning`]. Rank 0 makes the tuning, and all others take it over
//! as bytes when the communicator is made. Nothing is measured locally; a file has what `anyccl perf --tune`
//! measured before.

mod file;
mod fixed;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod foreign_bytes;
mod narrow;
mod ordered;
mod overrides;
#[cfg(test)]
mod tests;
mod wire;

pub use file::Links;

use std::sync::Arc;

use overrides::Overrides;

use crate::algo::{self, Algorithm, Cost};
use crate::base::{Collective, Error, Result, WireFormat};
use crate::config::Config;
use crate::cost::{Edges, LinkModel, Paths, Times};
use crate::plan::PlanRequest;
use crate::sys::trusted_file::TrustPolicy;

/// All that the choice of algorithms depends on, besides the request.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuning {
    /// Links within a host.
    pub shm: LinkModel,
    /// Links between hosts.
    pub tcp: LinkModel,
    /// Measured times, for predictions. `None`: there are none.
    pub times: Option<Arc<Times>>,
    /// `PlanRequest::chunk_bytes` of every request.
    pub chunk_bytes: usize,
    /// The most ranks that share one core. Every rank knows it from the records of all.
    pub ranks_per_core: u32,
    /// Whether reductions have the same bits in every call. The ranks agree on it apart from the tuning.
    pub fixed_bits: bool,
    /// The format in which sums of floats travel between hosts. `None`: as they are. The ranks agree on it
    /// apart from the tuning.
    pub wire: Option<WireFormat>,
    overrides: Overrides,
}

impl Tuning {
    /// The default or measured models, with the user's settings. An unknown algorithm is an error that lists
    /// the known ones.
    pub fn from_config(config: &Config) -> Result<Tuning> {
        let believed = TrustPolicy::from_setting(config.allow_other_users);
        let file = config.tuning_file.as_deref().map(|path| Links::read(path, believed));
        let Links { shm, tcp, times } = file.unwrap_or(Ok(Links::DEFAULT))?;
        Ok(Tuning {
            shm,
            tcp,
            times: measured(times),
            chunk_bytes: config.chunk_bytes,
            ranks_per_core: 1,
            fixed_bits: config.deterministic,
            wire: config.wire,
            overrides: config.algorithm.as_deref().map_or(Ok(Overrides::default()), Overrides::parse)?,
        })
    }

    /// This tuning with other links.
    pub fn with_links(self, links: Links) -> Tuning {
        Tuning { shm: links.shm, tcp: links.tcp, times: measured(links.times), ..self }
    }

    /// This tuning for hosts with `ranks_per_core` ranks on each core.
    pub fn oversubscribed(self, ranks_per_core: u32) -> Tuning {
        let (shm, tcp) =
            (self.shm.oversubscribed(ranks_per_core), self.tcp.oversubscribed_tcp(ranks_per_core));
        // They were measured with a core for each rank.
        let times = self.times.filter(|_| ranks_per_core <= 1);
        Tuning { shm, tcp, times, ranks_per_core, ..self }
    }

    /// This tuning with reductions that have the same bits in every call, or need not have.
    pub fn with_fixed_bits(self, fixed_bits: bool) -> Tuning {
        Tuning { fixed_bits, ..self }
    }

    /// This tuning with sums that travel between hosts in this format.
    pub fn with_wire(self, wire: Option<WireFormat>) -> Tuning {
        Tuning { wire, ..self }
    }

    /// The algorithm for a request. `all_tcp`: no shared memory, even within a host.
    ///
    /// Equal on all ranks: `request.rank` and `request.in_place` are ignored.
    pub fn choose(&self, request: &PlanRequest, all_tcp: bool) -> Result<&'static Algorithm> {
        if self.is_fixed(request.collective) {
            return self.choose_fixed(request, all_tcp);
        }
        if let Some(wanted) = self.overrides.of(request.collective) {
            return match (wanted.supports)(&shared(request)) {
                true => Ok(wanted),
                false => Err(Error::Unsupported(format!(
                    "ANYCCL_ALGORITHM wants {}:{}, which cannot serve {} ranks and count {}",
                    request.collective.name(),
                    wanted.name,
                    request.size,
                    request.count,
                ))),
            };
        }
        let best = self.candidates(request, all_tcp).first().map(|&(algorithm, _)| algorithm);
        best.ok_or_else(|| Error::Internal(format!("no algorithm for {}", request.collective.name())))
    }

    /// The algorithms among which it chooses for a collective.
    pub fn rows(&self, collective: Collective) -> impl Iterator<Item = &'static Algorithm> {
        let is_fixed = self.is_fixed(collective);
        algo::of(collective)
            .filter(move |_| !is_fixed)
            .chain(algo::fixed(collective).filter(move |_| is_fixed))
    }

    /// All algorithms that can serve a request, with their predicted microseconds, the fastest first. The
    /// user's choice is ignored.
    pub fn candidates(&self, request: &PlanRequest, all_tcp: bool) -> Vec<(&'static Algorithm, f64)> {
        let request = shared(request);
        let compared = self
            .rows(request.collective)
            .filter(|algorithm| self.why_not(algorithm, &request, all_tcp).is_none());
        let mut candidates: Vec<_> =
            compared.map(|algorithm| (algorithm, self.predict(algorithm, &request, all_tcp))).collect();
        // Stable sort: equal costs keep the order of the table.
        candidates.sort_by(|(_, a), (_, b)| a.total_cmp(b));
        candidates
    }

    /// Why an algorithm is not compared with others for a request. `None`: it is compared.
    ///
    /// With one host, or with one rank on each host, a hierarchical algorithm does the same as a flat one.
    pub fn why_not(
        &self,
        algorithm: &Algorithm,
        request: &PlanRequest,
        all_tcp: bool,
    ) -> Option<&'static str> {
        let has_groups = (2..request.size).contains(&request.topology.hosts());
        match algorithm.cost {
            _ if !(algorithm.supports)(&shared(request)) => Some("does not serve this call"),
            Cost::ByHost(_) if !has_groups => {
                Some("not compared: needs several hosts with several ranks to differ from the others")
            }
            Cost::Oversubscribed(_)
                if all_tcp || request.topology.hosts() > 1 || self.ranks_per_core <= 1 =>
            {
                Some("not compared: for ranks that share cores and memory")
            }
            _ => None,
        }
    }

    fn predict(&self, algorithm: &Algorithm, request: &PlanRequest, all_tcp: bool) -> f64 {
        let local = if all_tcp { self.tcp } else { self.shm };
        let paths = Paths { local, remote: self.tcp };
        match algorithm.cost {
            Cost::Flat(_, cost) if request.topology.hosts() == 1 => cost(request, &local),
            Cost::Flat(traffic, cost) => cost(request, &paths.seen_by(traffic, request)),
            Cost::Ring(cost) => cost(request, &Edges::of(&paths, request)),
            Cost::ByHost(cost) => cost(request, &paths),
            Cost::Oversubscribed(cost) => cost(request, &local),
        }
    }
}

/// Keeps times, if there are any.
fn measured(times: Times) -> Option<Arc<Times>> {
    (times != Times::NONE).then(|| Arc::new(times))
}

/// The part of a request on which all ranks agree.
fn shared<'a>(request: &PlanRequest<'a>) -> PlanRequest<'a> {
    PlanRequest { rank: 0, in_place: false, ..*request }
}
