//! An audit library of the GNU loader (rtld-audit(7)): puts libraries of anyccl in the place of NCCL, or of
//! MPI, whatever a program's RPATH says, and tells who gets which.
//!
//!     LD_AUDIT=PREFIX/lib/anyccl/nccl/libanyccl_audit.so program
//!     LD_AUDIT=PREFIX/lib/anyccl/mpi/lib/libanyccl_audit.so program
//!
//! The libraries that lie beside this file are those that it puts in place; so it is installed twice. The
//! loader asks it for every library that is searched, by name or by path ([`hooks`]). What [`name`] takes for
//! NCCL becomes `libnccl.so.2`; what it takes for MPI becomes the one of two libraries that has the ABI. Four
//! modes, by `ANYCCL_NCCL_AUDIT` and `ANYCCL_MPI_AUDIT` ([`state`]):
//!
//! - `take`, the default: as above;
//! - `watch`: nothing is changed, for the launcher, where LD_PRELOAD does it. A process that looks up a
//!   function in another library stops there;
//! - `only`: the same where PYTHONPATH or LD_LIBRARY_PATH does it. A process stops where it loads another;
//! - `probe`: nothing is changed, and the first process that gets a function of NCCL or MPI stops there,
//!   before it calls it. For `anyccl info --nccl-of` and `--mpi-of`, which end it.
//!
//! In each, what happens is told to the launcher if there is one (`anyccl_launch_report`), which ends those
//! that have stopped. Without a launcher nobody is stopped.
//!
//! The loader gives an audit library a namespace, with a C library of its own: it shares no variable with the
//! program, not even `errno`. In `take` it asks for no binding to be reported, which would send every call of
//! the program through the loader; so a program that runs under it is as fast as without.

#[cfg(not(target_pointer_width = "64"))]
compile_error!("the loader's interface has other names on 32-bit machines");

mod hooks;
mod name;
mod state;
