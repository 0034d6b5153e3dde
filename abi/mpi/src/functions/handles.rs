//! Handles as integers, and the ABI itself: chapter 20.

/// Rows of the chapter, MPI 4.0 to 5.0. See [`crate::functions`].
#[macro_export]
macro_rules! handles_since_4 {
    ($door:ident) => {
        $crate::export! { $door HANDLES_SINCE_4
            3 "5.0" MPI_Abi_get_fortran_booleans PMPI_Abi_get_fortran_booleans (logical_size: Int, logical_true: Pointer,
                logical_false: Pointer, is_set: Out<Int>) = abi_info::get_fortran_booleans;
            2 "5.0" MPI_Abi_get_fortran_info PMPI_Abi_get_fortran_info (info: Out<InfoHandle>) = abi_info::get_fortran_info;
            2 "5.0" MPI_Abi_get_info PMPI_Abi_get_info (info: Out<InfoHandle>) = abi_info::get_info;
            1 "5.0" MPI_Abi_get_version PMPI_Abi_get_version (abi_major: Out<Int>, abi_minor: Out<Int>) = environment::get_abi_version <Door>;
            3 "5.0" MPI_Abi_set_fortran_booleans PMPI_Abi_set_fortran_booleans (logical_size: Int, logical_true: Pointer,
                logical_false: Pointer) = abi_info::set_fortran_booleans;
            3 "5.0" MPI_Abi_set_fortran_info PMPI_Abi_set_fortran_info (info: InfoHandle) = abi_info::set_fortran_info;
            2 "5.0" MPI_Comm_toint PMPI_Comm_toint (comm: CommHandle) -> Number = handles::comm_to_int;
            2 "5.0" MPI_Errhandler_toint PMPI_Errhandler_toint (errhandler: ErrhandlerHandle) -> Number = handles::errhandler_to_int;
            3 "5.0" MPI_File_toint PMPI_File_toint (file: FileHandle) -> Number = handles::file_to_int;
            2 "5.0" MPI_Group_toint PMPI_Group_toint (group: GroupHandle) -> Number = handles::group_to_int;
            2 "5.0" MPI_Info_toint PMPI_Info_toint (info: InfoHandle) -> Number = handles::info_to_int;
            2 "5.0" MPI_Message_toint PMPI_Message_toint (message: MessageHandle) -> Number = handles::message_to_int;
            2 "5.0" MPI_Op_toint PMPI_Op_toint (op: OpHandle) -> Number = handles::op_to_int;
            2 "5.0" MPI_Request_toint PMPI_Request_toint (request: RequestHandle) -> Number = handles::request_to_int;
            3 "5.0" MPI_Session_toint PMPI_Session_toint (session: SessionHandle) -> Number = handles::session_to_int;
            2 "5.0" MPI_Type_toint PMPI_Type_toint (datatype: DatatypeHandle) -> Number = handles::type_to_int;
            3 "5.0" MPI_Win_toint PMPI_Win_toint (win: WinHandle) -> Number = handles::win_to_int;
            2 "5.0" MPI_Comm_fromint PMPI_Comm_fromint (handle: Int) -> Out<CommHandle> = handles::comm_from_int;
            2 "5.0" MPI_Errhandler_fromint PMPI_Errhandler_fromint (handle: Int) -> Out<ErrhandlerHandle> = handles::errhandler_from_int;
            3 "5.0" MPI_File_fromint PMPI_File_fromint (handle: Int) -> Out<FileHandle> = handles::file_from_int;
            2 "5.0" MPI_Group_fromint PMPI_Group_fromint (handle: Int) -> Out<GroupHandle> = handles::group_from_int;
            2 "5.0" MPI_Info_fromint PMPI_Info_fromint (handle: Int) -> Out<InfoHandle> = handles::info_from_int;
            2 "5.0" MPI_Message_fromint PMPI_Message_fromint (handle: Int) -> Out<MessageHandle> = handles::message_from_int;
            2 "5.0" MPI_Op_fromint PMPI_Op_fromint (handle: Int) -> Out<OpHandle> = handles::op_from_int;
            2 "5.0" MPI_Request_fromint PMPI_Request_fromint (handle: Int) -> Out<RequestHandle> = handles::request_from_int;
            3 "5.0" MPI_Session_fromint PMPI_Session_fromint (handle: Int) -> Out<SessionHandle> = handles::session_from_int;
            2 "5.0" MPI_Type_fromint PMPI_Type_fromint (handle: Int) -> Out<DatatypeHandle> = handles::type_from_int;
            3 "5.0" MPI_Win_fromint PMPI_Win_fromint (handle: Int) -> Out<WinHandle> = handles::win_from_int;
        }
    };
}
