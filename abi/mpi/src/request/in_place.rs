//! Waiting for requests that stay in their places, because another thread may cancel them or complete them
//! meanwhile: receives if threads call MPI at the same time, and operations of the program's own.

use anyccl_engine::comm as engine;

use super::held::Held;
use super::waiting::Patience;
use super::{Active, Ended, end, requests};
use crate::arguments::RequestHandle;
use crate::error::Result;
use crate::state;

/// Whether a request must stay in its place while a thread waits for it.
#[inline]
pub(super) fn is_needed(held: &Held) -> bool {
    held.active().is_some_and(|active| active.concerns_others(state::is_multiple()))
}

/// Waits until one of several active requests has ended, and ends it. Returns its place in the list, too.
pub(super) fn wait_for_any(ids: &[RequestHandle]) -> Result<(usize, Ended)> {
    let mut marks = Marks { ids, marked: 0, ended: None };
    for id in ids {
        requests().find(id.0)?.held_mut()?.has_waiter = true;
        marks.marked += 1;
    }
    let mut patience = Patience::default();
    loop {
        // Nobody else ends a request that has a waiter, so its call stays valid. This wait comes before the
        // first poll, which reads the control channels of all peers if the call has not ended.
        let watches: Vec<engine::Watch> = ids.iter().filter_map(|id| watch(*id)).collect();
        let is_watched = watches.len() == ids.len();
        if is_watched {
            engine::wait_for_watched(&watches);
        }
        for (at, id) in ids.iter().enumerate() {
            let mut place = requests().find(id.0)?;
            if let Some(outcome) = place.held.as_mut().and_then(Held::poll) {
                marks.ended = Some(at);
                return Ok((at, end(*id, place, outcome)));
            }
        }
        if !is_watched {
            super::progress_staged();
            patience.rest();
        }
    }
}

/// The call of the engine that a request waits for.
fn watch(id: RequestHandle) -> Option<engine::Watch> {
    let place = requests().find(id.0).ok()?;
    place.held.as_ref().and_then(Held::active).and_then(Active::current).and_then(engine::Request::watch)
}

/// Requests that are marked as waited for, until this is dropped.
struct Marks<'a> {
    ids: &'a [RequestHandle],
    marked: usize,
    /// Index of the request that has ended. Others may use it again.
    ended: Option<usize>,
}

impl Drop for Marks<'_> {
    fn drop(&mut self) {
        for (at, id) in self.ids[..self.marked].iter().enumerate() {
            if self.ended != Some(at)
                && let Ok(mut place) = requests().find(id.0)
                && let Some(held) = &mut place.held
            {
                held.has_waiter = false;
            }
        }
    }
}
