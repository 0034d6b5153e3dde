/* Hooks of Intel's profiler that oneCCL's static library refers to. A null pointer tells oneCCL that there is no
 * profiler. */
void *__itt_domain_create_ptr__3_0;
void *__itt_event_create_ptr__3_0;
void *__itt_event_end_ptr__3_0;
void *__itt_event_start_ptr__3_0;
void *__itt_metadata_add_ptr__3_0;
void *__itt_string_handle_create_ptr__3_0;
void *__itt_task_begin_ptr__3_0;
void *__itt_task_end_ptr__3_0;
void *__itt_thread_set_name_ptr__3_0;
