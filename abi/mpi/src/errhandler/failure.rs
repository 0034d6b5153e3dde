//! The handling of a failed call: its sentence is kept for `MPI_Error_string`, and its error handler is
//! called.

use std::cell::RefCell;

use anyccl_edge::ObjectRef;

use super::scope::Scope;
use super::{Action, Errhandler, OF_FILES};
use crate::arguments::{CommHandle, ErrhandlerHandle, FileHandle, SessionHandle, WinHandle};
use crate::comm::Comm;
use crate::constants::{COMM_NULL, COMM_SELF, COMM_WORLD, FILE_NULL};
use crate::ending;
use crate::error::{Class, Error, Result};
use crate::file::File;
use crate::session::Session;
use crate::win::Win;

thread_local! {
    /// The last error of this thread, for `MPI_Error_string`.
    static LAST: RefCell<Option<(Class, String)>> = const { RefCell::new(None) };
}

/// The sentence of this thread's last error, if it has this class.
pub fn last_detail(class: Class) -> Option<String> {
    LAST.with_borrow(|last| last.as_ref().filter(|(of, _)| *of == class).map(|(_, text)| text.clone()))
}

/// Handles the failure of the function `name`, with the error handler of `scope`, or of the communicator,
/// file or window that the error names. `version` is that of the door's MPI. Returns the class that the
/// function must return, unless the job ends.
#[cold]
pub fn raise(name: &'static str, scope: Scope, version: (i32, i32), error: &Error) -> Class {
    if scope == Scope::Tools {
        let class = match error.class {
            Class::ARG => Class::T_INVALID,
            class => class,
        };
        LAST.set(Some((class, format!("{name}: {error}"))));
        return class;
    }
    // Only after MPI_Init has ended can the world be asked.
    ending::exit_if_told();
    if error.class == Class::PROC_ABORTED {
        ending::exit_if_it_says_so(&error.text);
    }
    let text = format!("{name}: {error}");
    LAST.set(Some((error.class, text.clone())));
    if let Some(file) = error.file.and_then(|id| File::from_handle(FileHandle(id)).ok()) {
        let handler = file.errhandler.lock().clone();
        return handle(&handler, file.id, error.class, || format!("{name} on {}: {error}", file.title()));
    }
    if let Some(win) = error.win.and_then(|id| Win::from_handle(WinHandle(id)).ok()) {
        let handler = win.errhandler.lock().clone();
        return handle(&handler, win.id, error.class, || format!("{name} on {}: {error}", win.title()));
    }
    if let Some(handler) = error.errhandler.and_then(|id| Errhandler::of_any_kind(ErrhandlerHandle(id)).ok())
    {
        return handle(&handler, handler.null_object(), error.class, || text);
    }
    if let Scope::Session(id) = scope
        && let Ok(session) = Session::from_handle(SessionHandle(id))
    {
        let handler = session.errhandler.lock().clone();
        return handle(&handler, id, error.class, || format!("{name} on session {id:#x}: {error}"));
    }
    let comm = match (error.comm, scope) {
        (Some(comm), _) | (None, Scope::Comm(comm)) => comm,
        (None, Scope::Process | Scope::Session(_) | Scope::Tools) => COMM_NULL,
        (None, Scope::File) => {
            let handler = OF_FILES.lock().clone();
            return handle(&handler, FILE_NULL, error.class, || format!("{name}: {error}"));
        }
    };
    // For an invalid handle the handler of the process applies.
    let found = Comm::from_handle(CommHandle(comm)).or_else(|_| of_process(version));
    let Ok(found) = found else {
        // Before MPI_Init or after MPI_Finalize.
        ending::end_job(&text, error.class);
    };
    let (handler, id, title) = (found.errhandler.lock().clone(), found.id, found.title());
    drop(found);
    handle(&handler, id, error.class, || format!("{name} on {title}: {error}"))
}

/// The communicator whose handler is that of the process. MPI 3.1 names `MPI_COMM_WORLD` (section 8.3), MPI
/// 4.0 names `MPI_COMM_SELF` (section 9.3). As in MPICH, the other one takes its place where the program has
/// set a handler only for that one.
fn of_process(version: (i32, i32)) -> Result<ObjectRef<'static, Comm>> {
    let [first, second] =
        if version < (4, 0) { [COMM_WORLD, COMM_SELF] } else { [COMM_SELF, COMM_WORLD] }.map(CommHandle);
    let preferred = Comm::from_handle(first)?;
    if preferred.errhandler.lock().is_initial() {
        let other = Comm::from_handle(second)?;
        if !other.errhandler.lock().is_initial() {
            return Ok(other);
        }
    }
    Ok(preferred)
}

/// Calls an error handler. `object` is the communicator, file or window that failed; `text` is printed if the
/// job ends.
pub(super) fn handle(
    handler: &Errhandler,
    object: u32,
    class: Class,
    text: impl FnOnce() -> String,
) -> Class {
    match handler.action {
        Action::Return => class,
        // SAFETY: the program has made the handler for such calls.
        Action::Program(function) => unsafe { function.call(object, class) },
        Action::Fatal | Action::Initial | Action::Abort => ending::end_job(&text(), class),
    }
}
