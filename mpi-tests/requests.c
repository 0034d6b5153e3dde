/* Tests of requests: every form of waiting and testing, generalized requests, and active requests that are freed. */
#include "common/report.h"

enum { MANY = 8 };

static int in[MANY], out[MANY];
static MPI_Request receives[MANY], sends[MANY];

/* Every rank sends MANY messages to the right and receives as many from the left, each with its own tag. */
static void post(void)
{
    for (int i = 0; i < MANY; i++) {
        in[i] = -1;
        CALL(MPI_Irecv(&in[i], 1, MPI_INT, (rank + size - 1) % size, i, MPI_COMM_WORLD, &receives[i]));
    }
}

static void send_all(void)
{
    for (int i = 0; i < MANY; i++) {
        out[i] = 10 * rank + i;
        CALL(MPI_Isend(&out[i], 1, MPI_INT, (rank + 1) % size, i, MPI_COMM_WORLD, &sends[i]));
    }
}

static void all_there(const char *what)
{
    int good = 0;
    for (int i = 0; i < MANY; i++) {
        good += in[i] == 10 * ((rank + size - 1) % size) + i && receives[i] == MPI_REQUEST_NULL;
    }
    CALL(MPI_Waitall(MANY, sends, MPI_STATUSES_IGNORE));
    say("%s: %d", what, good);
}

static void forms(void)
{
    MPI_Status status, statuses[MANY];
    int index, flag, n, indices[MANY], done, sum = 0;
    for (int form = 0; form < 8; form++) {
        post();
        /* No message has arrived yet: the sends start after the barrier below. */
        if (form == 1) {
            CALL(MPI_Testall(MANY, receives, &flag, MPI_STATUSES_IGNORE));
            CHECK(!flag);
            CALL(MPI_Testany(MANY, receives, &index, &flag, MPI_STATUS_IGNORE));
            CHECK(!flag && index == MPI_UNDEFINED);
            CALL(MPI_Testsome(MANY, receives, &n, indices, MPI_STATUSES_IGNORE));
            CHECK(n == 0);
            CALL(MPI_Request_get_status(receives[0], &flag, MPI_STATUS_IGNORE));
            CHECK(!flag);
        }
        CALL(MPI_Barrier(MPI_COMM_WORLD));
        send_all();
        switch (form) {
        case 0:
            CALL(MPI_Waitall(MANY, receives, statuses));
            for (int i = 0; i < MANY; i++) {
                CHECK(statuses[i].MPI_TAG == i && statuses[i].MPI_SOURCE == (rank + size - 1) % size);
            }
            break;
        case 1:
            for (flag = 0; !flag;) {
                CALL(MPI_Testall(MANY, receives, &flag, statuses));
            }
            break;
        case 2:
            for (int i = 0; i < MANY; i++) {
                CALL(MPI_Waitany(MANY, receives, &index, &status));
                CHECK(index == status.MPI_TAG);
                sum += index;
            }
            CALL(MPI_Waitany(MANY, receives, &index, &status));
            CHECK(index == MPI_UNDEFINED);
            say("waitany: each once %d", sum == MANY * (MANY - 1) / 2);
            break;
        case 3:
            for (done = 0; done < MANY; done += flag) {
                CALL(MPI_Testany(MANY, receives, &index, &flag, &status));
                CHECK(!flag || index == status.MPI_TAG);
            }
            CALL(MPI_Testany(MANY, receives, &index, &flag, &status));
            CHECK(flag && index == MPI_UNDEFINED);
            break;
        case 4:
            for (done = 0; done < MANY; done += n) {
                CALL(MPI_Waitsome(MANY, receives, &n, indices, statuses));
                for (int i = 0; i < n; i++) {
                    CHECK(statuses[i].MPI_TAG == indices[i]);
                }
            }
            CALL(MPI_Waitsome(MANY, receives, &n, indices, statuses));
            CHECK(n == MPI_UNDEFINED);
            break;
        case 5:
            for (done = 0; done < MANY; done += n) {
                CALL(MPI_Testsome(MANY, receives, &n, indices, statuses));
            }
            CALL(MPI_Testsome(MANY, receives, &n, indices, statuses));
            CHECK(n == MPI_UNDEFINED);
            break;
        case 6:
            for (int i = MANY - 1; i >= 0; i--) {
                for (flag = 0; !flag;) {
                    CALL(MPI_Request_get_status(receives[i], &flag, &status));
                }
                CHECK(receives[i] != MPI_REQUEST_NULL && status.MPI_TAG == i);
                CALL(MPI_Wait(&receives[i], MPI_STATUS_IGNORE));
            }
            break;
        default:
            for (int i = 0; i < MANY; i++) {
                for (flag = 0; !flag;) {
                    CALL(MPI_Test(&receives[i], &flag, &status));
                }
            }
        }
        static const char *names[] = {"waitall",  "testall",  "waitany",    "testany",
                                      "waitsome", "testsome", "get_status", "test"};
        all_there(names[form]);
    }
}

static void one_fails(void)
{
    MPI_Request requests[2];
    MPI_Status statuses[2];
    int small = 0, big[4] = {1, 2, 3, 4}, fits[4], left = (rank + size - 1) % size, right = (rank + 1) % size;
    CALL(MPI_Irecv(&small, 1, MPI_INT, left, 0, MPI_COMM_WORLD, &requests[0]));
    CALL(MPI_Irecv(fits, 4, MPI_INT, left, 1, MPI_COMM_WORLD, &requests[1]));
    CALL(MPI_Barrier(MPI_COMM_WORLD));
    CALL(MPI_Send(big, 4, MPI_INT, right, 1, MPI_COMM_WORLD));
    CALL(MPI_Send(big, 4, MPI_INT, right, 0, MPI_COMM_WORLD));
    int code = MPI_Waitall(2, requests, statuses);
    /* The other request may be complete or pending. */
    if (statuses[1].MPI_ERROR == MPI_ERR_PENDING) {
        CALL(MPI_Wait(&requests[1], &statuses[1]));
    } else {
        CHECK(statuses[1].MPI_ERROR == MPI_SUCCESS);
    }
    say("one of two is truncated: %s, %s; %d %d", class_name(code), class_name(statuses[0].MPI_ERROR), fits[3],
        requests[1] == MPI_REQUEST_NULL);
}

/* A status says any number of bytes, and beside it whether the call was cancelled. */
static void large_statuses(void)
{
    const MPI_Count counts[] = {60, 0x3654321f71234567, 0x7654321f71234567, 0x7fffffffffffffff};
    for (int i = 0; i < 4; i++) {
        MPI_Status status;
        MPI_Count found = 0;
        int is_cancelled = 0;
        CALL(MPI_Status_set_cancelled(&status, i % 2));
        CALL(MPI_Status_set_elements_x(&status, MPI_BYTE, counts[i]));
        CALL(MPI_Get_elements_x(&status, MPI_BYTE, &found));
        CALL(MPI_Test_cancelled(&status, &is_cancelled));
        CHECK(found == counts[i] && is_cancelled == i % 2);
    }
}

static int query(void *extra, MPI_Status *status)
{
    say("query %d", *(int *)extra);
    MPI_Status_set_elements(status, MPI_INT, 5);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = 3;
    status->MPI_TAG = 4;
    return MPI_SUCCESS;
}

static int release(void *extra)
{
    say("free %d", *(int *)extra);
    return MPI_SUCCESS;
}

static int cancel(void *extra, int complete)
{
    say("cancel %d, complete %d", *(int *)extra, complete);
    return MPI_SUCCESS;
}

static void generalized(void)
{
    static int extra = 9;
    MPI_Request request, copy;
    MPI_Status status;
    int flag, count, elements;
    CALL(MPI_Grequest_start(query, release, cancel, &extra, &request));
    CALL(MPI_Test(&request, &flag, &status));
    say("started: %d", flag);
    CALL(MPI_Cancel(&request));
    copy = request;
    CALL(MPI_Grequest_complete(copy));
    CALL(MPI_Wait(&request, &status));
    CALL(MPI_Get_count(&status, MPI_INT, &count));
    CALL(MPI_Get_elements(&status, MPI_INT, &elements));
    say("completed: count %d, elements %d, source %d, tag %d, null %d", count, elements, status.MPI_SOURCE,
        status.MPI_TAG, request == MPI_REQUEST_NULL);
    CALL(MPI_Grequest_start(query, release, cancel, &extra, &request));
    CALL(MPI_Grequest_complete(request));
    CALL(MPI_Request_free(&request));
    CALL(MPI_Grequest_start(query, release, cancel, &extra, &request));
    copy = request;
    CALL(MPI_Request_free(&request));
    say("freed before it is complete: null %d", request == MPI_REQUEST_NULL);
    CALL(MPI_Grequest_complete(copy));
}

static void freed(void)
{
    MPI_Request request;
    int value = 100 + rank, got = -1, left = (rank + size - 1) % size, right = (rank + 1) % size;
    CALL(MPI_Isend(&value, 1, MPI_INT, right, 5, MPI_COMM_WORLD, &request));
    CALL(MPI_Request_free(&request));
    CHECK(request == MPI_REQUEST_NULL);
    CALL(MPI_Recv(&got, 1, MPI_INT, left, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CALL(MPI_Barrier(MPI_COMM_WORLD));
    say("freed while active: %d", got == 100 + left);
    CALL(MPI_Send_init(&value, 1, MPI_INT, right, 6, MPI_COMM_WORLD, &request));
    int flag;
    MPI_Status status;
    CALL(MPI_Test(&request, &flag, &status));
    say("persistent, not started: %d, source %d", flag, status.MPI_SOURCE == MPI_ANY_SOURCE);
    CALL(MPI_Start(&request));
    CALL(MPI_Recv(&got, 1, MPI_INT, left, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CALL(MPI_Request_free(&request));
}

static void elements(void)
{
    MPI_Datatype pair;
    MPI_Status status;
    int count, n, left = (rank + size - 1) % size, right = (rank + 1) % size, values[6] = {1, 2, 3, 4, 5, 6}, got[6];
    CALL(MPI_Type_contiguous(2, MPI_INT, &pair));
    CALL(MPI_Type_commit(&pair));
    for (int sent = 2; sent <= 5; sent++) {
        CALL(MPI_Sendrecv(values, sent, MPI_INT, right, 7, got, 3, pair, left, 7, MPI_COMM_WORLD, &status));
        CALL(MPI_Get_count(&status, pair, &count));
        CALL(MPI_Get_elements(&status, pair, &n));
        say("%d ints as pairs: count %d, elements %d", sent, count == MPI_UNDEFINED ? -1 : count, n);
    }
    CALL(MPI_Type_free(&pair));
}

/* A large number of receives of messages that have arrived already, and of sends that complete at once. */
static void there_already(void)
{
    enum { MESSAGES = 1500 };
    static int values[MESSAGES], got[MESSAGES];
    static MPI_Request begun[MESSAGES], ended[MESSAGES];
    int left = (rank + size - 1) % size, right = (rank + 1) % size, good = 0;
    MPI_Status status;

    for (int i = 0; i < MESSAGES; i++) {
        values[i] = 1000 * rank + i;
        CALL(MPI_Isend(&values[i], 1, MPI_INT, right, 8, MPI_COMM_WORLD, &begun[i]));
        CHECK(begun[i] != MPI_REQUEST_NULL);
    }
    CALL(MPI_Barrier(MPI_COMM_WORLD));
    CALL(MPI_Probe(left, 8, MPI_COMM_WORLD, &status));
    for (int i = 0; i < MESSAGES; i++) {
        CALL(MPI_Irecv(&got[i], 1, MPI_INT, left, 8, MPI_COMM_WORLD, &ended[i]));
        CHECK(ended[i] != MPI_REQUEST_NULL);
    }
    for (int i = 0; i < MESSAGES; i++) {
        int flag = 0, index = -1, count = -1, is_cancelled = -1;
        switch (i % 5) {
        case 0:
            while (!flag)
                CALL(MPI_Request_get_status(ended[i], &flag, MPI_STATUS_IGNORE));
            CHECK(ended[i] != MPI_REQUEST_NULL);
            CALL(MPI_Wait(&ended[i], &status));
            break;
        case 1:
            while (!flag)
                CALL(MPI_Test(&ended[i], &flag, &status));
            break;
        case 2:
            CALL(MPI_Waitany(1, &ended[i], &index, &status));
            CHECK(index == 0);
            break;
        case 3:
            while (!flag)
                CALL(MPI_Testall(1, &ended[i], &flag, &status));
            break;
        default:
            while (index != 1)
                CALL(MPI_Testsome(1, &ended[i], &index, &flag, &status));
        }
        CALL(MPI_Get_count(&status, MPI_INT, &count));
        CALL(MPI_Test_cancelled(&status, &is_cancelled));
        good += ended[i] == MPI_REQUEST_NULL && got[i] == 1000 * left + i && status.MPI_SOURCE == left &&
                status.MPI_TAG == 8 && count == 1 && !is_cancelled;
    }
    say("there already: %d", good);
    for (int i = 0; i < MESSAGES; i++) {
        int flag = 0;
        switch (i % 3) {
        case 0:
            CALL(MPI_Request_free(&begun[i]));
            break;
        case 1:
            while (!flag)
                CALL(MPI_Request_get_status(begun[i], &flag, MPI_STATUS_IGNORE));
            break;
        default:
            CALL(MPI_Wait(&begun[i], &status));
        }
    }
    CALL(MPI_Waitall(MESSAGES, begun, MPI_STATUSES_IGNORE));
    good = 0;
    for (int i = 0; i < MESSAGES; i++)
        good += begun[i] == MPI_REQUEST_NULL;
    say("sent at once: %d", good);
}

/* A large number of collectives under way. The last rank makes its first one when rank 0 has started all. */
static void many_collectives(void)
{
    enum { CALLS = 2000 };
    static int values[CALLS], sums[CALLS];
    static MPI_Request started[CALLS];
    int good = 0, last = size - 1;
    if (rank == last && last > 0) {
        CALL(MPI_Recv(NULL, 0, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    }
    for (int i = 0; i < CALLS; i++) {
        values[i] = 10 * i + rank;
        sums[i] = -1;
        switch (i % 3) {
        case 0:
            CALL(MPI_Iallreduce(&values[i], &sums[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &started[i]));
            break;
        case 1:
            CALL(MPI_Ibcast(&values[i], 1, MPI_INT, i % size, MPI_COMM_WORLD, &started[i]));
            break;
        default:
            CALL(MPI_Ibarrier(MPI_COMM_WORLD, &started[i]));
        }
    }
    if (rank == 0 && last > 0) {
        CALL(MPI_Send(NULL, 0, MPI_INT, last, 9, MPI_COMM_WORLD));
    }
    CALL(MPI_Waitall(CALLS, started, MPI_STATUSES_IGNORE));
    for (int i = 0; i < CALLS; i++) {
        int value = i % 3 == 1 ? 10 * i + i % size : 10 * i + rank;
        int sum = i % 3 == 0 ? size * 10 * i + size * (size - 1) / 2 : -1;
        good += started[i] == MPI_REQUEST_NULL && values[i] == value && sums[i] == sum;
    }
    say("many collectives: %d", good);
}

int main(int argc, char **argv)
{
    report_begin(&argc, &argv, MPI_THREAD_SINGLE);
    forms();
    one_fails();
    generalized();
    freed();
    elements();
    large_statuses();
    there_already();
    many_collectives();
    return report_end();
}
