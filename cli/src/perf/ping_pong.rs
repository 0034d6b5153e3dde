//! Transfers between two ranks: there and back, or many in a row. All other ranks do nothing.
//!
//! Latency is half the time of a round trip. Bandwidth is one-way: messages in a row, ended by an empty
//! reply, so that the last one has arrived.

use anyccl_engine::base::{Datatype, Rank, Result};
use anyccl_engine::comm::Communicator;

use super::check::{data, first_difference, repeat};
use super::ranks::{Form, exchange, receive, send};
use super::region::{Incoming, Memory, Outgoing, Region};

/// Two ranks, with a buffer for each direction.
pub struct PingPong<'a> {
    comm: &'a Communicator,
    form: Form,
    near: Rank,
    far: Rank,
    /// Length of a message.
    bytes: usize,
    /// The message that the near rank sends.
    out: Region,
    /// The receive buffer of both ranks.
    back: Region,
}

impl<'a> PingPong<'a> {
    /// Prepares messages of `bytes` bytes between `near`, which begins, and `far`.
    pub fn new(
        comm: &'a Communicator,
        (memory, form): (Memory, Form),
        (near, far): (Rank, Rank),
        bytes: usize,
    ) -> Result<PingPong<'a>> {
        let (mut out, back) = (memory.region(bytes)?, memory.region(bytes)?);
        out.write(0, bytes, |out| repeat(&data(near, far, Datatype::Byte), out))?;
        Ok(PingPong { comm, form, near, far, bytes, out, back })
    }

    /// Makes round trips: the far side returns what it received.
    pub fn round_trips(&mut self, trips: u64) -> Result<()> {
        let PingPong { comm, form, near, far, .. } = *self;
        let PingPong { out, back, .. } = self;
        for _ in 0..trips {
            if comm.rank() == near {
                send(comm, out.outgoing(), far, form)?;
                receive(comm, back.incoming(), far, form)?;
            } else if comm.rank() == far {
                receive(comm, back.incoming(), near, form)?;
                send(comm, back.outgoing(), near, form)?;
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
        (0..times).try_for_each(|_| exchange(comm, self.out.outgoing(), self.back.incoming(), peer))
    }

    /// Sends messages in a row.
    pub fn stream(&mut self, messages: u64) -> Result<()> {
        let PingPong { comm, form, near, far, .. } = *self;
        if comm.rank() == near {
            (0..messages).try_for_each(|_| send(comm, self.out.outgoing(), far, form))?;
            receive(comm, Incoming::from(&mut [][..]), far, form)?;
        } else if comm.rank() == far {
            (0..messages).try_for_each(|_| receive(comm, self.back.incoming(), near, form))?;
            send(comm, Outgoing::from(&[][..]), near, form)?;
        }
        Ok(())
    }

    /// Index of the first wrong byte that a round trip brings to this rank.
    pub fn first_wrong_byte(&mut self) -> Result<Option<usize>> {
        self.round_trips(1)?;
        let takes_part = [self.near, self.far].contains(&self.comm.rank());
        let period = data(self.near, self.far, Datatype::Byte);
        let wrong = self.back.read(0, self.bytes, |back| first_difference(&period, back, 1))?;
        Ok(wrong.filter(|_| takes_part))
    }
}
