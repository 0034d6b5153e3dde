//! Open MPI's mpiexec, and PRRTE's prun.
//!
//! Their variables say enough for one host. On several hosts, the ranks meet by the launcher's PMIx.

use super::rules::Launcher;
use crate::base::Result;
use crate::bootstrap::job::seat::Seat;
use crate::bootstrap::job::store_address::StoreAddress;
use crate::bootstrap::job::variable::{Lookup, invalid, number, seat_of};

pub(super) const LAUNCHER: Launcher = Launcher { name: "Open MPI", is_here, seat, place };

fn is_here(lookup: Lookup<'_>) -> bool {
    lookup("OMPI_COMM_WORLD_RANK").is_some() || lookup("OMPI_COMM_WORLD_SIZE").is_some()
}

fn seat(lookup: Lookup<'_>) -> Result<Option<Seat>> {
    seat_of(lookup, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE").map(Some)
}

fn place(lookup: Lookup<'_>) -> Result<StoreAddress> {
    let size = number(lookup, "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK")?;
    let local = lookup("OMPI_COMM_WORLD_LOCAL_SIZE");
    // PMIx's name of the job; before version 5 the job's number has to do.
    let job = lookup("PMIX_NAMESPACE").or_else(|| lookup("OMPI_MCA_ess_base_jobid"));
    match (local.and_then(|text| text.trim().parse::<u32>().ok()), job) {
        (Some(local), Some(job)) if local == size => {
            Ok(StoreAddress::Private { name: format!("open-mpi {job}") })
        }
        _ if lookup("PMIX_NAMESPACE").is_some() => Ok(StoreAddress::Pmix),
        _ => {
            let got = "unset; the launcher offers ranks on several hosts no place to meet: add \
                       `-x ANYCCL_STORE=tcp://HOST:PORT` (rank 0's host, a free port) or `-x ANYCCL_STORE=file:PATH` \
                       (on a shared file system) to mpiexec";
            Err(invalid("ANYCCL_STORE", got))
        }
    }
}
