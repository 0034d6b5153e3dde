//! Processes for tests.

use std::collections::BTreeMap;
use std::time::Duration;

use super::communicator::Communicator;
use super::job::jobs_of;
use super::processes::Process;
use super::rank_report::State;
use crate::base::{Call, CallKind, Collective, Datatype};
use crate::observe::status::{CommSnapshot, OperationSnapshot, PeerLink, Snapshot, WaitSnapshot};
use crate::sys::host::pid_namespace;

fn call(count: u64) -> Call {
    let kind = CallKind::Collective(Collective::AllGather);
    Call { kind, datatype: Datatype::Int32, op: None, root: 0, count }
}

/// A process whose rank has made that many calls, the last with `count`, and may wait in the last.
pub(in crate::observe) fn process(rank: u32, size: u32, made: u64, count: u64, waits: bool) -> Process {
    let comm = CommSnapshot {
        context: 2,
        group: 3,
        name: "world".into(),
        rank,
        size,
        made,
        made_by_kind: BTreeMap::from([("all_gather", made)]),
        last: (made > 0).then(|| call(count)),
        failure: None,
        reason: String::new(),
        members: (0..size).collect(),
    };
    let wait = WaitSnapshot {
        context: 2,
        call: Some(made.saturating_sub(1) as u32),
        silence: Duration::from_secs(3),
        text: "all_gather".into(),
        links: Vec::new(),
    };
    let (pid, waits) = (1000 + rank, if waits { vec![wait] } else { Vec::new() });
    let operation = made.checked_sub(1).map(|number| OperationSnapshot {
        number: 7,
        context: 2,
        call_number: number as u32,
        call: call(count),
        began: Some(1_000_000_000),
        moved: None,
        ended: Some(2_000_000_000).filter(|_| waits.is_empty()),
        has_ended: waits.is_empty(),
        has_failed: false,
        side: None,
    });
    let page = Snapshot {
        pid,
        job: 5,
        rank,
        size,
        hosts: 1,
        pid_namespace: pid_namespace(),
        are_apart: false,
        host_names: vec!["here".into()],
        read_at: 6_500_000_000,
        clock_zero: 0,
        comms: vec![comm],
        waits,
        operations: operation.into_iter().collect(),
        progress: BTreeMap::new(),
        messages: Vec::new(),
    };
    let (has_ended, is_stopped) = (false, false);
    let (command, pages) = ("program".into(), vec![page]);
    Process { host: None, pid, pid_namespace: pid_namespace(), has_ended, is_stopped, command, pages }
}

/// A rank of two in call 17, which waits for data of the other one, and what it has sent and received.
pub(in crate::observe) fn waiting(rank: u32, sent: u64, received: u64) -> Process {
    let mut process = process(rank, 2, 18, 1, true);
    process.pages[0].waits[0].links = vec![PeerLink {
        peer: 1 - rank,
        reads: true,
        writes: false,
        transport: "tcp".into(),
        sent,
        received,
    }];
    process
}

/// The communicator of processes that have one.
pub(super) fn only_communicator(processes: Vec<Process>) -> Communicator {
    let mut jobs = jobs_of(&processes, 1);
    assert_eq!((jobs.len(), jobs[0].communicators.len()), (1, 1));
    jobs.remove(0).communicators.remove(0)
}

/// What its ranks do.
pub(super) fn states(comm: &Communicator) -> Vec<(u32, State)> {
    comm.ranks.iter().map(|rank| (rank.rank, rank.state)).collect()
}
