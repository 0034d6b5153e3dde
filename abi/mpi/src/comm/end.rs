//! The end of communicators.
//!
//! A program may free a communicator while operations on it are under way; they complete normally (MPI 5.0,
//! section 7.4.3). So a freed communicator is kept until no request names it.

use std::sync::Arc;

use anyccl_edge::PerProcess;
use parking_lot::Mutex;

use super::{COMMS, Comm};
use crate::arguments::{CommHandle, InputOutput};
use crate::constants::{COMM_SELF, COMM_WORLD};
use crate::error::{Class, Error, Result};
use crate::{p2p, request};

/// Freed communicators on which operations are under way. A child of fork has none.
static KEPT: PerProcess<Mutex<Vec<Arc<Comm>>>> = PerProcess::new();

fn kept() -> &'static Mutex<Vec<Arc<Comm>>> {
    &KEPT.get_or(Mutex::default).value
}

/// `MPI_Comm_free`, `MPI_Comm_disconnect`.
pub unsafe fn free(comm: InputOutput<CommHandle>) -> Result<()> {
    let handle = comm.get();
    let found = Comm::from_handle(handle)?.share();
    if let COMM_WORLD | COMM_SELF = found.id {
        return Err(Error::new(Class::COMM, format!("{} is not freed by programs", found.title())));
    }
    found.attributes.delete_all(found.id).map_err(|error| error.on(found.id))?;
    COMMS.remove(found.id)?;
    comm.set(CommHandle::NULL);
    p2p::partitioned::forget(&found);
    sweep();
    if is_in_use(found.id) {
        kept().lock().push(found);
    }
    Ok(())
}

/// Whether operations on a communicator may be under way.
fn is_in_use(comm: u32) -> bool {
    request::is_under_way_on(comm) || p2p::buffered::is_under_way()
}

/// Drops the communicators on which no operation is under way any more.
fn sweep() {
    kept().lock().retain(|comm| is_in_use(comm.id));
}

/// Drops all of them, when everything has ended.
pub fn forget_all() {
    kept().lock().clear();
}
