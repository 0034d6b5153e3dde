//! `libmpi.so.12`: the functions of MPI 5.0 in the MPICH ABI.
//!
//! A program that was built with MPICH, Intel MPI, MVAPICH or Cray MPI runs on this library unchanged. The
//! tables of `anyccl_mpi::functions` define the functions; [`mpich`] is the ABI, [`numbers`] maps its numbers
//! to the standard's. A program finds every name that MPICH 5.0 exports; [`extensions`] has those that are
//! not MPI's.

// Names are MPI's.
#![allow(non_snake_case, non_upper_case_globals)]
// The contract of each function is MPI's text.
#![allow(clippy::missing_safety_doc, clippy::too_many_arguments)]

mod binding;
mod exports;
mod extensions;
mod fortran;
mod mpich;
mod numbers;
mod symbols;

#[cfg(test)]
mod tests;
