//! What the time lines of a job say in numbers.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::clocks::{MachineClock, align};
use crate::trace::read::{Bar, CallBar, RankTrace};

/// Most pairs that are listed.
const MOST_PAIRS: usize = 10;

/// A job.
#[derive(Serialize)]
pub struct JobReport {
    pub job: String,
    pub size: u32,
    /// Ranks without a file.
    pub unknown: Vec<u32>,
    /// Ranks whose files lack their ends.
    pub cut: Vec<u32>,
    /// Time from the first begin to the last end of all ranks.
    pub seconds: f64,
    /// Share of that time, of all ranks, in calls and waits.
    pub communication_share: f64,
    /// How much longer the busiest rank was outside of calls than the mean of all: 0.1 is a tenth.
    pub imbalance: f64,
    pub ranks: Vec<RankReport>,
    /// The classes of calls, those first in which most time was spent.
    pub calls: Vec<ClassReport>,
    /// The pairs of ranks between which most bytes were sent.
    pub pairs: Vec<PairReport>,
    /// The clocks of other machines than that of the first rank.
    pub clocks: Vec<MachineClock>,
}

/// A rank.
#[derive(Serialize)]
pub struct RankReport {
    pub rank: u32,
    pub host: String,
    pub process: u32,
    pub calls: usize,
    pub failed: usize,
    /// Time in blocking calls and in waits.
    pub communication_seconds: f64,
    /// The part of the time in blocking collectives before the last rank had begun them.
    pub waiting_seconds: f64,
    /// Time outside of calls.
    pub outside_seconds: f64,
    /// Time for which it alone kept others waiting: the sum of the time after the last but one.
    pub kept_waiting_seconds: f64,
    pub sent_bytes: u64,
}

/// A class of calls.
#[derive(Default, Serialize)]
pub struct ClassReport {
    pub call: String,
    pub calls: usize,
    pub bytes: u64,
    /// Time in blocking calls, of all ranks.
    pub seconds: f64,
    /// The part before the last rank had begun.
    pub waiting_seconds: f64,
}

/// What one rank has sent to another.
#[derive(Serialize)]
pub struct PairReport {
    pub from: u32,
    pub to: u32,
    pub messages: usize,
    pub bytes: u64,
}

/// The report of each job. Times are put on one clock.
pub fn reports(traces: Vec<RankTrace>) -> Vec<JobReport> {
    let mut by_job: BTreeMap<String, Vec<RankTrace>> = BTreeMap::new();
    for trace in traces {
        by_job.entry(trace.head.job.clone()).or_default().push(trace);
    }
    let mut reports: Vec<JobReport> = by_job.into_values().map(report).collect();
    reports.sort_by_key(|report| std::cmp::Reverse(report.size));
    reports
}

fn report(mut ranks: Vec<RankTrace>) -> JobReport {
    let clocks = align(&mut ranks);
    let size = ranks.iter().map(|rank| rank.head.size).max().unwrap_or(0);
    let known: BTreeSet<u32> = ranks.iter().map(|one| one.head.rank).collect();
    let bars = || {
        ranks.iter().flat_map(|rank| {
            rank.calls.iter().map(|call| call.bar).chain(rank.waits.iter().map(|wait| wait.bar))
        })
    };
    let begin = bars().map(|bar| bar.begin).min().unwrap_or(0);
    let end = bars().map(|bar| bar.end).max().unwrap_or(0);
    let span = seconds(end.saturating_sub(begin));
    let lateness = Lateness::of(&ranks);
    let of_ranks: Vec<RankReport> = ranks.iter().map(|rank| of_rank(rank, &lateness, span)).collect();
    let total = |read: fn(&RankReport) -> f64| of_ranks.iter().map(read).sum::<f64>();
    let mean = total(|rank| rank.outside_seconds) / of_ranks.len().max(1) as f64;
    let most = of_ranks.iter().map(|rank| rank.outside_seconds).fold(0.0, f64::max);
    let whole = span * of_ranks.len() as f64;
    JobReport {
        job: ranks.first().map(|rank| rank.head.job.clone()).unwrap_or_default(),
        size,
        unknown: (0..size).filter(|rank| !known.contains(rank)).collect(),
        cut: ranks.iter().filter(|rank| rank.is_cut).map(|rank| rank.head.rank).collect(),
        seconds: span,
        communication_share: share(total(|rank| rank.communication_seconds), whole),
        imbalance: if mean > 0.0 { most / mean - 1.0 } else { 0.0 },
        calls: classes(&ranks, &lateness),
        pairs: pairs(&ranks),
        ranks: of_ranks,
        clocks,
    }
}

/// A sum of times that may be anything.
fn sum(times: impl Iterator<Item = i64>) -> i64 {
    times.fold(0, i64::saturating_add)
}

fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

fn seconds(nanoseconds: i64) -> f64 {
    nanoseconds as f64 / 1e9
}

fn of_rank(rank: &RankTrace, lateness: &Lateness, span: f64) -> RankReport {
    let inside = sum(rank.inside().iter().map(Bar::length));
    let waiting = sum(rank.calls.iter().map(|call| lateness.waiting(rank, call)));
    RankReport {
        rank: rank.head.rank,
        host: rank.head.host.clone(),
        process: rank.head.process,
        calls: rank.calls.len(),
        failed: rank.calls.iter().filter(|call| call.about.state == "failed").count(),
        communication_seconds: seconds(inside),
        waiting_seconds: seconds(waiting),
        outside_seconds: (span - seconds(inside)).max(0.0),
        kept_waiting_seconds: seconds(lateness.kept_waiting.get(&rank.head.rank).copied().unwrap_or(0)),
        sent_bytes: sent(rank).fold(0, |sum, (_, bytes)| sum.saturating_add(bytes)),
    }
}

/// Receivers and bytes of all that a rank has sent.
fn sent(rank: &RankTrace) -> impl Iterator<Item = (u32, u64)> {
    let of_collectives = rank.messages.iter().filter(|one| one.is_send).map(|one| (one.peer, one.bytes));
    let own = rank.calls.iter().filter(|call| call.name == "send");
    of_collectives.chain(own.filter_map(|call| Some((call.about.peer?, call.about.bytes))))
}

fn pairs(ranks: &[RankTrace]) -> Vec<PairReport> {
    let mut found: BTreeMap<(u32, u32), (usize, u64)> = BTreeMap::new();
    for rank in ranks {
        for (to, bytes) in sent(rank) {
            let pair = found.entry((rank.head.rank, to)).or_default();
            *pair = (pair.0 + 1, pair.1.saturating_add(bytes));
        }
    }
    let pair = |((from, to), (messages, bytes))| PairReport { from, to, messages, bytes };
    let mut pairs: Vec<PairReport> = found.into_iter().map(pair).collect();
    pairs.sort_by_key(|pair| std::cmp::Reverse(pair.bytes));
    pairs.truncate(MOST_PAIRS);
    pairs
}

fn classes(ranks: &[RankTrace], lateness: &Lateness) -> Vec<ClassReport> {
    let mut found: BTreeMap<&str, ClassReport> = BTreeMap::new();
    for rank in ranks {
        for call in &rank.calls {
            let class = found.entry(&call.name).or_default();
            class.call.clone_from(&call.name);
            class.calls += 1;
            class.bytes = class.bytes.saturating_add(call.about.bytes);
            if call.about.blocking {
                class.seconds += seconds(call.bar.length());
            }
            class.waiting_seconds += seconds(lateness.waiting(rank, call));
        }
    }
    let mut classes: Vec<ClassReport> = found.into_values().collect();
    classes.sort_by(|one, other| other.seconds.total_cmp(&one.seconds));
    classes
}

/// A collective call: communicator, its group, number.
type Key<'a> = (u32, &'a str, u32);

fn key<'a>(rank: &'a RankTrace, call: &CallBar) -> Option<Key<'a>> {
    let comm = rank.comms.get(&call.about.communicator)?;
    Some((comm.context, comm.group.as_str(), call.about.number?))
}

/// When the last rank came to each collective.
struct Lateness<'a> {
    last_begin: BTreeMap<Key<'a>, i64>,
    /// For how long each rank alone kept the others waiting.
    kept_waiting: BTreeMap<u32, i64>,
}

impl<'a> Lateness<'a> {
    fn of(ranks: &'a [RankTrace]) -> Lateness<'a> {
        let mut begins: BTreeMap<Key, Vec<(i64, u32)>> = BTreeMap::new();
        for rank in ranks {
            for call in &rank.calls {
                if let Some(key) = key(rank, call) {
                    begins.entry(key).or_default().push((call.bar.begin, rank.head.rank));
                }
            }
        }
        let mut lateness = Lateness { last_begin: BTreeMap::new(), kept_waiting: BTreeMap::new() };
        for (key, mut times) in begins {
            times.sort_unstable();
            if let [.., (before, _), (last, rank)] = times[..] {
                let kept = lateness.kept_waiting.entry(rank).or_default();
                *kept = kept.saturating_add(last.saturating_sub(before));
                lateness.last_begin.insert(key, last);
            }
        }
        lateness
    }

    /// The time that a rank has waited in a call for the last rank to begin it.
    fn waiting(&self, rank: &RankTrace, call: &CallBar) -> i64 {
        let last = key(rank, call).and_then(|key| self.last_begin.get(&key));
        match last {
            Some(last) if call.about.blocking => {
                last.min(&call.bar.end).saturating_sub(call.bar.begin).max(0)
            }
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::read::WaitBar;
    use crate::trace::read::{AboutCall, Comm, Head, MessageBar};

    const S: i64 = 1_000_000_000;

    /// A rank that made these barriers, in seconds, on a machine whose clock is ahead by `ahead` seconds.
    fn rank(number: u32, machine: &str, ahead: i64, barriers: &[(i64, i64)]) -> RankTrace {
        let calls = barriers.iter().zip(0..).map(|(&(begin, end), at)| CallBar {
            bar: Bar { begin: (begin + ahead) * S, end: (end + ahead) * S },
            name: "barrier".into(),
            about: AboutCall {
                call: "barrier".into(),
                number: Some(at),
                blocking: true,
                state: "ended".into(),
                ..AboutCall::default()
            },
        });
        let comm = Comm { context: 0, group: "a".into(), ranks: Vec::new() };
        RankTrace {
            path: "file".into(),
            head: Head {
                rank: number,
                size: 3,
                machine: machine.into(),
                host: machine.into(),
                time: 50 * S as u64,
                ..Head::default()
            },
            comms: [(0, comm)].into(),
            calls: calls.collect(),
            messages: vec![MessageBar { peer: 1 - number, bytes: 10 + u64::from(number), is_send: true }],
            waits: Vec::new(),
            is_cut: false,
        }
    }

    #[test]
    fn waiting_is_the_time_before_the_last_rank_and_the_rest_is_outside() {
        let ranks = vec![rank(0, "a", 0, &[(0, 5), (6, 10)]), rank(1, "a", 0, &[(4, 5), (6, 10)])];
        let report = reports(ranks).remove(0);
        assert_eq!((report.seconds, &report.unknown[..]), (10.0, &[2][..]));
        let [one, other] = &report.ranks[..] else { panic!() };
        assert_eq!((one.communication_seconds, one.waiting_seconds, one.outside_seconds), (9.0, 4.0, 1.0));
        assert_eq!((other.communication_seconds, other.waiting_seconds), (5.0, 0.0));
        assert_eq!((other.outside_seconds, other.kept_waiting_seconds), (5.0, 4.0));
        assert!((report.communication_share - 0.7).abs() < 1e-9);
        assert!((report.imbalance - 2.0 / 3.0).abs() < 1e-9);
        assert_eq!(
            (report.calls[0].calls, report.calls[0].seconds, report.calls[0].waiting_seconds),
            (4, 14.0, 4.0)
        );
        assert_eq!((report.pairs[0].from, report.pairs[0].to, report.pairs[0].bytes), (1, 0, 11));
    }

    #[test]
    fn overlapping_waits_count_once() {
        let mut one = rank(0, "a", 0, &[(0, 5)]);
        one.waits = [(4, 7), (6, 8)]
            .map(|(begin, end)| WaitBar { bar: Bar { begin: begin * S, end: end * S }, thread: 0 })
            .into();
        let report = reports(vec![one]).remove(0);
        assert_eq!(report.ranks[0].communication_seconds, 8.0);
    }

    #[test]
    fn clocks_of_machines_are_put_together_by_the_calls_of_both() {
        // The other machine's clock is ahead by 1000 s, and its calendar is wrong: it says 0.
        let ranks = vec![rank(0, "a", 0, &[(0, 9), (10, 12)]), rank(1, "b", 1000, &[(4, 9), (10, 12)])];
        let report = reports(ranks).remove(0);
        let clock = &report.clocks[0];
        // The second barrier bounds it best: neither rank ended it more than 2 s after the other began.
        assert_eq!((clock.shift_ns, clock.uncertain_by_ns), (-1000 * S, Some(2 * S)));
        assert_eq!(report.seconds, 12.0);
        // Without a call of both, the calendar is all there is.
        let mut alone = rank(1, "b", 1000, &[]);
        alone.head.monotonic = 1000 * S as u64;
        let report = reports(vec![rank(0, "a", 0, &[(0, 5)]), alone]).remove(0);
        assert_eq!((report.clocks[0].shift_ns, report.clocks[0].uncertain_by_ns), (-1000 * S, None));
    }
}
