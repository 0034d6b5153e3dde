//! MPI's functions, found by name.
//!
//! Counts are ints in the functions that every MPI has. They are 64 bits wide in those of MPI 4 whose names
//! end in `_c`. The two lists are otherwise equal, so there is one [`Calls`], generic over the [`Width`].

use std::ffi::{CString, c_char, c_int, c_void};
use std::mem;

use super::constants::Handle;
use crate::sys::foreign_library::ForeignLibrary;

/// Width of counts and displacements.
pub trait Width: Send + Sync + 'static {
    /// Number of elements.
    type Count: Copy + Send + Sync + TryFrom<usize> + 'static;
    /// Displacement of a block in a buffer, in elements.
    type Displacement: Copy + Send + Sync + TryFrom<usize> + 'static;
    /// Suffix of the functions' names.
    const SUFFIX: &'static str;
}

/// Width of `int`.
#[derive(Clone, Copy)]
pub struct Narrow;

impl Width for Narrow {
    type Count = c_int;
    type Displacement = c_int;
    const SUFFIX: &'static str = "";
}

/// Width of `MPI_Count` and `MPI_Aint`.
#[derive(Clone, Copy)]
pub struct Wide;

impl Width for Wide {
    type Count = i64;
    type Displacement = isize;
    const SUFFIX: &'static str = "_c";
}

/// The type of an operator's function. Our functions ignore its datatype.
pub type UserFunction = unsafe extern "C" fn(*mut c_void, *mut c_void, *mut c_int, *mut c_void);

type In = *const c_void;
type Out = *mut c_void;

/// Defines a struct of functions whose `bind` finds all of them, or names one that is missing.
macro_rules! functions {
    (
        $(#[$doc:meta])*
        $table:ident<$($parameter:ident: $bound:ident),*> $suffix:expr;
        $($field:ident = $symbol:literal($($argument:ty),*);)*
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub struct $table<$($parameter: $bound),*> {
            $(pub $field: unsafe extern "C" fn($($argument),*) -> c_int,)*
        }

        impl<$($parameter: $bound),*> $table<$($parameter),*> {
            /// Finds all functions.
            pub fn bind(library: &ForeignLibrary) -> Result<Self, String> {
                Ok($table {
                    $($field: {
                        let address = find(library, $symbol, $suffix)?;
                        // SAFETY: by the MPI standard, the function of this name has this type for handles of
                        // this kind and counts of this width. The address of a function is as long as a
                        // pointer.
                        unsafe {
                            mem::transmute::<*mut c_void, unsafe extern "C" fn($($argument),*) -> c_int>(address)
                        }
                    },)*
                })
            }
        }
    };
}

fn find(library: &ForeignLibrary, symbol: &str, suffix: &str) -> Result<*mut c_void, String> {
    let name = CString::new(format!("{symbol}{suffix}")).expect("no NUL in a literal");
    library.symbol(&name).ok_or_else(|| format!("it has no {symbol}{suffix}"))
}

functions! {
    /// Functions without counts, and messages.
    Core<H: Handle> "";
    initialized = "MPI_Initialized"(*mut c_int);
    finalized = "MPI_Finalized"(*mut c_int);
    init_thread = "MPI_Init_thread"(*mut c_int, *mut *mut *mut c_char, c_int, *mut c_int);
    query_thread = "MPI_Query_thread"(*mut c_int);
    finalize = "MPI_Finalize"();
    get_library_version = "MPI_Get_library_version"(*mut c_char, *mut c_int);
    error_string = "MPI_Error_string"(c_int, *mut c_char, *mut c_int);
    comm_rank = "MPI_Comm_rank"(H, *mut c_int);
    comm_size = "MPI_Comm_size"(H, *mut c_int);
    comm_group = "MPI_Comm_group"(H, *mut H);
    group_incl = "MPI_Group_incl"(H, c_int, *const c_int, *mut H);
    group_free = "MPI_Group_free"(*mut H);
    comm_create_group = "MPI_Comm_create_group"(H, H, c_int, *mut H);
    comm_set_errhandler = "MPI_Comm_set_errhandler"(H, H);
    comm_free = "MPI_Comm_free"(*mut H);
    op_create = "MPI_Op_create"(UserFunction, c_int, *mut H);
    barrier = "MPI_Barrier"(H);
    ibarrier = "MPI_Ibarrier"(H, *mut H);
    isend = "MPI_Isend"(In, c_int, H, c_int, c_int, H, *mut H);
    irecv = "MPI_Irecv"(Out, c_int, H, c_int, c_int, H, *mut H);
    test = "MPI_Test"(*mut H, *mut c_int, *mut c_void);
    iprobe = "MPI_Iprobe"(c_int, c_int, H, *mut c_int, *mut c_void);
}

functions! {
    /// Collectives with counts, blocking and non-blocking.
    Calls<H: Handle, W: Width> W::SUFFIX;
    allreduce = "MPI_Allreduce"(In, Out, W::Count, H, H, H);
    iallreduce = "MPI_Iallreduce"(In, Out, W::Count, H, H, H, *mut H);
    reduce = "MPI_Reduce"(In, Out, W::Count, H, H, c_int, H);
    ireduce = "MPI_Ireduce"(In, Out, W::Count, H, H, c_int, H, *mut H);
    scan = "MPI_Scan"(In, Out, W::Count, H, H, H);
    iscan = "MPI_Iscan"(In, Out, W::Count, H, H, H, *mut H);
    exscan = "MPI_Exscan"(In, Out, W::Count, H, H, H);
    iexscan = "MPI_Iexscan"(In, Out, W::Count, H, H, H, *mut H);
    reduce_scatter_block = "MPI_Reduce_scatter_block"(In, Out, W::Count, H, H, H);
    ireduce_scatter_block = "MPI_Ireduce_scatter_block"(In, Out, W::Count, H, H, H, *mut H);
    reduce_scatter = "MPI_Reduce_scatter"(In, Out, *const W::Count, H, H, H);
    ireduce_scatter = "MPI_Ireduce_scatter"(In, Out, *const W::Count, H, H, H, *mut H);
    bcast = "MPI_Bcast"(Out, W::Count, H, c_int, H);
    ibcast = "MPI_Ibcast"(Out, W::Count, H, c_int, H, *mut H);
    allgather = "MPI_Allgather"(In, W::Count, H, Out, W::Count, H, H);
    iallgather = "MPI_Iallgather"(In, W::Count, H, Out, W::Count, H, H, *mut H);
    gather = "MPI_Gather"(In, W::Count, H, Out, W::Count, H, c_int, H);
    igather = "MPI_Igather"(In, W::Count, H, Out, W::Count, H, c_int, H, *mut H);
    scatter = "MPI_Scatter"(In, W::Count, H, Out, W::Count, H, c_int, H);
    iscatter = "MPI_Iscatter"(In, W::Count, H, Out, W::Count, H, c_int, H, *mut H);
    alltoall = "MPI_Alltoall"(In, W::Count, H, Out, W::Count, H, H);
    ialltoall = "MPI_Ialltoall"(In, W::Count, H, Out, W::Count, H, H, *mut H);
    allgatherv = "MPI_Allgatherv"(In, W::Count, H, Out, *const W::Count, *const W::Displacement, H, H);
    iallgatherv =
        "MPI_Iallgatherv"(In, W::Count, H, Out, *const W::Count, *const W::Displacement, H, H, *mut H);
    gatherv = "MPI_Gatherv"(In, W::Count, H, Out, *const W::Count, *const W::Displacement, H, c_int, H);
    igatherv =
        "MPI_Igatherv"(In, W::Count, H, Out, *const W::Count, *const W::Displacement, H, c_int, H, *mut H);
    scatterv = "MPI_Scatterv"(In, *const W::Count, *const W::Displacement, H, Out, W::Count, H, c_int, H);
    iscatterv =
        "MPI_Iscatterv"(In, *const W::Count, *const W::Displacement, H, Out, W::Count, H, c_int, H, *mut H);
    alltoallv = "MPI_Alltoallv"(
        In, *const W::Count, *const W::Displacement, H, Out, *const W::Count, *const W::Displacement, H, H
    );
    ialltoallv = "MPI_Ialltoallv"(
        In, *const W::Count, *const W::Displacement, H, Out, *const W::Count, *const W::Displacement, H, H, *mut H
    );
}
