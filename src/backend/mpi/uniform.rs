//! Translates our calls with one count to MPI's.
//!
//! They differ in four ways besides names. In place is a constant instead of equal pointers. A broadcast has
//! one buffer. An average is a sum that is divided here. A reduce_scatter in place would overwrite its whole
//! input in MPI, so its result is received into our own memory first.

use std::ffi::{c_int, c_void};
use std::ptr;

use super::communicator::MpiComm;
use super::constants::Handle;
use super::functions::{Calls, Width};
use super::invoke::invoke;
use super::request::{Division, Ending};
use crate::backend::engine::UniformCall;
use crate::backend::zeros::zeroed_for;
use crate::base::{Collective, Error, ReduceOp, Result};
use crate::reduce::divide_fn;

/// Whether ints can count the elements of the largest buffer of a call.
pub fn is_narrow<H: Handle>(comm: &MpiComm<H>, call: &UniformCall) -> bool {
    use Collective::*;
    let blocks = match call.collective {
        AllGather | Gather | Scatter | ReduceScatter | AllToAll => comm.size as usize,
        _ => 1,
    };
    call.count.checked_mul(blocks).is_some_and(|elements| c_int::try_from(elements).is_ok())
}

/// Makes the call; starts it if there is room for a request. Returns the work that is left at its end.
///
/// # Safety
/// See `ForeignComm::start`.
#[inline]
pub unsafe fn make<H: Handle>(
    comm: &MpiComm<H>,
    call: &UniformCall,
    request: Option<&mut H>,
) -> Result<Ending> {
    if is_narrow(comm, call) {
        // SAFETY: passed on from our caller.
        return unsafe { make_by(comm, &comm.running.narrow, call, request) };
    }
    match comm.running.wide_for(call.datatype) {
        // SAFETY: passed on from our caller.
        Some(wide) => unsafe { make_by(comm, wide, call, request) },
        None => Err(Error::Internal(format!("{} elements are more than MPI counts here", call.count))),
    }
}

/// # Safety
/// See [`make`].
#[inline]
unsafe fn make_by<H: Handle, W: Width>(
    comm: &MpiComm<H>,
    calls: &Calls<H, W>,
    call: &UniformCall,
    request: Option<&mut H>,
) -> Result<Ending> {
    use Collective::*;
    let running = &*comm.running;
    let constants = running.constants;
    let Ok(n) = W::Count::try_from(call.count) else {
        return Err(Error::Internal(format!("{} elements do not fit MPI's count", call.count)));
    };
    let is_same: *const c_void = ptr::without_provenance(constants.in_place);
    let mut arguments = Arguments {
        comm,
        calls,
        n,
        t: constants.types.of(call.datatype),
        // If both buffers are one, the constant replaces one of them and the other is passed as it is.
        send: if call.in_place { is_same } else { call.send.cast() },
        recv: call.recv.cast(),
    };
    let mut ending = Ending::default();
    match call.collective {
        AllReduce | Reduce | Scan | Exscan => arguments.reduce(call, request)?,
        ReduceScatter => {
            if call.in_place {
                let mut result =
                    zeroed_for(call.count * call.datatype.bytes(), "a result that replaces the input")?;
                (arguments.send, arguments.recv) = (call.send.cast(), result.as_mut_ptr().cast());
                ending.moved = Some((result, call.recv));
            }
            arguments.reduce(call, request)?;
        }
        Scatter if call.in_place => {
            (arguments.send, arguments.recv) = (call.send.cast(), is_same.cast_mut());
            arguments.distribute(call, request)?;
        }
        Broadcast => {
            if comm.rank == call.root && !call.in_place {
                // SAFETY: the root has both buffers, apart, by our caller's promise.
                unsafe { ptr::copy_nonoverlapping(call.send, call.recv, call.count * call.datatype.bytes()) };
            }
            arguments.distribute(call, request)?;
        }
        _ => arguments.distribute(call, request)?,
    }
    if call.op == Some(ReduceOp::Avg) {
        ending.divide = division(comm, call);
    }
    Ok(ending)
}

/// The arguments of a call, as MPI has them.
struct Arguments<'a, H: Handle, W: Width> {
    comm: &'a MpiComm<H>,
    calls: &'a Calls<H, W>,
    n: W::Count,
    t: H,
    send: *const c_void,
    recv: *mut c_void,
}

// SAFETY, of every call below: MPI is initialised and the communicator is open. By the promise of `make` the
// buffers hold what the collective reads and writes until it has ended. `Ending` keeps memory of our own as
// long.
impl<H: Handle, W: Width> Arguments<'_, H, W> {
    /// Makes a call that reduces.
    #[inline]
    fn reduce(&self, call: &UniformCall, request: Option<&mut H>) -> Result<()> {
        let Arguments { comm: MpiComm { running, comm: c, .. }, calls, n, t, send, recv } = *self;
        let (c, root) = (*c, call.root as c_int);
        let o = running.operators.of(call.datatype, call.op).unwrap_or(running.constants.operators.sum);
        match call.collective {
            Collective::Reduce => {
                invoke!(
                    running,
                    calls,
                    request,
                    reduce,
                    ireduce,
                    "MPI_Reduce",
                    (send, recv, n, t, o, root, c)
                )
            }
            Collective::Scan => {
                invoke!(running, calls, request, scan, iscan, "MPI_Scan", (send, recv, n, t, o, c))
            }
            Collective::Exscan => {
                invoke!(running, calls, request, exscan, iexscan, "MPI_Exscan", (send, recv, n, t, o, c))
            }
            Collective::ReduceScatter => invoke!(
                running,
                calls,
                request,
                reduce_scatter_block,
                ireduce_scatter_block,
                "MPI_Reduce_scatter_block",
                (send, recv, n, t, o, c)
            ),
            _ => invoke!(
                running,
                calls,
                request,
                allreduce,
                iallreduce,
                "MPI_Allreduce",
                (send, recv, n, t, o, c)
            ),
        }
    }

    /// Makes a call that moves data, or none.
    #[inline]
    fn distribute(&self, call: &UniformCall, request: Option<&mut H>) -> Result<()> {
        let Arguments { comm: MpiComm { running, comm: c, .. }, calls, n, t, send, recv } = *self;
        let (c, root) = (*c, call.root as c_int);
        match call.collective {
            Collective::Broadcast => {
                invoke!(running, calls, request, bcast, ibcast, "MPI_Bcast", (recv, n, t, root, c))
            }
            Collective::AllGather => {
                invoke!(
                    running,
                    calls,
                    request,
                    allgather,
                    iallgather,
                    "MPI_Allgather",
                    (send, n, t, recv, n, t, c)
                )
            }
            Collective::Gather => {
                invoke!(
                    running,
                    calls,
                    request,
                    gather,
                    igather,
                    "MPI_Gather",
                    (send, n, t, recv, n, t, root, c)
                )
            }
            Collective::Scatter => {
                invoke!(
                    running,
                    calls,
                    request,
                    scatter,
                    iscatter,
                    "MPI_Scatter",
                    (send, n, t, recv, n, t, root, c)
                )
            }
            Collective::AllToAll => {
                invoke!(
                    running,
                    calls,
                    request,
                    alltoall,
                    ialltoall,
                    "MPI_Alltoall",
                    (send, n, t, recv, n, t, c)
                )
            }
            Collective::Barrier => {
                invoke!(running, running.core, request, barrier, ibarrier, "MPI_Barrier", (c))
            }
            other => Err(Error::Internal(format!("{} by one count", other.name()))),
        }
    }
}

/// The division at the end of an average, for ranks that have a result.
fn division<H: Handle>(comm: &MpiComm<H>, call: &UniformCall) -> Option<Division> {
    let by = match call.collective {
        Collective::Scan => comm.rank + 1,
        Collective::Exscan => comm.rank,
        _ => comm.size,
    };
    let elements = call.collective.output_elements(comm.size as usize, comm.rank, call.root, call.count);
    let divide = divide_fn(call.datatype).filter(|_| elements > 0)?;
    Some(Division { divide, data: call.recv, elements, by })
}
