//! The receiving half of a link: fragments that have come, in the order of their numbers.
//!
//! A fragment stays in the buffer into which the fabric has put it until it is read. Fabrics may complete
//! receives in another order than the sender's, so what comes early waits for those before it.

use std::collections::VecDeque;
use std::io;

use super::super::{Header, garbage};
use super::frame::HEAD_BYTES;

/// Fragments that a rank may send before its peer has read any of them.
pub(super) const WINDOW: u32 = 8;
/// Fragments that are read before a rank says so without having a fragment to send.
pub(super) const READ_NOTICE: u32 = WINDOW / 2;
/// Buffers for what a peer may send at once: its fragments, and notices of what it has read. There are two
/// notices on their way at most: each speaks of half a window that this rank has sent after the one before.
pub(super) const BUFFERS: usize = WINDOW as usize + 3;

/// A fragment that has come.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fragment {
    pub header: Header,
    /// The buffer in which it lies.
    pub buffer: usize,
    /// Position of its first byte that is not read, and of its end.
    pub at: usize,
    pub end: usize,
}

/// What has come from a peer and is not read.
#[derive(Default)]
pub(super) struct Receiver {
    queue: VecDeque<Fragment>,
    early: Vec<(u32, Fragment)>,
    /// Number of the next fragment.
    next: u32,
    /// Number of fragments that are read, and of those that the peer knows to be read.
    read: u32,
    reported: u32,
    /// See [`super::super::Link::received`].
    received: u64,
}

impl Receiver {
    /// Takes in a fragment with its number. `bytes`: length of its frame.
    pub fn accept(&mut self, number: u32, header: Header, buffer: usize, bytes: usize) -> io::Result<()> {
        let ahead = number.wrapping_sub(self.next);
        let is_within = ahead < WINDOW && self.queue.len() as u32 + ahead < WINDOW;
        if !is_within || self.early.iter().any(|(early, _)| *early == number) {
            return Err(garbage("a fragment of a wrong number"));
        }
        let fragment = Fragment { header, buffer, at: HEAD_BYTES, end: bytes };
        if ahead > 0 {
            self.early.push((number, fragment));
            return Ok(());
        }
        self.push(fragment);
        while let Some(at) = self.early.iter().position(|(number, _)| *number == self.next) {
            let (_, fragment) = self.early.swap_remove(at);
            self.push(fragment);
        }
        Ok(())
    }

    fn push(&mut self, fragment: Fragment) {
        self.next = self.next.wrapping_add(1);
        self.received += fragment.end as u64;
        self.queue.push_back(fragment);
    }

    /// The fragment at the head.
    pub fn head(&self) -> Option<&Fragment> {
        self.queue.front()
    }

    /// Notes that bytes of the fragment at the head are read. Returns the buffer that is free then.
    pub fn consume(&mut self, bytes: usize) -> Option<usize> {
        let first = self.queue.front_mut()?;
        debug_assert!(bytes <= first.end - first.at, "more than the last arrival");
        first.at += bytes;
        if first.at < first.end {
            return None;
        }
        self.read = self.read.wrapping_add(1);
        self.queue.pop_front().map(|fragment| fragment.buffer)
    }

    /// Whether the peer should hear how much is read.
    pub fn owes_notice(&self) -> bool {
        self.read.wrapping_sub(self.reported) >= READ_NOTICE
    }

    /// Number of fragments that are read. A frame is about to say so.
    pub fn read(&self) -> u32 {
        self.read
    }

    /// Notes that a frame has said that so many are read.
    pub fn note_reported(&mut self, read: u32) {
        self.reported = read;
    }

    pub fn received(&self) -> u64 {
        self.received
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: Header = Header { context: 1, sequence: 2, call: [3, 4] };

    fn buffers(receiver: &mut Receiver) -> Vec<usize> {
        let next = || {
            let left = receiver.head().map(|head| head.end - head.at)?;
            receiver.consume(left)
        };
        std::iter::from_fn(next).collect()
    }

    #[test]
    fn fragments_are_read_in_the_order_of_their_numbers() {
        let mut receiver = Receiver { next: u32::MAX - 1, ..Receiver::default() };
        for ahead in [3, 1, 2] {
            let number = (u32::MAX - 1).wrapping_add(ahead);
            receiver.accept(number, HEADER, ahead as usize, HEAD_BYTES + 1).unwrap();
            assert!(receiver.head().is_none());
        }
        receiver.accept(u32::MAX - 1, HEADER, 0, HEAD_BYTES).unwrap();
        assert_eq!(receiver.received(), 4 * HEAD_BYTES as u64 + 3);
        assert_eq!(buffers(&mut receiver), [0, 1, 2, 3]);
        assert!(receiver.owes_notice());
        receiver.note_reported(receiver.read());
        assert!(!receiver.owes_notice());
    }

    #[test]
    fn a_number_that_was_there_or_is_beyond_the_window_is_refused() {
        let mut receiver = Receiver::default();
        for number in 0..WINDOW {
            receiver.accept(number, HEADER, 0, HEAD_BYTES).unwrap();
        }
        for number in [0, WINDOW - 1, WINDOW, WINDOW + 1, u32::MAX] {
            assert!(receiver.accept(number, HEADER, 0, HEAD_BYTES).is_err(), "{number}");
        }
        receiver.consume(0);
        receiver.consume(0);
        assert!(receiver.accept(WINDOW + 1, HEADER, 0, HEAD_BYTES).is_ok());
        assert!(receiver.accept(WINDOW + 1, HEADER, 0, HEAD_BYTES).is_err());
    }
}
