//! Process creation: chapter 11.

/// Rows of the chapter. See [`crate::functions`].
#[macro_export]
macro_rules! processes {
    ($door:ident) => {
        $crate::export! { $door PROCESSES
            3 "2.0" MPI_Close_port PMPI_Close_port (port_name: InText) = refused;
            3 "2.0" MPI_Comm_accept PMPI_Comm_accept (port_name: InText, info: InfoHandle, root: Rank, comm: CommHandle,
                newcomm: Made<CommHandle>) on comm = refused;
            3 "2.0" MPI_Comm_connect PMPI_Comm_connect (port_name: InText, info: InfoHandle, root: Rank, comm: CommHandle,
                newcomm: Made<CommHandle>) on comm = refused;
            3 "2.0" MPI_Comm_disconnect PMPI_Comm_disconnect (comm: InOut<CommHandle>) = comm::end::free;
            3 "2.0" MPI_Comm_get_parent PMPI_Comm_get_parent (parent: Out<CommHandle>) = comm::inquiry::get_parent;
            3 "2.0" MPI_Comm_join PMPI_Comm_join (fd: Int, intercomm: Made<CommHandle>) = refused;
            3 "2.0" MPI_Comm_spawn PMPI_Comm_spawn (command: InText, argv: Pointer, maxprocs: Int, info: InfoHandle, root:
                Rank, comm: CommHandle, intercomm: Made<CommHandle>, array_of_errcodes: OutArray<Int>) on comm = refused;
            3 "2.0" MPI_Comm_spawn_multiple PMPI_Comm_spawn_multiple (count: Int, array_of_commands: Pointer, array_of_argv:
                Pointer, array_of_maxprocs: Array<Int>, array_of_info: Pointer, root: Rank, comm: CommHandle, intercomm:
                Out<CommHandle>, array_of_errcodes: OutArray<Int>) on comm = refused;
            3 "2.0" MPI_Lookup_name PMPI_Lookup_name (service_name: InText, info: InfoHandle, port_name: OutText) = refused;
            3 "2.0" MPI_Open_port PMPI_Open_port (info: InfoHandle, port_name: OutText) = refused;
            3 "2.0" MPI_Publish_name PMPI_Publish_name (service_name: InText, info: InfoHandle, port_name: InText) = refused;
            3 "2.0" MPI_Unpublish_name PMPI_Unpublish_name (service_name: InText, info: InfoHandle, port_name: InText) = refused;
        }
    };
}
