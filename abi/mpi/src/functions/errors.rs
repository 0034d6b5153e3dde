//! Error handlers, classes and codes: sections 9.3 to 9.5.

/// Rows of the chapter. See [`crate::functions`].
#[macro_export]
macro_rules! errors {
    ($door:ident) => {
        $crate::export! { $door ERRORS
            2 "2.0" MPI_Add_error_class PMPI_Add_error_class (errorclass: Out<ErrorCode>) = error_codes::add_class;
            2 "2.0" MPI_Add_error_code PMPI_Add_error_code (errorclass: ErrorCode, errorcode: Out<ErrorCode>) = error_codes::add_code;
            2 "2.0" MPI_Add_error_string PMPI_Add_error_string (errorcode: ErrorCode, string: InText) = error_codes::add_string;
            2 "2.0" MPI_Comm_call_errhandler PMPI_Comm_call_errhandler (comm: CommHandle, errorcode: ErrorCode) on comm = errhandler::calls::comm_call;
            2 "2.0" MPI_Comm_create_errhandler PMPI_Comm_create_errhandler (comm_errhandler_fn: CommErrorFunction,
                errhandler: Out<ErrhandlerHandle>) = errhandler::calls::comm_create;
            1 "2.0" MPI_Comm_get_errhandler PMPI_Comm_get_errhandler (comm: CommHandle, errhandler: Out<ErrhandlerHandle>)
                on comm = errhandler::calls::comm_get;
            1 "2.0" MPI_Comm_set_errhandler PMPI_Comm_set_errhandler (comm: CommHandle, errhandler: ErrhandlerHandle) on
                comm = errhandler::calls::comm_set;
            1 "1.0" MPI_Errhandler_free PMPI_Errhandler_free (errhandler: InOut<ErrhandlerHandle>) = errhandler::calls::free;
            1 "1.0" MPI_Error_class PMPI_Error_class (errorcode: ErrorCode, errorclass: Out<ErrorCode>) = error_codes::class;
            1 "1.0" MPI_Error_string PMPI_Error_string (errorcode: ErrorCode, string: OutText, resultlen: Out<Int>) = error_codes::string;
            2 "4.1" MPI_Remove_error_class PMPI_Remove_error_class (errorclass: ErrorCode) = error_codes::remove_class;
            2 "4.1" MPI_Remove_error_code PMPI_Remove_error_code (errorcode: ErrorCode) = error_codes::remove_code;
            2 "4.1" MPI_Remove_error_string PMPI_Remove_error_string (errorcode: ErrorCode) = error_codes::remove_string;
        }
    };
}
