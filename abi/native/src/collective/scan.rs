//! Scan and exscan: rank r gets the combined elements of ranks 0 to r, or 0 to r-1.

use std::ffi::c_void;

use anyccl_engine::base::Collective;

use super::{Arguments, run};
use crate::comm::anyccl_comm_t;
use crate::datatype::anyccl_datatype_t;
use crate::invocation;
use crate::reduce_op::anyccl_reduce_op_t;
use crate::request::anyccl_request_t;
use crate::status::{anyccl_status_t, edge};

/// Combines the elements of ranks 0 to r on every rank r.
///
///     before  send            after  recv
///     rank 0  a0 a1           rank 0  a0             a1
///     rank 1  b0 b1     =>    rank 1  a0 op b0       a1 op b1
///     rank 2  c0 c1           rank 2  a0 op b0 op c0 a1 op b1 op c1
///
/// \param[in]  send      Contribution of this rank, count elements.
/// \param[out] recv      Result for this rank, count elements.
/// \param[in]  count     Elements of each buffer.
/// \param[in]  datatype  Datatype of the elements.
/// \param[in]  op        Operator that accepts datatype. ANYCCL_AVG is the average of ranks 0 to r.
/// \param[in]  comm      Communicator, or ANYCCL_WORLD.
/// \returns ANYCCL_SUCCESS or one of \ref failures.
///
/// Collective. In place: send == recv. Replacement for MPI_Scan.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_scan(
    send: *const c_void,
    recv: *mut c_void,
    count: usize,
    datatype: anyccl_datatype_t,
    op: anyccl_reduce_op_t,
    comm: anyccl_comm_t,
) -> anyccl_status_t {
    // SAFETY: the caller promises buffers of the documented length, used by nobody else during the call.
    unsafe { run("anyccl_scan", || arguments(Collective::Scan, send, recv, count, datatype, op, comm)) }
}

/// Nonblocking form of anyccl_scan(): see \ref nonblocking in request.h. Replacement for MPI_Iscan.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_iscan(
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
    edge("anyccl_iscan", || unsafe {
        invocation::start(arguments(Collective::Scan, send, recv, count, datatype, op, comm), request)
    })
}

/// Persistent form of anyccl_scan(): see \ref persistent in request.h. Replacement for MPI_Scan_init.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_scan_init(
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
    edge("anyccl_scan_init", || unsafe {
        invocation::prepare(arguments(Collective::Scan, send, recv, count, datatype, op, comm), request)
    })
}

/// Combines the elements of ranks 0 to r-1 on every rank r.
///
///     before  send            after  recv
///     rank 0  a0 a1           rank 0  unchanged
///     rank 1  b0 b1     =>    rank 1  a0             a1
///     rank 2  c0 c1           rank 2  a0 op b0       a1 op b1
///
/// \param[in]  send      Contribution of this rank, count elements.
/// \param[out] recv      Result for this rank, count elements. Unchanged on rank 0, where it may be NULL.
/// \param[in]  count     Elements of each buffer.
/// \param[in]  datatype  Datatype of the elements.
/// \param[in]  op        Operator that accepts datatype. ANYCCL_AVG is the average of ranks 0 to r-1.
/// \param[in]  comm      Communicator, or ANYCCL_WORLD.
/// \returns ANYCCL_SUCCESS or one of \ref failures.
///
/// Collective. In place: send == recv. Replacement for MPI_Exscan.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_exscan(
    send: *const c_void,
    recv: *mut c_void,
    count: usize,
    datatype: anyccl_datatype_t,
    op: anyccl_reduce_op_t,
    comm: anyccl_comm_t,
) -> anyccl_status_t {
    // SAFETY: the caller promises buffers of the documented length, used by nobody else during the call.
    unsafe { run("anyccl_exscan", || arguments(Collective::Exscan, send, recv, count, datatype, op, comm)) }
}

/// Nonblocking form of anyccl_exscan(): see \ref nonblocking in request.h. Replacement for MPI_Iexscan.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_iexscan(
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
    edge("anyccl_iexscan", || unsafe {
        invocation::start(arguments(Collective::Exscan, send, recv, count, datatype, op, comm), request)
    })
}

/// Persistent form of anyccl_exscan(): see \ref persistent in request.h. Replacement for MPI_Exscan_init.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_exscan_init(
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
    edge("anyccl_exscan_init", || unsafe {
        invocation::prepare(arguments(Collective::Exscan, send, recv, count, datatype, op, comm), request)
    })
}

fn arguments(
    collective: Collective,
    send: *const c_void,
    recv: *mut c_void,
    count: usize,
    datatype: anyccl_datatype_t,
    op: anyccl_reduce_op_t,
    comm: anyccl_comm_t,
) -> Arguments {
    Arguments { collective, send, recv, count, datatype, op: Some(op), root: None, comm }
}
