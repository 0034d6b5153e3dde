//! The launchers whose variables we understand, one file each.
//!
//! A launcher that started another has left its variables too: `srun torchrun`, `mpiexec` in a batch job. So the
//! order is from what is usually innermost to what is outermost. Pure, like `environment`.

mod open_mpi;
mod pmi;
mod slurm;
mod torchrun;

use super::environment::{Lookup, Place, Seat};
use crate::base::Result;

/// How to read one launcher's variables.
pub(crate) struct Launcher {
    /// For messages, `anyccl info` and the log.
    pub name: &'static str,
    /// Whether it started this process.
    pub is_here: fn(Lookup<'_>) -> bool,
    /// This process's seat; `None` when only a connection to the launcher will tell.
    pub seat: fn(Lookup<'_>) -> Result<Option<Seat>>,
    /// Where its ranks meet. Asked only for a world of several, without `ANYCCL_STORE`.
    pub place: fn(Lookup<'_>) -> Result<Place>,
}

/// In the order in which they are looked for.
pub(crate) static LAUNCHERS: [Launcher; 4] =
    [torchrun::LAUNCHER, pmi::LAUNCHER, open_mpi::LAUNCHER, slurm::LAUNCHER];
