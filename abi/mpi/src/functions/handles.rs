//! Handles as integers, and the ABI itself: chapter 20.

/// Rows of the chapter. See [`crate::functions`].
#[macro_export]
macro_rules! handles {
    ($door:ident) => {
        $crate::export! { $door HANDLES
            3 "5.0" MPI_Abi_get_fortran_booleans PMPI_Abi_get_fortran_booleans (logical_size: Int, logical_true: Pointer,
                logical_false: Pointer, is_set: Out<Int>) = abi_info::get_fortran_booleans;
            2 "5.0" MPI_Abi_get_fortran_info PMPI_Abi_get_fortran_info (info: Out<InfoHandle>) = abi_info::get_fortran_info;
            2 "5.0" MPI_Abi_get_info PMPI_Abi_get_info (info: Out<InfoHandle>) = abi_info::get_info;
            1 "5.0" MPI_Abi_get_version PMPI_Abi_get_version (abi_major: Out<Int>, abi_minor: Out<Int>) = environment::get_abi_version <Door>;
            3 "5.0" MPI_Abi_set_fortran_booleans PMPI_Abi_set_fortran_booleans (logical_size: Int, logical_true: Pointer,
                logical_false: Pointer) = abi_info::set_fortran_booleans;
            3 "5.0" MPI_Abi_set_fortran_info PMPI_Abi_set_fortran_info (info: InfoHandle) = abi_info::set_fortran_info;
            2 "5.0" MPI_Comm_toint PMPI_Comm_toint (comm: CommHandle) -> Integer<CommHandle> = handles::same;
            2 "5.0" MPI_Errhandler_toint PMPI_Errhandler_toint (errhandler: ErrhandlerHandle) -> Integer<ErrhandlerHandle> = handles::same;
            3 "5.0" MPI_File_toint PMPI_File_toint (file: FileHandle) -> Integer<FileHandle> = handles::same;
            2 "5.0" MPI_Group_toint PMPI_Group_toint (group: GroupHandle) -> Integer<GroupHandle> = handles::same;
            2 "5.0" MPI_Info_toint PMPI_Info_toint (info: InfoHandle) -> Integer<InfoHandle> = handles::same;
            2 "5.0" MPI_Message_toint PMPI_Message_toint (message: MessageHandle) -> Integer<MessageHandle> = handles::same;
            2 "5.0" MPI_Op_toint PMPI_Op_toint (op: OpHandle) -> Integer<OpHandle> = handles::same;
            2 "5.0" MPI_Request_toint PMPI_Request_toint (request: RequestHandle) -> Integer<RequestHandle> = handles::same;
            3 "5.0" MPI_Session_toint PMPI_Session_toint (session: SessionHandle) -> Integer<SessionHandle> = handles::same;
            2 "5.0" MPI_Type_toint PMPI_Type_toint (datatype: DatatypeHandle) -> Integer<DatatypeHandle> = handles::same;
            3 "5.0" MPI_Win_toint PMPI_Win_toint (win: WinHandle) -> Integer<WinHandle> = handles::same;
            2 "5.0" MPI_Comm_fromint PMPI_Comm_fromint (handle: Integer<CommHandle>) -> Out<CommHandle> = handles::same;
            2 "5.0" MPI_Errhandler_fromint PMPI_Errhandler_fromint (handle: Integer<ErrhandlerHandle>) -> Out<ErrhandlerHandle> = handles::same;
            3 "5.0" MPI_File_fromint PMPI_File_fromint (handle: Integer<FileHandle>) -> Out<FileHandle> = handles::same;
            2 "5.0" MPI_Group_fromint PMPI_Group_fromint (handle: Integer<GroupHandle>) -> Out<GroupHandle> = handles::same;
            2 "5.0" MPI_Info_fromint PMPI_Info_fromint (handle: Integer<InfoHandle>) -> Out<InfoHandle> = handles::same;
            2 "5.0" MPI_Message_fromint PMPI_Message_fromint (handle: Integer<MessageHandle>) -> Out<MessageHandle> = handles::same;
            2 "5.0" MPI_Op_fromint PMPI_Op_fromint (handle: Integer<OpHandle>) -> Out<OpHandle> = handles::same;
            2 "5.0" MPI_Request_fromint PMPI_Request_fromint (handle: Integer<RequestHandle>) -> Out<RequestHandle> = handles::same;
            3 "5.0" MPI_Session_fromint PMPI_Session_fromint (handle: Integer<SessionHandle>) -> Out<SessionHandle> = handles::same;
            2 "5.0" MPI_Type_fromint PMPI_Type_fromint (handle: Integer<DatatypeHandle>) -> Out<DatatypeHandle> = handles::same;
            3 "5.0" MPI_Win_fromint PMPI_Win_fromint (handle: Integer<WinHandle>) -> Out<WinHandle> = handles::same;
        }
    };
}
