//! Do the ranks make the same calls? Compares what peers send, or say they wait for, with what was called here.
//!
//! Every fragment carries the sender's whole call, so most disagreements are found by the first
//! fragment that meets the wrong call. Where nobody sends (two ranks that each take the other for the root),
//! the notes of stalled ranks are compared in the same way.

use crate::base::Call;

/// Calls that are remembered after they were made here. A power of two: numbers wrap around.
const REMEMBERED: usize = 256;

/// What a peer's message means, by its number and its call.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The same call as here.
    Agrees,
    /// A call that this rank has not made yet.
    Future,
    /// Another call under the same number: the one made here.
    Contradicts(Call),
    /// So long ago that it is not remembered.
    Forgotten,
}

/// The calls of one context, packed, by number.
#[derive(Debug)]
pub(super) struct History {
    /// Number of the next call.
    next: u32,
    /// How many are remembered.
    filled: usize,
    /// The call with number n is at n % REMEMBERED. Empty until the first call: most pairs never transfer.
    calls: Vec<[u64; 2]>,
}

impl Default for History {
    fn default() -> History {
        History::starting_at(0)
    }
}

impl History {
    fn starting_at(next: u32) -> History {
        History { next, filled: 0, calls: Vec::new() }
    }

    /// Notes a packed call; gives its number.
    #[inline(always)]
    pub fn note(&mut self, call: [u64; 2]) -> u32 {
        if self.filled < REMEMBERED {
            self.calls.resize(REMEMBERED, [0; 2]);
            self.filled += 1;
        }
        let number = self.next;
        self.calls[number as usize % REMEMBERED] = call;
        self.next = number.wrapping_add(1);
        number
    }

    /// Compares a peer's call with the one made here under the same number.
    pub fn judge(&self, number: u32, call: [u64; 2]) -> Verdict {
        let back = self.next.wrapping_sub(number) as i32;
        if back <= 0 {
            return Verdict::Future;
        }
        if back as usize > self.filled {
            return Verdict::Forgotten;
        }
        let mine = self.calls[number as usize % REMEMBERED];
        match Call::unpack(mine) {
            Some(mine_read) if !Call::agree(mine, call) => Verdict::Contradicts(mine_read),
            _ => Verdict::Agrees,
        }
    }
}

/// A peer's call in words, even if its bytes make no sense.
pub(super) fn describe(call: [u64; 2]) -> String {
    Call::unpack(call).map_or_else(|| "an unknown call".to_string(), |call| call.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{CallKind, Collective, Datatype};

    fn call(count: u64) -> Call {
        Call {
            kind: CallKind::Collective(Collective::AllGather),
            datatype: Datatype::Int32,
            op: None,
            root: 0,
            count,
        }
    }

    #[test]
    fn past_present_and_future_calls_are_told_apart() {
        let mut history = History::default();
        for count in 0..1000 {
            assert_eq!(history.note(call(count).pack()), count as u32);
        }
        assert_eq!(history.judge(999, call(999).pack()), Verdict::Agrees);
        assert_eq!(history.judge(990, call(1).pack()), Verdict::Contradicts(call(990)));
        assert_eq!(history.judge(1000, call(1).pack()), Verdict::Future);
        assert_eq!(history.judge(1, call(1).pack()), Verdict::Forgotten);
    }

    #[test]
    fn numbers_may_wrap_around() {
        let mut history = History::starting_at(u32::MAX);
        assert_eq!(history.note(call(1).pack()), u32::MAX);
        assert_eq!(history.note(call(2).pack()), 0);
        assert_eq!(history.judge(u32::MAX, call(1).pack()), Verdict::Agrees);
        assert_eq!(history.judge(1, call(1).pack()), Verdict::Future);
    }
}
