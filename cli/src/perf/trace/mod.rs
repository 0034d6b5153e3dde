//! `--trace`: makes one more call after each measurement, with the engine's recorder on.
//!
//! Recording slows calls down, so measured calls are never recorded. Each rank keeps its own events. At the
//! end rank 0 collects them, already in the form of the file.

mod chrome;

use std::fs::File;
use std::io::{self, BufWriter, Write};

use anyccl_engine::base::Result;
use anyccl_engine::observe::trace;

use super::ranks::Ranks;
use crate::Failure;
use chrome::Track;

/// The recordings of this rank; empty unless the user wants a trace.
pub struct Tracer {
    track: Option<Track>,
    /// The file, on the rank that writes.
    file: Option<File>,
}

impl Tracer {
    /// Starts a recording if the user `wanted` it. Rank 0 passes the `file`. Collective.
    pub fn new(ranks: &Ranks, wanted: bool, file: Option<File>) -> Result<Tracer> {
        if !wanted {
            return Ok(Tracer { track: None, file: None });
        }
        // One zero for all ranks: times relative to it fit into the numbers of JSON.
        let mut zero = trace::now().to_ne_bytes();
        ranks.share_first(&mut zero)?;
        let track = Track::new(ranks.rank(), u64::from_ne_bytes(zero));
        Ok(Tracer { track: Some(track), file })
    }

    /// Runs a call with the recorder on, if the user wants a trace. Collective.
    pub fn record(
        &mut self,
        ranks: &Ranks,
        label: impl FnOnce() -> String,
        run: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        let Some(track) = &mut self.track else { return Ok(()) };
        ranks.barrier()?;
        trace::record(true);
        let outcome = run();
        trace::record(false);
        track.add(&label(), &trace::take());
        outcome
    }

    /// Collects the tracks and writes the file. Collective.
    pub fn end(self, ranks: &Ranks) -> std::result::Result<(), Failure> {
        let Some(track) = self.track else { return Ok(()) };
        let tracks = ranks.collect(track.text().as_bytes())?;
        let Some(file) = self.file else { return Ok(()) };
        write(BufWriter::new(file), &tracks)
            .map_err(|error| Failure::own(format_args!("cannot write the trace: {error}")))
    }
}

fn write(mut out: impl Write, tracks: &[Vec<u8>]) -> io::Result<()> {
    out.write_all(chrome::HEAD.as_bytes())?;
    for (at, track) in tracks.iter().enumerate() {
        if at > 0 {
            out.write_all(chrome::BETWEEN.as_bytes())?;
        }
        out.write_all(track)?;
    }
    out.write_all(chrome::TAIL.as_bytes())?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn tracks_of_several_ranks_make_one_json_object() {
        let tracks: Vec<_> = (0..3).map(|rank| Track::new(rank, 0).text().as_bytes().to_vec()).collect();
        let mut file = Vec::new();
        write(&mut file, &tracks).unwrap();
        let file: Value = serde_json::from_slice(&file).unwrap();
        let ranks: Vec<_> = file["traceEvents"].as_array().unwrap().iter().map(|e| &e["pid"]).collect();
        assert!([0, 1, 2].iter().all(|rank| ranks.contains(&&Value::from(*rank))), "{file}");
    }
}
