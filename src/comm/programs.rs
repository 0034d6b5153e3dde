//! The compiled plan of each call: looked up, or chosen, built and compiled once.

use std::sync::Arc;

use parking_lot::Mutex;

use super::operation::Checked;
use crate::algo::Algorithm;
use crate::base::{CallKind, Collective, Datatype, Rank, Result};
use crate::plan::cache::Cache;
use crate::plan::{Buffer, Lane, Plan, PlanRequest, Round, Span, Step};
use crate::progress::Program;
use crate::topology::Topology;
use crate::tuning::Tuning;

/// Compiled plans that are kept.
const KEPT: usize = 512;

/// What a plan of one rank in one communicator depends on.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    kind: CallKind,
    /// The other side of a transfer, and whether it goes out.
    transfer: (Rank, bool),
    count: usize,
    root: Rank,
    element_bytes: usize,
    in_place: bool,
}

/// The plans of one communicator.
pub(super) struct Programs {
    tuning: Tuning,
    some_tcp: bool,
    known: Mutex<Cache<Key, Program>>,
}

impl Programs {
    pub fn new(tuning: Tuning, some_tcp: bool) -> Programs {
        Programs { tuning, some_tcp, known: Mutex::new(Cache::new(KEPT)) }
    }

    pub fn get(&self, checked: &Checked, rank: Rank, topology: &Topology) -> Result<Arc<Program>> {
        let call = &checked.operation.call;
        let key = Key {
            kind: call.kind,
            transfer: (checked.operation.peer, checked.sends),
            count: call.count as usize,
            root: call.root,
            element_bytes: call.datatype.bytes(),
            in_place: checked.in_place,
        };
        let mut known = self.known.lock();
        known.get_or_build(key, || self.build(&key, rank, topology)).map(Arc::clone)
    }

    /// The algorithm that `get` builds from. Rank and in-place flag do not count.
    pub fn algorithm(
        &self,
        collective: Collective,
        count: usize,
        datatype: Datatype,
        root: Rank,
        topology: &Topology,
    ) -> Result<&'static Algorithm> {
        let kind = CallKind::Collective(collective);
        let element_bytes = datatype.bytes();
        let key = Key { kind, transfer: (0, false), count, root, element_bytes, in_place: false };
        self.tuning.choose(&PlanRequest { collective, ..self.request(&key, 0, topology) }, self.some_tcp)
    }

    fn request<'a>(&self, key: &Key, rank: Rank, topology: &'a Topology) -> PlanRequest<'a> {
        PlanRequest {
            collective: Collective::Barrier,
            size: topology.size(),
            rank,
            root: key.root,
            count: key.count,
            element_bytes: key.element_bytes,
            in_place: key.in_place,
            chunk_bytes: self.tuning.chunk_bytes,
            topology,
        }
    }

    fn build(&self, key: &Key, rank: Rank, topology: &Topology) -> Result<Program> {
        let mut request = self.request(key, rank, topology);
        let plan = match key.kind {
            CallKind::Transfer => transfer(key, rank),
            CallKind::Collective(collective) => {
                request.collective = collective;
                (self.tuning.choose(&request, self.some_tcp)?.build)(&request)
            }
        };
        Ok(Program::compile(&plan, &request))
    }
}

/// The plan of one side of a transfer. An empty one is sent, too: it may meet a call that is not empty.
fn transfer(key: &Key, rank: Rank) -> Plan {
    let (peer, sends) = key.transfer;
    if peer == rank && key.count == 0 {
        return Plan::default();
    }
    let span = |buffer| Span { buffer, offset: 0, len: key.count };
    let step = if sends {
        Step::Send { to: vec![peer], span: span(Buffer::Input) }
    } else {
        Step::Recv { from: peer, dst: span(Buffer::Output) }
    };
    Plan { scratch: 0, lanes: vec![Lane { rounds: vec![Round { steps: vec![step] }] }] }
}
