//! One call with its buffers, and its checks before anything is sent.

use crate::base::{Call, CallKind, Collective, Datatype, Error, Rank, ReduceOp, Result, exceeds_memory};
use crate::device::Kinds;
use crate::executor::{Buffers, Division, Extent, Key};
use crate::reduce::{Callback, Reducer, divide_fn, kernel_of};

/// One call with its buffers.
///
/// A call in place is recognised from the pointers. Messages from rank to rank are no operations: see
/// [`crate::comm::Communicator::send`].
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    /// The call.
    pub call: Call,
    /// The input, of [`Collective::input_elements`] elements.
    pub send: *const u8,
    /// The output, of [`Collective::output_elements`] elements.
    pub recv: *mut u8,
}

impl Operation {
    /// The buffers of the operation.
    #[inline]
    pub(in crate::comm) fn buffers(&self) -> Buffers {
        Buffers { input: self.send, output: self.recv }
    }

    /// The key of its plan: everything on which its preparation depends.
    // Always inline: every small call does this.
    #[inline(always)]
    pub(in crate::comm) fn key(&self, rank: Rank) -> Key {
        Key::new(&self.call, self.is_in_place(rank))
    }

    /// The bytes that it reads and writes, in elements of `unit` bytes. Valid only for an operation that has
    /// passed [`Operation::check`].
    pub(in crate::comm) fn extent(&self, rank: Rank, size: u32, unit: usize) -> Option<Extent> {
        let CallKind::Collective(collective) = self.call.kind else { return None };
        let Call { root, count, .. } = self.call;
        let read = collective.input_elements(size as usize, rank, root, count as usize);
        let written = collective.output_elements(size as usize, rank, root, count as usize);
        Some(Extent { read: read * unit, written: written * unit })
    }

    /// Whether the buffers coincide as [`crate::plan::PlanRequest::in_place`] defines it.
    #[inline(always)]
    pub(in crate::comm) fn is_in_place(&self, rank: Rank) -> bool {
        self.is_in_place_by(rank, self.call.datatype.bytes())
    }

    /// Like [`Operation::is_in_place`], in elements of `unit` bytes.
    #[inline(always)]
    pub(in crate::comm) fn is_in_place_by(&self, rank: Rank, unit: usize) -> bool {
        use Collective::*;
        let CallKind::Collective(collective) = self.call.kind else { return false };
        let (send, recv) = (self.send, self.recv.cast_const());
        let part = (self.call.count as usize).wrapping_mul(unit);
        let mine = (rank as usize).wrapping_mul(part);
        let at_root = rank == self.call.root;
        !send.is_null()
            && match collective {
                AllReduce | AllToAll | Scan | Exscan => send == recv,
                Reduce | Broadcast => at_root && send == recv,
                AllGather => send == recv.wrapping_add(mine),
                Gather => at_root && send == recv.wrapping_add(mine),
                ReduceScatter => recv == send.wrapping_add(mine),
                Scatter => at_root && recv == send.wrapping_add(mine),
                // Collectives with a layout are not operations of this kind.
                _ => false,
            }
    }

    /// Checks whether a communicator of `size` ranks can run the operation.
    pub(in crate::comm) fn check(&self, size: u32) -> Result<()> {
        self.check_by(size, self.call.datatype.bytes())
    }

    /// Like [`Operation::check`], in elements of `unit` bytes.
    pub(in crate::comm) fn check_by(&self, size: u32, unit: usize) -> Result<()> {
        addressable(&self.call, size, unit)?;
        match self.call.kind {
            CallKind::Transfer => Err(Error::Internal("a message is not an operation".into())),
            CallKind::Collective(collective) if collective.has_layout() => {
                let got = format!("{} with a single count; it needs a layout", collective.name());
                Err(Error::InvalidArgument { what: "collective", got })
            }
            CallKind::Collective(collective) if collective.has_root() => {
                in_range("root", self.call.root, size)
            }
            CallKind::Collective(_)
            | CallKind::Formation(_)
            | CallKind::List(_)
            | CallKind::OnDevice(_)
            | CallKind::ListOnDevice(_)
            | CallKind::Goodbye => Ok(()),
        }
    }

    /// Refuses buffers that the processor cannot access.
    #[inline]
    pub(in crate::comm) fn check_host(&self, kinds: &Kinds, rank: Rank, size: u32) -> Result<()> {
        let CallKind::Collective(collective) = self.call.kind else { return Ok(()) };
        if !kinds.may_differ() {
            return Ok(());
        }
        let Call { root, count, .. } = self.call;
        let (size, count) = (size as usize, count as usize);
        let reads = collective.input_elements(size, rank, root, count);
        let writes = collective.output_elements(size, rank, root, count);
        kinds.check_host(self.send.addr(), reads, "send")?;
        kinds.check_host(self.recv.addr(), writes, "recv")
    }

    /// The kernels of its operator.
    pub(in crate::comm) fn kernels(&self, rank: Rank, size: u32) -> Result<Kernels> {
        self.kernels_on(self.call.datatype, rank, size)
    }

    /// The kernels for copies of the buffers in another datatype.
    pub(in crate::comm) fn kernels_on(&self, datatype: Datatype, rank: Rank, size: u32) -> Result<Kernels> {
        let (CallKind::Collective(collective), Some(op)) = (self.call.kind, self.call.op) else {
            return Ok(Kernels::default());
        };
        let elements =
            collective.output_elements(size as usize, rank, self.call.root, self.call.count as usize);
        let by = match collective {
            Collective::Scan => rank + 1,
            Collective::Exscan => rank,
            _ => size,
        };
        Kernels::of(datatype, op, elements, by)
    }
}

/// Differences of a call from its operation.
#[derive(Clone, Copy, Default)]
pub(in crate::comm) struct Variant {
    /// The call that the other ranks see, if it differs from the operation's own.
    pub signature: Option<Call>,
    /// A function of the program in place of a kernel, with its number in this process.
    pub callback: Option<(u32, Callback)>,
}

impl Variant {
    /// Bytes of one element of the call.
    pub fn unit(&self, call: &Call) -> usize {
        self.callback.map_or(call.datatype.bytes(), |(_, callback)| callback.element_bytes())
    }
}

/// The functions that a reduction needs.
#[derive(Default)]
pub(in crate::comm) struct Kernels {
    pub reduce: Option<Reducer>,
    /// The division at the end of an average.
    pub divide: Option<Division>,
}

impl Kernels {
    /// The kernels of an operator. An average of `by` contributions divides `elements` elements at its end.
    pub fn of(datatype: Datatype, op: ReduceOp, elements: usize, by: u32) -> Result<Kernels> {
        let reduce = kernel_of(datatype, op).ok_or_else(|| {
            let known = ReduceOp::ALL.into_iter().filter(|op| op.accepts(datatype)).map(ReduceOp::name);
            let known = known.collect::<Vec<_>>().join(", ");
            let got = format!("{} on {}; accepted there: {known}", op.name(), datatype.name());
            Error::InvalidArgument { what: "operator", got }
        })?;
        let divide = divide_fn(datatype).filter(|_| op == ReduceOp::Avg);
        let divide = divide.map(|divide| Division { divide, offset: 0, elements, by });
        Ok(Kernels { reduce: Some(Reducer::Kernel(reduce)), divide })
    }
}

/// Checks that no buffer of the call exceeds memory. A buffer has at most `size` blocks.
fn addressable(call: &Call, size: u32, unit: usize) -> Result<()> {
    let bytes = (u128::from(call.count) * u128::from(size)).checked_mul(unit as u128);
    if bytes.is_some_and(|bytes| bytes <= isize::MAX as u128) {
        return Ok(());
    }
    let of_what = match unit == call.datatype.bytes() {
        true => call.datatype.name().to_string(),
        false => format!("{unit} bytes"),
    };
    let got = exceeds_memory(call.count, &format!("elements of {of_what} for {size} ranks"));
    Err(Error::InvalidArgument { what: "count", got })
}

pub(in crate::comm) fn in_range(what: &'static str, rank: Rank, size: u32) -> Result<()> {
    if rank < size {
        return Ok(());
    }
    Err(Error::InvalidArgument { what, got: format!("{rank}; the communicator has {size} ranks") })
}
