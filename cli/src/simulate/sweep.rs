//! Times over sizes: `--min-bytes` as a table, `--plot` as a picture with a line for each algorithm.

use std::fmt::Write;

use super::compare::Comparison;
use crate::picture::{Figure, Group, Point, Series, Spread};
use crate::plan::call::PlannedCall;
use crate::plan::units::{bytes, digits, seconds};

/// Smallest size of a picture, unless the user names another.
pub const FIRST: u64 = 8;

/// A table with a line for each size and a column for each algorithm.
pub fn layout(call: &PlannedCall, comparisons: &[Comparison<'_>]) -> String {
    let names = names(call, comparisons);
    let width = |name: &str| name.len().max(9) + 1;
    let mut text = format!("{:>10}", "bytes");
    for name in &names {
        let _ = write!(text, "  {name:>width$}", width = width(name));
    }
    let _ = writeln!(text, "  chosen / fastest");
    for comparison in comparisons {
        let _ = write!(text, "{:>10}", bytes(call.bytes(&comparison.request)));
        for name in &names {
            let mark = if comparison.chosen.as_ref() == Ok(name) { '*' } else { ' ' };
            let time = match comparison.row(name).map(|row| row.seconds()) {
                Some(time) if time.is_finite() => seconds(time),
                _ => "-".into(),
            };
            let _ = write!(text, "  {:>width$}", format!("{time}{mark}"), width = width(name));
        }
        let loss = comparison.loss().map_or("-".into(), digits);
        let _ = writeln!(text, "  {loss:>16}");
    }
    text
}

/// The contents of the picture: time and bandwidth over size.
pub fn figure(call: &PlannedCall, comparisons: &[Comparison<'_>]) -> Figure {
    let point = |comparison: &Comparison<'_>, name: &str| {
        let bytes = call.bytes(&comparison.request) as f64;
        let seconds = comparison.row(name)?.seconds();
        let time = Spread::exactly(seconds);
        let chosen = comparison.chosen.as_deref() == Ok(name);
        // A logarithmic scale has no place for zero, nor for algorithms without a prediction.
        (bytes > 0.0 && seconds > 0.0 && seconds.is_finite()).then(|| Point {
            bytes,
            time,
            bandwidth: Some(time.rate_of(bytes)),
            chosen,
        })
    };
    let line = |name: &'static str| Series {
        name: name.into(),
        points: comparisons.iter().filter_map(|comparison| point(comparison, name)).collect(),
    };
    let series = names(call, comparisons).into_iter().map(line).collect();
    Figure {
        quantities: ["predicted time", "bytes over time"],
        groups: Group { title: String::new(), series }.split(),
    }
}

/// The algorithms that were simulated, in the order of the table.
fn names(call: &PlannedCall, comparisons: &[Comparison<'_>]) -> Vec<&'static str> {
    // The largest call has all algorithms.
    let Some(last) = comparisons.last() else { return Vec::new() };
    let simulated = |name: &&str| {
        comparisons.iter().any(|comparison| comparison.row(name).is_some_and(|row| row.outcome.is_ok()))
    };
    call.algorithms(&last.request).into_iter().map(|row| row.name).filter(simulated).collect()
}
