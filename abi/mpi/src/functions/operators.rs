//! Operators of reductions: section 6.9.

/// Rows of the chapter. See [`crate::functions`].
#[macro_export]
macro_rules! operators {
    ($door:ident) => {
        $crate::export! { $door OPERATORS
            1 "2.0" MPI_Op_commutative PMPI_Op_commutative (op: OpHandle, commute: Out<Flag>) = op::commutative;
            1 "1.0" MPI_Op_create PMPI_Op_create (user_fn: OpFunction, commute: Int, op: Out<OpHandle>) = op::create;
            1 "1.0" MPI_Op_free PMPI_Op_free (op: InOut<OpHandle>) = op::free;
            1 "2.2" MPI_Reduce_local PMPI_Reduce_local (inbuf: SendBuffer, inoutbuf: RecvBuffer, count: Count, datatype:
                DatatypeHandle, op: OpHandle) = op::reduce_local;
            2 "4.0" MPI_Op_create_c PMPI_Op_create_c (user_fn: LargeOpFunction, commute: Int, op: Out<OpHandle>) = op::create;
            2 "4.0" MPI_Reduce_local_c PMPI_Reduce_local_c (inbuf: SendBuffer, inoutbuf: RecvBuffer, count: LargeCount,
                datatype: DatatypeHandle, op: OpHandle) = op::reduce_local;
        }
    };
}
