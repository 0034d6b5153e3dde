//! The sending half of a link: which buffers are free, what is on its way, and how much the peer has read.
//!
//! Payload is copied to a buffer, so the caller gets its memory back at once, whatever becomes of the call.
//! The last piece that a caller offers counts as taken only once the fabric has sent it: many fabrics move
//! bytes only while they are asked, and a caller that has all its bytes taken may not ask again for long.

use std::io;

use super::super::{Header, garbage};
use super::recv::WINDOW;

/// A sent fragment whose bytes the caller does not know to be taken.
struct Held {
    header: Header,
    bytes: usize,
    send: u64,
}

/// What is on its way to a peer.
pub(super) struct Sender {
    /// Buffers that are free.
    free: Vec<usize>,
    /// Buffers that the fabric reads, each with the number of its send.
    busy: Vec<(usize, u64)>,
    held: Vec<Held>,
    /// Number of sends.
    sends: u64,
    /// Number of fragments that were sent, and of those that the peer has read.
    fragments: u32,
    read: u32,
    /// See [`super::super::Link::sent`].
    sent: u64,
}

impl Sender {
    /// A sender with these buffers.
    pub fn new(buffers: impl Iterator<Item = usize>) -> Sender {
        let free = buffers.collect();
        Sender { free, busy: Vec::new(), held: Vec::new(), sends: 0, fragments: 0, read: 0, sent: 0 }
    }

    /// What has become of a message whose last piece was sent before. `None`: nothing of it is held. Then
    /// `Some(n)`: its n bytes are sent now.
    pub fn held(&mut self, header: &Header) -> Option<Option<usize>> {
        let at = self.held.iter().position(|held| held.header == *header)?;
        let is_sent = self.busy.iter().all(|(_, send)| *send != self.held[at].send);
        Some(is_sent.then(|| self.held.swap_remove(at).bytes))
    }

    /// Forgets a message that will not be offered again.
    pub fn forget(&mut self, header: &Header) {
        self.held.retain(|held| held.header != *header);
    }

    /// Whether a fragment may be sent: the number that it gets, and a free buffer.
    pub fn next(&self) -> Option<(u32, usize)> {
        let may_send = self.fragments.wrapping_sub(self.read) < WINDOW;
        self.free.last().filter(|_| may_send).map(|buffer| (self.fragments, *buffer))
    }

    /// A free buffer for a frame without a fragment.
    pub fn spare(&self) -> Option<usize> {
        self.free.last().copied()
    }

    /// Notes that the free buffer is on its way with a frame of so many bytes.
    pub fn note_sent(&mut self, bytes: usize, is_fragment: bool) {
        self.sends += 1;
        self.busy.extend(self.free.pop().map(|buffer| (buffer, self.sends)));
        if is_fragment {
            self.fragments = self.fragments.wrapping_add(1);
            self.sent += bytes as u64;
        }
    }

    /// Keeps the last sent fragment until it is sent.
    pub fn hold(&mut self, header: &Header, bytes: usize) {
        self.held.push(Held { header: *header, bytes, send: self.sends });
    }

    /// Notes that the fabric does not use a buffer any more.
    pub fn note_ended(&mut self, buffer: usize) {
        if let Some(at) = self.busy.iter().position(|(busy, _)| *busy == buffer) {
            self.busy.swap_remove(at);
            self.free.push(buffer);
        }
    }

    /// Notes how many fragments the peer has read, by its own word.
    pub fn note_read(&mut self, read: u32) -> io::Result<()> {
        let (more, unread) = (read.wrapping_sub(self.read), self.fragments.wrapping_sub(self.read));
        // A frame may come behind others that were sent after it.
        let less = self.read.wrapping_sub(read);
        match (more <= unread, less <= 4 * WINDOW) {
            (true, _) => self.read = read,
            (false, true) => {}
            (false, false) => return Err(garbage("more read than was sent")),
        }
        Ok(())
    }

    /// Whether the fabric still sends.
    pub fn is_busy(&self) -> bool {
        !self.busy.is_empty()
    }

    pub fn sent(&self) -> u64 {
        self.sent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: Header = Header { context: 1, sequence: 2, call: [3, 4] };

    fn send(sender: &mut Sender) -> usize {
        let (_, buffer) = sender.next().unwrap();
        sender.note_sent(100, true);
        buffer
    }

    #[test]
    fn no_more_is_sent_than_the_peer_has_buffers_for() {
        let mut sender = Sender::new(0..WINDOW as usize + 1);
        let buffers: Vec<usize> = (0..WINDOW).map(|_| send(&mut sender)).collect();
        buffers.into_iter().for_each(|buffer| sender.note_ended(buffer));
        assert!(sender.next().is_none() && !sender.is_busy());
        sender.note_read(3).unwrap();
        // An older frame comes late.
        sender.note_read(1).unwrap();
        for _ in 0..3 {
            send(&mut sender);
        }
        assert!(sender.next().is_none() && sender.is_busy());
        assert_eq!(sender.sent(), 100 * u64::from(WINDOW + 3));
    }

    #[test]
    fn a_peer_that_has_read_what_was_not_sent_is_refused() {
        let mut sender = Sender::new(0..2);
        send(&mut sender);
        sender.note_read(1).unwrap();
        for read in [2, 3, 1000, 1 << 31] {
            assert!(sender.note_read(read).is_err(), "{read}");
        }
    }

    #[test]
    fn the_last_piece_counts_as_taken_once_its_own_send_has_ended() {
        let mut sender = Sender::new(0..2);
        let buffer = send(&mut sender);
        sender.hold(&HEADER, 52);
        assert_eq!(sender.held(&HEADER), Some(None));
        sender.note_ended(buffer);
        // The buffer is in use again, for another fragment.
        assert_eq!(send(&mut sender), buffer);
        assert_eq!(sender.held(&HEADER), Some(Some(52)));
        assert_eq!(sender.held(&HEADER), None);
        sender.hold(&HEADER, 1);
        sender.forget(&HEADER);
        assert_eq!(sender.held(&HEADER), None);
    }
}
