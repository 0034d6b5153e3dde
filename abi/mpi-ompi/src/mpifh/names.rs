//! The names under which compilers for Fortran look for the functions: in lower case with one underscore,
//! two or none, or in upper case. Open MPI's own library for `use mpi_f08` calls them as `ompi_x_f`. The
//! persistent collectives also have the names of Open MPI 4.1.

use super::functions::*;

anyccl_mpi::fortran_names! {
    MPI_Abort: mpi_abort_ mpi_abort mpi_abort__ MPI_ABORT pmpi_abort_ pmpi_abort pmpi_abort__ PMPI_ABORT
        ompi_abort_f;
    MPI_Accumulate: mpi_accumulate_ mpi_accumulate mpi_accumulate__ MPI_ACCUMULATE pmpi_accumulate_
        pmpi_accumulate pmpi_accumulate__ PMPI_ACCUMULATE ompi_accumulate_f;
    MPI_Add_error_class: mpi_add_error_class_ mpi_add_error_class mpi_add_error_class__ MPI_ADD_ERROR_CLASS
        pmpi_add_error_class_ pmpi_add_error_class pmpi_add_error_class__ PMPI_ADD_ERROR_CLASS
        ompi_add_error_class_f;
    MPI_Add_error_code: mpi_add_error_code_ mpi_add_error_code mpi_add_error_code__ MPI_ADD_ERROR_CODE
        pmpi_add_error_code_ pmpi_add_error_code pmpi_add_error_code__ PMPI_ADD_ERROR_CODE
        ompi_add_error_code_f;
    MPI_Add_error_string: mpi_add_error_string_ mpi_add_error_string mpi_add_error_string__
        MPI_ADD_ERROR_STRING pmpi_add_error_string_ pmpi_add_error_string pmpi_add_error_string__
        PMPI_ADD_ERROR_STRING ompi_add_error_string_f;
    MPI_Address: mpi_address_ mpi_address mpi_address__ MPI_ADDRESS pmpi_address_ pmpi_address pmpi_address__
        PMPI_ADDRESS ompi_address_f;
    MPI_Aint_add: mpi_aint_add_ mpi_aint_add mpi_aint_add__ MPI_AINT_ADD pmpi_aint_add_ pmpi_aint_add
        pmpi_aint_add__ PMPI_AINT_ADD ompi_aint_add_f;
    MPI_Aint_diff: mpi_aint_diff_ mpi_aint_diff mpi_aint_diff__ MPI_AINT_DIFF pmpi_aint_diff_ pmpi_aint_diff
        pmpi_aint_diff__ PMPI_AINT_DIFF ompi_aint_diff_f;
    MPI_Allgather: mpi_allgather_ mpi_allgather mpi_allgather__ MPI_ALLGATHER pmpi_allgather_ pmpi_allgather
        pmpi_allgather__ PMPI_ALLGATHER ompi_allgather_f;
    MPI_Allgather_init: mpi_allgather_init_ mpi_allgather_init mpi_allgather_init__ MPI_ALLGATHER_INIT
        pmpi_allgather_init_ pmpi_allgather_init pmpi_allgather_init__ PMPI_ALLGATHER_INIT
        ompi_allgather_init_f mpix_allgather_init_ mpix_allgather_init mpix_allgather_init__
        MPIX_ALLGATHER_INIT pmpix_allgather_init_ pmpix_allgather_init pmpix_allgather_init__
        PMPIX_ALLGATHER_INIT ompix_allgather_init_f;
    MPI_Allgatherv: mpi_allgatherv_ mpi_allgatherv mpi_allgatherv__ MPI_ALLGATHERV pmpi_allgatherv_
        pmpi_allgatherv pmpi_allgatherv__ PMPI_ALLGATHERV ompi_allgatherv_f;
    MPI_Allgatherv_init: mpi_allgatherv_init_ mpi_allgatherv_init mpi_allgatherv_init__ MPI_ALLGATHERV_INIT
        pmpi_allgatherv_init_ pmpi_allgatherv_init pmpi_allgatherv_init__ PMPI_ALLGATHERV_INIT
        ompi_allgatherv_init_f mpix_allgatherv_init_ mpix_allgatherv_init mpix_allgatherv_init__
        MPIX_ALLGATHERV_INIT pmpix_allgatherv_init_ pmpix_allgatherv_init pmpix_allgatherv_init__
        PMPIX_ALLGATHERV_INIT ompix_allgatherv_init_f;
    MPI_Alloc_mem: mpi_alloc_mem_ mpi_alloc_mem mpi_alloc_mem__ MPI_ALLOC_MEM pmpi_alloc_mem_ pmpi_alloc_mem
        pmpi_alloc_mem__ PMPI_ALLOC_MEM ompi_alloc_mem_f mpi_alloc_mem_cptr_ mpi_alloc_mem_cptr
        mpi_alloc_mem_cptr__ MPI_ALLOC_MEM_CPTR pmpi_alloc_mem_cptr_ pmpi_alloc_mem_cptr
        pmpi_alloc_mem_cptr__ PMPI_ALLOC_MEM_CPTR ompi_alloc_mem_cptr_f;
    MPI_Allreduce: mpi_allreduce_ mpi_allreduce mpi_allreduce__ MPI_ALLREDUCE pmpi_allreduce_ pmpi_allreduce
        pmpi_allreduce__ PMPI_ALLREDUCE ompi_allreduce_f;
    MPI_Allreduce_init: mpi_allreduce_init_ mpi_allreduce_init mpi_allreduce_init__ MPI_ALLREDUCE_INIT
        pmpi_allreduce_init_ pmpi_allreduce_init pmpi_allreduce_init__ PMPI_ALLREDUCE_INIT
        ompi_allreduce_init_f mpix_allreduce_init_ mpix_allreduce_init mpix_allreduce_init__
        MPIX_ALLREDUCE_INIT pmpix_allreduce_init_ pmpix_allreduce_init pmpix_allreduce_init__
        PMPIX_ALLREDUCE_INIT ompix_allreduce_init_f;
    MPI_Alltoall: mpi_alltoall_ mpi_alltoall mpi_alltoall__ MPI_ALLTOALL pmpi_alltoall_ pmpi_alltoall
        pmpi_alltoall__ PMPI_ALLTOALL ompi_alltoall_f;
    MPI_Alltoall_init: mpi_alltoall_init_ mpi_alltoall_init mpi_alltoall_init__ MPI_ALLTOALL_INIT
        pmpi_alltoall_init_ pmpi_alltoall_init pmpi_alltoall_init__ PMPI_ALLTOALL_INIT ompi_alltoall_init_f
        mpix_alltoall_init_ mpix_alltoall_init mpix_alltoall_init__ MPIX_ALLTOALL_INIT pmpix_alltoall_init_
        pmpix_alltoall_init pmpix_alltoall_init__ PMPIX_ALLTOALL_INIT ompix_alltoall_init_f;
    MPI_Alltoallv: mpi_alltoallv_ mpi_alltoallv mpi_alltoallv__ MPI_ALLTOALLV pmpi_alltoallv_ pmpi_alltoallv
        pmpi_alltoallv__ PMPI_ALLTOALLV ompi_alltoallv_f;
    MPI_Alltoallv_init: mpi_alltoallv_init_ mpi_alltoallv_init mpi_alltoallv_init__ MPI_ALLTOALLV_INIT
        pmpi_alltoallv_init_ pmpi_alltoallv_init pmpi_alltoallv_init__ PMPI_ALLTOALLV_INIT
        ompi_alltoallv_init_f mpix_alltoallv_init_ mpix_alltoallv_init mpix_alltoallv_init__
        MPIX_ALLTOALLV_INIT pmpix_alltoallv_init_ pmpix_alltoallv_init pmpix_alltoallv_init__
        PMPIX_ALLTOALLV_INIT ompix_alltoallv_init_f;
    MPI_Alltoallw: mpi_alltoallw_ mpi_alltoallw mpi_alltoallw__ MPI_ALLTOALLW pmpi_alltoallw_ pmpi_alltoallw
        pmpi_alltoallw__ PMPI_ALLTOALLW ompi_alltoallw_f;
    MPI_Alltoallw_init: mpi_alltoallw_init_ mpi_alltoallw_init mpi_alltoallw_init__ MPI_ALLTOALLW_INIT
        pmpi_alltoallw_init_ pmpi_alltoallw_init pmpi_alltoallw_init__ PMPI_ALLTOALLW_INIT
        ompi_alltoallw_init_f mpix_alltoallw_init_ mpix_alltoallw_init mpix_alltoallw_init__
        MPIX_ALLTOALLW_INIT pmpix_alltoallw_init_ pmpix_alltoallw_init pmpix_alltoallw_init__
        PMPIX_ALLTOALLW_INIT ompix_alltoallw_init_f;
    MPI_Attr_delete: mpi_attr_delete_ mpi_attr_delete mpi_attr_delete__ MPI_ATTR_DELETE pmpi_attr_delete_
        pmpi_attr_delete pmpi_attr_delete__ PMPI_ATTR_DELETE ompi_attr_delete_f;
    MPI_Attr_get: mpi_attr_get_ mpi_attr_get mpi_attr_get__ MPI_ATTR_GET pmpi_attr_get_ pmpi_attr_get
        pmpi_attr_get__ PMPI_ATTR_GET ompi_attr_get_f;
    MPI_Attr_put: mpi_attr_put_ mpi_attr_put mpi_attr_put__ MPI_ATTR_PUT pmpi_attr_put_ pmpi_attr_put
        pmpi_attr_put__ PMPI_ATTR_PUT ompi_attr_put_f;
    MPI_Barrier: mpi_barrier_ mpi_barrier mpi_barrier__ MPI_BARRIER pmpi_barrier_ pmpi_barrier pmpi_barrier__
        PMPI_BARRIER ompi_barrier_f;
    MPI_Barrier_init: mpi_barrier_init_ mpi_barrier_init mpi_barrier_init__ MPI_BARRIER_INIT
        pmpi_barrier_init_ pmpi_barrier_init pmpi_barrier_init__ PMPI_BARRIER_INIT ompi_barrier_init_f
        mpix_barrier_init_ mpix_barrier_init mpix_barrier_init__ MPIX_BARRIER_INIT pmpix_barrier_init_
        pmpix_barrier_init pmpix_barrier_init__ PMPIX_BARRIER_INIT ompix_barrier_init_f;
    MPI_Bcast: mpi_bcast_ mpi_bcast mpi_bcast__ MPI_BCAST pmpi_bcast_ pmpi_bcast pmpi_bcast__ PMPI_BCAST
        ompi_bcast_f;
    MPI_Bcast_init: mpi_bcast_init_ mpi_bcast_init mpi_bcast_init__ MPI_BCAST_INIT pmpi_bcast_init_
        pmpi_bcast_init pmpi_bcast_init__ PMPI_BCAST_INIT ompi_bcast_init_f mpix_bcast_init_ mpix_bcast_init
        mpix_bcast_init__ MPIX_BCAST_INIT pmpix_bcast_init_ pmpix_bcast_init pmpix_bcast_init__
        PMPIX_BCAST_INIT ompix_bcast_init_f;
    MPI_Bsend: mpi_bsend_ mpi_bsend mpi_bsend__ MPI_BSEND pmpi_bsend_ pmpi_bsend pmpi_bsend__ PMPI_BSEND
        ompi_bsend_f;
    MPI_Bsend_init: mpi_bsend_init_ mpi_bsend_init mpi_bsend_init__ MPI_BSEND_INIT pmpi_bsend_init_
        pmpi_bsend_init pmpi_bsend_init__ PMPI_BSEND_INIT ompi_bsend_init_f;
    MPI_Buffer_attach: mpi_buffer_attach_ mpi_buffer_attach mpi_buffer_attach__ MPI_BUFFER_ATTACH
        pmpi_buffer_attach_ pmpi_buffer_attach pmpi_buffer_attach__ PMPI_BUFFER_ATTACH ompi_buffer_attach_f;
    MPI_Buffer_detach: mpi_buffer_detach_ mpi_buffer_detach mpi_buffer_detach__ MPI_BUFFER_DETACH
        pmpi_buffer_detach_ pmpi_buffer_detach pmpi_buffer_detach__ PMPI_BUFFER_DETACH ompi_buffer_detach_f;
    MPI_Buffer_flush: mpi_buffer_flush_ mpi_buffer_flush mpi_buffer_flush__ MPI_BUFFER_FLUSH
        pmpi_buffer_flush_ pmpi_buffer_flush pmpi_buffer_flush__ PMPI_BUFFER_FLUSH ompi_buffer_flush_f;
    MPI_Buffer_iflush: mpi_buffer_iflush_ mpi_buffer_iflush mpi_buffer_iflush__ MPI_BUFFER_IFLUSH
        pmpi_buffer_iflush_ pmpi_buffer_iflush pmpi_buffer_iflush__ PMPI_BUFFER_IFLUSH ompi_buffer_iflush_f;
    MPI_Cancel: mpi_cancel_ mpi_cancel mpi_cancel__ MPI_CANCEL pmpi_cancel_ pmpi_cancel pmpi_cancel__
        PMPI_CANCEL ompi_cancel_f;
    MPI_Cart_coords: mpi_cart_coords_ mpi_cart_coords mpi_cart_coords__ MPI_CART_COORDS pmpi_cart_coords_
        pmpi_cart_coords pmpi_cart_coords__ PMPI_CART_COORDS ompi_cart_coords_f;
    MPI_Cart_create: mpi_cart_create_ mpi_cart_create mpi_cart_create__ MPI_CART_CREATE pmpi_cart_create_
        pmpi_cart_create pmpi_cart_create__ PMPI_CART_CREATE ompi_cart_create_f;
    MPI_Cart_get: mpi_cart_get_ mpi_cart_get mpi_cart_get__ MPI_CART_GET pmpi_cart_get_ pmpi_cart_get
        pmpi_cart_get__ PMPI_CART_GET ompi_cart_get_f;
    MPI_Cart_map: mpi_cart_map_ mpi_cart_map mpi_cart_map__ MPI_CART_MAP pmpi_cart_map_ pmpi_cart_map
        pmpi_cart_map__ PMPI_CART_MAP ompi_cart_map_f;
    MPI_Cart_rank: mpi_cart_rank_ mpi_cart_rank mpi_cart_rank__ MPI_CART_RANK pmpi_cart_rank_ pmpi_cart_rank
        pmpi_cart_rank__ PMPI_CART_RANK ompi_cart_rank_f;
    MPI_Cart_shift: mpi_cart_shift_ mpi_cart_shift mpi_cart_shift__ MPI_CART_SHIFT pmpi_cart_shift_
        pmpi_cart_shift pmpi_cart_shift__ PMPI_CART_SHIFT ompi_cart_shift_f;
    MPI_Cart_sub: mpi_cart_sub_ mpi_cart_sub mpi_cart_sub__ MPI_CART_SUB pmpi_cart_sub_ pmpi_cart_sub
        pmpi_cart_sub__ PMPI_CART_SUB ompi_cart_sub_f;
    MPI_Cartdim_get: mpi_cartdim_get_ mpi_cartdim_get mpi_cartdim_get__ MPI_CARTDIM_GET pmpi_cartdim_get_
        pmpi_cartdim_get pmpi_cartdim_get__ PMPI_CARTDIM_GET ompi_cartdim_get_f;
    MPI_Close_port: mpi_close_port_ mpi_close_port mpi_close_port__ MPI_CLOSE_PORT pmpi_close_port_
        pmpi_close_port pmpi_close_port__ PMPI_CLOSE_PORT ompi_close_port_f;
    MPI_Comm_accept: mpi_comm_accept_ mpi_comm_accept mpi_comm_accept__ MPI_COMM_ACCEPT pmpi_comm_accept_
        pmpi_comm_accept pmpi_comm_accept__ PMPI_COMM_ACCEPT ompi_comm_accept_f;
    MPI_Comm_attach_buffer: mpi_comm_attach_buffer_ mpi_comm_attach_buffer mpi_comm_attach_buffer__
        MPI_COMM_ATTACH_BUFFER pmpi_comm_attach_buffer_ pmpi_comm_attach_buffer pmpi_comm_attach_buffer__
        PMPI_COMM_ATTACH_BUFFER ompi_comm_attach_buffer_f;
    MPI_Comm_call_errhandler: mpi_comm_call_errhandler_ mpi_comm_call_errhandler mpi_comm_call_errhandler__
        MPI_COMM_CALL_ERRHANDLER pmpi_comm_call_errhandler_ pmpi_comm_call_errhandler
        pmpi_comm_call_errhandler__ PMPI_COMM_CALL_ERRHANDLER ompi_comm_call_errhandler_f;
    MPI_Comm_compare: mpi_comm_compare_ mpi_comm_compare mpi_comm_compare__ MPI_COMM_COMPARE
        pmpi_comm_compare_ pmpi_comm_compare pmpi_comm_compare__ PMPI_COMM_COMPARE ompi_comm_compare_f;
    MPI_Comm_connect: mpi_comm_connect_ mpi_comm_connect mpi_comm_connect__ MPI_COMM_CONNECT
        pmpi_comm_connect_ pmpi_comm_connect pmpi_comm_connect__ PMPI_COMM_CONNECT ompi_comm_connect_f;
    MPI_Comm_create: mpi_comm_create_ mpi_comm_create mpi_comm_create__ MPI_COMM_CREATE pmpi_comm_create_
        pmpi_comm_create pmpi_comm_create__ PMPI_COMM_CREATE ompi_comm_create_f;
    MPI_Comm_create_errhandler: mpi_comm_create_errhandler_ mpi_comm_create_errhandler
        mpi_comm_create_errhandler__ MPI_COMM_CREATE_ERRHANDLER pmpi_comm_create_errhandler_
        pmpi_comm_create_errhandler pmpi_comm_create_errhandler__ PMPI_COMM_CREATE_ERRHANDLER
        ompi_comm_create_errhandler_f;
    MPI_Comm_create_from_group: mpi_comm_create_from_group_ mpi_comm_create_from_group
        mpi_comm_create_from_group__ MPI_COMM_CREATE_FROM_GROUP pmpi_comm_create_from_group_
        pmpi_comm_create_from_group pmpi_comm_create_from_group__ PMPI_COMM_CREATE_FROM_GROUP
        ompi_comm_create_from_group_f;
    MPI_Comm_create_group: mpi_comm_create_group_ mpi_comm_create_group mpi_comm_create_group__
        MPI_COMM_CREATE_GROUP pmpi_comm_create_group_ pmpi_comm_create_group pmpi_comm_create_group__
        PMPI_COMM_CREATE_GROUP ompi_comm_create_group_f;
    MPI_Comm_create_keyval: mpi_comm_create_keyval_ mpi_comm_create_keyval mpi_comm_create_keyval__
        MPI_COMM_CREATE_KEYVAL pmpi_comm_create_keyval_ pmpi_comm_create_keyval pmpi_comm_create_keyval__
        PMPI_COMM_CREATE_KEYVAL ompi_comm_create_keyval_f;
    MPI_Comm_delete_attr: mpi_comm_delete_attr_ mpi_comm_delete_attr mpi_comm_delete_attr__
        MPI_COMM_DELETE_ATTR pmpi_comm_delete_attr_ pmpi_comm_delete_attr pmpi_comm_delete_attr__
        PMPI_COMM_DELETE_ATTR ompi_comm_delete_attr_f;
    MPI_Comm_disconnect: mpi_comm_disconnect_ mpi_comm_disconnect mpi_comm_disconnect__ MPI_COMM_DISCONNECT
        pmpi_comm_disconnect_ pmpi_comm_disconnect pmpi_comm_disconnect__ PMPI_COMM_DISCONNECT
        ompi_comm_disconnect_f;
    MPI_Comm_dup: mpi_comm_dup_ mpi_comm_dup mpi_comm_dup__ MPI_COMM_DUP pmpi_comm_dup_ pmpi_comm_dup
        pmpi_comm_dup__ PMPI_COMM_DUP ompi_comm_dup_f;
    MPI_Comm_dup_with_info: mpi_comm_dup_with_info_ mpi_comm_dup_with_info mpi_comm_dup_with_info__
        MPI_COMM_DUP_WITH_INFO pmpi_comm_dup_with_info_ pmpi_comm_dup_with_info pmpi_comm_dup_with_info__
        PMPI_COMM_DUP_WITH_INFO ompi_comm_dup_with_info_f;
    MPI_Comm_flush_buffer: mpi_comm_flush_buffer_ mpi_comm_flush_buffer mpi_comm_flush_buffer__
        MPI_COMM_FLUSH_BUFFER pmpi_comm_flush_buffer_ pmpi_comm_flush_buffer pmpi_comm_flush_buffer__
        PMPI_COMM_FLUSH_BUFFER ompi_comm_flush_buffer_f;
    MPI_Comm_free: mpi_comm_free_ mpi_comm_free mpi_comm_free__ MPI_COMM_FREE pmpi_comm_free_ pmpi_comm_free
        pmpi_comm_free__ PMPI_COMM_FREE ompi_comm_free_f;
    MPI_Comm_free_keyval: mpi_comm_free_keyval_ mpi_comm_free_keyval mpi_comm_free_keyval__
        MPI_COMM_FREE_KEYVAL pmpi_comm_free_keyval_ pmpi_comm_free_keyval pmpi_comm_free_keyval__
        PMPI_COMM_FREE_KEYVAL ompi_comm_free_keyval_f;
    MPI_Comm_get_attr: mpi_comm_get_attr_ mpi_comm_get_attr mpi_comm_get_attr__ MPI_COMM_GET_ATTR
        pmpi_comm_get_attr_ pmpi_comm_get_attr pmpi_comm_get_attr__ PMPI_COMM_GET_ATTR ompi_comm_get_attr_f;
    MPI_Comm_get_errhandler: mpi_comm_get_errhandler_ mpi_comm_get_errhandler mpi_comm_get_errhandler__
        MPI_COMM_GET_ERRHANDLER pmpi_comm_get_errhandler_ pmpi_comm_get_errhandler pmpi_comm_get_errhandler__
        PMPI_COMM_GET_ERRHANDLER ompi_comm_get_errhandler_f;
    MPI_Comm_get_info: mpi_comm_get_info_ mpi_comm_get_info mpi_comm_get_info__ MPI_COMM_GET_INFO
        pmpi_comm_get_info_ pmpi_comm_get_info pmpi_comm_get_info__ PMPI_COMM_GET_INFO ompi_comm_get_info_f;
    MPI_Comm_get_name: mpi_comm_get_name_ mpi_comm_get_name mpi_comm_get_name__ MPI_COMM_GET_NAME
        pmpi_comm_get_name_ pmpi_comm_get_name pmpi_comm_get_name__ PMPI_COMM_GET_NAME ompi_comm_get_name_f;
    MPI_Comm_get_parent: mpi_comm_get_parent_ mpi_comm_get_parent mpi_comm_get_parent__ MPI_COMM_GET_PARENT
        pmpi_comm_get_parent_ pmpi_comm_get_parent pmpi_comm_get_parent__ PMPI_COMM_GET_PARENT
        ompi_comm_get_parent_f;
    MPI_Comm_group: mpi_comm_group_ mpi_comm_group mpi_comm_group__ MPI_COMM_GROUP pmpi_comm_group_
        pmpi_comm_group pmpi_comm_group__ PMPI_COMM_GROUP ompi_comm_group_f;
    MPI_Comm_idup: mpi_comm_idup_ mpi_comm_idup mpi_comm_idup__ MPI_COMM_IDUP pmpi_comm_idup_ pmpi_comm_idup
        pmpi_comm_idup__ PMPI_COMM_IDUP ompi_comm_idup_f;
    MPI_Comm_idup_with_info: mpi_comm_idup_with_info_ mpi_comm_idup_with_info mpi_comm_idup_with_info__
        MPI_COMM_IDUP_WITH_INFO pmpi_comm_idup_with_info_ pmpi_comm_idup_with_info pmpi_comm_idup_with_info__
        PMPI_COMM_IDUP_WITH_INFO ompi_comm_idup_with_info_f;
    MPI_Comm_iflush_buffer: mpi_comm_iflush_buffer_ mpi_comm_iflush_buffer mpi_comm_iflush_buffer__
        MPI_COMM_IFLUSH_BUFFER pmpi_comm_iflush_buffer_ pmpi_comm_iflush_buffer pmpi_comm_iflush_buffer__
        PMPI_COMM_IFLUSH_BUFFER ompi_comm_iflush_buffer_f;
    MPI_Comm_join: mpi_comm_join_ mpi_comm_join mpi_comm_join__ MPI_COMM_JOIN pmpi_comm_join_ pmpi_comm_join
        pmpi_comm_join__ PMPI_COMM_JOIN ompi_comm_join_f;
    MPI_Comm_rank: mpi_comm_rank_ mpi_comm_rank mpi_comm_rank__ MPI_COMM_RANK pmpi_comm_rank_ pmpi_comm_rank
        pmpi_comm_rank__ PMPI_COMM_RANK ompi_comm_rank_f;
    MPI_Comm_remote_group: mpi_comm_remote_group_ mpi_comm_remote_group mpi_comm_remote_group__
        MPI_COMM_REMOTE_GROUP pmpi_comm_remote_group_ pmpi_comm_remote_group pmpi_comm_remote_group__
        PMPI_COMM_REMOTE_GROUP ompi_comm_remote_group_f;
    MPI_Comm_remote_size: mpi_comm_remote_size_ mpi_comm_remote_size mpi_comm_remote_size__
        MPI_COMM_REMOTE_SIZE pmpi_comm_remote_size_ pmpi_comm_remote_size pmpi_comm_remote_size__
        PMPI_COMM_REMOTE_SIZE ompi_comm_remote_size_f;
    MPI_Comm_set_attr: mpi_comm_set_attr_ mpi_comm_set_attr mpi_comm_set_attr__ MPI_COMM_SET_ATTR
        pmpi_comm_set_attr_ pmpi_comm_set_attr pmpi_comm_set_attr__ PMPI_COMM_SET_ATTR ompi_comm_set_attr_f;
    MPI_Comm_set_errhandler: mpi_comm_set_errhandler_ mpi_comm_set_errhandler mpi_comm_set_errhandler__
        MPI_COMM_SET_ERRHANDLER pmpi_comm_set_errhandler_ pmpi_comm_set_errhandler pmpi_comm_set_errhandler__
        PMPI_COMM_SET_ERRHANDLER ompi_comm_set_errhandler_f;
    MPI_Comm_set_info: mpi_comm_set_info_ mpi_comm_set_info mpi_comm_set_info__ MPI_COMM_SET_INFO
        pmpi_comm_set_info_ pmpi_comm_set_info pmpi_comm_set_info__ PMPI_COMM_SET_INFO ompi_comm_set_info_f;
    MPI_Comm_set_name: mpi_comm_set_name_ mpi_comm_set_name mpi_comm_set_name__ MPI_COMM_SET_NAME
        pmpi_comm_set_name_ pmpi_comm_set_name pmpi_comm_set_name__ PMPI_COMM_SET_NAME ompi_comm_set_name_f;
    MPI_Comm_size: mpi_comm_size_ mpi_comm_size mpi_comm_size__ MPI_COMM_SIZE pmpi_comm_size_ pmpi_comm_size
        pmpi_comm_size__ PMPI_COMM_SIZE ompi_comm_size_f;
    MPI_Comm_spawn: mpi_comm_spawn_ mpi_comm_spawn mpi_comm_spawn__ MPI_COMM_SPAWN pmpi_comm_spawn_
        pmpi_comm_spawn pmpi_comm_spawn__ PMPI_COMM_SPAWN ompi_comm_spawn_f;
    MPI_Comm_spawn_multiple: mpi_comm_spawn_multiple_ mpi_comm_spawn_multiple mpi_comm_spawn_multiple__
        MPI_COMM_SPAWN_MULTIPLE pmpi_comm_spawn_multiple_ pmpi_comm_spawn_multiple pmpi_comm_spawn_multiple__
        PMPI_COMM_SPAWN_MULTIPLE ompi_comm_spawn_multiple_f;
    MPI_Comm_split: mpi_comm_split_ mpi_comm_split mpi_comm_split__ MPI_COMM_SPLIT pmpi_comm_split_
        pmpi_comm_split pmpi_comm_split__ PMPI_COMM_SPLIT ompi_comm_split_f;
    MPI_Comm_split_type: mpi_comm_split_type_ mpi_comm_split_type mpi_comm_split_type__ MPI_COMM_SPLIT_TYPE
        pmpi_comm_split_type_ pmpi_comm_split_type pmpi_comm_split_type__ PMPI_COMM_SPLIT_TYPE
        ompi_comm_split_type_f;
    MPI_Comm_test_inter: mpi_comm_test_inter_ mpi_comm_test_inter mpi_comm_test_inter__ MPI_COMM_TEST_INTER
        pmpi_comm_test_inter_ pmpi_comm_test_inter pmpi_comm_test_inter__ PMPI_COMM_TEST_INTER
        ompi_comm_test_inter_f;
    MPI_Compare_and_swap: mpi_compare_and_swap_ mpi_compare_and_swap mpi_compare_and_swap__
        MPI_COMPARE_AND_SWAP pmpi_compare_and_swap_ pmpi_compare_and_swap pmpi_compare_and_swap__
        PMPI_COMPARE_AND_SWAP ompi_compare_and_swap_f;
    MPI_Dims_create: mpi_dims_create_ mpi_dims_create mpi_dims_create__ MPI_DIMS_CREATE pmpi_dims_create_
        pmpi_dims_create pmpi_dims_create__ PMPI_DIMS_CREATE ompi_dims_create_f;
    MPI_Dist_graph_create: mpi_dist_graph_create_ mpi_dist_graph_create mpi_dist_graph_create__
        MPI_DIST_GRAPH_CREATE pmpi_dist_graph_create_ pmpi_dist_graph_create pmpi_dist_graph_create__
        PMPI_DIST_GRAPH_CREATE ompi_dist_graph_create_f;
    MPI_Dist_graph_create_adjacent: mpi_dist_graph_create_adjacent_ mpi_dist_graph_create_adjacent
        mpi_dist_graph_create_adjacent__ MPI_DIST_GRAPH_CREATE_ADJACENT pmpi_dist_graph_create_adjacent_
        pmpi_dist_graph_create_adjacent pmpi_dist_graph_create_adjacent__ PMPI_DIST_GRAPH_CREATE_ADJACENT
        ompi_dist_graph_create_adjacent_f;
    MPI_Dist_graph_neighbors: mpi_dist_graph_neighbors_ mpi_dist_graph_neighbors mpi_dist_graph_neighbors__
        MPI_DIST_GRAPH_NEIGHBORS pmpi_dist_graph_neighbors_ pmpi_dist_graph_neighbors
        pmpi_dist_graph_neighbors__ PMPI_DIST_GRAPH_NEIGHBORS ompi_dist_graph_neighbors_f;
    MPI_Dist_graph_neighbors_count: mpi_dist_graph_neighbors_count_ mpi_dist_graph_neighbors_count
        mpi_dist_graph_neighbors_count__ MPI_DIST_GRAPH_NEIGHBORS_COUNT pmpi_dist_graph_neighbors_count_
        pmpi_dist_graph_neighbors_count pmpi_dist_graph_neighbors_count__ PMPI_DIST_GRAPH_NEIGHBORS_COUNT
        ompi_dist_graph_neighbors_count_f;
    MPI_Errhandler_create: mpi_errhandler_create_ mpi_errhandler_create mpi_errhandler_create__
        MPI_ERRHANDLER_CREATE pmpi_errhandler_create_ pmpi_errhandler_create pmpi_errhandler_create__
        PMPI_ERRHANDLER_CREATE ompi_errhandler_create_f;
    MPI_Errhandler_free: mpi_errhandler_free_ mpi_errhandler_free mpi_errhandler_free__ MPI_ERRHANDLER_FREE
        pmpi_errhandler_free_ pmpi_errhandler_free pmpi_errhandler_free__ PMPI_ERRHANDLER_FREE
        ompi_errhandler_free_f;
    MPI_Errhandler_get: mpi_errhandler_get_ mpi_errhandler_get mpi_errhandler_get__ MPI_ERRHANDLER_GET
        pmpi_errhandler_get_ pmpi_errhandler_get pmpi_errhandler_get__ PMPI_ERRHANDLER_GET
        ompi_errhandler_get_f;
    MPI_Errhandler_set: mpi_errhandler_set_ mpi_errhandler_set mpi_errhandler_set__ MPI_ERRHANDLER_SET
        pmpi_errhandler_set_ pmpi_errhandler_set pmpi_errhandler_set__ PMPI_ERRHANDLER_SET
        ompi_errhandler_set_f;
    MPI_Error_class: mpi_error_class_ mpi_error_class mpi_error_class__ MPI_ERROR_CLASS pmpi_error_class_
        pmpi_error_class pmpi_error_class__ PMPI_ERROR_CLASS ompi_error_class_f;
    MPI_Error_string: mpi_error_string_ mpi_error_string mpi_error_string__ MPI_ERROR_STRING
        pmpi_error_string_ pmpi_error_string pmpi_error_string__ PMPI_ERROR_STRING ompi_error_string_f;
    MPI_Exscan: mpi_exscan_ mpi_exscan mpi_exscan__ MPI_EXSCAN pmpi_exscan_ pmpi_exscan pmpi_exscan__
        PMPI_EXSCAN ompi_exscan_f;
    MPI_Exscan_init: mpi_exscan_init_ mpi_exscan_init mpi_exscan_init__ MPI_EXSCAN_INIT pmpi_exscan_init_
        pmpi_exscan_init pmpi_exscan_init__ PMPI_EXSCAN_INIT ompi_exscan_init_f mpix_exscan_init_
        mpix_exscan_init mpix_exscan_init__ MPIX_EXSCAN_INIT pmpix_exscan_init_ pmpix_exscan_init
        pmpix_exscan_init__ PMPIX_EXSCAN_INIT ompix_exscan_init_f;
    MPI_F_sync_reg: mpi_f_sync_reg_ mpi_f_sync_reg mpi_f_sync_reg__ MPI_F_SYNC_REG pmpi_f_sync_reg_
        pmpi_f_sync_reg pmpi_f_sync_reg__ PMPI_F_SYNC_REG ompi_f_sync_reg_f;
    MPI_Fetch_and_op: mpi_fetch_and_op_ mpi_fetch_and_op mpi_fetch_and_op__ MPI_FETCH_AND_OP
        pmpi_fetch_and_op_ pmpi_fetch_and_op pmpi_fetch_and_op__ PMPI_FETCH_AND_OP ompi_fetch_and_op_f;
    MPI_File_call_errhandler: mpi_file_call_errhandler_ mpi_file_call_errhandler mpi_file_call_errhandler__
        MPI_FILE_CALL_ERRHANDLER pmpi_file_call_errhandler_ pmpi_file_call_errhandler
        pmpi_file_call_errhandler__ PMPI_FILE_CALL_ERRHANDLER ompi_file_call_errhandler_f;
    MPI_File_close: mpi_file_close_ mpi_file_close mpi_file_close__ MPI_FILE_CLOSE pmpi_file_close_
        pmpi_file_close pmpi_file_close__ PMPI_FILE_CLOSE ompi_file_close_f;
    MPI_File_create_errhandler: mpi_file_create_errhandler_ mpi_file_create_errhandler
        mpi_file_create_errhandler__ MPI_FILE_CREATE_ERRHANDLER pmpi_file_create_errhandler_
        pmpi_file_create_errhandler pmpi_file_create_errhandler__ PMPI_FILE_CREATE_ERRHANDLER
        ompi_file_create_errhandler_f;
    MPI_File_delete: mpi_file_delete_ mpi_file_delete mpi_file_delete__ MPI_FILE_DELETE pmpi_file_delete_
        pmpi_file_delete pmpi_file_delete__ PMPI_FILE_DELETE ompi_file_delete_f;
    MPI_File_get_amode: mpi_file_get_amode_ mpi_file_get_amode mpi_file_get_amode__ MPI_FILE_GET_AMODE
        pmpi_file_get_amode_ pmpi_file_get_amode pmpi_file_get_amode__ PMPI_FILE_GET_AMODE
        ompi_file_get_amode_f;
    MPI_File_get_atomicity: mpi_file_get_atomicity_ mpi_file_get_atomicity mpi_file_get_atomicity__
        MPI_FILE_GET_ATOMICITY pmpi_file_get_atomicity_ pmpi_file_get_atomicity pmpi_file_get_atomicity__
        PMPI_FILE_GET_ATOMICITY ompi_file_get_atomicity_f;
    MPI_File_get_byte_offset: mpi_file_get_byte_offset_ mpi_file_get_byte_offset mpi_file_get_byte_offset__
        MPI_FILE_GET_BYTE_OFFSET pmpi_file_get_byte_offset_ pmpi_file_get_byte_offset
        pmpi_file_get_byte_offset__ PMPI_FILE_GET_BYTE_OFFSET ompi_file_get_byte_offset_f;
    MPI_File_get_errhandler: mpi_file_get_errhandler_ mpi_file_get_errhandler mpi_file_get_errhandler__
        MPI_FILE_GET_ERRHANDLER pmpi_file_get_errhandler_ pmpi_file_get_errhandler pmpi_file_get_errhandler__
        PMPI_FILE_GET_ERRHANDLER ompi_file_get_errhandler_f;
    MPI_File_get_group: mpi_file_get_group_ mpi_file_get_group mpi_file_get_group__ MPI_FILE_GET_GROUP
        pmpi_file_get_group_ pmpi_file_get_group pmpi_file_get_group__ PMPI_FILE_GET_GROUP
        ompi_file_get_group_f;
    MPI_File_get_info: mpi_file_get_info_ mpi_file_get_info mpi_file_get_info__ MPI_FILE_GET_INFO
        pmpi_file_get_info_ pmpi_file_get_info pmpi_file_get_info__ PMPI_FILE_GET_INFO ompi_file_get_info_f;
    MPI_File_get_position: mpi_file_get_position_ mpi_file_get_position mpi_file_get_position__
        MPI_FILE_GET_POSITION pmpi_file_get_position_ pmpi_file_get_position pmpi_file_get_position__
        PMPI_FILE_GET_POSITION ompi_file_get_position_f;
    MPI_File_get_position_shared: mpi_file_get_position_shared_ mpi_file_get_position_shared
        mpi_file_get_position_shared__ MPI_FILE_GET_POSITION_SHARED pmpi_file_get_position_shared_
        pmpi_file_get_position_shared pmpi_file_get_position_shared__ PMPI_FILE_GET_POSITION_SHARED
        ompi_file_get_position_shared_f;
    MPI_File_get_size: mpi_file_get_size_ mpi_file_get_size mpi_file_get_size__ MPI_FILE_GET_SIZE
        pmpi_file_get_size_ pmpi_file_get_size pmpi_file_get_size__ PMPI_FILE_GET_SIZE ompi_file_get_size_f;
    MPI_File_get_type_extent: mpi_file_get_type_extent_ mpi_file_get_type_extent mpi_file_get_type_extent__
        MPI_FILE_GET_TYPE_EXTENT pmpi_file_get_type_extent_ pmpi_file_get_type_extent
        pmpi_file_get_type_extent__ PMPI_FILE_GET_TYPE_EXTENT ompi_file_get_type_extent_f;
    MPI_File_get_view: mpi_file_get_view_ mpi_file_get_view mpi_file_get_view__ MPI_FILE_GET_VIEW
        pmpi_file_get_view_ pmpi_file_get_view pmpi_file_get_view__ PMPI_FILE_GET_VIEW ompi_file_get_view_f;
    MPI_File_iread: mpi_file_iread_ mpi_file_iread mpi_file_iread__ MPI_FILE_IREAD pmpi_file_iread_
        pmpi_file_iread pmpi_file_iread__ PMPI_FILE_IREAD ompi_file_iread_f;
    MPI_File_iread_all: mpi_file_iread_all_ mpi_file_iread_all mpi_file_iread_all__ MPI_FILE_IREAD_ALL
        pmpi_file_iread_all_ pmpi_file_iread_all pmpi_file_iread_all__ PMPI_FILE_IREAD_ALL
        ompi_file_iread_all_f;
    MPI_File_iread_at: mpi_file_iread_at_ mpi_file_iread_at mpi_file_iread_at__ MPI_FILE_IREAD_AT
        pmpi_file_iread_at_ pmpi_file_iread_at pmpi_file_iread_at__ PMPI_FILE_IREAD_AT ompi_file_iread_at_f;
    MPI_File_iread_at_all: mpi_file_iread_at_all_ mpi_file_iread_at_all mpi_file_iread_at_all__
        MPI_FILE_IREAD_AT_ALL pmpi_file_iread_at_all_ pmpi_file_iread_at_all pmpi_file_iread_at_all__
        PMPI_FILE_IREAD_AT_ALL ompi_file_iread_at_all_f;
    MPI_File_iread_shared: mpi_file_iread_shared_ mpi_file_iread_shared mpi_file_iread_shared__
        MPI_FILE_IREAD_SHARED pmpi_file_iread_shared_ pmpi_file_iread_shared pmpi_file_iread_shared__
        PMPI_FILE_IREAD_SHARED ompi_file_iread_shared_f;
    MPI_File_iwrite: mpi_file_iwrite_ mpi_file_iwrite mpi_file_iwrite__ MPI_FILE_IWRITE pmpi_file_iwrite_
        pmpi_file_iwrite pmpi_file_iwrite__ PMPI_FILE_IWRITE ompi_file_iwrite_f;
    MPI_File_iwrite_all: mpi_file_iwrite_all_ mpi_file_iwrite_all mpi_file_iwrite_all__ MPI_FILE_IWRITE_ALL
        pmpi_file_iwrite_all_ pmpi_file_iwrite_all pmpi_file_iwrite_all__ PMPI_FILE_IWRITE_ALL
        ompi_file_iwrite_all_f;
    MPI_File_iwrite_at: mpi_file_iwrite_at_ mpi_file_iwrite_at mpi_file_iwrite_at__ MPI_FILE_IWRITE_AT
        pmpi_file_iwrite_at_ pmpi_file_iwrite_at pmpi_file_iwrite_at__ PMPI_FILE_IWRITE_AT
        ompi_file_iwrite_at_f;
    MPI_File_iwrite_at_all: mpi_file_iwrite_at_all_ mpi_file_iwrite_at_all mpi_file_iwrite_at_all__
        MPI_FILE_IWRITE_AT_ALL pmpi_file_iwrite_at_all_ pmpi_file_iwrite_at_all pmpi_file_iwrite_at_all__
        PMPI_FILE_IWRITE_AT_ALL ompi_file_iwrite_at_all_f;
    MPI_File_iwrite_shared: mpi_file_iwrite_shared_ mpi_file_iwrite_shared mpi_file_iwrite_shared__
        MPI_FILE_IWRITE_SHARED pmpi_file_iwrite_shared_ pmpi_file_iwrite_shared pmpi_file_iwrite_shared__
        PMPI_FILE_IWRITE_SHARED ompi_file_iwrite_shared_f;
    MPI_File_open: mpi_file_open_ mpi_file_open mpi_file_open__ MPI_FILE_OPEN pmpi_file_open_ pmpi_file_open
        pmpi_file_open__ PMPI_FILE_OPEN ompi_file_open_f;
    MPI_File_preallocate: mpi_file_preallocate_ mpi_file_preallocate mpi_file_preallocate__
        MPI_FILE_PREALLOCATE pmpi_file_preallocate_ pmpi_file_preallocate pmpi_file_preallocate__
        PMPI_FILE_PREALLOCATE ompi_file_preallocate_f;
    MPI_File_read: mpi_file_read_ mpi_file_read mpi_file_read__ MPI_FILE_READ pmpi_file_read_ pmpi_file_read
        pmpi_file_read__ PMPI_FILE_READ ompi_file_read_f;
    MPI_File_read_all: mpi_file_read_all_ mpi_file_read_all mpi_file_read_all__ MPI_FILE_READ_ALL
        pmpi_file_read_all_ pmpi_file_read_all pmpi_file_read_all__ PMPI_FILE_READ_ALL ompi_file_read_all_f;
    MPI_File_read_all_begin: mpi_file_read_all_begin_ mpi_file_read_all_begin mpi_file_read_all_begin__
        MPI_FILE_READ_ALL_BEGIN pmpi_file_read_all_begin_ pmpi_file_read_all_begin pmpi_file_read_all_begin__
        PMPI_FILE_READ_ALL_BEGIN ompi_file_read_all_begin_f;
    MPI_File_read_all_end: mpi_file_read_all_end_ mpi_file_read_all_end mpi_file_read_all_end__
        MPI_FILE_READ_ALL_END pmpi_file_read_all_end_ pmpi_file_read_all_end pmpi_file_read_all_end__
        PMPI_FILE_READ_ALL_END ompi_file_read_all_end_f;
    MPI_File_read_at: mpi_file_read_at_ mpi_file_read_at mpi_file_read_at__ MPI_FILE_READ_AT
        pmpi_file_read_at_ pmpi_file_read_at pmpi_file_read_at__ PMPI_FILE_READ_AT ompi_file_read_at_f;
    MPI_File_read_at_all: mpi_file_read_at_all_ mpi_file_read_at_all mpi_file_read_at_all__
        MPI_FILE_READ_AT_ALL pmpi_file_read_at_all_ pmpi_file_read_at_all pmpi_file_read_at_all__
        PMPI_FILE_READ_AT_ALL ompi_file_read_at_all_f;
    MPI_File_read_at_all_begin: mpi_file_read_at_all_begin_ mpi_file_read_at_all_begin
        mpi_file_read_at_all_begin__ MPI_FILE_READ_AT_ALL_BEGIN pmpi_file_read_at_all_begin_
        pmpi_file_read_at_all_begin pmpi_file_read_at_all_begin__ PMPI_FILE_READ_AT_ALL_BEGIN
        ompi_file_read_at_all_begin_f;
    MPI_File_read_at_all_end: mpi_file_read_at_all_end_ mpi_file_read_at_all_end mpi_file_read_at_all_end__
        MPI_FILE_READ_AT_ALL_END pmpi_file_read_at_all_end_ pmpi_file_read_at_all_end
        pmpi_file_read_at_all_end__ PMPI_FILE_READ_AT_ALL_END ompi_file_read_at_all_end_f;
    MPI_File_read_ordered: mpi_file_read_ordered_ mpi_file_read_ordered mpi_file_read_ordered__
        MPI_FILE_READ_ORDERED pmpi_file_read_ordered_ pmpi_file_read_ordered pmpi_file_read_ordered__
        PMPI_FILE_READ_ORDERED ompi_file_read_ordered_f;
    MPI_File_read_ordered_begin: mpi_file_read_ordered_begin_ mpi_file_read_ordered_begin
        mpi_file_read_ordered_begin__ MPI_FILE_READ_ORDERED_BEGIN pmpi_file_read_ordered_begin_
        pmpi_file_read_ordered_begin pmpi_file_read_ordered_begin__ PMPI_FILE_READ_ORDERED_BEGIN
        ompi_file_read_ordered_begin_f;
    MPI_File_read_ordered_end: mpi_file_read_ordered_end_ mpi_file_read_ordered_end
        mpi_file_read_ordered_end__ MPI_FILE_READ_ORDERED_END pmpi_file_read_ordered_end_
        pmpi_file_read_ordered_end pmpi_file_read_ordered_end__ PMPI_FILE_READ_ORDERED_END
        ompi_file_read_ordered_end_f;
    MPI_File_read_shared: mpi_file_read_shared_ mpi_file_read_shared mpi_file_read_shared__
        MPI_FILE_READ_SHARED pmpi_file_read_shared_ pmpi_file_read_shared pmpi_file_read_shared__
        PMPI_FILE_READ_SHARED ompi_file_read_shared_f;
    MPI_File_seek: mpi_file_seek_ mpi_file_seek mpi_file_seek__ MPI_FILE_SEEK pmpi_file_seek_ pmpi_file_seek
        pmpi_file_seek__ PMPI_FILE_SEEK ompi_file_seek_f;
    MPI_File_seek_shared: mpi_file_seek_shared_ mpi_file_seek_shared mpi_file_seek_shared__
        MPI_FILE_SEEK_SHARED pmpi_file_seek_shared_ pmpi_file_seek_shared pmpi_file_seek_shared__
        PMPI_FILE_SEEK_SHARED ompi_file_seek_shared_f;
    MPI_File_set_atomicity: mpi_file_set_atomicity_ mpi_file_set_atomicity mpi_file_set_atomicity__
        MPI_FILE_SET_ATOMICITY pmpi_file_set_atomicity_ pmpi_file_set_atomicity pmpi_file_set_atomicity__
        PMPI_FILE_SET_ATOMICITY ompi_file_set_atomicity_f;
    MPI_File_set_errhandler: mpi_file_set_errhandler_ mpi_file_set_errhandler mpi_file_set_errhandler__
        MPI_FILE_SET_ERRHANDLER pmpi_file_set_errhandler_ pmpi_file_set_errhandler pmpi_file_set_errhandler__
        PMPI_FILE_SET_ERRHANDLER ompi_file_set_errhandler_f;
    MPI_File_set_info: mpi_file_set_info_ mpi_file_set_info mpi_file_set_info__ MPI_FILE_SET_INFO
        pmpi_file_set_info_ pmpi_file_set_info pmpi_file_set_info__ PMPI_FILE_SET_INFO ompi_file_set_info_f;
    MPI_File_set_size: mpi_file_set_size_ mpi_file_set_size mpi_file_set_size__ MPI_FILE_SET_SIZE
        pmpi_file_set_size_ pmpi_file_set_size pmpi_file_set_size__ PMPI_FILE_SET_SIZE ompi_file_set_size_f;
    MPI_File_set_view: mpi_file_set_view_ mpi_file_set_view mpi_file_set_view__ MPI_FILE_SET_VIEW
        pmpi_file_set_view_ pmpi_file_set_view pmpi_file_set_view__ PMPI_FILE_SET_VIEW ompi_file_set_view_f;
    MPI_File_sync: mpi_file_sync_ mpi_file_sync mpi_file_sync__ MPI_FILE_SYNC pmpi_file_sync_ pmpi_file_sync
        pmpi_file_sync__ PMPI_FILE_SYNC ompi_file_sync_f;
    MPI_File_write: mpi_file_write_ mpi_file_write mpi_file_write__ MPI_FILE_WRITE pmpi_file_write_
        pmpi_file_write pmpi_file_write__ PMPI_FILE_WRITE ompi_file_write_f;
    MPI_File_write_all: mpi_file_write_all_ mpi_file_write_all mpi_file_write_all__ MPI_FILE_WRITE_ALL
        pmpi_file_write_all_ pmpi_file_write_all pmpi_file_write_all__ PMPI_FILE_WRITE_ALL
        ompi_file_write_all_f;
    MPI_File_write_all_begin: mpi_file_write_all_begin_ mpi_file_write_all_begin mpi_file_write_all_begin__
        MPI_FILE_WRITE_ALL_BEGIN pmpi_file_write_all_begin_ pmpi_file_write_all_begin
        pmpi_file_write_all_begin__ PMPI_FILE_WRITE_ALL_BEGIN ompi_file_write_all_begin_f;
    MPI_File_write_all_end: mpi_file_write_all_end_ mpi_file_write_all_end mpi_file_write_all_end__
        MPI_FILE_WRITE_ALL_END pmpi_file_write_all_end_ pmpi_file_write_all_end pmpi_file_write_all_end__
        PMPI_FILE_WRITE_ALL_END ompi_file_write_all_end_f;
    MPI_File_write_at: mpi_file_write_at_ mpi_file_write_at mpi_file_write_at__ MPI_FILE_WRITE_AT
        pmpi_file_write_at_ pmpi_file_write_at pmpi_file_write_at__ PMPI_FILE_WRITE_AT ompi_file_write_at_f;
    MPI_File_write_at_all: mpi_file_write_at_all_ mpi_file_write_at_all mpi_file_write_at_all__
        MPI_FILE_WRITE_AT_ALL pmpi_file_write_at_all_ pmpi_file_write_at_all pmpi_file_write_at_all__
        PMPI_FILE_WRITE_AT_ALL ompi_file_write_at_all_f;
    MPI_File_write_at_all_begin: mpi_file_write_at_all_begin_ mpi_file_write_at_all_begin
        mpi_file_write_at_all_begin__ MPI_FILE_WRITE_AT_ALL_BEGIN pmpi_file_write_at_all_begin_
        pmpi_file_write_at_all_begin pmpi_file_write_at_all_begin__ PMPI_FILE_WRITE_AT_ALL_BEGIN
        ompi_file_write_at_all_begin_f;
    MPI_File_write_at_all_end: mpi_file_write_at_all_end_ mpi_file_write_at_all_end
        mpi_file_write_at_all_end__ MPI_FILE_WRITE_AT_ALL_END pmpi_file_write_at_all_end_
        pmpi_file_write_at_all_end pmpi_file_write_at_all_end__ PMPI_FILE_WRITE_AT_ALL_END
        ompi_file_write_at_all_end_f;
    MPI_File_write_ordered: mpi_file_write_ordered_ mpi_file_write_ordered mpi_file_write_ordered__
        MPI_FILE_WRITE_ORDERED pmpi_file_write_ordered_ pmpi_file_write_ordered pmpi_file_write_ordered__
        PMPI_FILE_WRITE_ORDERED ompi_file_write_ordered_f;
    MPI_File_write_ordered_begin: mpi_file_write_ordered_begin_ mpi_file_write_ordered_begin
        mpi_file_write_ordered_begin__ MPI_FILE_WRITE_ORDERED_BEGIN pmpi_file_write_ordered_begin_
        pmpi_file_write_ordered_begin pmpi_file_write_ordered_begin__ PMPI_FILE_WRITE_ORDERED_BEGIN
        ompi_file_write_ordered_begin_f;
    MPI_File_write_ordered_end: mpi_file_write_ordered_end_ mpi_file_write_ordered_end
        mpi_file_write_ordered_end__ MPI_FILE_WRITE_ORDERED_END pmpi_file_write_ordered_end_
        pmpi_file_write_ordered_end pmpi_file_write_ordered_end__ PMPI_FILE_WRITE_ORDERED_END
        ompi_file_write_ordered_end_f;
    MPI_File_write_shared: mpi_file_write_shared_ mpi_file_write_shared mpi_file_write_shared__
        MPI_FILE_WRITE_SHARED pmpi_file_write_shared_ pmpi_file_write_shared pmpi_file_write_shared__
        PMPI_FILE_WRITE_SHARED ompi_file_write_shared_f;
    MPI_Finalize: mpi_finalize_ mpi_finalize mpi_finalize__ MPI_FINALIZE pmpi_finalize_ pmpi_finalize
        pmpi_finalize__ PMPI_FINALIZE ompi_finalize_f;
    MPI_Finalized: mpi_finalized_ mpi_finalized mpi_finalized__ MPI_FINALIZED pmpi_finalized_ pmpi_finalized
        pmpi_finalized__ PMPI_FINALIZED ompi_finalized_f;
    MPI_Free_mem: mpi_free_mem_ mpi_free_mem mpi_free_mem__ MPI_FREE_MEM pmpi_free_mem_ pmpi_free_mem
        pmpi_free_mem__ PMPI_FREE_MEM ompi_free_mem_f;
    MPI_Gather: mpi_gather_ mpi_gather mpi_gather__ MPI_GATHER pmpi_gather_ pmpi_gather pmpi_gather__
        PMPI_GATHER ompi_gather_f;
    MPI_Gather_init: mpi_gather_init_ mpi_gather_init mpi_gather_init__ MPI_GATHER_INIT pmpi_gather_init_
        pmpi_gather_init pmpi_gather_init__ PMPI_GATHER_INIT ompi_gather_init_f mpix_gather_init_
        mpix_gather_init mpix_gather_init__ MPIX_GATHER_INIT pmpix_gather_init_ pmpix_gather_init
        pmpix_gather_init__ PMPIX_GATHER_INIT ompix_gather_init_f;
    MPI_Gatherv: mpi_gatherv_ mpi_gatherv mpi_gatherv__ MPI_GATHERV pmpi_gatherv_ pmpi_gatherv pmpi_gatherv__
        PMPI_GATHERV ompi_gatherv_f;
    MPI_Gatherv_init: mpi_gatherv_init_ mpi_gatherv_init mpi_gatherv_init__ MPI_GATHERV_INIT
        pmpi_gatherv_init_ pmpi_gatherv_init pmpi_gatherv_init__ PMPI_GATHERV_INIT ompi_gatherv_init_f
        mpix_gatherv_init_ mpix_gatherv_init mpix_gatherv_init__ MPIX_GATHERV_INIT pmpix_gatherv_init_
        pmpix_gatherv_init pmpix_gatherv_init__ PMPIX_GATHERV_INIT ompix_gatherv_init_f;
    MPI_Get: mpi_get_ mpi_get mpi_get__ MPI_GET pmpi_get_ pmpi_get pmpi_get__ PMPI_GET ompi_get_f;
    MPI_Get_accumulate: mpi_get_accumulate_ mpi_get_accumulate mpi_get_accumulate__ MPI_GET_ACCUMULATE
        pmpi_get_accumulate_ pmpi_get_accumulate pmpi_get_accumulate__ PMPI_GET_ACCUMULATE
        ompi_get_accumulate_f;
    MPI_Get_address: mpi_get_address_ mpi_get_address mpi_get_address__ MPI_GET_ADDRESS pmpi_get_address_
        pmpi_get_address pmpi_get_address__ PMPI_GET_ADDRESS ompi_get_address_f;
    MPI_Get_count: mpi_get_count_ mpi_get_count mpi_get_count__ MPI_GET_COUNT pmpi_get_count_ pmpi_get_count
        pmpi_get_count__ PMPI_GET_COUNT ompi_get_count_f;
    MPI_Get_elements: mpi_get_elements_ mpi_get_elements mpi_get_elements__ MPI_GET_ELEMENTS
        pmpi_get_elements_ pmpi_get_elements pmpi_get_elements__ PMPI_GET_ELEMENTS ompi_get_elements_f;
    MPI_Get_elements_x: mpi_get_elements_x_ mpi_get_elements_x mpi_get_elements_x__ MPI_GET_ELEMENTS_X
        pmpi_get_elements_x_ pmpi_get_elements_x pmpi_get_elements_x__ PMPI_GET_ELEMENTS_X
        ompi_get_elements_x_f;
    MPI_Get_hw_resource_info: mpi_get_hw_resource_info_ mpi_get_hw_resource_info mpi_get_hw_resource_info__
        MPI_GET_HW_RESOURCE_INFO pmpi_get_hw_resource_info_ pmpi_get_hw_resource_info
        pmpi_get_hw_resource_info__ PMPI_GET_HW_RESOURCE_INFO ompi_get_hw_resource_info_f;
    MPI_Get_library_version: mpi_get_library_version_ mpi_get_library_version mpi_get_library_version__
        MPI_GET_LIBRARY_VERSION pmpi_get_library_version_ pmpi_get_library_version pmpi_get_library_version__
        PMPI_GET_LIBRARY_VERSION ompi_get_library_version_f;
    MPI_Get_processor_name: mpi_get_processor_name_ mpi_get_processor_name mpi_get_processor_name__
        MPI_GET_PROCESSOR_NAME pmpi_get_processor_name_ pmpi_get_processor_name pmpi_get_processor_name__
        PMPI_GET_PROCESSOR_NAME ompi_get_processor_name_f;
    MPI_Get_version: mpi_get_version_ mpi_get_version mpi_get_version__ MPI_GET_VERSION pmpi_get_version_
        pmpi_get_version pmpi_get_version__ PMPI_GET_VERSION ompi_get_version_f;
    MPI_Graph_create: mpi_graph_create_ mpi_graph_create mpi_graph_create__ MPI_GRAPH_CREATE
        pmpi_graph_create_ pmpi_graph_create pmpi_graph_create__ PMPI_GRAPH_CREATE ompi_graph_create_f;
    MPI_Graph_get: mpi_graph_get_ mpi_graph_get mpi_graph_get__ MPI_GRAPH_GET pmpi_graph_get_ pmpi_graph_get
        pmpi_graph_get__ PMPI_GRAPH_GET ompi_graph_get_f;
    MPI_Graph_map: mpi_graph_map_ mpi_graph_map mpi_graph_map__ MPI_GRAPH_MAP pmpi_graph_map_ pmpi_graph_map
        pmpi_graph_map__ PMPI_GRAPH_MAP ompi_graph_map_f;
    MPI_Graph_neighbors: mpi_graph_neighbors_ mpi_graph_neighbors mpi_graph_neighbors__ MPI_GRAPH_NEIGHBORS
        pmpi_graph_neighbors_ pmpi_graph_neighbors pmpi_graph_neighbors__ PMPI_GRAPH_NEIGHBORS
        ompi_graph_neighbors_f;
    MPI_Graph_neighbors_count: mpi_graph_neighbors_count_ mpi_graph_neighbors_count
        mpi_graph_neighbors_count__ MPI_GRAPH_NEIGHBORS_COUNT pmpi_graph_neighbors_count_
        pmpi_graph_neighbors_count pmpi_graph_neighbors_count__ PMPI_GRAPH_NEIGHBORS_COUNT
        ompi_graph_neighbors_count_f;
    MPI_Graphdims_get: mpi_graphdims_get_ mpi_graphdims_get mpi_graphdims_get__ MPI_GRAPHDIMS_GET
        pmpi_graphdims_get_ pmpi_graphdims_get pmpi_graphdims_get__ PMPI_GRAPHDIMS_GET ompi_graphdims_get_f;
    MPI_Grequest_complete: mpi_grequest_complete_ mpi_grequest_complete mpi_grequest_complete__
        MPI_GREQUEST_COMPLETE pmpi_grequest_complete_ pmpi_grequest_complete pmpi_grequest_complete__
        PMPI_GREQUEST_COMPLETE ompi_grequest_complete_f;
    MPI_Grequest_start: mpi_grequest_start_ mpi_grequest_start mpi_grequest_start__ MPI_GREQUEST_START
        pmpi_grequest_start_ pmpi_grequest_start pmpi_grequest_start__ PMPI_GREQUEST_START
        ompi_grequest_start_f;
    MPI_Group_compare: mpi_group_compare_ mpi_group_compare mpi_group_compare__ MPI_GROUP_COMPARE
        pmpi_group_compare_ pmpi_group_compare pmpi_group_compare__ PMPI_GROUP_COMPARE ompi_group_compare_f;
    MPI_Group_difference: mpi_group_difference_ mpi_group_difference mpi_group_difference__
        MPI_GROUP_DIFFERENCE pmpi_group_difference_ pmpi_group_difference pmpi_group_difference__
        PMPI_GROUP_DIFFERENCE ompi_group_difference_f;
    MPI_Group_excl: mpi_group_excl_ mpi_group_excl mpi_group_excl__ MPI_GROUP_EXCL pmpi_group_excl_
        pmpi_group_excl pmpi_group_excl__ PMPI_GROUP_EXCL ompi_group_excl_f;
    MPI_Group_free: mpi_group_free_ mpi_group_free mpi_group_free__ MPI_GROUP_FREE pmpi_group_free_
        pmpi_group_free pmpi_group_free__ PMPI_GROUP_FREE ompi_group_free_f;
    MPI_Group_from_session_pset: mpi_group_from_session_pset_ mpi_group_from_session_pset
        mpi_group_from_session_pset__ MPI_GROUP_FROM_SESSION_PSET pmpi_group_from_session_pset_
        pmpi_group_from_session_pset pmpi_group_from_session_pset__ PMPI_GROUP_FROM_SESSION_PSET
        ompi_group_from_session_pset_f;
    MPI_Group_incl: mpi_group_incl_ mpi_group_incl mpi_group_incl__ MPI_GROUP_INCL pmpi_group_incl_
        pmpi_group_incl pmpi_group_incl__ PMPI_GROUP_INCL ompi_group_incl_f;
    MPI_Group_intersection: mpi_group_intersection_ mpi_group_intersection mpi_group_intersection__
        MPI_GROUP_INTERSECTION pmpi_group_intersection_ pmpi_group_intersection pmpi_group_intersection__
        PMPI_GROUP_INTERSECTION ompi_group_intersection_f;
    MPI_Group_range_excl: mpi_group_range_excl_ mpi_group_range_excl mpi_group_range_excl__
        MPI_GROUP_RANGE_EXCL pmpi_group_range_excl_ pmpi_group_range_excl pmpi_group_range_excl__
        PMPI_GROUP_RANGE_EXCL ompi_group_range_excl_f;
    MPI_Group_range_incl: mpi_group_range_incl_ mpi_group_range_incl mpi_group_range_incl__
        MPI_GROUP_RANGE_INCL pmpi_group_range_incl_ pmpi_group_range_incl pmpi_group_range_incl__
        PMPI_GROUP_RANGE_INCL ompi_group_range_incl_f;
    MPI_Group_rank: mpi_group_rank_ mpi_group_rank mpi_group_rank__ MPI_GROUP_RANK pmpi_group_rank_
        pmpi_group_rank pmpi_group_rank__ PMPI_GROUP_RANK ompi_group_rank_f;
    MPI_Group_size: mpi_group_size_ mpi_group_size mpi_group_size__ MPI_GROUP_SIZE pmpi_group_size_
        pmpi_group_size pmpi_group_size__ PMPI_GROUP_SIZE ompi_group_size_f;
    MPI_Group_translate_ranks: mpi_group_translate_ranks_ mpi_group_translate_ranks
        mpi_group_translate_ranks__ MPI_GROUP_TRANSLATE_RANKS pmpi_group_translate_ranks_
        pmpi_group_translate_ranks pmpi_group_translate_ranks__ PMPI_GROUP_TRANSLATE_RANKS
        ompi_group_translate_ranks_f;
    MPI_Group_union: mpi_group_union_ mpi_group_union mpi_group_union__ MPI_GROUP_UNION pmpi_group_union_
        pmpi_group_union pmpi_group_union__ PMPI_GROUP_UNION ompi_group_union_f;
    MPI_Iallgather: mpi_iallgather_ mpi_iallgather mpi_iallgather__ MPI_IALLGATHER pmpi_iallgather_
        pmpi_iallgather pmpi_iallgather__ PMPI_IALLGATHER ompi_iallgather_f;
    MPI_Iallgatherv: mpi_iallgatherv_ mpi_iallgatherv mpi_iallgatherv__ MPI_IALLGATHERV pmpi_iallgatherv_
        pmpi_iallgatherv pmpi_iallgatherv__ PMPI_IALLGATHERV ompi_iallgatherv_f;
    MPI_Iallreduce: mpi_iallreduce_ mpi_iallreduce mpi_iallreduce__ MPI_IALLREDUCE pmpi_iallreduce_
        pmpi_iallreduce pmpi_iallreduce__ PMPI_IALLREDUCE ompi_iallreduce_f;
    MPI_Ialltoall: mpi_ialltoall_ mpi_ialltoall mpi_ialltoall__ MPI_IALLTOALL pmpi_ialltoall_ pmpi_ialltoall
        pmpi_ialltoall__ PMPI_IALLTOALL ompi_ialltoall_f;
    MPI_Ialltoallv: mpi_ialltoallv_ mpi_ialltoallv mpi_ialltoallv__ MPI_IALLTOALLV pmpi_ialltoallv_
        pmpi_ialltoallv pmpi_ialltoallv__ PMPI_IALLTOALLV ompi_ialltoallv_f;
    MPI_Ialltoallw: mpi_ialltoallw_ mpi_ialltoallw mpi_ialltoallw__ MPI_IALLTOALLW pmpi_ialltoallw_
        pmpi_ialltoallw pmpi_ialltoallw__ PMPI_IALLTOALLW ompi_ialltoallw_f;
    MPI_Ibarrier: mpi_ibarrier_ mpi_ibarrier mpi_ibarrier__ MPI_IBARRIER pmpi_ibarrier_ pmpi_ibarrier
        pmpi_ibarrier__ PMPI_IBARRIER ompi_ibarrier_f;
    MPI_Ibcast: mpi_ibcast_ mpi_ibcast mpi_ibcast__ MPI_IBCAST pmpi_ibcast_ pmpi_ibcast pmpi_ibcast__
        PMPI_IBCAST ompi_ibcast_f;
    MPI_Ibsend: mpi_ibsend_ mpi_ibsend mpi_ibsend__ MPI_IBSEND pmpi_ibsend_ pmpi_ibsend pmpi_ibsend__
        PMPI_IBSEND ompi_ibsend_f;
    MPI_Iexscan: mpi_iexscan_ mpi_iexscan mpi_iexscan__ MPI_IEXSCAN pmpi_iexscan_ pmpi_iexscan pmpi_iexscan__
        PMPI_IEXSCAN ompi_iexscan_f;
    MPI_Igather: mpi_igather_ mpi_igather mpi_igather__ MPI_IGATHER pmpi_igather_ pmpi_igather pmpi_igather__
        PMPI_IGATHER ompi_igather_f;
    MPI_Igatherv: mpi_igatherv_ mpi_igatherv mpi_igatherv__ MPI_IGATHERV pmpi_igatherv_ pmpi_igatherv
        pmpi_igatherv__ PMPI_IGATHERV ompi_igatherv_f;
    MPI_Improbe: mpi_improbe_ mpi_improbe mpi_improbe__ MPI_IMPROBE pmpi_improbe_ pmpi_improbe pmpi_improbe__
        PMPI_IMPROBE ompi_improbe_f;
    MPI_Imrecv: mpi_imrecv_ mpi_imrecv mpi_imrecv__ MPI_IMRECV pmpi_imrecv_ pmpi_imrecv pmpi_imrecv__
        PMPI_IMRECV ompi_imrecv_f;
    MPI_Ineighbor_allgather: mpi_ineighbor_allgather_ mpi_ineighbor_allgather mpi_ineighbor_allgather__
        MPI_INEIGHBOR_ALLGATHER pmpi_ineighbor_allgather_ pmpi_ineighbor_allgather pmpi_ineighbor_allgather__
        PMPI_INEIGHBOR_ALLGATHER ompi_ineighbor_allgather_f;
    MPI_Ineighbor_allgatherv: mpi_ineighbor_allgatherv_ mpi_ineighbor_allgatherv mpi_ineighbor_allgatherv__
        MPI_INEIGHBOR_ALLGATHERV pmpi_ineighbor_allgatherv_ pmpi_ineighbor_allgatherv
        pmpi_ineighbor_allgatherv__ PMPI_INEIGHBOR_ALLGATHERV ompi_ineighbor_allgatherv_f;
    MPI_Ineighbor_alltoall: mpi_ineighbor_alltoall_ mpi_ineighbor_alltoall mpi_ineighbor_alltoall__
        MPI_INEIGHBOR_ALLTOALL pmpi_ineighbor_alltoall_ pmpi_ineighbor_alltoall pmpi_ineighbor_alltoall__
        PMPI_INEIGHBOR_ALLTOALL ompi_ineighbor_alltoall_f;
    MPI_Ineighbor_alltoallv: mpi_ineighbor_alltoallv_ mpi_ineighbor_alltoallv mpi_ineighbor_alltoallv__
        MPI_INEIGHBOR_ALLTOALLV pmpi_ineighbor_alltoallv_ pmpi_ineighbor_alltoallv pmpi_ineighbor_alltoallv__
        PMPI_INEIGHBOR_ALLTOALLV ompi_ineighbor_alltoallv_f;
    MPI_Ineighbor_alltoallw: mpi_ineighbor_alltoallw_ mpi_ineighbor_alltoallw mpi_ineighbor_alltoallw__
        MPI_INEIGHBOR_ALLTOALLW pmpi_ineighbor_alltoallw_ pmpi_ineighbor_alltoallw pmpi_ineighbor_alltoallw__
        PMPI_INEIGHBOR_ALLTOALLW ompi_ineighbor_alltoallw_f;
    MPI_Info_create: mpi_info_create_ mpi_info_create mpi_info_create__ MPI_INFO_CREATE pmpi_info_create_
        pmpi_info_create pmpi_info_create__ PMPI_INFO_CREATE ompi_info_create_f;
    MPI_Info_create_env: mpi_info_create_env_ mpi_info_create_env mpi_info_create_env__ MPI_INFO_CREATE_ENV
        pmpi_info_create_env_ pmpi_info_create_env pmpi_info_create_env__ PMPI_INFO_CREATE_ENV
        ompi_info_create_env_f;
    MPI_Info_delete: mpi_info_delete_ mpi_info_delete mpi_info_delete__ MPI_INFO_DELETE pmpi_info_delete_
        pmpi_info_delete pmpi_info_delete__ PMPI_INFO_DELETE ompi_info_delete_f;
    MPI_Info_dup: mpi_info_dup_ mpi_info_dup mpi_info_dup__ MPI_INFO_DUP pmpi_info_dup_ pmpi_info_dup
        pmpi_info_dup__ PMPI_INFO_DUP ompi_info_dup_f;
    MPI_Info_free: mpi_info_free_ mpi_info_free mpi_info_free__ MPI_INFO_FREE pmpi_info_free_ pmpi_info_free
        pmpi_info_free__ PMPI_INFO_FREE ompi_info_free_f;
    MPI_Info_get: mpi_info_get_ mpi_info_get mpi_info_get__ MPI_INFO_GET pmpi_info_get_ pmpi_info_get
        pmpi_info_get__ PMPI_INFO_GET ompi_info_get_f;
    MPI_Info_get_nkeys: mpi_info_get_nkeys_ mpi_info_get_nkeys mpi_info_get_nkeys__ MPI_INFO_GET_NKEYS
        pmpi_info_get_nkeys_ pmpi_info_get_nkeys pmpi_info_get_nkeys__ PMPI_INFO_GET_NKEYS
        ompi_info_get_nkeys_f;
    MPI_Info_get_nthkey: mpi_info_get_nthkey_ mpi_info_get_nthkey mpi_info_get_nthkey__ MPI_INFO_GET_NTHKEY
        pmpi_info_get_nthkey_ pmpi_info_get_nthkey pmpi_info_get_nthkey__ PMPI_INFO_GET_NTHKEY
        ompi_info_get_nthkey_f;
    MPI_Info_get_string: mpi_info_get_string_ mpi_info_get_string mpi_info_get_string__ MPI_INFO_GET_STRING
        pmpi_info_get_string_ pmpi_info_get_string pmpi_info_get_string__ PMPI_INFO_GET_STRING
        ompi_info_get_string_f;
    MPI_Info_get_valuelen: mpi_info_get_valuelen_ mpi_info_get_valuelen mpi_info_get_valuelen__
        MPI_INFO_GET_VALUELEN pmpi_info_get_valuelen_ pmpi_info_get_valuelen pmpi_info_get_valuelen__
        PMPI_INFO_GET_VALUELEN ompi_info_get_valuelen_f;
    MPI_Info_set: mpi_info_set_ mpi_info_set mpi_info_set__ MPI_INFO_SET pmpi_info_set_ pmpi_info_set
        pmpi_info_set__ PMPI_INFO_SET ompi_info_set_f;
    MPI_Init: mpi_init_ mpi_init mpi_init__ MPI_INIT pmpi_init_ pmpi_init pmpi_init__ PMPI_INIT ompi_init_f;
    MPI_Init_thread: mpi_init_thread_ mpi_init_thread mpi_init_thread__ MPI_INIT_THREAD pmpi_init_thread_
        pmpi_init_thread pmpi_init_thread__ PMPI_INIT_THREAD ompi_init_thread_f;
    MPI_Initialized: mpi_initialized_ mpi_initialized mpi_initialized__ MPI_INITIALIZED pmpi_initialized_
        pmpi_initialized pmpi_initialized__ PMPI_INITIALIZED ompi_initialized_f;
    MPI_Intercomm_create: mpi_intercomm_create_ mpi_intercomm_create mpi_intercomm_create__
        MPI_INTERCOMM_CREATE pmpi_intercomm_create_ pmpi_intercomm_create pmpi_intercomm_create__
        PMPI_INTERCOMM_CREATE ompi_intercomm_create_f;
    MPI_Intercomm_create_from_groups: mpi_intercomm_create_from_groups_ mpi_intercomm_create_from_groups
        mpi_intercomm_create_from_groups__ MPI_INTERCOMM_CREATE_FROM_GROUPS
        pmpi_intercomm_create_from_groups_ pmpi_intercomm_create_from_groups
        pmpi_intercomm_create_from_groups__ PMPI_INTERCOMM_CREATE_FROM_GROUPS
        ompi_intercomm_create_from_groups_f;
    MPI_Intercomm_merge: mpi_intercomm_merge_ mpi_intercomm_merge mpi_intercomm_merge__ MPI_INTERCOMM_MERGE
        pmpi_intercomm_merge_ pmpi_intercomm_merge pmpi_intercomm_merge__ PMPI_INTERCOMM_MERGE
        ompi_intercomm_merge_f;
    MPI_Iprobe: mpi_iprobe_ mpi_iprobe mpi_iprobe__ MPI_IPROBE pmpi_iprobe_ pmpi_iprobe pmpi_iprobe__
        PMPI_IPROBE ompi_iprobe_f;
    MPI_Irecv: mpi_irecv_ mpi_irecv mpi_irecv__ MPI_IRECV pmpi_irecv_ pmpi_irecv pmpi_irecv__ PMPI_IRECV
        ompi_irecv_f;
    MPI_Ireduce: mpi_ireduce_ mpi_ireduce mpi_ireduce__ MPI_IREDUCE pmpi_ireduce_ pmpi_ireduce pmpi_ireduce__
        PMPI_IREDUCE ompi_ireduce_f;
    MPI_Ireduce_scatter: mpi_ireduce_scatter_ mpi_ireduce_scatter mpi_ireduce_scatter__ MPI_IREDUCE_SCATTER
        pmpi_ireduce_scatter_ pmpi_ireduce_scatter pmpi_ireduce_scatter__ PMPI_IREDUCE_SCATTER
        ompi_ireduce_scatter_f;
    MPI_Ireduce_scatter_block: mpi_ireduce_scatter_block_ mpi_ireduce_scatter_block
        mpi_ireduce_scatter_block__ MPI_IREDUCE_SCATTER_BLOCK pmpi_ireduce_scatter_block_
        pmpi_ireduce_scatter_block pmpi_ireduce_scatter_block__ PMPI_IREDUCE_SCATTER_BLOCK
        ompi_ireduce_scatter_block_f;
    MPI_Irsend: mpi_irsend_ mpi_irsend mpi_irsend__ MPI_IRSEND pmpi_irsend_ pmpi_irsend pmpi_irsend__
        PMPI_IRSEND ompi_irsend_f;
    MPI_Is_thread_main: mpi_is_thread_main_ mpi_is_thread_main mpi_is_thread_main__ MPI_IS_THREAD_MAIN
        pmpi_is_thread_main_ pmpi_is_thread_main pmpi_is_thread_main__ PMPI_IS_THREAD_MAIN
        ompi_is_thread_main_f;
    MPI_Iscan: mpi_iscan_ mpi_iscan mpi_iscan__ MPI_ISCAN pmpi_iscan_ pmpi_iscan pmpi_iscan__ PMPI_ISCAN
        ompi_iscan_f;
    MPI_Iscatter: mpi_iscatter_ mpi_iscatter mpi_iscatter__ MPI_ISCATTER pmpi_iscatter_ pmpi_iscatter
        pmpi_iscatter__ PMPI_ISCATTER ompi_iscatter_f;
    MPI_Iscatterv: mpi_iscatterv_ mpi_iscatterv mpi_iscatterv__ MPI_ISCATTERV pmpi_iscatterv_ pmpi_iscatterv
        pmpi_iscatterv__ PMPI_ISCATTERV ompi_iscatterv_f;
    MPI_Isend: mpi_isend_ mpi_isend mpi_isend__ MPI_ISEND pmpi_isend_ pmpi_isend pmpi_isend__ PMPI_ISEND
        ompi_isend_f;
    MPI_Isendrecv: mpi_isendrecv_ mpi_isendrecv mpi_isendrecv__ MPI_ISENDRECV pmpi_isendrecv_ pmpi_isendrecv
        pmpi_isendrecv__ PMPI_ISENDRECV ompi_isendrecv_f;
    MPI_Isendrecv_replace: mpi_isendrecv_replace_ mpi_isendrecv_replace mpi_isendrecv_replace__
        MPI_ISENDRECV_REPLACE pmpi_isendrecv_replace_ pmpi_isendrecv_replace pmpi_isendrecv_replace__
        PMPI_ISENDRECV_REPLACE ompi_isendrecv_replace_f;
    MPI_Issend: mpi_issend_ mpi_issend mpi_issend__ MPI_ISSEND pmpi_issend_ pmpi_issend pmpi_issend__
        PMPI_ISSEND ompi_issend_f;
    MPI_Keyval_create: mpi_keyval_create_ mpi_keyval_create mpi_keyval_create__ MPI_KEYVAL_CREATE
        pmpi_keyval_create_ pmpi_keyval_create pmpi_keyval_create__ PMPI_KEYVAL_CREATE ompi_keyval_create_f;
    MPI_Keyval_free: mpi_keyval_free_ mpi_keyval_free mpi_keyval_free__ MPI_KEYVAL_FREE pmpi_keyval_free_
        pmpi_keyval_free pmpi_keyval_free__ PMPI_KEYVAL_FREE ompi_keyval_free_f;
    MPI_Lookup_name: mpi_lookup_name_ mpi_lookup_name mpi_lookup_name__ MPI_LOOKUP_NAME pmpi_lookup_name_
        pmpi_lookup_name pmpi_lookup_name__ PMPI_LOOKUP_NAME ompi_lookup_name_f;
    MPI_Mprobe: mpi_mprobe_ mpi_mprobe mpi_mprobe__ MPI_MPROBE pmpi_mprobe_ pmpi_mprobe pmpi_mprobe__
        PMPI_MPROBE ompi_mprobe_f;
    MPI_Mrecv: mpi_mrecv_ mpi_mrecv mpi_mrecv__ MPI_MRECV pmpi_mrecv_ pmpi_mrecv pmpi_mrecv__ PMPI_MRECV
        ompi_mrecv_f;
    MPI_Neighbor_allgather: mpi_neighbor_allgather_ mpi_neighbor_allgather mpi_neighbor_allgather__
        MPI_NEIGHBOR_ALLGATHER pmpi_neighbor_allgather_ pmpi_neighbor_allgather pmpi_neighbor_allgather__
        PMPI_NEIGHBOR_ALLGATHER ompi_neighbor_allgather_f;
    MPI_Neighbor_allgather_init: mpi_neighbor_allgather_init_ mpi_neighbor_allgather_init
        mpi_neighbor_allgather_init__ MPI_NEIGHBOR_ALLGATHER_INIT pmpi_neighbor_allgather_init_
        pmpi_neighbor_allgather_init pmpi_neighbor_allgather_init__ PMPI_NEIGHBOR_ALLGATHER_INIT
        ompi_neighbor_allgather_init_f mpix_neighbor_allgather_init_ mpix_neighbor_allgather_init
        mpix_neighbor_allgather_init__ MPIX_NEIGHBOR_ALLGATHER_INIT pmpix_neighbor_allgather_init_
        pmpix_neighbor_allgather_init pmpix_neighbor_allgather_init__ PMPIX_NEIGHBOR_ALLGATHER_INIT
        ompix_neighbor_allgather_init_f;
    MPI_Neighbor_allgatherv: mpi_neighbor_allgatherv_ mpi_neighbor_allgatherv mpi_neighbor_allgatherv__
        MPI_NEIGHBOR_ALLGATHERV pmpi_neighbor_allgatherv_ pmpi_neighbor_allgatherv pmpi_neighbor_allgatherv__
        PMPI_NEIGHBOR_ALLGATHERV ompi_neighbor_allgatherv_f;
    MPI_Neighbor_allgatherv_init: mpi_neighbor_allgatherv_init_ mpi_neighbor_allgatherv_init
        mpi_neighbor_allgatherv_init__ MPI_NEIGHBOR_ALLGATHERV_INIT pmpi_neighbor_allgatherv_init_
        pmpi_neighbor_allgatherv_init pmpi_neighbor_allgatherv_init__ PMPI_NEIGHBOR_ALLGATHERV_INIT
        ompi_neighbor_allgatherv_init_f mpix_neighbor_allgatherv_init_ mpix_neighbor_allgatherv_init
        mpix_neighbor_allgatherv_init__ MPIX_NEIGHBOR_ALLGATHERV_INIT pmpix_neighbor_allgatherv_init_
        pmpix_neighbor_allgatherv_init pmpix_neighbor_allgatherv_init__ PMPIX_NEIGHBOR_ALLGATHERV_INIT
        ompix_neighbor_allgatherv_init_f;
    MPI_Neighbor_alltoall: mpi_neighbor_alltoall_ mpi_neighbor_alltoall mpi_neighbor_alltoall__
        MPI_NEIGHBOR_ALLTOALL pmpi_neighbor_alltoall_ pmpi_neighbor_alltoall pmpi_neighbor_alltoall__
        PMPI_NEIGHBOR_ALLTOALL ompi_neighbor_alltoall_f;
    MPI_Neighbor_alltoall_init: mpi_neighbor_alltoall_init_ mpi_neighbor_alltoall_init
        mpi_neighbor_alltoall_init__ MPI_NEIGHBOR_ALLTOALL_INIT pmpi_neighbor_alltoall_init_
        pmpi_neighbor_alltoall_init pmpi_neighbor_alltoall_init__ PMPI_NEIGHBOR_ALLTOALL_INIT
        ompi_neighbor_alltoall_init_f mpix_neighbor_alltoall_init_ mpix_neighbor_alltoall_init
        mpix_neighbor_alltoall_init__ MPIX_NEIGHBOR_ALLTOALL_INIT pmpix_neighbor_alltoall_init_
        pmpix_neighbor_alltoall_init pmpix_neighbor_alltoall_init__ PMPIX_NEIGHBOR_ALLTOALL_INIT
        ompix_neighbor_alltoall_init_f;
    MPI_Neighbor_alltoallv: mpi_neighbor_alltoallv_ mpi_neighbor_alltoallv mpi_neighbor_alltoallv__
        MPI_NEIGHBOR_ALLTOALLV pmpi_neighbor_alltoallv_ pmpi_neighbor_alltoallv pmpi_neighbor_alltoallv__
        PMPI_NEIGHBOR_ALLTOALLV ompi_neighbor_alltoallv_f;
    MPI_Neighbor_alltoallv_init: mpi_neighbor_alltoallv_init_ mpi_neighbor_alltoallv_init
        mpi_neighbor_alltoallv_init__ MPI_NEIGHBOR_ALLTOALLV_INIT pmpi_neighbor_alltoallv_init_
        pmpi_neighbor_alltoallv_init pmpi_neighbor_alltoallv_init__ PMPI_NEIGHBOR_ALLTOALLV_INIT
        ompi_neighbor_alltoallv_init_f mpix_neighbor_alltoallv_init_ mpix_neighbor_alltoallv_init
        mpix_neighbor_alltoallv_init__ MPIX_NEIGHBOR_ALLTOALLV_INIT pmpix_neighbor_alltoallv_init_
        pmpix_neighbor_alltoallv_init pmpix_neighbor_alltoallv_init__ PMPIX_NEIGHBOR_ALLTOALLV_INIT
        ompix_neighbor_alltoallv_init_f;
    MPI_Neighbor_alltoallw: mpi_neighbor_alltoallw_ mpi_neighbor_alltoallw mpi_neighbor_alltoallw__
        MPI_NEIGHBOR_ALLTOALLW pmpi_neighbor_alltoallw_ pmpi_neighbor_alltoallw pmpi_neighbor_alltoallw__
        PMPI_NEIGHBOR_ALLTOALLW ompi_neighbor_alltoallw_f;
    MPI_Neighbor_alltoallw_init: mpi_neighbor_alltoallw_init_ mpi_neighbor_alltoallw_init
        mpi_neighbor_alltoallw_init__ MPI_NEIGHBOR_ALLTOALLW_INIT pmpi_neighbor_alltoallw_init_
        pmpi_neighbor_alltoallw_init pmpi_neighbor_alltoallw_init__ PMPI_NEIGHBOR_ALLTOALLW_INIT
        ompi_neighbor_alltoallw_init_f mpix_neighbor_alltoallw_init_ mpix_neighbor_alltoallw_init
        mpix_neighbor_alltoallw_init__ MPIX_NEIGHBOR_ALLTOALLW_INIT pmpix_neighbor_alltoallw_init_
        pmpix_neighbor_alltoallw_init pmpix_neighbor_alltoallw_init__ PMPIX_NEIGHBOR_ALLTOALLW_INIT
        ompix_neighbor_alltoallw_init_f;
    MPI_Op_commutative: mpi_op_commutative_ mpi_op_commutative mpi_op_commutative__ MPI_OP_COMMUTATIVE
        pmpi_op_commutative_ pmpi_op_commutative pmpi_op_commutative__ PMPI_OP_COMMUTATIVE
        ompi_op_commutative_f;
    MPI_Op_create: mpi_op_create_ mpi_op_create mpi_op_create__ MPI_OP_CREATE pmpi_op_create_ pmpi_op_create
        pmpi_op_create__ PMPI_OP_CREATE ompi_op_create_f;
    MPI_Op_free: mpi_op_free_ mpi_op_free mpi_op_free__ MPI_OP_FREE pmpi_op_free_ pmpi_op_free pmpi_op_free__
        PMPI_OP_FREE ompi_op_free_f;
    MPI_Open_port: mpi_open_port_ mpi_open_port mpi_open_port__ MPI_OPEN_PORT pmpi_open_port_ pmpi_open_port
        pmpi_open_port__ PMPI_OPEN_PORT ompi_open_port_f;
    MPI_Pack: mpi_pack_ mpi_pack mpi_pack__ MPI_PACK pmpi_pack_ pmpi_pack pmpi_pack__ PMPI_PACK ompi_pack_f;
    MPI_Pack_external: mpi_pack_external_ mpi_pack_external mpi_pack_external__ MPI_PACK_EXTERNAL
        pmpi_pack_external_ pmpi_pack_external pmpi_pack_external__ PMPI_PACK_EXTERNAL ompi_pack_external_f;
    MPI_Pack_external_size: mpi_pack_external_size_ mpi_pack_external_size mpi_pack_external_size__
        MPI_PACK_EXTERNAL_SIZE pmpi_pack_external_size_ pmpi_pack_external_size pmpi_pack_external_size__
        PMPI_PACK_EXTERNAL_SIZE ompi_pack_external_size_f;
    MPI_Pack_size: mpi_pack_size_ mpi_pack_size mpi_pack_size__ MPI_PACK_SIZE pmpi_pack_size_ pmpi_pack_size
        pmpi_pack_size__ PMPI_PACK_SIZE ompi_pack_size_f;
    MPI_Parrived: mpi_parrived_ mpi_parrived mpi_parrived__ MPI_PARRIVED pmpi_parrived_ pmpi_parrived
        pmpi_parrived__ PMPI_PARRIVED ompi_parrived_f;
    MPI_Pcontrol: mpi_pcontrol_ mpi_pcontrol mpi_pcontrol__ MPI_PCONTROL pmpi_pcontrol_ pmpi_pcontrol
        pmpi_pcontrol__ PMPI_PCONTROL ompi_pcontrol_f;
    MPI_Pready: mpi_pready_ mpi_pready mpi_pready__ MPI_PREADY pmpi_pready_ pmpi_pready pmpi_pready__
        PMPI_PREADY ompi_pready_f;
    MPI_Pready_list: mpi_pready_list_ mpi_pready_list mpi_pready_list__ MPI_PREADY_LIST pmpi_pready_list_
        pmpi_pready_list pmpi_pready_list__ PMPI_PREADY_LIST ompi_pready_list_f;
    MPI_Pready_range: mpi_pready_range_ mpi_pready_range mpi_pready_range__ MPI_PREADY_RANGE
        pmpi_pready_range_ pmpi_pready_range pmpi_pready_range__ PMPI_PREADY_RANGE ompi_pready_range_f;
    MPI_Precv_init: mpi_precv_init_ mpi_precv_init mpi_precv_init__ MPI_PRECV_INIT pmpi_precv_init_
        pmpi_precv_init pmpi_precv_init__ PMPI_PRECV_INIT ompi_precv_init_f;
    MPI_Probe: mpi_probe_ mpi_probe mpi_probe__ MPI_PROBE pmpi_probe_ pmpi_probe pmpi_probe__ PMPI_PROBE
        ompi_probe_f;
    MPI_Psend_init: mpi_psend_init_ mpi_psend_init mpi_psend_init__ MPI_PSEND_INIT pmpi_psend_init_
        pmpi_psend_init pmpi_psend_init__ PMPI_PSEND_INIT ompi_psend_init_f;
    MPI_Publish_name: mpi_publish_name_ mpi_publish_name mpi_publish_name__ MPI_PUBLISH_NAME
        pmpi_publish_name_ pmpi_publish_name pmpi_publish_name__ PMPI_PUBLISH_NAME ompi_publish_name_f;
    MPI_Put: mpi_put_ mpi_put mpi_put__ MPI_PUT pmpi_put_ pmpi_put pmpi_put__ PMPI_PUT ompi_put_f;
    MPI_Query_thread: mpi_query_thread_ mpi_query_thread mpi_query_thread__ MPI_QUERY_THREAD
        pmpi_query_thread_ pmpi_query_thread pmpi_query_thread__ PMPI_QUERY_THREAD ompi_query_thread_f;
    MPI_Raccumulate: mpi_raccumulate_ mpi_raccumulate mpi_raccumulate__ MPI_RACCUMULATE pmpi_raccumulate_
        pmpi_raccumulate pmpi_raccumulate__ PMPI_RACCUMULATE ompi_raccumulate_f;
    MPI_Recv: mpi_recv_ mpi_recv mpi_recv__ MPI_RECV pmpi_recv_ pmpi_recv pmpi_recv__ PMPI_RECV ompi_recv_f;
    MPI_Recv_init: mpi_recv_init_ mpi_recv_init mpi_recv_init__ MPI_RECV_INIT pmpi_recv_init_ pmpi_recv_init
        pmpi_recv_init__ PMPI_RECV_INIT ompi_recv_init_f;
    MPI_Reduce: mpi_reduce_ mpi_reduce mpi_reduce__ MPI_REDUCE pmpi_reduce_ pmpi_reduce pmpi_reduce__
        PMPI_REDUCE ompi_reduce_f;
    MPI_Reduce_init: mpi_reduce_init_ mpi_reduce_init mpi_reduce_init__ MPI_REDUCE_INIT pmpi_reduce_init_
        pmpi_reduce_init pmpi_reduce_init__ PMPI_REDUCE_INIT ompi_reduce_init_f mpix_reduce_init_
        mpix_reduce_init mpix_reduce_init__ MPIX_REDUCE_INIT pmpix_reduce_init_ pmpix_reduce_init
        pmpix_reduce_init__ PMPIX_REDUCE_INIT ompix_reduce_init_f;
    MPI_Reduce_local: mpi_reduce_local_ mpi_reduce_local mpi_reduce_local__ MPI_REDUCE_LOCAL
        pmpi_reduce_local_ pmpi_reduce_local pmpi_reduce_local__ PMPI_REDUCE_LOCAL ompi_reduce_local_f;
    MPI_Reduce_scatter: mpi_reduce_scatter_ mpi_reduce_scatter mpi_reduce_scatter__ MPI_REDUCE_SCATTER
        pmpi_reduce_scatter_ pmpi_reduce_scatter pmpi_reduce_scatter__ PMPI_REDUCE_SCATTER
        ompi_reduce_scatter_f;
    MPI_Reduce_scatter_block: mpi_reduce_scatter_block_ mpi_reduce_scatter_block mpi_reduce_scatter_block__
        MPI_REDUCE_SCATTER_BLOCK pmpi_reduce_scatter_block_ pmpi_reduce_scatter_block
        pmpi_reduce_scatter_block__ PMPI_REDUCE_SCATTER_BLOCK ompi_reduce_scatter_block_f;
    MPI_Reduce_scatter_block_init: mpi_reduce_scatter_block_init_ mpi_reduce_scatter_block_init
        mpi_reduce_scatter_block_init__ MPI_REDUCE_SCATTER_BLOCK_INIT pmpi_reduce_scatter_block_init_
        pmpi_reduce_scatter_block_init pmpi_reduce_scatter_block_init__ PMPI_REDUCE_SCATTER_BLOCK_INIT
        ompi_reduce_scatter_block_init_f mpix_reduce_scatter_block_init_ mpix_reduce_scatter_block_init
        mpix_reduce_scatter_block_init__ MPIX_REDUCE_SCATTER_BLOCK_INIT pmpix_reduce_scatter_block_init_
        pmpix_reduce_scatter_block_init pmpix_reduce_scatter_block_init__ PMPIX_REDUCE_SCATTER_BLOCK_INIT
        ompix_reduce_scatter_block_init_f;
    MPI_Reduce_scatter_init: mpi_reduce_scatter_init_ mpi_reduce_scatter_init mpi_reduce_scatter_init__
        MPI_REDUCE_SCATTER_INIT pmpi_reduce_scatter_init_ pmpi_reduce_scatter_init pmpi_reduce_scatter_init__
        PMPI_REDUCE_SCATTER_INIT ompi_reduce_scatter_init_f mpix_reduce_scatter_init_
        mpix_reduce_scatter_init mpix_reduce_scatter_init__ MPIX_REDUCE_SCATTER_INIT
        pmpix_reduce_scatter_init_ pmpix_reduce_scatter_init pmpix_reduce_scatter_init__
        PMPIX_REDUCE_SCATTER_INIT ompix_reduce_scatter_init_f;
    MPI_Register_datarep: mpi_register_datarep_ mpi_register_datarep mpi_register_datarep__
        MPI_REGISTER_DATAREP pmpi_register_datarep_ pmpi_register_datarep pmpi_register_datarep__
        PMPI_REGISTER_DATAREP ompi_register_datarep_f;
    MPI_Remove_error_class: mpi_remove_error_class_ mpi_remove_error_class mpi_remove_error_class__
        MPI_REMOVE_ERROR_CLASS pmpi_remove_error_class_ pmpi_remove_error_class pmpi_remove_error_class__
        PMPI_REMOVE_ERROR_CLASS ompi_remove_error_class_f;
    MPI_Remove_error_code: mpi_remove_error_code_ mpi_remove_error_code mpi_remove_error_code__
        MPI_REMOVE_ERROR_CODE pmpi_remove_error_code_ pmpi_remove_error_code pmpi_remove_error_code__
        PMPI_REMOVE_ERROR_CODE ompi_remove_error_code_f;
    MPI_Remove_error_string: mpi_remove_error_string_ mpi_remove_error_string mpi_remove_error_string__
        MPI_REMOVE_ERROR_STRING pmpi_remove_error_string_ pmpi_remove_error_string pmpi_remove_error_string__
        PMPI_REMOVE_ERROR_STRING ompi_remove_error_string_f;
    MPI_Request_free: mpi_request_free_ mpi_request_free mpi_request_free__ MPI_REQUEST_FREE
        pmpi_request_free_ pmpi_request_free pmpi_request_free__ PMPI_REQUEST_FREE ompi_request_free_f;
    MPI_Request_get_status: mpi_request_get_status_ mpi_request_get_status mpi_request_get_status__
        MPI_REQUEST_GET_STATUS pmpi_request_get_status_ pmpi_request_get_status pmpi_request_get_status__
        PMPI_REQUEST_GET_STATUS ompi_request_get_status_f;
    MPI_Request_get_status_all: mpi_request_get_status_all_ mpi_request_get_status_all
        mpi_request_get_status_all__ MPI_REQUEST_GET_STATUS_ALL pmpi_request_get_status_all_
        pmpi_request_get_status_all pmpi_request_get_status_all__ PMPI_REQUEST_GET_STATUS_ALL
        ompi_request_get_status_all_f;
    MPI_Request_get_status_any: mpi_request_get_status_any_ mpi_request_get_status_any
        mpi_request_get_status_any__ MPI_REQUEST_GET_STATUS_ANY pmpi_request_get_status_any_
        pmpi_request_get_status_any pmpi_request_get_status_any__ PMPI_REQUEST_GET_STATUS_ANY
        ompi_request_get_status_any_f;
    MPI_Request_get_status_some: mpi_request_get_status_some_ mpi_request_get_status_some
        mpi_request_get_status_some__ MPI_REQUEST_GET_STATUS_SOME pmpi_request_get_status_some_
        pmpi_request_get_status_some pmpi_request_get_status_some__ PMPI_REQUEST_GET_STATUS_SOME
        ompi_request_get_status_some_f;
    MPI_Rget: mpi_rget_ mpi_rget mpi_rget__ MPI_RGET pmpi_rget_ pmpi_rget pmpi_rget__ PMPI_RGET ompi_rget_f;
    MPI_Rget_accumulate: mpi_rget_accumulate_ mpi_rget_accumulate mpi_rget_accumulate__ MPI_RGET_ACCUMULATE
        pmpi_rget_accumulate_ pmpi_rget_accumulate pmpi_rget_accumulate__ PMPI_RGET_ACCUMULATE
        ompi_rget_accumulate_f;
    MPI_Rput: mpi_rput_ mpi_rput mpi_rput__ MPI_RPUT pmpi_rput_ pmpi_rput pmpi_rput__ PMPI_RPUT ompi_rput_f;
    MPI_Rsend: mpi_rsend_ mpi_rsend mpi_rsend__ MPI_RSEND pmpi_rsend_ pmpi_rsend pmpi_rsend__ PMPI_RSEND
        ompi_rsend_f;
    MPI_Rsend_init: mpi_rsend_init_ mpi_rsend_init mpi_rsend_init__ MPI_RSEND_INIT pmpi_rsend_init_
        pmpi_rsend_init pmpi_rsend_init__ PMPI_RSEND_INIT ompi_rsend_init_f;
    MPI_Scan: mpi_scan_ mpi_scan mpi_scan__ MPI_SCAN pmpi_scan_ pmpi_scan pmpi_scan__ PMPI_SCAN ompi_scan_f;
    MPI_Scan_init: mpi_scan_init_ mpi_scan_init mpi_scan_init__ MPI_SCAN_INIT pmpi_scan_init_ pmpi_scan_init
        pmpi_scan_init__ PMPI_SCAN_INIT ompi_scan_init_f mpix_scan_init_ mpix_scan_init mpix_scan_init__
        MPIX_SCAN_INIT pmpix_scan_init_ pmpix_scan_init pmpix_scan_init__ PMPIX_SCAN_INIT ompix_scan_init_f;
    MPI_Scatter: mpi_scatter_ mpi_scatter mpi_scatter__ MPI_SCATTER pmpi_scatter_ pmpi_scatter pmpi_scatter__
        PMPI_SCATTER ompi_scatter_f;
    MPI_Scatter_init: mpi_scatter_init_ mpi_scatter_init mpi_scatter_init__ MPI_SCATTER_INIT
        pmpi_scatter_init_ pmpi_scatter_init pmpi_scatter_init__ PMPI_SCATTER_INIT ompi_scatter_init_f
        mpix_scatter_init_ mpix_scatter_init mpix_scatter_init__ MPIX_SCATTER_INIT pmpix_scatter_init_
        pmpix_scatter_init pmpix_scatter_init__ PMPIX_SCATTER_INIT ompix_scatter_init_f;
    MPI_Scatterv: mpi_scatterv_ mpi_scatterv mpi_scatterv__ MPI_SCATTERV pmpi_scatterv_ pmpi_scatterv
        pmpi_scatterv__ PMPI_SCATTERV ompi_scatterv_f;
    MPI_Scatterv_init: mpi_scatterv_init_ mpi_scatterv_init mpi_scatterv_init__ MPI_SCATTERV_INIT
        pmpi_scatterv_init_ pmpi_scatterv_init pmpi_scatterv_init__ PMPI_SCATTERV_INIT ompi_scatterv_init_f
        mpix_scatterv_init_ mpix_scatterv_init mpix_scatterv_init__ MPIX_SCATTERV_INIT pmpix_scatterv_init_
        pmpix_scatterv_init pmpix_scatterv_init__ PMPIX_SCATTERV_INIT ompix_scatterv_init_f;
    MPI_Send: mpi_send_ mpi_send mpi_send__ MPI_SEND pmpi_send_ pmpi_send pmpi_send__ PMPI_SEND ompi_send_f;
    MPI_Send_init: mpi_send_init_ mpi_send_init mpi_send_init__ MPI_SEND_INIT pmpi_send_init_ pmpi_send_init
        pmpi_send_init__ PMPI_SEND_INIT ompi_send_init_f;
    MPI_Sendrecv: mpi_sendrecv_ mpi_sendrecv mpi_sendrecv__ MPI_SENDRECV pmpi_sendrecv_ pmpi_sendrecv
        pmpi_sendrecv__ PMPI_SENDRECV ompi_sendrecv_f;
    MPI_Sendrecv_replace: mpi_sendrecv_replace_ mpi_sendrecv_replace mpi_sendrecv_replace__
        MPI_SENDRECV_REPLACE pmpi_sendrecv_replace_ pmpi_sendrecv_replace pmpi_sendrecv_replace__
        PMPI_SENDRECV_REPLACE ompi_sendrecv_replace_f;
    MPI_Session_attach_buffer: mpi_session_attach_buffer_ mpi_session_attach_buffer
        mpi_session_attach_buffer__ MPI_SESSION_ATTACH_BUFFER pmpi_session_attach_buffer_
        pmpi_session_attach_buffer pmpi_session_attach_buffer__ PMPI_SESSION_ATTACH_BUFFER
        ompi_session_attach_buffer_f;
    MPI_Session_call_errhandler: mpi_session_call_errhandler_ mpi_session_call_errhandler
        mpi_session_call_errhandler__ MPI_SESSION_CALL_ERRHANDLER pmpi_session_call_errhandler_
        pmpi_session_call_errhandler pmpi_session_call_errhandler__ PMPI_SESSION_CALL_ERRHANDLER
        ompi_session_call_errhandler_f;
    MPI_Session_create_errhandler: mpi_session_create_errhandler_ mpi_session_create_errhandler
        mpi_session_create_errhandler__ MPI_SESSION_CREATE_ERRHANDLER pmpi_session_create_errhandler_
        pmpi_session_create_errhandler pmpi_session_create_errhandler__ PMPI_SESSION_CREATE_ERRHANDLER
        ompi_session_create_errhandler_f;
    MPI_Session_finalize: mpi_session_finalize_ mpi_session_finalize mpi_session_finalize__
        MPI_SESSION_FINALIZE pmpi_session_finalize_ pmpi_session_finalize pmpi_session_finalize__
        PMPI_SESSION_FINALIZE ompi_session_finalize_f;
    MPI_Session_flush_buffer: mpi_session_flush_buffer_ mpi_session_flush_buffer mpi_session_flush_buffer__
        MPI_SESSION_FLUSH_BUFFER pmpi_session_flush_buffer_ pmpi_session_flush_buffer
        pmpi_session_flush_buffer__ PMPI_SESSION_FLUSH_BUFFER ompi_session_flush_buffer_f;
    MPI_Session_get_errhandler: mpi_session_get_errhandler_ mpi_session_get_errhandler
        mpi_session_get_errhandler__ MPI_SESSION_GET_ERRHANDLER pmpi_session_get_errhandler_
        pmpi_session_get_errhandler pmpi_session_get_errhandler__ PMPI_SESSION_GET_ERRHANDLER
        ompi_session_get_errhandler_f;
    MPI_Session_get_info: mpi_session_get_info_ mpi_session_get_info mpi_session_get_info__
        MPI_SESSION_GET_INFO pmpi_session_get_info_ pmpi_session_get_info pmpi_session_get_info__
        PMPI_SESSION_GET_INFO ompi_session_get_info_f;
    MPI_Session_get_nth_pset: mpi_session_get_nth_pset_ mpi_session_get_nth_pset mpi_session_get_nth_pset__
        MPI_SESSION_GET_NTH_PSET pmpi_session_get_nth_pset_ pmpi_session_get_nth_pset
        pmpi_session_get_nth_pset__ PMPI_SESSION_GET_NTH_PSET ompi_session_get_nth_pset_f;
    MPI_Session_get_num_psets: mpi_session_get_num_psets_ mpi_session_get_num_psets
        mpi_session_get_num_psets__ MPI_SESSION_GET_NUM_PSETS pmpi_session_get_num_psets_
        pmpi_session_get_num_psets pmpi_session_get_num_psets__ PMPI_SESSION_GET_NUM_PSETS
        ompi_session_get_num_psets_f;
    MPI_Session_get_pset_info: mpi_session_get_pset_info_ mpi_session_get_pset_info
        mpi_session_get_pset_info__ MPI_SESSION_GET_PSET_INFO pmpi_session_get_pset_info_
        pmpi_session_get_pset_info pmpi_session_get_pset_info__ PMPI_SESSION_GET_PSET_INFO
        ompi_session_get_pset_info_f;
    MPI_Session_iflush_buffer: mpi_session_iflush_buffer_ mpi_session_iflush_buffer
        mpi_session_iflush_buffer__ MPI_SESSION_IFLUSH_BUFFER pmpi_session_iflush_buffer_
        pmpi_session_iflush_buffer pmpi_session_iflush_buffer__ PMPI_SESSION_IFLUSH_BUFFER
        ompi_session_iflush_buffer_f;
    MPI_Session_init: mpi_session_init_ mpi_session_init mpi_session_init__ MPI_SESSION_INIT
        pmpi_session_init_ pmpi_session_init pmpi_session_init__ PMPI_SESSION_INIT ompi_session_init_f;
    MPI_Session_set_errhandler: mpi_session_set_errhandler_ mpi_session_set_errhandler
        mpi_session_set_errhandler__ MPI_SESSION_SET_ERRHANDLER pmpi_session_set_errhandler_
        pmpi_session_set_errhandler pmpi_session_set_errhandler__ PMPI_SESSION_SET_ERRHANDLER
        ompi_session_set_errhandler_f;
    MPI_Ssend: mpi_ssend_ mpi_ssend mpi_ssend__ MPI_SSEND pmpi_ssend_ pmpi_ssend pmpi_ssend__ PMPI_SSEND
        ompi_ssend_f;
    MPI_Ssend_init: mpi_ssend_init_ mpi_ssend_init mpi_ssend_init__ MPI_SSEND_INIT pmpi_ssend_init_
        pmpi_ssend_init pmpi_ssend_init__ PMPI_SSEND_INIT ompi_ssend_init_f;
    MPI_Start: mpi_start_ mpi_start mpi_start__ MPI_START pmpi_start_ pmpi_start pmpi_start__ PMPI_START
        ompi_start_f;
    MPI_Startall: mpi_startall_ mpi_startall mpi_startall__ MPI_STARTALL pmpi_startall_ pmpi_startall
        pmpi_startall__ PMPI_STARTALL ompi_startall_f;
    MPI_Status_get_error: mpi_status_get_error_ mpi_status_get_error mpi_status_get_error__
        MPI_STATUS_GET_ERROR pmpi_status_get_error_ pmpi_status_get_error pmpi_status_get_error__
        PMPI_STATUS_GET_ERROR ompi_status_get_error_f;
    MPI_Status_get_source: mpi_status_get_source_ mpi_status_get_source mpi_status_get_source__
        MPI_STATUS_GET_SOURCE pmpi_status_get_source_ pmpi_status_get_source pmpi_status_get_source__
        PMPI_STATUS_GET_SOURCE ompi_status_get_source_f;
    MPI_Status_get_tag: mpi_status_get_tag_ mpi_status_get_tag mpi_status_get_tag__ MPI_STATUS_GET_TAG
        pmpi_status_get_tag_ pmpi_status_get_tag pmpi_status_get_tag__ PMPI_STATUS_GET_TAG
        ompi_status_get_tag_f;
    MPI_Status_set_cancelled: mpi_status_set_cancelled_ mpi_status_set_cancelled mpi_status_set_cancelled__
        MPI_STATUS_SET_CANCELLED pmpi_status_set_cancelled_ pmpi_status_set_cancelled
        pmpi_status_set_cancelled__ PMPI_STATUS_SET_CANCELLED ompi_status_set_cancelled_f;
    MPI_Status_set_elements: mpi_status_set_elements_ mpi_status_set_elements mpi_status_set_elements__
        MPI_STATUS_SET_ELEMENTS pmpi_status_set_elements_ pmpi_status_set_elements pmpi_status_set_elements__
        PMPI_STATUS_SET_ELEMENTS ompi_status_set_elements_f;
    MPI_Status_set_elements_x: mpi_status_set_elements_x_ mpi_status_set_elements_x
        mpi_status_set_elements_x__ MPI_STATUS_SET_ELEMENTS_X pmpi_status_set_elements_x_
        pmpi_status_set_elements_x pmpi_status_set_elements_x__ PMPI_STATUS_SET_ELEMENTS_X
        ompi_status_set_elements_x_f;
    MPI_Status_set_error: mpi_status_set_error_ mpi_status_set_error mpi_status_set_error__
        MPI_STATUS_SET_ERROR pmpi_status_set_error_ pmpi_status_set_error pmpi_status_set_error__
        PMPI_STATUS_SET_ERROR ompi_status_set_error_f;
    MPI_Status_set_source: mpi_status_set_source_ mpi_status_set_source mpi_status_set_source__
        MPI_STATUS_SET_SOURCE pmpi_status_set_source_ pmpi_status_set_source pmpi_status_set_source__
        PMPI_STATUS_SET_SOURCE ompi_status_set_source_f;
    MPI_Status_set_tag: mpi_status_set_tag_ mpi_status_set_tag mpi_status_set_tag__ MPI_STATUS_SET_TAG
        pmpi_status_set_tag_ pmpi_status_set_tag pmpi_status_set_tag__ PMPI_STATUS_SET_TAG
        ompi_status_set_tag_f;
    MPI_Test: mpi_test_ mpi_test mpi_test__ MPI_TEST pmpi_test_ pmpi_test pmpi_test__ PMPI_TEST ompi_test_f;
    MPI_Test_cancelled: mpi_test_cancelled_ mpi_test_cancelled mpi_test_cancelled__ MPI_TEST_CANCELLED
        pmpi_test_cancelled_ pmpi_test_cancelled pmpi_test_cancelled__ PMPI_TEST_CANCELLED
        ompi_test_cancelled_f;
    MPI_Testall: mpi_testall_ mpi_testall mpi_testall__ MPI_TESTALL pmpi_testall_ pmpi_testall pmpi_testall__
        PMPI_TESTALL ompi_testall_f;
    MPI_Testany: mpi_testany_ mpi_testany mpi_testany__ MPI_TESTANY pmpi_testany_ pmpi_testany pmpi_testany__
        PMPI_TESTANY ompi_testany_f;
    MPI_Testsome: mpi_testsome_ mpi_testsome mpi_testsome__ MPI_TESTSOME pmpi_testsome_ pmpi_testsome
        pmpi_testsome__ PMPI_TESTSOME ompi_testsome_f;
    MPI_Topo_test: mpi_topo_test_ mpi_topo_test mpi_topo_test__ MPI_TOPO_TEST pmpi_topo_test_ pmpi_topo_test
        pmpi_topo_test__ PMPI_TOPO_TEST ompi_topo_test_f;
    MPI_Type_commit: mpi_type_commit_ mpi_type_commit mpi_type_commit__ MPI_TYPE_COMMIT pmpi_type_commit_
        pmpi_type_commit pmpi_type_commit__ PMPI_TYPE_COMMIT ompi_type_commit_f;
    MPI_Type_contiguous: mpi_type_contiguous_ mpi_type_contiguous mpi_type_contiguous__ MPI_TYPE_CONTIGUOUS
        pmpi_type_contiguous_ pmpi_type_contiguous pmpi_type_contiguous__ PMPI_TYPE_CONTIGUOUS
        ompi_type_contiguous_f;
    MPI_Type_create_darray: mpi_type_create_darray_ mpi_type_create_darray mpi_type_create_darray__
        MPI_TYPE_CREATE_DARRAY pmpi_type_create_darray_ pmpi_type_create_darray pmpi_type_create_darray__
        PMPI_TYPE_CREATE_DARRAY ompi_type_create_darray_f;
    MPI_Type_create_f90_complex: mpi_type_create_f90_complex_ mpi_type_create_f90_complex
        mpi_type_create_f90_complex__ MPI_TYPE_CREATE_F90_COMPLEX pmpi_type_create_f90_complex_
        pmpi_type_create_f90_complex pmpi_type_create_f90_complex__ PMPI_TYPE_CREATE_F90_COMPLEX
        ompi_type_create_f90_complex_f;
    MPI_Type_create_f90_integer: mpi_type_create_f90_integer_ mpi_type_create_f90_integer
        mpi_type_create_f90_integer__ MPI_TYPE_CREATE_F90_INTEGER pmpi_type_create_f90_integer_
        pmpi_type_create_f90_integer pmpi_type_create_f90_integer__ PMPI_TYPE_CREATE_F90_INTEGER
        ompi_type_create_f90_integer_f;
    MPI_Type_create_f90_real: mpi_type_create_f90_real_ mpi_type_create_f90_real mpi_type_create_f90_real__
        MPI_TYPE_CREATE_F90_REAL pmpi_type_create_f90_real_ pmpi_type_create_f90_real
        pmpi_type_create_f90_real__ PMPI_TYPE_CREATE_F90_REAL ompi_type_create_f90_real_f;
    MPI_Type_create_hindexed: mpi_type_create_hindexed_ mpi_type_create_hindexed mpi_type_create_hindexed__
        MPI_TYPE_CREATE_HINDEXED pmpi_type_create_hindexed_ pmpi_type_create_hindexed
        pmpi_type_create_hindexed__ PMPI_TYPE_CREATE_HINDEXED ompi_type_create_hindexed_f;
    MPI_Type_create_hindexed_block: mpi_type_create_hindexed_block_ mpi_type_create_hindexed_block
        mpi_type_create_hindexed_block__ MPI_TYPE_CREATE_HINDEXED_BLOCK pmpi_type_create_hindexed_block_
        pmpi_type_create_hindexed_block pmpi_type_create_hindexed_block__ PMPI_TYPE_CREATE_HINDEXED_BLOCK
        ompi_type_create_hindexed_block_f;
    MPI_Type_create_hvector: mpi_type_create_hvector_ mpi_type_create_hvector mpi_type_create_hvector__
        MPI_TYPE_CREATE_HVECTOR pmpi_type_create_hvector_ pmpi_type_create_hvector pmpi_type_create_hvector__
        PMPI_TYPE_CREATE_HVECTOR ompi_type_create_hvector_f;
    MPI_Type_create_indexed_block: mpi_type_create_indexed_block_ mpi_type_create_indexed_block
        mpi_type_create_indexed_block__ MPI_TYPE_CREATE_INDEXED_BLOCK pmpi_type_create_indexed_block_
        pmpi_type_create_indexed_block pmpi_type_create_indexed_block__ PMPI_TYPE_CREATE_INDEXED_BLOCK
        ompi_type_create_indexed_block_f;
    MPI_Type_create_keyval: mpi_type_create_keyval_ mpi_type_create_keyval mpi_type_create_keyval__
        MPI_TYPE_CREATE_KEYVAL pmpi_type_create_keyval_ pmpi_type_create_keyval pmpi_type_create_keyval__
        PMPI_TYPE_CREATE_KEYVAL ompi_type_create_keyval_f;
    MPI_Type_create_resized: mpi_type_create_resized_ mpi_type_create_resized mpi_type_create_resized__
        MPI_TYPE_CREATE_RESIZED pmpi_type_create_resized_ pmpi_type_create_resized pmpi_type_create_resized__
        PMPI_TYPE_CREATE_RESIZED ompi_type_create_resized_f;
    MPI_Type_create_struct: mpi_type_create_struct_ mpi_type_create_struct mpi_type_create_struct__
        MPI_TYPE_CREATE_STRUCT pmpi_type_create_struct_ pmpi_type_create_struct pmpi_type_create_struct__
        PMPI_TYPE_CREATE_STRUCT ompi_type_create_struct_f;
    MPI_Type_create_subarray: mpi_type_create_subarray_ mpi_type_create_subarray mpi_type_create_subarray__
        MPI_TYPE_CREATE_SUBARRAY pmpi_type_create_subarray_ pmpi_type_create_subarray
        pmpi_type_create_subarray__ PMPI_TYPE_CREATE_SUBARRAY ompi_type_create_subarray_f;
    MPI_Type_delete_attr: mpi_type_delete_attr_ mpi_type_delete_attr mpi_type_delete_attr__
        MPI_TYPE_DELETE_ATTR pmpi_type_delete_attr_ pmpi_type_delete_attr pmpi_type_delete_attr__
        PMPI_TYPE_DELETE_ATTR ompi_type_delete_attr_f;
    MPI_Type_dup: mpi_type_dup_ mpi_type_dup mpi_type_dup__ MPI_TYPE_DUP pmpi_type_dup_ pmpi_type_dup
        pmpi_type_dup__ PMPI_TYPE_DUP ompi_type_dup_f;
    MPI_Type_extent: mpi_type_extent_ mpi_type_extent mpi_type_extent__ MPI_TYPE_EXTENT pmpi_type_extent_
        pmpi_type_extent pmpi_type_extent__ PMPI_TYPE_EXTENT ompi_type_extent_f;
    MPI_Type_free: mpi_type_free_ mpi_type_free mpi_type_free__ MPI_TYPE_FREE pmpi_type_free_ pmpi_type_free
        pmpi_type_free__ PMPI_TYPE_FREE ompi_type_free_f;
    MPI_Type_free_keyval: mpi_type_free_keyval_ mpi_type_free_keyval mpi_type_free_keyval__
        MPI_TYPE_FREE_KEYVAL pmpi_type_free_keyval_ pmpi_type_free_keyval pmpi_type_free_keyval__
        PMPI_TYPE_FREE_KEYVAL ompi_type_free_keyval_f;
    MPI_Type_get_attr: mpi_type_get_attr_ mpi_type_get_attr mpi_type_get_attr__ MPI_TYPE_GET_ATTR
        pmpi_type_get_attr_ pmpi_type_get_attr pmpi_type_get_attr__ PMPI_TYPE_GET_ATTR ompi_type_get_attr_f;
    MPI_Type_get_contents: mpi_type_get_contents_ mpi_type_get_contents mpi_type_get_contents__
        MPI_TYPE_GET_CONTENTS pmpi_type_get_contents_ pmpi_type_get_contents pmpi_type_get_contents__
        PMPI_TYPE_GET_CONTENTS ompi_type_get_contents_f;
    MPI_Type_get_envelope: mpi_type_get_envelope_ mpi_type_get_envelope mpi_type_get_envelope__
        MPI_TYPE_GET_ENVELOPE pmpi_type_get_envelope_ pmpi_type_get_envelope pmpi_type_get_envelope__
        PMPI_TYPE_GET_ENVELOPE ompi_type_get_envelope_f;
    MPI_Type_get_extent: mpi_type_get_extent_ mpi_type_get_extent mpi_type_get_extent__ MPI_TYPE_GET_EXTENT
        pmpi_type_get_extent_ pmpi_type_get_extent pmpi_type_get_extent__ PMPI_TYPE_GET_EXTENT
        ompi_type_get_extent_f;
    MPI_Type_get_extent_x: mpi_type_get_extent_x_ mpi_type_get_extent_x mpi_type_get_extent_x__
        MPI_TYPE_GET_EXTENT_X pmpi_type_get_extent_x_ pmpi_type_get_extent_x pmpi_type_get_extent_x__
        PMPI_TYPE_GET_EXTENT_X ompi_type_get_extent_x_f;
    MPI_Type_get_name: mpi_type_get_name_ mpi_type_get_name mpi_type_get_name__ MPI_TYPE_GET_NAME
        pmpi_type_get_name_ pmpi_type_get_name pmpi_type_get_name__ PMPI_TYPE_GET_NAME ompi_type_get_name_f;
    MPI_Type_get_true_extent: mpi_type_get_true_extent_ mpi_type_get_true_extent mpi_type_get_true_extent__
        MPI_TYPE_GET_TRUE_EXTENT pmpi_type_get_true_extent_ pmpi_type_get_true_extent
        pmpi_type_get_true_extent__ PMPI_TYPE_GET_TRUE_EXTENT ompi_type_get_true_extent_f;
    MPI_Type_get_true_extent_x: mpi_type_get_true_extent_x_ mpi_type_get_true_extent_x
        mpi_type_get_true_extent_x__ MPI_TYPE_GET_TRUE_EXTENT_X pmpi_type_get_true_extent_x_
        pmpi_type_get_true_extent_x pmpi_type_get_true_extent_x__ PMPI_TYPE_GET_TRUE_EXTENT_X
        ompi_type_get_true_extent_x_f;
    MPI_Type_get_value_index: mpi_type_get_value_index_ mpi_type_get_value_index mpi_type_get_value_index__
        MPI_TYPE_GET_VALUE_INDEX pmpi_type_get_value_index_ pmpi_type_get_value_index
        pmpi_type_get_value_index__ PMPI_TYPE_GET_VALUE_INDEX ompi_type_get_value_index_f;
    MPI_Type_hindexed: mpi_type_hindexed_ mpi_type_hindexed mpi_type_hindexed__ MPI_TYPE_HINDEXED
        pmpi_type_hindexed_ pmpi_type_hindexed pmpi_type_hindexed__ PMPI_TYPE_HINDEXED ompi_type_hindexed_f;
    MPI_Type_hvector: mpi_type_hvector_ mpi_type_hvector mpi_type_hvector__ MPI_TYPE_HVECTOR
        pmpi_type_hvector_ pmpi_type_hvector pmpi_type_hvector__ PMPI_TYPE_HVECTOR ompi_type_hvector_f;
    MPI_Type_indexed: mpi_type_indexed_ mpi_type_indexed mpi_type_indexed__ MPI_TYPE_INDEXED
        pmpi_type_indexed_ pmpi_type_indexed pmpi_type_indexed__ PMPI_TYPE_INDEXED ompi_type_indexed_f;
    MPI_Type_lb: mpi_type_lb_ mpi_type_lb mpi_type_lb__ MPI_TYPE_LB pmpi_type_lb_ pmpi_type_lb pmpi_type_lb__
        PMPI_TYPE_LB ompi_type_lb_f;
    MPI_Type_match_size: mpi_type_match_size_ mpi_type_match_size mpi_type_match_size__ MPI_TYPE_MATCH_SIZE
        pmpi_type_match_size_ pmpi_type_match_size pmpi_type_match_size__ PMPI_TYPE_MATCH_SIZE
        ompi_type_match_size_f;
    MPI_Type_set_attr: mpi_type_set_attr_ mpi_type_set_attr mpi_type_set_attr__ MPI_TYPE_SET_ATTR
        pmpi_type_set_attr_ pmpi_type_set_attr pmpi_type_set_attr__ PMPI_TYPE_SET_ATTR ompi_type_set_attr_f;
    MPI_Type_set_name: mpi_type_set_name_ mpi_type_set_name mpi_type_set_name__ MPI_TYPE_SET_NAME
        pmpi_type_set_name_ pmpi_type_set_name pmpi_type_set_name__ PMPI_TYPE_SET_NAME ompi_type_set_name_f;
    MPI_Type_size: mpi_type_size_ mpi_type_size mpi_type_size__ MPI_TYPE_SIZE pmpi_type_size_ pmpi_type_size
        pmpi_type_size__ PMPI_TYPE_SIZE ompi_type_size_f;
    MPI_Type_size_x: mpi_type_size_x_ mpi_type_size_x mpi_type_size_x__ MPI_TYPE_SIZE_X pmpi_type_size_x_
        pmpi_type_size_x pmpi_type_size_x__ PMPI_TYPE_SIZE_X ompi_type_size_x_f;
    MPI_Type_struct: mpi_type_struct_ mpi_type_struct mpi_type_struct__ MPI_TYPE_STRUCT pmpi_type_struct_
        pmpi_type_struct pmpi_type_struct__ PMPI_TYPE_STRUCT ompi_type_struct_f;
    MPI_Type_ub: mpi_type_ub_ mpi_type_ub mpi_type_ub__ MPI_TYPE_UB pmpi_type_ub_ pmpi_type_ub pmpi_type_ub__
        PMPI_TYPE_UB ompi_type_ub_f;
    MPI_Type_vector: mpi_type_vector_ mpi_type_vector mpi_type_vector__ MPI_TYPE_VECTOR pmpi_type_vector_
        pmpi_type_vector pmpi_type_vector__ PMPI_TYPE_VECTOR ompi_type_vector_f;
    MPI_Unpack: mpi_unpack_ mpi_unpack mpi_unpack__ MPI_UNPACK pmpi_unpack_ pmpi_unpack pmpi_unpack__
        PMPI_UNPACK ompi_unpack_f;
    MPI_Unpack_external: mpi_unpack_external_ mpi_unpack_external mpi_unpack_external__ MPI_UNPACK_EXTERNAL
        pmpi_unpack_external_ pmpi_unpack_external pmpi_unpack_external__ PMPI_UNPACK_EXTERNAL
        ompi_unpack_external_f;
    MPI_Unpublish_name: mpi_unpublish_name_ mpi_unpublish_name mpi_unpublish_name__ MPI_UNPUBLISH_NAME
        pmpi_unpublish_name_ pmpi_unpublish_name pmpi_unpublish_name__ PMPI_UNPUBLISH_NAME
        ompi_unpublish_name_f;
    MPI_Wait: mpi_wait_ mpi_wait mpi_wait__ MPI_WAIT pmpi_wait_ pmpi_wait pmpi_wait__ PMPI_WAIT ompi_wait_f;
    MPI_Waitall: mpi_waitall_ mpi_waitall mpi_waitall__ MPI_WAITALL pmpi_waitall_ pmpi_waitall pmpi_waitall__
        PMPI_WAITALL ompi_waitall_f;
    MPI_Waitany: mpi_waitany_ mpi_waitany mpi_waitany__ MPI_WAITANY pmpi_waitany_ pmpi_waitany pmpi_waitany__
        PMPI_WAITANY ompi_waitany_f;
    MPI_Waitsome: mpi_waitsome_ mpi_waitsome mpi_waitsome__ MPI_WAITSOME pmpi_waitsome_ pmpi_waitsome
        pmpi_waitsome__ PMPI_WAITSOME ompi_waitsome_f;
    MPI_Win_allocate: mpi_win_allocate_ mpi_win_allocate mpi_win_allocate__ MPI_WIN_ALLOCATE
        pmpi_win_allocate_ pmpi_win_allocate pmpi_win_allocate__ PMPI_WIN_ALLOCATE ompi_win_allocate_f
        mpi_win_allocate_cptr_ mpi_win_allocate_cptr mpi_win_allocate_cptr__ MPI_WIN_ALLOCATE_CPTR
        pmpi_win_allocate_cptr_ pmpi_win_allocate_cptr pmpi_win_allocate_cptr__ PMPI_WIN_ALLOCATE_CPTR
        ompi_win_allocate_cptr_f;
    MPI_Win_allocate_shared: mpi_win_allocate_shared_ mpi_win_allocate_shared mpi_win_allocate_shared__
        MPI_WIN_ALLOCATE_SHARED pmpi_win_allocate_shared_ pmpi_win_allocate_shared pmpi_win_allocate_shared__
        PMPI_WIN_ALLOCATE_SHARED ompi_win_allocate_shared_f mpi_win_allocate_shared_cptr_
        mpi_win_allocate_shared_cptr mpi_win_allocate_shared_cptr__ MPI_WIN_ALLOCATE_SHARED_CPTR
        pmpi_win_allocate_shared_cptr_ pmpi_win_allocate_shared_cptr pmpi_win_allocate_shared_cptr__
        PMPI_WIN_ALLOCATE_SHARED_CPTR ompi_win_allocate_shared_cptr_f;
    MPI_Win_attach: mpi_win_attach_ mpi_win_attach mpi_win_attach__ MPI_WIN_ATTACH pmpi_win_attach_
        pmpi_win_attach pmpi_win_attach__ PMPI_WIN_ATTACH ompi_win_attach_f;
    MPI_Win_call_errhandler: mpi_win_call_errhandler_ mpi_win_call_errhandler mpi_win_call_errhandler__
        MPI_WIN_CALL_ERRHANDLER pmpi_win_call_errhandler_ pmpi_win_call_errhandler pmpi_win_call_errhandler__
        PMPI_WIN_CALL_ERRHANDLER ompi_win_call_errhandler_f;
    MPI_Win_complete: mpi_win_complete_ mpi_win_complete mpi_win_complete__ MPI_WIN_COMPLETE
        pmpi_win_complete_ pmpi_win_complete pmpi_win_complete__ PMPI_WIN_COMPLETE ompi_win_complete_f;
    MPI_Win_create: mpi_win_create_ mpi_win_create mpi_win_create__ MPI_WIN_CREATE pmpi_win_create_
        pmpi_win_create pmpi_win_create__ PMPI_WIN_CREATE ompi_win_create_f;
    MPI_Win_create_dynamic: mpi_win_create_dynamic_ mpi_win_create_dynamic mpi_win_create_dynamic__
        MPI_WIN_CREATE_DYNAMIC pmpi_win_create_dynamic_ pmpi_win_create_dynamic pmpi_win_create_dynamic__
        PMPI_WIN_CREATE_DYNAMIC ompi_win_create_dynamic_f;
    MPI_Win_create_errhandler: mpi_win_create_errhandler_ mpi_win_create_errhandler
        mpi_win_create_errhandler__ MPI_WIN_CREATE_ERRHANDLER pmpi_win_create_errhandler_
        pmpi_win_create_errhandler pmpi_win_create_errhandler__ PMPI_WIN_CREATE_ERRHANDLER
        ompi_win_create_errhandler_f;
    MPI_Win_create_keyval: mpi_win_create_keyval_ mpi_win_create_keyval mpi_win_create_keyval__
        MPI_WIN_CREATE_KEYVAL pmpi_win_create_keyval_ pmpi_win_create_keyval pmpi_win_create_keyval__
        PMPI_WIN_CREATE_KEYVAL ompi_win_create_keyval_f;
    MPI_Win_delete_attr: mpi_win_delete_attr_ mpi_win_delete_attr mpi_win_delete_attr__ MPI_WIN_DELETE_ATTR
        pmpi_win_delete_attr_ pmpi_win_delete_attr pmpi_win_delete_attr__ PMPI_WIN_DELETE_ATTR
        ompi_win_delete_attr_f;
    MPI_Win_detach: mpi_win_detach_ mpi_win_detach mpi_win_detach__ MPI_WIN_DETACH pmpi_win_detach_
        pmpi_win_detach pmpi_win_detach__ PMPI_WIN_DETACH ompi_win_detach_f;
    MPI_Win_fence: mpi_win_fence_ mpi_win_fence mpi_win_fence__ MPI_WIN_FENCE pmpi_win_fence_ pmpi_win_fence
        pmpi_win_fence__ PMPI_WIN_FENCE ompi_win_fence_f;
    MPI_Win_flush: mpi_win_flush_ mpi_win_flush mpi_win_flush__ MPI_WIN_FLUSH pmpi_win_flush_ pmpi_win_flush
        pmpi_win_flush__ PMPI_WIN_FLUSH ompi_win_flush_f;
    MPI_Win_flush_all: mpi_win_flush_all_ mpi_win_flush_all mpi_win_flush_all__ MPI_WIN_FLUSH_ALL
        pmpi_win_flush_all_ pmpi_win_flush_all pmpi_win_flush_all__ PMPI_WIN_FLUSH_ALL ompi_win_flush_all_f;
    MPI_Win_flush_local: mpi_win_flush_local_ mpi_win_flush_local mpi_win_flush_local__ MPI_WIN_FLUSH_LOCAL
        pmpi_win_flush_local_ pmpi_win_flush_local pmpi_win_flush_local__ PMPI_WIN_FLUSH_LOCAL
        ompi_win_flush_local_f;
    MPI_Win_flush_local_all: mpi_win_flush_local_all_ mpi_win_flush_local_all mpi_win_flush_local_all__
        MPI_WIN_FLUSH_LOCAL_ALL pmpi_win_flush_local_all_ pmpi_win_flush_local_all pmpi_win_flush_local_all__
        PMPI_WIN_FLUSH_LOCAL_ALL ompi_win_flush_local_all_f;
    MPI_Win_free: mpi_win_free_ mpi_win_free mpi_win_free__ MPI_WIN_FREE pmpi_win_free_ pmpi_win_free
        pmpi_win_free__ PMPI_WIN_FREE ompi_win_free_f;
    MPI_Win_free_keyval: mpi_win_free_keyval_ mpi_win_free_keyval mpi_win_free_keyval__ MPI_WIN_FREE_KEYVAL
        pmpi_win_free_keyval_ pmpi_win_free_keyval pmpi_win_free_keyval__ PMPI_WIN_FREE_KEYVAL
        ompi_win_free_keyval_f;
    MPI_Win_get_attr: mpi_win_get_attr_ mpi_win_get_attr mpi_win_get_attr__ MPI_WIN_GET_ATTR
        pmpi_win_get_attr_ pmpi_win_get_attr pmpi_win_get_attr__ PMPI_WIN_GET_ATTR ompi_win_get_attr_f;
    MPI_Win_get_errhandler: mpi_win_get_errhandler_ mpi_win_get_errhandler mpi_win_get_errhandler__
        MPI_WIN_GET_ERRHANDLER pmpi_win_get_errhandler_ pmpi_win_get_errhandler pmpi_win_get_errhandler__
        PMPI_WIN_GET_ERRHANDLER ompi_win_get_errhandler_f;
    MPI_Win_get_group: mpi_win_get_group_ mpi_win_get_group mpi_win_get_group__ MPI_WIN_GET_GROUP
        pmpi_win_get_group_ pmpi_win_get_group pmpi_win_get_group__ PMPI_WIN_GET_GROUP ompi_win_get_group_f;
    MPI_Win_get_info: mpi_win_get_info_ mpi_win_get_info mpi_win_get_info__ MPI_WIN_GET_INFO
        pmpi_win_get_info_ pmpi_win_get_info pmpi_win_get_info__ PMPI_WIN_GET_INFO ompi_win_get_info_f;
    MPI_Win_get_name: mpi_win_get_name_ mpi_win_get_name mpi_win_get_name__ MPI_WIN_GET_NAME
        pmpi_win_get_name_ pmpi_win_get_name pmpi_win_get_name__ PMPI_WIN_GET_NAME ompi_win_get_name_f;
    MPI_Win_lock: mpi_win_lock_ mpi_win_lock mpi_win_lock__ MPI_WIN_LOCK pmpi_win_lock_ pmpi_win_lock
        pmpi_win_lock__ PMPI_WIN_LOCK ompi_win_lock_f;
    MPI_Win_lock_all: mpi_win_lock_all_ mpi_win_lock_all mpi_win_lock_all__ MPI_WIN_LOCK_ALL
        pmpi_win_lock_all_ pmpi_win_lock_all pmpi_win_lock_all__ PMPI_WIN_LOCK_ALL ompi_win_lock_all_f;
    MPI_Win_post: mpi_win_post_ mpi_win_post mpi_win_post__ MPI_WIN_POST pmpi_win_post_ pmpi_win_post
        pmpi_win_post__ PMPI_WIN_POST ompi_win_post_f;
    MPI_Win_set_attr: mpi_win_set_attr_ mpi_win_set_attr mpi_win_set_attr__ MPI_WIN_SET_ATTR
        pmpi_win_set_attr_ pmpi_win_set_attr pmpi_win_set_attr__ PMPI_WIN_SET_ATTR ompi_win_set_attr_f;
    MPI_Win_set_errhandler: mpi_win_set_errhandler_ mpi_win_set_errhandler mpi_win_set_errhandler__
        MPI_WIN_SET_ERRHANDLER pmpi_win_set_errhandler_ pmpi_win_set_errhandler pmpi_win_set_errhandler__
        PMPI_WIN_SET_ERRHANDLER ompi_win_set_errhandler_f;
    MPI_Win_set_info: mpi_win_set_info_ mpi_win_set_info mpi_win_set_info__ MPI_WIN_SET_INFO
        pmpi_win_set_info_ pmpi_win_set_info pmpi_win_set_info__ PMPI_WIN_SET_INFO ompi_win_set_info_f;
    MPI_Win_set_name: mpi_win_set_name_ mpi_win_set_name mpi_win_set_name__ MPI_WIN_SET_NAME
        pmpi_win_set_name_ pmpi_win_set_name pmpi_win_set_name__ PMPI_WIN_SET_NAME ompi_win_set_name_f;
    MPI_Win_shared_query: mpi_win_shared_query_ mpi_win_shared_query mpi_win_shared_query__
        MPI_WIN_SHARED_QUERY pmpi_win_shared_query_ pmpi_win_shared_query pmpi_win_shared_query__
        PMPI_WIN_SHARED_QUERY ompi_win_shared_query_f mpi_win_shared_query_cptr_ mpi_win_shared_query_cptr
        mpi_win_shared_query_cptr__ MPI_WIN_SHARED_QUERY_CPTR pmpi_win_shared_query_cptr_
        pmpi_win_shared_query_cptr pmpi_win_shared_query_cptr__ PMPI_WIN_SHARED_QUERY_CPTR
        ompi_win_shared_query_cptr_f;
    MPI_Win_start: mpi_win_start_ mpi_win_start mpi_win_start__ MPI_WIN_START pmpi_win_start_ pmpi_win_start
        pmpi_win_start__ PMPI_WIN_START ompi_win_start_f;
    MPI_Win_sync: mpi_win_sync_ mpi_win_sync mpi_win_sync__ MPI_WIN_SYNC pmpi_win_sync_ pmpi_win_sync
        pmpi_win_sync__ PMPI_WIN_SYNC ompi_win_sync_f;
    MPI_Win_test: mpi_win_test_ mpi_win_test mpi_win_test__ MPI_WIN_TEST pmpi_win_test_ pmpi_win_test
        pmpi_win_test__ PMPI_WIN_TEST ompi_win_test_f;
    MPI_Win_unlock: mpi_win_unlock_ mpi_win_unlock mpi_win_unlock__ MPI_WIN_UNLOCK pmpi_win_unlock_
        pmpi_win_unlock pmpi_win_unlock__ PMPI_WIN_UNLOCK ompi_win_unlock_f;
    MPI_Win_unlock_all: mpi_win_unlock_all_ mpi_win_unlock_all mpi_win_unlock_all__ MPI_WIN_UNLOCK_ALL
        pmpi_win_unlock_all_ pmpi_win_unlock_all pmpi_win_unlock_all__ PMPI_WIN_UNLOCK_ALL
        ompi_win_unlock_all_f;
    MPI_Win_wait: mpi_win_wait_ mpi_win_wait mpi_win_wait__ MPI_WIN_WAIT pmpi_win_wait_ pmpi_win_wait
        pmpi_win_wait__ PMPI_WIN_WAIT ompi_win_wait_f;
    MPI_Wtick: mpi_wtick_ mpi_wtick mpi_wtick__ MPI_WTICK pmpi_wtick_ pmpi_wtick pmpi_wtick__ PMPI_WTICK
        ompi_wtick_f;
    MPI_Wtime: mpi_wtime_ mpi_wtime mpi_wtime__ MPI_WTIME pmpi_wtime_ pmpi_wtime pmpi_wtime__ PMPI_WTIME
        ompi_wtime_f;
}
