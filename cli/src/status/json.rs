//! The jobs as JSON. Keys are stable; docs/cli.md describes them.

use anyccl_engine::base::VERSION;
use anyccl_engine::observe::jobs::{Communicator, Job, JobProcess, RankReport};
use anyccl_engine::sys::host::host_name;
use serde_json::{Value, json};

/// The report about all jobs.
pub fn report(jobs: &[Job]) -> Value {
    json!({ "anyccl": VERSION, "host": host_name(), "jobs": jobs.iter().map(job).collect::<Vec<_>>() })
}

fn job(job: &Job) -> Value {
    json!({
        "processes": job.processes.iter().map(process).collect::<Vec<_>>(),
        "hosts": job.hosts,
        "communicators": job.communicators.iter().map(communicator).collect::<Vec<_>>(),
    })
}

fn process(process: &JobProcess) -> Value {
    json!({ "pid": process.pid, "has_other_pids": process.has_other_pids, "command": process.command })
}

fn communicator(comm: &Communicator) -> Value {
    json!({
        "name": comm.name,
        "size": comm.size,
        "call": comm.call,
        "call_number": comm.call_number,
        "ranks": comm.ranks.iter().map(rank).collect::<Vec<_>>(),
    })
}

fn rank(rank: &RankReport) -> Value {
    json!({
        "rank": rank.rank,
        "pid": rank.pid,
        "state": rank.state.name(),
        "calls": rank.calls,
        "last_call": rank.last_call,
        "call_number": rank.call_number,
        "in_call_for_seconds": rank.in_call_for_seconds,
        "since_last_call_seconds": rank.since_last_call_seconds,
        "failure": rank.failure,
        "waits_for_seconds": rank.waits_for_seconds,
        "waits_for": rank.waits_for,
    })
}
