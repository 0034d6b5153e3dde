//! A call on device memory: its pieces on the direct path, and the same call on copies of its buffers.

use std::ptr::{with_exposed_provenance, with_exposed_provenance_mut};
use std::sync::Arc;

use super::direct::{DirectPath, DirectPieces};
use crate::base::{Error, Result};
use crate::comm::call::list::{List, Part};
use crate::comm::call::operation::Operation;
use crate::comm::call::operator::Operator;
use crate::comm::call::spec::CallSpec;
use crate::comm::call::unequal::{Places, Unequal};
use crate::comm::coalesced;
use crate::comm::communicator::Communicator;
use crate::comm::prepared_unequal::PreparedUnequal;
use crate::comm::ready::ReadyCall;
use crate::config::DEVICE_PATH_VARIABLE;
use crate::device::StagedCall;
use crate::p2p::{OutgoingMessage, RecvBuffer};

impl CallSpec<'_> {
    /// The pieces of a call on the direct path, and its operator if the program has made it. `None`:
    /// it is staged, on all ranks.
    pub(super) fn direct_pieces(
        &self,
        comm: &Communicator,
        path: &DirectPath,
    ) -> Result<Option<(DirectPieces, Option<Arc<Operator>>)>> {
        let CallSpec::Collective(operation, operator) = self else { return Ok(None) };
        let is_builtin = operator.is_none_or(|operator| operator.scales());
        let Some(pieces) = DirectPieces::of(operation, path.size(), path.slot_bytes()).filter(|_| is_builtin)
        else {
            return Ok(None);
        };
        if !path.has_kernel(&pieces) {
            return Ok(None);
        }
        // Wrong arguments are refused as on host memory.
        comm.plan_with(operation, *operator)?;
        let extent = operation.extent(comm.rank, comm.size(), operation.call.datatype.bytes());
        let sides = extent
            .map(|extent| [(operation.send.addr(), extent.read), (operation.recv.addr(), extent.written)]);
        for (address, bytes) in sides.into_iter().flatten() {
            if bytes > 0 && !comm.devices.kinds.is_known(address) {
                let text = format!(
                    "{} with one buffer on a device and one in ordinary host memory: on this communicator both are on a device, \
                     or pinned ({DEVICE_PATH_VARIABLE}=staged allows it, on all ranks)",
                    operation.call
                );
                return Err(Error::Unsupported(text));
            }
        }
        Ok(Some((pieces, operator.cloned())))
    }

    /// The checked call on the copies of its buffers.
    pub(super) fn ready(&self, comm: &Communicator, staged: &StagedCall) -> Result<ReadyCall> {
        let send =
            |address: *const u8| with_exposed_provenance::<u8>(staged.host(address.expose_provenance()));
        let recv =
            |address: *mut u8| with_exposed_provenance_mut::<u8>(staged.host(address.expose_provenance()));
        let described = |call: CallSpec| ReadyCall::Described(call.owned());
        Ok(match self {
            CallSpec::Collective(operation, operator) => {
                let operation =
                    Operation { send: send(operation.send), recv: recv(operation.recv), ..**operation };
                comm.plan_with(&operation, *operator)?;
                described(CallSpec::Collective(&operation, *operator))
            }
            CallSpec::Unequal(operation, operator) => {
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
                ReadyCall::Unequal(unsafe { PreparedUnequal::new(comm, &call, *operator) }?)
            }
            CallSpec::List(list, operator) => {
                let on_copies = |part: &Part| Part { send: send(part.send), recv: recv(part.recv), ..*part };
                let parts: Vec<Part> = list.parts.iter().map(on_copies).collect();
                let list = List { parts: &parts, ..**list };
                coalesced::check(comm, &list, *operator)?;
                described(CallSpec::List(&list, *operator))
            }
            CallSpec::Send(what) => {
                let what = OutgoingMessage { data: send(what.data), ..**what };
                comm.check_outgoing(&what)?;
                described(CallSpec::Send(&what))
            }
            CallSpec::Receive(selector, buffer) | CallSpec::ReceiveAll(selector, buffer) => {
                let buffer = RecvBuffer { data: recv(buffer.data), ..*buffer };
                comm.check_incoming(*selector)?;
                comm.check_recv_buffer(&buffer)?;
                described(CallSpec::Receive(*selector, buffer))
            }
        })
    }
}
