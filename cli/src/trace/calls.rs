//! The calls of each communicator, and how late its ranks came to them.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::files::{Comm, Operation, RankFile, State};
use super::messages::Messages;

/// Most calls that are listed.
const MOST_CALLS: usize = 10;

/// What the files say of a communicator. Ranks are those of the job.
#[derive(Serialize)]
pub struct CommReport {
    pub job: String,
    pub name: String,
    pub size: u32,
    /// Ranks without a file.
    pub unknown: Vec<u32>,
    /// Whether the ranks are on several hosts, whose clocks may differ.
    pub on_several_hosts: bool,
    /// Calls of which the files of all known ranks have the begin.
    pub compared: usize,
    /// The ranks, those first that kept the others waiting longest.
    pub ranks: Vec<RankReport>,
    /// The calls to which the last rank came latest.
    pub latest: Vec<LateCall>,
    /// The last call of some ranks that others have not made.
    pub unmade: Option<UnmadeCall>,
    /// The first call under whose number ranks have made different calls.
    pub mismatch: Option<Mismatch>,
    /// Messages between its ranks.
    pub messages: Messages,
}

/// How late a rank came.
#[derive(Serialize)]
pub struct RankReport {
    pub rank: u32,
    /// Number of calls to which it came last.
    pub last_in: usize,
    /// For how long it alone kept the others waiting: over these calls, the sum of the time after the last
    /// but one.
    pub kept_waiting_seconds: f64,
}

/// A call, and who came last.
#[derive(Serialize)]
pub struct LateCall {
    pub call: String,
    pub number: u32,
    pub first_rank: u32,
    pub last_rank: u32,
    /// Time between the first rank and the last.
    pub after_first_seconds: f64,
    /// Time between the last but one and the last.
    pub after_others_seconds: f64,
}

/// A call that some ranks have not made.
#[derive(Serialize)]
pub struct UnmadeCall {
    pub call: String,
    pub number: u32,
    pub made_by: Vec<u32>,
    pub not_made_by: Vec<u32>,
}

/// Different calls under one number.
#[derive(Serialize)]
pub struct Mismatch {
    pub number: u32,
    /// The call of each rank.
    pub calls: BTreeMap<u32, String>,
}

/// A rank's part of a communicator.
struct Part<'a> {
    file: &'a RankFile,
    comm: &'a Comm,
    /// Its operations there, in the order of their calls.
    made: BTreeMap<Place, &'a Operation>,
}

/// How many calls after a certain one of the communicator. Numbers of calls begin anew after the largest, and
/// those of a join come before the first of the program.
type Place = i32;

/// The report about each communicator with several ranks.
pub fn reports(files: &[RankFile]) -> Vec<CommReport> {
    let mut by_comm: BTreeMap<(&str, u32, &str), Vec<Part>> = BTreeMap::new();
    for file in files {
        for comm in &file.communicators {
            let is_here = |operation: &&Operation| operation.context == comm.context;
            let of_job = files.iter().filter(|other| other.job == file.job);
            let any = of_job.flat_map(|other| &other.operations).find(is_here);
            let any = any.map_or(0, |operation| operation.call_number);
            let place = |operation: &Operation| operation.call_number.wrapping_sub(any).cast_signed();
            let here = file.operations.iter().filter(is_here);
            let made = here.map(|operation| (place(operation), operation)).collect();
            let key = (file.job.as_str(), comm.context, comm.group.as_str());
            by_comm.entry(key).or_default().push(Part { file, comm, made });
        }
    }
    by_comm.values().filter(|parts| parts[0].comm.size > 1).map(|parts| report(parts)).collect()
}

fn report(parts: &[Part]) -> CommReport {
    let comm = parts[0].comm;
    let known: BTreeSet<u32> = parts.iter().map(|part| part.file.rank).collect();
    let places: BTreeSet<Place> = parts.iter().flat_map(|part| part.made.keys().copied()).collect();
    let compared: Vec<Arrivals> = places.iter().filter_map(|place| Arrivals::of(parts, *place)).collect();
    let ranks = known.iter().map(|rank| {
        let last_in = || compared.iter().filter(|arrivals| arrivals.last().0 == *rank);
        RankReport {
            rank: *rank,
            last_in: last_in().count(),
            kept_waiting_seconds: last_in().map(Arrivals::after_others).sum(),
        }
    });
    let mut ranks: Vec<RankReport> = ranks.collect();
    ranks.sort_by(|one, other| other.kept_waiting_seconds.total_cmp(&one.kept_waiting_seconds));
    let mut latest: Vec<LateCall> = compared.iter().map(Arrivals::late_call).collect();
    latest.sort_by(|one, other| other.after_first_seconds.total_cmp(&one.after_first_seconds));
    latest.truncate(MOST_CALLS);
    CommReport {
        job: parts[0].file.job.clone(),
        name: comm.name.clone(),
        size: comm.size,
        unknown: comm.ranks.iter().copied().filter(|rank| !known.contains(rank)).collect(),
        on_several_hosts: parts.iter().any(|part| part.file.host != parts[0].file.host),
        compared: compared.len(),
        ranks,
        latest,
        unmade: unmade(parts),
        mismatch: mismatch(parts, &places),
        messages: Messages::of(parts.iter().map(|part| (part.file, part.comm))),
    }
}

/// When the ranks came to a call.
struct Arrivals<'a> {
    operation: &'a Operation,
    /// Rank and time, in the order of time; at least two.
    times: Vec<(u32, u64)>,
}

impl<'a> Arrivals<'a> {
    /// `None` if the begin is not known of all ranks that have files.
    fn of(parts: &[Part<'a>], place: Place) -> Option<Arrivals<'a>> {
        let time = |part: &Part| Some((part.file.rank, part.made.get(&place)?.began?));
        let mut times = parts.iter().map(time).collect::<Option<Vec<_>>>()?;
        times.sort_by_key(|(rank, time)| (*time, *rank));
        (times.len() > 1).then(|| Arrivals { operation: parts[0].made[&place], times })
    }

    fn last(&self) -> (u32, u64) {
        self.times[self.times.len() - 1]
    }

    fn after_first(&self) -> f64 {
        (self.last().1 - self.times[0].1) as f64 / 1e9
    }

    fn after_others(&self) -> f64 {
        (self.last().1 - self.times[self.times.len() - 2].1) as f64 / 1e9
    }

    fn late_call(&self) -> LateCall {
        LateCall {
            call: self.operation.call.clone(),
            number: self.operation.call_number,
            first_rank: self.times[0].0,
            last_rank: self.last().0,
            after_first_seconds: self.after_first(),
            after_others_seconds: self.after_others(),
        }
    }
}

/// The last call in which a rank still is, or has failed, while others have not made it.
fn unmade(parts: &[Part]) -> Option<UnmadeCall> {
    let is_open = |(_, operation): &(&Place, &&Operation)| operation.state != State::Ended;
    let open = parts.iter().filter_map(|part| part.made.iter().rev().find(is_open));
    let (place, call) = open.max_by_key(|(place, _)| **place)?;
    let has_made = |part: &&Part| part.made.last_key_value().is_some_and(|(last, _)| last >= place);
    let ranks = |made: bool| {
        let parts = parts.iter().filter(|part| has_made(part) == made);
        parts.map(|part| part.file.rank).collect::<Vec<u32>>()
    };
    let not_made_by = ranks(false);
    (!not_made_by.is_empty()).then(|| UnmadeCall {
        call: call.call.clone(),
        number: call.call_number,
        made_by: ranks(true),
        not_made_by,
    })
}

fn mismatch(parts: &[Part], places: &BTreeSet<Place>) -> Option<Mismatch> {
    places.iter().find_map(|place| {
        let number = parts.iter().find_map(|part| part.made.get(place))?.call_number;
        let call = |part: &Part| Some((part.file.rank, part.made.get(place)?.call.clone()));
        let calls: BTreeMap<u32, String> = parts.iter().filter_map(call).collect();
        let first = calls.values().next()?;
        // Parts of one call may have counts of their own; those that have, do not show the others'.
        calls.values().any(|call| call != first).then_some(Mismatch { number, calls })
    })
}

#[cfg(test)]
mod tests {
    use super::super::messages::UnfinishedMessage;
    use super::*;

    /// A file whose rank has begun its calls at these times, the last of which may be under way.
    fn file(rank: u32, times: &[u64], is_running: bool) -> RankFile {
        let operation = |(number, time): (u32, &u64)| Operation {
            number: u64::from(number) + 1,
            context: 2,
            call_number: number,
            call: format!("all_reduce(float32 sum, count {})", number + 1),
            kind: "all_reduce".into(),
            datatype: "float32".into(),
            count: u64::from(number) + 1,
            state: if is_running && number as usize + 1 == times.len() {
                State::Running
            } else {
                State::Ended
            },
            peer: None,
            began: Some(*time),
            ended: None,
        };
        let (group, ranks) = ("a".to_string(), vec![0, 1, 2]);
        let comm = Comm { context: 2, group, name: "world".into(), rank, size: 3, ranks };
        RankFile {
            host: "here".into(),
            job: "7".into(),
            rank,
            time: 50 * S,
            messages: Vec::new(),
            communicators: vec![comm],
            operations: (0..).zip(times).map(operation).collect(),
        }
    }

    const S: u64 = 1_000_000_000;

    #[test]
    fn the_rank_that_came_last_is_named_with_how_long_the_others_waited() {
        let files = [
            file(0, &[10 * S, 20 * S, 30 * S], true),
            file(1, &[11 * S, 26 * S], false),
            file(2, &[12 * S, 21 * S, 31 * S], true),
        ];
        let report = reports(&files).remove(0);
        assert_eq!((report.compared, report.unknown.len(), report.on_several_hosts), (2, 0, false));
        let first = &report.ranks[0];
        assert_eq!((first.rank, first.last_in, first.kept_waiting_seconds), (1, 1, 5.0));
        let late = &report.latest[0];
        assert_eq!((late.number, late.first_rank, late.last_rank), (1, 0, 1));
        assert_eq!((late.after_first_seconds, late.after_others_seconds), (6.0, 5.0));
        let unmade = report.unmade.unwrap();
        assert_eq!((unmade.number, &unmade.not_made_by[..], &unmade.made_by[..]), (2, &[1][..], &[0, 2][..]));
        assert!(report.mismatch.is_none());
    }

    #[test]
    fn calls_of_a_join_come_before_those_of_the_program() {
        let mut files = [
            file(0, &[10 * S, 20 * S, 30 * S, 40 * S], true),
            file(1, &[11 * S, 21 * S, 31 * S], false),
            file(2, &[12 * S, 22 * S, 32 * S, 42 * S], true),
        ];
        let operations = files.iter_mut().flat_map(|file| &mut file.operations);
        operations.for_each(|operation| operation.call_number = operation.call_number.wrapping_sub(2));
        let report = reports(&files).remove(0);
        let unmade = report.unmade.unwrap();
        assert_eq!((unmade.number, &unmade.not_made_by[..], report.compared), (1, &[1][..], 3));
    }

    #[test]
    fn a_wrong_count_and_a_missing_file_are_named() {
        let (one, mut other) = (file(0, &[S, 2 * S], false), file(1, &[S, 2 * S], false));
        other.operations[1].call = "all_reduce(float32 sum, count 9)".into();
        other.host = "there".into();
        let report = reports(&[one, other]).remove(0);
        assert_eq!((&report.unknown[..], report.on_several_hosts), (&[2][..], true));
        let mismatch = report.mismatch.unwrap();
        assert_eq!((mismatch.number, mismatch.calls[&1].contains("count 9")), (1, true));
        assert!(report.unmade.is_none());
    }

    #[test]
    fn messages_that_have_not_ended_are_listed_the_oldest_first() {
        let message = |kind: &str, began: u64, state: State| Operation {
            call: format!("{kind}(int8, count 1)"),
            kind: kind.into(),
            state,
            began: Some(began * S),
            ..file(0, &[S], false).operations.remove(0)
        };
        let (mut one, mut other) = (file(0, &[S], false), file(1, &[S], false));
        one.messages = vec![message("send", 10, State::Ended), message("send", 40, State::Running)];
        other.messages = vec![message("receive", 20, State::Running), message("receive", 3, State::Ended)];
        let messages = reports(&[one, other]).remove(0).messages;
        assert_eq!((messages.sent, messages.received), (1, 1));
        let facts = |one: &UnfinishedMessage| (one.rank, one.message.clone(), one.begun_seconds_ago);
        let expected = [
            (1, "receive(int8, count 1)".to_string(), Some(30.0)),
            (0, "send(int8, count 1)".to_string(), Some(10.0)),
        ];
        assert_eq!(messages.unfinished.iter().map(facts).collect::<Vec<_>>(), expected);
    }
}
