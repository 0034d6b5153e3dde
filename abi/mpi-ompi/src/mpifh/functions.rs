//! The functions, from the tables of all chapters. [`super::names`] exports them.

// Open MPI has no names for some of the functions, such as those with large counts.
#![allow(dead_code)]

use anyccl_mpi::arguments::*;
use anyccl_mpi::fortran::Fortran;
use anyccl_mpi::fortran::argument::{Function, ShortAddress, Unused};

type Door = Fortran<crate::open_mpi::Door>;

anyccl_mpi::fortran_chapters!();
