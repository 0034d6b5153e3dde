//! Error handlers: what happens when a function fails.

use std::cell::RefCell;

use crate::arguments::ErrorFunction;
use crate::comm::Comm;
use crate::constants::{ERRORS_ABORT, ERRORS_ARE_FATAL, ERRORS_RETURN};
use crate::environment;
use crate::error::{Class, Error};

/// An error handler.
#[derive(Clone, Copy)]
pub struct Errhandler {
    /// Its number.
    pub id: u32,
    action: Action,
}

#[derive(Clone, Copy)]
enum Action {
    /// The job ends.
    Fatal,
    /// This communicator's processes end. The job ends here, too.
    Abort,
    /// The function returns the error class.
    Return,
    /// The program's function is called.
    Program(ErrorFunction),
}

impl Errhandler {
    /// `MPI_ERRORS_ARE_FATAL`.
    pub const ARE_FATAL: Errhandler = Errhandler { id: ERRORS_ARE_FATAL, action: Action::Fatal };
    /// `MPI_ERRORS_ABORT`.
    pub const ABORT: Errhandler = Errhandler { id: ERRORS_ABORT, action: Action::Abort };
    /// `MPI_ERRORS_RETURN`.
    pub const RETURN: Errhandler = Errhandler { id: ERRORS_RETURN, action: Action::Return };

    /// The program's own.
    pub fn program(id: u32, function: ErrorFunction) -> Errhandler {
        Errhandler { id, action: Action::Program(function) }
    }
}

thread_local! {
    /// The last error of this thread, for `MPI_Error_string`.
    static LAST: RefCell<Option<(Class, String)>> = const { RefCell::new(None) };
}

/// The sentence of this thread's last error, if it was of this class.
pub fn last_detail(class: Class) -> Option<String> {
    LAST.with_borrow(|last| last.as_ref().filter(|(of, _)| *of == class).map(|(_, text)| text.clone()))
}

/// Handles the failure of the function `name`, by the error handler of a communicator, or by returning. Gives
/// what the function returns, if it does.
#[cold]
pub fn raise(name: &'static str, comm: Option<u32>, error: &Error) -> Class {
    let text = format!("{name}: {error}");
    LAST.set(Some((error.class, text.clone())));
    let Some(comm) = comm else { return error.class };
    // An invalid handle has the handler of the process.
    let found = [comm, crate::constants::COMM_SELF]
        .into_iter()
        .find_map(|id| Comm::from_handle(crate::arguments::CommHandle(id)).ok());
    let Some(found) = found else {
        // Before MPI_Init and after MPI_Finalize.
        environment::end_job(&text, error.class);
    };
    let (handler, id, title) = (*found.errhandler.lock(), found.id, found.title());
    drop(found);
    match handler.action {
        Action::Return => error.class,
        // SAFETY: the program has made the handler for such calls.
        Action::Program(function) => unsafe { function.call(id, error.class) },
        Action::Fatal | Action::Abort => {
            let text = format!("{name} on {title}: {error}");
            environment::end_job(&text, error.class)
        }
    }
}
