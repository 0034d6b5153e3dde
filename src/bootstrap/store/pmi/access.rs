//! How a rank connects with its process manager, or learns that it cannot.

use std::time::Instant;

use super::connection::Connection;
use super::kvs::KeyValueSpace;
use super::session;
use crate::base::{Error, Result};
use crate::bootstrap::job::seat::Seat;
use crate::bootstrap::job::store_address::ManagerAddress;
use crate::sys::{inherited, mpi};

/// How the ranks can find each other with the process manager's help.
pub(crate) enum Access {
    /// Through its key-value space.
    KeyValueSpace(KeyValueSpace, Seat),
    /// MPI has the connection: the ranks meet in the private folder, by this name.
    Private(String),
}

/// Connects with the process manager. `seat` is what the environment says.
pub(crate) fn enter(door: &ManagerAddress, seat: Option<Seat>, deadline: Instant) -> Result<Access> {
    let (connection, told) = match door {
        ManagerAddress::Descriptor { number, one_host } => {
            let describe =
                |e| Error::system(format!("PMI_FD={number} is not a connection to a process manager"), e);
            if mpi::is_initialized() {
                let manager = inherited::peer_process(*number).map_err(describe)?;
                return if *one_host { Ok(Access::Private(format!("pmi {manager}"))) } else { Err(taken()) };
            }
            (Connection::over(inherited::socket(*number).map_err(describe)?), None)
        }
        ManagerAddress::Address { host, port, id } => {
            let (connection, seat) = Connection::to(host, *port, id, deadline)?;
            (connection, Some(seat))
        }
    };
    let seat =
        seat.or(told).ok_or_else(|| Error::Bootstrap("the process manager does not tell the rank".into()))?;
    Ok(Access::KeyValueSpace(KeyValueSpace::open(session::keep(connection), deadline)?, seat))
}

fn taken() -> Error {
    Error::Bootstrap(
        "MPI has been initialised, so the connection to mpiexec is MPI's, and the ranks are on several hosts: call \
         anyccl_init before MPI_Init, or set ANYCCL_STORE, or pass an id of anyccl_get_unique_id by MPI_Bcast to \
         anyccl_comm_create"
            .into(),
    )
}
