//! Hints for files: the info keys of MPI 5.0, section 14.2.8.

use anyccl_engine::comm::Communicator;

use crate::comm::agreement::broadcast;
use crate::error::Result;
use crate::info::Pairs;

/// Keys that the standard reserves. Other keys are ignored.
const KNOWN: [&str; 14] = [
    "access_style",
    "cb_block_size",
    "cb_buffer_size",
    "cb_nodes",
    "chunked",
    "chunked_item",
    "chunked_size",
    "collective_buffering",
    PERMISSIONS,
    "io_node_list",
    "nb_proc",
    "num_io_nodes",
    "striping_factor",
    "striping_unit",
];

const BUFFER: &str = "cb_buffer_size";
const NODES: &str = "cb_nodes";
const BUFFERING: &str = "collective_buffering";
const PERMISSIONS: &str = "file_perm";

/// Bytes that an aggregator holds at a time, unless a hint says otherwise.
const BUFFER_BYTES: u64 = 16 << 20;
/// Number of aggregators, unless a hint says otherwise.
const AGGREGATORS: u64 = 8;

/// The hints of a file. Those for collective buffering are equal on all ranks.
#[derive(Clone, Debug)]
pub struct Hints {
    given: Pairs,
    /// Bytes that an aggregator holds at a time.
    pub buffer_bytes: u64,
    /// Number of aggregators.
    pub aggregators: u32,
    /// Whether collective calls may use aggregators.
    pub is_buffered: bool,
}

impl Hints {
    /// Hints without any from the program, for a file of `ranks` processes.
    pub fn default_for(ranks: u32) -> Hints {
        Hints {
            given: Pairs::default(),
            buffer_bytes: BUFFER_BYTES,
            aggregators: (AGGREGATORS as u32).min(ranks),
            is_buffered: true,
        }
    }

    /// Adds hints of the program. What cannot be followed is ignored, as MPI allows. Collective: rank 0's
    /// hints for collective buffering count.
    pub fn add(&mut self, engine: &Communicator, info: &Pairs) -> Result<()> {
        for (key, value) in info.iter().filter(|(key, _)| KNOWN.contains(key)) {
            self.given.set(key, value)?;
        }
        let number = |key| self.given.get(key).and_then(|value| value.trim().parse().ok()).filter(|n| *n > 0);
        let is_off = self.given.get(BUFFERING).is_some_and(|value| value.trim() == "false");
        let (buffer, nodes) = (number(BUFFER).unwrap_or(BUFFER_BYTES), number(NODES).unwrap_or(AGGREGATORS));
        let mut words = [buffer, nodes, u64::from(is_off)];
        broadcast(engine, 0, &mut words)?;
        // A page at least; at most what a process may well have.
        self.buffer_bytes = words[0].clamp(4096, 1 << 30);
        self.aggregators = words[1].clamp(1, engine.size().into()) as u32;
        self.is_buffered = words[2] == 0;
        Ok(())
    }

    /// Permissions of a file that is created, before the process's mask: an octal number. Others are ignored.
    pub fn permissions(&self) -> u32 {
        let octal = |text: &str| u32::from_str_radix(text.trim(), 8).ok().filter(|bits| *bits <= 0o777);
        self.given.get(PERMISSIONS).and_then(octal).unwrap_or(0o666)
    }

    /// The hints in use.
    pub fn pairs(&self) -> Result<Pairs> {
        let mut pairs = self.given.clone();
        pairs.set(BUFFER, &self.buffer_bytes.to_string())?;
        pairs.set(NODES, &self.aggregators.to_string())?;
        pairs.set(BUFFERING, if self.is_buffered { "true" } else { "false" })?;
        Ok(pairs)
    }
}
