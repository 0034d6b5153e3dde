//! Measures transfers between two ranks: over all sizes, or for every pair of ranks.

use anyccl_engine::base::{Rank, Result};

use super::arguments::What;
use super::bandwidth::gigabytes_per_second;
use super::bench::Bench;
use super::measure::measure;
use super::ping_pong::PingPong;
use super::report::PairRow;
use super::statistics::Summary;
use crate::failure::Failure;

/// Measures and reports the requested pairs. Returns whether all received bytes were right.
pub fn pairs(bench: &mut Bench<'_>) -> std::result::Result<bool, Failure> {
    let mut sizes: Vec<u64> = bench.arguments.sweep().bytes().collect();
    let size = bench.ranks.size();
    let pairs: Vec<(Rank, Rank)> = match bench.arguments.what {
        Some(What::Matrix) => {
            // A matrix needs only the two ends: the smallest size for latency, the largest for bandwidth.
            sizes.drain(1..sizes.len().max(2) - 1);
            let others = |from| (0..size).filter(move |&to| to != from).map(move |to| (from, to));
            (0..size).flat_map(others).collect()
        }
        _ => vec![(0, 1)],
    };
    bench.output.begin("send_recv", pairs.len() * sizes.len());
    let mut right = true;
    for (from, to) in pairs {
        for &bytes in &sizes {
            let row = row(bench, from, to, bytes)?;
            bench.output.step();
            right &= row.correct != Some(false);
            bench.output.pair(&row);
            if !bench.goes_on()? {
                return Ok(false);
            }
        }
    }
    Ok(right)
}

fn row(bench: &mut Bench<'_>, from: Rank, to: Rank, bytes: u64) -> Result<PairRow> {
    let Bench { arguments, ranks, output, tracer } = bench;
    let mut pair = PingPong::new(&ranks.world, (ranks.memory, arguments.form()), (from, to), bytes as usize)?;
    let mut correct = None;
    if !arguments.no_check {
        let wrong = pair.first_wrong_byte()?;
        if let Some(byte) = wrong {
            let rank = ranks.rank();
            output.complain(&format!("from rank {from} to {to}: byte {byte} is wrong on rank {rank}"));
        }
        correct = Some(ranks.all(wrong.is_none())?);
    }
    let trips = measure(ranks, arguments.effort(), |calls| pair.round_trips(calls))?;
    let stream = measure(ranks, arguments.effort(), |calls| pair.stream(calls))?;
    tracer.record(ranks, || format!("round trip of {bytes} bytes"), || pair.round_trips(1))?;
    let stream = Summary::of(&stream.seconds);
    Ok(PairRow {
        from,
        to,
        transport: ranks.transport(from, to)?,
        bytes,
        calls: trips.calls,
        samples: trips.seconds.len(),
        latency_us: Summary::of(&trips.seconds).times(0.5e6),
        stream_us: stream.times(1e6),
        bandwidth_gb_s: gigabytes_per_second(bytes, stream.median),
        correct,
    })
}
