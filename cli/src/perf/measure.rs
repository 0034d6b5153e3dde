//! Measures the time of calls.
//!
//! A sample is a number of calls in a row after a barrier, between two readings of the clock. Calibration
//! finds this number: the clock's own cost must not matter, and a sample must outlast the skew that the
//! barrier leaves. The time of a sample is that of the slowest rank. The ranks exchange times after the last
//! sample, so only the measured calls run between the clock readings.

use std::time::{Duration, Instant};

use anyccl_engine::base::Result;

use super::arguments::Iterations;
use super::ranks::Ranks;

/// Shortest sample, as a multiple of the time that reading the clock takes.
const CLOCK_READS: f64 = 200.0;
/// Shortest sample in any case.
const SHORTEST: Duration = Duration::from_micros(500);
/// Number of samples of a size, unless they take too long together.
const SAMPLES: f64 = 21.0;
/// Lower limit of the number of samples of a size.
const FEWEST_SAMPLES: f64 = 5.0;
/// Time limit for all samples of a size.
const BUDGET: Duration = Duration::from_millis(500);
/// Calibration stops here, whatever the clock shows.
const MOST_CALLS: u64 = 1 << 24;

/// The amount of work for each size.
#[derive(Clone, Copy)]
pub struct Effort {
    /// Calls before anything is timed.
    pub warmup: u32,
    /// Calls in one sample.
    pub iterations: Iterations,
}

/// The measurements of one size.
pub struct Samples {
    /// Calls in each sample.
    pub calls: u64,
    /// Seconds per call, of the slowest rank, for each sample.
    pub seconds: Vec<f64>,
}

/// Measures `run`, which makes as many calls as its argument says. Collective.
pub fn measure(ranks: &Ranks, effort: Effort, mut run: impl FnMut(u64) -> Result<()>) -> Result<Samples> {
    run(u64::from(effort.warmup))?;
    let mut sample = |calls| {
        ranks.barrier()?;
        let start = Instant::now();
        run(calls)?;
        Ok(start.elapsed().as_secs_f64())
    };
    let calls = match effort.iterations {
        Iterations::Fixed(calls) => calls,
        Iterations::Auto => calibrate(ranks, &mut sample)?,
    };
    let first = ranks.largest(&[sample(calls)?])?[0];
    let wanted = (BUDGET.as_secs_f64() / first.max(1e-9)).clamp(FEWEST_SAMPLES, SAMPLES) as usize;
    let own = (0..wanted).map(|_| sample(calls)).collect::<Result<Vec<_>>>()?;
    let seconds = ranks.largest(&own)?.into_iter().map(|seconds| seconds / calls as f64).collect();
    Ok(Samples { calls, seconds })
}

/// Finds the number of calls of a sample. Every rank decides by the same numbers.
fn calibrate(ranks: &Ranks, sample: &mut impl FnMut(u64) -> Result<f64>) -> Result<u64> {
    let target = ranks.largest(&[clock_cost() * CLOCK_READS])?[0].max(SHORTEST.as_secs_f64());
    let mut calls = 1;
    loop {
        let took = ranks.largest(&[sample(calls)?])?[0];
        if took >= target || calls >= MOST_CALLS {
            return Ok(calls);
        }
        calls = more_calls(calls, took, target);
    }
}

/// The next number to try: slightly more than should suffice, because short runs are slow. It is at most ten
/// times as many, because short runs are also inexact.
fn more_calls(calls: u64, took: f64, target: f64) -> u64 {
    let needed = calls as f64 * target / took.max(1e-9) * 1.2;
    (needed as u64).clamp(calls + 1, calls * 10).min(MOST_CALLS)
}

/// Seconds that one reading of the clock takes.
fn clock_cost() -> f64 {
    const READS: u32 = 1000;
    let start = Instant::now();
    for _ in 0..READS {
        std::hint::black_box(Instant::now());
    }
    start.elapsed().as_secs_f64() / f64::from(READS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calibration_grows_until_a_sample_is_long_enough() {
        assert_eq!(more_calls(10, 1.0, 2.0), 24);
        assert_eq!(more_calls(1, 0.999, 1.0), 2);
        assert_eq!(more_calls(1, 0.0, 1.0), 10);
        assert_eq!(more_calls(MOST_CALLS - 1, 0.5, 1.0), MOST_CALLS);
    }

    #[test]
    fn reading_the_clock_takes_some_time() {
        let cost = clock_cost();
        assert!(cost > 0.0 && cost < 0.1, "{cost}");
    }
}
