//! Functions that have other arguments in Fortran than in C.

/// Rows of these functions. See [`crate::functions`].
#[macro_export]
macro_rules! in_fortran {
    ($door:ident) => {
        $crate::export! { $door IN_FORTRAN
            1 "1.0" MPI_Init PMPI_Init () = fortran::calls::init <Door>;
            1 "2.0" MPI_Init_thread PMPI_Init_thread (required: ThreadLevel, provided: Out<ThreadLevel>) =
                fortran::calls::init_thread <Door>;
            2 "1.0" MPI_Buffer_detach PMPI_Buffer_detach (buffer_addr: Unused, size: Out<Count>) = fortran::calls::buffer_detach;
            3 "2.0" MPI_Comm_spawn PMPI_Comm_spawn (command: InText, argv: Unused, maxprocs: Int, info: InfoHandle, root: Rank,
                comm: CommHandle, intercomm: Made<CommHandle>, array_of_errcodes: Unused) on comm = refused;
            3 "2.0" MPI_Comm_spawn_multiple PMPI_Comm_spawn_multiple (count: Int, array_of_commands: Unused, array_of_argv:
                Unused, array_of_maxprocs: Array<Int>, array_of_info: Unused, root: Rank, comm: CommHandle, intercomm:
                Made<CommHandle>, array_of_errcodes: Unused) on comm = refused;
            2 "4.0" MPI_Info_create_env PMPI_Info_create_env (info: Out<InfoHandle>) = fortran::calls::info_create_env;
            2 "4.0" MPI_Info_get_string PMPI_Info_get_string (info: InfoHandle, key: InText, buflen: InOut<Int>, value: OutText,
                flag: Out<Flag>) = fortran::calls::info_get_string;
            3 "4.0" MPI_Session_get_nth_pset PMPI_Session_get_nth_pset (session: SessionHandle, info: InfoHandle, n: Int, pset_len:
                InOut<Int>, pset_name: OutText) on session = fortran::calls::session_get_nth_pset;
            3 "1.0" MPI_Attr_get PMPI_Attr_get (comm: CommHandle, keyval: Keyval, attribute_val: Out<ShortAddress>, flag:
                Out<Flag>) on comm = fortran::calls::comm_get <Door>;
            3 "1.0" MPI_Attr_put PMPI_Attr_put (comm: CommHandle, keyval: Keyval, attribute_val: Count) on comm =
                fortran::calls::comm_set;
            3 "1.0" MPI_Keyval_create PMPI_Keyval_create (copy_fn: Function, delete_fn: Function, keyval: Out<Keyval>,
                extra_state: Int) = fortran::calls::keyval_create <Door>;
            2 "2.0" MPI_Comm_create_keyval PMPI_Comm_create_keyval (comm_copy_attr_fn: Function, comm_delete_attr_fn:
                Function, comm_keyval: Out<Keyval>, extra_state: Aint) = fortran::calls::comm_create_keyval <Door>;
            1 "2.0" MPI_Comm_get_attr PMPI_Comm_get_attr (comm: CommHandle, comm_keyval: Keyval, attribute_val: Out<Aint>,
                flag: Out<Flag>) on comm = fortran::calls::comm_get <Door>;
            2 "2.0" MPI_Comm_set_attr PMPI_Comm_set_attr (comm: CommHandle, comm_keyval: Keyval, attribute_val: Aint) on
                comm = fortran::calls::comm_set;
            2 "2.0" MPI_Type_create_keyval PMPI_Type_create_keyval (type_copy_attr_fn: Function, type_delete_attr_fn:
                Function, type_keyval: Out<Keyval>, extra_state: Aint) = fortran::calls::type_create_keyval <Door>;
            2 "2.0" MPI_Type_get_attr PMPI_Type_get_attr (datatype: DatatypeHandle, type_keyval: Keyval, attribute_val:
                Out<Aint>, flag: Out<Flag>) = fortran::calls::type_get;
            2 "2.0" MPI_Type_set_attr PMPI_Type_set_attr (datatype: DatatypeHandle, type_keyval: Keyval, attribute_val:
                Aint) = fortran::calls::type_set;
            3 "2.0" MPI_Win_create_keyval PMPI_Win_create_keyval (win_copy_attr_fn: Function, win_delete_attr_fn: Function,
                win_keyval: Out<Keyval>, extra_state: Aint) = fortran::calls::win_create_keyval <Door>;
            3 "2.0" MPI_Win_get_attr PMPI_Win_get_attr (win: WinHandle, win_keyval: Keyval, attribute_val: Out<Aint>, flag:
                Out<Flag>) = fortran::calls::win_get <Door>;
            3 "2.0" MPI_Win_set_attr PMPI_Win_set_attr (win: WinHandle, win_keyval: Keyval, attribute_val: Aint) =
                fortran::calls::win_set;
            3 "1.0" MPI_Address PMPI_Address (location: ConstPointer, address: Out<ShortAddress>) = types::inquiry::address;
            3 "1.0" MPI_Errhandler_create PMPI_Errhandler_create (comm_errhandler_fn: CommErrorFunction,
                errhandler: Out<ErrhandlerHandle>) = errhandler::calls::comm_create;
            3 "1.0" MPI_Errhandler_get PMPI_Errhandler_get (comm: CommHandle, errhandler: Out<ErrhandlerHandle>) on comm =
                errhandler::calls::comm_get;
            3 "1.0" MPI_Errhandler_set PMPI_Errhandler_set (comm: CommHandle, errhandler: ErrhandlerHandle) on comm =
                errhandler::calls::comm_set;
            3 "1.0" MPI_Type_extent PMPI_Type_extent (datatype: DatatypeHandle, extent: Out<ShortAddress>) =
                types::removed::extent;
            3 "1.0" MPI_Type_hindexed PMPI_Type_hindexed (count: Count, array_of_blocklengths: Array<Count>,
                array_of_displacements: Array<ShortAddress>, oldtype: DatatypeHandle, newtype: Out<DatatypeHandle>) =
                types::construct::hindexed <Small>;
            3 "1.0" MPI_Type_hvector PMPI_Type_hvector (count: Count, blocklength: Count, stride: Count, oldtype:
                DatatypeHandle, newtype: Out<DatatypeHandle>) = types::construct::hvector <Small>;
            3 "1.0" MPI_Type_lb PMPI_Type_lb (datatype: DatatypeHandle, displacement: Out<ShortAddress>) =
                types::removed::lower_bound;
            3 "1.0" MPI_Type_struct PMPI_Type_struct (count: Count, array_of_blocklengths: Array<Count>,
                array_of_displacements: Array<ShortAddress>, array_of_types: Array<DatatypeHandle>, newtype:
                Out<DatatypeHandle>) = types::construct::structure <Small>;
            3 "1.0" MPI_Type_ub PMPI_Type_ub (datatype: DatatypeHandle, displacement: Out<ShortAddress>) =
                types::removed::upper_bound;
        }
    };
}
