//! The programs of the latest calls with a layout.
//!
//! Programs that exchange the same shapes again and again (a partitioned graph, a transposition) find theirs here; in
//! others counts never repeat, so little is kept and a miss costs little: layouts are compared as a whole, newest first.

use std::sync::Arc;

use super::unequal::Placement;
use crate::base::{Call, Rank, Result};
use crate::plan::{Block, BlockLayout};
use crate::progress::Prepared;

/// Programs that are kept.
const KEPT: usize = 16;
/// Blocks of a layout that is kept, at most: above, building costs less than what it keeps in memory.
const MOST_BLOCKS: usize = 4096;

/// The latest programs, the newest last.
#[derive(Default)]
pub(super) struct Known {
    entries: Vec<Entry>,
}

struct Entry {
    call: Call,
    /// Number of the operator, if it is a function of the program; else 0.
    operator: u32,
    in_place: bool,
    addresses: Vec<usize>,
    input: Vec<Block>,
    output: Vec<Block>,
    sources: Vec<Rank>,
    destinations: Vec<Rank>,
    prepared: Arc<Prepared>,
}

impl Known {
    /// The program of a call; `build` makes it when it is not there.
    pub fn get_or_build(
        &mut self,
        (call, operator): (&Call, u32),
        layout: BlockLayout,
        placed: &Placement,
        build: impl FnOnce() -> Result<Prepared>,
    ) -> Result<Arc<Prepared>> {
        let is_it = |entry: &Entry| {
            (entry.call, entry.operator) == (*call, operator)
                && entry.in_place == placed.in_place
                && entry.addresses == placed.addresses
                && (&entry.input[..], &entry.output[..]) == (layout.input, layout.output)
                && (&entry.sources[..], &entry.destinations[..]) == (layout.sources, layout.destinations)
        };
        if let Some(at) = self.entries.iter().rposition(is_it) {
            self.entries[at..].rotate_left(1);
            return Ok(Arc::clone(&self.entries[self.entries.len() - 1].prepared));
        }
        let prepared = Arc::new(build()?);
        if layout.input.len() + layout.output.len() <= MOST_BLOCKS {
            if self.entries.len() == KEPT {
                self.entries.remove(0);
            }
            self.entries.push(Entry {
                call: *call,
                operator,
                in_place: placed.in_place,
                addresses: placed.addresses.clone(),
                input: layout.input.to_vec(),
                output: layout.output.to_vec(),
                sources: layout.sources.to_vec(),
                destinations: layout.destinations.to_vec(),
                prepared: Arc::clone(&prepared),
            });
        }
        Ok(prepared)
    }
}
