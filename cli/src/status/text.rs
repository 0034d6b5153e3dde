//! The jobs in words.

use std::collections::BTreeSet;

use anyccl_engine::observe::jobs::{Communicator, Job, RankReport, State};
use anyccl_engine::sys::host::host_name;

use super::hosts::Host;
use super::stack::Stacks;

/// Most ranks of a communicator that are shown one by one.
const MOST_RANKS: usize = 24;

/// The report about all jobs, and about other hosts that were looked at.
pub fn report(jobs: &[Job], hosts: &[Host], stacks: &Stacks) -> String {
    let not_seen =
        |host: &Host| Some(format!("host {} was not seen: {}\n", host.name, host.machine.as_ref().err()?));
    let not_seen: String = hosts.iter().filter_map(not_seen).collect();
    if jobs.is_empty() {
        let here = [host_name()];
        let seen = hosts.iter().filter(|host| host.machine.is_ok()).map(|host| &host.name);
        let names: Vec<&str> = here.iter().chain(seen).map(String::as_str).collect();
        return format!(
            "{not_seen}no process of this user on {} has a communicator of anyccl\n",
            names.join(", ")
        );
    }
    not_seen + &jobs.iter().map(|one| job(one, stacks)).collect::<Vec<_>>().join("\n")
}

fn job(job: &Job, stacks: &Stacks) -> String {
    let first = &job.processes[0];
    let mut text =
        format!("{}{}: {}\n", processes(job.processes.len(), first.pid), hosts_of(job), first.command);
    if job.processes.iter().any(|process| process.has_other_pids) {
        text += "  texts of the ranks name processes by the numbers of another PID namespace\n";
    }
    // A rank alone waits for nobody.
    for communicator in job.communicators.iter().filter(|communicator| communicator.size > 1) {
        text += &of_communicator(communicator);
    }
    let of_job = stacks.iter().filter(|(process, _)| {
        let mut processes = job.processes.iter();
        processes.any(|one| (&one.host, one.pid) == (&process.0, process.1))
    });
    for ((host, pid), stack) in of_job {
        let host = host.iter().map(|host| format!(" on {host}")).collect::<String>();
        text += &format!("  stack of pid {pid}{host}:\n");
        stack.lines().for_each(|line| text += &format!("    {line}\n"));
    }
    text
}

/// The hosts of a job, where they are several.
fn hosts_of(job: &Job) -> String {
    let seen = job.processes.iter().map(|process| &process.host).collect::<BTreeSet<_>>().len();
    match (job.hosts as usize, seen) {
        (..=1, _) => String::new(),
        (all, seen) if seen >= all => format!(" on {all} hosts"),
        (all, seen) => {
            let names = job.host_names.join(", ");
            format!(" on {seen} of its {all} hosts ({names}; `--hosts all` looks at each)")
        }
    }
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
    let failed = comm.ranks.iter().filter(|rank| rank.state == State::Failed).count();
    let verdict = match (waits, culprits.len()) {
        (0, 0) if failed > 0 => format!("failed on {failed}"),
        (_, 0) if waits == 0 => "no rank waits".to_string(),
        (_, 0) if !comm.silent_links.is_empty() => format!("{waits} wait, because of a link"),
        (_, 0) => format!("{waits} wait"),
        (0, _) => format!("look at rank {}", culprits.join(", ")),
        _ => format!("{waits} wait; look at rank {}", culprits.join(", ")),
    };
    let mut text = format!("  \"{}\", {} ranks: {verdict}\n", comm.name, comm.size);
    let links = comm.silent_links.iter().take(MOST_RANKS);
    links.for_each(|link| text += &format!("    {}\n", link.sentence()));
    let moves = comm.ranks.iter().any(|rank| rank.state == State::Moves);
    if waits > 0 || failed > 0 || moves || !culprits.is_empty() {
        comm.ranks.iter().take(MOST_RANKS).for_each(|rank| text += &of_rank(rank));
        if comm.ranks.len() > MOST_RANKS {
            text += &format!("    ... and {} more\n", comm.ranks.len() - MOST_RANKS);
        }
    }
    text
}

fn of_rank(rank: &RankReport) -> String {
    let who = match rank.pid {
        Some(pid) => {
            let host = rank.host.iter().map(|host| format!(" on {host}")).collect::<String>();
            format!("    rank {} (pid {pid}{host})", rank.rank)
        }
        None => format!("    rank {}", rank.rank),
    };
    format!("{who}: {}\n", rank.sentence())
}
