//! Jobs: the processes that belong together, and their communicators.

use std::collections::BTreeMap;

use super::communicator::{Communicator, communicator};
use super::part::Part;
use super::processes::Process;

/// Processes that have communicators with each other.
#[derive(Debug)]
pub struct Job {
    /// The processes that live.
    pub processes: Vec<JobProcess>,
    /// All processes with their hosts, also those that have ended.
    pids: Vec<(Option<String>, u32)>,
    /// Number of hosts of its largest communicator.
    pub hosts: u32,
    /// Names of these hosts, as far as they are known.
    pub host_names: Vec<String>,
    /// The communicators.
    pub communicators: Vec<Communicator>,
}

/// A process of a job.
#[derive(Debug)]
pub struct JobProcess {
    /// Its host, if that is another one.
    pub host: Option<String>,
    /// Its number there.
    pub pid: u32,
    /// Whether it is in another PID namespace than who reads that number. Texts then name other numbers.
    pub has_other_pids: bool,
    /// Its command, shortened.
    pub command: String,
}

impl Job {
    /// Whether the process of this host belongs to it.
    pub fn has(&self, pid: u32) -> bool {
        self.pids.contains(&(None, pid))
    }

    /// Whether the process belongs to it.
    pub fn has_process(&self, process: &Process) -> bool {
        self.pids.contains(&(process.host.clone(), process.pid))
    }
}

/// What tells communicators apart: the number of the engine's job, the context, and the group.
type Key = (u64, u32, u64);

/// The jobs of these processes. `hosts_seen`: number of hosts that were looked at.
pub fn jobs_of(processes: &[Process], hosts_seen: u32) -> Vec<Job> {
    let mut by_comm: BTreeMap<Key, Vec<Part>> = BTreeMap::new();
    for process in processes {
        for page in &process.pages {
            for comm in &page.comms {
                let key = (page.job, comm.context, comm.group);
                by_comm.entry(key).or_default().push(Part { process, page, comm });
            }
        }
    }
    // Communicators whose processes have another one in common belong to one job.
    let mut jobs: Vec<Draft> = Vec::new();
    for parts in by_comm.into_values() {
        let has = |draft: &Draft| parts.iter().any(|part| draft.has(part.process));
        let (together, others): (Vec<_>, Vec<_>) = jobs.into_iter().partition(has);
        jobs = others;
        let earlier = together.into_iter().flat_map(|draft| draft.communicators);
        jobs.push(Draft { communicators: earlier.chain([parts]).collect() });
    }
    // Of a job without a living process only a page may be left, in a process of another one.
    jobs.iter().map(|draft| draft.finish(hosts_seen)).filter(|job| !job.processes.is_empty()).collect()
}

/// The parts of the communicators of a job.
struct Draft<'a> {
    communicators: Vec<Vec<Part<'a>>>,
}

impl Draft<'_> {
    fn parts(&self) -> impl Iterator<Item = &Part<'_>> {
        self.communicators.iter().flatten()
    }

    fn has(&self, process: &Process) -> bool {
        self.parts().any(|part| std::ptr::eq(part.process, process))
    }

    fn finish(&self, hosts_seen: u32) -> Job {
        let mut processes: Vec<&Process> = self.parts().map(|part| part.process).collect();
        processes.sort_by_key(|process| (&process.host, process.pid));
        processes.dedup_by(|one, other| std::ptr::eq(*one, *other));
        let shown = |process: &&Process| JobProcess {
            host: process.host.clone(),
            pid: process.pid,
            has_other_pids: process.pages.iter().any(|page| page.pid_namespace != process.pid_namespace),
            command: process.command.clone(),
        };
        let largest = self.parts().map(|part| part.page).max_by_key(|page| page.hosts);
        Job {
            pids: processes.iter().map(|process| (process.host.clone(), process.pid)).collect(),
            processes: processes.iter().filter(|process| !process.has_ended).map(shown).collect(),
            hosts: largest.map_or(1, |page| page.hosts.max(1)),
            host_names: largest.map_or(Vec::new(), |page| page.host_names.clone()),
            communicators: self.communicators.iter().map(|parts| communicator(parts, hosts_seen)).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{only_communicator, process, states};
    use super::super::rank_report::State;
    use super::*;

    #[test]
    fn a_process_in_another_namespace_is_marked() {
        let (mut one, other) = (process(0, 2, 18, 1, true), process(1, 2, 18, 1, true));
        one.pages[0].pid_namespace += 1;
        let jobs = jobs_of(&[one, other], 1);
        assert_eq!(jobs[0].processes.iter().map(|p| p.has_other_pids).collect::<Vec<_>>(), [true, false]);
    }

    #[test]
    fn a_process_that_has_ended_shows_its_last_call_while_another_of_its_job_lives() {
        let ended = || {
            let mut ended = process(1, 2, 17, 1, false);
            ended.has_ended = true;
            ended
        };
        let jobs = jobs_of(&[process(0, 2, 18, 1, true), ended()], 1);
        let ranks = &jobs[0].communicators[0].ranks;
        assert_eq!(
            (ranks[0].state, ranks[0].call_number, ranks[0].pid),
            (State::Ended, Some(16), Some(1001))
        );
        assert!(jobs[0].has(1001) && jobs[0].processes.len() == 1);
        assert!(jobs_of(&[ended()], 1).is_empty());
    }

    #[test]
    fn halves_with_the_same_context_are_apart_and_threads_are_ranks_of_one_communicator() {
        let (mut one, mut other) = (process(0, 1, 1, 1, false), process(0, 1, 2, 1, false));
        (other.pid, other.pages[0].rank, other.pages[0].comms[0].group) = (7, 1, 4);
        let comms = |processes: Vec<_>| {
            jobs_of(&processes, 1).iter().map(|job| job.communicators.len()).sum::<usize>()
        };
        assert_eq!(comms(vec![one, other]), 2);
        one = process(0, 2, 18, 1, true);
        one.pages.extend(process(1, 2, 17, 1, false).pages);
        assert_eq!(states(&only_communicator(vec![one])), [(1, State::Late), (0, State::Waits)]);
    }

    #[test]
    fn engines_of_the_same_processes_are_apart_and_processes_that_share_one_are_a_job() {
        let mut both = process(0, 2, 1, 1, false);
        let mut second = process(0, 2, 9, 1, false).pages.remove(0);
        second.job = 9;
        both.pages.push(second);
        let mut other = process(1, 2, 1, 1, false);
        let mut second = process(1, 2, 9, 1, false).pages.remove(0);
        second.job = 9;
        other.pages.push(second);
        let mut alone = process(0, 1, 1, 1, false);
        alone.pid = 7;
        alone.pages[0].job = 10;
        let jobs = jobs_of(&[both, other, alone], 1);
        assert_eq!(jobs.iter().map(|job| job.processes.len()).collect::<Vec<_>>(), [2, 1]);
        assert_eq!(jobs[0].communicators.iter().map(|comm| comm.ranks[1].calls).collect::<Vec<_>>(), [1, 9]);
        assert!(jobs[1].has(7) && !jobs[0].has(7));
    }
}
