//! The jobs in words.

use anyccl_engine::sys::host::host_name;

use super::jobs::{Communicator, Job, RankReport, State};

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
    let ago = match (rank.in_call_for_seconds, rank.since_last_call_seconds) {
        (Some(seconds), _) => format!(", begun {seconds:.1} s ago"),
        (None, Some(seconds)) => format!(", ended {seconds:.1} s ago"),
        (None, None) => String::new(),
    };
    let failure = rank.failure.as_deref().unwrap_or_default();
    let made = match &rank.last_call {
        Some(call) => format!("its last call was {call}{ago}"),
        None if rank.calls > 0 => format!("it has made {} calls", rank.calls),
        None => "it has made no call".to_string(),
    };
    let what = match rank.state {
        State::Ended if rank.pid.is_some() => format!("its process has ended; {made}"),
        State::Ended => "its process has ended, or it has left the communicator".to_string(),
        State::Elsewhere => "not seen: on another host, or in another PID namespace".to_string(),
        State::Stopped => format!("is stopped by a signal or a debugger; {made}"),
        State::Mismatch => format!("is in another call than the others; {made}"),
        State::Late => format!("has not made the call; {made}"),
        State::Failed => format!("has failed ({failure}); {made}"),
        State::Runs => format!("does not wait; {made}"),
        State::Waits => String::new(),
    };
    let waits = rank.waits_for.iter().map(|text| {
        let seconds = rank.waits_for_seconds.unwrap_or_default();
        format!("waits for {seconds:.1} s in {text}")
    });
    let parts: Vec<String> = [what].into_iter().filter(|text| !text.is_empty()).chain(waits).collect();
    format!("{who}: {}\n", parts.join("; "))
}
