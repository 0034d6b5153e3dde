//! Data symbols of the MPICH ABI: addresses that programs pass to say that there are no weights, and
//! addresses that the Fortran library sets.

use std::ffi::c_int;
use std::sync::atomic::AtomicPtr;

/// A pointer of which only the address matters.
#[repr(transparent)]
pub struct Sentinel(pub *const c_int);

// SAFETY: the pointer is compared, never followed; what it points to is never written.
unsafe impl Sync for Sentinel {}

static UNWEIGHTED: c_int = 0;
static WEIGHTS_EMPTY: c_int = 0x46a8;

/// Address that says that the edges of a graph have no weights.
#[unsafe(no_mangle)]
pub static MPI_UNWEIGHTED: Sentinel = Sentinel(&raw const UNWEIGHTED);

/// Address that says that there are no edges, and so no weights.
#[unsafe(no_mangle)]
pub static MPI_WEIGHTS_EMPTY: Sentinel = Sentinel(&raw const WEIGHTS_EMPTY);

/// Address that stands for all handles of a performance variable.
#[unsafe(no_mangle)]
pub static MPI_T_PVAR_ALL_HANDLES: Sentinel = Sentinel(&raw const WEIGHTS_EMPTY);

/// Memory whose address stands for no status in Fortran 2008. It is never read or written.
#[repr(C)]
pub struct NoStatus([c_int; 5]);

static NO_STATUS: NoStatus = NoStatus([0; 5]);
static NO_STATUSES: NoStatus = NoStatus([0; 5]);

/// Address that stands for no status in Fortran. The Fortran library sets it.
#[unsafe(no_mangle)]
pub static MPI_F_STATUS_IGNORE: AtomicPtr<c_int> = AtomicPtr::new(std::ptr::null_mut());

/// Address that stands for no statuses in Fortran. The Fortran library sets it.
#[unsafe(no_mangle)]
pub static MPI_F_STATUSES_IGNORE: AtomicPtr<c_int> = AtomicPtr::new(std::ptr::null_mut());

/// Address that stands for no status in Fortran 2008.
#[unsafe(no_mangle)]
pub static MPI_F08_STATUS_IGNORE: AtomicPtr<NoStatus> = AtomicPtr::new((&raw const NO_STATUS).cast_mut());

/// Address that stands for no statuses in Fortran 2008.
#[unsafe(no_mangle)]
pub static MPI_F08_STATUSES_IGNORE: AtomicPtr<NoStatus> = AtomicPtr::new((&raw const NO_STATUSES).cast_mut());
