//! How far the copies of a call have come whose buffers are copied while it runs: which parts it may touch,
//! and which parts of its output are final.
//!
//! The caller cuts the memory into pieces. Pieces of the input *arrive* in a known order; somebody else, such
//! as a device, counts them in a word. A step neither reads nor writes a piece that has not arrived, because
//! the arrival would overwrite what the step has written. A piece of the output is *final* when all of its
//! bytes were written as often as the program writes them. Another word counts the final pieces, in a known
//! order, too.
//!
//! Everything is decided by addresses. So it does not matter to which buffer a piece belongs, whether the
//! buffers overlap, and in which order the program comes to the pieces.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering};

use super::buffers::{Buffers, Memory};
use super::pieces::Piece;
use super::program::Program;
use super::steps::{Bytes, LocalStep};
use crate::plan::Buffer;
use crate::transport::FRAGMENT_GRAIN;

/// A call whose buffers are copied while it runs.
#[derive(Debug)]
pub struct StagedBuffers {
    /// Pieces that arrive, in their order. They do not overlap. What is in none of them is there already.
    pub arriving: Vec<Piece>,
    /// Number of pieces that have arrived.
    pub arrived: NonNull<AtomicU32>,
    /// Pieces of the output in the order in which they are to be final. They do not overlap. If there are
    /// none, nobody is told.
    pub leaving: Vec<Piece>,
    /// Number of pieces that are final.
    pub finished: NonNull<AtomicU32>,
}

// SAFETY: the words live as long as the buffers of the call, and may be used by any thread.
unsafe impl Send for StagedBuffers {}

/// A piece that arrives.
struct Arriving {
    piece: Piece,
    /// Number of arrived pieces from which it is there.
    number: u32,
}

/// A piece of the output.
struct Leaving {
    piece: Piece,
    /// Bytes that will still be written to it.
    pending: usize,
}

/// The progress of the copies of one call.
pub(super) struct CopyProgress {
    /// By address.
    arriving: Vec<Arriving>,
    arrived: u32,
    arrived_word: NonNull<AtomicU32>,
    /// By address.
    leaving: Vec<Leaving>,
    /// Positions in `leaving`, in the order in which the pieces are to be final.
    order: Vec<usize>,
    finished: usize,
    finished_word: NonNull<AtomicU32>,
    /// Lanes whose next local steps need pieces that have not arrived, and the round of each.
    held: Vec<(usize, u32)>,
}

impl CopyProgress {
    /// The beginning of a call of this program on these buffers.
    pub fn new(program: &Program, buffers: Buffers, staged: &StagedBuffers) -> CopyProgress {
        let arriving = staged.arriving.iter().cloned().zip(1..);
        let mut arriving: Vec<Arriving> =
            arriving.map(|(piece, number)| Arriving { piece, number }).collect();
        arriving.sort_unstable_by_key(|arriving| arriving.piece.start);
        let mut order: Vec<(usize, usize)> =
            staged.leaving.iter().map(|piece| piece.start).enumerate().collect();
        order.sort_unstable_by_key(|(_, start)| *start);
        let mut leaving: Vec<Leaving> = Vec::with_capacity(order.len());
        let mut positions = vec![0; order.len()];
        for (at, (number, _)) in order.into_iter().enumerate() {
            positions[number] = at;
            leaving.push(Leaving { piece: staged.leaving[number].clone(), pending: 0 });
        }
        program.touches(buffers, |touch| {
            if touch.is_written {
                for_each_overlap(&mut leaving, touch.bytes, |leaving, bytes| leaving.pending += bytes);
            }
        });
        let mut copies = CopyProgress {
            arriving,
            arrived: 0,
            arrived_word: staged.arrived,
            leaving,
            order: positions,
            finished: 0,
            finished_word: staged.finished,
            held: Vec::new(),
        };
        copies.refresh();
        copies.tell_finished();
        copies
    }

    /// Looks how many pieces have arrived. Returns whether there are more than at the last look.
    pub fn refresh(&mut self) -> bool {
        if self.is_open() {
            return false;
        }
        // SAFETY: the word lives until the call has its outcome, and is only used as an atomic.
        let arrived = unsafe { self.arrived_word.as_ref() }.load(Ordering::Acquire);
        let has_more = arrived > self.arrived;
        self.arrived = self.arrived.max(arrived);
        has_more
    }

    /// Whether everything has arrived.
    pub fn is_open(&self) -> bool {
        self.arrived as usize >= self.arriving.len()
    }

    /// The number of bytes at the start of this memory that may be touched.
    fn open_bytes(&self, start: usize, len: usize) -> usize {
        if self.is_open() {
            return len;
        }
        let first = self.arriving.partition_point(|arriving| arriving.piece.end <= start);
        let closed = self.arriving[first..].iter().find(|arriving| arriving.number > self.arrived);
        closed.map_or(len, |closed| len.min(closed.piece.start.saturating_sub(start)))
    }

    fn open_part(&self, memory: &Memory, span: &Bytes) -> usize {
        match span.buffer {
            Buffer::Scratch => span.len,
            _ => self.open_bytes(memory.address(span, 0).addr(), span.len),
        }
    }

    /// The number of bytes of a message that may be sent. Unless it is all of them, no element and no
    /// fragment is cut.
    pub fn sendable(&self, memory: &Memory, span: &Bytes) -> usize {
        match self.open_part(memory, span) {
            open if open < span.len => open - open % FRAGMENT_GRAIN,
            open => open,
        }
    }

    /// The number of bytes of a message that may be received into `dst`, or reduced with `operand`, whose
    /// elements have `unit` bytes.
    pub fn receivable(&self, memory: &Memory, operand: Option<&Bytes>, dst: &Bytes, unit: usize) -> usize {
        let open = self.open_part(memory, dst);
        let Some(operand) = operand else { return open };
        let open = open.min(self.open_part(memory, operand));
        open - open % unit
    }

    /// Whether the local steps of a round must wait. If so, [`CopyProgress::take_held`] gives the lane.
    pub fn hold(&mut self, memory: &Memory, locals: &[LocalStep], lane: usize, round: u32) -> bool {
        let is_closed = |span: &Bytes| self.open_part(memory, span) < span.len;
        let must_wait = !self.is_open()
            && locals.iter().any(|local| local.reads().any(is_closed) || is_closed(local.writes()));
        if must_wait {
            self.held.push((lane, round));
        }
        must_wait
    }

    /// The lanes that were held, each with its round. They are to be tried again.
    pub fn take_held(&mut self) -> Vec<(usize, u32)> {
        std::mem::take(&mut self.held)
    }

    /// Notes that a step has written bytes.
    pub fn note_written(&mut self, start: *mut u8, bytes: usize) {
        if self.leaving.is_empty() || bytes == 0 {
            return;
        }
        let start = start.addr();
        let mut ends_piece = false;
        for_each_overlap(&mut self.leaving, start..start + bytes, |leaving, bytes| {
            leaving.pending = leaving.pending.saturating_sub(bytes);
            ends_piece |= leaving.pending == 0;
        });
        if ends_piece {
            self.tell_finished();
        }
    }

    /// Notes that a local step has run.
    pub fn note_local(&mut self, memory: &Memory, local: &LocalStep) {
        let dst = local.writes();
        if dst.buffer != Buffer::Scratch {
            self.note_written(memory.address(dst, 0), dst.len);
        }
    }

    fn tell_finished(&mut self) {
        let before = self.finished;
        while self.order.get(self.finished).is_some_and(|at| self.leaving[*at].pending == 0) {
            self.finished += 1;
        }
        if self.finished > before {
            // SAFETY: the word lives until the call has its outcome, and is only used as an atomic.
            unsafe { self.finished_word.as_ref() }.store(self.finished as u32, Ordering::Release);
        }
    }
}

// SAFETY: the words live until the call has its outcome, and may be used by any thread.
unsafe impl Send for CopyProgress {}

/// Calls `each` with every piece that overlaps `bytes`, and the number of common bytes.
fn for_each_overlap(pieces: &mut [Leaving], bytes: Piece, mut each: impl FnMut(&mut Leaving, usize)) {
    let first = pieces.partition_point(|leaving| leaving.piece.end <= bytes.start);
    for leaving in pieces[first..].iter_mut().take_while(|leaving| leaving.piece.start < bytes.end) {
        let common = leaving.piece.end.min(bytes.end) - leaving.piece.start.max(bytes.start);
        each(leaving, common);
    }
}

#[cfg(test)]
mod tests {
    use std::ptr;

    use super::super::pieces::tests::{buffers, pieces, ring};
    use super::*;

    /// Words of a call that nobody runs.
    #[derive(Default)]
    struct Words {
        arrived: AtomicU32,
        finished: AtomicU32,
    }

    impl Words {
        /// The progress of a ring whose pieces come and go by address.
        fn copies(&self) -> CopyProgress {
            let (arrived, finished) = (NonNull::from(&self.arrived), NonNull::from(&self.finished));
            let (arriving, leaving) = (pieces(10_000), pieces(20_000));
            CopyProgress::new(&ring(2), buffers(), &StagedBuffers { arriving, arrived, leaving, finished })
        }
    }

    fn memory() -> Memory {
        Memory { buffers: buffers(), scratch: ptr::null_mut() }
    }

    fn span(buffer: Buffer, offset: usize, len: usize) -> Bytes {
        Bytes { buffer, offset, len }
    }

    #[test]
    fn a_message_stops_at_the_first_piece_that_has_not_arrived_and_cuts_no_element() {
        let words = Words::default();
        let mut copies = words.copies();
        let sent = span(Buffer::Input, 100, 500);
        assert_eq!(copies.sendable(&memory(), &sent), 0);
        words.arrived.store(2, Ordering::Relaxed);
        assert_eq!(copies.sendable(&memory(), &sent), 0, "nobody has looked");
        assert!(copies.refresh() && !copies.refresh());
        assert_eq!(copies.sendable(&memory(), &sent), 288);
        let dst = span(Buffer::Output, 0, 500);
        assert_eq!(copies.receivable(&memory(), Some(&sent), &dst, 16), 288);
        assert_eq!(copies.receivable(&memory(), None, &dst, 16), 500);
        words.arrived.store(8, Ordering::Relaxed);
        assert!(copies.refresh());
        assert_eq!(copies.sendable(&memory(), &sent), 500);
    }

    #[test]
    fn a_lane_is_held_until_all_that_its_local_steps_touch_has_arrived() {
        let words = Words::default();
        let mut copies = words.copies();
        let [src, dst] = [span(Buffer::Input, 300, 200), span(Buffer::Output, 0, 200)];
        let copy = LocalStep::Copy { src, dst, streamed: false };
        words.arrived.store(2, Ordering::Relaxed);
        copies.refresh();
        assert!(copies.hold(&memory(), &[copy], 3, 5));
        assert_eq!((copies.take_held(), copies.take_held()), (vec![(3, 5)], vec![]));
        words.arrived.store(3, Ordering::Relaxed);
        copies.refresh();
        assert!(!copies.hold(&memory(), &[copy], 3, 5) && copies.take_held().is_empty());
    }

    #[test]
    fn pieces_are_final_in_their_order_when_they_were_written_as_often_as_the_program_does() {
        let words = Words::default();
        let mut copies = words.copies();
        let finished = || words.finished.load(Ordering::Relaxed);
        let mut writes = Vec::new();
        ring(2).touches(buffers(), |touch| writes.extend(touch.is_written.then_some(touch.bytes)));
        // Every segment but one is written twice.
        writes.sort_by_key(|bytes| bytes.start);
        let first = writes.iter().filter(|bytes| bytes.start == 20_000).count();
        for (at, bytes) in writes.iter().enumerate().rev() {
            assert_eq!(finished(), 0, "the first piece comes last");
            copies.note_written(ptr::without_provenance_mut(bytes.start), bytes.len() - 1);
            copies.note_written(ptr::without_provenance_mut(bytes.end - 1), usize::from(at >= first));
        }
        // One byte of the first segment is missing, so its first half is final.
        assert_eq!(finished(), 1);
        (0..first).for_each(|_| copies.note_written(ptr::without_provenance_mut(20_399), 1));
        assert_eq!(finished(), 8);
    }
}
