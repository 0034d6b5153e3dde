/* Tests of topologies: Cartesian grids, graphs, distributed graphs, and the neighbourhood collectives over them. */
#include "common/report.h"

enum { MODES = HAVE_MPI_4 ? 3 : 2 };

static void list(char *text, const int *values, int n)
{
    *text = 0;
    for (int i = 0; i < n; i++) {
        sprintf(text + strlen(text), " %d", values[i]);
    }
}

static void dims(void)
{
    static const int asks[][5] = {{12, 2, 0, 0, 0}, {12, 3, 0, 0, 0}, {7, 2, 0, 0, 0},
                                  {24, 3, 0, 2, 0}, {60, 3, 0, 0, 0}, {1, 2, 0, 0, 0},
                                  {36, 2, 0, 4, 0}, {64, 3, 0, 0, 0}, {30, 1, 0, 0, 0}};
    for (size_t i = 0; i < sizeof asks / sizeof *asks; i++) {
        int got[3] = {asks[i][2], asks[i][3], asks[i][4]};
        char text[64];
        CALL(MPI_Dims_create(asks[i][0], asks[i][1], got));
        list(text, got, asks[i][1]);
        say("dims of %d:%s", asks[i][0], text);
    }
    int wrong[2] = {5, 0};
    say("dims that do not divide: %s", class_name(MPI_Dims_create(12, 2, wrong)));
}

/* Tests every neighbourhood collective in each mode. The topology must have the sources `in` and the destinations `out`,
 * of which -1 stands for MPI_PROC_NULL. */
static void neighbours(const char *what, MPI_Comm comm, int n_in, const int *in, int n_out, const int *out)
{
    int send[64], got[64], counts[64], places[64], sizes[64], room = 0, me;
    MPI_Aint far[64], their_far[64];
    MPI_Datatype types[64];
    MPI_Request request;
    char text[256];
    CALL(MPI_Comm_rank(comm, &me));
    list(text, in, n_in);
    say("%s, from:%s", what, text);
    list(text, out, n_out);
    say("%s, to:%s", what, text);
    for (int mode = 0; mode < MODES; mode++) {
        int good = 1;
        memset(got, -1, sizeof got);
        send[0] = me + 100;
        send[1] = me + 200;
        (void)request;
#if HAVE_MPI_4
#define PERSIST(init, ...)                                                                                             \
    CALL(init(__VA_ARGS__, comm, MPI_INFO_NULL, &request));                                                            \
    CALL(MPI_Start(&request));                                                                                         \
    CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));                                                                       \
    CALL(MPI_Request_free(&request))
#else
#define PERSIST(init, ...)
#endif
#define DO(name, nonblocking, init, ...)                                                                               \
    if (mode == 0) {                                                                                                   \
        CALL(name(__VA_ARGS__, comm));                                                                                 \
    } else if (mode == 1) {                                                                                            \
        CALL(nonblocking(__VA_ARGS__, comm, &request));                                                                \
        CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));                                                                   \
    } else {                                                                                                           \
        PERSIST(init, __VA_ARGS__);                                                                                    \
    }
        DO(MPI_Neighbor_allgather, MPI_Ineighbor_allgather, MPI_Neighbor_allgather_init, send, 2, MPI_INT, got, 2,
           MPI_INT)
        for (int i = 0; i < n_in; i++) {
            good &= in[i] < 0 ? got[2 * i] == -1 : got[2 * i] == in[i] + 100 && got[2 * i + 1] == in[i] + 200;
        }
        CHECK(good);
        memset(got, -1, sizeof got);
        room = 0;
        for (int i = 0; i < n_in; i++) {
            counts[i] = 1 + (in[i] < 0 ? 0 : in[i]) % 2;
            places[i] = room;
            room += 3;
        }
        DO(MPI_Neighbor_allgatherv, MPI_Ineighbor_allgatherv, MPI_Neighbor_allgatherv_init, send, 1 + me % 2, MPI_INT,
           got, counts, places, MPI_INT)
        for (int i = 0; i < n_in; i++) {
            good &= in[i] < 0 ? got[3 * i] == -1 : got[3 * i] == in[i] + 100;
        }
        CHECK(good);
        memset(got, -1, sizeof got);
        for (int i = 0; i < n_out; i++) {
            send[i] = 1000 * me + (out[i] < 0 ? 0 : out[i]);
        }
        DO(MPI_Neighbor_alltoall, MPI_Ineighbor_alltoall, MPI_Neighbor_alltoall_init, send, 1, MPI_INT, got, 1, MPI_INT)
        for (int i = 0; i < n_in; i++) {
            good &= in[i] < 0 ? got[i] == -1 : got[i] == 1000 * in[i] + me;
        }
        CHECK(good);
        memset(got, -1, sizeof got);
        for (int i = 0; i < n_in || i < n_out; i++) {
            counts[i] = sizes[i] = 1;
            places[i] = i;
            far[i] = their_far[i] = i * (MPI_Aint)sizeof(int);
            types[i] = MPI_INT;
        }
        DO(MPI_Neighbor_alltoallv, MPI_Ineighbor_alltoallv, MPI_Neighbor_alltoallv_init, send, sizes, places, MPI_INT,
           got, counts, places, MPI_INT)
        for (int i = 0; i < n_in; i++) {
            good &= in[i] < 0 ? got[i] == -1 : got[i] == 1000 * in[i] + me;
        }
        CHECK(good);
        memset(got, -1, sizeof got);
        DO(MPI_Neighbor_alltoallw, MPI_Ineighbor_alltoallw, MPI_Neighbor_alltoallw_init, send, sizes, far, types, got,
           counts, their_far, types)
        for (int i = 0; i < n_in; i++) {
            good &= in[i] < 0 ? got[i] == -1 : got[i] == 1000 * in[i] + me;
        }
        CHECK(good);
    }
    /* One rank may be several neighbours, as in a ring of two. In a grid, MPI 4.0 says that data sent down arrives from
     * above. In other topologies, the order of the neighbours decides. */
    for (int i = 0; i < n_out; i++) {
        send[i] = i;
    }
    memset(got, -1, sizeof got);
    CALL(MPI_Neighbor_alltoall(send, 1, MPI_INT, got, 1, MPI_INT, comm));
    list(text, got, n_in);
    say("%s, places there:%s", what, text);
}

static void grid(int periodic)
{
    MPI_Comm comm, line;
    int shape[2] = {0, 0}, wraps[2] = {periodic, 1}, me, at[2], got_shape[2], got_wraps[2], got_at[2], n, kind;
    int down, up, around[4];
    char text[64];
    CALL(MPI_Dims_create(size, 2, shape));
    CALL(MPI_Cart_create(MPI_COMM_WORLD, 2, shape, wraps, 0, &comm));
    CALL(MPI_Topo_test(comm, &kind));
    CALL(MPI_Cartdim_get(comm, &n));
    CALL(MPI_Comm_rank(comm, &me));
    say("cart %d, of %d dimensions, rank %d", kind == MPI_CART, n, me);
    CALL(MPI_Cart_get(comm, 2, got_shape, got_wraps, got_at));
    CALL(MPI_Cart_coords(comm, me, 2, at));
    CHECK(got_at[0] == at[0] && got_at[1] == at[1] && got_shape[0] == shape[0] && got_wraps[0] == periodic);
    CALL(MPI_Cart_rank(comm, at, &n));
    CHECK(n == me);
    at[1] += shape[1];
    CALL(MPI_Cart_rank(comm, at, &n));
    CHECK(n == me);
    list(text, got_at, 2);
    say("at%s of %d x %d", text, shape[0], shape[1]);
    for (int d = 0; d < 2; d++) {
        for (int by = -1; by <= 2; by++) {
            CALL(MPI_Cart_shift(comm, d, by, &down, &up));
            say("shift %d by %d: %d %d", d, by, down == MPI_PROC_NULL ? -1 : down, up == MPI_PROC_NULL ? -1 : up);
        }
        CALL(MPI_Cart_shift(comm, d, 1, &around[2 * d], &around[2 * d + 1]));
    }
    for (int i = 0; i < 4; i++) {
        around[i] = around[i] == MPI_PROC_NULL ? -1 : around[i];
    }
    neighbours(periodic ? "torus" : "cylinder", comm, 4, around, 4, around);
    int keep[2] = {0, 1}, sum;
    CALL(MPI_Cart_sub(comm, keep, &line));
    CALL(MPI_Cartdim_get(line, &n));
    CALL(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, line));
    CALL(MPI_Comm_rank(line, &me));
    say("row: %d dimension, rank %d, sum %d", n, me, sum);
    CALL(MPI_Comm_free(&line));
    CALL(MPI_Cart_map(MPI_COMM_WORLD, 2, shape, wraps, &n));
    CHECK(n >= 0 && n < size);
    CALL(MPI_Comm_dup(comm, &line));
    CALL(MPI_Topo_test(line, &kind));
    say("duplicate is a grid: %d", kind == MPI_CART);
    CALL(MPI_Comm_free(&line));
    CALL(MPI_Comm_free(&comm));
    int one[1] = {1};
    CALL(MPI_Cart_create(MPI_COMM_WORLD, 1, one, one, 0, &comm));
    say("in a grid of one: %d", comm != MPI_COMM_NULL);
    if (comm != MPI_COMM_NULL) {
        CALL(MPI_Comm_free(&comm));
    }
    int large[1] = {size + 1};
    comm = MPI_COMM_NULL;
    say("a grid that is too large: %d", MPI_Cart_create(MPI_COMM_WORLD, 1, large, one, 0, &comm) != MPI_SUCCESS);
    CALL(MPI_Topo_test(MPI_COMM_WORLD, &kind));
    say("the world has none: %d", kind == MPI_UNDEFINED);
}

/* A star: every rank is a neighbour of rank 0. */
static void graph(void)
{
    int index[64], edges[128], n = 0, nodes, count, around[64], kind, me;
    MPI_Comm comm;
    for (int i = 1; i < size; i++) {
        edges[n++] = i;
    }
    index[0] = n;
    for (int i = 1; i < size; i++) {
        edges[n++] = 0;
        index[i] = n;
    }
    CALL(MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &comm));
    CALL(MPI_Topo_test(comm, &kind));
    CALL(MPI_Graphdims_get(comm, &nodes, &count));
    say("graph %d: %d nodes, %d edges", kind == MPI_GRAPH, nodes, count);
    int got_index[64], got_edges[128];
    CALL(MPI_Graph_get(comm, 64, 128, got_index, got_edges));
    CHECK(memcmp(index, got_index, sizeof *index * (size_t)size) == 0);
    CHECK(memcmp(edges, got_edges, sizeof *edges * (size_t)n) == 0);
    CALL(MPI_Comm_rank(comm, &me));
    CALL(MPI_Graph_neighbors_count(comm, me, &count));
    CALL(MPI_Graph_neighbors(comm, me, 64, around));
    neighbours("star", comm, count, around, count, around);
    CALL(MPI_Graph_map(MPI_COMM_WORLD, size, index, edges, &nodes));
    CALL(MPI_Comm_free(&comm));
}

/* A distributed graph in which each rank sends to the next two. */
static void distributed(int adjacent)
{
    int in[2] = {0, 0}, out[2], weights[2] = {rank + 1, rank + 2}, n_in, n_out, weighted, kind;
    int got_in[64], got_out[64], in_w[64], out_w[64];
    int n = size > 2 ? 2 : size - 1;
    MPI_Comm comm;
    for (int i = 0; i < n; i++) {
        in[i] = (rank + size - 1 - i) % size;
        out[i] = (rank + 1 + i) % size;
    }
    if (adjacent) {
        int in_weights[2] = {in[0] + 1, in[1] + 2};
        CALL(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, n, in, n ? in_weights : MPI_WEIGHTS_EMPTY, n, out,
                                            n ? weights : MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0, &comm));
    } else {
        CALL(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &n, out, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm));
    }
    CALL(MPI_Topo_test(comm, &kind));
    CALL(MPI_Dist_graph_neighbors_count(comm, &n_in, &n_out, &weighted));
    say("distributed graph %d: %d in, %d out, weighted %d", kind == MPI_DIST_GRAPH, n_in, n_out, weighted != 0);
    CALL(MPI_Dist_graph_neighbors(comm, n_in, got_in, adjacent ? in_w : MPI_UNWEIGHTED, n_out, got_out,
                                  adjacent ? out_w : MPI_UNWEIGHTED));
    if (adjacent) {
        for (int i = 0; i < n; i++) {
            CHECK(got_in[i] == in[i] && got_out[i] == out[i] && out_w[i] == weights[i] && in_w[i] == in[i] + 1 + i);
        }
        neighbours("next two", comm, n_in, got_in, n_out, got_out);
    } else {
        /* MPI may return the neighbours in any order. */
        int sum_in = 0, sum_out = 0;
        for (int i = 0; i < n; i++) {
            sum_in += got_in[i];
            sum_out += got_out[i];
        }
        say("sums of neighbours: %d %d", sum_in, sum_out);
    }
    CALL(MPI_Comm_free(&comm));
}

int main(int argc, char **argv)
{
    report_begin(&argc, &argv, MPI_THREAD_SINGLE);
    dims();
    grid(0);
    grid(1);
    graph();
    distributed(1);
    distributed(0);
    return report_end();
}
