//! Collectives of data-parallel training: parameters from one rank to all, gradients summed over all ranks.
//!
//! Both are collectives on a list of buffers of any datatypes. A parameter that was not used has no gradient.
//! This is fine if no rank has one, and a mistake of the program if only some ranks do. So the ranks first
//! tell each other which gradients they have, one bit for each. They go on only if all ranks have the same
//! ones.

use std::sync::Arc;

use super::call::list::{List, Part};
use super::{Communicator, Operation, Persistent};
use crate::base::{Call, CallKind, Collective, Datatype, Error, ListCount, Rank, ReduceOp, Result};

impl Communicator {
    /// Gives all ranks the root's content of each buffer. In each part, `send` equals `recv`.
    ///
    /// # Safety
    /// See [`Communicator::run`]; the promise holds for every buffer.
    pub unsafe fn sync_params(&self, parts: &[Part], root: Rank) -> Result<()> {
        let list = List { collective: Collective::Broadcast, op: None, root, parts };
        // SAFETY: passed on from our caller.
        unsafe { self.run(&list) }
    }

    /// Prepares [`Communicator::sync_params`] for many runs. Local.
    ///
    /// # Safety
    /// See [`Communicator::run`]; the promise holds for every buffer, from each start to the end of that run.
    pub unsafe fn sync_params_init(self: &Arc<Self>, parts: &[Part], root: Rank) -> Result<Persistent> {
        let list = List { collective: Collective::Broadcast, op: None, root, parts };
        // SAFETY: passed on from our caller.
        unsafe { Persistent::new(Arc::clone(self), &list) }
    }

    /// Prepares, for many runs, the sum of buffers that all ranks have. Local, so it cannot find out which
    /// ranks have them; a buffer that is NULL is refused.
    ///
    /// # Safety
    /// See [`Communicator::run`]; the promise holds for every buffer, from each start to the end of that run.
    pub unsafe fn sum_grads_init(self: &Arc<Self>, parts: &[Part]) -> Result<Persistent> {
        all_have_sums(parts)?;
        if let Some(at) = parts.iter().position(|part| !is_there(part)) {
            let got = format!("buffer {at} is NULL; a persistent operation needs every buffer on all ranks");
            return Err(Error::InvalidArgument { what: "buffers", got });
        }
        let list = List { collective: Collective::AllReduce, op: Some(ReduceOp::Sum), root: 0, parts };
        // SAFETY: passed on from our caller.
        unsafe { Persistent::new(Arc::clone(self), &list) }
    }

    /// Sums each buffer over all ranks, in place. In each part, `send` equals `recv`. NULL means that this
    /// rank has no such buffer.
    ///
    /// If only some ranks have a buffer, all ranks get an error that names them. The buffers are unchanged
    /// then, and the communicator remains usable.
    ///
    /// # Safety
    /// See [`Communicator::run`]; the promise holds for every buffer that is not NULL.
    pub unsafe fn sum_grads(&self, parts: &[Part]) -> Result<()> {
        self.check_usable()?;
        all_have_sums(parts)?;
        self.agree_on_presence(parts)?;
        let present: Vec<Part> = parts.iter().filter(|part| is_there(part)).copied().collect();
        let list =
            List { collective: Collective::AllReduce, op: Some(ReduceOp::Sum), root: 0, parts: &present };
        // SAFETY: passed on from our caller.
        unsafe { self.run(&list) }
    }

    /// Checks that all ranks have the same buffers. The message carries the name of the list, so lengths are
    /// compared as well.
    fn agree_on_presence(&self, parts: &[Part]) -> Result<()> {
        let mut mine = vec![0u8; parts.len().div_ceil(8)];
        for (at, _) in parts.iter().enumerate().filter(|(_, part)| is_there(part)) {
            mine[at / 8] |= 1 << (at % 8);
        }
        let mut all = vec![0u8; mine.len() * self.size() as usize];
        let collective = Collective::AllGather;
        let kind = CallKind::Collective(collective);
        let call = Call { kind, datatype: Datatype::Byte, op: None, root: 0, count: mine.len() as u64 };
        let operation = Operation { call, send: mine.as_ptr(), recv: all.as_mut_ptr() };
        let name = ListCount::of(parts.iter().map(|part| (part.count as u64, part.datatype as u8)));
        let count = ListCount { elements: call.count, ..name }.to_bits();
        let signature = Call { kind: CallKind::List(collective), count, ..call };
        // SAFETY: one bit per buffer of this rank and of all ranks; both vectors outlive the call.
        unsafe { self.start_with_signature(&operation, None, Some(signature)) }?.wait()?;
        if mine.is_empty() { Ok(()) } else { same_everywhere(&all, mine.len(), parts.len()) }
    }
}

/// Refuses a list with a buffer whose elements cannot be added.
fn all_have_sums(parts: &[Part]) -> Result<()> {
    match parts.iter().enumerate().find(|(_, part)| !ReduceOp::Sum.accepts(part.datatype)) {
        None => Ok(()),
        Some((at, part)) => {
            let got = format!("buffer {at}: {} has no sum", part.datatype.name());
            Err(Error::InvalidArgument { what: "datatypes", got })
        }
    }
}

/// Whether this rank has a buffer. Every rank has a buffer without elements.
fn is_there(part: &Part) -> bool {
    !part.recv.is_null() || part.count == 0
}

/// Compares what all ranks have. `all` has `bytes` bytes per rank, with one bit for each of `buffers`
/// buffers.
fn same_everywhere(all: &[u8], bytes: usize, buffers: usize) -> Result<()> {
    let has = |rank: usize, at: usize| all[rank * bytes + at / 8] >> (at % 8) & 1 == 1;
    let ranks = all.len() / bytes;
    let differs = |at: &usize| (1..ranks).any(|rank| has(rank, *at) != has(0, *at));
    let Some(first) = (0..buffers).find(differs) else { return Ok(()) };
    let more = (first + 1..buffers).filter(differs).count();
    let listed = |present: bool| {
        let ranks: Vec<String> =
            (0..ranks).filter(|rank| has(*rank, first) == present).map(|r| r.to_string()).collect();
        format!("{} {}", if ranks.len() == 1 { "rank" } else { "ranks" }, ranks.join(", "))
    };
    let also = if more == 0 {
        String::new()
    } else {
        format!("; the ranks differ in {more} more {}", if more == 1 { "buffer" } else { "buffers" })
    };
    let got = format!("buffer {first} is NULL on {} but not on {}{also}", listed(false), listed(true));
    Err(Error::InvalidArgument { what: "buffers", got })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(all: &[u8], bytes: usize, buffers: usize) -> String {
        same_everywhere(all, bytes, buffers).unwrap_err().to_string()
    }

    #[test]
    fn a_buffer_that_only_some_ranks_have_is_named_with_its_ranks() {
        assert!(same_everywhere(&[0b101, 0b101, 0b101], 1, 3).is_ok());
        assert!(
            text(&[0b101, 0b001, 0b101], 1, 3).contains("buffer 2 is NULL on rank 1 but not on ranks 0, 2")
        );
        let far = text(&[255, 0b11, 255, 0b01, 255, 0b00], 2, 10);
        assert!(
            far.contains(
                "buffer 8 is NULL on rank 2 but not on ranks 0, 1; the ranks differ in 1 more buffer"
            ),
            "{far}"
        );
    }
}
