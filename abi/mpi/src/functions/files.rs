//! Files: chapter 14.

/// Rows of the chapter. See [`crate::functions`].
#[macro_export]
macro_rules! files {
    ($door:ident) => {
        $crate::export! { $door FILES
            3 "2.0" MPI_File_call_errhandler PMPI_File_call_errhandler (fh: FileHandle, errorcode: ErrorCode) on file = errhandler::calls::file_call;
            3 "2.0" MPI_File_close PMPI_File_close (fh: InOut<FileHandle>) on file = file::open::close;
            3 "2.0" MPI_File_create_errhandler PMPI_File_create_errhandler (file_errhandler_fn: FileErrorFunction, errhandler:
                Out<ErrhandlerHandle>) on file = errhandler::calls::file_create;
            3 "2.0" MPI_File_delete PMPI_File_delete (filename: InText, info: InfoHandle) on file = file::open::delete;
            3 "2.0" MPI_File_get_amode PMPI_File_get_amode (fh: FileHandle, amode: Out<AccessMode>) on file = file::inquiry::get_amode;
            3 "2.0" MPI_File_get_atomicity PMPI_File_get_atomicity (fh: FileHandle, flag: Out<Flag>) on file = file::inquiry::get_atomicity;
            3 "2.0" MPI_File_get_byte_offset PMPI_File_get_byte_offset (fh: FileHandle, offset: LargeCount, disp:
                Out<LargeCount>) on file = file::view_calls::get_byte_offset;
            3 "2.0" MPI_File_get_errhandler PMPI_File_get_errhandler (file: FileHandle, errhandler: Out<ErrhandlerHandle>)
                on file = errhandler::calls::file_get;
            3 "2.0" MPI_File_get_group PMPI_File_get_group (fh: FileHandle, group: Out<GroupHandle>) on file = file::inquiry::get_group;
            3 "2.0" MPI_File_get_info PMPI_File_get_info (fh: FileHandle, info_used: Out<InfoHandle>) on file = file::inquiry::get_info;
            3 "2.0" MPI_File_get_position PMPI_File_get_position (fh: FileHandle, offset: Out<LargeCount>) on file = file::pointer::get_position;
            3 "2.0" MPI_File_get_position_shared PMPI_File_get_position_shared (fh: FileHandle, offset: Out<LargeCount>) on
                file = file::shared_calls::get_position_shared;
            3 "2.0" MPI_File_get_size PMPI_File_get_size (fh: FileHandle, size: Out<LargeCount>) on file = file::inquiry::get_size;
            3 "2.0" MPI_File_get_type_extent PMPI_File_get_type_extent (fh: FileHandle, datatype: DatatypeHandle, extent:
                Out<Aint>) on file = file::view_calls::get_type_extent;
            3 "2.0" MPI_File_get_view PMPI_File_get_view (fh: FileHandle, disp: Out<LargeCount>, etype: Out<DatatypeHandle>,
                filetype: Out<DatatypeHandle>, datarep: OutText) on file = file::view_calls::get_view;
            3 "2.0" MPI_File_iread PMPI_File_iread (fh: FileHandle, buf: RecvBuffer, count: Count, datatype: DatatypeHandle,
                request: Out<RequestHandle>) on file = file::nonblocking::iread;
            3 "3.1" MPI_File_iread_all PMPI_File_iread_all (fh: FileHandle, buf: RecvBuffer, count: Count, datatype:
                DatatypeHandle, request: Out<RequestHandle>) on file = file::nonblocking::iread_all;
            3 "2.0" MPI_File_iread_at PMPI_File_iread_at (fh: FileHandle, offset: LargeCount, buf: RecvBuffer, count: Count,
                datatype: DatatypeHandle, request: Out<RequestHandle>) on file = file::nonblocking::iread_at;
            3 "3.1" MPI_File_iread_at_all PMPI_File_iread_at_all (fh: FileHandle, offset: LargeCount, buf: RecvBuffer,
                count: Count, datatype: DatatypeHandle, request: Out<RequestHandle>) on file = file::nonblocking::iread_at_all;
            3 "2.0" MPI_File_iread_shared PMPI_File_iread_shared (fh: FileHandle, buf: RecvBuffer, count: Count, datatype:
                DatatypeHandle, request: Out<RequestHandle>) on file = file::nonblocking::iread_shared;
            3 "2.0" MPI_File_iwrite PMPI_File_iwrite (fh: FileHandle, buf: SendBuffer, count: Count, datatype:
                DatatypeHandle, request: Out<RequestHandle>) on file = file::nonblocking::iwrite;
            3 "3.1" MPI_File_iwrite_all PMPI_File_iwrite_all (fh: FileHandle, buf: SendBuffer, count: Count, datatype:
                DatatypeHandle, request: Out<RequestHandle>) on file = file::nonblocking::iwrite_all;
            3 "2.0" MPI_File_iwrite_at PMPI_File_iwrite_at (fh: FileHandle, offset: LargeCount, buf: SendBuffer, count:
                Count, datatype: DatatypeHandle, request: Out<RequestHandle>) on file = file::nonblocking::iwrite_at;
            3 "3.1" MPI_File_iwrite_at_all PMPI_File_iwrite_at_all (fh: FileHandle, offset: LargeCount, buf: SendBuffer,
                count: Count, datatype: DatatypeHandle, request: Out<RequestHandle>) on file = file::nonblocking::iwrite_at_all;
            3 "2.0" MPI_File_iwrite_shared PMPI_File_iwrite_shared (fh: FileHandle, buf: SendBuffer, count: Count, datatype:
                DatatypeHandle, request: Out<RequestHandle>) on file = file::nonblocking::iwrite_shared;
            3 "2.0" MPI_File_open PMPI_File_open (comm: CommHandle, filename: InText, amode: AccessMode, info: InfoHandle, fh:
                Out<FileHandle>) on file = file::open::open;
            3 "2.0" MPI_File_preallocate PMPI_File_preallocate (fh: FileHandle, size: LargeCount) on file = file::inquiry::preallocate;
            3 "2.0" MPI_File_read PMPI_File_read (fh: FileHandle, buf: RecvBuffer, count: Count, datatype: DatatypeHandle,
                status: OutStatus) on file = file::access::read;
            3 "2.0" MPI_File_read_all PMPI_File_read_all (fh: FileHandle, buf: RecvBuffer, count: Count, datatype:
                DatatypeHandle, status: OutStatus) on file = file::collective::read_all;
            3 "2.0" MPI_File_read_all_begin PMPI_File_read_all_begin (fh: FileHandle, buf: RecvBuffer, count: Count,
                datatype: DatatypeHandle) on file = file::split::read_all_begin;
            3 "2.0" MPI_File_read_all_end PMPI_File_read_all_end (fh: FileHandle, buf: RecvBuffer, status: OutStatus) on
                file = file::split::read_all_end;
            3 "2.0" MPI_File_read_at PMPI_File_read_at (fh: FileHandle, offset: LargeCount, buf: RecvBuffer, count: Count,
                datatype: DatatypeHandle, status: OutStatus) on file = file::access::read_at;
            3 "2.0" MPI_File_read_at_all PMPI_File_read_at_all (fh: FileHandle, offset: LargeCount, buf: RecvBuffer, count:
                Count, datatype: DatatypeHandle, status: OutStatus) on file = file::collective::read_at_all;
            3 "2.0" MPI_File_read_at_all_begin PMPI_File_read_at_all_begin (fh: FileHandle, offset: LargeCount, buf:
                RecvBuffer, count: Count, datatype: DatatypeHandle) on file = file::split::read_at_all_begin;
            3 "2.0" MPI_File_read_at_all_end PMPI_File_read_at_all_end (fh: FileHandle, buf: RecvBuffer, status: OutStatus)
                on file = file::split::read_at_all_end;
            3 "2.0" MPI_File_read_ordered PMPI_File_read_ordered (fh: FileHandle, buf: RecvBuffer, count: Count, datatype:
                DatatypeHandle, status: OutStatus) on file = file::collective::read_ordered;
            3 "2.0" MPI_File_read_ordered_begin PMPI_File_read_ordered_begin (fh: FileHandle, buf: RecvBuffer, count: Count,
                datatype: DatatypeHandle) on file = file::split::read_ordered_begin;
            3 "2.0" MPI_File_read_ordered_end PMPI_File_read_ordered_end (fh: FileHandle, buf: RecvBuffer, status:
                OutStatus) on file = file::split::read_ordered_end;
            3 "2.0" MPI_File_read_shared PMPI_File_read_shared (fh: FileHandle, buf: RecvBuffer, count: Count, datatype:
                DatatypeHandle, status: OutStatus) on file = file::shared_calls::read_shared;
            3 "2.0" MPI_File_seek PMPI_File_seek (fh: FileHandle, offset: LargeCount, whence: Whence) on file = file::pointer::seek;
            3 "2.0" MPI_File_seek_shared PMPI_File_seek_shared (fh: FileHandle, offset: LargeCount, whence: Whence) on file = file::shared_calls::seek_shared;
            3 "2.0" MPI_File_set_atomicity PMPI_File_set_atomicity (fh: FileHandle, flag: Int) on file = file::inquiry::set_atomicity;
            3 "2.0" MPI_File_set_errhandler PMPI_File_set_errhandler (file: FileHandle, errhandler: ErrhandlerHandle) on
                file = errhandler::calls::file_set;
            3 "2.0" MPI_File_set_info PMPI_File_set_info (fh: FileHandle, info: InfoHandle) on file = file::inquiry::set_info;
            3 "2.0" MPI_File_set_size PMPI_File_set_size (fh: FileHandle, size: LargeCount) on file = file::inquiry::set_size;
            3 "2.0" MPI_File_set_view PMPI_File_set_view (fh: FileHandle, disp: Displacement, etype: DatatypeHandle, filetype:
                DatatypeHandle, datarep: InText, info: InfoHandle) on file = file::view_calls::set_view;
            3 "2.0" MPI_File_sync PMPI_File_sync (fh: FileHandle) on file = file::inquiry::sync;
            3 "2.0" MPI_File_write PMPI_File_write (fh: FileHandle, buf: SendBuffer, count: Count, datatype: DatatypeHandle,
                status: OutStatus) on file = file::access::write;
            3 "2.0" MPI_File_write_all PMPI_File_write_all (fh: FileHandle, buf: SendBuffer, count: Count, datatype:
                DatatypeHandle, status: OutStatus) on file = file::collective::write_all;
            3 "2.0" MPI_File_write_all_begin PMPI_File_write_all_begin (fh: FileHandle, buf: SendBuffer, count: Count,
                datatype: DatatypeHandle) on file = file::split::write_all_begin;
            3 "2.0" MPI_File_write_all_end PMPI_File_write_all_end (fh: FileHandle, buf: SendBuffer, status: OutStatus) on
                file = file::split::write_all_end;
            3 "2.0" MPI_File_write_at PMPI_File_write_at (fh: FileHandle, offset: LargeCount, buf: SendBuffer, count: Count,
                datatype: DatatypeHandle, status: OutStatus) on file = file::access::write_at;
            3 "2.0" MPI_File_write_at_all PMPI_File_write_at_all (fh: FileHandle, offset: LargeCount, buf: SendBuffer,
                count: Count, datatype: DatatypeHandle, status: OutStatus) on file = file::collective::write_at_all;
            3 "2.0" MPI_File_write_at_all_begin PMPI_File_write_at_all_begin (fh: FileHandle, offset: LargeCount, buf:
                SendBuffer, count: Count, datatype: DatatypeHandle) on file = file::split::write_at_all_begin;
            3 "2.0" MPI_File_write_at_all_end PMPI_File_write_at_all_end (fh: FileHandle, buf: SendBuffer, status:
                OutStatus) on file = file::split::write_at_all_end;
            3 "2.0" MPI_File_write_ordered PMPI_File_write_ordered (fh: FileHandle, buf: SendBuffer, count: Count, datatype:
                DatatypeHandle, status: OutStatus) on file = file::collective::write_ordered;
            3 "2.0" MPI_File_write_ordered_begin PMPI_File_write_ordered_begin (fh: FileHandle, buf: SendBuffer, count:
                Count, datatype: DatatypeHandle) on file = file::split::write_ordered_begin;
            3 "2.0" MPI_File_write_ordered_end PMPI_File_write_ordered_end (fh: FileHandle, buf: SendBuffer, status:
                OutStatus) on file = file::split::write_ordered_end;
            3 "2.0" MPI_File_write_shared PMPI_File_write_shared (fh: FileHandle, buf: SendBuffer, count: Count, datatype:
                DatatypeHandle, status: OutStatus) on file = file::shared_calls::write_shared;
            3 "2.0" MPI_Register_datarep PMPI_Register_datarep (datarep: InText, read_conversion_fn: Pointer,
                write_conversion_fn: Pointer, dtype_file_extent_fn: Pointer, extra_state: Pointer) on file = refused;
            3 "4.0" MPI_File_get_type_extent_c PMPI_File_get_type_extent_c (fh: FileHandle, datatype: DatatypeHandle,
                extent: Out<LargeCount>) on file = file::view_calls::get_type_extent;
            3 "4.0" MPI_File_iread_c PMPI_File_iread_c (fh: FileHandle, buf: RecvBuffer, count: LargeCount, datatype:
                DatatypeHandle, request: Out<RequestHandle>) on file = file::nonblocking::iread;
            3 "4.0" MPI_File_iread_all_c PMPI_File_iread_all_c (fh: FileHandle, buf: RecvBuffer, count: LargeCount,
                datatype: DatatypeHandle, request: Out<RequestHandle>) on file = file::nonblocking::iread_all;
            3 "4.0" MPI_File_iread_at_c PMPI_File_iread_at_c (fh: FileHandle, offset: LargeCount, buf: RecvBuffer, count:
                LargeCount, datatype: DatatypeHandle, request: Out<RequestHandle>) on file = file::nonblocking::iread_at;
            3 "4.0" MPI_File_iread_at_all_c PMPI_File_iread_at_all_c (fh: FileHandle, offset: LargeCount, buf: RecvBuffer,
                count: LargeCount, datatype: DatatypeHandle, request: Out<RequestHandle>) on file = file::nonblocking::iread_at_all;
            3 "4.0" MPI_File_iread_shared_c PMPI_File_iread_shared_c (fh: FileHandle, buf: RecvBuffer, count: LargeCount,
                datatype: DatatypeHandle, request: Out<RequestHandle>) on file = file::nonblocking::iread_shared;
            3 "4.0" MPI_File_iwrite_c PMPI_File_iwrite_c (fh: FileHandle, buf: SendBuffer, count: LargeCount, datatype:
                DatatypeHandle, request: Out<RequestHandle>) on file = file::nonblocking::iwrite;
            3 "4.0" MPI_File_iwrite_all_c PMPI_File_iwrite_all_c (fh: FileHandle, buf: SendBuffer, count: LargeCount,
                datatype: DatatypeHandle, request: Out<RequestHandle>) on file = file::nonblocking::iwrite_all;
            3 "4.0" MPI_File_iwrite_at_c PMPI_File_iwrite_at_c (fh: FileHandle, offset: LargeCount, buf: SendBuffer, count:
                LargeCount, datatype: DatatypeHandle, request: Out<RequestHandle>) on file = file::nonblocking::iwrite_at;
            3 "4.0" MPI_File_iwrite_at_all_c PMPI_File_iwrite_at_all_c (fh: FileHandle, offset: LargeCount, buf: SendBuffer,
                count: LargeCount, datatype: DatatypeHandle, request: Out<RequestHandle>) on file = file::nonblocking::iwrite_at_all;
            3 "4.0" MPI_File_iwrite_shared_c PMPI_File_iwrite_shared_c (fh: FileHandle, buf: SendBuffer, count: LargeCount,
                datatype: DatatypeHandle, request: Out<RequestHandle>) on file = file::nonblocking::iwrite_shared;
            3 "4.0" MPI_File_read_c PMPI_File_read_c (fh: FileHandle, buf: RecvBuffer, count: LargeCount, datatype:
                DatatypeHandle, status: OutStatus) on file = file::access::read;
            3 "4.0" MPI_File_read_all_c PMPI_File_read_all_c (fh: FileHandle, buf: RecvBuffer, count: LargeCount, datatype:
                DatatypeHandle, status: OutStatus) on file = file::collective::read_all;
            3 "4.0" MPI_File_read_all_begin_c PMPI_File_read_all_begin_c (fh: FileHandle, buf: RecvBuffer, count:
                LargeCount, datatype: DatatypeHandle) on file = file::split::read_all_begin;
            3 "4.0" MPI_File_read_at_c PMPI_File_read_at_c (fh: FileHandle, offset: LargeCount, buf: RecvBuffer, count:
                LargeCount, datatype: DatatypeHandle, status: OutStatus) on file = file::access::read_at;
            3 "4.0" MPI_File_read_at_all_c PMPI_File_read_at_all_c (fh: FileHandle, offset: LargeCount, buf: RecvBuffer,
                count: LargeCount, datatype: DatatypeHandle, status: OutStatus) on file = file::collective::read_at_all;
            3 "4.0" MPI_File_read_at_all_begin_c PMPI_File_read_at_all_begin_c (fh: FileHandle, offset: LargeCount, buf:
                RecvBuffer, count: LargeCount, datatype: DatatypeHandle) on file = file::split::read_at_all_begin;
            3 "4.0" MPI_File_read_ordered_c PMPI_File_read_ordered_c (fh: FileHandle, buf: RecvBuffer, count: LargeCount,
                datatype: DatatypeHandle, status: OutStatus) on file = file::collective::read_ordered;
            3 "4.0" MPI_File_read_ordered_begin_c PMPI_File_read_ordered_begin_c (fh: FileHandle, buf: RecvBuffer, count:
                LargeCount, datatype: DatatypeHandle) on file = file::split::read_ordered_begin;
            3 "4.0" MPI_File_read_shared_c PMPI_File_read_shared_c (fh: FileHandle, buf: RecvBuffer, count: LargeCount,
                datatype: DatatypeHandle, status: OutStatus) on file = file::shared_calls::read_shared;
            3 "4.0" MPI_File_write_c PMPI_File_write_c (fh: FileHandle, buf: SendBuffer, count: LargeCount, datatype:
                DatatypeHandle, status: OutStatus) on file = file::access::write;
            3 "4.0" MPI_File_write_all_c PMPI_File_write_all_c (fh: FileHandle, buf: SendBuffer, count: LargeCount,
                datatype: DatatypeHandle, status: OutStatus) on file = file::collective::write_all;
            3 "4.0" MPI_File_write_all_begin_c PMPI_File_write_all_begin_c (fh: FileHandle, buf: SendBuffer, count:
                LargeCount, datatype: DatatypeHandle) on file = file::split::write_all_begin;
            3 "4.0" MPI_File_write_at_c PMPI_File_write_at_c (fh: FileHandle, offset: LargeCount, buf: SendBuffer, count:
                LargeCount, datatype: DatatypeHandle, status: OutStatus) on file = file::access::write_at;
            3 "4.0" MPI_File_write_at_all_c PMPI_File_write_at_all_c (fh: FileHandle, offset: LargeCount, buf: SendBuffer,
                count: LargeCount, datatype: DatatypeHandle, status: OutStatus) on file = file::collective::write_at_all;
            3 "4.0" MPI_File_write_at_all_begin_c PMPI_File_write_at_all_begin_c (fh: FileHandle, offset: LargeCount, buf:
                SendBuffer, count: LargeCount, datatype: DatatypeHandle) on file = file::split::write_at_all_begin;
            3 "4.0" MPI_File_write_ordered_c PMPI_File_write_ordered_c (fh: FileHandle, buf: SendBuffer, count: LargeCount,
                datatype: DatatypeHandle, status: OutStatus) on file = file::collective::write_ordered;
            3 "4.0" MPI_File_write_ordered_begin_c PMPI_File_write_ordered_begin_c (fh: FileHandle, buf: SendBuffer, count:
                LargeCount, datatype: DatatypeHandle) on file = file::split::write_ordered_begin;
            3 "4.0" MPI_File_write_shared_c PMPI_File_write_shared_c (fh: FileHandle, buf: SendBuffer, count: LargeCount,
                datatype: DatatypeHandle, status: OutStatus) on file = file::shared_calls::write_shared;
            3 "4.0" MPI_Register_datarep_c PMPI_Register_datarep_c (datarep: InText, read_conversion_fn: Pointer,
                write_conversion_fn: Pointer, dtype_file_extent_fn: Pointer, extra_state: Pointer) on file = refused;
        }
    };
}
