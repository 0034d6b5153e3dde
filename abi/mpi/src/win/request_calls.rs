//! MPI's functions that access windows and give a request. It is complete at once, unless it reads from
//! another host.

use std::ffi::c_void;
use std::sync::Arc;
use std::time::Instant;

use anyccl_engine::comm as engine;
use anyccl_engine::sys::clock;

use super::Win;
use super::calls::{self, Started};
use super::countdown::Countdown;
use super::remote::Place;
use super::wait::Vigil;
use crate::arguments::{DatatypeHandle, OpHandle, Output, RequestHandle, SendAddress, WinHandle};
use crate::constants::COMM_NULL;
use crate::error::Result;
use crate::request::{self, Active, Steps};
use crate::state;
use crate::status::Status;

fn finished(request: &Output<RequestHandle>) {
    request.set(request::create(COMM_NULL, Active::Complete(Status::SENT)));
}

/// A read from another host.
struct Reading {
    win: Arc<Win>,
    countdown: Arc<Countdown>,
    polls: u32,
    vigil: Option<Vigil>,
    start: Instant,
}

/// Polls after which the loss of any rank is a failure.
const PATIENT_POLLS: u32 = 1000;

impl Steps for Reading {
    fn poll(&mut self) -> Option<Result<Status>> {
        if self.countdown.is_over() {
            return Some(self.countdown.outcome().map(|()| Status::SENT));
        }
        self.polls = self.polls.saturating_add(1);
        let waited = clock::since(self.start);
        if state::time_limit().is_some_and(|limit| waited >= limit) {
            return Some(Err(self.win.give_up_access(&self.countdown, waited)));
        }
        let mut go_on = || {
            if self.polls >= PATIENT_POLLS && self.vigil.is_none() {
                self.vigil = Some(Vigil::of(&self.win)?);
            }
            self.win.serve_now()
        };
        go_on().err().map(Err)
    }

    fn current(&self) -> Option<&engine::Request> {
        None
    }
}

fn give(started: Started, request: &Output<RequestHandle>) {
    match started {
        None => finished(request),
        Some((win, countdown)) => {
            let reading = Reading { win, countdown, polls: 0, vigil: None, start: clock::now() };
            request.set(request::create(COMM_NULL, Active::Steps(Box::new(reading))));
        }
    }
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
    let place =
        Place { rank: target_rank, disp: target_disp, count: target_count, datatype: target_datatype };
    // SAFETY: passed on from our caller.
    give(unsafe { calls::start_get(origin, count, datatype, &place, win) }?, &request);
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
    let place =
        Place { rank: target_rank, disp: target_disp, count: target_count, datatype: target_datatype };
    let (sent, result) = ((origin, count, datatype), (result, result_count, result_datatype));
    // SAFETY: passed on from our caller.
    give(unsafe { calls::start_get_accumulate(sent, result, &place, op, win) }?, &request);
    Ok(())
}
