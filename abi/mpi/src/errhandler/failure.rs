//! The handling of a failed call: its sentence is kept for `MPI_Error_string`, and its error handler is
//! called.

use std::cell::RefCell;

use super::scope::Scope;
use super::{Action, Errhandler, OF_FILES};
use crate::arguments::CommHandle;
use crate::comm::Comm;
use crate::constants::{COMM_NULL, COMM_SELF};
use crate::ending;
use crate::error::{Class, Error};

thread_local! {
    /// The last error of this thread, for `MPI_Error_string`.
    static LAST: RefCell<Option<(Class, String)>> = const { RefCell::new(None) };
}

/// The sentence of this thread's last error, if it has this class.
pub fn last_detail(class: Class) -> Option<String> {
    LAST.with_borrow(|last| last.as_ref().filter(|(of, _)| *of == class).map(|(_, text)| text.clone()))
}

/// Handles the failure of the function `name`, with the error handler of `scope` or of the communicator that
/// the error names. Returns the class that the function must return, unless the job ends.
#[cold]
pub fn raise(name: &'static str, scope: Scope, error: &Error) -> Class {
    // Only after MPI_Init has ended can the world be asked.
    ending::exit_if_told();
    if error.class == Class::PROC_ABORTED {
        ending::exit_if_it_says_so(&error.text);
    }
    let text = format!("{name}: {error}");
    LAST.set(Some((error.class, text.clone())));
    let comm = match (error.comm, scope) {
        (Some(comm), _) | (None, Scope::Comm(comm)) => comm,
        (None, Scope::Process) => COMM_SELF,
        (None, Scope::File) => {
            let handler = OF_FILES.lock().clone();
            return handle(&handler, COMM_NULL, error.class, || format!("{name} on a file: {error}"));
        }
    };
    // For an invalid handle the handler of the process applies.
    let found = [comm, COMM_SELF].into_iter().find_map(|id| Comm::from_handle(CommHandle(id)).ok());
    let Some(found) = found else {
        // Before MPI_Init or after MPI_Finalize.
        ending::end_job(&text, error.class);
    };
    let (handler, id, title) = (found.errhandler.lock().clone(), found.id, found.title());
    drop(found);
    handle(&handler, id, error.class, || format!("{name} on {title}: {error}"))
}

/// Calls an error handler. `comm` is the communicator that failed; `text` is printed if the job ends.
pub(super) fn handle(handler: &Errhandler, comm: u32, class: Class, text: impl FnOnce() -> String) -> Class {
    match handler.action {
        Action::Return => class,
        // SAFETY: the program has made the handler for such calls.
        Action::Program(function) => unsafe { function.call(comm, class) },
        Action::Fatal | Action::Abort => ending::end_job(&text(), class),
    }
}
