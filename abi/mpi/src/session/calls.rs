//! MPI's functions on sessions.

use std::ffi::CString;
use std::sync::Arc;

use super::Session;
use super::psets::{NAMES, members};
use crate::abi::{Abi, TextLimit};
use crate::arguments::{
    ErrhandlerHandle, GroupHandle, InfoHandle, InputOutput, Output, SessionHandle, TextPlace,
};
use crate::constants as c;
use crate::errhandler::{Errhandler, Kind};
use crate::error::{Class, Error, Result};
use crate::group::Group;
use crate::info::Pairs;
use crate::p2p::{buffered, partitioned};
use crate::state::{self, Stage, stage};
use crate::{request, start};

/// Key of the level of thread support.
const THREAD_LEVEL: &str = "thread_level";

/// `MPI_Session_init`.
pub unsafe fn init<A: Abi>(
    info: InfoHandle,
    errhandler: ErrhandlerHandle,
    session: Output<SessionHandle>,
) -> Result<()> {
    let handler = Errhandler::from_handle(errhandler, Kind::Session)?;
    let made = begin::<A>(info, handler).map_err(|error| error.on_errhandler(errhandler.0))?;
    session.set(made);
    Ok(())
}

fn begin<A: Abi>(info: InfoHandle, handler: Errhandler) -> Result<SessionHandle> {
    let asked = Pairs::of_handle_or_null(info)?;
    let level = level_of(asked.get(THREAD_LEVEL))?.max(A::LEAST_THREAD_LEVEL);
    start::engine::<A>()?;
    state::note_thread_level(level);
    let mut used = Pairs::default();
    used.set(THREAD_LEVEL, state::thread_level_name(level))?;
    Ok(Session::open(handler, used))
}

/// The level of thread support that a session asks for, the highest if it asks for none.
fn level_of(asked: Option<&str>) -> Result<i32> {
    let Some(asked) = asked else { return Ok(c::THREAD_MULTIPLE) };
    let levels = [c::THREAD_SINGLE, c::THREAD_FUNNELED, c::THREAD_SERIALIZED, c::THREAD_MULTIPLE];
    let found = levels.into_iter().find(|level| state::thread_level_name(*level) == asked);
    found.ok_or_else(|| {
        let text = format!("thread_level is \"{asked}\"; it is MPI_THREAD_SINGLE or another level");
        Error::new(Class::INFO_VALUE, text)
    })
}

/// `MPI_Session_finalize`. It waits for no other process.
pub unsafe fn finalize(session: InputOutput<SessionHandle>) -> Result<()> {
    let handle = session.get();
    let id = Session::from_handle(handle)?.id;
    buffered::finish_session(id)?;
    if super::number() == 1 && stage() != Stage::Initialized {
        request::orphans::finish();
        partitioned::forget_all();
    }
    Session::close(handle)?;
    session.set(SessionHandle::NULL);
    Ok(())
}

/// `MPI_Session_get_info`.
pub unsafe fn get_info(session: SessionHandle, info: Output<InfoHandle>) -> Result<()> {
    info.set(Session::from_handle(session)?.info.clone().with_memory_kinds().handle());
    Ok(())
}

/// `MPI_Session_get_num_psets`. No hints are known.
pub unsafe fn get_num_psets(session: SessionHandle, info: InfoHandle, number: Output<i32>) -> Result<()> {
    Session::from_handle(session)?;
    Pairs::of_handle_or_null(info)?;
    number.set(NAMES.len() as i32);
    Ok(())
}

/// `MPI_Session_get_nth_pset`.
pub unsafe fn get_nth_pset(
    session: SessionHandle,
    info: InfoHandle,
    n: i32,
    length: InputOutput<i32>,
    place: Option<TextPlace>,
) -> Result<()> {
    nth_pset(session, info, n, length, place, true)
}

/// Names a process set. `counts_zero`: the length counts the zero at the end.
pub fn nth_pset(
    session: SessionHandle,
    info: InfoHandle,
    n: i32,
    length: InputOutput<i32>,
    place: Option<TextPlace>,
    counts_zero: bool,
) -> Result<()> {
    Session::from_handle(session)?;
    Pairs::of_handle_or_null(info)?;
    let name = usize::try_from(n).ok().and_then(|n| NAMES.get(n));
    let name = name
        .ok_or_else(|| Error::new(Class::ARG, format!("n is {n}; there are {} process sets", NAMES.len())))?;
    let room = usize::try_from(length.get())
        .map_err(|_| Error::new(Class::ARG, format!("pset_len is {}, less than 0", length.get())))?;
    if room > 0 {
        let place = place.ok_or_else(|| Error::new(Class::ARG, "pset_name is NULL"))?;
        place.put(name.as_bytes(), TextLimit::Given(room));
    }
    length.set(name.len() as i32 + i32::from(counts_zero));
    Ok(())
}

/// `MPI_Session_get_pset_info`.
pub unsafe fn get_pset_info(session: SessionHandle, name: CString, info: Output<InfoHandle>) -> Result<()> {
    Session::from_handle(session)?;
    let mut pairs = Pairs::default();
    pairs.set("mpi_size", &members(&*state::world()?, name.as_bytes())?.len().to_string())?;
    info.set(pairs.handle());
    Ok(())
}

/// `MPI_Group_from_session_pset`.
pub unsafe fn group_from_pset(
    session: SessionHandle,
    name: CString,
    newgroup: Output<GroupHandle>,
) -> Result<()> {
    newgroup.set(GroupHandle::NULL);
    let id = Session::from_handle(session)?.id;
    let group = Group::new(members(&*state::world()?, name.as_bytes())?).of_session(Some(id));
    newgroup.set(Arc::new(group).handle());
    Ok(())
}
