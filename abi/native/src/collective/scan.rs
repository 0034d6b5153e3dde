//! Scan and exscan: rank r gets what ranks 0 to r, or those before it, have combined.

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
/// \param send      [in] count elements. Read only.
/// \param recv      [out] count elements.
/// \param count     [in] Elements of either buffer. The same on every rank.
/// \param datatype  [in] One of enum anyccl_datatype. The same on every rank.
/// \param op        [in] One of enum anyccl_reduce_op that accepts datatype. The same on every rank.
///                  ANYCCL_AVG: the average of ranks 0 to r.
/// \param comm      [in] Borrowed. ANYCCL_WORLD: the whole job.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
///          comm works on; any other status when comm has failed: see "Collectives" at the top of this
///          header.
///
/// Collective. The call blocks until this rank's part is done. In place: send == recv. Any other overlap is
/// refused. Replacement for MPI_Scan.
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

/// Starts a scan and returns at once.
///
/// \param send, recv, count, datatype, op, comm  See anyccl_scan; the buffers belong to the library until
///        the request has ended.
/// \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
///                 ANYCCL_SUCCESS.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
///          comm works on; the status of the failure when comm has failed. What becomes of the operation is
///          told by anyccl_wait or anyccl_test.
///
/// Collective. The call does not block. The ranks of a communicator start their operations in the same order.
/// Replacement for MPI_Iscan.
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

/// Prepares a scan that is started later, and often.
///
/// \param send, recv, count, datatype, op, comm  See anyccl_scan, during each run.
/// \param request  [out] See anyccl_all_reduce_init.
/// \returns See anyccl_all_reduce_init.
///
/// Local. Each run is a collective call of its own. Replacement for MPI_Scan_init.
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
///     rank 0  a0 a1           rank 0  as it was
///     rank 1  b0 b1     =>    rank 1  a0             a1
///     rank 2  c0 c1           rank 2  a0 op b0       a1 op b1
///
/// \param send      [in] count elements. Read only.
/// \param recv      [out] count elements. Left alone on rank 0, before which there is nobody: may be NULL
///                  there.
/// \param count     [in] Elements of either buffer. The same on every rank.
/// \param datatype  [in] One of enum anyccl_datatype. The same on every rank.
/// \param op        [in] One of enum anyccl_reduce_op that accepts datatype. The same on every rank.
///                  ANYCCL_AVG: the average of ranks 0 to r-1.
/// \param comm      [in] Borrowed. ANYCCL_WORLD: the whole job.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
///          comm works on; any other status when comm has failed: see "Collectives" at the top of this
///          header.
///
/// Collective. The call blocks until this rank's part is done. In place: send == recv. Any other overlap is
/// refused. Replacement for MPI_Exscan.
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

/// Starts an exscan and returns at once.
///
/// \param send, recv, count, datatype, op, comm  See anyccl_exscan; the buffers belong to the library
///        until the request has ended.
/// \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
///                 ANYCCL_SUCCESS.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
///          comm works on; the status of the failure when comm has failed. What becomes of the operation is
///          told by anyccl_wait or anyccl_test.
///
/// Collective. The call does not block. The ranks of a communicator start their operations in the same order.
/// Replacement for MPI_Iexscan.
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

/// Prepares an exscan that is started later, and often.
///
/// \param send, recv, count, datatype, op, comm  See anyccl_exscan, during each run.
/// \param request  [out] See anyccl_all_reduce_init.
/// \returns See anyccl_all_reduce_init.
///
/// Local. Each run is a collective call of its own. Replacement for MPI_Exscan_init.
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
