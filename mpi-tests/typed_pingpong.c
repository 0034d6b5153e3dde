/* Tests of datatypes of every constructor: messages from the type to contiguous bytes, back, and from type to type.
 *
 * The test has a list of the bytes that belong to each type. So it knows the content of messages and of packed data,
 * and the bytes that must not change.
 */
#include "common/report.h"

enum { ROOM = 1 << 14, MAP = 1 << 12 };

/* A type, with the offsets of the bytes that belong to it, in order. */
typedef struct {
    MPI_Datatype type;
    MPI_Aint at[MAP];
    int bytes;
    MPI_Aint lower, extent;
} Known;

static int partner;

static void start(Known *k)
{
    k->bytes = 0;
}

static void bytes_of(Known *k, MPI_Aint at, int bytes)
{
    for (int i = 0; i < bytes; i++) {
        k->at[k->bytes++] = at + i;
    }
}

/* Exchanges `count` elements of the type with the partner, in each form, and checks every byte. */
static void exchange(const char *name, Known *k, int count)
{
    static unsigned char out[ROOM], in[ROOM], row[ROOM], packed[ROOM];
    MPI_Aint lower, extent, true_lower, true_extent;
    MPI_Status status;
    int bytes, n, position = 0, good = 1;
    CALL(MPI_Type_commit(&k->type));
    CALL(MPI_Type_size(k->type, &bytes));
    CALL(MPI_Type_get_extent(k->type, &lower, &extent));
    CALL(MPI_Type_get_true_extent(k->type, &true_lower, &true_extent));
    CHECK(bytes == k->bytes && lower == k->lower && extent == k->extent);
    MPI_Aint first = k->bytes ? ROOM : 0, last = 0;
    for (int i = 0; i < k->bytes; i++) {
        first = k->at[i] < first ? k->at[i] : first;
        last = k->at[i] + 1 > last ? k->at[i] + 1 : last;
    }
    CHECK(!k->bytes || (true_lower == first && true_lower + true_extent == last));
    for (int i = 0; i < ROOM; i++) {
        out[i] = (unsigned char)(i * 7 + rank * 31 + 1);
        in[i] = row[i] = packed[i] = 0xee;
    }
    /* From the type to bytes. */
    CALL(MPI_Sendrecv(out, count, k->type, partner, 1, row, ROOM, MPI_BYTE, partner, 1, MPI_COMM_WORLD, &status));
    CALL(MPI_Get_count(&status, MPI_BYTE, &n));
    CHECK(n == count * k->bytes);
    for (int c = 0, at = 0; c < count; c++) {
        for (int i = 0; i < k->bytes; i++, at++) {
            good &= row[at] == (unsigned char)((k->at[i] + c * k->extent) * 7 + partner * 31 + 1);
        }
    }
    CHECK(good);
    /* From bytes to the type: the received bytes go back to their owner. No other byte changes. */
    CALL(MPI_Sendrecv(row, count * k->bytes, MPI_BYTE, partner, 2, in, count, k->type, partner, 2, MPI_COMM_WORLD,
                      &status));
    CALL(MPI_Get_count(&status, k->type, &n));
    CHECK(k->bytes == 0 || n == count);
    CALL(MPI_Get_elements(&status, k->type, &n));
    int touched = 0;
    good = 1;
    for (int c = 0; c < count; c++) {
        for (int i = 0; i < k->bytes; i++) {
            MPI_Aint at = k->at[i] + c * k->extent;
            good &= in[at] == out[at];
            in[at] = 0xee;
        }
    }
    for (int i = 0; i < ROOM; i++) {
        touched += in[i] != 0xee;
    }
    CHECK(good);
    CHECK(touched == 0);
    /* Packs and unpacks locally. Then sends from the type to the type. */
    CALL(MPI_Pack_size(count, k->type, MPI_COMM_WORLD, &n));
    CHECK(n >= count * k->bytes);
    CALL(MPI_Pack(out, count, k->type, packed, ROOM, &position, MPI_COMM_WORLD));
    CHECK(position == count * k->bytes);
    position = 0;
    CALL(MPI_Unpack(packed, ROOM, &position, in, count, k->type, MPI_COMM_WORLD));
    good = 1;
    for (int c = 0; c < count; c++) {
        for (int i = 0; i < k->bytes; i++) {
            good &= in[k->at[i] + c * k->extent] == out[k->at[i] + c * k->extent];
        }
    }
    CHECK(good);
    CALL(MPI_Sendrecv(out, count, k->type, partner, 3, in, count, k->type, partner, 3, MPI_COMM_WORLD, &status));
    for (int c = 0; c < count; c++) {
        for (int i = 0; i < k->bytes; i++) {
            MPI_Aint at = k->at[i] + c * k->extent;
            good &= in[at] == (unsigned char)(at * 7 + partner * 31 + 1);
        }
    }
    CHECK(good);
    say("%s x %d: %d bytes, extent %d, true %d to %d", name, count, k->bytes, (int)extent, (int)true_lower,
        (int)(true_lower + true_extent));
}

static void all_counts(const char *name, Known *k)
{
    for (int count = 0; count <= 5; count++) {
        exchange(name, k, count);
    }
    CALL(MPI_Type_free(&k->type));
    CHECK(k->type == MPI_DATATYPE_NULL);
}

static void constructors(void)
{
    static Known k;
    int lengths[] = {2, 0, 3, 1}, places[] = {8, 3, 0, 20}, starts[] = {6, 0, 12};
    MPI_Aint far[] = {40, 3, 0, 100};
    MPI_Datatype parts[] = {MPI_INT, MPI_DOUBLE, MPI_SHORT, MPI_CHAR}, inner;

    start(&k), bytes_of(&k, 0, 12), k.lower = 0, k.extent = 12;
    CALL(MPI_Type_contiguous(3, MPI_INT, &k.type));
    all_counts("contiguous", &k);

    start(&k), k.extent = 4 * 12 + 8;
    for (int i = 0; i < 5; i++) {
        bytes_of(&k, 12 * i, 8);
    }
    CALL(MPI_Type_vector(5, 2, 3, MPI_INT, &k.type));
    all_counts("vector", &k);

    start(&k), k.extent = 4 * 9 + 4;
    for (int i = 0; i < 5; i++) {
        bytes_of(&k, 9 * i, 4);
    }
    CALL(MPI_Type_create_hvector(5, 1, 9, MPI_INT, &k.type));
    all_counts("hvector", &k);

    start(&k), bytes_of(&k, 0, 4 * 4), k.extent = 16;
    CALL(MPI_Type_vector(1, 4, 17, MPI_INT, &k.type));
    all_counts("vector of one block", &k);

    start(&k), bytes_of(&k, 32, 8), bytes_of(&k, 0, 12), bytes_of(&k, 80, 4), k.extent = 84;
    CALL(MPI_Type_indexed(4, lengths, places, MPI_INT, &k.type));
    all_counts("indexed", &k);

    start(&k), bytes_of(&k, 40, 4), bytes_of(&k, 0, 6), bytes_of(&k, 100, 2), k.extent = 102;
    CALL(MPI_Type_create_hindexed(4, lengths, far, MPI_SHORT, &k.type));
    all_counts("hindexed", &k);

    start(&k), k.extent = 14 * 8;
    for (int i = 0; i < 3; i++) {
        bytes_of(&k, 8 * starts[i], 16);
    }
    CALL(MPI_Type_create_indexed_block(3, 2, starts, MPI_DOUBLE, &k.type));
    all_counts("indexed_block", &k);

    start(&k), bytes_of(&k, 40, 3), bytes_of(&k, 3, 3), bytes_of(&k, 0, 3), bytes_of(&k, 100, 3), k.extent = 103;
    CALL(MPI_Type_create_hindexed_block(4, 3, far, MPI_BYTE, &k.type));
    all_counts("hindexed_block", &k);

    start(&k), bytes_of(&k, 40, 8), bytes_of(&k, 0, 6), bytes_of(&k, 100, 1), k.extent = 104;
    CALL(MPI_Type_create_struct(4, lengths, far, parts, &k.type));
    all_counts("struct", &k);

    start(&k), bytes_of(&k, 0, 4), k.lower = -0, k.extent = 64;
    CALL(MPI_Type_create_resized(MPI_INT, 0, 64, &k.type));
    all_counts("resized", &k);

    start(&k), bytes_of(&k, 0, 4), k.extent = 4;
    CALL(MPI_Type_dup(MPI_FLOAT, &k.type));
    all_counts("dup", &k);

    start(&k), k.extent = 5 * 6 * 4;
    int sizes[] = {5, 6}, sub[] = {2, 3}, from[] = {1, 2};
    for (int row = 1; row < 3; row++) {
        bytes_of(&k, (row * 6 + 2) * 4, 12);
    }
    CALL(MPI_Type_create_subarray(2, sizes, sub, from, MPI_ORDER_C, MPI_INT, &k.type));
    all_counts("subarray in C's order", &k);

    start(&k);
    for (int column = 2; column < 5; column++) {
        bytes_of(&k, (column * 5 + 1) * 4, 8);
    }
    CALL(MPI_Type_create_subarray(2, sizes, sub, from, MPI_ORDER_FORTRAN, MPI_INT, &k.type));
    all_counts("subarray in Fortran's order", &k);

    start(&k), k.extent = 10 * 4;
    int whole[] = {10}, how[] = {MPI_DISTRIBUTE_CYCLIC}, arg[] = {2}, procs[] = {2};
    for (int i = 0; i < 10; i += 4) {
        bytes_of(&k, 4 * i, 8);
    }
    CALL(MPI_Type_create_darray(2, 0, 1, whole, how, arg, procs, MPI_ORDER_C, MPI_INT, &k.type));
    all_counts("darray, cyclic by 2", &k);

    start(&k);
    how[0] = MPI_DISTRIBUTE_BLOCK, arg[0] = MPI_DISTRIBUTE_DFLT_DARG;
    bytes_of(&k, 20, 20);
    CALL(MPI_Type_create_darray(2, 1, 1, whole, how, arg, procs, MPI_ORDER_C, MPI_INT, &k.type));
    all_counts("darray, block", &k);

    CALL(MPI_Type_vector(2, 1, 2, MPI_SHORT, &inner));
    start(&k), k.extent = 2 * 20 + 12;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 2; j++) {
            bytes_of(&k, 20 * i + 6 * j, 2), bytes_of(&k, 20 * i + 6 * j + 4, 2);
        }
    }
    CALL(MPI_Type_create_hvector(3, 2, 20, inner, &k.type));
    CALL(MPI_Type_free(&inner));
    all_counts("hvector of vectors", &k);

    start(&k), bytes_of(&k, 0, 4), bytes_of(&k, 4, 4), k.extent = 8;
    CALL(MPI_Type_dup(MPI_2INT, &k.type));
    all_counts("pair of ints", &k);

    start(&k), bytes_of(&k, 0, 8), bytes_of(&k, 8, 4), k.extent = 16;
    CALL(MPI_Type_dup(MPI_DOUBLE_INT, &k.type));
    all_counts("double and int", &k);
}

/* A type of 4 MiB with holes, for sending and receiving at once, and a type whose blocks overlap, for sending. */
static void large(void)
{
    enum { BLOCKS = 1 << 19 };
    MPI_Datatype type, twice;
    double *out = (double *)malloc(2 * BLOCKS * sizeof *out), *in = (double *)calloc(2 * BLOCKS, sizeof *in);
    int lengths[] = {3, 3}, places[] = {0, 2}, values[] = {1, 2, 3, 4, 5}, got[6] = {0};
    long good = 0;
    for (int i = 0; i < 2 * BLOCKS; i++) {
        out[i] = i + rank;
    }
    CALL(MPI_Type_vector(BLOCKS, 1, 2, MPI_DOUBLE, &type));
    CALL(MPI_Type_commit(&type));
    CALL(MPI_Sendrecv(out, 1, type, partner, 4, in, 1, type, partner, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (int i = 0; i < 2 * BLOCKS; i++) {
        good += in[i] == (i % 2 ? 0 : i + partner);
    }
    say("large: %ld", good);
    CALL(MPI_Sendrecv(out, 1, type, partner, 5, in, BLOCKS, MPI_DOUBLE, partner, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    good = 0;
    for (int i = 0; i < BLOCKS; i++) {
        good += in[i] == 2 * i + partner;
    }
    say("large to a row: %ld", good);
    CALL(MPI_Type_free(&type));
    CALL(MPI_Type_indexed(2, lengths, places, MPI_INT, &twice));
    CALL(MPI_Type_commit(&twice));
    CALL(MPI_Sendrecv(values, 1, twice, partner, 6, got, 6, MPI_INT, partner, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    say("overlapping: %d %d %d %d %d %d", got[0], got[1], got[2], got[3], got[4], got[5]);
    CALL(MPI_Type_free(&twice));
    free(out);
    free(in);
}

/* A type of absolute addresses, sent from MPI_BOTTOM. */
static void bottom(void)
{
    int a = 10 + rank, b[2] = {20 + rank, 30 + rank}, got[3], lengths[] = {1, 2};
    MPI_Aint places[2];
    MPI_Datatype type;
    CALL(MPI_Get_address(&a, &places[0]));
    CALL(MPI_Get_address(b, &places[1]));
    CALL(MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &type));
    CALL(MPI_Type_commit(&type));
    CALL(MPI_Sendrecv(MPI_BOTTOM, 1, type, partner, 7, got, 3, MPI_INT, partner, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    say("bottom: %d %d %d", got[0] - partner, got[1] - partner, got[2] - partner);
    CALL(MPI_Type_free(&type));
}

int main(int argc, char **argv)
{
    report_begin(&argc, &argv, MPI_THREAD_SINGLE);
    partner = rank ^ 1;
    if (partner >= size) {
        partner = rank;
    }
    constructors();
    large();
    bottom();
    return report_end();
}
