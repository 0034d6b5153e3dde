//! `anyccl p2p-matrix`: copies between every pair of devices, with the link beside each.
//!
//! One process makes the copies by the CUDA driver; no rank and no engine takes part. So the figures are what
//! the machine can do, with which calls of the library can be compared.

use std::fmt::Write;

use anyccl_engine::base::Result;
use anyccl_engine::device::tools::{CopyBench, CopyEnd};
use clap::Args;
use serde::Serialize;

use super::Gpus;
use crate::failure::Failure;
use crate::output::{say, say_json};
use crate::perf::sizes::parse_bytes;
use crate::progress::Progress;

/// Copies in one sample, and number of samples; the best counts for bandwidth, the median for latency.
const SAMPLES: usize = 11;
const SMALL: usize = 4;
const SMALL_COPIES: u32 = 20;
const LARGE_COPIES: u32 = 3;

/// Measure copies between every pair of GPUs, with the links beside them
///
/// Copies between the devices of this machine, between each device and page-locked host memory, and within
/// each device, by the CUDA driver and one process. Tells what lies between each pair, and so why copies
/// differ. `anyccl perf p2p-matrix --memory cuda` measures messages of the library instead.
#[derive(Args)]
#[command(after_help = "Examples:\n  anyccl p2p-matrix\n  anyccl p2p-matrix --bytes 256M --json")]
pub struct MatrixArguments {
    /// Size for the bandwidth; K, M and G are powers of 1024
    #[arg(short = 'b', long, value_name = "BYTES", value_parser = parse_bytes, default_value = "64M")]
    #[arg(allow_negative_numbers = true)]
    bytes: u64,
    /// Print one JSON object; its keys are stable
    #[arg(long)]
    json: bool,
}

/// Everything that was found.
#[derive(Serialize)]
struct Report {
    bytes: u64,
    gpus: Gpus,
    copies: Vec<Copy>,
}

/// The figures of a pair. `None` is the host.
#[derive(Serialize)]
struct Copy {
    from: Option<i32>,
    to: Option<i32>,
    latency_us: f64,
    bandwidth_gb_s: f64,
    correct: bool,
}

/// Measures and prints. The exit code is 1 if a copy was wrong, or if there is no device.
pub fn matrix(arguments: &MatrixArguments) -> std::result::Result<u8, Failure> {
    let gpus = Gpus::find();
    if let Some(error) = &gpus.error {
        return Err(Failure::own(error));
    }
    if gpus.devices.is_empty() {
        return Err(Failure::own("the CUDA driver is here, and this process sees no device"));
    }
    let places: Vec<Option<i32>> = gpus.devices.iter().map(|gpu| Some(gpu.number)).chain([None]).collect();
    let pairs = places.iter().flat_map(|&from| places.iter().map(move |&to| (from, to)));
    let pairs: Vec<_> = pairs.filter(|(from, to)| from.is_some() || to.is_some()).collect();
    let progress = Progress::new("copies", pairs.len());
    let mut copies = Vec::new();
    for (from, to) in pairs {
        copies.push(measured(from, to, arguments.bytes as usize)?);
        progress.step();
    }
    drop(progress);
    let report = Report { bytes: arguments.bytes, gpus, copies };
    let is_right = report.copies.iter().all(|copy| copy.correct);
    if arguments.json {
        say_json(&serde_json::to_value(&report).map_err(Failure::own)?)?;
    } else {
        say(&text(&report))?;
    }
    Ok(u8::from(!is_right))
}

fn measured(from: Option<i32>, to: Option<i32>, bytes: usize) -> Result<Copy> {
    let place = |device: Option<i32>| device.map_or(CopyEnd::Host, CopyEnd::Device);
    let mut small = CopyBench::new(place(from), place(to), SMALL)?;
    let mut correct = small.is_right()?;
    let mut latency = samples(&mut small, SMALL_COPIES)?;
    drop(small);
    let mut large = CopyBench::new(place(from), place(to), bytes)?;
    correct &= large.is_right()?;
    let bandwidth = samples(&mut large, LARGE_COPIES)?;
    latency.sort_by(f64::total_cmp);
    let best = bandwidth.iter().copied().fold(f64::INFINITY, f64::min);
    Ok(Copy {
        from,
        to,
        latency_us: latency[SAMPLES / 2] * 1e6,
        bandwidth_gb_s: bytes as f64 / best / 1e9,
        correct,
    })
}

/// Seconds of one copy, in each sample.
fn samples(bench: &mut CopyBench, copies: u32) -> Result<Vec<f64>> {
    bench.run(copies)?;
    (0..SAMPLES).map(|_| bench.run(copies).map(|seconds| seconds / f64::from(copies))).collect()
}

fn text(report: &Report) -> String {
    let Report { bytes, gpus, copies } = report;
    let mut text = format!("CUDA driver {}\n", gpus.driver.as_deref().unwrap_or("?"));
    gpus.device_rows().iter().for_each(|row| {
        let _ = writeln!(text, "  {}", row.join("  "));
    });
    table(&mut text, &format!("bandwidth of {bytes} bytes in GB/s"), report, |copy| copy.bandwidth_gb_s);
    table(&mut text, &format!("latency of {SMALL} bytes in us"), report, |copy| copy.latency_us);
    text += "\nwhat lies between\n";
    if gpus.devices.len() == 1 {
        text += "  one device: no pair\n";
    }
    gpus.link_rows().iter().for_each(|row| {
        let _ = writeln!(text, "  {}", row.join(", "));
    });
    for copy in copies.iter().filter(|copy| !copy.correct) {
        let _ = writeln!(text, "WRONG: what was copied from {} to {}", name(copy.from), name(copy.to));
    }
    text
}

fn table(text: &mut String, title: &str, report: &Report, value: impl Fn(&Copy) -> f64) {
    let columns = report.gpus.devices.iter().map(|gpu| Some(gpu.number)).chain([None]);
    let columns: Vec<Option<i32>> = columns.collect();
    let _ = writeln!(text, "\n{title}, from (row) to (column)");
    let head: String = columns.iter().map(|to| format!("{:>10}", name(*to))).collect();
    let _ = writeln!(text, "{:>6}{head}", "");
    for from in &columns {
        let cell = |to: &Option<i32>| {
            let found = report.copies.iter().find(|copy| (copy.from, copy.to) == (*from, *to));
            found.map_or_else(|| format!("{:>10}", "-"), |copy| format!("{:>10.2}", value(copy)))
        };
        let cells: String = columns.iter().map(cell).collect();
        let _ = writeln!(text, "{:>6}{cells}", name(*from));
    }
}

fn name(place: Option<i32>) -> String {
    place.map_or_else(|| "host".into(), |device| device.to_string())
}
