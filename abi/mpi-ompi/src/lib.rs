//! MPI's C functions in the ABI of Open MPI 4.1 and 5.0: libmpi.so.40.
//!
//! A program that was built with Open MPI runs on this library unchanged. The tables of
//! `anyccl_mpi::functions` define the functions, and [`open_mpi`] is the ABI. Predefined handles are
//! addresses of data that programs import; [`objects`] knows them. [`numbers`] maps the other numbers to the
//! standard's. [`mpifh`] has the functions for Fortran.
//!
//! One library serves both versions: 5.0 changes no number of 4.1, and only adds names. Like both, it tells
//! MPI 3.1, and it has the functions of later standards, too.

// Names are MPI's.
#![allow(non_snake_case, non_upper_case_globals)]
// The contract of each function is MPI's text.
#![allow(clippy::missing_safety_doc, clippy::too_many_arguments)]

mod aliases;
mod attribute_functions;
mod conversions;
mod cxx;
mod exports;
mod extensions;
mod fortran;
mod mpifh;
mod numbers;
mod objects;
mod open_mpi;

#[cfg(test)]
mod tests;
