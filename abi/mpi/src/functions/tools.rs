//! The tool information interface: chapter 15.

/// Rows of the chapter. See [`crate::functions`].
#[macro_export]
macro_rules! tools {
    ($door:ident) => {
        $crate::export! { $door TOOLS
            3 "3.0" MPI_T_category_changed PMPI_T_category_changed (update_number: Out<Int>) = refused;
            3 "3.0" MPI_T_category_get_categories PMPI_T_category_get_categories (cat_index: Int, length: Int, indices:
                OutArray<Int>) = refused;
            3 "3.0" MPI_T_category_get_cvars PMPI_T_category_get_cvars (cat_index: Int, length: Int, indices: OutArray<Int>)
                = refused;
            3 "3.0" MPI_T_category_get_index PMPI_T_category_get_index (name: InText, cat_index: Out<Int>) = refused;
            3 "3.0" MPI_T_category_get_info PMPI_T_category_get_info (cat_index: Int, name: OutText, name_len: Out<Int>,
                desc: OutText, desc_len: Out<Int>, num_cvars: Out<Int>, num_pvars: Out<Int>, num_categories: Out<Int>) =
                refused;
            3 "3.0" MPI_T_category_get_num PMPI_T_category_get_num (num_cat: Out<Int>) = refused;
            3 "3.0" MPI_T_category_get_pvars PMPI_T_category_get_pvars (cat_index: Int, length: Int, indices: OutArray<Int>)
                = refused;
            3 "3.0" MPI_T_cvar_get_index PMPI_T_cvar_get_index (name: InText, cvar_index: Out<Int>) = refused;
            3 "3.0" MPI_T_cvar_get_info PMPI_T_cvar_get_info (cvar_index: Int, name: OutText, name_len: Out<Int>, verbosity:
                Out<Int>, datatype: Out<DatatypeHandle>, enumtype: Pointer, desc: OutText, desc_len: Out<Int>, bind: Out<Int>,
                scope: Out<Int>) = refused;
            3 "3.0" MPI_T_cvar_get_num PMPI_T_cvar_get_num (num_cvar: Out<Int>) = refused;
            3 "3.0" MPI_T_cvar_handle_alloc PMPI_T_cvar_handle_alloc (cvar_index: Int, obj_handle: Pointer, handle: Pointer,
                count: Out<Int>) = refused;
            3 "3.0" MPI_T_cvar_handle_free PMPI_T_cvar_handle_free (handle: Pointer) = refused;
            3 "3.0" MPI_T_cvar_read PMPI_T_cvar_read (handle: Pointer, buf: RecvBuffer) = refused;
            3 "3.0" MPI_T_cvar_write PMPI_T_cvar_write (handle: Pointer, buf: SendBuffer) = refused;
            3 "3.0" MPI_T_enum_get_info PMPI_T_enum_get_info (enumtype: Pointer, num: Out<Int>, name: OutText, name_len:
                Out<Int>) = refused;
            3 "3.0" MPI_T_enum_get_item PMPI_T_enum_get_item (enumtype: Pointer, indx: Int, value: Out<Int>, name: OutText,
                name_len: Out<Int>) = refused;
            3 "3.0" MPI_T_finalize PMPI_T_finalize () = refused;
            3 "3.0" MPI_T_init_thread PMPI_T_init_thread (required: ThreadLevel, provided: Out<ThreadLevel>) = refused;
            3 "3.0" MPI_T_pvar_get_index PMPI_T_pvar_get_index (name: InText, var_class: Int, pvar_index: Out<Int>) = refused;
            3 "3.0" MPI_T_pvar_get_info PMPI_T_pvar_get_info (pvar_index: Int, name: OutText, name_len: Out<Int>, verbosity:
                Out<Int>, var_class: Out<Int>, datatype: Out<DatatypeHandle>, enumtype: Pointer, desc: OutText, desc_len:
                Out<Int>, bind: Out<Int>, readonly: Out<Int>, continuous: Out<Int>, atomic: Out<Int>) = refused;
            3 "3.0" MPI_T_pvar_get_num PMPI_T_pvar_get_num (num_pvar: Out<Int>) = refused;
            3 "3.0" MPI_T_pvar_handle_alloc PMPI_T_pvar_handle_alloc (session: Pointer, pvar_index: Int, obj_handle:
                Pointer, handle: Pointer, count: Out<Int>) = refused;
            3 "3.0" MPI_T_pvar_handle_free PMPI_T_pvar_handle_free (session: Pointer, handle: Pointer) = refused;
            3 "3.0" MPI_T_pvar_read PMPI_T_pvar_read (session: Pointer, handle: Pointer, buf: RecvBuffer) = refused;
            3 "3.0" MPI_T_pvar_readreset PMPI_T_pvar_readreset (session: Pointer, handle: Pointer, buf: RecvBuffer) = refused;
            3 "3.0" MPI_T_pvar_reset PMPI_T_pvar_reset (session: Pointer, handle: Pointer) = refused;
            3 "3.0" MPI_T_pvar_session_create PMPI_T_pvar_session_create (session: Pointer) = refused;
            3 "3.0" MPI_T_pvar_session_free PMPI_T_pvar_session_free (session: Pointer) = refused;
            3 "3.0" MPI_T_pvar_start PMPI_T_pvar_start (session: Pointer, handle: Pointer) = refused;
            3 "3.0" MPI_T_pvar_stop PMPI_T_pvar_stop (session: Pointer, handle: Pointer) = refused;
            3 "3.0" MPI_T_pvar_write PMPI_T_pvar_write (session: Pointer, handle: Pointer, buf: SendBuffer) = refused;
            3 "4.0" MPI_T_category_get_events PMPI_T_category_get_events (cat_index: Int, length: Int, indices:
                OutArray<Int>) = refused;
            3 "4.0" MPI_T_category_get_num_events PMPI_T_category_get_num_events (cat_index: Int, num_events: Out<Int>) = refused;
            3 "4.0" MPI_T_event_callback_get_info PMPI_T_event_callback_get_info (event_registration: Pointer, cb_safety:
                Int, info_used: Out<InfoHandle>) = refused;
            3 "4.0" MPI_T_event_callback_set_info PMPI_T_event_callback_set_info (event_registration: Pointer, cb_safety:
                Int, info: InfoHandle) = refused;
            3 "4.0" MPI_T_event_copy PMPI_T_event_copy (event_instance: Pointer, buffer: RecvBuffer) = refused;
            3 "4.0" MPI_T_event_get_index PMPI_T_event_get_index (name: InText, event_index: Out<Int>) = refused;
            3 "4.0" MPI_T_event_get_info PMPI_T_event_get_info (event_index: Int, name: OutText, name_len: Out<Int>,
                verbosity: Out<Int>, array_of_datatypes: OutArray<DatatypeHandle>, array_of_displacements: OutArray<Aint>,
                num_elements: Out<Int>, enumtype: Pointer, info: Out<InfoHandle>, desc: OutText, desc_len: Out<Int>, bind:
                Out<Int>) = refused;
            3 "4.0" MPI_T_event_get_num PMPI_T_event_get_num (num_events: Out<Int>) = refused;
            3 "4.0" MPI_T_event_get_source PMPI_T_event_get_source (event_instance: Pointer, source_index: Out<Int>) = refused;
            3 "4.0" MPI_T_event_get_timestamp PMPI_T_event_get_timestamp (event_instance: Pointer, event_timestamp:
                Out<LargeCount>) = refused;
            3 "4.0" MPI_T_event_handle_alloc PMPI_T_event_handle_alloc (event_index: Int, obj_handle: Pointer, info:
                InfoHandle, event_registration: Pointer) = refused;
            3 "4.0" MPI_T_event_handle_free PMPI_T_event_handle_free (event_registration: Pointer, user_data: Pointer,
                free_cb_function: Pointer) = refused;
            3 "4.0" MPI_T_event_handle_get_info PMPI_T_event_handle_get_info (event_registration: Pointer, info_used:
                Out<InfoHandle>) = refused;
            3 "4.0" MPI_T_event_handle_set_info PMPI_T_event_handle_set_info (event_registration: Pointer, info: InfoHandle)
                = refused;
            3 "4.0" MPI_T_event_read PMPI_T_event_read (event_instance: Pointer, element_index: Int, buffer: RecvBuffer) = refused;
            3 "4.0" MPI_T_event_register_callback PMPI_T_event_register_callback (event_registration: Pointer, cb_safety:
                Int, info: InfoHandle, user_data: Pointer, event_cb_function: Pointer) = refused;
            3 "4.0" MPI_T_event_set_dropped_handler PMPI_T_event_set_dropped_handler (event_registration: Pointer,
                dropped_cb_function: Pointer) = refused;
            3 "4.0" MPI_T_source_get_info PMPI_T_source_get_info (source_index: Int, name: OutText, name_len: Out<Int>,
                desc: OutText, desc_len: Out<Int>, ordering: Out<Int>, ticks_per_second: Out<LargeCount>, max_ticks:
                Out<LargeCount>, info: Out<InfoHandle>) = refused;
            3 "4.0" MPI_T_source_get_num PMPI_T_source_get_num (num_sources: Out<Int>) = refused;
            3 "4.0" MPI_T_source_get_timestamp PMPI_T_source_get_timestamp (source_index: Int, timestamp: Out<LargeCount>) =
                refused;
        }
    };
}
