//! Start, end, versions, clocks: chapters 9 and 11.

/// Rows of the chapter. See [`crate::functions`].
#[macro_export]
macro_rules! environment {
    ($door:ident) => {
        $crate::export! { $door ENVIRONMENT
            1 "1.0" MPI_Abort PMPI_Abort (comm: CommHandle, errorcode: Int) on comm = environment::abort;
            1 "2.0" MPI_Alloc_mem PMPI_Alloc_mem (size: Aint, info: InfoHandle, baseptr: Pointer) = memory::allocate;
            1 "1.0" MPI_Finalize PMPI_Finalize () = environment::finalize;
            1 "2.0" MPI_Finalized PMPI_Finalized (flag: Out<Flag>) = environment::finalized;
            1 "2.0" MPI_Free_mem PMPI_Free_mem (base: Pointer) = memory::free;
            1 "3.0" MPI_Get_library_version PMPI_Get_library_version (version: OutText, resultlen: Out<Int>) = environment::get_library_version;
            1 "1.0" MPI_Get_processor_name PMPI_Get_processor_name (name: OutText, resultlen: Out<Int>) = environment::get_processor_name;
            1 "1.0" MPI_Get_version PMPI_Get_version (version: Out<Int>, subversion: Out<Int>) = environment::get_version <Door>;
            1 "1.0" MPI_Init PMPI_Init (argc: Pointer, argv: Pointer) = environment::init <Door>;
            1 "2.0" MPI_Init_thread PMPI_Init_thread (argc: Pointer, argv: Pointer, required: ThreadLevel, provided:
                Out<ThreadLevel>) = environment::init_thread <Door>;
            1 "1.0" MPI_Initialized PMPI_Initialized (flag: Out<Flag>) = environment::initialized;
            1 "2.0" MPI_Is_thread_main PMPI_Is_thread_main (flag: Out<Flag>) = environment::is_thread_main;
            1 "1.0" MPI_Pcontrol PMPI_Pcontrol (level: Int) = environment::pcontrol;
            1 "2.0" MPI_Query_thread PMPI_Query_thread (provided: Out<ThreadLevel>) = environment::query_thread;
            1 "1.0" MPI_Wtick PMPI_Wtick () -> Seconds = environment::wtick;
            1 "1.0" MPI_Wtime PMPI_Wtime () -> Seconds = environment::wtime;
            2 "4.1" MPI_Get_hw_resource_info PMPI_Get_hw_resource_info (hw_info: Out<InfoHandle>) = abi_info::get_hw_resource_info;
        }
    };
}
