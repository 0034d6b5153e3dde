//! An audit library of the GNU loader (rtld-audit(7)). It puts libraries of anyccl in the place of NCCL or
//! MPI, whatever a program's RPATH says, and reports which process gets which library.
//!
//!     LD_AUDIT=PREFIX/lib/anyccl/nccl/libanyccl_audit.so program
//!     LD_AUDIT=PREFIX/lib/anyccl/mpi/lib/libanyccl_audit.so program
//!
//! It puts the libraries in place that lie next to this file, so it is installed twice. The loader calls it
//! for every library that is searched, by name or by path ([`hooks`]). A library that [`name`] recognises as
//! NCCL is replaced by `libnccl.so.2`. One that it recognises as MPI is replaced by the one of three
//! libraries that has the same ABI. `ANYCCL_NCCL_AUDIT` and `ANYCCL_MPI_AUDIT` choose one of four modes
//! ([`state`]):
//!
//! - `take`, the default: replaces libraries, as above.
//! - `watch`: changes nothing; the launcher uses it where LD_PRELOAD replaces the library. A process that
//!   looks up a function in a foreign library stops there.
//! - `only`: changes nothing; the launcher uses it where PYTHONPATH or LD_LIBRARY_PATH replaces the library.
//!   A process stops where it loads a foreign one.
//! - `probe`: changes nothing. The first process that gets a function of NCCL or MPI stops there, before it
//!   calls it. It serves `anyccl info --nccl-of` and `--mpi-of`, which end the process.
//!
//! In each mode, events are reported to the launcher if there is one (`anyccl_launch_report`). The launcher
//! ends the processes that have stopped. Without a launcher no process is stopped.
//!
//! The loader gives an audit library a namespace with a C library of its own: it shares no variable with the
//! program, not even `errno`. In `take` it asks for no reports of bindings, because these would send every
//! call of the program through the loader. So a program runs as fast under it as without it.

#[cfg(not(target_pointer_width = "64"))]
compile_error!("the loader's interface has other names on 32-bit machines");

mod hooks;
mod name;
mod state;
