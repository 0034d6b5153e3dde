//! The metrics as text, in the format that Prometheus reads (version 0.0.4).

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::base::VERSION;
use crate::observe::counts::{CallClass, ClassCounts, RankCounts, value};
use crate::sys::clock;

/// Nanoseconds of a second.
const SECOND: f64 = 1e9;

/// A metric of each class of calls.
struct OfClass {
    name: &'static str,
    kind: &'static str,
    help: &'static str,
    value: fn(&ClassCounts) -> f64,
}

const OF_CLASSES: [OfClass; 5] = [
    OfClass {
        name: "anyccl_calls_total",
        kind: "counter",
        help: "Calls that have ended, well or not.",
        value: |class| value(&class.ended) as f64,
    },
    OfClass {
        name: "anyccl_call_errors_total",
        kind: "counter",
        help: "Calls that have failed.",
        value: |class| value(&class.failed) as f64,
    },
    OfClass {
        name: "anyccl_calls_in_progress",
        kind: "gauge",
        help: "Calls that have begun and not ended.",
        value: |class| value(&class.begun).saturating_sub(value(&class.ended)) as f64,
    },
    OfClass {
        name: "anyccl_call_bytes_total",
        kind: "counter",
        help: "Bytes of the buffers of calls.",
        value: |class| value(&class.bytes) as f64,
    },
    OfClass {
        name: "anyccl_call_seconds_total",
        kind: "counter",
        help: "Time that threads spent in blocking calls.",
        value: |class| value(&class.blocked) as f64 / SECOND,
    },
];

/// A metric of a rank.
struct OfRank {
    name: &'static str,
    kind: &'static str,
    help: &'static str,
    value: fn(&RankCounts) -> f64,
}

const OF_RANKS: [OfRank; 6] = [
    OfRank {
        name: "anyccl_waits_total",
        kind: "counter",
        help: "Waits for calls that were started before.",
        value: |rank| value(&rank.waits) as f64,
    },
    OfRank {
        name: "anyccl_wait_seconds_total",
        kind: "counter",
        help: "Time that threads spent in these waits.",
        value: |rank| value(&rank.waited) as f64 / SECOND,
    },
    OfRank {
        name: "anyccl_communication_seconds_total",
        kind: "counter",
        help: "Time that threads spent in blocking calls and waits.",
        value: |rank| rank.communicated() as f64 / SECOND,
    },
    OfRank {
        name: "anyccl_silent_seconds_total",
        kind: "counter",
        help: "The part of that time in which nothing moved: waiting for other ranks.",
        value: |rank| value(&rank.silent) as f64 / SECOND,
    },
    OfRank {
        name: "anyccl_communicator_failures_total",
        kind: "counter",
        help: "Communicators that have failed.",
        value: |rank| value(&rank.failures) as f64,
    },
    OfRank {
        name: "anyccl_start_time_seconds",
        kind: "gauge",
        help: "When the rank had joined its job, in seconds since the epoch.",
        value: |rank| start_time(rank.since),
    },
];

/// The text of the metrics of some ranks.
pub fn text(ranks: &[Arc<RankCounts>]) -> String {
    let mut text = String::new();
    let labels: Vec<String> = ranks
        .iter()
        .map(|rank| format!("job_id=\"{:016x}\",rank=\"{}\"", rank.of.job, rank.of.rank))
        .collect();
    let ranks = || ranks.iter().zip(&labels);
    head(&mut text, "anyccl_info", "gauge", "The rank: size of its job, version of the library, process.");
    for (rank, labels) in ranks() {
        let (size, pid) = (rank.of.size, std::process::id());
        line(
            &mut text,
            "anyccl_info",
            &format!("{labels},size=\"{size}\",version=\"{VERSION}\",pid=\"{pid}\""),
            1.0,
        );
    }
    for OfClass { name, kind, help, value: read } in OF_CLASSES {
        head(&mut text, name, kind, help);
        for (rank, labels) in ranks() {
            let made = CallClass::all().filter(|class| value(&rank.class(*class).begun) > 0);
            for class in made {
                let labels = format!("{labels},call=\"{}\"", class.name());
                line(&mut text, name, &labels, read(rank.class(class)));
            }
        }
    }
    for OfRank { name, kind, help, value: read } in OF_RANKS {
        head(&mut text, name, kind, help);
        ranks().for_each(|(rank, labels)| line(&mut text, name, labels, read(rank)));
    }
    type Direction = (&'static str, &'static str, fn((u64, u64)) -> u64);
    const DIRECTIONS: [Direction; 2] = [
        ("anyccl_sent_bytes_total", "Bytes sent to other ranks.", |(sent, _)| sent),
        ("anyccl_received_bytes_total", "Bytes received from other ranks.", |(_, received)| received),
    ];
    for (name, help, read) in DIRECTIONS {
        head(&mut text, name, "counter", help);
        for (rank, labels) in ranks() {
            for (transport, sent, received) in rank.traffic() {
                let labels = format!("{labels},transport=\"{transport}\"");
                line(&mut text, name, &labels, read((sent, received)) as f64);
            }
        }
    }
    text
}

fn head(text: &mut String, name: &str, kind: &str, help: &str) {
    writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}").expect("a string takes all");
}

fn line(text: &mut String, name: &str, labels: &str, value: f64) {
    writeln!(text, "{name}{{{labels}}} {value}").expect("a string takes all");
}

/// A moment of the monotonic clock, in seconds since the epoch.
fn start_time(since: u64) -> f64 {
    let epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let age = clock::monotonic_nanoseconds().saturating_sub(since) as f64 / SECOND;
    // Milliseconds, so that the value does not change from one reading to the next.
    ((epoch.as_secs_f64() - age) * 1e2).round() / 1e2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{CallKind, Collective};
    use crate::observe::counts::{CountedRank, add};

    /// Checks the rules of the format: each metric has one HELP and one TYPE before its lines, which stand
    /// together, and no line occurs twice. Returns name, labels and value of each line.
    fn parse(text: &str) -> Vec<(String, String, f64)> {
        let (mut lines, mut seen): (Vec<(String, String, f64)>, Vec<String>) = (Vec::new(), Vec::new());
        assert!(text.ends_with('\n'));
        let mut helped = String::new();
        for row in text.lines() {
            if let Some(rest) = row.strip_prefix("# HELP ") {
                helped = rest.split(' ').next().unwrap().into();
                continue;
            }
            if let Some(rest) = row.strip_prefix("# TYPE ") {
                let (name, kind) = rest.split_once(' ').unwrap();
                assert!(name == helped && ["counter", "gauge"].contains(&kind), "{row}");
                assert_eq!(kind == "counter", name.ends_with("_total"), "{row}");
                assert!(!seen.contains(&name.to_string()), "{name} comes twice");
                seen.push(name.into());
                continue;
            }
            let (name, rest) = row.split_once('{').unwrap();
            let (labels, value) = rest.split_once("} ").unwrap();
            assert_eq!(name, helped, "{row}");
            assert!(name.chars().all(|c| c.is_ascii_lowercase() || c == '_'), "{row}");
            for label in labels.split(',') {
                let (key, quoted) = label.split_once('=').unwrap();
                assert!(key.chars().all(|c| c.is_ascii_lowercase() || c == '_'), "{row}");
                let inner = quoted.strip_prefix('"').unwrap().strip_suffix('"').unwrap();
                assert!(!inner.contains(['"', '\\', '\n']), "{row}");
            }
            lines.push((name.into(), labels.into(), value.parse().unwrap()));
        }
        let mut keys: Vec<_> = lines.iter().map(|(name, labels, _)| (name, labels)).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), lines.len());
        lines
    }

    #[test]
    fn the_text_keeps_the_rules_of_prometheus_and_has_what_was_counted() {
        let rank = |rank| Arc::new(RankCounts::new(CountedRank { job: 7, rank, size: 2 }));
        let ranks = [rank(0), rank(1)];
        let class = ranks[1].class(CallClass::of(CallKind::Collective(Collective::AllReduce)));
        add(&class.begun, 3);
        add(&class.ended, 2);
        add(&class.bytes, 4096);
        add(&class.blocked, 1_500_000_000);
        add(&ranks[1].waited, 500_000_000);
        ranks[1].note_traffic("shm", 100, 200);
        let lines = parse(&text(&ranks));
        let of = |name: &str, label: &str| {
            let mut found = lines.iter().filter(|(one, labels, _)| one == name && labels.contains(label));
            let line = found.next().unwrap();
            assert!(found.next().is_none());
            line.2
        };
        let call = "rank=\"1\",call=\"all_reduce\"";
        assert_eq!(of("anyccl_calls_total", call), 2.0);
        assert_eq!(of("anyccl_calls_in_progress", call), 1.0);
        assert_eq!(of("anyccl_call_bytes_total", call), 4096.0);
        assert_eq!(of("anyccl_call_seconds_total", call), 1.5);
        assert_eq!(of("anyccl_communication_seconds_total", "rank=\"1\""), 2.0);
        assert_eq!(of("anyccl_sent_bytes_total", "rank=\"1\",transport=\"shm\""), 100.0);
        assert_eq!(of("anyccl_received_bytes_total", "rank=\"1\",transport=\"shm\""), 200.0);
        // Calls that a rank has never made have no line.
        assert!(!lines.iter().any(|(_, labels, _)| labels.contains("rank=\"0\",call=")));
    }

    #[test]
    fn no_ranks_are_a_valid_text_too() {
        assert!(parse(&text(&[])).is_empty());
    }
}
