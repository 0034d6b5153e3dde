//! Functions that MPI 3.0 has removed, and conversions for Fortran, which are not in the standard ABI: the
//! MPICH ABI has them all.

/// Rows of the chapter. See [`crate::functions`].
#[macro_export]
macro_rules! removed {
    ($door:ident) => {
        $crate::export! { $door REMOVED
            3 "1.0" MPI_Address PMPI_Address (location: ConstPointer, address: Out<Aint>) = types::inquiry::address;
            3 "1.0" MPI_Errhandler_create PMPI_Errhandler_create (comm_errhandler_fn: CommErrorFunction,
                errhandler: Out<ErrhandlerHandle>) = errhandler::calls::comm_create;
            3 "1.0" MPI_Errhandler_get PMPI_Errhandler_get (comm: CommHandle, errhandler: Out<ErrhandlerHandle>) on comm =
                errhandler::calls::comm_get;
            3 "1.0" MPI_Errhandler_set PMPI_Errhandler_set (comm: CommHandle, errhandler: ErrhandlerHandle) on comm =
                errhandler::calls::comm_set;
            3 "2.0" MPI_File_c2f PMPI_File_c2f (file: FileHandle) -> Integer<FileHandle> = handles::same;
            3 "2.0" MPI_File_f2c PMPI_File_f2c (file: Integer<FileHandle>) -> Out<FileHandle> = handles::same;
            3 "2.0" MPI_Status_c2f PMPI_Status_c2f (c_status: ConstPointer, f_status: Pointer) = fortran::statuses::status_to_fortran <Door>;
            3 "2.0" MPI_Status_f2c PMPI_Status_f2c (f_status: ConstPointer, c_status: Pointer) = fortran::statuses::status_from_fortran <Door>;
            3 "1.0" MPI_Type_extent PMPI_Type_extent (datatype: DatatypeHandle, extent: Out<Aint>) = types::removed::extent;
            3 "1.0" MPI_Type_hindexed PMPI_Type_hindexed (count: Count, array_of_blocklengths: Array<Count>,
                array_of_displacements: Array<Aint>, oldtype: DatatypeHandle, newtype: Out<DatatypeHandle>) =
                types::construct::hindexed <Small>;
            3 "1.0" MPI_Type_hvector PMPI_Type_hvector (count: Count, blocklength: Count, stride: Aint, oldtype:
                DatatypeHandle, newtype: Out<DatatypeHandle>) = types::construct::hvector <Small>;
            3 "1.0" MPI_Type_lb PMPI_Type_lb (datatype: DatatypeHandle, displacement: Out<Aint>) = types::removed::lower_bound;
            3 "1.0" MPI_Type_struct PMPI_Type_struct (count: Count, array_of_blocklengths: Array<Count>,
                array_of_displacements: Array<Aint>, array_of_types: Array<DatatypeHandle>, newtype: Out<DatatypeHandle>) =
                types::construct::structure <Small>;
            3 "1.0" MPI_Type_ub PMPI_Type_ub (datatype: DatatypeHandle, displacement: Out<Aint>) = types::removed::upper_bound;
        }
    };
}
