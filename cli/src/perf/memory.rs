//! The buffers of a measured call, in memory of the host or of a device.
//!
//! Pages are aligned and touched before anything is timed. In place, both buffers lie in one region as NCCL
//! defines it: the smaller one is this rank's block of the larger one.

use anyccl_engine::base::{Call, CallKind, Collective, Rank, Result};
use anyccl_engine::comm::{Communicator, Operation};

use super::ranks::Form;
use super::region::{Memory, Region};

/// One collective call of this rank, with its buffers.
pub struct CollectiveCall {
    call: Call,
    input: Region,
    /// Absent in place: both buffers are in `input`.
    output: Option<Region>,
    send: (usize, usize),
    recv: (usize, usize),
}

impl CollectiveCall {
    /// Makes the buffers for `call` of `collective` on `rank` of `size`. If there is a root, only the root is
    /// in place.
    pub fn new(
        memory: Memory,
        (collective, call): (Collective, Call),
        (rank, size): (Rank, u32),
        in_place: bool,
    ) -> Result<CollectiveCall> {
        let count = call.count as usize;
        let element = call.datatype.bytes();
        let send_len = collective.input_elements(size as usize, rank, call.root, count) * element;
        let recv_len = collective.output_elements(size as usize, rank, call.root, count) * element;
        let call = Call { kind: CallKind::Collective(collective), ..call };
        if !in_place || collective.has_root() && rank != call.root {
            let (input, output) = (memory.region(send_len)?, Some(memory.region(recv_len)?));
            return Ok(CollectiveCall { call, input, output, send: (0, send_len), recv: (0, recv_len) });
        }
        let mine = rank as usize * count * element;
        let at = |len: usize, other: usize| if len < other { mine } else { 0 };
        Ok(CollectiveCall {
            call,
            input: memory.region(send_len.max(recv_len))?,
            output: None,
            send: (at(send_len, recv_len), send_len),
            recv: (at(recv_len, send_len), recv_len),
        })
    }

    /// Writes all of this rank's send buffer. In place it lies inside the output, or contains it.
    pub fn write_input(&mut self, write: impl FnOnce(&mut [u8])) -> Result<()> {
        let (at, len) = self.send;
        self.input.write(at, len, write)
    }

    /// Writes all of this rank's receive buffer.
    pub fn write_output(&mut self, write: impl FnOnce(&mut [u8])) -> Result<()> {
        let (at, len) = self.recv;
        self.output.as_mut().unwrap_or(&mut self.input).write(at, len, write)
    }

    /// Reads this rank's receive buffer.
    pub fn read_output<T>(&mut self, read: impl FnOnce(&[u8]) -> T) -> Result<T> {
        let (at, len) = self.recv;
        self.output.as_mut().unwrap_or(&mut self.input).read(at, len, read)
    }

    /// Makes the call once.
    pub fn run(&mut self, comm: &Communicator, form: Form) -> Result<()> {
        let operation = self.operation();
        // SAFETY: input and output have the lengths that the call reads and writes on this rank. They lie in
        // regions of `self`, which nobody else touches while it is borrowed here.
        unsafe { form.call(comm, &operation) }
    }

    fn operation(&mut self) -> Operation {
        let send = self.input.pointer(self.send.0);
        let recv = self.output.as_mut().unwrap_or(&mut self.input).pointer(self.recv.0);
        Operation { call: self.call, send, recv }
    }
}

#[cfg(test)]
mod tests {
    use anyccl_engine::base::Datatype;

    use super::*;

    fn call(collective: Collective, rank: Rank, in_place: bool) -> CollectiveCall {
        let kind = CallKind::Collective(collective);
        let call = Call { kind, datatype: Datatype::Float32, op: None, root: 1, count: 10 };
        CollectiveCall::new(Memory::Host, (collective, call), (rank, 3), in_place).unwrap()
    }

    #[test]
    fn in_place_the_smaller_buffer_is_this_ranks_block_of_the_larger() {
        use Collective::*;
        let table = [
            (AllReduce, 0, 0),
            (AllToAll, 0, 0),
            (Broadcast, 0, 0),
            (AllGather, 40, 0),
            (Gather, 40, 0),
            (ReduceScatter, 0, 40),
            (Scatter, 0, 40),
        ];
        for (collective, send, recv) in table {
            let mut call = call(collective, 1, true);
            let start = call.input.pointer(0);
            let operation = call.operation();
            assert_eq!(operation.send, start.wrapping_add(send).cast_const(), "{collective:?}");
            assert_eq!(operation.recv, start.wrapping_add(recv), "{collective:?}");
        }
    }

    #[test]
    fn buffers_are_as_long_as_the_call_needs_and_apart_unless_in_place() {
        for collective in Collective::UNIFORM {
            for (rank, in_place) in [(0, false), (1, false), (0, true), (1, true)] {
                let mut call = call(collective, rank, in_place);
                let (reads, writes) = (
                    collective.input_elements(3, rank, 1, 10) * 4,
                    collective.output_elements(3, rank, 1, 10) * 4,
                );
                call.write_input(|bytes| assert_eq!(bytes.len(), reads, "{collective:?}")).unwrap();
                call.read_output(|bytes| assert_eq!(bytes.len(), writes, "{collective:?}")).unwrap();
                let away = collective.has_root() && rank != 1;
                assert_eq!(call.output.is_some(), !in_place || away, "{collective:?}");
            }
        }
    }
}
