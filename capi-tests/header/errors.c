/* Tests of arguments that a call never accepts, and of the error sentences about them. */
#include <stdint.h>
#include <string.h>

#include "check.h"

/* Checks the status, and that the sentence contains `word`. */
#define SAYS(word, status, call)                                                                                       \
    do {                                                                                                               \
        CHECK_STATUS(status, call);                                                                                    \
        if (strstr(anyccl_last_error(), word) == NULL) {                                                               \
            fprintf(stderr, "%s:%d: \"%s\" is missing in: %s\n", __FILE__, __LINE__, word, anyccl_last_error());       \
            _Exit(1);                                                                                                  \
        }                                                                                                              \
    } while (0)
#define INVALID ANYCCL_ERR_INVALID_ARGUMENT

static int a[64], b[64];

static void numbers_out_of_range(void)
{
    static const int NO_DATATYPES[] = {-1, 18, INT32_MAX, INT32_MIN};
    static const int NO_RANKS[] = {-1, 1, INT32_MAX, INT32_MIN};
    int supported = 77;

    for (size_t i = 0; i < 4; i++) {
        const int wrong = NO_DATATYPES[i], nobody = NO_RANKS[i];
        SAYS("invalid datatype", INVALID, anyccl_all_reduce(a, b, 1, wrong, ANYCCL_SUM, ANYCCL_WORLD));
        SAYS("invalid datatype", INVALID, anyccl_send(a, 1, wrong, 0, 0, ANYCCL_WORLD));
        SAYS("invalid op", INVALID, anyccl_all_reduce(a, b, 1, ANYCCL_INT32, wrong, ANYCCL_WORLD));
        SAYS("invalid datatype", INVALID, anyccl_is_supported(ANYCCL_SUM, wrong, &supported));
        SAYS("invalid op", INVALID, anyccl_is_supported(wrong, ANYCCL_INT8, &supported));
        SAYS("invalid root", INVALID, anyccl_reduce(a, b, 1, ANYCCL_INT32, ANYCCL_SUM, nobody, ANYCCL_WORLD));
        SAYS("invalid root", INVALID, anyccl_broadcast(a, b, 1, ANYCCL_INT32, nobody, ANYCCL_WORLD));
        SAYS("invalid root", INVALID, anyccl_gather(a, b, 1, ANYCCL_INT32, nobody, ANYCCL_WORLD));
        SAYS("invalid root", INVALID, anyccl_scatter(a, b, 1, ANYCCL_INT32, nobody, ANYCCL_WORLD));
        SAYS("invalid peer", INVALID, anyccl_send(a, 1, ANYCCL_INT32, nobody, 0, ANYCCL_WORLD));
        if (nobody != ANYCCL_ANY_SOURCE)
            SAYS("invalid source", INVALID, anyccl_recv(a, 1, ANYCCL_INT32, nobody, 0, ANYCCL_WORLD, NULL));
        CHECK(anyccl_datatype_bytes(wrong) == 0);
    }
    SAYS("invalid tag", INVALID, anyccl_send(a, 1, ANYCCL_INT32, 0, ANYCCL_ANY_TAG, ANYCCL_WORLD));
    SAYS("invalid tag", INVALID, anyccl_recv(a, 1, ANYCCL_INT32, 0, -2, ANYCCL_WORLD, NULL));
    CHECK(supported == 77);
}

static void operators_that_a_datatype_does_not_take(void)
{
    SAYS("sum on byte; accepted on byte: band, bor, bxor", INVALID,
         anyccl_all_reduce(a, b, 1, ANYCCL_BYTE, ANYCCL_SUM, ANYCCL_WORLD));
    SAYS("accepted on float32: sum, product, min, max, avg", INVALID,
         anyccl_reduce(a, b, 1, ANYCCL_FLOAT32, ANYCCL_BXOR, 0, ANYCCL_WORLD));
    SAYS("accepted on complex64: sum, product, avg", INVALID,
         anyccl_reduce_scatter(a, b, 1, ANYCCL_COMPLEX64, ANYCCL_MIN, ANYCCL_WORLD));
    SAYS("avg on bool", INVALID, anyccl_all_reduce(a, b, 1, ANYCCL_BOOL, ANYCCL_AVG, ANYCCL_WORLD));
}

static void counts_and_ranges(void)
{
    SAYS("invalid count: -1, a negative", INVALID,
         anyccl_all_reduce(a, b, SIZE_MAX, ANYCCL_INT32, ANYCCL_SUM, ANYCCL_WORLD));
    SAYS("invalid count: -5, a negative", INVALID, anyccl_send(a, (size_t)-5, ANYCCL_INT32, 0, 0, ANYCCL_WORLD));
    SAYS("invalid count", INVALID, anyccl_all_gather(a, b, SIZE_MAX / 4 + 1, ANYCCL_INT32, ANYCCL_WORLD));
    SAYS("invalid count", INVALID, anyccl_send(a, SIZE_MAX / 8 + 1, ANYCCL_FLOAT64, 0, 0, ANYCCL_WORLD));
    /* One element apart, two elements long. */
    SAYS("overlap", INVALID, anyccl_all_reduce(a, a + 1, 2, ANYCCL_INT32, ANYCCL_SUM, ANYCCL_WORLD));
    SAYS("in place means send == recv", INVALID, anyccl_all_to_all(a + 1, a, 2, ANYCCL_INT32, ANYCCL_WORLD));
    CHECK_OK(anyccl_all_reduce(a, a + 2, 2, ANYCCL_INT32, ANYCCL_SUM, ANYCCL_WORLD));
    CHECK_OK(anyccl_all_reduce(a, a, 2, ANYCCL_INT32, ANYCCL_SUM, ANYCCL_WORLD));
}

/* The fast path does not check a repeated call again. It must still notice arguments that differ. */
static void right_the_first_time(void)
{
    int *const end = (int *)(UINTPTR_MAX - 7);

    for (int i = 0; i < 3; i++) {
        CHECK_OK(anyccl_all_reduce(a, b, 4, ANYCCL_INT32, ANYCCL_SUM, ANYCCL_WORLD));
        CHECK_OK(anyccl_all_reduce(a, a, 4, ANYCCL_INT32, ANYCCL_SUM, ANYCCL_WORLD));
        CHECK_OK(anyccl_all_gather(a, b, 4, ANYCCL_INT32, ANYCCL_WORLD));
        CHECK_OK(anyccl_broadcast(a, b, 4, ANYCCL_INT32, 0, ANYCCL_WORLD));
        CHECK_OK(anyccl_all_to_all(NULL, NULL, 0, ANYCCL_INT32, ANYCCL_WORLD));
        CHECK_OK(anyccl_barrier(ANYCCL_WORLD));

        SAYS("invalid send", INVALID, anyccl_all_reduce(NULL, b, 4, ANYCCL_INT32, ANYCCL_SUM, ANYCCL_WORLD));
        SAYS("invalid recv", INVALID, anyccl_all_reduce(a, NULL, 4, ANYCCL_INT32, ANYCCL_SUM, ANYCCL_WORLD));
        SAYS("invalid send", INVALID, anyccl_all_reduce(NULL, NULL, 4, ANYCCL_INT32, ANYCCL_SUM, ANYCCL_WORLD));
        SAYS("overlap", INVALID, anyccl_all_reduce(a, a + 3, 4, ANYCCL_INT32, ANYCCL_SUM, ANYCCL_WORLD));
        SAYS("overlap", INVALID, anyccl_all_reduce(a + 3, a, 4, ANYCCL_INT32, ANYCCL_SUM, ANYCCL_WORLD));
        SAYS("end of the address", INVALID, anyccl_all_reduce(end, b, 4, ANYCCL_INT32, ANYCCL_SUM, ANYCCL_WORLD));
        SAYS("end of the address", INVALID, anyccl_all_reduce(a, end, 4, ANYCCL_INT32, ANYCCL_SUM, ANYCCL_WORLD));
        SAYS("end of the address", INVALID, anyccl_all_reduce(end, end, 4, ANYCCL_INT32, ANYCCL_SUM, ANYCCL_WORLD));
        SAYS("invalid datatype", INVALID, anyccl_all_reduce(a, b, 4, 256 + ANYCCL_INT32, ANYCCL_SUM, ANYCCL_WORLD));
        SAYS("invalid op", INVALID, anyccl_all_reduce(a, b, 4, ANYCCL_INT32, 256 + ANYCCL_SUM, ANYCCL_WORLD));
        SAYS("invalid root", INVALID, anyccl_broadcast(a, b, 4, ANYCCL_INT32, 1, ANYCCL_WORLD));
        SAYS("invalid root", INVALID, anyccl_broadcast(a, b, 4, ANYCCL_INT32, -1, ANYCCL_WORLD));
        SAYS("overlap", INVALID, anyccl_all_gather(a, a + 1, 4, ANYCCL_INT32, ANYCCL_WORLD));
        SAYS("invalid comm", INVALID, anyccl_barrier((anyccl_comm_t)b));
        SAYS("NULL", INVALID, anyccl_send(NULL, 4, ANYCCL_INT32, 0, 0, ANYCCL_WORLD));
        SAYS("end of the address", INVALID, anyccl_send(end, 4, ANYCCL_INT32, 0, 0, ANYCCL_WORLD));
    }
}

static void configurations(void)
{
    anyccl_config_t config = ANYCCL_CONFIG_INIT;
    config.struct_size = 0;
    SAYS("struct_size", INVALID, anyccl_init_with(&config));
    config.struct_size = sizeof config;
    config.timeout_ms = -2;
    SAYS("timeout_ms", INVALID, anyccl_init_with(&config));
    config.timeout_ms = 0;
    config.log_level = 99;
    SAYS("log_level", INVALID, anyccl_init_with(&config));
    config.log_level = ANYCCL_LOG_DEFAULT;
    config.for_devices = 2;
    SAYS("for_devices", INVALID, anyccl_init_with(&config));

    /* The config of a later version is accepted while its unknown fields ask for nothing. */
    struct {
        anyccl_config_t known;
        int64_t later;
    } newer = {ANYCCL_CONFIG_INIT, 1};
    newer.known.struct_size = sizeof newer;
    SAYS("struct_size", INVALID, anyccl_init_with(&newer.known));
    newer.later = 0;
    CHECK_OK(anyccl_init_with(&newer.known));
}

static void ids(void)
{
    anyccl_unique_id_t id;
    anyccl_comm_t comm = NULL;
    CHECK_OK(anyccl_get_unique_id(&id));
    SAYS("invalid size", INVALID, anyccl_comm_create(&id, 0, 0, NULL, &comm));
    SAYS("invalid rank", INVALID, anyccl_comm_create(&id, 2, 2, NULL, &comm));
    SAYS("invalid rank", INVALID, anyccl_comm_create(&id, 2, -1, NULL, &comm));
    memset(&id, 0xff, sizeof id);
    CHECK_STATUS(INVALID, anyccl_comm_create(&id, 1, 0, NULL, &comm));
    CHECK(comm == NULL);
}

int main(void)
{
    int flag = 77, rank = 77;

    CHECK(strcmp(anyccl_last_error(), "") == 0);
    SAYS("anyccl_init", ANYCCL_ERR_INVALID_USAGE, anyccl_rank(&rank));
    CHECK(rank == 77);
    CHECK_OK(anyccl_is_initialized(&flag));
    CHECK(flag == 0);

    configurations();
    CHECK_OK(anyccl_init()); /* A second time: the same world. */
    CHECK_OK(anyccl_is_initialized(&flag));
    CHECK(flag == 1);

    numbers_out_of_range();
    operators_that_a_datatype_does_not_take();
    counts_and_ranges();
    right_the_first_time();
    ids();

    /* The refused calls have not harmed the world. A success keeps the last error sentence. */
    SAYS("invalid root", INVALID, anyccl_broadcast(a, b, 1, ANYCCL_INT32, 5, ANYCCL_WORLD));
    CHECK_OK(anyccl_comm_failure(ANYCCL_WORLD));
    CHECK_OK(anyccl_barrier(ANYCCL_WORLD));
    CHECK(strncmp(anyccl_last_error(), "anyccl_broadcast: invalid root: 5", 33) == 0);

    CHECK_OK(anyccl_finalize());
    SAYS("finalized", ANYCCL_ERR_INVALID_USAGE, anyccl_barrier(ANYCCL_WORLD));
    SAYS("finalized", ANYCCL_ERR_INVALID_USAGE, anyccl_finalize());
    SAYS("finalized", ANYCCL_ERR_INVALID_USAGE, anyccl_init());
    CHECK_OK(anyccl_is_initialized(&flag));
    CHECK(flag == 0);
    return 0;
}
