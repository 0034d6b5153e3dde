//! Transfers between two ranks: there and back, or many in a row. All other ranks do nothing.
//!
//! Latency is half the time of a round trip. Bandwidth is one-way: messages in a row, ended by an empty
//! reply, so that the last one has arrived.

use anyccl_engine::base::{Datatype, Rank, Result};
use anyccl_engine::comm::Communicator;

use super::check::{data, first_difference, repeat};
use super::ranks::{Form, exchange, receive, send};

/// Two ranks, with a buffer for each direction.
pub struct PingPong<'a> {
    comm: &'a Communicator,
    form: Form,
    near: Rank,
    far: Rank,
    /// The bytes that the near rank sends.
    out: Vec<u8>,
    /// The receive buffer of both ranks.
    back: Vec<u8>,
}

impl<'a> PingPong<'a> {
    /// Prepares messages of `bytes` bytes between `near`, which begins, and `far`.
    pub fn new(comm: &'a Communicator, form: Form, near: Rank, far: Rank, bytes: usize) -> PingPong<'a> {
        // Both buffers are written: fresh pages would be mapped during the first measurement.
        let mut out = vec![0; bytes];
        repeat(&data(near, far, Datatype::Byte), &mut out);
        PingPong { comm, form, near, far, out, back: vec![1; bytes] }
    }

    /// Makes round trips: the far side returns what it received.
    pub fn round_trips(&mut self, trips: u64) -> Result<()> {
        let PingPong { comm, form, near, far, .. } = *self;
        for _ in 0..trips {
            if comm.rank() == near {
                send(comm, &self.out, far, form)?;
                receive(comm, &mut self.back, far, form)?;
            } else if comm.rank() == far {
                receive(comm, &mut self.back, near, form)?;
                send(comm, &self.back, near, form)?;
            }
        }
        Ok(())
    }

    /// Makes exchanges: both ranks send at once.
    pub fn exchanges(&mut self, times: u64) -> Result<()> {
        let PingPong { comm, near, far, .. } = *self;
        let peer = match comm.rank() {
            rank if rank == near => far,
            rank if rank == far => near,
            _ => return Ok(()),
        };
        (0..times).try_for_each(|_| exchange(comm, &self.out, &mut self.back, peer))
    }

    /// Sends messages in a row.
    pub fn stream(&mut self, messages: u64) -> Result<()> {
        let PingPong { comm, form, near, far, .. } = *self;
        if comm.rank() == near {
            (0..messages).try_for_each(|_| send(comm, &self.out, far, form))?;
            receive(comm, &mut [], far, form)?;
        } else if comm.rank() == far {
            (0..messages).try_for_each(|_| receive(comm, &mut self.back, near, form))?;
            send(comm, &[], near, form)?;
        }
        Ok(())
    }

    /// Index of the first wrong byte that a round trip brings to this rank.
    pub fn first_wrong_byte(&mut self) -> Result<Option<usize>> {
        self.round_trips(1)?;
        let takes_part = [self.near, self.far].contains(&self.comm.rank());
        let period = data(self.near, self.far, Datatype::Byte);
        Ok(first_difference(&period, &self.back, 1).filter(|_| takes_part))
    }
}
