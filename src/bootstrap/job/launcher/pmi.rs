//! Process managers that speak PMI-1: the mpiexec of MPICH and of Intel MPI, gforker, Slurm's `--mpi=pmi2`.

use super::rules::Launcher;
use crate::base::Result;
use crate::bootstrap::job::seat::Seat;
use crate::bootstrap::job::store_address::{ManagerAddress, StoreAddress};
use crate::bootstrap::job::variable::{Lookup, invalid, seat_of};

pub(super) const LAUNCHER: Launcher = Launcher { name: "PMI", is_here, seat, place };

fn is_here(lookup: Lookup<'_>) -> bool {
    lookup("PMI_FD").is_some() || lookup("PMI_PORT").is_some()
}

/// The seat from the environment. With `PMI_PORT`, the connection tells it instead.
fn seat(lookup: Lookup<'_>) -> Result<Option<Seat>> {
    if lookup("PMI_FD").is_none() && lookup("PMI_RANK").is_none() {
        return Ok(None);
    }
    seat_of(lookup, "PMI_RANK", "PMI_SIZE").map(Some)
}

fn place(lookup: Lookup<'_>) -> Result<StoreAddress> {
    if let Some(text) = lookup("PMI_FD") {
        let number = text.trim().parse().ok().filter(|number: &i32| *number >= 0);
        let number =
            number.ok_or_else(|| invalid("PMI_FD", format!("\"{text}\"; accepted: a descriptor")))?;
        // Ranks of one host can meet without the process manager, if MPI has its connection already.
        let local = lookup("MPI_LOCALNRANKS");
        let one_host = local.is_some() && local == lookup("PMI_SIZE");
        return Ok(StoreAddress::Pmi(ManagerAddress::Descriptor { number, one_host }));
    }
    let text = lookup("PMI_PORT").unwrap_or_default();
    let id = lookup("PMI_ID").ok_or_else(|| invalid("PMI_ID", "unset, but PMI_PORT is set"))?;
    let parts = text.rsplit_once(':').and_then(|(host, port)| Some((host, port.parse().ok()?)));
    match parts {
        Some((host, port)) if !host.is_empty() && port != 0 => {
            Ok(StoreAddress::Pmi(ManagerAddress::Address { host: host.to_owned(), port, id }))
        }
        _ => Err(invalid("PMI_PORT", format!("\"{text}\"; accepted: HOST:PORT"))),
    }
}
