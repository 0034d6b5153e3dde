//! The jobs as JSON. Keys are stable; docs/cli.md describes them.

use anyccl_engine::base::VERSION;
use anyccl_engine::observe::jobs::{Communicator, Job, JobProcess, RankReport, SilentLink};
use anyccl_engine::sys::host::host_name;
use serde_json::{Value, json};

use super::hosts::Host;
use super::stack::Stacks;

/// The report about all jobs, and about other hosts that were looked at.
pub fn report(jobs: &[Job], hosts: &[Host], stacks: &Stacks) -> Value {
    json!({
        "anyccl": VERSION,
        "host": host_name(),
        "other_hosts": hosts.iter().map(|host| json!({ "host": host.name, "error": host.machine.as_ref().err() })).collect::<Vec<_>>(),
        "jobs": jobs.iter().map(|one| job(one, stacks)).collect::<Vec<_>>(),
    })
}

fn job(job: &Job, stacks: &Stacks) -> Value {
    json!({
        "processes": job.processes.iter().map(process).collect::<Vec<_>>(),
        "hosts": job.hosts,
        "host_names": job.host_names,
        "communicators": job.communicators.iter().map(|comm| communicator(comm, stacks)).collect::<Vec<_>>(),
    })
}

fn process(process: &JobProcess) -> Value {
    json!({
        "host": process.host,
        "pid": process.pid,
        "has_other_pids": process.has_other_pids,
        "command": process.command,
    })
}

fn communicator(comm: &Communicator, stacks: &Stacks) -> Value {
    json!({
        "name": comm.name,
        "size": comm.size,
        "call": comm.call,
        "call_number": comm.call_number,
        "silent_links": comm.silent_links.iter().map(link).collect::<Vec<_>>(),
        "ranks": comm.ranks.iter().map(|one| rank(one, stacks)).collect::<Vec<_>>(),
    })
}

fn link(link: &SilentLink) -> Value {
    json!({
        "from": link.from,
        "to": link.to,
        "call_number": link.call_number,
        "transport": link.transport,
        "seconds": link.seconds,
        "bytes": link.bytes,
    })
}

fn rank(rank: &RankReport, stacks: &Stacks) -> Value {
    json!({
        "rank": rank.rank,
        "host": rank.host,
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
        "waits_elsewhere_seconds": rank.waits_elsewhere_seconds,
        "waits_elsewhere_for": rank.waits_elsewhere_for,
        "bytes_asked": rank.bytes_asked,
        "bytes_moved": rank.bytes_moved,
        "last_moved_seconds": rank.last_moved_seconds,
        "stack": rank.pid.and_then(|pid| stacks.get(&(rank.host.clone(), pid))),
    })
}
