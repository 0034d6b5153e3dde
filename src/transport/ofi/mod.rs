//! `ofi`: links over a fabric, by libfabric, which is opened at run time.
//!
//! A rank has one endpoint (`FI_EP_RDM`) for all its peers. A message is cut into fragments, each in a tagged
//! message of the fabric ([`frame`]). `send` and `recv` are the two halves of a link: a rank sends as many
//! fragments as its peer has buffers for, and the peer says what it has read. Which ranks use a fabric is
//! agreed when they connect ([`agree`]). Failures are noticed on the control channel, which stays on TCP.
//!
//! Cost: each payload is copied once on both sides, and no memory of a caller is ever known to the fabric.
//!
//! Decision and figures: docs/lab/fabrics.md.

mod abi;
mod agree;
mod fabric;
#[cfg(any(test, feature = "fuzzing"))]
pub(super) mod foreign_bytes;
mod frame;
mod hello;
pub mod library;
mod objects;
mod peer;
mod pool;
mod recv;
mod send;
#[cfg(test)]
mod tests;

pub use agree::{Agreed, agree};
pub use library::{Library, Wanted};

use std::io;
use std::os::fd::RawFd;
use std::ptr::NonNull;
use std::sync::Arc;

use parking_lot::Mutex;

use super::{Arrival, Header, Link, SingleCopy, garbage};
use crate::sys::poll::{Interest, PollSet};
use fabric::Fabric;

/// A link over a fabric.
pub struct OfiLink {
    fabric: Arc<Mutex<Fabric>>,
    peer: usize,
}

impl Link for OfiLink {
    unsafe fn send(
        &mut self,
        header: &Header,
        data: *const u8,
        bytes: usize,
        _single_copy: SingleCopy,
    ) -> io::Result<Option<usize>> {
        // SAFETY: the caller vouches for `data`.
        unsafe { self.fabric.lock().send(self.peer, header, data, bytes) }
    }

    unsafe fn abandon(&mut self, header: &Header, _data: *const u8, _bytes: usize) {
        self.fabric.lock().forget(self.peer, header);
    }

    fn head(&mut self) -> io::Result<Option<Header>> {
        let fragment = self.fabric.lock().head(self.peer)?;
        Ok(fragment.map(|fragment| fragment.header))
    }

    fn awaits_header(&self) -> bool {
        !self.fabric.lock().has_head(self.peer)
    }

    fn arrival(&mut self) -> io::Result<Arrival> {
        let mut fabric = self.fabric.lock();
        let fragment = fabric.head(self.peer)?.ok_or_else(|| garbage("no fragment"))?;
        let bytes = fragment.end - fragment.at;
        let data = if bytes == 0 { NonNull::dangling().as_ptr() } else { fabric.bytes_of(&fragment) };
        Ok(Arrival { data, bytes, complete: true })
    }

    unsafe fn take(&mut self, dst: *mut u8, bytes: usize, _streamed: bool) -> io::Result<usize> {
        let arrival = self.arrival()?;
        let n = bytes.min(arrival.bytes);
        // SAFETY: `n` bytes have arrived in a buffer of the endpoint, which stays as it is until they are
        // consumed. The caller vouches for `dst`, which is not memory of the link.
        unsafe { std::ptr::copy_nonoverlapping(arrival.data, dst, n) };
        self.consume(n)?;
        Ok(n)
    }

    fn consume(&mut self, bytes: usize) -> io::Result<()> {
        self.fabric.lock().consume(self.peer, bytes);
        Ok(())
    }

    fn sent(&self) -> u64 {
        self.fabric.lock().sent(self.peer)
    }

    fn received(&self) -> u64 {
        self.fabric.lock().received(self.peer)
    }

    fn descriptor(&self) -> Option<RawFd> {
        Some(self.fabric.lock().descriptor())
    }

    fn watch(&self, interest: Interest, set: &mut PollSet) -> bool {
        self.fabric.lock().watch_link(self.peer, interest, set);
        true
    }

    fn watch_for_header(&self, set: &mut PollSet) {
        self.watch(Interest::Read, set);
    }

    fn set_sleeping(&mut self, sleeping: bool) {
        self.fabric.lock().set_watched(sleeping);
    }

    fn has_undelivered(&self) -> bool {
        let mut fabric = self.fabric.lock();
        fabric.progress();
        fabric.check(self.peer).is_ok() && fabric.is_sending(self.peer)
    }

    fn notices_its_end(&self) -> bool {
        false
    }

    fn must_be_asked(&self) -> bool {
        self.fabric.lock().is_sending(self.peer)
    }

    fn transport(&self) -> &'static str {
        "ofi"
    }
}
