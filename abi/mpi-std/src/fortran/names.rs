//! The names under which compilers for Fortran look for the functions: in lower case with one underscore.
//! `use mpi_f08` calls them by names of their own, because its arguments have other types there.

use super::functions::*;

anyccl_mpi::fortran_names! {
    MPI_Abort: mpi_abort_ pmpi_abort_ mpi_abort_f08_ pmpi_abort_f08_;
    MPI_Accumulate: mpi_accumulate_ pmpi_accumulate_ mpi_accumulate_f08_ pmpi_accumulate_f08_;
    MPI_Accumulate_c: mpi_accumulate_c_f08_ pmpi_accumulate_c_f08_;
    MPI_Add_error_class: mpi_add_error_class_ pmpi_add_error_class_ mpi_add_error_class_f08_
        pmpi_add_error_class_f08_;
    MPI_Add_error_code: mpi_add_error_code_ pmpi_add_error_code_ mpi_add_error_code_f08_
        pmpi_add_error_code_f08_;
    MPI_Add_error_string: mpi_add_error_string_ pmpi_add_error_string_ mpi_add_error_string_f08_
        pmpi_add_error_string_f08_;
    MPI_Address: mpi_address_ pmpi_address_;
    MPI_Aint_add: mpi_aint_add_ pmpi_aint_add_ mpi_aint_add_f08_ pmpi_aint_add_f08_;
    MPI_Aint_diff: mpi_aint_diff_ pmpi_aint_diff_ mpi_aint_diff_f08_ pmpi_aint_diff_f08_;
    MPI_Allgather: mpi_allgather_ pmpi_allgather_ mpi_allgather_f08_ pmpi_allgather_f08_;
    MPI_Allgather_c: mpi_allgather_c_f08_ pmpi_allgather_c_f08_;
    MPI_Allgather_init: mpi_allgather_init_ pmpi_allgather_init_ mpi_allgather_init_f08_
        pmpi_allgather_init_f08_;
    MPI_Allgather_init_c: mpi_allgather_init_c_f08_ pmpi_allgather_init_c_f08_;
    MPI_Allgatherv: mpi_allgatherv_ pmpi_allgatherv_ mpi_allgatherv_f08_ pmpi_allgatherv_f08_;
    MPI_Allgatherv_c: mpi_allgatherv_c_f08_ pmpi_allgatherv_c_f08_;
    MPI_Allgatherv_init: mpi_allgatherv_init_ pmpi_allgatherv_init_ mpi_allgatherv_init_f08_
        pmpi_allgatherv_init_f08_;
    MPI_Allgatherv_init_c: mpi_allgatherv_init_c_f08_ pmpi_allgatherv_init_c_f08_;
    MPI_Alloc_mem: mpi_alloc_mem_ pmpi_alloc_mem_ mpi_alloc_mem_f08_ pmpi_alloc_mem_f08_;
    MPI_Allreduce: mpi_allreduce_ pmpi_allreduce_ mpi_allreduce_f08_ pmpi_allreduce_f08_;
    MPI_Allreduce_c: mpi_allreduce_c_f08_ pmpi_allreduce_c_f08_;
    MPI_Allreduce_init: mpi_allreduce_init_ pmpi_allreduce_init_ mpi_allreduce_init_f08_
        pmpi_allreduce_init_f08_;
    MPI_Allreduce_init_c: mpi_allreduce_init_c_f08_ pmpi_allreduce_init_c_f08_;
    MPI_Alltoall: mpi_alltoall_ pmpi_alltoall_ mpi_alltoall_f08_ pmpi_alltoall_f08_;
    MPI_Alltoall_c: mpi_alltoall_c_f08_ pmpi_alltoall_c_f08_;
    MPI_Alltoall_init: mpi_alltoall_init_ pmpi_alltoall_init_ mpi_alltoall_init_f08_ pmpi_alltoall_init_f08_;
    MPI_Alltoall_init_c: mpi_alltoall_init_c_f08_ pmpi_alltoall_init_c_f08_;
    MPI_Alltoallv: mpi_alltoallv_ pmpi_alltoallv_ mpi_alltoallv_f08_ pmpi_alltoallv_f08_;
    MPI_Alltoallv_c: mpi_alltoallv_c_f08_ pmpi_alltoallv_c_f08_;
    MPI_Alltoallv_init: mpi_alltoallv_init_ pmpi_alltoallv_init_ mpi_alltoallv_init_f08_
        pmpi_alltoallv_init_f08_;
    MPI_Alltoallv_init_c: mpi_alltoallv_init_c_f08_ pmpi_alltoallv_init_c_f08_;
    MPI_Alltoallw: mpi_alltoallw_ pmpi_alltoallw_ mpi_alltoallw_f08_ pmpi_alltoallw_f08_;
    MPI_Alltoallw_c: mpi_alltoallw_c_f08_ pmpi_alltoallw_c_f08_;
    MPI_Alltoallw_init: mpi_alltoallw_init_ pmpi_alltoallw_init_ mpi_alltoallw_init_f08_
        pmpi_alltoallw_init_f08_;
    MPI_Alltoallw_init_c: mpi_alltoallw_init_c_f08_ pmpi_alltoallw_init_c_f08_;
    MPI_Attr_delete: mpi_attr_delete_ pmpi_attr_delete_ mpi_attr_delete_f08_ pmpi_attr_delete_f08_;
    MPI_Attr_get: mpi_attr_get_ pmpi_attr_get_ mpi_attr_get_f08_ pmpi_attr_get_f08_;
    MPI_Attr_put: mpi_attr_put_ pmpi_attr_put_ mpi_attr_put_f08_ pmpi_attr_put_f08_;
    MPI_Barrier: mpi_barrier_ pmpi_barrier_ mpi_barrier_f08_ pmpi_barrier_f08_;
    MPI_Barrier_init: mpi_barrier_init_ pmpi_barrier_init_ mpi_barrier_init_f08_ pmpi_barrier_init_f08_;
    MPI_Bcast: mpi_bcast_ pmpi_bcast_ mpi_bcast_f08_ pmpi_bcast_f08_;
    MPI_Bcast_c: mpi_bcast_c_f08_ pmpi_bcast_c_f08_;
    MPI_Bcast_init: mpi_bcast_init_ pmpi_bcast_init_ mpi_bcast_init_f08_ pmpi_bcast_init_f08_;
    MPI_Bcast_init_c: mpi_bcast_init_c_f08_ pmpi_bcast_init_c_f08_;
    MPI_Bsend: mpi_bsend_ pmpi_bsend_ mpi_bsend_f08_ pmpi_bsend_f08_;
    MPI_Bsend_c: mpi_bsend_c_f08_ pmpi_bsend_c_f08_;
    MPI_Bsend_init: mpi_bsend_init_ pmpi_bsend_init_ mpi_bsend_init_f08_ pmpi_bsend_init_f08_;
    MPI_Bsend_init_c: mpi_bsend_init_c_f08_ pmpi_bsend_init_c_f08_;
    MPI_Buffer_attach: mpi_buffer_attach_ pmpi_buffer_attach_ mpi_buffer_attach_f08_ pmpi_buffer_attach_f08_;
    MPI_Buffer_attach_c: mpi_buffer_attach_c_f08_ pmpi_buffer_attach_c_f08_;
    MPI_Buffer_detach: mpi_buffer_detach_ pmpi_buffer_detach_;
    MPI_Buffer_flush: mpi_buffer_flush_ pmpi_buffer_flush_ mpi_buffer_flush_f08_ pmpi_buffer_flush_f08_;
    MPI_Buffer_iflush: mpi_buffer_iflush_ pmpi_buffer_iflush_ mpi_buffer_iflush_f08_ pmpi_buffer_iflush_f08_;
    MPI_Cancel: mpi_cancel_ pmpi_cancel_ mpi_cancel_f08_ pmpi_cancel_f08_;
    MPI_Cart_coords: mpi_cart_coords_ pmpi_cart_coords_ mpi_cart_coords_f08_ pmpi_cart_coords_f08_;
    MPI_Cart_create: mpi_cart_create_ pmpi_cart_create_ mpi_cart_create_f08_ pmpi_cart_create_f08_;
    MPI_Cart_get: mpi_cart_get_ pmpi_cart_get_ mpi_cart_get_f08_ pmpi_cart_get_f08_;
    MPI_Cart_map: mpi_cart_map_ pmpi_cart_map_ mpi_cart_map_f08_ pmpi_cart_map_f08_;
    MPI_Cart_rank: mpi_cart_rank_ pmpi_cart_rank_ mpi_cart_rank_f08_ pmpi_cart_rank_f08_;
    MPI_Cart_shift: mpi_cart_shift_ pmpi_cart_shift_ mpi_cart_shift_f08_ pmpi_cart_shift_f08_;
    MPI_Cart_sub: mpi_cart_sub_ pmpi_cart_sub_ mpi_cart_sub_f08_ pmpi_cart_sub_f08_;
    MPI_Cartdim_get: mpi_cartdim_get_ pmpi_cartdim_get_ mpi_cartdim_get_f08_ pmpi_cartdim_get_f08_;
    MPI_Close_port: mpi_close_port_ pmpi_close_port_ mpi_close_port_f08_ pmpi_close_port_f08_;
    MPI_Comm_accept: mpi_comm_accept_ pmpi_comm_accept_ mpi_comm_accept_f08_ pmpi_comm_accept_f08_;
    MPI_Comm_attach_buffer: mpi_comm_attach_buffer_ pmpi_comm_attach_buffer_ mpi_comm_attach_buffer_f08_
        pmpi_comm_attach_buffer_f08_;
    MPI_Comm_attach_buffer_c: mpi_comm_attach_buffer_c_f08_ pmpi_comm_attach_buffer_c_f08_;
    MPI_Comm_call_errhandler: mpi_comm_call_errhandler_ pmpi_comm_call_errhandler_
        mpi_comm_call_errhandler_f08_ pmpi_comm_call_errhandler_f08_;
    MPI_Comm_compare: mpi_comm_compare_ pmpi_comm_compare_ mpi_comm_compare_f08_ pmpi_comm_compare_f08_;
    MPI_Comm_connect: mpi_comm_connect_ pmpi_comm_connect_ mpi_comm_connect_f08_ pmpi_comm_connect_f08_;
    MPI_Comm_create: mpi_comm_create_ pmpi_comm_create_ mpi_comm_create_f08_ pmpi_comm_create_f08_;
    MPI_Comm_create_errhandler: mpi_comm_create_errhandler_ pmpi_comm_create_errhandler_
        mpi_comm_create_errhandler_f08_ pmpi_comm_create_errhandler_f08_;
    MPI_Comm_create_from_group: mpi_comm_create_from_group_ pmpi_comm_create_from_group_
        mpi_comm_create_from_group_f08_ pmpi_comm_create_from_group_f08_;
    MPI_Comm_create_group: mpi_comm_create_group_ pmpi_comm_create_group_ mpi_comm_create_group_f08_
        pmpi_comm_create_group_f08_;
    MPI_Comm_create_keyval: mpi_comm_create_keyval_ pmpi_comm_create_keyval_ mpi_comm_create_keyval_f08_
        pmpi_comm_create_keyval_f08_;
    MPI_Comm_delete_attr: mpi_comm_delete_attr_ pmpi_comm_delete_attr_ mpi_comm_delete_attr_f08_
        pmpi_comm_delete_attr_f08_;
    MPI_Comm_disconnect: mpi_comm_disconnect_ pmpi_comm_disconnect_ mpi_comm_disconnect_f08_
        pmpi_comm_disconnect_f08_;
    MPI_Comm_dup: mpi_comm_dup_ pmpi_comm_dup_ mpi_comm_dup_f08_ pmpi_comm_dup_f08_;
    MPI_Comm_dup_with_info: mpi_comm_dup_with_info_ pmpi_comm_dup_with_info_ mpi_comm_dup_with_info_f08_
        pmpi_comm_dup_with_info_f08_;
    MPI_Comm_flush_buffer: mpi_comm_flush_buffer_ pmpi_comm_flush_buffer_ mpi_comm_flush_buffer_f08_
        pmpi_comm_flush_buffer_f08_;
    MPI_Comm_free: mpi_comm_free_ pmpi_comm_free_ mpi_comm_free_f08_ pmpi_comm_free_f08_;
    MPI_Comm_free_keyval: mpi_comm_free_keyval_ pmpi_comm_free_keyval_ mpi_comm_free_keyval_f08_
        pmpi_comm_free_keyval_f08_;
    MPI_Comm_get_attr: mpi_comm_get_attr_ pmpi_comm_get_attr_ mpi_comm_get_attr_f08_ pmpi_comm_get_attr_f08_;
    MPI_Comm_get_errhandler: mpi_comm_get_errhandler_ pmpi_comm_get_errhandler_ mpi_comm_get_errhandler_f08_
        pmpi_comm_get_errhandler_f08_;
    MPI_Comm_get_info: mpi_comm_get_info_ pmpi_comm_get_info_ mpi_comm_get_info_f08_ pmpi_comm_get_info_f08_;
    MPI_Comm_get_name: mpi_comm_get_name_ pmpi_comm_get_name_ mpi_comm_get_name_f08_ pmpi_comm_get_name_f08_;
    MPI_Comm_get_parent: mpi_comm_get_parent_ pmpi_comm_get_parent_ mpi_comm_get_parent_f08_
        pmpi_comm_get_parent_f08_;
    MPI_Comm_group: mpi_comm_group_ pmpi_comm_group_ mpi_comm_group_f08_ pmpi_comm_group_f08_;
    MPI_Comm_idup: mpi_comm_idup_ pmpi_comm_idup_ mpi_comm_idup_f08_ pmpi_comm_idup_f08_;
    MPI_Comm_idup_with_info: mpi_comm_idup_with_info_ pmpi_comm_idup_with_info_ mpi_comm_idup_with_info_f08_
        pmpi_comm_idup_with_info_f08_;
    MPI_Comm_iflush_buffer: mpi_comm_iflush_buffer_ pmpi_comm_iflush_buffer_ mpi_comm_iflush_buffer_f08_
        pmpi_comm_iflush_buffer_f08_;
    MPI_Comm_join: mpi_comm_join_ pmpi_comm_join_ mpi_comm_join_f08_ pmpi_comm_join_f08_;
    MPI_Comm_rank: mpi_comm_rank_ pmpi_comm_rank_ mpi_comm_rank_f08_ pmpi_comm_rank_f08_;
    MPI_Comm_remote_group: mpi_comm_remote_group_ pmpi_comm_remote_group_ mpi_comm_remote_group_f08_
        pmpi_comm_remote_group_f08_;
    MPI_Comm_remote_size: mpi_comm_remote_size_ pmpi_comm_remote_size_ mpi_comm_remote_size_f08_
        pmpi_comm_remote_size_f08_;
    MPI_Comm_set_attr: mpi_comm_set_attr_ pmpi_comm_set_attr_ mpi_comm_set_attr_f08_ pmpi_comm_set_attr_f08_;
    MPI_Comm_set_errhandler: mpi_comm_set_errhandler_ pmpi_comm_set_errhandler_ mpi_comm_set_errhandler_f08_
        pmpi_comm_set_errhandler_f08_;
    MPI_Comm_set_info: mpi_comm_set_info_ pmpi_comm_set_info_ mpi_comm_set_info_f08_ pmpi_comm_set_info_f08_;
    MPI_Comm_set_name: mpi_comm_set_name_ pmpi_comm_set_name_ mpi_comm_set_name_f08_ pmpi_comm_set_name_f08_;
    MPI_Comm_size: mpi_comm_size_ pmpi_comm_size_ mpi_comm_size_f08_ pmpi_comm_size_f08_;
    MPI_Comm_spawn: mpi_comm_spawn_ pmpi_comm_spawn_ mpi_comm_spawn_f08_ pmpi_comm_spawn_f08_;
    MPI_Comm_spawn_multiple: mpi_comm_spawn_multiple_ pmpi_comm_spawn_multiple_ mpi_comm_spawn_multiple_f08_
        pmpi_comm_spawn_multiple_f08_;
    MPI_Comm_split: mpi_comm_split_ pmpi_comm_split_ mpi_comm_split_f08_ pmpi_comm_split_f08_;
    MPI_Comm_split_type: mpi_comm_split_type_ pmpi_comm_split_type_ mpi_comm_split_type_f08_
        pmpi_comm_split_type_f08_;
    MPI_Comm_test_inter: mpi_comm_test_inter_ pmpi_comm_test_inter_ mpi_comm_test_inter_f08_
        pmpi_comm_test_inter_f08_;
    MPI_Compare_and_swap: mpi_compare_and_swap_ pmpi_compare_and_swap_ mpi_compare_and_swap_f08_
        pmpi_compare_and_swap_f08_;
    MPI_Dims_create: mpi_dims_create_ pmpi_dims_create_ mpi_dims_create_f08_ pmpi_dims_create_f08_;
    MPI_Dist_graph_create: mpi_dist_graph_create_ pmpi_dist_graph_create_ mpi_dist_graph_create_f08_
        pmpi_dist_graph_create_f08_;
    MPI_Dist_graph_create_adjacent: mpi_dist_graph_create_adjacent_ pmpi_dist_graph_create_adjacent_
        mpi_dist_graph_create_adjacent_f08_ pmpi_dist_graph_create_adjacent_f08_;
    MPI_Dist_graph_neighbors: mpi_dist_graph_neighbors_ pmpi_dist_graph_neighbors_
        mpi_dist_graph_neighbors_f08_ pmpi_dist_graph_neighbors_f08_;
    MPI_Dist_graph_neighbors_count: mpi_dist_graph_neighbors_count_ pmpi_dist_graph_neighbors_count_
        mpi_dist_graph_neighbors_count_f08_ pmpi_dist_graph_neighbors_count_f08_;
    MPI_Errhandler_create: mpi_errhandler_create_ pmpi_errhandler_create_;
    MPI_Errhandler_free: mpi_errhandler_free_ pmpi_errhandler_free_ mpi_errhandler_free_f08_
        pmpi_errhandler_free_f08_;
    MPI_Errhandler_get: mpi_errhandler_get_ pmpi_errhandler_get_;
    MPI_Errhandler_set: mpi_errhandler_set_ pmpi_errhandler_set_;
    MPI_Error_class: mpi_error_class_ pmpi_error_class_ mpi_error_class_f08_ pmpi_error_class_f08_;
    MPI_Error_string: mpi_error_string_ pmpi_error_string_ mpi_error_string_f08_ pmpi_error_string_f08_;
    MPI_Exscan: mpi_exscan_ pmpi_exscan_ mpi_exscan_f08_ pmpi_exscan_f08_;
    MPI_Exscan_c: mpi_exscan_c_f08_ pmpi_exscan_c_f08_;
    MPI_Exscan_init: mpi_exscan_init_ pmpi_exscan_init_ mpi_exscan_init_f08_ pmpi_exscan_init_f08_;
    MPI_Exscan_init_c: mpi_exscan_init_c_f08_ pmpi_exscan_init_c_f08_;
    MPI_F_sync_reg: mpi_f_sync_reg_ pmpi_f_sync_reg_ mpi_f_sync_reg_f08_ pmpi_f_sync_reg_f08_;
    MPI_Fetch_and_op: mpi_fetch_and_op_ pmpi_fetch_and_op_ mpi_fetch_and_op_f08_ pmpi_fetch_and_op_f08_;
    MPI_File_call_errhandler: mpi_file_call_errhandler_ pmpi_file_call_errhandler_
        mpi_file_call_errhandler_f08_ pmpi_file_call_errhandler_f08_;
    MPI_File_close: mpi_file_close_ pmpi_file_close_ mpi_file_close_f08_ pmpi_file_close_f08_;
    MPI_File_create_errhandler: mpi_file_create_errhandler_ pmpi_file_create_errhandler_
        mpi_file_create_errhandler_f08_ pmpi_file_create_errhandler_f08_;
    MPI_File_delete: mpi_file_delete_ pmpi_file_delete_ mpi_file_delete_f08_ pmpi_file_delete_f08_;
    MPI_File_get_amode: mpi_file_get_amode_ pmpi_file_get_amode_ mpi_file_get_amode_f08_
        pmpi_file_get_amode_f08_;
    MPI_File_get_atomicity: mpi_file_get_atomicity_ pmpi_file_get_atomicity_ mpi_file_get_atomicity_f08_
        pmpi_file_get_atomicity_f08_;
    MPI_File_get_byte_offset: mpi_file_get_byte_offset_ pmpi_file_get_byte_offset_
        mpi_file_get_byte_offset_f08_ pmpi_file_get_byte_offset_f08_;
    MPI_File_get_errhandler: mpi_file_get_errhandler_ pmpi_file_get_errhandler_ mpi_file_get_errhandler_f08_
        pmpi_file_get_errhandler_f08_;
    MPI_File_get_group: mpi_file_get_group_ pmpi_file_get_group_ mpi_file_get_group_f08_
        pmpi_file_get_group_f08_;
    MPI_File_get_info: mpi_file_get_info_ pmpi_file_get_info_ mpi_file_get_info_f08_ pmpi_file_get_info_f08_;
    MPI_File_get_position: mpi_file_get_position_ pmpi_file_get_position_ mpi_file_get_position_f08_
        pmpi_file_get_position_f08_;
    MPI_File_get_position_shared: mpi_file_get_position_shared_ pmpi_file_get_position_shared_
        mpi_file_get_position_shared_f08_ pmpi_file_get_position_shared_f08_;
    MPI_File_get_size: mpi_file_get_size_ pmpi_file_get_size_ mpi_file_get_size_f08_ pmpi_file_get_size_f08_;
    MPI_File_get_type_extent: mpi_file_get_type_extent_ pmpi_file_get_type_extent_
        mpi_file_get_type_extent_f08_ pmpi_file_get_type_extent_f08_;
    MPI_File_get_type_extent_c: mpi_file_get_type_extent_c_f08_ pmpi_file_get_type_extent_c_f08_;
    MPI_File_get_view: mpi_file_get_view_ pmpi_file_get_view_ mpi_file_get_view_f08_ pmpi_file_get_view_f08_;
    MPI_File_iread: mpi_file_iread_ pmpi_file_iread_ mpi_file_iread_f08_ pmpi_file_iread_f08_;
    MPI_File_iread_all: mpi_file_iread_all_ pmpi_file_iread_all_ mpi_file_iread_all_f08_
        pmpi_file_iread_all_f08_;
    MPI_File_iread_all_c: mpi_file_iread_all_c_f08_ pmpi_file_iread_all_c_f08_;
    MPI_File_iread_at: mpi_file_iread_at_ pmpi_file_iread_at_ mpi_file_iread_at_f08_ pmpi_file_iread_at_f08_;
    MPI_File_iread_at_all: mpi_file_iread_at_all_ pmpi_file_iread_at_all_ mpi_file_iread_at_all_f08_
        pmpi_file_iread_at_all_f08_;
    MPI_File_iread_at_all_c: mpi_file_iread_at_all_c_f08_ pmpi_file_iread_at_all_c_f08_;
    MPI_File_iread_at_c: mpi_file_iread_at_c_f08_ pmpi_file_iread_at_c_f08_;
    MPI_File_iread_c: mpi_file_iread_c_f08_ pmpi_file_iread_c_f08_;
    MPI_File_iread_shared: mpi_file_iread_shared_ pmpi_file_iread_shared_ mpi_file_iread_shared_f08_
        pmpi_file_iread_shared_f08_;
    MPI_File_iread_shared_c: mpi_file_iread_shared_c_f08_ pmpi_file_iread_shared_c_f08_;
    MPI_File_iwrite: mpi_file_iwrite_ pmpi_file_iwrite_ mpi_file_iwrite_f08_ pmpi_file_iwrite_f08_;
    MPI_File_iwrite_all: mpi_file_iwrite_all_ pmpi_file_iwrite_all_ mpi_file_iwrite_all_f08_
        pmpi_file_iwrite_all_f08_;
    MPI_File_iwrite_all_c: mpi_file_iwrite_all_c_f08_ pmpi_file_iwrite_all_c_f08_;
    MPI_File_iwrite_at: mpi_file_iwrite_at_ pmpi_file_iwrite_at_ mpi_file_iwrite_at_f08_
        pmpi_file_iwrite_at_f08_;
    MPI_File_iwrite_at_all: mpi_file_iwrite_at_all_ pmpi_file_iwrite_at_all_ mpi_file_iwrite_at_all_f08_
        pmpi_file_iwrite_at_all_f08_;
    MPI_File_iwrite_at_all_c: mpi_file_iwrite_at_all_c_f08_ pmpi_file_iwrite_at_all_c_f08_;
    MPI_File_iwrite_at_c: mpi_file_iwrite_at_c_f08_ pmpi_file_iwrite_at_c_f08_;
    MPI_File_iwrite_c: mpi_file_iwrite_c_f08_ pmpi_file_iwrite_c_f08_;
    MPI_File_iwrite_shared: mpi_file_iwrite_shared_ pmpi_file_iwrite_shared_ mpi_file_iwrite_shared_f08_
        pmpi_file_iwrite_shared_f08_;
    MPI_File_iwrite_shared_c: mpi_file_iwrite_shared_c_f08_ pmpi_file_iwrite_shared_c_f08_;
    MPI_File_open: mpi_file_open_ pmpi_file_open_ mpi_file_open_f08_ pmpi_file_open_f08_;
    MPI_File_preallocate: mpi_file_preallocate_ pmpi_file_preallocate_ mpi_file_preallocate_f08_
        pmpi_file_preallocate_f08_;
    MPI_File_read: mpi_file_read_ pmpi_file_read_ mpi_file_read_f08_ pmpi_file_read_f08_;
    MPI_File_read_all: mpi_file_read_all_ pmpi_file_read_all_ mpi_file_read_all_f08_ pmpi_file_read_all_f08_;
    MPI_File_read_all_begin: mpi_file_read_all_begin_ pmpi_file_read_all_begin_ mpi_file_read_all_begin_f08_
        pmpi_file_read_all_begin_f08_;
    MPI_File_read_all_begin_c: mpi_file_read_all_begin_c_f08_ pmpi_file_read_all_begin_c_f08_;
    MPI_File_read_all_c: mpi_file_read_all_c_f08_ pmpi_file_read_all_c_f08_;
    MPI_File_read_all_end: mpi_file_read_all_end_ pmpi_file_read_all_end_ mpi_file_read_all_end_f08_
        pmpi_file_read_all_end_f08_;
    MPI_File_read_at: mpi_file_read_at_ pmpi_file_read_at_ mpi_file_read_at_f08_ pmpi_file_read_at_f08_;
    MPI_File_read_at_all: mpi_file_read_at_all_ pmpi_file_read_at_all_ mpi_file_read_at_all_f08_
        pmpi_file_read_at_all_f08_;
    MPI_File_read_at_all_begin: mpi_file_read_at_all_begin_ pmpi_file_read_at_all_begin_
        mpi_file_read_at_all_begin_f08_ pmpi_file_read_at_all_begin_f08_;
    MPI_File_read_at_all_begin_c: mpi_file_read_at_all_begin_c_f08_ pmpi_file_read_at_all_begin_c_f08_;
    MPI_File_read_at_all_c: mpi_file_read_at_all_c_f08_ pmpi_file_read_at_all_c_f08_;
    MPI_File_read_at_all_end: mpi_file_read_at_all_end_ pmpi_file_read_at_all_end_
        mpi_file_read_at_all_end_f08_ pmpi_file_read_at_all_end_f08_;
    MPI_File_read_at_c: mpi_file_read_at_c_f08_ pmpi_file_read_at_c_f08_;
    MPI_File_read_c: mpi_file_read_c_f08_ pmpi_file_read_c_f08_;
    MPI_File_read_ordered: mpi_file_read_ordered_ pmpi_file_read_ordered_ mpi_file_read_ordered_f08_
        pmpi_file_read_ordered_f08_;
    MPI_File_read_ordered_begin: mpi_file_read_ordered_begin_ pmpi_file_read_ordered_begin_
        mpi_file_read_ordered_begin_f08_ pmpi_file_read_ordered_begin_f08_;
    MPI_File_read_ordered_begin_c: mpi_file_read_ordered_begin_c_f08_ pmpi_file_read_ordered_begin_c_f08_;
    MPI_File_read_ordered_c: mpi_file_read_ordered_c_f08_ pmpi_file_read_ordered_c_f08_;
    MPI_File_read_ordered_end: mpi_file_read_ordered_end_ pmpi_file_read_ordered_end_
        mpi_file_read_ordered_end_f08_ pmpi_file_read_ordered_end_f08_;
    MPI_File_read_shared: mpi_file_read_shared_ pmpi_file_read_shared_ mpi_file_read_shared_f08_
        pmpi_file_read_shared_f08_;
    MPI_File_read_shared_c: mpi_file_read_shared_c_f08_ pmpi_file_read_shared_c_f08_;
    MPI_File_seek: mpi_file_seek_ pmpi_file_seek_ mpi_file_seek_f08_ pmpi_file_seek_f08_;
    MPI_File_seek_shared: mpi_file_seek_shared_ pmpi_file_seek_shared_ mpi_file_seek_shared_f08_
        pmpi_file_seek_shared_f08_;
    MPI_File_set_atomicity: mpi_file_set_atomicity_ pmpi_file_set_atomicity_ mpi_file_set_atomicity_f08_
        pmpi_file_set_atomicity_f08_;
    MPI_File_set_errhandler: mpi_file_set_errhandler_ pmpi_file_set_errhandler_ mpi_file_set_errhandler_f08_
        pmpi_file_set_errhandler_f08_;
    MPI_File_set_info: mpi_file_set_info_ pmpi_file_set_info_ mpi_file_set_info_f08_ pmpi_file_set_info_f08_;
    MPI_File_set_size: mpi_file_set_size_ pmpi_file_set_size_ mpi_file_set_size_f08_ pmpi_file_set_size_f08_;
    MPI_File_set_view: mpi_file_set_view_ pmpi_file_set_view_ mpi_file_set_view_f08_ pmpi_file_set_view_f08_;
    MPI_File_sync: mpi_file_sync_ pmpi_file_sync_ mpi_file_sync_f08_ pmpi_file_sync_f08_;
    MPI_File_write: mpi_file_write_ pmpi_file_write_ mpi_file_write_f08_ pmpi_file_write_f08_;
    MPI_File_write_all: mpi_file_write_all_ pmpi_file_write_all_ mpi_file_write_all_f08_
        pmpi_file_write_all_f08_;
    MPI_File_write_all_begin: mpi_file_write_all_begin_ pmpi_file_write_all_begin_
        mpi_file_write_all_begin_f08_ pmpi_file_write_all_begin_f08_;
    MPI_File_write_all_begin_c: mpi_file_write_all_begin_c_f08_ pmpi_file_write_all_begin_c_f08_;
    MPI_File_write_all_c: mpi_file_write_all_c_f08_ pmpi_file_write_all_c_f08_;
    MPI_File_write_all_end: mpi_file_write_all_end_ pmpi_file_write_all_end_ mpi_file_write_all_end_f08_
        pmpi_file_write_all_end_f08_;
    MPI_File_write_at: mpi_file_write_at_ pmpi_file_write_at_ mpi_file_write_at_f08_ pmpi_file_write_at_f08_;
    MPI_File_write_at_all: mpi_file_write_at_all_ pmpi_file_write_at_all_ mpi_file_write_at_all_f08_
        pmpi_file_write_at_all_f08_;
    MPI_File_write_at_all_begin: mpi_file_write_at_all_begin_ pmpi_file_write_at_all_begin_
        mpi_file_write_at_all_begin_f08_ pmpi_file_write_at_all_begin_f08_;
    MPI_File_write_at_all_begin_c: mpi_file_write_at_all_begin_c_f08_ pmpi_file_write_at_all_begin_c_f08_;
    MPI_File_write_at_all_c: mpi_file_write_at_all_c_f08_ pmpi_file_write_at_all_c_f08_;
    MPI_File_write_at_all_end: mpi_file_write_at_all_end_ pmpi_file_write_at_all_end_
        mpi_file_write_at_all_end_f08_ pmpi_file_write_at_all_end_f08_;
    MPI_File_write_at_c: mpi_file_write_at_c_f08_ pmpi_file_write_at_c_f08_;
    MPI_File_write_c: mpi_file_write_c_f08_ pmpi_file_write_c_f08_;
    MPI_File_write_ordered: mpi_file_write_ordered_ pmpi_file_write_ordered_ mpi_file_write_ordered_f08_
        pmpi_file_write_ordered_f08_;
    MPI_File_write_ordered_begin: mpi_file_write_ordered_begin_ pmpi_file_write_ordered_begin_
        mpi_file_write_ordered_begin_f08_ pmpi_file_write_ordered_begin_f08_;
    MPI_File_write_ordered_begin_c: mpi_file_write_ordered_begin_c_f08_ pmpi_file_write_ordered_begin_c_f08_;
    MPI_File_write_ordered_c: mpi_file_write_ordered_c_f08_ pmpi_file_write_ordered_c_f08_;
    MPI_File_write_ordered_end: mpi_file_write_ordered_end_ pmpi_file_write_ordered_end_
        mpi_file_write_ordered_end_f08_ pmpi_file_write_ordered_end_f08_;
    MPI_File_write_shared: mpi_file_write_shared_ pmpi_file_write_shared_ mpi_file_write_shared_f08_
        pmpi_file_write_shared_f08_;
    MPI_File_write_shared_c: mpi_file_write_shared_c_f08_ pmpi_file_write_shared_c_f08_;
    MPI_Finalize: mpi_finalize_ pmpi_finalize_ mpi_finalize_f08_ pmpi_finalize_f08_;
    MPI_Finalized: mpi_finalized_ pmpi_finalized_ mpi_finalized_f08_ pmpi_finalized_f08_;
    MPI_Free_mem: mpi_free_mem_ pmpi_free_mem_ mpi_free_mem_f08_ pmpi_free_mem_f08_;
    MPI_Gather: mpi_gather_ pmpi_gather_ mpi_gather_f08_ pmpi_gather_f08_;
    MPI_Gather_c: mpi_gather_c_f08_ pmpi_gather_c_f08_;
    MPI_Gather_init: mpi_gather_init_ pmpi_gather_init_ mpi_gather_init_f08_ pmpi_gather_init_f08_;
    MPI_Gather_init_c: mpi_gather_init_c_f08_ pmpi_gather_init_c_f08_;
    MPI_Gatherv: mpi_gatherv_ pmpi_gatherv_ mpi_gatherv_f08_ pmpi_gatherv_f08_;
    MPI_Gatherv_c: mpi_gatherv_c_f08_ pmpi_gatherv_c_f08_;
    MPI_Gatherv_init: mpi_gatherv_init_ pmpi_gatherv_init_ mpi_gatherv_init_f08_ pmpi_gatherv_init_f08_;
    MPI_Gatherv_init_c: mpi_gatherv_init_c_f08_ pmpi_gatherv_init_c_f08_;
    MPI_Get: mpi_get_ pmpi_get_ mpi_get_f08_ pmpi_get_f08_;
    MPI_Get_accumulate: mpi_get_accumulate_ pmpi_get_accumulate_ mpi_get_accumulate_f08_
        pmpi_get_accumulate_f08_;
    MPI_Get_accumulate_c: mpi_get_accumulate_c_f08_ pmpi_get_accumulate_c_f08_;
    MPI_Get_address: mpi_get_address_ pmpi_get_address_ mpi_get_address_f08_ pmpi_get_address_f08_;
    MPI_Get_c: mpi_get_c_f08_ pmpi_get_c_f08_;
    MPI_Get_count: mpi_get_count_ pmpi_get_count_ mpi_get_count_f08_ pmpi_get_count_f08_;
    MPI_Get_count_c: mpi_get_count_c_f08_ pmpi_get_count_c_f08_;
    MPI_Get_elements: mpi_get_elements_ pmpi_get_elements_ mpi_get_elements_f08_ pmpi_get_elements_f08_;
    MPI_Get_elements_c: mpi_get_elements_c_f08_ pmpi_get_elements_c_f08_;
    MPI_Get_elements_x: mpi_get_elements_x_ pmpi_get_elements_x_ mpi_get_elements_x_f08_
        pmpi_get_elements_x_f08_;
    MPI_Get_hw_resource_info: mpi_get_hw_resource_info_ pmpi_get_hw_resource_info_
        mpi_get_hw_resource_info_f08_ pmpi_get_hw_resource_info_f08_;
    MPI_Get_library_version: mpi_get_library_version_ pmpi_get_library_version_ mpi_get_library_version_f08_
        pmpi_get_library_version_f08_;
    MPI_Get_processor_name: mpi_get_processor_name_ pmpi_get_processor_name_ mpi_get_processor_name_f08_
        pmpi_get_processor_name_f08_;
    MPI_Get_version: mpi_get_version_ pmpi_get_version_ mpi_get_version_f08_ pmpi_get_version_f08_;
    MPI_Graph_create: mpi_graph_create_ pmpi_graph_create_ mpi_graph_create_f08_ pmpi_graph_create_f08_;
    MPI_Graph_get: mpi_graph_get_ pmpi_graph_get_ mpi_graph_get_f08_ pmpi_graph_get_f08_;
    MPI_Graph_map: mpi_graph_map_ pmpi_graph_map_ mpi_graph_map_f08_ pmpi_graph_map_f08_;
    MPI_Graph_neighbors: mpi_graph_neighbors_ pmpi_graph_neighbors_ mpi_graph_neighbors_f08_
        pmpi_graph_neighbors_f08_;
    MPI_Graph_neighbors_count: mpi_graph_neighbors_count_ pmpi_graph_neighbors_count_
        mpi_graph_neighbors_count_f08_ pmpi_graph_neighbors_count_f08_;
    MPI_Graphdims_get: mpi_graphdims_get_ pmpi_graphdims_get_ mpi_graphdims_get_f08_ pmpi_graphdims_get_f08_;
    MPI_Grequest_complete: mpi_grequest_complete_ pmpi_grequest_complete_ mpi_grequest_complete_f08_
        pmpi_grequest_complete_f08_;
    MPI_Grequest_start: mpi_grequest_start_ pmpi_grequest_start_ mpi_grequest_start_f08_
        pmpi_grequest_start_f08_;
    MPI_Group_compare: mpi_group_compare_ pmpi_group_compare_ mpi_group_compare_f08_ pmpi_group_compare_f08_;
    MPI_Group_difference: mpi_group_difference_ pmpi_group_difference_ mpi_group_difference_f08_
        pmpi_group_difference_f08_;
    MPI_Group_excl: mpi_group_excl_ pmpi_group_excl_ mpi_group_excl_f08_ pmpi_group_excl_f08_;
    MPI_Group_free: mpi_group_free_ pmpi_group_free_ mpi_group_free_f08_ pmpi_group_free_f08_;
    MPI_Group_from_session_pset: mpi_group_from_session_pset_ pmpi_group_from_session_pset_
        mpi_group_from_session_pset_f08_ pmpi_group_from_session_pset_f08_;
    MPI_Group_incl: mpi_group_incl_ pmpi_group_incl_ mpi_group_incl_f08_ pmpi_group_incl_f08_;
    MPI_Group_intersection: mpi_group_intersection_ pmpi_group_intersection_ mpi_group_intersection_f08_
        pmpi_group_intersection_f08_;
    MPI_Group_range_excl: mpi_group_range_excl_ pmpi_group_range_excl_ mpi_group_range_excl_f08_
        pmpi_group_range_excl_f08_;
    MPI_Group_range_incl: mpi_group_range_incl_ pmpi_group_range_incl_ mpi_group_range_incl_f08_
        pmpi_group_range_incl_f08_;
    MPI_Group_rank: mpi_group_rank_ pmpi_group_rank_ mpi_group_rank_f08_ pmpi_group_rank_f08_;
    MPI_Group_size: mpi_group_size_ pmpi_group_size_ mpi_group_size_f08_ pmpi_group_size_f08_;
    MPI_Group_translate_ranks: mpi_group_translate_ranks_ pmpi_group_translate_ranks_
        mpi_group_translate_ranks_f08_ pmpi_group_translate_ranks_f08_;
    MPI_Group_union: mpi_group_union_ pmpi_group_union_ mpi_group_union_f08_ pmpi_group_union_f08_;
    MPI_Iallgather: mpi_iallgather_ pmpi_iallgather_ mpi_iallgather_f08_ pmpi_iallgather_f08_;
    MPI_Iallgather_c: mpi_iallgather_c_f08_ pmpi_iallgather_c_f08_;
    MPI_Iallgatherv: mpi_iallgatherv_ pmpi_iallgatherv_ mpi_iallgatherv_f08_ pmpi_iallgatherv_f08_;
    MPI_Iallgatherv_c: mpi_iallgatherv_c_f08_ pmpi_iallgatherv_c_f08_;
    MPI_Iallreduce: mpi_iallreduce_ pmpi_iallreduce_ mpi_iallreduce_f08_ pmpi_iallreduce_f08_;
    MPI_Iallreduce_c: mpi_iallreduce_c_f08_ pmpi_iallreduce_c_f08_;
    MPI_Ialltoall: mpi_ialltoall_ pmpi_ialltoall_ mpi_ialltoall_f08_ pmpi_ialltoall_f08_;
    MPI_Ialltoall_c: mpi_ialltoall_c_f08_ pmpi_ialltoall_c_f08_;
    MPI_Ialltoallv: mpi_ialltoallv_ pmpi_ialltoallv_ mpi_ialltoallv_f08_ pmpi_ialltoallv_f08_;
    MPI_Ialltoallv_c: mpi_ialltoallv_c_f08_ pmpi_ialltoallv_c_f08_;
    MPI_Ialltoallw: mpi_ialltoallw_ pmpi_ialltoallw_ mpi_ialltoallw_f08_ pmpi_ialltoallw_f08_;
    MPI_Ialltoallw_c: mpi_ialltoallw_c_f08_ pmpi_ialltoallw_c_f08_;
    MPI_Ibarrier: mpi_ibarrier_ pmpi_ibarrier_ mpi_ibarrier_f08_ pmpi_ibarrier_f08_;
    MPI_Ibcast: mpi_ibcast_ pmpi_ibcast_ mpi_ibcast_f08_ pmpi_ibcast_f08_;
    MPI_Ibcast_c: mpi_ibcast_c_f08_ pmpi_ibcast_c_f08_;
    MPI_Ibsend: mpi_ibsend_ pmpi_ibsend_ mpi_ibsend_f08_ pmpi_ibsend_f08_;
    MPI_Ibsend_c: mpi_ibsend_c_f08_ pmpi_ibsend_c_f08_;
    MPI_Iexscan: mpi_iexscan_ pmpi_iexscan_ mpi_iexscan_f08_ pmpi_iexscan_f08_;
    MPI_Iexscan_c: mpi_iexscan_c_f08_ pmpi_iexscan_c_f08_;
    MPI_Igather: mpi_igather_ pmpi_igather_ mpi_igather_f08_ pmpi_igather_f08_;
    MPI_Igather_c: mpi_igather_c_f08_ pmpi_igather_c_f08_;
    MPI_Igatherv: mpi_igatherv_ pmpi_igatherv_ mpi_igatherv_f08_ pmpi_igatherv_f08_;
    MPI_Igatherv_c: mpi_igatherv_c_f08_ pmpi_igatherv_c_f08_;
    MPI_Improbe: mpi_improbe_ pmpi_improbe_ mpi_improbe_f08_ pmpi_improbe_f08_;
    MPI_Imrecv: mpi_imrecv_ pmpi_imrecv_ mpi_imrecv_f08_ pmpi_imrecv_f08_;
    MPI_Imrecv_c: mpi_imrecv_c_f08_ pmpi_imrecv_c_f08_;
    MPI_Ineighbor_allgather: mpi_ineighbor_allgather_ pmpi_ineighbor_allgather_ mpi_ineighbor_allgather_f08_
        pmpi_ineighbor_allgather_f08_;
    MPI_Ineighbor_allgather_c: mpi_ineighbor_allgather_c_f08_ pmpi_ineighbor_allgather_c_f08_;
    MPI_Ineighbor_allgatherv: mpi_ineighbor_allgatherv_ pmpi_ineighbor_allgatherv_
        mpi_ineighbor_allgatherv_f08_ pmpi_ineighbor_allgatherv_f08_;
    MPI_Ineighbor_allgatherv_c: mpi_ineighbor_allgatherv_c_f08_ pmpi_ineighbor_allgatherv_c_f08_;
    MPI_Ineighbor_alltoall: mpi_ineighbor_alltoall_ pmpi_ineighbor_alltoall_ mpi_ineighbor_alltoall_f08_
        pmpi_ineighbor_alltoall_f08_;
    MPI_Ineighbor_alltoall_c: mpi_ineighbor_alltoall_c_f08_ pmpi_ineighbor_alltoall_c_f08_;
    MPI_Ineighbor_alltoallv: mpi_ineighbor_alltoallv_ pmpi_ineighbor_alltoallv_ mpi_ineighbor_alltoallv_f08_
        pmpi_ineighbor_alltoallv_f08_;
    MPI_Ineighbor_alltoallv_c: mpi_ineighbor_alltoallv_c_f08_ pmpi_ineighbor_alltoallv_c_f08_;
    MPI_Ineighbor_alltoallw: mpi_ineighbor_alltoallw_ pmpi_ineighbor_alltoallw_ mpi_ineighbor_alltoallw_f08_
        pmpi_ineighbor_alltoallw_f08_;
    MPI_Ineighbor_alltoallw_c: mpi_ineighbor_alltoallw_c_f08_ pmpi_ineighbor_alltoallw_c_f08_;
    MPI_Info_create: mpi_info_create_ pmpi_info_create_ mpi_info_create_f08_ pmpi_info_create_f08_;
    MPI_Info_create_env: mpi_info_create_env_ pmpi_info_create_env_ mpi_info_create_env_f08_
        pmpi_info_create_env_f08_;
    MPI_Info_delete: mpi_info_delete_ pmpi_info_delete_ mpi_info_delete_f08_ pmpi_info_delete_f08_;
    MPI_Info_dup: mpi_info_dup_ pmpi_info_dup_ mpi_info_dup_f08_ pmpi_info_dup_f08_;
    MPI_Info_free: mpi_info_free_ pmpi_info_free_ mpi_info_free_f08_ pmpi_info_free_f08_;
    MPI_Info_get: mpi_info_get_ pmpi_info_get_ mpi_info_get_f08_ pmpi_info_get_f08_;
    MPI_Info_get_nkeys: mpi_info_get_nkeys_ pmpi_info_get_nkeys_ mpi_info_get_nkeys_f08_
        pmpi_info_get_nkeys_f08_;
    MPI_Info_get_nthkey: mpi_info_get_nthkey_ pmpi_info_get_nthkey_ mpi_info_get_nthkey_f08_
        pmpi_info_get_nthkey_f08_;
    MPI_Info_get_string: mpi_info_get_string_ pmpi_info_get_string_ mpi_info_get_string_f08_
        pmpi_info_get_string_f08_;
    MPI_Info_get_valuelen: mpi_info_get_valuelen_ pmpi_info_get_valuelen_ mpi_info_get_valuelen_f08_
        pmpi_info_get_valuelen_f08_;
    MPI_Info_set: mpi_info_set_ pmpi_info_set_ mpi_info_set_f08_ pmpi_info_set_f08_;
    MPI_Init: mpi_init_ pmpi_init_ mpi_init_f08_ pmpi_init_f08_;
    MPI_Init_thread: mpi_init_thread_ pmpi_init_thread_ mpi_init_thread_f08_ pmpi_init_thread_f08_;
    MPI_Initialized: mpi_initialized_ pmpi_initialized_ mpi_initialized_f08_ pmpi_initialized_f08_;
    MPI_Intercomm_create: mpi_intercomm_create_ pmpi_intercomm_create_ mpi_intercomm_create_f08_
        pmpi_intercomm_create_f08_;
    MPI_Intercomm_create_from_groups: mpi_intercomm_create_from_groups_ pmpi_intercomm_create_from_groups_
        mpi_intercomm_create_from_groups_f08_ pmpi_intercomm_create_from_groups_f08_;
    MPI_Intercomm_merge: mpi_intercomm_merge_ pmpi_intercomm_merge_ mpi_intercomm_merge_f08_
        pmpi_intercomm_merge_f08_;
    MPI_Iprobe: mpi_iprobe_ pmpi_iprobe_ mpi_iprobe_f08_ pmpi_iprobe_f08_;
    MPI_Irecv: mpi_irecv_ pmpi_irecv_ mpi_irecv_f08_ pmpi_irecv_f08_;
    MPI_Irecv_c: mpi_irecv_c_f08_ pmpi_irecv_c_f08_;
    MPI_Ireduce: mpi_ireduce_ pmpi_ireduce_ mpi_ireduce_f08_ pmpi_ireduce_f08_;
    MPI_Ireduce_c: mpi_ireduce_c_f08_ pmpi_ireduce_c_f08_;
    MPI_Ireduce_scatter: mpi_ireduce_scatter_ pmpi_ireduce_scatter_ mpi_ireduce_scatter_f08_
        pmpi_ireduce_scatter_f08_;
    MPI_Ireduce_scatter_block: mpi_ireduce_scatter_block_ pmpi_ireduce_scatter_block_
        mpi_ireduce_scatter_block_f08_ pmpi_ireduce_scatter_block_f08_;
    MPI_Ireduce_scatter_block_c: mpi_ireduce_scatter_block_c_f08_ pmpi_ireduce_scatter_block_c_f08_;
    MPI_Ireduce_scatter_c: mpi_ireduce_scatter_c_f08_ pmpi_ireduce_scatter_c_f08_;
    MPI_Irsend: mpi_irsend_ pmpi_irsend_ mpi_irsend_f08_ pmpi_irsend_f08_;
    MPI_Irsend_c: mpi_irsend_c_f08_ pmpi_irsend_c_f08_;
    MPI_Is_thread_main: mpi_is_thread_main_ pmpi_is_thread_main_ mpi_is_thread_main_f08_
        pmpi_is_thread_main_f08_;
    MPI_Iscan: mpi_iscan_ pmpi_iscan_ mpi_iscan_f08_ pmpi_iscan_f08_;
    MPI_Iscan_c: mpi_iscan_c_f08_ pmpi_iscan_c_f08_;
    MPI_Iscatter: mpi_iscatter_ pmpi_iscatter_ mpi_iscatter_f08_ pmpi_iscatter_f08_;
    MPI_Iscatter_c: mpi_iscatter_c_f08_ pmpi_iscatter_c_f08_;
    MPI_Iscatterv: mpi_iscatterv_ pmpi_iscatterv_ mpi_iscatterv_f08_ pmpi_iscatterv_f08_;
    MPI_Iscatterv_c: mpi_iscatterv_c_f08_ pmpi_iscatterv_c_f08_;
    MPI_Isend: mpi_isend_ pmpi_isend_ mpi_isend_f08_ pmpi_isend_f08_;
    MPI_Isend_c: mpi_isend_c_f08_ pmpi_isend_c_f08_;
    MPI_Isendrecv: mpi_isendrecv_ pmpi_isendrecv_ mpi_isendrecv_f08_ pmpi_isendrecv_f08_;
    MPI_Isendrecv_c: mpi_isendrecv_c_f08_ pmpi_isendrecv_c_f08_;
    MPI_Isendrecv_replace: mpi_isendrecv_replace_ pmpi_isendrecv_replace_ mpi_isendrecv_replace_f08_
        pmpi_isendrecv_replace_f08_;
    MPI_Isendrecv_replace_c: mpi_isendrecv_replace_c_f08_ pmpi_isendrecv_replace_c_f08_;
    MPI_Issend: mpi_issend_ pmpi_issend_ mpi_issend_f08_ pmpi_issend_f08_;
    MPI_Issend_c: mpi_issend_c_f08_ pmpi_issend_c_f08_;
    MPI_Keyval_create: mpi_keyval_create_ pmpi_keyval_create_ mpi_keyval_create_f08_ pmpi_keyval_create_f08_;
    MPI_Keyval_free: mpi_keyval_free_ pmpi_keyval_free_ mpi_keyval_free_f08_ pmpi_keyval_free_f08_;
    MPI_Lookup_name: mpi_lookup_name_ pmpi_lookup_name_ mpi_lookup_name_f08_ pmpi_lookup_name_f08_;
    MPI_Mprobe: mpi_mprobe_ pmpi_mprobe_ mpi_mprobe_f08_ pmpi_mprobe_f08_;
    MPI_Mrecv: mpi_mrecv_ pmpi_mrecv_ mpi_mrecv_f08_ pmpi_mrecv_f08_;
    MPI_Mrecv_c: mpi_mrecv_c_f08_ pmpi_mrecv_c_f08_;
    MPI_Neighbor_allgather: mpi_neighbor_allgather_ pmpi_neighbor_allgather_ mpi_neighbor_allgather_f08_
        pmpi_neighbor_allgather_f08_;
    MPI_Neighbor_allgather_c: mpi_neighbor_allgather_c_f08_ pmpi_neighbor_allgather_c_f08_;
    MPI_Neighbor_allgather_init: mpi_neighbor_allgather_init_ pmpi_neighbor_allgather_init_
        mpi_neighbor_allgather_init_f08_ pmpi_neighbor_allgather_init_f08_;
    MPI_Neighbor_allgather_init_c: mpi_neighbor_allgather_init_c_f08_ pmpi_neighbor_allgather_init_c_f08_;
    MPI_Neighbor_allgatherv: mpi_neighbor_allgatherv_ pmpi_neighbor_allgatherv_ mpi_neighbor_allgatherv_f08_
        pmpi_neighbor_allgatherv_f08_;
    MPI_Neighbor_allgatherv_c: mpi_neighbor_allgatherv_c_f08_ pmpi_neighbor_allgatherv_c_f08_;
    MPI_Neighbor_allgatherv_init: mpi_neighbor_allgatherv_init_ pmpi_neighbor_allgatherv_init_
        mpi_neighbor_allgatherv_init_f08_ pmpi_neighbor_allgatherv_init_f08_;
    MPI_Neighbor_allgatherv_init_c: mpi_neighbor_allgatherv_init_c_f08_ pmpi_neighbor_allgatherv_init_c_f08_;
    MPI_Neighbor_alltoall: mpi_neighbor_alltoall_ pmpi_neighbor_alltoall_ mpi_neighbor_alltoall_f08_
        pmpi_neighbor_alltoall_f08_;
    MPI_Neighbor_alltoall_c: mpi_neighbor_alltoall_c_f08_ pmpi_neighbor_alltoall_c_f08_;
    MPI_Neighbor_alltoall_init: mpi_neighbor_alltoall_init_ pmpi_neighbor_alltoall_init_
        mpi_neighbor_alltoall_init_f08_ pmpi_neighbor_alltoall_init_f08_;
    MPI_Neighbor_alltoall_init_c: mpi_neighbor_alltoall_init_c_f08_ pmpi_neighbor_alltoall_init_c_f08_;
    MPI_Neighbor_alltoallv: mpi_neighbor_alltoallv_ pmpi_neighbor_alltoallv_ mpi_neighbor_alltoallv_f08_
        pmpi_neighbor_alltoallv_f08_;
    MPI_Neighbor_alltoallv_c: mpi_neighbor_alltoallv_c_f08_ pmpi_neighbor_alltoallv_c_f08_;
    MPI_Neighbor_alltoallv_init: mpi_neighbor_alltoallv_init_ pmpi_neighbor_alltoallv_init_
        mpi_neighbor_alltoallv_init_f08_ pmpi_neighbor_alltoallv_init_f08_;
    MPI_Neighbor_alltoallv_init_c: mpi_neighbor_alltoallv_init_c_f08_ pmpi_neighbor_alltoallv_init_c_f08_;
    MPI_Neighbor_alltoallw: mpi_neighbor_alltoallw_ pmpi_neighbor_alltoallw_ mpi_neighbor_alltoallw_f08_
        pmpi_neighbor_alltoallw_f08_;
    MPI_Neighbor_alltoallw_c: mpi_neighbor_alltoallw_c_f08_ pmpi_neighbor_alltoallw_c_f08_;
    MPI_Neighbor_alltoallw_init: mpi_neighbor_alltoallw_init_ pmpi_neighbor_alltoallw_init_
        mpi_neighbor_alltoallw_init_f08_ pmpi_neighbor_alltoallw_init_f08_;
    MPI_Neighbor_alltoallw_init_c: mpi_neighbor_alltoallw_init_c_f08_ pmpi_neighbor_alltoallw_init_c_f08_;
    MPI_Op_commutative: mpi_op_commutative_ pmpi_op_commutative_ mpi_op_commutative_f08_
        pmpi_op_commutative_f08_;
    MPI_Op_create: mpi_op_create_ pmpi_op_create_ mpi_op_create_f08_ pmpi_op_create_f08_;
    MPI_Op_create_c: mpi_op_create_c_f08_ pmpi_op_create_c_f08_;
    MPI_Op_free: mpi_op_free_ pmpi_op_free_ mpi_op_free_f08_ pmpi_op_free_f08_;
    MPI_Open_port: mpi_open_port_ pmpi_open_port_ mpi_open_port_f08_ pmpi_open_port_f08_;
    MPI_Pack: mpi_pack_ pmpi_pack_ mpi_pack_f08_ pmpi_pack_f08_;
    MPI_Pack_c: mpi_pack_c_f08_ pmpi_pack_c_f08_;
    MPI_Pack_external: mpi_pack_external_ pmpi_pack_external_ mpi_pack_external_f08_ pmpi_pack_external_f08_;
    MPI_Pack_external_c: mpi_pack_external_c_f08_ pmpi_pack_external_c_f08_;
    MPI_Pack_external_size: mpi_pack_external_size_ pmpi_pack_external_size_ mpi_pack_external_size_f08_
        pmpi_pack_external_size_f08_;
    MPI_Pack_external_size_c: mpi_pack_external_size_c_f08_ pmpi_pack_external_size_c_f08_;
    MPI_Pack_size: mpi_pack_size_ pmpi_pack_size_ mpi_pack_size_f08_ pmpi_pack_size_f08_;
    MPI_Pack_size_c: mpi_pack_size_c_f08_ pmpi_pack_size_c_f08_;
    MPI_Parrived: mpi_parrived_ pmpi_parrived_ mpi_parrived_f08_ pmpi_parrived_f08_;
    MPI_Pcontrol: mpi_pcontrol_ pmpi_pcontrol_ mpi_pcontrol_f08_ pmpi_pcontrol_f08_;
    MPI_Pready: mpi_pready_ pmpi_pready_ mpi_pready_f08_ pmpi_pready_f08_;
    MPI_Pready_list: mpi_pready_list_ pmpi_pready_list_ mpi_pready_list_f08_ pmpi_pready_list_f08_;
    MPI_Pready_range: mpi_pready_range_ pmpi_pready_range_ mpi_pready_range_f08_ pmpi_pready_range_f08_;
    MPI_Precv_init: mpi_precv_init_ pmpi_precv_init_ mpi_precv_init_f08_ pmpi_precv_init_f08_;
    MPI_Precv_init_c: mpi_precv_init_c_f08_ pmpi_precv_init_c_f08_;
    MPI_Probe: mpi_probe_ pmpi_probe_ mpi_probe_f08_ pmpi_probe_f08_;
    MPI_Psend_init: mpi_psend_init_ pmpi_psend_init_ mpi_psend_init_f08_ pmpi_psend_init_f08_;
    MPI_Psend_init_c: mpi_psend_init_c_f08_ pmpi_psend_init_c_f08_;
    MPI_Publish_name: mpi_publish_name_ pmpi_publish_name_ mpi_publish_name_f08_ pmpi_publish_name_f08_;
    MPI_Put: mpi_put_ pmpi_put_ mpi_put_f08_ pmpi_put_f08_;
    MPI_Put_c: mpi_put_c_f08_ pmpi_put_c_f08_;
    MPI_Query_thread: mpi_query_thread_ pmpi_query_thread_ mpi_query_thread_f08_ pmpi_query_thread_f08_;
    MPI_Raccumulate: mpi_raccumulate_ pmpi_raccumulate_ mpi_raccumulate_f08_ pmpi_raccumulate_f08_;
    MPI_Raccumulate_c: mpi_raccumulate_c_f08_ pmpi_raccumulate_c_f08_;
    MPI_Recv: mpi_recv_ pmpi_recv_ mpi_recv_f08_ pmpi_recv_f08_;
    MPI_Recv_c: mpi_recv_c_f08_ pmpi_recv_c_f08_;
    MPI_Recv_init: mpi_recv_init_ pmpi_recv_init_ mpi_recv_init_f08_ pmpi_recv_init_f08_;
    MPI_Recv_init_c: mpi_recv_init_c_f08_ pmpi_recv_init_c_f08_;
    MPI_Reduce: mpi_reduce_ pmpi_reduce_ mpi_reduce_f08_ pmpi_reduce_f08_;
    MPI_Reduce_c: mpi_reduce_c_f08_ pmpi_reduce_c_f08_;
    MPI_Reduce_init: mpi_reduce_init_ pmpi_reduce_init_ mpi_reduce_init_f08_ pmpi_reduce_init_f08_;
    MPI_Reduce_init_c: mpi_reduce_init_c_f08_ pmpi_reduce_init_c_f08_;
    MPI_Reduce_local: mpi_reduce_local_ pmpi_reduce_local_ mpi_reduce_local_f08_ pmpi_reduce_local_f08_;
    MPI_Reduce_local_c: mpi_reduce_local_c_f08_ pmpi_reduce_local_c_f08_;
    MPI_Reduce_scatter: mpi_reduce_scatter_ pmpi_reduce_scatter_ mpi_reduce_scatter_f08_
        pmpi_reduce_scatter_f08_;
    MPI_Reduce_scatter_block: mpi_reduce_scatter_block_ pmpi_reduce_scatter_block_
        mpi_reduce_scatter_block_f08_ pmpi_reduce_scatter_block_f08_;
    MPI_Reduce_scatter_block_c: mpi_reduce_scatter_block_c_f08_ pmpi_reduce_scatter_block_c_f08_;
    MPI_Reduce_scatter_block_init: mpi_reduce_scatter_block_init_ pmpi_reduce_scatter_block_init_
        mpi_reduce_scatter_block_init_f08_ pmpi_reduce_scatter_block_init_f08_;
    MPI_Reduce_scatter_block_init_c: mpi_reduce_scatter_block_init_c_f08_
        pmpi_reduce_scatter_block_init_c_f08_;
    MPI_Reduce_scatter_c: mpi_reduce_scatter_c_f08_ pmpi_reduce_scatter_c_f08_;
    MPI_Reduce_scatter_init: mpi_reduce_scatter_init_ pmpi_reduce_scatter_init_ mpi_reduce_scatter_init_f08_
        pmpi_reduce_scatter_init_f08_;
    MPI_Reduce_scatter_init_c: mpi_reduce_scatter_init_c_f08_ pmpi_reduce_scatter_init_c_f08_;
    MPI_Register_datarep: mpi_register_datarep_ pmpi_register_datarep_ mpi_register_datarep_f08_
        pmpi_register_datarep_f08_;
    MPI_Register_datarep_c: mpi_register_datarep_c_f08_ pmpi_register_datarep_c_f08_;
    MPI_Remove_error_class: mpi_remove_error_class_ pmpi_remove_error_class_ mpi_remove_error_class_f08_
        pmpi_remove_error_class_f08_;
    MPI_Remove_error_code: mpi_remove_error_code_ pmpi_remove_error_code_ mpi_remove_error_code_f08_
        pmpi_remove_error_code_f08_;
    MPI_Remove_error_string: mpi_remove_error_string_ pmpi_remove_error_string_ mpi_remove_error_string_f08_
        pmpi_remove_error_string_f08_;
    MPI_Request_free: mpi_request_free_ pmpi_request_free_ mpi_request_free_f08_ pmpi_request_free_f08_;
    MPI_Request_get_status: mpi_request_get_status_ pmpi_request_get_status_ mpi_request_get_status_f08_
        pmpi_request_get_status_f08_;
    MPI_Request_get_status_all: mpi_request_get_status_all_ pmpi_request_get_status_all_
        mpi_request_get_status_all_f08_ pmpi_request_get_status_all_f08_;
    MPI_Request_get_status_any: mpi_request_get_status_any_ pmpi_request_get_status_any_
        mpi_request_get_status_any_f08_ pmpi_request_get_status_any_f08_;
    MPI_Request_get_status_some: mpi_request_get_status_some_ pmpi_request_get_status_some_
        mpi_request_get_status_some_f08_ pmpi_request_get_status_some_f08_;
    MPI_Rget: mpi_rget_ pmpi_rget_ mpi_rget_f08_ pmpi_rget_f08_;
    MPI_Rget_accumulate: mpi_rget_accumulate_ pmpi_rget_accumulate_ mpi_rget_accumulate_f08_
        pmpi_rget_accumulate_f08_;
    MPI_Rget_accumulate_c: mpi_rget_accumulate_c_f08_ pmpi_rget_accumulate_c_f08_;
    MPI_Rget_c: mpi_rget_c_f08_ pmpi_rget_c_f08_;
    MPI_Rput: mpi_rput_ pmpi_rput_ mpi_rput_f08_ pmpi_rput_f08_;
    MPI_Rput_c: mpi_rput_c_f08_ pmpi_rput_c_f08_;
    MPI_Rsend: mpi_rsend_ pmpi_rsend_ mpi_rsend_f08_ pmpi_rsend_f08_;
    MPI_Rsend_c: mpi_rsend_c_f08_ pmpi_rsend_c_f08_;
    MPI_Rsend_init: mpi_rsend_init_ pmpi_rsend_init_ mpi_rsend_init_f08_ pmpi_rsend_init_f08_;
    MPI_Rsend_init_c: mpi_rsend_init_c_f08_ pmpi_rsend_init_c_f08_;
    MPI_Scan: mpi_scan_ pmpi_scan_ mpi_scan_f08_ pmpi_scan_f08_;
    MPI_Scan_c: mpi_scan_c_f08_ pmpi_scan_c_f08_;
    MPI_Scan_init: mpi_scan_init_ pmpi_scan_init_ mpi_scan_init_f08_ pmpi_scan_init_f08_;
    MPI_Scan_init_c: mpi_scan_init_c_f08_ pmpi_scan_init_c_f08_;
    MPI_Scatter: mpi_scatter_ pmpi_scatter_ mpi_scatter_f08_ pmpi_scatter_f08_;
    MPI_Scatter_c: mpi_scatter_c_f08_ pmpi_scatter_c_f08_;
    MPI_Scatter_init: mpi_scatter_init_ pmpi_scatter_init_ mpi_scatter_init_f08_ pmpi_scatter_init_f08_;
    MPI_Scatter_init_c: mpi_scatter_init_c_f08_ pmpi_scatter_init_c_f08_;
    MPI_Scatterv: mpi_scatterv_ pmpi_scatterv_ mpi_scatterv_f08_ pmpi_scatterv_f08_;
    MPI_Scatterv_c: mpi_scatterv_c_f08_ pmpi_scatterv_c_f08_;
    MPI_Scatterv_init: mpi_scatterv_init_ pmpi_scatterv_init_ mpi_scatterv_init_f08_ pmpi_scatterv_init_f08_;
    MPI_Scatterv_init_c: mpi_scatterv_init_c_f08_ pmpi_scatterv_init_c_f08_;
    MPI_Send: mpi_send_ pmpi_send_ mpi_send_f08_ pmpi_send_f08_;
    MPI_Send_c: mpi_send_c_f08_ pmpi_send_c_f08_;
    MPI_Send_init: mpi_send_init_ pmpi_send_init_ mpi_send_init_f08_ pmpi_send_init_f08_;
    MPI_Send_init_c: mpi_send_init_c_f08_ pmpi_send_init_c_f08_;
    MPI_Sendrecv: mpi_sendrecv_ pmpi_sendrecv_ mpi_sendrecv_f08_ pmpi_sendrecv_f08_;
    MPI_Sendrecv_c: mpi_sendrecv_c_f08_ pmpi_sendrecv_c_f08_;
    MPI_Sendrecv_replace: mpi_sendrecv_replace_ pmpi_sendrecv_replace_ mpi_sendrecv_replace_f08_
        pmpi_sendrecv_replace_f08_;
    MPI_Sendrecv_replace_c: mpi_sendrecv_replace_c_f08_ pmpi_sendrecv_replace_c_f08_;
    MPI_Session_attach_buffer: mpi_session_attach_buffer_ pmpi_session_attach_buffer_
        mpi_session_attach_buffer_f08_ pmpi_session_attach_buffer_f08_;
    MPI_Session_attach_buffer_c: mpi_session_attach_buffer_c_f08_ pmpi_session_attach_buffer_c_f08_;
    MPI_Session_call_errhandler: mpi_session_call_errhandler_ pmpi_session_call_errhandler_
        mpi_session_call_errhandler_f08_ pmpi_session_call_errhandler_f08_;
    MPI_Session_create_errhandler: mpi_session_create_errhandler_ pmpi_session_create_errhandler_
        mpi_session_create_errhandler_f08_ pmpi_session_create_errhandler_f08_;
    MPI_Session_finalize: mpi_session_finalize_ pmpi_session_finalize_ mpi_session_finalize_f08_
        pmpi_session_finalize_f08_;
    MPI_Session_flush_buffer: mpi_session_flush_buffer_ pmpi_session_flush_buffer_
        mpi_session_flush_buffer_f08_ pmpi_session_flush_buffer_f08_;
    MPI_Session_get_errhandler: mpi_session_get_errhandler_ pmpi_session_get_errhandler_
        mpi_session_get_errhandler_f08_ pmpi_session_get_errhandler_f08_;
    MPI_Session_get_info: mpi_session_get_info_ pmpi_session_get_info_ mpi_session_get_info_f08_
        pmpi_session_get_info_f08_;
    MPI_Session_get_nth_pset: mpi_session_get_nth_pset_ pmpi_session_get_nth_pset_
        mpi_session_get_nth_pset_f08_ pmpi_session_get_nth_pset_f08_;
    MPI_Session_get_num_psets: mpi_session_get_num_psets_ pmpi_session_get_num_psets_
        mpi_session_get_num_psets_f08_ pmpi_session_get_num_psets_f08_;
    MPI_Session_get_pset_info: mpi_session_get_pset_info_ pmpi_session_get_pset_info_
        mpi_session_get_pset_info_f08_ pmpi_session_get_pset_info_f08_;
    MPI_Session_iflush_buffer: mpi_session_iflush_buffer_ pmpi_session_iflush_buffer_
        mpi_session_iflush_buffer_f08_ pmpi_session_iflush_buffer_f08_;
    MPI_Session_init: mpi_session_init_ pmpi_session_init_ mpi_session_init_f08_ pmpi_session_init_f08_;
    MPI_Session_set_errhandler: mpi_session_set_errhandler_ pmpi_session_set_errhandler_
        mpi_session_set_errhandler_f08_ pmpi_session_set_errhandler_f08_;
    MPI_Ssend: mpi_ssend_ pmpi_ssend_ mpi_ssend_f08_ pmpi_ssend_f08_;
    MPI_Ssend_c: mpi_ssend_c_f08_ pmpi_ssend_c_f08_;
    MPI_Ssend_init: mpi_ssend_init_ pmpi_ssend_init_ mpi_ssend_init_f08_ pmpi_ssend_init_f08_;
    MPI_Ssend_init_c: mpi_ssend_init_c_f08_ pmpi_ssend_init_c_f08_;
    MPI_Start: mpi_start_ pmpi_start_ mpi_start_f08_ pmpi_start_f08_;
    MPI_Startall: mpi_startall_ pmpi_startall_ mpi_startall_f08_ pmpi_startall_f08_;
    MPI_Status_get_error: mpi_status_get_error_ pmpi_status_get_error_ mpi_status_get_error_f08_
        pmpi_status_get_error_f08_;
    MPI_Status_get_source: mpi_status_get_source_ pmpi_status_get_source_ mpi_status_get_source_f08_
        pmpi_status_get_source_f08_;
    MPI_Status_get_tag: mpi_status_get_tag_ pmpi_status_get_tag_ mpi_status_get_tag_f08_
        pmpi_status_get_tag_f08_;
    MPI_Status_set_cancelled: mpi_status_set_cancelled_ pmpi_status_set_cancelled_
        mpi_status_set_cancelled_f08_ pmpi_status_set_cancelled_f08_;
    MPI_Status_set_elements: mpi_status_set_elements_ pmpi_status_set_elements_ mpi_status_set_elements_f08_
        pmpi_status_set_elements_f08_;
    MPI_Status_set_elements_c: mpi_status_set_elements_c_f08_ pmpi_status_set_elements_c_f08_;
    MPI_Status_set_elements_x: mpi_status_set_elements_x_ pmpi_status_set_elements_x_
        mpi_status_set_elements_x_f08_ pmpi_status_set_elements_x_f08_;
    MPI_Status_set_error: mpi_status_set_error_ pmpi_status_set_error_ mpi_status_set_error_f08_
        pmpi_status_set_error_f08_;
    MPI_Status_set_source: mpi_status_set_source_ pmpi_status_set_source_ mpi_status_set_source_f08_
        pmpi_status_set_source_f08_;
    MPI_Status_set_tag: mpi_status_set_tag_ pmpi_status_set_tag_ mpi_status_set_tag_f08_
        pmpi_status_set_tag_f08_;
    MPI_Test: mpi_test_ pmpi_test_ mpi_test_f08_ pmpi_test_f08_;
    MPI_Test_cancelled: mpi_test_cancelled_ pmpi_test_cancelled_ mpi_test_cancelled_f08_
        pmpi_test_cancelled_f08_;
    MPI_Testall: mpi_testall_ pmpi_testall_ mpi_testall_f08_ pmpi_testall_f08_;
    MPI_Testany: mpi_testany_ pmpi_testany_ mpi_testany_f08_ pmpi_testany_f08_;
    MPI_Testsome: mpi_testsome_ pmpi_testsome_ mpi_testsome_f08_ pmpi_testsome_f08_;
    MPI_Topo_test: mpi_topo_test_ pmpi_topo_test_ mpi_topo_test_f08_ pmpi_topo_test_f08_;
    MPI_Type_commit: mpi_type_commit_ pmpi_type_commit_ mpi_type_commit_f08_ pmpi_type_commit_f08_;
    MPI_Type_contiguous: mpi_type_contiguous_ pmpi_type_contiguous_ mpi_type_contiguous_f08_
        pmpi_type_contiguous_f08_;
    MPI_Type_contiguous_c: mpi_type_contiguous_c_f08_ pmpi_type_contiguous_c_f08_;
    MPI_Type_create_darray: mpi_type_create_darray_ pmpi_type_create_darray_ mpi_type_create_darray_f08_
        pmpi_type_create_darray_f08_;
    MPI_Type_create_darray_c: mpi_type_create_darray_c_f08_ pmpi_type_create_darray_c_f08_;
    MPI_Type_create_f90_complex: mpi_type_create_f90_complex_ pmpi_type_create_f90_complex_
        mpi_type_create_f90_complex_f08_ pmpi_type_create_f90_complex_f08_;
    MPI_Type_create_f90_integer: mpi_type_create_f90_integer_ pmpi_type_create_f90_integer_
        mpi_type_create_f90_integer_f08_ pmpi_type_create_f90_integer_f08_;
    MPI_Type_create_f90_real: mpi_type_create_f90_real_ pmpi_type_create_f90_real_
        mpi_type_create_f90_real_f08_ pmpi_type_create_f90_real_f08_;
    MPI_Type_create_hindexed: mpi_type_create_hindexed_ pmpi_type_create_hindexed_
        mpi_type_create_hindexed_f08_ pmpi_type_create_hindexed_f08_;
    MPI_Type_create_hindexed_block: mpi_type_create_hindexed_block_ pmpi_type_create_hindexed_block_
        mpi_type_create_hindexed_block_f08_ pmpi_type_create_hindexed_block_f08_;
    MPI_Type_create_hindexed_block_c: mpi_type_create_hindexed_block_c_f08_
        pmpi_type_create_hindexed_block_c_f08_;
    MPI_Type_create_hindexed_c: mpi_type_create_hindexed_c_f08_ pmpi_type_create_hindexed_c_f08_;
    MPI_Type_create_hvector: mpi_type_create_hvector_ pmpi_type_create_hvector_ mpi_type_create_hvector_f08_
        pmpi_type_create_hvector_f08_;
    MPI_Type_create_hvector_c: mpi_type_create_hvector_c_f08_ pmpi_type_create_hvector_c_f08_;
    MPI_Type_create_indexed_block: mpi_type_create_indexed_block_ pmpi_type_create_indexed_block_
        mpi_type_create_indexed_block_f08_ pmpi_type_create_indexed_block_f08_;
    MPI_Type_create_indexed_block_c: mpi_type_create_indexed_block_c_f08_
        pmpi_type_create_indexed_block_c_f08_;
    MPI_Type_create_keyval: mpi_type_create_keyval_ pmpi_type_create_keyval_ mpi_type_create_keyval_f08_
        pmpi_type_create_keyval_f08_;
    MPI_Type_create_resized: mpi_type_create_resized_ pmpi_type_create_resized_ mpi_type_create_resized_f08_
        pmpi_type_create_resized_f08_;
    MPI_Type_create_resized_c: mpi_type_create_resized_c_f08_ pmpi_type_create_resized_c_f08_;
    MPI_Type_create_struct: mpi_type_create_struct_ pmpi_type_create_struct_ mpi_type_create_struct_f08_
        pmpi_type_create_struct_f08_;
    MPI_Type_create_struct_c: mpi_type_create_struct_c_f08_ pmpi_type_create_struct_c_f08_;
    MPI_Type_create_subarray: mpi_type_create_subarray_ pmpi_type_create_subarray_
        mpi_type_create_subarray_f08_ pmpi_type_create_subarray_f08_;
    MPI_Type_create_subarray_c: mpi_type_create_subarray_c_f08_ pmpi_type_create_subarray_c_f08_;
    MPI_Type_delete_attr: mpi_type_delete_attr_ pmpi_type_delete_attr_ mpi_type_delete_attr_f08_
        pmpi_type_delete_attr_f08_;
    MPI_Type_dup: mpi_type_dup_ pmpi_type_dup_ mpi_type_dup_f08_ pmpi_type_dup_f08_;
    MPI_Type_extent: mpi_type_extent_ pmpi_type_extent_;
    MPI_Type_free: mpi_type_free_ pmpi_type_free_ mpi_type_free_f08_ pmpi_type_free_f08_;
    MPI_Type_free_keyval: mpi_type_free_keyval_ pmpi_type_free_keyval_ mpi_type_free_keyval_f08_
        pmpi_type_free_keyval_f08_;
    MPI_Type_get_attr: mpi_type_get_attr_ pmpi_type_get_attr_ mpi_type_get_attr_f08_ pmpi_type_get_attr_f08_;
    MPI_Type_get_contents: mpi_type_get_contents_ pmpi_type_get_contents_ mpi_type_get_contents_f08_
        pmpi_type_get_contents_f08_;
    MPI_Type_get_contents_c: mpi_type_get_contents_c_f08_ pmpi_type_get_contents_c_f08_;
    MPI_Type_get_envelope: mpi_type_get_envelope_ pmpi_type_get_envelope_ mpi_type_get_envelope_f08_
        pmpi_type_get_envelope_f08_;
    MPI_Type_get_envelope_c: mpi_type_get_envelope_c_f08_ pmpi_type_get_envelope_c_f08_;
    MPI_Type_get_extent: mpi_type_get_extent_ pmpi_type_get_extent_ mpi_type_get_extent_f08_
        pmpi_type_get_extent_f08_;
    MPI_Type_get_extent_c: mpi_type_get_extent_c_f08_ pmpi_type_get_extent_c_f08_;
    MPI_Type_get_extent_x: mpi_type_get_extent_x_ pmpi_type_get_extent_x_ mpi_type_get_extent_x_f08_
        pmpi_type_get_extent_x_f08_;
    MPI_Type_get_name: mpi_type_get_name_ pmpi_type_get_name_ mpi_type_get_name_f08_ pmpi_type_get_name_f08_;
    MPI_Type_get_true_extent: mpi_type_get_true_extent_ pmpi_type_get_true_extent_
        mpi_type_get_true_extent_f08_ pmpi_type_get_true_extent_f08_;
    MPI_Type_get_true_extent_c: mpi_type_get_true_extent_c_f08_ pmpi_type_get_true_extent_c_f08_;
    MPI_Type_get_true_extent_x: mpi_type_get_true_extent_x_ pmpi_type_get_true_extent_x_
        mpi_type_get_true_extent_x_f08_ pmpi_type_get_true_extent_x_f08_;
    MPI_Type_get_value_index: mpi_type_get_value_index_ pmpi_type_get_value_index_
        mpi_type_get_value_index_f08_ pmpi_type_get_value_index_f08_;
    MPI_Type_hindexed: mpi_type_hindexed_ pmpi_type_hindexed_;
    MPI_Type_hvector: mpi_type_hvector_ pmpi_type_hvector_;
    MPI_Type_indexed: mpi_type_indexed_ pmpi_type_indexed_ mpi_type_indexed_f08_ pmpi_type_indexed_f08_;
    MPI_Type_indexed_c: mpi_type_indexed_c_f08_ pmpi_type_indexed_c_f08_;
    MPI_Type_lb: mpi_type_lb_ pmpi_type_lb_;
    MPI_Type_match_size: mpi_type_match_size_ pmpi_type_match_size_ mpi_type_match_size_f08_
        pmpi_type_match_size_f08_;
    MPI_Type_set_attr: mpi_type_set_attr_ pmpi_type_set_attr_ mpi_type_set_attr_f08_ pmpi_type_set_attr_f08_;
    MPI_Type_set_name: mpi_type_set_name_ pmpi_type_set_name_ mpi_type_set_name_f08_ pmpi_type_set_name_f08_;
    MPI_Type_size: mpi_type_size_ pmpi_type_size_ mpi_type_size_f08_ pmpi_type_size_f08_;
    MPI_Type_size_c: mpi_type_size_c_f08_ pmpi_type_size_c_f08_;
    MPI_Type_size_x: mpi_type_size_x_ pmpi_type_size_x_ mpi_type_size_x_f08_ pmpi_type_size_x_f08_;
    MPI_Type_struct: mpi_type_struct_ pmpi_type_struct_;
    MPI_Type_ub: mpi_type_ub_ pmpi_type_ub_;
    MPI_Type_vector: mpi_type_vector_ pmpi_type_vector_ mpi_type_vector_f08_ pmpi_type_vector_f08_;
    MPI_Type_vector_c: mpi_type_vector_c_f08_ pmpi_type_vector_c_f08_;
    MPI_Unpack: mpi_unpack_ pmpi_unpack_ mpi_unpack_f08_ pmpi_unpack_f08_;
    MPI_Unpack_c: mpi_unpack_c_f08_ pmpi_unpack_c_f08_;
    MPI_Unpack_external: mpi_unpack_external_ pmpi_unpack_external_ mpi_unpack_external_f08_
        pmpi_unpack_external_f08_;
    MPI_Unpack_external_c: mpi_unpack_external_c_f08_ pmpi_unpack_external_c_f08_;
    MPI_Unpublish_name: mpi_unpublish_name_ pmpi_unpublish_name_ mpi_unpublish_name_f08_
        pmpi_unpublish_name_f08_;
    MPI_Wait: mpi_wait_ pmpi_wait_ mpi_wait_f08_ pmpi_wait_f08_;
    MPI_Waitall: mpi_waitall_ pmpi_waitall_ mpi_waitall_f08_ pmpi_waitall_f08_;
    MPI_Waitany: mpi_waitany_ pmpi_waitany_ mpi_waitany_f08_ pmpi_waitany_f08_;
    MPI_Waitsome: mpi_waitsome_ pmpi_waitsome_ mpi_waitsome_f08_ pmpi_waitsome_f08_;
    MPI_Win_allocate: mpi_win_allocate_ pmpi_win_allocate_ mpi_win_allocate_f08_ pmpi_win_allocate_f08_;
    MPI_Win_allocate_c: mpi_win_allocate_c_f08_ pmpi_win_allocate_c_f08_;
    MPI_Win_allocate_shared: mpi_win_allocate_shared_ pmpi_win_allocate_shared_ mpi_win_allocate_shared_f08_
        pmpi_win_allocate_shared_f08_;
    MPI_Win_allocate_shared_c: mpi_win_allocate_shared_c_f08_ pmpi_win_allocate_shared_c_f08_;
    MPI_Win_attach: mpi_win_attach_ pmpi_win_attach_ mpi_win_attach_f08_ pmpi_win_attach_f08_;
    MPI_Win_call_errhandler: mpi_win_call_errhandler_ pmpi_win_call_errhandler_ mpi_win_call_errhandler_f08_
        pmpi_win_call_errhandler_f08_;
    MPI_Win_complete: mpi_win_complete_ pmpi_win_complete_ mpi_win_complete_f08_ pmpi_win_complete_f08_;
    MPI_Win_create: mpi_win_create_ pmpi_win_create_ mpi_win_create_f08_ pmpi_win_create_f08_;
    MPI_Win_create_c: mpi_win_create_c_f08_ pmpi_win_create_c_f08_;
    MPI_Win_create_dynamic: mpi_win_create_dynamic_ pmpi_win_create_dynamic_ mpi_win_create_dynamic_f08_
        pmpi_win_create_dynamic_f08_;
    MPI_Win_create_errhandler: mpi_win_create_errhandler_ pmpi_win_create_errhandler_
        mpi_win_create_errhandler_f08_ pmpi_win_create_errhandler_f08_;
    MPI_Win_create_keyval: mpi_win_create_keyval_ pmpi_win_create_keyval_ mpi_win_create_keyval_f08_
        pmpi_win_create_keyval_f08_;
    MPI_Win_delete_attr: mpi_win_delete_attr_ pmpi_win_delete_attr_ mpi_win_delete_attr_f08_
        pmpi_win_delete_attr_f08_;
    MPI_Win_detach: mpi_win_detach_ pmpi_win_detach_ mpi_win_detach_f08_ pmpi_win_detach_f08_;
    MPI_Win_fence: mpi_win_fence_ pmpi_win_fence_ mpi_win_fence_f08_ pmpi_win_fence_f08_;
    MPI_Win_flush: mpi_win_flush_ pmpi_win_flush_ mpi_win_flush_f08_ pmpi_win_flush_f08_;
    MPI_Win_flush_all: mpi_win_flush_all_ pmpi_win_flush_all_ mpi_win_flush_all_f08_ pmpi_win_flush_all_f08_;
    MPI_Win_flush_local: mpi_win_flush_local_ pmpi_win_flush_local_ mpi_win_flush_local_f08_
        pmpi_win_flush_local_f08_;
    MPI_Win_flush_local_all: mpi_win_flush_local_all_ pmpi_win_flush_local_all_ mpi_win_flush_local_all_f08_
        pmpi_win_flush_local_all_f08_;
    MPI_Win_free: mpi_win_free_ pmpi_win_free_ mpi_win_free_f08_ pmpi_win_free_f08_;
    MPI_Win_free_keyval: mpi_win_free_keyval_ pmpi_win_free_keyval_ mpi_win_free_keyval_f08_
        pmpi_win_free_keyval_f08_;
    MPI_Win_get_attr: mpi_win_get_attr_ pmpi_win_get_attr_ mpi_win_get_attr_f08_ pmpi_win_get_attr_f08_;
    MPI_Win_get_errhandler: mpi_win_get_errhandler_ pmpi_win_get_errhandler_ mpi_win_get_errhandler_f08_
        pmpi_win_get_errhandler_f08_;
    MPI_Win_get_group: mpi_win_get_group_ pmpi_win_get_group_ mpi_win_get_group_f08_ pmpi_win_get_group_f08_;
    MPI_Win_get_info: mpi_win_get_info_ pmpi_win_get_info_ mpi_win_get_info_f08_ pmpi_win_get_info_f08_;
    MPI_Win_get_name: mpi_win_get_name_ pmpi_win_get_name_ mpi_win_get_name_f08_ pmpi_win_get_name_f08_;
    MPI_Win_lock: mpi_win_lock_ pmpi_win_lock_ mpi_win_lock_f08_ pmpi_win_lock_f08_;
    MPI_Win_lock_all: mpi_win_lock_all_ pmpi_win_lock_all_ mpi_win_lock_all_f08_ pmpi_win_lock_all_f08_;
    MPI_Win_post: mpi_win_post_ pmpi_win_post_ mpi_win_post_f08_ pmpi_win_post_f08_;
    MPI_Win_set_attr: mpi_win_set_attr_ pmpi_win_set_attr_ mpi_win_set_attr_f08_ pmpi_win_set_attr_f08_;
    MPI_Win_set_errhandler: mpi_win_set_errhandler_ pmpi_win_set_errhandler_ mpi_win_set_errhandler_f08_
        pmpi_win_set_errhandler_f08_;
    MPI_Win_set_info: mpi_win_set_info_ pmpi_win_set_info_ mpi_win_set_info_f08_ pmpi_win_set_info_f08_;
    MPI_Win_set_name: mpi_win_set_name_ pmpi_win_set_name_ mpi_win_set_name_f08_ pmpi_win_set_name_f08_;
    MPI_Win_shared_query: mpi_win_shared_query_ pmpi_win_shared_query_ mpi_win_shared_query_f08_
        pmpi_win_shared_query_f08_;
    MPI_Win_shared_query_c: mpi_win_shared_query_c_f08_ pmpi_win_shared_query_c_f08_;
    MPI_Win_start: mpi_win_start_ pmpi_win_start_ mpi_win_start_f08_ pmpi_win_start_f08_;
    MPI_Win_sync: mpi_win_sync_ pmpi_win_sync_ mpi_win_sync_f08_ pmpi_win_sync_f08_;
    MPI_Win_test: mpi_win_test_ pmpi_win_test_ mpi_win_test_f08_ pmpi_win_test_f08_;
    MPI_Win_unlock: mpi_win_unlock_ pmpi_win_unlock_ mpi_win_unlock_f08_ pmpi_win_unlock_f08_;
    MPI_Win_unlock_all: mpi_win_unlock_all_ pmpi_win_unlock_all_ mpi_win_unlock_all_f08_
        pmpi_win_unlock_all_f08_;
    MPI_Win_wait: mpi_win_wait_ pmpi_win_wait_ mpi_win_wait_f08_ pmpi_win_wait_f08_;
    MPI_Wtick: mpi_wtick_ pmpi_wtick_ mpi_wtick_f08_ pmpi_wtick_f08_;
    MPI_Wtime: mpi_wtime_ pmpi_wtime_ mpi_wtime_f08_ pmpi_wtime_f08_;
}

/// Functions that give back an address.
mod given_back {
    use crate::fortran::functions::with_address::*;

    anyccl_mpi::fortran_names! {
        MPI_Buffer_detach: mpi_buffer_detach_f08_ pmpi_buffer_detach_f08_;
        MPI_Buffer_detach_c: mpi_buffer_detach_c_f08_ pmpi_buffer_detach_c_f08_;
        MPI_Comm_detach_buffer: mpi_comm_detach_buffer_f08_ pmpi_comm_detach_buffer_f08_;
        MPI_Comm_detach_buffer_c: mpi_comm_detach_buffer_c_f08_ pmpi_comm_detach_buffer_c_f08_;
        MPI_Session_detach_buffer: mpi_session_detach_buffer_f08_ pmpi_session_detach_buffer_f08_;
        MPI_Session_detach_buffer_c: mpi_session_detach_buffer_c_f08_ pmpi_session_detach_buffer_c_f08_;
    }
}
