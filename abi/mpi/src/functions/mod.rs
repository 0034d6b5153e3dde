//! All functions of MPI, in tables by chapter.
//!
//! A row has the tier, the version of MPI that first had the function, its name and its profiling twin. The
//! arguments follow with their kinds ([`crate::arguments`]), then the function of this crate that does the
//! work. Both names are written out, so that they can be searched for. `on comm` names the argument whose
//! error handler is called, a communicator or a session; functions `on tools` call none. `-> Kind` is the
//! result of a function that returns no error code.
//!
//! A table is a macro, from which each door makes its own exported functions: [`crate::export`]. All doors
//! have the tables of [`crate::chapters`]. Some ABIs have functions beside them: those that tell the ABI,
//! those that MPI has removed, and those that convert handles for Fortran.
//!
//! Tiers: 1 what almost every program calls, 2 what many call, 3 windows, files, sessions, spawn, tools. A
//! row with `refused` tells its callers that the function is not implemented.
//!
//! A twin repeats its function's body and does not call the function. A tool's own `MPI_X`, which calls
//! `PMPI_X`, would otherwise be called again.

mod attributes;
mod collectives;
mod communicators;
mod conversions;
mod datatypes;
mod environment;
mod errors;
mod failures;
mod files;
mod groups;
mod handles;
mod in_fortran;
mod info;
mod neighborhood;
mod operators;
mod p2p;
mod partitioned;
mod processes;
mod removed;
mod requests;
mod sessions;
mod tools;
mod topologies;
mod windows;

/// A row of a table.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// Tier of the function: see the module head.
    pub tier: u8,
    /// The version of MPI that first had the function.
    pub since: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Name of the twin for tools that wrap the function.
    pub twin: &'static str,
    /// Whether it is implemented.
    pub is_implemented: bool,
}

/// Makes the exported functions of every ABI, for the one that is named `$door` where this is used; with
/// `listing`, only the lists of rows.
#[macro_export]
macro_rules! chapters {
    ($door:ident) => {
        $crate::attributes!($door);
        $crate::collectives!($door);
        $crate::communicators!($door);
        $crate::datatypes!($door);
        $crate::environment!($door);
        $crate::errors!($door);
        $crate::files!($door);
        $crate::groups!($door);
        $crate::info!($door);
        $crate::neighborhood!($door);
        $crate::operators!($door);
        $crate::p2p!($door);
        $crate::partitioned!($door);
        $crate::processes!($door);
        $crate::requests!($door);
        $crate::sessions!($door);
        $crate::tools!($door);
        $crate::topologies!($door);
        $crate::windows!($door);
    };
}

/// Makes exported functions from rows, for the ABI that is named `$door` where this is used, and a list of
/// the rows.
///
/// With `listing`, it makes only the list. With `fortran`, it makes the functions for Fortran of the ABI that
/// is named `Door` there ([`crate::fortran_row`]), and with `fortran_only` from rows that C does not have.
#[macro_export]
macro_rules! export {
    (listing $list:ident $($tier:literal $since:literal $name:ident $twin:ident $arguments:tt
       $(on $scope:ident)? $(-> $returned:ty)? = $($how:ident)::+ $(<$abi:ident>)?;)*) => {
        $crate::export! { @list $list $($tier $since $name $twin = $($how)::+;)* }
    };
    (fortran $list:ident $($tier:literal $since:literal $name:ident $twin:ident $arguments:tt
       $(on $scope:ident)? $(-> $returned:ty)? = $($how:ident)::+ $(<$abi:ident>)?;)*) => {
        $($crate::fortran_row! { @table $name $arguments [$($scope)?] [$($returned)?] [$($abi)?] [$($how)::+] })*
        $crate::export! { @list $list $($tier $since $name $twin = $($how)::+;)* }
    };
    (fortran_only $list:ident $($tier:literal $since:literal $name:ident $twin:ident $arguments:tt
       $(on $scope:ident)? = $($how:ident)::+ $(<$abi:ident>)?;)*) => {
        $($crate::fortran_row! { @made $name $arguments [$($scope)?] [] [$($abi)?] [$($how)::+] })*
        $crate::export! { @list $list $($tier $since $name $twin = $($how)::+;)* }
    };
    ($door:ident $list:ident $($tier:literal $since:literal $name:ident $twin:ident $arguments:tt
       $(on $scope:ident)? $(-> $returned:ty)? = $($how:ident)::+ $(<$abi:ident>)?;)*) => {
        $(
            $crate::export!(@row $door $name $arguments [$($scope)?] [$($returned)?] [$($abi)?] $($how)::+);
            $crate::export!(@row $door $twin $arguments [$($scope)?] [$($returned)?] [$($abi)?] $($how)::+);
        )*
        $crate::export! { @list $list $($tier $since $name $twin = $($how)::+;)* }
    };
    (@list $list:ident $($tier:literal $since:literal $name:ident $twin:ident = $($how:ident)::+;)*) => {
        /// Rows of this table.
        pub static $list: &[$crate::functions::Function] = &[$($crate::functions::Function {
            tier: $tier,
            since: $since,
            name: stringify!($name),
            twin: stringify!($twin),
            is_implemented: $crate::export!(@implemented $($how)::+),
        }),*];
    };
    (@implemented refused) => { false };
    (@implemented $($how:ident)::+) => { true };
    (@scope $door:ident []) => { $crate::call::Scope::Process };
    (@scope $door:ident [file]) => { $crate::call::Scope::File };
    (@scope $door:ident [tools]) => { $crate::call::Scope::Tools };
    (@scope $door:ident [$object:ident]) => { $crate::export!(@scope_of $door $object $object) };
    (@scope_of $door:ident session $session:ident) => {
        $crate::call::Scope::Session(
            <$crate::arguments::SessionHandle as $crate::arguments::Element<$door>>::value($session).0
        )
    };
    (@scope_of $door:ident $name:ident $comm:ident) => {
        $crate::call::Scope::Comm(
            <$crate::arguments::CommHandle as $crate::arguments::Element<$door>>::value($comm).0
        )
    };
    (@row $door:ident $name:ident ($($argument:ident: $kind:ty),*) $scope:tt [] [] refused) => {
        #[doc = concat!("Refused: `", stringify!($name), "`.")]
        #[cfg_attr(not(internal_mpi_names), unsafe(no_mangle))]
        #[allow(unused_variables)]
        pub unsafe extern "C" fn $name($($argument: $crate::export!(@c $door $kind)),*) -> ::std::ffi::c_int {
            $crate::call::refuse::<$door>(stringify!($name), $crate::export!(@scope $door $scope))
        }
    };
    (@row $door:ident $name:ident ($($argument:ident: $kind:ty),*) $scope:tt [] [$($abi:ident)?] $($how:ident)::+) => {
        #[doc = concat!("`", stringify!($name), "` of MPI.")]
        #[cfg_attr(not(internal_mpi_names), unsafe(no_mangle))]
        pub unsafe extern "C" fn $name($($argument: $crate::export!(@c $door $kind)),*) -> ::std::ffi::c_int {
            $crate::call::call::<$door>(stringify!($name), $crate::export!(@scope $door $scope), || {
                // SAFETY: the program keeps the promises that MPI asks for.
                $(let $argument = unsafe { $crate::export!(@value $door $kind, $argument) }?;)*
                // SAFETY: as above; they are passed on.
                unsafe { $crate::$($how)::+ $(::<$abi>)? ($($argument),*) }
            })
        }
    };
    (@row $door:ident $name:ident ($($argument:ident: $kind:ty),*) [] [$returned:ty] [] $($how:ident)::+) => {
        #[doc = concat!("`", stringify!($name), "` of MPI.")]
        #[cfg_attr(not(internal_mpi_names), unsafe(no_mangle))]
        pub unsafe extern "C" fn $name($($argument: $crate::export!(@c $door $kind)),*)
            -> <$returned as $crate::arguments::Returned<$door>>::C {
            // SAFETY: these are numbers and handles.
            $(let Ok($argument) = (unsafe { $crate::export!(@value $door $kind, $argument) }) else {
                unreachable!("a number is never refused")
            };)*
            <$returned as $crate::arguments::Returned<$door>>::raw($crate::$($how)::+($($argument),*))
        }
    };
    (@c $door:ident $kind:ty) => { <$kind as $crate::arguments::Kind<$door>>::C };
    (@value $door:ident $kind:ty, $argument:ident) => {
        <$kind as $crate::arguments::Kind<$door>>::value($argument, stringify!($argument))
    };
}
