//! What completions do: they free buffers, bring frames, or end links.

use std::io::{self, ErrorKind};
use std::mem::MaybeUninit;

use super::super::super::garbage;
use super::super::abi::{self, CqEntry, CqError};
use super::super::objects::{Found, LOOK};
use super::super::recv::BUFFERS;
use super::{Fabric, SENDS};

impl Fabric {
    /// Takes out completions, and does what they allow. Returns whether there were any.
    pub fn progress(&mut self) -> bool {
        let mut entries = [MaybeUninit::<CqEntry>::uninit(); LOOK];
        let mut has_moved = false;
        loop {
            match self.objects.look(&mut entries) {
                Found::Some(count) => {
                    for entry in &entries[..count.min(LOOK)] {
                        // SAFETY: the look has filled so many entries.
                        self.complete(unsafe { entry.assume_init() });
                    }
                    has_moved = true;
                    if count < LOOK {
                        break;
                    }
                }
                Found::Nothing => break,
                Found::Failure(failure) => {
                    self.note_failure(&failure);
                    has_moved = true;
                }
                Found::Broken(text) => {
                    self.broken = Some(format!("its completions have failed: {text}"));
                    return true;
                }
            }
        }
        if !self.unposted.is_empty() {
            self.post_receives();
        }
        if !self.owed.is_empty() {
            self.send_notices();
        }
        has_moved
    }

    fn complete(&mut self, entry: CqEntry) {
        let Some(buffer) = self.pool.of_context(entry.op_context) else { return };
        if buffer >= self.receives {
            let peer = &mut self.peers[(buffer - self.receives) / SENDS];
            peer.send.note_ended(buffer);
            return peer.note_event(false, self.is_watched);
        }
        let peer = buffer / BUFFERS;
        self.peers[peer].failures = 0;
        match self.accept(peer, buffer, entry.len) {
            Ok(true) => {}
            Ok(false) => self.unposted.push(buffer),
            Err(error) => {
                self.unposted.push(buffer);
                self.fail(peer, error.kind(), &error.to_string());
            }
        }
    }

    /// Takes in a frame. Returns whether its buffer is still needed.
    fn accept(&mut self, peer: usize, buffer: usize, bytes: usize) -> io::Result<bool> {
        if bytes > self.pool.bytes() {
            return Err(garbage("a frame longer than a buffer"));
        }
        // SAFETY: the receive of this buffer has ended, and no other is posted before the buffer is given
        // back; `bytes` is no more than it has.
        let frame = unsafe { std::slice::from_raw_parts(self.pool.buffer(buffer), bytes) };
        self.peers[peer].accept(buffer, frame, self.is_watched)
    }

    fn note_failure(&mut self, failure: &CqError) {
        let Some(buffer) = self.pool.of_context(failure.op_context) else { return };
        if buffer >= self.receives {
            let peer = (buffer - self.receives) / SENDS;
            self.peers[peer].send.note_ended(buffer);
            let text = self.objects.offer().library().error(failure.err as isize);
            // What has become of the peer is heard over the control channel.
            return self.fail(peer, ErrorKind::ConnectionReset, &format!("a send has failed: {text}"));
        }
        self.unposted.push(buffer);
        let peer = buffer / BUFFERS;
        if failure.err == abi::FI_ETRUNC {
            return self.fail(peer, ErrorKind::InvalidData, "the peer wrote nonsense: a frame too long");
        }
        // The half of a frame whose sender has died ends one receive, and the control channel tells of that.
        self.peers[peer].failures += 1;
        if self.peers[peer].failures > BUFFERS {
            let text = self.objects.offer().library().error(failure.err as isize);
            self.fail(peer, ErrorKind::ConnectionReset, &format!("receives have failed: {text}"));
        }
    }

    pub(super) fn fail(&mut self, peer: usize, kind: ErrorKind, text: &str) {
        self.peers[peer].fail(kind, text, self.is_watched);
    }

    pub(super) fn post_receives(&mut self) {
        while let Some(buffer) = self.unposted.pop() {
            let (start, context) = (self.pool.buffer(buffer), self.pool.context(buffer));
            let tag = self.tags[buffer / BUFFERS];
            // SAFETY: a buffer that nobody uses, of this length; it and its record outlive the endpoint.
            match unsafe { self.objects.receive(start, self.pool.bytes(), tag, context) } {
                Ok(true) => {}
                Ok(false) => return self.unposted.push(buffer),
                Err(text) => {
                    self.broken = Some(text);
                    return self.unposted.push(buffer);
                }
            }
        }
    }
}
