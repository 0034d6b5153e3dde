//! `anyccl trace merge`: the time lines of all ranks as one file, on one clock.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use super::clocks::align;
use crate::failure::Failure;
use crate::output::ResultFile;
use crate::trace::read::{RankTrace, objects, read};

/// Writes the file. Returns what was done in words.
pub fn merge(folder: &Path, output: &Path) -> Result<String, Failure> {
    let traces = read(folder)?;
    let is_output = |trace: &RankTrace| {
        trace.path.canonicalize().ok().is_some_and(|path| output.canonicalize().is_ok_and(|out| out == path))
    };
    if let Some(trace) = traces.iter().find(|trace| is_output(trace)) {
        return Err(Failure::own(format_args!("{} is the time line of a rank", trace.path.display())));
    }
    let file = ResultFile::new(output)?;
    let mut by_job: BTreeMap<String, Vec<RankTrace>> = BTreeMap::new();
    for trace in traces {
        by_job.entry(trace.head.job.clone()).or_default().push(trace);
    }
    let mut text = String::from("[\n");
    let (mut ranks, mut bars) = (0u64, 0u64);
    for job in by_job.values_mut() {
        let before: Vec<Option<i64>> = job.iter().map(first_begin).collect();
        align(job);
        for (trace, before) in job.iter().zip(before) {
            let shift =
                first_begin(trace).zip(before).map_or(0, |(after, before)| after.saturating_sub(before));
            bars += add(&mut text, trace, shift, ranks)?;
            ranks += 1;
        }
    }
    text.push_str("\n]\n");
    file.write(text)?;
    Ok(format!("{} has {bars} bars of {ranks} ranks; ui.perfetto.dev shows it\n", output.display()))
}

/// The begin of some bar, which tells by how much a time line was moved.
fn first_begin(trace: &RankTrace) -> Option<i64> {
    trace.calls.first().map(|call| call.bar).or(trace.waits.first().map(|wait| wait.bar)).map(|bar| bar.begin)
}

/// Adds a time line. `process`: its number in the file, because jobs have the same ranks. Returns the bars.
fn add(text: &mut String, trace: &RankTrace, shift: i64, process: u64) -> Result<u64, Failure> {
    let mut bars = 0;
    objects(&trace.path, |object| {
        let mut object: Value = serde_json::from_str(object)?;
        object["pid"] = json!(process);
        if let Some(at) = object["ts"].as_f64() {
            object["ts"] = json!(at + shift as f64 / 1e3);
            bars += 1;
        }
        if !text.ends_with("[\n") {
            text.push_str(",\n");
        }
        text.push_str(&object.to_string());
        Ok(())
    })?;
    Ok(bars)
}
