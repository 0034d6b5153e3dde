//! The life of MPI in a process: `MPI_Init`, `MPI_Finalize`, `MPI_Abort`, versions, clocks.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use anyccl_engine::base;
use anyccl_engine::comm::{self as engine, CommConfig};
use anyccl_engine::log_line;
use parking_lot::Mutex;

use crate::abi::{Abi, TextLimit};
use crate::arguments::{CommHandle, Output, TextPlace};
use crate::comm::{self, Comm};
use crate::constants::{COMM_SELF, COMM_WORLD, THREAD_MULTIPLE, THREAD_SINGLE};
use crate::ending;
use crate::errhandler::Errhandler;
use crate::error::{Class, Error, Result};
use crate::group::Group;
use crate::p2p::{buffered, partitioned};
use crate::presence;
use crate::request;
use crate::session;
use crate::start;
use crate::state::{self, Stage, host_name, no_world, stage};

/// The thread that has called `MPI_Init`.
static MAIN: Mutex<Option<std::thread::ThreadId>> = Mutex::new(None);

/// `MPI_Init`. The program's arguments are left alone.
pub unsafe fn init<A: Abi>(_argc: *mut std::ffi::c_void, _argv: *mut std::ffi::c_void) -> Result<()> {
    begin::<A>(THREAD_SINGLE)
}

/// `MPI_Init_thread`.
pub unsafe fn init_thread<A: Abi>(
    _argc: *mut std::ffi::c_void,
    _argv: *mut std::ffi::c_void,
    required: i32,
    provided: Output<i32>,
) -> Result<()> {
    let level = required.clamp(A::LEAST_THREAD_LEVEL, THREAD_MULTIPLE);
    begin::<A>(level)?;
    provided.set(level);
    Ok(())
}

fn begin<A: Abi>(level: i32) -> Result<()> {
    let mut main = MAIN.lock();
    if stage() != Stage::NotYet {
        return Err(Error::new(Class::OTHER, "MPI was initialized already; that is done once in a process"));
    }
    let world = start::engine::<A>()?;
    let all: Vec<base::Rank> = (0..world.size()).collect();
    let member = |id: u32, ranks: Vec<base::Rank>| -> Result<Comm> {
        let name = if id == COMM_WORLD { "MPI_COMM_WORLD" } else { "MPI_COMM_SELF" };
        let own = CommConfig { name: Some(name.into()), ..CommConfig::default() };
        let made = if id == COMM_WORLD {
            world.dup(&own)?
        } else {
            world.form_with_context(world.new_context()?, &ranks, &own)?
        };
        Ok(Comm::intra(id, made, Arc::new(Group::new(ranks)), Errhandler::INITIAL))
    };
    comm::insert_predefined([member(COMM_WORLD, all)?, member(COMM_SELF, vec![world.rank()])?]);
    log_line!(
        Info,
        "MPI is anyccl {}, {}: rank {} of {}",
        base::VERSION,
        presence::own_path().display(),
        world.rank(),
        world.size()
    );
    *main = Some(std::thread::current().id());
    state::note_initialized(level);
    Ok(())
}

/// `MPI_Initialized`.
pub unsafe fn initialized(flag: Output<bool>) -> Result<()> {
    flag.set(stage() != Stage::NotYet);
    Ok(())
}

/// `MPI_Finalized`. True in a forked child as well, so that what ends MPI at the exit of a program leaves it
/// alone there.
pub unsafe fn finalized(flag: Output<bool>) -> Result<()> {
    flag.set(stage() == Stage::Finalized || engine::is_world_of_parent());
    Ok(())
}

/// `MPI_Finalize`.
pub unsafe fn finalize() -> Result<()> {
    if stage() != Stage::Initialized {
        return Err(no_world());
    }
    // First of all, while everything still works: MPI 5.0, section 11.2.4.
    if let Ok(own) = Comm::from_handle(CommHandle(COMM_SELF)) {
        let own = own.share();
        own.attributes.delete_all(COMM_SELF)?;
    }
    request::orphans::finish();
    partitioned::forget_all();
    buffered::finish();
    if session::has_been() {
        // Sessions need the engine, which ends with the process. This barrier is the end of the world.
        let world = Comm::from_handle(CommHandle(COMM_WORLD))?.share();
        comm::agreement::gather(world.engine(), [0])?;
    }
    comm::end::forget_all();
    comm::remove_predefined();
    state::note_finalized();
    if session::has_been() {
        return Ok(());
    }
    match engine::world_finalize() {
        Err(base::Error::PeerLost { .. }) if comm::failures::is_tolerant() => Ok(()),
        outcome => Ok(outcome?),
    }
}

/// `MPI_Query_thread`.
pub unsafe fn query_thread(provided: Output<i32>) -> Result<()> {
    provided.set(state::thread_level());
    Ok(())
}

/// `MPI_Is_thread_main`.
pub unsafe fn is_thread_main(flag: Output<bool>) -> Result<()> {
    flag.set(*MAIN.lock() == Some(std::thread::current().id()));
    Ok(())
}

/// `MPI_Get_library_version`.
pub unsafe fn get_library_version(version: TextPlace, length: Output<i32>) -> Result<()> {
    let text = format!("anyccl {} (MPI on the builtin engine)", base::VERSION);
    length.set(version.put(text.as_bytes(), TextLimit::LibraryVersion));
    Ok(())
}

/// `MPI_Get_processor_name`.
pub unsafe fn get_processor_name(name: TextPlace, length: Output<i32>) -> Result<()> {
    let host = host_name()?;
    length.set(name.put(host.as_bytes(), TextLimit::ProcessorName));
    Ok(())
}

/// `MPI_Wtime`: seconds since the beginning of 1970.
pub fn wtime() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |time| time.as_secs_f64())
}

/// `MPI_Wtick`.
pub fn wtick() -> f64 {
    1e-9
}

/// `MPI_Abort`.
pub unsafe fn abort(comm: CommHandle, errorcode: i32) -> Result<()> {
    let title = Comm::from_handle(comm).map_or_else(|_| "no communicator".into(), |comm| comm.title());
    ending::leave(&format!("MPI_Abort on {title} with error code {errorcode}"), errorcode)
}

/// `MPI_Pcontrol`. This library has no profiler.
pub unsafe fn pcontrol(_level: i32) -> Result<()> {
    Ok(())
}

/// `MPI_Get_version`: the version of MPI to which the door's ABI belongs.
pub unsafe fn get_version<A: Abi>(version: Output<i32>, subversion: Output<i32>) -> Result<()> {
    version.set(A::VERSION.0);
    subversion.set(A::VERSION.1);
    Ok(())
}

/// `MPI_Abi_get_version`.
pub unsafe fn get_abi_version<A: Abi>(major: Output<i32>, minor: Output<i32>) -> Result<()> {
    major.set(A::ABI_VERSION.0);
    minor.set(A::ABI_VERSION.1);
    Ok(())
}
