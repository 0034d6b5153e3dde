//! Sets of processes, by name.

use anyccl_engine::base::Rank;
use anyccl_engine::comm::Communicator;

use crate::error::{Class, Error, Result};

/// The names, in the order of `MPI_Session_get_nth_pset`.
pub(super) const NAMES: [&str; 2] = ["mpi://WORLD", "mpi://SELF"];

/// The processes of a set.
pub(super) fn members(world: &Communicator, name: &[u8]) -> Result<Vec<Rank>> {
    let [all, own] = NAMES.map(|known| known.as_bytes().eq_ignore_ascii_case(name));
    if all {
        return Ok((0..world.size()).collect());
    }
    if own {
        return Ok(vec![world.rank()]);
    }
    let text = format!("there is no process set \"{}\"; there are {}", name.escape_ascii(), NAMES.join(", "));
    Err(Error::new(Class::ARG, text))
}
