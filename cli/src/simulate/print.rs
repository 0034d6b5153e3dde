//! The comparison and a critical path as text.

use std::fmt::Write;

use anyccl_engine::simulate::{Hop, HopKind, Order, Prediction, Symmetry};

use super::cluster::Cluster;
use super::compare::{Comparison, Row};
use crate::plan::call::PlannedCall;
use crate::plan::units::{bytes, digits, seconds};

/// Number of steps of a long path that are shown at each end.
const SHOWN: usize = 6;

/// The complete text.
pub fn layout(
    call: &PlannedCall,
    cluster: &Cluster,
    comparison: &Comparison<'_>,
    shown: Option<&Row>,
) -> String {
    let mut text = format!("{}, model {}\n\n", call.title(), cluster.name);
    table(&mut text, call, comparison);
    if let Some((name, outcome)) =
        shown.and_then(|row| Some((row.algorithm.name, row.outcome.as_ref().ok()?)))
    {
        describe(&mut text, call, comparison, name, outcome);
        path(&mut text, name, outcome);
    }
    text
}

fn table(text: &mut String, call: &PlannedCall, comparison: &Comparison<'_>) {
    let size = call.bytes(&comparison.request) as f64;
    let _ = writeln!(
        text,
        "  {:<20} {:>10} {:>8}  {:>10} {:>11} {:>10} {:>10}  simulated",
        "algorithm", "time", "GB/s", "rank sends", "within host", "host sends", "scratch"
    );
    for row in &comparison.rows {
        let name = row.algorithm.name;
        let mark = if comparison.chosen.as_ref() == Ok(&name) { '*' } else { ' ' };
        let outcome = match &row.outcome {
            Ok(outcome) => outcome,
            Err(why) => {
                let _ = writeln!(text, "{mark} {name:<20}    skipped  {why}");
                continue;
            }
        };
        let traffic = &outcome.traffic;
        let rate = match size / outcome.seconds * 1e-9 {
            rate if !rate.is_finite() => "-".into(),
            rate if rate < 0.01 => "< 0.01".into(),
            rate => digits(rate),
        };
        let _ = writeln!(
            text,
            "{mark} {name:<20} {:>10} {rate:>8}  {:>10} {:>11} {:>10} {:>10}  {}",
            seconds(outcome.seconds),
            bytes(traffic.rank_sends),
            bytes(traffic.within_bytes / u64::from(call.topology.hosts())),
            bytes(traffic.host_sends),
            bytes(outcome.scratch),
            simulated(call, comparison, outcome),
        );
    }
    let _ = match &comparison.chosen {
        Ok(_) => {
            writeln!(text, "* what the library would choose if it knew these links ({})", loss(comparison))
        }
        Err(why) => writeln!(text, "the library would refuse: {why}"),
    };
}

/// The quality of the choice.
fn loss(comparison: &Comparison<'_>) -> String {
    match comparison.loss() {
        Some(loss) if loss > 1.0 => format!("{} times the fastest", digits(loss)),
        Some(_) => "the fastest".into(),
        None => "not simulated".into(),
    }
}

/// How the prediction was made.
fn simulated(call: &PlannedCall, comparison: &Comparison<'_>, outcome: &Prediction) -> String {
    let what = match (outcome.symmetry, call.topology.hosts()) {
        (Symmetry::None, _) => "all ranks".to_string(),
        (_, 1) => "one rank for all".to_string(),
        _ => "one host for all".to_string(),
    };
    let order = if outcome.order == Order::Different { ", in another order" } else { "" };
    let more = outcome.count - comparison.request.count;
    let count = match more {
        0 => String::new(),
        _ => format!(", {} B more", more * comparison.request.element_bytes),
    };
    format!("{what}{order}{count}")
}

fn describe(
    text: &mut String,
    call: &PlannedCall,
    comparison: &Comparison<'_>,
    name: &str,
    outcome: &Prediction,
) {
    let traffic = &outcome.traffic;
    let time = outcome.seconds.max(f64::MIN_POSITIVE);
    let rate = |bytes: u64| format!("{} GB/s", digits(bytes as f64 / time * 1e-9));
    let _ = writeln!(text, "\n{name}: {} in {} messages", seconds(outcome.seconds), traffic.messages);
    let _ = writeln!(text, "  within hosts   {} in all", bytes(traffic.within_bytes));
    if call.topology.hosts() > 1 {
        let _ = writeln!(text, "  between hosts  {} in all", bytes(traffic.between_bytes));
        let (out, into) = (traffic.host_sends, traffic.host_receives);
        let _ = writeln!(
            text,
            "  busiest host   sends {} ({}), receives {} ({})",
            bytes(out),
            rate(out),
            bytes(into),
            rate(into)
        );
    }
    let (out, into) = (traffic.rank_sends, traffic.rank_receives);
    let _ = writeln!(text, "  busiest rank   sends {}, receives {}", bytes(out), bytes(into));
    if outcome.count != comparison.request.count {
        let _ = writeln!(text, "  simulated with {} elements, which hosts can share evenly", outcome.count);
    }
}

/// The critical path: how its time is spent, then its steps.
fn path(text: &mut String, name: &str, outcome: &Prediction) {
    let path = &outcome.path;
    let total = outcome.seconds.max(f64::MIN_POSITIVE);
    let share = |keep: &dyn Fn(&Hop) -> bool| {
        let spent = path.iter().filter(|hop| keep(hop)).fold(0.0, |sum, hop| sum + hop.end - hop.begin);
        format!("{} ({:.0} %)", seconds(spent), 100.0 * spent / total)
    };
    let is_message = |hop: &Hop| hop.kind != HopKind::Compute;
    let _ = writeln!(text, "\ncritical path of {name}, {} steps:", path.len());
    let _ = writeln!(
        text,
        "  messages between hosts {}, within hosts {}, local work {}",
        share(&|hop| is_message(hop) && !hop.within_host),
        share(&|hop| is_message(hop) && hop.within_host),
        share(&|hop| !is_message(hop)),
    );
    let _ = writeln!(text, "  {:>10} {:>10}  step", "from", "takes");
    let skip = if path.len() > 2 * SHOWN + 1 { SHOWN..path.len() - SHOWN } else { 0..0 };
    for (at, hop) in path.iter().enumerate() {
        if at == skip.start && !skip.is_empty() {
            let _ = writeln!(text, "  {:>10} {:>10}  {} more steps", "...", "...", skip.len());
        }
        if !skip.contains(&at) {
            let takes = seconds(hop.end - hop.begin);
            let _ = writeln!(text, "  {:>10} {takes:>10}  {}", seconds(hop.begin), step(hop));
        }
    }
}

fn step(hop: &Hop) -> String {
    let Hop { kind, rank, lane, round, .. } = hop;
    let size = bytes(hop.bytes);
    let place = if hop.within_host { "same host" } else { "other host" };
    let peer = hop.peer.unwrap_or(*rank);
    let what = match kind {
        HopKind::Compute => format!("copies and reduces {size}"),
        HopKind::Send => format!("sends {size} to rank {peer}, {place}"),
        HopKind::Receive => format!("receives {size} from rank {peer}, {place}"),
        HopKind::Take => format!("takes {size} from rank {peer}, {place}, which was there before"),
    };
    format!("rank {rank} {what} (lane {lane}, round {round})")
}
