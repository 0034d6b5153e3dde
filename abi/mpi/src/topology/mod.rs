//! Virtual topologies: arrangements of the processes of a communicator (MPI 5.0, chapter 8).
//!
//! Processes are not reordered: they keep the ranks of the communicator from which they come. A duplicate has
//! the same topology.
//!
//! - [`cart`] is arithmetic on grids, [`dims`] finds balanced ones, [`graph`] has neighbours as lists.
//! - `cart_calls`, `graph_calls` and `dist_graph_calls` have MPI's functions.

mod arrangement;
pub mod cart;
pub mod cart_calls;
pub mod dims;
pub mod dist_graph_calls;
pub mod graph;
pub mod graph_calls;

pub use arrangement::Topology;

use crate::arguments::{CommHandle, Output};
use crate::comm::Comm;
use crate::constants as c;
use crate::error::{Class, Error, Result};

/// `MPI_Topo_test`.
pub unsafe fn test(comm: CommHandle, status: Output<i32>) -> Result<()> {
    status.set(Comm::from_handle(comm)?.topology().map_or(c::UNDEFINED, |topology| topology.kind()));
    Ok(())
}

/// The error for a communicator that lacks the topology that a function needs.
#[cold]
fn has_no(comm: &Comm, what: &str) -> Error {
    Error::new(Class::TOPOLOGY, format!("{} has no {what}", comm.title()))
}

/// A number of elements, which must not be negative.
fn length(name: &str, n: i32) -> Result<usize> {
    usize::try_from(n).map_err(|_| Error::new(Class::ARG, format!("{name} is {n}, less than 0")))
}
