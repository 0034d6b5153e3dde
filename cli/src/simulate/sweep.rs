//! Times over sizes: `--min-bytes` as a table, `--plot` as a picture with a line for each algorithm.

use std::fmt::Write;

use anyccl_engine::algo;

use super::cluster::Cluster;
use super::compare::Comparison;
use crate::Failure;
use crate::perf::plot::{Figure, Panel, Series, draw_lines};
use crate::plan::call::PlannedCall;
use crate::plan::units::{bytes, digits, seconds};

/// Smallest size of a picture, unless the user names another.
pub const FIRST: u64 = 8;

/// A table with a line for each size and a column for each algorithm.
pub fn layout(call: &PlannedCall, comparisons: &[Comparison<'_>]) -> String {
    let names = names(comparisons);
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

/// The picture as the text of an SVG file: time and bandwidth over size.
pub fn draw(
    call: &PlannedCall,
    cluster: &Cluster,
    comparisons: &[Comparison<'_>],
) -> Result<String, Failure> {
    let line = |name: &str, value: fn(f64, f64) -> f64| Series {
        name: name.into(),
        points: comparisons
            .iter()
            .filter_map(|comparison| {
                let size = call.bytes(&comparison.request) as f64;
                // A logarithmic scale has no place for zero, nor for algorithms without a prediction.
                let time = comparison.row(name)?.seconds();
                (size > 0.0 && time > 0.0 && time.is_finite()).then(|| (size, value(size, time)))
            })
            .collect(),
    };
    let panel = |quantity, value: fn(f64, f64) -> f64| Panel {
        quantity,
        series: names(comparisons).into_iter().map(|name| line(name, value)).collect(),
    };
    let time = panel("predicted time, us", |_, seconds| seconds * 1e6);
    let rate = panel("bytes over time, GB/s", |bytes, seconds| bytes / seconds * 1e-9);
    let title = format!("{}, model {}", call.on(), cluster.name);
    draw_lines(&Figure { title, panels: [time, rate] }).map_err(Failure::own)
}

/// The algorithms that were simulated, in the order of the table.
fn names(comparisons: &[Comparison<'_>]) -> Vec<&'static str> {
    let Some(first) = comparisons.first() else { return Vec::new() };
    let simulated = |name: &&str| {
        comparisons.iter().any(|comparison| comparison.row(name).is_some_and(|row| row.outcome.is_ok()))
    };
    algo::of(first.request.collective).map(|row| row.name).filter(simulated).collect()
}
