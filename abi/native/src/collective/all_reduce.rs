//! All_reduce: every rank contributes, and every rank gets the result.

use std::ffi::c_void;

use anyccl_engine::base::Collective;

use super::{Arguments, run};
use crate::comm::anyccl_comm_t;
use crate::datatype::anyccl_datatype_t;
use crate::invocation;
use crate::reduce_op::anyccl_reduce_op_t;
use crate::request::anyccl_request_t;
use crate::status::{anyccl_status_t, edge};

/// Combines the elements of all ranks; every rank gets the result.
///
///     before  send            after  recv
///     rank 0  a0 a1           rank 0  S0 S1
///     rank 1  b0 b1     =>    rank 1  S0 S1      Sk = ak op bk op ck
///     rank 2  c0 c1           rank 2  S0 S1
///
/// \param[in]  send      Contribution of this rank, count elements.
/// \param[out] recv      Result, count elements.
/// \param[in]  count     Elements of each buffer.
/// \param[in]  datatype  Datatype of the elements.
/// \param[in]  op        Operator that accepts datatype.
/// \param[in]  comm      Communicator, or ANYCCL_WORLD.
/// \returns ANYCCL_SUCCESS or one of \ref failures.
///
/// Collective. In place: send == recv. The result has the same bits on every rank and in every run.
/// Replacement for MPI_Allreduce and ncclAllReduce.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_all_reduce(
    send: *const c_void,
    recv: *mut c_void,
    count: usize,
    datatype: anyccl_datatype_t,
    op: anyccl_reduce_op_t,
    comm: anyccl_comm_t,
) -> anyccl_status_t {
    // SAFETY: the caller promises buffers of the documented length, used by nobody else during the call.
    unsafe { run("anyccl_all_reduce", || arguments(send, recv, count, datatype, op, comm)) }
}

/// Nonblocking form of anyccl_all_reduce(): see \ref nonblocking in request.h. Replacement for
/// MPI_Iallreduce.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_iall_reduce(
    send: *const c_void,
    recv: *mut c_void,
    count: usize,
    datatype: anyccl_datatype_t,
    op: anyccl_reduce_op_t,
    comm: anyccl_comm_t,
    request: *mut anyccl_request_t,
) -> anyccl_status_t {
    // SAFETY: the caller promises buffers of the documented length, used by nobody else until the request has
    // ended, and a writable request or NULL.
    edge("anyccl_iall_reduce", || unsafe {
        invocation::start(arguments(send, recv, count, datatype, op, comm), request)
    })
}

fn arguments(
    send: *const c_void,
    recv: *mut c_void,
    count: usize,
    datatype: anyccl_datatype_t,
    op: anyccl_reduce_op_t,
    comm: anyccl_comm_t,
) -> Arguments {
    Arguments {
        collective: Collective::AllReduce,
        send,
        recv,
        count,
        datatype,
        op: Some(op),
        root: None,
        comm,
    }
}
