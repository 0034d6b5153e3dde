//! Requests of operations that had completed when they were started.
//!
//! Most sends of small messages leave at once, and a receive whose message is there ends at once. Then only
//! the status remains to be read, so such a request needs no place in the slab and no lock.
//!
//! - An operation with an empty status has the number [`FINISHED`], which any number of requests share.
//! - Another status is kept in one of a few slots. When all slots are taken, the slab takes the request.
//!
//! Numbers are made as in the slab: `generation << 20 | place`. The slots have the last places of the slab's
//! numbers. No request has generation 0.

use std::sync::atomic::{AtomicI32, AtomicI64, AtomicU32, Ordering};

use super::number::{FIRST_PLACE, PLACE_BITS, PLACE_MASK, SLOTS, last_generation, unknown};
use crate::arguments::RequestHandle;
use crate::error::Result;
use crate::status::Status;

/// The request of every operation that had completed with an empty status.
pub const FINISHED: RequestHandle = RequestHandle(PLACE_MASK);

/// A status that is kept, in a cache line that threads do not share.
#[repr(align(64))]
struct Slot {
    /// Number of the request; 0 while there is none, `TAKEN` while the slot is filled.
    id: AtomicU32,
    generation: AtomicU32,
    source: AtomicI32,
    tag: AtomicI32,
    bytes: AtomicI64,
}

/// A number that no request has.
const TAKEN: u32 = 1;

static KEPT: [Slot; SLOTS as usize] = [const {
    Slot {
        id: AtomicU32::new(0),
        generation: AtomicU32::new(0),
        source: AtomicI32::new(0),
        tag: AtomicI32::new(0),
        bytes: AtomicI64::new(0),
    }
}; SLOTS as usize];

/// The slot that is tried next.
static NEXT: AtomicU32 = AtomicU32::new(0);

/// A request for an operation that has completed with this status. `None`: the slab must keep it.
#[inline]
pub(super) fn create(status: &Status) -> Option<RequestHandle> {
    if *status == Status::SENT {
        return Some(FINISHED);
    }
    if status.error.is_some() || status.is_cancelled {
        return None;
    }
    let at = NEXT.fetch_add(1, Ordering::Relaxed) % SLOTS;
    let slot = &KEPT[at as usize];
    slot.id.compare_exchange(0, TAKEN, Ordering::Acquire, Ordering::Relaxed).ok()?;
    let generation = slot.generation.load(Ordering::Relaxed) % last_generation() + 1;
    slot.generation.store(generation, Ordering::Relaxed);
    slot.source.store(status.source, Ordering::Relaxed);
    slot.tag.store(status.tag, Ordering::Relaxed);
    slot.bytes.store(status.bytes, Ordering::Relaxed);
    let id = generation << PLACE_BITS | (FIRST_PLACE + at);
    slot.id.store(id, Ordering::Release);
    Some(RequestHandle(id))
}

/// Whether a request, if there is one of this number, had completed when it was started.
#[inline]
pub(super) fn is_finished(id: RequestHandle) -> bool {
    id.0 & PLACE_MASK >= FIRST_PLACE
}

/// The status of a request that [is finished](is_finished). The request stays.
#[inline]
pub(super) fn status(id: RequestHandle) -> Result<Status> {
    find(id).map(|(status, _)| status)
}

/// Ends a request that [is finished](is_finished): its number is unknown from here on.
#[inline]
pub(super) fn take(id: RequestHandle) -> Result<Status> {
    let (status, slot) = find(id)?;
    let Some(slot) = slot else { return Ok(status) };
    // One of several threads that pass the same number takes the request. The slot was not taken and filled
    // again meanwhile, so the status belongs to the request.
    match slot.id.compare_exchange(id.0, 0, Ordering::AcqRel, Ordering::Relaxed) {
        Ok(_) => Ok(status),
        Err(_) => Err(unknown(id.0)),
    }
}

#[inline]
fn find(id: RequestHandle) -> Result<(Status, Option<&'static Slot>)> {
    if id == FINISHED {
        return Ok((Status::SENT, None));
    }
    let at = (id.0 & PLACE_MASK) - FIRST_PLACE;
    match KEPT.get(at as usize) {
        Some(slot) if slot.id.load(Ordering::Acquire) == id.0 => {
            let source = slot.source.load(Ordering::Relaxed);
            let (tag, bytes) = (slot.tag.load(Ordering::Relaxed), slot.bytes.load(Ordering::Relaxed));
            Ok((Status { source, tag, error: None, bytes, is_cancelled: false }, Some(slot)))
        }
        _ => Err(unknown(id.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(bytes: i64) -> Status {
        Status { source: 1, tag: 2, error: None, bytes, is_cancelled: false }
    }

    #[test]
    fn a_status_is_taken_once_and_its_number_is_unknown_afterwards() {
        let id = create(&of(8)).unwrap();
        assert!(is_finished(id) && status(id).unwrap() == of(8));
        assert_eq!(take(id).unwrap(), of(8));
        assert!(take(id).is_err() && status(id).is_err());
    }

    #[test]
    fn an_empty_status_needs_no_slot_and_one_with_an_error_is_refused() {
        let id = create(&Status::SENT).unwrap();
        assert!(is_finished(id) && id == create(&Status::SENT).unwrap());
        assert_eq!(take(id).unwrap(), Status::SENT);
        assert!(create(&Status::EMPTY).is_none());
        assert!(create(&Status { is_cancelled: true, ..of(0) }).is_none());
    }

    #[test]
    fn threads_that_share_the_slots_get_their_own_statuses_back() {
        std::thread::scope(|scope| {
            for thread in 0..4 {
                scope.spawn(move || {
                    for round in 0..2000 {
                        let all: Vec<_> = (0..8).map(|at| (at, create(&of(thread << 32 | at)))).collect();
                        for (at, id) in all {
                            let Some(id) = id else { continue };
                            assert_eq!(take(id).unwrap(), of(thread << 32 | at), "in round {round}");
                        }
                    }
                });
            }
        });
    }

    #[test]
    fn when_all_slots_are_taken_the_slab_is_asked_for() {
        let all: Vec<_> = (0..2 * i64::from(SLOTS)).map(|at| create(&of(at))).collect();
        assert!(all.iter().any(Option::is_none));
        for (at, id) in all.into_iter().enumerate() {
            let Some(id) = id else { continue };
            assert_eq!(take(id).unwrap(), of(at as i64));
        }
    }
}
