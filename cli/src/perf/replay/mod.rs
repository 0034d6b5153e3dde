//! `--replay`: makes the calls of a recorded job again, with its times of computing between them.
//!
//! Each rank follows the steps of its own file ([`crate::replay`]). `comms` forms the communicators,
//! `memory` has the buffers, `player` follows the steps, and `report` compares the times with those of
//! the recording.

mod comms;
mod memory;
mod player;
mod report;

use std::time::{Duration, Instant};

use super::arguments::PerfArguments;
use super::ranks::Ranks;
use crate::failure::{Failure, complain};
use crate::output::say;
use crate::replay::Recording;
use crate::replay::program::Program;
use player::{Computing, Player};

/// Replays, and reports on rank 0. Returns the exit code. Collective.
pub fn replay(
    arguments: &PerfArguments,
    recording: Result<Recording, Failure>,
    ranks: Ranks,
) -> Result<u8, Failure> {
    let left_out = recording.as_ref().map_or(Vec::new(), |recording| recording.left_out.clone());
    let loaded = recording.and_then(|recording| {
        let program = load(&recording, &ranks)?;
        Ok((recording, program))
    });
    let failure = loaded.as_ref().err().map(|failure| failure.text.clone());
    complain_together(&ranks, left_out.into_iter().chain(failure).collect())?;
    if !ranks.all(loaded.is_ok())? {
        ranks.leave()?;
        return Ok(1);
    }
    let (recording, program) = loaded?;
    let comms = comms::form(&ranks, &program)?;
    let computing = match (arguments.no_compute, arguments.sleep) {
        (true, _) => Computing::None,
        (false, true) => Computing::Asleep,
        (false, false) => Computing::Busy,
    };
    let player = Player::new(&program, &comms, computing)?;
    let late = late(&ranks, &program)?;
    ranks.barrier()?;
    let start = Instant::now();
    computing.pass(late, late);
    let played = player.play(start)?;
    let report = report::report(&ranks, &recording, &program, late, &played)?;
    drop(player);
    for comm in comms.formed() {
        comm.finalize()?;
    }
    ranks.leave()?;
    report.map_or(Ok(0), |text| say(&text))
}

/// Complains about what the ranks have found, each once, with the ranks. Collective.
fn complain_together(ranks: &Ranks, texts: Vec<String>) -> Result<(), Failure> {
    let own = serde_json::to_vec(&texts).map_err(Failure::own)?;
    let mut found: Vec<(String, Vec<u32>)> = Vec::new();
    for (rank, bytes) in (0..).zip(ranks.collect(&own)?) {
        let texts: Vec<String> = serde_json::from_slice(&bytes).map_err(Failure::own)?;
        for text in texts {
            match found.iter_mut().find(|(known, _)| *known == text) {
                Some((_, ranks)) => ranks.push(rank),
                None => found.push((text, vec![rank])),
            }
        }
    }
    for (text, of) in found {
        let names: Vec<String> = of.iter().map(u32::to_string).collect();
        match of.len() == ranks.size() as usize {
            true => complain(&text),
            false => complain(&format!("rank {}: {text}", names.join(", "))),
        }
    }
    Ok(())
}

/// The steps of this rank.
fn load(recording: &Recording, ranks: &Ranks) -> Result<Program, Failure> {
    let (recorded, here) = (recording.size, ranks.size());
    if recorded != here {
        return Err(Failure::own(format_args!(
            "job {} was recorded on {recorded} ranks, and these are {here}: start {recorded} (-n {recorded}), or predict \
             another number with `anyccl simulate --replay DIR --ranks {here}`",
            recording.job
        )));
    }
    let program = recording.program(ranks.rank())?;
    match &program.unfinished {
        None => Ok(program),
        Some(why) => Err(Failure::own(format_args!(
            "the recording of rank {} cannot be replayed, as the other ranks would wait for ever: {why}. `anyccl \
             simulate --replay DIR` predicts it as far as it goes",
            ranks.rank()
        ))),
    }
}

/// How much later than the first rank this one has begun.
fn late(ranks: &Ranks, program: &Program) -> Result<Duration, Failure> {
    // Times of the calendar are exact to a quarter of a microsecond as floats.
    let begin = program.begin as f64;
    let first = -ranks.largest(&[-begin])?[0];
    Ok(Duration::from_nanos((begin - first).clamp(0.0, 1e18) as u64))
}
