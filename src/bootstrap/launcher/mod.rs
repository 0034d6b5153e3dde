//! The launchers whose variables we understand, one file each.
//!
//! A launcher that started another has left its variables too: `srun torchrun`, `mpiexec` in a batch job. So
//! the order is from what is usually innermost to what is outermost. Pure, like `environment`.

mod open_mpi;
mod pmi;
mod rules;
mod slurm;
mod torchrun;

use rules::Launcher;

/// In the order in which they are looked for.
pub(crate) static LAUNCHERS: [Launcher; 4] =
    [torchrun::LAUNCHER, pmi::LAUNCHER, open_mpi::LAUNCHER, slurm::LAUNCHER];
