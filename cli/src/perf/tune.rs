//! `--tune`: what links and reductions cost here, as the choice of algorithms wants to know it.
//!
//! The cost of a message is taken to be latency + bytes / bandwidth. Latency is half a round trip of a small message;
//! bandwidth is what a long message takes beyond that. Shared memory is measured to the first rank of this host, TCP
//! to the first rank elsewhere; where there is none, over loopback. All other ranks wait meanwhile.

use std::fs::File;
use std::hint::black_box;
use std::io::{Write, stdout};
use std::time::Instant;

use anyccl_engine::base::{Datatype, Rank, ReduceOp};
use anyccl_engine::comm::Communicator;
use anyccl_engine::reduce::{instruction_set, reduce_fn};
use anyccl_engine::tuning::{Exchange, LinkModel, Links};

use super::arguments::PerfArguments;
use super::measure::measure;
use super::ping_pong::PingPong;
use super::ranks::Ranks;
use super::statistics::Summary;
use crate::Failure;

/// For the latency.
const SMALL: usize = 8;
/// For the bandwidth: where the choice between algorithms matters most.
const LONG: usize = 1 << 20;
/// For exchanges: in steps, since caches are.
const EXCHANGES: [usize; 6] = [SMALL, 4 << 10, 32 << 10, 256 << 10, 2 << 20, 16 << 20];
/// Repetitions of the reduction; the median counts.
const REDUCTIONS: usize = 200;

/// Measures, writes the file on rank 0, and says there what came out. Collective.
pub fn tune(arguments: &PerfArguments, ranks: &Ranks, file: Option<File>) -> Result<(), Failure> {
    let mut links = Links::DEFAULT;
    let gamma = reduction();
    (links.shm.reduce_us_per_byte, links.tcp.reduce_us_per_byte) = (gamma, gamma);
    let shm = first_peer(ranks, "shm")?;
    if let Some(peer) = shm {
        links.shm = link(arguments, ranks, &ranks.world, peer, links.shm)?;
    }
    let other_host = first_peer(ranks, "tcp")?;
    let tcp = |comm: &Communicator, peer| -> Result<(LinkModel, Exchange), Failure> {
        let measured = link(arguments, ranks, comm, peer, LinkModel::TCP)?;
        Ok((measured, exchange(arguments, ranks, comm, peer, measured.latency_us)?))
    };
    (links.tcp, links.tcp_exchange) = match other_host {
        Some(peer) => tcp(&ranks.world, peer)?,
        None => {
            let comm = ranks.with_tcp()?;
            let measured = tcp(&comm, 1)?;
            comm.finalize()?;
            measured
        }
    };
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

/// The first rank to which rank 0 has such a link. All ranks get the same answer.
fn first_peer(ranks: &Ranks, transport: &str) -> Result<Option<Rank>, Failure> {
    let mut peer = [0; 4];
    if ranks.speaks() {
        let found = (1..ranks.size()).find(|&peer| ranks.world.transport(peer) == transport);
        // Rank 0 is no peer of its own.
        peer = found.unwrap_or(0).to_ne_bytes();
    }
    ranks.share_first(&mut peer)?;
    Ok(Some(Rank::from_ne_bytes(peer)).filter(|&peer| peer != 0))
}

fn link(
    arguments: &PerfArguments,
    ranks: &Ranks,
    comm: &Communicator,
    peer: Rank,
    model: LinkModel,
) -> Result<LinkModel, Failure> {
    let one_way_us = |bytes| -> Result<f64, Failure> {
        let mut pair = PingPong::new(comm, arguments.form(), 0, peer, bytes);
        let samples = measure(ranks, arguments.effort(), |trips| pair.round_trips(trips))?;
        Ok(Summary::of(&samples.seconds).median * 0.5e6)
    };
    let latency_us = one_way_us(SMALL)?;
    // A link so fast that the difference drowns still takes some time.
    let us_per_byte = ((one_way_us(LONG)? - latency_us) / LONG as f64).max(1e-9);
    Ok(LinkModel { us_per_byte, ..model.with_latency(latency_us) })
}

/// What both sending at once takes, beyond the latency of one way.
fn exchange(
    arguments: &PerfArguments,
    ranks: &Ranks,
    comm: &Communicator,
    peer: Rank,
    latency_us: f64,
) -> Result<Exchange, Failure> {
    let us = |bytes| -> Result<f64, Failure> {
        let mut pair = PingPong::new(comm, arguments.form(), 0, peer, bytes);
        let samples = measure(ranks, arguments.effort(), |times| pair.exchanges(times))?;
        Ok(Summary::of(&samples.seconds).median * 1e6)
    };
    let mut points: Vec<(u64, f64)> = Vec::new();
    for bytes in EXCHANGES {
        // Noise must not make a larger message the faster one, nor a message free.
        let least = points.last().map_or(1e-3, |point| point.1);
        points.push((bytes as u64, (us(bytes)? - latency_us).max(least)));
    }
    Ok(Exchange::new(&points).expect("sizes rise, and so do the times"))
}

/// Microseconds per byte of the result of a reduction, on this rank alone.
fn reduction() -> f64 {
    let elements = LONG / size_of::<f32>();
    let (mut sum, other) = (vec![0f32; elements], vec![1f32; elements]);
    let reduce = reduce_fn(Datatype::Float32, ReduceOp::Sum).expect("floats can be added");
    let seconds: Vec<f64> = (0..REDUCTIONS)
        .map(|_| {
            let dst = sum.as_mut_ptr().cast::<u8>();
            let start = Instant::now();
            // SAFETY: both have `elements` elements, and the destination is exactly the first operand.
            unsafe { reduce(dst, dst, other.as_ptr().cast(), elements) };
            start.elapsed().as_secs_f64()
        })
        .collect();
    black_box(&sum);
    Summary::of(&seconds).median * 1e6 / LONG as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reduction_takes_between_a_picosecond_and_a_microsecond_per_byte() {
        let us_per_byte = reduction();
        assert!(1e-6 < us_per_byte && us_per_byte < 1.0, "{us_per_byte}");
    }
}
