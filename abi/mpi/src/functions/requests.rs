//! Requests and statuses: section 3.7.

/// Rows of the chapter. See [`crate::functions`].
#[macro_export]
macro_rules! requests {
    ($door:ident) => {
        $crate::export! { $door REQUESTS
            2 "1.0" MPI_Cancel PMPI_Cancel (request: InOut<RequestHandle>) = request::complete::cancel;
            1 "1.0" MPI_Get_count PMPI_Get_count (status: InStatus, datatype: DatatypeHandle, count: Out<Count>) = request::status::get_count;
            2 "1.0" MPI_Get_elements PMPI_Get_elements (status: InStatus, datatype: DatatypeHandle, count: Out<Count>) = request::status::get_elements;
            2 "3.0" MPI_Get_elements_x PMPI_Get_elements_x (status: InStatus, datatype: DatatypeHandle, count:
                Out<LargeCount>) = request::status::get_elements;
            2 "2.0" MPI_Grequest_complete PMPI_Grequest_complete (request: RequestHandle) = request::generalized::complete;
            2 "2.0" MPI_Grequest_start PMPI_Grequest_start (query_fn: GrequestQueryFunction, free_fn: GrequestFreeFunction,
                cancel_fn: GrequestCancelFunction, extra_state: Pointer, request: Out<RequestHandle>) = request::generalized::start;
            1 "1.0" MPI_Request_free PMPI_Request_free (request: InOut<RequestHandle>) = request::complete::free;
            1 "2.0" MPI_Request_get_status PMPI_Request_get_status (request: RequestHandle, flag: Out<Flag>, status:
                OutStatus) = request::get_status::one;
            1 "1.0" MPI_Start PMPI_Start (request: InOut<RequestHandle>) = request::complete::start;
            1 "1.0" MPI_Startall PMPI_Startall (count: Int, array_of_requests: InOutArray<RequestHandle>) = request::complete::start_all;
            2 "2.0" MPI_Status_set_cancelled PMPI_Status_set_cancelled (status: InOutStatus, flag: Int) = request::status::set_cancelled;
            2 "2.0" MPI_Status_set_elements PMPI_Status_set_elements (status: InOutStatus, datatype: DatatypeHandle, count:
                Count) = request::status::set_elements;
            2 "3.0" MPI_Status_set_elements_x PMPI_Status_set_elements_x (status: InOutStatus, datatype: DatatypeHandle,
                count: LargeCount) = request::status::set_elements;
            1 "1.0" MPI_Test PMPI_Test (request: InOut<RequestHandle>, flag: Out<Flag>, status: OutStatus) = request::complete::test_one;
            2 "1.0" MPI_Test_cancelled PMPI_Test_cancelled (status: InStatus, flag: Out<Flag>) = request::status::test_cancelled;
            1 "1.0" MPI_Testall PMPI_Testall (count: Int, array_of_requests: InOutArray<RequestHandle>, flag: Out<Flag>,
                array_of_statuses: OutStatusArray) = request::several::test_all;
            1 "1.0" MPI_Testany PMPI_Testany (count: Int, array_of_requests: InOutArray<RequestHandle>, indx: Out<Index>,
                flag: Out<Flag>, status: OutStatus) = request::several::test_any;
            1 "1.0" MPI_Testsome PMPI_Testsome (incount: Int, array_of_requests: InOutArray<RequestHandle>, outcount:
                Out<Int>, array_of_indices: OutArray<Index>, array_of_statuses: OutStatusArray) = request::several::test_some;
            1 "1.0" MPI_Wait PMPI_Wait (request: InOut<RequestHandle>, status: OutStatus) = request::complete::wait;
            1 "1.0" MPI_Waitall PMPI_Waitall (count: Int, array_of_requests: InOutArray<RequestHandle>, array_of_statuses:
                OutStatusArray) = request::several::wait_all;
            1 "1.0" MPI_Waitany PMPI_Waitany (count: Int, array_of_requests: InOutArray<RequestHandle>, indx: Out<Index>,
                status: OutStatus) = request::several::wait_any;
            1 "1.0" MPI_Waitsome PMPI_Waitsome (incount: Int, array_of_requests: InOutArray<RequestHandle>, outcount:
                Out<Int>, array_of_indices: OutArray<Index>, array_of_statuses: OutStatusArray) = request::several::wait_some;
            2 "4.0" MPI_Get_count_c PMPI_Get_count_c (status: InStatus, datatype: DatatypeHandle, count: Out<LargeCount>) = request::status::get_count;
            2 "4.0" MPI_Get_elements_c PMPI_Get_elements_c (status: InStatus, datatype: DatatypeHandle, count:
                Out<LargeCount>) = request::status::get_elements;
            2 "4.1" MPI_Request_get_status_all PMPI_Request_get_status_all (count: Int, array_of_requests:
                Array<RequestHandle>, flag: Out<Flag>, array_of_statuses: OutStatusArray) = request::get_status::all;
            2 "4.1" MPI_Request_get_status_any PMPI_Request_get_status_any (count: Int, array_of_requests:
                Array<RequestHandle>, indx: Out<Index>, flag: Out<Flag>, status: OutStatus) = request::get_status::any;
            2 "4.1" MPI_Request_get_status_some PMPI_Request_get_status_some (incount: Int, array_of_requests:
                Array<RequestHandle>, outcount: Out<Int>, array_of_indices: OutArray<Index>, array_of_statuses: OutStatusArray) = request::get_status::some;
            2 "4.1" MPI_Status_get_error PMPI_Status_get_error (status: InStatus, error: Out<ErrorCode>) = request::status::get_error;
            2 "4.1" MPI_Status_get_source PMPI_Status_get_source (status: InStatus, source: Out<Rank>) = request::status::get_source;
            2 "4.1" MPI_Status_get_tag PMPI_Status_get_tag (status: InStatus, tag: Out<Tag>) = request::status::get_tag;
            2 "4.0" MPI_Status_set_elements_c PMPI_Status_set_elements_c (status: InOutStatus, datatype: DatatypeHandle,
                count: LargeCount) = request::status::set_elements;
            2 "4.1" MPI_Status_set_error PMPI_Status_set_error (status: InOutStatus, error: ErrorCode) = request::status::set_error;
            2 "4.1" MPI_Status_set_source PMPI_Status_set_source (status: InOutStatus, source: Rank) = request::status::set_source;
            2 "4.1" MPI_Status_set_tag PMPI_Status_set_tag (status: InOutStatus, tag: Tag) = request::status::set_tag;
        }
    };
}
