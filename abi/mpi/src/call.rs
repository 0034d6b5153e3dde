//! The guard around each function: no panic leaves it, and a failure calls an error handler.

use std::any::Any;
use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};

use anyccl_engine::reduce::is_inside_callback;

use crate::abi::{Abi, Numbers};
use crate::errhandler;
pub use crate::errhandler::Scope;
use crate::error::{Class, Error, Result};

/// Runs the body of the function `name`.
#[inline(always)]
pub fn call<A: Abi>(name: &'static str, scope: Scope, body: impl FnOnce() -> Result<()>) -> c_int {
    // Unwind safety: a panic may leave state half done in the engine, which has its own locks, or in an
    // object of this crate, whose locks do not outlive the unwinding. Nothing of `body` is used afterwards.
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => 0,
        Ok(Err(error)) => fail::<A>(name, scope, &error),
        Err(payload) => fail::<A>(name, scope, &Error::new(Class::INTERN, panic_text(payload.as_ref()))),
    }
}

#[cold]
#[inline(never)]
fn fail<A: Abi>(name: &'static str, scope: Scope, error: &Error) -> c_int {
    A::raw_number(Numbers::ErrorCode, errhandler::raise(name, scope, A::VERSION, error).0)
}

/// Refuses a call of a function that this library only declares.
#[cold]
pub fn refuse<A: Abi>(name: &'static str, scope: Scope) -> c_int {
    let text = format!("this function is not implemented by anyccl; {}", instead(name));
    fail::<A>(name, scope, &Error::new(class_of_refusal(name), text))
}

/// The error class of a function that this library only declares. No name is published, and the standard has
/// classes for that.
fn class_of_refusal(name: &str) -> Class {
    match name.trim_start_matches('P') {
        "MPI_Lookup_name" => Class::NAME,
        "MPI_Unpublish_name" => Class::SERVICE,
        _ => Class::UNSUPPORTED_OPERATION,
    }
}

/// What a program does instead of a function that this library only declares.
fn instead(name: &str) -> &'static str {
    match name.trim_start_matches('P') {
        "MPI_Comm_spawn" | "MPI_Comm_spawn_multiple" => {
            "start all processes at once, several programs as in `anyccl-mpiexec -n 1 first : -n 3 second`"
        }
        "MPI_Comm_accept" | "MPI_Comm_connect" | "MPI_Comm_join" | "MPI_Open_port" | "MPI_Close_port"
        | "MPI_Publish_name" | "MPI_Unpublish_name" | "MPI_Lookup_name" => {
            "processes of different jobs do not connect: start them as one job, as in `anyccl-mpiexec -n 1 first : \
             -n 3 second`, and split MPI_COMM_WORLD"
        }
        _ => "docs/mpi.md lists what is there",
    }
}

/// Refuses communication inside the function of a reduction. The call that runs that function has locked the
/// engine, so this one would wait for itself.
#[inline]
pub fn check_outside_callback() -> Result<()> {
    if is_inside_callback() { Err(inside_callback()) } else { Ok(()) }
}

#[cold]
fn inside_callback() -> Error {
    Error::new(Class::OTHER, "communication inside of the function of a reduction, which must only combine")
}

fn panic_text(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    format!("a bug in anyccl, please report it: {}", text.unwrap_or("a panic without a message"))
}
