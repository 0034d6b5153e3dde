//! What the ranks find out together right after they have connected.
//!
//! One all_gather over the new links: it proves that every link works, and tells each rank which processors
//! the others may use and whether all links are shared memory. All ranks compute the same from the same
//! records: the choice of algorithms depends on it.

use std::sync::Arc;
use std::time::Duration;

use crate::base::{Call, CallKind, Collective, Datatype, Rank, Result};
use crate::plan::{Buffer, Lane, Plan, PlanRequest, Round, Span, Step};
use crate::progress::wait::Driver;
use crate::progress::{Buffers, Prepared, Program};
use crate::sys::cores::{self, CoreSet};
use crate::topology::Topology;

/// The outcome, equal on all ranks.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Agreed {
    /// Some host has more ranks than processors that they may use.
    pub crowded: bool,
    /// Some pair of ranks is linked by TCP.
    pub some_tcp: bool,
}

/// What a rank tells: allowed processors, number of usable ones (the quota counts there), a link is TCP.
const RECORD_BYTES: usize = CoreSet::BYTES + 4 + 1;

/// Collective. The first call on a new communicator.
pub(super) fn agree(
    driver: &Driver,
    topology: &Topology,
    rank: Rank,
    some_tcp: bool,
    timeout: Option<Duration>,
) -> Result<Agreed> {
    let mut mine = Vec::with_capacity(RECORD_BYTES);
    mine.extend(cores::allowed().as_bytes());
    mine.extend((cores::usable() as u32).to_le_bytes());
    mine.push(u8::from(some_tcp));
    let mut all = vec![0u8; topology.size() as usize * RECORD_BYTES];
    driver.lock().begin_joining();
    exchange(driver, topology, rank, &mine, &mut all, timeout)?;
    driver.lock().all_have_met();
    Ok(evaluate(topology, &all))
}

fn evaluate(topology: &Topology, all: &[u8]) -> Agreed {
    let records: Vec<&[u8]> = all.chunks_exact(RECORD_BYTES).collect();
    let some_tcp = records.iter().any(|record| record[RECORD_BYTES - 1] != 0);
    let crowded = (0..topology.size()).any(|rank| {
        let (mut union, mut quota) = (CoreSet::default(), usize::MAX);
        for neighbour in topology.neighbours(rank) {
            let (set, rest) = records[neighbour as usize].split_at(CoreSet::BYTES);
            let (allowed, usable) =
                (CoreSet::from_bytes(set), u32::from_le_bytes([rest[0], rest[1], rest[2], rest[3]]));
            union.add(&allowed);
            // Less than the affinity allows: a quota of the control group, taken as the whole host's.
            if (usable as usize) < allowed.count() || allowed.count() == 0 {
                quota = quota.min(usable as usize);
            }
        }
        topology.local_size(rank) as usize > union.count().min(quota)
    });
    Agreed { crowded, some_tcp }
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
    let call = Call { kind, datatype: Datatype::Byte, op: None, root: 0, count: count as u64 };
    let prepared = Prepared::new(call, Program::compile(&plan, &request, true));
    let buffers = Buffers { input: mine.as_ptr(), output: all.as_mut_ptr() };
    // SAFETY: the plan reads `count` bytes of `mine` and writes `size * count` of `all`; both outlive the call,
    // which ends before this function does.
    unsafe { driver.run(None, Arc::new(prepared), buffers, timeout) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(cores: u8, usable: u32, tcp: bool) -> Vec<u8> {
        let mut bytes = vec![0; RECORD_BYTES];
        bytes[0] = cores;
        bytes[CoreSet::BYTES..CoreSet::BYTES + 4].copy_from_slice(&usable.to_le_bytes());
        bytes[RECORD_BYTES - 1] = u8::from(tcp);
        bytes
    }

    fn agreed(hosts: &[u32], records: &[Vec<u8>]) -> Agreed {
        evaluate(&Topology::from_labels(hosts), &records.concat())
    }

    #[test]
    fn a_host_is_crowded_when_its_ranks_outnumber_all_their_processors_or_a_quota() {
        let bound = [record(0b01, 1, false), record(0b10, 1, false)];
        assert_eq!(agreed(&[0, 0], &bound), Agreed { crowded: false, some_tcp: false });
        let same = [record(0b01, 1, false), record(0b01, 1, false)];
        assert!(agreed(&[0, 0], &same).crowded);
        assert!(!agreed(&[0, 1], &same).crowded);
        let quota = [record(0b1111, 1, false), record(0b1111, 1, false)];
        assert!(agreed(&[0, 0], &quota).crowded);
    }

    #[test]
    fn one_tcp_link_anywhere_is_known_everywhere() {
        assert!(agreed(&[0, 0], &[record(3, 2, false), record(3, 2, true)]).some_tcp);
    }
}
