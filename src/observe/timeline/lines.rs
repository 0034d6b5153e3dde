//! What a time line is given: communicators and calls.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::base::Rank;
use crate::observe::trace::Event;

/// A communicator, for readers of the file.
pub struct CommLine<'a> {
    /// Its context.
    pub context: u32,
    /// Number of the group of its ranks.
    pub group: u64,
    /// Its name.
    pub name: &'a str,
    /// Rank of this process.
    pub rank: Rank,
    /// Its ranks as ranks of the job.
    pub members: &'a [Rank],
}

/// A call. Times are those of [`crate::observe::trace::now`].
#[derive(Debug, Default)]
pub struct CallLine {
    /// Name of its class.
    pub name: &'static str,
    /// The whole call, as in errors.
    pub title: String,
    /// What repeats the call: members of a JSON object, each behind a comma.
    pub details: String,
    /// Context of the communicator.
    pub context: u32,
    /// Number of a collective call there.
    pub number: Option<u32>,
    /// The other side of a message, as a rank of the job.
    pub peer: Option<Rank>,
    /// Bytes of its buffer.
    pub bytes: u64,
    /// Begin.
    pub begin: u64,
    /// End.
    pub end: u64,
    /// The thread that has started it ([`thread`]).
    pub thread: u32,
    /// When its start returned, if that did not wait for the end.
    pub returned: Option<u64>,
    /// When the program learnt of the end, in which thread, if it did not wait in the call itself.
    pub taken: Option<(u64, u32)>,
    /// Row of the call: see [`super::Timeline::take_slot`].
    pub slot: usize,
    /// Whether a thread was in it all the time.
    pub is_blocking: bool,
    /// How it has ended: "ended", "failed", "cancelled" or "running".
    pub state: &'static str,
    /// Its steps.
    pub steps: Vec<Event>,
}

/// Number of this thread, for readers of files: 0 for the first one that asks.
pub fn thread() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    thread_local! {
        static OWN: u32 = NEXT.fetch_add(1, Ordering::Relaxed);
    }
    // The storage of a thread that ends is gone: such threads share a number.
    OWN.try_with(|own| *own).unwrap_or(u32::MAX)
}
