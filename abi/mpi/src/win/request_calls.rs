//! MPI's functions that access windows and give a request, which is complete at once.

use std::ffi::c_void;

use super::calls;
use crate::arguments::{DatatypeHandle, OpHandle, Output, RequestHandle, SendAddress, WinHandle};
use crate::constants::COMM_NULL;
use crate::error::Result;
use crate::request::{self, Active};
use crate::status::Status;

fn finished(request: &Output<RequestHandle>) {
    request.set(request::create(COMM_NULL, Active::Complete(Status::SENT)));
}

/// `MPI_Rput`.
pub unsafe fn put(
    origin: SendAddress,
    count: i64,
    datatype: DatatypeHandle,
    target_rank: i32,
    target_disp: i64,
    target_count: i64,
    target_datatype: DatatypeHandle,
    win: WinHandle,
    request: Output<RequestHandle>,
) -> Result<()> {
    // SAFETY: passed on from our caller.
    unsafe {
        calls::put(origin, count, datatype, target_rank, target_disp, target_count, target_datatype, win)
    }?;
    finished(&request);
    Ok(())
}

/// `MPI_Rget`.
pub unsafe fn get(
    origin: *mut c_void,
    count: i64,
    datatype: DatatypeHandle,
    target_rank: i32,
    target_disp: i64,
    target_count: i64,
    target_datatype: DatatypeHandle,
    win: WinHandle,
    request: Output<RequestHandle>,
) -> Result<()> {
    // SAFETY: passed on from our caller.
    unsafe {
        calls::get(origin, count, datatype, target_rank, target_disp, target_count, target_datatype, win)
    }?;
    finished(&request);
    Ok(())
}

/// `MPI_Raccumulate`.
pub unsafe fn accumulate(
    origin: SendAddress,
    count: i64,
    datatype: DatatypeHandle,
    target_rank: i32,
    target_disp: i64,
    target_count: i64,
    target_datatype: DatatypeHandle,
    op: OpHandle,
    win: WinHandle,
    request: Output<RequestHandle>,
) -> Result<()> {
    // SAFETY: passed on from our caller.
    unsafe {
        calls::accumulate(
            origin,
            count,
            datatype,
            target_rank,
            target_disp,
            target_count,
            target_datatype,
            op,
            win,
        )
    }?;
    finished(&request);
    Ok(())
}

/// `MPI_Rget_accumulate`.
pub unsafe fn get_accumulate(
    origin: SendAddress,
    count: i64,
    datatype: DatatypeHandle,
    result: *mut c_void,
    result_count: i64,
    result_datatype: DatatypeHandle,
    target_rank: i32,
    target_disp: i64,
    target_count: i64,
    target_datatype: DatatypeHandle,
    op: OpHandle,
    win: WinHandle,
    request: Output<RequestHandle>,
) -> Result<()> {
    // SAFETY: passed on from our caller.
    unsafe {
        calls::get_accumulate(
            origin,
            count,
            datatype,
            result,
            result_count,
            result_datatype,
            target_rank,
            target_disp,
            target_count,
            target_datatype,
            op,
            win,
        )
    }?;
    finished(&request);
    Ok(())
}
