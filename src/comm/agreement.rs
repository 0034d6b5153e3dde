//! What the ranks find out together right after they have connected.
//!
//! One all_gather over the new links: it proves that every link works, and tells each rank which processors
//! the ranks of its host may use. Where ranks outnumber processors, waiting means yielding.

use std::sync::Arc;
use std::time::Duration;

use crate::base::{Call, CallKind, Collective, Datatype, Rank, Result};
use crate::plan::{Buffer, Lane, Plan, PlanRequest, Round, Span, Step};
use crate::progress::wait::Driver;
use crate::progress::{Buffers, Program, Start};
use crate::sys::cores::{self, CoreSet};
use crate::topology::Topology;

/// The outcome.
pub(super) struct Agreed {
    /// More ranks on this host than processors that they may use.
    pub crowded: bool,
}

/// Collective. The first call on a new communicator.
pub(super) fn agree(
    driver: &Driver,
    topology: &Topology,
    rank: Rank,
    timeout: Option<Duration>,
) -> Result<Agreed> {
    let mine = cores::allowed();
    let mut all = vec![0u8; topology.size() as usize * CoreSet::BYTES];
    exchange(driver, topology, rank, mine.as_bytes(), &mut all, timeout)?;
    let mut union = CoreSet::default();
    for peer in topology.neighbours(rank) {
        let at = peer as usize * CoreSet::BYTES;
        union.add(&all[at..at + CoreSet::BYTES]);
    }
    // A quota of the control group is less than what the affinity allows; it is taken as the whole host's.
    let quota = cores::usable();
    let processors = if quota < mine.count() || union.count() == 0 { quota } else { union.count() };
    Ok(Agreed { crowded: topology.local_size(rank) as usize > processors })
}

fn exchange(
    driver: &Driver,
    topology: &Topology,
    rank: Rank,
    mine: &[u8],
    all: &mut [u8],
    timeout: Option<Duration>,
) -> Result<()> {
    let (size, count) = (topology.size(), mine.len());
    let own = Span { buffer: Buffer::Input, offset: 0, len: count };
    let place = |peer: Rank| Span { buffer: Buffer::Output, offset: peer as usize * count, len: count };
    let mut steps = vec![Step::Copy { src: own, dst: place(rank) }];
    let others: Vec<Rank> = (0..size).filter(|peer| *peer != rank).collect();
    steps.extend(others.iter().map(|&from| Step::Recv { from, dst: place(from) }));
    if !others.is_empty() {
        steps.push(Step::Send { to: others, span: own });
    }
    let plan = Plan { scratch: 0, lanes: vec![Lane { rounds: vec![Round { steps }] }] };
    let request = PlanRequest {
        collective: Collective::AllGather,
        size,
        rank,
        root: 0,
        count,
        element_bytes: 1,
        in_place: false,
        chunk_bytes: 1,
        topology,
    };
    let kind = CallKind::Collective(Collective::AllGather);
    let start = Start {
        call: Call { kind, datatype: Datatype::Byte, op: None, root: 0, count: count as u64 },
        peer: 0,
        sends: false,
        program: Arc::new(Program::compile(&plan, &request)),
        buffers: Buffers { input: mine.as_ptr(), output: all.as_mut_ptr() },
        reduce: None,
        divide: None,
    };
    // SAFETY: the plan reads `count` bytes of `mine` and writes `size * count` of `all`; both outlive the call,
    // which ends before this function does.
    unsafe { driver.run(start, timeout) }
}
