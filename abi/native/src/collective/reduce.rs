//! Reduce: every rank contributes, and the root gets the result.

use std::ffi::{c_int, c_void};

use anyccl_engine::base::Collective;

use super::{Arguments, run};
use crate::comm::anyccl_comm_t;
use crate::datatype::anyccl_datatype_t;
use crate::invocation;
use crate::reduce_op::anyccl_reduce_op_t;
use crate::request::anyccl_request_t;
use crate::status::{anyccl_status_t, edge};

/// Combines the elements of all ranks; the root gets the result.
///
///     before  send            after  recv
///     rank 0  a0 a1           rank 0  - -
///     rank 1  b0 b1     =>    rank 1  S0 S1      root 1; Sk = ak op bk op ck
///     rank 2  c0 c1           rank 2  - -
///
/// \param[in]  send      Contribution of this rank, count elements.
/// \param[out] recv      Result, count elements at the root. Not used on the other ranks: may be NULL.
/// \param[in]  count     Elements of each buffer.
/// \param[in]  datatype  Datatype of the elements.
/// \param[in]  op        Operator that accepts datatype.
/// \param[in]  root      Rank that gets the result.
/// \param[in]  comm      Communicator, or ANYCCL_WORLD.
/// \returns ANYCCL_SUCCESS or one of \ref failures.
///
/// Collective. In place: send == recv at the root. Replacement for MPI_Reduce and ncclReduce.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_reduce(
    send: *const c_void,
    recv: *mut c_void,
    count: usize,
    datatype: anyccl_datatype_t,
    op: anyccl_reduce_op_t,
    root: c_int,
    comm: anyccl_comm_t,
) -> anyccl_status_t {
    // SAFETY: the caller promises buffers of the documented length, used by nobody else during the call.
    unsafe { run("anyccl_reduce", || arguments(send, recv, count, datatype, op, root, comm)) }
}

/// Nonblocking form of anyccl_reduce(): see \ref nonblocking in request.h. Replacement for MPI_Ireduce.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_ireduce(
    send: *const c_void,
    recv: *mut c_void,
    count: usize,
    datatype: anyccl_datatype_t,
    op: anyccl_reduce_op_t,
    root: c_int,
    comm: anyccl_comm_t,
    request: *mut anyccl_request_t,
) -> anyccl_status_t {
    // SAFETY: the caller promises buffers of the documented length, used by nobody else until the request has
    // ended, and a writable request or NULL.
    edge("anyccl_ireduce", || unsafe {
        invocation::start(arguments(send, recv, count, datatype, op, root, comm), request)
    })
}

fn arguments(
    send: *const c_void,
    recv: *mut c_void,
    count: usize,
    datatype: anyccl_datatype_t,
    op: anyccl_reduce_op_t,
    root: c_int,
    comm: anyccl_comm_t,
) -> Arguments {
    Arguments {
        collective: Collective::Reduce,
        send,
        recv,
        count,
        datatype,
        op: Some(op),
        root: Some(root),
        comm,
    }
}
