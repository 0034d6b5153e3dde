//! Which calls take the direct path of their communicator: collectives with a builtin operator, and long
//! messages. Equal on all ranks of a collective.

use std::sync::Arc;

use super::direct::{DirectMessage, DirectPath, DirectPieces, UnequalBlocks};
use crate::base::{Error, ListCount, Result};
use crate::comm::call::operation::Operation;
use crate::comm::call::operator::Operator;
use crate::comm::call::placement::Placed;
use crate::comm::call::spec::CallSpec;
use crate::comm::coalesced;
use crate::comm::communicator::Communicator;
use crate::config::DEVICE_PATH_VARIABLE;

impl CallSpec<'_> {
    /// The pieces of a call on the direct path. `None`: it is staged, on all ranks.
    pub(super) fn direct_pieces(
        &self,
        comm: &Communicator,
        path: &DirectPath<Communicator>,
    ) -> Result<Option<DirectPieces>> {
        match self {
            CallSpec::Collective(operation, operator) => {
                let of_call = std::iter::once(**operation);
                let Some(pieces) = builtin_pieces(of_call, *operator, None, path) else { return Ok(None) };
                // Wrong arguments are refused as on host memory.
                comm.plan_with(operation, *operator)?;
                check_direct_buffers(comm, operation, sides_of(comm, operation))?;
                Ok(Some(pieces))
            }
            CallSpec::Unequal(call, operator) => {
                Placed::of(call, call.datatype.bytes(), comm.rank, comm.size())?;
                let Some((operation, blocks)) = UnequalBlocks::of(call) else { return Ok(None) };
                let of_call = std::iter::once(operation);
                let pieces = builtin_pieces(of_call, *operator, None, path);
                let Some(mut pieces) = pieces else { return Ok(None) };
                operator.map_or(Ok(()), |operator| operator.check(&operation.call))?;
                let used = blocks.input.used().chain(blocks.output.used());
                check_direct_buffers(comm, &operation, used.map(|(start, bytes)| (start as usize, bytes)))?;
                pieces.unequal = Some(Arc::new(blocks));
                Ok(Some(pieces))
            }
            CallSpec::List(list, operator) => {
                let calls = || list.parts.iter().map(|part| list.call_on(part));
                let pieces = builtin_pieces(calls(), *operator, Some(list.name()), path);
                let Some(pieces) = pieces else { return Ok(None) };
                coalesced::check(comm, list, *operator)?;
                calls().try_for_each(|call| check_direct_buffers(comm, &call, sides_of(comm, &call)))?;
                Ok(Some(pieces))
            }
            _ => Ok(None),
        }
    }

    /// The message on the direct path. `None`: the call is staged.
    pub(super) fn direct_message(
        &self,
        comm: &Communicator,
        path: &DirectPath<Communicator>,
        is_grouped: bool,
    ) -> Result<Option<DirectMessage>> {
        if let CallSpec::Receive(selector, _) | CallSpec::ReceiveAll(selector, _) = self {
            comm.check_source(*selector)?;
        }
        let longest_staged = is_grouped.then_some(comm.devices.staged_message_bytes);
        Ok(longest_staged.and_then(|bytes| path.message(comm.rank, self, bytes)))
    }
}

/// The pieces of collectives on the direct path, if their operator is builtin and the leader has kernels.
fn builtin_pieces(
    operations: impl Iterator<Item = Operation>,
    operator: Option<&Arc<Operator>>,
    list: Option<ListCount>,
    path: &DirectPath<Communicator>,
) -> Option<DirectPieces> {
    let is_builtin = operator.is_none_or(|operator| operator.scales());
    let operations = operations.filter(|operation| operation.call.count > 0);
    let pieces = DirectPieces::of(operations, operator, list, path.bundle_limits())?;
    (is_builtin && !pieces.is_at_end() && path.has_kernel(&pieces)).then_some(pieces)
}

/// Address and length of what a collective reads and writes on this rank.
fn sides_of(comm: &Communicator, operation: &Operation) -> impl Iterator<Item = (usize, usize)> {
    let extent = operation.extent(comm.rank, comm.size(), operation.call.datatype.bytes());
    let sides =
        extent.map(|extent| [(operation.send.addr(), extent.read), (operation.recv.addr(), extent.written)]);
    sides.into_iter().flatten()
}

/// Refuses buffers that streams cannot use.
fn check_direct_buffers(
    comm: &Communicator,
    operation: &Operation,
    buffers: impl Iterator<Item = (usize, usize)>,
) -> Result<()> {
    for (address, bytes) in buffers {
        if bytes > 0 && !comm.devices.kinds.is_known(address) {
            let text = format!(
                "{} with one buffer on a device and one in ordinary host memory: on this communicator both are on a device, \
                 or pinned ({DEVICE_PATH_VARIABLE}=staged allows it, on all ranks)",
                operation.call
            );
            return Err(Error::Unsupported(text));
        }
    }
    Ok(())
}
