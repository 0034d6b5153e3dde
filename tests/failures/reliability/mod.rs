//! The table of faults: the error that each survivor gets, and after how long. The test applies every fault
//! at every stage, over every transport.
//!
//! `ANYCCL_TEST_WRITE=1` writes the table into docs/reliability.md. Without, fewer collectives are tried, and
//! nothing is written; the limits hold in both cases.
//!
//! - [`fault`] defines the faults of a process and of the wire of its host, and the stages of a job.
//! - [`trial`] runs one job and applies one fault. [`survivor`] is what its ranks do.
//! - [`table`] writes the page.

mod fault;
mod survivor;
mod table;
mod trial;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common;
use anyccl_engine::base::Collective;
use fault::{Fault, Stage, WIRES};
use table::Row;
use trial::Trial;

/// Where the test is that every rank runs.
const MODULE: &str = module_path!();

fn is_full() -> bool {
    std::env::var_os("ANYCCL_TEST_WRITE").is_some()
}

fn stages() -> Vec<Stage> {
    let collectives: &[Collective] = match is_full() {
        true => &Collective::UNIFORM,
        false => &[Collective::AllReduce, Collective::Gather],
    };
    let mut stages = vec![Stage::Init, Stage::Connect];
    stages.extend(collectives.iter().map(|collective| Stage::Waiting(*collective)));
    stages.extend([Stage::Busy, Stage::Finalize]);
    stages
}

/// Trials that run at the same time. They hardly compute, and wait for deadlines.
const AT_ONCE: usize = 6;

/// Runs trials, some at a time, and returns their rows in the order of the trials. `None`: one of them needs
/// a network, and none can be had.
fn run(trials: &[Trial]) -> Vec<Option<Row>> {
    let next = AtomicUsize::new(0);
    let rows = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some((at, trial)) =
                    trials.iter().enumerate().nth(next.fetch_add(1, Ordering::Relaxed))
                {
                    let row = trial.run();
                    rows.lock().expect("no panic in between").push((at, row));
                }
            });
        }
    });
    let mut rows = rows.into_inner().expect("all trials have passed");
    rows.sort_by_key(|(at, _)| *at);
    rows.into_iter().map(|(_, row)| row).collect()
}

#[test]
fn every_fault_at_every_stage_is_told_to_all_survivors_in_time() {
    let mut trials = Vec::new();
    for fault in Fault::OF_A_PROCESS {
        for stage in stages() {
            trials.extend(["shm", "tcp"].map(|transport| Trial { fault, stage, transport, victim: 1 }));
        }
    }
    for fault in WIRES.map(Fault::Wire) {
        for stage in stages() {
            let transports: &[_] = if is_full() { &["tcp", "auto"] } else { &["auto"] };
            trials.extend(transports.iter().map(|transport| Trial { fault, stage, transport, victim: 1 }));
        }
    }
    // While all ranks join, the loss of the rank that keeps the store is noticed in another way.
    for fault in WIRES.map(Fault::Wire) {
        let joining = [Stage::Init, Stage::Connect];
        trials.extend(joining.map(|stage| Trial { fault, stage, transport: "auto", victim: 0 }));
    }
    let rows: Option<Vec<Row>> = run(&trials).into_iter().collect();
    if let Some(rows) = rows.filter(|_| is_full()) {
        table::write(&rows);
    }
}

#[test]
#[ignore = "a rank of the tests above, which start it as a process"]
fn a_rank_of_the_tests_in_this_file() {
    if common::processes::part().is_some() {
        survivor::live_through_it();
    }
}
