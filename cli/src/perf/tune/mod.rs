//! `--tune`: measures the costs of links and reductions, for the choice of algorithms.
//!
//! The cost of a message is assumed to be latency + bytes / bandwidth. Latency is half a round trip of a
//! small message; bandwidth follows from the additional time of a long message ([`timing`]). Shared memory is
//! measured to the first rank of this host, TCP to the first rank elsewhere, or over loopback if there is
//! none. All other ranks wait meanwhile.
//!
//! Further measurements are for predictions: messages of several sizes, one way and both ways at once, and
//! the collectives of all ranks. Reductions and copies of these sizes are measured on all ranks at the same
//! time ([`core_work`]).
//!
//! Everything is measured in rounds, so that a disturbance cannot spoil a timing unseen. Rank 0 decides which
//! timings need another round ([`rounds`]). A timing whose rounds never agree is named in the file.

mod core_work;

mod rounds;
mod timing;

use std::fmt::Write as _;

use anyccl_engine::base::{Call, CallKind, Collective, Datatype, Rank, ReduceOp, Result};
use anyccl_engine::comm::Communicator;
use anyccl_engine::reduce::instruction_set;

use super::arguments::PerfArguments;
use super::measure::measure;
use super::memory::CollectiveCall;
use super::ping_pong::PingPong;
use super::ranks::Ranks;
use super::region::Memory;
use super::sizes::size_of_call;
use super::statistics::Summary;
use crate::output::ResultFile;
use crate::plan::units::digits;
use crate::progress::Progress;
use rounds::Rounds;
use timing::Timing;

/// Measures, and returns the file and its text on rank 0. Collective.
pub fn tune(
    arguments: &PerfArguments,
    ranks: &Ranks,
    file: Option<ResultFile>,
) -> Result<Option<(ResultFile, String)>> {
    let shm = first_peer(ranks, "shm")?;
    let other_host = first_peer(ranks, "tcp")?;
    let loopback = if other_host.is_none() { Some(ranks.with_tcp()?) } else { None };
    let links = MeasuredLinks {
        arguments,
        ranks,
        shm,
        tcp: (loopback.as_ref().map_or(&*ranks.world, |comm| comm), other_host.unwrap_or(1)),
    };
    let measured = in_rounds(ranks, &Timing::all(shm.is_some()), |timing| links.us(timing))?;
    if let Some(comm) = loopback {
        comm.finalize()?;
    }
    let Some(file) = file else { return Ok(None) };
    let us = |timing| {
        let found = measured.iter().find(|(known, _)| *known == timing);
        found.expect("all timings were measured").1.result()
    };
    let mut costs = timing::costs(shm.is_some(), us);
    (costs.times.collectives.ranks, costs.times.collectives.hosts) = (ranks.size(), ranks.world.memories());
    let text = format!(
        "# Made by `anyccl perf --tune`; for ANYCCL_TUNING_FILE. {} ranks, kernels {}, TCP {}.\n{}{}",
        ranks.size(),
        instruction_set(),
        if other_host.is_some() { "between ranks" } else { "over loopback" },
        doubts(&measured),
        costs.to_text(shm.is_some(), true),
    );
    Ok(Some((file, text)))
}

/// The first rank to which rank 0 has such a link. All ranks get the same result.
fn first_peer(ranks: &Ranks, transport: &str) -> Result<Option<Rank>> {
    let mut peer = [0; 4];
    if ranks.speaks() {
        let found = (1..ranks.size()).find(|&peer| ranks.world.transport(peer) == transport);
        // Rank 0 is not its own peer, so 0 means none.
        peer = found.unwrap_or(0).to_ne_bytes();
    }
    ranks.share_first(&mut peer)?;
    Ok(Some(Rank::from_ne_bytes(peer)).filter(|&peer| peer != 0))
}

/// Measures each timing until its rounds agree, or until there were enough. The times of rank 0 decide.
/// Collective.
fn in_rounds(
    ranks: &Ranks,
    timings: &[Timing],
    us: impl Fn(Timing) -> Result<f64>,
) -> Result<Vec<(Timing, Rounds)>> {
    let mut measured: Vec<_> = timings.iter().map(|&timing| (timing, Rounds::default())).collect();
    let progress = if ranks.speaks() { Progress::new("tune", 0) } else { Progress::hidden() };
    loop {
        let mut wanted: Vec<u8> =
            measured.iter().map(|(_, rounds)| u8::from(rounds.need_another())).collect();
        ranks.share_first(&mut wanted)?;
        let wanted = |at: &usize| wanted[*at] != 0;
        let round: Vec<usize> = (0..timings.len()).filter(wanted).collect();
        if round.is_empty() {
            return Ok(measured);
        }
        progress.extend(round.len());
        for at in round {
            let (timing, rounds) = &mut measured[at];
            rounds.add(us(*timing)?);
            progress.step();
        }
    }
}

/// Comments for the file that name each timing whose rounds never agreed.
fn doubts(measured: &[(Timing, Rounds)]) -> String {
    let mut text = String::new();
    for (timing, rounds) in measured.iter().filter(|(_, rounds)| !rounds.agree()) {
        let (low, high) = rounds.range();
        let _ = writeln!(
            text,
            "# warning: {timing}: {} to {} us in {} rounds, of which no two in a row agree; their median counts",
            digits(low),
            digits(high),
            rounds::MOST
        );
    }
    text
}

/// The links that are measured, from rank 0 to another rank.
struct MeasuredLinks<'a> {
    arguments: &'a PerfArguments,
    ranks: &'a Ranks,
    /// The other end of shared memory, if there is one.
    shm: Option<Rank>,
    /// Communicator and other end of TCP.
    tcp: (&'a Communicator, Rank),
}

impl MeasuredLinks<'_> {
    /// Measures a timing once, in microseconds.
    fn us(&self, timing: Timing) -> Result<f64> {
        let shm = (&*self.ranks.world, self.shm.unwrap_or(0));
        // Half a round trip is one way.
        match timing {
            Timing::Reduction(bytes) => Ok(core_work::reduction_us(bytes)),
            Timing::Copy(bytes) => Ok(core_work::copy_us(bytes)),
            Timing::Shm(bytes) => Ok(self.median_us(shm, bytes, PingPong::round_trips)? * 0.5),
            Timing::Tcp(bytes) => Ok(self.median_us(self.tcp, bytes, PingPong::round_trips)? * 0.5),
            Timing::ShmExchange(bytes) => self.median_us(shm, bytes, PingPong::exchanges),
            Timing::TcpExchange(bytes) => self.median_us(self.tcp, bytes, PingPong::exchanges),
            Timing::Call(collective, bytes) => self.call_us(collective, bytes),
        }
    }

    fn call_us(&self, collective: Collective, bytes: usize) -> Result<f64> {
        let (ranks, arguments) = (self.ranks, self.arguments);
        let blocks = size_of_call(collective, ranks.size(), 1, 1) as usize;
        let call = Call {
            kind: CallKind::Collective(collective),
            datatype: Datatype::Float32,
            op: collective.reduces().then_some(ReduceOp::Sum),
            root: 0,
            count: (bytes / blocks / Datatype::Float32.bytes()).max(1) as u64,
        };
        let place = (ranks.rank(), ranks.size());
        let mut memory = CollectiveCall::new(Memory::Host, (collective, call), place, false)?;
        let samples = measure(ranks, arguments.effort(), |calls| {
            (0..calls).try_for_each(|_| memory.run(&ranks.world, arguments.form()))
        })?;
        Ok(Summary::of(&samples.seconds).median * 1e6)
    }

    fn median_us<'a>(
        &self,
        (comm, peer): (&'a Communicator, Rank),
        bytes: usize,
        run: fn(&mut PingPong<'a>, u64) -> Result<()>,
    ) -> Result<f64> {
        let (ranks, arguments) = (self.ranks, self.arguments);
        let mut pair = PingPong::new(comm, (Memory::Host, arguments.form()), (0, peer), bytes)?;
        let samples = measure(ranks, arguments.effort(), |times| run(&mut pair, times))?;
        Ok(Summary::of(&samples.seconds).median * 1e6)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_figures_whose_rounds_disagree_are_named_in_comments() {
        let rounds = |us: &[f64]| {
            let mut rounds = Rounds::default();
            us.iter().for_each(|us| rounds.add(*us));
            rounds
        };
        let text = doubts(&[
            (Timing::Copy(4096), rounds(&[5.0, 1.0, 1.1])),
            (Timing::Tcp(8), rounds(&[5.0, 7.0, 9.0, 6.0, 20.25, 7.0])),
        ]);
        assert!(
            text.starts_with("# warning: a message through TCP, 8 B: 5 to 20.2 us in 6 rounds"),
            "{text}"
        );
        assert_eq!(text.lines().count(), 1, "{text}");
    }
}
