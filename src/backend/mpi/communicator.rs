//! An MPI communicator for our ranks. It is private, so that its traffic never meets what the program does in
//! MPI.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::constants::Handle;
use super::request::{Ending, MpiRequest};
use super::running::{OPEN, Running, is_finalized};
use super::{unequal, uniform};
use crate::backend::engine::{Exchange, ForeignComm, OobExchange, Started, UnequalCall, UniformCall};
use crate::base::{Error, Rank, Result};

/// The tag of every message: messages match in order.
const TAG: c_int = 1;
/// Longest message in bytes; longer ones are cut, in the same way on both sides.
const MESSAGE_BYTES: usize = 1 << 30;
/// Number of tags used: every MPI allows tags below this.
const TAGS: u16 = 1 << 15;

/// An MPI communicator for the ranks of one of ours.
pub struct MpiComm<H: Handle> {
    pub running: Arc<Running<H>>,
    pub comm: H,
    pub rank: Rank,
    pub size: u32,
    closed: AtomicBool,
}

impl<H: Handle> MpiComm<H> {
    /// Makes the communicator for the ranks of `oob`. All must be ranks of one MPI job.
    pub fn new(running: Arc<Running<H>>, oob: &dyn OobExchange) -> Result<MpiComm<H>> {
        let (core, constants) = (&running.core, running.constants);
        let (mut rank, mut size): (c_int, c_int) = (0, 0);
        // SAFETY: MPI is initialised; writes an int.
        running.check(unsafe { (core.comm_rank)(constants.comm_world, &mut rank) }, "MPI_Comm_rank")?;
        // SAFETY: as above.
        running.check(unsafe { (core.comm_size)(constants.comm_world, &mut size) }, "MPI_Comm_size")?;
        let places = oob.all_gather(&[rank.to_le_bytes(), size.to_le_bytes()].concat())?;
        let ranks = world_ranks(&places)?;

        // Several threads may make communicators at once: rank 0 chooses a tag for each.
        let mut tag = [0; 2];
        if oob.rank() == 0 {
            getrandom::fill(&mut tag)
                .map_err(|error| Error::Internal(format!("no random bytes: {error}")))?;
        }
        oob.broadcast(0, &mut tag)?;
        let tag = c_int::from(u16::from_le_bytes(tag) % TAGS);

        let (mut world, mut group, mut comm) = (H::ROOM, H::ROOM, H::ROOM);
        // SAFETY: MPI is initialised; there is room for a handle.
        running.check(unsafe { (core.comm_group)(constants.comm_world, &mut world) }, "MPI_Comm_group")?;
        let count = ranks.len() as c_int;
        // SAFETY: a group and as many ranks of it as stated; room for a handle.
        let status = unsafe { (core.group_incl)(world, count, ranks.as_ptr(), &mut group) };
        running.check(status, "MPI_Group_incl")?;
        // SAFETY: all ranks of the group do this with the same tag; room for a handle.
        let status = unsafe { (core.comm_create_group)(constants.comm_world, group, tag, &mut comm) };
        running.check(status, "MPI_Comm_create_group")?;
        // SAFETY: a communicator that was just made, and a predefined handler.
        let status = unsafe { (core.comm_set_errhandler)(comm, constants.errors_return) };
        running.check(status, "MPI_Comm_set_errhandler")?;
        for group in [&mut world, &mut group] {
            // SAFETY: made above and not used any more.
            running.check(unsafe { (core.group_free)(group) }, "MPI_Group_free")?;
        }
        OPEN.fetch_add(1, Ordering::AcqRel);
        let (rank, size) = (oob.rank(), oob.size());
        Ok(MpiComm { running, comm, rank, size, closed: AtomicBool::new(false) })
    }
}

/// The ranks of MPI's world that meet here. An error names two ranks of different jobs.
fn world_ranks(places: &[Vec<u8>]) -> Result<Vec<c_int>> {
    let number = |place: &[u8], at: usize| c_int::from_le_bytes(std::array::from_fn(|i| place[4 * at + i]));
    let ranks: Vec<c_int> = places.iter().map(|place| number(place, 0)).collect();
    let sizes: Vec<c_int> = places.iter().map(|place| number(place, 1)).collect();
    for (at, (rank, size)) in ranks.iter().zip(&sizes).enumerate() {
        let other = ranks[..at].iter().position(|earlier| earlier == rank);
        if let Some(other) = other.or_else(|| (*size != sizes[0]).then_some(0)) {
            return Err(Error::Unsupported(format!(
                "backend mpi: ranks {other} and {at} are not ranks of one MPI job: each is rank {} and {rank} of an MPI \
                 world of {} and {size}; start the program with mpiexec of the same MPI",
                ranks[other], sizes[other]
            )));
        }
    }
    Ok(ranks)
}

impl<H: Handle> ForeignComm for MpiComm<H> {
    fn fits(&self, call: &UniformCall) -> bool {
        uniform::is_narrow(self, call) || self.running.wide_for(call.datatype).is_some()
    }

    unsafe fn run(&self, call: &UniformCall) -> Result<()> {
        // SAFETY: passed on from our caller.
        let ending = unsafe { uniform::make(self, call, None) }?;
        // SAFETY: as above; the blocking call has ended.
        unsafe { ending.apply() };
        Ok(())
    }

    unsafe fn start(&self, call: &UniformCall) -> Result<Box<dyn Started>> {
        let mut request = H::ROOM;
        // SAFETY: passed on from our caller.
        let ending = unsafe { uniform::make(self, call, Some(&mut request)) }?;
        Ok(Box::new(MpiRequest::new(Arc::clone(&self.running), request, ending, Vec::new())))
    }

    unsafe fn run_unequal(&self, call: &UnequalCall<'_>) -> Result<()> {
        // SAFETY: passed on from our caller.
        let (ending, _kept) = unsafe { unequal::make(self, call, None) }?;
        // SAFETY: as above; the blocking call has ended.
        unsafe { ending.apply() };
        Ok(())
    }

    unsafe fn start_unequal(&self, call: &UnequalCall<'_>) -> Result<Box<dyn Started>> {
        let mut request = H::ROOM;
        // SAFETY: passed on from our caller.
        let (ending, kept) = unsafe { unequal::make(self, call, Some(&mut request)) }?;
        Ok(Box::new(MpiRequest::new(Arc::clone(&self.running), request, ending, kept)))
    }

    unsafe fn exchange(&self, messages: &[Exchange]) -> Result<Box<dyn Started>> {
        let Running { core, constants, .. } = &*self.running;
        let byte = constants.types.byte;
        let mut started: Vec<Box<dyn Started>> = Vec::new();
        for message in messages {
            let whole = match message {
                Exchange::Send { bytes, .. } | Exchange::Receive { bytes, .. } => *bytes,
            };
            for at in (0..whole).step_by(MESSAGE_BYTES) {
                let (bytes, mut request) = ((whole - at).min(MESSAGE_BYTES) as c_int, H::ROOM);
                match message {
                    Exchange::Send { to, data, .. } => {
                        let data = data.wrapping_add(at).cast::<c_void>();
                        // SAFETY: readable for that many bytes until the end, by our caller's promise; room
                        // for a handle.
                        let status = unsafe {
                            (core.isend)(data, bytes, byte, *to as c_int, TAG, self.comm, &mut request)
                        };
                        self.running.check(status, "MPI_Isend")?;
                    }
                    Exchange::Receive { from, data, .. } => {
                        let data = data.wrapping_add(at).cast::<c_void>();
                        // SAFETY: writable for that many bytes until the end, by our caller's promise; room
                        // for a handle.
                        let status = unsafe {
                            (core.irecv)(data, bytes, byte, *from as c_int, TAG, self.comm, &mut request)
                        };
                        self.running.check(status, "MPI_Irecv")?;
                    }
                }
                let running = Arc::clone(&self.running);
                started.push(Box::new(MpiRequest::new(running, request, Ending::default(), Vec::new())));
            }
        }
        Ok(Box::new(started))
    }

    fn move_on(&self) {
        let constants = self.running.constants;
        let mut flag: c_int = 0;
        let ignored: *mut c_void = ptr::without_provenance_mut(constants.status_ignore);
        // SAFETY: probes the world, which exists as long as MPI is initialised; writes an int. A probe leaves
        // a message where it is. Its purpose is that MPI makes progress on everything meanwhile.
        unsafe {
            (self.running.core.iprobe)(
                constants.any_source,
                constants.any_tag,
                constants.comm_world,
                &mut flag,
                ignored,
            )
        };
    }

    fn abort(&self) {
        // MPI can only end the whole job, which nobody asked for; a call that waits inside it cannot be
        // recalled.
    }

    fn close(&self) {
        if self.closed.swap(true, Ordering::AcqRel) {
            return;
        }
        // If the program has finalized MPI, the communicator is gone, and no function may be called with it.
        if !is_finalized(self.running.core.finalized) {
            let mut comm = self.comm;
            // SAFETY: MPI is not finalized. The communicator was made by `new`, is closed once, and nothing
            // is under way in it.
            unsafe { (self.running.core.comm_free)(&mut comm) };
        }
        OPEN.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(rank: c_int, size: c_int) -> Vec<u8> {
        [rank.to_le_bytes(), size.to_le_bytes()].concat()
    }

    #[test]
    fn ranks_of_one_job_may_be_in_any_order() {
        assert_eq!(world_ranks(&[place(2, 4), place(0, 4)]).unwrap(), [2, 0]);
    }

    #[test]
    fn ranks_of_several_jobs_are_told_how_to_start() {
        let alone = world_ranks(&[place(0, 1), place(0, 1)]).unwrap_err().to_string();
        assert!(
            alone.contains("ranks 0 and 1 are not ranks of one MPI job") && alone.contains("mpiexec"),
            "{alone}"
        );
        assert!(world_ranks(&[place(0, 2), place(1, 3)]).is_err());
    }
}
