//! One call with its buffers, and the checks before anything is sent.

use std::sync::Arc;

use crate::base::{Call, CallKind, Collective, Error, Rank, ReduceOp, Result};
use crate::progress::{Buffers, Program, Start};
use crate::reduce::{DivideFn, ReduceFn, divide_fn, reduce_fn};

/// One call with its buffers.
///
/// For a transfer (`CallKind::Transfer`), `call.root` is the sender, `peer` the other side; the
/// sender uses `send`, the receiver `recv`. In place is recognised from the pointers.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    /// What is asked for.
    pub call: Call,
    /// Read: [`Collective::input_elements`] elements.
    pub send: *const u8,
    /// Written: [`Collective::output_elements`] elements.
    pub recv: *mut u8,
    /// The other side of a transfer; 0 otherwise.
    pub peer: Rank,
}

/// An operation that this communicator can do.
pub(super) struct Checked {
    pub operation: Operation,
    pub in_place: bool,
    /// Whether a transfer goes out.
    pub sends: bool,
    reduce: Option<ReduceFn>,
    divide: Option<(DivideFn, usize)>,
}

impl Checked {
    pub fn new(operation: &Operation, rank: Rank, size: u32) -> Result<Checked> {
        let call = &operation.call;
        addressable(call, size)?;
        let mut checked =
            Checked { operation: *operation, in_place: false, sends: false, reduce: None, divide: None };
        match call.kind {
            CallKind::Transfer => {
                in_range("peer", operation.peer, size)?;
                // To oneself, root and peer are the same on both sides: the buffer tells.
                checked.sends =
                    if operation.peer == rank { !operation.send.is_null() } else { call.root == rank };
            }
            CallKind::Collective(collective) => {
                if collective.has_root() {
                    in_range("root", call.root, size)?;
                }
                checked.in_place = in_place(collective, operation, rank);
                if let Some(op) = call.op {
                    let output =
                        collective.output_elements(size as usize, rank, call.root, call.count as usize);
                    checked.set_operator(op, output)?;
                }
            }
        }
        Ok(checked)
    }

    fn set_operator(&mut self, op: ReduceOp, output: usize) -> Result<()> {
        let datatype = self.operation.call.datatype;
        self.reduce = Some(reduce_fn(datatype, op).ok_or_else(|| {
            let known = ReduceOp::ALL.into_iter().filter(|op| op.accepts(datatype)).map(ReduceOp::name);
            let known = known.collect::<Vec<_>>().join(", ");
            let got = format!("{} on {}; accepted there: {known}", op.name(), datatype.name());
            Error::InvalidArgument { what: "operator", got }
        })?);
        if op == ReduceOp::Avg {
            self.divide = divide_fn(datatype).map(|divide| (divide, output));
        }
        Ok(())
    }

    pub fn start(&self, program: Arc<Program>) -> Start {
        let Operation { call, send, recv, peer } = self.operation;
        Start {
            call,
            peer,
            sends: self.sends,
            program,
            buffers: Buffers { input: send, output: recv },
            reduce: self.reduce,
            divide: self.divide,
        }
    }
}

/// No buffer of the call, of `size` blocks at most, is larger than memory can be.
fn addressable(call: &Call, size: u32) -> Result<()> {
    let bytes = u128::from(call.count) * u128::from(size) * call.datatype.bytes() as u128;
    if bytes <= isize::MAX as u128 {
        return Ok(());
    }
    let got = format!("{} elements of {} for {size} ranks exceed memory", call.count, call.datatype.name());
    Err(Error::InvalidArgument { what: "count", got })
}

fn in_range(what: &'static str, rank: Rank, size: u32) -> Result<()> {
    if rank < size {
        return Ok(());
    }
    Err(Error::InvalidArgument { what, got: format!("{rank}; the communicator has {size} ranks") })
}

/// Whether the buffers coincide as [`crate::plan::PlanRequest::in_place`] defines it.
fn in_place(collective: Collective, operation: &Operation, rank: Rank) -> bool {
    use Collective::*;
    let Operation { call, send, recv, .. } = operation;
    let recv = recv.cast_const();
    let mine = (rank as usize).wrapping_mul(call.count as usize).wrapping_mul(call.datatype.bytes());
    let at_root = rank == call.root;
    !send.is_null()
        && match collective {
            AllReduce | AllToAll => *send == recv,
            Reduce | Broadcast => at_root && *send == recv,
            AllGather => *send == recv.wrapping_add(mine),
            Gather => at_root && *send == recv.wrapping_add(mine),
            ReduceScatter => recv == send.wrapping_add(mine),
            Scatter => at_root && recv == send.wrapping_add(mine),
            Barrier => false,
        }
}
