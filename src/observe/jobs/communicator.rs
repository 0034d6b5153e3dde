//! A communicator, as the pages of its ranks show it: in which call its ranks are, and which of them keep the
//! others waiting.

use std::collections::BTreeMap;

use super::part::{Part, report_of};
use super::rank_report::{RankReport, State};
use super::silent_link::{self, SilentLink};
use crate::base::{Call, mix};

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
    /// Links that do not pass on what they were given.
    pub silent_links: Vec<SilentLink>,
}

/// Most ranks that are named although they are not seen.
const MOST_UNSEEN: u32 = 1024;

/// A communicator, and who is late in it.
pub(super) fn communicator(parts: &[Part], hosts_seen: u32) -> Communicator {
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
        silent_links: silent_link::of(parts),
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
        waits_elsewhere_seconds: None,
        waits_elsewhere_for: None,
        bytes_asked: None,
        bytes_moved: None,
        last_moved_seconds: None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{only_communicator, process, states};
    use super::*;
    use crate::observe::status::{FailureKind, Progress};

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
    fn a_long_call_moves_or_is_silent_and_says_how_far_it_has_come() {
        let with = |rank: u32, at: u64| {
            let mut process = process(rank, 2, 18, 1, false);
            let page = &mut process.pages[0];
            (page.operations[0].ended, page.operations[0].has_ended) = (None, false);
            page.progress.insert(7, Progress { asked: 4 << 20, moved: 1 << 20, at: Some(at) });
            process
        };
        let comm = only_communicator(vec![with(0, 6_450_000_000), with(1, 3_300_000_000)]);
        assert_eq!(states(&comm), [(0, State::Moves), (1, State::Runs)]);
        let facts = |rank: &RankReport| (rank.bytes_moved, rank.bytes_asked, rank.last_moved_seconds);
        assert_eq!(facts(&comm.ranks[0]), (Some(1 << 20), Some(4 << 20), Some(0.05)));
        assert_eq!(comm.ranks[1].last_moved_seconds, Some(3.2));
        assert!(comm.ranks[0].sentence().ends_with("; 1.0 MiB of 4.0 MiB have moved, the last 0.1 s ago"));
    }

    #[test]
    fn a_late_rank_says_what_its_process_waits_for_elsewhere() {
        let mut late = process(1, 2, 17, 1, false);
        let mut elsewhere = process(1, 2, 3, 1, true).pages.remove(0);
        (elsewhere.job, elsewhere.waits[0].text) = (9, "finalize #2 on \"other\"".into());
        late.pages.push(elsewhere);
        let jobs = super::super::job::jobs_of(&[process(0, 2, 18, 1, true), late], 1);
        let comm = jobs[0].communicators.iter().find(|comm| comm.number.0 == 5).unwrap();
        assert_eq!(states(comm), [(1, State::Late), (0, State::Waits)]);
        assert_eq!(comm.ranks[0].waits_elsewhere_for.as_deref(), Some("finalize #2 on \"other\""));
        assert!(comm.ranks[0].sentence().ends_with("; waits for 3.0 s in finalize #2 on \"other\""));
        assert_eq!(comm.ranks[1].waits_elsewhere_for, None);
    }
}
