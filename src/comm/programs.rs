//! Each call with its compiled plan and kernels: looked up, or chosen, built and compiled once.

use std::sync::Arc;

use parking_lot::Mutex;

use super::operation::{Kernels, Operation};
use crate::algo::Algorithm;
use crate::base::{Call, CallKind, Collective, Rank, Result};
use crate::plan::PlanRequest;
use crate::plan::cache::Cache;
use crate::progress::{Key, Prepared, Program};
use crate::topology::Topology;
use crate::tuning::Tuning;

/// Compiled plans that are kept.
const KEPT: usize = 512;

/// The plans of one communicator.
pub(super) struct Programs {
    tuning: Tuning,
    some_tcp: bool,
    /// Ranks share cores.
    crowded: bool,
    /// The port that leads to each rank.
    ports: Vec<u32>,
    known: Mutex<Cache<Key, Prepared>>,
}

impl Programs {
    /// Of a communicator over all ports.
    pub fn new(tuning: Tuning, some_tcp: bool, crowded: bool, size: u32) -> Programs {
        let known = Mutex::new(Cache::new(KEPT));
        Programs { tuning, some_tcp, crowded, ports: (0..size).collect(), known }
    }

    /// Of a communicator made from this one's, whose ranks are `members` there.
    pub fn of_part(&self, members: &[Rank]) -> Programs {
        let ports = members.iter().map(|rank| self.ports[*rank as usize]).collect();
        let known = Mutex::new(Cache::new(KEPT));
        Programs { tuning: self.tuning.clone(), some_tcp: self.some_tcp, crowded: self.crowded, ports, known }
    }

    /// The port that leads to each rank.
    pub fn ports(&self) -> &[u32] {
        &self.ports
    }

    /// `key` is the operation's. An error says what is wrong with the operation.
    pub fn get(
        &self,
        key: &Key,
        operation: &Operation,
        rank: Rank,
        topology: &Topology,
    ) -> Result<Arc<Prepared>> {
        let mut known = self.known.lock();
        known.get_or_build(*key, || self.prepare(operation, rank, topology)).map(Arc::clone)
    }

    fn prepare(&self, operation: &Operation, rank: Rank, topology: &Topology) -> Result<Prepared> {
        operation.check(topology.size())?;
        let Kernels { reduce, divide } = operation.kernels(rank, topology.size())?;
        let program = self.build(operation, rank, topology)?;
        Ok(Prepared { reduce, divide, ..Prepared::new(operation.call, program) })
    }

    /// Whether links may leave large messages with the sender until they are read (single copy). Then a send ends only
    /// when its receiver has had a turn. Among ranks that share cores that pays for plain copies from all to all,
    /// not where ranks reduce or pass on what they get (measured: docs/adr/0006-single-copy.md).
    fn may_lend(&self, kind: CallKind) -> bool {
        use Collective::{AllGather, AllToAll, Gather, Scatter};
        !self.crowded || matches!(kind, CallKind::Collective(AllGather | AllToAll | Gather | Scatter))
    }

    fn build(&self, operation: &Operation, rank: Rank, topology: &Topology) -> Result<Program> {
        let call = &operation.call;
        let request =
            PlanRequest { in_place: operation.is_in_place(rank), ..self.request(call, rank, topology) };
        let plan = (self.tuning.choose(&request, self.some_tcp)?.build)(&request);
        Ok(Program::compile(&plan, &request, self.may_lend(call.kind)).through(&self.ports))
    }

    /// The algorithm of a collective call: equal on all ranks, so neither rank nor buffers count.
    pub fn algorithm(&self, call: &Call, topology: &Topology) -> Result<&'static Algorithm> {
        self.tuning.choose(&self.request(call, 0, topology), self.some_tcp)
    }

    fn request<'a>(&self, call: &Call, rank: Rank, topology: &'a Topology) -> PlanRequest<'a> {
        PlanRequest {
            collective: match call.kind {
                CallKind::Collective(collective) => collective,
                // What each rank has to say goes to all. (A message is no operation, and has no plan.)
                CallKind::Formation(_) | CallKind::Transfer => Collective::AllGather,
            },
            size: topology.size(),
            rank,
            root: call.root,
            count: call.count as usize,
            element_bytes: call.datatype.bytes(),
            in_place: false,
            chunk_bytes: self.tuning.chunk_bytes,
            topology,
        }
    }
}
