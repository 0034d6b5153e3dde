//! The CMA choice: whether a receiver that only waits copies a long message out of the sender's memory
//! itself.
//!
//! Where ranks have processors of their own, the faster way depends on the machine, and a sender that exposes
//! a message must wait until it is read. So the receiver decides. After some empty polls it tells the sender
//! that it waits, and which lengths it prefers to copy itself. It learns these by one trial per class of
//! lengths. The time of a message runs from the first sight of it to its end.
//!
//! Both words are hints. The wait may be over when the sender sees the flag; the message then waits for the
//! receiver's next poll.
//!
//! Decision: docs/lab/single-copy.md, "the preference of the receiver". Figures: docs/lab/constants.md.

use super::super::cma::CMA_BYTES;
use super::trial::{Design, Trial};
use crate::sys::cycles;

/// Empty polls before the receiver tells its peer that it waits: about a microsecond.
const EMPTY_POLLS: u8 = 20;
/// Lengths that the choice covers, with a class for each power of two. A shorter message is not worth a
/// system call. A longer one does not fit into the cache of a core, and both ways take equally long.
const FROM_BYTES: usize = CMA_BYTES;
const BELOW_BYTES: usize = 1 << 20;
const CLASSES: usize = (BELOW_BYTES / FROM_BYTES).ilog2() as usize;
/// A receiver that is held up finds the whole message in the bounce buffers and finishes at once; other
/// messages are slow for all kinds of reasons. So neither the fastest messages nor the slowest decide. The
/// first message of a batch does not count.
const DESIGN: Design = Design {
    period: 4096,
    warm_up: 0,
    batches: 6,
    batch: 4,
    batch_warm_up: 1,
    sample: 1,
    deciding: 2,
    first_check: None,
};

/// The class of a message of `bytes` bytes; `None` if the choice does not cover it.
#[inline]
fn class(bytes: usize) -> Option<usize> {
    (FROM_BYTES..BELOW_BYTES).contains(&bytes).then(|| (bytes / FROM_BYTES).ilog2() as usize)
}

/// Whether a receiver that has published `preferred` would rather copy a message of `bytes` bytes itself.
#[inline]
pub fn is_preferred(preferred: u32, bytes: usize) -> bool {
    class(bytes).is_some_and(|class| preferred >> class & 1 != 0)
}

/// The receiver's side of the CMA choice of one link.
#[derive(Debug)]
pub struct CmaChoice {
    /// Whether this side can read the peer's memory. If not, it publishes nothing.
    pub can_read: bool,
    /// Empty polls since something last arrived; at most [`EMPTY_POLLS`].
    empty_polls: u8,
    watch: Option<Watch>,
    /// One trial for each class of lengths.
    classes: [Trial<{ DESIGN.samples() }>; CLASSES],
}

/// A message that was waited for and is being timed.
#[derive(Debug)]
struct Watch {
    /// Whether it is read in the sender's memory.
    single_copy: bool,
    bytes: usize,
    began: u64,
    /// Bytes that are still to be read.
    left: usize,
    /// Bytes of these that are in the fragment at the head.
    at_head: usize,
    fragments: u64,
}

impl Default for CmaChoice {
    fn default() -> CmaChoice {
        let classes = std::array::from_fn(|_| Trial::new(&DESIGN));
        CmaChoice { can_read: false, empty_polls: 0, watch: None, classes }
    }
}

impl CmaChoice {
    /// Counts an empty poll. Returns whether the peer must now be told that this side waits.
    #[inline]
    pub fn note_empty_poll(&mut self) -> bool {
        let is_counted = self.can_read && self.empty_polls < EMPTY_POLLS;
        self.empty_polls += u8::from(is_counted);
        is_counted && self.empty_polls == EMPTY_POLLS
    }

    /// Ends a wait because something has arrived. Returns whether the peer had been told of the wait.
    #[inline]
    pub fn end_wait(&mut self) -> bool {
        std::mem::take(&mut self.empty_polls) == EMPTY_POLLS
    }

    /// Whether a message is being watched.
    #[inline]
    pub fn is_watching(&self) -> bool {
        self.watch.is_some()
    }

    /// Begins to time a message that was waited for, of which `bytes` bytes are to come.
    pub fn begin_watch(&mut self, single_copy: bool, bytes: usize) {
        self.watch = class(bytes).map(|_| Watch {
            single_copy,
            bytes,
            began: cycles::now(),
            left: bytes,
            at_head: 0,
            fragments: 0,
        });
    }

    /// Notes that a fragment of `at_head` bytes is at the head of the ring. It and the following ones bring
    /// the last `left` bytes of a message. The same fragment may be noted again.
    pub fn note_arrival(&mut self, single_copy: bool, left: usize, at_head: usize) {
        match &mut self.watch {
            Some(watch) if watch.single_copy == single_copy && watch.left == left => {
                watch.at_head = at_head.min(left)
            }
            // The fragment belongs to another message, so the time of neither would mean anything.
            watch => *watch = None,
        }
    }

    /// Notes that the fragment at the head has been read. At the end of the message, returns the lengths that
    /// this side prefers to copy itself.
    pub fn note_read(&mut self) -> Option<u32> {
        let watch = self.watch.as_mut()?;
        watch.left -= std::mem::take(&mut watch.at_head);
        watch.fragments += 1;
        if watch.left > 0 {
            return None;
        }
        let Watch { single_copy, bytes, began, fragments, .. } = *watch;
        self.watch = None;
        self.note_duration(single_copy, bytes, cycles::now().saturating_sub(began), fragments);
        Some(self.preferred())
    }

    fn note_duration(&self, single_copy: bool, bytes: usize, cycles: u64, fragments: u64) {
        let Some(class) = class(bytes) else { return };
        // The first fragment could not be seen while it was filled, which took about as long as each of the
        // others.
        let cycles = if single_copy { cycles } else { cycles + cycles / fragments.max(1) };
        // In a trial, a sender may not know the wanted way yet, or may not be able to take it.
        self.classes[class].note(single_copy, cycles);
    }

    /// The preferred classes, one bit each.
    fn preferred(&self) -> u32 {
        let bits = (0..).zip(&self.classes).map(|(at, class)| u32::from(class.next_is_single_copy()) << at);
        bits.sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRIAL: u32 = DESIGN.runs();

    #[test]
    fn lengths_have_a_class_for_each_power_of_two() {
        assert_eq!([FROM_BYTES - 1, BELOW_BYTES].map(class), [None, None]);
        assert_eq!([FROM_BYTES, 2 * FROM_BYTES - 1, 2 * FROM_BYTES].map(class), [Some(0), Some(0), Some(1)]);
        assert_eq!(class(BELOW_BYTES - 1), Some(CLASSES - 1));
        assert!(
            is_preferred(0b10, 2 * FROM_BYTES) && !is_preferred(0b10, FROM_BYTES) && !is_preferred(!0, 1)
        );
    }

    #[test]
    fn a_wait_is_announced_once_after_some_empty_polls_and_again_after_a_message() {
        let mut choice = CmaChoice { can_read: true, ..CmaChoice::default() };
        for _ in 0..3 {
            let told: Vec<u8> = (1..=200).filter(|_| choice.note_empty_poll()).collect();
            assert_eq!(told, [EMPTY_POLLS]);
            assert!(choice.end_wait() && !choice.end_wait());
        }
        assert!(!choice.note_empty_poll() && !choice.end_wait());
        let mut unable = CmaChoice::default();
        assert!((0..=200).all(|_| !unable.note_empty_poll()) && !unable.end_wait());
    }

    #[test]
    fn both_ways_are_tried_then_the_faster_one_is_taken_until_the_next_trial() {
        for (bounced, single, better) in [(1000, 900, true), (1000, 960, false), (1000, 4000, false)] {
            let choice = CmaChoice::default();
            for period in 0..3 {
                for at in 0..DESIGN.period {
                    let expected = if at < TRIAL { at / DESIGN.batch % 2 == 1 } else { better };
                    let now = is_preferred(choice.preferred(), 3 * FROM_BYTES);
                    assert_eq!(now, expected, "{bounced} {single}: {at} of period {period}");
                    // Eight fragments; filling the first took an eighth of the time and was not seen.
                    let took = if now { single } else { bounced * 8 / 9 };
                    // One message in five is held up, and another is found complete.
                    let took = [took, took, took + 10_000, 1, took][at as usize % 5];
                    choice.note_duration(now, 3 * FROM_BYTES, took, 8);
                    // A message does not count if its sender did not know yet which way it should go.
                    if at + 1 < TRIAL {
                        let other = !is_preferred(choice.preferred(), 3 * FROM_BYTES);
                        choice.note_duration(other, 3 * FROM_BYTES, 1, 8);
                    }
                }
            }
            assert!(!is_preferred(choice.preferred(), FROM_BYTES), "nothing is known of other lengths");
        }
    }

    #[test]
    fn a_message_ends_when_all_its_fragments_were_read() {
        let mut choice = CmaChoice::default();
        choice.begin_watch(false, 80_000);
        for (left, over) in [(80_000, false), (50_000, false), (20_000, true)] {
            choice.note_arrival(false, left, 30_000);
            choice.note_arrival(false, left, 30_000);
            assert_eq!(choice.note_read().is_some(), over, "{left}");
        }
        assert_eq!(choice.classes[class(80_000).unwrap()].runs(), 1);
        assert!(!choice.is_watching() && choice.note_read().is_none());
    }

    #[test]
    fn a_fragment_of_another_message_ends_the_timing() {
        for (single_copy, left) in [(false, 70_000), (true, 50_000), (false, usize::MAX)] {
            let mut choice = CmaChoice::default();
            choice.begin_watch(false, 80_000);
            choice.note_arrival(false, 80_000, 30_000);
            assert_eq!(choice.note_read(), None);
            choice.note_arrival(single_copy, left, 30_000);
            assert!(!choice.is_watching());
        }
        let mut choice = CmaChoice::default();
        choice.begin_watch(false, BELOW_BYTES);
        assert!(!choice.is_watching());
    }
}
