//! The exported functions, from the tables of all chapters, with those that MPI has removed. Open MPI's ABI
//! has no functions that tell the ABI or give an object's number, but `c2f` and `f2c`.

use anyccl_mpi::arguments::*;

use crate::conversions::{from_fortran, to_fortran};
use crate::open_mpi::Door;

anyccl_mpi::mark!();
anyccl_mpi::chapters!(Door);
anyccl_mpi::removed!(Door);
anyccl_mpi::failures!(Door);
anyccl_mpi::more_failures!(Door);
anyccl_mpi::conversions!(Door, to_fortran, from_fortran);
