//! Sessions: section 11.3.

/// Rows of the chapter. See [`crate::functions`].
#[macro_export]
macro_rules! sessions {
    ($door:ident) => {
        $crate::export! { $door SESSIONS
            3 "4.0" MPI_Comm_create_from_group PMPI_Comm_create_from_group (group: GroupHandle, stringtag:
                InText, info: InfoHandle, errhandler: ErrhandlerHandle, newcomm: Made<CommHandle>) =
                comm::from_group::create;
            3 "4.0" MPI_Group_from_session_pset PMPI_Group_from_session_pset (session: SessionHandle,
                pset_name: InText, newgroup: Out<GroupHandle>) on session =
                session::calls::group_from_pset;
            3 "4.0" MPI_Intercomm_create_from_groups PMPI_Intercomm_create_from_groups (local_group:
                GroupHandle, local_leader: Rank, remote_group: GroupHandle, remote_leader: Rank,
                stringtag: InText, info: InfoHandle, errhandler: ErrhandlerHandle, newintercomm:
                Made<CommHandle>) = comm::from_group::create_inter;
            3 "4.1" MPI_Session_attach_buffer PMPI_Session_attach_buffer (session: SessionHandle, buffer:
                RecvBuffer, size: Count) on session = p2p::buffered::session_attach_buffer;
            3 "4.0" MPI_Session_attach_buffer_c PMPI_Session_attach_buffer_c (session: SessionHandle,
                buffer: RecvBuffer, size: LargeCount) on session = p2p::buffered::session_attach_buffer;
            3 "4.0" MPI_Session_call_errhandler PMPI_Session_call_errhandler (session: SessionHandle,
                errorcode: ErrorCode) on session = errhandler::calls::session_call;
            3 "4.0" MPI_Session_create_errhandler PMPI_Session_create_errhandler (session_errhandler_fn:
                SessionErrorFunction, errhandler: Out<ErrhandlerHandle>) =
                errhandler::calls::session_create;
            3 "4.1" MPI_Session_detach_buffer PMPI_Session_detach_buffer (session: SessionHandle,
                buffer_addr: Pointer, size: Out<Count>) on session = p2p::buffered::session_detach_buffer;
            3 "4.0" MPI_Session_detach_buffer_c PMPI_Session_detach_buffer_c (session: SessionHandle,
                buffer_addr: Pointer, size: Out<LargeCount>) on session =
                p2p::buffered::session_detach_buffer;
            3 "4.0" MPI_Session_finalize PMPI_Session_finalize (session: InOut<SessionHandle>) =
                session::calls::finalize;
            3 "4.1" MPI_Session_flush_buffer PMPI_Session_flush_buffer (session: SessionHandle) on session
                = p2p::buffered::session_flush_buffer;
            3 "4.0" MPI_Session_get_errhandler PMPI_Session_get_errhandler (session: SessionHandle,
                errhandler: Out<ErrhandlerHandle>) on session = errhandler::calls::session_get;
            3 "4.0" MPI_Session_get_info PMPI_Session_get_info (session: SessionHandle, info_used:
                Out<InfoHandle>) on session = session::calls::get_info;
            3 "4.0" MPI_Session_get_nth_pset PMPI_Session_get_nth_pset (session: SessionHandle, info:
                InfoHandle, n: Int, pset_len: InOut<Int>, pset_name: OutTextOrNull) on session =
                session::calls::get_nth_pset;
            3 "4.0" MPI_Session_get_num_psets PMPI_Session_get_num_psets (session: SessionHandle, info:
                InfoHandle, npset_names: Out<Int>) on session = session::calls::get_num_psets;
            3 "4.0" MPI_Session_get_pset_info PMPI_Session_get_pset_info (session: SessionHandle,
                pset_name: InText, info: Out<InfoHandle>) on session = session::calls::get_pset_info;
            3 "4.1" MPI_Session_iflush_buffer PMPI_Session_iflush_buffer (session: SessionHandle, request:
                Out<RequestHandle>) on session = p2p::buffered::session_iflush_buffer;
            3 "4.0" MPI_Session_init PMPI_Session_init (info: InfoHandle, errhandler: ErrhandlerHandle,
                session: Out<SessionHandle>) = session::calls::init <$door>;
            3 "4.0" MPI_Session_set_errhandler PMPI_Session_set_errhandler (session: SessionHandle,
                errhandler: ErrhandlerHandle) on session = errhandler::calls::session_set;
        }
    };
}
