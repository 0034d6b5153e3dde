//! Sessions: section 11.3.

/// Rows of the chapter. See [`crate::functions`].
#[macro_export]
macro_rules! sessions {
    ($door:ident) => {
        $crate::export! { $door SESSIONS
            3 "4.0" MPI_Comm_create_from_group PMPI_Comm_create_from_group (group: GroupHandle, stringtag: InText, info:
                InfoHandle, errhandler: ErrhandlerHandle, newcomm: Made<CommHandle>) = refused;
            3 "4.0" MPI_Group_from_session_pset PMPI_Group_from_session_pset (session: SessionHandle, pset_name: InText,
                newgroup: Out<GroupHandle>) = refused;
            3 "4.0" MPI_Intercomm_create_from_groups PMPI_Intercomm_create_from_groups (local_group: GroupHandle,
                local_leader: Rank, remote_group: GroupHandle, remote_leader: Rank, stringtag: InText, info: InfoHandle,
                errhandler: ErrhandlerHandle, newintercomm: Made<CommHandle>) = refused;
            3 "4.1" MPI_Session_attach_buffer PMPI_Session_attach_buffer (session: SessionHandle, buffer: RecvBuffer, size:
                Count) = refused;
            3 "4.0" MPI_Session_attach_buffer_c PMPI_Session_attach_buffer_c (session: SessionHandle, buffer: RecvBuffer,
                size: LargeCount) = refused;
            3 "4.0" MPI_Session_call_errhandler PMPI_Session_call_errhandler (session: SessionHandle, errorcode: ErrorCode)
                = refused;
            3 "4.0" MPI_Session_create_errhandler PMPI_Session_create_errhandler (session_errhandler_fn: OtherFunction,
                errhandler: Out<ErrhandlerHandle>) = refused;
            3 "4.1" MPI_Session_detach_buffer PMPI_Session_detach_buffer (session: SessionHandle, buffer_addr: Pointer,
                size: Out<Count>) = refused;
            3 "4.0" MPI_Session_detach_buffer_c PMPI_Session_detach_buffer_c (session: SessionHandle, buffer_addr: Pointer,
                size: Out<LargeCount>) = refused;
            3 "4.0" MPI_Session_finalize PMPI_Session_finalize (session: InOut<SessionHandle>) = refused;
            3 "4.1" MPI_Session_flush_buffer PMPI_Session_flush_buffer (session: SessionHandle) = refused;
            3 "4.0" MPI_Session_get_errhandler PMPI_Session_get_errhandler (session: SessionHandle, errhandler:
                Out<ErrhandlerHandle>) = refused;
            3 "4.0" MPI_Session_get_info PMPI_Session_get_info (session: SessionHandle, info_used: Out<InfoHandle>) = refused;
            3 "4.0" MPI_Session_get_nth_pset PMPI_Session_get_nth_pset (session: SessionHandle, info: InfoHandle, n: Int,
                pset_len: Out<Int>, pset_name: OutText) = refused;
            3 "4.0" MPI_Session_get_num_psets PMPI_Session_get_num_psets (session: SessionHandle, info: InfoHandle,
                npset_names: Out<Int>) = refused;
            3 "4.0" MPI_Session_get_pset_info PMPI_Session_get_pset_info (session: SessionHandle, pset_name: InText, info:
                Out<InfoHandle>) = refused;
            3 "4.1" MPI_Session_iflush_buffer PMPI_Session_iflush_buffer (session: SessionHandle, request:
                Out<RequestHandle>) = refused;
            3 "4.0" MPI_Session_init PMPI_Session_init (info: InfoHandle, errhandler: ErrhandlerHandle, session:
                Out<SessionHandle>) = refused;
            3 "4.0" MPI_Session_set_errhandler PMPI_Session_set_errhandler (session: SessionHandle, errhandler:
                ErrhandlerHandle) = refused;
        }
    };
}
