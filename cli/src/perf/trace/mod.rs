//! `--trace`: makes one more call after each measurement, with the engine's recorder on.
//!
//! Recording slows calls down, so measured calls are never recorded. Each rank keeps its own events. At the
//! end rank 0 collects them, already in the form of the file.

mod chrome;

use anyccl_engine::base::Result;
use anyccl_engine::observe::trace;

use super::ranks::Ranks;
use crate::output::ResultFile;
use chrome::Track;

/// The recordings of this rank; empty unless the user wants a trace.
pub struct Tracer {
    track: Option<Track>,
    /// The file, on the rank that writes.
    file: Option<ResultFile>,
}

impl Tracer {
    /// Starts a recording if the user `wanted` it. Rank 0 passes the `file`. Collective.
    pub fn new(ranks: &Ranks, wanted: bool, file: Option<ResultFile>) -> Result<Tracer> {
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

    /// Collects the tracks, and returns the file and its text on the rank that writes. Collective.
    pub fn end(self, ranks: &Ranks) -> Result<Option<(ResultFile, Vec<u8>)>> {
        let Some(track) = self.track else { return Ok(None) };
        let tracks = ranks.collect(track.text().as_bytes())?;
        Ok(self.file.map(|file| (file, text(&tracks))))
    }
}

/// The text of the file.
fn text(tracks: &[Vec<u8>]) -> Vec<u8> {
    [chrome::HEAD.as_bytes(), &tracks.join(chrome::BETWEEN.as_bytes()), chrome::TAIL.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn tracks_of_several_ranks_make_one_json_object() {
        let tracks: Vec<_> = (0..3).map(|rank| Track::new(rank, 0).text().as_bytes().to_vec()).collect();
        let file: Value = serde_json::from_slice(&text(&tracks)).unwrap();
        let ranks: Vec<_> = file["traceEvents"].as_array().unwrap().iter().map(|e| &e["pid"]).collect();
        assert!([0, 1, 2].iter().all(|rank| ranks.contains(&&Value::from(*rank))), "{file}");
    }
}
