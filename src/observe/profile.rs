//! `ANYCCL_PROFILE`: what the calls of all ranks have cost, as a table at the end.
//!
//! Each rank's [`super::counts`] become words of a fixed order, which rank 0 collects. If the ranks do not
//! finalize, the end of the process writes the table of rank 0 alone.

use std::array;
use std::fmt::Write as _;
use std::sync::Once;
use std::sync::atomic::Ordering;

use super::counts::{self, CallClass, RankCounts, value};
use crate::log_line;
use crate::sys::standard_error::write_line;
use crate::sys::{at_exit, clock};

/// Numbers of a class of calls.
const PER_CLASS: usize = 4;
/// Numbers of a rank beside those of its classes.
const OTHERS: usize = 6;

/// The numbers of one rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankProfile {
    classes: [ClassProfile; CallClass::NUMBER],
    waits: u64,
    waited: u64,
    /// Nanoseconds in calls and waits while nothing moved.
    silent: u64,
    /// Nanoseconds since the rank had joined.
    elapsed: u64,
    sent: u64,
    received: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct ClassProfile {
    calls: u64,
    failed: u64,
    bytes: u64,
    blocked: u64,
}

impl RankProfile {
    /// Number of words.
    pub const WORDS: usize = CallClass::NUMBER * PER_CLASS + OTHERS;

    /// The numbers of a rank until now.
    pub fn of(counts: &RankCounts) -> RankProfile {
        let of_class = |class| {
            let counts = counts.class(class);
            ClassProfile {
                calls: value(&counts.ended),
                failed: value(&counts.failed),
                bytes: value(&counts.bytes),
                blocked: value(&counts.blocked),
            }
        };
        let mut all = CallClass::all().map(of_class);
        RankProfile {
            classes: array::from_fn(|_| all.next().unwrap_or_default()),
            waits: value(&counts.waits),
            waited: value(&counts.waited),
            silent: value(&counts.silent),
            elapsed: clock::monotonic_nanoseconds().saturating_sub(counts.since),
            sent: counts.traffic().map(|(_, sent, _)| sent).sum(),
            received: counts.traffic().map(|(_, _, received)| received).sum(),
        }
    }

    /// The numbers as words.
    pub fn to_words(&self) -> Vec<u64> {
        let of_class = |class: &ClassProfile| [class.calls, class.failed, class.bytes, class.blocked];
        let mut words: Vec<u64> = self.classes.iter().flat_map(of_class).collect();
        words.extend([self.waits, self.waited, self.silent, self.elapsed, self.sent, self.received]);
        words
    }

    /// Reads [`RankProfile::WORDS`] words. They come from another process: any values are valid.
    pub fn from_words(words: &[u64]) -> RankProfile {
        let word = |at: usize| words.get(at).copied().unwrap_or(0);
        let others = CallClass::NUMBER * PER_CLASS;
        RankProfile {
            classes: array::from_fn(|at| {
                let of = |field: usize| word(at * PER_CLASS + field);
                ClassProfile { calls: of(0), failed: of(1), bytes: of(2), blocked: of(3) }
            }),
            waits: word(others),
            waited: word(others + 1),
            silent: word(others + 2),
            elapsed: word(others + 3),
            sent: word(others + 4),
            received: word(others + 5),
        }
    }

    fn communicated(&self) -> u64 {
        self.classes.iter().fold(self.waited, |sum, class| sum.saturating_add(class.blocked))
    }
}

static AT_EXIT: Once = Once::new();

/// Makes the end of the process write the profile of a rank, unless it is taken before.
pub fn want(counts: &RankCounts) {
    AT_EXIT.call_once(|| at_exit::run(write_at_exit));
    counts.lacks_profile.store(true, Ordering::Relaxed);
}

/// Takes it upon the caller to write the profile of a rank. `false`: it is not wanted, or was taken.
pub fn take(counts: &RankCounts) -> bool {
    counts.lacks_profile.swap(false, Ordering::Relaxed)
}

extern "C" fn write_at_exit() {
    for counts in counts::all().iter().filter(|counts| counts.of.rank == 0 && take(counts)) {
        let of = format!("rank 0 of {} alone, which did not finalize", counts.of.size);
        write_table(&of, &[RankProfile::of(counts)]);
    }
}

/// Writes the table to standard error.
pub fn write_table(of: &str, ranks: &[RankProfile]) {
    if !write_line(table(of, ranks).as_bytes()) {
        log_line!(Warn, "the profile was not written: standard error was full");
    }
}

/// A line of the table.
struct Line {
    name: &'static str,
    calls: Option<u64>,
    failed: u64,
    bytes: Option<u64>,
    /// Seconds of each rank.
    times: Vec<f64>,
}

impl Line {
    fn time(&self) -> f64 {
        self.times.iter().sum()
    }
}

/// The lines of the table, the most expensive call first.
fn lines(ranks: &[RankProfile]) -> Vec<Line> {
    let sum = |read: &dyn Fn(&RankProfile) -> u64| sum(ranks, read);
    let of_class = |(at, class): (usize, CallClass)| Line {
        name: class.name(),
        calls: Some(sum(&|rank| rank.classes[at].calls)),
        failed: sum(&|rank| rank.classes[at].failed),
        bytes: Some(sum(&|rank| rank.classes[at].bytes)),
        times: ranks.iter().map(|rank| seconds(rank.classes[at].blocked)).collect(),
    };
    let made = CallClass::all().enumerate().map(of_class).filter(|line| line.calls != Some(0));
    let mut lines: Vec<Line> = made.collect();
    lines.sort_by(|one, other| other.time().total_cmp(&one.time()));
    let other = |name, calls, time: fn(&RankProfile) -> u64| {
        let times = ranks.iter().map(|rank| seconds(time(rank))).collect();
        Line { name, calls, failed: 0, bytes: None, times }
    };
    lines.push(other("waits for started calls", Some(sum(&|rank| rank.waits)), |rank| rank.waited));
    lines.push(other("outside of calls", None, |rank| rank.elapsed.saturating_sub(rank.communicated())));
    lines
}

/// The table of some ranks. `of` says whose they are.
pub fn table(of: &str, ranks: &[RankProfile]) -> String {
    let whole = ranks.iter().map(|rank| seconds(rank.elapsed)).sum::<f64>();
    let longest = ranks.iter().map(|rank| seconds(rank.elapsed)).fold(0.0, f64::max);
    let mut text = format!("anyccl: profile of {of}, over {longest:.3} s\n");
    let mut row = |cells: [String; 7], after: &str| {
        let [name, calls, bytes, time, share, least, most] = cells;
        writeln!(text, "  {name:<24}{calls:>12}{bytes:>12}{time:>12}{share:>9}{least:>12}{most:>12}{after}")
            .expect("a string takes all");
    };
    row(["call", "calls", "bytes", "seconds", "share", "least", "most"].map(String::from), "");
    for line in lines(ranks) {
        let number = |number: Option<u64>| number.map_or("-".to_string(), |number| number.to_string());
        let share = if whole > 0.0 { line.time() / whole * 100.0 } else { 0.0 };
        let least = line.times.iter().copied().fold(f64::INFINITY, f64::min);
        let most = line.times.iter().copied().fold(0.0, f64::max);
        let failed = if line.failed > 0 { format!("  {} failed", line.failed) } else { String::new() };
        let cells = [
            line.name.to_string(),
            number(line.calls),
            line.bytes.map_or("-".into(), bytes),
            format!("{:.3}", line.time()),
            format!("{share:.1}%"),
            format!("{least:.3}"),
            format!("{most:.3}"),
        ];
        row(cells, &failed);
    }
    let silent = seconds(sum(ranks, &|rank| rank.silent));
    let (sent, received) = (sum(ranks, &|rank| rank.sent), sum(ranks, &|rank| rank.received));
    writeln!(
        text,
        "  waiting for other ranks (nothing moved): {silent:.3} s of that; sent {}, received {}",
        bytes(sent),
        bytes(received)
    )
    .expect("a string takes all");
    text
}

fn seconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e9
}

/// A number of all ranks together, which may come from processes that lie.
fn sum(ranks: &[RankProfile], read: &dyn Fn(&RankProfile) -> u64) -> u64 {
    ranks.iter().fold(0, |sum, rank| sum.saturating_add(read(rank)))
}

/// A number of bytes with a unit in which it is easily read.
pub(super) fn bytes(number: u64) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    let mut value = number as f64;
    let mut unit = None;
    for next in UNITS {
        if value < 1024.0 {
            break;
        }
        (value, unit) = (value / 1024.0, Some(next));
    }
    unit.map_or(format!("{number} B"), |unit| format!("{value:.1} {unit}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{CallKind, Collective};
    use crate::observe::counts::{CountedRank, add};

    fn rank(number: u32, calls: u64, blocked: u64) -> RankProfile {
        let counts = RankCounts::new(CountedRank { job: 1, rank: number, size: 2 });
        let class = counts.class(CallClass::of(CallKind::Collective(Collective::Broadcast)));
        add(&class.ended, calls);
        add(&class.bytes, calls * 1024);
        add(&class.blocked, blocked);
        counts.note_traffic("tcp", 2048, 0);
        RankProfile { elapsed: 4_000_000_000, ..RankProfile::of(&counts) }
    }

    #[test]
    fn words_become_the_same_numbers_and_too_few_of_them_zeros() {
        let one = rank(0, 3, 7);
        let words = one.to_words();
        assert_eq!(words.len(), RankProfile::WORDS);
        assert_eq!(RankProfile::from_words(&words), one);
        assert_eq!(RankProfile::from_words(&[]).communicated(), 0);
    }

    #[test]
    fn the_table_has_sums_shares_and_the_extremes_of_ranks() {
        let text = table("\"world\", 2 ranks", &[rank(0, 2, 1_000_000_000), rank(1, 2, 3_000_000_000)]);
        let line = |name: &str| {
            let line = text.lines().find(|line| line.trim_start().starts_with(name)).unwrap();
            line.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(line("broadcast"), "broadcast 4 4.0 KiB 4.000 50.0% 1.000 3.000");
        assert_eq!(line("outside"), "outside of calls - - 4.000 50.0% 1.000 3.000");
        assert!(text.starts_with("anyccl: profile of \"world\", 2 ranks, over 4.000 s\n"), "{text}");
        assert!(text.contains("sent 4.0 KiB, received 0 B"), "{text}");
        assert!(!text.contains("all_reduce"));
        // Numbers of another process may be anything.
        let any = RankProfile::from_words(&vec![u64::MAX; RankProfile::WORDS]);
        table("", &[any.clone(), any]);
    }
}
