//! Windows of one communicator: registered memory that puts of other ranks write to.

use std::collections::HashMap;
use std::ptr;
use std::sync::Arc;

use anyccl_edge::check::invalid;
use anyccl_engine::base::{Error, Result};
use anyccl_engine::comm::Work;

use crate::types::ncclWindow_t;

/// Windows of one communicator on this rank, by number.
#[derive(Default)]
pub struct Windows {
    given: usize,
    live: HashMap<usize, Window>,
}

/// Registered memory. It is kept as an address, because this library reads and writes it only on behalf of
/// the program.
#[derive(Clone, Copy)]
pub struct Window {
    /// Address of its first byte.
    pub start: usize,
    bytes: usize,
    is_on_gpu: bool,
}

impl Window {
    /// Refuses GPU memory, which a put cannot reach.
    pub fn check_host(&self) -> Result<()> {
        if self.is_on_gpu { Err(Error::Unsupported(GPU_WINDOW.into())) } else { Ok(()) }
    }
}

const GPU_WINDOW: &str =
    "the window is GPU memory here, and puts move host memory only: send and receive instead";

/// Puts that were not sent completely yet, with their bytes.
pub type Outbox = Vec<(Work, Arc<[u8]>)>;

impl Windows {
    /// Adds a window and returns its number, which is the same on all ranks.
    pub fn add(&mut self, start: usize, bytes: usize, is_on_gpu: bool) -> usize {
        self.given += 1;
        self.live.insert(self.given, Window { start, bytes, is_on_gpu });
        self.given
    }

    /// The window of a handle.
    pub fn get(&self, win: ncclWindow_t) -> Result<Window> {
        match self.live.get(&win.addr()) {
            Some(window) => Ok(*window),
            None => invalid("win", format!("{win:p}, which is not registered with this communicator")),
        }
    }

    /// Removes the window of a handle.
    pub fn remove(&mut self, win: ncclWindow_t) -> Result<()> {
        self.get(win)?;
        self.live.remove(&win.addr());
        Ok(())
    }

    /// The address for bytes that a peer wants to put; an error if its window or range is invalid.
    pub fn place(&self, number: usize, offset: usize, bytes: usize) -> std::result::Result<*mut u8, String> {
        let Some(window) = self.live.get(&number) else {
            return Err(format!("window {number} is not registered here"));
        };
        if window.is_on_gpu {
            return Err(GPU_WINDOW.into());
        }
        match offset.checked_add(bytes) {
            Some(end) if end <= window.bytes => Ok(ptr::with_exposed_provenance_mut(window.start + offset)),
            _ => Err(format!("{bytes} bytes at {offset} in a window of {}", window.bytes)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_range_that_a_peer_gives_for_a_window_is_checked() {
        let mut windows = Windows::default();
        let number = windows.add(4096, 100, false);
        let on_gpu = windows.add(8192, 100, true);
        assert!(windows.place(on_gpu, 0, 1).is_err());
        assert_eq!(windows.place(number, 90, 10).unwrap().addr(), 4186);
        for (number, offset, bytes) in [(number, 90, 11), (number, usize::MAX, 2), (number + 2, 0, 1)] {
            assert!(windows.place(number, offset, bytes).is_err());
        }
    }
}
