//! `--as jax`: JAX's collectives between processes on CPUs are anyccl's.
//!
//! JAX's wheels contain MPItrampoline, an MPI that passes its calls on to the library that a variable names.
//! So the ranks get that library, and JAX is set to use MPI. `jax.distributed.initialize()` finds the ranks
//! as under Open MPI's launcher.

use std::path::PathBuf;

use super::torch::TorchMeeting;
use crate::facade::Facade;
use crate::facade::files::FacadeFiles;
use crate::failure::Failure;

/// JAX looks for Open MPI's other variables where this one is set.
const DETECTED_BY: &str = "OMPI_MCA_orte_hnp_uri";

/// The variables that all ranks share. `meeting` is where JAX's rank 0 listens.
pub fn environment(meeting: &TorchMeeting) -> Result<Vec<(String, String)>, Failure> {
    let files = FacadeFiles::find(Facade::Mpi)
        .map_err(|text| Failure { code: 1, text: format!("--as jax: {text}") })?;
    let library = PathBuf::from(&files.folder).join(FacadeFiles::WRAPPER);
    let address = meeting.address();
    let mut variables = vec![
        ("MPITRAMPOLINE_LIB", library.display().to_string()),
        ("JAX_CPU_COLLECTIVES_IMPLEMENTATION", "mpi".into()),
        ("JAX_COORDINATOR_ADDRESS", address.clone()),
        (DETECTED_BY, format!("0.0;tcp://{address}")),
    ];
    if meeting.is_here() {
        // Otherwise JAX listens on all interfaces.
        variables.push(("JAX_COORDINATOR_BIND_ADDRESS", address));
    }
    Ok(variables.into_iter().map(|(name, value)| (name.to_string(), value)).collect())
}

/// The variables of one rank with these variables, with its position among the ranks of its host.
pub fn environment_of(
    environment: &[(String, String)],
    rank: u32,
    world: u32,
    local: usize,
) -> Vec<(&'static str, String)> {
    if !environment.iter().any(|(name, _)| name == DETECTED_BY) {
        return Vec::new();
    }
    vec![
        ("OMPI_COMM_WORLD_RANK", rank.to_string()),
        ("OMPI_COMM_WORLD_SIZE", world.to_string()),
        ("OMPI_COMM_WORLD_LOCAL_RANK", local.to_string()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ranks_of_jax_get_open_mpis_variables() {
        let jax = [(DETECTED_BY.to_string(), "0.0;tcp://127.0.0.1:1".to_string())];
        assert_eq!(environment_of(&[], 1, 4, 1), []);
        let own = environment_of(&jax, 3, 4, 1);
        assert_eq!(own[0], ("OMPI_COMM_WORLD_RANK", "3".to_string()));
        assert_eq!(own[2], ("OMPI_COMM_WORLD_LOCAL_RANK", "1".to_string()));
    }
}
