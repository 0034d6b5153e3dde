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
    let UniformCall { collective, datatype, op, in_place, .. } = *call;
    let Ok(n) = W::Count::try_from(call.count) else {
        return Err(Error::Internal(format!("{} elements do not fit MPI's count", call.count)));
    };
    let (t, c, root) = (constants.types.of(datatype), comm.comm, call.root as c_int);
    let at_root = comm.rank == call.root;
    let bytes = call.count * datatype.bytes();
    let is_same: *const c_void = ptr::without_provenance(constants.in_place);
    // If both buffers are one, the constant replaces one of them and the other is passed as it is.
    let send = if in_place { is_same } else { call.send.cast() };
    let recv: *mut c_void = call.recv.cast();
    let mut ending = Ending::default();
    // A collective that reduces has an operator; the others ignore what is passed.
    let o = running.operators.of(datatype, op).unwrap_or(constants.operators.sum);

    // SAFETY, of every call below: MPI is initialised, the communicator is open, and the types are those of
    // MPI's functions. By our caller's promise the buffers hold what the collective reads and writes until it
    // has ended. `ending` keeps memory of our own as long. `request` is room for a handle.
    macro_rules! call {
        ($blocking:ident, $started:ident, $name:literal, ($($argument:expr),*)) => {{
            let status = match request {
                // SAFETY: see above.
                None => unsafe { (calls.$blocking)($($argument),*) },
                // SAFETY: see above.
                Some(request) => unsafe { (calls.$started)($($argument),*, request) },
            };
            running.check(status, $name)?;
        }};
    }
    match collective {
        AllReduce => call!(allreduce, iallreduce, "MPI_Allreduce", (send, recv, n, t, o, c)),
        Reduce => call!(reduce, ireduce, "MPI_Reduce", (send, recv, n, t, o, root, c)),
        Scan => call!(scan, iscan, "MPI_Scan", (send, recv, n, t, o, c)),
        Exscan => call!(exscan, iexscan, "MPI_Exscan", (send, recv, n, t, o, c)),
        ReduceScatter if in_place => {
            let mut result = zeroed_for(bytes, "a result that replaces the input")?;
            let (send, recv) = (call.send.cast(), result.as_mut_ptr().cast());
            ending.moved = Some((result, call.recv));
            call!(
                reduce_scatter_block,
                ireduce_scatter_block,
                "MPI_Reduce_scatter_block",
                (send, recv, n, t, o, c)
            );
        }
        ReduceScatter => call!(
            reduce_scatter_block,
            ireduce_scatter_block,
            "MPI_Reduce_scatter_block",
            (send, recv, n, t, o, c)
        ),
        Broadcast => {
            if at_root && !in_place {
                // SAFETY: the root has both buffers, apart, by our caller's promise.
                unsafe { ptr::copy_nonoverlapping(call.send, call.recv, bytes) };
            }
            call!(bcast, ibcast, "MPI_Bcast", (recv, n, t, root, c));
        }
        AllGather => call!(allgather, iallgather, "MPI_Allgather", (send, n, t, recv, n, t, c)),
        Gather => call!(gather, igather, "MPI_Gather", (send, n, t, recv, n, t, root, c)),
        Scatter => {
            let recv = if in_place { is_same.cast_mut() } else { recv };
            let send = call.send.cast();
            call!(scatter, iscatter, "MPI_Scatter", (send, n, t, recv, n, t, root, c));
        }
        AllToAll => call!(alltoall, ialltoall, "MPI_Alltoall", (send, n, t, recv, n, t, c)),
        Barrier => {
            let status = match request {
                // SAFETY: see above.
                None => unsafe { (running.core.barrier)(c) },
                // SAFETY: see above.
                Some(request) => unsafe { (running.core.ibarrier)(c, request) },
            };
            running.check(status, "MPI_Barrier")?;
        }
        AllGatherV | GatherV | ScatterV | ReduceScatterV | AllToAllV | NeighborAllGatherV
        | NeighborAllToAllV => {
            return Err(Error::Internal(format!("{} by one count", collective.name())));
        }
    }
    if op == Some(ReduceOp::Avg) {
        ending.divide = division(comm, call);
    }
    Ok(ending)
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
