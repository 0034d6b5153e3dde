//! Jobs: the ranks that belong together, and which of them keep the others waiting.

use std::collections::BTreeMap;

use super::processes::Process;
use super::rank_report::{RankReport, State};
use crate::base::{Call, mix};
use crate::observe::status::{CommSnapshot, FailureKind, OperationSnapshot, Snapshot, WaitSnapshot};

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

/// A communicator, as its ranks on this host show it.
#[derive(Debug)]
pub struct Communicator {
    /// Its name.
    pub name: String,
    /// Numbers that tell it from others: of the job of its engine, and of context and group together.
    pub number: (u64, u64),
    /// Number of ranks.
    pub size: u32,
    /// Number of hosts of its job.
    pub hosts: u32,
    /// The call in which ranks wait, or about which they disagree, as most ranks have made it.
    pub call: Option<String>,
    /// The number of that call.
    pub call_number: Option<u64>,
    /// Its ranks: first those that keep the others waiting.
    pub ranks: Vec<RankReport>,
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

/// A communicator of one process.
struct Part<'a> {
    process: &'a Process,
    page: &'a Snapshot,
    comm: &'a CommSnapshot,
}

impl Part<'_> {
    /// The longest wait in the communicator.
    fn wait(&self) -> Option<&WaitSnapshot> {
        let here = self.page.waits.iter().filter(|wait| wait.context == self.comm.context);
        here.max_by_key(|wait| wait.silence)
    }

    /// The number of the call in which it waits.
    fn waiting_call(&self) -> Option<u64> {
        self.wait()?.call.map(u64::from)
    }

    /// The number of the call that it has made last.
    fn last_number(&self) -> Option<u64> {
        self.comm.made.checked_sub(1)
    }

    /// The number of the call in which, or because of which, the communicator has failed.
    fn failed_call(&self) -> Option<u64> {
        let has_failed = || self.last_operation().is_some_and(|last| last.has_failed);
        match self.comm.failure? {
            FailureKind::Mismatch => self.last_number(),
            // The others may be anywhere when a rank gives up.
            FailureKind::Aborted => None,
            _ => self.last_number().filter(|_| has_failed()),
        }
    }

    /// The last call, as the recorder has it.
    fn last_operation(&self) -> Option<&OperationSnapshot> {
        let last = self.page.last_operation(self.comm.context)?;
        (self.last_number() == Some(u64::from(last.call_number))).then_some(last)
    }

    /// The time that has passed since then, in seconds.
    fn since(&self, time: Option<u64>) -> Option<f64> {
        Some(self.page.read_at.saturating_sub(time?) as f64 / 1e9)
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

/// Most ranks that are named although they are not seen.
const MOST_UNSEEN: u32 = 1024;

/// A communicator, and who is late in it.
fn communicator(parts: &[Part], hosts_seen: u32) -> Communicator {
    let first = &parts[0];
    // The latest call in which somebody waits, which has failed, or in which ranks differ that all have ended
    // it. And what most ranks have called.
    let number = parts.iter().filter_map(Part::waiting_call).max();
    let number = number.or_else(|| parts.iter().filter_map(Part::failed_call).max());
    let number = number
        .or_else(|| parts.iter().filter_map(Part::last_number).filter(|it| differ_in(parts, *it)).max());
    let call = number.and_then(|number| most_called(parts, number));
    let mut ranks: Vec<RankReport> = parts.iter().map(|part| report_of(part, number, call)).collect();
    let is_seen = |rank: &u32| parts.iter().any(|part| part.comm.rank == *rank);
    // The size is another process' word.
    let others = (0..first.comm.size.min(MOST_UNSEEN)).filter(|rank| !is_seen(rank));
    let may_be_elsewhere = first.page.hosts > hosts_seen || first.page.are_apart;
    ranks.extend(others.map(|rank| unseen(rank, may_be_elsewhere)));
    ranks.sort_by_key(|report| (report.state, report.rank));
    Communicator {
        name: first.comm.name.clone(),
        number: (first.page.job, mix(u64::from(first.comm.context)) ^ first.comm.group),
        size: first.comm.size,
        hosts: first.page.hosts,
        call: call.map(|call| call.to_string()),
        call_number: number,
        ranks,
    }
}

/// What ranks have called under a number, of those that have called nothing since.
fn calls(parts: &[Part], number: u64) -> impl Iterator<Item = Call> {
    parts.iter().filter(move |part| part.last_number() == Some(number)).filter_map(|part| part.comm.last)
}

/// Whether ranks have made different calls under a number.
fn differ_in(parts: &[Part], number: u64) -> bool {
    let first = calls(parts, number).next();
    first.is_some_and(|first| calls(parts, number).any(|call| !Call::agree(first.pack(), call.pack())))
}

/// The call that most ranks have made under a number; of equally many, that of the first.
fn most_called(parts: &[Part], number: u64) -> Option<Call> {
    let calls = || calls(parts, number);
    let votes = |call: &Call| calls().filter(|other| Call::agree(call.pack(), other.pack())).count();
    calls().fold(None, |most: Option<Call>, call| match most {
        Some(most) if votes(&most) >= votes(&call) => Some(most),
        _ => Some(call),
    })
}

fn unseen(rank: u32, may_be_elsewhere: bool) -> RankReport {
    let state = if may_be_elsewhere { State::Elsewhere } else { State::Ended };
    RankReport {
        rank,
        host: None,
        pid: None,
        state,
        calls: 0,
        calls_by_kind: BTreeMap::new(),
        last_call: None,
        call_number: None,
        in_call_for_seconds: None,
        since_last_call_seconds: None,
        failure: None,
        failure_kind: None,
        waits_for_seconds: None,
        waits_for: None,
    }
}

fn report_of(part: &Part, number: Option<u64>, call: Option<Call>) -> RankReport {
    let comm = part.comm;
    let wait = part.wait();
    // A rank that waits in an earlier call is not late itself.
    let is_late = part.waiting_call().is_none() && number.is_some_and(|number| comm.made <= number);
    let differs = number.is_some()
        && part.last_number() == number
        && comm.last.zip(call).is_some_and(|(mine, call)| !Call::agree(mine.pack(), call.pack()));
    let state = match () {
        () if part.process.has_ended => State::Ended,
        () if part.process.is_stopped => State::Stopped,
        () if differs => State::Mismatch,
        () if comm.failure.is_some() => State::Failed,
        () if is_late => State::Late,
        () if wait.is_some() => State::Waits,
        () => State::Runs,
    };
    let last = part.last_operation();
    RankReport {
        rank: comm.rank,
        host: part.process.host.clone(),
        pid: Some(part.process.pid),
        state,
        calls: comm.made,
        calls_by_kind: comm.made_by_kind.clone(),
        last_call: comm.last.map(|call| format!("{call} #{}", comm.made.saturating_sub(1))),
        call_number: part.last_number(),
        in_call_for_seconds: last.filter(|last| !last.has_ended).and_then(|last| part.since(last.began)),
        since_last_call_seconds: last.and_then(|last| part.since(last.ended)),
        failure: comm.failure.map(|_| comm.reason.clone()),
        failure_kind: comm.failure,
        waits_for_seconds: wait.map(|wait| wait.silence.as_secs_f64()),
        waits_for: wait.map(|wait| wait.text.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::process;
    use super::*;

    fn only_communicator(processes: Vec<Process>) -> Communicator {
        let mut jobs = jobs_of(&processes, 1);
        assert_eq!((jobs.len(), jobs[0].communicators.len()), (1, 1));
        jobs.remove(0).communicators.remove(0)
    }

    fn states(comm: &Communicator) -> Vec<(u32, State)> {
        comm.ranks.iter().map(|rank| (rank.rank, rank.state)).collect()
    }

    #[test]
    fn ranks_that_have_not_made_the_call_are_late_and_come_first() {
        let comm = only_communicator(vec![
            process(0, 3, 18, 1, true),
            process(1, 3, 17, 1, false),
            process(2, 3, 18, 1, true),
        ]);
        assert_eq!(states(&comm), [(1, State::Late), (0, State::Waits), (2, State::Waits)]);
        assert_eq!(comm.ranks[0].last_call.as_deref(), Some("all_gather(int32, count 1) #16"));
        assert_eq!((comm.call.as_deref(), comm.call_number), (Some("all_gather(int32, count 1)"), Some(17)));
        let times = |rank: &RankReport| (rank.in_call_for_seconds, rank.since_last_call_seconds);
        assert_eq!([&comm.ranks[0], &comm.ranks[1]].map(times), [(None, Some(4.5)), (Some(5.5), None)]);
    }

    #[test]
    fn of_thirty_late_and_two_that_are_ahead_the_late_are_listed() {
        let processes = (0..32).map(|rank| process(rank, 32, if rank < 2 { 8 } else { 7 }, 1, rank < 2));
        let comm = only_communicator(processes.collect());
        let late = comm.ranks.iter().filter(|rank| rank.state == State::Late).count();
        assert_eq!((late, comm.ranks[30].rank, comm.ranks[31].rank), (30, 0, 1));
    }

    #[test]
    fn a_stopped_rank_and_one_that_is_gone_are_told_from_late_ones() {
        let mut stopped = process(1, 4, 17, 1, false);
        stopped.is_stopped = true;
        let comm = only_communicator(vec![process(0, 4, 18, 1, true), stopped, process(3, 4, 17, 1, false)]);
        let expected = [(2, State::Ended), (1, State::Stopped), (3, State::Late), (0, State::Waits)];
        assert_eq!(states(&comm), expected);
    }

    #[test]
    fn ranks_that_are_not_seen_may_be_on_other_hosts_or_in_other_namespaces() {
        for (hosts, are_apart) in [(2, false), (1, true)] {
            let mut one = process(0, 2, 18, 1, true);
            (one.pages[0].hosts, one.pages[0].are_apart) = (hosts, are_apart);
            assert_eq!(states(&only_communicator(vec![one])), [(0, State::Waits), (1, State::Elsewhere)]);
        }
    }

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
    fn of_ranks_that_have_failed_because_they_disagree_the_odd_one_comes_first() {
        let with = |rank: u32, count: u64| {
            let mut process = process(rank, 3, 4, count, false);
            let comm = &mut process.pages[0].comms[0];
            (comm.failure, comm.reason) = (Some(FailureKind::Mismatch), "the ranks disagree".into());
            process
        };
        let comm = only_communicator(vec![with(0, 5), with(1, 5), with(2, 6)]);
        assert_eq!(states(&comm), [(2, State::Mismatch), (0, State::Failed), (1, State::Failed)]);
        assert_eq!((comm.call_number, comm.ranks[0].call_number), (Some(3), Some(3)));
        assert_eq!(comm.ranks[0].failure.as_deref(), Some("the ranks disagree"));
    }

    #[test]
    fn of_ranks_whose_call_has_failed_one_that_has_not_made_it_is_late() {
        let with = |rank: u32, failure: FailureKind| {
            let mut process = process(rank, 3, 18, 1, false);
            let page = &mut process.pages[0];
            (page.comms[0].failure, page.operations[0].has_failed) = (Some(failure), true);
            process
        };
        let states_by = |failure| {
            let others = [with(0, failure), with(2, failure)];
            states(&only_communicator([vec![process(1, 3, 17, 1, false)], others.into()].concat()))
        };
        let expected = [(1, State::Late), (0, State::Failed), (2, State::Failed)];
        assert_eq!(states_by(FailureKind::PeerLost), expected);
        assert_eq!(states_by(FailureKind::Timeout), expected);
        let expected = [(0, State::Failed), (2, State::Failed), (1, State::Runs)];
        assert_eq!(states_by(FailureKind::Aborted), expected);
    }

    #[test]
    fn a_rank_in_another_call_than_most_is_a_mismatch() {
        let comm = only_communicator(vec![
            process(0, 3, 18, 2, true),
            process(1, 3, 18, 1, true),
            process(2, 3, 18, 1, true),
        ]);
        assert_eq!(states(&comm), [(0, State::Mismatch), (1, State::Waits), (2, State::Waits)]);
    }

    #[test]
    fn a_rank_whose_call_has_ended_though_the_others_made_another_is_a_mismatch() {
        let comm = only_communicator(vec![
            process(0, 3, 18, 1, false),
            process(1, 3, 18, 2, false),
            process(2, 3, 18, 1, false),
        ]);
        assert_eq!(states(&comm), [(1, State::Mismatch), (0, State::Runs), (2, State::Runs)]);
        assert_eq!(comm.call_number, Some(17));
    }

    #[test]
    fn a_rank_that_waits_in_an_earlier_call_is_not_late() {
        let comm = only_communicator(vec![
            process(0, 3, 8, 1, true),
            process(1, 3, 4, 1, true),
            process(2, 3, 3, 1, false),
        ]);
        assert_eq!(states(&comm), [(2, State::Late), (0, State::Waits), (1, State::Waits)]);
    }

    #[test]
    fn ranks_at_work_are_no_trouble_whatever_they_have_made() {
        let comm = only_communicator(vec![process(0, 2, 18, 1, false), process(1, 2, 17, 1, false)]);
        assert_eq!(states(&comm), [(0, State::Runs), (1, State::Runs)]);
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
