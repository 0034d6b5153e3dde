//! How far long calls have come: bytes asked, bytes moved, and when the last of them moved.
//!
//! The places are fewer than the operations of the flight recorder, because only calls that move many bytes
//! have one. Two calls under way that need the same place take it from each other, which costs only what is
//! shown of them.

use std::sync::atomic::{AtomicU64, Ordering, fence};

use super::layout::{LONG, ProgressWords};
use crate::sys::ticks::{Scale, Ticks};

/// How far a long call has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Bytes that the rank sends and receives in it.
    pub asked: u64,
    /// Bytes that it has sent and received.
    pub moved: u64,
    /// When the last of them moved, in nanoseconds of CLOCK_MONOTONIC.
    pub at: Option<u64>,
}

/// Notes how far an operation has come. `asked` is called when it takes its place.
pub(super) fn write(
    places: &[ProgressWords; LONG],
    ticks: Ticks,
    operation: u64,
    asked: impl FnOnce() -> u64,
    moved: u64,
) {
    let place = &places[operation as usize % LONG];
    let is_new = place.operation.load(Ordering::Relaxed) != operation;
    if is_new {
        place.operation.store(0, Ordering::Relaxed);
        fence(Ordering::Release);
        place.asked.store(asked(), Ordering::Relaxed);
    }
    place.moved.store(moved, Ordering::Relaxed);
    place.at.store(ticks.now(), Ordering::Relaxed);
    if is_new {
        place.operation.store(operation, Ordering::Release);
    }
}

/// How far an operation has come, if it has a place.
pub(super) fn read(places: &[ProgressWords; LONG], operation: u64, scale: &Scale) -> Option<Progress> {
    let of = |word: &AtomicU64| word.load(Ordering::Relaxed);
    let place = &places[operation as usize % LONG];
    (operation != 0 && of(&place.operation) == operation).then(|| Progress {
        asked: of(&place.asked),
        moved: of(&place.moved),
        at: scale.nanoseconds(of(&place.at)),
    })
}

/// Takes places out of a copy that an earlier copy has not alike: they were being written.
pub(super) fn keep_what_is_in(before: &[ProgressWords; LONG], copy: &[ProgressWords; LONG]) {
    let operation = |words: &ProgressWords| words.operation.load(Ordering::Relaxed);
    for (_, other) in before.iter().zip(copy).filter(|(one, other)| operation(one) != operation(other)) {
        other.operation.store(0, Ordering::Relaxed);
    }
}
