//! The clocks of several machines, put together by the calls that their ranks made with each other.
//!
//! No rank ends a barrier before each rank has begun it. So each such call between two machines bounds the
//! distance of their clocks from both sides, as the two ways of a ping-pong do. The shortest calls bound it
//! best. A job has at least one: the barrier at its end. Within the bounds, the calendar decides; it is
//! good where the machines keep time by NTP. A calendar outside of the bounds is wrong, and the middle of the
//! bounds is taken.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::trace::read::RankTrace;

/// The clock of a machine, as it was put beside that of the first one.
#[derive(Serialize)]
pub struct MachineClock {
    pub host: String,
    /// What is added to its times.
    pub shift_ns: i64,
    /// How far that can be off; `None` if no call of both machines says so.
    pub uncertain_by_ns: Option<i64>,
}

/// Collectives that no rank ends before all ranks have begun.
const MEETINGS: [&str; 6] =
    ["barrier", "all_reduce", "all_gather", "all_to_all", "reduce_scatter", "finalize"];

/// Puts the times of all ranks of a job on the clock of the first one.
pub fn align(ranks: &mut [RankTrace]) -> Vec<MachineClock> {
    let Some(first) = ranks.first().map(|rank| rank.head.clone()) else { return Vec::new() };
    let mut bounds: BTreeMap<String, (i64, i64)> = BTreeMap::new();
    for parts in meetings(ranks).values().filter(|parts| parts.len() > 1) {
        let here = parts.iter().filter(|part| part.machine == first.machine);
        let latest_begin = here.clone().map(|part| part.begin).max();
        let earliest_end = here.map(|part| part.end).min();
        let (Some(latest_begin), Some(earliest_end)) = (latest_begin, earliest_end) else { continue };
        for part in parts.iter().filter(|part| part.machine != first.machine) {
            let low = latest_begin.saturating_sub(part.end);
            let high = earliest_end.saturating_sub(part.begin);
            let known = bounds.entry(part.machine.clone()).or_insert((i64::MIN, i64::MAX));
            *known = (known.0.max(low), known.1.min(high));
        }
    }
    let mut clocks: BTreeMap<String, MachineClock> = BTreeMap::new();
    let zero = |monotonic: u64, time: u64| time.wrapping_sub(monotonic).cast_signed();
    for rank in ranks.iter_mut().filter(|rank| rank.head.machine != first.machine) {
        let head = &rank.head;
        let by_calendar = zero(head.monotonic, head.time).wrapping_sub(zero(first.monotonic, first.time));
        let clock = clocks.entry(head.machine.clone()).or_insert_with(|| {
            let host = head.host.clone();
            match bounds.get(&head.machine) {
                None => MachineClock { host, shift_ns: by_calendar, uncertain_by_ns: None },
                Some(&(low, high)) => {
                    let middle = low / 2 + high / 2;
                    let is_possible = (low..=high).contains(&by_calendar);
                    let shift_ns = if is_possible { by_calendar } else { middle };
                    let off = high
                        .saturating_sub(shift_ns)
                        .saturating_abs()
                        .max(shift_ns.saturating_sub(low).saturating_abs());
                    MachineClock { host, shift_ns, uncertain_by_ns: Some(off) }
                }
            }
        });
        rank.shift(clock.shift_ns);
    }
    clocks.into_values().collect()
}

/// A rank's part of a call.
struct Part {
    machine: String,
    begin: i64,
    end: i64,
}

/// The calls in which all ranks of a communicator meet, by communicator and number.
fn meetings(ranks: &[RankTrace]) -> BTreeMap<(u32, String, u32), Vec<Part>> {
    let mut found: BTreeMap<_, Vec<Part>> = BTreeMap::new();
    for rank in ranks {
        for call in &rank.calls {
            let is_barrier = ["barrier", "finalize"].contains(&call.name.as_str());
            let meets = is_barrier == (call.about.bytes == 0) && MEETINGS.contains(&call.name.as_str());
            let comm = rank.comms.get(&call.about.communicator);
            if let (Some(comm), Some(number), true) =
                (comm, call.about.number, meets && call.about.state == "ended")
            {
                let part =
                    Part { machine: rank.head.machine.clone(), begin: call.bar.begin, end: call.bar.end };
                found.entry((comm.context, comm.group.clone(), number)).or_default().push(part);
            }
        }
    }
    found
}
