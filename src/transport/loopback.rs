//! `self`: a rank's link to itself, a queue on the heap. It accepts every message at once, because a rank may
//! start a send to itself before the matching receive.

use std::collections::VecDeque;
use std::io;
use std::os::fd::RawFd;

use super::{Arrival, Header, Link, SingleCopy};
use crate::sys::zeroed::{reserve, zeroed};

/// The link of a rank to itself.
#[derive(Default)]
pub struct LoopbackLink {
    queue: VecDeque<(Header, Vec<u8>)>,
    /// Bytes of the first fragment that were consumed.
    consumed: usize,
}

impl Link for LoopbackLink {
    unsafe fn send(
        &mut self,
        header: &Header,
        data: *const u8,
        bytes: usize,
        _single_copy: SingleCopy,
    ) -> io::Result<Option<usize>> {
        let mut copy = Vec::<u8>::new();
        reserve(&mut copy, bytes)?;
        // SAFETY: the caller vouches for `bytes` readable bytes at `data`; the new vector has that capacity,
        // and nobody else knows it.
        unsafe { std::ptr::copy_nonoverlapping(data, copy.as_mut_ptr(), bytes) };
        // SAFETY: the line above has initialised these bytes, within the capacity.
        unsafe { copy.set_len(bytes) };
        self.queue.push_back((*header, copy));
        Ok(Some(bytes))
    }

    fn send_filled(
        &mut self,
        header: &Header,
        bytes: usize,
        fill: &mut dyn FnMut(*mut u8, usize, usize),
    ) -> Option<io::Result<Option<usize>>> {
        let filled = zeroed(bytes).map(|mut data| {
            fill(data.as_mut_ptr(), 0, bytes);
            self.queue.push_back((*header, data));
            Some(bytes)
        });
        Some(filled)
    }

    fn head(&mut self) -> io::Result<Option<Header>> {
        Ok(self.queue.front().map(|(header, _)| *header))
    }

    fn arrival(&mut self) -> io::Result<Arrival> {
        let rest = self.queue.front().map_or(&[][..], |(_, data)| &data[self.consumed..]);
        Ok(Arrival { data: rest.as_ptr(), bytes: rest.len(), complete: true })
    }

    unsafe fn take(&mut self, dst: *mut u8, bytes: usize, _streamed: bool) -> io::Result<usize> {
        let arrival = self.arrival()?;
        let n = bytes.min(arrival.bytes);
        // SAFETY: `n` bytes are in the queued vector; the caller vouches for `dst`, which is not the queue's.
        unsafe { std::ptr::copy_nonoverlapping(arrival.data, dst, n) };
        self.consume(n)?;
        Ok(n)
    }

    fn consume(&mut self, bytes: usize) -> io::Result<()> {
        self.consumed += bytes;
        if self.queue.front().is_some_and(|(_, data)| self.consumed >= data.len()) {
            self.queue.pop_front();
            self.consumed = 0;
        }
        Ok(())
    }

    fn descriptor(&self) -> Option<RawFd> {
        None
    }

    fn transport(&self) -> &'static str {
        "self"
    }
}
