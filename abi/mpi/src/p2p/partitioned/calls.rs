//! MPI's functions on partitioned messages.

use std::sync::Arc;

use super::receiving::Receiving;
use super::sending::Sending;
use super::whole::Whole;
use crate::arguments::{
    CommHandle, DatatypeHandle, InfoHandle, Inputs, Output, RecvAddress, RequestHandle, SendAddress,
};
use crate::call::check_outside_callback;
use crate::comm::Comm;
use crate::constants::{ANY_SOURCE, ANY_TAG};
use crate::error::{Class, Error, Result};
use crate::info::Pairs;
use crate::p2p::checked_tag;
use crate::request::{self, Restart};

/// `MPI_Psend_init`. No hints are known.
pub unsafe fn send_init(
    buf: SendAddress,
    partitions: i32,
    count: i64,
    datatype: DatatypeHandle,
    dest: i32,
    tag: i32,
    comm: CommHandle,
    info: InfoHandle,
    request: Output<RequestHandle>,
) -> Result<()> {
    check_outside_callback()?;
    let comm = Comm::from_handle(comm)?.share();
    Pairs::of_handle_or_null(info)?;
    let (tag, to, id) = (checked_tag(tag)?, comm.peer(dest)?, comm.id);
    let whole = Whole::new(buf.pointer().cast_mut(), partitions, count, datatype)?;
    let sending = Sending::new(comm, to, tag, whole)?;
    request.set(request::create_persistent(id, Arc::new(sending)));
    Ok(())
}

/// `MPI_Precv_init`. No hints are known.
pub unsafe fn recv_init(
    buf: RecvAddress,
    partitions: i32,
    count: i64,
    datatype: DatatypeHandle,
    source: i32,
    tag: i32,
    comm: CommHandle,
    info: InfoHandle,
    request: Output<RequestHandle>,
) -> Result<()> {
    check_outside_callback()?;
    let comm = Comm::from_handle(comm)?.share();
    Pairs::of_handle_or_null(info)?;
    if source == ANY_SOURCE {
        return Err(Error::new(Class::RANK, "a partitioned receive names its sender, not MPI_ANY_SOURCE"));
    }
    if tag == ANY_TAG {
        return Err(Error::new(Class::TAG, "a partitioned receive names its tag, not MPI_ANY_TAG"));
    }
    let (tag, from, id) = (checked_tag(tag)?, comm.peer(source)?, comm.id);
    let whole = Whole::new(buf.pointer(), partitions, count, datatype)?;
    let receiving = Receiving::new(comm, from, tag, whole)?;
    request.set(request::create_persistent(id, Arc::new(receiving)));
    Ok(())
}

/// Runs a function on the operation of a request. A failure is that of its communicator.
fn with<T>(request: RequestHandle, run: impl FnOnce(&Restart) -> Result<T>) -> Result<T> {
    check_outside_callback()?;
    let (comm, restart) = request::prepared(request)?;
    run(&restart).map_err(|error| error.on(comm))
}

/// `MPI_Pready`.
pub unsafe fn ready(partition: i32, request: RequestHandle) -> Result<()> {
    with(request, |send| send.ready(&mut std::iter::once(partition)))
}

/// `MPI_Pready_range`. Both ends belong to the range.
pub unsafe fn ready_range(low: i32, high: i32, request: RequestHandle) -> Result<()> {
    if low > high {
        return Err(Error::new(
            Class::ARG,
            format!("partitions {low} to {high}: the first is behind the last"),
        ));
    }
    with(request, |send| send.ready(&mut (low..=high)))
}

/// `MPI_Pready_list`.
pub unsafe fn ready_list(length: i64, partitions: Inputs<i32>, request: RequestHandle) -> Result<()> {
    let len = usize::try_from(length)
        .map_err(|_| Error::new(Class::COUNT, format!("a list of {length} partitions")))?;
    let list = partitions.read(len)?;
    with(request, |send| send.ready(&mut list.into_iter()))
}

/// `MPI_Parrived`. True for a request that is not active.
pub unsafe fn has_arrived(request: RequestHandle, partition: i32, flag: Output<bool>) -> Result<()> {
    flag.set(with(request, |receive| receive.has_arrived(partition))?);
    Ok(())
}
