//! Cache of the compiled plans of recent calls with a layout.
//!
//! An application that exchanges the same shapes again and again (a partitioned graph, a transposition) finds
//! its plans here. In other applications counts never repeat. So few plans are kept, and a miss costs little:
//! layouts are compared as a whole, newest first.

use std::sync::Arc;

use super::placement::Placement;
use super::unequal::{Places, Unequal};
use crate::base::{Call, CallKind, Rank, Result};
use crate::executor::{Buffers, Prepared};
use crate::plan::{Block, BlockLayout};

/// Number of compiled plans that are kept.
const KEPT: usize = 16;
/// Most blocks of a layout that is kept. For a longer one, building the plan costs less than keeping it.
const MOST_BLOCKS: usize = 4096;

/// The most recent compiled plans, the newest last.
#[derive(Default)]
pub(in crate::comm) struct LayoutCache {
    entries: Vec<Entry>,
    /// The two buffers of the newest entry, if it served the latest call and that call had two buffers.
    latest_at: Option<(*const u8, *mut u8)>,
}

// SAFETY: the pointers are only compared, and returned to a caller that has just passed them; nothing is read
// through them.
unsafe impl Send for LayoutCache {}

struct Entry {
    call: Call,
    /// Number of the operator, if it is a function of the program; otherwise 0.
    operator: u32,
    in_place: bool,
    addresses: Vec<usize>,
    input: Vec<Block>,
    output: Vec<Block>,
    sources: Vec<Rank>,
    destinations: Vec<Rank>,
    prepared: Arc<Prepared>,
}

impl Entry {
    fn has(&self, layout: BlockLayout) -> bool {
        (&self.input[..], &self.output[..]) == (layout.input, layout.output)
            && (&self.sources[..], &self.destinations[..]) == (layout.sources, layout.destinations)
    }
}

impl LayoutCache {
    /// The program and the buffers of the latest call, if this call equals it and has the same buffers. The
    /// checks of that call then hold for this one.
    pub fn latest(&self, operation: &Unequal, operator: u32) -> Option<(Arc<Prepared>, Buffers)> {
        let Places::Buffers { send, recv } = operation.places else { return None };
        let Unequal { collective, datatype, op, root, layout, .. } = *operation;
        let entry = self.entries.last().filter(|_| self.latest_at == Some((send, recv)))?;
        let Call { kind, datatype: its_datatype, op: its_op, root: its_root, .. } = entry.call;
        let is_it = (kind, its_datatype, its_op, its_root)
            == (CallKind::Collective(collective), datatype, op, root)
            && entry.operator == operator
            && entry.has(layout);
        is_it.then(|| (Arc::clone(&entry.prepared), Buffers { input: send, output: recv }))
    }

    /// Notes the buffers of the latest call, whose program `get_or_build` has just returned.
    pub fn note_buffers(&mut self, places: Places, layout: BlockLayout) {
        let is_kept = self.entries.last().is_some_and(|entry| entry.has(layout));
        self.latest_at = match places {
            Places::Buffers { send, recv } if is_kept => Some((send, recv)),
            _ => None,
        };
    }

    /// The program of a call. `build` makes it if it is not in the cache.
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
                && entry.has(layout)
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
