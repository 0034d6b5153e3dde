/* Property tests of datatypes: whatever its constructors, a type transfers the bytes of its type map.
 *
 * The program makes nested types at random, from a seed. For each it also computes the type map, a list of offsets of
 * bytes, by the definitions of the standard. It compares messages, packing, allgather, broadcast and alltoallw with the
 * map, byte by byte.
 *
 *     random_types [SEED [TYPES]]
 */
#include "common/report.h"

enum { MOST = 4000, ROOM = 1 << 17, BASE = 1 << 13 };

typedef struct {
    MPI_Datatype type;
    int bytes;
    MPI_Aint lower, upper;
    MPI_Aint at[MOST];
} Type;

static unsigned long long state;

static int pick(int below)
{
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (int)((state >> 33) % (unsigned)below);
}

/* Adds a copy of `inner` at `offset`, and widens the bounds of `whole` to include it. */
static void add(Type *whole, const Type *inner, MPI_Aint offset)
{
    for (int i = 0; i < inner->bytes; i++) {
        whole->at[whole->bytes++] = inner->at[i] + offset;
    }
    if (inner->lower + offset < whole->lower) {
        whole->lower = inner->lower + offset;
    }
    if (inner->upper + offset > whole->upper) {
        whole->upper = inner->upper + offset;
    }
}

static void predefined(Type *t)
{
    static const struct {
        MPI_Datatype type;
        int bytes;
    } all[] = {{MPI_CHAR, 1}, {MPI_SHORT, 2}, {MPI_INT, 4},    {MPI_DOUBLE, 8},
               {MPI_BYTE, 1}, {MPI_FLOAT, 4}, {MPI_INT64_T, 8}};
    int which = pick(7);
    t->bytes = all[which].bytes;
    for (int i = 0; i < t->bytes; i++) {
        t->at[i] = i;
    }
    t->lower = 0;
    t->upper = t->bytes;
    CALL(MPI_Type_dup(all[which].type, &t->type));
}

/* Makes a type of `inner` by one constructor. Its blocks never overlap, because a receive would be erroneous. */
static void around(Type *t, const Type *inner)
{
    MPI_Aint extent = inner->upper - inner->lower, gap, offsets[4];
    int n = 1 + pick(4), block = 1 + pick(3), lengths[4], places[4], place = pick(3);
    t->bytes = 0;
    t->lower = 1 << 30;
    t->upper = -(1 << 30);
    switch (pick(8)) {
    case 0:
        CALL(MPI_Type_contiguous(n, inner->type, &t->type));
        for (int i = 0; i < n; i++) {
            add(t, inner, i * extent);
        }
        return;
    case 1:
        gap = block + pick(3);
        CALL(MPI_Type_vector(n, block, (int)gap, inner->type, &t->type));
        for (int i = 0; i < n * block; i++) {
            add(t, inner, (i / block * gap + i % block) * extent);
        }
        return;
    case 2:
        gap = block * extent + pick(9);
        CALL(MPI_Type_create_hvector(n, block, gap, inner->type, &t->type));
        for (int i = 0; i < n * block; i++) {
            add(t, inner, i / block * gap + i % block * extent);
        }
        return;
    case 3:
        for (int i = 0; i < n; i++) {
            lengths[i] = 1 + pick(2);
            places[n - 1 - i] = place;
            /* The blocks stand in descending order, each with room for the longest one. */
            place += 2 + pick(3);
        }
        CALL(MPI_Type_indexed(n, lengths, places, inner->type, &t->type));
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < lengths[i]; j++) {
                add(t, inner, (places[i] + j) * extent);
            }
        }
        return;
    case 4:
        for (int i = 0; i < n; i++) {
            lengths[i] = block;
            offsets[i] = i ? offsets[i - 1] + block * extent + pick(7) : pick(7);
        }
        CALL(MPI_Type_create_hindexed(n, lengths, offsets, inner->type, &t->type));
        for (int i = 0; i < n * block; i++) {
            add(t, inner, offsets[i / block] + i % block * extent);
        }
        return;
    case 5:
        for (int i = 0; i < n; i++) {
            places[i] = place;
            place += block + pick(3);
        }
        CALL(MPI_Type_create_indexed_block(n, block, places, inner->type, &t->type));
        for (int i = 0; i < n * block; i++) {
            add(t, inner, (places[i / block] + i % block) * extent);
        }
        return;
    case 6: {
        int sizes[] = {n + 2, block + 2}, parts[] = {n, block}, from[] = {pick(3), pick(3)};
        CALL(MPI_Type_create_subarray(2, sizes, parts, from, MPI_ORDER_C, inner->type, &t->type));
        for (int i = 0; i < n * block; i++) {
            add(t, inner, ((from[0] + i / block) * sizes[1] + from[1] + i % block) * extent);
        }
        t->lower = 0;
        t->upper = (MPI_Aint)sizes[0] * sizes[1] * extent;
        return;
    }
    default:
        gap = extent + pick(16);
        CALL(MPI_Type_create_resized(inner->type, inner->lower, gap, &t->type));
        add(t, inner, 0);
        t->lower = inner->lower;
        t->upper = inner->lower + gap;
    }
}

/* Makes a struct of two types, one behind the other. MPI may align its end, so resizing sets the bounds. */
static void both(Type *t, const Type *a, const Type *b)
{
    MPI_Aint offsets[] = {0, a->upper - b->lower + pick(8)};
    int lengths[] = {1, 1};
    MPI_Datatype types[] = {a->type, b->type}, bare;
    t->bytes = 0;
    t->lower = 1 << 30;
    t->upper = -(1 << 30);
    CALL(MPI_Type_create_struct(2, lengths, offsets, types, &bare));
    add(t, a, offsets[0]);
    add(t, b, offsets[1]);
    t->upper += 8;
    CALL(MPI_Type_create_resized(bare, t->lower, t->upper - t->lower, &t->type));
    CALL(MPI_Type_free(&bare));
}

static void make(Type *t)
{
    static Type inner, other;
    int depth = 1 + pick(4);
    predefined(t);
    for (int i = 0; i < depth; i++) {
        inner = *t;
        if (pick(4) == 0) {
            predefined(&other);
            both(t, &inner, &other);
            CALL(MPI_Type_free(&other.type));
        } else {
            around(t, &inner);
        }
        if (t->bytes > MOST / 8 || t->upper - t->lower > ROOM / 64 || t->lower < -BASE / 8 || t->lower > BASE / 8) {
            CALL(MPI_Type_free(&t->type));
            *t = inner;
            break;
        }
        /* The type that is made of `inner` keeps it alive. */
        CALL(MPI_Type_free(&inner.type));
    }
    CALL(MPI_Type_commit(&t->type));
}

static unsigned char out[ROOM], in[ROOM], row[ROOM];

static unsigned char content(int from, MPI_Aint at)
{
    return (unsigned char)(at * 13 + from * 59 + 5);
}

static void clean(void)
{
    for (int i = 0; i < ROOM; i++) {
        out[i] = content(rank, i);
        in[i] = row[i] = 0xee;
    }
}

/* Tells whether `count` elements of the type at `in + base` are those that rank `from` had at `its`. Then resets their
 * bytes. */
static int is_there(const Type *t, int count, MPI_Aint base, int from, MPI_Aint its)
{
    int good = 1;
    for (int c = 0; c < count; c++) {
        for (int i = 0; i < t->bytes; i++) {
            MPI_Aint at = t->at[i] + c * (t->upper - t->lower);
            good &= in[base + at] == content(from, its + at);
            in[base + at] = 0xee;
        }
    }
    return good;
}

static int untouched(void)
{
    for (int i = 0; i < ROOM; i++) {
        if (in[i] != 0xee) {
            return 0;
        }
    }
    return 1;
}

static void judge(const Type *t, int count)
{
    MPI_Aint lower, extent;
    MPI_Status status;
    int bytes, n, position = 0, good = 1, right = (rank + 1) % size, left = (rank + size - 1) % size;
    CALL(MPI_Type_size(t->type, &bytes));
    CALL(MPI_Type_get_extent(t->type, &lower, &extent));
    CHECK(bytes == t->bytes && lower == t->lower && extent == t->upper - t->lower);
    clean();
    CALL(MPI_Sendrecv(out + BASE, count, t->type, right, 1, row, ROOM, MPI_BYTE, left, 1, MPI_COMM_WORLD, &status));
    CALL(MPI_Get_count(&status, MPI_BYTE, &n));
    CHECK(n == count * bytes);
    for (int i = 0; i < n; i++) {
        good &= row[i] == content(left, BASE + t->at[i % bytes] + i / bytes * extent);
    }
    CHECK(good);
    CALL(MPI_Unpack(row, ROOM, &position, in + BASE, count, t->type, MPI_COMM_WORLD));
    CHECK(position == n);
    CHECK(is_there(t, count, BASE, left, BASE) && untouched());
    CALL(MPI_Sendrecv(out + BASE, count, t->type, right, 2, in + BASE, count, t->type, left, 2, MPI_COMM_WORLD,
                      &status));
    CHECK(is_there(t, count, BASE, left, BASE) && untouched());
    /* In the receive buffer, the blocks of all ranks stand one after the other. */
    CALL(MPI_Allgather(out + BASE, count, t->type, in + BASE, count, t->type, MPI_COMM_WORLD));
    for (int from = 0; from < size; from++) {
        CHECK(is_there(t, count, BASE + from * count * extent, from, BASE));
    }
    CHECK(untouched());
    CALL(MPI_Bcast(rank == 0 ? out + BASE : in + BASE, count, t->type, 0, MPI_COMM_WORLD));
    CHECK(rank == 0 || is_there(t, count, BASE, 0, BASE));
    CHECK(untouched());
}

/* An all-to-all with two types: even ranks receive the type itself, odd ranks receive bytes. */
static void all_to_all(const Type *t, int count)
{
    int ones[64], offsets[64], places[64], sizes[64], room = (int)(count * (t->upper - t->lower) + 512);
    MPI_Datatype send[64], receive[64];
    clean();
    for (int i = 0; i < size; i++) {
        ones[i] = count;
        sizes[i] = i % 2 ? count * t->bytes : count;
        offsets[i] = BASE + i * room / 2;
        places[i] = BASE + i * room;
        send[i] = t->type;
        receive[i] = i % 2 ? MPI_BYTE : t->type;
    }
    CALL(MPI_Alltoallw(out, ones, offsets, send, in, sizes, places, receive, MPI_COMM_WORLD));
    MPI_Aint its = BASE + (MPI_Aint)rank * room / 2;
    for (int from = 0; from < size; from++) {
        int good = 1;
        if (from % 2 == 0) {
            CHECK(is_there(t, count, places[from], from, its));
            continue;
        }
        for (int i = 0; i < sizes[from]; i++) {
            good &=
                in[places[from] + i] == content(from, its + t->at[i % t->bytes] + i / t->bytes * (t->upper - t->lower));
            in[places[from] + i] = 0xee;
        }
        CHECK(good);
    }
    CHECK(untouched());
}

int main(int argc, char **argv)
{
    static Type t;
    report_begin(&argc, &argv, MPI_THREAD_SINGLE);
    state = argc > 1 ? strtoull(argv[1], NULL, 0) : 20;
    int types = argc > 2 ? atoi(argv[2]) : 200;
    long long total = 0;
    for (int i = 0; i < types; i++) {
        unsigned long long seed = state;
        make(&t);
        int count = 1 + pick(3), failures = report_failures;
        judge(&t, count);
        all_to_all(&t, count);
        if (report_failures > failures) {
            say("type %d, seed %llu: %d of %d bytes, from %ld to %ld", i, seed, count, t.bytes, (long)t.lower,
                (long)t.upper);
        }
        total += count * t.bytes;
        CALL(MPI_Type_free(&t.type));
    }
    say("%d types, %lld bytes", types, total);
    return report_end();
}
