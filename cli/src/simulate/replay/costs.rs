//! The predicted time of each collective of a job.

use std::cell::RefCell;
use std::collections::HashMap;

use anyccl_engine::base::Collective;
use anyccl_engine::plan::{BlockLayout, PlanRequest};
use anyccl_engine::simulate::{Limits, LinkCosts, simulate};
use anyccl_engine::topology::Topology;

use crate::failure::Failure;
use crate::simulate::cluster::Cluster;

/// A collective, as far as its time depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cost {
    pub collective: Collective,
    pub root: u32,
    /// Elements; of blocks of different lengths, their mean.
    pub count: u64,
    pub element: usize,
    pub in_place: bool,
}

/// Costs of the calls on one cluster. Each is simulated once.
pub struct Costs<'a> {
    cluster: &'a Cluster,
    all_tcp: bool,
    /// Groups of ranks that lie on hosts in the same way have one topology.
    topologies: Vec<(Vec<u64>, Topology)>,
    known: RefCell<HashMap<(usize, Cost), f64>>,
    /// Calls that were too large to be simulated.
    by_formula: RefCell<usize>,
}

impl<'a> Costs<'a> {
    pub fn new(cluster: &'a Cluster, all_tcp: bool) -> Costs<'a> {
        let (topologies, known) = (Vec::new(), RefCell::default());
        Costs { cluster, all_tcp, topologies, known, by_formula: RefCell::default() }
    }

    /// Number of a topology, by the host of each rank.
    pub fn topology(&mut self, hosts: &[u64]) -> usize {
        // Hosts are numbered as they come, so that groups on other hosts are the same.
        let mut seen: HashMap<u64, u64> = HashMap::new();
        let number = |host: &u64| {
            let next = seen.len() as u64;
            *seen.entry(*host).or_insert(next)
        };
        let labels: Vec<u64> = hosts.iter().map(number).collect();
        let known = self.topologies.iter().position(|(other, _)| *other == labels);
        known.unwrap_or_else(|| {
            let topology = Topology::from_labels(&labels);
            self.topologies.push((labels, topology));
            self.topologies.len() - 1
        })
    }

    /// Calls whose time is that of a formula, because they were too large to be simulated.
    pub fn by_formula(&self) -> usize {
        *self.by_formula.borrow()
    }

    /// Costs of messages.
    pub fn link(&self, within_host: bool) -> &LinkCosts {
        self.cluster.model.link(within_host)
    }

    /// Seconds of a collective among the ranks of a topology.
    pub fn seconds(&self, topology: usize, cost: Cost) -> Result<f64, Failure> {
        if let Some(seconds) = self.known.borrow().get(&(topology, cost)) {
            return Ok(*seconds);
        }
        let seconds = self.predicted(&self.topologies[topology].1, cost)?;
        self.known.borrow_mut().insert((topology, cost), seconds);
        Ok(seconds)
    }

    fn predicted(&self, topology: &Topology, cost: Cost) -> Result<f64, Failure> {
        let size = topology.size();
        if size == 1 {
            return Ok(0.0);
        }
        let Cost { collective, root, count, element, in_place } = cost;
        let tuning = &self.cluster.tuning;
        let request = PlanRequest {
            collective: collective.with_one_count(),
            size,
            rank: 0,
            root: root.min(size - 1),
            count: count as usize,
            element_bytes: element,
            in_place,
            chunk_bytes: tuning.chunk_bytes,
            topology,
            layout: BlockLayout::NONE,
        };
        let chosen = tuning.choose(&request, self.all_tcp)?;
        if let Ok(prediction) = simulate(chosen, &request, &self.cluster.model, &Limits::default()) {
            return Ok(prediction.seconds);
        }
        *self.by_formula.borrow_mut() += 1;
        let candidates = tuning.candidates(&request, self.all_tcp);
        let of_chosen = candidates.iter().find(|(algorithm, _)| algorithm.name == chosen.name);
        of_chosen.or(candidates.first()).map(|(_, us)| us * 1e-6).ok_or_else(|| {
            Failure::own(format_args!("{} of {count} elements cannot be predicted", collective.name()))
        })
    }
}
