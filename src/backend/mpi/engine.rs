//! An MPI in this process: a library, initialised when the first communicator needs it.
//!
//! If the program has initialised MPI, it is adopted, and the program must finalize it. If it is initialised
//! here, `MPI_THREAD_MULTIPLE` is asked for. Such an MPI is finalized when the process calls `exit` or
//! returns from `main`, unless the program has finalized it already. If a communicator is still open, MPI is
//! not finalized: `MPI_Finalize` would wait for ranks that may never come, and the launcher should see that
//! something is wrong.

use std::ffi::{c_char, c_int};
use std::ptr;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use super::communicator::MpiComm;
use super::constants::{Constants, Handle};
use super::functions::{Calls, Core, Narrow, Wide};
use super::operators::OperatorTable;
use super::running::{OPEN, Running, TEXT_BYTES, is_finalized, read_text, text_of};
use crate::backend::engine::{ForeignComm, ForeignEngine, OobExchange};
use crate::backend::shape::Shape;
use crate::base::{Error, Result};
use crate::config::MemoryKind;
use crate::log_line;
use crate::sys::at_exit;
use crate::sys::foreign_library::ForeignLibrary;
use crate::sys::per_process::PerProcess;

/// An MPI library.
pub struct Mpi<H: Handle> {
    path: String,
    core: Core<H>,
    narrow: Calls<H, Narrow>,
    wide: Option<Calls<H, Wide>>,
    constants: &'static Constants<H>,
    running: OnceLock<Result<Arc<Running<H>>>>,
}

impl<H: Handle> Mpi<H> {
    /// Finds the functions of a library with this interface. An error names the first that is missing. Only
    /// the functions with 64-bit counts may be missing.
    pub fn new(
        library: &ForeignLibrary,
        constants: &'static Constants<H>,
    ) -> std::result::Result<Self, String> {
        Ok(Mpi {
            path: library.path(c"MPI_Initialized"),
            core: Core::bind(library)?,
            narrow: Calls::bind(library)?,
            wide: Calls::bind(library).ok(),
            constants,
            running: OnceLock::new(),
        })
    }

    fn running(&self) -> Result<Arc<Running<H>>> {
        self.running.get_or_init(|| self.begin().map(Arc::new)).clone()
    }

    /// Initialises MPI, or adopts it.
    fn begin(&self) -> Result<Running<H>> {
        let (core, constants) = (self.core, self.constants);
        let mut initialized = 0;
        // SAFETY: may be called at any time, on any thread; writes an int.
        unsafe { (core.initialized)(&mut initialized) };
        if is_finalized(core.finalized) {
            return Err(Error::InvalidUsage(format!(
                "MPI ({}) has been finalized by this process",
                self.path
            )));
        }
        let (mut level, multiple) = (0, constants.thread_multiple);
        if initialized != 0 {
            // SAFETY: MPI is initialised; writes an int.
            unsafe { (core.query_thread)(&mut level) };
        } else {
            let nothing = ptr::null_mut();
            // SAFETY: MPI has not been initialised, and no other thread of ours initialises it: `running` is
            // set once.
            let status = unsafe { (core.init_thread)(nothing, nothing.cast(), multiple, &mut level) };
            if status != 0 {
                return Err(Error::Unsupported(format!("MPI_Init_thread of {} failed: {status}", self.path)));
            }
            begun().lock().push(Begun {
                process: std::process::id(),
                finalized: core.finalized,
                finalize: core.finalize,
            });
            at_exit::run(end);
        }
        if level < multiple {
            log_line!(
                Warn,
                "backend mpi: {} has no MPI_THREAD_MULTIPLE here: call from one thread only, as the program has told MPI",
                self.version()
            );
        }
        let operators = OperatorTable::new(&core, constants).map_err(|status| {
            Error::Unsupported(format!("MPI_Op_create failed: {}", text_of(&core, status)))
        })?;
        Ok(Running { core, narrow: self.narrow, wide: self.wide, constants, operators })
    }
}

impl<H: Handle> ForeignEngine for Mpi<H> {
    fn version(&self) -> String {
        let mut text: Vec<c_char> = vec![0; TEXT_BYTES];
        let mut bytes: c_int = 0;
        // SAFETY: may be called before MPI is initialised; there is room for the longest text of every
        // interface.
        let status = unsafe { (self.core.get_library_version)(text.as_mut_ptr(), &mut bytes) };
        let said =
            if status == 0 { read_text(&text) } else { "an MPI that does not tell its version".into() };
        format!("{} ({})", shortened(&said), self.constants.interface)
    }

    fn path(&self) -> String {
        self.path.clone()
    }

    fn does(&self, shape: &Shape) -> bool {
        // MPI's collectives on a graph need a communicator made for that graph. Messages do the work instead.
        shape.memory == MemoryKind::Cpu && !shape.collective.has_graph()
    }

    fn has_messages(&self, memory: MemoryKind) -> bool {
        memory == MemoryKind::Cpu
    }

    fn connect(&self, oob: &dyn OobExchange) -> Result<Arc<dyn ForeignComm>> {
        Ok(Arc::new(MpiComm::new(self.running()?, oob)?))
    }
}

/// Name and number, without the build details that follow: "MPICH Version: 5.0.2", "Open MPI v5.0.11,
/// package: ...".
fn shortened(said: &str) -> String {
    let first = said.lines().next().unwrap_or_default();
    let first = first.split(',').next().unwrap_or_default().replace("Version:", " ");
    first.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Each MPI that was initialised here. A child of `fork` begins without any.
static BEGUN: PerProcess<Mutex<Vec<Begun>>> = PerProcess::new();

fn begun() -> &'static Mutex<Vec<Begun>> {
    &BEGUN.get_or(Mutex::default).value
}

/// Holds the lock of the list.
#[cfg(test)]
pub(crate) fn hold() -> impl Drop {
    begun().lock()
}

/// An MPI that was initialised here, as the end of the process needs it.
struct Begun {
    /// The process that initialised it. A child of `fork` has only inherited it.
    process: u32,
    /// `MPI_Finalized`.
    finalized: unsafe extern "C" fn(*mut c_int) -> c_int,
    /// `MPI_Finalize`.
    finalize: unsafe extern "C" fn() -> c_int,
}

impl Begun {
    /// Finalizes MPI, unless the program has done so, or another process initialised it.
    fn finalize(&self) {
        if self.process != std::process::id() || is_finalized(self.finalized) {
            return;
        }
        // SAFETY: initialised by this process, and not finalized. Nothing is under way, because all
        // communicators are closed.
        unsafe { (self.finalize)() };
    }
}

/// Runs at the exit of the process, and of its children of `fork`.
pub(crate) extern "C" fn end() {
    if OPEN.load(Ordering::Acquire) > 0 {
        return;
    }
    let all = std::mem::take(&mut *begun().lock());
    all.iter().for_each(Begun::finalize);
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    thread_local! {
        /// State of the pretended MPI, and the number of calls of its `MPI_Finalize`.
        static PRETENDED: Cell<(bool, u32)> = const { Cell::new((false, 0)) };
    }

    unsafe extern "C" fn pretended_finalized(flag: *mut c_int) -> c_int {
        // SAFETY: the caller passes a place for an int.
        unsafe { flag.write(c_int::from(PRETENDED.get().0)) };
        0
    }

    unsafe extern "C" fn pretended_finalize() -> c_int {
        PRETENDED.set((true, PRETENDED.get().1 + 1));
        0
    }

    fn begun_by(process: u32) -> Begun {
        Begun { process, finalized: pretended_finalized, finalize: pretended_finalize }
    }

    #[test]
    fn an_mpi_that_was_initialised_here_is_finalized_once() {
        let begun = begun_by(std::process::id());
        begun.finalize();
        begun.finalize();
        assert_eq!(PRETENDED.get(), (true, 1));
    }

    #[test]
    fn an_mpi_that_the_program_has_finalized_is_not_finalized_again() {
        PRETENDED.set((true, 0));
        begun_by(std::process::id()).finalize();
        assert_eq!(PRETENDED.get(), (true, 0));
    }

    #[test]
    fn a_forked_child_does_not_finalize_the_mpi_of_its_parent() {
        begun_by(std::process::id() + 1).finalize();
        assert_eq!(PRETENDED.get(), (false, 0));
    }

    #[test]
    fn a_version_is_a_name_and_a_number() {
        let mpich = "MPICH Version:      5.0.2\nMPICH Release date: Tue\nMPICH ABI:  17:2:5";
        assert_eq!(shortened(mpich), "MPICH 5.0.2");
        let open_mpi = "Open MPI v5.0.11, package: Open MPI root@host Distribution, ident: 5.0.11";
        assert_eq!(shortened(open_mpi), "Open MPI v5.0.11");
        assert_eq!(
            shortened("Intel(R) MPI Library 2021.18 for Linux* OS\n"),
            "Intel(R) MPI Library 2021.18 for Linux* OS"
        );
    }
}
