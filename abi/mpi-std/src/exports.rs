//! The exported functions, from the tables of all chapters.

use anyccl_mpi::arguments::*;

use crate::standard::Door;

anyccl_mpi::mark!();
anyccl_mpi::chapters!(Door);
anyccl_mpi::handles!(Door);
