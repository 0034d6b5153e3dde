//! A collective on a list of buffers, as its caller describes it.

use super::operation::Operation;
use crate::base::{Call, CallKind, Collective, Datatype, ListCount, Rank, ReduceOp};

/// One buffer of a list: its input and its output.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// The input, of [`Collective::input_elements`] elements for this count.
    pub send: *const u8,
    /// The output, of [`Collective::output_elements`] elements for this count.
    pub recv: *mut u8,
    /// Number of elements, as the collective defines it.
    pub count: usize,
    /// Type of the elements.
    pub datatype: Datatype,
}

/// A collective on a list of buffers.
#[derive(Clone, Copy, Debug)]
pub struct List<'a> {
    /// The collective: all_reduce, broadcast, all_gather or reduce_scatter.
    pub collective: Collective,
    /// Operator, if the collective reduces.
    pub op: Option<ReduceOp>,
    /// Root, if the collective has one; otherwise 0.
    pub root: Rank,
    /// The buffers, in an order that is the same on all ranks.
    pub parts: &'a [Part],
}

impl List<'_> {
    /// What the ranks compare of the list, with each of its messages.
    pub(in crate::comm) fn name(&self) -> ListCount {
        ListCount::of(self.parts.iter().map(|part| (part.count as u64, part.datatype as u8)))
    }

    /// The list as errors name it.
    pub(in crate::comm) fn call(&self) -> Call {
        let datatype = self.parts.first().map_or(Datatype::Byte, |part| part.datatype);
        let (kind, count) = (CallKind::List(self.collective), self.name().to_bits());
        Call { kind, datatype, op: self.op, root: self.root, count }
    }

    /// The call on one buffer.
    pub(in crate::comm) fn call_on(&self, part: &Part) -> Operation {
        let kind = CallKind::Collective(self.collective);
        let (op, root, count) = (self.op, self.root, part.count as u64);
        let call = Call { kind, datatype: part.datatype, op, root, count };
        Operation { call, send: part.send, recv: part.recv }
    }
}
