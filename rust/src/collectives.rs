//! Collectives that return when this rank's part is complete, with blocks of one length.

use anyccl_engine::base::Collective;

use crate::collective::Asked;
use crate::communicator::Communicator;
use crate::element::Element;
use crate::error::Result;
use crate::operator::Operator;
use crate::sides::Sides;

/// # Collectives
///
/// All ranks of the communicator make the same call, with buffers of the same lengths. A call returns when
/// this rank's part is complete: its input may be changed, and its output is there. Other ranks may be ahead
/// or behind.
///
/// A buffer of a wrong length is [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) on the
/// rank that passes it, before anything is sent. Calls that differ between ranks are
/// [`ErrorKind::Mismatch`](crate::ErrorKind::Mismatch) on all ranks.
impl Communicator {
    /// Waits until all ranks have come.
    pub fn barrier(&self) -> Result<()> {
        self.run::<u8>(Asked::plain(Collective::Barrier), Sides::same(&mut []))
    }

    /// Reduces the inputs of all ranks, element by element, and gives every rank the result.
    ///
    /// All ranks get the same bits.
    ///
    /// ```text
    /// rank 0  send a0 a1
    /// rank 1  send b0 b1   =>   recv a0+b0 a1+b1 on both
    /// ```
    pub fn all_reduce<T: Element>(
        &self,
        send: &[T],
        recv: &mut [T],
        op: impl Into<Operator<T>>,
    ) -> Result<()> {
        self.run(Asked::reducing(Collective::AllReduce, op), Sides::apart(send, recv))
    }

    /// Reduces the buffers of all ranks, and replaces each by the result.
    pub fn all_reduce_in_place<T: Element>(&self, data: &mut [T], op: impl Into<Operator<T>>) -> Result<()> {
        self.run(Asked::reducing(Collective::AllReduce, op), Sides::same(data))
    }

    /// Reduces the inputs of all ranks, and gives rank `root` the result. On the other ranks, `recv` is not
    /// touched, and may be empty.
    pub fn reduce<T: Element>(
        &self,
        send: &[T],
        recv: &mut [T],
        op: impl Into<Operator<T>>,
        root: usize,
    ) -> Result<()> {
        let asked = Asked { root, ..Asked::reducing(Collective::Reduce, op) };
        self.run(asked, Sides::apart(send, recv))
    }

    /// Reduces the buffers of all ranks, and replaces that of rank `root` by the result. The others do not
    /// change.
    pub fn reduce_in_place<T: Element>(
        &self,
        data: &mut [T],
        op: impl Into<Operator<T>>,
        root: usize,
    ) -> Result<()> {
        self.run(Asked { root, ..Asked::reducing(Collective::Reduce, op) }, Sides::same(data))
    }

    /// Copies the buffer of rank `root` to all ranks.
    ///
    /// ```text
    /// rank 0 (root)  a0 a1
    /// rank 1         .. ..   =>   a0 a1 on both
    /// ```
    pub fn broadcast<T: Element>(&self, data: &mut [T], root: usize) -> Result<()> {
        self.run(Asked::rooted(Collective::Broadcast, root), Sides::same(data))
    }

    /// Gives every rank the inputs of all ranks, in rank order. `recv` has `size` times as many elements as
    /// `send`.
    ///
    /// ```text
    /// rank 0  send a0 a1
    /// rank 1  send b0 b1   =>   recv a0 a1 b0 b1 on both
    /// ```
    pub fn all_gather<T: Element>(&self, send: &[T], recv: &mut [T]) -> Result<()> {
        self.run(Asked::plain(Collective::AllGather), Sides::apart(send, recv))
    }

    /// Gives every rank the blocks of all ranks. `data` has a block for each rank; this rank's block is its
    /// input.
    pub fn all_gather_in_place<T: Element>(&self, data: &mut [T]) -> Result<()> {
        self.run(Asked::plain(Collective::AllGather), Sides::own_block(data, self.rank(), self.size()))
    }

    /// Gives rank `root` the inputs of all ranks, in rank order. On the other ranks, `recv` is not touched,
    /// and may be empty.
    pub fn gather<T: Element>(&self, send: &[T], recv: &mut [T], root: usize) -> Result<()> {
        self.run(Asked::rooted(Collective::Gather, root), Sides::apart(send, recv))
    }

    /// Gives each rank its block of the input of rank `root`. On the other ranks, `send` is not touched, and
    /// may be empty.
    pub fn scatter<T: Element>(&self, send: &[T], recv: &mut [T], root: usize) -> Result<()> {
        self.run(Asked::rooted(Collective::Scatter, root), Sides::apart(send, recv))
    }

    /// Reduces the inputs of all ranks, and gives each rank its block of the result. `send` has `size` times
    /// as many elements as `recv`.
    ///
    /// ```text
    /// rank 0  send a0 a1        recv a0+b0 on rank 0
    /// rank 1  send b0 b1   =>   recv a1+b1 on rank 1
    /// ```
    pub fn reduce_scatter<T: Element>(
        &self,
        send: &[T],
        recv: &mut [T],
        op: impl Into<Operator<T>>,
    ) -> Result<()> {
        self.run(Asked::reducing(Collective::ReduceScatter, op), Sides::apart(send, recv))
    }

    /// Sends each rank its block of `send`, and receives a block from each. Both have a block for each rank.
    ///
    /// ```text
    /// rank 0  send a0 a1        recv a0 b0 on rank 0
    /// rank 1  send b0 b1   =>   recv a1 b1 on rank 1
    /// ```
    pub fn all_to_all<T: Element>(&self, send: &[T], recv: &mut [T]) -> Result<()> {
        self.run(Asked::plain(Collective::AllToAll), Sides::apart(send, recv))
    }

    /// Sends each rank its block of `data`, and replaces it by the block of that rank.
    pub fn all_to_all_in_place<T: Element>(&self, data: &mut [T]) -> Result<()> {
        self.run(Asked::plain(Collective::AllToAll), Sides::same(data))
    }

    /// Reduces the inputs of the ranks up to this one, this one included.
    ///
    /// ```text
    /// rank 0  send a0        recv a0 on rank 0
    /// rank 1  send b0   =>   recv a0+b0 on rank 1
    /// ```
    pub fn scan<T: Element>(&self, send: &[T], recv: &mut [T], op: impl Into<Operator<T>>) -> Result<()> {
        self.run(Asked::reducing(Collective::Scan, op), Sides::apart(send, recv))
    }

    /// Reduces the inputs of the ranks before this one. On rank 0, `recv` is not touched.
    pub fn exscan<T: Element>(&self, send: &[T], recv: &mut [T], op: impl Into<Operator<T>>) -> Result<()> {
        self.run(Asked::reducing(Collective::Exscan, op), Sides::apart(send, recv))
    }
}
