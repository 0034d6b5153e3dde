//! One-sided communication: chapter 12.

/// Rows of the chapter. See [`crate::functions`].
#[macro_export]
macro_rules! windows {
    ($door:ident) => {
        $crate::export! { $door WINDOWS
            3 "2.0" MPI_Accumulate PMPI_Accumulate (origin_addr: SendBuffer, origin_count: Count, origin_datatype:
                DatatypeHandle, target_rank: Rank, target_disp: Aint, target_count: Count, target_datatype: DatatypeHandle, op:
                OpHandle, win: WinHandle) = refused;
            3 "3.0" MPI_Compare_and_swap PMPI_Compare_and_swap (origin_addr: SendBuffer, compare_addr: SendBuffer,
                result_addr: Pointer, datatype: DatatypeHandle, target_rank: Rank, target_disp: Aint, win: WinHandle) = refused;
            3 "3.0" MPI_Fetch_and_op PMPI_Fetch_and_op (origin_addr: SendBuffer, result_addr: Pointer, datatype:
                DatatypeHandle, target_rank: Rank, target_disp: Aint, op: OpHandle, win: WinHandle) = refused;
            3 "2.0" MPI_Get PMPI_Get (origin_addr: Pointer, origin_count: Count, origin_datatype: DatatypeHandle,
                target_rank: Rank, target_disp: Aint, target_count: Count, target_datatype: DatatypeHandle, win: WinHandle) =
                refused;
            3 "3.0" MPI_Get_accumulate PMPI_Get_accumulate (origin_addr: SendBuffer, origin_count: Count, origin_datatype:
                DatatypeHandle, result_addr: Pointer, result_count: Count, result_datatype: DatatypeHandle, target_rank: Rank,
                target_disp: Aint, target_count: Count, target_datatype: DatatypeHandle, op: OpHandle, win: WinHandle) =
                refused;
            3 "2.0" MPI_Put PMPI_Put (origin_addr: SendBuffer, origin_count: Count, origin_datatype: DatatypeHandle,
                target_rank: Rank, target_disp: Aint, target_count: Count, target_datatype: DatatypeHandle, win: WinHandle) =
                refused;
            3 "3.0" MPI_Raccumulate PMPI_Raccumulate (origin_addr: SendBuffer, origin_count: Count, origin_datatype:
                DatatypeHandle, target_rank: Rank, target_disp: Aint, target_count: Count, target_datatype: DatatypeHandle, op:
                OpHandle, win: WinHandle, request: Out<RequestHandle>) = refused;
            3 "3.0" MPI_Rget PMPI_Rget (origin_addr: Pointer, origin_count: Count, origin_datatype: DatatypeHandle,
                target_rank: Rank, target_disp: Aint, target_count: Count, target_datatype: DatatypeHandle, win: WinHandle,
                request: Out<RequestHandle>) = refused;
            3 "3.0" MPI_Rget_accumulate PMPI_Rget_accumulate (origin_addr: SendBuffer, origin_count: Count, origin_datatype:
                DatatypeHandle, result_addr: Pointer, result_count: Count, result_datatype: DatatypeHandle, target_rank: Rank,
                target_disp: Aint, target_count: Count, target_datatype: DatatypeHandle, op: OpHandle, win: WinHandle, request:
                Out<RequestHandle>) = refused;
            3 "3.0" MPI_Rput PMPI_Rput (origin_addr: SendBuffer, origin_count: Count, origin_datatype: DatatypeHandle,
                target_rank: Rank, target_disp: Aint, target_count: Count, target_datatype: DatatypeHandle, win: WinHandle,
                request: Out<RequestHandle>) = refused;
            3 "3.0" MPI_Win_allocate PMPI_Win_allocate (size: Aint, disp_unit: Int, info: InfoHandle, comm: CommHandle,
                baseptr: Pointer, win: Out<WinHandle>) = refused;
            3 "3.0" MPI_Win_allocate_shared PMPI_Win_allocate_shared (size: Aint, disp_unit: Int, info: InfoHandle, comm:
                CommHandle, baseptr: Pointer, win: Out<WinHandle>) = refused;
            3 "3.0" MPI_Win_attach PMPI_Win_attach (win: WinHandle, base: Pointer, size: Aint) = refused;
            3 "2.0" MPI_Win_call_errhandler PMPI_Win_call_errhandler (win: WinHandle, errorcode: ErrorCode) = refused;
            3 "2.0" MPI_Win_complete PMPI_Win_complete (win: WinHandle) = refused;
            3 "2.0" MPI_Win_create PMPI_Win_create (base: Pointer, size: Aint, disp_unit: Int, info: InfoHandle, comm:
                CommHandle, win: Out<WinHandle>) = refused;
            3 "3.0" MPI_Win_create_dynamic PMPI_Win_create_dynamic (info: InfoHandle, comm: CommHandle, win: Out<WinHandle>)
                = refused;
            3 "2.0" MPI_Win_create_errhandler PMPI_Win_create_errhandler (win_errhandler_fn: OtherFunction, errhandler:
                Out<ErrhandlerHandle>) = refused;
            3 "2.0" MPI_Win_create_keyval PMPI_Win_create_keyval (win_copy_attr_fn: Pointer, win_delete_attr_fn: Pointer,
                win_keyval: Out<Keyval>, extra_state: Pointer) = refused;
            3 "2.0" MPI_Win_delete_attr PMPI_Win_delete_attr (win: WinHandle, win_keyval: Keyval) = refused;
            3 "3.0" MPI_Win_detach PMPI_Win_detach (win: WinHandle, base: ConstPointer) = refused;
            3 "2.0" MPI_Win_fence PMPI_Win_fence (assert: Int, win: WinHandle) = refused;
            3 "3.0" MPI_Win_flush PMPI_Win_flush (rank: Int, win: WinHandle) = refused;
            3 "3.0" MPI_Win_flush_all PMPI_Win_flush_all (win: WinHandle) = refused;
            3 "3.0" MPI_Win_flush_local PMPI_Win_flush_local (rank: Int, win: WinHandle) = refused;
            3 "3.0" MPI_Win_flush_local_all PMPI_Win_flush_local_all (win: WinHandle) = refused;
            3 "2.0" MPI_Win_free PMPI_Win_free (win: InOut<WinHandle>) = refused;
            3 "2.0" MPI_Win_free_keyval PMPI_Win_free_keyval (win_keyval: InOut<Keyval>) = refused;
            3 "2.0" MPI_Win_get_attr PMPI_Win_get_attr (win: WinHandle, win_keyval: Keyval, attribute_val: Pointer, flag:
                Out<Flag>) = refused;
            3 "2.0" MPI_Win_get_errhandler PMPI_Win_get_errhandler (win: WinHandle, errhandler: Out<ErrhandlerHandle>) = refused;
            3 "2.0" MPI_Win_get_group PMPI_Win_get_group (win: WinHandle, group: Out<GroupHandle>) = refused;
            3 "3.0" MPI_Win_get_info PMPI_Win_get_info (win: WinHandle, info_used: Out<InfoHandle>) = refused;
            3 "2.0" MPI_Win_get_name PMPI_Win_get_name (win: WinHandle, win_name: OutText, resultlen: Out<Int>) = refused;
            3 "2.0" MPI_Win_lock PMPI_Win_lock (lock_type: Int, rank: Int, assert: Int, win: WinHandle) = refused;
            3 "3.0" MPI_Win_lock_all PMPI_Win_lock_all (assert: Int, win: WinHandle) = refused;
            3 "2.0" MPI_Win_post PMPI_Win_post (group: GroupHandle, assert: Int, win: WinHandle) = refused;
            3 "2.0" MPI_Win_set_attr PMPI_Win_set_attr (win: WinHandle, win_keyval: Keyval, attribute_val: Pointer) = refused;
            3 "2.0" MPI_Win_set_errhandler PMPI_Win_set_errhandler (win: WinHandle, errhandler: ErrhandlerHandle) = refused;
            3 "3.0" MPI_Win_set_info PMPI_Win_set_info (win: WinHandle, info: InfoHandle) = refused;
            3 "2.0" MPI_Win_set_name PMPI_Win_set_name (win: WinHandle, win_name: InText) = refused;
            3 "3.0" MPI_Win_shared_query PMPI_Win_shared_query (win: WinHandle, rank: Int, size: Out<Aint>, disp_unit:
                Out<Int>, baseptr: Pointer) = refused;
            3 "2.0" MPI_Win_start PMPI_Win_start (group: GroupHandle, assert: Int, win: WinHandle) = refused;
            3 "3.0" MPI_Win_sync PMPI_Win_sync (win: WinHandle) = refused;
            3 "2.0" MPI_Win_test PMPI_Win_test (win: WinHandle, flag: Out<Flag>) = refused;
            3 "2.0" MPI_Win_unlock PMPI_Win_unlock (rank: Int, win: WinHandle) = refused;
            3 "3.0" MPI_Win_unlock_all PMPI_Win_unlock_all (win: WinHandle) = refused;
            3 "2.0" MPI_Win_wait PMPI_Win_wait (win: WinHandle) = refused;
            3 "4.0" MPI_Accumulate_c PMPI_Accumulate_c (origin_addr: SendBuffer, origin_count: LargeCount, origin_datatype:
                DatatypeHandle, target_rank: Rank, target_disp: Aint, target_count: LargeCount, target_datatype: DatatypeHandle,
                op: OpHandle, win: WinHandle) = refused;
            3 "4.0" MPI_Get_c PMPI_Get_c (origin_addr: Pointer, origin_count: LargeCount, origin_datatype: DatatypeHandle,
                target_rank: Rank, target_disp: Aint, target_count: LargeCount, target_datatype: DatatypeHandle, win: WinHandle)
                = refused;
            3 "4.0" MPI_Get_accumulate_c PMPI_Get_accumulate_c (origin_addr: SendBuffer, origin_count: LargeCount,
                origin_datatype: DatatypeHandle, result_addr: Pointer, result_count: LargeCount, result_datatype:
                DatatypeHandle, target_rank: Rank, target_disp: Aint, target_count: LargeCount, target_datatype: DatatypeHandle,
                op: OpHandle, win: WinHandle) = refused;
            3 "4.0" MPI_Put_c PMPI_Put_c (origin_addr: SendBuffer, origin_count: LargeCount, origin_datatype:
                DatatypeHandle, target_rank: Rank, target_disp: Aint, target_count: LargeCount, target_datatype: DatatypeHandle,
                win: WinHandle) = refused;
            3 "4.0" MPI_Raccumulate_c PMPI_Raccumulate_c (origin_addr: SendBuffer, origin_count: LargeCount,
                origin_datatype: DatatypeHandle, target_rank: Rank, target_disp: Aint, target_count: LargeCount,
                target_datatype: DatatypeHandle, op: OpHandle, win: WinHandle, request: Out<RequestHandle>) = refused;
            3 "4.0" MPI_Rget_c PMPI_Rget_c (origin_addr: Pointer, origin_count: LargeCount, origin_datatype: DatatypeHandle,
                target_rank: Rank, target_disp: Aint, target_count: LargeCount, target_datatype: DatatypeHandle, win: WinHandle,
                request: Out<RequestHandle>) = refused;
            3 "4.0" MPI_Rget_accumulate_c PMPI_Rget_accumulate_c (origin_addr: SendBuffer, origin_count: LargeCount,
                origin_datatype: DatatypeHandle, result_addr: Pointer, result_count: LargeCount, result_datatype:
                DatatypeHandle, target_rank: Rank, target_disp: Aint, target_count: LargeCount, target_datatype: DatatypeHandle,
                op: OpHandle, win: WinHandle, request: Out<RequestHandle>) = refused;
            3 "4.0" MPI_Rput_c PMPI_Rput_c (origin_addr: SendBuffer, origin_count: LargeCount, origin_datatype:
                DatatypeHandle, target_rank: Rank, target_disp: Aint, target_count: LargeCount, target_datatype: DatatypeHandle,
                win: WinHandle, request: Out<RequestHandle>) = refused;
            3 "4.0" MPI_Win_allocate_c PMPI_Win_allocate_c (size: Aint, disp_unit: Aint, info: InfoHandle, comm: CommHandle,
                baseptr: Pointer, win: Out<WinHandle>) = refused;
            3 "4.0" MPI_Win_allocate_shared_c PMPI_Win_allocate_shared_c (size: Aint, disp_unit: Aint, info: InfoHandle,
                comm: CommHandle, baseptr: Pointer, win: Out<WinHandle>) = refused;
            3 "4.0" MPI_Win_create_c PMPI_Win_create_c (base: Pointer, size: Aint, disp_unit: Aint, info: InfoHandle, comm:
                CommHandle, win: Out<WinHandle>) = refused;
            3 "4.0" MPI_Win_shared_query_c PMPI_Win_shared_query_c (win: WinHandle, rank: Int, size: Out<Aint>, disp_unit:
                Out<Aint>, baseptr: Pointer) = refused;
        }
    };
}
