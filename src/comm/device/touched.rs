//! The device memory that a call touches.

use std::sync::Arc;

use super::staged::ranges::{Access, Touched};
use crate::base::{Call, CallKind, Rank};
use crate::comm::call::operation::Operation;
use crate::comm::call::operator::Operator;
use crate::comm::call::spec::CallSpec;
use crate::comm::call::unequal::{Places, Unequal};
use crate::config::MemoryKind;
use crate::device::Kinds;
use crate::plan::Block;

impl CallSpec<'_> {
    /// The device memory that the call touches on this rank, and whether streams may use its host memory.
    pub(super) fn touched(&self, kinds: &Kinds, rank: Rank, size: u32) -> Touched {
        let mut found = Found { kinds, rank, size, touched: Touched::default() };
        match self {
            CallSpec::Collective(operation, operator) => found.operation(operation, *operator),
            CallSpec::Unequal(operation, operator) => found.unequal(operation, *operator),
            CallSpec::List(list, operator) => {
                for part in list.parts {
                    found.operation(&list.call_on(part), *operator);
                }
            }
            CallSpec::Send(what) => {
                found.whole(what.data.addr(), what.count as usize * what.datatype.bytes(), Access::Read);
            }
            // A message may be shorter than the buffer, whose end stays as it is.
            CallSpec::Receive(_, buffer) => {
                let bytes = buffer.count as usize * buffer.datatype.bytes();
                found.whole(buffer.data.addr(), bytes, Access::Both);
            }
            CallSpec::ReceiveAll(_, buffer) => {
                let bytes = buffer.count as usize * buffer.datatype.bytes();
                found.whole(buffer.data.addr(), bytes, Access::Written);
            }
        }
        if let CallSpec::Collective(_, operator)
        | CallSpec::Unequal(_, operator)
        | CallSpec::List(_, operator) = self
            && let Some((address, bytes)) = operator.and_then(|operator| operator.deferred_factor())
        {
            found.whole(address, bytes, Access::Read);
        }
        found.touched
    }

    /// Whether this rank has no element in a call of which it does not know the lengths on the other ranks,
    /// and gives no host memory. On the direct path, the other ranks may wait for it then.
    pub(super) fn counts_as_on_device(&self, kinds: &Kinds) -> bool {
        let CallSpec::Unequal(call, _) = self else { return false };
        let (input, output) = (call.layout.input, call.layout.output);
        let is_direct = call.collective.counts_messages() && !call.collective.has_graph();
        let is_empty = || input.iter().chain(output).all(|block| block.len == 0);
        let is_host = |address: usize| address != 0 && kinds.of(address) == MemoryKind::Cpu;
        let has_host = || match call.places {
            Places::Buffers { send, recv } => {
                !input.is_empty() && is_host(send.addr()) || !output.is_empty() && is_host(recv.addr())
            }
            Places::Lists { sends, recvs } => {
                sends.iter().any(|start| is_host(start.addr()))
                    || recvs.iter().any(|start| is_host(start.addr()))
            }
        };
        is_direct && is_empty() && !has_host()
    }
}

/// Device memory that was found among the buffers of a call.
struct Found<'a> {
    kinds: &'a Kinds,
    rank: Rank,
    size: u32,
    touched: Touched,
}

impl Found<'_> {
    fn is_on_device(&self, address: usize) -> bool {
        self.kinds.of(address) == MemoryKind::Cuda
    }

    fn host(&mut self, address: usize) {
        if !self.touched.has_host() && self.kinds.is_known(address) {
            self.touched.add_host(address);
        }
    }

    fn whole(&mut self, address: usize, bytes: usize, access: Access) {
        if bytes == 0 {
        } else if self.is_on_device(address) {
            self.touched.add(address, bytes, access);
        } else {
            self.host(address);
        }
    }

    fn operation(&mut self, operation: &Operation, operator: Option<&Arc<Operator>>) {
        let Call { kind: CallKind::Collective(collective), root, count, datatype, .. } = operation.call
        else {
            return;
        };
        let unit = operator.and_then(|operator| operator.opaque_bytes()).unwrap_or(datatype.bytes());
        let (size, count) = (self.size as usize, count as usize);
        // Checked before anything is enqueued; here a wrong count must only not overflow.
        let bytes = |elements: usize| elements.saturating_mul(unit);
        let reads = bytes(collective.input_elements(size, self.rank, root, count));
        let writes = bytes(collective.output_elements(size, self.rank, root, count));
        self.whole(operation.send.addr(), reads, Access::Read);
        self.whole(operation.recv.addr(), writes, Access::Written);
    }

    fn unequal(&mut self, call: &Unequal, operator: Option<&Arc<Operator>>) {
        let unit = operator.and_then(|operator| operator.opaque_bytes()).unwrap_or(call.datatype.bytes());
        let span = |block: &Block| (block.offset.saturating_mul(unit), block.len.saturating_mul(unit));
        match call.places {
            Places::Buffers { send, recv } => {
                for (start, blocks, access) in [
                    (send.addr(), call.layout.input, Access::Read),
                    (recv.addr(), call.layout.output, Access::Written),
                ] {
                    if self.is_on_device(start) {
                        self.touched.add_blocks(start, blocks.iter().map(span), access);
                    } else if !blocks.is_empty() {
                        self.host(start);
                    }
                }
            }
            Places::Lists { sends, recvs } => {
                let sends = sends.iter().map(|start| start.addr()).zip(call.layout.input);
                let recvs = recvs.iter().map(|start| start.addr()).zip(call.layout.output);
                sends.for_each(|(start, block)| self.whole(start, span(block).1, Access::Read));
                recvs.for_each(|(start, block)| self.whole(start, span(block).1, Access::Written));
            }
        }
    }
}
