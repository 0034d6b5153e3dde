//! Barrier and broadcast.

use anyccl_engine::base::Collective;

use super::inter;
use super::script::Script;
use super::typed::{Elements, check_root};
use super::uniform::{movement, whole};
use crate::arguments::{CommHandle, DatatypeHandle, RecvAddress};
use crate::comm::Comm;
use crate::error::Result;
use crate::types;

/// `MPI_Barrier`. On an intercommunicator, all ranks of both sides meet.
pub(super) unsafe fn barrier(comm: CommHandle) -> Result<Script> {
    let comm = Comm::from_handle(comm)?;
    let mut script = Script::new();
    script.turns_of = comm.inter().map(|_| comm.id);
    let operation = movement(Collective::Barrier, 0, 0, std::ptr::null(), std::ptr::null_mut());
    script.call(comm.engine(), operation, None);
    Ok(script)
}

/// `MPI_Bcast`.
pub(super) unsafe fn bcast(
    buffer: RecvAddress,
    count: i64,
    datatype: DatatypeHandle,
    root: i32,
    comm: CommHandle,
) -> Result<Script> {
    let comm = Comm::from_handle(comm)?;
    let datatype = types::committed(datatype)?;
    let elements = Elements::written(whole(buffer, "buffer")?, count, &datatype);
    if let Some(inter) = comm.inter() {
        return inter::bcast(&comm, inter, elements, root);
    }
    let root = check_root(root, comm.size(), &comm)?;
    let bytes = elements.bytes()?;
    let mut script = Script::new();
    let (send, recv) = if comm.rank() == root {
        let send = script.input(elements, "buffer")?;
        (send, send.cast_mut())
    } else {
        (std::ptr::null(), script.output(elements, "buffer")?)
    };
    script.call(comm.engine(), movement(Collective::Broadcast, root, bytes, send, recv), None);
    Ok(script)
}
