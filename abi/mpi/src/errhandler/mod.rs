//! Error handlers: what happens when a function fails.
//!
//! A communicator holds an [`Errhandler`]. A handler that the program has made lives as long as a handle to
//! it, or an object that uses it: both are counted as users. [`raise`] calls the handler of a failed call;
//! [`calls`] has MPI's functions.

pub mod calls;
mod failure;
mod scope;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use parking_lot::Mutex;

use crate::arguments::{ErrhandlerHandle, ErrorFunction};
use crate::constants::{
    COMM_NULL, ERRHANDLER_NULL, ERRORS_ABORT, ERRORS_ARE_FATAL, ERRORS_RETURN, FILE_NULL, SESSION_NULL,
    WIN_NULL,
};
use crate::error::{Class, Error, Result};
use crate::table::Table;

pub use failure::{last_detail, raise};
pub use scope::Scope;

/// An error handler in use.
#[derive(Clone)]
pub struct Errhandler {
    /// Its number.
    pub id: u32,
    action: Action,
    /// Counts this use of a handler that the program has made.
    user: Option<User>,
}

#[derive(Clone, Copy)]
enum Action {
    /// The job ends.
    Fatal,
    /// The job ends, because the program has set no handler.
    Initial,
    /// This communicator's processes end. In this library the job ends, too.
    Abort,
    /// The function returns the error class.
    Return,
    /// The program's function is called.
    Program(ErrorFunction),
}

/// Types of objects that have error handlers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Communicators.
    Comm,
    /// Files.
    File,
    /// Sessions.
    Session,
    /// Windows.
    Win,
}

/// A handler that the program has made.
struct Made {
    id: u32,
    kind: Kind,
    function: ErrorFunction,
    /// Number of handles to it and of objects that use it.
    users: AtomicU32,
}

static MADE: Table<Made> = Table::new("error handler", Class::ERRHANDLER);
/// The handler of `MPI_FILE_NULL`: of failures to open, and of files that are opened from now on.
static OF_FILES: Mutex<Errhandler> = Mutex::new(Errhandler::RETURN);

/// The handler for a file that is opened now.
pub fn of_files() -> Errhandler {
    OF_FILES.lock().clone()
}

/// One use of a handler that the program has made.
struct User(Arc<Made>);

impl Clone for User {
    fn clone(&self) -> User {
        self.0.users.fetch_add(1, Ordering::Relaxed);
        User(Arc::clone(&self.0))
    }
}

impl Drop for User {
    fn drop(&mut self) {
        release(&self.0);
    }
}

/// Removes a user. The last one removes the handler from its table.
fn release(made: &Made) {
    if made.users.fetch_sub(1, Ordering::AcqRel) == 1 {
        // The handler is unknown in a child of fork of the process that made it.
        let _ = MADE.remove(made.id);
    }
}

impl Errhandler {
    /// `MPI_ERRORS_ARE_FATAL`.
    pub const ARE_FATAL: Errhandler = Errhandler::predefined(ERRORS_ARE_FATAL, Action::Fatal);
    /// `MPI_ERRORS_ARE_FATAL` for a communicator for which the program has set no handler.
    pub const INITIAL: Errhandler = Errhandler::predefined(ERRORS_ARE_FATAL, Action::Initial);
    /// `MPI_ERRORS_ABORT`.
    pub const ABORT: Errhandler = Errhandler::predefined(ERRORS_ABORT, Action::Abort);
    /// `MPI_ERRORS_RETURN`.
    pub const RETURN: Errhandler = Errhandler::predefined(ERRORS_RETURN, Action::Return);

    const fn predefined(id: u32, action: Action) -> Errhandler {
        Errhandler { id, action, user: None }
    }

    /// Whether the program has set no handler.
    pub fn is_initial(&self) -> bool {
        matches!(self.action, Action::Initial)
    }

    /// Makes a handler from the program's function. The handle is its first user.
    pub fn make(kind: Kind, function: ErrorFunction) -> ErrhandlerHandle {
        let users = AtomicU32::new(1);
        ErrhandlerHandle(MADE.insert_with(|id| Made { id, kind, function, users }))
    }

    /// The handler of a handle, for an object of this type.
    pub fn from_handle(handle: ErrhandlerHandle, wanted: Kind) -> Result<Errhandler> {
        Errhandler::find(handle, Some(wanted))
    }

    /// The handler of a handle, whatever its objects are.
    pub(super) fn of_any_kind(handle: ErrhandlerHandle) -> Result<Errhandler> {
        Errhandler::find(handle, None)
    }

    /// The null handle of the objects of this handler.
    pub(super) fn null_object(&self) -> u32 {
        match self.user.as_ref().map(|User(made)| made.kind) {
            Some(Kind::Session) => SESSION_NULL,
            Some(Kind::File) => FILE_NULL,
            Some(Kind::Win) => WIN_NULL,
            Some(Kind::Comm) | None => COMM_NULL,
        }
    }

    fn find(handle: ErrhandlerHandle, wanted: Option<Kind>) -> Result<Errhandler> {
        match handle.0 {
            ERRORS_ARE_FATAL => Ok(Errhandler::ARE_FATAL),
            ERRORS_ABORT => Ok(Errhandler::ABORT),
            ERRORS_RETURN => Ok(Errhandler::RETURN),
            ERRHANDLER_NULL => Err(Error::new(Class::ERRHANDLER, "the error handler is MPI_ERRHANDLER_NULL")),
            id => {
                let made = MADE.get(id)?.share();
                let (kind, function) = (made.kind, made.function);
                if wanted.is_some_and(|wanted| kind != wanted) {
                    let text =
                        format!("an error handler for objects of kind {kind:?}, which are not meant here");
                    return Err(Error::new(Class::ERRHANDLER, text));
                }
                made.users.fetch_add(1, Ordering::Relaxed);
                Ok(Errhandler { id, action: Action::Program(function), user: Some(User(made)) })
            }
        }
    }

    /// A handle to this handler, which the program must free.
    pub fn handle(&self) -> ErrhandlerHandle {
        if let Some(User(made)) = &self.user {
            made.users.fetch_add(1, Ordering::Relaxed);
        }
        ErrhandlerHandle(self.id)
    }

    /// Frees a handle. Objects go on using the handler.
    pub fn free(handle: ErrhandlerHandle) -> Result<()> {
        match handle.0 {
            // A handle that MPI_Comm_get_errhandler returned may be freed, even if it is predefined.
            ERRORS_ARE_FATAL | ERRORS_ABORT | ERRORS_RETURN => Ok(()),
            ERRHANDLER_NULL => Err(Error::new(Class::ERRHANDLER, "the error handler is MPI_ERRHANDLER_NULL")),
            id => {
                let made = MADE.get(id)?.share();
                release(&made);
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn handler() -> ErrhandlerHandle {
        Errhandler::make(Kind::Comm, ErrorFunction::none())
    }

    #[test]
    fn a_handler_lives_as_long_as_its_last_handle_or_object() {
        let handle = handler();
        let of_object = Errhandler::from_handle(handle, Kind::Comm).unwrap();
        Errhandler::free(handle).unwrap();
        let again = of_object.handle();
        assert_eq!(again, handle);
        let other = of_object.clone();
        drop(of_object);
        Errhandler::free(again).unwrap();
        assert!(Errhandler::from_handle(handle, Kind::Comm).is_ok());
        drop(other);
        let error = Errhandler::from_handle(handle, Kind::Comm).err().unwrap();
        assert_eq!(error.class, Class::ERRHANDLER);
    }

    #[test]
    fn a_handler_for_communicators_is_refused_for_files() {
        let handle = handler();
        let error = Errhandler::from_handle(handle, Kind::File).err().unwrap();
        assert_eq!(error.class, Class::ERRHANDLER);
        Errhandler::free(handle).unwrap();
        assert!(Errhandler::free(handle).is_err());
    }
}
