//! Translates our calls with blocks to MPI's, with lists of counts and displacements.

use std::ffi::{c_int, c_void};

use super::communicator::MpiComm;
use super::constants::Handle;
use super::functions::{Calls, Width};
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
    let unit = call.datatype.bytes();
    let first =
        |blocks: &[Block]| blocks.first().filter(|block| block.len > 0).map_or(0, |block| block.offset);
    let send_one: *const c_void = call.send.wrapping_add(first(call.inputs) * unit).cast();
    let recv_one: *mut c_void = call.recv.wrapping_add(first(call.outputs) * unit).cast();
    let (send, recv): (*const c_void, *mut c_void) = (call.send.cast(), call.recv.cast());
    let (in_counts, in_places) = (inputs.counts.as_ptr(), inputs.places.as_ptr());
    let (out_counts, out_places) = (outputs.counts.as_ptr(), outputs.places.as_ptr());
    let one = |lists: &Lists<W>| lists.counts.first().copied();
    let missing = || Error::Internal(format!("{} without its own block", call.collective.name()));
    let mut ending = Ending::default();

    // SAFETY, of every call below: as in `uniform`. The lists have an element per rank where MPI reads them,
    // and the request keeps them until the end. Moving the lists does not move their elements.
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
    match call.collective {
        Collective::AllGatherV => {
            let n = one(&inputs).ok_or_else(missing)?;
            call!(
                allgatherv,
                iallgatherv,
                "MPI_Allgatherv",
                (send_one, n, t, recv, out_counts, out_places, t, c)
            );
        }
        Collective::GatherV => {
            let n = one(&inputs).ok_or_else(missing)?;
            call!(
                gatherv,
                igatherv,
                "MPI_Gatherv",
                (send_one, n, t, recv, out_counts, out_places, t, root, c)
            );
        }
        Collective::ScatterV => {
            let n = one(&outputs).ok_or_else(missing)?;
            call!(
                scatterv,
                iscatterv,
                "MPI_Scatterv",
                (send, in_counts, in_places, t, recv_one, n, t, root, c)
            );
        }
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
    if call.op == Some(ReduceOp::Avg)
        && let Some(block) = call.outputs.first().filter(|block| block.len > 0)
        && let Some(divide) = divide_fn(call.datatype)
    {
        ending.divide = Some(Division { divide, data: recv_one.cast(), elements: block.len, by: comm.size });
    }
    Ok((ending, vec![Box::new(inputs), Box::new(outputs)]))
}
