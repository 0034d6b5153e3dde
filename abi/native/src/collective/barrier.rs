//! Barrier: no rank returns before every rank has made the call.

use std::ptr::{null, null_mut};

use anyccl_engine::base::{Collective, Datatype};

use super::Arguments;
use crate::comm::anyccl_comm_t;
use crate::forms::forms;

forms! {
    /// Waits until every rank has made the call.
    ///
    ///     rank 0  ----------|
    ///     rank 1  ---|......|   =>   all continue
    ///     rank 2  -------|..|
    ///
    /// \param[in] comm  Communicator, or ANYCCL_WORLD.
    /// \returns ANYCCL_SUCCESS or one of \ref failures.
    ///
    /// Collective. The request of its nonblocking form ends when every rank has made the call. After the
    /// barrier, each rank sees what the others did before it. Replacement for MPI_Barrier.
    fn anyccl_barrier(comm: anyccl_comm_t) {
        let datatype = Datatype::Byte as i32;
        Arguments::plain(Collective::Barrier, null(), null_mut(), 0, datatype, comm)
    }
    /// Replacement for MPI_Ibarrier.
    nonblocking anyccl_ibarrier;
    /// Replacement for MPI_Barrier_init.
    persistent anyccl_barrier_init;
}
