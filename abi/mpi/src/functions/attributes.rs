//! Attributes and keys: section 7.7.

/// Rows of the chapter. See [`crate::functions`].
#[macro_export]
macro_rules! attributes {
    ($door:ident) => {
        $crate::export! { $door ATTRIBUTES
            3 "1.0" MPI_Attr_delete PMPI_Attr_delete (comm: CommHandle, keyval: Keyval) on comm = attribute::calls::comm_delete;
            3 "1.0" MPI_Attr_get PMPI_Attr_get (comm: CommHandle, keyval: Keyval, attribute_val: Pointer, flag: Out<Flag>)
                on comm = attribute::calls::comm_get <Door>;
            3 "1.0" MPI_Attr_put PMPI_Attr_put (comm: CommHandle, keyval: Keyval, attribute_val: Pointer) on comm = attribute::calls::comm_set;
            2 "2.0" MPI_Comm_create_keyval PMPI_Comm_create_keyval (comm_copy_attr_fn: CommCopyFunction,
                comm_delete_attr_fn: CommDeleteFunction, comm_keyval: Out<Keyval>, extra_state: Pointer) = attribute::calls::comm_create_keyval;
            2 "2.0" MPI_Comm_delete_attr PMPI_Comm_delete_attr (comm: CommHandle, comm_keyval: Keyval) on comm = attribute::calls::comm_delete;
            2 "2.0" MPI_Comm_free_keyval PMPI_Comm_free_keyval (comm_keyval: InOut<Keyval>) = attribute::calls::comm_free_keyval;
            1 "2.0" MPI_Comm_get_attr PMPI_Comm_get_attr (comm: CommHandle, comm_keyval: Keyval, attribute_val: Pointer,
                flag: Out<Flag>) on comm = attribute::calls::comm_get <Door>;
            2 "2.0" MPI_Comm_set_attr PMPI_Comm_set_attr (comm: CommHandle, comm_keyval: Keyval, attribute_val: Pointer) on
                comm = attribute::calls::comm_set;
            3 "1.0" MPI_Keyval_create PMPI_Keyval_create (copy_fn: CommCopyFunction, delete_fn: CommDeleteFunction, keyval:
                Out<Keyval>, extra_state: Pointer) = attribute::calls::comm_create_keyval;
            3 "1.0" MPI_Keyval_free PMPI_Keyval_free (keyval: InOut<Keyval>) = attribute::calls::comm_free_keyval;
            2 "2.0" MPI_Type_create_keyval PMPI_Type_create_keyval (type_copy_attr_fn: TypeCopyFunction,
                type_delete_attr_fn: TypeDeleteFunction, type_keyval: Out<Keyval>, extra_state: Pointer) = attribute::calls::type_create_keyval;
            2 "2.0" MPI_Type_delete_attr PMPI_Type_delete_attr (datatype: DatatypeHandle, type_keyval: Keyval) = attribute::type_calls::delete;
            2 "2.0" MPI_Type_free_keyval PMPI_Type_free_keyval (type_keyval: InOut<Keyval>) = attribute::calls::type_free_keyval;
            2 "2.0" MPI_Type_get_attr PMPI_Type_get_attr (datatype: DatatypeHandle, type_keyval: Keyval, attribute_val:
                Pointer, flag: Out<Flag>) = attribute::type_calls::get;
            2 "2.0" MPI_Type_set_attr PMPI_Type_set_attr (datatype: DatatypeHandle, type_keyval: Keyval, attribute_val:
                Pointer) = attribute::type_calls::set;
        }
    };
}
