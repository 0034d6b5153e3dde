//! The exported functions, from the tables of MPI 3.1.

use anyccl_mpi::arguments::*;

use crate::mpich::Door;

anyccl_mpi::attributes!(Door);
anyccl_mpi::collectives!(Door);
anyccl_mpi::communicators!(Door);
anyccl_mpi::datatypes!(Door);
anyccl_mpi::environment!(Door);
anyccl_mpi::errors!(Door);
anyccl_mpi::files!(Door);
anyccl_mpi::groups!(Door);
anyccl_mpi::info!(Door);
anyccl_mpi::neighborhood!(Door);
anyccl_mpi::operators!(Door);
anyccl_mpi::p2p!(Door);
anyccl_mpi::processes!(Door);
anyccl_mpi::removed!(Door);
anyccl_mpi::requests!(Door);
anyccl_mpi::tools!(Door);
anyccl_mpi::topologies!(Door);
anyccl_mpi::windows!(Door);
