//! MPI's C functions in the standard ABI of MPI 5.0: libmpi_abi.so.1.
//!
//! A program that was built with any MPI of the standard ABI needs no rebuild to use this library. The tables
//! of `anyccl_mpi::functions` define all 664 functions and their profiling twins (`PMPI_...`). [`standard`]
//! is the ABI. Its numbers and handles are those that `anyccl_mpi` uses inside, so nothing is translated.

// Names are MPI's.
#![allow(non_snake_case, non_upper_case_globals)]
// The contract of each function is MPI's text.
#![allow(clippy::missing_safety_doc, clippy::too_many_arguments)]

mod exports;
mod fortran;
mod standard;
