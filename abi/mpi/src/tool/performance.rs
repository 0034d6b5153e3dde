//! Performance variables: what the library counts. All are counted all the time and only read.

use std::collections::BTreeMap;
use std::ffi::{CString, c_void};

use parking_lot::Mutex;

use super::{at, check, text};
use crate::abi::{Abi, Object};
use crate::arguments::{
    CommHandle, DatatypeHandle, InputOutput, Output, RecvAddress, SendAddress, TextPlace, ToolHandle,
};
use crate::comm::Comm;
use crate::constants as c;
use crate::error::{Class, Error, Result};
use crate::p2p::buffered;
use crate::table::Table;
use crate::{request, session};

/// What is counted.
pub(super) struct Counter {
    name: &'static str,
    meaning: &'static str,
    class: i32,
    count: Count,
}

/// Where a count comes from.
#[derive(Clone, Copy)]
enum Count {
    OfProcess(fn() -> u64),
    OfComm(fn(&Comm) -> u64),
}

/// All counters. Programs may keep their indices: append.
pub(super) static COUNTERS: &[Counter] = &[
    Counter {
        name: "anyccl_requests",
        meaning: "Number of requests that are under way or persistent.",
        class: c::T_PVAR_CLASS_LEVEL,
        count: Count::OfProcess(|| request::number() as u64),
    },
    Counter {
        name: "anyccl_sessions",
        meaning: "Number of sessions.",
        class: c::T_PVAR_CLASS_LEVEL,
        count: Count::OfProcess(|| session::number() as u64),
    },
    Counter {
        name: "anyccl_buffered_bytes",
        meaning: "Bytes of buffered sends that have not left yet.",
        class: c::T_PVAR_CLASS_LEVEL,
        count: Count::OfProcess(|| buffered::bytes() as u64),
    },
    Counter {
        name: "anyccl_direct_buffers_in_place",
        meaning: "Buffers in GPU memory that direct calls have used where they are.",
        class: c::T_PVAR_CLASS_COUNTER,
        count: Count::OfComm(|comm| comm.engine().direct_buffers().0),
    },
    Counter {
        name: "anyccl_direct_buffers_copied",
        meaning: "Buffers in GPU memory that direct calls have copied.",
        class: c::T_PVAR_CLASS_COUNTER,
        count: Count::OfComm(|comm| comm.engine().direct_buffers().1),
    },
];

/// A session of a tool, with its handles: the counter of each, and the communicator for which it counts.
#[derive(Default)]
struct ToolSession(Mutex<BTreeMap<usize, (usize, u32)>>);

static SESSIONS: Table<ToolSession> =
    Table::new("session of performance variables", Class::T_INVALID_SESSION);
/// Numbers of handles. They are different in all sessions.
static NEXT: Mutex<usize> = Mutex::new(crate::table::FIRST as usize);

/// `MPI_T_pvar_get_num`.
pub unsafe fn get_num(number: Option<Output<i32>>) -> Result<()> {
    check()?;
    number.iter().for_each(|number| number.set(COUNTERS.len() as i32));
    Ok(())
}

/// `MPI_T_pvar_get_info`.
pub unsafe fn get_info(
    index: i32,
    name: Option<TextPlace>,
    name_len: Option<InputOutput<i32>>,
    verbosity: Option<Output<i32>>,
    var_class: Option<Output<i32>>,
    datatype: Option<Output<DatatypeHandle>>,
    enumtype: Option<Output<ToolHandle>>,
    desc: Option<TextPlace>,
    desc_len: Option<InputOutput<i32>>,
    bind: Option<Output<i32>>,
    readonly: Option<Output<i32>>,
    continuous: Option<Output<i32>>,
    atomic: Option<Output<i32>>,
) -> Result<()> {
    check()?;
    let counter = at(COUNTERS, index, "performance variable")?;
    text::put(counter.name, name, name_len);
    text::put(counter.meaning, desc, desc_len);
    verbosity.iter().for_each(|place| place.set(c::T_VERBOSITY_USER_ALL));
    var_class.iter().for_each(|place| place.set(counter.class));
    datatype.iter().for_each(|place| place.set(DatatypeHandle(c::UNSIGNED_LONG_LONG)));
    enumtype.iter().for_each(|place| place.set(ToolHandle::NULL));
    let object = match counter.count {
        Count::OfProcess(_) => c::T_BIND_NO_OBJECT,
        Count::OfComm(_) => c::T_BIND_MPI_COMM,
    };
    bind.iter().for_each(|place| place.set(object));
    readonly.iter().for_each(|place| place.set(1));
    continuous.iter().for_each(|place| place.set(1));
    atomic.iter().for_each(|place| place.set(0));
    Ok(())
}

/// `MPI_T_pvar_get_index`.
pub unsafe fn get_index(name: CString, var_class: i32, index: Option<Output<i32>>) -> Result<()> {
    check()?;
    let is_it = |counter: &Counter| counter.name.as_bytes() == name.as_bytes() && counter.class == var_class;
    let found = COUNTERS.iter().position(is_it);
    let text = "there is no performance variable of this name and class";
    let found = found.ok_or_else(|| Error::new(Class::T_INVALID_NAME, text))?;
    index.iter().for_each(|index| index.set(found as i32));
    Ok(())
}

/// `MPI_T_pvar_session_create`.
pub unsafe fn session_create(session: Output<ToolHandle>) -> Result<()> {
    check()?;
    session.set(ToolHandle(SESSIONS.insert(ToolSession::default().into()) as usize));
    Ok(())
}

/// `MPI_T_pvar_session_free`. Its handles are freed, too.
pub unsafe fn session_free(session: InputOutput<ToolHandle>) -> Result<()> {
    check()?;
    SESSIONS.remove(session.get().number())?;
    session.set(ToolHandle::NULL);
    Ok(())
}

/// `MPI_T_pvar_handle_alloc`. `object` points to the handle of a communicator, for a counter of those.
pub unsafe fn handle_alloc<A: Abi>(
    session: ToolHandle,
    index: i32,
    object: *mut c_void,
    handle: Output<ToolHandle>,
    count: Option<Output<i32>>,
) -> Result<()> {
    check()?;
    let session = SESSIONS.get(session.number())?;
    let counter = at(COUNTERS, index, "performance variable")?;
    let comm = match counter.count {
        Count::OfProcess(_) => c::COMM_NULL,
        Count::OfComm(_) if object.is_null() => {
            return Err(Error::new(Class::T_INVALID_HANDLE, "obj_handle is NULL"));
        }
        Count::OfComm(_) => {
            // SAFETY: not NULL, and the program passes the place of a communicator's handle.
            let raw = unsafe { object.cast::<A::Handle>().read() };
            of_comm(A::id(Object::Comm, raw))?.id
        }
    };
    let number = {
        let mut next = NEXT.lock();
        *next += 1;
        *next
    };
    session.0.lock().insert(number, (index as usize, comm));
    count.iter().for_each(|count| count.set(1));
    handle.set(ToolHandle(number));
    Ok(())
}

fn of_comm(comm: u32) -> Result<anyccl_edge::ObjectRef<'static, Comm>> {
    Comm::from_handle(CommHandle(comm))
        .map_err(|error| Error::new(Class::T_INVALID_HANDLE, error.text.clone()))
}

/// The counter of a handle, and its communicator.
fn find(session: ToolHandle, handle: ToolHandle) -> Result<(&'static Counter, u32)> {
    check()?;
    let found = SESSIONS.get(session.number())?.0.lock().get(&handle.0).copied();
    found.map(|(index, comm)| (&COUNTERS[index], comm)).ok_or_else(|| {
        Error::new(Class::T_INVALID_HANDLE, "the session has no such handle of a performance variable")
    })
}

/// `MPI_T_pvar_handle_free`.
pub unsafe fn handle_free(session: ToolHandle, handle: InputOutput<ToolHandle>) -> Result<()> {
    find(session, handle.get())?;
    SESSIONS.get(session.number())?.0.lock().remove(&handle.get().0);
    handle.set(ToolHandle::NULL);
    Ok(())
}

/// `MPI_T_pvar_read`.
pub unsafe fn read(session: ToolHandle, handle: ToolHandle, buf: RecvAddress) -> Result<()> {
    let (counter, comm) = find(session, handle)?;
    let value = match counter.count {
        Count::OfProcess(count) => count(),
        Count::OfComm(count) => count(&*of_comm(comm)?),
    };
    if buf.pointer().is_null() {
        return Err(Error::new(Class::T_INVALID, "buf is NULL"));
    }
    // SAFETY: not NULL, and the program passes memory for one number.
    unsafe { buf.pointer().cast::<u64>().write_unaligned(value) };
    Ok(())
}

/// Refuses a call on one handle with this error. On all handles, those that do not allow the call are passed
/// over, and none does.
fn refuse(session: ToolHandle, handle: ToolHandle, class: Class, text: &'static str) -> Result<()> {
    if handle == ToolHandle::ALL {
        check()?;
        return SESSIONS.get(session.number()).map(drop);
    }
    find(session, handle)?;
    Err(Error::new(class, text))
}

/// `MPI_T_pvar_start` and `MPI_T_pvar_stop`.
pub unsafe fn start_or_stop(session: ToolHandle, handle: ToolHandle) -> Result<()> {
    refuse(session, handle, Class::T_PVAR_NO_STARTSTOP, "the variable is counted all the time")
}

/// `MPI_T_pvar_reset`.
pub unsafe fn reset(session: ToolHandle, handle: ToolHandle) -> Result<()> {
    refuse(session, handle, Class::T_PVAR_NO_WRITE, "the variable is only read")
}

/// `MPI_T_pvar_write`.
pub unsafe fn write(session: ToolHandle, handle: ToolHandle, _buf: SendAddress) -> Result<()> {
    find(session, handle)?;
    Err(Error::new(Class::T_PVAR_NO_WRITE, "the variable is only read"))
}

/// `MPI_T_pvar_readreset`.
pub unsafe fn read_and_reset(session: ToolHandle, handle: ToolHandle, _buf: RecvAddress) -> Result<()> {
    find(session, handle)?;
    Err(Error::new(Class::T_PVAR_NO_ATOMIC, "the variable is only read, and not reset with it"))
}
