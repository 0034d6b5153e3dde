//! Calls that lack only their buffers, and a cache of the recent ones.
//!
//! Most programs repeat a few calls. What a call needs besides its buffers (checks, plan, kernels) depends on
//! a [`Key`] of 24 bytes. The communicator prepares it once, and the engine finds it again with one
//! comparison.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::buffers::Buffers;
use super::program::Program;
use super::widened::Widened;
use crate::base::{Call, Result, mix};
use crate::plan::BlockLengths;
use crate::reduce::{DivideFn, Reducer};

/// A prepared call: everything that it needs except its buffers.
pub struct Prepared {
    /// The call itself.
    pub call: Call,
    /// The call, packed as it travels.
    pub packed: [u64; 2],
    /// Its compiled plan.
    pub program: Program,
    /// Reduction kernel for the operator and the datatype, if the plan reduces.
    pub reduce: Option<Reducer>,
    /// The division that ends an average.
    pub divide: Option<Division>,
    /// Whether each message has a count of its own in its header.
    pub is_counted: bool,
    /// Value that the call adds to the digest of all calls of its communicator.
    pub fingerprint: u64,
    /// Set if the program only exchanges numbers on which the call itself depends.
    pub pre_exchange: Option<PreExchange>,
    /// The parts of its two buffers that the call touches. `None`: two lengths cannot describe them.
    pub extent: Option<Extent>,
    /// Set if the program runs on copies of the buffers.
    pub widened: Option<Widened>,
    /// The lengths of its blocks, for records of calls that have a layout.
    pub lengths: Option<Box<BlockLengths>>,
}

/// The parts of its buffers that a call touches, counted from their beginnings.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// Bytes of the input.
    pub read: usize,
    /// Bytes of the output.
    pub written: usize,
}

impl Extent {
    /// Whether both buffers are present as far as they are touched, and do not overlap unless the call is in
    /// place.
    #[inline]
    pub fn fits(&self, buffers: Buffers, in_place: bool) -> bool {
        let (input, output) = (buffers.input.addr(), buffers.output.addr());
        let is_there = |start: usize, bytes: usize| bytes == 0 || start != 0 && start <= usize::MAX - bytes;
        let are_apart = || {
            self.read == 0
                || self.written == 0
                || input + self.read <= output
                || output + self.written <= input
        };
        is_there(input, self.read) && is_there(output, self.written) && (in_place || are_apart())
    }
}

/// An exchange of numbers that must run before a call can be prepared. Its program reads the numbers that are
/// sent and writes those that are received. It has the name of the call on the wire: its messages are the
/// first ones of the call between two ranks.
pub struct PreExchange {
    /// The numbers that this rank sends.
    pub sent: Vec<u64>,
    /// Number of numbers that it receives.
    pub received: usize,
    /// Prepares the call from the received numbers, or says why they cannot be right. Other processes have
    /// sent them.
    pub complete: Box<Complete>,
}

/// Function that prepares a call from the received numbers.
pub type Complete = dyn Fn(&[u64]) -> Result<Arc<Prepared>> + Send + Sync;

/// The division that ends an average.
#[derive(Clone, Copy)]
pub struct Division {
    /// Division kernel of the datatype.
    pub divide: DivideFn,
    /// Bytes of the output before the first element.
    pub offset: usize,
    /// Number of elements of the output.
    pub elements: usize,
    /// Number of contributions to each element.
    pub by: u32,
}

impl Prepared {
    /// Makes a call that neither transfers nor reduces.
    pub fn new(call: Call, program: Program) -> Prepared {
        let packed = call.pack();
        let is_counted = Call::is_counted_by_message(packed);
        Prepared {
            call,
            packed,
            program,
            reduce: None,
            divide: None,
            is_counted,
            fingerprint: fingerprint(packed),
            pre_exchange: None,
            extent: None,
            widened: None,
            lengths: None,
        }
    }

    /// This call, with a program that runs on copies.
    pub fn on_copies(self, widened: Widened) -> Prepared {
        let program = Program { fast: None, ..self.program };
        Prepared { program, widened: Some(widened), ..self }
    }

    /// Makes a call that begins with an exchange: `program` runs first, then the call that is prepared from
    /// its numbers.
    pub fn after_exchange(call: Call, program: Program, exchange: PreExchange) -> Prepared {
        let program = Program { fast: None, ..program };
        Prepared { pre_exchange: Some(exchange), ..Prepared::new(call, program) }
    }
}

/// Value that a packed call adds to the digest of the calls of its communicator. A count in which its
/// messages may differ does not matter.
pub(crate) fn fingerprint([head, count]: [u64; 2]) -> u64 {
    let count = if Call::is_counted_by_message([head, count]) { 0 } else { count };
    mix(mix(head) ^ count)
}

/// Everything on which a prepared call depends, within one communicator and rank.
#[derive(Clone, Copy, Debug, Eq)]
pub struct Key([u64; 3]);

impl PartialEq for Key {
    /// Compares word by word. A comparison of bytes would load two words at once, and would wait for both if
    /// they have just been written one by one.
    #[inline]
    fn eq(&self, other: &Key) -> bool {
        let ([a, b, c], [x, y, z]) = (self.0, other.0);
        (a ^ x) | (b ^ y) | (c ^ z) == 0
    }
}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl Key {
    /// Whether the call is in place.
    #[inline]
    pub fn is_in_place(&self) -> bool {
        self.0[2] & 1 != 0
    }

    /// The key of a call, in place or not.
    #[inline]
    pub fn new(call: &Call, in_place: bool) -> Key {
        let [head, count] = call.pack();
        Key([head, count, u64::from(in_place)])
    }

    /// This key, of a call whose messages have `count` elements, whatever the ranks compare in the place of
    /// their count. All counts from 2^33 on give one key.
    pub fn with_count(self, count: u64) -> Key {
        let Key([head, signed, rest]) = self;
        Key([head, signed, rest | count.min((1 << 33) - 1) << 1])
    }

    /// This key with an operator that the program has made. `number` names the operator in this process, and
    /// is below 2^30.
    pub fn with_operator(self, number: u32) -> Key {
        let Key([head, count, rest]) = self;
        Key([head, count, rest | u64::from(number) << 34])
    }

    #[inline]
    fn slot(&self) -> usize {
        // Fibonacci hashing: neighbouring counts go to different slots.
        let mixed = (self.0[0] ^ self.0[1].rotate_left(24) ^ self.0[2].rotate_left(48))
            .wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> (u64::BITS - SLOTS.trailing_zeros())) as usize
    }
}

const SLOTS: usize = 64;

/// A direct-mapped cache of recent calls.
pub(crate) struct RecentCalls {
    slots: [Option<(Key, Arc<Prepared>)>; SLOTS],
}

impl Default for RecentCalls {
    fn default() -> RecentCalls {
        RecentCalls { slots: [const { None }; SLOTS] }
    }
}

impl RecentCalls {
    #[inline]
    pub fn get(&self, key: &Key) -> Option<&Arc<Prepared>> {
        self.slots[key.slot()].as_ref().filter(|(known, _)| known == key).map(|(_, prepared)| prepared)
    }

    /// Keeps a call, in place of the one in its slot.
    pub fn put(&mut self, key: Key, prepared: Arc<Prepared>) {
        self.slots[key.slot()] = Some((key, prepared));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{CallKind, Collective, Datatype, ReduceOp};

    fn call(count: u64) -> Call {
        let kind = CallKind::Collective(Collective::AllReduce);
        Call { kind, datatype: Datatype::Float32, op: Some(ReduceOp::Sum), root: 0, count }
    }

    fn prepared(count: u64) -> Arc<Prepared> {
        Arc::new(Prepared::new(call(count), Program::default()))
    }

    #[test]
    fn every_difference_between_two_calls_makes_another_key() {
        let mut recent = RecentCalls::default();
        let key = Key::new(&call(5), false);
        recent.put(key, prepared(5));
        assert_eq!(recent.get(&key).unwrap().call.count, 5);
        let others = [
            Key::new(&call(6), false),
            Key::new(&call(5), true),
            Key::new(&Call { op: Some(ReduceOp::Max), ..call(5) }, false),
            Key::new(&Call { root: 3, ..call(5) }, false),
            Key::new(&call(5), false).with_operator(1),
            Key::new(&call(5), false).with_count(1),
            Key::new(&call(5), false).with_count(u64::MAX),
        ];
        assert!(others.iter().all(|other| recent.get(other).is_none()));
    }

    #[test]
    fn buffers_fit_if_both_are_present_and_disjoint_or_the_call_is_in_place() {
        let fits = |extent: Extent, input: usize, output: usize, in_place: bool| {
            let input = std::ptr::without_provenance(input);
            extent.fits(Buffers { input, output: std::ptr::without_provenance_mut(output) }, in_place)
        };
        let both = Extent { read: 8, written: 16 };
        assert!(fits(both, 100, 108, false) && fits(both, 116, 100, false));
        assert!(!fits(both, 100, 107, false) && !fits(both, 115, 100, false) && !fits(both, 100, 100, false));
        assert!(fits(both, 100, 100, true));
        assert!(!fits(both, 0, 100, false) && !fits(both, 100, 0, false) && !fits(both, 0, 0, true));
        let last = usize::MAX - 15;
        assert!(
            fits(both, 100, last - 1, false)
                && !fits(both, 100, last, false)
                && !fits(both, usize::MAX - 7, 100, false)
        );
        assert!(fits(Extent { read: 0, written: 16 }, 0, 100, false));
        assert!(fits(Extent { read: 0, written: 16 }, 104, 100, false));
        assert!(fits(Extent { read: 8, written: 0 }, 100, 0, false));
        assert!(fits(Extent { read: 0, written: 0 }, 0, 0, true));
    }

    #[test]
    fn powers_of_two_do_not_push_each_other_out() {
        let mut recent = RecentCalls::default();
        let keys: Vec<Key> = (0..24).map(|bit| Key::new(&call(1 << bit), false)).collect();
        for (bit, key) in keys.iter().enumerate() {
            recent.put(*key, prepared(1 << bit));
        }
        let kept = keys.iter().filter(|key| recent.get(key).is_some()).count();
        assert!(kept >= 18, "{kept} of 24");
    }
}
