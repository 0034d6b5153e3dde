//! Long calls whose copies overlap with the call.
//!
//! The plan of a call tells in which order it comes to the parts of its buffers. So the input is copied to
//! the host in that order, piece by piece, and each piece of the output is copied back when no step will
//! write it any more. The messages are those of a call on host memory: only the times differ at which they
//! are sent. So ranks need not agree on it.
//!
//! Calls that read their input at the start are left out: lists, operators of the program, and widened
//! datatypes. So are calls with a layout, and calls of other engines. An average is divided at the end, so
//! its output is copied back as a whole.

use std::sync::Arc;

use super::call::StagedCall;
use crate::base::Result;
use crate::comm::call::spec::OwnedSpec;
use crate::comm::communicator::Communicator;
use crate::comm::ready::ReadyCall;
use crate::executor::StagedBuffers;

/// Most pieces of one direction. Longer calls have longer pieces.
const MOST: usize = 32;

/// This call, in pieces if it is long enough and can begin without all of its input.
pub(in crate::comm::device) fn in_pieces(
    comm: &Communicator,
    ready: ReadyCall,
    staged: &mut StagedCall,
) -> Result<ReadyCall> {
    let ReadyCall::Described(OwnedSpec::Collective(operation, None)) = &ready else { return Ok(ready) };
    let least = comm.devices.queue.piece_bytes();
    let longest = staged.longest_copy();
    // Alone, a rank has one step, which needs all of its input.
    if least == 0
        || longest <= least
        || staged.is_bounced()
        || comm.size() == 1
        || comm.engines.on_host.is_some()
    {
        return Ok(ready);
    }
    let (_, prepared) = comm.plan_with(operation, None)?;
    if prepared.widened.is_some() || prepared.pre_exchange.is_some() {
        return Ok(ready);
    }
    let bytes = longest.div_ceil(MOST).max(least);
    let (mut arriving, mut leaving) = staged.pieces(bytes);
    let buffers = operation.buffers();
    prepared.program.sort_by_first_use(buffers, &mut arriving);
    if prepared.divide.is_some() {
        leaving = staged.pieces(usize::MAX).1;
    }
    prepared.program.sort_by_last_write(buffers, &mut leaving);
    staged.copy_in_pieces(&arriving, &leaving);
    // The last piece is final when the call has ended: only then may the stream pass it.
    leaving.truncate(if prepared.divide.is_some() { 0 } else { leaving.len().saturating_sub(1) });
    let (arrived, finished) = staged.words();
    let operation = *operation;
    let pieces = Box::new(StagedBuffers { arriving, arrived, leaving, finished });
    Ok(ReadyCall::InPieces { operation, prepared: Arc::clone(&prepared), pieces })
}
