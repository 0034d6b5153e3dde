//! MPI's C functions in the MPICH ABI, at MPI 3.1: libmpi.so.12.
//!
//! A program that was built with MPICH, Intel MPI, MVAPICH or Cray MPI runs on this library unchanged. The
//! tables of `anyccl_mpi::functions` are the functions; [`mpich`] is the ABI, [`numbers`] its numbers beside
//! the standard's. Functions that came with MPI 4.0 and later are not exported: programs look for them and go
//! on without.

// Names are MPI's.
#![allow(non_snake_case, non_upper_case_globals)]
// The contract of each function is MPI's text.
#![allow(clippy::missing_safety_doc, clippy::too_many_arguments)]

mod binding;
mod exports;
mod fortran;
mod mark;
mod mpich;
mod numbers;
mod symbols;

#[cfg(test)]
mod tests;
