/* Tests of MPI_THREAD_MULTIPLE: the threads of a rank talk to those of the next rank at the same time. They use one
 * communicator with a tag per thread, and then a communicator per thread, which has collectives, too.
 */
#define _DEFAULT_SOURCE
#include "common/report.h"

#include <pthread.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 200 };

static MPI_Comm comms[THREADS];
static int errors[THREADS], share;

static void *ring(void *argument)
{
    int t = (int)(size_t)argument, right = (rank + 1) % size, left = (rank + size - 1) % size;
    MPI_Comm comm = share ? MPI_COMM_WORLD : comms[t];
    for (int i = 0; i < ROUNDS; i++) {
        int n = i % 3 == 0 ? 3000 : 1, out[3000], in[3000], flag = 0;
        MPI_Request requests[2];
        MPI_Status status;
        out[0] = 1000 * rank + i;
        out[n - 1] = 1000 * rank + i;
        switch (i % 4) {
        case 0:
            errors[t] += MPI_Sendrecv(out, n, MPI_INT, right, t, in, n, MPI_INT, left, t, comm, MPI_STATUS_IGNORE) !=
                         MPI_SUCCESS;
            break;
        case 1:
            errors[t] += MPI_Irecv(in, n, MPI_INT, left, t, comm, &requests[0]) != MPI_SUCCESS;
            errors[t] += MPI_Isend(out, n, MPI_INT, right, t, comm, &requests[1]) != MPI_SUCCESS;
            errors[t] += MPI_Waitall(2, requests, MPI_STATUSES_IGNORE) != MPI_SUCCESS;
            break;
        case 2:
            errors[t] += MPI_Isend(out, n, MPI_INT, right, t, comm, &requests[1]) != MPI_SUCCESS;
            errors[t] += MPI_Probe(left, t, comm, &status) != MPI_SUCCESS;
            errors[t] +=
                MPI_Recv(in, n, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, comm, MPI_STATUS_IGNORE) != MPI_SUCCESS;
            errors[t] += MPI_Wait(&requests[1], MPI_STATUS_IGNORE) != MPI_SUCCESS;
            break;
        default:
            errors[t] += MPI_Irecv(in, n, MPI_INT, MPI_ANY_SOURCE, t, comm, &requests[0]) != MPI_SUCCESS;
            errors[t] += MPI_Send(out, n, MPI_INT, right, t, comm) != MPI_SUCCESS;
            while (!flag) {
                errors[t] += MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE) != MPI_SUCCESS;
            }
        }
        errors[t] += in[0] != 1000 * left + i || in[n - 1] != 1000 * left + i;
        if (!share && i % 10 == 0) {
            int sum = -1;
            errors[t] += MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm) != MPI_SUCCESS;
            errors[t] += sum != size * (size - 1) / 2;
        }
    }
    return NULL;
}

/* Each thread makes objects of its own, and frees them. */
static void *objects(void *argument)
{
    int t = (int)(size_t)argument;
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Datatype type;
        MPI_Info info;
        MPI_Group group, part;
        int bytes, one[] = {0};
        errors[t] += MPI_Type_vector(2 + i % 5, 1, 3, MPI_INT, &type) != MPI_SUCCESS;
        errors[t] += MPI_Type_commit(&type) != MPI_SUCCESS;
        errors[t] += MPI_Type_size(type, &bytes) != MPI_SUCCESS || bytes != 4 * (2 + i % 5);
        errors[t] += MPI_Type_free(&type) != MPI_SUCCESS;
        errors[t] += MPI_Info_create(&info) != MPI_SUCCESS || MPI_Info_set(info, "key", "value") != MPI_SUCCESS;
        errors[t] += MPI_Info_free(&info) != MPI_SUCCESS;
        errors[t] += MPI_Comm_group(comms[t], &group) != MPI_SUCCESS;
        errors[t] += MPI_Group_incl(group, 1, one, &part) != MPI_SUCCESS;
        errors[t] += MPI_Group_free(&part) != MPI_SUCCESS || MPI_Group_free(&group) != MPI_SUCCESS;
    }
    return NULL;
}

/* One thread waits for a message from another thread of the same rank. */
static void *waits(void *argument)
{
    int got = -1;
    errors[0] += MPI_Recv(&got, 1, MPI_INT, rank, 50, MPI_COMM_WORLD, MPI_STATUS_IGNORE) != MPI_SUCCESS;
    *(int *)argument = got;
    return NULL;
}

static int of_status(void *extra, MPI_Status *status)
{
    (void)extra;
    MPI_Status_set_elements(status, MPI_INT, 0);
    return MPI_Status_set_cancelled(status, 0);
}

static int released(void *extra)
{
    ++*(int *)extra;
    return MPI_SUCCESS;
}

static int ignore_cancel(void *extra, int complete)
{
    (void)extra;
    (void)complete;
    return MPI_SUCCESS;
}

/* Requests that two threads wait for. Two others cancel and complete them, after a nap, or before the wait begins. */
static MPI_Request waited[2];
static int nap;

static void *meanwhile(void *argument)
{
    int t = (int)(size_t)argument, flag = 0, index;
    MPI_Status status;
    MPI_Request copies[2] = {waited[0], waited[1]};
    switch (t) {
    case 0:
        errors[t] += MPI_Wait(&copies[0], &status) != MPI_SUCCESS;
        errors[t] += MPI_Test_cancelled(&status, &flag) != MPI_SUCCESS || !flag;
        break;
    case 1:
        copies[0] = MPI_REQUEST_NULL;
        errors[t] += MPI_Waitany(2, copies, &index, &status) != MPI_SUCCESS || index != 1;
        break;
    case 2:
        usleep((useconds_t)nap);
        errors[t] += MPI_Request_get_status(waited[0], &flag, MPI_STATUS_IGNORE) != MPI_SUCCESS || flag;
        errors[t] += MPI_Cancel(&waited[0]) != MPI_SUCCESS;
        break;
    default:
        usleep((useconds_t)nap);
        errors[t] += MPI_Grequest_complete(waited[1]) != MPI_SUCCESS;
    }
    return NULL;
}

static void run(const char *what, void *(*body)(void *))
{
    pthread_t threads[THREADS];
    int bad = 0;
    memset(errors, 0, sizeof errors);
    for (size_t t = 0; t < THREADS; t++) {
        pthread_create(&threads[t], NULL, body, (void *)t);
    }
    for (size_t t = 0; t < THREADS; t++) {
        pthread_join(threads[t], NULL);
        bad += errors[t];
    }
    CHECK(bad == 0);
    say("%s: %d wrong", what, bad);
}

int main(int argc, char **argv)
{
    int provided = report_begin(&argc, &argv, MPI_THREAD_MULTIPLE), got = -1;
    pthread_t thread;
    CHECK(provided == MPI_THREAD_MULTIPLE);
    for (int t = 0; t < THREADS; t++) {
        CALL(MPI_Comm_dup(MPI_COMM_WORLD, &comms[t]));
    }
    share = 1;
    run("one communicator", ring);
    share = 0;
    run("communicators of their own", ring);
    run("objects", objects);
    pthread_create(&thread, NULL, waits, &got);
    CALL(MPI_Send(&rank, 1, MPI_INT, rank, 50, MPI_COMM_WORLD));
    pthread_join(thread, NULL);
    say("from thread to thread: %d", got == rank);
    for (nap = 0; nap <= 50000; nap += 25000) {
        int value, releases = 0;
        CALL(MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 51, MPI_COMM_WORLD, &waited[0]));
        CALL(MPI_Grequest_start(of_status, released, ignore_cancel, &releases, &waited[1]));
        run("requests that are waited for", meanwhile);
        CHECK(releases == 1);
    }
    for (int t = 0; t < THREADS; t++) {
        CALL(MPI_Comm_free(&comms[t]));
    }
    return report_end();
}
