//! `--tune`: measures the costs of links and reductions, for the choice of algorithms.
//!
//! The cost of a message is assumed to be latency + bytes / bandwidth. Latency is half a round trip of a
//! small message; bandwidth follows from the additional time of a long message. Shared memory is measured to
//! the first rank of this host, TCP to the first rank elsewhere, or over loopback if there is none. All other
//! ranks wait meanwhile.
//!
//! Further measurements are for the simulator: messages of several sizes over TCP, one way and both ways at
//! once. Reductions and copies of these sizes are measured on all ranks at the same time.

use std::fs::File;
use std::hint::black_box;
use std::io::{Write, stdout};
use std::time::Instant;

use anyccl_engine::base::{self, Datatype, Rank, ReduceOp};
use anyccl_engine::comm::Communicator;
use anyccl_engine::cost::{Curve, LinkModel};
use anyccl_engine::reduce::{instruction_set, reduce_fn};
use anyccl_engine::tuning::Links;

use super::arguments::PerfArguments;
use super::measure::measure;
use super::ping_pong::PingPong;
use super::ranks::Ranks;
use super::region::Memory;
use super::statistics::Summary;
use crate::Failure;

/// Size for the latency.
const SMALL: usize = 8;
/// Size for the bandwidth: the choice between algorithms matters most here.
const LONG: usize = 1 << 20;
/// Sizes for curves: in steps, because caches are stepped.
const STEPS: [usize; 6] = [SMALL, 4 << 10, 32 << 10, 256 << 10, 2 << 20, 16 << 20];
/// Limits for repeating work of one core: total bytes, and number of repetitions; the median counts.
const REPEATED: (usize, usize) = (256 << 20, 200);

/// Measures, writes the file on rank 0, and prints the result there. Collective.
pub fn tune(arguments: &PerfArguments, ranks: &Ranks, file: Option<File>) -> Result<(), Failure> {
    let mut links = Links::DEFAULT;
    let gamma = reduction_us(LONG) / LONG as f64;
    links.reduce = curve(0.0, |bytes| Ok(reduction_us(bytes)))?;
    links.copy = curve(0.0, |bytes| Ok(copy_us(bytes)))?;
    (links.shm.reduce_us_per_byte, links.tcp.reduce_us_per_byte) = (gamma, gamma);
    let shm = first_peer(ranks, "shm")?;
    if let Some(peer) = shm {
        links.shm = Pair { arguments, ranks, comm: &ranks.world, peer }.link(links.shm)?;
    }
    let other_host = first_peer(ranks, "tcp")?;
    match other_host {
        Some(peer) => Pair { arguments, ranks, comm: &ranks.world, peer }.tcp(&mut links)?,
        None => {
            let comm = ranks.with_tcp()?;
            Pair { arguments, ranks, comm: &comm, peer: 1 }.tcp(&mut links)?;
            comm.finalize()?;
        }
    }
    links.tcp.reduce_us_per_byte = gamma;
    let Some(mut file) = file else { return Ok(()) };
    let text = format!(
        "# Made by `anyccl perf --tune`; for ANYCCL_TUNING_FILE. {} ranks, kernels {}, TCP {}.\n{}",
        ranks.size(),
        instruction_set(),
        if other_host.is_some() { "between ranks" } else { "over loopback" },
        links.to_text(shm.is_some(), true),
    );
    let written = file.write_all(text.as_bytes()).and_then(|()| stdout().write_all(text.as_bytes()));
    written.map_err(|error| Failure::own(format_args!("cannot write the figures: {error}")))
}

/// The first rank to which rank 0 has such a link. All ranks get the same result.
fn first_peer(ranks: &Ranks, transport: &str) -> Result<Option<Rank>, Failure> {
    let mut peer = [0; 4];
    if ranks.speaks() {
        let found = (1..ranks.size()).find(|&peer| ranks.world.transport(peer) == transport);
        // Rank 0 is not its own peer, so 0 means none.
        peer = found.unwrap_or(0).to_ne_bytes();
    }
    ranks.share_first(&mut peer)?;
    Ok(Some(Rank::from_ne_bytes(peer)).filter(|&peer| peer != 0))
}

/// Rank 0 and another rank, while all others wait.
struct Pair<'a> {
    arguments: &'a PerfArguments,
    ranks: &'a Ranks,
    comm: &'a Communicator,
    peer: Rank,
}

impl Pair<'_> {
    fn link(&self, model: LinkModel) -> Result<LinkModel, Failure> {
        let latency_us = self.one_way_us(SMALL)?;
        // On a very fast link the difference may vanish in the noise; it still counts as some time.
        let us_per_byte = ((self.one_way_us(LONG)? - latency_us) / LONG as f64).max(1e-9);
        Ok(LinkModel { us_per_byte, ..model.with_latency(latency_us) })
    }

    /// Measures everything about TCP.
    fn tcp(&self, links: &mut Links) -> Result<(), Failure> {
        links.tcp = self.link(LinkModel::TCP)?;
        let latency_us = links.tcp.latency_us;
        links.tcp_one_way = curve(latency_us, |bytes| self.one_way_us(bytes))?;
        links.tcp_exchange = curve(latency_us, |bytes| self.exchange_us(bytes))?;
        Ok(())
    }

    /// Half a round trip.
    fn one_way_us(&self, bytes: usize) -> Result<f64, Failure> {
        Ok(self.median_us(bytes, |pair, trips| pair.round_trips(trips))? * 0.5)
    }

    /// An exchange, in which both send at once.
    fn exchange_us(&self, bytes: usize) -> Result<f64, Failure> {
        self.median_us(bytes, |pair, times| pair.exchanges(times))
    }

    fn median_us(
        &self,
        bytes: usize,
        run: impl Fn(&mut PingPong, u64) -> base::Result<()>,
    ) -> Result<f64, Failure> {
        let Pair { arguments, ranks, comm, peer } = *self;
        let mut pair = PingPong::new(comm, (Memory::Host, arguments.form()), (0, peer), bytes)?;
        let samples = measure(ranks, arguments.effort(), |times| run(&mut pair, times))?;
        Ok(Summary::of(&samples.seconds).median * 1e6)
    }
}

/// Measures the time of messages beyond the latency.
fn curve(latency_us: f64, us: impl Fn(usize) -> Result<f64, Failure>) -> Result<Curve, Failure> {
    let mut points: Vec<(u64, f64)> = Vec::new();
    for bytes in STEPS {
        // Noise must not make a larger message faster, nor a message free.
        let least = points.last().map_or(1e-3, |point| point.1);
        points.push((bytes as u64, (us(bytes)? - latency_us).max(least)));
    }
    Ok(Curve::new(&points).expect("sizes rise, and so do the times"))
}

/// Microseconds of a reduction with a result of `bytes` bytes.
fn reduction_us(bytes: usize) -> f64 {
    let reduce = reduce_fn(Datatype::Float32, ReduceOp::Sum).expect("floats can be added");
    median_us(bytes, |sum, other| {
        let dst = sum.as_mut_ptr().cast::<u8>();
        // SAFETY: both have as many elements, and the destination is exactly the first operand.
        unsafe { reduce(dst, dst, other.as_ptr().cast(), sum.len()) };
    })
}

/// Microseconds of a copy of `bytes` bytes.
fn copy_us(bytes: usize) -> f64 {
    median_us(bytes, |to, from| to.copy_from_slice(from))
}

/// Median microseconds of `work` on two buffers of `bytes` bytes.
fn median_us(bytes: usize, work: impl Fn(&mut [f32], &[f32])) -> f64 {
    let elements = bytes / size_of::<f32>();
    let (mut one, other) = (vec![0f32; elements], vec![1f32; elements]);
    let (in_all, most) = REPEATED;
    let seconds: Vec<f64> = (0..(in_all / bytes).min(most))
        .map(|_| {
            let start = Instant::now();
            work(&mut one, black_box(&other));
            let seconds = start.elapsed().as_secs_f64();
            black_box(&mut one);
            seconds
        })
        .collect();
    Summary::of(&seconds).median * 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reduction_takes_between_a_picosecond_and_a_microsecond_per_byte() {
        let us_per_byte = reduction_us(LONG) / LONG as f64;
        assert!(1e-6 < us_per_byte && us_per_byte < 1.0, "{us_per_byte}");
    }
}
