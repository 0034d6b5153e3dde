/* Tests of functions that are newer than MPI 3.1: counts of type MPI_Count, buffers of communicators for buffered sends,
 * setters of statuses, and handles as integers. Under MPI 3.1 the program tests nothing.
 */
#include "common/report.h"

#if HAVE_MPI_4

enum { N = 10 };

static int left, right;

static void messages(void)
{
    MPI_Request request;
    MPI_Status status;
    MPI_Message message;
    MPI_Count count = -1;
    int out[N], in[N];
    for (int i = 0; i < N; i++) {
        out[i] = 100 * rank + i;
    }
    CALL(MPI_Isend_c(out, N, MPI_INT, right, 1, MPI_COMM_WORLD, &request));
    CALL(MPI_Recv_c(in, N, MPI_INT, left, 1, MPI_COMM_WORLD, &status));
    CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CALL(MPI_Get_count_c(&status, MPI_INT, &count));
    say("send and receive: %d, last %d", (int)count, in[N - 1] - 100 * left);
    CALL(MPI_Isend_c(out, N, MPI_INT, right, 2, MPI_COMM_WORLD, &request));
    CALL(MPI_Mprobe(left, 2, MPI_COMM_WORLD, &message, &status));
    CALL(MPI_Get_elements_c(&status, MPI_INT, &count));
    CALL(MPI_Mrecv_c(in, N, MPI_INT, &message, MPI_STATUS_IGNORE));
    CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
    say("matched: %d", (int)count);
    CALL(MPI_Sendrecv_c(out, N, MPI_INT, right, 3, in, N, MPI_INT, left, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CALL(MPI_Sendrecv_replace_c(in, N, MPI_INT, left, 3, right, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    say("there and back: %d", in[0] == out[0]);
}

static void collectives(void)
{
    int out[64], in[64], sum = -1;
    MPI_Count counts[64];
    MPI_Aint places[64];
    MPI_Request request;
    for (int i = 0; i < size; i++) {
        out[i] = 100 * rank + i;
        counts[i] = 1;
        places[i] = size - 1 - i;
    }
    CALL(MPI_Allreduce_c(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CALL(MPI_Allgatherv_c(&rank, 1, MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD));
    say("sum %d, first %d", sum, in[0]);
    CALL(MPI_Alltoallv_c(out, counts, places, MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD));
    say("from the last: %d", in[0] - 100 * (size - 1) - (size - 1 - rank));
    CALL(MPI_Ibcast_c(&sum, 1, MPI_INT, 0, MPI_COMM_WORLD, &request));
    CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CALL(MPI_Exscan_init_c(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
    CALL(MPI_Start(&request));
    CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CALL(MPI_Request_free(&request));
    say("exscan: %d", rank ? sum : 0);
}

/* Sizes beyond the range of int. Nothing of these types is sent. */
static void sizes(void)
{
    MPI_Datatype type, twice;
    MPI_Count bytes, lower, extent, many = (MPI_Count)1 << 40, integers, addresses, larges, types;
    int small, combiner;
    CALL(MPI_Type_contiguous_c(many, MPI_INT, &type));
    CALL(MPI_Type_size_c(type, &bytes));
    CALL(MPI_Type_get_extent_c(type, &lower, &extent));
    CALL(MPI_Type_size(type, &small));
    say("size %lld, extent %lld, as an int undefined %d", (long long)bytes, (long long)extent, small == MPI_UNDEFINED);
    CALL(MPI_Type_vector_c(4, 2, 3, type, &twice));
    CALL(MPI_Type_get_true_extent_c(twice, &lower, &extent));
    CALL(MPI_Type_get_envelope_c(twice, &integers, &addresses, &larges, &types, &combiner));
    say("true extent %lld; %d %d %d %d, vector %d", (long long)extent, (int)integers, (int)addresses, (int)larges,
        (int)types, combiner == MPI_COMBINER_VECTOR);
    CALL(MPI_Type_free(&twice));
    CALL(MPI_Type_free(&type));
}

static void buffers(void)
{
    MPI_Comm comm;
    MPI_Request request;
    int room = 1000 + 4 * MPI_BSEND_OVERHEAD, got = -1, given = -1;
    void *memory = malloc((size_t)room), *back = NULL;
    CALL(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    CALL(MPI_Comm_attach_buffer(comm, memory, room));
    CALL(MPI_Bsend(&rank, 1, MPI_INT, right, 4, comm));
    CALL(MPI_Recv(&got, 1, MPI_INT, left, 4, comm, MPI_STATUS_IGNORE));
    CALL(MPI_Comm_flush_buffer(comm));
    CALL(MPI_Comm_iflush_buffer(comm, &request));
    CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CALL(MPI_Comm_detach_buffer(comm, &back, &given));
    say("buffer of a communicator: %d, %d, %d", got == left, back == memory, given == room);
    CALL(MPI_Comm_free(&comm));
    free(memory);
    CALL(MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0));
    CALL(MPI_Bsend(&rank, 1, MPI_INT, right, 5, MPI_COMM_WORLD));
    CALL(MPI_Recv(&got, 1, MPI_INT, left, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CALL(MPI_Buffer_flush());
    CALL(MPI_Buffer_detach(&back, &given));
    say("automatic buffer: %d, %d", got == left, back == MPI_BUFFER_AUTOMATIC);
}

static void statuses(void)
{
    MPI_Status status;
    MPI_Request requests[2];
    int value = -1, flag = -1, index = -1, source, tag, error;
    memset(&status, 0, sizeof status);
    CALL(MPI_Status_set_source(&status, 7));
    CALL(MPI_Status_set_tag(&status, 8));
    CALL(MPI_Status_set_error(&status, MPI_ERR_RANK));
    CALL(MPI_Status_get_source(&status, &source));
    CALL(MPI_Status_get_tag(&status, &tag));
    CALL(MPI_Status_get_error(&status, &error));
    say("status: %d %d %s", source, tag, class_name(error));
    CALL(MPI_Irecv(&value, 1, MPI_INT, left, 6, MPI_COMM_WORLD, &requests[0]));
    CALL(MPI_Request_get_status_any(1, requests, &index, &flag, &status));
    say("nothing is complete: %d, %d", flag, index == MPI_UNDEFINED);
    CALL(MPI_Barrier(MPI_COMM_WORLD));
    CALL(MPI_Send(&rank, 1, MPI_INT, right, 6, MPI_COMM_WORLD));
    for (flag = 0; !flag;) {
        CALL(MPI_Request_get_status_all(1, requests, &flag, &status));
    }
    CALL(MPI_Request_get_status_any(1, requests, &index, &flag, &status));
    say("complete: %d, %d, from the left %d", flag, index, status.MPI_SOURCE == left);
    CALL(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
}

static void integers(void)
{
    MPI_Comm comm;
    MPI_Datatype type;
    int version, subversion;
    CALL(MPI_Abi_get_version(&version, &subversion));
    say("ABI %d.%d", version, subversion);
    CALL(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    CALL(MPI_Type_dup(MPI_INT, &type));
    CHECK(MPI_Comm_fromint(MPI_Comm_toint(comm)) == comm);
    CHECK(MPI_Type_fromint(MPI_Type_toint(type)) == type);
    CHECK(MPI_Type_fromint(MPI_Type_toint(MPI_INT)) == MPI_INT);
    CHECK(MPI_Op_fromint(MPI_Op_toint(MPI_SUM)) == MPI_SUM);
    CHECK(PMPI_Comm_f2c(PMPI_Comm_c2f(comm)) == comm);
    CHECK(PMPI_Message_f2c(PMPI_Message_c2f(MPI_MESSAGE_NULL)) == MPI_MESSAGE_NULL);
    say("world %#x, int %#x, sum %#x", (unsigned)MPI_Comm_toint(MPI_COMM_WORLD), (unsigned)MPI_Type_toint(MPI_INT),
        (unsigned)MPI_Op_toint(MPI_SUM));
    CALL(MPI_Type_free(&type));
    CALL(MPI_Comm_free(&comm));
}

static void multiply(void *in, void *inout, MPI_Count *count, MPI_Datatype *type)
{
    (void)type;
    for (MPI_Count i = 0; i < *count; i++) {
        ((int *)inout)[i] *= ((int *)in)[i];
    }
}

static void operators(void)
{
    MPI_Op op;
    int value = rank + 1, product = -1;
    CALL(MPI_Op_create_c(multiply, 1, &op));
    CALL(MPI_Allreduce(&value, &product, 1, MPI_INT, op, MPI_COMM_WORLD));
    say("product: %d", product);
    CALL(MPI_Op_free(&op));
}

#endif

int main(int argc, char **argv)
{
    report_begin(&argc, &argv, MPI_THREAD_SINGLE);
#if HAVE_MPI_4
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    messages();
    collectives();
    sizes();
    buffers();
    statuses();
    integers();
    operators();
#endif
    return report_end();
}
