//! MPI's C functions as MPItrampoline calls them: libmpiwrapper.so.
//!
//! MPItrampoline is an MPI that contains none. It opens the library that `MPITRAMPOLINE_LIB` names, and
//! passes all calls on. JAX's wheels contain it, Julia's MPI.jl can use it. Version 2 of its ABI gives each
//! function and each constant a name that begins with `MPIABI_`, and leaves the values of the constants to
//! the library. So they are the standard ABI's here ([`constants`]), and only the status has a form of its
//! own ([`trampoline`]).
//!
//! The tables of `anyccl_mpi::functions` define the functions, under names that stay inside. [`functions`]
//! has those that are exported.

// Names are MPI's.
#![allow(non_snake_case, non_upper_case_globals)]
// The contract of each function is MPI's text.
#![allow(clippy::missing_safety_doc, clippy::too_many_arguments)]

mod constants;
mod exports;
mod extensions;
mod functions;
mod trampoline;

#[cfg(test)]
mod tests;
