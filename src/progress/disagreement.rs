//! Detection of disagreements: compares the calls that peers send, or say they wait in, with those made here.
//!
//! Every fragment carries the sender's whole call, so most disagreements are found by the first fragment that
//! meets another call. If no rank sends (two ranks that each take the other for the root), the announcements
//! of stalled ranks are compared in the same way. The rest is found when ranks leave: each tells the others
//! which calls it has made ([`CallRecord`]).

use crate::base::{Call, Error};
use crate::observe::status::{CallSlot, ShownEnd};
use crate::transport::control::CallRecord;

/// Number of calls that are remembered. Calls under way remember themselves ([`super::calls`]). A power of
/// two, because numbers wrap around.
const REMEMBERED: usize = 256;

/// The meaning of a peer's message, by its number and its call.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Both ranks made the same call.
    Agrees,
    /// This rank has not made the call yet.
    Future,
    /// This rank made another call under the same number: this one.
    Contradicts(Call),
    /// The call was made too long ago to be remembered. It may still be under way.
    Forgotten,
}

/// A difference between the calls of a peer and those made here.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Difference {
    /// Two calls have the same number.
    Call { number: u32, mine: Call, theirs: [u64; 2] },
    /// Only the peer has made the call with this number.
    OnlyTheirs { number: u32, theirs: [u64; 2] },
    /// Only this rank has made the call with this number.
    OnlyMine { number: u32, mine: [u64; 2] },
    /// The calls that differ are not remembered any more.
    Forgotten,
}

/// The calls of one context, packed, by number.
#[derive(Debug)]
pub(super) struct History {
    /// Number that the first call had.
    first: u64,
    /// Number of the next call. In messages it wraps around.
    next: u64,
    /// The call with number n is at n % REMEMBERED. None until the first call, because most contexts have
    /// none.
    calls: Option<Box<[[u64; 2]; REMEMBERED]>>,
    /// Digest of all calls, in their order.
    digest: u64,
    /// Where other processes read the last call.
    slot: Option<CallSlot>,
}

impl Default for History {
    fn default() -> History {
        History::starting_at(0)
    }
}

impl History {
    fn starting_at(next: u32) -> History {
        let first = u64::from(next);
        History { first, next: first, calls: None, digest: 0, slot: None }
    }

    /// Gives the next call this number. There was no call before.
    pub fn start_at(&mut self, number: u32) {
        (self.first, self.next) = (number.into(), number.into());
    }

    /// Lets other processes read the calls that are made from now on.
    pub fn show(&mut self, slot: Option<CallSlot>) {
        self.slot = slot;
    }

    /// Lets other processes read that the communicator has failed.
    pub fn show_failure(&self, error: &Error) {
        self.slot.iter().for_each(|slot| slot.note_failure(error));
    }

    /// Number of calls that were made.
    pub fn made(&self) -> u32 {
        self.next as u32
    }

    /// Number of calls that are remembered.
    fn filled(&self) -> usize {
        (self.next - self.first).min(REMEMBERED as u64) as usize
    }

    /// Notes a packed call with its fingerprint (`executor::prepared`). Returns its number. `end`: what other
    /// processes read of its end, until there is more to say.
    // The call is borrowed, because its words would have to be saved while the slot is written.
    #[inline(always)]
    pub fn note(&mut self, call: &[u64; 2], fingerprint: u64, end: ShownEnd) -> u32 {
        // The step of FxHash: the same calls in another order give another digest.
        self.digest = (self.digest.rotate_left(5) ^ fingerprint).wrapping_mul(0x517c_c1b7_2722_0a95);
        let number = self.next;
        let calls = match &mut self.calls {
            Some(calls) => calls,
            none => allocate(none),
        };
        calls[number as usize % REMEMBERED] = *call;
        self.next = number + 1;
        if let Some(slot) = &self.slot {
            slot.note(number as u32, call, end);
        }
        number as u32
    }

    fn at(&self, number: u32) -> [u64; 2] {
        self.calls.as_ref().map_or([0; 2], |calls| calls[number as usize % REMEMBERED])
    }

    /// The record of the calls, for a peer.
    pub fn record(&self) -> CallRecord {
        let count = self.filled().min(CallRecord::LATEST) as u32;
        let latest = (0..count).map(|i| self.at(self.made().wrapping_sub(count - i))).collect();
        CallRecord { next: self.made(), digest: self.digest, latest }
    }

    /// The first difference between the calls of a peer that has left and those made here. `is_over`: this
    /// rank makes no more calls either.
    pub fn difference(&self, theirs: &CallRecord, is_over: bool) -> Option<Difference> {
        let first = theirs.next.wrapping_sub(theirs.latest.len() as u32);
        for (i, call) in theirs.latest.iter().enumerate() {
            let number = first.wrapping_add(i as u32);
            match self.judge(number, *call) {
                Verdict::Contradicts(mine) => {
                    return Some(Difference::Call { number, mine, theirs: *call });
                }
                Verdict::Future if is_over => {
                    return Some(Difference::OnlyTheirs { number, theirs: *call });
                }
                Verdict::Future | Verdict::Agrees | Verdict::Forgotten => {}
            }
        }
        match self.made().wrapping_sub(theirs.next) as i32 {
            0 if self.digest != theirs.digest => Some(Difference::Forgotten),
            0 => None,
            // A call of this rank that waits for the peer reports the difference itself.
            _ if !is_over => None,
            ahead if ahead > 0 && ahead as usize <= self.filled() => {
                Some(Difference::OnlyMine { number: theirs.next, mine: self.at(theirs.next) })
            }
            _ => Some(Difference::Forgotten),
        }
    }

    /// Compares a peer's call with the one made here under the same number.
    pub fn judge(&self, number: u32, call: [u64; 2]) -> Verdict {
        let back = self.made().wrapping_sub(number) as i32;
        if back <= 0 {
            return Verdict::Future;
        }
        if back as usize > self.filled() {
            return Verdict::Forgotten;
        }
        let mine = self.at(number);
        match Call::unpack(mine) {
            Some(mine_read) if !Call::agree(mine, call) => Verdict::Contradicts(mine_read),
            _ => Verdict::Agrees,
        }
    }
}

#[cold]
fn allocate(calls: &mut Option<Box<[[u64; 2]; REMEMBERED]>>) -> &mut [[u64; 2]; REMEMBERED] {
    calls.insert(Box::new([[0; 2]; REMEMBERED]))
}

/// Describes a peer's call, even if its bytes make no sense.
pub(super) fn describe(call: [u64; 2]) -> String {
    Call::unpack(call).map_or_else(|| "an unknown call".to_string(), |call| call.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{CallKind, Collective, Datatype};
    use crate::executor::fingerprint;

    fn note(history: &mut History, call: [u64; 2]) -> u32 {
        history.note(&call, fingerprint(call), ShownEnd::Open)
    }

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
    fn past_present_and_future_calls_are_distinguished() {
        let mut history = History::default();
        for count in 0..1000 {
            assert_eq!(note(&mut history, call(count).pack()), count as u32);
        }
        assert_eq!(history.judge(999, call(999).pack()), Verdict::Agrees);
        assert_eq!(history.judge(990, call(1).pack()), Verdict::Contradicts(call(990)));
        assert_eq!(history.judge(1000, call(1).pack()), Verdict::Future);
        assert_eq!(history.judge(1, call(1).pack()), Verdict::Forgotten);
    }

    /// The calls from `first` on, with these counts.
    fn history(first: u32, counts: impl IntoIterator<Item = u64>) -> History {
        let mut history = History::starting_at(first);
        for count in counts {
            note(&mut history, call(count).pack());
        }
        history
    }

    #[test]
    fn ranks_with_the_same_calls_have_the_same_record_however_many_calls_there_are() {
        for first in [0, u32::MAX - 300] {
            for count in [0, 1, 15, 16, 17, 255, 256, 257, 511, 512, 513, 1000] {
                let (one, other) = (history(first, 0..count), history(first, 0..count));
                assert_eq!(one.record(), other.record());
                assert_eq!(one.difference(&other.record(), true), None);
                assert_eq!(one.record().latest.len(), CallRecord::LATEST.min(count as usize));
            }
        }
    }

    #[test]
    fn any_different_call_is_detected_and_a_recent_one_is_named() {
        for first in [0, u32::MAX - 300] {
            for count in [1, 16, 17, 256, 257, 600] {
                for odd in [0, count / 2, count - 1] {
                    let counts = (0..count).map(|i| if i == odd { 5000 } else { i });
                    let (mine, theirs) = (history(first, 0..count), history(first, counts).record());
                    for is_over in [false, true] {
                        let number = first.wrapping_add(odd as u32);
                        let named = Difference::Call { number, mine: call(odd), theirs: call(5000).pack() };
                        let is_late = odd + CallRecord::LATEST as u64 >= count;
                        let expected = if is_late { named } else { Difference::Forgotten };
                        assert_eq!(mine.difference(&theirs, is_over), Some(expected), "{odd} of {count}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_peer_that_is_ahead_differs_only_when_this_rank_makes_no_more_calls() {
        let (short, long) = (history(0, 0..20), history(0, 0..22));
        let theirs = call(20).pack();
        assert_eq!(short.difference(&long.record(), false), None);
        assert_eq!(
            short.difference(&long.record(), true),
            Some(Difference::OnlyTheirs { number: 20, theirs })
        );
        let longer = history(0, 0..200);
        assert_eq!(short.difference(&longer.record(), false), None);
        assert!(matches!(short.difference(&longer.record(), true), Some(Difference::OnlyTheirs { .. })));
        let mine = Some(Difference::OnlyMine { number: 20, mine: theirs });
        assert_eq!(long.difference(&short.record(), true), mine);
        assert_eq!(long.difference(&short.record(), false), None);
        assert_eq!(history(0, 0..1000).difference(&short.record(), true), Some(Difference::Forgotten));
    }

    #[test]
    fn numbers_may_wrap_around() {
        let mut history = History::starting_at(u32::MAX);
        assert_eq!(note(&mut history, call(1).pack()), u32::MAX);
        assert_eq!(note(&mut history, call(2).pack()), 0);
        assert_eq!(history.judge(u32::MAX, call(1).pack()), Verdict::Agrees);
        assert_eq!(history.judge(1, call(1).pack()), Verdict::Future);
    }
}
