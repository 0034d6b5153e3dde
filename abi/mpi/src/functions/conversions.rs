//! Handles and statuses for Fortran: `MPI_Comm_c2f` and the others, as functions. The standard ABI has them
//! as macros.

/// Defines the functions. `$to` and `$from` convert a handle of an object of some type, and `$door` is the
/// ABI.
#[macro_export]
macro_rules! conversions {
    ($door:ident, $to:path, $from:path) => {
        $crate::conversions! { @handles ($door, $to, $from)
            Comm: MPI_Comm_c2f PMPI_Comm_c2f MPI_Comm_f2c PMPI_Comm_f2c;
            Errhandler: MPI_Errhandler_c2f PMPI_Errhandler_c2f MPI_Errhandler_f2c PMPI_Errhandler_f2c;
            Group: MPI_Group_c2f PMPI_Group_c2f MPI_Group_f2c PMPI_Group_f2c;
            Info: MPI_Info_c2f PMPI_Info_c2f MPI_Info_f2c PMPI_Info_f2c;
            Message: MPI_Message_c2f PMPI_Message_c2f MPI_Message_f2c PMPI_Message_f2c;
            Op: MPI_Op_c2f PMPI_Op_c2f MPI_Op_f2c PMPI_Op_f2c;
            Request: MPI_Request_c2f PMPI_Request_c2f MPI_Request_f2c PMPI_Request_f2c;
            Session: MPI_Session_c2f PMPI_Session_c2f MPI_Session_f2c PMPI_Session_f2c;
            Datatype: MPI_Type_c2f PMPI_Type_c2f MPI_Type_f2c PMPI_Type_f2c;
            Win: MPI_Win_c2f PMPI_Win_c2f MPI_Win_f2c PMPI_Win_f2c;
        }
        // A status has the same bytes in C, in Fortran and in Fortran 2008.
        $crate::conversions! { @statuses $door
            MPI_Status_c2f08 PMPI_Status_c2f08 MPI_Status_f082c PMPI_Status_f082c MPI_Status_f082f PMPI_Status_f082f
            MPI_Status_f2f08 PMPI_Status_f2f08
        }
    };
    (@handles $how:tt $($object:ident: $c2f:ident $c2f_twin:ident $f2c:ident $f2c_twin:ident;)*) => {$(
        $crate::conversions! { @to $how $object $c2f }
        $crate::conversions! { @to $how $object $c2f_twin }
        $crate::conversions! { @from $how $object $f2c }
        $crate::conversions! { @from $how $object $f2c_twin }
    )*};
    (@to ($door:ident, $to:path, $from:path) $object:ident $name:ident) => {
        #[doc = concat!("`", stringify!($name), "` of MPI.")]
        #[cfg_attr(not(internal_mpi_names), unsafe(no_mangle))]
        pub extern "C" fn $name(handle: <$door as $crate::abi::Abi>::Handle) -> ::std::ffi::c_int {
            $to($crate::abi::Object::$object, handle)
        }
    };
    (@from ($door:ident, $to:path, $from:path) $object:ident $name:ident) => {
        #[doc = concat!("`", stringify!($name), "` of MPI.")]
        #[cfg_attr(not(internal_mpi_names), unsafe(no_mangle))]
        pub extern "C" fn $name(number: ::std::ffi::c_int) -> <$door as $crate::abi::Abi>::Handle {
            $from($crate::abi::Object::$object, number)
        }
    };
    (@statuses $door:ident $($name:ident)*) => {$(
        #[doc = concat!("`", stringify!($name), "` of MPI.")]
        #[cfg_attr(not(internal_mpi_names), unsafe(no_mangle))]
        pub unsafe extern "C" fn $name(from: *const ::std::ffi::c_void, to: *mut ::std::ffi::c_void) -> ::std::ffi::c_int {
            $crate::call::call::<$door>(stringify!($name), $crate::call::Scope::Process, || {
                // SAFETY: the program passes two statuses.
                unsafe { $crate::fortran::statuses::status_to_fortran::<$door>(from, to) }
            })
        }
    )*};
}

/// Defines functions that are refused, whatever their arguments are: each says so under its name, or under
/// the name that stands behind it.
#[macro_export]
macro_rules! refused {
    ($door:ident: $($name:ident $(= $called:literal)?)*) => {$(
        #[doc = concat!("Refused: `", stringify!($name), "`.")]
        #[cfg_attr(not(internal_mpi_names), unsafe(no_mangle))]
        pub extern "C" fn $name() -> ::std::ffi::c_int {
            let name = [stringify!($name) $(, $called)?];
            $crate::call::refuse::<$door>(name[name.len() - 1], $crate::call::Scope::Process)
        }
    )*};
}
