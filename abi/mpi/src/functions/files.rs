//! Files: chapter 14.

/// Rows of the chapter. See [`crate::functions`].
#[macro_export]
macro_rules! files {
    ($door:ident) => {
        $crate::export! { $door FILES
            3 "2.0" MPI_File_call_errhandler PMPI_File_call_errhandler (fh: FileHandle, errorcode: ErrorCode) on file = errhandler::calls::file_call;
            3 "2.0" MPI_File_close PMPI_File_close (fh: InOut<FileHandle>) on file = refused;
            3 "2.0" MPI_File_create_errhandler PMPI_File_create_errhandler (file_errhandler_fn: FileErrorFunction, errhandler:
                Out<ErrhandlerHandle>) on file = errhandler::calls::file_create;
            3 "2.0" MPI_File_delete PMPI_File_delete (filename: InText, info: InfoHandle) on file = refused;
            3 "2.0" MPI_File_get_amode PMPI_File_get_amode (fh: FileHandle, amode: Out<Int>) on file = refused;
            3 "2.0" MPI_File_get_atomicity PMPI_File_get_atomicity (fh: FileHandle, flag: Out<Flag>) on file = refused;
            3 "2.0" MPI_File_get_byte_offset PMPI_File_get_byte_offset (fh: FileHandle, offset: LargeCount, disp:
                Out<LargeCount>) on file = refused;
            3 "2.0" MPI_File_get_errhandler PMPI_File_get_errhandler (file: FileHandle, errhandler: Out<ErrhandlerHandle>)
                on file = errhandler::calls::file_get;
            3 "2.0" MPI_File_get_group PMPI_File_get_group (fh: FileHandle, group: Out<GroupHandle>) on file = refused;
            3 "2.0" MPI_File_get_info PMPI_File_get_info (fh: FileHandle, info_used: Out<InfoHandle>) on file = refused;
            3 "2.0" MPI_File_get_position PMPI_File_get_position (fh: FileHandle, offset: Out<LargeCount>) on file = refused;
            3 "2.0" MPI_File_get_position_shared PMPI_File_get_position_shared (fh: FileHandle, offset: Out<LargeCount>) on
                file = refused;
            3 "2.0" MPI_File_get_size PMPI_File_get_size (fh: FileHandle, size: Out<LargeCount>) on file = refused;
            3 "2.0" MPI_File_get_type_extent PMPI_File_get_type_extent (fh: FileHandle, datatype: DatatypeHandle, extent:
                Out<Aint>) on file = refused;
            3 "2.0" MPI_File_get_view PMPI_File_get_view (fh: FileHandle, disp: Out<LargeCount>, etype: Out<DatatypeHandle>,
                filetype: Out<DatatypeHandle>, datarep: OutText) on file = refused;
            3 "2.0" MPI_File_iread PMPI_File_iread (fh: FileHandle, buf: RecvBuffer, count: Count, datatype: DatatypeHandle,
                request: Out<RequestHandle>) on file = refused;
            3 "3.1" MPI_File_iread_all PMPI_File_iread_all (fh: FileHandle, buf: RecvBuffer, count: Count, datatype:
                DatatypeHandle, request: Out<RequestHandle>) on file = refused;
            3 "2.0" MPI_File_iread_at PMPI_File_iread_at (fh: FileHandle, offset: LargeCount, buf: RecvBuffer, count: Count,
                datatype: DatatypeHandle, request: Out<RequestHandle>) on file = refused;
            3 "3.1" MPI_File_iread_at_all PMPI_File_iread_at_all (fh: FileHandle, offset: LargeCount, buf: RecvBuffer,
                count: Count, datatype: DatatypeHandle, request: Out<RequestHandle>) on file = refused;
            3 "2.0" MPI_File_iread_shared PMPI_File_iread_shared (fh: FileHandle, buf: RecvBuffer, count: Count, datatype:
                DatatypeHandle, request: Out<RequestHandle>) on file = refused;
            3 "2.0" MPI_File_iwrite PMPI_File_iwrite (fh: FileHandle, buf: SendBuffer, count: Count, datatype:
                DatatypeHandle, request: Out<RequestHandle>) on file = refused;
            3 "3.1" MPI_File_iwrite_all PMPI_File_iwrite_all (fh: FileHandle, buf: SendBuffer, count: Count, datatype:
                DatatypeHandle, request: Out<RequestHandle>) on file = refused;
            3 "2.0" MPI_File_iwrite_at PMPI_File_iwrite_at (fh: FileHandle, offset: LargeCount, buf: SendBuffer, count:
                Count, datatype: DatatypeHandle, request: Out<RequestHandle>) on file = refused;
            3 "3.1" MPI_File_iwrite_at_all PMPI_File_iwrite_at_all (fh: FileHandle, offset: LargeCount, buf: SendBuffer,
                count: Count, datatype: DatatypeHandle, request: Out<RequestHandle>) on file = refused;
            3 "2.0" MPI_File_iwrite_shared PMPI_File_iwrite_shared (fh: FileHandle, buf: SendBuffer, count: Count, datatype:
                DatatypeHandle, request: Out<RequestHandle>) on file = refused;
            3 "2.0" MPI_File_open PMPI_File_open (comm: CommHandle, filename: InText, amode: Int, info: InfoHandle, fh:
                Out<FileHandle>) on file = refused;
            3 "2.0" MPI_File_preallocate PMPI_File_preallocate (fh: FileHandle, size: LargeCount) on file = refused;
            3 "2.0" MPI_File_read PMPI_File_read (fh: FileHandle, buf: RecvBuffer, count: Count, datatype: DatatypeHandle,
                status: OutStatus) on file = refused;
            3 "2.0" MPI_File_read_all PMPI_File_read_all (fh: FileHandle, buf: RecvBuffer, count: Count, datatype:
                DatatypeHandle, status: OutStatus) on file = refused;
            3 "2.0" MPI_File_read_all_begin PMPI_File_read_all_begin (fh: FileHandle, buf: RecvBuffer, count: Count,
                datatype: DatatypeHandle) on file = refused;
            3 "2.0" MPI_File_read_all_end PMPI_File_read_all_end (fh: FileHandle, buf: RecvBuffer, status: OutStatus) on
                file = refused;
            3 "2.0" MPI_File_read_at PMPI_File_read_at (fh: FileHandle, offset: LargeCount, buf: RecvBuffer, count: Count,
                datatype: DatatypeHandle, status: OutStatus) on file = refused;
            3 "2.0" MPI_File_read_at_all PMPI_File_read_at_all (fh: FileHandle, offset: LargeCount, buf: RecvBuffer, count:
                Count, datatype: DatatypeHandle, status: OutStatus) on file = refused;
            3 "2.0" MPI_File_read_at_all_begin PMPI_File_read_at_all_begin (fh: FileHandle, offset: LargeCount, buf:
                RecvBuffer, count: Count, datatype: DatatypeHandle) on file = refused;
            3 "2.0" MPI_File_read_at_all_end PMPI_File_read_at_all_end (fh: FileHandle, buf: RecvBuffer, status: OutStatus)
                on file = refused;
            3 "2.0" MPI_File_read_ordered PMPI_File_read_ordered (fh: FileHandle, buf: RecvBuffer, count: Count, datatype:
                DatatypeHandle, status: OutStatus) on file = refused;
            3 "2.0" MPI_File_read_ordered_begin PMPI_File_read_ordered_begin (fh: FileHandle, buf: RecvBuffer, count: Count,
                datatype: DatatypeHandle) on file = refused;
            3 "2.0" MPI_File_read_ordered_end PMPI_File_read_ordered_end (fh: FileHandle, buf: RecvBuffer, status:
                OutStatus) on file = refused;
            3 "2.0" MPI_File_read_shared PMPI_File_read_shared (fh: FileHandle, buf: RecvBuffer, count: Count, datatype:
                DatatypeHandle, status: OutStatus) on file = refused;
            3 "2.0" MPI_File_seek PMPI_File_seek (fh: FileHandle, offset: LargeCount, whence: Int) on file = refused;
            3 "2.0" MPI_File_seek_shared PMPI_File_seek_shared (fh: FileHandle, offset: LargeCount, whence: Int) on file = refused;
            3 "2.0" MPI_File_set_atomicity PMPI_File_set_atomicity (fh: FileHandle, flag: Int) on file = refused;
            3 "2.0" MPI_File_set_errhandler PMPI_File_set_errhandler (file: FileHandle, errhandler: ErrhandlerHandle) on
                file = errhandler::calls::file_set;
            3 "2.0" MPI_File_set_info PMPI_File_set_info (fh: FileHandle, info: InfoHandle) on file = refused;
            3 "2.0" MPI_File_set_size PMPI_File_set_size (fh: FileHandle, size: LargeCount) on file = refused;
            3 "2.0" MPI_File_set_view PMPI_File_set_view (fh: FileHandle, disp: LargeCount, etype: DatatypeHandle, filetype:
                DatatypeHandle, datarep: InText, info: InfoHandle) on file = refused;
            3 "2.0" MPI_File_sync PMPI_File_sync (fh: FileHandle) on file = refused;
            3 "2.0" MPI_File_write PMPI_File_write (fh: FileHandle, buf: SendBuffer, count: Count, datatype: DatatypeHandle,
                status: OutStatus) on file = refused;
            3 "2.0" MPI_File_write_all PMPI_File_write_all (fh: FileHandle, buf: SendBuffer, count: Count, datatype:
                DatatypeHandle, status: OutStatus) on file = refused;
            3 "2.0" MPI_File_write_all_begin PMPI_File_write_all_begin (fh: FileHandle, buf: SendBuffer, count: Count,
                datatype: DatatypeHandle) on file = refused;
            3 "2.0" MPI_File_write_all_end PMPI_File_write_all_end (fh: FileHandle, buf: SendBuffer, status: OutStatus) on
                file = refused;
            3 "2.0" MPI_File_write_at PMPI_File_write_at (fh: FileHandle, offset: LargeCount, buf: SendBuffer, count: Count,
                datatype: DatatypeHandle, status: OutStatus) on file = refused;
            3 "2.0" MPI_File_write_at_all PMPI_File_write_at_all (fh: FileHandle, offset: LargeCount, buf: SendBuffer,
                count: Count, datatype: DatatypeHandle, status: OutStatus) on file = refused;
            3 "2.0" MPI_File_write_at_all_begin PMPI_File_write_at_all_begin (fh: FileHandle, offset: LargeCount, buf:
                SendBuffer, count: Count, datatype: DatatypeHandle) on file = refused;
            3 "2.0" MPI_File_write_at_all_end PMPI_File_write_at_all_end (fh: FileHandle, buf: SendBuffer, status:
                OutStatus) on file = refused;
            3 "2.0" MPI_File_write_ordered PMPI_File_write_ordered (fh: FileHandle, buf: SendBuffer, count: Count, datatype:
                DatatypeHandle, status: OutStatus) on file = refused;
            3 "2.0" MPI_File_write_ordered_begin PMPI_File_write_ordered_begin (fh: FileHandle, buf: SendBuffer, count:
                Count, datatype: DatatypeHandle) on file = refused;
            3 "2.0" MPI_File_write_ordered_end PMPI_File_write_ordered_end (fh: FileHandle, buf: SendBuffer, status:
                OutStatus) on file = refused;
            3 "2.0" MPI_File_write_shared PMPI_File_write_shared (fh: FileHandle, buf: SendBuffer, count: Count, datatype:
                DatatypeHandle, status: OutStatus) on file = refused;
            3 "2.0" MPI_Register_datarep PMPI_Register_datarep (datarep: InText, read_conversion_fn: Pointer,
                write_conversion_fn: Pointer, dtype_file_extent_fn: Pointer, extra_state: Pointer) on file = refused;
            3 "4.0" MPI_File_get_type_extent_c PMPI_File_get_type_extent_c (fh: FileHandle, datatype: DatatypeHandle,
                extent: Out<LargeCount>) on file = refused;
            3 "4.0" MPI_File_iread_c PMPI_File_iread_c (fh: FileHandle, buf: RecvBuffer, count: LargeCount, datatype:
                DatatypeHandle, request: Out<RequestHandle>) on file = refused;
            3 "4.0" MPI_File_iread_all_c PMPI_File_iread_all_c (fh: FileHandle, buf: RecvBuffer, count: LargeCount,
                datatype: DatatypeHandle, request: Out<RequestHandle>) on file = refused;
            3 "4.0" MPI_File_iread_at_c PMPI_File_iread_at_c (fh: FileHandle, offset: LargeCount, buf: RecvBuffer, count:
                LargeCount, datatype: DatatypeHandle, request: Out<RequestHandle>) on file = refused;
            3 "4.0" MPI_File_iread_at_all_c PMPI_File_iread_at_all_c (fh: FileHandle, offset: LargeCount, buf: RecvBuffer,
                count: LargeCount, datatype: DatatypeHandle, request: Out<RequestHandle>) on file = refused;
            3 "4.0" MPI_File_iread_shared_c PMPI_File_iread_shared_c (fh: FileHandle, buf: RecvBuffer, count: LargeCount,
                datatype: DatatypeHandle, request: Out<RequestHandle>) on file = refused;
            3 "4.0" MPI_File_iwrite_c PMPI_File_iwrite_c (fh: FileHandle, buf: SendBuffer, count: LargeCount, datatype:
                DatatypeHandle, request: Out<RequestHandle>) on file = refused;
            3 "4.0" MPI_File_iwrite_all_c PMPI_File_iwrite_all_c (fh: FileHandle, buf: SendBuffer, count: LargeCount,
                datatype: DatatypeHandle, request: Out<RequestHandle>) on file = refused;
            3 "4.0" MPI_File_iwrite_at_c PMPI_File_iwrite_at_c (fh: FileHandle, offset: LargeCount, buf: SendBuffer, count:
                LargeCount, datatype: DatatypeHandle, request: Out<RequestHandle>) on file = refused;
            3 "4.0" MPI_File_iwrite_at_all_c PMPI_File_iwrite_at_all_c (fh: FileHandle, offset: LargeCount, buf: SendBuffer,
                count: LargeCount, datatype: DatatypeHandle, request: Out<RequestHandle>) on file = refused;
            3 "4.0" MPI_File_iwrite_shared_c PMPI_File_iwrite_shared_c (fh: FileHandle, buf: SendBuffer, count: LargeCount,
                datatype: DatatypeHandle, request: Out<RequestHandle>) on file = refused;
            3 "4.0" MPI_File_read_c PMPI_File_read_c (fh: FileHandle, buf: RecvBuffer, count: LargeCount, datatype:
                DatatypeHandle, status: OutStatus) on file = refused;
            3 "4.0" MPI_File_read_all_c PMPI_File_read_all_c (fh: FileHandle, buf: RecvBuffer, count: LargeCount, datatype:
                DatatypeHandle, status: OutStatus) on file = refused;
            3 "4.0" MPI_File_read_all_begin_c PMPI_File_read_all_begin_c (fh: FileHandle, buf: RecvBuffer, count:
                LargeCount, datatype: DatatypeHandle) on file = refused;
            3 "4.0" MPI_File_read_at_c PMPI_File_read_at_c (fh: FileHandle, offset: LargeCount, buf: RecvBuffer, count:
                LargeCount, datatype: DatatypeHandle, status: OutStatus) on file = refused;
            3 "4.0" MPI_File_read_at_all_c PMPI_File_read_at_all_c (fh: FileHandle, offset: LargeCount, buf: RecvBuffer,
                count: LargeCount, datatype: DatatypeHandle, status: OutStatus) on file = refused;
            3 "4.0" MPI_File_read_at_all_begin_c PMPI_File_read_at_all_begin_c (fh: FileHandle, offset: LargeCount, buf:
                RecvBuffer, count: LargeCount, datatype: DatatypeHandle) on file = refused;
            3 "4.0" MPI_File_read_ordered_c PMPI_File_read_ordered_c (fh: FileHandle, buf: RecvBuffer, count: LargeCount,
                datatype: DatatypeHandle, status: OutStatus) on file = refused;
            3 "4.0" MPI_File_read_ordered_begin_c PMPI_File_read_ordered_begin_c (fh: FileHandle, buf: RecvBuffer, count:
                LargeCount, datatype: DatatypeHandle) on file = refused;
            3 "4.0" MPI_File_read_shared_c PMPI_File_read_shared_c (fh: FileHandle, buf: RecvBuffer, count: LargeCount,
                datatype: DatatypeHandle, status: OutStatus) on file = refused;
            3 "4.0" MPI_File_write_c PMPI_File_write_c (fh: FileHandle, buf: SendBuffer, count: LargeCount, datatype:
                DatatypeHandle, status: OutStatus) on file = refused;
            3 "4.0" MPI_File_write_all_c PMPI_File_write_all_c (fh: FileHandle, buf: SendBuffer, count: LargeCount,
                datatype: DatatypeHandle, status: OutStatus) on file = refused;
            3 "4.0" MPI_File_write_all_begin_c PMPI_File_write_all_begin_c (fh: FileHandle, buf: SendBuffer, count:
                LargeCount, datatype: DatatypeHandle) on file = refused;
            3 "4.0" MPI_File_write_at_c PMPI_File_write_at_c (fh: FileHandle, offset: LargeCount, buf: SendBuffer, count:
                LargeCount, datatype: DatatypeHandle, status: OutStatus) on file = refused;
            3 "4.0" MPI_File_write_at_all_c PMPI_File_write_at_all_c (fh: FileHandle, offset: LargeCount, buf: SendBuffer,
                count: LargeCount, datatype: DatatypeHandle, status: OutStatus) on file = refused;
            3 "4.0" MPI_File_write_at_all_begin_c PMPI_File_write_at_all_begin_c (fh: FileHandle, offset: LargeCount, buf:
                SendBuffer, count: LargeCount, datatype: DatatypeHandle) on file = refused;
            3 "4.0" MPI_File_write_ordered_c PMPI_File_write_ordered_c (fh: FileHandle, buf: SendBuffer, count: LargeCount,
                datatype: DatatypeHandle, status: OutStatus) on file = refused;
            3 "4.0" MPI_File_write_ordered_begin_c PMPI_File_write_ordered_begin_c (fh: FileHandle, buf: SendBuffer, count:
                LargeCount, datatype: DatatypeHandle) on file = refused;
            3 "4.0" MPI_File_write_shared_c PMPI_File_write_shared_c (fh: FileHandle, buf: SendBuffer, count: LargeCount,
                datatype: DatatypeHandle, status: OutStatus) on file = refused;
            3 "4.0" MPI_Register_datarep_c PMPI_Register_datarep_c (datarep: InText, read_conversion_fn: Pointer,
                write_conversion_fn: Pointer, dtype_file_extent_fn: Pointer, extra_state: Pointer) on file = refused;
        }
    };
}
