//! The launchers whose variables anyccl understands, one file each.
//!
//! A launcher that started another one has left its variables too, such as `srun torchrun` or `mpiexec` in a
//! batch job. So the table goes from what is usually innermost to what is outermost. Pure, like
//! `environment`.

use super::rules::Launcher;
use super::{open_mpi, pmi, slurm, torchrun};

/// The launchers, in the order in which they are looked for.
pub(crate) static LAUNCHERS: [Launcher; 4] =
    [torchrun::LAUNCHER, pmi::LAUNCHER, open_mpi::LAUNCHER, slurm::LAUNCHER];
