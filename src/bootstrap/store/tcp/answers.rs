//! Answers of the store that a rank has not read yet.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use super::message::{Status, response_header};
use crate::sys::socket::Socket;

/// Answers to be written, in order.
#[derive(Default)]
pub(super) struct Answers {
    /// Headers and values in turn.
    parts: VecDeque<Arc<[u8]>>,
    /// How many bytes of the first part are written.
    written: usize,
}

impl Answers {
    /// Adds an answer.
    pub fn push(&mut self, status: Status, value: Arc<[u8]>) {
        self.parts.push_back(response_header(status, value.len()).to_vec().into());
        self.parts.push_back(value);
    }

    /// Number of answers of which something is still to be written.
    pub fn len(&self) -> usize {
        self.parts.len().div_ceil(2)
    }

    /// Whether all are written.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Writes as much as the socket takes without waiting.
    pub fn write(&mut self, socket: &Socket) -> io::Result<()> {
        while let Some(part) = self.parts.front() {
            if self.written == part.len() {
                self.written = 0;
                self.parts.pop_front();
                continue;
            }
            match socket.write(&part[self.written..])? {
                None => break,
                Some(bytes) => self.written += bytes,
            }
        }
        Ok(())
    }
}
