//! The tool information interface: chapter 15.

/// Rows of the chapter. See [`crate::functions`].
#[macro_export]
macro_rules! tools {
    ($door:ident) => {
        $crate::export! { $door TOOLS
            3 "3.0" MPI_T_category_changed PMPI_T_category_changed (update_number: OutOrNull<Int>) on
                tools = tool::category::changed;
            3 "3.0" MPI_T_category_get_categories PMPI_T_category_get_categories (cat_index: Int, length:
                Int, indices: OutArray<Int>) on tools = tool::category::get_nothing;
            3 "3.0" MPI_T_category_get_cvars PMPI_T_category_get_cvars (cat_index: Int, length: Int,
                indices: OutArray<Int>) on tools = tool::category::get_cvars;
            3 "3.0" MPI_T_category_get_index PMPI_T_category_get_index (name: InText, cat_index:
                OutOrNull<Int>) on tools = tool::category::get_index;
            3 "3.0" MPI_T_category_get_info PMPI_T_category_get_info (cat_index: Int, name: OutTextOrNull,
                name_len: InOutOrNull<Int>, desc: OutTextOrNull, desc_len: InOutOrNull<Int>, num_cvars:
                OutOrNull<Int>, num_pvars: OutOrNull<Int>, num_categories: OutOrNull<Int>) on tools =
                tool::category::get_info;
            3 "3.0" MPI_T_category_get_num PMPI_T_category_get_num (num_cat: OutOrNull<Int>) on tools =
                tool::category::get_num;
            3 "3.0" MPI_T_category_get_pvars PMPI_T_category_get_pvars (cat_index: Int, length: Int,
                indices: OutArray<Int>) on tools = tool::category::get_pvars;
            3 "3.0" MPI_T_cvar_get_index PMPI_T_cvar_get_index (name: InText, cvar_index: OutOrNull<Int>)
                on tools = tool::control::get_index;
            3 "3.0" MPI_T_cvar_get_info PMPI_T_cvar_get_info (cvar_index: Int, name: OutTextOrNull,
                name_len: InOutOrNull<Int>, verbosity: OutOrNull<ToolVerbosity>, datatype:
                OutOrNull<DatatypeHandle>, enumtype: OutOrNull<ToolHandle>, desc: OutTextOrNull, desc_len:
                InOutOrNull<Int>, bind: OutOrNull<ToolBinding>, scope: OutOrNull<ToolScope>) on tools =
                tool::control::get_info;
            3 "3.0" MPI_T_cvar_get_num PMPI_T_cvar_get_num (num_cvar: OutOrNull<Int>) on tools =
                tool::control::get_num;
            3 "3.0" MPI_T_cvar_handle_alloc PMPI_T_cvar_handle_alloc (cvar_index: Int, obj_handle:
                Pointer, handle: Out<ToolHandle>, count: OutOrNull<Int>) on tools =
                tool::control::handle_alloc;
            3 "3.0" MPI_T_cvar_handle_free PMPI_T_cvar_handle_free (handle: InOut<ToolHandle>) on tools =
                tool::control::handle_free;
            3 "3.0" MPI_T_cvar_read PMPI_T_cvar_read (handle: ToolHandle, buf: RecvBuffer) on tools =
                tool::control::read;
            3 "3.0" MPI_T_cvar_write PMPI_T_cvar_write (handle: ToolHandle, buf: SendBuffer) on tools =
                tool::control::write;
            3 "3.0" MPI_T_enum_get_info PMPI_T_enum_get_info (enumtype: ToolHandle, num: OutOrNull<Int>,
                name: OutTextOrNull, name_len: InOutOrNull<Int>) on tools = tool::enum_get_info;
            3 "3.0" MPI_T_enum_get_item PMPI_T_enum_get_item (enumtype: ToolHandle, indx: Int, value:
                OutOrNull<Int>, name: OutTextOrNull, name_len: InOutOrNull<Int>) on tools =
                tool::enum_get_item;
            3 "3.0" MPI_T_finalize PMPI_T_finalize () on tools = tool::finalize;
            3 "3.0" MPI_T_init_thread PMPI_T_init_thread (required: ThreadLevel, provided:
                OutOrNull<ThreadLevel>) on tools = tool::init_thread;
            3 "3.0" MPI_T_pvar_get_index PMPI_T_pvar_get_index (name: InText, var_class: ToolClass,
                pvar_index: OutOrNull<Int>) on tools = tool::performance::get_index;
            3 "3.0" MPI_T_pvar_get_info PMPI_T_pvar_get_info (pvar_index: Int, name: OutTextOrNull,
                name_len: InOutOrNull<Int>, verbosity: OutOrNull<ToolVerbosity>, var_class:
                OutOrNull<ToolClass>, datatype: OutOrNull<DatatypeHandle>, enumtype:
                OutOrNull<ToolHandle>, desc: OutTextOrNull, desc_len: InOutOrNull<Int>, bind:
                OutOrNull<ToolBinding>, readonly: OutOrNull<Int>, continuous: OutOrNull<Int>, atomic:
                OutOrNull<Int>) on tools = tool::performance::get_info;
            3 "3.0" MPI_T_pvar_get_num PMPI_T_pvar_get_num (num_pvar: OutOrNull<Int>) on tools =
                tool::performance::get_num;
            3 "3.0" MPI_T_pvar_handle_alloc PMPI_T_pvar_handle_alloc (session: ToolHandle, pvar_index:
                Int, obj_handle: Pointer, handle: Out<ToolHandle>, count: OutOrNull<Int>) on tools =
                tool::performance::handle_alloc <$door>;
            3 "3.0" MPI_T_pvar_handle_free PMPI_T_pvar_handle_free (session: ToolHandle, handle:
                InOut<ToolHandle>) on tools = tool::performance::handle_free;
            3 "3.0" MPI_T_pvar_read PMPI_T_pvar_read (session: ToolHandle, handle: ToolHandle, buf:
                RecvBuffer) on tools = tool::performance::read;
            3 "3.0" MPI_T_pvar_readreset PMPI_T_pvar_readreset (session: ToolHandle, handle: ToolHandle,
                buf: RecvBuffer) on tools = tool::performance::read_and_reset;
            3 "3.0" MPI_T_pvar_reset PMPI_T_pvar_reset (session: ToolHandle, handle: ToolHandle) on tools
                = tool::performance::reset;
            3 "3.0" MPI_T_pvar_session_create PMPI_T_pvar_session_create (session: Out<ToolHandle>) on
                tools = tool::performance::session_create;
            3 "3.0" MPI_T_pvar_session_free PMPI_T_pvar_session_free (session: InOut<ToolHandle>) on tools
                = tool::performance::session_free;
            3 "3.0" MPI_T_pvar_start PMPI_T_pvar_start (session: ToolHandle, handle: ToolHandle) on tools
                = tool::performance::start_or_stop;
            3 "3.0" MPI_T_pvar_stop PMPI_T_pvar_stop (session: ToolHandle, handle: ToolHandle) on tools =
                tool::performance::start_or_stop;
            3 "3.0" MPI_T_pvar_write PMPI_T_pvar_write (session: ToolHandle, handle: ToolHandle, buf:
                SendBuffer) on tools = tool::performance::write;
            3 "4.0" MPI_T_category_get_events PMPI_T_category_get_events (cat_index: Int, length: Int,
                indices: OutArray<Int>) on tools = tool::category::get_nothing;
            3 "4.0" MPI_T_category_get_num_events PMPI_T_category_get_num_events (cat_index: Int,
                num_events: OutOrNull<Int>) on tools = tool::category::get_num_events;
            3 "4.0" MPI_T_event_callback_get_info PMPI_T_event_callback_get_info (event_registration:
                Pointer, cb_safety: Int, info_used: Pointer) on tools = tool::event::three;
            3 "4.0" MPI_T_event_callback_set_info PMPI_T_event_callback_set_info (event_registration:
                Pointer, cb_safety: Int, info: InfoHandle) on tools = tool::event::three;
            3 "4.0" MPI_T_event_copy PMPI_T_event_copy (event_instance: Pointer, buffer: Pointer) on tools
                = tool::event::two;
            3 "4.0" MPI_T_event_get_index PMPI_T_event_get_index (name: InText, event_index:
                OutOrNull<Int>) on tools = tool::event::get_index;
            3 "4.0" MPI_T_event_get_info PMPI_T_event_get_info (event_index: Int, name: Pointer, name_len:
                Pointer, verbosity: Pointer, array_of_datatypes: Pointer, array_of_displacements: Pointer,
                num_elements: Pointer, enumtype: Pointer, info: Pointer, desc: Pointer, desc_len: Pointer,
                bind: Pointer) on tools = tool::event::get_info;
            3 "4.0" MPI_T_event_get_num PMPI_T_event_get_num (num_events: OutOrNull<Int>) on tools =
                tool::event::get_num;
            3 "4.0" MPI_T_event_get_source PMPI_T_event_get_source (event_instance: Pointer, source_index:
                Pointer) on tools = tool::event::two;
            3 "4.0" MPI_T_event_get_timestamp PMPI_T_event_get_timestamp (event_instance: Pointer,
                event_timestamp: Pointer) on tools = tool::event::two;
            3 "4.0" MPI_T_event_handle_alloc PMPI_T_event_handle_alloc (event_index: Int, obj_handle:
                Pointer, info: InfoHandle, event_registration: Pointer) on tools =
                tool::event::handle_alloc;
            3 "4.0" MPI_T_event_handle_free PMPI_T_event_handle_free (event_registration: Pointer,
                user_data: Pointer, free_cb_function: Pointer) on tools = tool::event::three;
            3 "4.0" MPI_T_event_handle_get_info PMPI_T_event_handle_get_info (event_registration: Pointer,
                info_used: Pointer) on tools = tool::event::two;
            3 "4.0" MPI_T_event_handle_set_info PMPI_T_event_handle_set_info (event_registration: Pointer,
                info: InfoHandle) on tools = tool::event::two;
            3 "4.0" MPI_T_event_read PMPI_T_event_read (event_instance: Pointer, element_index: Int,
                buffer: Pointer) on tools = tool::event::three;
            3 "4.0" MPI_T_event_register_callback PMPI_T_event_register_callback (event_registration:
                Pointer, cb_safety: Int, info: InfoHandle, user_data: Pointer, event_cb_function: Pointer)
                on tools = tool::event::register_callback;
            3 "4.0" MPI_T_event_set_dropped_handler PMPI_T_event_set_dropped_handler (event_registration:
                Pointer, dropped_cb_function: Pointer) on tools = tool::event::two;
            3 "4.0" MPI_T_source_get_info PMPI_T_source_get_info (source_index: Int, name: Pointer,
                name_len: Pointer, desc: Pointer, desc_len: Pointer, ordering: Pointer, ticks_per_second:
                Pointer, max_ticks: Pointer, info: Pointer) on tools = tool::event::source_get_info;
            3 "4.0" MPI_T_source_get_num PMPI_T_source_get_num (num_sources: OutOrNull<Int>) on tools =
                tool::event::get_num;
            3 "4.0" MPI_T_source_get_timestamp PMPI_T_source_get_timestamp (source_index: Int, timestamp:
                Pointer) on tools = tool::event::source_get_timestamp;
        }
    };
}
