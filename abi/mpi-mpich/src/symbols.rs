//! Data symbols of the MPICH ABI: addresses that programs pass to say that there are no weights.

use std::ffi::c_int;

/// A pointer that only its address is known of.
#[repr(transparent)]
pub struct Sentinel(pub *const c_int);

// SAFETY: the pointer is compared, never followed; what it points to is never written.
unsafe impl Sync for Sentinel {}

static UNWEIGHTED: c_int = 0;
static WEIGHTS_EMPTY: c_int = 0x46a8;

/// The edges of a graph have no weights.
#[unsafe(no_mangle)]
pub static MPI_UNWEIGHTED: Sentinel = Sentinel(&raw const UNWEIGHTED);

/// There are no edges, so no weights.
#[unsafe(no_mangle)]
pub static MPI_WEIGHTS_EMPTY: Sentinel = Sentinel(&raw const WEIGHTS_EMPTY);
