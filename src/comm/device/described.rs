//! A call as its caller describes it: which memory it touches, and the same call on other addresses.

use std::ptr::{with_exposed_provenance, with_exposed_provenance_mut};
use std::sync::Arc;

use super::direct::{DirectPieces, DirectWay};
use crate::base::{Call, CallKind, Error, Result};
use crate::comm::call::operation::{Operation, Variant};
use crate::comm::call::operator::Operator;
use crate::comm::call::unequal::{Places, Unequal};
use crate::comm::coalesced::{List, Part};
use crate::comm::communicator::Communicator;
use crate::comm::ready::ReadyCall;
use crate::config::MemoryKind;
use crate::device::{Access, Kinds, StagedCall, Touched};
use crate::p2p::{OutgoingMessage, RecvBuffer, Selector};
use crate::plan::Block;

/// A call that may have buffers on a device.
pub(in crate::comm) enum Described<'a> {
    /// A collective with one count.
    Collective(&'a Operation, Option<&'a Arc<Operator>>),
    /// A collective with a layout.
    Unequal(&'a Unequal<'a>, Option<&'a Arc<Operator>>),
    /// A collective on a list of buffers.
    List(&'a List<'a>, Option<&'a Arc<Operator>>),
    /// A send.
    Send(&'a OutgoingMessage),
    /// A receive.
    Receive(Selector, RecvBuffer),
    /// A receive of a message that fills the buffer.
    ReceiveAll(Selector, RecvBuffer),
}

impl Described<'_> {
    /// The device memory that the call touches on this rank.
    pub fn touched(&self, comm: &Communicator) -> Touched {
        let mut found = Found { kinds: &comm.kinds, touched: Touched::default() };
        match self {
            Described::Collective(operation, operator) => found.operation(comm, operation, *operator),
            Described::Unequal(operation, operator) => found.unequal(operation, *operator),
            Described::List(list, operator) => {
                for part in list.parts {
                    found.operation(comm, &comm.plain(list, part), *operator);
                }
            }
            Described::Send(what) => {
                found.whole(what.data.addr(), what.count as usize * what.datatype.bytes(), Access::Read);
            }
            // A message may be shorter than the buffer, whose end stays as it is.
            Described::Receive(_, buffer) => {
                let bytes = buffer.count as usize * buffer.datatype.bytes();
                found.whole(buffer.data.addr(), bytes, Access::Both);
            }
            Described::ReceiveAll(_, buffer) => {
                let bytes = buffer.count as usize * buffer.datatype.bytes();
                found.whole(buffer.data.addr(), bytes, Access::Written);
            }
        }
        found.touched
    }

    /// The pieces of a call that goes the direct way, and its operator if the program has made it. `None`:
    /// it is staged, on all ranks.
    pub fn direct_pieces(
        &self,
        comm: &Communicator,
        way: &DirectWay,
    ) -> Result<Option<(DirectPieces, Option<Arc<Operator>>)>> {
        let Described::Collective(operation, operator) = self else { return Ok(None) };
        let is_builtin = operator.is_none_or(|operator| operator.scales());
        let Some(pieces) = DirectPieces::of(operation, way.size(), way.slot_bytes()).filter(|_| is_builtin)
        else {
            return Ok(None);
        };
        if !way.has_kernel(&pieces) {
            return Ok(None);
        }
        // Wrong arguments are refused as on host memory.
        let mut variant = Variant::default();
        if let Some(operator) = operator {
            operator.check(&operation.call)?;
            variant = operator.variant(&operation.call, None);
        }
        comm.prepare(operation, &variant)?;
        let extent = operation.extent(comm.rank, comm.size(), operation.call.datatype.bytes());
        let sides = extent
            .map(|extent| [(operation.send.addr(), extent.read), (operation.recv.addr(), extent.written)]);
        for (address, bytes) in sides.into_iter().flatten() {
            if bytes > 0 && comm.kinds.of(address) == MemoryKind::Cpu {
                let text = format!(
                    "{} with one buffer on a device and one in host memory: on this communicator both are on a device \
                     (ANYCCL_DEVICE_WAY=staged allows it, on all ranks)",
                    operation.call
                );
                return Err(Error::Unsupported(text));
            }
        }
        Ok(Some((pieces, operator.cloned())))
    }

    /// The checked call on the copies of its buffers.
    pub fn ready(&self, comm: &Communicator, staged: &StagedCall) -> Result<ReadyCall> {
        let send =
            |address: *const u8| with_exposed_provenance::<u8>(staged.host(address.expose_provenance()));
        let recv =
            |address: *mut u8| with_exposed_provenance_mut::<u8>(staged.host(address.expose_provenance()));
        Ok(match self {
            Described::Collective(operation, operator) => {
                let operation =
                    Operation { send: send(operation.send), recv: recv(operation.recv), ..**operation };
                let mut variant = Variant::default();
                if let Some(operator) = operator {
                    operator.check(&operation.call)?;
                    variant = operator.variant(&operation.call, None);
                }
                comm.prepare(&operation, &variant)?;
                ReadyCall::Collective { operation, operator: operator.cloned(), prepared: None }
            }
            Described::Unequal(operation, operator) => {
                let (sends, recvs): (Vec<_>, Vec<_>);
                let places = match operation.places {
                    Places::Buffers { send: from, recv: to } => {
                        Places::Buffers { send: send(from), recv: recv(to) }
                    }
                    Places::Lists { sends: from, recvs: to } => {
                        sends = from.iter().map(|start| send(*start)).collect();
                        recvs = to.iter().map(|start| recv(*start)).collect();
                        Places::Lists { sends: &sends, recvs: &recvs }
                    }
                };
                let call = Unequal { places, ..**operation };
                // SAFETY: the blocks lie in the copies, or are host memory for which the caller vouches.
                ReadyCall::Unequal(unsafe { comm.prepare_unequal(&call, *operator) }?)
            }
            Described::List(list, operator) => {
                let on_copies = |part: &Part| Part { send: send(part.send), recv: recv(part.recv), ..*part };
                let parts: Vec<Part> = list.parts.iter().map(on_copies).collect();
                let list = List { parts: &parts, ..**list };
                comm.check_list(&list, *operator)?;
                ReadyCall::list(&list, operator.cloned())
            }
            Described::Send(what) => {
                let what = OutgoingMessage { data: send(what.data), ..**what };
                comm.check_outgoing(&what)?;
                ReadyCall::Send(what)
            }
            Described::Receive(selector, buffer) | Described::ReceiveAll(selector, buffer) => {
                let buffer = RecvBuffer { data: recv(buffer.data), ..*buffer };
                comm.check_incoming(*selector)?;
                comm.check_recv_buffer(&buffer)?;
                ReadyCall::Receive(*selector, buffer)
            }
        })
    }
}

/// Device memory that was found among the buffers of a call.
struct Found<'a> {
    kinds: &'a Kinds,
    touched: Touched,
}

impl Found<'_> {
    fn is_on_device(&self, address: usize) -> bool {
        self.kinds.of(address) == MemoryKind::Cuda
    }

    fn whole(&mut self, address: usize, bytes: usize, access: Access) {
        if bytes > 0 && self.is_on_device(address) {
            self.touched.add(address, bytes, access);
        }
    }

    fn operation(&mut self, comm: &Communicator, operation: &Operation, operator: Option<&Arc<Operator>>) {
        let Call { kind: CallKind::Collective(collective), root, count, datatype, .. } = operation.call
        else {
            return;
        };
        let unit = operator.and_then(|operator| operator.opaque_bytes()).unwrap_or(datatype.bytes());
        let (size, count) = (comm.size() as usize, count as usize);
        // Checked before anything is enqueued; here a wrong count must only not overflow.
        let bytes = |elements: usize| elements.saturating_mul(unit);
        let reads = bytes(collective.input_elements(size, comm.rank, root, count));
        let writes = bytes(collective.output_elements(size, comm.rank, root, count));
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
