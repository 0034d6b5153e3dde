//! Error handlers, classes and codes: sections 9.3 to 9.5.

/// Rows of the chapter, up to MPI 3.1. See [`crate::functions`].
#[macro_export]
macro_rules! errors {
    ($door:ident) => {
        $crate::export! { $door ERRORS
            2 "2.0" MPI_Add_error_class PMPI_Add_error_class (errorclass: Out<ErrorCode>) = refused;
            2 "2.0" MPI_Add_error_code PMPI_Add_error_code (errorclass: ErrorCode, errorcode: Out<ErrorCode>) = refused;
            2 "2.0" MPI_Add_error_string PMPI_Add_error_string (errorcode: ErrorCode, string: InText) = refused;
            2 "2.0" MPI_Comm_call_errhandler PMPI_Comm_call_errhandler (comm: CommHandle, errorcode: ErrorCode) on comm = refused;
            2 "2.0" MPI_Comm_create_errhandler PMPI_Comm_create_errhandler (comm_errhandler_fn: CommErrorFunction,
                errhandler: Out<ErrhandlerHandle>) = refused;
            1 "2.0" MPI_Comm_get_errhandler PMPI_Comm_get_errhandler (comm: CommHandle, errhandler: Out<ErrhandlerHandle>)
                on comm = refused;
            1 "2.0" MPI_Comm_set_errhandler PMPI_Comm_set_errhandler (comm: CommHandle, errhandler: ErrhandlerHandle) on
                comm = refused;
            1 "1.0" MPI_Errhandler_free PMPI_Errhandler_free (errhandler: InOut<ErrhandlerHandle>) = refused;
            1 "1.0" MPI_Error_class PMPI_Error_class (errorcode: ErrorCode, errorclass: Out<ErrorCode>) = refused;
            1 "1.0" MPI_Error_string PMPI_Error_string (errorcode: ErrorCode, string: OutText, resultlen: Out<Int>) = refused;
        }
    };
}

/// Rows of the chapter, MPI 4.0 to 5.0. See [`crate::functions`].
#[macro_export]
macro_rules! errors_since_4 {
    ($door:ident) => {
        $crate::export! { $door ERRORS_SINCE_4
            2 "4.1" MPI_Remove_error_class PMPI_Remove_error_class (errorclass: ErrorCode) = refused;
            2 "4.1" MPI_Remove_error_code PMPI_Remove_error_code (errorcode: ErrorCode) = refused;
            2 "4.1" MPI_Remove_error_string PMPI_Remove_error_string (errorcode: ErrorCode) = refused;
        }
    };
}
