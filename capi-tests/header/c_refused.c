/* Mistakes in calls of the C header that a compiler tells. CMakeLists.txt compiles this file once per MISTAKE, as C and
 * as C++, and looks for the sentence of the compiler. Without a mistake it compiles without a warning. */
#include <stddef.h>

#include <anyccl/anyccl.h>

/* The library writes enumerations into memory of the program. Each has the size of an int, also with -fshort-enums. */
typedef char
    enumerations_are_ints[sizeof(anyccl_status_t) == sizeof(int) && sizeof(anyccl_datatype_t) == sizeof(int) &&
                                  sizeof(anyccl_reduce_op_t) == sizeof(int) && sizeof(anyccl_scalar_t) == sizeof(int) &&
                                  sizeof(anyccl_log_level_t) == sizeof(int) && sizeof(anyccl_mem_kind_t) == sizeof(int)
                              ? 1
                              : -1];

int mistake(float *x, anyccl_request_t *request);

int mistake(float *x, anyccl_request_t *request)
{
    enumerations_are_ints unused;
    anyccl_datatype_t datatype = ANYCCL_FLOAT32;
    anyccl_reduce_op_t op = ANYCCL_SUM;
    (void)unused;
#if MISTAKE == 1
    return anyccl_all_reduce(x, x, 1, ANYCCL_SUM, ANYCCL_FLOAT32, ANYCCL_WORLD);
#elif MISTAKE == 2
    return anyccl_all_reduce(x, x, 1, op, datatype, ANYCCL_WORLD);
#elif MISTAKE == 3
    anyccl_all_reduce(x, x, 1, datatype, op, ANYCCL_WORLD);
#elif MISTAKE == 4
    anyccl_iall_reduce(x, x, 1, datatype, op, ANYCCL_WORLD, request);
#elif MISTAKE == 5
    anyccl_finalize();
#endif
    /* What a program does while it cleans up needs no check. */
    anyccl_comm_abort(ANYCCL_WORLD);
    anyccl_request_free(request);
    anyccl_op_destroy(op);
    anyccl_graph_destroy(NULL);
    anyccl_mem_free(x);
    anyccl_set_log_callback(NULL, NULL);
    (void)!anyccl_comm_destroy(ANYCCL_COMM_NONE);
    return anyccl_all_reduce(x, x, 1, datatype, op, ANYCCL_WORLD) == ANYCCL_SUCCESS;
}
