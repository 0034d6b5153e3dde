//! The exported functions, from the tables of all chapters but one: Open MPI's ABI has no functions that tell
//! the ABI, and handles become integers by `c2f` ([`crate::conversions`]).

use anyccl_mpi::arguments::*;

use crate::open_mpi::Door;

anyccl_mpi::attributes!(Door);
anyccl_mpi::collectives!(Door);
anyccl_mpi::collectives_since_4!(Door);
anyccl_mpi::communicators!(Door);
anyccl_mpi::communicators_since_4!(Door);
anyccl_mpi::datatypes!(Door);
anyccl_mpi::datatypes_since_4!(Door);
anyccl_mpi::environment!(Door);
anyccl_mpi::environment_since_4!(Door);
anyccl_mpi::errors!(Door);
anyccl_mpi::errors_since_4!(Door);
anyccl_mpi::files!(Door);
anyccl_mpi::files_since_4!(Door);
anyccl_mpi::groups!(Door);
anyccl_mpi::info!(Door);
anyccl_mpi::info_since_4!(Door);
anyccl_mpi::neighborhood!(Door);
anyccl_mpi::neighborhood_since_4!(Door);
anyccl_mpi::operators!(Door);
anyccl_mpi::operators_since_4!(Door);
anyccl_mpi::p2p!(Door);
anyccl_mpi::p2p_since_4!(Door);
anyccl_mpi::partitioned_since_4!(Door);
anyccl_mpi::processes!(Door);
anyccl_mpi::removed!(Door);
anyccl_mpi::requests!(Door);
anyccl_mpi::requests_since_4!(Door);
anyccl_mpi::sessions_since_4!(Door);
anyccl_mpi::tools!(Door);
anyccl_mpi::tools_since_4!(Door);
anyccl_mpi::topologies!(Door);
anyccl_mpi::windows!(Door);
anyccl_mpi::windows_since_4!(Door);
