/* Tests of reduction operators: every predefined one on every predefined datatype of C that it accepts, and user-defined
 * operators. */
#include "common/report.h"

#include <complex.h>
#include <stdbool.h>
#include <stdint.h>

enum { N = 9 };

/* Small values, so that no product overflows. */
static int value(int from, int i)
{
    return (from * 3 + i * 5) % 4;
}

/* Reduces over all ranks, and rank by rank by MPI_Reduce_local. Tells whether both give `expected`. */
static int agree(MPI_Datatype type, MPI_Op op, size_t bytes, const void *mine, const void *all, const void *expected)
{
    unsigned char result[N * 32], step[N * 32], other[N * 32];
    CALL(MPI_Allreduce(mine, result, N, type, op, MPI_COMM_WORLD));
    memcpy(step, (const unsigned char *)all + (size_t)(size - 1) * N * bytes, N * bytes);
    for (int from = size - 2; from >= 0; from--) {
        memcpy(other, (const unsigned char *)all + (size_t)from * N * bytes, N * bytes);
        CALL(MPI_Reduce_local(other, step, N, type, op));
    }
    return memcmp(result, expected, N * bytes) == 0 && memcmp(step, expected, N * bytes) == 0;
}

#define STEP(c_type, op_name, expression)                                                                              \
    do {                                                                                                               \
        memcpy(expected, all, sizeof expected);                                                                        \
        for (int from = 1; from < size; from++) {                                                                      \
            for (int i = 0; i < N; i++) {                                                                              \
                c_type a = expected[i], b = all[from][i];                                                              \
                expected[i] = (c_type)(expression);                                                                    \
            }                                                                                                          \
        }                                                                                                              \
        passed += agree(type, op_name, sizeof(c_type), all[rank], all, expected);                                      \
        of++;                                                                                                          \
    } while (0)

#define BEGIN(c_type)                                                                                                  \
    c_type all[16][N], expected[N];                                                                                    \
    int passed = 0, of = 0;                                                                                            \
    memset(all, 0, sizeof all);                                                                                        \
    for (int from = 0; from < size; from++) {                                                                          \
        for (int i = 0; i < N; i++) {                                                                                  \
            all[from][i] = (c_type)value(from, i);                                                                     \
        }                                                                                                              \
    }

#define ARITHMETIC(c_type)                                                                                             \
    STEP(c_type, MPI_SUM, a + b);                                                                                      \
    STEP(c_type, MPI_PROD, (a) * b)
#define ORDER(c_type)                                                                                                  \
    STEP(c_type, MPI_MAX, a > b ? a : b);                                                                              \
    STEP(c_type, MPI_MIN, a < b ? a : b)
#define LOGIC(c_type)                                                                                                  \
    STEP(c_type, MPI_LAND, a &&b);                                                                                     \
    STEP(c_type, MPI_LOR, a || b);                                                                                     \
    STEP(c_type, MPI_LXOR, !a != !b)
#define BITS(c_type)                                                                                                   \
    STEP(c_type, MPI_BAND, a &b);                                                                                      \
    STEP(c_type, MPI_BOR, a | b);                                                                                      \
    STEP(c_type, MPI_BXOR, a ^ b)
#define END(name) say("%s: %d of %d", name, passed, of), CHECK(passed == of)

#define FUNCTION(name, c_type, ...)                                                                                    \
    static void name(const char *what, MPI_Datatype type)                                                              \
    {                                                                                                                  \
        BEGIN(c_type)                                                                                                  \
        __VA_ARGS__;                                                                                                   \
        END(what);                                                                                                     \
    }
#define INTEGER(name, c_type) FUNCTION(name, c_type, ARITHMETIC(c_type); ORDER(c_type); LOGIC(c_type); BITS(c_type))
#define REAL(name, c_type) FUNCTION(name, c_type, ARITHMETIC(c_type); ORDER(c_type))

INTEGER(signed_char, signed char)
INTEGER(unsigned_char, unsigned char)
INTEGER(short_, short)
INTEGER(unsigned_short, unsigned short)
INTEGER(int_, int)
INTEGER(unsigned_, unsigned)
INTEGER(long_, long)
INTEGER(unsigned_long, unsigned long)
INTEGER(long_long, long long)
INTEGER(unsigned_long_long, unsigned long long)
REAL(float_, float)
REAL(double_, double)
FUNCTION(float_complex, float complex, ARITHMETIC(float complex))
FUNCTION(double_complex, double complex, ARITHMETIC(double complex))
FUNCTION(bool_, bool, LOGIC(bool))
FUNCTION(byte_, unsigned char, BITS(unsigned char))

static void predefined(void)
{
    signed_char("signed char", MPI_SIGNED_CHAR), unsigned_char("unsigned char", MPI_UNSIGNED_CHAR);
    signed_char("int8", MPI_INT8_T), unsigned_char("uint8", MPI_UINT8_T);
    short_("short", MPI_SHORT), unsigned_short("unsigned short", MPI_UNSIGNED_SHORT);
    short_("int16", MPI_INT16_T), unsigned_short("uint16", MPI_UINT16_T);
    int_("int", MPI_INT), unsigned_("unsigned", MPI_UNSIGNED);
    int_("int32", MPI_INT32_T), unsigned_("uint32", MPI_UINT32_T);
    long_("long", MPI_LONG), unsigned_long("unsigned long", MPI_UNSIGNED_LONG);
    long_("int64", MPI_INT64_T), unsigned_long("uint64", MPI_UINT64_T);
    long_long("long long", MPI_LONG_LONG), unsigned_long_long("unsigned long long", MPI_UNSIGNED_LONG_LONG);
    long_("aint", MPI_AINT), long_long("count", MPI_COUNT), long_long("offset", MPI_OFFSET);
    float_("float", MPI_FLOAT), double_("double", MPI_DOUBLE);
    float_complex("float complex", MPI_C_FLOAT_COMPLEX), double_complex("double complex", MPI_C_DOUBLE_COMPLEX);
    bool_("bool", MPI_C_BOOL), byte_("byte", MPI_BYTE);
    /* A long double has padding bytes, which may differ. So it is compared as a number. */
    long double mine[N], sum[N], good = 0;
    for (int i = 0; i < N; i++) {
        mine[i] = rank + i / 4.0L;
    }
    CALL(MPI_Allreduce(mine, sum, N, MPI_LONG_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    for (int i = 0; i < N; i++) {
        good += sum[i] == size * (size - 1) / 2 + size * (i / 4.0L);
    }
    say("long double: %d", (int)good);
}

#define PLACES(name, c_type, type)                                                                                     \
    do {                                                                                                               \
        struct {                                                                                                       \
            c_type a;                                                                                                  \
            int b;                                                                                                     \
        } mine[N], least[N], most[N];                                                                                  \
        int good = 0;                                                                                                  \
        for (int i = 0; i < N; i++) {                                                                                  \
            mine[i].a = (c_type)value(rank, i);                                                                        \
            mine[i].b = 100 - rank;                                                                                    \
        }                                                                                                              \
        CALL(MPI_Allreduce(mine, least, N, type, MPI_MINLOC, MPI_COMM_WORLD));                                         \
        CALL(MPI_Allreduce(mine, most, N, type, MPI_MAXLOC, MPI_COMM_WORLD));                                          \
        for (int i = 0; i < N; i++) {                                                                                  \
            int low = 0, high = 0;                                                                                     \
            for (int r = 1; r < size; r++) {                                                                           \
                low = value(r, i) <= value(low, i) ? r : low;                                                          \
                high = value(r, i) >= value(high, i) ? r : high;                                                       \
            }                                                                                                          \
            good += least[i].b == 100 - low && most[i].b == 100 - high;                                                \
            good += least[i].a == (c_type)value(low, i) && most[i].a == (c_type)value(high, i);                        \
        }                                                                                                              \
        say("places of %s: %d", name, good);                                                                           \
    } while (0)

static void places(void)
{
    PLACES("int", int, MPI_2INT);
    PLACES("short", short, MPI_SHORT_INT);
    PLACES("long", long, MPI_LONG_INT);
    PLACES("float", float, MPI_FLOAT_INT);
    PLACES("double", double, MPI_DOUBLE_INT);
    PLACES("long double", long double, MPI_LONG_DOUBLE_INT);
}

typedef struct {
    long a[4];
} Matrix;

static MPI_Datatype matrix;
static int calls;

/* An operator: the product of 2x2 matrices, which is associative and does not commute. */
static void multiply(void *in, void *inout, int *count, MPI_Datatype *type)
{
    Matrix *left = (Matrix *)in, *right = (Matrix *)inout;
    calls++;
    CHECK(*type == matrix);
    for (int i = 0; i < *count; i++) {
        const long *x = left[i].a, *y = right[i].a;
        Matrix z = {{x[0] * y[0] + x[1] * y[2], x[0] * y[1] + x[1] * y[3], x[2] * y[0] + x[3] * y[2],
                     x[2] * y[1] + x[3] * y[3]}};
        right[i] = z;
    }
}

static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++) {
        ((int *)inout)[i] += ((int *)in)[i];
    }
}

static Matrix of(int from)
{
    Matrix m = {{1, from + 1, from % 2, 1}};
    return m;
}

static Matrix product(int first, int last)
{
    Matrix m = {{1, 0, 0, 1}}, next;
    for (int r = first; r <= last; r++) {
        next = of(r);
        int one = 1;
        multiply(&m, &next, &one, &matrix);
        m = next;
    }
    return m;
}

static void own(void)
{
    MPI_Op times, plus;
    MPI_Request request;
    Matrix mine[3], got[3], want;
    int commutes, ones[1000], sums[1000], good = 1;
    CALL(MPI_Type_contiguous(4, MPI_LONG, &matrix));
    CALL(MPI_Type_commit(&matrix));
    CALL(MPI_Op_create(multiply, 0, &times));
    CALL(MPI_Op_create(add, 1, &plus));
    CALL(MPI_Op_commutative(times, &commutes));
    CALL(MPI_Op_commutative(plus, &good));
    say("commute: %d %d", commutes, good);
    CALL(MPI_Op_commutative(MPI_SUM, &commutes));
    say("sum commutes: %d", commutes);
    mine[0] = mine[1] = mine[2] = of(rank);
    want = product(0, size - 1);
    for (int root = 0; root < size; root++) {
        CALL(MPI_Reduce(mine, got, 3, matrix, times, root, MPI_COMM_WORLD));
        CHECK(rank != root || memcmp(&got[2], &want, sizeof want) == 0);
    }
    CALL(MPI_Allreduce(mine, got, 3, matrix, times, MPI_COMM_WORLD));
    CHECK(memcmp(&got[1], &want, sizeof want) == 0);
    say("products: %ld %ld %ld %ld", got[0].a[0], got[0].a[1], got[0].a[2], got[0].a[3]);
    CALL(MPI_Iallreduce(mine, got, 3, matrix, times, MPI_COMM_WORLD, &request));
    CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(memcmp(&got[1], &want, sizeof want) == 0);
    want = product(0, rank);
    CALL(MPI_Scan(mine, got, 3, matrix, times, MPI_COMM_WORLD));
    CHECK(memcmp(&got[2], &want, sizeof want) == 0);
    want = product(0, rank - 1);
    CALL(MPI_Exscan(mine, got, 3, matrix, times, MPI_COMM_WORLD));
    CHECK(rank == 0 || memcmp(&got[2], &want, sizeof want) == 0);
    say("called: %d", size == 1 || calls > 0);
    Matrix *blocks = (Matrix *)malloc((size_t)size * sizeof *blocks);
    for (int i = 0; i < size; i++) {
        blocks[i] = of(rank);
    }
    want = product(0, size - 1);
    CALL(MPI_Reduce_scatter_block(blocks, got, 1, matrix, times, MPI_COMM_WORLD));
    CHECK(memcmp(got, &want, sizeof want) == 0);
    free(blocks);
    for (int i = 0; i < 1000; i++) {
        ones[i] = rank + i;
    }
    CALL(MPI_Allreduce(ones, sums, 1000, MPI_INT, plus, MPI_COMM_WORLD));
    for (int i = 0; i < 1000; i++) {
        CHECK(sums[i] == size * (size - 1) / 2 + size * i);
    }
    CALL(MPI_Op_free(&times));
    CALL(MPI_Op_free(&plus));
    CHECK(times == MPI_OP_NULL);
    CALL(MPI_Type_free(&matrix));
}

/* gfortran's kind of REAL with `digits` decimal digits, if the library knows it. Numbers of 16 bytes may have padding
 * bytes, so they are compared as numbers. */
#define KIND(c_type, digits)                                                                                           \
    do {                                                                                                               \
        MPI_Datatype type = MPI_DATATYPE_NULL;                                                                         \
        c_type mine[N], sum[N], most[N], one = 1;                                                                      \
        for (int i = 0; i < N; i++) {                                                                                  \
            /* Too long for a double. */                                                                               \
            mine[i] = rank + i + one / ((c_type)(1LL << 30) * (1LL << 30));                                            \
        }                                                                                                              \
        if (MPI_Type_create_f90_real(digits, 4931, &type) == MPI_SUCCESS && type != MPI_DATATYPE_NULL) {               \
            CALL(MPI_Allreduce(mine, sum, N, type, MPI_SUM, MPI_COMM_WORLD));                                          \
            CALL(MPI_Allreduce(mine, most, N, type, MPI_MAX, MPI_COMM_WORLD));                                         \
            for (int i = 0; i < N; i++) {                                                                              \
                CHECK(sum[i] == size * (mine[i] - rank) + size * (size - 1) / 2);                                      \
                CHECK(most[i] == mine[i] - rank + size - 1);                                                           \
            }                                                                                                          \
        }                                                                                                              \
    } while (0)

static void kinds(void)
{
    CALL(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    CALL(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
#ifdef __x86_64__
    KIND(long double, 18);
#endif
#ifdef __SIZEOF_FLOAT128__
    KIND(__float128, 33);
#endif
    CALL(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
    CALL(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL));
}

int main(int argc, char **argv)
{
    report_begin(&argc, &argv, MPI_THREAD_SINGLE);
    predefined();
    places();
    kinds();
    own();
    return report_end();
}
