//! MPI's functions on error handlers (MPI 5.0, section 9.3).

use super::{Errhandler, Kind, OF_FILES, failure};
use crate::arguments::{
    CommHandle, ErrhandlerHandle, ErrorFunction, FileHandle, InputOutput, Output, SessionHandle, WinHandle,
};
use crate::comm::Comm;
use crate::error::{Class, Result};
use crate::file::File;
use crate::session::Session;
use crate::win::Win;

/// `MPI_Comm_create_errhandler`.
pub unsafe fn comm_create(function: ErrorFunction, errhandler: Output<ErrhandlerHandle>) -> Result<()> {
    errhandler.set(Errhandler::make(Kind::Comm, function));
    Ok(())
}

/// `MPI_Comm_set_errhandler`.
pub unsafe fn comm_set(comm: CommHandle, errhandler: ErrhandlerHandle) -> Result<()> {
    let comm = Comm::from_handle(comm)?;
    let new = Errhandler::from_handle(errhandler, Kind::Comm)?;
    let old = std::mem::replace(&mut *comm.errhandler.lock(), new);
    // Outside the lock: dropping the last user removes the handler from its table.
    drop(old);
    Ok(())
}

/// `MPI_Comm_get_errhandler`.
pub unsafe fn comm_get(comm: CommHandle, errhandler: Output<ErrhandlerHandle>) -> Result<()> {
    let comm = Comm::from_handle(comm)?;
    errhandler.set(comm.errhandler.lock().handle());
    Ok(())
}

/// `MPI_Comm_call_errhandler`.
pub unsafe fn comm_call(comm: CommHandle, errorcode: i32) -> Result<()> {
    let (handler, id, title) = {
        let comm = Comm::from_handle(comm)?;
        (comm.errhandler.lock().clone(), comm.id, comm.title())
    };
    // The handler was called, which is success, whatever it returned.
    failure::handle(&handler, id, Class(errorcode), || {
        format!("MPI_Comm_call_errhandler on {title} with error code {errorcode}")
    });
    Ok(())
}

/// `MPI_Errhandler_free`.
pub unsafe fn free(errhandler: InputOutput<ErrhandlerHandle>) -> Result<()> {
    Errhandler::free(errhandler.get())?;
    errhandler.set(ErrhandlerHandle::NULL);
    Ok(())
}

/// `MPI_File_create_errhandler`.
pub unsafe fn file_create(function: ErrorFunction, errhandler: Output<ErrhandlerHandle>) -> Result<()> {
    errhandler.set(Errhandler::make(Kind::File, function));
    Ok(())
}

/// Runs a function on the handler of a file, or of `MPI_FILE_NULL`. Returns the file's name as well.
fn of_file<T>(file: FileHandle, run: impl FnOnce(&mut Errhandler) -> T) -> Result<(T, String)> {
    if file.is_null() {
        return Ok((run(&mut OF_FILES.lock()), "MPI_FILE_NULL".into()));
    }
    let file = File::from_handle(file)?;
    let result = run(&mut file.errhandler.lock());
    Ok((result, file.title()))
}

/// `MPI_File_set_errhandler`.
pub unsafe fn file_set(file: FileHandle, errhandler: ErrhandlerHandle) -> Result<()> {
    let new = Errhandler::from_handle(errhandler, Kind::File)?;
    let old = of_file(file, |handler| std::mem::replace(handler, new))?;
    // Outside the lock, as in `comm_set`.
    drop(old);
    Ok(())
}

/// `MPI_File_get_errhandler`.
pub unsafe fn file_get(file: FileHandle, errhandler: Output<ErrhandlerHandle>) -> Result<()> {
    errhandler.set(of_file(file, |handler| handler.handle())?.0);
    Ok(())
}

/// `MPI_File_call_errhandler`.
pub unsafe fn file_call(file: FileHandle, errorcode: i32) -> Result<()> {
    let (handler, title) = of_file(file, |handler| handler.clone())?;
    failure::handle(&handler, file.0, Class(errorcode), || {
        format!("MPI_File_call_errhandler on {title} with error code {errorcode}")
    });
    Ok(())
}

/// `MPI_Win_create_errhandler`.
pub unsafe fn win_create(function: ErrorFunction, errhandler: Output<ErrhandlerHandle>) -> Result<()> {
    errhandler.set(Errhandler::make(Kind::Win, function));
    Ok(())
}

/// `MPI_Win_set_errhandler`.
pub unsafe fn win_set(win: WinHandle, errhandler: ErrhandlerHandle) -> Result<()> {
    let win = Win::from_handle(win)?;
    let new = Errhandler::from_handle(errhandler, Kind::Win).map_err(|error| error.on_win(win.id))?;
    let old = std::mem::replace(&mut *win.errhandler.lock(), new);
    // Outside the lock, as in `comm_set`.
    drop(old);
    Ok(())
}

/// `MPI_Win_get_errhandler`.
pub unsafe fn win_get(win: WinHandle, errhandler: Output<ErrhandlerHandle>) -> Result<()> {
    let win = Win::from_handle(win)?;
    errhandler.set(win.errhandler.lock().handle());
    Ok(())
}

/// `MPI_Win_call_errhandler`.
pub unsafe fn win_call(win: WinHandle, errorcode: i32) -> Result<()> {
    let win = Win::from_handle(win)?;
    let handler = win.errhandler.lock().clone();
    failure::handle(&handler, win.id, Class(errorcode), || {
        format!("MPI_Win_call_errhandler on {} with error code {errorcode}", win.title())
    });
    Ok(())
}

/// `MPI_Session_create_errhandler`.
pub unsafe fn session_create(function: ErrorFunction, errhandler: Output<ErrhandlerHandle>) -> Result<()> {
    errhandler.set(Errhandler::make(Kind::Session, function));
    Ok(())
}

/// `MPI_Session_set_errhandler`.
pub unsafe fn session_set(session: SessionHandle, errhandler: ErrhandlerHandle) -> Result<()> {
    let session = Session::from_handle(session)?;
    let new = Errhandler::from_handle(errhandler, Kind::Session)?;
    let old = std::mem::replace(&mut *session.errhandler.lock(), new);
    // Outside the lock, as in `comm_set`.
    drop(old);
    Ok(())
}

/// `MPI_Session_get_errhandler`.
pub unsafe fn session_get(session: SessionHandle, errhandler: Output<ErrhandlerHandle>) -> Result<()> {
    errhandler.set(Session::from_handle(session)?.errhandler.lock().handle());
    Ok(())
}

/// `MPI_Session_call_errhandler`.
pub unsafe fn session_call(session: SessionHandle, errorcode: i32) -> Result<()> {
    let handler = Session::from_handle(session)?.errhandler.lock().clone();
    failure::handle(&handler, session.0, Class(errorcode), || {
        format!("MPI_Session_call_errhandler on session {:#x} with error code {errorcode}", session.0)
    });
    Ok(())
}
