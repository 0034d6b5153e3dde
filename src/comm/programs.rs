//! The compiled plan of each call: looked up, or chosen, built and compiled once.

use std::sync::Arc;

use parking_lot::Mutex;

use super::operation::Checked;
use crate::base::{CallKind, Collective, Rank, Result};
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
    /// Ranks share cores.
    crowded: bool,
    known: Mutex<Cache<Key, Program>>,
}

impl Programs {
    pub fn new(tuning: Tuning, some_tcp: bool, crowded: bool) -> Programs {
        Programs { tuning, some_tcp, crowded, known: Mutex::new(Cache::new(KEPT)) }
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

    /// Whether links may leave large messages with the sender until they are read (single copy). Then a send ends only
    /// when its receiver has had a turn. Among ranks that share cores that pays for plain copies from all to all,
    /// not where ranks reduce or pass on what they get (measured: docs/adr/0006-single-copy.md).
    fn may_lend(&self, kind: CallKind) -> bool {
        use Collective::{AllGather, AllToAll, Gather, Scatter};
        !self.crowded
            || matches!(
                kind,
                CallKind::Transfer | CallKind::Collective(AllGather | AllToAll | Gather | Scatter)
            )
    }

    fn build(&self, key: &Key, rank: Rank, topology: &Topology) -> Result<Program> {
        let mut request = PlanRequest {
            collective: Collective::Barrier,
            size: topology.size(),
            rank,
            root: key.root,
            count: key.count,
            element_bytes: key.element_bytes,
            in_place: key.in_place,
            chunk_bytes: self.tuning.chunk_bytes,
            topology,
        };
        let plan = match key.kind {
            CallKind::Transfer => transfer(key, rank),
            CallKind::Collective(collective) => {
                request.collective = collective;
                (self.tuning.choose(&request, self.some_tcp)?.build)(&request)
            }
        };
        Ok(Program::compile(&plan, &request, self.may_lend(key.kind)))
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
