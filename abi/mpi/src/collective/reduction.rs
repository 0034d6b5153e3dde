//! Reductions: to one rank, to all ranks, and scans.

use std::ptr;

use anyccl_engine::base::{Call, CallKind, Collective, Rank};
use anyccl_engine::comm::Operation;

use super::inter_reduction;
use super::script::Script;
use super::typed::{Elements, bytes_of, check_address, check_apart, check_count, check_root};
use super::uniform::whole;
use crate::arguments::{CommHandle, DatatypeHandle, OpHandle, RecvAddress, SendAddress};
use crate::comm::Comm;
use crate::error::{Class, Error, Result};
use crate::op::{Bound, Form, Op};
use crate::types::{self, TypeRef};

/// Datatype and operator of a reduction.
pub(super) struct Reduction {
    pub datatype: TypeRef,
    /// The operator on the datatype; `None` if elements have no bytes, because then there is nothing to
    /// reduce.
    pub bound: Option<Bound>,
}

impl Reduction {
    /// Checks datatype and operator.
    pub fn new(datatype: DatatypeHandle, op: OpHandle) -> Result<Reduction> {
        let handle = datatype;
        let op = Op::from_handle(op)?;
        let datatype = types::committed(handle)?;
        let bound = match (&op, datatype.size()) {
            (Op::User(_), 0) => None,
            _ => Some(Bound::new(&op, handle, &datatype)?),
        };
        Ok(Reduction { datatype, bound })
    }

    /// Elements at an address.
    pub fn elements(&self, base: *mut u8, count: i64) -> Elements<'_> {
        Elements::written(base, count, &self.datatype)
    }

    /// Length of elements in bytes, as the engine counts them.
    pub fn bytes(&self, count: i64) -> Result<usize> {
        let unit = self.bound.as_ref().map_or(0, |bound| bound.unit);
        (count as usize).checked_mul(unit).ok_or_else(too_many)
    }

    /// The address at which the engine reads elements.
    pub fn input(
        &self,
        script: &mut Script,
        base: *mut u8,
        count: i64,
        name: &'static str,
    ) -> Result<*mut u8> {
        if let Some(start) = self.in_place(base, count, name)? {
            return Ok(start);
        }
        let memory = script.scratch(bytes_of(count, &self.datatype)?)?;
        script.pack(self.elements(base, count).typed(), memory);
        Ok(memory)
    }

    /// The address at which the engine writes elements.
    pub fn output(
        &self,
        script: &mut Script,
        base: *mut u8,
        count: i64,
        name: &'static str,
    ) -> Result<*mut u8> {
        if let Some(start) = self.in_place(base, count, name)? {
            return Ok(start);
        }
        let memory = script.scratch(bytes_of(count, &self.datatype)?)?;
        script.unpack(memory.cast_const(), self.elements(base, count).typed());
        Ok(memory)
    }

    /// Scratch memory for elements. The call's result is stored from there after the call of this stage.
    pub fn output_apart(&self, script: &mut Script, base: *mut u8, count: i64) -> Result<*mut u8> {
        let bytes = self.bytes(count)?;
        let memory = script.scratch(bytes)?;
        match self.in_place(base, count, "recvbuf")? {
            Some(start) => script.copy_after(memory.cast_const(), start, bytes),
            None => script.unpack(memory.cast_const(), self.elements(base, count).typed()),
        }
        Ok(memory)
    }

    fn in_place(&self, base: *mut u8, count: i64, name: &'static str) -> Result<Option<*mut u8>> {
        check_count(count)?;
        check_address(base.cast_const(), count, &self.datatype, name)?;
        Ok(match self.bound.as_ref().map(|bound| bound.form) {
            Some(Form::InPlace(offset)) => Some(base.wrapping_offset(offset as isize)),
            Some(Form::Packed) | None => None,
        })
    }

    /// The engine's call on `count` elements, in the sense of the collective.
    pub fn operation(
        &self,
        collective: Collective,
        root: Rank,
        count: i64,
        send: *const u8,
        recv: *mut u8,
    ) -> Option<Operation> {
        let bound = self.bound.as_ref()?;
        let kind = CallKind::Collective(collective);
        let call =
            Call { kind, datatype: bound.element, op: Some(bound.op), root, count: count.cast_unsigned() };
        Some(Operation { call, send, recv })
    }
}

#[cold]
pub(super) fn too_many() -> Error {
    Error::new(Class::COUNT, "the elements exceed memory")
}

/// A collective whose input and output have the same elements on each rank that has both.
fn aligned(
    collective: Collective,
    (sendbuf, recvbuf): (SendAddress, RecvAddress),
    count: i64,
    reduction: &Reduction,
    comm: &Comm,
    root: Rank,
) -> Result<Script> {
    let mut script = Script::new();
    check_count(count)?;
    let is_written = match collective {
        Collective::Reduce => comm.rank() == root,
        Collective::Exscan => comm.rank() > 0,
        _ => true,
    };
    // Rank 0 has a buffer in an exclusive scan, too; it may be in place.
    let has_recv = is_written || collective == Collective::Exscan;
    let (send, recv) = if sendbuf.is_in_place() {
        if !has_recv {
            return Err(Error::new(Class::BUFFER, "sendbuf is MPI_IN_PLACE, which is for the root"));
        }
        let base = whole(recvbuf, "recvbuf")?;
        let start = reduction.input(&mut script, base, count, "recvbuf")?;
        if is_written && reduction.in_place(base, count, "recvbuf")?.is_none() {
            script.unpack(start.cast_const(), reduction.elements(base, count).typed());
        }
        (start.cast_const(), start)
    } else {
        let recv = if is_written {
            let recv = whole(recvbuf, "recvbuf")?;
            check_apart(sendbuf.pointer(), recv, bytes_of(count, &reduction.datatype)?)?;
            reduction.output(&mut script, recv, count, "recvbuf")?
        } else {
            ptr::null_mut()
        };
        let send = reduction.input(&mut script, sendbuf.pointer().cast_mut(), count, "sendbuf")?;
        (send.cast_const(), recv)
    };
    reduction.bytes(count)?;
    if let Some(operation) = reduction.operation(collective, root, count, send, recv) {
        script.call(comm.engine(), operation, reduction.bound.clone());
    }
    Ok(script)
}

/// `MPI_Reduce`.
pub(super) unsafe fn reduce(
    sendbuf: SendAddress,
    recvbuf: RecvAddress,
    count: i64,
    datatype: DatatypeHandle,
    op: OpHandle,
    root: i32,
    comm: CommHandle,
) -> Result<Script> {
    let comm = Comm::from_handle(comm)?;
    if let Some(inter) = comm.inter() {
        return inter_reduction::reduce(&comm, inter, sendbuf, recvbuf, count, datatype, op, root);
    }
    let root = check_root(root, comm.size(), &comm)?;
    let reduction = Reduction::new(datatype, op)?;
    aligned(Collective::Reduce, (sendbuf, recvbuf), count, &reduction, &comm, root)
}

/// `MPI_Allreduce`.
pub(super) unsafe fn allreduce(
    sendbuf: SendAddress,
    recvbuf: RecvAddress,
    count: i64,
    datatype: DatatypeHandle,
    op: OpHandle,
    comm: CommHandle,
) -> Result<Script> {
    let comm = Comm::from_handle(comm)?;
    let reduction = Reduction::new(datatype, op)?;
    if let Some(inter) = comm.inter() {
        return inter_reduction::allreduce(&comm, inter, sendbuf, recvbuf, count, &reduction);
    }
    aligned(Collective::AllReduce, (sendbuf, recvbuf), count, &reduction, &comm, 0)
}

/// `MPI_Scan`.
pub(super) unsafe fn scan(
    sendbuf: SendAddress,
    recvbuf: RecvAddress,
    count: i64,
    datatype: DatatypeHandle,
    op: OpHandle,
    comm: CommHandle,
) -> Result<Script> {
    before(Collective::Scan, (sendbuf, recvbuf), count, datatype, op, comm)
}

/// `MPI_Exscan`.
pub(super) unsafe fn exscan(
    sendbuf: SendAddress,
    recvbuf: RecvAddress,
    count: i64,
    datatype: DatatypeHandle,
    op: OpHandle,
    comm: CommHandle,
) -> Result<Script> {
    before(Collective::Exscan, (sendbuf, recvbuf), count, datatype, op, comm)
}

fn before(
    collective: Collective,
    buffers: (SendAddress, RecvAddress),
    count: i64,
    datatype: DatatypeHandle,
    op: OpHandle,
    comm: CommHandle,
) -> Result<Script> {
    let comm = Comm::from_handle(comm)?;
    if comm.inter().is_some() {
        return Err(Error::new(Class::COMM, "a scan needs a communicator of one group"));
    }
    let reduction = Reduction::new(datatype, op)?;
    aligned(collective, buffers, count, &reduction, &comm, 0)
}
