//! Whether a long call goes as a whole or in pieces: as a whole, if the leader can address all buffers of
//! all ranks where they are.
//!
//! A rank knows this of its own buffers only. So every rank makes the pieces, and the first one brings the
//! decision: if every rank reports that its buffers are mapped, the leader's first kernel does the whole
//! call, and the broadcast at its end says so. The other pieces then end without messages. A caller makes a
//! few of them before it waits for the decision, and none after it.

use crate::sys::clock;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

/// Pieces that a caller makes before it waits for the decision. Calls of so many pieces have waited for slots
/// of the bounce buffer, too.
const PIECES_AHEAD: usize = 8;
/// Longest time for which a caller waits. After it, the call has its pieces, which may do nothing.
const PATIENCE: Duration = Duration::from_secs(60);

/// What is decided about one call on one rank.
#[derive(Default)]
pub struct WholeCallDecision {
    /// Whether the call goes as a whole.
    is_whole: Mutex<Option<bool>>,
    decided: Condvar,
}

/// The part that a piece has in the decision.
#[derive(Clone)]
pub enum PieceRole {
    /// The piece is the only one of its call.
    Only,
    /// The piece brings the decision.
    First(Arc<WholeCallDecision>),
    /// The piece begins when the decision is known.
    Later(Arc<WholeCallDecision>),
}

impl WholeCallDecision {
    /// Notes the decision. A later one has no effect.
    fn decide(&self, is_whole: bool) {
        self.is_whole.lock().get_or_insert(is_whole);
        self.decided.notify_all();
    }

    fn get(&self) -> Option<bool> {
        *self.is_whole.lock()
    }

    /// Whether the rest of a call needs no pieces, after so many were made. It waits if these are many.
    pub fn is_done_after(&self, made: usize) -> bool {
        let end = clock::now() + PATIENCE;
        let mut is_whole = self.is_whole.lock();
        while made >= PIECES_AHEAD && is_whole.is_none() {
            if clock::wait_until(&self.decided, &mut is_whole, end) {
                break;
            }
        }
        *is_whole == Some(true)
    }
}

impl PieceRole {
    /// Whether it is known how the piece goes.
    pub fn is_known(&self) -> bool {
        match self {
            PieceRole::Only | PieceRole::First(_) => true,
            PieceRole::Later(decision) => decision.get().is_some(),
        }
    }

    /// Whether the first piece has done the work of this one.
    pub fn is_done(&self) -> bool {
        matches!(self, PieceRole::Later(decision) if decision.get() == Some(true))
    }

    /// Whether the piece brings the decision.
    pub fn is_first(&self) -> bool {
        matches!(self, PieceRole::First(_))
    }

    /// Notes the decision, if this piece brings it.
    pub fn decide(&self, is_whole: bool) {
        if let PieceRole::First(decision) = self {
            decision.decide(is_whole);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_decision_holds_and_later_pieces_wait_for_it() {
        for is_whole in [false, true] {
            let decision = Arc::new(WholeCallDecision::default());
            let (first, later) =
                (PieceRole::First(Arc::clone(&decision)), PieceRole::Later(Arc::clone(&decision)));
            assert!(first.is_known() && !later.is_known() && !later.is_done());
            assert!(!decision.is_done_after(1));
            later.decide(!is_whole);
            first.decide(is_whole);
            first.decide(!is_whole);
            assert!(later.is_known() && !first.is_done());
            assert_eq!(later.is_done(), is_whole);
            assert_eq!(decision.is_done_after(PIECES_AHEAD), is_whole);
        }
        assert!(PieceRole::Only.is_known() && !PieceRole::Only.is_first() && !PieceRole::Only.is_done());
    }
}
