/* Tests of every function that takes a pointer, with NULL and with invalid handles. The function returns an
 * error with a sentence. It never crashes, and never changes its arguments. Runs without a world, and with
 * one. */
#include <string.h>

#include "check.h"

static int buffer[16];

/* Checks that `call` is refused and that the sentence begins with the name of the function. */
#define REFUSED(function, status, call)                                                                                \
    do {                                                                                                               \
        CHECK_STATUS(status, call);                                                                                    \
        CHECK(strncmp(anyccl_last_error(), #function ": ", strlen(#function) + 2) == 0);                               \
    } while (0)

/* The two forms of a collective, with everything that can be NULL. `arguments` are all but the buffers and
 * comm. */
#define NULLS(name, ...)                                                                                               \
    do {                                                                                                               \
        anyccl_request_t request = ANYCCL_REQUEST_NULL;                                                                \
        REFUSED(anyccl_##name, ANYCCL_ERR_INVALID_ARGUMENT, anyccl_##name(NULL, buffer, __VA_ARGS__, ANYCCL_WORLD));   \
        REFUSED(anyccl_##name, ANYCCL_ERR_INVALID_ARGUMENT, anyccl_##name(buffer, NULL, __VA_ARGS__, ANYCCL_WORLD));   \
        REFUSED(anyccl_i##name, ANYCCL_ERR_INVALID_ARGUMENT,                                                           \
                anyccl_i##name(NULL, buffer, __VA_ARGS__, ANYCCL_WORLD, &request));                                    \
        REFUSED(anyccl_i##name, ANYCCL_ERR_INVALID_ARGUMENT,                                                           \
                anyccl_i##name(buffer, NULL, __VA_ARGS__, ANYCCL_WORLD, &request));                                    \
        REFUSED(anyccl_i##name, ANYCCL_ERR_INVALID_ARGUMENT,                                                           \
                anyccl_i##name(buffer, buffer + 8, __VA_ARGS__, ANYCCL_WORLD, NULL));                                  \
        CHECK(request == ANYCCL_REQUEST_NULL);                                                                         \
    } while (0)

/* Every function of a communicator refuses `comm`, with `status`. */
static void every_function_refuses(anyccl_comm_t comm, int status)
{
    int number = 77;
    anyccl_request_t request = ANYCCL_REQUEST_NULL;
    anyccl_message_t message = NULL;

    REFUSED(anyccl_comm_rank, status, anyccl_comm_rank(comm, &number));
    REFUSED(anyccl_comm_size, status, anyccl_comm_size(comm, &number));
    REFUSED(anyccl_comm_local_rank, status, anyccl_comm_local_rank(comm, &number));
    REFUSED(anyccl_comm_local_size, status, anyccl_comm_local_size(comm, &number));
    REFUSED(anyccl_comm_failure, status, anyccl_comm_failure(comm));
    REFUSED(anyccl_comm_abort, status, anyccl_comm_abort(comm));
    REFUSED(anyccl_comm_abort_with, status, anyccl_comm_abort_with(comm, "a test"));
    REFUSED(anyccl_all_reduce, status, anyccl_all_reduce(buffer, buffer + 8, 1, ANYCCL_INT32, ANYCCL_SUM, comm));
    REFUSED(anyccl_reduce, status, anyccl_reduce(buffer, buffer + 8, 1, ANYCCL_INT32, ANYCCL_SUM, 0, comm));
    REFUSED(anyccl_broadcast, status, anyccl_broadcast(buffer, buffer + 8, 1, ANYCCL_INT32, 0, comm));
    REFUSED(anyccl_all_gather, status, anyccl_all_gather(buffer, buffer + 8, 1, ANYCCL_INT32, comm));
    REFUSED(anyccl_gather, status, anyccl_gather(buffer, buffer + 8, 1, ANYCCL_INT32, 0, comm));
    REFUSED(anyccl_scatter, status, anyccl_scatter(buffer, buffer + 8, 1, ANYCCL_INT32, 0, comm));
    REFUSED(anyccl_reduce_scatter, status,
            anyccl_reduce_scatter(buffer, buffer + 8, 1, ANYCCL_INT32, ANYCCL_SUM, comm));
    REFUSED(anyccl_all_to_all, status, anyccl_all_to_all(buffer, buffer + 8, 1, ANYCCL_INT32, comm));
    REFUSED(anyccl_barrier, status, anyccl_barrier(comm));
    REFUSED(anyccl_send, status, anyccl_send(buffer, 1, ANYCCL_INT32, 0, 0, comm));
    REFUSED(anyccl_recv, status, anyccl_recv(buffer, 1, ANYCCL_INT32, 0, 0, comm, NULL));
    REFUSED(anyccl_try_recv, status, anyccl_try_recv(buffer, 1, ANYCCL_INT32, 0, 0, comm, &(int){0}));

    REFUSED(anyccl_iall_reduce, status,
            anyccl_iall_reduce(buffer, buffer + 8, 1, ANYCCL_INT32, ANYCCL_SUM, comm, &request));
    REFUSED(anyccl_ireduce, status, anyccl_ireduce(buffer, buffer + 8, 1, ANYCCL_INT32, ANYCCL_SUM, 0, comm, &request));
    REFUSED(anyccl_ibroadcast, status, anyccl_ibroadcast(buffer, buffer + 8, 1, ANYCCL_INT32, 0, comm, &request));
    REFUSED(anyccl_iall_gather, status, anyccl_iall_gather(buffer, buffer + 8, 1, ANYCCL_INT32, comm, &request));
    REFUSED(anyccl_igather, status, anyccl_igather(buffer, buffer + 8, 1, ANYCCL_INT32, 0, comm, &request));
    REFUSED(anyccl_iscatter, status, anyccl_iscatter(buffer, buffer + 8, 1, ANYCCL_INT32, 0, comm, &request));
    REFUSED(anyccl_ireduce_scatter, status,
            anyccl_ireduce_scatter(buffer, buffer + 8, 1, ANYCCL_INT32, ANYCCL_SUM, comm, &request));
    REFUSED(anyccl_iall_to_all, status, anyccl_iall_to_all(buffer, buffer + 8, 1, ANYCCL_INT32, comm, &request));
    REFUSED(anyccl_ibarrier, status, anyccl_ibarrier(comm, &request));
    REFUSED(anyccl_ssend, status, anyccl_ssend(buffer, 1, ANYCCL_INT32, 0, 0, comm));
    REFUSED(anyccl_issend, status, anyccl_issend(buffer, 1, ANYCCL_INT32, 0, 0, comm, &request));
    REFUSED(anyccl_sendrecv, status,
            anyccl_sendrecv(buffer, 1, ANYCCL_INT32, 0, 0, buffer + 8, 1, ANYCCL_INT32, 0, 0, comm, NULL));
    REFUSED(anyccl_probe, status, anyccl_probe(0, 0, comm, NULL));
    REFUSED(anyccl_iprobe, status, anyccl_iprobe(0, 0, comm, &number, NULL));
    REFUSED(anyccl_mprobe, status, anyccl_mprobe(0, 0, comm, &message, NULL));
    REFUSED(anyccl_improbe, status, anyccl_improbe(0, 0, comm, &message, NULL));
    REFUSED(anyccl_isend, status, anyccl_isend(buffer, 1, ANYCCL_INT32, 0, 0, comm, &request));
    REFUSED(anyccl_irecv, status, anyccl_irecv(buffer, 1, ANYCCL_INT32, 0, 0, comm, &request));
    CHECK(number == 77 && request == ANYCCL_REQUEST_NULL && message == NULL);
}

static void what_needs_no_world(void)
{
    anyccl_unique_id_t id;
    anyccl_comm_t comm = NULL;
    anyccl_request_t request = ANYCCL_REQUEST_NULL, *requests = &request;
    int done;

    memset(&id, 0, sizeof id);
    CHECK_OK(anyccl_set_log_callback(NULL, NULL));
    REFUSED(anyccl_is_initialized, ANYCCL_ERR_INVALID_ARGUMENT, anyccl_is_initialized(NULL));
    REFUSED(anyccl_is_supported, ANYCCL_ERR_INVALID_ARGUMENT, anyccl_is_supported(ANYCCL_SUM, ANYCCL_INT8, NULL));
    REFUSED(anyccl_get_unique_id, ANYCCL_ERR_INVALID_ARGUMENT, anyccl_get_unique_id(NULL));
    REFUSED(anyccl_comm_create, ANYCCL_ERR_INVALID_ARGUMENT, anyccl_comm_create(NULL, 1, 0, NULL, &comm));
    REFUSED(anyccl_comm_create, ANYCCL_ERR_INVALID_ARGUMENT, anyccl_comm_create(&id, 1, 0, NULL, NULL));
    /* An id of zeros is invalid. */
    REFUSED(anyccl_comm_create, ANYCCL_ERR_INVALID_ARGUMENT, anyccl_comm_create(&id, 1, 0, NULL, &comm));
    CHECK(comm == NULL);
    CHECK_OK(anyccl_comm_destroy(NULL));

    REFUSED(anyccl_wait, ANYCCL_ERR_INVALID_ARGUMENT, anyccl_wait(NULL));
    REFUSED(anyccl_test, ANYCCL_ERR_INVALID_ARGUMENT, anyccl_test(NULL, &done));
    REFUSED(anyccl_test, ANYCCL_ERR_INVALID_ARGUMENT, anyccl_test(&request, NULL));
    REFUSED(anyccl_wait_all, ANYCCL_ERR_INVALID_ARGUMENT, anyccl_wait_all(1, NULL));
    CHECK_OK(anyccl_wait_all(0, NULL));
    CHECK_OK(anyccl_wait(&request));
    CHECK_OK(anyccl_wait_all(1, requests));
    CHECK_OK(anyccl_test(&request, &done));
    CHECK(done == 1);

    anyccl_message_t message = NULL;
    REFUSED(anyccl_wait_message, ANYCCL_ERR_INVALID_ARGUMENT, anyccl_wait_message(NULL, NULL));
    REFUSED(anyccl_test_message, ANYCCL_ERR_INVALID_ARGUMENT, anyccl_test_message(NULL, &done, NULL));
    REFUSED(anyccl_test_message, ANYCCL_ERR_INVALID_ARGUMENT, anyccl_test_message(&request, NULL, NULL));
    REFUSED(anyccl_mrecv, ANYCCL_ERR_INVALID_ARGUMENT, anyccl_mrecv(buffer, 1, ANYCCL_INT32, NULL, NULL));
    REFUSED(anyccl_mrecv, ANYCCL_ERR_INVALID_ARGUMENT, anyccl_mrecv(buffer, 1, ANYCCL_INT32, &message, NULL));
    REFUSED(anyccl_imrecv, ANYCCL_ERR_INVALID_ARGUMENT, anyccl_imrecv(buffer, 1, ANYCCL_INT32, &message, NULL));
    REFUSED(anyccl_wait_for, ANYCCL_ERR_INVALID_ARGUMENT, anyccl_wait_for(NULL, 0, &done, NULL));
    REFUSED(anyccl_wait_for, ANYCCL_ERR_INVALID_ARGUMENT, anyccl_wait_for(&request, 0, NULL, NULL));
    REFUSED(anyccl_set_blocking_limit, ANYCCL_ERR_INVALID_ARGUMENT, anyccl_set_blocking_limit(0, NULL));
    REFUSED(anyccl_set_blocking_limit, ANYCCL_ERR_INVALID_ARGUMENT, anyccl_set_blocking_limit(-2, &request));
    CHECK_OK(anyccl_wait_message(&request, NULL));
    CHECK_OK(anyccl_cancel(request));
    REFUSED(anyccl_batch_end, ANYCCL_ERR_INVALID_USAGE, anyccl_batch_end());
}

static void a_handle_is_refused_after_destroy(void)
{
    anyccl_unique_id_t id;
    anyccl_comm_t comm, copy;
    anyccl_request_t request, copy_of_request;

    CHECK_OK(anyccl_get_unique_id(&id));
    CHECK_OK(anyccl_comm_create(&id, 1, 0, NULL, &comm));
    copy = comm;
    CHECK_OK(anyccl_ibarrier(comm, &request));
    copy_of_request = request;
    CHECK_OK(anyccl_wait(&request));
    REFUSED(anyccl_wait, ANYCCL_ERR_INVALID_ARGUMENT, anyccl_wait(&copy_of_request));
    CHECK(copy_of_request != ANYCCL_REQUEST_NULL);

    CHECK_OK(anyccl_comm_destroy(comm));
    REFUSED(anyccl_comm_destroy, ANYCCL_ERR_INVALID_ARGUMENT, anyccl_comm_destroy(comm));
    every_function_refuses(copy, ANYCCL_ERR_INVALID_ARGUMENT);
}

int main(void)
{
    anyccl_comm_t world;

    what_needs_no_world();
    every_function_refuses(ANYCCL_WORLD, ANYCCL_ERR_INVALID_USAGE);
    REFUSED(anyccl_finalize, ANYCCL_ERR_INVALID_USAGE, anyccl_finalize());
    REFUSED(anyccl_world, ANYCCL_ERR_INVALID_USAGE, anyccl_world(&world));

    CHECK_OK(anyccl_init_with(NULL));
    REFUSED(anyccl_rank, ANYCCL_ERR_INVALID_ARGUMENT, anyccl_rank(NULL));
    REFUSED(anyccl_world_size, ANYCCL_ERR_INVALID_ARGUMENT, anyccl_world_size(NULL));
    REFUSED(anyccl_local_rank, ANYCCL_ERR_INVALID_ARGUMENT, anyccl_local_rank(NULL));
    REFUSED(anyccl_local_size, ANYCCL_ERR_INVALID_ARGUMENT, anyccl_local_size(NULL));
    REFUSED(anyccl_world, ANYCCL_ERR_INVALID_ARGUMENT, anyccl_world(NULL));
    REFUSED(anyccl_comm_rank, ANYCCL_ERR_INVALID_ARGUMENT, anyccl_comm_rank(ANYCCL_WORLD, NULL));
    REFUSED(anyccl_comm_size, ANYCCL_ERR_INVALID_ARGUMENT, anyccl_comm_size(ANYCCL_WORLD, NULL));
    REFUSED(anyccl_comm_local_rank, ANYCCL_ERR_INVALID_ARGUMENT, anyccl_comm_local_rank(ANYCCL_WORLD, NULL));
    REFUSED(anyccl_comm_local_size, ANYCCL_ERR_INVALID_ARGUMENT, anyccl_comm_local_size(ANYCCL_WORLD, NULL));
    NULLS(all_reduce, 1, ANYCCL_INT32, ANYCCL_SUM);
    NULLS(reduce, 1, ANYCCL_INT32, ANYCCL_SUM, 0);
    NULLS(broadcast, 1, ANYCCL_INT32, 0);
    NULLS(all_gather, 1, ANYCCL_INT32);
    NULLS(gather, 1, ANYCCL_INT32, 0);
    NULLS(scatter, 1, ANYCCL_INT32, 0);
    NULLS(reduce_scatter, 1, ANYCCL_INT32, ANYCCL_SUM);
    NULLS(all_to_all, 1, ANYCCL_INT32);
    REFUSED(anyccl_ibarrier, ANYCCL_ERR_INVALID_ARGUMENT, anyccl_ibarrier(ANYCCL_WORLD, NULL));
    REFUSED(anyccl_send, ANYCCL_ERR_INVALID_ARGUMENT, anyccl_send(NULL, 1, ANYCCL_INT32, 0, 0, ANYCCL_WORLD));
    REFUSED(anyccl_recv, ANYCCL_ERR_INVALID_ARGUMENT, anyccl_recv(NULL, 1, ANYCCL_INT32, 0, 0, ANYCCL_WORLD, NULL));
    REFUSED(anyccl_try_recv, ANYCCL_ERR_INVALID_ARGUMENT,
            anyccl_try_recv(NULL, 1, ANYCCL_INT32, 0, 0, ANYCCL_WORLD, &(int){0}));
    REFUSED(anyccl_try_recv, ANYCCL_ERR_INVALID_ARGUMENT,
            anyccl_try_recv(buffer, 1, ANYCCL_INT32, 0, 0, ANYCCL_WORLD, NULL));
    REFUSED(anyccl_isend, ANYCCL_ERR_INVALID_ARGUMENT, anyccl_isend(buffer, 1, ANYCCL_INT32, 0, 0, ANYCCL_WORLD, NULL));
    REFUSED(anyccl_irecv, ANYCCL_ERR_INVALID_ARGUMENT, anyccl_irecv(buffer, 1, ANYCCL_INT32, 0, 0, ANYCCL_WORLD, NULL));
    REFUSED(anyccl_iprobe, ANYCCL_ERR_INVALID_ARGUMENT, anyccl_iprobe(0, 0, ANYCCL_WORLD, NULL, NULL));
    REFUSED(anyccl_mprobe, ANYCCL_ERR_INVALID_ARGUMENT, anyccl_mprobe(0, 0, ANYCCL_WORLD, NULL, NULL));
    REFUSED(anyccl_improbe, ANYCCL_ERR_INVALID_ARGUMENT, anyccl_improbe(0, 0, ANYCCL_WORLD, NULL, NULL));
    /* An empty block needs no pointer. */
    CHECK_OK(anyccl_all_reduce(NULL, NULL, 0, ANYCCL_INT32, ANYCCL_SUM, ANYCCL_WORLD));

    a_handle_is_refused_after_destroy();

    /* The program does not own the world: destroy refuses it. */
    CHECK_OK(anyccl_world(&world));
    REFUSED(anyccl_comm_destroy, ANYCCL_ERR_INVALID_ARGUMENT, anyccl_comm_destroy(world));
    CHECK_OK(anyccl_barrier(world));
    CHECK_OK(anyccl_finalize());
    every_function_refuses(world, ANYCCL_ERR_INVALID_ARGUMENT);
    every_function_refuses(ANYCCL_WORLD, ANYCCL_ERR_INVALID_USAGE);
    return 0;
}
