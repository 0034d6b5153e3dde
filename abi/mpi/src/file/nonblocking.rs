//! Non-blocking accesses.
//!
//! An access of one rank is complete when it is started: the file system takes and gives bytes without
//! waiting for another rank. A collective one is independent on each rank, and then an agreement on its
//! outcome, which goes on while the program computes. So all ranks get an error of the same class.

use std::sync::Arc;

use anyccl_engine::base::{Call, CallKind, Collective, Datatype};
use anyccl_engine::comm::{self as engine, Operation};

use super::File;
use super::transfer::{Access, Start};
use super::with::with;
use crate::arguments::{DatatypeHandle, FileHandle, Output, RecvAddress, RequestHandle, SendAddress};
use crate::constants::COMM_NULL;
use crate::error::{Class, Error, Result};
use crate::request::{self, Active, Steps};
use crate::status::Status;

/// The agreement of all ranks on the outcome of an access that has ended on this rank.
struct Agreement {
    file: Arc<File>,
    outcome: Result<Status>,
    /// Gathers the error classes of all ranks; it keeps the memory of `classes`.
    request: engine::Request,
    classes: *const u8,
}

// SAFETY: `classes` points to memory that `request` owns, and only `poll` uses it.
unsafe impl Send for Agreement {}

/// Bytes of an error class on its way.
const LEN: usize = size_of::<i32>();

impl Agreement {
    /// Starts the agreement. Collective.
    fn start(file: &Arc<File>, outcome: Result<Status>) -> Result<Active> {
        let own = outcome.as_ref().map_or_else(|error| error.class, |_| Class::SUCCESS);
        let mut memory = vec![0u8; LEN * (file.engine.size() as usize + 1)];
        let (send, recv) = memory.split_at_mut(LEN);
        send.copy_from_slice(&own.0.to_ne_bytes());
        let (send, recv) = (send.as_ptr(), recv.as_mut_ptr());
        let kind = CallKind::Collective(Collective::AllGather);
        let call = Call { kind, datatype: Datatype::Byte, op: None, root: 0, count: LEN as u64 };
        // SAFETY: one class is read and one per rank is written in `memory`, which the request keeps to its
        // end.
        let request = unsafe { file.engine.start(&Operation { call, send, recv }) }?.keeping(memory);
        let agreement = Agreement { file: Arc::clone(file), outcome, request, classes: recv.cast_const() };
        Ok(Active::Steps(Box::new(agreement)))
    }

    /// The outcome, once the classes of all ranks are known.
    fn outcome(&self) -> Result<Status> {
        for rank in 0..self.file.engine.size() as usize {
            let place = self.classes.cast::<i32>().wrapping_add(rank);
            // SAFETY: the gather is complete, and `request` keeps its memory, which has a class for each
            // rank.
            let class = Class(unsafe { place.read_unaligned() });
            if class != Class::SUCCESS {
                let own = self.outcome.as_ref().err().map_or("", |error| &*error.text);
                let more = if own.is_empty() { String::new() } else { format!("; on this rank: {own}") };
                let text =
                    format!("rank {rank} of {} has failed: {}{more}", self.file.title(), class.meaning());
                return Err(Error::new(class, text).on_file(self.file.id));
            }
        }
        self.outcome.clone()
    }
}

impl Steps for Agreement {
    fn poll(&mut self) -> Option<Result<Status>> {
        match self.request.test() {
            Ok(false) => None,
            Ok(true) => Some(self.outcome()),
            Err(error) => Some(Err(Error::from(error).on_file(self.file.id))),
        }
    }

    fn current(&self) -> Option<&engine::Request> {
        Some(&self.request)
    }
}

/// Starts an access of one rank.
///
/// # Safety
/// The program passes a buffer for it.
unsafe fn start(fh: FileHandle, access: &Access, request: &Output<RequestHandle>) -> Result<()> {
    // SAFETY: passed on from our caller.
    let status = with(fh, |file| unsafe { file.run(access) })?;
    request.set(request::create(COMM_NULL, Active::Complete(status)));
    Ok(())
}

/// Starts an access of all ranks.
///
/// # Safety
/// The program passes a buffer for it.
unsafe fn start_all(fh: FileHandle, access: &Access, request: &Output<RequestHandle>) -> Result<()> {
    with(fh, |file| {
        // SAFETY: passed on from our caller.
        let outcome = unsafe { file.run(access) };
        request.set(request::create(COMM_NULL, Agreement::start(file, outcome)?));
        Ok(())
    })
}

/// `MPI_File_iread`.
pub unsafe fn iread(
    fh: FileHandle,
    buf: RecvAddress,
    count: i64,
    datatype: DatatypeHandle,
    request: Output<RequestHandle>,
) -> Result<()> {
    // SAFETY: passed on from our caller.
    unsafe { start(fh, &Access::read(Start::Individual, buf, count, datatype), &request) }
}

/// `MPI_File_iread_at`.
pub unsafe fn iread_at(
    fh: FileHandle,
    offset: i64,
    buf: RecvAddress,
    count: i64,
    datatype: DatatypeHandle,
    request: Output<RequestHandle>,
) -> Result<()> {
    // SAFETY: passed on from our caller.
    unsafe { start(fh, &Access::read(Start::Offset(offset), buf, count, datatype), &request) }
}

/// `MPI_File_iread_shared`.
pub unsafe fn iread_shared(
    fh: FileHandle,
    buf: RecvAddress,
    count: i64,
    datatype: DatatypeHandle,
    request: Output<RequestHandle>,
) -> Result<()> {
    // SAFETY: passed on from our caller.
    unsafe { start(fh, &Access::read(Start::Shared, buf, count, datatype), &request) }
}

/// `MPI_File_iread_all`.
pub unsafe fn iread_all(
    fh: FileHandle,
    buf: RecvAddress,
    count: i64,
    datatype: DatatypeHandle,
    request: Output<RequestHandle>,
) -> Result<()> {
    // SAFETY: passed on from our caller.
    unsafe { start_all(fh, &Access::read(Start::Individual, buf, count, datatype), &request) }
}

/// `MPI_File_iread_at_all`.
pub unsafe fn iread_at_all(
    fh: FileHandle,
    offset: i64,
    buf: RecvAddress,
    count: i64,
    datatype: DatatypeHandle,
    request: Output<RequestHandle>,
) -> Result<()> {
    // SAFETY: passed on from our caller.
    unsafe { start_all(fh, &Access::read(Start::Offset(offset), buf, count, datatype), &request) }
}

/// `MPI_File_iwrite`.
pub unsafe fn iwrite(
    fh: FileHandle,
    buf: SendAddress,
    count: i64,
    datatype: DatatypeHandle,
    request: Output<RequestHandle>,
) -> Result<()> {
    // SAFETY: passed on from our caller.
    unsafe { start(fh, &Access::write(Start::Individual, buf, count, datatype), &request) }
}

/// `MPI_File_iwrite_at`.
pub unsafe fn iwrite_at(
    fh: FileHandle,
    offset: i64,
    buf: SendAddress,
    count: i64,
    datatype: DatatypeHandle,
    request: Output<RequestHandle>,
) -> Result<()> {
    // SAFETY: passed on from our caller.
    unsafe { start(fh, &Access::write(Start::Offset(offset), buf, count, datatype), &request) }
}

/// `MPI_File_iwrite_shared`.
pub unsafe fn iwrite_shared(
    fh: FileHandle,
    buf: SendAddress,
    count: i64,
    datatype: DatatypeHandle,
    request: Output<RequestHandle>,
) -> Result<()> {
    // SAFETY: passed on from our caller.
    unsafe { start(fh, &Access::write(Start::Shared, buf, count, datatype), &request) }
}

/// `MPI_File_iwrite_all`.
pub unsafe fn iwrite_all(
    fh: FileHandle,
    buf: SendAddress,
    count: i64,
    datatype: DatatypeHandle,
    request: Output<RequestHandle>,
) -> Result<()> {
    // SAFETY: passed on from our caller.
    unsafe { start_all(fh, &Access::write(Start::Individual, buf, count, datatype), &request) }
}

/// `MPI_File_iwrite_at_all`.
pub unsafe fn iwrite_at_all(
    fh: FileHandle,
    offset: i64,
    buf: SendAddress,
    count: i64,
    datatype: DatatypeHandle,
    request: Output<RequestHandle>,
) -> Result<()> {
    // SAFETY: passed on from our caller.
    unsafe { start_all(fh, &Access::write(Start::Offset(offset), buf, count, datatype), &request) }
}
