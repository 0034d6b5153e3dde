//! The launchers whose variables anyccl understands, one file each.

mod open_mpi;
mod pmi;
mod rules;
mod slurm;
pub(super) mod table;
mod torchrun;
