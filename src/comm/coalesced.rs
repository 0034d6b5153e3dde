//! One collective on a list of buffers, in few messages.
//!
//! Small buffers are packed: their contents are copied into one piece of memory, one collective runs on it,
//! and the results are copied out. Large buffers are sent as they are, without a copy. All messages are under
//! way at the same time. The packing depends only on lengths and datatypes, so all ranks cut a list in the
//! same way. Every message carries the name of its whole list ([`ListCount`]), so ranks whose lists differ
//! learn of it by the first message.
//!
//! In all_gather and reduce_scatter, each rank has a block. Packed memory then holds all parts of rank 0's
//! block, then all parts of rank 1's, and so on: again one block per rank. The packed call is always in
//! place.

use std::collections::HashMap;
use std::sync::Arc;

use super::call::list::{List, Part};
use super::call::operator::Operator;
use super::request::{Request, StartedParts};
use super::{Communicator, Operation};
use crate::base::{Call, CallKind, Collective, Datatype, Error, ListCount, Result};
use crate::sys::zeroed::zeroed;

/// Longest buffer that is packed. For a longer one, two copies cost more than a message of its own.
const PACKED_UP_TO: usize = 32 << 10;
/// Most bytes of one packed message. It makes a message worth its latency, and is small enough for packing to
/// stay in the caches and for messages to overlap.
const PACK_BYTES: usize = 256 << 10;

/// One message of a list: a single buffer, or several that are packed.
#[derive(Debug, PartialEq, Eq)]
struct ListMessage {
    datatype: Datatype,
    parts: Vec<usize>,
}

/// Cuts a list into messages: large buffers alone, small ones of a datatype together, as many as fit.
fn cut_into_messages(parts: &[Part]) -> Vec<ListMessage> {
    let mut messages: Vec<ListMessage> = Vec::new();
    // For each datatype, the message that may have room, and the bytes in it.
    let mut open: HashMap<Datatype, (usize, usize)> = HashMap::new();
    for (index, part) in parts.iter().enumerate() {
        let bytes = part.count.saturating_mul(part.datatype.bytes());
        if let Some((at, filled)) = open.get_mut(&part.datatype)
            && bytes <= PACKED_UP_TO
            && *filled + bytes <= PACK_BYTES
        {
            messages[*at].parts.push(index);
            *filled += bytes;
            continue;
        }
        if bytes <= PACKED_UP_TO {
            open.insert(part.datatype, (messages.len(), bytes));
        }
        messages.push(ListMessage { datatype: part.datatype, parts: vec![index] });
    }
    messages
}

/// Bytes to be copied from packed memory to the caller.
struct CopyOut {
    from: usize,
    to: *mut u8,
    bytes: usize,
}

struct StartedMessage {
    // Dropped first: dropping a request waits for it, and it uses the memory until then.
    request: Request,
    packed: Vec<u8>,
    results: Vec<CopyOut>,
}

/// A started list, as its request sees it.
struct StartedList {
    under_way: Vec<StartedMessage>,
    outcome: Result<()>,
}

// SAFETY: the pointers are the caller's buffers, which it has promised to leave to the call, on whatever
// thread it ends.
unsafe impl Send for StartedList {}

impl StartedParts for StartedList {
    fn wait(&mut self) -> Result<()> {
        for mut message in self.under_way.drain(..) {
            let ended = message.request.wait();
            // SAFETY: the request has ended; the places of the results are the caller's, left to this call by
            // the promise of its start.
            let ended = ended.map(|()| unsafe { message.unpack() });
            if self.outcome.is_ok() {
                self.outcome = ended;
            }
        }
        self.outcome.clone()
    }

    fn has_ended(&mut self) -> bool {
        while let Some(message) = self.under_way.first_mut() {
            match message.request.test() {
                Ok(false) => return false,
                // SAFETY: as in `wait`.
                Ok(true) => unsafe { message.unpack() },
                Err(error) if self.outcome.is_ok() => self.outcome = Err(error),
                Err(_) => {}
            }
            self.under_way.remove(0);
        }
        true
    }

    fn running(&self) -> Option<&Request> {
        self.under_way.first().map(|message| &message.request)
    }
}

impl StartedMessage {
    /// # Safety
    /// The request has ended without an error, and no one else uses the places of the results.
    unsafe fn unpack(&self) {
        for result in &self.results {
            let from = self.packed[result.from..result.from + result.bytes].as_ptr();
            // SAFETY: inside the packed memory, as just checked; the caller vouches for the target, which
            // does not overlap it.
            unsafe { std::ptr::copy_nonoverlapping(from, result.to, result.bytes) };
        }
    }
}

/// Starts a collective on a list of buffers. If it fails, nothing was sent, unless the communicator has
/// failed.
///
/// # Safety
/// See [`Communicator::start`]; the promise holds for every buffer.
pub(super) unsafe fn start(
    comm: &Communicator,
    list: &List,
    operator: Option<&Arc<Operator>>,
) -> Result<Request> {
    comm.check_usable()?;
    check_on_host(comm, list, operator)?;
    let name = list.name();
    let mut started = StartedList { under_way: Vec::new(), outcome: Ok(()) };
    if list.parts.is_empty() {
        started.under_way.push(start_empty(comm, list, name)?);
    }
    for message in cut_into_messages(list.parts) {
        // SAFETY: passed on from our caller. If this start fails, the earlier ones are waited for.
        started.under_way.push(unsafe { start_message(comm, list, &message, name, operator) }?);
    }
    Ok(Request::of_parts(Arc::clone(&comm.driver), Box::new(started)))
}

/// Checks a list, of which the processor accesses all buffers.
pub(super) fn check_on_host(
    comm: &Communicator,
    list: &List,
    operator: Option<&Arc<Operator>>,
) -> Result<()> {
    check(comm, list, operator)?;
    let check_host = |part| list.call_on(part).check_host(&comm.devices.kinds, comm.rank, comm.size());
    list.parts.iter().try_for_each(check_host)
}

/// Checks a list, wherever its buffers are.
pub(super) fn check(comm: &Communicator, list: &List, operator: Option<&Arc<Operator>>) -> Result<()> {
    for part in list.parts {
        let operation = list.call_on(part);
        operation.check(comm.size())?;
        match operator {
            Some(operator) if operator.opaque_bytes().is_some() => {
                let text = "a list of buffers by an operator on opaque elements: reduce each by itself";
                return Err(Error::Unsupported(text.into()));
            }
            Some(operator) => operator.check(&operation.call)?,
            None => operation.kernels(comm.rank, comm.size()).map(|_| ())?,
        }
        if part.count as u64 > ListCount::MOST_ELEMENTS {
            return Err(Error::Unsupported(format!("{} elements in one buffer of a list", part.count)));
        }
    }
    Ok(())
}

/// # Safety
/// See [`start`].
unsafe fn start_message(
    comm: &Communicator,
    list: &List,
    message: &ListMessage,
    name: ListCount,
    operator: Option<&Arc<Operator>>,
) -> Result<StartedMessage> {
    let parts: Vec<Part> = message.parts.iter().map(|index| list.parts[*index]).collect();
    let count = parts.iter().map(|part| part.count).sum();
    let sign = |call: Call| {
        let count = ListCount { elements: call.count, ..name }.to_bits();
        Some(Call { kind: CallKind::List(list.collective), count, ..call })
    };
    if let [part] = parts[..] {
        let operation = list.call_on(&part);
        // SAFETY: passed on from our caller.
        let request = unsafe { comm.start_with_signature(&operation, operator, sign(operation.call)) }?;
        return Ok(StartedMessage { request, packed: Vec::new(), results: Vec::new() });
    }
    let layout = PackedLayout::new(comm, list, count * message.datatype.bytes());
    let mut packed =
        zeroed(layout.bytes).map_err(|error| Error::no_memory(layout.bytes, "packed buffers", error))?;
    let mut results = Vec::new();
    let mut at = 0;
    for part in &parts {
        let bytes = part.count * part.datatype.bytes();
        for block in layout.read.clone() {
            let from = part.send.wrapping_add((block - layout.read.start) * bytes);
            let to = packed[block * layout.block + at..][..bytes].as_mut_ptr();
            match operator.filter(|operator| operator.scales()) {
                // SAFETY: the caller vouches for the part's input; `to` has room for as much, in packed
                // memory.
                Some(operator) => unsafe {
                    operator.scale(to, from, part.count, comm.plan_cache.saturates())
                },
                // SAFETY: as above.
                None => unsafe { std::ptr::copy_nonoverlapping(from, to, bytes) },
            }
        }
        for block in layout.written.clone() {
            let to = part.recv.wrapping_add((block - layout.written.start) * bytes);
            results.push(CopyOut { from: block * layout.block + at, to, bytes });
        }
        at += bytes;
    }
    let memory = packed.as_mut_ptr();
    let whole = Part {
        send: memory.wrapping_add(layout.read.start * layout.block),
        recv: memory.wrapping_add(layout.written.start * layout.block),
        count,
        datatype: message.datatype,
    };
    let operation = list.call_on(&whole);
    // The parts were scaled while they were packed.
    let operator = operator.filter(|operator| !operator.scales());
    // SAFETY: `packed` has what the collective reads and writes for the whole count, and lives as long as
    // the request.
    let request = unsafe { comm.start_with_signature(&operation, operator, sign(operation.call)) }?;
    Ok(StartedMessage { request, packed, results })
}

/// Starts an empty list. It is a call like any other, so that ranks with buffers learn of ranks without.
fn start_empty(comm: &Communicator, list: &List, name: ListCount) -> Result<StartedMessage> {
    let kind = CallKind::Collective(Collective::Barrier);
    let call = Call { kind, datatype: Datatype::Byte, op: None, root: 0, count: 0 };
    let barrier = Operation { call, send: std::ptr::null(), recv: std::ptr::null_mut() };
    let signature =
        Call { kind: CallKind::List(list.collective), root: list.root, count: name.to_bits(), ..call };
    // SAFETY: a barrier touches no buffer.
    let request = unsafe { comm.start_with_signature(&barrier, None, Some(signature)) }?;
    Ok(StartedMessage { request, packed: Vec::new(), results: Vec::new() })
}

/// Layout of packed memory, in blocks.
struct PackedLayout {
    block: usize,
    bytes: usize,
    /// Blocks that are packed on this rank. They follow one another in each buffer.
    read: std::ops::Range<usize>,
    /// Blocks that are results on this rank.
    written: std::ops::Range<usize>,
}

impl PackedLayout {
    fn new(comm: &Communicator, list: &List, block: usize) -> PackedLayout {
        let (rank, size) = (comm.rank as usize, comm.size() as usize);
        let own = rank..rank + 1;
        let (blocks, read, written) = match list.collective {
            Collective::AllGather => (size, own, 0..size),
            Collective::ReduceScatter => (size, 0..size, own),
            Collective::Broadcast if comm.rank != list.root => (1, 0..0, 0..1),
            _ => (1, 0..1, 0..1),
        };
        PackedLayout { block, bytes: blocks * block, read, written }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(count: usize, datatype: Datatype) -> Part {
        Part { send: std::ptr::null(), recv: std::ptr::null_mut(), count, datatype }
    }

    #[test]
    fn small_buffers_of_a_datatype_share_messages_and_large_ones_go_alone() {
        use Datatype::{Float32, Uint8};
        let large = PACKED_UP_TO / 4 + 1;
        let parts = [
            part(10, Float32),
            part(large, Float32),
            part(3, Uint8),
            part(0, Float32),
            part(PACKED_UP_TO, Uint8),
        ];
        let message = |datatype, parts: &[usize]| ListMessage { datatype, parts: parts.to_vec() };
        let expected = [message(Float32, &[0, 3]), message(Float32, &[1]), message(Uint8, &[2, 4])];
        assert_eq!(cut_into_messages(&parts), expected);
        assert_eq!(cut_into_messages(&[]), []);
    }

    #[test]
    fn a_message_takes_no_more_than_its_bytes_and_none_is_left_out() {
        let parts: Vec<Part> = (0..100).map(|i| part(i * 40, Datatype::Float64)).collect();
        let messages = cut_into_messages(&parts);
        let bytes =
            |message: &ListMessage| message.parts.iter().map(|index| parts[*index].count * 8).sum::<usize>();
        assert!(messages.iter().all(|message| bytes(message) <= PACK_BYTES));
        assert!(messages.len() <= 2 * messages.iter().map(bytes).sum::<usize>() / PACK_BYTES + 1);
        let mut all: Vec<usize> = messages.into_iter().flat_map(|message| message.parts).collect();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..100));
    }
}
