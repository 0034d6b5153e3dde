//! The times of a replay beside those of the recording.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::player::Played;
use crate::failure::Failure;
use crate::perf::ranks::Ranks;
use crate::plan::units::{counted, seconds};
use crate::replay::Recording;
use crate::replay::program::Program;

/// Two times in seconds.
#[derive(Clone, Copy, Default, Deserialize, Serialize)]
struct Times {
    recorded: f64,
    replayed: f64,
}

/// What one rank tells rank 0.
#[derive(Default, Deserialize, Serialize)]
struct RankTimes {
    whole: Times,
    inside: Times,
    /// Number and times of the calls of each class.
    classes: BTreeMap<String, (u64, Times)>,
}

impl RankTimes {
    fn of(program: &Program, late: Duration, played: &Played) -> RankTimes {
        let time = |recorded: i64, replayed: Duration| Times {
            recorded: recorded as f64 / 1e9,
            replayed: replayed.as_secs_f64(),
        };
        let mut classes: BTreeMap<String, (u64, Times)> = BTreeMap::new();
        for (call, replayed) in program.calls.iter().zip(&played.calls) {
            let (number, times) = classes.entry(call.name.clone()).or_default();
            let more = time(call.recorded, *replayed);
            *number += 1;
            times.recorded += more.recorded;
            times.replayed += more.replayed;
        }
        let whole = time(program.span.saturating_add(late.as_nanos() as i64), played.whole);
        RankTimes { whole, inside: time(program.inside, played.inside), classes }
    }
}

/// The report, on rank 0. Collective.
pub fn report(
    ranks: &Ranks,
    recording: &Recording,
    program: &Program,
    late: Duration,
    played: &Played,
) -> Result<Option<String>, Failure> {
    let own = serde_json::to_vec(&RankTimes::of(program, late, played)).map_err(Failure::own)?;
    let all = ranks.collect(&own)?;
    if !ranks.speaks() {
        return Ok(None);
    }
    let all = all.iter().map(|bytes| serde_json::from_slice(bytes)).collect::<Result<Vec<RankTimes>, _>>();
    Ok(Some(layout(recording, &all.map_err(Failure::own)?)))
}

fn layout(recording: &Recording, all: &[RankTimes]) -> String {
    let number = all.len().max(1) as f64;
    let mut text = format!(
        "replay of job {}, {}\n\n  {:<24} {:>10} {:>12} {:>12} {:>7}\n",
        recording.job,
        counted(u64::from(recording.size), "rank"),
        "mean of the ranks",
        "calls",
        "recorded",
        "replayed",
        "ratio"
    );
    let mut line = |name: &str, calls: &str, times: Times| {
        let ratio = if times.recorded > 0.0 { times.replayed / times.recorded } else { f64::NAN };
        let [recorded, replayed] = [times.recorded, times.replayed].map(seconds);
        let _ = writeln!(text, "  {name:<24} {calls:>10} {recorded:>12} {replayed:>12} {ratio:>7.2}");
    };
    let mut classes: BTreeMap<&str, (u64, Times)> = BTreeMap::new();
    let mut inside = Times::default();
    for rank in all {
        inside.recorded += rank.inside.recorded / number;
        inside.replayed += rank.inside.replayed / number;
        for (name, (calls, times)) in &rank.classes {
            let class = classes.entry(name).or_default();
            class.0 += calls;
            class.1.recorded += times.recorded / number;
            class.1.replayed += times.replayed / number;
        }
    }
    let mut classes: Vec<_> = classes.into_iter().collect();
    classes.sort_by(|one, other| other.1.1.recorded.total_cmp(&one.1.1.recorded));
    for (name, (calls, times)) in classes {
        line(name, &format!("{:.0}", calls as f64 / number), times);
    }
    line("in calls and waits", "", inside);
    let longest = |time: fn(&Times) -> f64| all.iter().map(|rank| time(&rank.whole)).fold(0.0, f64::max);
    let whole =
        Times { recorded: longest(|times| times.recorded), replayed: longest(|times| times.replayed) };
    line("whole, of the last rank", "", whole);
    text
}
