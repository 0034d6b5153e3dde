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

use crate::common;
use anyccl_engine::base::Collective;
use fault::{Fault, Stage, WIRES};
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

// All trials run in one test, one after the other, because they measure time.
#[test]
fn every_fault_at_every_stage_is_told_to_all_survivors_in_time() {
    let mut rows = Vec::new();
    for fault in Fault::OF_A_PROCESS {
        for stage in stages() {
            for transport in ["shm", "tcp"] {
                rows.extend(Trial { fault, stage, transport, victim: 1 }.run());
            }
        }
    }
    for fault in WIRES.map(Fault::Wire) {
        for stage in stages() {
            let transports: &[_] = if is_full() { &["tcp", "auto"] } else { &["auto"] };
            for transport in transports {
                let Some(row) = (Trial { fault, stage, transport, victim: 1 }).run() else { return };
                rows.push(row);
            }
        }
    }
    // While all ranks join, the loss of the rank that keeps the store is noticed in another way.
    for fault in WIRES.map(Fault::Wire) {
        for stage in [Stage::Init, Stage::Connect] {
            let Some(row) = (Trial { fault, stage, transport: "auto", victim: 0 }).run() else { return };
            rows.push(row);
        }
    }
    if is_full() {
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
