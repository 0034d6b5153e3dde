//! Translates our calls with blocks to MPI's, with lists of counts and displacements.

use std::ffi::{c_int, c_void};

use super::communicator::MpiComm;
use super::constants::Handle;
use super::functions::{Calls, Width};
use super::invoke::invoke;
use super::request::{Division, Ending};
use crate::backend::engine::UnequalCall;
use crate::base::{Collective, Error, ReduceOp, Result};
use crate::plan::{Block, extent};
use crate::reduce::divide_fn;

/// Makes the call; starts it if there is room for a request. Returns the work that is left at its end, and
/// the lists, which MPI reads until then.
///
/// # Safety
/// See `ForeignComm::start_unequal`.
pub unsafe fn make<H: Handle>(
    comm: &MpiComm<H>,
    call: &UnequalCall<'_>,
    request: Option<&mut H>,
) -> Result<(Ending, Vec<Box<dyn Send>>)> {
    let whole = |blocks: &[Block]| extent(blocks).max(blocks.iter().map(|block| block.len).sum());
    let longest = whole(call.inputs).max(whole(call.outputs));
    if c_int::try_from(longest).is_ok() {
        // SAFETY: passed on from our caller.
        return unsafe { make_by(comm, &comm.running.narrow, call, request) };
    }
    match comm.running.wide_for(call.datatype) {
        // SAFETY: passed on from our caller.
        Some(wide) => unsafe { make_by(comm, wide, call, request) },
        // Only this rank knows its lists: it cannot ask the others to leave the call to another engine.
        None => Err(Error::Unsupported(format!(
            "backend mpi: {longest} elements of {} in one {} are more than this MPI counts",
            call.datatype.name(),
            call.collective.name()
        ))),
    }
}

/// Counts and displacements of blocks.
struct Lists<W: Width> {
    counts: Vec<W::Count>,
    places: Vec<W::Displacement>,
}

impl<W: Width> Lists<W> {
    fn of(blocks: &[Block]) -> Result<Lists<W>> {
        let too_long = || Error::Internal("a block is longer than the list that counts it".into());
        let counts = blocks.iter().map(|block| W::Count::try_from(block.len));
        // The standard lets an empty block have any displacement.
        let offsets = blocks.iter().map(|block| if block.len == 0 { 0 } else { block.offset });
        Ok(Lists {
            counts: counts.collect::<std::result::Result<_, _>>().map_err(|_| too_long())?,
            places: offsets
                .map(W::Displacement::try_from)
                .collect::<std::result::Result<_, _>>()
                .map_err(|_| too_long())?,
        })
    }
}

/// # Safety
/// See [`make`].
unsafe fn make_by<H: Handle, W: Width>(
    comm: &MpiComm<H>,
    calls: &Calls<H, W>,
    call: &UnequalCall<'_>,
    request: Option<&mut H>,
) -> Result<(Ending, Vec<Box<dyn Send>>)> {
    let running = &*comm.running;
    let constants = running.constants;
    let (t, c, root) = (constants.types.of(call.datatype), comm.comm, call.root as c_int);
    let (inputs, outputs) = (Lists::<W>::of(call.inputs)?, Lists::<W>::of(call.outputs)?);
    // Addresses of the only block, for calls that have one.
    let send_one: *const c_void = call.send.wrapping_add(first_byte(call, call.inputs)).cast();
    let recv_one: *mut c_void = call.recv.wrapping_add(first_byte(call, call.outputs)).cast();
    let (send, recv): (*const c_void, *mut c_void) = (call.send.cast(), call.recv.cast());
    let (in_counts, in_places) = (inputs.counts.as_ptr(), inputs.places.as_ptr());
    let (out_counts, out_places) = (outputs.counts.as_ptr(), outputs.places.as_ptr());
    // Elements of that block.
    let own = if call.collective == Collective::ScatterV { &outputs } else { &inputs };
    let missing = || Error::Internal(format!("{} without its own block", call.collective.name()));
    let n = || own.counts.first().copied().ok_or_else(missing);

    // SAFETY, of every call below: as in `uniform`. The lists have an element per rank where MPI reads them,
    // and the request keeps them until the end. Moving the lists does not move their elements.
    macro_rules! call {
        ($blocking:ident, $started:ident, $name:literal, $arguments:tt) => {
            invoke!(running, calls, request, $blocking, $started, $name, $arguments)?
        };
    }
    match call.collective {
        Collective::AllGatherV => call!(
            allgatherv,
            iallgatherv,
            "MPI_Allgatherv",
            (send_one, n()?, t, recv, out_counts, out_places, t, c)
        ),
        Collective::GatherV => call!(
            gatherv,
            igatherv,
            "MPI_Gatherv",
            (send_one, n()?, t, recv, out_counts, out_places, t, root, c)
        ),
        Collective::ScatterV => call!(
            scatterv,
            iscatterv,
            "MPI_Scatterv",
            (send, in_counts, in_places, t, recv_one, n()?, t, root, c)
        ),
        Collective::AllToAllV => call!(
            alltoallv,
            ialltoallv,
            "MPI_Alltoallv",
            (send, in_counts, in_places, t, recv, out_counts, out_places, t, c)
        ),
        Collective::ReduceScatterV => {
            let o = running.operators.of(call.datatype, call.op);
            let o = o.ok_or_else(|| Error::Internal("a reduction without an operator".into()))?;
            call!(
                reduce_scatter,
                ireduce_scatter,
                "MPI_Reduce_scatter",
                (send, recv_one, in_counts, t, o, c)
            );
        }
        other => return Err(Error::Internal(format!("{} with lists of counts", other.name()))),
    }
    let ending = Ending { divide: division(call, recv_one.cast(), comm.size), ..Ending::default() };
    Ok((ending, vec![Box::new(inputs), Box::new(outputs)]))
}

/// Byte of a buffer at which its first block begins.
fn first_byte(call: &UnequalCall<'_>, blocks: &[Block]) -> usize {
    let first = blocks.first().filter(|block| block.len > 0);
    first.map_or(0, |block| block.offset * call.datatype.bytes())
}

/// The division at the end of an average, for a rank that has a result at `data`.
fn division(call: &UnequalCall<'_>, data: *mut u8, by: u32) -> Option<Division> {
    let block = call.outputs.first().filter(|block| block.len > 0 && call.op == Some(ReduceOp::Avg))?;
    Some(Division { divide: divide_fn(call.datatype)?, data, elements: block.len, by })
}
