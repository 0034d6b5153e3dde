//! Functions for Fortran from rows of the tables.

/// Makes a function for Fortran from a row. It has the row's name, and compilers find it by the names that
/// [`crate::fortran_names`] gives it.
///
/// Rows that [`crate::in_fortran`] has in another form are left out, and so are those that return their
/// result: [`crate::fortran_values`] has them.
#[macro_export]
macro_rules! fortran_row {
    (@table MPI_Init $($row:tt)*) => {};
    (@table MPI_Init_thread $($row:tt)*) => {};
    (@table MPI_Pcontrol $($row:tt)*) => {};
    (@table MPI_Buffer_detach $($row:tt)*) => {};
    (@table MPI_Buffer_detach_c $($row:tt)*) => {};
    (@table MPI_Comm_detach_buffer $($row:tt)*) => {};
    (@table MPI_Comm_detach_buffer_c $($row:tt)*) => {};
    (@table MPI_Session_detach_buffer $($row:tt)*) => {};
    (@table MPI_Session_detach_buffer_c $($row:tt)*) => {};
    (@table MPI_Comm_spawn $($row:tt)*) => {};
    (@table MPI_Comm_spawn_multiple $($row:tt)*) => {};
    (@table MPI_Info_create_env $($row:tt)*) => {};
    (@table MPI_Info_get_string $($row:tt)*) => {};
    (@table MPI_Session_get_nth_pset $($row:tt)*) => {};
    (@table MPI_Attr_get $($row:tt)*) => {};
    (@table MPI_Attr_put $($row:tt)*) => {};
    (@table MPI_Keyval_create $($row:tt)*) => {};
    (@table MPI_Comm_create_keyval $($row:tt)*) => {};
    (@table MPI_Comm_get_attr $($row:tt)*) => {};
    (@table MPI_Comm_set_attr $($row:tt)*) => {};
    (@table MPI_Type_create_keyval $($row:tt)*) => {};
    (@table MPI_Type_get_attr $($row:tt)*) => {};
    (@table MPI_Type_set_attr $($row:tt)*) => {};
    (@table MPI_Win_create_keyval $($row:tt)*) => {};
    (@table MPI_Win_get_attr $($row:tt)*) => {};
    (@table MPI_Win_set_attr $($row:tt)*) => {};
    (@table $name:ident $arguments:tt $scope:tt [$returned:ty] $($row:tt)*) => {};
    (@table $($row:tt)*) => { $crate::fortran_row! { @made $($row)* } };
    // `$door` of a table.
    (@made $name:ident $arguments:tt $scope:tt [] [fortran] $how:tt) => {
        $crate::fortran_row! { @made $name $arguments $scope [] [Door] $how }
    };
    (@made $name:ident ($($arguments:tt)*) $scope:tt [] $abi:tt $how:tt) => {
        $crate::fortran_row! {
            @sorted $name $scope $abi $how [] [] [length_1 length_2 length_3 length_4] $($arguments)*
        }
    };
    // Arguments are sorted into strings, which have a length behind all arguments, and others.
    (@sorted $name:ident $scope:tt $abi:tt $how:tt [$($sorted:tt)*] [$($lengths:tt)*] [$length:ident $($more:ident)*]
       $argument:ident: InText $(, $($rest:tt)*)?) => {
        $crate::fortran_row! { @sorted $name $scope $abi $how [$($sorted)* (text $argument InText, $length)]
            [$($lengths)* $length] [$($more)*] $($($rest)*)? }
    };
    (@sorted $name:ident $scope:tt $abi:tt $how:tt [$($sorted:tt)*] [$($lengths:tt)*] [$length:ident $($more:ident)*]
       $argument:ident: OutText $(, $($rest:tt)*)?) => {
        $crate::fortran_row! { @sorted $name $scope $abi $how [$($sorted)* (text $argument OutText, $length)]
            [$($lengths)* $length] [$($more)*] $($($rest)*)? }
    };
    (@sorted $name:ident $scope:tt $abi:tt $how:tt [$($sorted:tt)*] [$($lengths:tt)*] [$length:ident $($more:ident)*]
       $argument:ident: OutTextOrNull $(, $($rest:tt)*)?) => {
        $crate::fortran_row! { @sorted $name $scope $abi $how [$($sorted)* (text $argument OutTextOrNull, $length)]
            [$($lengths)* $length] [$($more)*] $($($rest)*)? }
    };
    (@sorted $name:ident $scope:tt $abi:tt $how:tt [$($sorted:tt)*] $lengths:tt $more:tt
       $argument:ident: $kind:ty $(, $($rest:tt)*)?) => {
        $crate::fortran_row! { @sorted $name $scope $abi $how [$($sorted)* (other $argument $kind, $argument)]
            $lengths $more $($($rest)*)? }
    };
    (@sorted $name:ident $scope:tt [$($abi:ident)?] [$($how:tt)+]
       [$(($sort:ident $argument:ident $kind:ty, $length:ident))*] [$($lengths:ident)*] $more:tt) => {
        #[doc = concat!("`", stringify!($name), "` for Fortran.")]
        #[allow(unused_variables)]
        pub unsafe extern "C" fn $name(
            $($argument: $crate::fortran_row!(@type $sort $kind),)*
            ierror: *mut ::std::ffi::c_int
            $(, $lengths: usize)*
        ) {
            let code = $crate::fortran_row! {
                @body $name ($crate::fortran_row!(@scope $scope)) [$($how)+] [$($abi)?] $(($sort $argument $kind, $length))*
            };
            if !ierror.is_null() {
                // SAFETY: the program passes an INTEGER for the error code.
                unsafe { ierror.write(code) };
            }
        }
    };
    (@type text $kind:ty) => { *mut ::std::ffi::c_char };
    (@type other $kind:ty) => { <$kind as $crate::fortran::Argument<Door>>::Address };
    (@scope []) => { $crate::call::Scope::Process };
    (@scope [file]) => { $crate::call::Scope::File };
    (@scope [$object:ident]) => { $crate::fortran_row!(@scope_of $object $object) };
    (@scope_of session $session:ident) => {
        $crate::call::Scope::Session(
            // SAFETY: the program passes the address of a handle.
            <$crate::arguments::SessionHandle as $crate::arguments::Element<Door>>::value(unsafe { $session.read_unaligned() }).0
        )
    };
    (@scope_of $name:ident $comm:ident) => {
        $crate::call::Scope::Comm(
            // SAFETY: the program passes the address of a handle.
            <$crate::arguments::CommHandle as $crate::arguments::Element<Door>>::value(unsafe { $comm.read_unaligned() }).0
        )
    };
    (@body $name:ident ($scope:expr) [refused] $($rest:tt)*) => {
        $crate::call::refuse::<Door>(stringify!($name), $scope)
    };
    (@body $name:ident ($scope:expr) [$($how:ident)::+] [$($abi:ident)?]
       $(($sort:ident $argument:ident $kind:ty, $length:ident))*) => {
        $crate::call::call::<Door>(stringify!($name), $scope, || {
            // SAFETY: the program keeps the promises that MPI asks for.
            $(let $argument = unsafe { $crate::fortran_row!(@value $sort $argument $kind, $length) }?;)*
            // SAFETY: as above; they are passed on.
            unsafe { $crate::$($how)::+ $(::<$abi>)? ($($argument),*) }
        })
    };
    (@value text $argument:ident $kind:ty, $length:ident) => {
        <$kind as $crate::fortran::TextArgument<Door>>::value($argument, $length, stringify!($argument))
    };
    (@value other $argument:ident $kind:ty, $length:ident) => {
        <$kind as $crate::fortran::Argument<Door>>::value($argument, stringify!($argument))
    };
}

/// Makes the functions for Fortran from all tables, in a module where `Door` is a [`Fortran`] and the kinds
/// of arguments are in scope.
///
/// [`Fortran`]: crate::fortran::Fortran
#[macro_export]
macro_rules! fortran_chapters {
    () => {
        $crate::attributes!(fortran);
        $crate::collectives!(fortran);
        $crate::communicators!(fortran);
        $crate::datatypes!(fortran);
        $crate::environment!(fortran);
        $crate::errors!(fortran);
        $crate::files!(fortran);
        $crate::groups!(fortran);
        $crate::info!(fortran);
        $crate::neighborhood!(fortran);
        $crate::operators!(fortran);
        $crate::p2p!(fortran);
        $crate::partitioned!(fortran);
        $crate::processes!(fortran);
        $crate::requests!(fortran);
        $crate::sessions!(fortran);
        $crate::topologies!(fortran);
        $crate::windows!(fortran);
        $crate::in_fortran!(fortran_only);
        $crate::fortran_values!();
    };
}

/// Functions that return their result, or have no argument for an error code.
#[macro_export]
macro_rules! fortran_values {
    () => {
        /// `MPI_WTIME` of Fortran.
        pub extern "C" fn MPI_Wtime() -> f64 {
            $crate::environment::wtime()
        }

        /// `MPI_WTICK` of Fortran.
        pub extern "C" fn MPI_Wtick() -> f64 {
            $crate::environment::wtick()
        }

        /// `MPI_AINT_ADD` of Fortran.
        pub unsafe extern "C" fn MPI_Aint_add(base: *const isize, disp: *const isize) -> isize {
            // SAFETY: the program passes the addresses of two integers.
            unsafe { base.read_unaligned().wrapping_add(disp.read_unaligned()) }
        }

        /// `MPI_AINT_DIFF` of Fortran.
        pub unsafe extern "C" fn MPI_Aint_diff(addr1: *const isize, addr2: *const isize) -> isize {
            // SAFETY: the program passes the addresses of two integers.
            unsafe { addr1.read_unaligned().wrapping_sub(addr2.read_unaligned()) }
        }

        /// `MPI_PCONTROL` of Fortran. There is nothing to control.
        pub extern "C" fn MPI_Pcontrol(_level: *const ::std::ffi::c_int) {}

        /// `MPI_F_SYNC_REG` of Fortran: compilers believe that it changes the buffer.
        pub extern "C" fn MPI_F_sync_reg(_buf: *mut ::std::ffi::c_void) {}
    };
}

/// Exports functions for Fortran under the names that compilers give them. A row has a function and its
/// names.
#[macro_export]
macro_rules! fortran_names {
    ($($name:ident: $($alias:ident)+;)*) => {
        $($($crate::jumps! { $alias = $name; })+)*

        /// The functions and their names.
        #[cfg(test)]
        pub const NAMES: &[(&str, &[&str])] = &[$((stringify!($name), &[$(stringify!($alias)),+]),)*];
    };
}
