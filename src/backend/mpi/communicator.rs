//! An MPI communicator for our ranks. It is private, so that its traffic never meets what the program does in
//! MPI.

use std::ffi::c_int;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::constants::Handle;
use super::running::{OPEN, Running};
use crate::backend::engine::OobExchange;
use crate::base::{Error, Rank, Result};

/// Number of tags used: every MPI allows tags below this.
const TAGS: u16 = 1 << 15;

/// An MPI communicator for the ranks of one of ours.
pub struct MpiComm<H: Handle> {
    pub running: Arc<Running<H>>,
    pub comm: H,
    pub rank: Rank,
    pub size: u32,
    pub closed: AtomicBool,
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
