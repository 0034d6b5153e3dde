//! One-sided communication: chapter 12.

/// Rows of the chapter. See [`crate::functions`].
#[macro_export]
macro_rules! windows {
    ($door:ident) => {
        $crate::export! { $door WINDOWS
            3 "2.0" MPI_Accumulate PMPI_Accumulate (origin_addr: SendBuffer, origin_count: Count, origin_datatype:
                DatatypeHandle, target_rank: Rank, target_disp: Aint, target_count: Count, target_datatype: DatatypeHandle,
                op: OpHandle, win: WinHandle) = win::calls::accumulate;
            3 "3.0" MPI_Compare_and_swap PMPI_Compare_and_swap (origin_addr: SendBuffer, compare_addr: SendBuffer,
                result_addr: Pointer, datatype: DatatypeHandle, target_rank: Rank, target_disp: Aint, win: WinHandle) =
                win::calls::compare_and_swap;
            3 "3.0" MPI_Fetch_and_op PMPI_Fetch_and_op (origin_addr: SendBuffer, result_addr: Pointer, datatype:
                DatatypeHandle, target_rank: Rank, target_disp: Aint, op: OpHandle, win: WinHandle) =
                win::calls::fetch_and_op;
            3 "2.0" MPI_Get PMPI_Get (origin_addr: Pointer, origin_count: Count, origin_datatype: DatatypeHandle,
                target_rank: Rank, target_disp: Aint, target_count: Count, target_datatype: DatatypeHandle, win: WinHandle)
                = win::calls::get;
            3 "3.0" MPI_Get_accumulate PMPI_Get_accumulate (origin_addr: SendBuffer, origin_count: Count, origin_datatype:
                DatatypeHandle, result_addr: Pointer, result_count: Count, result_datatype: DatatypeHandle, target_rank:
                Rank, target_disp: Aint, target_count: Count, target_datatype: DatatypeHandle, op: OpHandle, win:
                WinHandle) = win::calls::get_accumulate;
            3 "2.0" MPI_Put PMPI_Put (origin_addr: SendBuffer, origin_count: Count, origin_datatype: DatatypeHandle,
                target_rank: Rank, target_disp: Aint, target_count: Count, target_datatype: DatatypeHandle, win: WinHandle)
                = win::calls::put;
            3 "3.0" MPI_Raccumulate PMPI_Raccumulate (origin_addr: SendBuffer, origin_count: Count, origin_datatype:
                DatatypeHandle, target_rank: Rank, target_disp: Aint, target_count: Count, target_datatype: DatatypeHandle,
                op: OpHandle, win: WinHandle, request: Out<RequestHandle>) = win::request_calls::accumulate;
            3 "3.0" MPI_Rget PMPI_Rget (origin_addr: Pointer, origin_count: Count, origin_datatype: DatatypeHandle,
                target_rank: Rank, target_disp: Aint, target_count: Count, target_datatype: DatatypeHandle, win: WinHandle,
                request: Out<RequestHandle>) = win::request_calls::get;
            3 "3.0" MPI_Rget_accumulate PMPI_Rget_accumulate (origin_addr: SendBuffer, origin_count: Count,
                origin_datatype: DatatypeHandle, result_addr: Pointer, result_count: Count, result_datatype:
                DatatypeHandle, target_rank: Rank, target_disp: Aint, target_count: Count, target_datatype: DatatypeHandle,
                op: OpHandle, win: WinHandle, request: Out<RequestHandle>) = win::request_calls::get_accumulate;
            3 "3.0" MPI_Rput PMPI_Rput (origin_addr: SendBuffer, origin_count: Count, origin_datatype: DatatypeHandle,
                target_rank: Rank, target_disp: Aint, target_count: Count, target_datatype: DatatypeHandle, win: WinHandle,
                request: Out<RequestHandle>) = win::request_calls::put;
            3 "3.0" MPI_Win_allocate PMPI_Win_allocate (size: Aint, disp_unit: Count, info: InfoHandle, comm: CommHandle,
                baseptr: Pointer, win: Out<WinHandle>) on comm = win::create::allocate;
            3 "3.0" MPI_Win_allocate_shared PMPI_Win_allocate_shared (size: Aint, disp_unit: Count, info: InfoHandle, comm:
                CommHandle, baseptr: Pointer, win: Out<WinHandle>) on comm = win::create::allocate_shared;
            3 "3.0" MPI_Win_attach PMPI_Win_attach (win: WinHandle, base: Pointer, size: Aint) = win::dynamic::attach;
            3 "2.0" MPI_Win_call_errhandler PMPI_Win_call_errhandler (win: WinHandle, errorcode: ErrorCode) =
                errhandler::calls::win_call;
            3 "2.0" MPI_Win_complete PMPI_Win_complete (win: WinHandle) = win::active::complete;
            3 "2.0" MPI_Win_create PMPI_Win_create (base: Pointer, size: Aint, disp_unit: Count, info: InfoHandle, comm:
                CommHandle, win: Out<WinHandle>) on comm = win::create::create;
            3 "3.0" MPI_Win_create_dynamic PMPI_Win_create_dynamic (info: InfoHandle, comm: CommHandle, win:
                Out<WinHandle>) on comm = win::create::create_dynamic;
            3 "2.0" MPI_Win_create_errhandler PMPI_Win_create_errhandler (win_errhandler_fn: WinErrorFunction, errhandler:
                Out<ErrhandlerHandle>) = errhandler::calls::win_create;
            3 "2.0" MPI_Win_create_keyval PMPI_Win_create_keyval (win_copy_attr_fn: WinCopyFunction, win_delete_attr_fn:
                WinDeleteFunction, win_keyval: Out<Keyval>, extra_state: Pointer) = attribute::win_calls::create_keyval;
            3 "2.0" MPI_Win_delete_attr PMPI_Win_delete_attr (win: WinHandle, win_keyval: Keyval) =
                attribute::win_calls::delete;
            3 "3.0" MPI_Win_detach PMPI_Win_detach (win: WinHandle, base: ConstPointer) = win::dynamic::detach;
            3 "2.0" MPI_Win_fence PMPI_Win_fence (assert: Assertion, win: WinHandle) = win::fence::fence;
            3 "3.0" MPI_Win_flush PMPI_Win_flush (rank: Rank, win: WinHandle) = win::passive::flush;
            3 "3.0" MPI_Win_flush_all PMPI_Win_flush_all (win: WinHandle) = win::passive::flush_all;
            3 "3.0" MPI_Win_flush_local PMPI_Win_flush_local (rank: Rank, win: WinHandle) = win::passive::flush;
            3 "3.0" MPI_Win_flush_local_all PMPI_Win_flush_local_all (win: WinHandle) = win::passive::flush_all;
            3 "2.0" MPI_Win_free PMPI_Win_free (win: InOut<WinHandle>) = win::create::free;
            3 "2.0" MPI_Win_free_keyval PMPI_Win_free_keyval (win_keyval: InOut<Keyval>) = attribute::win_calls::free;
            3 "2.0" MPI_Win_get_attr PMPI_Win_get_attr (win: WinHandle, win_keyval: Keyval, attribute_val: Pointer, flag:
                Out<Flag>) = attribute::win_calls::get <Door>;
            3 "2.0" MPI_Win_get_errhandler PMPI_Win_get_errhandler (win: WinHandle, errhandler: Out<ErrhandlerHandle>) =
                errhandler::calls::win_get;
            3 "2.0" MPI_Win_get_group PMPI_Win_get_group (win: WinHandle, group: Out<GroupHandle>) =
                win::inquiry::get_group;
            3 "3.0" MPI_Win_get_info PMPI_Win_get_info (win: WinHandle, info_used: Out<InfoHandle>) =
                win::inquiry::get_info;
            3 "2.0" MPI_Win_get_name PMPI_Win_get_name (win: WinHandle, win_name: OutText, resultlen: Out<Int>) =
                win::inquiry::get_name;
            3 "2.0" MPI_Win_lock PMPI_Win_lock (lock_type: LockType, rank: Rank, assert: Assertion, win: WinHandle) =
                win::passive::lock;
            3 "3.0" MPI_Win_lock_all PMPI_Win_lock_all (assert: Assertion, win: WinHandle) = win::passive::lock_all;
            3 "2.0" MPI_Win_post PMPI_Win_post (group: GroupHandle, assert: Assertion, win: WinHandle) = win::active::post;
            3 "2.0" MPI_Win_set_attr PMPI_Win_set_attr (win: WinHandle, win_keyval: Keyval, attribute_val: Pointer) =
                attribute::win_calls::set;
            3 "2.0" MPI_Win_set_errhandler PMPI_Win_set_errhandler (win: WinHandle, errhandler: ErrhandlerHandle) =
                errhandler::calls::win_set;
            3 "3.0" MPI_Win_set_info PMPI_Win_set_info (win: WinHandle, info: InfoHandle) = win::inquiry::set_info;
            3 "2.0" MPI_Win_set_name PMPI_Win_set_name (win: WinHandle, win_name: InText) = win::inquiry::set_name;
            3 "3.0" MPI_Win_shared_query PMPI_Win_shared_query (win: WinHandle, rank: Rank, size: Out<Aint>, disp_unit:
                Out<Int>, baseptr: Pointer) = win::shared::small_query;
            3 "2.0" MPI_Win_start PMPI_Win_start (group: GroupHandle, assert: Assertion, win: WinHandle) =
                win::active::start;
            3 "3.0" MPI_Win_sync PMPI_Win_sync (win: WinHandle) = win::fence::sync;
            3 "2.0" MPI_Win_test PMPI_Win_test (win: WinHandle, flag: Out<Flag>) = win::active::test;
            3 "2.0" MPI_Win_unlock PMPI_Win_unlock (rank: Rank, win: WinHandle) = win::passive::unlock;
            3 "3.0" MPI_Win_unlock_all PMPI_Win_unlock_all (win: WinHandle) = win::passive::unlock_all;
            3 "2.0" MPI_Win_wait PMPI_Win_wait (win: WinHandle) = win::active::wait;
            3 "4.0" MPI_Accumulate_c PMPI_Accumulate_c (origin_addr: SendBuffer, origin_count: LargeCount, origin_datatype:
                DatatypeHandle, target_rank: Rank, target_disp: Aint, target_count: LargeCount, target_datatype:
                DatatypeHandle, op: OpHandle, win: WinHandle) = win::calls::accumulate;
            3 "4.0" MPI_Get_c PMPI_Get_c (origin_addr: Pointer, origin_count: LargeCount, origin_datatype: DatatypeHandle,
                target_rank: Rank, target_disp: Aint, target_count: LargeCount, target_datatype: DatatypeHandle, win:
                WinHandle) = win::calls::get;
            3 "4.0" MPI_Get_accumulate_c PMPI_Get_accumulate_c (origin_addr: SendBuffer, origin_count: LargeCount,
                origin_datatype: DatatypeHandle, result_addr: Pointer, result_count: LargeCount, result_datatype:
                DatatypeHandle, target_rank: Rank, target_disp: Aint, target_count: LargeCount, target_datatype:
                DatatypeHandle, op: OpHandle, win: WinHandle) = win::calls::get_accumulate;
            3 "4.0" MPI_Put_c PMPI_Put_c (origin_addr: SendBuffer, origin_count: LargeCount, origin_datatype:
                DatatypeHandle, target_rank: Rank, target_disp: Aint, target_count: LargeCount, target_datatype:
                DatatypeHandle, win: WinHandle) = win::calls::put;
            3 "4.0" MPI_Raccumulate_c PMPI_Raccumulate_c (origin_addr: SendBuffer, origin_count: LargeCount,
                origin_datatype: DatatypeHandle, target_rank: Rank, target_disp: Aint, target_count: LargeCount,
                target_datatype: DatatypeHandle, op: OpHandle, win: WinHandle, request: Out<RequestHandle>) =
                win::request_calls::accumulate;
            3 "4.0" MPI_Rget_c PMPI_Rget_c (origin_addr: Pointer, origin_count: LargeCount, origin_datatype:
                DatatypeHandle, target_rank: Rank, target_disp: Aint, target_count: LargeCount, target_datatype:
                DatatypeHandle, win: WinHandle, request: Out<RequestHandle>) = win::request_calls::get;
            3 "4.0" MPI_Rget_accumulate_c PMPI_Rget_accumulate_c (origin_addr: SendBuffer, origin_count: LargeCount,
                origin_datatype: DatatypeHandle, result_addr: Pointer, result_count: LargeCount, result_datatype:
                DatatypeHandle, target_rank: Rank, target_disp: Aint, target_count: LargeCount, target_datatype:
                DatatypeHandle, op: OpHandle, win: WinHandle, request: Out<RequestHandle>) =
                win::request_calls::get_accumulate;
            3 "4.0" MPI_Rput_c PMPI_Rput_c (origin_addr: SendBuffer, origin_count: LargeCount, origin_datatype:
                DatatypeHandle, target_rank: Rank, target_disp: Aint, target_count: LargeCount, target_datatype:
                DatatypeHandle, win: WinHandle, request: Out<RequestHandle>) = win::request_calls::put;
            3 "4.0" MPI_Win_allocate_c PMPI_Win_allocate_c (size: Aint, disp_unit: Aint, info: InfoHandle, comm:
                CommHandle, baseptr: Pointer, win: Out<WinHandle>) on comm = win::create::allocate;
            3 "4.0" MPI_Win_allocate_shared_c PMPI_Win_allocate_shared_c (size: Aint, disp_unit: Aint, info: InfoHandle,
                comm: CommHandle, baseptr: Pointer, win: Out<WinHandle>) on comm = win::create::allocate_shared;
            3 "4.0" MPI_Win_create_c PMPI_Win_create_c (base: Pointer, size: Aint, disp_unit: Aint, info: InfoHandle, comm:
                CommHandle, win: Out<WinHandle>) on comm = win::create::create;
            3 "4.0" MPI_Win_shared_query_c PMPI_Win_shared_query_c (win: WinHandle, rank: Rank, size: Out<Aint>, disp_unit:
                Out<Aint>, baseptr: Pointer) = win::shared::large_query;
        }
    };
}
