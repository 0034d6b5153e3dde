//! The jobs in words.

use anyccl_engine::observe::jobs::{Communicator, Job, RankReport};
use anyccl_engine::sys::host::host_name;

/// Most ranks of a communicator that are shown one by one.
const MOST_RANKS: usize = 24;

/// The report about all jobs.
pub fn report(jobs: &[Job]) -> String {
    if jobs.is_empty() {
        return format!("no process of this user on {} has a communicator of anyccl\n", host_name());
    }
    jobs.iter().map(job).collect::<Vec<_>>().join("\n")
}

fn job(job: &Job) -> String {
    let first = &job.processes[0];
    let elsewhere =
        if job.hosts > 1 { format!(", and others on {} hosts", job.hosts - 1) } else { String::new() };
    let mut text = format!("{}{elsewhere}: {}\n", processes(job.processes.len(), first.pid), first.command);
    if job.processes.iter().any(|process| process.has_other_pids) {
        text += "  texts of the ranks name processes by the numbers of another PID namespace\n";
    }
    // A rank alone waits for nobody.
    for communicator in job.communicators.iter().filter(|communicator| communicator.size > 1) {
        text += &of_communicator(communicator);
    }
    text
}

fn processes(number: usize, first: u32) -> String {
    match number {
        1 => format!("1 process (pid {first})"),
        _ => format!("{number} processes (the first: pid {first})"),
    }
}

fn of_communicator(comm: &Communicator) -> String {
    let waits = comm.ranks.iter().filter(|rank| rank.waits_for.is_some()).count();
    let culprits: Vec<String> =
        comm.ranks.iter().filter(|rank| rank.state.is_trouble()).map(|rank| rank.rank.to_string()).collect();
    let verdict = match (waits, culprits.len()) {
        (_, 0) if waits == 0 => "no rank waits".to_string(),
        (_, 0) => format!("{waits} wait"),
        (0, _) => format!("look at rank {}", culprits.join(", ")),
        _ => format!("{waits} wait; look at rank {}", culprits.join(", ")),
    };
    let mut text = format!("  \"{}\", {} ranks: {verdict}\n", comm.name, comm.size);
    if waits > 0 || !culprits.is_empty() {
        comm.ranks.iter().take(MOST_RANKS).for_each(|rank| text += &of_rank(rank));
        if comm.ranks.len() > MOST_RANKS {
            text += &format!("    ... and {} more\n", comm.ranks.len() - MOST_RANKS);
        }
    }
    text
}

fn of_rank(rank: &RankReport) -> String {
    let who = match rank.pid {
        Some(pid) => format!("    rank {} (pid {pid})", rank.rank),
        None => format!("    rank {}", rank.rank),
    };
    format!("{who}: {}\n", rank.sentence())
}
