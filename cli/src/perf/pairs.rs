//! Measures transfers between two ranks.
//!
//! Latency is half the time of a round trip. Bandwidth is one-way: messages in a row, ended by an empty answer, so
//! that the last one has arrived. All other ranks wait in a barrier meanwhile.

use anyccl_engine::base::{Rank, Result};

use super::Bench;
use super::arguments::What;
use super::bandwidth::gigabytes_per_second;
use super::check::{data, first_difference, repeat};
use super::measure::{Samples, measure};
use super::report::PairRow;
use super::statistics::Summary;
use crate::Failure;
use anyccl_engine::base::Datatype;

/// Measures and reports the pairs that were asked for. Whether all that arrived was right.
pub fn pairs(bench: &mut Bench<'_>) -> std::result::Result<bool, Failure> {
    let mut sizes: Vec<u64> = bench.arguments.sweep().bytes().collect();
    let pairs: Vec<(Rank, Rank)> = match bench.arguments.what {
        What::Matrix => {
            // Of a matrix the ends tell: latency at the one, bandwidth at the other.
            sizes.drain(1..sizes.len().max(2) - 1);
            let size = bench.ranks.size();
            (0..size).flat_map(|low| (low + 1..size).map(move |high| (low, high))).collect()
        }
        _ => vec![(0, 1)],
    };
    bench.output.begin("p2p", pairs.len() * sizes.len());
    let mut right = true;
    for (low, high) in pairs {
        for &bytes in &sizes {
            let row = Pair::new(bench, low, high, bytes as usize).row()?;
            bench.output.step();
            right &= row.correct != Some(false);
            bench.output.pair(&row)?;
        }
    }
    Ok(right)
}

struct Pair<'a> {
    bench: &'a Bench<'a>,
    low: Rank,
    high: Rank,
    /// What goes out, and what comes in.
    memory: (Vec<u8>, Vec<u8>),
}

impl<'a> Pair<'a> {
    fn new(bench: &'a Bench<'a>, low: Rank, high: Rank, bytes: usize) -> Pair<'a> {
        let mut out = vec![0; bytes];
        repeat(&data(low, high, Datatype::Byte), &mut out);
        Pair { bench, low, high, memory: (out, vec![1; bytes]) }
    }

    fn row(mut self) -> Result<PairRow> {
        let (ranks, effort) = (&self.bench.ranks, self.bench.effort());
        let correct = if self.bench.arguments.no_check { None } else { Some(self.is_right()?) };
        let trips = measure(ranks, effort, |calls| (0..calls).try_for_each(|_| self.round_trip()))?;
        let stream = measure(ranks, effort, |calls| self.stream(calls))?;
        let bytes = self.memory.0.len() as u64;
        Ok(PairRow {
            from: self.low,
            to: self.high,
            bytes,
            calls: trips.calls,
            samples: trips.seconds.len(),
            latency_us: summary(&trips).times(0.5e6),
            bandwidth_gb_s: gigabytes_per_second(bytes, summary(&stream).median),
            correct,
        })
    }

    /// There and back; the far side returns what it got.
    fn round_trip(&mut self) -> Result<()> {
        let (ranks, form) = (&self.bench.ranks, self.bench.form());
        let (out, back) = (&self.memory.0, &mut self.memory.1);
        if ranks.rank() == self.low {
            ranks.send(out, self.high, form)?;
            ranks.receive(back, self.high, form)?;
        } else if ranks.rank() == self.high {
            ranks.receive(back, self.low, form)?;
            ranks.send(back, self.low, form)?;
        }
        Ok(())
    }

    fn stream(&mut self, messages: u64) -> Result<()> {
        let (ranks, form) = (&self.bench.ranks, self.bench.form());
        let (out, back) = (&self.memory.0, &mut self.memory.1);
        if ranks.rank() == self.low {
            (0..messages).try_for_each(|_| ranks.send(out, self.high, form))?;
            ranks.receive(&mut [], self.high, form)?;
        } else if ranks.rank() == self.high {
            (0..messages).try_for_each(|_| ranks.receive(back, self.low, form))?;
            ranks.send(&[], self.low, form)?;
        }
        Ok(())
    }

    /// Whether a round trip brings back what was sent, and the far side saw it.
    fn is_right(&mut self) -> Result<bool> {
        self.round_trip()?;
        let (ranks, rank) = (&self.bench.ranks, self.bench.ranks.rank());
        let takes_part = rank == self.low || rank == self.high;
        let period = data(self.low, self.high, Datatype::Byte);
        let wrong = first_difference(&period, &self.memory.1, 1).filter(|_| takes_part);
        if let Some(byte) = wrong {
            let (low, high) = (self.low, self.high);
            let text = format!("between ranks {low} and {high}: byte {byte} is wrong on rank {rank}");
            self.bench.output.complain(&text);
        }
        ranks.all(wrong.is_none())
    }
}

fn summary(samples: &Samples) -> Summary {
    Summary::of(&samples.seconds)
}
