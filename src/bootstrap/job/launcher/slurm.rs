//! Tasks of a Slurm step that get no help from a process manager (`srun`, whatever `--mpi` says).
//!
//! Rank 0 runs on the first host of the step. On one host the ranks meet in a private folder. On several
//! hosts they meet at a port of the first host that follows from the step's number.

use super::rules::Launcher;
use crate::base::Result;
use crate::bootstrap::job::host_list;
use crate::bootstrap::job::seat::Seat;
use crate::bootstrap::job::store_address::StoreAddress;
use crate::bootstrap::job::variable::{Lookup, invalid, seat_of};

pub(super) const LAUNCHER: Launcher = Launcher { name: "Slurm", is_here, seat, place };

/// Steps numbered from here on are special: the batch script, and shells in an allocation.
const FIRST_SPECIAL_STEP: u32 = 0xffff_fff0;

/// Whether this process is a task of a step. A batch script has the variables of a task too, but is one
/// process that must not wait for others.
fn is_here(lookup: Lookup<'_>) -> bool {
    let step = lookup("SLURM_STEP_ID").and_then(|text| text.trim().parse::<u32>().ok());
    lookup("SLURM_PROCID").is_some() && step.is_some_and(|step| step < FIRST_SPECIAL_STEP)
}

fn seat(lookup: Lookup<'_>) -> Result<Option<Seat>> {
    let of_the_step = lookup("SLURM_STEP_NUM_TASKS").is_some();
    let size = if of_the_step { "SLURM_STEP_NUM_TASKS" } else { "SLURM_NTASKS" };
    seat_of(lookup, "SLURM_PROCID", size).map(Some)
}

fn place(lookup: Lookup<'_>) -> Result<StoreAddress> {
    let needed = |name: &'static str| {
        lookup(name).ok_or_else(|| invalid(name, "unset, but SLURM_PROCID and SLURM_STEP_ID are set"))
    };
    let job = format!("{}.{}", needed("SLURM_JOB_ID")?, needed("SLURM_STEP_ID")?);
    let list = needed("SLURM_STEP_NODELIST")?;
    let hosts = host_list::expand(&list).filter(|hosts| !hosts.is_empty()).ok_or_else(|| {
        invalid("SLURM_STEP_NODELIST", format!("\"{list}\"; accepted: a list such as a,b[01-03,7]"))
    })?;
    match &hosts[..] {
        [_] => Ok(StoreAddress::Private { name: format!("slurm {job}") }),
        [first, ..] => Ok(StoreAddress::Ports { launcher: "slurm", host: first.clone(), taken: 0, job }),
        [] => Err(invalid("SLURM_STEP_NODELIST", "empty")),
    }
}
